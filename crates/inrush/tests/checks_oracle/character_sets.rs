//! What a LOAD says its text is made of: read as bytes, a text is stored as the same characters are.
//!
//! Each text is loaded twice, by the statement that a load sends and by the same one with `utf8mb4`, into columns of each character set. Stored
//! bytes and warnings are the same.

use super::oracle::Lane;
use inrush::sans_io::column::Rules;
use inrush::sans_io::column::ident::quote_table;
use inrush::sans_io::column::{Column, ColumnType};
use inrush::sans_io::load::encode::load_data;
use inrush::sans_io::write::load_text::HOLD_ASCII;
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

/// Tables of up to eight columns of any type and character set, a generated one behind them, and rows whose values fit: what is stored is
/// compared whole.
#[test]
fn random_tables() {
    for server in servers::with_local_infile() {
        let (lane, mut n_bytes) = (Lane::on(&server), 0);
        for seed in 1..=50 {
            n_bytes += usize::from(random_table(&lane, &mut Random(seed)));
        }
        // Of the tables both kinds.
        assert!((10..=40).contains(&n_bytes), "{n_bytes} of 50 as bytes on {}", server.name);
    }
}

/// Returns whether the statement says `binary`.
fn random_table(lane: &Lane, random: &mut Random) -> bool {
    let is_ascii = random.below(3) > 0;
    let mut columns = vec![Column::new("id", ColumnType::parse("int"))];
    let mut ddl = vec!["id INT".to_owned()];
    // Half of the tables have one character set alone.
    let only = (random.below(2) == 0).then(|| random.of(&SETS));
    for i in 0..1 + random.below(8) {
        let (ty, set) = (random.of(&TYPES), only.unwrap_or_else(|| random.of(&SETS)));
        let is_text = ["char", "text", "enum", "set"].iter().any(|word| ty.contains(word));
        let charset = is_text.then(|| set.to_owned());
        ddl.push(format!("c{i} {ty}{}", if is_text { format!(" CHARACTER SET {set}") } else { String::new() }));
        columns.push(Column { charset, ..Column::new(format!("c{i}"), ColumnType::parse(ty)) });
    }
    let list = (0..columns.len() - 1).map(|i| format!("c{i}")).collect::<Vec<_>>();
    let of_text = columns.iter().find_map(|column| Some((&column.name, column.charset.as_ref()?)));
    ddl.push(match of_text {
        Some((name, set)) => format!("g TEXT CHARACTER SET {set} GENERATED ALWAYS AS (UPPER({name})) STORED"),
        None => "g INT GENERATED ALWAYS AS (id + 1) VIRTUAL".into(),
    });
    lane.execute("DROP TABLE IF EXISTS random_sets");
    lane.execute(&format!("CREATE TABLE random_sets ({})", ddl.join(", ")));
    let mut text = String::new();
    for id in 0..20 {
        text += &id.to_string();
        for column in &columns[1..] {
            text += "\t";
            // What a set does not hold is refused before it is sent.
            let any = column.charset.as_deref() == Some("utf8mb4") && !is_ascii;
            text += &random.cell(&column.ty, any);
        }
        text += "\n";
    }
    let table = quote_table(lane.schema.name(), "random_sets");
    let rules = Rules::utc(*lane.connection.borrow().session().profile());
    let sql = |name: &str| load_data::statement(&table, &columns, &rules, text.as_bytes(), name);
    let hex = list.iter().map(|name| format!("HEX({name})")).collect::<Vec<_>>().join(", ");
    let load = |sql: &dyn Fn(&str) -> String| {
        lane.execute("TRUNCATE random_sets");
        let outcome = lane.connection.borrow_mut().load_local(sql, text.as_bytes()).map(|outcome| outcome.warnings);
        let warnings = lane.query("SHOW WARNINGS").unwrap();
        (
            outcome.map_err(|error| error.to_string()),
            warnings,
            lane.query(&format!("SELECT id, {hex}, HEX(g) FROM random_sets ORDER BY id")).unwrap(),
        )
    };
    let (as_sent, as_characters) = (load(&sql), load(&|name| sql(name).replace(BINARY, "CHARACTER SET utf8mb4 ")));
    assert_eq!((as_sent.2.len(), &as_sent), (20, &as_characters), "{ddl:?}\n{text}");
    sql("f").contains(BINARY)
}

const BINARY: &str = "CHARACTER SET binary ";

const SETS: [&str; 12] =
    ["utf8mb4", "utf8mb3", "latin1", "latin2", "cp1251", "gbk", "big5", "sjis", "ujis", "euckr", "ucs2", "utf16"];

const TYPES: [&str; 14] = [
    "int",
    "bigint unsigned",
    "decimal(9,2)",
    "double",
    "date",
    "datetime(3)",
    "time",
    "bit(9)",
    "varbinary(20)",
    "char(20)",
    "varchar(20)",
    "text",
    "enum('a','B b')",
    "set('x','y z')",
];

/// A small generator of numbers; the same seed gives the same ones.
struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % n
    }

    fn of<T: Copy>(&mut self, values: &[T]) -> T {
        values[self.below(values.len() as u64) as usize]
    }

    /// A field of a LOAD for a column of this type: one in nine is NULL.
    fn cell(&mut self, ty: &ColumnType, has_others: bool) -> String {
        if self.below(9) == 0 {
            return "\\N".into();
        }
        let n = self.below(1_000_000);
        match ty {
            ColumnType::Int { .. } => (n % 100).to_string(),
            ColumnType::Decimal { .. } | ColumnType::Double { .. } => format!("{}.25", n % 1000),
            ColumnType::Date => format!("2024-{:02}-{:02}", n % 12 + 1, n % 28 + 1),
            ColumnType::DateTime { .. } => format!("2024-{:02}-{:02} 10:{:02}:00.5", n % 12 + 1, n % 28 + 1, n % 60),
            ColumnType::Time { .. } => format!("-{}:{:02}:01", n % 800, n % 60),
            ColumnType::Bit { .. } => (n % 512).to_string(),
            ColumnType::VarBinary { .. } => format!("{n:08X}FF00"),
            ColumnType::Enum { .. } => self.of(&["a", "B b", "b B"]).into(),
            ColumnType::Set { .. } => self.of(&["", "x", "y z", "x,Y Z"]).into(),
            _ => {
                let of = if has_others { OTHERS } else { ASCII_PARTS };
                (0..self.below(6)).map(|_| self.of(of)).collect()
            }
        }
    }
}

const ASCII_PARTS: &[&str] = &["it's", "\\\\", "\\t", "~", " ", "A", "^{}|", "\u{1}", "x"];
const OTHERS: &[&str] = &["é", "字", "😀", "ß", " ", "a", "\\\\", "\\n", "ￃ", "\u{301}"];

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
