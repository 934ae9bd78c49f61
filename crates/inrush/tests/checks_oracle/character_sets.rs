//! What a LOAD says its text is made of: read as bytes, a text is stored as the same characters are.
//!
//! Each text is loaded twice, by the statement that a load sends and by the same one with `utf8mb4`, into columns of each character set. Stored
//! bytes and warnings are the same.

use super::oracle::Lane;
use inrush::sans_io::bulk::encode::load_data;
use inrush::sans_io::bulk::encode::load_text::HOLD_ASCII;
use inrush::sans_io::value::Rules;
use inrush::sans_io::value::column::{Column, ColumnType};
use inrush::sans_io::value::ident::quote_table;
use inrush_testkit::servers;

#[test]
fn sets_that_hold_ascii() {
    let ascii: String = (0..128).map(|byte| format!("{byte:02X}")).collect();
    for server in servers::with_local_infile() {
        let lane = Lane::on(&server);
        for set in sets(&lane) {
            let same = lane.query(&format!("SELECT HEX(CONVERT(_ascii X'{ascii}' USING {set})) = '{ascii}'")).unwrap();
            assert_eq!(same[0][0] == "1", HOLD_ASCII.contains(&&*set), "{set} on {}", server.name);
        }
    }
}

#[test]
fn ascii_in_each_set() {
    for server in servers::with_local_infile() {
        let lane = Lane::on(&server);
        for set in sets(&lane) {
            let want = if HOLD_ASCII.contains(&&*set) { "binary" } else { "utf8mb4" };
            check(&lane, &set, ASCII, want);
        }
    }
}

#[test]
fn other_characters() {
    for server in servers::with_local_infile() {
        let lane = Lane::on(&server);
        for (set, want) in [
            ("utf8mb4", "binary"),
            ("utf8mb3", "utf8mb4"),
            ("latin1", "utf8mb4"),
            ("cp1250", "utf8mb4"),
            ("utf16", "utf8mb4"),
        ] {
            check(&lane, set, "1\té\té ö\téé\tb b\tx,y z\t616263\t7\n2\té\t\t\\N\ta\t\t00FF\t0\n", want);
        }
        // What latin1 does not hold, and what utf8mb3 does not: the servers say so.
        for set in ["utf8mb3", "latin1"] {
            check(&lane, set, "1\té\t😀\t字\ta\tx\t61\t1\n", "utf8mb4");
        }
    }
}

/// Rows of all columns: escapes, empty texts, NULL, trailing blanks, cut texts, members that are not there, control characters.
const ASCII: &str = "1\tit's\t\\\\ \\t\\n\\0\t~^{}|`@[]#$\ta\tx\t616263\t7\n\
                     2\t\t\t\tB b\tx,y z\t\t0\n\
                     3\ttrailing  \ttrailing  \t\\N\tb B\tY Z\t00FF\t1\n\
                     4\tlonger than the column is\tlonger than\t\u{1}\u{7f}\tnone\tx,none\t6\t300\n";

/// Loads the text twice and compares; `want` is the character set of the statement.
#[track_caller]
fn check(lane: &Lane, set: &str, text: &str, want: &str) {
    lane.execute("DROP TABLE IF EXISTS sets");
    lane.execute(&format!(
        "CREATE TABLE sets (id INT, c CHAR(10), v VARCHAR(12), t TEXT, e ENUM('a','B b'), s SET('x','y z'), b VARBINARY(9), i BIT(8)) \
         CHARACTER SET {set}"
    ));
    let of =
        |name: &str, ty: &str| Column { charset: Some(set.to_owned()), ..Column::new(name, ColumnType::parse(ty)) };
    let columns = [
        of("id", "int"),
        of("c", "char(10)"),
        of("v", "varchar(12)"),
        of("t", "text"),
        of("e", "enum('a','B b')"),
        of("s", "set('x','y z')"),
        of("b", "varbinary(9)"),
        of("i", "bit(8)"),
    ];
    let table = quote_table(lane.schema.name(), "sets");
    let rules = Rules::utc(*lane.connection.borrow().session().profile());
    let sql = |name: &str| load_data::statement(&table, &columns, &rules, text.as_bytes(), name);
    let said = format!("CHARACTER SET {want} ");
    assert!(sql("f").contains(&said), "{set}: {}", sql("f"));
    let load = |sql: &dyn Fn(&str) -> String| {
        lane.execute("TRUNCATE sets");
        let outcome = lane.connection.borrow_mut().load_local(sql, text.as_bytes()).map(|outcome| outcome.warnings);
        let warnings = lane.query("SHOW WARNINGS").unwrap();
        let rows =
            lane.query("SELECT id, HEX(c), HEX(v), HEX(t), e+0, s+0, HEX(b), i+0 FROM sets ORDER BY id").unwrap();
        (outcome.map_err(|error| error.to_string()), warnings, rows)
    };
    let as_sent = load(&sql);
    assert_eq!(as_sent.2.len(), text.lines().count(), "{set}: {as_sent:?}");
    let as_characters = load(&|name| sql(name).replace(&said, "CHARACTER SET utf8mb4 "));
    assert_eq!(as_sent, as_characters, "{set}");
}

/// All of a server's but `binary`.
fn sets(lane: &Lane) -> Vec<String> {
    let sql = "SELECT character_set_name FROM information_schema.character_sets WHERE character_set_name <> 'binary' ORDER BY 1";
    lane.query(sql).unwrap().into_iter().map(|mut row| row.remove(0)).collect()
}
