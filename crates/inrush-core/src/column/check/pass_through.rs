//! Checks whether a column keeps every cell of a text unchanged, without parsing the text. It uses the same validators as a column
//! does. After the first cell that a validator would rewrite or refuse, everything else is left to [`Check::run`].

use super::{CellValidator, Check, Short, Task, Verdict};

/// Rows of cells in a text, with the same number of cells in each row. One byte separates each cell from the next.
#[derive(Clone, Copy, Debug)]
pub struct Grid<'a> {
    text: &'a [u8],
    bounds: &'a [u32],
    width: usize,
    enclosed_by: Option<u8>,
}

impl<'a> Grid<'a> {
    /// `bounds` are the positions of these bytes: before each cell, and after the last one; `u32::MAX` is the position before the
    /// text. `width` is the number of cells in a row, at least one.
    pub fn new(text: &'a [u8], bounds: &'a [u32], width: usize) -> Self {
        Self { text, bounds, width, enclosed_by: None }
    }

    /// The same where a cell that begins with this byte ends with it too, and neither belongs to it.
    #[must_use]
    pub fn enclosed_by(self, quote: Option<u8>) -> Self {
        Self { enclosed_by: quote, ..self }
    }

    /// Where the cells of a column begin and end, row by row.
    #[inline(always)]
    pub fn column(self, column: usize) -> impl Iterator<Item = (usize, usize)> {
        let Self { text, bounds, width, enclosed_by } = self;
        let mut at = column;
        // Two iterators with steps, zipped, take a sixteenth longer (docs/notes/csv.md).
        std::iter::from_fn(move || {
            let [before, behind] = *bounds.get(at..)?.first_chunk()?;
            at += width;
            let (start, end) = (before.wrapping_add(1) as usize, behind as usize);
            let quotes = usize::from(enclosed_by.is_some() && text.get(start).copied() == enclosed_by);
            Some((start + quotes, end - quotes))
        })
    }
}

impl Check {
    /// Whether it surely keeps all cells of a column of `grid`, whose text is valid UTF-8. `false` means undecided.
    pub fn accepts_column(&self, grid: Grid<'_>, column: usize) -> bool {
        self.validator.give_with(self.promise, PassThrough { grid, column })
    }
}

struct PassThrough<'a> {
    grid: Grid<'a>,
    column: usize,
}

impl Task for PassThrough<'_> {
    type Done = bool;

    fn with(self, validator: &impl CellValidator, _is_text: bool) -> bool {
        let Self { grid, column } = self;
        let longest = || grid.column(column).map(|(start, end)| end - start).max().unwrap_or_default();
        // Lengths are of use only where any length is accepted unseen: 0 is the shortest.
        if validator.accepts_up_to(0) && validator.accepts_up_to(longest() as u32) {
            return true;
        }
        let mut rewritten = Vec::new();
        grid.column(column).all(|(start, end)| {
            if Short::within(grid.text, start, end).is_some_and(|short| validator.accepts_short(short)) {
                return true;
            }
            let cell = &grid.text[start..end];
            rewritten.clear();
            match validator.validate(cell, &mut rewritten) {
                Verdict::Keep => true,
                Verdict::Rewrite => rewritten == cell,
                Verdict::Bad(_) => false,
            }
        })
    }
}
