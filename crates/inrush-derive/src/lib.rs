//! The derive macros of the crate `inrush`, which re-exports them; what they write names that crate.

mod fields;
mod from_row;
mod to_row;

use proc_macro::TokenStream;
use syn::DeriveInput;

/// Makes a struct out of a row.
///
/// A struct with named fields takes the columns of those names, in any order and any case; other columns are left alone. A
/// tuple struct takes all columns by position. A field may borrow from the row: `&'r str`, `&'r [u8]`; then the struct has one
/// lifetime. A field that may be NULL is an `Option`.
///
/// A column that is missing, that comes twice, or whose value does not fit is an error that names it.
#[proc_macro_derive(FromRow, attributes(inrush))]
pub fn from_row(input: TokenStream) -> TokenStream {
    let input = syn::parse_macro_input!(input as DeriveInput);
    from_row::implement(&input).unwrap_or_else(syn::Error::into_compile_error).into()
}

/// Makes a row of values out of a struct: the parameters of one execution, or one row of a batch.
///
/// Fields with names go to the placeholders of those names (`:name`), in any order; what the statement does not name is left out, so
/// that one struct serves several statements. A tuple struct's fields go to the placeholders by position. A field may be anything
/// that is a value (`ToValue`); one that may be NULL is an `Option`.
///
/// A placeholder without a field is an error that names it.
#[proc_macro_derive(ToRow, attributes(inrush))]
pub fn to_row(input: TokenStream) -> TokenStream {
    let input = syn::parse_macro_input!(input as DeriveInput);
    to_row::implement(&input).unwrap_or_else(syn::Error::into_compile_error).into()
}
