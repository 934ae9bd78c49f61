//! The protocol's bit sets and type codes, under the names that the servers' sources and manuals give them.
//!
//! Bits without a name are kept where packets are read (`from_bits_retain`): a newer server has more of them.

use bitflags::bitflags;

bitflags! {
    /// What a client or a server can do (MySQL's `mysql_com.h`).
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub struct Capabilities: u32 {
        /// Set by all clients; MariaDB leaves it out of its greeting and announces its own capabilities.
        const CLIENT_LONG_PASSWORD = 1;
        /// Answers count the rows that were found, not those that were changed.
        const CLIENT_FOUND_ROWS = 1 << 1;
        /// Column flags have two bytes.
        const CLIENT_LONG_FLAG = 1 << 2;
        /// The login names a database.
        const CLIENT_CONNECT_WITH_DB = 1 << 3;
        /// `database.table.column` is not allowed.
        const CLIENT_NO_SCHEMA = 1 << 4;
        /// Frames compressed by zlib.
        const CLIENT_COMPRESS = 1 << 5;
        /// For ODBC.
        const CLIENT_ODBC = 1 << 6;
        /// LOAD DATA LOCAL.
        const CLIENT_LOCAL_FILES = 1 << 7;
        /// Blanks before the parenthesis of a function.
        const CLIENT_IGNORE_SPACE = 1 << 8;
        /// The protocol of 4.1 and later.
        const CLIENT_PROTOCOL_41 = 1 << 9;
        /// An interactive client.
        const CLIENT_INTERACTIVE = 1 << 10;
        /// TLS.
        const CLIENT_SSL = 1 << 11;
        /// No signals.
        const CLIENT_IGNORE_SIGPIPE = 1 << 12;
        /// Status flags in OK packets.
        const CLIENT_TRANSACTIONS = 1 << 13;
        /// Not used any more.
        const CLIENT_RESERVED = 1 << 14;
        /// Authentication of 4.1 and later.
        const CLIENT_SECURE_CONNECTION = 1 << 15;
        /// Several statements in one text.
        const CLIENT_MULTI_STATEMENTS = 1 << 16;
        /// Several results of one statement.
        const CLIENT_MULTI_RESULTS = 1 << 17;
        /// Several results of an execution.
        const CLIENT_PS_MULTI_RESULTS = 1 << 18;
        /// Authentication plugins.
        const CLIENT_PLUGIN_AUTH = 1 << 19;
        /// Connection attributes.
        const CLIENT_CONNECT_ATTRS = 1 << 20;
        /// An answer to the plugin of more than 255 bytes.
        const CLIENT_PLUGIN_AUTH_LENENC_CLIENT_DATA = 1 << 21;
        /// A login with an expired password.
        const CLIENT_CAN_HANDLE_EXPIRED_PASSWORDS = 1 << 22;
        /// Session changes in OK packets.
        const CLIENT_SESSION_TRACK = 1 << 23;
        /// OK packets in the place of EOF packets.
        const CLIENT_DEPRECATE_EOF = 1 << 24;
        /// Results without the descriptions of their columns.
        const CLIENT_OPTIONAL_RESULTSET_METADATA = 1 << 25;
        /// Frames compressed by Zstandard.
        const CLIENT_ZSTD_COMPRESSION_ALGORITHM = 1 << 26;
        /// Query attributes.
        const CLIENT_QUERY_ATTRIBUTES = 1 << 27;
        /// Several factors of authentication.
        const MULTI_FACTOR_AUTHENTICATION = 1 << 28;
        /// Reserved.
        const CLIENT_CAPABILITY_EXTENSION = 1 << 29;
        /// A client that verifies certificates.
        const CLIENT_SSL_VERIFY_SERVER_CERT = 1 << 30;
        /// A client that keeps its options over reconnections.
        const CLIENT_REMEMBER_OPTIONS = 1 << 31;
    }
}

