//! Names, and reading tables of real servers with both shells.

use super::*;
use crate::Config;
use inrush_core::column::ColumnType;
use inrush_core::write::Table;
use inrush_testkit::servers::{self, Schema};
use std::sync::Arc;

#[track_caller]
fn check(text: &str, schema: &str, name: &str) {
    assert_eq!(TableName::parse(text).unwrap(), TableName { schema: schema.into(), name: name.into() });
}

#[test]
fn names() {
    check("people", "", "people");
    check("shop.people", "shop", "people");
    check("`shop`.`peo.ple`", "shop", "peo.ple");
    check("shop.`a``b`", "shop", "a`b");
}

#[test]
fn what_is_no_name() {
    for text in ["", ".", "a.", ".a", "a.b.c", "`a", "`a`b", "``"] {
        assert!(TableName::parse(text).is_err(), "{text}");
    }
}

#[test]
fn the_schema_of_the_connection_fills_in() {
    let name = TableName::parse("t").unwrap();
    assert_eq!(name.clone().in_schema(Some("shop")).unwrap().quoted(), "`shop`.`t`");
    assert!(name.in_schema(None).unwrap_err().hint().is_some());
}

#[test]
fn a_create_statement() {
    let name = TableName { schema: "s".into(), name: "t".into() };
    let columns = [("a b".into(), "INT NULL".into()), ("c".into(), "DATE NULL".into())];
    let sql = |key: &[&str]| create_statement(&name, &columns, &key.iter().map(|&k| k.to_owned()).collect::<Vec<_>>());
    let end = "\n) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4";
    assert_eq!(sql(&[]), format!("CREATE TABLE `s`.`t` (\n  `a b` INT NULL,\n  `c` DATE NULL{end}"));
    let keyed = "  `a b` INT NULL,\n  `c` DATE NULL,\n  PRIMARY KEY (`c`, `a b`)";
    assert_eq!(sql(&["c", "a b"]), format!("CREATE TABLE `s`.`t` (\n{keyed}{end}"));
}

/// A connection of either shell.
enum Twin {
    Blocking(crate::blocking::Connection),
    Tokio(tokio::runtime::Runtime, crate::Connection),
}

macro_rules! either {
    ($twin:expr, $connection:ident => $call:expr) => {
        match $twin {
            Twin::Blocking($connection) => $call.unwrap(),
            Twin::Tokio(runtime, $connection) => runtime.block_on($call).unwrap(),
        }
    };
}

impl Twin {
    fn both(config: &Config) -> [Twin; 2] {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let connection = runtime.block_on(crate::Connection::connect(config)).unwrap();
        [Twin::Blocking(crate::blocking::Connection::connect(config).unwrap()), Twin::Tokio(runtime, connection)]
    }

    fn execute(&mut self, sql: &str) {
        either!(self, connection => connection.execute(sql, ()));
    }

    fn target(&mut self, name: &str) -> Option<Arc<Table>> {
        let name = TableName::parse(name).unwrap();
        either!(self, connection => connection.target(&name))
    }

    fn forget_target(&mut self, name: &str) {
        let name = TableName::parse(name).unwrap();
        either!(self, connection => connection.forget_target(&name));
    }

    fn reset(&mut self) {
        either!(self, connection => connection.reset());
    }

    fn zone_is_unknown(&mut self) -> bool {
        either!(self, connection => connection.rules()).zone.is_unknown()
    }

    fn id_increment(&mut self) -> u64 {
        either!(self, connection => connection.id_increment())
    }

    /// The same column types; other properties may differ.
    #[track_caller]
    fn check(&mut self, name: &str, want: Option<&[&str]>) {
        let types =
            self.target(name).map(|table| table.columns.iter().map(|column| column.ty.to_string()).collect::<Vec<_>>());
        assert_eq!(types, want.map(|types| types.iter().map(|ty| (*ty).to_owned()).collect()), "{name}");
    }
}

/// Both shells on each kind of server, in a schema of their own.
fn everywhere(test: impl Fn(&mut Twin, &Schema)) {
    for server in servers::with_local_infile() {
        for at in 0..2 {
            let schema = server.schema("target");
            let [blocking, tokio] = Twin::both(&Config::from_url(&schema.url()).unwrap());
            test(&mut if at == 0 { blocking } else { tokio }, &schema);
        }
    }
}

