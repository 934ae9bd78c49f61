//! Bytes <-> packets, one file for each packet. Encoders append to the caller's buffer; decoders borrow, are checked, and are
//! named after their packet. The order of packets is in `session`, the Rust types and Arrow arrays of users are in `convert`, what a
//! table's column takes is in `column`.
//!
//! | file | what |
//! |---|---|
//! | [`frame`], [`inbox`], [`outbox`] | framing: bytes of a socket <-> whole packets |
//! | [`compress`] | compressed frames around it |
//! | [`cursor`], [`lenenc`] | the checked reader all decoders use; the writing side |
//! | [`flags`], [`version`] | capabilities, status, types; which server |
//! | [`greeting`], [`login`], [`auth_switch`] | the packets of a login |
//! | [`ok`], [`err`] | how a command ends |
//! | [`column_def`], [`row`] | result sets |
//! | [`command`], [`stmt`], [`bulk_execute`] | commands |
//! | [`param_type`] | the type that a parameter is sent as |
//! | [`dirty_flags`] | what a command may change in the session |

pub mod auth_switch;
pub mod bulk_execute;
pub mod column_def;
pub mod command;
pub mod compress;
pub mod cursor;
pub mod dirty_flags;
pub mod err;
pub mod flags;
pub mod frame;
pub mod greeting;
pub mod inbox;
pub mod lenenc;
pub mod login;
pub mod ok;
pub mod outbox;
pub mod param_type;
pub mod row;
pub mod stmt;
pub mod version;

pub use auth_switch::AuthPacket;
pub use bulk_execute::BulkBody;
pub use column_def::{ColumnDef, ColumnDefs};
pub use compress::{Compression, Frames};
pub use cursor::{Cursor, Malformed};
pub use dirty_flags::DirtyFlags;
pub use err::ErrPacket;
pub use flags::{Capabilities, ColumnFlags, ColumnType, MariaDbCapabilities, Status};
pub use greeting::Greeting;
pub use inbox::{Inbox, Packet};
pub use login::LoginPacket;
pub use ok::{OkPacket, SessionChange};
pub use outbox::Outbox;
pub use param_type::ParamType;
pub use row::{Row, RowFormat};
pub use stmt::{PrepareOk, StmtId};
pub use version::{ServerVersion, Vendor};
