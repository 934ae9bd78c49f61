//! Bytes <-> packets, a packet a file. Encoders append to the caller's buffer; decoders borrow, are checked, and are named
//! after their packet. No order of packets in here (that is `session`), no meaning of values (that is `value`).
//!
//! | file | what |
//! |---|---|
//! | [`inbox`], [`outbox`] | framing: bytes of a socket <-> whole packets |
//! | [`cursor`] | the checked reader all decoders use |
//! | [`flags`] | capabilities, status, column types and flags |
//! | [`version`] | which server, which version |

pub mod cursor;
pub mod flags;
pub mod inbox;
pub mod outbox;
pub mod version;

pub use cursor::{Cursor, Malformed};
pub use flags::{Capabilities, ColumnFlags, ColumnType, MariaDbCapabilities, Status};
pub use inbox::{Inbox, Packet};
pub use outbox::Outbox;
pub use version::{ServerVersion, Vendor};
