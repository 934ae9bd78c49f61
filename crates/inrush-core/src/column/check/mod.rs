//! Checks whether a cell fits its column. A [`Check`] is made once for a column and then run over the values of a batch or, in a
//! load, over whole columns of cells (`columns`, feature `loader`).
//!
//! Three verdicts: a cell that the server stores as it is meant passes; one whose meaning is certain but whose spelling the
//! server does not take (or takes with a warning) is rewritten; every other one is bad, and its row must not be sent. The servers
//! change values silently, so these checks enforce "nothing silent". Known exceptions are listed in
//! docs/what-the-server-changes.md.
//!
//! Speed: a cell in a common form takes the fast path at the top of each validator, everything else the slow path below it.

mod bit;
mod charset;
#[cfg(feature = "loader")]
mod columns;
mod date_time;
mod decimal;
mod float;
mod geometry;
mod int;
mod json;
#[cfg(feature = "loader")]
mod known;
mod member;
mod moment;
mod network;
mod number;
#[cfg(feature = "loader")]
mod pass_through;
mod shape;
mod short;
mod spelling;
mod text;
mod time;
mod value;
mod vector;
mod why;
mod year;

pub use super::Form;
#[cfg(feature = "loader")]
pub use columns::{BadCell, CheckedColumn};
#[cfg(feature = "loader")]
pub use known::Known;
pub use network::takes_uuid;
#[cfg(feature = "loader")]
pub use pass_through::Grid;
pub use shape::{CellShape, ends_in_zero, is_date_or_time, is_number};
pub use value::BoundVerdict;
pub use why::Why;

use super::rules::Rules;
use super::{Column, ColumnType};
use short::Short;
use spelling::Promise;

/// The check of one column.
#[derive(Clone, Debug)]
pub struct Check {
    column: Column,
    rules: Rules,
    null_is_bad: bool,
    form: Form,
    validator: AnyValidator,
    /// The spelling that the column promises to keep.
    promise: Option<Promise>,
}

impl Check {
    /// The check for values that go into `column`.
    pub fn new(column: &Column, rules: &Rules) -> Self {
        Self {
            // NULL into an AUTO_INCREMENT column means a generated id, on all servers.
            null_is_bad: !column.nullable && !column.auto_increment,
            form: Form::of(&column.ty, rules),
            validator: AnyValidator::new(column, rules),
            promise: column.keeps_spelling.then(|| Promise::of(&column.ty)).flatten(),
            column: column.clone(),
            rules: rules.clone(),
        }
    }

    /// The column the check is for.
    pub fn column(&self) -> &Column {
        &self.column
    }

    /// How an encoder writes the cells that pass it.
    pub fn form(&self) -> Form {
        self.form
    }
}

impl Form {
    /// How values of a type are written.
    pub fn of(ty: &ColumnType, rules: &Rules) -> Form {
        match ty {
            ColumnType::Vector { .. } => Form::Argument(rules.profile.vectors.from_text),
            _ => ty.properties().form,
        }
    }
}

/// The validator of one type of column.
trait CellValidator {
    /// Validates a cell; `out` takes its new text if it must be rewritten.
    fn validate(&self, cell: &[u8], out: &mut Vec<u8>) -> Verdict;

    /// The same for a text that is bound to a placeholder.
    #[inline]
    fn validate_bound(&self, text: &[u8], out: &mut Vec<u8>) -> Verdict {
        self.validate(text, out)
    }

    /// Whether it surely keeps this short cell. `false` means that the fast check did not decide it.
    #[inline]
    fn accepts_short(&self, _: Short) -> bool {
        false
    }

    /// Whether it keeps all cells of up to so many bytes, whatever their content.
    fn accepts_up_to(&self, _: u32) -> bool {
        false
    }
}

enum Verdict {
    Keep,
    /// The cell's new text has been appended to `out`.
    Rewrite,
    Bad(Why),
}

#[derive(Clone, Debug)]
enum AnyValidator {
    /// Bytes that need no check.
    Pass,
    Int(int::IntValidator),
    Decimal(decimal::DecimalValidator),
    Float(float::FloatValidator),
    Bit(bit::BitValidator),
    Year(year::YearValidator),
    Date(date_time::DateValidator),
    Time(time::TimeValidator),
    DateTime(date_time::DateTimeValidator),
    Bytes(text::BytesValidator),
    Chars(text::CharsValidator),
    Enum(member::EnumValidator),
    Set(member::SetValidator),
    Json(json::JsonValidator),
    Geometry(geometry::GeometryValidator),
    Vector(vector::VectorValidator),
    Network(network::NetworkValidator),
    /// An unknown type: the value need only be UTF-8.
    Unknown,
}

