//! Read views: several connections see one state, and are told if a table is another one when they read it.

use crate::cases::{Route, in_cases};
use inrush::{ReadLock, ReadView};
use inrush_testkit::servers::{self, Vendor};

#[test]
fn all_connections_see_one_state() {
    in_cases(servers::all(), &[Route::Unix], |case| {
        let schema = case.server.schema("views");
        let config = case.config().with_database(schema.name());
        for (id, name) in [(1, "a"), (2, "b"), (3, "c")] {
            schema.sql(&format!("CREATE TABLE {name} (id INT); INSERT INTO {name} VALUES ({id})"));
        }
        let tables = ["a", "b", "c"].map(str::to_owned);
        let view = ReadView::open(&config, &tables, 3, ReadLock::Tables).unwrap();
        assert_eq!((view.lock(), view.n_connections()), (ReadLock::Tables, 3));
        schema.sql("INSERT INTO a VALUES (10); DELETE FROM b; ALTER TABLE b ADD COLUMN more INT, ALGORITHM=COPY");
        schema.sql("ALTER TABLE c ADD COLUMN more INT DEFAULT 7, ALGORITHM=INSTANT; INSERT INTO c VALUES (30, 8)");
        for mut connection in view.into_connections() {
            let mut ids = |table: &str| {
                let ids = connection.query::<i32>(&format!("SELECT id FROM {table}"), ());
                ids.map_err(|error| error.code())
            };
            assert_eq!(ids("a"), Ok(vec![1]));
            // ER_TABLE_DEF_CHANGED: what the table was then is no longer there.
            assert_eq!(ids("b"), Err(1412));
            // MariaDB reads on where a column was added in an instant, with the rows of then.
            let is_mysql = case.server.vendor == Vendor::Mysql;
            assert_eq!(ids("c"), if is_mysql { Err(1412) } else { Ok(vec![3]) });
        }
        let one = ReadView::open(&config, &tables, 1, ReadLock::Tables).unwrap();
        assert_eq!((one.lock(), one.position()), (ReadLock::OneConnection, None));
        let none = ReadView::open(&config, &tables, 2, ReadLock::None).unwrap();
        assert_eq!((none.lock(), none.position(), none.n_connections()), (ReadLock::None, None, 2));
    });
}
