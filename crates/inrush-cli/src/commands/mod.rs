//! The commands, a file or folder each. A command turns its arguments into an exit code or an error.

pub(crate) mod bench;
pub(crate) mod copy;
pub(crate) mod differences;
pub(crate) mod doctor;
pub(crate) mod documents;
pub(crate) mod export;
pub(crate) mod file_args;
pub(crate) mod load;
pub(crate) mod manifest;
pub(crate) mod masks;
pub(crate) mod rows_read;
pub(crate) mod run;
pub(crate) mod server;
mod shell_word;
pub(crate) mod tune;
pub(crate) mod undo;
pub(crate) mod verify;