#[test]
fn a_target_is_read_once() {
    everywhere(|twin, schema| {
        schema.sql(
            "CREATE TABLE t (id BIGINT UNSIGNED PRIMARY KEY AUTO_INCREMENT, more JSON, name VARCHAR(20) NOT NULL)",
        );
        let table = twin.target("t").unwrap();
        assert_eq!((&*table.schema, &*table.name, &*table.engine), (schema.name(), "t", "InnoDB"));
        assert!(table.transactional && table.columns[0].auto_increment);
        assert_eq!(table.columns[1].ty, ColumnType::Json);
        assert!(Arc::ptr_eq(&table, &twin.target("t").unwrap()));
        assert!(Arc::ptr_eq(&table, &twin.target(&format!("{}.t", schema.name())).unwrap()));
        twin.forget_target("t");
        let again = twin.target("t").unwrap();
        assert!(!Arc::ptr_eq(&table, &again));
        assert_eq!(table, again);
    });
}

#[test]
fn what_is_not_there_is_unknown() {
    everywhere(|twin, schema| {
        twin.check("t", None);
        twin.check("nowhere.t", None);
        schema.sql("CREATE TABLE t (id INT)");
        twin.check("t", Some(&["INT"]));
    });
}

#[test]
fn a_view_has_the_columns_behind_it() {
    everywhere(|twin, schema| {
        schema.sql("CREATE TABLE t (id INT, name VARCHAR(20)); CREATE VIEW v AS SELECT name, id FROM t");
        twin.check("v", Some(&["VARCHAR(20)", "INT"]));
    });
}

#[test]
fn invisible_columns_come_last() {
    everywhere(|twin, schema| {
        schema.sql("CREATE TABLE t (hidden DATE INVISIBLE, id INT, twice INT AS (2 * id) STORED)");
        twin.check("t", Some(&["INT", "INT", "DATE"]));
        assert!(twin.target("t").unwrap().columns[1].generated);
    });
}

#[test]
fn a_temporary_table_hides_a_table_until_a_reset() {
    everywhere(|twin, schema| {
        schema.sql("CREATE TABLE t (id INT)");
        twin.check("t", Some(&["INT"]));
        twin.execute("CREATE TEMPORARY TABLE t (id VARCHAR(3))");
        twin.check("t", None);
        twin.execute("CREATE TEMPORARY TABLE other (id VARCHAR(3))");
        twin.check("other", None);
        twin.reset();
        twin.check("t", Some(&["INT"]));
    });
}

#[test]
fn the_schema_is_that_of_the_session() {
    everywhere(|twin, schema| {
        let other = schema.server().schema("target_too");
        schema.sql("CREATE TABLE t (id INT)");
        other.sql("CREATE TABLE t (id DOUBLE)");
        twin.check("t", Some(&["INT"]));
        twin.execute(&format!("USE {}", other.name()));
        twin.check("t", Some(&["DOUBLE"]));
        twin.check(&format!("{}.t", schema.name()), Some(&["INT"]));
    });
}

#[test]
fn a_change_by_the_same_connection_is_seen() {
    everywhere(|twin, schema| {
        schema.sql("CREATE TABLE t (id INT)");
        twin.check("t", Some(&["INT"]));
        twin.execute("ALTER TABLE t MODIFY id DATE");
        twin.check("t", Some(&["DATE"]));
    });
}

/// With the right to insert and no other.
#[test]
fn columns_are_seen_by_whoever_may_fill_them() {
    for server in servers::with_local_infile() {
        let schema = server.schema("target_rights");
        let user = format!("{}_u", schema.name());
        schema.sql(&format!(
            "CREATE TABLE t (id INT, name TEXT); CREATE TABLE hidden (id INT); CREATE VIEW v AS SELECT id FROM t; \
             CREATE USER '{user}'@'%' IDENTIFIED BY 'Target-Pass1'; \
             GRANT INSERT ON t TO '{user}'@'%'; GRANT INSERT ON v TO '{user}'@'%'"
        ));
        let config = Config::from_url(&schema.url()).unwrap().with_user(user.as_str()).with_password("Target-Pass1");
        for mut twin in Twin::both(&config) {
            twin.check("t", Some(&["INT", "TEXT"]));
            twin.check("v", Some(&["INT"]));
            twin.check("hidden", None);
        }
        schema.sql(&format!("DROP USER '{user}'@'%'"));
    }
}

#[test]
fn settings_follow_the_session() {
    everywhere(|twin, _| {
        assert!(twin.zone_is_unknown());
        twin.execute("SET time_zone = '+02:00'");
        assert!(!twin.zone_is_unknown());
        twin.execute("SET time_zone = 'SYSTEM'");
        assert!(twin.zone_is_unknown());
        twin.execute("SET time_zone = '+02:00'");
        twin.reset();
        assert!(twin.zone_is_unknown());
        assert_eq!(twin.id_increment(), 1);
        twin.execute("SET auto_increment_increment = 5");
        assert_eq!(twin.id_increment(), 5);
    });
}
