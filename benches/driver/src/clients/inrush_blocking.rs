//! inrush without a runtime.

use super::{Format, checksum, config};
use crate::{Place, Result};
use inrush::blocking::Connection;
use jiff::civil::DateTime;

/// One connection, for one thread.
pub(crate) struct Blocking(Connection);

impl Blocking {
    pub(crate) fn connect(place: &Place) -> Result<Self> {
        Ok(Self(Connection::connect(config(place))?))
    }

    pub(crate) fn select1(&mut self) -> Result<u64> {
        let (one,) = self.0.query_one("SELECT 1", ())?;
        Ok(one)
    }

    pub(crate) fn point(&mut self, sql: &str, id: u64) -> Result<u64> {
        let (id, name, age, email, score): (u64, String, i32, String, f64) = self.0.query_one(sql, (id,))?;
        Ok(checksum(id, &name, age, &email, score))
    }

    pub(crate) fn read(&mut self, sql: &str, format: Format) -> Result<u64> {
        let mut sum = 0;
        let statement;
        let mut rows = match format {
            Format::Text => self.0.query_iter(sql, ())?,
            Format::Binary => {
                statement = self.0.prepare(sql)?;
                self.0.query_iter(&statement, ())?
            }
        };
        while let Some(row) = rows.next_as::<(u64, &str, i32, &str, f64, DateTime)>()? {
            let (id, name, age, email, score, _created) = row;
            sum += checksum(id, name, age, email, score);
        }
        Ok(sum)
    }
}
