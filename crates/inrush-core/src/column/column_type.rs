//! A target column as the server describes it, its type with everything a check must know, and what each type is for the code that reads,
//! checks and writes its values: one row a type ([`ColumnType::properties`]).
//!
//! `type_text.rs` reads and writes the names of types.

/// One column of a target table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// The name as the server spells it.
    pub name: String,
    /// The type, parsed from `information_schema.columns.column_type`.
    pub ty: ColumnType,
    /// Whether NULL is allowed.
    pub nullable: bool,
    /// Whether a row without this column is possible: a DEFAULT, an AUTO_INCREMENT, a generated column, or nullable.
    pub optional: bool,
    /// Whether a row without this column gets something else than NULL there: the column has a DEFAULT.
    pub has_default: bool,
    /// AUTO_INCREMENT.
    pub auto_increment: bool,
    /// A generated column: it takes no value.
    pub generated: bool,
    /// The character set of a text column (`utf8mb4`, `latin1`, ..).
    pub charset: Option<String>,
    /// Whether a cell is bad if the column would not give back its spelling: set for columns that were created for a file.
    pub keeps_spelling: bool,
}

impl Column {
    /// A column that takes NULL and has no other attributes; its text is utf8mb4.
    pub fn new(name: impl Into<String>, ty: ColumnType) -> Self {
        let charset = Some("utf8mb4".to_owned());
        Self {
            name: name.into(),
            ty,
            nullable: true,
            optional: true,
            has_default: false,
            auto_increment: false,
            generated: false,
            charset,
            keeps_spelling: false,
        }
    }
}

/// A column's type. Lengths are in the unit the manual gives: characters for CHAR, bytes for BINARY and TEXT.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ColumnType {
    /// TINYINT (1 byte) to BIGINT (8 bytes); BOOL is TINYINT(1), and `bool` then says so.
    Int {
        /// Width in bytes: 1, 2, 3, 4 or 8.
        bytes: u8,
        /// UNSIGNED.
        unsigned: bool,
        /// Declared as TINYINT(1), which is how BOOL is stored: true/false words fit it.
        bool: bool,
    },
    /// DECIMAL(precision, scale).
    Decimal {
        /// Digits in all, 1 to 65.
        precision: u8,
        /// Digits after the point, 0 to 38.
        scale: u8,
        /// UNSIGNED.
        unsigned: bool,
    },
    /// FLOAT, also FLOAT(m,d).
    Float {
        /// UNSIGNED.
        unsigned: bool,
        /// `(m, d)` of FLOAT(m,d): digits in all and after the point, to which the server rounds.
        digits: Option<(u8, u8)>,
    },
    /// DOUBLE, also DOUBLE(m,d).
    Double {
        /// UNSIGNED.
        unsigned: bool,
        /// `(m, d)` of DOUBLE(m,d): digits in all and after the point, to which the server rounds.
        digits: Option<(u8, u8)>,
    },
    /// BIT(bits), 1 to 64.
    Bit {
        /// Number of bits.
        bits: u8,
    },
    /// YEAR.
    Year,
    /// DATE.
    Date,
    /// TIME(fsp).
    Time {
        /// Digits of the fraction of a second, 0 to 6.
        fsp: u8,
    },
    /// DATETIME(fsp).
    DateTime {
        /// Digits of the fraction of a second, 0 to 6.
        fsp: u8,
    },
    /// TIMESTAMP(fsp): stored as UTC, converted from the session's zone by the server.
    Timestamp {
        /// Digits of the fraction of a second, 0 to 6.
        fsp: u8,
    },
    /// CHAR(n).
    Char {
        /// Length in characters.
        chars: u32,
    },
    /// VARCHAR(n).
    VarChar {
        /// Length in characters.
        chars: u32,
    },
    /// TINYTEXT to LONGTEXT.
    Text {
        /// Length in bytes: 255, 65,535, 2^24-1 or 2^32-1.
        bytes: u32,
    },
    /// BINARY(n).
    Binary {
        /// Length in bytes; shorter values are padded with zero bytes by the server.
        bytes: u32,
    },
    /// VARBINARY(n).
    VarBinary {
        /// Length in bytes.
        bytes: u32,
    },
    /// TINYBLOB to LONGBLOB.
    Blob {
        /// Length in bytes.
        bytes: u32,
    },
    /// ENUM: the members in the order of their index.
    Enum {
        /// Members, unescaped.
        members: Vec<String>,
    },
    /// SET: the members in the order of their bit.
    Set {
        /// Members, unescaped.
        members: Vec<String>,
    },
    /// JSON. On MariaDB it is LONGTEXT with a CHECK; the server says so by its constraint.
    Json,
    /// GEOMETRY, POINT, ..: bytes in the server's internal format (SRID + WKB).
    Geometry {
        /// Which geometries the column takes.
        kind: GeometryKind,
    },
    /// VECTOR(dim): 4-byte floats.
    Vector {
        /// Number of floats.
        dim: u32,
    },
    /// MariaDB UUID.
    Uuid,
    /// MariaDB INET4.
    Inet4,
    /// MariaDB INET6.
    Inet6,
    /// An unknown type: the server alone checks its values.
    Other(String),
}

/// What a spatial column takes; the discriminant is the number that WKB gives the type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GeometryKind {
    /// GEOMETRY: any of the others.
    Any = 0,
    /// POINT.
    Point = 1,
    /// LINESTRING.
    LineString = 2,
    /// POLYGON.
    Polygon = 3,
    /// MULTIPOINT.
    MultiPoint = 4,
    /// MULTILINESTRING.
    MultiLineString = 5,
    /// MULTIPOLYGON.
    MultiPolygon = 6,
    /// GEOMETRYCOLLECTION.
    Collection = 7,
}

