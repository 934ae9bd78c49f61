//! Single rows of many callers that travel together: what both twins of an inserter share, which is everything but the waiting.
//!
//! | file | what |
//! |---|---|
//! | [`queue`] | which rows form the next batch, who waits for room, which lane has work: pure |
//! | [`verdict`] | what an error means for a batch: again, failed, or nobody knows: pure |

pub(crate) mod queue;
pub(crate) mod verdict;
