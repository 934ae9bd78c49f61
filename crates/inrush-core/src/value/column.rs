//! A target column as the server describes it, and its type with everything a check must know.

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
    /// AUTO_INCREMENT.
    pub auto_increment: bool,
    /// A generated column: it takes no value.
    pub generated: bool,
    /// The character set of a text column (`utf8mb4`, `latin1`, ..).
    pub charset: Option<String>,
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
        /// Digits behind the point, 0 to 38.
        scale: u8,
        /// UNSIGNED.
        unsigned: bool,
    },
    /// FLOAT, also FLOAT(m,d).
    Float {
        /// UNSIGNED.
        unsigned: bool,
    },
    /// DOUBLE.
    Double {
        /// UNSIGNED.
        unsigned: bool,
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
    Geometry,
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
    /// A type we know nothing of: the server alone judges it.
    Other(String),
}
