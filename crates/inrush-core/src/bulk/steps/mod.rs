//! What a load does before its first row and after its last, as SQL: indexes taken away and rebuilt, a shadow that takes the table's
//! place. When a step is done and noted is the ledger's matter.

pub mod atomic;
pub mod copied;
pub mod indexes;
pub mod keyless;
pub mod lock;
pub mod redefined;

pub use atomic::Shadow;
pub use copied::Copied;
pub use indexes::Index;
pub use lock::JobLocks;
