//! Masks: values that are replaced before anything of them is stored, written or shown.
//!
//! ```text
//! rules of a user -> MaskRules -> the columns of a table -> ColumnMask a column -> cells of a load (MaskedSource), arrays of an export
//! ```
//!
//! Invariant: one key, rule and value give one masked value, in every table and run; NULL stays NULL and an empty text stays empty; a masked
//! value fits its column. An error never holds a value.

mod arrays;
mod dates;
mod digits;
mod key;
mod rule;
mod rules;
mod source;
mod texts;
mod unique;

pub use arrays::mask_batch;
pub use key::MaskKey;
pub use rule::MaskRule;
pub use rules::{MaskRules, TableMasks};
pub use source::{MaskedSource, columns_of_fields};
pub use unique::UniqueMasks;

use inrush_core::column::{Column, ColumnType};

/// The mask of one column.
#[derive(Clone, Debug)]
pub struct ColumnMask {
    column: String,
    ty: ColumnType,
    rule: MaskRule,
    key: MaskKey,
}

/// Why a rule does not fit a value. It never holds the value.
type Unfit = &'static str;

impl ColumnMask {
    /// The mask of `column`, whose type the rule fits ([`MaskRule::check`]).
    fn new(column: &Column, rule: MaskRule, key: MaskKey) -> Self {
        Self { column: column.name.clone(), ty: column.ty.clone(), rule, key }
    }

    /// The name of the column.
    pub fn column(&self) -> &str {
        &self.column
    }

    /// The rule.
    pub fn rule(&self) -> &MaskRule {
        &self.rule
    }

    /// Masks the text of a value that is not NULL; `None` is NULL.
    ///
    /// # Errors
    /// Why the rule does not fit the value, without the value.
    pub fn apply(&self, cell: &[u8]) -> Result<Option<Vec<u8>>, &'static str> {
        if self.rule == MaskRule::Null {
            return Ok(None);
        }
        if cell.is_empty() {
            return Ok(Some(Vec::new()));
        }
        let (key, ty) = (&self.key, &self.ty);
        Ok(Some(match &self.rule {
            MaskRule::Keep => cell.to_vec(),
            MaskRule::Null => return Ok(None),
            MaskRule::Fixed(text) => text.clone().into_bytes(),
            MaskRule::Hmac(digits) => texts::hmac(key, cell, rule::hmac_digits(*digits, ty)),
            MaskRule::Email => texts::email(key, cell),
            MaskRule::Name => texts::name(key, cell),
            MaskRule::Redact => texts::redact(cell, rule::is_bytes(ty)),
            MaskRule::KeepLast(n) => texts::keep_last(cell, *n),
            MaskRule::KeepFirst(n) => texts::keep_first(cell, *n),
            MaskRule::Uuid => texts::uuid(key, cell, ty)?,
            MaskRule::Phone => digits::phone(key, cell)?,
            MaskRule::Card => digits::card(key, cell)?,
            MaskRule::Number => match rule::range_of(ty) {
                Some(range) => digits::integer(key, cell, range)?,
                None => match ty {
                    ColumnType::Decimal { precision, scale, .. } => digits::decimal(key, cell, (*precision, *scale))?,
                    _ => digits::text(key, cell)?,
                },
            },
            MaskRule::HashInt => {
                digits::hash_int(key, cell, rule::range_of(ty).ok_or("the column holds no whole numbers")?)?
            }
            MaskRule::Year => dates::year(cell, ty)?,
            MaskRule::Month => dates::month(cell, ty)?,
        }))
    }
}

#[cfg(test)]
mod tests;
