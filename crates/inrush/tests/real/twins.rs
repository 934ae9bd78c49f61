//! One body of code for both shells, where they differ by an `.await` and a word: `wait!` and `work!` stand for these.
//!
//! ```text
//! with_twin!(case, connection => {
//!     let mut tx = wait!(connection.begin()).unwrap();
//!     wait!(connection.transaction(work!(tx => wait!(tx.execute("DO 1"))))).unwrap();
//! });
//! ```

/// Opens a connection of the case's shell (by a configuration, if one is given) and runs the body with it.
macro_rules! with_twin {
    (($d:tt) $case:expr, $config:expr, $connection:ident => $body:block) => {
        match $case.shell {
            $crate::cases::Shell::Blocking => {
                #[allow(unused_macros)]
                macro_rules! wait { ($d e:expr) => { $d e }; }
                #[allow(unused_macros)]
                macro_rules! work { ($d tx:ident => $d e:expr) => { |$d tx| $d e }; }
                #[allow(unused_mut)]
                let mut $connection = inrush::blocking::Connection::connect(&$config).unwrap();
                $body
            }
            $crate::cases::Shell::Tokio => {
                #[allow(unused_macros)]
                macro_rules! wait { ($d e:expr) => { $d e.await }; }
                #[allow(unused_macros)]
                macro_rules! work { ($d tx:ident => $d e:expr) => { async |$d tx| $d e }; }
                let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
                runtime.block_on(async {
                    #[allow(unused_mut)]
                    let mut $connection = inrush::Connection::connect(&$config).await.unwrap();
                    $body
                });
            }
        }
    };
    ($case:expr, $connection:ident => $body:block) => {
        with_twin!($case, $case.config(), $connection => $body)
    };
    ($case:expr, $config:expr, $connection:ident => $body:block) => {
        with_twin!(($) $case, $config, $connection => $body)
    };
}
pub(crate) use with_twin;
