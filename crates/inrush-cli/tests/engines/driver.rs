//! What the library does: connections, batches, pools, inserters.

use crate::Behaviour;
use crate::ground::{Ground, Outcome, Refusal, allowed};
use inrush::blocking::{Connection, Pool};
use inrush::{BatchOptions, Config, InserterOptions, Method, OnBadRow, PoolOptions};

pub(crate) const BEHAVIOURS: &[Behaviour] = &[
    ("driver: text and prepared statements", statements),
    ("driver: transactions", transactions),
    ("driver: savepoints", savepoints),
    ("driver: pipelines", pipelines),
    ("driver: errors", errors),
    ("batch by `auto`", |g| batch(g, None)),
    ("batch by `load-data`", |g| batch(g, Some(Method::LoadData))),
    ("batch by `bulk`", |g| batch(g, Some(Method::Bulk))),
    ("batch by `multi-row-prepared`", |g| batch(g, Some(Method::MultiRowPrepared))),
    ("batch by `multi-row`", |g| batch(g, Some(Method::MultiRow))),
    ("batch by `pipelined`", |g| batch(g, Some(Method::Pipelined))),
    ("batch by `prepared`", |g| batch(g, Some(Method::Prepared))),
    ("batch with a bad row", bad_batch),
    ("pool", pool),
    ("inserter", |g| inserter(g, false)),
    ("inserter, exactly once", |g| inserter(g, true)),
];

const INSERT: &str = "INSERT INTO people (id, value, name) VALUES (?, ?, ?)";

fn connection(ground: &Ground<'_>) -> Result<Connection, Refusal> {
    allowed(Connection::connect(&ground.url()))
}

fn statements(ground: &Ground<'_>) -> Outcome {
    let mut connection = connection(ground)?;
    ground.people("");
    assert_eq!(allowed(connection.execute("INSERT INTO people VALUES (1, 5, 'Ann')", ()))?.affected, 1);
    let insert = allowed(connection.prepare(INSERT))?;
    for id in 2..=4_i32 {
        allowed(connection.execute(&insert, (id, i64::from(id) * 10, format!("n{id} 'ö😀'"))))?;
    }
    let rows: Vec<(i32, i64, String)> =
        allowed(connection.query("SELECT id, value, name FROM people WHERE id >= ? ORDER BY id", (2,)))?;
    let want = (2..=4).map(|id| (id, i64::from(id) * 10, format!("n{id} 'ö😀'")));
    assert_eq!(rows, want.collect::<Vec<_>>());
    let (n, sum): (u64, i64) =
        allowed(connection.query_one("SELECT COUNT(*), CAST(SUM(value) AS SIGNED) FROM people", ()))?;
    assert_eq!((n, sum), (4, 95));
    let none: Option<(i32,)> = allowed(connection.query_opt("SELECT id FROM people WHERE name = ?", ("nobody",)))?;
    assert_eq!(none, None);
    Ok(())
}

fn transactions(ground: &Ground<'_>) -> Outcome {
    ground.people("");
    let mut connection = connection(ground)?;
    let mut tx = allowed(connection.begin())?;
    allowed(tx.execute(INSERT, (1, 1, "kept")))?;
    allowed(tx.execute(INSERT, (3, 3, "kept")))?;
    allowed(tx.commit())?;
    let mut tx = allowed(connection.begin())?;
    allowed(tx.execute(INSERT, (4, 4, "undone")))?;
    drop(tx);
    allowed(connection.ping())?;
    assert_eq!(ground.held(), "1,1,kept|3,3,kept");
    Ok(())
}

/// A program's own SAVEPOINT: where a table has none, the engine's error is the answer, and the transaction can be rolled back.
fn savepoints(ground: &Ground<'_>) -> Outcome {
    /// ER_CHECK_NOT_IMPLEMENTED
    const NO_SAVEPOINTS: u16 = 1178;
    ground.people("");
    let mut connection = connection(ground)?;
    let mut tx = allowed(connection.begin())?;
    allowed(tx.execute(INSERT, (1, 1, "kept")))?;
    let refused = match tx.savepoint() {
        Ok(mut part) => allowed(part.execute(INSERT, (2, 2, "undone"))).map(|_| None)?,
        Err(error) if error.code() == NO_SAVEPOINTS => Some(error.message().to_owned()),
        Err(error) => return allowed(Err(error)),
    };
    if let Some(words) = refused {
        allowed(tx.rollback())?;
        assert_eq!(ground.held(), "");
        return Err(Refusal::NotThere(words));
    }
    allowed(tx.commit())?;
    assert_eq!(ground.held(), "1,1,kept");
    Ok(())
}

