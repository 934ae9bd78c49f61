//! The loaded data: seeded data sets as CSV files with a header, whose lines the server can sum. Pure, except for the
//! writer in the arguments.

use super::keyed::Keys;
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
    /// T6, T7 and T8: a key of each kind, a number, a text.
    Keyed {
        /// Which keys.
        keys: Keys,
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
    /// By its name on the command line: `t1`, `t6`, `tpch:lineitem`.
    ///
    /// # Errors
    /// `Config` if there is none of that name.
    pub fn named(name: &str, rows: u64, scale: f64) -> Result<Self> {
        match name {
            "t1" => Ok(Data::Users { rows }),
            "t2" => Ok(Data::Sbtest { rows }),
            "t5" => Ok(Data::Mixed { rows }),
            "t6" => Ok(Data::Keyed { keys: Keys::Random, rows }),
            "t7" => Ok(Data::Keyed { keys: Keys::Ascending, rows }),
            "t8" => Ok(Data::Keyed { keys: Keys::Words, rows }),
            _ => match name.strip_prefix("tpch:").and_then(Tpch::named) {
                Some(table) => Ok(Data::Tpch { table, scale }),
                None => Err(Error::config(format!("`{name}` is not a data set")).with_hint(format!(
                    "there are `t1`, `t2`, `t5`, `t6`, `t7`, `t8` and, of TPC-H, {}",
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
            Data::Keyed { .. } => Keys::COLUMNS.map(str::to_owned).to_vec(),
            Data::Tpch { table, .. } => table.header().split(',').map(str::to_owned).collect(),
        }
    }

    /// The definition of the table `name`, which is quoted if need be, with so many secondary indexes, [`Self::most_indexes`] at most.
    pub fn ddl(&self, name: &str, indexes: usize) -> String {
        let columns = match self {
            Data::Keyed { keys, .. } => &keys.columns_ddl(indexes),
            Data::Users { .. } => return Users::ddl(name),
            Data::Sbtest { .. } => return Sbtest::new(0).ddl(name, 1, 0),
            Data::Mixed { .. } => MIXED_DDL,
            Data::Tpch { table, .. } => table.ddl(),
        };
        format!("CREATE TABLE {name} ({columns}) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4")
    }

    /// How many secondary indexes the table may have.
    pub fn most_indexes(&self) -> usize {
        if let Data::Keyed { .. } = self { Keys::MOST_INDEXES } else { 0 }
    }

    /// Whether the rows of the file are in another order than the keys.
    pub fn is_shuffled(&self) -> bool {
        matches!(self, Data::Keyed { keys, .. } if keys.are_shuffled())
    }

    /// The column that is computed from a field of the file, as `--set` takes it.
    pub fn set(&self) -> Option<&'static str> {
        if let Data::Keyed { keys, .. } = self { keys.set() } else { None }
    }

    /// The query for the [`Checksum`] of the table `name`: one row of two columns.
    pub fn checksum_query(&self, name: &str) -> String {
        if let Data::Keyed { keys, .. } = self {
            return crate::dataset::checksum_query(name, &keys.shown_columns());
        }
        // The generator writes it as a whole number.
        let shown = |column: String| if column == "l_quantity" { "CAST(l_quantity AS SIGNED)".into() } else { column };
        let columns: Vec<String> = self.columns().into_iter().map(shown).collect();
        crate::dataset::checksum_query(name, &columns)
    }

    /// Writes the rows of a shuffled file in the order of the keys; others as [`Self::write`] does. Returns their checksum.
    ///
    /// # Errors
    /// `Io`.
    pub fn write_sorted(&self, seed: u64, out: &mut impl Write) -> Result<Checksum> {
        let Data::Keyed { keys, rows } = *self else { return self.write(seed, out) };
        let mut places: Vec<u64> = keys.places(seed, rows).collect();
        places.sort_unstable();
        writeln!(out, "{}", self.columns().join(",")).map_err(|e| Error::io("cannot write the rows", e))?;
        write_keyed(keys, seed, places.into_iter(), out)
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
            Data::Keyed { keys, rows } => return write_keyed(*keys, seed, keys.places(seed, *rows), out),
            Data::Tpch { table, scale } => table.lines(*scale, |text, line| {
                sum.add(text.trim_end_matches('|'));
                writeln!(out, "{line}").map_err(failed)
            })?,
        }
        Ok(sum.0)
    }
}

/// Writes the rows of these places, and returns their checksum.
fn write_keyed(keys: Keys, seed: u64, places: impl Iterator<Item = u64>, out: &mut impl Write) -> Result<Checksum> {
    let (mut sum, mut line) = (Sum::default(), String::new());
    for place in places {
        line.clear();
        keys.line(seed, place, &mut line);
        writeln!(out, "{line}").map_err(|e| Error::io("cannot write the rows", e))?;
        sum.add(&line.replace(',', "|"));
    }
    Ok(sum.0)
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
        let names = ["t1", "t2", "t5", "t6", "t7", "t8"].map(str::to_owned);
        for name in names.into_iter().chain(Tpch::NAMES.map(|name| format!("tpch:{name}"))) {
            let (text, sum) = written(&name, 20, 0.001);
            assert_eq!(text.lines().count() as u64, sum.rows + 1, "{name}");
            let columns = Data::named(&name, 1, 1.0).unwrap().columns();
            assert_eq!(text.lines().next(), Some(columns.join(",").as_str()), "{name}");
            let ddl = Data::named(&name, 1, 1.0).unwrap().ddl("t", 0);
            assert!(columns.iter().all(|column| ddl.contains(&format!("{column} "))), "{ddl}");
            assert_eq!(written(&name, 20, 0.001), (text, sum), "{name} is another the second time");
        }
        let (text, _) = written("t5", 1_000, 1.0);
        assert!((24..34).contains(&(text.len() / 1_001)), "{} bytes a row", text.len() / 1_001);
    }

    #[test]
    fn a_sorted_file_has_the_same_rows() {
        for name in ["t6", "t7", "t8"] {
            let data = Data::named(name, 300, 1.0).unwrap();
            let (text, sum) = written(name, 300, 1.0);
            let mut sorted = Vec::new();
            assert_eq!(data.write_sorted(7, &mut sorted).unwrap(), sum, "{name}");
            let sorted = String::from_utf8(sorted).unwrap();
            assert_eq!(sorted != text, data.is_shuffled(), "{name}");
            let [of_file, of_sorted] = [&text, &sorted].map(|text| {
                let mut lines: Vec<&str> = text.lines().skip(1).collect();
                lines.sort_unstable();
                lines
            });
            assert_eq!(of_file, of_sorted, "{name}");
            let key = |line: &&str| line.split(',').next().map(str::to_lowercase);
            assert!(sorted.lines().skip(1).collect::<Vec<_>>().is_sorted_by_key(key), "{name}");
        }
    }

    #[test]
    fn there_is_no_other() {
        for name in ["t3", "tpch", "tpch:people", ""] {
            let error = Data::named(name, 1, 1.0).unwrap_err();
            assert!(error.hint().is_some_and(|hint| hint.contains("`tpch:lineitem`")), "{error}");
        }
    }
}
