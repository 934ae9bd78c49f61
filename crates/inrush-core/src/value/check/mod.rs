//! Checks whether a cell fits its column. A [`Check`] is made once for a column and then run over the values of a batch or, in a
//! load, over whole columns of cells (`columns`, feature `loader`).
//!
//! Three verdicts: a cell that the server stores as it is meant passes; one whose meaning is certain but whose spelling the
//! server does not take (or takes with a warning) is rewritten; every other one is bad, and its row must not be sent. The servers
//! change values silently, so these checks enforce "nothing silent". Known exceptions are listed in
//! docs/what-the-server-changes.md.
//!
//! Speed: a cell in a common form takes the fast path at the top of each judge, everything else the slow path below it.

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

#[cfg(feature = "loader")]
pub use columns::{BadCell, CheckedColumn};
#[cfg(feature = "loader")]
pub use known::Known;
pub use network::takes_uuid;
#[cfg(feature = "loader")]
pub use pass_through::Grid;
pub use shape::{Shape, ends_in_zero, is_date_or_time, is_number};
pub use value::Judged;
pub use why::Why;

use super::column::{Column, ColumnType};
use super::rules::Rules;
use short::Short;
use spelling::Promise;

/// The check of one column.
#[derive(Clone, Debug)]
pub struct Check {
    column: Column,
    rules: Rules,
    null_is_bad: bool,
    form: Form,
    judge: AnyJudge,
    /// The spelling that the column promises to keep.
    promise: Option<Promise>,
}

/// How an encoder writes the cells of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// A number in a form that needs no quotes in SQL.
    Number,
    /// The same for a BIT column: a text would be stored as the bits of its characters.
    Bits,
    /// A text without any byte that must be escaped.
    Plain,
    /// A text.
    Text,
    /// Bytes.
    Bytes,
    /// A geometry: well-known text, or the server's own format in hex (they differ in the first byte).
    Geometry,
    /// A text, without any byte that must be escaped, that is an argument of this function.
    Argument(&'static str),
}

impl Check {
    /// The check for values that go into `column`.
    pub fn new(column: &Column, rules: &Rules) -> Self {
        Self {
            // NULL into an AUTO_INCREMENT column means a generated id, on all servers.
            null_is_bad: !column.nullable && !column.auto_increment,
            form: Form::of(&column.ty, rules),
            judge: AnyJudge::new(column, rules),
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
            ColumnType::Int { .. } | ColumnType::Decimal { .. } => Form::Number,
            ColumnType::Bit { .. } => Form::Bits,
            // FLOAT and DOUBLE go as text: a number without an exponent would be read as a DECIMAL first, and lose digits.
            ColumnType::Float { .. } | ColumnType::Double { .. } => Form::Plain,
            ColumnType::Year
            | ColumnType::Date
            | ColumnType::Time { .. }
            | ColumnType::DateTime { .. }
            | ColumnType::Timestamp { .. }
            | ColumnType::Uuid
            | ColumnType::Inet4
            | ColumnType::Inet6 => Form::Plain,
            ColumnType::Char { .. }
            | ColumnType::VarChar { .. }
            | ColumnType::Text { .. }
            | ColumnType::Enum { .. }
            | ColumnType::Set { .. }
            | ColumnType::Json
            | ColumnType::Other(_) => Form::Text,
            ColumnType::Binary { .. } | ColumnType::VarBinary { .. } | ColumnType::Blob { .. } => Form::Bytes,
            ColumnType::Geometry { .. } => Form::Geometry,
            ColumnType::Vector { .. } => Form::Argument(rules.profile.vectors.from_text),
        }
    }
}

/// The judge of one type of column.
trait Judge {
    /// Judges a cell; `out` takes its new text if it must be rewritten.
    fn judge(&self, cell: &[u8], out: &mut Vec<u8>) -> Verdict;

    /// Whether it surely keeps this short cell. `false` means that the fast check did not decide it.
    #[inline]
    fn keeps_short(&self, _: Short) -> bool {
        false
    }

