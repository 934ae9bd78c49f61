//! The parts of a struct that all derive macros need: its fields, the column of each, and bounds for type parameters.

use crate::case::{Case, is_ours};
use proc_macro2::{TokenStream, TokenTree};
use quote::quote;
use syn::ext::IdentExt as _;
use syn::{
    Data, DeriveInput, Error, Expr, Field, Fields, GenericArgument, Generics, Ident, LitStr, Path, PathArguments,
    Result, Type, WherePredicate,
};

/// The fields of a struct, which must have some.
pub(crate) fn fields_of<'i>(input: &'i DeriveInput, derived: &str) -> Result<&'i Fields> {
    let Data::Struct(data) = &input.data else {
        return Err(Error::new(input.ident.span(), format!("`{derived}` can be derived for structs only")));
    };
    match &data.fields {
        Fields::Named(_) => Ok(&data.fields),
        Fields::Unnamed(_) if input.attrs.iter().any(is_ours) => {
            Err(Error::new(input.ident.span(), "a struct whose fields have no names has no options"))
        }
        Fields::Unit => Err(Error::new(input.ident.span(), format!("`{derived}` needs fields for the columns"))),
        fields => Ok(fields),
    }
}

/// A field with a name, and what its options say.
pub(crate) struct Named<'f> {
    pub(crate) field: &'f Field,
    pub(crate) role: Role,
}

/// The role of a field in a row.
pub(crate) enum Role {
    /// It is not a column; its value is the default one.
    Skipped,
    /// All columns of a struct, which have this in front of their names.
    Flattened {
        prefix: Option<LitStr>,
    },
    Column(FieldColumn),
}

/// The column of a field.
pub(crate) struct FieldColumn {
    pub(crate) name: LitStr,
    /// A result may lack it: then the field has this value, or its type's default one.
    pub(crate) is_optional: bool,
    pub(crate) default: Option<Expr>,
    pub(crate) conversion: FieldConversion,
}

/// How a field's value is converted.
pub(crate) enum FieldConversion {
    /// By its type.
    Own,
    /// Converted by the functions `to_value` and `from_value` of a module.
    With(Path),
    /// As JSON.
    Json,
}

/// The fields with a name.
pub(crate) fn named<'f>(fields: &[&'f Field], case: Case) -> Result<Vec<Named<'f>>> {
    let mut names: Vec<String> = Vec::new();
    let mut all = Vec::new();
    for field in fields {
        let role = role_of(field, case)?;
        if let Role::Column(column) = &role {
            // Columns are matched in any case.
            let name = column.name.value();
            if names.iter().any(|known| known.eq_ignore_ascii_case(&name)) {
                return Err(Error::new(column.name.span(), format!("two fields have the column `{name}`")));
            }
            names.push(name);
        }
        all.push(Named { field, role });
    }
    Ok(all)
}

/// The type within an `Option`, recognized by its name.
pub(crate) fn within_option(ty: &Type) -> Option<&Type> {
    let Type::Path(path) = ty else { return None };
    let last = path.path.segments.last().filter(|last| last.ident == "Option")?;
    match &last.arguments {
        PathArguments::AngleBracketed(arguments) => match arguments.args.first()? {
            GenericArgument::Type(ty) => Some(ty),
            _ => None,
        },
        _ => None,
    }
}

/// Refuses options of fields that have no name.
pub(crate) fn no_options(fields: &[&Field]) -> Result<()> {
    match fields.iter().find_map(|field| field.attrs.iter().find(|a| a.path().is_ident("inrush"))) {
        None => Ok(()),
        Some(attribute) => Err(Error::new_spanned(attribute, "a field without a name has its column by position")),
    }
}

/// Adds a bound for each of these types that has a type parameter.
pub(crate) fn bound<'t>(
    generics: &mut Generics,
    types: impl IntoIterator<Item = &'t Type>,
    of: impl Fn(&Type) -> WherePredicate,
) {
    let parameters: Vec<_> = generics.type_params().map(|parameter| parameter.ident.clone()).collect();
    let types = types.into_iter().filter(|ty| names_one_of(ty, &parameters));
    let bounds: Vec<_> = types.map(of).collect();
    if !bounds.is_empty() {
        generics.make_where_clause().predicates.extend(bounds);
    }
}

/// The role that a field's options give it; without options it is the column of its name.
fn role_of(field: &Field, case: Case) -> Result<Role> {
    let (mut renamed, mut with, mut prefix, mut default_value) = (None, None, None, None);
    let (mut skip, mut flatten, mut default, mut json) = (false, false, false, false);
    let mut given = Vec::new();
    for attribute in field.attrs.iter().filter(|attribute| attribute.path().is_ident("inrush")) {
        attribute.parse_nested_meta(|meta| {
            let name = meta.path.get_ident().map(ToString::to_string).unwrap_or_default();
            if given.contains(&name) {
                return Err(meta.error(format!("`{name}` stands here twice")));
            }
            match name.as_str() {
                "rename" => renamed = Some(meta.value()?.parse::<LitStr>()?),
                "with" => with = Some(meta.value()?.parse::<LitStr>()?.parse::<Path>()?),
                "skip" => skip = true,
                "flatten" => flatten = true,
                "prefix" => prefix = Some(meta.value()?.parse::<LitStr>()?),
                "default" => {
                    default = true;
                    if meta.input.peek(syn::Token![=]) {
                        default_value = Some(meta.value()?.parse::<Expr>()?);
                    }
                }
                "json" => json = true,
                _ => return Err(meta.error(OPTIONS)),
            }
            given.push(name);
            Ok(())
        })?;
    }
    let alone = |name: &str| match given.iter().find(|other| *other != name) {
        Some(other) => Err(Error::new_spanned(field, format!("`{other}` means nothing beside `{name}`"))),
        None => Ok(()),
    };
    if skip {
        return alone("skip").map(|()| Role::Skipped);
    }
    if flatten {
        return match given.iter().find(|name| !["flatten", "prefix"].contains(&name.as_str())) {
            Some(other) => Err(Error::new_spanned(field, format!("`{other}` means nothing beside `flatten`"))),
            None => Ok(Role::Flattened { prefix }),
        };
    }
    if prefix.is_some() {
        return Err(Error::new_spanned(field, "`prefix` belongs to `flatten`"));
    }
    let conversion = match (with, json) {
        (Some(_), true) => return Err(Error::new_spanned(field, "`json` means nothing beside `with`")),
        (Some(path), false) => FieldConversion::With(path),
        (None, true) => FieldConversion::Json,
        (None, false) => FieldConversion::Own,
    };
    let own_name = |ident: &Ident| LitStr::new(&case.of_field(&ident.unraw().to_string()), ident.span());
    let name = renamed
        .or_else(|| field.ident.as_ref().map(own_name))
        .ok_or_else(|| Error::new_spanned(field, "a field needs a name"))?;
    Ok(Role::Column(FieldColumn { name, is_optional: default, default: default_value, conversion }))
}

pub(crate) const OPTIONS: &str = "an option of a field is `rename = \"column\"`, `default`, `skip`, `flatten`, `prefix`, `json` or `with = \"module\"`";

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
