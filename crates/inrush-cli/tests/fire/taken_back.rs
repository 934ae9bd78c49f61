//! `kill -9` of `--mode undo`, at points of a run that are chosen at random, and two of them at once: the rows that the load has inserted go, each
//! counted once; those of others, and those that others have changed since, stay.

use crate::place::{Done, Place, everywhere, methods, on};
use crate::table::Line;
use crate::trace::visits;
use inrush_testkit::dice::{Dice, is_long, times};
use inrush_testkit::servers::all;
use std::process::Command;

const ROWS: u64 = 400;
/// Of every 20 rows one is changed by others after the load, and one deleted.
const CHANGED: u64 = 20;
const KEPT: u64 = ROWS / CHANGED;
const GONE: u64 = ROWS / CHANGED;

/// What must stay: rows of others, and changed ones. Then all.
const CONTENT: &str = "SELECT SUM(id <= 50), SUM(id > 50 AND value > 100), COUNT(*), COUNT(DISTINCT id) FROM goods";

struct TakenBack<'a> {
    place: &'a Place,
    method: &'static str,
}

impl<'a> TakenBack<'a> {
    /// A table with rows of others and of a load, some of them changed since.
    fn prepare(place: &'a Place, method: &'static str) -> Self {
        place.forget();
        place.sql("DROP TABLE IF EXISTS goods; CREATE TABLE goods (id BIGINT PRIMARY KEY, value INT, KEY (value))");
        let others: Vec<String> = (1..=50).map(|id| format!("({id}, {id})")).collect();
        place.sql(&format!("INSERT INTO goods VALUES {}", others.join(", ")));
        let rows: String = (1001..1001 + ROWS).map(|id| format!("{id},{}\n", id % 7)).collect();
        place.write("goods.csv", format!("id,value\n{rows}"));
        let taken_back = Self { place, method };
        let loaded = taken_back.end(taken_back.command(""));
        assert_eq!(loaded.code, 0, "{loaded}");
        place.sql(&format!(
            "UPDATE goods SET value = value + 1000 WHERE id > 50 AND id % {CHANGED} = 3; \
             DELETE FROM goods WHERE id > 50 AND id % {CHANGED} = 4"
        ));
        taken_back
    }

    fn command(&self, mode: &str) -> Command {
        let method = self.method;
        let arguments = format!("goods.csv --into goods --batch 40 --lanes 2 --method {method} {mode} --json -q");
        self.place.command(&arguments)
    }

    fn undo(&self) -> Command {
        self.command("--mode undo")
    }

    fn end(&self, mut command: Command) -> Done {
        self.place.done(&command.output().unwrap())
    }

    /// Rows of others, changed ones, and the number of all.
    fn check(&self, line: &mut Line, is_over: bool, context: &str) {
        let content = self.place.sql(CONTENT);
        let [others, changed, all, ids] =
            <[u64; 4]>::try_from(content.split(',').map(|n| n.parse().unwrap()).collect::<Vec<u64>>()).unwrap();
        line.lost += 50 - others.min(50) + KEPT - changed.min(KEPT);
        line.doubled += all - ids;
        let is_right = (others, changed) == (50, KEPT) && all == ids && (!is_over || all == 50 + KEPT);
        assert!(is_right, "{} after {context}: {content}", self.method);
    }

    fn under_kills(&self, points: &[(String, u64)], line: &mut Line, dice: &mut Dice) {
        for _ in 0..dice.between(1, 3) {
            let (point, n_visits) = &points[dice.below(points.len() as u64) as usize];
            let mut killed = self.undo();
            killed.env("INRUSH_FAULT", format!("{point}:{}", dice.between(1, *n_visits)));
            let mut killed = killed.spawn().unwrap();
            // Beside it another one, which takes the job over or is taken over.
            let beside = dice.percent(30).then(|| self.undo().spawn().unwrap());
            line.runs += 1 + u64::from(beside.is_some());
            line.faults += u64::from(killed.wait().unwrap().code().is_none());
            if let Some(mut beside) = beside {
                beside.wait().unwrap();
            }
            self.check(line, false, point);
        }
        line.runs += 1;
        line.jobs += 1;
        let done = self.end(self.undo());
        assert_eq!(done.code, 4, "{}: {done}", self.method);
        let rows = done.rows().unwrap();
        assert_eq!((rows.stored, rows.skipped), (ROWS - KEPT - GONE, KEPT + GONE), "{}: {done}", self.method);
        self.check(line, true, "the end");
    }
}

#[test]
fn killed_at_random_points() {
    let campaign = |place: &Place| {
        let server = &place.server.instance;
        let mut dice = Dice::of(&format!("taken back {server}"));
        let mut line = Line::new("kill -9, --mode undo", server);
        let n_kills = times(5, 60);
        let methods = methods(place);
        let clean = TakenBack::prepare(place, methods[0]);
        let trace = place.path("trace");
        let mut command = clean.undo();
        command.env("INRUSH_FAULT_TRACE", &trace);
        assert_eq!(clean.end(command).code, 4);
        let points: Vec<(String, u64)> = visits(&place.read("trace")).into_iter().collect();
        assert!(points.iter().any(|(point, _)| point == "commit.answered"), "{points:?}");
        let mut turn = dice.below(methods.len() as u64) as usize;
        while line.faults < n_kills {
            turn += 1;
            TakenBack::prepare(place, methods[turn % methods.len()]).under_kills(&points, &mut line, &mut dice);
        }
        line.conclude();
    };
    if is_long() { on(all(), "taken_back", campaign) } else { everywhere("taken_back", campaign) }
}
