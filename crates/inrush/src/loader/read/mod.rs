//! From sources to chunks that can be sent: the thread that reads, the queue, checks and encoding.

pub(crate) mod pass_through;
pub(crate) mod payload;
pub(crate) mod prepare;
pub(crate) mod reader;
pub(crate) mod work_queue;
