//! sqlx, whose way of writing many rows is `push_values`.

use crate::Work;
use bench_lib::{Laps, Place, Result, people};
use sqlx::mysql::{MySqlConnectOptions, MySqlSslMode};
use sqlx::{ConnectOptions, Connection, MySql, QueryBuilder};

pub(crate) async fn run(mut work: Work) -> Result<Laps> {
    let mut conn = options(&work.place).connect().await?;
    let head = work.place.insert_head().replace("VALUES ", "");
    let mut laps = Laps::default();
    for (is_measured, n_rows) in work.plan.batches(work.people.len()) {
        let rows = &work.people[..n_rows];
        laps.start(is_measured);
        let mut transaction = conn.begin().await?;
        for rows in rows.chunks(work.statement_rows) {
            let mut insert = QueryBuilder::<MySql>::new(head.as_str());
            insert.push_values(rows, |mut row, (id, name, age, email, score, created)| {
                row.push_bind(id).push_bind(name).push_bind(age).push_bind(email).push_bind(score).push_bind(created);
            });
            insert.build().execute(&mut *transaction).await?;
        }
        transaction.commit().await?;
        laps.stop();
        people::renumber(&mut work.people);
    }
    Ok(laps)
}

fn options(place: &Place) -> MySqlConnectOptions {
    MySqlConnectOptions::new()
        .host(&place.host)
        .port(place.port)
        .username(&place.user)
        .password(&place.password)
        .database(&place.database)
        .ssl_mode(MySqlSslMode::Disabled)
}
