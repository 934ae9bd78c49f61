//! `#[derive(ToRow)]`: maps fields to placeholders, and generates the implementation that orders their values.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::spanned::Spanned as _;
use syn::{DeriveInput, Field, Fields, Index, Member, Result};

use crate::fields::{bound, columns, fields_of, no_options};

/// The implementations for `input`.
pub(crate) fn implement(input: &DeriveInput) -> Result<TokenStream> {
    let fields = fields_of(input, "ToRow")?;
    let all: Vec<_> = fields.iter().collect();
    let (columns, named) = match fields {
        Fields::Named(_) => (columns(&all)?, true),
        _ => {
            no_options(&all)?;
            (Vec::new(), false)
        }
    };
    let value = |(i, field): (usize, &Field)| {
        let member = match &field.ident {
            Some(ident) => Member::Named(ident.clone()),
            None => Member::Unnamed(Index::from(i)),
        };
        // With the span of the field's type, so that the compiler's errors point to it.
        quote_spanned!(field.ty.span()=> ::inrush::core::convert::ToValue::to_value(&self.#member))
    };
    let values: Vec<_> = fields.iter().enumerate().map(value).collect();
    let methods = if named { by_name(&values) } else { by_position(&values) };

    let mut generics = input.generics.clone();
    bound(&mut generics, fields, |ty| syn::parse_quote!(#ty: ::inrush::core::convert::ToValue));
    let (for_impl, of_type, bounds) = generics.split_for_impl();
    let ident = &input.ident;
    Ok(quote! {
        #[automatically_derived]
        impl #for_impl ::inrush::core::convert::ToRow for #ident #of_type #bounds {
            const COLUMNS: &'static [&'static str] = &[#(#columns),*];
        }

        #[automatically_derived]
        impl #for_impl ::inrush::core::convert::Params for #ident #of_type #bounds {
            const NAMED: bool = #named;
            #methods
        }
    })
}

/// Rows whose fields have the order of the placeholders are appended without a lookup of each field's place.
fn by_name(values: &[TokenStream]) -> TokenStream {
    let n = values.len();
    let places: Vec<usize> = (0..n).collect();
    let value = quote! {
        |place: usize| match place {
            #(#places => #values,)*
            _ => ::inrush::core::wire::Value::Null,
        }
    };
    quote! {
        fn values<'__v>(
            &'__v self,
            names: &[::std::boxed::Box<str>],
        ) -> ::inrush::core::Result<::inrush::core::convert::ParamValues<'__v>> {
            let columns = <Self as ::inrush::core::convert::ToRow>::COLUMNS;
            ::inrush::core::convert::ParamValues::by_name(names, columns, #value)
        }

        fn own_names(&self) -> ::std::vec::Vec<&str> {
            <Self as ::inrush::core::convert::ToRow>::COLUMNS.to_vec()
        }

        fn order(&self, names: &[::std::boxed::Box<str>]) -> ::inrush::core::Result<::inrush::core::convert::Order> {
            ::inrush::core::convert::Order::by_name(names, <Self as ::inrush::core::convert::ToRow>::COLUMNS)
        }

        fn append<'__v>(
            &'__v self,
            _names: &[::std::boxed::Box<str>],
            order: &::inrush::core::convert::Order,
            out: &mut ::std::vec::Vec<::inrush::core::wire::Value<'__v>>,
        ) -> ::inrush::core::Result<()> {
            match order.positions() {
                ::core::option::Option::None => out.extend([#(#values),*]),
                ::core::option::Option::Some(places) => out.extend(places.iter().copied().map(#value)),
            }
            ::core::result::Result::Ok(())
        }

        #[inline(always)]
        fn hand<'__v>(
            &'__v self,
            order: &::inrush::core::convert::Order,
            n_values: usize,
            to: &mut impl ::inrush::core::convert::TakeValue<'__v>,
        ) -> bool {
            order.positions().is_none() && n_values == #n #(&& ::inrush::core::convert::TakeValue::take(to, #places, #values))*
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
        ) -> ::inrush::core::Result<::inrush::core::convert::ParamValues<'__v>> {
            ::inrush::core::convert::Order::by_position(names)?;
            ::core::result::Result::Ok(::core::iter::FromIterator::from_iter([#(#values),*]))
        }

        fn order(&self, names: &[::std::boxed::Box<str>]) -> ::inrush::core::Result<::inrush::core::convert::Order> {
            ::inrush::core::convert::Order::by_position(names)
        }

        fn append<'__v>(
            &'__v self,
            _names: &[::std::boxed::Box<str>],
            _order: &::inrush::core::convert::Order,
            out: &mut ::std::vec::Vec<::inrush::core::wire::Value<'__v>>,
        ) -> ::inrush::core::Result<()> {
            out.extend([#(#values),*]);
            ::core::result::Result::Ok(())
        }

        #[inline(always)]
        fn hand<'__v>(
            &'__v self,
            order: &::inrush::core::convert::Order,
            n_values: usize,
            to: &mut impl ::inrush::core::convert::TakeValue<'__v>,
        ) -> bool {
            order.positions().is_none() && n_values == #n #(&& ::inrush::core::convert::TakeValue::take(to, #places, #values))*
        }
    }
}

#[cfg(test)]
mod tests;
