//! The text of a LOAD and the statements that go with it: of a batch's values, and of a load's checked columns.
//!
//! The encoders trust the checks: a cell of [`Form::Number`] is written into SQL without quotes. Code that builds a
//! `CheckedColumn` by hand must check its cells itself.
//!
//! [`Form::Number`]: crate::value::check::Form::Number

pub(in crate::bulk) mod block;
#[cfg(feature = "loader")]
mod fields;
mod insert;
#[cfg(feature = "loader")]
mod layout;
#[cfg(feature = "loader")]
pub mod load_data;
pub mod load_text;

#[cfg(feature = "loader")]
pub(in crate::bulk) use fields::kept;
pub use insert::Insert;
#[cfg(feature = "loader")]
pub use layout::{Layout, is_bindable};
