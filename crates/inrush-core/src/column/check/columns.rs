//! A check over all cells of a column, for loads.
//!
//! Speed: one dispatch a column, then one tight loop over its cells ([`sweep`]).

use super::year::NumericYearValidator;
use super::{AnyValidator, CellValidator, Check, Form, Known, Short, Task, Verdict, Why, why};
use crate::column::cells::{Cells, Rewritten};
use crate::error::InputFault;
use arrow_array::BinaryViewArray;

/// A column that has passed its check, ready for an encoder.
#[derive(Clone, Debug)]
pub struct CheckedColumn {
    /// The cells; the checked column itself where nothing was rewritten. It still contains bad cells: the encoder receives the
    /// rows to skip.
    pub cells: BinaryViewArray,
    /// How an encoder writes them.
    pub form: Form,
}

impl CheckedColumn {
    /// Whether it is `cells`, which were checked: none was rewritten.
    pub fn is_untouched(&self, cells: &BinaryViewArray) -> bool {
        self.cells.views().inner().as_ptr() == cells.views().inner().as_ptr()
    }
}

/// A cell that must not be sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BadCell {
    /// Its row in the checked column.
    pub row: u32,
    /// What is wrong; [`Check::reason`] turns it into a message. (Kept small: a file may have millions of them.)
    pub why: Why,
}

impl Check {
    /// Checks all cells. `utf8` says that they are known to be valid UTF-8. Bad cells are appended to `bad`, in the order of
    /// their rows.
    pub fn run(&self, cells: &BinaryViewArray, utf8: bool, bad: &mut Vec<BadCell>) -> CheckedColumn {
        self.run_knowing(Known::Nothing, cells, utf8, bad)
    }

    /// The same where more is known about the cells: if that is enough, they are not read.
    pub fn run_knowing(
        &self,
        known: Known,
        cells: &BinaryViewArray,
        utf8: bool,
        bad: &mut Vec<BadCell>,
    ) -> CheckedColumn {
        let null_is_bad = self.null_is_bad;
        if self.accepts_unchanged(known, Cells::new(cells).has_nulls()) {
            return CheckedColumn { cells: cells.clone(), form: self.form };
        }
        let cells = match (&self.validator, known, self.promise) {
            (AnyValidator::Year(_), Known::Int { .. }, None) => sweep(&NumericYearValidator, cells, null_is_bad, bad),
            _ => self.validator.give_with(self.promise, Sweep { cells, utf8, null_is_bad, bad }),
        };
        CheckedColumn { cells, form: self.form }
    }

    /// Whether the check surely keeps all cells with these known properties. `has_nulls` says whether some of them are NULL.
    pub fn accepts_unchanged(&self, known: Known, has_nulls: bool) -> bool {
        if self.null_is_bad && has_nulls && known != Known::Checked {
            return false;
        }
        match (&self.validator, known) {
            (AnyValidator::Int(validator), Known::Int { min, max }) => validator.holds(min) && validator.holds(max),
            (AnyValidator::Decimal(validator), Known::Decimal { int_digits, scale, negative }) => {
                validator.accepts_all(int_digits, scale, negative)
            }
            (AnyValidator::Date(_), Known::Date) | (_, Known::Checked) => true,
            (validator, Known::Text { longest }) => validator.give_to(AcceptsUpTo(longest)),
            _ => false,
        }
    }

    /// Why `bad` is bad: as in an error message, and as a value. `cells` is the column that was checked.
    pub fn reason(&self, cells: &BinaryViewArray, bad: &BadCell) -> (String, InputFault) {
        let cell = Cells::new(cells).get(bad.row as usize).unwrap_or_default();
        (why::explain(bad.why, cell, &self.column, &self.rules), why::fault(bad.why, cell, &self.column.ty))
    }
}

/// Runs a validator over a whole column; the result is the column with its cells rewritten.
struct Sweep<'a> {
    cells: &'a BinaryViewArray,
    utf8: bool,
    null_is_bad: bool,
    bad: &'a mut Vec<BadCell>,
}

impl Task for Sweep<'_> {
    type Done = BinaryViewArray;

    fn with(self, validator: &impl CellValidator, is_text: bool) -> BinaryViewArray {
        let Self { cells, utf8, null_is_bad, bad } = self;
        match is_text && !utf8 {
            true => sweep(&Utf8First(validator), cells, null_is_bad, bad),
            false => sweep(validator, cells, null_is_bad, bad),
        }
    }
}

/// Runs one validator over a whole column.
fn sweep(
    validator: &impl CellValidator,
    column: &BinaryViewArray,
    null_is_bad: bool,
    bad: &mut Vec<BadCell>,
) -> BinaryViewArray {
    let cells = Cells::new(column);
    if !(null_is_bad && cells.has_nulls()) && validator.accepts_up_to(cells.longest()) {
        return column.clone();
    }
    let n_buffers = column.data_buffers().len();
    let mut rewritten = Rewritten::default();
    for (row, view) in column.views().iter().enumerate() {
        let Some(cell) = cells.get(row) else {
            if null_is_bad {
                bad.push(BadCell { row: row as u32, why: Why::Null });
            }
            continue;
        };
        if Short::of(*view).is_some_and(|short| validator.accepts_short(short)) {
            continue;
        }
        match validator.validate(cell, &mut rewritten.text) {
            Verdict::Keep => {}
            Verdict::Rewrite => rewritten.finish(row, cell, n_buffers),
            Verdict::Bad(why) => {
                rewritten.discard();
                bad.push(BadCell { row: row as u32, why });
            }
        }
    }
    rewritten.apply(column)
}

struct Utf8First<'a, J>(&'a J);

impl<J: CellValidator> CellValidator for Utf8First<'_, J> {
    fn validate(&self, cell: &[u8], out: &mut Vec<u8>) -> Verdict {
        match std::str::from_utf8(cell) {
            Ok(_) => self.0.validate(cell, out),
            Err(e) => Verdict::Bad(Why::NotUtf8 { at: e.valid_up_to() as u32 }),
        }
    }
}

/// See [`CellValidator::accepts_up_to`].
struct AcceptsUpTo(u32);

impl Task for AcceptsUpTo {
    type Done = bool;

    fn with(self, validator: &impl CellValidator, _is_text: bool) -> bool {
        validator.accepts_up_to(self.0)
    }
}
