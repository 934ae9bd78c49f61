//! A server of its own that fails: killed and started again, switched to read-only, out of connections, out of disk. One server a
//! family, and one case after the other on it.

use crate::job::{Job, Kind, Shape};
use crate::place::Place;
use crate::server_of_own::{OwnServer, on_each_family};
use crate::session::{Session, await_true};
use crate::sessions::{a_connection_of, finish, retried};
use crate::table::Line;
use inrush_testkit::dice::{Dice, times};
use inrush_testkit::servers::Server;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread::sleep;
use std::time::Duration;

on_each_family!(on_its_own);

fn on_its_own(family: &str) {
    let own = OwnServer::new(family, &["innodb-flush-log-at-trx-commit=1"]);
    let place = Place::own(&own);
    let mut dice = Dice::of(&format!("own {family}"));
    let app = a_user_without_privileges(&place);
    read_only_for_a_while(&place, &app, &mut dice);
    no_connection_left(&place, &app, &mut dice);
    killed_and_started_again(&own, &place, &mut dice);
    a_full_disk(&own, place, &mut dice);
}

/// The load goes on by itself once the server is back.
fn killed_and_started_again(own: &OwnServer, place: &Place, dice: &mut Dice) {
    let mut line = Line::new("kill -9 of the server, restart", &place.server.name);
    let mut pid = place.server.pid.to_string();
    for turn in 0..times(1, 12) {
        let job = Job::new(&place.server, Shape::draw(turn, 20_000, &place.server, dice), dice);
        let mut run = job.start(job.command());
        line.runs += 1;
        if run.await_visits("chunk.begin", 1) {
            sleep(Duration::from_millis(dice.below(150)));
        }
        assert!(Command::new("kill").args(["-9", &pid]).status().unwrap().success());
        line.faults += 1;
        // A zombie has no command line any more.
        let command_line = format!("/proc/{pid}/cmdline");
        await_true("the end of the killed server", || fs::read(&command_line).map_or(true, |line| line.is_empty()));
        pid = own.start()["pid"].to_string();
        let done = finish(&job, run, &mut line);
        job.check(&done, &mut line);
    }
    line.conclude();
}

fn read_only_for_a_while(place: &Place, app: &Server, dice: &mut Dice) {
    let mut line = Line::new("read-only for a while", &place.server.name);
    let switch = if place.is_mysql() { "super_read_only" } else { "read_only" };
    for turn in 0..times(1, 8) {
        let job = Job::new(app, Shape::draw(turn, 20_000, app, dice), dice);
        let mut run = job.start(job.command());
        line.runs += 1;
        if run.await_visits("chunk.begin", 1) {
            sleep(Duration::from_millis(dice.below(50)));
        }
        place.sql(&format!("SET GLOBAL {switch} = 1"));
        sleep(Duration::from_millis(dice.between(100, 1_000)));
        line.faults += u64::from(!run.is_over());
        place.sql("SET GLOBAL read_only = 0");
        let done = finish(&job, run, &mut line);
        job.check(&done, &mut line);
    }
    line.conclude();
}

/// Lanes that lost their connections get no new ones for a while.
fn no_connection_left(place: &Place, app: &Server, dice: &mut Dice) {
    let mut line = Line::new("no connection left", &place.server.name);
    for turn in 0..times(1, 8) {
        let job = Job::new(app, Shape::draw(turn, 20_000, app, dice), dice);
        let mut root = Session::open(place, "DO 0");
        let holders: Vec<Session> = (0..11).map(|_| Session::open(&job.place, "DO 0")).collect();
        let last = place.sql("SELECT CONNECTION_ID()").parse().unwrap();
        let mut run = job.start(job.command());
        line.runs += 1;
        if run.await_visits("chunk.begin", 1)
            && let Some(victim) = a_connection_of(&job.place, &place.server, last, dice)
        {
            let seconds = dice.between(1, 9);
            root.say(&format!(
                "SET GLOBAL max_connections = 10; KILL {victim}; DO SLEEP(0.{seconds}); SET GLOBAL max_connections = 150"
            ));
        }
        drop(root);
        let done = finish(&job, run, &mut line);
        drop(holders);
        // The load may have been faster than the KILL, which then was an error.
        place.sql("SET GLOBAL max_connections = 150");
        line.faults += retried(&done, 1040);
        job.check(&done, &mut line);
    }
    line.conclude();
}

/// A disk that is full ends a run; once there is room the same command goes on.
fn a_full_disk(own: &OwnServer, place: Place, dice: &mut Dice) {
    let mut line = Line::new("disk full", &place.server.name);
    let tables = own.above().join("server/data").join(place.schema.name());
    own.stop();
    let started = own.start_with_disk(&tables, 40, 34, &[]);
    let shape = Shape { kind: Kind::Csv, lanes: 2, batch: 500, ..Shape::draw(0, 120_000, &place.server, dice) };
    let job = Job::at(place, shape, dice);
    let done = job.start(job.command()).end();
    line.runs += 1;
    assert_eq!((done.code, &done.json["stop"]["code"]), (3, &1114.into()), "{done}");
    line.faults += 1;
    remove_filler(&started["pid"].to_string(), &tables);
    crate::kills::finish(&job, &mut line);
    line.conclude();
}

/// Who may do nothing that only an administrator may: he meets a read-only server, and a full one.
fn a_user_without_privileges(place: &Place) -> Server {
    place.sql("CREATE USER app@localhost IDENTIFIED BY 'app-Pass1'; GRANT ALL ON *.* TO app@localhost");
    place.sql(match place.is_mysql() {
        true => "REVOKE SUPER, CONNECTION_ADMIN ON *.* FROM app@localhost",
        false => "REVOKE SUPER, READ_ONLY ADMIN, CONNECTION ADMIN ON *.* FROM app@localhost",
    });
    Server { user: "app".into(), password: "app-Pass1".into(), ..place.server.clone() }
}

/// The server's own view of its disk.
fn remove_filler(pid: &str, tables: &Path) {
    let root = PathBuf::from(format!("/proc/{pid}/root"));
    fs::remove_file(root.join(tables.join("filler").strip_prefix("/").unwrap())).unwrap();
}
