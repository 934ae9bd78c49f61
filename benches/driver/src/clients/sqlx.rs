//! sqlx on tokio, with rows that borrow where its interface can.

use super::{Client, Format, Sqlx, checksum};
use crate::{Place, Result};
use chrono::NaiveDateTime;
use futures_util::TryStreamExt;
use futures_util::stream::BoxStream;
use sqlx::mysql::{MySqlConnectOptions, MySqlRow, MySqlSslMode};
use sqlx::{AssertSqlSafe, ConnectOptions, Row};

impl Client for Sqlx {
    async fn connect(place: &Place) -> Result<Self> {
        let options = MySqlConnectOptions::new()
            .host(&place.host)
            .port(place.port)
            .username(&place.user)
            .password(&place.password)
            .database(&place.database)
            .ssl_mode(MySqlSslMode::Disabled);
        Ok(options.connect().await?)
    }

    async fn select1(&mut self) -> Result<u64> {
        let row = sqlx::raw_sql("SELECT 1").fetch_one(self).await?;
        let one: i64 = row.try_get(0)?;
        Ok(one as u64)
    }

    async fn point(&mut self, sql: &str, id: u64) -> Result<u64> {
        let query = sqlx::query_as::<_, (i64, String, i32, String, f64)>(AssertSqlSafe(sql)).bind(id);
        let (id, name, age, email, score) = query.fetch_one(self).await?;
        Ok(checksum(id as u64, &name, age, &email, score))
    }

    async fn read(&mut self, sql: &str, format: Format) -> Result<u64> {
        let mut sum = 0;
        let mut rows: BoxStream<'_, sqlx::Result<MySqlRow>> = match format {
            Format::Text => sqlx::raw_sql(AssertSqlSafe(sql)).fetch(self),
            Format::Binary => sqlx::query(AssertSqlSafe(sql)).fetch(self),
        };
        while let Some(row) = rows.try_next().await? {
            let id: i64 = row.try_get(0)?;
            // Borrowed, as sqlx can.
            let (name, age, email): (&str, i32, &str) = (row.try_get(1)?, row.try_get(2)?, row.try_get(3)?);
            let (score, _created): (f64, NaiveDateTime) = (row.try_get(4)?, row.try_get(5)?);
            sum += checksum(id as u64, name, age, email, score);
        }
        Ok(sum)
    }
}
