//! What makes rows last: the COMMIT of a chunk with its line, and the ledger that remembers it.

pub(crate) mod chunk;
pub(crate) mod ledger;
