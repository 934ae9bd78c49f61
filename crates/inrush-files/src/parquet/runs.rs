//! The number of values of a Parquet page's rows, by its repetition levels, and the length of its texts, by their encoded lengths. No
//! value is decoded.

/// Calls `each` for every run of equal levels: the level, and its number. Stops after `n_levels` levels, or at the end of
/// the bytes. `bits` is the width of a level.
pub(super) fn levels(mut bytes: &[u8], bits: usize, n_levels: u64, mut each: impl FnMut(u64, u64)) {
    let mut left = n_levels;
    while left > 0 {
        let Some(header) = varint(&mut bytes) else { return };
        if header & 1 == 0 {
            let Some((level, rest)) = bytes.split_at_checked(bits.div_ceil(8)) else { return };
            let n = (header >> 1).min(left);
            each(packed(level, 0, bits), n);
            (bytes, left) = (rest, left - n);
            continue;
        }
        let len =
            usize::try_from((header >> 1).saturating_mul(bits as u64)).map_or(bytes.len(), |len| len.min(bytes.len()));
        let (group, rest) = bytes.split_at(len);
        let n = (group.len() as u64 * 8 / bits.max(1) as u64).min(left);
        (0..n as usize).for_each(|i| each(packed(group, i * bits, bits), 1));
        (bytes, left) = (rest, left - n);
    }
}

/// The rows of a column in windows of a batch's number of rows. Every batch is within two consecutive windows.
#[derive(Debug)]
pub(super) struct Windows {
    /// Rows of a window.
    rows: u64,
    rows_here: u64,
    values_here: u64,
    values_before: u64,
    most: u64,
}

impl Windows {
    pub(super) fn new(rows: u64) -> Self {
        Self { rows: rows.max(1), rows_here: 0, values_here: 0, values_before: 0, most: 0 }
    }

    /// Adds `n` values with this repetition level.
    pub(super) fn add(&mut self, level: u64, n: u64) {
        if level > 0 {
            self.values_here = self.values_here.saturating_add(n);
            return self.note();
        }
        let mut left = n;
        while left > 0 {
            if self.rows_here == self.rows {
                // A window of one row is a complete batch.
                self.values_before = if self.rows > 1 { self.values_here } else { 0 };
                (self.rows_here, self.values_here) = (0, 0);
            }
            // All windows with one value a row are equal.
            if self.rows_here == 0 && left > 2 * self.rows {
                left = left % self.rows + self.rows;
                self.values_before = if self.rows > 1 { self.rows } else { 0 };
            }
            let rows = left.min(self.rows - self.rows_here);
            self.rows_here += rows;
            self.values_here = self.values_here.saturating_add(rows);
            self.note();
            left -= rows;
        }
    }

    /// The most values of a batch since the last call.
    pub(super) fn take_most(&mut self) -> u64 {
        let most = self.most;
        self.most = 0;
        self.note();
        most
    }

    fn note(&mut self) {
        self.most = self.most.max(self.values_before.saturating_add(self.values_here));
    }
}

/// A bound of the values' length in a page of DELTA_BYTE_ARRAY: the longest prefix of the previous value plus the longest suffix. `None`
/// if the lengths are damaged.
pub(super) fn longest_of_delta(mut bytes: &[u8]) -> Option<u64> {
    let prefix = longest(&mut bytes)?;
    Some(prefix.saturating_add(longest(&mut bytes)?))
}

/// The largest of the numbers in DELTA_BINARY_PACKED at the beginning of `bytes`, which are then removed from `bytes`.
///
/// A block has differences of consecutive numbers minus the block's least difference, packed in miniblocks with a width each.
fn longest(bytes: &mut &[u8]) -> Option<u64> {
    let block = varint(bytes)?;
    let miniblocks = usize::try_from(varint(bytes)?).ok().filter(|n| (1..=block).contains(&(*n as u64)))?;
    let mut left = varint(bytes)?;
    let per_miniblock = block / miniblocks as u64;
    let mut value = zigzag(varint(bytes)?);
    let mut most = value;
    left = left.saturating_sub(1);
    while left > 0 {
        let least = zigzag(varint(bytes)?);
        let (widths, rest) = bytes.split_at_checked(miniblocks)?;
        *bytes = rest;
        for &width in widths {
            if left == 0 {
                break;
            }
            let n = per_miniblock.min(left);
            left -= n;
            let (width, len) =
                (usize::from(width), usize::try_from(per_miniblock.checked_mul(width.into())? / 8).ok()?);
            if width == 0 {
                value = value.saturating_add(least.saturating_mul(i64::try_from(n).unwrap_or(i64::MAX)));
                most = most.max(value);
                continue;
            }
            if width > 64 {
                return None;
            }
            let (numbers, rest) = bytes.split_at_checked(len)?;
            *bytes = rest;
            for i in 0..usize::try_from(n).ok()? {
                value = value.wrapping_add(least).wrapping_add(packed(numbers, i * width, width) as i64);
                most = most.max(value);
            }
        }
    }
    u64::try_from(most).ok()
}

