//! `#[derive(ToValue)]` and `#[derive(FromValue)]`: an enum whose variants are names, as an ENUM column holds them, and a struct around
//! one value.

use crate::case::{Case, is_by_repr, is_ours};
use crate::fields::bound;
use crate::from_row::{row_lifetime, with_row};
use proc_macro2::TokenStream;
use quote::quote;
use syn::ext::IdentExt as _;
use syn::{Data, DeriveInput, Error, Field, Fields, Ident, LitStr, Result};

/// The implementation of `ToValue` for `input`.
pub(crate) fn to_value(input: &DeriveInput) -> Result<TokenStream> {
    let mut generics = input.generics.clone();
    let body = match shape(input, "ToValue")? {
        TypeShape::Around(field) => {
            bound(&mut generics, [&field.ty], |ty| syn::parse_quote!(#ty: ::inrush::sans_io::convert::ToValue));
            let member = match &field.ident {
                Some(ident) => quote!(self.#ident),
                None => quote!(self.0),
            };
            quote!(::inrush::sans_io::convert::ToValue::to_value(&#member))
        }
        TypeShape::Names(names) => {
            let (idents, names): (Vec<_>, Vec<_>) = names.into_iter().unzip();
            quote! {
                ::inrush::sans_io::value::Value::Text(match self {
                    #(Self::#idents => #names,)*
                })
            }
        }
        TypeShape::Numbers(idents, repr) => {
            let variant = match repr.to_string().starts_with('u') {
                true => quote!(UInt),
                false => quote!(Int),
            };
            quote! {
                ::inrush::sans_io::value::Value::#variant(match self {
                    #(Self::#idents => Self::#idents as #repr as _,)*
                })
            }
        }
    };
    let (for_impl, of_type, bounds) = generics.split_for_impl();
    let ident = &input.ident;
    Ok(quote! {
        #[automatically_derived]
        impl #for_impl ::inrush::sans_io::convert::ToValue for #ident #of_type #bounds {
            #[inline]
            fn to_value(&self) -> ::inrush::sans_io::value::Value<'_> {
                #body
            }
        }
    })
}

/// The implementation of `FromValue` for `input`.
pub(crate) fn from_value(input: &DeriveInput) -> Result<TokenStream> {
    let row = row_lifetime(&input.generics)?;
    let mut generics = with_row(&input.generics, &row);
    let body = match shape(input, "FromValue")? {
        TypeShape::Around(field) => {
            let ty = &field.ty;
            bound(&mut generics, [ty], |ty| syn::parse_quote!(#ty: ::inrush::sans_io::convert::FromValue<#row>));
            let make = match &field.ident {
                Some(ident) => quote!(|value| Self { #ident: value }),
                None => quote!(Self),
            };
            let inner = quote!(<#ty as ::inrush::sans_io::convert::FromValue<#row>>);
            quote! {
                const KIND: &'static str = #inner::KIND;
                const NEEDS_ZONE: bool = #inner::NEEDS_ZONE;
                const AS_SENT: bool = #inner::AS_SENT;

                #[inline]
                fn from_value(
                    value: ::inrush::sans_io::value::Value<#row>,
                    column: &::inrush::sans_io::wire::ColumnDef,
                ) -> ::core::option::Option<Self> {
                    #inner::from_value(value, column).map(#make)
                }

                #[inline]
                fn from_value_in(
                    value: ::inrush::sans_io::value::Value<#row>,
                    column: &::inrush::sans_io::wire::ColumnDef,
                    zone: ::core::option::Option<&::inrush::sans_io::convert::TimeZone>,
                ) -> ::core::option::Option<Self> {
                    #inner::from_value_in(value, column, zone).map(#make)
                }

                fn why_not(value: ::inrush::sans_io::value::Value<#row>) -> ::core::option::Option<::std::string::String> {
                    #inner::why_not(value)
                }
            }
        }
        TypeShape::Names(names) => {
            let (idents, names): (Vec<Ident>, Vec<LitStr>) = names.into_iter().unzip();
            let listed: Vec<_> = names.iter().map(|name| format!("`{}`", name.value())).collect();
            let kind = format!("one of {} (`{}`)", listed.join(", "), input.ident);
            quote! {
                const KIND: &'static str = #kind;

                fn from_value(
                    value: ::inrush::sans_io::value::Value<#row>,
                    _column: &::inrush::sans_io::wire::ColumnDef,
                ) -> ::core::option::Option<Self> {
                    match value.as_str()? {
                        #(#names => ::core::option::Option::Some(Self::#idents),)*
                        _ => ::core::option::Option::None,
                    }
                }
            }
        }
        TypeShape::Numbers(idents, repr) => {
            let kind = format!("the number of a variant (`{}`)", input.ident);
            quote! {
                const KIND: &'static str = #kind;

                fn from_value(
                    value: ::inrush::sans_io::value::Value<#row>,
                    column: &::inrush::sans_io::wire::ColumnDef,
                ) -> ::core::option::Option<Self> {
                    let number = <#repr as ::inrush::sans_io::convert::FromValue<#row>>::from_value(value, column)?;
                    #(if number == Self::#idents as #repr {
                        return ::core::option::Option::Some(Self::#idents);
                    })*
                    ::core::option::Option::None
                }
            }
        }
    };
    let (for_impl, _, bounds) = generics.split_for_impl();
    let (_, of_type, _) = input.generics.split_for_impl();
    let ident = &input.ident;
    Ok(quote! {
        #[automatically_derived]
        impl #for_impl ::inrush::sans_io::convert::FromValue<#row> for #ident #of_type #bounds {
            #body
        }
    })
}

enum TypeShape<'i> {
    /// The only field of a struct.
    Around(&'i Field),
    /// Variants and their names.
    Names(Vec<(Ident, LitStr)>),
    /// Variants, and the whole number that the enum is.
    Numbers(Vec<Ident>, Ident),
}

fn shape<'i>(input: &'i DeriveInput, derived: &str) -> Result<TypeShape<'i>> {
    match &input.data {
        Data::Struct(data) if data.fields.len() == 1 => {
            let fields = data.fields.iter();
            if let Some(attribute) = input
                .attrs
                .iter()
                .chain(fields.clone().flat_map(|field| &field.attrs))
                .find(|attribute| is_ours(attribute))
            {
                return Err(Error::new_spanned(attribute, "a struct around one value has no options"));
            }
            fields.into_iter().next().map(TypeShape::Around).ok_or_else(|| refusal(input, derived))
        }
        Data::Enum(data) if !data.variants.is_empty() => {
            if let Some(repr) = is_by_repr(input)? {
                for variant in &data.variants {
                    if !matches!(variant.fields, Fields::Unit) || variant.attrs.iter().any(is_ours) {
                        let message =
                            format!("`{derived}` of an enum of numbers needs variants without fields and options");
                        return Err(Error::new_spanned(variant, message));
                    }
                }
                return Ok(TypeShape::Numbers(
                    data.variants.iter().map(|variant| variant.ident.clone()).collect(),
                    repr,
                ));
            }
            let case = Case::of_input(input, true)?;
            let mut names: Vec<(Ident, LitStr)> = Vec::new();
            for variant in &data.variants {
                if !matches!(variant.fields, Fields::Unit) {
                    let message = format!("`{derived}` of an enum needs variants without fields");
                    return Err(Error::new_spanned(variant, message));
                }
                let ident = &variant.ident;
                let name = match renamed(&variant.attrs)? {
                    Some(name) => name,
                    None => LitStr::new(&case.of(&ident.unraw().to_string()), ident.span()),
                };
                if names.iter().any(|(_, known)| known.value() == name.value()) {
                    return Err(Error::new(name.span(), format!("two variants have the name `{}`", name.value())));
                }
                names.push((ident.clone(), name));
            }
            Ok(TypeShape::Names(names))
        }
        _ => Err(refusal(input, derived)),
    }
}

fn refusal(input: &DeriveInput, derived: &str) -> Error {
    let message = format!("`{derived}` can be derived for enums of names and for structs with one field");
    Error::new(input.ident.span(), message)
}

fn renamed(attributes: &[syn::Attribute]) -> Result<Option<LitStr>> {
    let mut name = None;
    for attribute in attributes.iter().filter(|attribute| is_ours(attribute)) {
        attribute.parse_nested_meta(|meta| {
            if !meta.path.is_ident("rename") {
                return Err(meta.error("the only option of a variant is `rename = \"name\"`"));
            }
            name = Some(meta.value()?.parse()?);
            Ok(())
        })?;
    }
    Ok(name)
}

#[cfg(test)]
mod tests;
