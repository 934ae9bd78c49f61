//! `#[derive(ToValue)]` and `#[derive(FromValue)]`: an enum whose variants are names, as an ENUM column holds them, and a struct around
//! one value.

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
        Shape::Around(field) => {
            bound(&mut generics, [&field.ty], |ty| syn::parse_quote!(#ty: ::inrush::sans_io::convert::ToValue));
            let member = match &field.ident {
                Some(ident) => quote!(self.#ident),
                None => quote!(self.0),
            };
            quote!(::inrush::sans_io::convert::ToValue::to_value(&#member))
        }
        Shape::Names(names) => {
            let (idents, names): (Vec<_>, Vec<_>) = names.into_iter().unzip();
            quote! {
                ::inrush::sans_io::wire::Value::Text(match self {
                    #(Self::#idents => #names,)*
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
            fn to_value(&self) -> ::inrush::sans_io::wire::Value<'_> {
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
        Shape::Around(field) => {
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

                #[inline]
                fn from_value(
                    value: ::inrush::sans_io::wire::Value<#row>,
                    column: &::inrush::sans_io::wire::ColumnDef,
                ) -> ::core::option::Option<Self> {
                    #inner::from_value(value, column).map(#make)
                }

                #[inline]
                fn from_value_in(
                    value: ::inrush::sans_io::wire::Value<#row>,
                    column: &::inrush::sans_io::wire::ColumnDef,
                    zone: ::core::option::Option<&::inrush::sans_io::convert::TimeZone>,
                ) -> ::core::option::Option<Self> {
                    #inner::from_value_in(value, column, zone).map(#make)
                }

                fn why_not(value: ::inrush::sans_io::wire::Value<#row>) -> ::core::option::Option<::std::string::String> {
                    #inner::why_not(value)
                }
            }
        }
        Shape::Names(names) => {
            let (idents, names): (Vec<Ident>, Vec<LitStr>) = names.into_iter().unzip();
            let listed: Vec<_> = names.iter().map(|name| format!("`{}`", name.value())).collect();
            let kind = format!("one of {} (`{}`)", listed.join(", "), input.ident);
            quote! {
                const KIND: &'static str = #kind;

                fn from_value(
                    value: ::inrush::sans_io::wire::Value<#row>,
                    _column: &::inrush::sans_io::wire::ColumnDef,
                ) -> ::core::option::Option<Self> {
                    match value.as_str()? {
                        #(#names => ::core::option::Option::Some(Self::#idents),)*
                        _ => ::core::option::Option::None,
                    }
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

enum Shape<'i> {
    /// The only field of a struct.
    Around(&'i Field),
    /// Variants and their names.
    Names(Vec<(Ident, LitStr)>),
}

fn shape<'i>(input: &'i DeriveInput, derived: &str) -> Result<Shape<'i>> {
    match &input.data {
        Data::Struct(data) if data.fields.len() == 1 => {
            let fields = data.fields.iter();
            if let Some(attribute) =
                input.attrs.iter().chain(fields.clone().flat_map(|field| &field.attrs)).find(is_ours)
            {
                return Err(Error::new_spanned(attribute, "a struct around one value has no options"));
            }
            fields.into_iter().next().map(Shape::Around).ok_or_else(|| refusal(input, derived))
        }
        Data::Enum(data) if !data.variants.is_empty() => {
            let case = case_of(input)?;
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
            Ok(Shape::Names(names))
        }
        _ => Err(refusal(input, derived)),
    }
}

fn refusal(input: &DeriveInput, derived: &str) -> Error {
    let message = format!("`{derived}` can be derived for enums of names and for structs with one field");
    Error::new(input.ident.span(), message)
}

fn is_ours(attribute: &&syn::Attribute) -> bool {
    attribute.path().is_ident("inrush")
}

fn renamed(attributes: &[syn::Attribute]) -> Result<Option<LitStr>> {
    let mut name = None;
    for attribute in attributes.iter().filter(is_ours) {
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

fn case_of(input: &DeriveInput) -> Result<Case> {
    let mut case = Case::AsItIs;
    for attribute in input.attrs.iter().filter(is_ours) {
        attribute.parse_nested_meta(|meta| {
            if !meta.path.is_ident("rename_all") {
                return Err(meta.error("the only option of an enum is `rename_all = \"snake_case\"`"));
            }
            let word: LitStr = meta.value()?.parse()?;
            case = match word.value().as_str() {
                "lowercase" => Case::Lower,
                "UPPERCASE" => Case::Upper,
                "snake_case" => Case::Words('_', false),
                "SCREAMING_SNAKE_CASE" => Case::Words('_', true),
                "kebab-case" => Case::Words('-', false),
                "camelCase" => Case::Camel,
                _ => return Err(Error::new(word.span(), CASES)),
            };
            Ok(())
        })?;
    }
    Ok(case)
}

const CASES: &str = "one of lowercase, UPPERCASE, snake_case, SCREAMING_SNAKE_CASE, kebab-case, camelCase";

/// How the name of a variant becomes that of the server.
#[derive(Clone, Copy)]
enum Case {
    AsItIs,
    Lower,
    Upper,
    Camel,
    /// What stands between two words, and whether they are in capitals.
    Words(char, bool),
}

impl Case {
    fn of(self, name: &str) -> String {
        match self {
            Self::AsItIs => name.to_owned(),
            Self::Lower => name.to_lowercase(),
            Self::Upper => name.to_uppercase(),
            Self::Camel => {
                let mut letters = name.chars();
                letters.next().map(|first| first.to_lowercase().chain(letters).collect()).unwrap_or_default()
            }
            Self::Words(between, capitals) => {
                let mut words = String::new();
                for (i, letter) in name.chars().enumerate() {
                    if i > 0 && letter.is_uppercase() {
                        words.push(between);
                    }
                    words.push(letter);
                }
                if capitals { words.to_uppercase() } else { words.to_lowercase() }
            }
        }
    }
}

#[cfg(test)]
mod tests;