bitflags! {
    /// What MariaDB has beyond [`Capabilities`].
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub struct MariaDbCapabilities: u32 {
        /// Progress packets.
        const MARIADB_CLIENT_PROGRESS = 1;
        /// Reserved.
        const MARIADB_CLIENT_RESERVED_1 = 1 << 1;
        /// COM_STMT_BULK_EXECUTE.
        const MARIADB_CLIENT_STMT_BULK_OPERATIONS = 1 << 2;
        /// Type names and formats in the descriptions of columns.
        const MARIADB_CLIENT_EXTENDED_METADATA = 1 << 3;
        /// Executions that leave out known descriptions of columns.
        const MARIADB_CLIENT_CACHE_METADATA = 1 << 4;
        /// An answer for each row of COM_STMT_BULK_EXECUTE.
        const MARIADB_CLIENT_BULK_UNIT_RESULTS = 1 << 5;
    }
}

bitflags! {
    /// The state of a session, in OK and EOF packets.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
    pub struct Status: u16 {
        /// A transaction is open.
        const SERVER_STATUS_IN_TRANS = 1;
        /// Autocommit is on.
        const SERVER_STATUS_AUTOCOMMIT = 1 << 1;
        /// Another result follows.
        const SERVER_MORE_RESULTS_EXISTS = 1 << 3;
        /// A slow query without a good index.
        const SERVER_STATUS_NO_GOOD_INDEX_USED = 1 << 4;
        /// A slow query without an index.
        const SERVER_STATUS_NO_INDEX_USED = 1 << 5;
        /// A cursor is open.
        const SERVER_STATUS_CURSOR_EXISTS = 1 << 6;
        /// The last row of a cursor.
        const SERVER_STATUS_LAST_ROW_SENT = 1 << 7;
        /// A database was dropped.
        const SERVER_STATUS_DB_DROPPED = 1 << 8;
        /// NO_BACKSLASH_ESCAPES is in the session's sql_mode.
        const SERVER_STATUS_NO_BACKSLASH_ESCAPES = 1 << 9;
        /// A prepared statement has other columns than before.
        const SERVER_STATUS_METADATA_CHANGED = 1 << 10;
        /// A slow query.
        const SERVER_QUERY_WAS_SLOW = 1 << 11;
        /// A result of OUT parameters.
        const SERVER_PS_OUT_PARAMS = 1 << 12;
        /// The open transaction is READ ONLY.
        const SERVER_STATUS_IN_TRANS_READONLY = 1 << 13;
        /// Session changes follow.
        const SERVER_SESSION_STATE_CHANGED = 1 << 14;
        /// ANSI_QUOTES is in the session's sql_mode (MariaDB).
        const SERVER_STATUS_ANSI_QUOTES = 1 << 15;
    }
}

bitflags! {
    /// What is known of a column of a result.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub struct ColumnFlags: u16 {
        /// Not NULL.
        const NOT_NULL_FLAG = 1;
        /// In the primary key.
        const PRI_KEY_FLAG = 1 << 1;
        /// In a unique key.
        const UNIQUE_KEY_FLAG = 1 << 2;
        /// In another key.
        const MULTIPLE_KEY_FLAG = 1 << 3;
        /// A BLOB or TEXT.
        const BLOB_FLAG = 1 << 4;
        /// No number below zero.
        const UNSIGNED_FLAG = 1 << 5;
        /// ZEROFILL.
        const ZEROFILL_FLAG = 1 << 6;
        /// A binary collation.
        const BINARY_FLAG = 1 << 7;
        /// An ENUM.
        const ENUM_FLAG = 1 << 8;
        /// AUTO_INCREMENT.
        const AUTO_INCREMENT_FLAG = 1 << 9;
        /// A TIMESTAMP.
        const TIMESTAMP_FLAG = 1 << 10;
        /// A SET.
        const SET_FLAG = 1 << 11;
        /// No default value.
        const NO_DEFAULT_VALUE_FLAG = 1 << 12;
        /// ON UPDATE CURRENT_TIMESTAMP.
        const ON_UPDATE_NOW_FLAG = 1 << 13;
        /// In some key.
        const PART_KEY_FLAG = 1 << 14;
        /// A number.
        const NUM_FLAG = 1 << 15;
    }
}

