//! `#[derive(FromRow)]`: maps columns to fields, and generates the implementation.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{DeriveInput, Error, Field, Fields, GenericParam, Generics, Lifetime, LitStr, Result};

use crate::case::Case;
use crate::fields::{FieldConversion, Named, Role, bound, fields_of, named, no_options, within_option};

/// The implementation for `input`.
pub(crate) fn implement(input: &DeriveInput) -> Result<TokenStream> {
    let fields = fields_of(input, "FromRow")?;
    let row = row_lifetime(&input.generics)?;
    let (body, names, generics) = match fields {
        Fields::Named(fields) => {
            let case = Case::of_input(input, false)?;
            let fields = named(&fields.named.iter().collect::<Vec<_>>(), case)?;
            (by_name(&fields), names(&fields), with_bounds(&input.generics, &row, &fields))
        }
        fields => {
            let fields: Vec<_> = fields.iter().collect();
            (by_position(&fields)?, TokenStream::new(), with_bounds_by_position(&input.generics, &row, &fields))
        }
    };
    let (for_impl, _, bounds) = generics.split_for_impl();
    let (_, of_type, _) = input.generics.split_for_impl();
    let ident = &input.ident;
    Ok(quote! {
        #[automatically_derived]
        impl #for_impl ::inrush::sans_io::convert::FromRow<#row> for #ident #of_type #bounds {
            #names

            fn from_row(row: ::inrush::sans_io::wire::Row<#row>) -> ::inrush::sans_io::Result<Self> {
                #body
            }
        }
    })
}

