//! Bytes <-> packets, a packet a file. Encoders append to the caller's buffer; decoders borrow, are checked, and are named
//! after their packet. No order of packets in here (that is `session`), no meaning of values (that is `value`).
//!
//! | file | what |
//! |---|---|
//! | [`inbox`], [`outbox`] | framing: bytes of a socket <-> whole packets |
//! | [`compress`] | compressed frames around it |
//! | [`cursor`], [`lenenc`] | the checked reader all decoders use; the writing side |
//! | [`flags`], [`version`] | capabilities, status, types; which server |
//! | [`greeting`], [`login`], [`auth_switch`] | the packets of a login |
//! | [`ok`], [`err`] | how a command ends |
//! | [`column_def`], [`row`], [`value`], [`moment`] | result sets; dates and times as text and as numbers |
//! | [`from_value`], [`from_row`] | their values and rows as Rust types |
//! | [`to_value`], [`params`], [`rows`] | Rust values as parameters, of one execution and of many |
//! | [`columns`], [`column`] | many sets of values as columns: slices, Arrow arrays |
//! | [`row_buffer`], [`row_reader`] | rows that own their values; rows read one after the other |
//! | [`fence`], [`usual`], [`param_type`] | values that are surely held; rows that are written without a look at each value's kind |
//! | [`command`], [`stmt`], [`bulk_execute`] | what is asked for |
//! | [`traces`] | what it may leave behind in the session |

/// Calls a macro with the arity, type parameters and positions of every tuple that rows and parameters can be.
macro_rules! for_tuples {
    ($each:ident) => {
        $each! {
            (1: A 0)
            (2: A 0, B 1)
            (3: A 0, B 1, C 2)
            (4: A 0, B 1, C 2, D 3)
            (5: A 0, B 1, C 2, D 3, E 4)
            (6: A 0, B 1, C 2, D 3, E 4, F 5)
            (7: A 0, B 1, C 2, D 3, E 4, F 5, G 6)
            (8: A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7)
            (9: A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8)
            (10: A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9)
            (11: A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9, K 10)
            (12: A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9, K 10, L 11)
            (13: A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9, K 10, L 11, M 12)
            (14: A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9, K 10, L 11, M 12, N 13)
            (15: A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9, K 10, L 11, M 12, N 13, O 14)
            (16: A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9, K 10, L 11, M 12, N 13, O 14, P 15)
        }
    };
}

pub mod auth_switch;
pub mod bulk_execute;
pub mod column;
pub mod column_def;
pub mod columns;
pub mod command;
pub mod compress;
pub mod cursor;
pub mod err;
pub mod fence;
pub mod flags;
pub mod from_row;
pub mod from_value;
pub mod greeting;
pub mod inbox;
pub mod lenenc;
pub mod login;
pub mod moment;
pub mod ok;
pub mod outbox;
pub mod param_type;
pub mod params;
pub mod row;
pub mod row_buffer;
pub mod row_reader;
pub mod rows;
pub mod stmt;
pub mod to_value;
pub mod traces;
pub mod usual;
pub mod value;
pub mod version;

pub use auth_switch::AuthPacket;
pub use bulk_execute::BulkBody;
pub use column::Column;
pub use column_def::{ColumnDef, ColumnDefs};
pub use columns::{Columns, IntoColumn, scalar};
pub use compress::{Compression, Frames};
pub use cursor::{Cursor, Malformed};
pub use err::ErrPacket;
pub use fence::Fence;
pub use flags::{Capabilities, ColumnFlags, ColumnType, MariaDbCapabilities, Status};
pub use from_row::FromRow;
pub use from_value::{ColumnIndex, FromValue};
pub use greeting::Greeting;
pub use inbox::{Inbox, Packet};
pub use login::LoginPacket;
pub use ok::{OkPacket, SessionChange};
pub use outbox::Outbox;
pub use param_type::ParamType;
pub use params::{Named, Order, ParamValues, Params, TakeValue, ToRow};
pub use row::{Row, RowFormat};
pub use row_buffer::RowBuffer;
pub use row_reader::RowReader;
pub use rows::{BoundRows, BoxedRows, Rows};
pub use stmt::{PrepareOk, StmtId};
pub use to_value::ToValue;
pub use traces::Traces;
pub use usual::Sheet;
pub use value::{Date, DateTime, Time, Value};
pub use version::{ServerVersion, Vendor};
