//! inrush on tokio.

use super::{Client, Format, Inrush, checksum};
use crate::{Place, Result};
use inrush::{Config, Connection, TlsMode};
use jiff::civil::DateTime;

/// What both twins are configured with.
pub(crate) fn config(place: &Place) -> Config {
    Config::new()
        .with_host(&place.host)
        .with_port(place.port)
        .with_user(&place.user)
        .with_password(&place.password)
        .with_database(&place.database)
        .with_tls(TlsMode::Disabled)
        .with_public_key_retrieval(true)
}

impl Client for Inrush {
    async fn connect(place: &Place) -> Result<Self> {
        Ok(Connection::connect(&config(place)).await?)
    }

    async fn select1(&mut self) -> Result<u64> {
        let (one,) = self.query_one("SELECT 1", ()).await?;
        Ok(one)
    }

    async fn point(&mut self, sql: &str, id: u64) -> Result<u64> {
        let (id, name, age, email, score): (u64, String, i32, String, f64) = self.query_one(sql, (id,)).await?;
        Ok(checksum(id, &name, age, &email, score))
    }

    async fn read(&mut self, sql: &str, format: Format) -> Result<u64> {
        let mut sum = 0;
        let statement;
        let mut rows = match format {
            Format::Text => self.query_iter(sql, ()).await?,
            Format::Binary => {
                statement = self.prepare(sql).await?;
                self.query_iter(&statement, ()).await?
            }
        };
        while let Some(row) = rows.next_as::<(u64, &str, i32, &str, f64, DateTime)>().await? {
            let (id, name, age, email, score, _created) = row;
            sum += checksum(id, name, age, email, score);
        }
        Ok(sum)
    }
}

/// The same connection, whose `read` collects all rows first.
pub(crate) struct Collecting(Inrush);

impl Client for Collecting {
    async fn connect(place: &Place) -> Result<Self> {
        Ok(Self(Inrush::connect(&config(place)).await?))
    }

    async fn select1(&mut self) -> Result<u64> {
        self.0.select1().await
    }

    async fn point(&mut self, sql: &str, id: u64) -> Result<u64> {
        self.0.point(sql, id).await
    }

    async fn read(&mut self, sql: &str, format: Format) -> Result<u64> {
        type Person = (u64, String, i32, String, f64, DateTime);
        let rows: Vec<Person> = match format {
            Format::Text => self.0.query(sql, ()).await?,
            Format::Binary => {
                let statement = self.0.prepare(sql).await?;
                self.0.query(&statement, ()).await?
            }
        };
        Ok(rows.iter().map(|(id, name, age, email, score, _)| checksum(*id, name, *age, email, *score)).sum())
    }
}
