//! A target column as the server describes it, and its type with everything a check must know.
//!
//! [`ColumnType::parse`] (in `parse_type.rs`) reads the server's spelling; `Display` writes the type as people write it
//! in SQL, for messages.

use std::fmt;

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

impl fmt::Display for ColumnType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Int { bool: true, .. } => f.write_str("BOOL"),
            Self::Int { bytes, unsigned, .. } => write!(f, "{}{}", int_name(*bytes), sign(*unsigned)),
            Self::Decimal { precision, scale, unsigned } => {
                write!(f, "DECIMAL({precision},{scale}){}", sign(*unsigned))
            }
            Self::Float { unsigned, digits } => write!(f, "FLOAT{}{}", Digits(*digits), sign(*unsigned)),
            Self::Double { unsigned, digits } => write!(f, "DOUBLE{}{}", Digits(*digits), sign(*unsigned)),
            Self::Bit { bits } => write!(f, "BIT({bits})"),
            Self::Year => f.write_str("YEAR"),
            Self::Date => f.write_str("DATE"),
            Self::Time { fsp } => write!(f, "TIME({fsp})"),
            Self::DateTime { fsp } => write!(f, "DATETIME({fsp})"),
            Self::Timestamp { fsp } => write!(f, "TIMESTAMP({fsp})"),
            Self::Char { chars } => write!(f, "CHAR({chars})"),
            Self::VarChar { chars } => write!(f, "VARCHAR({chars})"),
            Self::Text { bytes } => write!(f, "{}TEXT", size_prefix(*bytes)),
            Self::Binary { bytes } => write!(f, "BINARY({bytes})"),
            Self::VarBinary { bytes } => write!(f, "VARBINARY({bytes})"),
            Self::Blob { bytes } => write!(f, "{}BLOB", size_prefix(*bytes)),
            Self::Enum { members } => write_members(f, "ENUM", members),
            Self::Set { members } => write_members(f, "SET", members),
            Self::Json => f.write_str("JSON"),
            Self::Geometry { kind } => f.write_str(kind.name()),
            Self::Vector { dim } => write!(f, "VECTOR({dim})"),
            Self::Uuid => f.write_str("UUID"),
            Self::Inet4 => f.write_str("INET4"),
            Self::Inet6 => f.write_str("INET6"),
            Self::Other(text) => f.write_str(text),
        }
    }
}

fn int_name(bytes: u8) -> &'static str {
    match bytes {
        1 => "TINYINT",
        2 => "SMALLINT",
        3 => "MEDIUMINT",
        4 => "INT",
        _ => "BIGINT",
    }
}

fn sign(unsigned: bool) -> &'static str {
    if unsigned { " UNSIGNED" } else { "" }
}

struct Digits(Option<(u8, u8)>);

impl fmt::Display for Digits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some((m, d)) => write!(f, "({m},{d})"),
            None => Ok(()),
        }
    }
}

fn size_prefix(bytes: u32) -> &'static str {
    match bytes {
        0..=0xff => "TINY",
        0x100..=0xffff => "",
        0x1_0000..=0xff_ffff => "MEDIUM",
        _ => "LONG",
    }
}

/// The first members only: an ENUM may have 65,535 of them, and a message is one line.
fn write_members(f: &mut fmt::Formatter<'_>, word: &str, members: &[String]) -> fmt::Result {
    write!(f, "{word}(")?;
    for (i, member) in members.iter().take(MEMBERS_SHOWN).enumerate() {
        write!(f, "{}'{}'", if i > 0 { "," } else { "" }, member.escape_debug())?;
    }
    f.write_str(if members.len() > MEMBERS_SHOWN { ",..)" } else { ")" })
}

const MEMBERS_SHOWN: usize = 8;