fn by_name(fields: &[Named<'_>]) -> TokenStream {
    let columns: Vec<&LitStr> = fields.iter().filter_map(|named| column(named).map(|column| &column.name)).collect();
    let optional: Vec<bool> =
        fields.iter().filter_map(|named| column(named).map(|column| column.is_optional)).collect();
    let mut place = 0;
    let values = fields.iter().map(|Named { field, role }| {
        let ident = &field.ident;
        let value = match role {
            Role::Skipped => quote!(::core::default::Default::default()),
            Role::Flattened { prefix } => {
                let row = match prefix {
                    Some(prefix) => quote!(row.with_prefix(#prefix)?),
                    None => quote!(row),
                };
                match within_option(&field.ty) {
                    Some(inner) => quote!(#row.to_option::<#inner>()?),
                    None => quote!(::inrush::sans_io::convert::FromRow::from_row(#row)?),
                }
            }
            Role::Column(column) => {
                let value = converted(&column.conversion, field, place);
                let is_missing = quote!(values[#place].0 == ::core::primitive::usize::MAX);
                place += 1;
                match (column.is_optional, &column.default) {
                    (_, Some(default)) => quote!(if #is_missing { #default } else { #value }),
                    (true, None) => quote!(if #is_missing { ::core::default::Default::default() } else { #value }),
                    (false, None) => value,
                }
            }
        };
        quote!(#ident: #value)
    });
    let values: Vec<_> = values.collect();
    let pick = match (columns.is_empty(), optional.contains(&true)) {
        (true, _) => TokenStream::new(),
        (false, true) => quote!(let values = row.pick_with(&[#(#columns),*], &[#(#optional),*])?;),
        (false, false) => quote!(let values = row.pick(&[#(#columns),*])?;),
    };
    quote! {
        #pick
        ::core::result::Result::Ok(Self { #(#values),* })
    }
}

/// The columns of the struct itself.
fn names(fields: &[Named<'_>]) -> TokenStream {
    let names = fields.iter().filter_map(|named| column(named).map(|column| &column.name));
    quote!(const NAMES: &'static [&'static str] = &[#(#names),*];)
}

/// The value of a column as the field's type.
fn converted(conversion: &FieldConversion, field: &Field, place: usize) -> TokenStream {
    let value = quote!(values[#place].0, values[#place].1);
    let ty = &field.ty;
    match (conversion, within_option(ty)) {
        (FieldConversion::Own, _) => quote!(row.convert(#value)?),
        (FieldConversion::With(path), _) => quote!(row.convert_with(#value, #path::from_value)?),
        (FieldConversion::Json, None) => quote!(row.convert::<::inrush::sans_io::convert::Json<#ty>>(#value)?.0),
        (FieldConversion::Json, Some(inner)) => quote! {
            row.convert::<::core::option::Option<::inrush::sans_io::convert::Json<#inner>>>(#value)?.map(|json| json.0)
        },
    }
}

fn by_position(fields: &[&Field]) -> Result<TokenStream> {
    no_options(fields)?;
    let n = fields.len();
    let places = 0..n;
    Ok(quote! {
        let values = row.to_array::<#n>()?;
        ::core::result::Result::Ok(Self(#(row.convert(#places, values[#places])?),*))
    })
}

fn column<'f>(named: &'f Named<'_>) -> Option<&'f crate::fields::FieldColumn> {
    match &named.role {
        Role::Column(column) => Some(column),
        _ => None,
    }
}

/// The lifetime of the borrowed row: the struct's lifetime, if it has one.
pub(crate) fn row_lifetime(generics: &Generics) -> Result<Lifetime> {
    let mut own = generics.lifetimes();
    match (own.next(), own.next()) {
        (_, Some(second)) => {
            Err(Error::new_spanned(second, "a struct that borrows from one row has one lifetime at most"))
        }
        (Some(own), None) => Ok(own.lifetime.clone()),
        (None, None) => Ok(Lifetime::new("'__row", proc_macro2::Span::mixed_site())),
    }
}

/// Adds the row's lifetime if the struct has none.
pub(crate) fn with_row(generics: &Generics, row: &Lifetime) -> Generics {
    let mut with_row = generics.clone();
    if generics.lifetimes().next().is_none() {
        with_row.params.insert(0, GenericParam::Lifetime(syn::LifetimeParam::new(row.clone())));
    }
    with_row
}

/// Adds the row's lifetime, and a bound that each field's type with a type parameter can be read.
fn with_bounds(generics: &Generics, row: &Lifetime, fields: &[Named<'_>]) -> Generics {
    let mut bounded = with_row(generics, row);
    for Named { field, role } in fields {
        let of = |ty: &syn::Type| match role {
            Role::Skipped => syn::parse_quote!(#ty: ::core::default::Default),
            Role::Flattened { .. } => syn::parse_quote!(#ty: ::inrush::sans_io::convert::FromRow<#row>),
            Role::Column(column) => match column.conversion {
                FieldConversion::Json => {
                    syn::parse_quote!(::inrush::sans_io::convert::Json<#ty>: ::inrush::sans_io::convert::FromValue<#row>)
                }
                FieldConversion::With(_) => syn::parse_quote!(#ty: ::core::marker::Sized),
                FieldConversion::Own => syn::parse_quote!(#ty: ::inrush::sans_io::convert::FromValue<#row>),
            },
        };
        let ty = match role {
            Role::Column(column) if matches!(column.conversion, FieldConversion::Json) => {
                within_option(&field.ty).unwrap_or(&field.ty)
            }
            Role::Flattened { .. } => within_option(&field.ty).unwrap_or(&field.ty),
            _ => &field.ty,
        };
        bound(&mut bounded, [ty], of);
        if matches!(role, Role::Column(column) if column.is_optional && column.default.is_none()) {
            bound(&mut bounded, [&field.ty], |ty| syn::parse_quote!(#ty: ::core::default::Default));
        }
    }
    bounded
}

fn with_bounds_by_position(generics: &Generics, row: &Lifetime, fields: &[&Field]) -> Generics {
    let mut bounded = with_row(generics, row);
    let types = fields.iter().map(|field| &field.ty);
    bound(&mut bounded, types, |ty| syn::parse_quote!(#ty: ::inrush::sans_io::convert::FromValue<#row>));
    bounded
}

#[cfg(test)]
mod tests;
