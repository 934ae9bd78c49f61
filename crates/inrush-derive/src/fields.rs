//! The parts of a struct that all derive macros need: its fields, the column of each, and bounds for type parameters.

use proc_macro2::{TokenStream, TokenTree};
use quote::quote;
use syn::ext::IdentExt as _;
use syn::{Data, DeriveInput, Error, Field, Fields, Generics, Ident, LitStr, Result, Type, WherePredicate};

/// The fields of a struct, which must have some.
pub(crate) fn fields_of<'i>(input: &'i DeriveInput, derived: &str) -> Result<&'i Fields> {
    let Data::Struct(data) = &input.data else {
        return Err(Error::new(input.ident.span(), format!("`{derived}` can be derived for structs only")));
    };
    if let Some(attribute) = input.attrs.iter().find(|attribute| attribute.path().is_ident("inrush")) {
        return Err(Error::new_spanned(attribute, "`#[inrush(..)]` belongs to a field"));
    }
    match &data.fields {
        Fields::Unit => Err(Error::new(input.ident.span(), format!("`{derived}` needs fields for the columns"))),
        fields => Ok(fields),
    }
}

/// The column of each field with a name.
pub(crate) fn columns(fields: &[&Field]) -> Result<Vec<LitStr>> {
    let mut columns: Vec<LitStr> = Vec::new();
    for field in fields {
        let column = column_of(field)?;
        // Columns are matched in any case.
        if columns.iter().any(|known| known.value().eq_ignore_ascii_case(&column.value())) {
            let message = format!("two fields have the column `{}`", column.value());
            return Err(Error::new(column.span(), message));
        }
        columns.push(column);
    }
    Ok(columns)
}

/// Refuses options of fields that have no name.
pub(crate) fn no_options(fields: &[&Field]) -> Result<()> {
    match fields.iter().find_map(|field| field.attrs.iter().find(|a| a.path().is_ident("inrush"))) {
        None => Ok(()),
        Some(attribute) => Err(Error::new_spanned(attribute, "a field without a name has its column by position")),
    }
}

/// Adds a bound for each field's type with a type parameter.
pub(crate) fn bound(generics: &mut Generics, fields: &Fields, of: impl Fn(&Type) -> WherePredicate) {
    let parameters: Vec<_> = generics.type_params().map(|parameter| parameter.ident.clone()).collect();
    let types = fields.iter().map(|field| &field.ty).filter(|ty| names_one_of(ty, &parameters));
    let bounds: Vec<_> = types.map(of).collect();
    if !bounds.is_empty() {
        generics.make_where_clause().predicates.extend(bounds);
    }
}

/// The column of a field: that of `rename`, or the field's name.
fn column_of(field: &Field) -> Result<LitStr> {
    let mut renamed = None;
    for attribute in field.attrs.iter().filter(|attribute| attribute.path().is_ident("inrush")) {
        attribute.parse_nested_meta(|meta| {
            if !meta.path.is_ident("rename") {
                return Err(meta.error("the only option of a field is `rename = \"column\"`"));
            }
            let column: LitStr = meta.value()?.parse()?;
            match renamed.replace(column) {
                None => Ok(()),
                Some(_) => Err(meta.error("a field has one column")),
            }
        })?;
    }
    let own_name = |ident: &Ident| LitStr::new(&ident.unraw().to_string(), ident.span());
    renamed
        .or_else(|| field.ident.as_ref().map(own_name))
        .ok_or_else(|| Error::new_spanned(field, "a field needs a name"))
}

/// Whether a type's text contains one of the identifiers. False positives only add a redundant bound.
fn names_one_of(ty: &Type, parameters: &[Ident]) -> bool {
    fn any(tokens: TokenStream, parameters: &[Ident]) -> bool {
        tokens.into_iter().any(|token| match token {
            TokenTree::Ident(ident) => parameters.contains(&ident),
            TokenTree::Group(group) => any(group.stream(), parameters),
            _ => false,
        })
    }
    any(quote!(#ty), parameters)
}
