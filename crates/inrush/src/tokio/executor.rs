//! One trait for all types that run statements, for functions that take any of them.

use super::{Connection, Pool, PooledConnection, Savepoint, Transaction};
use crate::{BatchReport, FromRow, Outcome, Params, Result, Sql};
use inrush_core::convert::Rows;

/// A type that runs statements: a [`Connection`], one of a pool, a [`Transaction`], or a [`Pool`], which takes any connection for each statement.
/// A function with such a parameter works inside of a transaction and outside of one. [`blocking::Executor`](crate::blocking::Executor) is the
/// same for threads.
///
/// ```
/// use inrush::{Executor, Result};
///
/// async fn rename(db: &mut impl Executor, id: u64, name: &str) -> Result<bool> {
///     Ok(db.execute("UPDATE people SET name = ? WHERE id = ?", (name, id)).await?.affected == 1)
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> inrush::Result<()> {
/// # let shop = inrush_testkit::shop::open();
/// # let pool = inrush::Pool::new(&shop.url())?;
/// rename(&mut &pool, 1, "Anna").await?;
/// let mut tx = pool.begin().await?;
/// rename(&mut tx, 2, "Rob").await?;
/// tx.commit().await?;
/// # assert_eq!(shop.ask("SELECT name FROM people ORDER BY id LIMIT 2"), ["Anna", "Rob"]);
/// # Ok(())
/// # }
/// ```
pub trait Executor: Send {
    /// [`Connection::query`].
    ///
    /// # Errors
    /// Those of [`Connection::query`]; of a pool also those of [`Pool::get`].
    fn query<T: for<'r> FromRow<'r> + Send>(
        &mut self,
        sql: &(impl Sql + Sync + ?Sized),
        params: impl Params + Send + Sync,
    ) -> impl Future<Output = Result<Vec<T>>> + Send;

    /// [`Connection::query_one`].
    ///
    /// # Errors
    /// Those of [`Connection::query_one`]; of a pool also those of [`Pool::get`].
    fn query_one<T: for<'r> FromRow<'r> + Send>(
        &mut self,
        sql: &(impl Sql + Sync + ?Sized),
        params: impl Params + Send + Sync,
    ) -> impl Future<Output = Result<T>> + Send;

    /// [`Connection::query_opt`].
    ///
    /// # Errors
    /// Those of [`Connection::query_opt`]; of a pool also those of [`Pool::get`].
    fn query_opt<T: for<'r> FromRow<'r> + Send>(
        &mut self,
        sql: &(impl Sql + Sync + ?Sized),
        params: impl Params + Send + Sync,
    ) -> impl Future<Output = Result<Option<T>>> + Send;

    /// [`Connection::query_first`].
    ///
    /// # Errors
    /// Those of [`Connection::query_first`]; of a pool also those of [`Pool::get`].
    fn query_first<T: for<'r> FromRow<'r> + Send>(
        &mut self,
        sql: &(impl Sql + Sync + ?Sized),
        params: impl Params + Send + Sync,
    ) -> impl Future<Output = Result<Option<T>>> + Send;

    /// [`Connection::execute`].
    ///
    /// # Errors
    /// Those of [`Connection::execute`]; of a pool also those of [`Pool::get`].
    fn execute(
        &mut self,
        sql: &(impl Sql + Sync + ?Sized),
        params: impl Params + Send + Sync,
    ) -> impl Future<Output = Result<Outcome>> + Send;

    /// [`Connection::execute_batch`].
    ///
    /// # Errors
    /// Those of [`Connection::execute_batch`]; of a pool also those of [`Pool::get`].
    fn execute_batch(
        &mut self,
        sql: &(impl Sql + Sync + ?Sized),
        rows: &(impl Rows + ?Sized),
    ) -> impl Future<Output = Result<BatchReport>> + Send;
}

/// Each verb is the type's own of that name.
macro_rules! executors {
    ($($ty:ty => $own:ty),+) => { $(
        impl Executor for $ty {
            async fn query<T: for<'r> FromRow<'r> + Send>(&mut self, sql: &(impl Sql + Sync + ?Sized), params: impl Params + Send + Sync) -> Result<Vec<T>> {
                <$own>::query(self, sql, params).await
            }

            async fn query_one<T: for<'r> FromRow<'r> + Send>(&mut self, sql: &(impl Sql + Sync + ?Sized), params: impl Params + Send + Sync) -> Result<T> {
                <$own>::query_one(self, sql, params).await
            }

            async fn query_opt<T: for<'r> FromRow<'r> + Send>(&mut self, sql: &(impl Sql + Sync + ?Sized), params: impl Params + Send + Sync) -> Result<Option<T>> {
                <$own>::query_opt(self, sql, params).await
            }

            async fn query_first<T: for<'r> FromRow<'r> + Send>(&mut self, sql: &(impl Sql + Sync + ?Sized), params: impl Params + Send + Sync) -> Result<Option<T>> {
                <$own>::query_first(self, sql, params).await
            }

            async fn execute(&mut self, sql: &(impl Sql + Sync + ?Sized), params: impl Params + Send + Sync) -> Result<Outcome> {
                <$own>::execute(self, sql, params).await
            }

            async fn execute_batch(&mut self, sql: &(impl Sql + Sync + ?Sized), rows: &(impl Rows + ?Sized)) -> Result<BatchReport> {
                <$own>::execute_batch(self, sql, rows).await
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
