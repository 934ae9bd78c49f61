//! The table that a refresh has replaced, while it is kept: its name, its line in the ledger, and the RENAME that takes the refresh back.
//!
//! The ledger names it by a tag of hex digits and the name of the table, never by a whole name: whatever a line says, no other table than
//! one of ours is renamed or dropped.

use super::copied::{Tag, without_counter};
use crate::column::ident::{quote_ident, quote_table};
use crate::error::{Error, Result};
use crate::load::ledger::{JobId, JobLine, Mapping};
use sha2::{Digest, Sha256};

/// A table that a refresh has replaced, or will.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kept {
    /// The schema.
    pub schema: String,
    /// The table that the refresh fills.
    pub table: String,
    /// Which refresh.
    pub tag: Tag,
    /// [`shape`] of the table that has taken its place.
    pub shape: String,
    /// Whether the refresh was undone: then the new content is kept in its place.
    pub is_undone: bool,
}

impl Kept {
    /// The name of the old table while it is kept.
    pub fn name(&self) -> String {
        self.named("kept")
    }

    /// The name of the new table once the refresh was undone.
    pub fn undone_name(&self) -> String {
        self.named("undone")
    }

    /// The one that is there now.
    pub fn name_now(&self) -> String {
        if self.is_undone { self.undone_name() } else { self.name() }
    }

    /// Names of servers have at most 64 characters, also those that MySQL makes of a table's for its checks: `people__inrush_kept_00abcdef_chk_1`.
    fn named(&self, word: &str) -> String {
        self.table.chars().take(31).collect::<String>() + &format!("__inrush_{word}_{}", self.tag)
    }

    /// Puts the old table back, and the new one aside: at once for all who read.
    pub fn undo_statement(&self) -> String {
        let quoted = |name: &str| quote_table(&self.schema, name);
        let (table, kept, undone) = (quoted(&self.table), quoted(&self.name()), quoted(&self.undone_name()));
        format!("RENAME TABLE {table} TO {undone}, {kept} TO {table}")
    }

    /// Drops what is kept.
    pub fn drop_statement(&self) -> String {
        format!("DROP TABLE IF EXISTS {}", quote_table(&self.schema, &self.name_now()))
    }

    /// The id of its own line in the ledger.
    pub fn id(&self) -> JobId {
        JobId::of_kept(&self.schema, &self.table, &self.tag.to_string())
    }

    /// The target of its own line, and of the lines of jobs whose rows are in it.
    pub fn target(&self) -> String {
        format!("{}.{}", self.schema, self.name_now())
    }

    /// The id that a job has while its rows are in the kept table: loads into the table do not find it. Of this id, the job's own.
    pub fn aside(&self, job: JobId) -> JobId {
        let mut id = self.id().0;
        id.iter_mut().zip(job.0).for_each(|(byte, of_job)| *byte ^= of_job);
        JobId(id)
    }

    /// What its line says.
    pub fn mapping(&self) -> Mapping {
        let mapping = Mapping::default().with(KEPT, &self.tag).with("of", hex(&self.table)).with("shape", &self.shape);
        if self.is_undone { mapping.with("undone", 1) } else { mapping }
    }

    /// Reads such a line; `None` for the line of a job.
    pub fn of_line(schema: &str, line: &JobLine) -> Result<Option<Self>> {
        let Some(tag) = line.mapping.get(KEPT) else { return Ok(None) };
        let odd = || Error::protocol("a line of `inrush_job` about a kept table has an odd shape");
        let tag = Tag::parse(tag).ok_or_else(odd)?;
        let table = line.mapping.get("of").and_then(of_hex).ok_or_else(odd)?;
        let shape = line.mapping.get("shape").ok_or_else(odd)?.to_owned();
        let is_undone = line.mapping.get("undone").is_some();
        let kept = Self { schema: schema.to_owned(), table, tag, shape, is_undone };
        // Some servers take names that differ by case for the same.
        let is_its_own = kept.id() == line.id && kept.target().to_lowercase() == line.target.to_lowercase();
        if is_its_own { Ok(Some(kept)) } else { Err(odd()) }
    }
}

/// A name as a line has it: texts of a mapping are escaped, and this one must be read back as it was.
fn hex(name: &str) -> String {
    name.bytes().map(|byte| format!("{byte:02x}")).collect()
}

fn of_hex(text: &str) -> Option<String> {
    let digits = text.as_bytes().chunks(2).map(|pair| std::str::from_utf8(pair).ok().filter(|pair| pair.len() == 2));
    let bytes = digits.map(|pair| u8::from_str_radix(pair?, 16).ok()).collect::<Option<Vec<u8>>>()?;
    String::from_utf8(bytes).ok()
}

/// What is before the id of the refresh in such a line's source.
pub const BEFORE_JOB: &str = "` as it was before job ";

/// The first word of such a line's mapping.
pub const KEPT: &str = "kept";

/// A hash of a table's definition that is the same under another name: SHOW CREATE TABLE without its first line, the counter, and the names that
/// MySQL makes of the table's for its checks.
pub fn shape(create: &str, name: &str) -> String {
    let text = without_counter(create);
    let body = text.split_once('\n').map_or("", |(_, body)| body);
    let quoted = quote_ident(name);
    let of_name = format!("{}_chk_", quoted.trim_end_matches('`'));
    let body = body.replace(&of_name, "`_chk_");
    Sha256::digest(body.as_bytes())[..16].iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(table: &str, is_undone: bool) -> Kept {
        let tag = Tag::of(0x00ab_cdef);
        Kept { schema: "shop".into(), table: table.into(), tag, shape: "77".into(), is_undone }
    }

    #[test]
    fn statements() {
        assert_eq!(
            kept("people", false).undo_statement(),
            "RENAME TABLE `shop`.`people` TO `shop`.`people__inrush_undone_00abcdef`, \
             `shop`.`people__inrush_kept_00abcdef` TO `shop`.`people`"
        );
        assert_eq!(
            kept("people", true).drop_statement(),
            "DROP TABLE IF EXISTS `shop`.`people__inrush_undone_00abcdef`"
        );
        let long = kept(&"ä".repeat(64), false);
        assert_eq!((long.name().chars().count(), long.undone_name().chars().count()), (53, 55));
    }

    #[test]
    fn a_job_that_is_put_aside_comes_back() {
        let (kept, job) = (kept("people", false), JobId::of("shop", "people", "/a.csv"));
        assert_ne!(kept.aside(job), job);
        assert_eq!(kept.aside(kept.aside(job)), job);
        assert_eq!(kept.aside(job), Kept { is_undone: true, ..kept.clone() }.aside(job));
    }

    #[test]
    fn names_are_read_back() {
        for name in ["people", "na\u{301}me `x`", "\u{301}\n'\\"] {
            assert_eq!(of_hex(&hex(name)).as_deref(), Some(name));
        }
        for odd in ["7", "7x", "ff"] {
            assert_eq!(of_hex(odd), None, "{odd}");
        }
    }

    #[test]
    fn a_shape_has_no_name() {
        let create = |name: &str, ty: &str| {
            format!(
                "CREATE TABLE `{name}` (\n  `id` {ty} DEFAULT NULL,\n  CONSTRAINT `{name}_chk_1` CHECK ((`id` > 0))\n) ENGINE=InnoDB AUTO_INCREMENT=7"
            )
        };
        let of = |name: &str, ty: &str| shape(&create(name, ty), name);
        assert_eq!(of("people", "int"), of("people__inrush_new", "int"));
        assert_ne!(of("people", "int"), of("people", "bigint"));
    }
}
