//! The two tables of the JOIN: people and what they ordered, made from a seed.

use crate::dataset::Dice;
use inrush::blocking::Connection;
use inrush::sans_io::Result;

/// Selects the finished orders of adults: always a hundred rows.
pub const JOIN: &str = "SELECT u.id, u.name, o.order_id, o.amount FROM bench_people u JOIN bench_orders o ON u.id = o.user_id \
                        WHERE u.age > 18 AND o.status = 'completed' LIMIT 100";

/// How many rows it gets.
pub(super) const JOIN_ROWS: u64 = 100;

/// Their names.
pub const TABLES: [&str; 2] = ["bench_people", "bench_orders"];

/// Their definitions.
pub fn ddl() -> [String; 2] {
    [
        format!(
            "CREATE TABLE {} (id INT NOT NULL PRIMARY KEY, name VARCHAR(64) NOT NULL, age INT NOT NULL) ENGINE=InnoDB",
            TABLES[0]
        ),
        format!(
            "CREATE TABLE {} (order_id INT NOT NULL PRIMARY KEY, user_id INT NOT NULL, amount DECIMAL(10,2) NOT NULL, \
             status VARCHAR(16) NOT NULL, KEY user_id (user_id)) ENGINE=InnoDB",
            TABLES[1]
        ),
    ]
}

/// Makes them in the schema that the connection is in.
///
/// # Errors
/// Those of the server.
pub(super) fn make(connection: &mut Connection, seed: u64) -> Result<()> {
    for (table, ddl) in TABLES.iter().zip(ddl()) {
        connection.execute(&format!("DROP TABLE IF EXISTS {table}"), ())?;
        connection.execute(&ddl, ())?;
    }
    let mut dice = Dice::new(seed);
    let people: Vec<_> = (0..PEOPLE).map(|id| (id, format!("person {id}"), 10 + dice.below(70) as i32)).collect();
    let orders: Vec<_> = (0..ORDERS)
        .map(|id| {
            let cents = dice.below(100_000);
            let amount = format!("{}.{:02}", cents / 100, cents % 100);
            (id, dice.below(u64::from(PEOPLE)) as u32, amount, STATES[dice.below(4) as usize])
        })
        .collect();
    connection.execute_batch("INSERT INTO bench_people (id, name, age) VALUES (?, ?, ?)", &people)?;
    let orders_into = "INSERT INTO bench_orders (order_id, user_id, amount, status) VALUES (?, ?, ?, ?)";
    connection.execute_batch(orders_into, &orders)?;
    connection.query_each("ANALYZE TABLE bench_people, bench_orders", (), |_| Ok(()))?;
    Ok(())
}

const PEOPLE: u32 = 2_000;

const ORDERS: u32 = 20_000;

const STATES: [&str; 4] = ["completed", "completed", "pending", "cancelled"];
