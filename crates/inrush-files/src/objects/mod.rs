//! Objects of stores (S3, Google Cloud Storage, Azure) and of HTTP servers, read by ranges through the crate `object_store`.
//!
//! ```text
//! Address -> store (its client, credentials) -> object (size, ETag) -> reader (ranges ahead) -> std::io::Read
//!                                                                  all requests: runtime, one thread
//! ```
//!
//! Invariant: every byte that is read of an [`Object`] belongs to the content that it had when it was opened. Each request names its ETag,
//! and each answer is compared with it.

mod failure;
mod list;
mod object;
mod profile;
mod reader;
mod rejects;
mod runtime;
mod store;
mod upload;

pub(crate) use list::list;
pub(crate) use object::{Object, Opened, open};
pub(crate) use reader::ObjectReader;
pub(crate) use rejects::ObjectRejects;
pub use upload::{ObjectFolder, ObjectUpload};

#[cfg(test)]
mod tests;
