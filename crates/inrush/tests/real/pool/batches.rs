//! What a batch leaves behind on a connection of a pool: nothing, and its statements where nothing had to be cleaned.

use super::options;
use super::twin::{TwinLent, TwinPool};
use crate::batch_faults::by_turns;
use inrush::{BatchOptions, Method, Result};

#[test]
fn the_next_user_finds_the_session_as_new_and_its_statements() {
    by_turns("poolbatch", |case, config, method| {
        let pool = TwinPool::new(case, &config.clone().with_pool(options().with_max(1)));
        let mut lent = pool.get();
        lent.query("DROP TABLE IF EXISTS t");
        lent.query("CREATE TABLE t (n INT PRIMARY KEY)");
        let id = lent.id();
        drop(lent);
        let asks = "SELECT ? + 1";
        for (turn, inside) in [(0, false), (1, true)] {
            let mut lent = pool.get();
            lent.prepared(asks);
            let options = BatchOptions::new().with_method(method).with_rows(10);
            let rows: Vec<_> = (25 * turn..25 * turn + 25).map(|n| (n,)).collect();
            write(&mut lent, &rows, &options, inside).unwrap();
            drop(lent);
            let mut lent = pool.get();
            assert_eq!(lent.id(), id, "{method}");
            let left = lent.ask("SELECT CONCAT_WS(' ', @@autocommit = 1, COUNT(*)) FROM t");
            assert_eq!(left, format!("1 {}", rows.len() * (turn as usize + 1)), "{method}");
            let before = n_prepared(&mut lent);
            lent.prepared(asks);
            // A `pipelined` one switches autocommit off and on in its transaction, which the server reports.
            let is_kept = n_prepared(&mut lent) == before;
            assert_eq!(is_kept, method != Method::Pipelined, "{method}, inside: {inside}");
        }
    });
}

/// How often this session has prepared a statement.
fn n_prepared(lent: &mut TwinLent<'_>) -> String {
    lent.query("SHOW SESSION STATUS LIKE 'Com_stmt_prepare'")[0][1].clone()
}

fn write(lent: &mut TwinLent<'_>, rows: &[(i32,)], options: &BatchOptions, inside: bool) -> Result<()> {
    const INSERT: &str = "INSERT INTO t VALUES (?)";
    match (lent, inside) {
        (TwinLent::Blocking(lent), false) => lent.execute_batch_with(INSERT, rows, options).map(drop),
        (TwinLent::Blocking(lent), true) => {
            lent.transaction(|tx| tx.execute_batch_with(INSERT, rows, options).map(drop))
        }
        (TwinLent::Tokio(lent, runtime), false) => {
            runtime.block_on(lent.execute_batch_with(INSERT, rows, options)).map(drop)
        }
        (TwinLent::Tokio(lent, runtime), true) => {
            runtime.block_on(lent.transaction(async |tx| tx.execute_batch_with(INSERT, rows, options).await.map(drop)))
        }
    }
}