impl GeometryKind {
    /// Every kind, with the word that SQL and WKT have for it.
    pub const NAMES: [(GeometryKind, &'static str); 8] = [
        (GeometryKind::Any, "GEOMETRY"),
        (GeometryKind::Point, "POINT"),
        (GeometryKind::LineString, "LINESTRING"),
        (GeometryKind::Polygon, "POLYGON"),
        (GeometryKind::MultiPoint, "MULTIPOINT"),
        (GeometryKind::MultiLineString, "MULTILINESTRING"),
        (GeometryKind::MultiPolygon, "MULTIPOLYGON"),
        (GeometryKind::Collection, "GEOMETRYCOLLECTION"),
    ];

    /// The word that SQL and WKT have for it.
    pub fn name(self) -> &'static str {
        Self::NAMES[self as usize].1
    }
}

/// What a type is for the code that reads, checks and writes its values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TypeProperties {
    /// What messages call a value of it: `a date`.
    pub noun: &'static str,
    /// How an encoder writes its cells.
    pub form: Form,
    /// What kind of column it makes.
    pub kind: ColumnKind,
    /// What an empty cell is.
    pub empty: Empty,
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

/// The kind of column that a field goes into, for sources whose values have types of their own: the same value is written in one
/// way for a text, in another for bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ColumnKind {
    /// Whatever is written as text.
    #[default]
    Text,
    /// A whole number.
    Integer,
    /// Bits, which bytes hold as a result does: the highest first.
    Bits,
    /// A DECIMAL.
    Decimal,
    /// A FLOAT.
    Float,
    /// A DOUBLE.
    Double,
    /// A day, or a day and a time.
    Moment,
    /// A time of day or a span.
    Time,
    /// Bytes.
    Bytes,
    /// A UUID type.
    Uuid,
    /// A JSON document.
    Json,
}

impl ColumnKind {
    /// Whether it holds whole numbers of any size exactly.
    pub fn is_exact_number(self) -> bool {
        matches!(self, Self::Integer | Self::Bits | Self::Decimal)
    }
}

/// What an empty cell is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Empty {
    /// A text like any other.
    Text,
    /// A value that is written as the empty text: no member of a SET, a member of some ENUMs.
    Member,
    /// No value: there is no empty number or date.
    Nothing,
}

impl ColumnType {
    /// What the type is.
    pub fn properties(&self) -> TypeProperties {
        let row = |noun, form, kind, empty| TypeProperties { noun, form, kind, empty };
        match self {
            Self::Int { bool: true, .. } => {
                row("a whole number, true or false", Form::Number, ColumnKind::Integer, Empty::Nothing)
            }
            Self::Int { .. } => row("a whole number", Form::Number, ColumnKind::Integer, Empty::Nothing),
            Self::Decimal { .. } => row("a number", Form::Number, ColumnKind::Decimal, Empty::Nothing),
            // As text: a number without an exponent would be read as a DECIMAL first, and lose digits.
            Self::Float { .. } => row("a number", Form::Plain, ColumnKind::Float, Empty::Nothing),
            Self::Double { .. } => row("a number", Form::Plain, ColumnKind::Double, Empty::Nothing),
            Self::Bit { .. } => {
                row("a whole number (decimal, 0x.. or 0b..)", Form::Bits, ColumnKind::Bits, Empty::Nothing)
            }
            Self::Year => row("a year", Form::Plain, ColumnKind::Text, Empty::Nothing),
            Self::Date => row("a date", Form::Plain, ColumnKind::Moment, Empty::Nothing),
            Self::Time { .. } => row("a time", Form::Plain, ColumnKind::Time, Empty::Nothing),
            Self::DateTime { .. } | Self::Timestamp { .. } => {
                row("a date and time", Form::Plain, ColumnKind::Moment, Empty::Nothing)
            }
            Self::Char { .. } | Self::VarChar { .. } | Self::Text { .. } => {
                row("a text", Form::Text, ColumnKind::Text, Empty::Text)
            }
            Self::Binary { .. } | Self::VarBinary { .. } | Self::Blob { .. } => {
                row("bytes", Form::Bytes, ColumnKind::Bytes, Empty::Text)
            }
            Self::Enum { members } if members.iter().any(String::is_empty) => {
                row("a member", Form::Text, ColumnKind::Text, Empty::Member)
            }
            Self::Enum { .. } => row("a member", Form::Text, ColumnKind::Text, Empty::Nothing),
            Self::Set { .. } => row("a list of members", Form::Text, ColumnKind::Text, Empty::Member),
            Self::Json => row("a JSON document", Form::Text, ColumnKind::Json, Empty::Nothing),
            Self::Geometry { .. } => {
                row("a geometry (WKT, or WKB in hex)", Form::Geometry, ColumnKind::Text, Empty::Nothing)
            }
            // The argument of a function whose name depends on the server: `Form::of`.
            Self::Vector { .. } => row("a vector (`[1,2,3]`)", Form::Plain, ColumnKind::Text, Empty::Nothing),
            Self::Uuid => row("a UUID", Form::Plain, ColumnKind::Uuid, Empty::Nothing),
            Self::Inet4 => row("an IPv4 address", Form::Plain, ColumnKind::Text, Empty::Nothing),
            Self::Inet6 => row("an IPv6 address", Form::Plain, ColumnKind::Text, Empty::Nothing),
            Self::Other(_) => row("a value of its type", Form::Text, ColumnKind::Text, Empty::Text),
        }
    }
}