fn pipelines(ground: &Ground<'_>) -> Outcome {
    ground.people("");
    let mut connection = connection(ground)?;
    let insert = allowed(connection.prepare(INSERT))?;
    let mut flight = connection.pipeline();
    flight.execute(&insert, (1, 1, "a")).execute(&insert, (1, 2, "again")).execute(&insert, (2, 2, "b"));
    let codes: Vec<u16> =
        allowed(flight.run())?.into_iter().map(|reply| reply.err().map_or(0, |error| error.code())).collect();
    assert_eq!(codes, [0, DUPLICATE, 0]);
    assert_eq!(ground.held(), "1,1,a|2,2,b");
    Ok(())
}

/// What callers match on is the same as on MySQL.
fn errors(ground: &Ground<'_>) -> Outcome {
    ground.people("(1,5,'Ann')");
    let mut connection = connection(ground)?;
    let mut code = |sql: &str| connection.execute(sql, ()).unwrap_err().code();
    assert_eq!(code("INSERT INTO people VALUES (1, 6, 'Bob')"), DUPLICATE);
    assert_eq!(code("INSERT INTO nowhere VALUES (1)"), NO_SUCH_TABLE);
    assert_eq!(code("SELEC 1"), SYNTAX);
    assert_eq!(ground.held(), "1,5,Ann");
    allowed(connection.ping())
}

const DUPLICATE: u16 = 1062;
const NO_SUCH_TABLE: u16 = 1146;
const SYNTAX: u16 = 1064;

fn batch(ground: &Ground<'_>, method: Option<Method>) -> Outcome {
    ground.people("");
    let config = Config::from_url(&ground.url()).unwrap().with_local_infile(true);
    let mut connection = allowed(Connection::connect(&config))?;
    let rows: Vec<(i32, i32, String)> = (1..=2_000).map(|id| (id, id * 10, format!("name {id}"))).collect();
    let report = allowed(connection.execute_batch_with(INSERT, &rows, &BatchOptions::new().with_method(method)))?;
    assert_eq!(report.n_rows, 2_000);
    assert_eq!(ground.place.sql("SELECT COUNT(*), SUM(id), SUM(value) FROM people"), "2000,2001000,20010000");
    Ok(())
}

/// All or nothing; or all but the bad one, which is named.
fn bad_batch(ground: &Ground<'_>) -> Outcome {
    ground.people("(2,1,'before')");
    let mut connection = connection(ground)?;
    let rows: Vec<(i32, i32, &str)> = (1..=50).map(|id| (id, id, "new")).collect();
    let error = connection.execute_batch(INSERT, &rows).unwrap_err();
    assert_eq!((error.code(), error.row()), (DUPLICATE, Some(1)), "{error}");
    assert_eq!(ground.held(), "2,1,before");
    let skip = BatchOptions::new().with_bad_rows(OnBadRow::Skip);
    let report = allowed(connection.execute_batch_with(INSERT, &rows, &skip))?;
    assert_eq!((report.n_rows, report.bad_rows.len()), (49, 1));
    assert_eq!(ground.place.sql("SELECT COUNT(*), SUM(name = 'before') FROM people"), "50,1");
    Ok(())
}

/// Eight threads share three connections; the next user finds no trace of the last one.
fn pool(ground: &Ground<'_>) -> Outcome {
    ground.people("");
    let config = Config::from_url(&ground.url()).unwrap();
    let pool = allowed(Pool::new(config.with_pool(PoolOptions::new().with_max(3))))?;
    let stored = std::thread::scope(|scope| {
        let insert = |id: i32| {
            let mut connection = pool.get()?;
            connection.execute("SET @basket = 7", ())?;
            connection.execute(INSERT, (id, id, "by a thread"))
        };
        let threads: Vec<_> = (1..=8).map(|id| scope.spawn(move || insert(id))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect::<inrush::Result<Vec<_>>>()
    });
    allowed(stored)?;
    let (basket,): (Option<i64>,) = allowed(pool.query_one("SELECT @basket", ()))?;
    assert_eq!(basket, None);
    assert_eq!(ground.place.sql("SELECT COUNT(*), SUM(id) FROM people"), "8,36");
    pool.close();
    Ok(())
}

fn inserter(ground: &Ground<'_>, is_exactly_once: bool) -> Outcome {
    ground.people("(13,1,'before')");
    let pool = allowed(Pool::new(&*ground.url()))?;
    let inserter = allowed(pool.inserter_with("people", &InserterOptions::new().with_exactly_once(is_exactly_once)))?;
    let answers = inserter.insert_many((1..=300).map(|id| (id, id, "new")));
    let codes: Vec<(usize, u16)> = answers
        .iter()
        .enumerate()
        .filter_map(|(row, answer)| answer.as_ref().err().map(|error| (row, error)))
        .map(|(row, error)| {
            allowed::<()>(if error.kind() == inrush::Kind::Server { Ok(()) } else { Err(error.clone()) })?;
            Ok((row, error.code()))
        })
        .collect::<Result<_, Refusal>>()?;
    assert_eq!(codes, [(12, DUPLICATE)]);
    allowed(inserter.close())?;
    assert_eq!(ground.place.sql("SELECT COUNT(*), SUM(name = 'before') FROM people"), "300,1");
    Ok(())
}
