//! The derive macros of the crate `inrush`, which re-exports them; what they write names that crate.

mod from_row;

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
