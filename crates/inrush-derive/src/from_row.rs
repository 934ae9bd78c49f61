//! `#[derive(FromRow)]`: which column each field takes, and the implementation that takes it.

use proc_macro2::TokenStream;
use quote::quote;
use syn::ext::IdentExt as _;
use syn::{Data, DeriveInput, Error, Field, Fields, GenericParam, Generics, Ident, Lifetime, LitStr, Result, Type};

/// The implementation for `input`.
pub(crate) fn implement(input: &DeriveInput) -> Result<TokenStream> {
    let Data::Struct(data) = &input.data else {
        return Err(Error::new(input.ident.span(), "`FromRow` can be derived for structs only"));
    };
    if let Some(attribute) = input.attrs.iter().find(|attribute| attribute.path().is_ident("inrush")) {
        return Err(Error::new_spanned(attribute, "`#[inrush(..)]` belongs to a field"));
    }
    let body = match &data.fields {
        Fields::Named(fields) => by_name(&fields.named.iter().collect::<Vec<_>>())?,
        Fields::Unnamed(fields) => by_position(&fields.unnamed.iter().collect::<Vec<_>>())?,
        Fields::Unit => return Err(Error::new(input.ident.span(), "`FromRow` needs fields for the columns")),
    };
    let row = row_lifetime(&input.generics)?;
    let generics = with_bounds(&input.generics, &row, &data.fields);
    let (for_impl, _, bounds) = generics.split_for_impl();
    let (_, of_type, _) = input.generics.split_for_impl();
    let ident = &input.ident;
    Ok(quote! {
        #[automatically_derived]
        impl #for_impl ::inrush::core::wire::FromRow<#row> for #ident #of_type #bounds {
            fn from_row(row: ::inrush::core::wire::Row<#row>) -> ::inrush::core::Result<Self> {
                #body
            }
        }
    })
}

fn by_name(fields: &[&Field]) -> Result<TokenStream> {
    let mut columns: Vec<LitStr> = Vec::new();
    for field in fields {
        let column = column_of(field)?;
        // As columns are found: in any case.
        if columns.iter().any(|known| known.value().eq_ignore_ascii_case(&column.value())) {
            let message = format!("two fields take the column `{}`", column.value());
            return Err(Error::new(column.span(), message));
        }
        columns.push(column);
    }
    let idents = fields.iter().map(|field| &field.ident);
    let places = 0..fields.len();
    Ok(quote! {
        let values = row.pick(&[#(#columns),*])?;
        ::core::result::Result::Ok(Self { #(#idents: row.convert(values[#places].0, values[#places].1)?),* })
    })
}

fn by_position(fields: &[&Field]) -> Result<TokenStream> {
    if let Some(attribute) = fields.iter().find_map(|field| field.attrs.iter().find(|a| a.path().is_ident("inrush"))) {
        return Err(Error::new_spanned(attribute, "a field without a name takes its column by position"));
    }
    let n = fields.len();
    let places = 0..n;
    Ok(quote! {
        let values = row.to_array::<#n>()?;
        ::core::result::Result::Ok(Self(#(row.convert(#places, values[#places])?),*))
    })
}

/// The column of a field: what `rename` says, or the field's own name.
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
                Some(_) => Err(meta.error("a field takes one column")),
            }
        })?;
    }
    let own_name = |ident: &Ident| LitStr::new(&ident.unraw().to_string(), ident.span());
    renamed
        .or_else(|| field.ident.as_ref().map(own_name))
        .ok_or_else(|| Error::new_spanned(field, "a field needs a name"))
}

/// The lifetime that the row is borrowed for: the struct's own, if it has one.
fn row_lifetime(generics: &Generics) -> Result<Lifetime> {
    let mut own = generics.lifetimes();
    match (own.next(), own.next()) {
        (_, Some(second)) => {
            Err(Error::new_spanned(second, "a struct that borrows from one row has one lifetime at most"))
        }
        (Some(own), None) => Ok(own.lifetime.clone()),
        (None, None) => Ok(Lifetime::new("'__row", proc_macro2::Span::mixed_site())),
    }
}

/// Adds the row's lifetime where it is not the struct's own, and asks of each field's type that names a type parameter that
/// it can be read.
fn with_bounds(generics: &Generics, row: &Lifetime, fields: &Fields) -> Generics {
    let mut bounded = generics.clone();
    if generics.lifetimes().next().is_none() {
        bounded.params.insert(0, GenericParam::Lifetime(syn::LifetimeParam::new(row.clone())));
    }
    let parameters: Vec<_> = generics.type_params().map(|parameter| &parameter.ident).collect();
    let types = fields.iter().map(|field| &field.ty).filter(|ty| names_one_of(ty, &parameters));
    let bounds: Vec<_> = types.map(|ty| syn::parse_quote!(#ty: ::inrush::core::wire::FromValue<#row>)).collect();
    if !bounds.is_empty() {
        bounded.make_where_clause().predicates.extend::<Vec<syn::WherePredicate>>(bounds);
    }
    bounded
}

/// Whether a type's text holds one of the identifiers. More than it should is no harm: the bound then merely says what holds.
fn names_one_of(ty: &Type, parameters: &[&Ident]) -> bool {
    fn any(tokens: TokenStream, parameters: &[&Ident]) -> bool {
        tokens.into_iter().any(|token| match token {
            proc_macro2::TokenTree::Ident(ident) => parameters.iter().any(|parameter| **parameter == ident),
            proc_macro2::TokenTree::Group(group) => any(group.stream(), parameters),
            _ => false,
        })
    }
    any(quote!(#ty), parameters)
}

#[cfg(test)]
mod tests;