    /// Whether it keeps all cells of up to so many bytes, whatever their content.
    fn keeps_up_to(&self, _: u32) -> bool {
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
enum AnyJudge {
    /// Bytes that need no check.
    Pass,
    Int(int::IntJudge),
    Decimal(decimal::DecimalJudge),
    Float(float::FloatJudge),
    Bit(bit::BitJudge),
    Year(year::YearJudge),
    Date(date_time::DateJudge),
    Time(time::TimeJudge),
    DateTime(date_time::DateTimeJudge),
    Bytes(text::BytesJudge),
    Chars(text::CharsJudge),
    Enum(member::EnumJudge),
    Set(member::SetJudge),
    Json(json::JsonJudge),
    Geometry(geometry::GeometryJudge),
    Vector(vector::VectorJudge),
    Network(network::NetworkJudge),
    /// An unknown type: the value need only be UTF-8.
    Unknown,
}

impl AnyJudge {
    fn new(column: &Column, rules: &Rules) -> Self {
        match &column.ty {
            ColumnType::Int { bytes, unsigned, bool } => Self::Int(int::IntJudge::new(*bytes, *unsigned, *bool)),
            ColumnType::Decimal { precision, scale, unsigned } => {
                Self::Decimal(decimal::DecimalJudge::new(*precision, *scale, *unsigned))
            }
            ColumnType::Float { unsigned, digits } => Self::Float(float::FloatJudge::single(*unsigned, *digits)),
            ColumnType::Double { unsigned, digits } => Self::Float(float::FloatJudge::double(*unsigned, *digits)),
            ColumnType::Bit { bits } => Self::Bit(bit::BitJudge::new(*bits)),
            ColumnType::Year => Self::Year(year::YearJudge),
            ColumnType::Date => Self::Date(date_time::DateJudge::new(rules)),
            ColumnType::Time { fsp } => Self::Time(time::TimeJudge::new(*fsp, rules)),
            ColumnType::DateTime { fsp } => Self::DateTime(date_time::DateTimeJudge::date_time(*fsp, rules)),
            ColumnType::Timestamp { fsp } => Self::DateTime(date_time::DateTimeJudge::timestamp(*fsp, rules)),
            ColumnType::Char { chars } | ColumnType::VarChar { chars } => {
                Self::Chars(text::CharsJudge::chars(*chars, column.charset.as_deref()))
            }
            ColumnType::Text { bytes } => Self::Chars(text::CharsJudge::bytes(*bytes, column.charset.as_deref())),
            ColumnType::Binary { bytes } | ColumnType::VarBinary { bytes } | ColumnType::Blob { bytes } => {
                if *bytes == u32::MAX { Self::Pass } else { Self::Bytes(text::BytesJudge { max: *bytes }) }
            }
            ColumnType::Enum { members } => Self::Enum(member::EnumJudge::new(members)),
            ColumnType::Set { members } => Self::Set(member::SetJudge::new(members)),
            ColumnType::Json => Self::Json(json::JsonJudge::new(rules)),
            ColumnType::Geometry { kind } => Self::Geometry(geometry::GeometryJudge { kind: *kind }),
            ColumnType::Vector { dim } => Self::Vector(vector::VectorJudge::new(*dim, rules)),
            ColumnType::Uuid => Self::Network(network::NetworkJudge::Uuid),
            ColumnType::Inet4 => Self::Network(network::NetworkJudge::Inet4),
            ColumnType::Inet6 => Self::Network(network::NetworkJudge::Inet6),
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

    /// Runs `task` with the judge: one dispatch for each column, one loop for each type.
    fn give_to<T: Task>(&self, task: T) -> T::Done {
        const TEXT: bool = true;
        match self {
            AnyJudge::Pass => task.with(&Anything, !TEXT),
            AnyJudge::Int(judge) => task.with(judge, !TEXT),
            AnyJudge::Decimal(judge) => task.with(judge, !TEXT),
            AnyJudge::Float(judge) => task.with(judge, !TEXT),
            AnyJudge::Bit(judge) => task.with(judge, !TEXT),
            AnyJudge::Year(judge) => task.with(judge, !TEXT),
            AnyJudge::Date(judge) => task.with(judge, !TEXT),
            AnyJudge::Time(judge) => task.with(judge, !TEXT),
            AnyJudge::DateTime(judge) => task.with(judge, !TEXT),
            AnyJudge::Bytes(judge) => task.with(judge, !TEXT),
            AnyJudge::Vector(judge) => task.with(judge, !TEXT),
            AnyJudge::Geometry(judge) => task.with(judge, !TEXT),
            AnyJudge::Network(judge) => task.with(judge, !TEXT),
            AnyJudge::Chars(judge) => task.with(judge, TEXT),
            AnyJudge::Enum(judge) => task.with(judge, TEXT),
            AnyJudge::Set(judge) => task.with(judge, TEXT),
            AnyJudge::Json(judge) => task.with(judge, TEXT),
            AnyJudge::Unknown => task.with(&Anything, TEXT),
        }
    }
}

/// A task for the judge of any column.
trait Task {
    type Done;

    /// `is_text`: the value must be UTF-8 first of all.
    fn with(self, judge: &impl Judge, is_text: bool) -> Self::Done;
}

struct Anything;

impl Judge for Anything {
    fn judge(&self, _: &[u8], _: &mut Vec<u8>) -> Verdict {
        Verdict::Keep
    }

    fn keeps_up_to(&self, _: u32) -> bool {
        true
    }
}

#[cfg(test)]
mod tests;
