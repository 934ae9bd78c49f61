//! All or nothing: rows go into a shadow of the table, which takes its place by one RENAME when the last of them is stored.

use crate::column::Column;
use crate::column::ident::{quote_ident, quote_table};
use crate::load::ledger::JobId;
use sha2::{Digest, Sha256};

/// The tables of an atomic load: names without quotes, all in one schema.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shadow {
    /// The schema.
    pub schema: String,
    /// The table.
    pub table: String,
    /// What is filled.
    pub shadow: String,
    /// What the table is called from the RENAME until it is dropped.
    pub old: String,
}

impl Shadow {
    /// For a table. Names of servers have at most 64 characters, also those that MySQL makes of a table's for its checks:
    /// `people__inrush_new_chk_1`. The end of a name that is too long is replaced by a hash, as names may differ there alone.
    pub fn of(schema: &str, table: &str) -> Self {
        let beginning = match table.chars().count() <= MOST_CHARS {
            true => table.to_owned(),
            false => {
                // Some servers take names that differ by case for the same.
                let hash = Sha256::digest(table.to_lowercase().as_bytes());
                let hash: String = hash[..4].iter().map(|byte| format!("{byte:02x}")).collect();
                format!("{}_{hash}", table.chars().take(MOST_CHARS - 9).collect::<String>())
            }
        };
        let name = |suffix: &str| format!("{beginning}{suffix}");
        Self { schema: schema.into(), table: table.into(), shadow: name("__inrush_new"), old: name("__inrush_old") }
    }

    /// Makes the shadow. It fails if there is one, which then is another load's.
    pub fn create(&self) -> String {
        format!("CREATE TABLE {} LIKE {}", self.quoted(&self.shadow), self.quoted(&self.table))
    }

    /// Drops a shadow that was made and never used.
    pub fn drop_unused(&self) -> String {
        format!("DROP TABLE {}", self.quoted(&self.shadow))
    }

    /// A row of the shadow, if it has one.
    pub fn first_row_query(&self) -> String {
        format!("SELECT 1 FROM {} LIMIT 1", self.quoted(&self.shadow))
    }

    /// Excludes others that are about to create the same shadow, until [`Shadow::unlock`] or until the connection ends. Its row
    /// is 1.
    pub fn lock(&self) -> String {
        format!("SELECT GET_LOCK({}, {LOCK_SECONDS})", self.lock_name())
    }

    /// Lets others make it.
    pub fn unlock(&self) -> String {
        format!("DO RELEASE_LOCK({})", self.lock_name())
    }

    /// Names of locks have at most 64 characters, and are the whole server's.
    fn lock_name(&self) -> String {
        format!("'inrush {}'", JobId::of(&self.schema, &self.shadow, "the making of it"))
    }

    /// Fills the shadow with what the table holds.
    pub fn copy(&self, columns: &[Column]) -> String {
        let names = columns.iter().filter(|column| !column.generated).map(|column| quote_ident(&column.name));
        let names = names.collect::<Vec<_>>().join(",");
        format!("INSERT INTO {} ({names}) SELECT {names} FROM {}", self.quoted(&self.shadow), self.quoted(&self.table))
    }

    /// Puts the shadow in the table's place.
    pub fn swap(&self) -> String {
        format!(
            "RENAME TABLE {} TO {}, {} TO {}",
            self.quoted(&self.table),
            self.quoted(&self.old),
            self.quoted(&self.shadow),
            self.quoted(&self.table)
        )
    }

    /// Returns statements for tables that do not exist. They fail because a right is missing, or else because the table is
    /// missing.
    pub fn try_rights(&self) -> [String; 3] {
        let same = |name: &str| format!("RENAME TABLE {0} TO {0}", self.quoted(name));
        [same(&self.shadow), same(&self.old), format!("LOCK TABLES {} READ", self.quoted(&self.shadow))]
    }

    /// Drops what was the table.
    pub fn drop_old(&self) -> String {
        format!("DROP TABLE IF EXISTS {}", self.quoted(&self.old))
    }

    fn quoted(&self, name: &str) -> String {
        quote_table(&self.schema, name)
    }
}

/// Leaves room for `__inrush_new_chk_999`.
const MOST_CHARS: usize = 44;

/// Longer than a table takes to be made.
const LOCK_SECONDS: u32 = 10;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::column::ColumnType;

    #[test]
    fn statements() {
        let shadow = Shadow::of("shop", "people");
        assert_eq!(shadow.create(), "CREATE TABLE `shop`.`people__inrush_new` LIKE `shop`.`people`");
        assert_eq!(
            shadow.swap(),
            "RENAME TABLE `shop`.`people` TO `shop`.`people__inrush_old`, `shop`.`people__inrush_new` TO `shop`.`people`"
        );
        assert_eq!(shadow.drop_old(), "DROP TABLE IF EXISTS `shop`.`people__inrush_old`");
        let [shadow_to_itself, old_to_itself, lock] = shadow.try_rights();
        assert_eq!(shadow_to_itself, "RENAME TABLE `shop`.`people__inrush_new` TO `shop`.`people__inrush_new`");
        assert_eq!(old_to_itself, shadow_to_itself.replace("_new", "_old"));
        assert_eq!(lock, "LOCK TABLES `shop`.`people__inrush_new` READ");
        assert_eq!(shadow.drop_unused(), "DROP TABLE `shop`.`people__inrush_new`");
        assert_eq!(shadow.first_row_query(), "SELECT 1 FROM `shop`.`people__inrush_new` LIMIT 1");
        assert_eq!(shadow.unlock().len(), "DO RELEASE_LOCK('inrush ')".len() + 32, "{}", shadow.unlock());
    }

    #[test]
    fn what_is_generated_is_not_copied() {
        let column = |name: &str, generated| Column { generated, ..Column::new(name, ColumnType::parse("int")) };
        let columns = [column("id", false), column("twice", true), column("a`b", false)];
        assert_eq!(
            Shadow::of("s", "t").copy(&columns),
            "INSERT INTO `s`.`t__inrush_new` (`id`,`a``b`) SELECT `id`,`a``b` FROM `s`.`t`"
        );
    }

    #[test]
    fn long_names_stay_within_the_servers_limit() {
        for (n, want) in [(43, 55), (44, 56), (45, 56), (64, 56)] {
            let shadow = Shadow::of("s", &"ä".repeat(n));
            assert_eq!((shadow.shadow.chars().count(), shadow.old.chars().count()), (want, want), "{n}");
            assert_ne!(shadow.shadow, shadow.old);
        }
        let of = |last: &str| Shadow::of("s", &format!("{}{last}", "a".repeat(63))).shadow;
        assert_ne!(of("b"), of("c"));
        assert_eq!(of("b"), of("B"));
    }
}
