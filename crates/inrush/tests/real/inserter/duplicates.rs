//! Rows whose key is in the table already: kept, or updated, by batches as by single rows.

use super::{on_all, open};
use inrush::{InserterOptions, OnDuplicate};
use inrush_testkit::servers::Schema;

fn table(schema: &Schema) {
    schema.sql(
        "CREATE TABLE t (id INT PRIMARY KEY, n INT NOT NULL, name VARCHAR(9) NOT NULL) ENGINE=InnoDB; \
         INSERT INTO t VALUES (1, 1, 'old'), (2, 2, 'old')",
    );
}

fn rows(schema: &Schema) -> Vec<String> {
    schema.sql("SELECT id, n, name FROM t ORDER BY id").iter().map(|row| row.join(" ")).collect()
}

/// Rows 1 to 3 at once and row 2 alone, with one that does not fit; what is in the table then.
fn stored(on_duplicate: OnDuplicate, want: &[&str]) {
    for exactly_once in [false, true] {
        on_all(|case| {
            let schema = case.server.schema("duplicates");
            table(&schema);
            let options = InserterOptions::new().with_lanes(1).with_on_duplicate(on_duplicate.clone());
            let options = if exactly_once { options.with_exactly_once(true) } else { options };
            let inserter = open(case, &schema, options);
            let ends = inserter.insert_many((1..4).map(|id| (id, 10 * id, "new")));
            for end in ends {
                assert_eq!(end.unwrap().id, None);
            }
            inserter.insert((2, 21, "newer")).unwrap();
            let error = inserter.insert((1, 1, "much too long")).unwrap_err();
            assert_eq!(error.kind(), inrush::Kind::Data, "{error:?}");
            inserter.close().unwrap();
            assert_eq!(rows(&schema), want);
        });
    }
}

#[test]
fn rows_that_are_there_are_kept() {
    stored(OnDuplicate::Keep, &["1 1 old", "2 2 old", "3 30 new"]);
}

#[test]
fn rows_that_are_there_get_the_new_values() {
    stored(OnDuplicate::Update, &["1 10 new", "2 21 newer", "3 30 new"]);
}

#[test]
fn some_columns_get_the_new_values() {
    stored(OnDuplicate::UpdateColumns(vec!["n".to_owned()]), &["1 10 old", "2 21 old", "3 30 new"]);
}
