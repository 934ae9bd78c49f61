//! One line for each spelling. `check` compares with the SQL spelling; `check_type` where that hides something.

use crate::column::type_text::*;

#[track_caller]
fn check(server: &str, sql: &str) {
    let ty = ColumnType::parse(server);
    assert!(!matches!(ty, ColumnType::Other(_)), "{server} is not known");
    assert_eq!(ty.to_string(), sql);
}

#[track_caller]
fn check_members(server: &str, want: &[&str]) {
    match ColumnType::parse(server) {
        ColumnType::Enum { members } | ColumnType::Set { members } => assert_eq!(members, want),
        other => panic!("{other:?}"),
    }
}

#[track_caller]
fn check_unknown(server: &str) {
    assert_eq!(ColumnType::parse(server), ColumnType::Other(server.into()));
}

#[test]
fn integers() {
    check("int", "INT");
    check("int(11)", "INT");
    check("int unsigned", "INT UNSIGNED");
    check("int(10) unsigned zerofill", "INT UNSIGNED");
    check("tinyint", "TINYINT");
    check("tinyint(4)", "TINYINT");
    check("bool", "BOOL");
    check("Boolean", "BOOL");
    check("tinyint(1)", "BOOL");
    check("tinyint(1) unsigned", "TINYINT UNSIGNED");
    check("smallint(6)", "SMALLINT");
    check("mediumint unsigned", "MEDIUMINT UNSIGNED");
    check("bigint(20) unsigned", "BIGINT UNSIGNED");
}

#[test]
fn other_numbers() {
    check("decimal(10,2)", "DECIMAL(10,2)");
    check("decimal(65,38) unsigned zerofill", "DECIMAL(65,38) UNSIGNED");
    check("float", "FLOAT");
    check("float unsigned", "FLOAT UNSIGNED");
    check("float(7,4)", "FLOAT(7,4)");
    check("double", "DOUBLE");
    check("double(10,2) unsigned", "DOUBLE(10,2) UNSIGNED");
    check("bit(1)", "BIT(1)");
    check("bit(64)", "BIT(64)");
}

#[test]
fn times() {
    check("year", "YEAR");
    check("year(4)", "YEAR");
    check("date", "DATE");
    check("time", "TIME(0)");
    check("datetime(6)", "DATETIME(6)");
    check("timestamp", "TIMESTAMP(0)");
    check("timestamp(3) /* mariadb-5.3 */", "TIMESTAMP(3)");
}

#[test]
fn texts_and_bytes() {
    check("char(10)", "CHAR(10)");
    check("varchar(64)", "VARCHAR(64)");
    check("varchar(100) /*M!100301 COMPRESSED*/", "VARCHAR(100)");
    check("tinytext", "TINYTEXT");
    check("text", "TEXT");
    check("text /*M!100301 COMPRESSED*/", "TEXT");
    check("mediumtext", "MEDIUMTEXT");
    check("longtext", "LONGTEXT");
    check("binary(16)", "BINARY(16)");
    check("varbinary(255)", "VARBINARY(255)");
    check("tinyblob", "TINYBLOB");
    check("blob", "BLOB");
    check("mediumblob", "MEDIUMBLOB");
    check("longblob", "LONGBLOB");
    check("json", "JSON");
}

#[test]
fn others() {
    check("geometry", "GEOMETRY");
    check("point", "POINT");
    check("geomcollection", "GEOMETRYCOLLECTION");
    check("geometrycollection", "GEOMETRYCOLLECTION");
    check("multipolygon", "MULTIPOLYGON");
    check("vector(3)", "VECTOR(3)");
    check("uuid", "UUID");
    check("inet4", "INET4");
    check("inet6", "INET6");
}

#[test]
fn members_with_quotes_commas_and_escapes() {
    check_members("enum('a','b')", &["a", "b"]);
    check_members("enum('')", &[""]);
    check_members("set('a b','c,d')", &["a b", "c,d"]);
    check_members("enum('it''s','''','é')", &["it's", "'", "é"]);
    check_members(r"enum('a\\b','x\ny','z\0','r\r')", &["a\\b", "x\ny", "z\0", "r\r"]);
    check_members("enum('),(')", &["),("]);
}

#[test]
fn what_is_not_known_is_left_to_the_server() {
    check_unknown("xmltype");
    check_unknown("enum(");
    check_unknown("enum('a'");
    check_unknown("varchar(x)");
    check_unknown("decimal(99,2)");
    check_unknown("");
}

#[test]
fn long_member_lists_are_shortened_in_messages() {
    check("enum('1','2','3','4','5','6','7','8','9')", "ENUM('1','2','3','4','5','6','7','8',..)");
}

#[track_caller]
fn check_definition(definition: &str, ty: &str, charset: &str, nullable: bool) {
    let column = Column::defined("c", definition);
    let got = (column.ty.to_string(), column.charset.as_deref(), column.nullable, column.optional);
    assert_eq!(got, (ty.to_owned(), Some(charset), nullable, nullable), "{definition}");
}

#[test]
fn definitions() {
    check_definition("INT NOT NULL", "INT", "utf8mb4", false);
    check_definition("INT UNSIGNED NULL", "INT UNSIGNED", "utf8mb4", true);
    check_definition("INT(10)UNSIGNED not null", "INT UNSIGNED", "utf8mb4", false);
    check_definition("VARCHAR(5)", "VARCHAR(5)", "utf8mb4", true);
    check_definition("VARCHAR(5) CHARACTER SET Latin1 NULL", "VARCHAR(5)", "latin1", true);
    check_definition("char(5) charset ucs2 COLLATE ucs2_bin NOT NULL", "CHAR(5)", "ucs2", false);
    check_definition("TEXT COLLATE latin2_general_ci NULL", "TEXT", "latin2", true);
    check_definition("TEXT COLLATE uca1400_ai_ci NULL", "TEXT", "utf8mb4", true);
    check_definition("ENUM('A','it''s)') CHARACTER SET cp850 NULL", "ENUM('A','it\\'s)')", "cp850", true);
    assert!(names_charset("CHAR(1) COLLATE latin1_bin") && !names_charset("ENUM('charset x') NULL"));
    assert_eq!(split_type("ENUM('a)','b') NULL"), ("ENUM('a)','b')", " NULL"));
    assert_eq!(split_type("ENUM('a"), ("ENUM('a", ""));
}
