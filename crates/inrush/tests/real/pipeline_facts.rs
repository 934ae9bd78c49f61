//! What servers do that a pipeline relies on: types that outlive a failed execution, and transactions that a deadlock ends.
//! `docs/notes/pipeline.md` tells the same in words.

use crate::cases::{Case, Route, Twin, in_cases};
use inrush::sans_io::session::{Discard, Execute, Prepare, Prepared};
use inrush::sans_io::value::Time;
use inrush::sans_io::value::Value;
use inrush::sans_io::wire::Vendor;
use inrush_testkit::servers;

/// Executes with an INT and a TEXT, telling their types or not; the error's code, 0 if there is none.
fn execute(connection: &mut Twin, statement: &Prepared, types: bool, id: i64, text: &str) -> u16 {
    let mut bound = vec![0];
    bound.extend_from_slice(&id.to_le_bytes());
    bound.push(text.len() as u8);
    bound.extend_from_slice(text.as_bytes());
    let result = connection.run(Execute::encoded(statement, types.then_some(&[8, 0, 253, 0]), &bound, &mut Discard));
    result.err().map_or(0, |e| e.code())
}

/// A server keeps the types of an execution that failed, so that those behind it in a pipeline need not repeat them.
#[test]
fn types_outlive_an_execution_that_failed() {
    in_cases(servers::all(), &[Route::Unix], |case| {
        let (_schema, mut connection) = with_table(case, "kepttypes", "id INT PRIMARY KEY, v VARCHAR(5)");
        connection.execute("INSERT INTO t VALUES (1, 'a')").unwrap();
        let insert = connection.run(Prepare::new("INSERT INTO t VALUES (?, ?)")).unwrap();
        // The very first execution fails: a duplicate key.
        assert_eq!(execute(&mut connection, &insert, true, 1, "b"), 1062);
        assert_eq!(execute(&mut connection, &insert, false, 2, "b"), 0);
        // A value that the column does not take.
        let insert = connection.run(Prepare::new("INSERT INTO t VALUES (?, ?)")).unwrap();
        assert_eq!(execute(&mut connection, &insert, true, 3, "too long"), 1406);
        assert_eq!(execute(&mut connection, &insert, false, 3, "c"), 0);
        assert_eq!(execute(&mut connection, &insert, false, i64::MAX, "d"), 1264);
        assert_eq!(execute(&mut connection, &insert, false, 4, "d"), 0);
        // The table changes, and the server prepares the statement anew by itself.
        connection.execute("ALTER TABLE t MODIFY v VARCHAR(50)").unwrap();
        assert_eq!(execute(&mut connection, &insert, false, 5, "e e e e e"), 0);
        // COM_STMT_RESET.
        connection.run(inrush::sans_io::session::simple::reset_statement(insert.id)).unwrap();
        assert_eq!(execute(&mut connection, &insert, false, 6, "f"), 0);
        assert_eq!(connection.ask("SELECT GROUP_CONCAT(id, v ORDER BY id) FROM t"), "1a,2b,3c,4d,5e e e e e,6f");
    });
}

/// Also those of one that failed because its values were refused before the statement ran.
#[test]
fn types_outlive_values_that_were_refused() {
    in_cases(servers::all(), &[Route::Unix], |case| {
        let (_schema, mut connection) = with_table(case, "refusedtypes", "id INT PRIMARY KEY, v TIME(6)");
        let insert = connection.run(Prepare::new("INSERT INTO t VALUES (?, ?)")).unwrap();
        let beyond = Time { negative: false, days: 34, hours: 22, minutes: 59, seconds: 59, micros: 999_999 };
        // MySQL takes at most 837 hours with a fraction; MariaDB takes what the column holds.
        let values = [Value::Int(1), Value::Time(beyond)];
        let refused = connection.run(Execute::new(&insert, &values, &mut Discard).unwrap());
        let refused = refused.err().map_or(0, |e| e.code());
        let vendor = &connection.session().version().vendor;
        assert_eq!(refused, if *vendor == Vendor::MySql { 1690 } else { 0 });
        let bound = [&[0][..], &2i64.to_le_bytes(), b"\x08\0\0\0\0\0\x01\x02\x03"].concat();
        connection.run(Execute::encoded(&insert, None, &bound, &mut Discard)).unwrap();
        assert_eq!(connection.ask("SELECT v FROM t WHERE id = 2"), "01:02:03.000000");
    });
}

/// After a deadlock, with BEGIN: what follows runs on its own and is committed at once. Without autocommit: it begins a new
/// transaction. The status of its reply tells the first only.
#[test]
fn what_follows_a_deadlock() {
    for (begin, inside_after, stays) in [("BEGIN", false, "1"), ("SET autocommit = 0", true, "0")] {
        in_cases(servers::all(), &[Route::Unix], |case| {
            let (_schema, mut victim) = with_table(case, "afterdeadlock", "id INT PRIMARY KEY, v INT");
            victim.execute("INSERT INTO t VALUES (1, 0), (2, 0)").unwrap();
            let schema = victim.ask("SELECT DATABASE()");
            let mut other = case.open_with(&case.config().with_database(&schema));
            victim.execute(begin).unwrap();
            other.execute("BEGIN").unwrap();
            victim.execute("UPDATE t SET v = v + 1 WHERE id = 1").unwrap();
            // The one with fewer changed rows is the victim.
            other.execute("INSERT INTO t VALUES (10, 0), (11, 0), (12, 0), (13, 0)").unwrap();
            other.execute("UPDATE t SET v = v + 1 WHERE id = 2").unwrap();
            // Whichever comes second closes the circle; the victim is the same.
            let other = std::thread::spawn(move || {
                other.execute("UPDATE t SET v = v + 1 WHERE id = 1").unwrap();
                other
            });
            let error = victim.execute("UPDATE t SET v = v + 1 WHERE id = 2").unwrap_err();
            assert_eq!(error.code(), 1213);
            drop(other.join().unwrap());
            victim.execute("INSERT INTO t VALUES (20, 0)").unwrap();
            assert_eq!(victim.session().in_transaction(), inside_after, "{begin}");
            victim.execute("ROLLBACK").unwrap();
            assert_eq!(victim.ask("SELECT COUNT(*) FROM t WHERE id = 20"), stays, "{begin}");
        });
    }
}

/// The schema comes first so that it is dropped last: an open transaction would hold the drop up.
fn with_table(case: &Case, name: &str, columns: &str) -> (servers::Schema, Twin) {
    let schema = case.server.schema(name);
    let mut connection = case.open_with(&case.config().with_database(schema.name()));
    connection.execute(&format!("CREATE TABLE t ({columns})")).unwrap();
    (schema, connection)
}
