//! Columns of values: what a target column is ([`column::Column`]), whether a cell fits it, and its text.

pub mod column;
