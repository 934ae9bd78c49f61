//! Connections under chaos: no answer is out of step, what was acknowledged is stored once, what was refused is not stored, and
//! an error says that the outcome is unknown wherever it is.

use super::verbs::Row;
use super::{READ_TIMEOUT, await_quiet, deadline, faults, kill_until, next_id};
use crate::batches::methods;
use crate::cases::{Case, Route, Twin, in_cases};
use inrush::{Config, Error, PipelineMode, Result, Statement};
use inrush_testkit::dice::{Dice, seed};
use inrush_testkit::patience::Wait;
use inrush_testkit::proxy::faults::Relay;
use inrush_testkit::servers;
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::SeqCst};
use std::thread;
use std::time::{Duration, Instant};

#[test]
fn driver_under_chaos() {
    in_cases(servers::with_local_infile(), &[Route::Tcp], campaign);
}

/// What callers were told about rows; a group of rows is stored whole or not at all.
#[derive(Default)]
struct Book {
    n_operations: u64,
    n_answers: u64,
    n_lost_connections: u64,
    acknowledged: Vec<u64>,
    refused: Vec<(u64, String)>,
    unknown: Vec<Vec<u64>>,
}

impl Book {
    /// Notes the outcome of a group of rows.
    fn note<T>(&mut self, rows: &[Row], what: &str, outcome: &Result<T>) {
        let ids = rows.iter().map(|row| row.0);
        match outcome {
            Ok(_) => self.acknowledged.extend(ids),
            Err(error) if error.is_outcome_unknown() => self.unknown.push(ids.collect()),
            Err(error) => self.refused.extend(ids.map(|id| (id, format!("{what}: {error:?}")))),
        }
    }

    fn add(&mut self, other: Book) {
        self.n_operations += other.n_operations;
        self.n_answers += other.n_answers;
        self.n_lost_connections += other.n_lost_connections;
        self.acknowledged.extend(other.acknowledged);
        self.refused.extend(other.refused);
        self.unknown.extend(other.unknown);
    }
}

/// How far the workers of a campaign are.
struct Progress {
    end: Instant,
    wait: Wait,
    /// Operations after which the connection was usable.
    n_done: AtomicU64,
    /// One worker has had an answer and stored a row: without that, a campaign on a slow machine goes on beyond its end.
    is_enough: AtomicBool,
}

impl Progress {
    fn is_over(&self) -> bool {
        Instant::now() >= self.end && (self.is_enough.load(SeqCst) || self.wait.is_over())
    }
}

fn campaign(case: &Case) {
    let schema = case.server.schema("chaos");
    schema.sql("CREATE TABLE t (id BIGINT UNSIGNED NOT NULL, note VARCHAR(40) NOT NULL, KEY (id)) ENGINE=InnoDB");
    schema.sql("CREATE TABLE taken (id BIGINT UNSIGNED PRIMARY KEY, note VARCHAR(40)) ENGINE=InnoDB");
    schema.sql("INSERT INTO taken VALUES (1, 'here before')");
    let name = format!("driver {} {:?}", case.server.instance, case.shell);
    let mut dice = Dice::of(&name);
    let relay = Relay::start(case.server.port, faults(&mut dice));
    let config = case
        .config()
        .with_port(relay.port())
        .with_database(schema.name())
        .with_local_infile(true)
        .with_multi_statements(true)
        .with_pipeline(PipelineMode::On)
        .with_connect_timeout(Duration::from_secs(2))
        .with_read_timeout(Some(READ_TIMEOUT));
    let progress = Progress {
        end: deadline(Duration::from_secs(3)),
        wait: Wait::begin(),
        n_done: AtomicU64::new(0),
        is_enough: AtomicBool::new(false),
    };
    let is_over = AtomicBool::new(false);
    let (book, n_killed) = thread::scope(|scope| {
        let mut kill_dice = Dice::of(&format!("{name} kills"));
        let (is_over, schema, progress) = (&is_over, &schema, &progress);
        let (pause, n_done) = (Duration::from_millis(120), || progress.n_done.load(SeqCst));
        let killer = scope.spawn(move || kill_until(is_over, case, schema, pause, &mut kill_dice, n_done));
        let workers: Vec<_> = (0..N_WORKERS)
            .map(|number| {
                let (dice, config) = (Dice::of(&format!("{name} {number}")), &config);
                scope.spawn(move || work(case, config, progress, number, dice))
            })
            .collect();
        let mut book = Book::default();
        workers.into_iter().for_each(|worker| book.add(worker.join().unwrap()));
        is_over.store(true, SeqCst);
        (book, killer.join().unwrap())
    });
    let n_faults = relay.n_met();
    await_quiet(case, &schema, &relay);
    let stored: HashMap<u64, u64> = schema
        .sql("SELECT id, COUNT(*) FROM t GROUP BY id")
        .iter()
        .map(|row| (row[0].parse().unwrap(), row[1].parse().unwrap()))
        .collect();
    report(&name, &book, n_faults, n_killed, stored.len());
    check(&book, &stored);
    assert!(n_faults > 0 && book.n_answers > 0 && !book.acknowledged.is_empty(), "nothing happened: {name}");
}