impl AnyValidator {
    fn new(column: &Column, rules: &Rules) -> Self {
        match &column.ty {
            ColumnType::Int { bytes, unsigned, bool } => Self::Int(int::IntValidator::new(*bytes, *unsigned, *bool)),
            ColumnType::Decimal { precision, scale, unsigned } => {
                Self::Decimal(decimal::DecimalValidator::new(*precision, *scale, *unsigned))
            }
            ColumnType::Float { unsigned, digits } => Self::Float(float::FloatValidator::single(*unsigned, *digits)),
            ColumnType::Double { unsigned, digits } => Self::Float(float::FloatValidator::double(*unsigned, *digits)),
            ColumnType::Bit { bits } => Self::Bit(bit::BitValidator::new(*bits)),
            ColumnType::Year => Self::Year(year::YearValidator),
            ColumnType::Date => Self::Date(date_time::DateValidator::new(rules)),
            ColumnType::Time { fsp } => Self::Time(time::TimeValidator::new(*fsp, rules)),
            ColumnType::DateTime { fsp } => Self::DateTime(date_time::DateTimeValidator::date_time(*fsp, rules)),
            ColumnType::Timestamp { fsp } => Self::DateTime(date_time::DateTimeValidator::timestamp(*fsp, rules)),
            ColumnType::Char { chars } | ColumnType::VarChar { chars } => {
                Self::Chars(text::CharsValidator::chars(*chars, column.charset.as_deref()))
            }
            ColumnType::Text { bytes } => Self::Chars(text::CharsValidator::bytes(*bytes, column.charset.as_deref())),
            ColumnType::Binary { bytes } | ColumnType::VarBinary { bytes } | ColumnType::Blob { bytes } => {
                if *bytes == u32::MAX { Self::Pass } else { Self::Bytes(text::BytesValidator { max: *bytes }) }
            }
            ColumnType::Enum { members } => Self::Enum(member::EnumValidator::new(members)),
            ColumnType::Set { members } => Self::Set(member::SetValidator::new(members)),
            ColumnType::Json => Self::Json(json::JsonValidator::new(rules)),
            ColumnType::Geometry { kind } => Self::Geometry(geometry::GeometryValidator { kind: *kind }),
            ColumnType::Vector { dim } => Self::Vector(vector::VectorValidator::new(*dim, rules)),
            ColumnType::Uuid => Self::Network(network::NetworkValidator::Uuid),
            ColumnType::Inet4 => Self::Network(network::NetworkValidator::Inet4),
            ColumnType::Inet6 => Self::Network(network::NetworkValidator::Inet6),
            ColumnType::Other(_) => Self::Unknown,
        }
    }

    /// The same where a column keeps the spelling of its cells, too.
    #[cfg(feature = "loader")]
    fn give_with<T: Task>(&self, promise: Option<Promise>, task: T) -> T::Done {
        match promise {
            None => self.give_to(task),
            Some(promise) => self.give_to(spelling::Keeping { task, promise }),
        }
    }

    /// Runs `task` with the validator: one dispatch for each column, one loop for each type.
    fn give_to<T: Task>(&self, task: T) -> T::Done {
        const TEXT: bool = true;
        match self {
            AnyValidator::Pass => task.with(&Anything, !TEXT),
            AnyValidator::Int(validator) => task.with(validator, !TEXT),
            AnyValidator::Decimal(validator) => task.with(validator, !TEXT),
            AnyValidator::Float(validator) => task.with(validator, !TEXT),
            AnyValidator::Bit(validator) => task.with(validator, !TEXT),
            AnyValidator::Year(validator) => task.with(validator, !TEXT),
            AnyValidator::Date(validator) => task.with(validator, !TEXT),
            AnyValidator::Time(validator) => task.with(validator, !TEXT),
            AnyValidator::DateTime(validator) => task.with(validator, !TEXT),
            AnyValidator::Bytes(validator) => task.with(validator, !TEXT),
            AnyValidator::Vector(validator) => task.with(validator, !TEXT),
            AnyValidator::Geometry(validator) => task.with(validator, !TEXT),
            AnyValidator::Network(validator) => task.with(validator, !TEXT),
            AnyValidator::Chars(validator) => task.with(validator, TEXT),
            AnyValidator::Enum(validator) => task.with(validator, TEXT),
            AnyValidator::Set(validator) => task.with(validator, TEXT),
            AnyValidator::Json(validator) => task.with(validator, TEXT),
            AnyValidator::Unknown => task.with(&Anything, TEXT),
        }
    }
}

/// A task for the validator of any column.
trait Task {
    type Done;

    /// `is_text`: the value must be UTF-8 first of all.
    fn with(self, validator: &impl CellValidator, is_text: bool) -> Self::Done;
}

struct Anything;

impl CellValidator for Anything {
    fn validate(&self, _: &[u8], _: &mut Vec<u8>) -> Verdict {
        Verdict::Keep
    }

    fn accepts_up_to(&self, _: u32) -> bool {
        true
    }
}

#[cfg(test)]
mod tests;
