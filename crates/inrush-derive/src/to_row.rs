//! `#[derive(ToRow)]`: maps fields to placeholders, and generates the implementation that orders their values.

use proc_macro2::{Group, TokenStream, TokenTree};
use quote::{ToTokens as _, quote, quote_spanned};
use syn::spanned::Spanned as _;
use syn::{DeriveInput, Error, Field, Fields, Generics, Ident, Index, LitStr, Member, Result, Type};

use crate::case::Case;
use crate::fields::{FieldConversion, Named, Role, bound, fields_of, named, no_options, within_option};

/// The implementations for `input`.
pub(crate) fn implement(input: &DeriveInput) -> Result<TokenStream> {
    let fields = fields_of(input, "ToRow")?;
    let all: Vec<_> = fields.iter().collect();
    let mut generics = input.generics.clone();
    let is_named = matches!(fields, Fields::Named(_));
    let parts = match is_named {
        true => {
            let fields = named(&all, Case::of_input(input, false)?)?;
            fields.iter().for_each(|field| bind(&mut generics, field));
            parts(&fields)?
        }
        false => {
            no_options(&all)?;
            let types = all.iter().map(|field| &field.ty);
            bound(&mut generics, types, |ty| syn::parse_quote!(#ty: ::inrush::sans_io::convert::ToValue));
            vec![Part::Columns(Vec::new(), all.iter().enumerate().map(|(i, field)| own(field, i)).collect())]
        }
    };
    let has_parameters = generics.type_params().next().is_some();
    if let Some(ty) = parts.iter().find_map(Part::flattened).filter(|_| has_parameters) {
        return Err(Error::new_spanned(
            ty,
            "a struct with type parameters has no `flatten`, as `ToRow` needs all names",
        ));
    }
    let methods = match (&parts[..], is_named) {
        ([Part::Columns(_, values)], true) => by_name(values),
        ([Part::Columns(_, values)], false) => by_position(values),
        _ => in_parts(),
    };
    let (columns, value) = (columns(&parts), value(&parts));
    let (for_impl, of_type, bounds) = generics.split_for_impl();
    let ident = &input.ident;
    Ok(quote! {
        #[automatically_derived]
        impl #for_impl ::inrush::sans_io::convert::ToRow for #ident #of_type #bounds {
            const COLUMNS: &'static [&'static str] = #columns;

            #value
        }

        #[automatically_derived]
        impl #for_impl ::inrush::sans_io::convert::Params for #ident #of_type #bounds {
            const NAMED: bool = #is_named;
            #methods
        }
    })
}

/// Adjacent columns: of several fields, or of one that is flattened.
enum Part<'f> {
    /// Names, and how the value of each is had from `self`.
    Columns(Vec<LitStr>, Vec<TokenStream>),
    Flattened(&'f Field),
}

impl<'f> Part<'f> {
    fn flattened(&self) -> Option<&'f Type> {
        match self {
            Self::Flattened(field) => Some(&field.ty),
            Self::Columns(..) => None,
        }
    }
}

/// The parts of the fields; at least one.
fn parts<'f>(fields: &[Named<'f>]) -> Result<Vec<Part<'f>>> {
    let mut parts = Vec::new();
    for (i, Named { field, role }) in fields.iter().enumerate() {
        match role {
            Role::Skipped => {}
            Role::Flattened { prefix: None } => parts.push(Part::Flattened(field)),
            Role::Flattened { prefix: Some(prefix) } => {
                return Err(Error::new(prefix.span(), "`ToRow` has no `prefix`"));
            }
            Role::Column(column) => {
                let value = value_of(&column.conversion, field, i);
                match parts.last_mut() {
                    Some(Part::Columns(names, values)) => {
                        names.push(column.name.clone());
                        values.push(value);
                    }
                    _ => parts.push(Part::Columns(vec![column.name.clone()], vec![value])),
                }
            }
        }
    }
    if parts.is_empty() {
        parts.push(Part::Columns(Vec::new(), Vec::new()));
    }
    Ok(parts)
}

fn own(field: &Field, i: usize) -> TokenStream {
    value_of(&FieldConversion::Own, field, i)
}