#[allow(clippy::print_stdout, reason = "the numbers are the result")]
fn report(name: &str, book: &Book, n_faults: u64, n_killed: u64, n_stored: usize) {
    println!(
        "{name}: {} operations, {} answers checked, {n_faults} faults, {n_killed} kills, {} connections lost; {n_stored} ids stored, \
         {} acknowledged, {} refused, {} groups unknown (seed {})",
        book.n_operations,
        book.n_answers,
        book.n_lost_connections,
        book.acknowledged.len(),
        book.refused.len(),
        book.unknown.len(),
        seed()
    );
}

#[track_caller]
fn check(book: &Book, stored: &HashMap<u64, u64>) {
    let doubled: Vec<_> = stored.iter().filter(|(_, n)| **n != 1).collect();
    assert!(doubled.is_empty(), "stored more than once: {doubled:?}");
    let lost: Vec<_> = book.acknowledged.iter().filter(|id| !stored.contains_key(id)).collect();
    assert!(lost.is_empty(), "acknowledged and not stored: {lost:?}");
    let bent: Vec<_> = book.refused.iter().filter(|(id, _)| stored.contains_key(id)).collect();
    assert!(bent.is_empty(), "{} rows refused and yet stored: {:?}", bent.len(), &bent[..bent.len().min(3)]);
    for group in &book.unknown {
        let n_stored = group.iter().filter(|id| stored.contains_key(id)).count();
        assert!(n_stored == 0 || n_stored == group.len(), "a part of a group is stored: {n_stored} of {group:?}");
    }
}

/// One worker: opens a connection whenever it has none, and uses it until it is lost.
fn work(case: &Case, config: &Config, progress: &Progress, number: u64, mut dice: Dice) -> Book {
    let mut book = Book::default();
    let config = if number.is_multiple_of(2) {
        config.clone().with_query_timeout(Some(Duration::from_millis(300)))
    } else {
        config.clone()
    };
    let methods = methods(case);
    while !progress.is_over() {
        let Ok(mut link) = Twin::connect(case.shell, &config) else { continue };
        while !progress.is_over() {
            book.n_operations += 1;
            let method = dice.percent(70).then(|| methods[dice.below(methods.len() as u64) as usize]);
            let is_usable = match dice.below(12) {
                0..3 => ask(&mut link, &mut book, &mut dice),
                3 => refused(&mut link),
                4 => insert_as_text(&mut link, &mut book),
                5 | 6 => insert(&mut link, &mut book),
                7 => slow_insert(&mut link, &mut book, &mut dice),
                8 => transaction(&mut link, &mut book, &mut dice),
                9 | 10 => {
                    let rows = rows(dice.between(1, 60));
                    let outcome = link.batch(INSERT, &rows, method);
                    book.note(&rows, "batch", &outcome);
                    is_usable(&outcome)
                }
                _ => pipeline(&mut link, &mut book, &mut dice),
            };
            progress.n_done.fetch_add(u64::from(is_usable), SeqCst);
            progress.is_enough.fetch_or(book.n_answers > 0 && !book.acknowledged.is_empty(), SeqCst);
            if !is_usable {
                book.n_lost_connections += 1;
                break;
            }
        }
    }
    book
}

