//! `kill -9` of a refresh that keeps the old table, and of the `inrush undo` that puts it back: at points of a run that are chosen at random. The
//! table has the old content or the new one after each kill, and what the last command says in the end.

use crate::place::{Done, Place, everywhere, on};
use crate::table::Line;
use crate::trace::visits;
use inrush_testkit::dice::{Dice, is_long, times};
use inrush_testkit::servers::all;
use std::process::{Command, Stdio};

const ROWS: u64 = 400;

/// Number, ids and sum: rows that are lost or doubled change it.
const CONTENT: &str = "SELECT COUNT(*), COUNT(DISTINCT id), SUM(id), SUM(value) FROM people";

struct Refresh<'a> {
    place: &'a Place,
    how: &'static str,
    old: String,
    new: String,
}

impl<'a> Refresh<'a> {
    fn prepare(place: &'a Place, how: &'static str) -> Self {
        let left = place.schema.sql("SHOW TABLES LIKE 'people%'").concat();
        left.iter().for_each(|table| drop(place.sql(&format!("DROP TABLE {table}"))));
        place.sql("CREATE TABLE people (id BIGINT PRIMARY KEY, value INT, KEY by_value (value))");
        let rows = |from: u64| (from..from + ROWS).map(|id| format!("{id},{}\n", id % 7)).collect::<String>();
        place.write("before.csv", format!("id,value\n{}", rows(1)));
        place.write("people.csv", format!("id,value\n{}", rows(10_001)));
        let loaded = place.load("before.csv --into people");
        assert_eq!(loaded.code, 0, "{loaded}");
        let of = |from: u64, sum: u64| {
            format!(
                "{0},{0},{1},{2}",
                sum,
                (from..from + ROWS).sum::<u64>(),
                (from..from + ROWS).map(|id| id % 7).sum::<u64>()
            )
        };
        let (old, fresh) = (of(1, ROWS), of(10_001, ROWS));
        let both = |a: &str, b: &str| {
            let numbers = |text: &str| text.split(',').map(|n| n.parse::<u64>().unwrap()).collect::<Vec<_>>();
            let sums: Vec<String> = numbers(a).iter().zip(numbers(b)).map(|(a, b)| (a + b).to_string()).collect();
            sums.join(",")
        };
        let new = if how == "--atomic" { both(&old, &fresh) } else { fresh };
        Self { place, how, old, new }
    }

    fn load(&self) -> Command {
        let how = self.how;
        let mut command =
            self.place.command(&format!("people.csv --into people --batch 100 --lanes 2 --keep-old 1h {how}"));
        command.args(["--json", "-q"]);
        command
    }

    fn undo(&self) -> Command {
        let place = self.place;
        let mut command = Command::new(env!("CARGO_BIN_EXE_inrush"));
        let job = place.sql(
            "SELECT LOWER(HEX(id)) FROM inrush_job WHERE source LIKE '%people.csv' AND target NOT LIKE '%inrush%'",
        );
        command.args(["undo", &job, "--json", "-q", "-D", place.schema.name(), "-u", &place.server.user]);
        command.arg("-S").arg(&place.server.socket).env("INRUSH_PASSWORD", &place.server.password);
        command.env("HOME", place.folder.path()).env_remove("INRUSH_URL");
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    fn end(&self, mut command: Command) -> Done {
        self.place.done(&command.output().unwrap())
    }

    /// Kills the command up to three times, at a random visit to one of these points, then lets it come to its end.
    fn under_kills(
        &self,
        command: impl Fn(&Self) -> Command,
        points: &[(String, u64)],
        line: &mut Line,
        dice: &mut Dice,
    ) {
        for _ in 0..dice.between(1, 3) {
            let (point, n_visits) = &points[dice.below(points.len() as u64) as usize];
            let mut killed = command(self);
            killed.env("INRUSH_FAULT", format!("{point}:{}", dice.between(1, *n_visits)));
            line.runs += 1;
            let done = self.end(killed);
            // A point behind those of earlier runs is not visited by one that goes on.
            assert!(done.code == -1 || done.code == 0, "{point}: {done}");
            line.faults += u64::from(done.code == -1);
            self.check(line, &[&self.old, &self.new], point);
        }
        line.runs += 1;
        line.jobs += 1;
        let done = self.end(command(self));
        assert_eq!(done.code, 0, "{}: {done}", self.how);
    }

    fn check(&self, line: &mut Line, may_be: &[&String], context: &str) {
        let content = self.place.sql(CONTENT);
        let count = |text: &str| text.split(',').next().unwrap().parse::<u64>().unwrap();
        if !may_be.contains(&&content) {
            line.lost += u64::from(may_be.iter().all(|want| count(&content) < count(want)));
            line.doubled += u64::from(may_be.iter().all(|want| count(&content) > count(want)));
            panic!("{} after {context}: {content}, and not {may_be:?}", self.how);
        }
    }
}

/// The points that a clean run of this command visits, and how often.
fn points(refresh: &Refresh<'_>, mut command: Command) -> Vec<(String, u64)> {
    let trace = refresh.place.path("trace");
    let _ = std::fs::remove_file(&trace);
    let done = refresh.end(std::mem::replace(command.env("INRUSH_FAULT_TRACE", &trace), Command::new("true")));
    assert_eq!(done.code, 0, "{done}");
    visits(&refresh.place.read("trace")).into_iter().collect()
}

#[test]
fn killed_at_random_points() {
    let campaign = |place: &Place| {
        let server = &place.server.instance;
        let mut dice = Dice::of(&format!("undone {server}"));
        let mut lines = ["kill -9, --keep-old", "kill -9, undo"].map(|case| Line::new(case, server));
        let n_kills = times(5, 30);
        let clean = Refresh::prepare(place, "--replace-table");
        let of_load = points(&clean, clean.load());
        let of_undo = points(&clean, clean.undo());
        assert!(of_undo.iter().any(|(point, _)| point == "undo.renamed"), "{of_undo:?}");
        let mut turn = dice.below(3);
        while lines.iter().any(|line| line.faults < n_kills) {
            let how = ["--replace-table", "--atomic", "--atomic --truncate --defer-indexes"][(turn % 3) as usize];
            turn += 1;
            let refresh = Refresh::prepare(place, how);
            refresh.under_kills(Refresh::load, &of_load, &mut lines[0], &mut dice);
            refresh.check(&mut lines[0], &[&refresh.new], "the end");
            assert_eq!(place.schema.sql("SHOW TABLES LIKE 'people%'").len(), 2, "{how}");
            refresh.under_kills(Refresh::undo, &of_undo, &mut lines[1], &mut dice);
            refresh.check(&mut lines[1], &[&refresh.old], "the end");
            assert_eq!(place.schema.sql("SHOW TABLES LIKE 'people%'").len(), 2, "{how}");
            // What the table holds again is known, and the index is there.
            let again = place.go_on("before.csv --into people");
            assert!(again.code == 0 && again.stdout.contains("\"already-loaded\""), "{how}: {again}");
            assert_eq!(place.schema.sql("SHOW INDEX FROM people WHERE Key_name = 'by_value'").len(), 1, "{how}");
        }
        lines.iter().for_each(Line::conclude);
    };
    if is_long() { on(all(), "undone", campaign) } else { everywhere("undone", campaign) }
}
