//! mysql_async.

use crate::{Person, Work, text};
use bench_lib::{Laps, Place, Result, people};
use mysql_async::prelude::Queryable;
use mysql_async::{Conn, OptsBuilder, Params, TxOpts, Value};

pub(crate) async fn run(mut work: Work) -> Result<Laps> {
    let mut conn = Conn::new(options(&work.place)).await?;
    let (head, one) = (work.place.insert_head(), work.place.insert_sql(1));
    // Prepared before any clock runs, where it is used.
    let full = match work.how.as_str() {
        "prepared" => Some(conn.prep(work.place.insert_sql(work.statement_rows)).await?),
        _ => None,
    };
    let (mut laps, mut sql) = (Laps::default(), String::new());
    for (is_measured, n_rows) in work.plan.batches(work.people.len()) {
        let rows = &work.people[..n_rows];
        laps.start(is_measured);
        let mut transaction = conn.start_transaction(TxOpts::default()).await?;
        match work.how.as_str() {
            "exec-batch" => {
                let values =
                    rows.iter().map(|(id, name, age, email, score, created)| (id, name, age, email, score, created));
                transaction.exec_batch(one.as_str(), values).await?;
            }
            "text" => {
                for rows in rows.chunks(work.statement_rows) {
                    text::insert(&mut sql, &head, rows);
                    transaction.query_drop(&sql).await?;
                }
            }
            "prepared" => {
                for rows in rows.chunks(work.statement_rows) {
                    let params = params(rows);
                    match &full {
                        Some(full) if rows.len() == work.statement_rows => transaction.exec_drop(full, params).await?,
                        _ => transaction.exec_drop(work.place.insert_sql(rows.len()), params).await?,
                    }
                }
            }
            how => return Err(format!("not a way of mysql_async: `{how}`").into()),
        }
        transaction.commit().await?;
        laps.stop();
        people::renumber(&mut work.people);
    }
    Ok(laps)
}

fn options(place: &Place) -> OptsBuilder {
    OptsBuilder::default()
        .ip_or_hostname(&place.host)
        .tcp_port(place.port)
        .user(Some(&place.user))
        .pass(Some(&place.password))
        .db_name(Some(&place.database))
        // Over TCP, as the others.
        .prefer_socket(false)
}

fn params(rows: &[Person]) -> Params {
    let mut values: Vec<Value> = Vec::with_capacity(6 * rows.len());
    for (id, name, age, email, score, created) in rows {
        values.extend([
            id.into(),
            name.as_str().into(),
            age.into(),
            email.as_str().into(),
            score.into(),
            (*created).into(),
        ]);
    }
    Params::Positional(values)
}
