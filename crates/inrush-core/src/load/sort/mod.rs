//! The external merge sort of a load: checked rows go into [runs](RunBuilder) with their keys, runs are written as [blocks](Header) with
//! checksums, and [merged](Merge) into one sequence, which is cut into [chunks](SortedChunk) as a source's text is. Keys are byte strings
//! in the order of the server (`column::order`). The I/O, the threads and the temporary files are the loader's.
//!
//! The sequence is the same in every run, whatever the memory and the number of threads: equal keys keep the order of the sources.

mod block;
mod choose;
mod chunk;
mod key;
mod merge;
mod record;
mod reject;
mod run;
mod source;

pub use block::{BLOCK_BYTES, HEADER_BYTES, Header};
pub use choose::{Choice, SortFacts, choose, server_bytes, spill_bytes};
pub use chunk::{Sequence, SortedChunk, SortedText};
pub use key::{ClusteredKey, ClusteredPart, IsRight, SortKey};
pub use merge::{Blocks, Merge};
pub use record::{Record, lines};
pub use reject::{REJECT, ROW, is_reject, read_reject, write_reject};
pub use run::RunBuilder;
pub use source::{Size, SortedSource};

pub use super::stood::{SourcePlace, Stood};