/// A question whose answer no other question has.
fn ask(link: &mut Twin, book: &mut Book, dice: &mut Dice) -> bool {
    let token = next_id();
    let outcome = if dice.percent(50) {
        link.query_with("SELECT CAST(? AS UNSIGNED), 'an answer'", token)
    } else {
        let n_rows = dice.between(1, 20);
        let sql = (0..n_rows).map(|_| format!("SELECT {token}, 'an answer'")).collect::<Vec<_>>().join(" UNION ALL ");
        link.query_text(&sql)
    };
    match &outcome {
        Ok(rows) => {
            assert!(
                !rows.is_empty() && rows.iter().all(|row| *row == (token, "an answer".into())),
                "{token}: {rows:?}"
            );
            book.n_answers += 1;
        }
        // Nothing changes by a SELECT of constants.
        Err(error) => assert!(!error.is_outcome_unknown(), "a read of unknown outcome: {error:?}"),
    }
    is_usable(&outcome)
}

/// A statement that the server refuses; the connection stays usable.
fn refused(link: &mut Twin) -> bool {
    let outcome = link.insert("INSERT INTO taken (id, note) VALUES (? - ? + 1, 'twice')", &(1, "1".into()));
    if let Err(error) = &outcome
        && error.code() == 1062
    {
        assert!(!error.is_fatal() && !error.is_outcome_unknown(), "{error:?}");
    }
    assert!(outcome.is_err(), "a key is there twice");
    is_usable(&outcome)
}

fn insert_as_text(link: &mut Twin, book: &mut Book) -> bool {
    let rows = rows(1);
    let outcome = link.execute(&*format!("INSERT INTO t (id, note) VALUES ({}, 'text')", rows[0].0));
    book.note(&rows, "text", &outcome);
    is_usable(&outcome)
}

fn insert(link: &mut Twin, book: &mut Book) -> bool {
    let rows = rows(1);
    let outcome = link.insert(INSERT, &rows[0]);
    book.note(&rows, "prepared", &outcome);
    is_usable(&outcome)
}

/// Slower than `query-timeout` in half of the cases.
fn slow_insert(link: &mut Twin, book: &mut Book, dice: &mut Dice) -> bool {
    let (rows, ms) = (rows(1), if dice.percent(20) { 340 } else { 10 });
    let outcome = link.execute(&*format!("INSERT INTO t (id, note) SELECT {}, SLEEP(0.{ms:03})", rows[0].0));
    book.note(&rows, "slow", &outcome);
    is_usable(&outcome)
}

fn transaction(link: &mut Twin, book: &mut Book, dice: &mut Dice) -> bool {
    let rows = rows(dice.between(1, 4));
    let outcome = link.transaction(INSERT, &rows);
    book.note(&rows, "transaction", &outcome);
    is_usable(&outcome)
}

/// Each step is a group of its own: it is committed by itself.
fn pipeline(link: &mut Twin, book: &mut Book, dice: &mut Dice) -> bool {
    let rows = rows(dice.between(1, 30));
    let statement = Statement::new(INSERT).unwrap();
    let outcome = link.pipeline(&statement, &rows);
    match &outcome {
        Ok(replies) => {
            assert_eq!(replies.len(), rows.len());
            for (row, reply) in rows.iter().zip(replies) {
                book.note(std::slice::from_ref(row), "step", reply);
            }
        }
        Err(error) => {
            for row in &rows {
                book.note(std::slice::from_ref(row), "pipeline", &Err::<(), Error>(copy(error)));
            }
        }
    }
    is_usable(&outcome)
}

/// An error with the answers of another one, as far as a book reads them.
fn copy(error: &Error) -> Error {
    let copy = Error::new(error.kind(), format!("{error:?}"));
    if error.is_outcome_unknown() { copy.outcome_unknown() } else { copy }
}

fn rows(n: u64) -> Vec<Row> {
    (0..n).map(|_| (next_id(), "a row".to_owned())).collect()
}

/// Whether the connection can be used after this outcome.
fn is_usable<T>(outcome: &Result<T>) -> bool {
    outcome.as_ref().err().is_none_or(|error| !error.is_fatal())
}

const INSERT: &str = "INSERT INTO t (id, note) VALUES (?, ?)";
const N_WORKERS: u64 = 6;
