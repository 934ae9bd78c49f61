//! What a load does before its first row and after its last, as SQL: indexes are dropped and rebuilt, a shadow replaces the
//! table. The ledger decides when a step is done and recorded.

pub mod atomic;
pub mod copied;
pub mod indexes;
pub mod kept;
pub mod keyless;
pub mod lock;
pub mod redefined;

pub use atomic::Shadow;
pub use copied::Copied;
pub use indexes::Index;
pub use kept::Kept;
pub use lock::JobLocks;
