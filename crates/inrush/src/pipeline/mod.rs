//! Pipelines, the part that both shells share: what is sent, what is returned, and where it is allowed.
//!
//! | file | what it is |
//! |---|---|
//! | `batch` | the steps of one flight, put together before it starts |
//! | `reply` | the outcome of a step, with its rows |
//! | `probe` | whether a server answers commands that are sent before earlier ones are answered |

mod batch;
pub(crate) mod probe;
mod reply;

pub(crate) use batch::{Batch, Each};
pub use reply::Reply;

use inrush_core::convert::Params;
use inrush_core::session::Statement;
/// The types of the streaming form.
pub use inrush_core::session::pipeline::{Decision, NextCommand};
use jiff::tz::TimeZone;

/// Commands for one flight: all are sent while their replies are read, each reply belongs to its step, and a step that fails does
/// not stop the others.
///
/// ```
/// # let shop = inrush_testkit::shop::open();
/// # let mut connection = inrush::blocking::Connection::connect(&shop.url())?;
/// let insert = connection.prepare("INSERT INTO people (name, age) VALUES (:name, :age)")?;
/// let mut pipeline = connection.pipeline();
/// pipeline.query("SET autocommit = 0");
/// pipeline.execute(&insert, inrush::params! { "name" => "Dora", "age" => 33 });
/// pipeline.execute(&insert, ("Emil", 61));
/// pipeline.commit();
/// for reply in pipeline.run()? {
///     println!("{} rows", reply?.affected());
/// }
/// # assert_eq!(shop.ask("SELECT name, age FROM people WHERE id > 3"), ["Dora 33", "Emil 61"]);
/// # Ok::<(), inrush::Error>(())
/// ```
///
/// Begin a transaction for it by `SET autocommit = 0`: after BEGIN a deadlock would let the steps after it run on their own, each
/// committed at once.
#[derive(Debug)]
#[must_use = "nothing is sent before `run`"]
pub struct Pipeline<'c, C> {
    pub(crate) connection: &'c mut C,
    pub(crate) batch: Batch,
}

impl<'c, C> Pipeline<'c, C> {
    pub(crate) fn new(connection: &'c mut C, max_result: usize, zone: Option<TimeZone>) -> Self {
        Self { connection, batch: Batch::new(max_result, zone) }
    }

    /// A statement as text. One that begins with COMMIT is a [`Pipeline::commit`].
    pub fn query(&mut self, sql: &(impl AsRef<[u8]> + ?Sized)) -> &mut Self {
        self.batch.query(sql.as_ref());
        self
    }

    /// An execution; its values are copied. Statements that the connection has not prepared yet are prepared first, all in one
    /// flight. Values that do not fit the placeholders fail the step, which is not sent.
    pub fn execute(&mut self, statement: &Statement, params: impl Params) -> &mut Self {
        self.batch.execute(statement, params);
        self
    }

    /// Prepares a statement for the connection's cache, so that a mistake in it shows.
    pub fn prepare(&mut self, statement: &Statement) -> &mut Self {
        self.batch.prepare(statement);
        self
    }

    /// Checks that the server answers.
    pub fn ping(&mut self) -> &mut Self {
        self.batch.ping();
        self
    }

    /// Resets the session to its state after login: temporary tables, variables, prepared statements and an open transaction are gone.
    pub fn reset(&mut self) -> &mut Self {
        self.batch.reset();
        self
    }

    /// COMMIT, sent only once every reply before it is read. If a step failed since the transaction began, or the transaction
    /// ended meanwhile, it is rolled back instead, and the step fails with the first error's code.
    pub fn commit(&mut self) -> &mut Self {
        self.query("COMMIT")
    }

    /// Sends COMMIT like any other step: before the earlier replies are read, whatever they will say. Saves a round trip.
    pub fn best_effort(&mut self) -> &mut Self {
        self.batch.best_effort = true;
        self
    }

    /// Number of steps.
    pub fn len(&self) -> usize {
        self.batch.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}
