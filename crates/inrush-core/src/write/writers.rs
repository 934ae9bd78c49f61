//! The writer of a method: for the statement of a batch, or for the INSERTs of a load.

use super::bulk::Bulk;
use super::multi_row_prepared::MultiRowPrepared;
use super::text::MultiRow;
use super::{Insert, Limits, Method, Template, Writer};
use crate::error::Result;
use crate::session::Statement;

/// The writer of a batch's commands. `None`: each row is an execution. `limits` changes the default size of a command.
///
/// # Errors
/// `Config` for a statement that the method cannot write.
pub fn writer(
    method: Method,
    statement: &Statement,
    limits: impl Fn(Limits) -> Limits,
    (statement_bytes, max_packet): (usize, usize),
    (backslash_escapes, unit_results): (bool, bool),
) -> Result<Option<Box<dyn Writer>>> {
    let limits = limits(method.limits(false, statement_bytes, max_packet));
    let template = || Template::parse(statement);
    Ok(match method {
        Method::Prepared | Method::Pipelined | Method::LoadData => None,
        Method::MultiRow => Some(Box::new(MultiRow::new(statement, &template(), limits, backslash_escapes)?)),
        Method::MultiRowPrepared => Some(Box::new(MultiRowPrepared::new(statement, &template(), limits)?)),
        Method::Bulk => Some(Box::new(Bulk::new(statement, limits, unit_results)?)),
    })
}

/// What makes the INSERTs of a load, each made once and cloned for every chunk.
pub struct Writers {
    /// As text, which any row can be.
    pub text: MultiRow,
    bound: Option<(MultiRowPrepared, Bulk)>,
}

impl Writers {
    /// For the INSERT of a mapping. `is_bindable`: every value may be bound as it is.
    pub fn new(insert: &Insert, is_bindable: bool, statement_bytes: usize, max_packet: usize) -> Self {
        let limits = |method: Method| method.limits(true, statement_bytes, max_packet);
        let bound = || {
            let prepared = MultiRowPrepared::of_insert(insert, limits(Method::MultiRowPrepared)).ok()?;
            Some((prepared, Bulk::new(&insert.statement, limits(Method::Bulk), false).ok()?))
        };
        let text = MultiRow::of_insert(insert, limits(Method::MultiRow), true);
        Self { text, bound: is_bindable.then(bound).flatten() }
    }

    /// Whether every value may be bound as it is.
    pub fn is_bindable(&self) -> bool {
        self.bound.is_some()
    }

    /// That of a method, for one chunk.
    pub fn of(&self, method: Method) -> Box<dyn Writer> {
        match (method, &self.bound) {
            (Method::Bulk, Some((_, bulk))) => Box::new(bulk.clone()),
            (Method::MultiRowPrepared, Some((prepared, _))) => Box::new(prepared.clone()),
            (Method::Bulk | Method::MultiRowPrepared, None)
            | (Method::MultiRow | Method::LoadData | Method::Pipelined | Method::Prepared, _) => {
                Box::new(self.text.clone())
            }
        }
    }
}
