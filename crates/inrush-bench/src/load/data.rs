//! The loaded data: seeded data sets as CSV files with a header, whose lines the server can sum. Pure, but for what is
//! written to.

use super::tpch::Tpch;
use crate::dataset::{Checksum, Dice, Sbtest, Users};
use inrush::sans_io::{Error, Result};
use std::io::Write;

/// A data set.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Data {
    /// T1 of docs/notes: the table of `bench insert`.
    Users {
        /// How many.
        rows: u64,
    },
    /// T2: that of `bench sweep`.
    Sbtest {
        /// How many.
        rows: u64,
    },
    /// T5: six short columns of several types.
    Mixed {
        /// How many.
        rows: u64,
    },
    /// A table of TPC-H.
    Tpch {
        /// Which.
        table: Tpch,
        /// Of the whole: 1 is about a gigabyte.
        scale: f64,
    },
}

impl Data {
    /// By its name on the command line: `t1`, `t2`, `t5`, `tpch:lineitem`.
    ///
    /// # Errors
    /// `Config` if there is none of that name.
    pub fn named(name: &str, rows: u64, scale: f64) -> Result<Self> {
        match name {
            "t1" => Ok(Data::Users { rows }),
            "t2" => Ok(Data::Sbtest { rows }),
            "t5" => Ok(Data::Mixed { rows }),
            _ => match name.strip_prefix("tpch:").and_then(Tpch::named) {
                Some(table) => Ok(Data::Tpch { table, scale }),
                None => Err(Error::config(format!("`{name}` is not a data set")).with_hint(format!(
                    "there are `t1`, `t2`, `t5` and, of TPC-H, {}",
                    Tpch::NAMES.map(|name| format!("`tpch:{name}`")).join(", ")
                ))),
            },
        }
    }

    /// The names of the columns.
    pub fn columns(&self) -> Vec<String> {
        match self {
            Data::Users { .. } => Users::COLUMNS.map(str::to_owned).to_vec(),
            Data::Sbtest { .. } => Sbtest::new(0).names(),
            Data::Mixed { .. } => MIXED.map(str::to_owned).to_vec(),
            Data::Tpch { table, .. } => table.header().split(',').map(str::to_owned).collect(),
        }
    }

    /// The definition of the table `name`, which is quoted if need be.
    pub fn ddl(&self, name: &str) -> String {
        let columns = match self {
            Data::Users { .. } => return Users::ddl(name),
            Data::Sbtest { .. } => return Sbtest::new(0).ddl(name, 1, 0),
            Data::Mixed { .. } => MIXED_DDL,
            Data::Tpch { table, .. } => table.ddl(),
        };
        format!("CREATE TABLE {name} ({columns}) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4")
    }

    /// The query for the [`Checksum`] of the table `name`: one row of two columns.
    pub fn checksum_query(&self, name: &str) -> String {
        // The generator writes it as a whole number.
        let shown = |column: String| if column == "l_quantity" { "CAST(l_quantity AS SIGNED)".into() } else { column };
        let columns: Vec<String> = self.columns().into_iter().map(shown).collect();
        crate::dataset::checksum_query(name, &columns)
    }

    /// Writes the file. Returns the checksum of a table of its rows.
    ///
    /// # Errors
    /// `Io`.
    pub fn write(&self, seed: u64, out: &mut impl Write) -> Result<Checksum> {
        let mut sum = Sum::default();
        let failed = |e| Error::io("cannot write the rows", e);
        writeln!(out, "{}", self.columns().join(",")).map_err(failed)?;
        match self {
            Data::Users { rows } => {
                let users = Users::new(seed);
                for number in 1..rows + 1 {
                    out.write_all(users.tsv(number..number + 1).replace('\t', ",").as_bytes()).map_err(failed)?;
                }
                return Ok(users.checksum(1..rows + 1));
            }
            Data::Sbtest { rows } => {
                let made = Sbtest::new(seed).made(1);
                for number in 1..rows + 1 {
                    writeln!(out, "{}", made.line(number, ",")).map_err(failed)?;
                }
                return Ok(made.checksum(1..rows + 1));
            }
            Data::Mixed { rows } => {
                for number in 1..rows + 1 {
                    let line = mixed(seed, number);
                    sum.add(&line.replace(',', "|"));
                    writeln!(out, "{line}").map_err(failed)?;
                }
            }
            Data::Tpch { table, scale } => table.lines(*scale, |text, line| {
                sum.add(text.trim_end_matches('|'));
                writeln!(out, "{line}").map_err(failed)
            })?,
        }
        Ok(sum.0)
    }
}

#[derive(Default)]
struct Sum(Checksum);

impl Sum {
    /// A row as `CONCAT_WS('|', ..)` has it.
    fn add(&mut self, text: &str) {
        self.0 = self.0 + Checksum { rows: 1, sum: u64::from(crc32fast::hash(text.as_bytes())) };
    }
}

fn mixed(seed: u64, number: u64) -> String {
    let mut dice = Dice::new(seed ^ number.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    let (code, flag) = (dice.below(1_000), if dice.below(2) == 0 { 'N' } else { 'Y' });
    let (whole, cents) = (dice.below(1_000), dice.below(100));
    let (year, month, day) = (2000 + dice.below(25), 1 + dice.below(12), 1 + dice.below(28));
    format!("{number},{code},{flag},{whole}.{cents:02},{year}-{month:02}-{day:02},{:x}", dice.below(4_096))
}

const MIXED: [&str; 6] = ["id", "code", "flag", "price", "day", "tag"];

const MIXED_DDL: &str = "id INT NOT NULL PRIMARY KEY, code SMALLINT NOT NULL, flag CHAR(1) NOT NULL, \
    price DECIMAL(8,2) NOT NULL, day DATE NOT NULL, tag VARCHAR(8) NOT NULL";

#[cfg(test)]
mod tests {
    use super::*;

    fn written(name: &str, rows: u64, scale: f64) -> (String, Checksum) {
        let mut out = Vec::new();
        let sum = Data::named(name, rows, scale).unwrap().write(7, &mut out).unwrap();
        (String::from_utf8(out).unwrap(), sum)
    }

    #[test]
    fn a_header_and_a_line_a_row() {
        let names = ["t1", "t2", "t5"].map(str::to_owned);
        for name in names.into_iter().chain(Tpch::NAMES.map(|name| format!("tpch:{name}"))) {
            let (text, sum) = written(&name, 20, 0.001);
            assert_eq!(text.lines().count() as u64, sum.rows + 1, "{name}");
            let columns = Data::named(&name, 1, 1.0).unwrap().columns();
            assert_eq!(text.lines().next(), Some(columns.join(",").as_str()), "{name}");
            let ddl = Data::named(&name, 1, 1.0).unwrap().ddl("t");
            assert!(columns.iter().all(|column| ddl.contains(&format!("{column} "))), "{ddl}");
            assert_eq!(written(&name, 20, 0.001), (text, sum), "{name} is another the second time");
        }
        let (text, _) = written("t5", 1_000, 1.0);
        assert!((24..34).contains(&(text.len() / 1_001)), "{} bytes a row", text.len() / 1_001);
    }

    #[test]
    fn there_is_no_other() {
        for name in ["t3", "tpch", "tpch:people", ""] {
            let error = Data::named(name, 1, 1.0).unwrap_err();
            assert!(error.hint().is_some_and(|hint| hint.contains("`tpch:lineitem`")), "{error}");
        }
    }
}