fn value_of(conversion: &FieldConversion, field: &Field, i: usize) -> TokenStream {
    let member = match &field.ident {
        Some(ident) => Member::Named(ident.clone()),
        None => Member::Unnamed(Index::from(i)),
    };
    // With the span of the field's type, so that the compiler's errors point to it.
    let span = field.ty.span();
    match (conversion, within_option(&field.ty)) {
        (FieldConversion::Own, _) => {
            quote_spanned!(span=> ::inrush::sans_io::convert::ToValue::to_value(&self.#member))
        }
        (FieldConversion::With(path), _) => quote_spanned!(span=> #path::to_value(&self.#member)),
        (FieldConversion::Json, None) => quote_spanned!(span=> ::inrush::sans_io::value::Value::Json(&self.#member)),
        (FieldConversion::Json, Some(_)) => quote_spanned! {span=>
            match &self.#member {
                ::core::option::Option::Some(value) => ::inrush::sans_io::value::Value::Json(value),
                ::core::option::Option::None => ::inrush::sans_io::value::Value::Null,
            }
        },
    }
}

/// Adds the bound that a field's type can be sent.
fn bind(generics: &mut Generics, Named { field, role }: &Named<'_>) {
    let Role::Column(column) = role else { return };
    match column.conversion {
        FieldConversion::Own => {
            bound(generics, [&field.ty], |ty| syn::parse_quote!(#ty: ::inrush::sans_io::convert::ToValue))
        }
        FieldConversion::Json => {
            let ty = within_option(&field.ty).unwrap_or(&field.ty);
            bound(generics, [ty], |ty| syn::parse_quote!(#ty: ::inrush::sans_io::value::WriteJson));
        }
        FieldConversion::With(_) => {}
    }
}

/// The names of all columns.
fn columns(parts: &[Part<'_>]) -> TokenStream {
    if let [Part::Columns(names, _)] = parts {
        return quote!(&[#(#names),*]);
    }
    let parts = parts.iter().map(|part| match part {
        Part::Columns(names, _) => quote!(&[#(#names),*]),
        Part::Flattened(field) => {
            let ty = forever(field.ty.to_token_stream());
            quote!(<#ty as ::inrush::sans_io::convert::ToRow>::COLUMNS)
        }
    });
    quote! {{
        const PARTS: &[&[&str]] = &[#(#parts),*];
        const N: usize = ::inrush::sans_io::convert::to_row::n_columns(PARTS);
        const ALL: [&str; N] = ::inrush::sans_io::convert::to_row::joined(PARTS);
        &ALL
    }}
}

/// The same tokens with all lifetimes `'static`: a constant allows no other, and the names of columns depend on none.
fn forever(tokens: TokenStream) -> TokenStream {
    let mut is_lifetime = false;
    let tokens = tokens.into_iter().map(|token| {
        let was_lifetime = std::mem::take(&mut is_lifetime);
        match token {
            TokenTree::Punct(punct) => {
                is_lifetime = punct.as_char() == '\'';
                TokenTree::Punct(punct)
            }
            TokenTree::Ident(ident) if was_lifetime => TokenTree::Ident(Ident::new("static", ident.span())),
            TokenTree::Group(group) => {
                let mut inner = Group::new(group.delimiter(), forever(group.stream()));
                inner.set_span(group.span());
                TokenTree::Group(inner)
            }
            other => other,
        }
    });
    tokens.collect()
}

/// The value of the column at a place.
fn value(parts: &[Part<'_>]) -> TokenStream {
    let parts = parts.iter().map(|part| match part {
        Part::Columns(_, values) => {
            let n = values.len();
            let places = 0..n;
            quote! {
                match place {
                    #(#places => return #values,)*
                    _ => place -= #n,
                }
            }
        }
        Part::Flattened(field) => {
            let (ident, ty) = (&field.ident, &field.ty);
            quote! {
                let n = <#ty as ::inrush::sans_io::convert::ToRow>::COLUMNS.len();
                if place < n {
                    return ::inrush::sans_io::convert::ToRow::value(&self.#ident, place);
                }
                place -= n;
            }
        }
    });
    quote! {
        #[inline]
        fn value(&self, place: usize) -> ::inrush::sans_io::value::Value<'_> {
            let mut place = place;
            #(#parts)*
            let _ = place;
            ::inrush::sans_io::value::Value::Null
        }
    }
}

/// If the fields have the order of the placeholders, their values are passed without a lookup of each field's place.
fn by_name(values: &[TokenStream]) -> TokenStream {
    let n = values.len();
    let places = 0..n;
    let own_order = quote!(out.extend([#(#values),*]));
    let all_taken = quote!(n_values == #n #(&& ::inrush::sans_io::convert::ValueVisitor::take(to, #places, #values))*);
    named_methods(&own_order, &all_taken)
}

/// The same for a struct that has the columns of others in it, whose number the macro does not know.
fn in_parts() -> TokenStream {
    let n = quote!(<Self as ::inrush::sans_io::convert::ToRow>::COLUMNS.len());
    let value = quote!(::inrush::sans_io::convert::ToRow::value(self, place));
    let own_order = quote!(out.extend((0..#n).map(|place| #value)));
    let all_taken = quote! {
        n_values == #n && (0..n_values).all(|place| ::inrush::sans_io::convert::ValueVisitor::take(to, place, #value))
    };
    named_methods(&own_order, &all_taken)
}

/// `own_order` appends all values to `out`, `all_taken` passes them to `to`, both in the order of the columns.
fn named_methods(own_order: &TokenStream, all_taken: &TokenStream) -> TokenStream {
    quote! {
        fn values<'__v>(
            &'__v self,
            names: &[::std::boxed::Box<str>],
        ) -> ::inrush::sans_io::Result<::inrush::sans_io::convert::ParamValues<'__v>> {
            let columns = <Self as ::inrush::sans_io::convert::ToRow>::COLUMNS;
            ::inrush::sans_io::convert::ParamValues::by_name(names, columns, |place| {
                ::inrush::sans_io::convert::ToRow::value(self, place)
            })
        }

        fn own_names(&self) -> ::std::vec::Vec<&str> {
            <Self as ::inrush::sans_io::convert::ToRow>::COLUMNS.to_vec()
        }

        fn order(&self, names: &[::std::boxed::Box<str>]) -> ::inrush::sans_io::Result<::inrush::sans_io::convert::Order> {
            ::inrush::sans_io::convert::Order::by_name(names, <Self as ::inrush::sans_io::convert::ToRow>::COLUMNS)
        }

        fn append<'__v>(
            &'__v self,
            _names: &[::std::boxed::Box<str>],
            order: &::inrush::sans_io::convert::Order,
            out: &mut ::std::vec::Vec<::inrush::sans_io::value::Value<'__v>>,
        ) -> ::inrush::sans_io::Result<()> {
            match order.positions() {
                ::core::option::Option::None => #own_order,
                ::core::option::Option::Some(places) => out.extend(
                    places.iter().map(|place| ::inrush::sans_io::convert::ToRow::value(self, *place)),
                ),
            }
            ::core::result::Result::Ok(())
        }

        #[inline(always)]
        fn visit<'__v>(
            &'__v self,
            order: &::inrush::sans_io::convert::Order,
            n_values: usize,
            to: &mut impl ::inrush::sans_io::convert::ValueVisitor<'__v>,
        ) -> bool {
            order.positions().is_none() && #all_taken
        }
    }
}

fn by_position(values: &[TokenStream]) -> TokenStream {
    let n = values.len();
    let places = 0..n;
    quote! {
        fn values<'__v>(
            &'__v self,
            names: &[::std::boxed::Box<str>],
        ) -> ::inrush::sans_io::Result<::inrush::sans_io::convert::ParamValues<'__v>> {
            ::inrush::sans_io::convert::Order::by_position(names)?;
            ::core::result::Result::Ok(::core::iter::FromIterator::from_iter([#(#values),*]))
        }

        fn order(&self, names: &[::std::boxed::Box<str>]) -> ::inrush::sans_io::Result<::inrush::sans_io::convert::Order> {
            ::inrush::sans_io::convert::Order::by_position(names)
        }

        fn append<'__v>(
            &'__v self,
            _names: &[::std::boxed::Box<str>],
            _order: &::inrush::sans_io::convert::Order,
            out: &mut ::std::vec::Vec<::inrush::sans_io::value::Value<'__v>>,
        ) -> ::inrush::sans_io::Result<()> {
            out.extend([#(#values),*]);
            ::core::result::Result::Ok(())
        }

        #[inline(always)]
        fn visit<'__v>(
            &'__v self,
            order: &::inrush::sans_io::convert::Order,
            n_values: usize,
            to: &mut impl ::inrush::sans_io::convert::ValueVisitor<'__v>,
        ) -> bool {
            order.positions().is_none() && n_values == #n #(&& ::inrush::sans_io::convert::ValueVisitor::take(to, #places, #values))*
        }
    }
}

#[cfg(test)]
mod tests;
