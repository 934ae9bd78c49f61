//! What is wrong with an input, as a value to match on: [`InputFault`].
//!
//! The words are in the message of an error and in the reason of a bad row; hints are chosen by this value.

/// What is wrong with a file, a record or a value of an input, for code that proposes what to do about it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum InputFault {
    /// Anything else, a server's error too. Also any fault of a bad row that was kept in a ledger or by a sort, which keep only its words.
    #[default]
    Other,
    /// A text is not valid in its encoding.
    Encoding,
    /// A record has another number of fields than the header.
    Width {
        /// The fields of the header.
        expected: usize,
        /// The fields of the record.
        found: usize,
    },
    /// Text follows the closing quote of a field.
    TextAfterQuote,
    /// A field begins with a quote that closes in a later line, and holds delimiters.
    QuoteOverLines,
    /// A field has a backslash, which may be an escape.
    Backslash,
    /// A record of JSON has a name that is not among those of the first records.
    UnknownName {
        /// Whether the table has a column of that name; `None` if the table is not known.
        is_column: Option<bool>,
    },
    /// A word that other languages have for a number, and JSON does not: `NaN`.
    NumberWord(&'static str),
    /// A first line may be a header or a row.
    HeaderInDoubt {
        /// The message without that line, which may hold values.
        message: Box<str>,
    },
    /// NULL where none is allowed.
    Null,
    /// A value that its column does not take.
    Value {
        /// The value as messages show it, without the backticks; a long one is cut.
        shown: Box<str>,
        /// Why not.
        why: BadValue,
    },
}

/// Why a column does not take a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum BadValue {
    /// It is not such a value at all: text for a number.
    OtherKind,
    /// It is not a date, or not a date and time.
    NoDate,
    /// It is too long.
    TooLong,
    /// It is such a value, and the column does not hold it.
    NotHeld,
}
