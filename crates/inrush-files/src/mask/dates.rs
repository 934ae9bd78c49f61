//! Rules of dates: the first day of the year or the month, at midnight.

use super::Unfit;
use inrush_core::column::ColumnType;

pub(super) fn year(cell: &[u8], ty: &ColumnType) -> Result<Vec<u8>, Unfit> {
    let (year, _) = parts(cell)?;
    Ok(first_day(year, b"01", ty))
}

pub(super) fn month(cell: &[u8], ty: &ColumnType) -> Result<Vec<u8>, Unfit> {
    let (year, month) = parts(cell)?;
    if year != b"0000" && month == b"00" {
        return Err("it has no month");
    }
    Ok(first_day(year, month, ty))
}

/// Year and month of `YYYY-MM-DD` and `YYYY-MM-DD HH:MM:SS`.
fn parts(cell: &[u8]) -> Result<(&[u8], &[u8]), Unfit> {
    let (Some(year), Some(month), Some(day)) = (cell.get(..4), cell.get(5..7), cell.get(8..10)) else {
        return Err(NO_DATE);
    };
    let are_digits = [year, month, day].iter().all(|part| part.iter().all(u8::is_ascii_digit));
    let is_date = are_digits && cell.get(4) == Some(&b'-') && cell.get(7) == Some(&b'-') && month <= &b"12"[..];
    let is_over = cell.get(10).is_none_or(|byte| b" T".contains(byte));
    if is_date && is_over { Ok((year, month)) } else { Err(NO_DATE) }
}

const NO_DATE: Unfit = "it is no date of the form YYYY-MM-DD";

fn first_day(year: &[u8], month: &[u8], ty: &ColumnType) -> Vec<u8> {
    let mut text = match (year, ty) {
        // A zero date holds nothing.
        (b"0000", _) => b"0000-00-00".to_vec(),
        // The first moment of 1970 is none that a TIMESTAMP holds, in no zone is the second day.
        (b"1970", ColumnType::Timestamp { .. }) if month == b"01" => b"1970-01-02".to_vec(),
        _ => [year, b"-", month, b"-01"].concat(),
    };
    if *ty != ColumnType::Date {
        text.extend_from_slice(b" 00:00:00");
    }
    text
}
