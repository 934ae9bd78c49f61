//! The text of a LOAD of checked columns, and the statements that go with it.
//!
//! The encoders trust the checks: a cell of [`Form::Number`] is written into SQL without quotes. Code that builds a
//! `CheckedColumn` by hand must check its cells itself.
//!
//! [`Form::Number`]: crate::column::check::Form::Number

mod layout;
pub mod load_data;

pub use layout::{Layout, is_bindable};

#[cfg(test)]
mod tests;
