//! A view: the 16 bytes that represent a cell in a binary-view column of Arrow.
//!
//! ```text
//! ll ll ll ll  length, little endian
//! ..           the bytes themselves, 12 or fewer; or
//! pp pp pp pp  the first 4 of them
//! bb bb bb bb  the number of a buffer
//! oo oo oo oo  the offset in it
//! ```

/// Returns the view of bytes. Bytes that are too many for the view itself are stored at `at` of the buffer of this number.
#[inline]
pub fn view(bytes: &[u8], buffer: usize, at: usize) -> u128 {
    let len = bytes.len();
    match bytes.first_chunk::<4>() {
        Some(head) if len > INLINE => {
            len as u128 | u128::from(u32::from_le_bytes(*head)) << 32 | (buffer as u128) << 64 | (at as u128) << 96
        }
        _ => len as u128 | short(bytes) << 32,
    }
}

/// At most 12 bytes as a number, the first one lowest: as two numbers of a fixed length that overlap, not one byte after the other.
#[inline]
fn short(bytes: &[u8]) -> u128 {
    let both = |first: u64, last: u64, behind: usize| u128::from(first) | u128::from(last) << (8 * behind);
    let n = bytes.len();
    if let (Some(first), Some(last)) = (bytes.first_chunk::<8>(), bytes.last_chunk::<8>()) {
        both(u64::from_le_bytes(*first), u64::from_le_bytes(*last), n - 8)
    } else if let (Some(first), Some(last)) = (bytes.first_chunk::<4>(), bytes.last_chunk::<4>()) {
        both(u32::from_le_bytes(*first).into(), u32::from_le_bytes(*last).into(), n - 4)
    } else if let (Some(first), Some(last)) = (bytes.first_chunk::<2>(), bytes.last_chunk::<2>()) {
        both(u16::from_le_bytes(*first).into(), u16::from_le_bytes(*last).into(), n - 2)
    } else {
        bytes.first().copied().unwrap_or_default().into()
    }
}

/// Cells up to this length, in bytes, are stored in the view itself.
pub const INLINE: usize = 12;

#[cfg(test)]
mod tests {
    use super::*;
    use arrow_array::BinaryViewArray;

    #[test]
    fn a_view_is_what_arrow_makes_of_the_bytes() {
        let text: Vec<u8> = (1..=40).collect();
        for len in 0..=text.len() {
            let array = BinaryViewArray::from_iter_values([&text[text.len() - len..]]);
            assert_eq!(view(&text[text.len() - len..], 0, 0), array.views()[0], "{len}");
        }
        assert_eq!(view(&text, 3, 5) >> 64, 3 | 5 << 32);
    }
}
