//! A load waits for its files if they are read slower than the server stores their rows.

use super::{Area, Rule};
use crate::doctor::facts::{Facts, STORED_BYTES};
use crate::doctor::finding::{Effect, Symptom};
use inrush::sans_io::human;

/// The rule.
pub(super) const RULE: Rule = Rule {
    name: "source-slow",
    area: Area::Source,
    about: "A load waits for its files if they are read slower than the server stores their rows.",
    source: "measured by this command",
    check,
};

fn check(facts: &Facts) -> Option<Symptom> {
    let source = facts.source.as_ref().filter(|source| source.rows > 0)?;
    let read = source.rows_a_second();
    let stored = facts.stored_rows();
    let effect = match stored {
        Some(stored) if stored > read => Effect::Measured {
            factor: stored / read,
            what: "a load whose files were read as fast as the server copies these rows".into(),
        },
        None if source.bytes_a_second() < STORED_BYTES => Effect::Known {
            what: format!(
                "a load is no faster than its files; servers with two cores store about {} a second",
                human::bytes(STORED_BYTES)
            ),
            weight: (STORED_BYTES / source.bytes_a_second()).min(8.0),
        },
        _ => return None,
    };
    let mut symptom = Symptom::new(
        format!("the files are read and checked at {} rows a second on this machine", human::short(read)),
        effect,
    )
    .because(format!(
        "{} rows, {}, took {}",
        human::exact(source.rows),
        human::bytes(source.bytes as f64),
        human::time(source.elapsed)
    ));
    if let Some(stored) = stored {
        symptom =
            symptom.because(format!("the server copies {} of them a second on one connection", human::short(stored)));
    }
    Some(symptom.do_this(
        "load several files side by side, as parts of one job (`--job-name`, `--part`); compress by zstd rather than gzip, xz or bzip2; prefer \
         CSV or Parquet to Excel and JSON",
    ))
}
