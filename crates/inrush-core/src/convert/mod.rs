//! Values on the wire <-> what users have: Rust types, structs, slices, Arrow arrays. Nothing here knows a table; whether a column
//! takes a value is for [`column`](crate::column) to check.
//!
//! | file | what |
//! |---|---|
//! | [`from_value`], [`from_row`] | values and rows of a result as Rust types |
//! | `arrow` | rows of a result as Arrow batches (feature `arrow`) |
//! | [`to_value`], [`params`] | Rust values as parameters of one execution |
//! | [`to_row`] | the columns of a struct whose fields are structs |
//! | `system_time` | the standard library's instants |
//! | [`resolve`] | parameters that get their last form before they are sent |
//! | `ecosystem` | types of other crates, a feature and a file each |
//! | [`rows`] | many sets of parameters: slices of tuples, of structs |
//! | [`columns`], [`column`] | the same as columns: slices, Arrow arrays |
//! | `bind` | Arrow arrays and record batches as such columns (feature `arrow`) |
//! | [`row_buffer`], [`row_reader`] | rows that own their values; bound rows read one after the other |
//! | [`bounds`] | a quick test that is right for nearly all values of a column |
//! | [`fast_path`], [`put_value`] | rows of common values are written without a call a value |

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
            (17: A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9, K 10, L 11, M 12, N 13, O 14, P 15, Q 16)
            (18: A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9, K 10, L 11, M 12, N 13, O 14, P 15, Q 16, R 17)
            (19: A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9, K 10, L 11, M 12, N 13, O 14, P 15, Q 16, R 17, S 18)
            (20: A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9, K 10, L 11, M 12, N 13, O 14, P 15, Q 16, R 17, S 18, T 19)
            (21: A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9, K 10, L 11, M 12, N 13, O 14, P 15, Q 16, R 17, S 18, T 19, U 20)
            (22: A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9, K 10, L 11, M 12, N 13, O 14, P 15, Q 16, R 17, S 18, T 19, U 20, V 21)
            (23: A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9, K 10, L 11, M 12, N 13, O 14, P 15, Q 16, R 17, S 18, T 19, U 20, V 21, W 22)
            (24: A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9, K 10, L 11, M 12, N 13, O 14, P 15, Q 16, R 17, S 18, T 19, U 20, V 21, W 22, X 23)
            (25: A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9, K 10, L 11, M 12, N 13, O 14, P 15, Q 16, R 17, S 18, T 19, U 20, V 21, W 22, X 23, Y 24)
            (26: A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9, K 10, L 11, M 12, N 13, O 14, P 15, Q 16, R 17, S 18, T 19, U 20, V 21, W 22, X 23, Y 24, Z 25)
        }
    };
}

#[cfg(feature = "arrow")]
pub mod arrow;
#[cfg(feature = "arrow")]
pub mod bind;
pub mod bounds;
pub mod column;
pub mod columns;
mod ecosystem;
pub mod fast_path;
pub mod from_row;
pub mod from_value;
mod owned_row;
pub mod params;
mod plus;
mod put_value;
pub mod resolve;
pub mod row_buffer;
pub mod row_reader;
pub mod rows;
mod std_types;
mod system_time;
pub mod to_row;
pub mod to_value;

pub use bounds::Bounds;
pub use column::BoundColumn;
pub use columns::{Columns, IntoColumn, scalar};
#[cfg(feature = "serde_json")]
pub use ecosystem::Json;
pub use fast_path::RowBlockWriter;
pub use from_row::FromRow;
pub use from_value::{ColumnIndex, FromValue};
pub use owned_row::OwnedRow;
pub use params::{Named, Order, ParamValues, Params, ToRow, ValueVisitor};
pub use plus::Plus;
pub use row_buffer::RowBuffer;
pub use row_reader::RowReader;
pub use rows::{BoundRows, BoxedRows, Rows};
pub use to_value::ToValue;

/// Of jiff: what derived code names.
pub use jiff::tz::TimeZone;
