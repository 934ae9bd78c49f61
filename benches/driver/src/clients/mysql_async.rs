//! mysql_async, with rows as tuples.

use super::{Client, Format, MySqlAsync, checksum};
use crate::{Place, Result};
use chrono::NaiveDateTime;
use futures_util::TryStreamExt;
use mysql_async::prelude::Queryable;
use mysql_async::{Conn, OptsBuilder};

pub(crate) fn options(place: &Place) -> OptsBuilder {
    OptsBuilder::default()
        .ip_or_hostname(&place.host)
        .tcp_port(place.port)
        .user(Some(&place.user))
        .pass(Some(&place.password))
        .db_name(Some(&place.database))
        // Over TCP, as the others.
        .prefer_socket(false)
}

type Person = (u64, String, i32, String, f64, NaiveDateTime);

impl Client for MySqlAsync {
    async fn connect(place: &Place) -> Result<Self> {
        Ok(Conn::new(options(place)).await?)
    }

    async fn select1(&mut self) -> Result<u64> {
        self.query_first("SELECT 1").await?.ok_or_else(|| "no row".into())
    }

    async fn point(&mut self, sql: &str, id: u64) -> Result<u64> {
        let row: Option<(u64, String, i32, String, f64)> = self.exec_first(sql, (id,)).await?;
        let (id, name, age, email, score) = row.ok_or("no row")?;
        Ok(checksum(id, &name, age, &email, score))
    }

    async fn read(&mut self, sql: &str, format: Format) -> Result<u64> {
        let mut sum = 0;
        match format {
            Format::Text => {
                let mut rows = self.query_stream::<Person, _>(sql).await?;
                while let Some((id, name, age, email, score, _)) = rows.try_next().await? {
                    sum += checksum(id, &name, age, &email, score);
                }
            }
            Format::Binary => {
                let mut rows = self.exec_stream::<Person, _, _>(sql, ()).await?;
                while let Some((id, name, age, email, score, _)) = rows.try_next().await? {
                    sum += checksum(id, &name, age, &email, score);
                }
            }
        }
        Ok(sum)
    }
}
