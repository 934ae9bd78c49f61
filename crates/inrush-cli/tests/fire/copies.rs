//! `inrush copy` under fire, between servers of one kind and of two: the copy is killed, connections to both sides are cut, two runs work at
//! once, and each server is killed in turn. The same command again brings it to its end, and each row is there once.

use crate::place::{Done, Place, on};
use crate::run::{Killed, Run};
use crate::server_of_own::{OwnServer, on_each_family};
use crate::session::await_true;
use crate::table::Line;
use inrush_testkit::dice::{Dice, is_long, times};
use inrush_testkit::proxy::faults::{Fault, Relay, What, When};
use inrush_testkit::servers::{Server, one, with_local_infile};
use std::collections::HashMap;
use std::fs;
use std::process::Command;
use std::thread::sleep;
use std::time::Duration;

const TABLES: [&str; 3] = ["a", "b", "c"];
const ROWS: u32 = 900;

/// A table with a key, one without that has rows twice, and one with a foreign key.
fn make_source(from: &Place) {
    let rows = |with: &str| (1..=ROWS).map(|id| format!("({id},'{with} {id}')")).collect::<Vec<_>>().join(",");
    from.sql(&format!(
        "CREATE TABLE a (id INT PRIMARY KEY, t VARCHAR(20), KEY (t)); INSERT INTO a VALUES {}; \
         CREATE TABLE b (a INT, t VARCHAR(20), KEY (t, a)); INSERT INTO b VALUES {}; INSERT INTO b SELECT 1, 'twice' FROM a WHERE id <= 300; \
         CREATE TABLE c (t VARCHAR(20) PRIMARY KEY, a INT, FOREIGN KEY (a) REFERENCES a (id)); INSERT INTO c SELECT t, id FROM a",
        rows("row"),
        rows("line")
    ));
}

/// How a place is reached: by a port of the loopback address, or by its socket.
fn url(place: &Place, port: Option<u16>) -> String {
    let (user, schema) = (&place.server.user, place.schema.name());
    match port {
        Some(port) => format!("mysql://{user}@127.0.0.1:{port}/{schema}?tls=disabled"),
        None => format!("mysql://{user}@localhost/{schema}?socket={}", place.server.socket.display()),
    }
}

/// A copy, and how both sides are reached. The name of its jobs has the source's address, so that this is one for all runs.
struct Copy<'a> {
    from: &'a Place,
    into: &'a Place,
    urls: [String; 2],
    arguments: String,
}

impl Copy<'_> {
    fn command(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_inrush"));
        command.arg("copy").args(&self.urls).args(self.arguments.split_whitespace());
        command.current_dir(self.into.folder.path()).env("HOME", self.into.folder.path()).env_remove("INRUSH_URL");
        command.env("INRUSH_PASSWORD", &self.from.server.password);
        command.env("INRUSH_OTHER_PASSWORD", &self.into.server.password);
        command
    }

    fn start(&self, name: &str) -> Run<'_> {
        Run::start_as(name, self.into, self.command(), None)
    }

    /// The same command until it is done.
    fn finish(&self, line: &mut Line) {
        for _ in 0..MOST_RUNS {
            line.runs += 1;
            let done = self.start("").end();
            match done.code {
                0 => return self.compare(&done, line),
                code => assert_eq!(code, 3, "{done}"),
            }
        }
        panic!("not done after {MOST_RUNS} runs; the last one said {}", self.into.read("stderr"));
    }

    /// Counts rows that one side has more often than the other.
    fn compare(&self, done: &Done, line: &mut Line) {
        for table in TABLES {
            let mut counted: HashMap<Vec<String>, i64> = HashMap::new();
            for (place, sign) in [(self.from, 1), (self.into, -1)] {
                let rows = place.schema.sql(&format!("SELECT * FROM {table}"));
                rows.into_iter().for_each(|row| *counted.entry(row).or_default() += sign);
            }
            line.lost += counted.values().map(|times| (*times).max(0).unsigned_abs()).sum::<u64>();
            line.doubled += counted.values().map(|times| (*times).min(0).unsigned_abs()).sum::<u64>();
        }
        line.jobs += 1;
        let equal = done.json["tables"].as_array().unwrap().iter().all(|table| table["verify"]["equal"] == true);
        assert!(equal, "{done}");
    }
}

/// Another kind than the source's; in the long form also the same one, and a third.
fn targets(from: &Server) -> Vec<Server> {
    let other = match from.name.as_str() {
        "mysql-9.7" => "mariadb-11.8",
        "mariadb-10.11" => "mysql-9.7",
        _ => "mariadb-10.11",
    };
    let mut targets = vec![one(other)];
    if is_long() {
        targets.push(from.clone());
        targets.push(one(match from.name.as_str() {
            "mysql-9.7" => "mariadb-10.11",
            "mariadb-10.11" => "mariadb-11.8",
            _ => "mysql-9.7",
        }));
    }
    targets
}

