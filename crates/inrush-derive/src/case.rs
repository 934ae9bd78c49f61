//! Names in another spelling (`rename_all`), and enums that are numbers (`repr`).

use syn::{DeriveInput, Error, Ident, LitStr, Result};

/// Whether an attribute is `#[inrush(..)]`.
pub(crate) fn is_ours(attribute: &syn::Attribute) -> bool {
    attribute.path().is_ident("inrush")
}

/// How the name of a variant or a field becomes that of the server.
#[derive(Clone, Copy)]
pub(crate) enum Case {
    AsItIs,
    Lower,
    Upper,
    Camel,
    Pascal,
    /// The character between two words, and whether they are in capitals.
    Words(char, bool),
}

impl Case {
    /// What `rename_all` of a struct or an enum says.
    pub(crate) fn of_input(input: &DeriveInput, is_enum: bool) -> Result<Self> {
        let mut case = Self::AsItIs;
        for attribute in input.attrs.iter().filter(|attribute| is_ours(attribute)) {
            attribute.parse_nested_meta(|meta| {
                if meta.path.is_ident("repr") && is_enum {
                    return Ok(());
                }
                if !meta.path.is_ident("rename_all") {
                    let message = match is_enum {
                        true => "an option of an enum is `rename_all = \"snake_case\"` or `repr`",
                        false => "the only option of a struct is `rename_all = \"snake_case\"`",
                    };
                    return Err(meta.error(message));
                }
                let word: LitStr = meta.value()?.parse()?;
                case = match word.value().as_str() {
                    "lowercase" => Self::Lower,
                    "UPPERCASE" => Self::Upper,
                    "snake_case" => Self::Words('_', false),
                    "SCREAMING_SNAKE_CASE" => Self::Words('_', true),
                    "kebab-case" => Self::Words('-', false),
                    "camelCase" => Self::Camel,
                    "PascalCase" => Self::Pascal,
                    _ => return Err(Error::new(word.span(), CASES)),
                };
                Ok(())
            })?;
        }
        Ok(case)
    }

    /// The name of a variant, which begins each word with a capital.
    pub(crate) fn of(self, name: &str) -> String {
        match self {
            Self::AsItIs | Self::Pascal => name.to_owned(),
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

    /// The name of a field, which has a `_` between two words.
    pub(crate) fn of_field(self, name: &str) -> String {
        match self {
            Self::AsItIs => name.to_owned(),
            _ => self.of(&pascal(name)),
        }
    }
}

/// `unit_price` as `UnitPrice`.
fn pascal(name: &str) -> String {
    let word = |word: &str| {
        let mut letters = word.chars();
        letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
    };
    name.split('_').map(word).collect::<Vec<String>>().concat()
}

/// The whole number that an enum is, if its option `repr` says that it is stored as one.
pub(crate) fn is_by_repr(input: &DeriveInput) -> Result<Option<Ident>> {
    let mut is_asked = false;
    for attribute in input.attrs.iter().filter(|attribute| is_ours(attribute)) {
        attribute.parse_nested_meta(|meta| {
            is_asked |= meta.path.is_ident("repr");
            if meta.input.peek(syn::Token![=]) {
                meta.value()?.parse::<LitStr>()?;
            }
            Ok(())
        })?;
    }
    if !is_asked {
        return Ok(None);
    }
    let mut repr = None;
    for attribute in input.attrs.iter().filter(|attribute| attribute.path().is_ident("repr")) {
        attribute.parse_nested_meta(|meta| {
            repr = meta.path.get_ident().filter(|ident| is_whole_number(ident)).cloned().or_else(|| repr.take());
            Ok(())
        })?;
    }
    match repr {
        Some(repr) => Ok(Some(repr)),
        None => Err(Error::new(input.ident.span(), "`#[inrush(repr)]` needs the number: `#[repr(u8)]` on the enum")),
    }
}

fn is_whole_number(ident: &Ident) -> bool {
    ["i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64"].iter().any(|name| ident == name)
}

pub(crate) const CASES: &str =
    "one of lowercase, UPPERCASE, snake_case, SCREAMING_SNAKE_CASE, kebab-case, camelCase, PascalCase";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_in_each_case() {
        let of = |case: Case| case.of_field("unit_price");
        assert_eq!(of(Case::AsItIs), "unit_price");
        assert_eq!(of(Case::Camel), "unitPrice");
        assert_eq!(of(Case::Pascal), "UnitPrice");
        assert_eq!(of(Case::Upper), "UNITPRICE");
        assert_eq!(of(Case::Words('_', false)), "unit_price");
        assert_eq!(of(Case::Words('_', true)), "UNIT_PRICE");
        assert_eq!(of(Case::Words('-', false)), "unit-price");
    }
}
