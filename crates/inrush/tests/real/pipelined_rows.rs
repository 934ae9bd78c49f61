//! Up to a million single-row executions in one flight, through socket buffers of 8 KiB: whoever writes without reading hangs.

use crate::cases::{Case, Route, Shell};
use crate::twins::with_twin;
use inrush_testkit::servers;
use std::time::Duration;

/// A million once on each server and once over each route, by both shells. All others send a hundred times what the buffers hold,
/// which is enough to hang: a million in each of the 18 cases would be the longest test of all.
fn n_rows(case: &Case) -> u32 {
    let has_million = match case.server.name.as_str() {
        "mysql-9.7" => case.route == Route::Tcp && case.shell == Shell::Blocking,
        "mariadb-10.11" => case.route == Route::Tls && case.shell == Shell::Tokio,
        _ => case.route == Route::Unix && case.shell == Shell::Blocking,
    };
    if has_million { 1_000_000 } else { 20_000 }
}

#[track_caller]
fn check(route: Route) {
    crate::cases::in_cases(servers::with_local_infile(), &[route], |case| {
        let schema = case.server.schema("rows");
        // Room for some two hundred commands. Below the size of a segment TCP waits for its own timers, which proves nothing more.
        let config = case.config().with_database(schema.name()).with_socket_buffers(Some(8192));
        // A hang must show as an error.
        let config = config.with_read_timeout(Some(Duration::from_secs(60)));
        with_twin!(case, config, connection => {
            wait!(connection.execute("CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(20))", ())).unwrap();
            // Without its binary log MySQL spends a third less on a row; a million of them is all that is wanted here.
            wait!(connection.execute("SET autocommit = 0, sql_log_bin = 0", ())).unwrap();
            let insert = wait!(connection.prepare("INSERT INTO t VALUES (?, ?)")).unwrap();
            let (n_rows, mut id, mut n_stored) = (n_rows(case), 0, 0);
            wait!(connection.pipeline_each(
                |next| {
                    id += 1;
                    match id {
                        id if id <= n_rows => next.execute(&insert, (id, "twelve bytes")),
                        id if id == n_rows + 1 => next.commit(),
                        _ => next.end(),
                    }
                },
                |_, reply| {
                    n_stored += reply?.affected();
                    Ok(())
                },
            ))
            .unwrap();
            assert_eq!(n_stored, u64::from(n_rows));
            let row = wait!(connection.query_one::<(u32, u32)>("SELECT COUNT(*), MAX(id) FROM t", ())).unwrap();
            assert_eq!(row, (n_rows, n_rows));
        });
    });
}

#[test]
fn over_tcp() {
    check(Route::Tcp);
}

#[test]
fn over_tls() {
    check(Route::Tls);
}

#[test]
fn over_a_unix_socket() {
    check(Route::Unix);
}
