//! Rules of numbers: a permutation, so that different numbers stay different, within as many digits.

use super::{MaskKey, Unfit};

/// A whole number with as many digits and the same sign, within the type's range.
pub(super) fn integer(key: &MaskKey, cell: &[u8], (least, most): (i128, i128)) -> Result<Vec<u8>, Unfit> {
    let value = whole(cell)?;
    if value < least || value > most {
        return Err("it is out of the column's range");
    }
    let limit = if value < 0 { least.unsigned_abs() } else { most.unsigned_abs() };
    let permuted = within_digits(key, value.unsigned_abs(), (value < 0, limit));
    Ok(format!("{}{permuted}", if value < 0 { "-" } else { "" }).into_bytes())
}

/// A DECIMAL with as many digits, the same sign and the column's scale.
pub(super) fn decimal(key: &MaskKey, cell: &[u8], (precision, scale): (u8, u8)) -> Result<Vec<u8>, Unfit> {
    let text = std::str::from_utf8(cell).map_err(|_| "it is no number")?;
    let (sign, text) = match text.strip_prefix('-') {
        Some(text) => ("-", text),
        None => ("", text.strip_prefix('+').unwrap_or(text)),
    };
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let (fraction, scale) = (fraction.trim_end_matches('0'), usize::from(scale));
    if fraction.len() > scale {
        return Err("it has more digits after the point than its column");
    }
    let all = format!("{whole}{fraction}{}", "0".repeat(scale - fraction.len()));
    if !all.bytes().all(|byte| byte.is_ascii_digit()) || all.trim_start_matches('0').len() > usize::from(precision) {
        return Err("it is no number that its column holds");
    }
    let value: u128 = all.parse().map_err(|_| "it is no number that its column holds")?;
    let sign = if value == 0 { "" } else { sign };
    let most = 10u128.checked_pow(precision.into()).ok_or("it has more than 38 digits")? - 1;
    let permuted = within_digits(key, value, (!sign.is_empty(), most));
    let digits = format!("{permuted:0>width$}", width = scale + 1);
    let (whole, fraction) = digits.split_at(digits.len() - scale);
    Ok(match fraction {
        "" => format!("{sign}{whole}"),
        _ => format!("{sign}{whole}.{fraction}"),
    }
    .into_bytes())
}

/// A number of a text column: its digits, leading zeros too; blanks and signs between them stay.
pub(super) fn text(key: &MaskKey, cell: &[u8]) -> Result<Vec<u8>, Unfit> {
    if !cell.iter().all(|byte| byte.is_ascii_digit() || b" +-.,/()".contains(byte)) {
        return Err("it has letters or other characters that are in no number");
    }
    let digits = digits_of(cell);
    let permuted = permute_text(key, &digits)?;
    Ok(put_back(cell, &permuted))
}

/// The digits as [`text`]; letters, such as those of `ext. 12`, become `x`.
pub(super) fn phone(key: &MaskKey, cell: &[u8]) -> Result<Vec<u8>, Unfit> {
    let text = String::from_utf8_lossy(cell);
    let plain: Vec<u8> = text
        .chars()
        .map(|char| match char {
            char if char.is_ascii_digit() || " +-./()#".contains(char) => char as u8,
            _ => b'x',
        })
        .collect();
    let permuted = permute_text(key, &digits_of(&plain))?;
    Ok(put_back(&plain, &permuted))
}

/// The number of a card with as many digits, whose last one is Luhn's; blanks and dashes stay.
pub(super) fn card(key: &MaskKey, cell: &[u8]) -> Result<Vec<u8>, Unfit> {
    if !cell.iter().all(|byte| byte.is_ascii_digit() || b" -".contains(byte)) {
        return Err("it has characters that are in no number of a card");
    }
    let digits = digits_of(cell);
    if !(12..=19).contains(&digits.len()) {
        return Err("it has not the 12 to 19 digits of a card");
    }
    let mut permuted = permute_text(key, &digits[..digits.len() - 1])?;
    permuted.push(luhn(&permuted));
    Ok(put_back(cell, &permuted))
}

/// A whole number between 0 and the type's largest one.
pub(super) fn hash_int(key: &MaskKey, cell: &[u8], (_, most): (i128, i128)) -> Result<Vec<u8>, Unfit> {
    let value = whole(cell)?;
    let hash = u128::from(key.number("hash-int", value.to_string().as_bytes()));
    Ok((hash % (most.unsigned_abs() + 1)).to_string().into_bytes())
}

fn whole(cell: &[u8]) -> Result<i128, Unfit> {
    std::str::from_utf8(cell).ok().and_then(|text| text.parse().ok()).ok_or("it is no whole number")
}

/// A number with as many digits as `value`, at most `limit`. A negative one does not become 0, which is what another number becomes.
fn within_digits(key: &MaskKey, value: u128, (is_negative, limit): (bool, u128)) -> u128 {
    let low = if value < 10 { u128::from(is_negative) } else { 10u128.pow(value.ilog10()) };
    let high = low.max(1).saturating_mul(10).saturating_sub(1).min(limit);
    low + key.permute(value - low, high - low + 1)
}

fn digits_of(cell: &[u8]) -> Vec<u8> {
    cell.iter().copied().filter(u8::is_ascii_digit).collect()
}

fn permute_text(key: &MaskKey, digits: &[u8]) -> Result<Vec<u8>, Unfit> {
    if digits.is_empty() {
        return Err("it has no digit");
    }
    // 10^38 is the largest power of ten below 2^127, which the permutation needs.
    let size = u32::try_from(digits.len())
        .ok()
        .filter(|n| *n <= 38)
        .map(|n| 10u128.pow(n))
        .ok_or("it has more than 38 digits")?;
    let value = std::str::from_utf8(digits).ok().and_then(|text| text.parse().ok()).ok_or("it is no number")?;
    Ok(format!("{:0>width$}", key.permute(value, size), width = digits.len()).into_bytes())
}

/// The text with these digits in place of its own.
fn put_back(cell: &[u8], digits: &[u8]) -> Vec<u8> {
    let mut digits = digits.iter();
    cell.iter().map(|byte| if byte.is_ascii_digit() { *digits.next().unwrap_or(byte) } else { *byte }).collect()
}

/// The digit that makes a number valid.
fn luhn(digits: &[u8]) -> u8 {
    let sum: u32 = digits
        .iter()
        .rev()
        .enumerate()
        .map(|(i, digit)| match (u32::from(digit - b'0'), i % 2) {
            (digit, 0) => digit * 2 / 10 + digit * 2 % 10,
            (digit, _) => digit,
        })
        .sum();
    b'0' + ((10 - sum % 10) % 10) as u8
}
