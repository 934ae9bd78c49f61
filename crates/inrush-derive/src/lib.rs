//! The derive macros of the crate `inrush`, which re-exports them; the generated code names that crate.

mod case;
mod fields;
mod from_row;
mod to_row;
mod value;

use proc_macro::TokenStream;
use syn::DeriveInput;

/// Converts a row to a struct.
///
/// A struct with named fields reads the columns of those names, in any order and any case; other columns are ignored. A
/// tuple struct reads all columns by position. A field may borrow from the row: `&'r str`, `&'r [u8]`; then the struct has one
/// lifetime. A field that may be NULL is an `Option`.
///
/// | option of a field | what it does |
/// |---|---|
/// | `rename = "column"` | the column has another name than the field |
/// | `default`, `default = 5` | a result that lacks the column gives the default value, or that of the expression |
/// | `skip` | the field is no column, and gets its default value |
/// | `flatten` | the field is a struct that has its own columns in the same row; of an `Option` it is `None` if all of them are NULL, as a LEFT JOIN leaves them |
/// | `flatten, prefix = "buyer_"` | the same with this in front of the struct's names: `SELECT b.id AS buyer_id` |
/// | `json` | the column holds the field's JSON (feature `serde_json`); NULL needs an `Option` |
/// | `with = "module"` | `module::from_value(Value<'_>, &ColumnDef) -> Option<T>` reads it |
///
/// `#[inrush(rename_all = "camelCase")]` on the struct spells all names that no `rename` gives: also `lowercase`, `UPPERCASE`, `snake_case`,
/// `SCREAMING_SNAKE_CASE`, `kebab-case` and `PascalCase`.
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
/// The options of a field are those of [`FromRow`]: `skip` leaves it out, `with = "module"` sends what
/// `module::to_value(&T) -> Value<'_>` returns, and `default` says nothing here. There is no `prefix`. `rename_all` is that of [`FromRow`].
///
/// A placeholder without a field is an error that names it.
#[proc_macro_derive(ToRow, attributes(inrush))]
pub fn to_row(input: TokenStream) -> TokenStream {
    let input = syn::parse_macro_input!(input as DeriveInput);
    to_row::implement(&input).unwrap_or_else(syn::Error::into_compile_error).into()
}

/// Makes a value of an enum (its variants' names, as an ENUM column has them) or of a struct with one field (the value in it).
///
/// `#[inrush(rename_all = "snake_case")]` on the enum (or `lowercase`, `UPPERCASE`, `SCREAMING_SNAKE_CASE`, `kebab-case`, `camelCase`) and
/// `#[inrush(rename = "name")]` on a variant say how the server spells them. With `#[inrush(repr)]` and `#[repr(u8)]` (or another whole number)
/// an enum is the number of its variant.
#[proc_macro_derive(ToValue, attributes(inrush))]
pub fn to_value(input: TokenStream) -> TokenStream {
    let input = syn::parse_macro_input!(input as DeriveInput);
    value::to_value(&input).unwrap_or_else(syn::Error::into_compile_error).into()
}

/// Reads what [`ToValue`] makes. A text that is none of an enum's names is an error that lists them.
#[proc_macro_derive(FromValue, attributes(inrush))]
pub fn from_value(input: TokenStream) -> TokenStream {
    let input = syn::parse_macro_input!(input as DeriveInput);
    value::from_value(&input).unwrap_or_else(syn::Error::into_compile_error).into()
}
