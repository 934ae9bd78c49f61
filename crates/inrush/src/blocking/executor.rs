//! One trait for all types that run statements, for functions that take any of them.
//!
//! Made of `tokio/executor.rs` by `INRUSH_WRITE_BLOCKING=1 cargo test -p inrush-testkit --test blocking_twin`.

use super::{Connection, Pool, PooledConnection, Savepoint, Transaction};
use crate::{BatchReport, FromRow, Outcome, Params, Result, Sql};
use inrush_core::convert::Rows;

/// A type that runs statements: a [`Connection`], one of a pool, a [`Transaction`], or a [`Pool`], which takes any connection for each statement.
/// A function with such a parameter works inside of a transaction and outside of one.
///
/// ```
/// use inrush::Result;
/// use inrush::blocking::Executor;
///
/// fn rename(db: &mut impl Executor, id: u64, name: &str) -> Result<bool> {
///     Ok(db.execute("UPDATE people SET name = ? WHERE id = ?", (name, id))?.affected == 1)
/// }
///
/// # let shop = inrush_testkit::shop::open();
/// # let pool = inrush::blocking::Pool::new(&shop.url())?;
/// rename(&mut &pool, 1, "Anna")?;
/// let mut tx = pool.begin()?;
/// rename(&mut tx, 2, "Rob")?;
/// tx.commit()?;
/// # assert_eq!(shop.ask("SELECT name FROM people ORDER BY id LIMIT 2"), ["Anna", "Rob"]);
/// # Ok::<(), inrush::Error>(())
/// ```
pub trait Executor {
    /// [`Connection::query`].
    ///
    /// # Errors
    /// Those of [`Connection::query`]; of a pool also those of [`Pool::get`].
    fn query<T: for<'r> FromRow<'r>>(&mut self, sql: &(impl Sql + ?Sized), params: impl Params) -> Result<Vec<T>>;

    /// [`Connection::query_one`].
    ///
    /// # Errors
    /// Those of [`Connection::query_one`]; of a pool also those of [`Pool::get`].
    fn query_one<T: for<'r> FromRow<'r>>(&mut self, sql: &(impl Sql + ?Sized), params: impl Params) -> Result<T>;

    /// [`Connection::query_opt`].
    ///
    /// # Errors
    /// Those of [`Connection::query_opt`]; of a pool also those of [`Pool::get`].
    fn query_opt<T: for<'r> FromRow<'r>>(
        &mut self,
        sql: &(impl Sql + ?Sized),
        params: impl Params,
    ) -> Result<Option<T>>;

    /// [`Connection::query_first`].
    ///
    /// # Errors
    /// Those of [`Connection::query_first`]; of a pool also those of [`Pool::get`].
    fn query_first<T: for<'r> FromRow<'r>>(
        &mut self,
        sql: &(impl Sql + ?Sized),
        params: impl Params,
    ) -> Result<Option<T>>;

    /// [`Connection::execute`].
    ///
    /// # Errors
    /// Those of [`Connection::execute`]; of a pool also those of [`Pool::get`].
    fn execute(&mut self, sql: &(impl Sql + ?Sized), params: impl Params) -> Result<Outcome>;

    /// [`Connection::execute_batch`].
    ///
    /// # Errors
    /// Those of [`Connection::execute_batch`]; of a pool also those of [`Pool::get`].
    fn execute_batch(&mut self, sql: &(impl Sql + ?Sized), rows: &(impl Rows + ?Sized)) -> Result<BatchReport>;
}

/// Each verb is the type's own of that name.
macro_rules! executors {
    ($($ty:ty => $own:ty),+) => { $(
        impl Executor for $ty {
            fn query<T: for<'r> FromRow<'r>>(&mut self, sql: &(impl Sql + ?Sized), params: impl Params) -> Result<Vec<T>> {
                <$own>::query(self, sql, params)
            }

            fn query_one<T: for<'r> FromRow<'r>>(&mut self, sql: &(impl Sql + ?Sized), params: impl Params) -> Result<T> {
                <$own>::query_one(self, sql, params)
            }

            fn query_opt<T: for<'r> FromRow<'r>>(&mut self, sql: &(impl Sql + ?Sized), params: impl Params) -> Result<Option<T>> {
                <$own>::query_opt(self, sql, params)
            }

            fn query_first<T: for<'r> FromRow<'r>>(&mut self, sql: &(impl Sql + ?Sized), params: impl Params) -> Result<Option<T>> {
                <$own>::query_first(self, sql, params)
            }

            fn execute(&mut self, sql: &(impl Sql + ?Sized), params: impl Params) -> Result<Outcome> {
                <$own>::execute(self, sql, params)
            }

            fn execute_batch(&mut self, sql: &(impl Sql + ?Sized), rows: &(impl Rows + ?Sized)) -> Result<BatchReport> {
                <$own>::execute_batch(self, sql, rows)
            }
        }
    )+ };
}

executors!(
    Connection => Connection,
    PooledConnection => Connection,
    Transaction<'_> => Connection,
    Savepoint<'_> => Connection,
    Pool => Pool,
    &Pool => Pool
);