/// The number in `bits` bits from bit `at` on; bits after the end are zero.
fn packed(bytes: &[u8], at: usize, bits: usize) -> u64 {
    let mut window = [0; 16];
    let from = &bytes[(at / 8).min(bytes.len())..];
    let n = from.len().min(window.len());
    window[..n].copy_from_slice(&from[..n]);
    let value = u128::from_le_bytes(window) >> (at % 8);
    if bits >= 64 { value as u64 } else { value as u64 & ((1 << bits) - 1) }
}

fn zigzag(value: u64) -> i64 {
    (value >> 1) as i64 ^ -((value & 1) as i64)
}

fn varint(bytes: &mut &[u8]) -> Option<u64> {
    let mut value = 0;
    for shift in (0..64).step_by(7) {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        value |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Some(value);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(bytes: &[u8], n: u64, want: &[(u64, u64)]) {
        let mut runs: Vec<(u64, u64)> = Vec::new();
        levels(bytes, 1, n, |level, n| match runs.last_mut() {
            Some((last, all)) if *last == level => *all += n,
            _ => runs.push((level, n)),
        });
        assert_eq!(runs, want);
    }

    #[test]
    fn runs_and_packed_groups_are_read() {
        check(&[2, 0, 0x90, 0x4e, 1], 5001, &[(0, 1), (1, 5000)]);
        check(&[3, 0b1111_0110, 4, 0], 10, &[(0, 1), (1, 2), (0, 1), (1, 4), (0, 2)]);
        // As many levels as there should be, and no more than there are.
        check(&[3, 0xff], 3, &[(1, 3)]);
        check(&[0xfe, 0xff, 0xff, 0xff, 0x0f, 1], 1 << 20, &[(1, 1 << 20)]);
        check(&[3], 8, &[]);
        check(&[], 8, &[]);
    }

    #[test]
    fn the_fullest_batch_is_found() {
        let mut rows = Windows::new(1);
        rows.add(0, 1_000_000_000);
        assert_eq!(rows.take_most(), 1);
        rows.add(1, 40);
        rows.add(0, 2);
        assert_eq!(rows.take_most(), 41);
        assert_eq!(rows.take_most(), 1);
        let mut rows = Windows::new(10);
        // Two rows of 100 values, the first at the end of a window.
        rows.add(0, 10);
        rows.add(1, 99);
        rows.add(0, 1);
        rows.add(1, 99);
        rows.add(0, u64::from(u32::MAX));
        assert!((200..=220).contains(&rows.take_most()));
        rows.add(0, 25);
        assert_eq!(rows.take_most(), 20);
    }

    #[test]
    fn lengths_of_texts_are_found() {
        // A block of 128 in 4 miniblocks, 5 numbers: 7, then differences of 0 and more, in 4 bits.
        let lengths: &[u8] =
            &[0x80, 0x01, 4, 5, 14, 0, 4, 0, 0, 0, 0x21, 0x53, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
        let mut both = lengths.to_vec();
        // A million times 1,000,000, in no bits.
        both.extend([0x80, 0x80, 0x80, 0x01, 1, 0xc0, 0x84, 0x3d, 0x80, 0x89, 0x7a, 0, 0]);
        assert_eq!(longest_of_delta(&both), Some(7 + 1 + 2 + 3 + 5 + 1_000_000));
        for end in 0..both.len() {
            assert_eq!(longest_of_delta(&both[..end]), None, "{end}");
        }
    }
}