macro_rules! column_types {
    ($($(#[$what:meta])* $name:ident = $code:literal),* $(,)?) => {
        /// The type of a column of a result, or of a parameter.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[allow(non_camel_case_types)]
        #[repr(u8)]
        pub enum ColumnType { $($(#[$what])* $name = $code),* }

        impl ColumnType {
            /// That of a code; `None` for one without a name.
            pub fn of(code: u8) -> Option<Self> {
                match code {
                    $($code => Some(Self::$name),)*
                    _ => None,
                }
            }
        }
    };
}

column_types! {
    /// DECIMAL before 5.0.
    MYSQL_TYPE_DECIMAL = 0,
    /// TINYINT.
    MYSQL_TYPE_TINY = 1,
    /// SMALLINT.
    MYSQL_TYPE_SHORT = 2,
    /// INT.
    MYSQL_TYPE_LONG = 3,
    /// FLOAT.
    MYSQL_TYPE_FLOAT = 4,
    /// DOUBLE.
    MYSQL_TYPE_DOUBLE = 5,
    /// NULL.
    MYSQL_TYPE_NULL = 6,
    /// TIMESTAMP.
    MYSQL_TYPE_TIMESTAMP = 7,
    /// BIGINT.
    MYSQL_TYPE_LONGLONG = 8,
    /// MEDIUMINT.
    MYSQL_TYPE_INT24 = 9,
    /// DATE.
    MYSQL_TYPE_DATE = 10,
    /// TIME.
    MYSQL_TYPE_TIME = 11,
    /// DATETIME.
    MYSQL_TYPE_DATETIME = 12,
    /// YEAR.
    MYSQL_TYPE_YEAR = 13,
    /// Within servers only.
    MYSQL_TYPE_NEWDATE = 14,
    /// VARCHAR, within servers only.
    MYSQL_TYPE_VARCHAR = 15,
    /// BIT.
    MYSQL_TYPE_BIT = 16,
    /// Within servers only.
    MYSQL_TYPE_TIMESTAMP2 = 17,
    /// Within servers only.
    MYSQL_TYPE_DATETIME2 = 18,
    /// Within servers only.
    MYSQL_TYPE_TIME2 = 19,
    /// In replication only.
    MYSQL_TYPE_TYPED_ARRAY = 20,
    /// VECTOR.
    MYSQL_TYPE_VECTOR = 242,
    /// A code without a name.
    MYSQL_TYPE_UNKNOWN = 243,
    /// JSON.
    MYSQL_TYPE_JSON = 245,
    /// DECIMAL.
    MYSQL_TYPE_NEWDECIMAL = 246,
    /// ENUM.
    MYSQL_TYPE_ENUM = 247,
    /// SET.
    MYSQL_TYPE_SET = 248,
    /// TINYBLOB, TINYTEXT.
    MYSQL_TYPE_TINY_BLOB = 249,
    /// MEDIUMBLOB, MEDIUMTEXT.
    MYSQL_TYPE_MEDIUM_BLOB = 250,
    /// LONGBLOB, LONGTEXT.
    MYSQL_TYPE_LONG_BLOB = 251,
    /// BLOB, TEXT.
    MYSQL_TYPE_BLOB = 252,
    /// VARCHAR, VARBINARY.
    MYSQL_TYPE_VAR_STRING = 253,
    /// CHAR, BINARY.
    MYSQL_TYPE_STRING = 254,
    /// A spatial type.
    MYSQL_TYPE_GEOMETRY = 255,
}
