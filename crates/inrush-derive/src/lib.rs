//! The derive macros of the crate `inrush`, which re-exports them; the generated code names that crate.

mod fields;
mod from_row;
mod to_row;

use proc_macro::TokenStream;
use syn::DeriveInput;

/// Converts a row to a struct.
///
/// A struct with named fields reads the columns of those names, in any order and any case; other columns are ignored. A
/// tuple struct reads all columns by position. A field may borrow from the row: `&'r str`, `&'r [u8]`; then the struct has one
/// lifetime. A field that may be NULL is an `Option`.
///
/// A missing column, a duplicate column, and a value that does not fit are errors that name the column.
#[proc_macro_derive(FromRow, attributes(inrush))]
pub fn from_row(input: TokenStream) -> TokenStream {
    let input = syn::parse_macro_input!(input as DeriveInput);
    from_row::implement(&input).unwrap_or_else(syn::Error::into_compile_error).into()
}

/// Converts a struct to a row of values: the parameters of one execution, or one row of a batch.
///
/// Named fields are the values of the placeholders with those names (`:name`), in any order; fields that the statement does not name are
/// ignored, so that one struct can be used for several statements. A tuple struct's fields are values by position. The type of a field
/// implements `ToValue`; a field that may be NULL is an `Option`.
///
/// A placeholder without a field is an error that names it.
#[proc_macro_derive(ToRow, attributes(inrush))]
pub fn to_row(input: TokenStream) -> TokenStream {
    let input = syn::parse_macro_input!(input as DeriveInput);
    to_row::implement(&input).unwrap_or_else(syn::Error::into_compile_error).into()
}
