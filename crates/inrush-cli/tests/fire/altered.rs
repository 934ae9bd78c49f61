//! `kill -9` of loads that alter their table before the first row (`--widen`, `--new-columns add`), at points of a run that are chosen at random. After each
//! kill the table has the old columns or the new ones, and in the end the new ones, and each row once.

use crate::place::{Done, Place, everywhere, on};
use crate::table::Line;
use crate::trace::visits;
use inrush_testkit::dice::{Dice, is_long, times};
use inrush_testkit::servers::all;
use std::process::Command;

const ROWS: u64 = 400;

/// How the load alters the table, and what its columns are before and after.
struct Kind {
    case: &'static str,
    options: &'static str,
    header: &'static str,
    before: &'static str,
    after: &'static str,
}

const KINDS: [Kind; 2] = [
    Kind {
        case: "kill -9, --widen",
        options: "--widen",
        header: "id,value,name",
        before: "id int NO; value smallint NO; name varchar(5) YES",
        after: "id bigint NO; value int NO; name varchar(64) YES",
    },
    Kind {
        case: "kill -9, --new-columns add",
        options: "--new-columns add",
        header: "id,value,name,city",
        before: "id bigint NO; value int NO; name varchar(64) YES",
        after: "id bigint NO; value int NO; name varchar(64) YES; city varchar(64) YES",
    },
];

impl Kind {
    fn prepare(&self, place: &Place) {
        let left = place.schema.sql("SHOW TABLES LIKE 'people%'").concat();
        left.iter().for_each(|table| drop(place.sql(&format!("DROP TABLE {table}"))));
        let types = if self.options == "--widen" {
            ["INT", "SMALLINT", "VARCHAR(5)"]
        } else {
            ["BIGINT", "INT", "VARCHAR(64)"]
        };
        let [id, value, name] = types;
        place.sql(&format!(
            "CREATE TABLE people (id {id} NOT NULL COMMENT 'id' PRIMARY KEY, value {value} NOT NULL DEFAULT 7, name {name} COMMENT 'a, b', KEY by_value (value))"
        ));
        place.forget();
        let city = if self.header.ends_with("city") { ",Oslo" } else { "" };
        let rows: String =
            (1..=ROWS).map(|n| format!("{},{},longer {n}{city}\n", n + 3_000_000_000, n + 40_000)).collect();
        place.write("people.csv", format!("{}\n{rows}", self.header));
    }

    fn load(&self, place: &Place, how: &str) -> Command {
        let mut command =
            place.command(&format!("people.csv --into people --batch 100 --lanes 2 {} {how}", self.options));
        command.args(["--json", "-q"]);
        command
    }

    /// The columns, without the display widths of integers, which servers differ in.
    fn columns(place: &Place) -> String {
        place.sql(
            "SELECT GROUP_CONCAT(COLUMN_NAME, ' ', DATA_TYPE, COALESCE(CONCAT('(', CHARACTER_MAXIMUM_LENGTH, ')'), ''), ' ', IS_NULLABLE \
             ORDER BY ORDINAL_POSITION SEPARATOR '; ') FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = 'people'",
        )
    }

    fn check(&self, place: &Place, line: &mut Line, is_done: bool, context: &str) {
        let columns = Self::columns(place);
        assert!(columns == self.after || !is_done && columns == self.before, "{context}: {columns}");
        let count = |query: &str| place.sql(query).parse::<u64>().unwrap();
        let n_rows = count("SELECT COUNT(*) FROM people");
        let right = format!(
            "SELECT COUNT(*) FROM people WHERE value = id - 3000000000 + 40000 AND name = CONCAT('longer ', id - 3000000000) AND id > 3000000000 AND id <= {}",
            3_000_000_000 + ROWS
        );
        let right = count(&right);
        line.doubled += n_rows - right;
        line.lost += if is_done { ROWS.saturating_sub(right) } else { 0 };
        let city = if is_done && self.header.ends_with("city") {
            "SELECT COUNT(*) FROM people WHERE city = 'Oslo'"
        } else {
            "SELECT COUNT(*) FROM people"
        };
        assert!(
            n_rows == right && count(city) == n_rows && (!is_done || right == ROWS),
            "{context}: {right} of {n_rows}"
        );
        assert!(place.schema.sql("SHOW CREATE TABLE people").concat()[1].contains("COMMENT 'a, b'"), "{context}");
    }
}

fn end(place: &Place, mut command: Command) -> Done {
    place.done(&command.output().unwrap())
}

/// The points that a clean run visits, and how often.
fn points(place: &Place, kind: &Kind, how: &str) -> Vec<(String, u64)> {
    kind.prepare(place);
    let trace = place.path("trace");
    let _ = std::fs::remove_file(&trace);
    let mut command = kind.load(place, how);
    command.env("INRUSH_FAULT_TRACE", &trace);
    let done = end(place, command);
    assert_eq!(done.code, 0, "{done}");
    visits(&place.read("trace")).into_iter().collect()
}

#[test]
fn killed_at_random_points() {
    let campaign = |place: &Place| {
        let server = &place.server.instance;
        let mut dice = Dice::of(&format!("altered {server}"));
        let n_kills = times(5, 30);
        for kind in &KINDS {
            let mut line = Line::new(kind.case, server);
            let hows = ["", "--atomic", "--truncate --allow-empty"];
            let points = hows.map(|how| points(place, kind, how));
            let of_alter = if kind.options == "--widen" { "widen.after" } else { "add.after" };
            assert!(points.iter().all(|points| points.iter().any(|(point, _)| point == of_alter)), "{points:?}");
            let mut turn = dice.below(3) as usize;
            while line.faults < n_kills {
                let (how, points) = (hows[turn % 3], &points[turn % 3]);
                turn += 1;
                kind.prepare(place);
                for _ in 0..dice.between(1, 3) {
                    // Every third one around the ALTER.
                    let around: Vec<_> = points
                        .iter()
                        .filter(|(point, _)| point.starts_with("widen.") || point.starts_with("add."))
                        .collect();
                    let (point, n_visits) = match dice.below(3) {
                        0 => around[dice.below(around.len() as u64) as usize],
                        _ => &points[dice.below(points.len() as u64) as usize],
                    };
                    let mut killed = kind.load(place, how);
                    killed.env("INRUSH_FAULT", format!("{point}:{}", dice.between(1, *n_visits)));
                    line.runs += 1;
                    let done = end(place, killed);
                    // A point behind those of earlier runs is not visited by one that goes on.
                    assert!(done.code == -1 || done.code == 0, "{point}: {done}");
                    line.faults += u64::from(done.code == -1);
                    kind.check(place, &mut line, done.code == 0, point);
                }
                line.runs += 1;
                line.jobs += 1;
                let done = end(place, kind.load(place, how));
                assert_eq!(done.code, 0, "{how}: {done}");
                kind.check(place, &mut line, true, "the end");
                assert_eq!(place.schema.sql("SHOW TABLES LIKE 'people%'").len(), 1, "{how}");
            }
            line.conclude();
        }
    };
    if is_long() { on(all(), "altered", campaign) } else { everywhere("altered", campaign) }
}
