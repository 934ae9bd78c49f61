//! How long the texts of a new table may be. A sample has today's texts, and tomorrow's are longer, so there is room for twice the length;
//! but a row, the part of it that is stored in its page, and a key have limits (docs/notes/new-tables.md).

use super::Inferred;
use inrush_core::column::ColumnType;

/// Room for texts of twice the length of the longest one of the sample.
pub(crate) fn text_type(max_chars: usize, max_bytes: usize) -> ColumnType {
    match VARCHARS.iter().find(|chars| **chars as usize >= 2 * max_chars) {
        Some(&chars) => ColumnType::VarChar { chars },
        None if max_bytes < TEXT as usize / 4 => ColumnType::Text { bytes: TEXT },
        None if max_bytes < MEDIUMTEXT as usize / 4 => ColumnType::Text { bytes: MEDIUMTEXT },
        None => ColumnType::Text { bytes: u32::MAX },
    }
}

/// Takes the room away: texts have a quarter more than the longest one, above 255 characters a TEXT.
pub fn tighten(columns: &mut [Inferred]) {
    for column in columns.iter_mut().filter(|column| has_room(column)) {
        column.ty = match (tight_length(column.max_chars), &column.ty) {
            (Some(chars), _) => ColumnType::VarChar { chars },
            (None, ColumnType::Text { bytes }) => ColumnType::Text { bytes: *bytes },
            (None, _) => ColumnType::Text { bytes: TEXT },
        };
    }
    fit_row(columns);
}

/// A row has at most 65,535 bytes, TEXT columns not counted: the longest VARCHARs lose their room until it fits, then they become TEXT. Of
/// those 65,535 bytes a page of MariaDB holds all of each VARCHAR below 64 characters, but a pointer of longer ones: where there are many
/// columns, no text is shorter than that.
pub fn fit_row(columns: &mut [Inferred]) {
    while columns.iter().map(|column| in_page(&column.ty)).sum::<usize>() > PAGE_BYTES {
        let short = columns.iter_mut().filter(|column| column.given.is_none() && is_short(&column.ty));
        let Some(longest) = short.max_by_key(|column| in_page(&column.ty)) else { break };
        longest.ty = ColumnType::VarChar { chars: LEAST_OUTSIDE };
    }
    while columns.iter().map(|column| in_row(&column.ty) + 1).sum::<usize>() > ROW_BYTES {
        let longest =
            columns.iter_mut().filter(|column| column.given.is_none()).max_by_key(|column| length(&column.ty));
        let Some(longest) = longest.filter(|column| length(&column.ty) > 0) else { return };
        let tight = tight_length(longest.max_chars).map(|chars| chars.max(LEAST_OUTSIDE));
        longest.ty = match tight.filter(|chars| has_room(longest) && *chars < length(&longest.ty)) {
            Some(chars) => ColumnType::VarChar { chars },
            None => ColumnType::Text { bytes: TEXT },
        };
    }
}

/// A key has at most 3,072 bytes, four a character: the longest VARCHARs of `columns`, which are all of its columns, lose their room until
/// it fits.
pub fn fit_key<'a>(columns: impl IntoIterator<Item = &'a mut Inferred>) {
    let mut columns: Vec<&mut Inferred> = columns.into_iter().collect();
    while columns.iter().map(|column| in_key(&column.ty)).sum::<usize>() > KEY_BYTES {
        let Some(longest) =
            columns.iter_mut().filter(|column| has_room(column)).max_by_key(|column| length(&column.ty))
        else {
            return;
        };
        let tight = tight_length(longest.max_chars).unwrap_or(KEY_CHARS);
        if tight >= length(&longest.ty) {
            return;
        }
        longest.ty = ColumnType::VarChar { chars: tight };
    }
}

/// Whether its length was chosen by a sample.
fn has_room(column: &Inferred) -> bool {
    column.given.is_none()
        && column.max_chars > 0
        && matches!(column.ty, ColumnType::VarChar { .. } | ColumnType::Text { .. })
}

/// The VARCHAR that texts of this length get, with room or without; `None`: that is a TEXT.
pub(crate) fn varchar(max_chars: usize, is_tight: bool) -> Option<u32> {
    match is_tight {
        true => tight_length(max_chars),
        false => VARCHARS.iter().copied().find(|chars| *chars as usize >= 2 * max_chars),
    }
}

/// A quarter more than the longest text; `None`: that is a TEXT.
fn tight_length(max_chars: usize) -> Option<u32> {
    TIGHT_VARCHARS.iter().copied().find(|chars| *chars as usize >= max_chars + max_chars / 4)
}

fn is_short(ty: &ColumnType) -> bool {
    matches!(ty, ColumnType::VarChar { chars } | ColumnType::Char { chars } if *chars < LEAST_OUTSIDE)
}

/// The length of a VARCHAR; 0 for another type.
fn length(ty: &ColumnType) -> u32 {
    if let ColumnType::VarChar { chars } = ty { *chars } else { 0 }
}

/// Bytes of a row, as far as they count.
fn in_row(ty: &ColumnType) -> usize {
    match ty {
        ColumnType::VarChar { chars } | ColumnType::Char { chars } => 4 * *chars as usize + 2,
        ColumnType::Decimal { .. } => 30,
        ColumnType::Text { .. } => 12,
        _ => 8,
    }
}

/// The bytes of this type that are always stored in the row's page.
fn in_page(ty: &ColumnType) -> usize {
    match ty {
        ty if is_short(ty) => in_row(ty),
        ColumnType::VarChar { .. } | ColumnType::Char { .. } | ColumnType::Text { .. } | ColumnType::Json => 21,
        ColumnType::Decimal { .. } => 30,
        _ => 9,
    }
}

/// Bytes of a key.
fn in_key(ty: &ColumnType) -> usize {
    match ty {
        ColumnType::VarChar { chars } | ColumnType::Char { chars } => 4 * *chars as usize,
        ColumnType::Text { .. } => 4 * KEY_CHARS as usize,
        _ => in_row(ty),
    }
}

/// The length of a text of a key.
pub(super) const KEY_CHARS: u32 = 512;

/// The lengths that a VARCHAR gets; a longer text is a TEXT.
const VARCHARS: &[u32] = &[64, 255, 1_000, 4_000];

/// The same without room.
const TIGHT_VARCHARS: &[u32] = &[16, 32, 64, 128, 255];

/// The least length of a VARCHAR that may be stored outside of its page: it takes 256 bytes.
const LEAST_OUTSIDE: u32 = 64;

/// TEXT and MEDIUMTEXT, in bytes.
const TEXT: u32 = 65_535;
const MEDIUMTEXT: u32 = (1 << 24) - 1;

/// A little less than the server's limits of 65,535 and 8,126, for the overhead of a row.
const ROW_BYTES: usize = 60_000;
const PAGE_BYTES: usize = 8_000;

/// The server's limit of a key.
const KEY_BYTES: usize = 3_072;
