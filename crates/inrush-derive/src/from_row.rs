//! `#[derive(FromRow)]`: maps columns to fields, and generates the implementation.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{DeriveInput, Error, Field, Fields, GenericParam, Generics, Lifetime, Result};

use crate::fields::{bound, columns, fields_of, no_options};

/// The implementation for `input`.
pub(crate) fn implement(input: &DeriveInput) -> Result<TokenStream> {
    let fields = fields_of(input, "FromRow")?;
    let body = match fields {
        Fields::Named(fields) => by_name(&fields.named.iter().collect::<Vec<_>>())?,
        fields => by_position(&fields.iter().collect::<Vec<_>>())?,
    };
    let row = row_lifetime(&input.generics)?;
    let generics = with_bounds(&input.generics, &row, fields);
    let (for_impl, _, bounds) = generics.split_for_impl();
    let (_, of_type, _) = input.generics.split_for_impl();
    let ident = &input.ident;
    Ok(quote! {
        #[automatically_derived]
        impl #for_impl ::inrush::core::convert::FromRow<#row> for #ident #of_type #bounds {
            fn from_row(row: ::inrush::core::wire::Row<#row>) -> ::inrush::core::Result<Self> {
                #body
            }
        }
    })
}

fn by_name(fields: &[&Field]) -> Result<TokenStream> {
    let columns = columns(fields)?;
    let idents = fields.iter().map(|field| &field.ident);
    let places = 0..fields.len();
    Ok(quote! {
        let values = row.pick(&[#(#columns),*])?;
        ::core::result::Result::Ok(Self { #(#idents: row.convert(values[#places].0, values[#places].1)?),* })
    })
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

/// The lifetime of the borrowed row: the struct's lifetime, if it has one.
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

/// Adds the row's lifetime if the struct has none, and a bound that each field's type with a type parameter can be read.
fn with_bounds(generics: &Generics, row: &Lifetime, fields: &Fields) -> Generics {
    let mut bounded = generics.clone();
    if generics.lifetimes().next().is_none() {
        bounded.params.insert(0, GenericParam::Lifetime(syn::LifetimeParam::new(row.clone())));
    }
    bound(&mut bounded, fields, |ty| syn::parse_quote!(#ty: ::inrush::core::convert::FromValue<#row>));
    bounded
}

#[cfg(test)]
mod tests;