#[test]
fn kills_cuts_and_two_at_once() {
    on(with_local_infile(), "copies", |from| {
        make_source(from);
        for target in targets(&from.server) {
            let pair = format!("{} to {}", from.server.name, target.name);
            let mut dice = Dice::of(&format!("copies {pair}"));
            let mut line = Line::new("copy: kills, cuts, two at once", &pair);
            for _ in 0..times(2, 24) {
                let into = Place::new(target.clone(), "fire_copy");
                under_fire(from, &into, &mut line, &mut dice);
            }
            assert!(line.faults > 0, "no fault was met");
            line.conclude();
        }
    });
}

fn under_fire(from: &Place, into: &Place, line: &mut Line, dice: &mut Dice) {
    let cuts = |most: u64, dice: &mut Dice| -> Vec<Fault> {
        let cut = |dice: &mut Dice| {
            let when = match dice.below(3) {
                0 => When::Commit(dice.between(1, 12)),
                1 => When::Up(dice.below(40_000)),
                _ => When::Down(dice.below(40_000)),
            };
            Fault { when, what: What::Cut }
        };
        (0..dice.between(0, most)).map(|_| cut(dice)).collect()
    };
    let relays = [Relay::start(from.server.port, cuts(2, dice)), Relay::start(into.server.port, cuts(3, dice))];
    let lanes = dice.between(1, 2);
    let defer = if dice.percent(25) { "--defer-indexes" } else { "" };
    let copy = Copy {
        from,
        into,
        urls: [url(from, Some(relays[0].port())), url(into, Some(relays[1].port()))],
        arguments: format!("--batch 50 --lanes {lanes} {defer}"),
    };
    for _ in 0..dice.between(1, 4) {
        let mut run = copy.start("");
        line.runs += 1;
        let visits = dice.between(1, 30) as usize;
        if run.await_visits("chunk.begin", visits) {
            sleep(Duration::from_micros(dice.below(20_000)));
        }
        if dice.percent(25) {
            let newer = copy.start("newer");
            line.runs += 1;
            // Which of the two goes on is decided by the ledger; the other one may find tables that the first has just made or begun to fill.
            for done in [run.end(), newer.end()] {
                line.faults += u64::from(done.code != 0);
                assert!([0, 1, 3, 5].contains(&done.code), "{done}");
            }
            continue;
        }
        match run.kill() {
            Killed::Here(places) => {
                line.faults += 1;
                line.inside += u64::from(!places.is_empty());
                line.places.add(&places);
            }
            Killed::Ended(done) => assert!([0, 3].contains(&done.code), "{done}"),
        }
    }
    copy.finish(line);
    line.faults += relays.iter().map(Relay::n_met).sum::<u64>();
}

on_each_family!(servers_are_killed);

/// A server of its own is the source, then the target, and is killed while rows are stored.
fn servers_are_killed(family: &str) {
    let own = OwnServer::new(family, &["innodb-flush-log-at-trx-commit=1"]);
    let place = Place::own(&own);
    make_source(&place);
    let mut pid = place.server.pid.to_string();
    let mut dice = Dice::of(&format!("copies own {family}"));
    for target in targets(&place.server) {
        for is_source in [true, false] {
            let other = Place::new(target.clone(), "fire_other");
            if !is_source {
                make_source(&other);
            }
            let what = if is_source { "source" } else { "target" };
            let pair = if is_source { [family, &target.name] } else { [&target.name, family] }.join(" to ");
            let mut line = Line::new(&format!("copy: kill -9 of the {what}, restart"), &pair);
            for _ in 0..times(1, 8) {
                let into = match is_source {
                    true => Place::new(target.clone(), "fire_copy"),
                    false => Place::new(place.server.clone(), "fire_copy"),
                };
                let from = if is_source { &place } else { &other };
                let arguments = "--batch 50 --lanes 2".to_owned();
                let copy = Copy { from, into: &into, urls: [url(from, None), url(&into, None)], arguments };
                let mut run = copy.start("");
                line.runs += 1;
                if run.await_visits("chunk.begin", dice.between(1, 30) as usize) {
                    sleep(Duration::from_millis(dice.below(50)));
                }
                assert!(Command::new("kill").args(["-9", &pid]).status().unwrap().success());
                line.faults += 1;
                // A zombie has no command line any more.
                let command_line = format!("/proc/{pid}/cmdline");
                await_true("the end of the killed server", || {
                    fs::read(&command_line).map_or(true, |line| line.is_empty())
                });
                pid = own.start()["pid"].to_string();
                let done = run.end();
                assert!([0, 3].contains(&done.code), "{done}");
                copy.finish(&mut line);
            }
            line.conclude();
        }
    }
}

const MOST_RUNS: u64 = 12;
