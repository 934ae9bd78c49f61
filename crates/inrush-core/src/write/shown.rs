//! What the tests of writers share.

use super::row_source::RowSource;
use super::{Limits, Next, Writer};
use crate::convert::Rows;
use crate::error::Result;

/// Far away.
pub(super) const LIMITS: Limits = Limits { bytes: 1 << 20, max_bytes: 1 << 24, rows: 1 << 20 };

/// All commands of these rows, up to one that is too long. Rows of two columns, or of one.
pub(super) fn all(writer: &mut dyn Writer, rows: &(impl Rows + ?Sized)) -> Result<Vec<Next>> {
    let n_params = writer.statements(1)[0].marks().len();
    let rows = rows.bind(&[], n_params)?;
    let (mut commands, mut at) = (Vec::new(), 0);
    while at < rows.n_rows() {
        commands.push(writer.next(RowSource::Bound(&*rows), at..rows.n_rows(), Vec::new())?);
        match commands.last() {
            Some(Next::Command { n_rows, .. }) if *n_rows > 0 => at += n_rows,
            _ => break,
        }
    }
    Ok(commands)
}
