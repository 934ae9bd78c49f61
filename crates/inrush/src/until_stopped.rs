//! A statement that may wait long for others who use a table, and that a request to stop ends at the server too: once its connection is gone, a
//! server may execute it still, long after the program has ended.

use crate::blocking::Connection;
use crate::{Error, Kind, Result, verbs};
use inrush_core::session::{Discard, Query};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

/// Executes a statement, whose rows are discarded. Once `is_stopping` says so, another connection kills it.
///
/// # Errors
/// `Interrupted` if it was killed; those of the server.
pub fn execute_until_stopped(
    connection: &mut Connection,
    statement: impl AsRef<[u8]>,
    is_stopping: impl Fn() -> bool + Send,
) -> Result<()> {
    let (config, id) = (verbs::killer(connection.config()), connection.connection_id());
    let (over, is_over) = channel::<()>();
    let (done, is_killed) = std::thread::scope(|scope| {
        let killing = scope.spawn(move || {
            while is_over.recv_timeout(LOOK_EVERY) == Err(RecvTimeoutError::Timeout) {
                if is_stopping() {
                    let killed =
                        Connection::connect(config).and_then(|mut killer| killer.execute(&verbs::kill_query(id), ()));
                    return killed.is_ok();
                }
            }
            false
        });
        let done = connection.run(Query::new(statement.as_ref(), &mut Discard)).map(drop);
        drop(over);
        (done, killing.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
    });
    // One that came late would end the next statement.
    if is_killed {
        while connection.execute("DO 0", ()).is_err_and(|error| error.code() == verbs::KILLED) {}
    }
    match done {
        Err(error) if is_killed && error.code() == verbs::KILLED => {
            Err(Error::new(Kind::Interrupted, "interrupted before a row was sent"))
        }
        done => done,
    }
}

/// How often a request to stop is looked for.
const LOOK_EVERY: Duration = Duration::from_millis(50);
