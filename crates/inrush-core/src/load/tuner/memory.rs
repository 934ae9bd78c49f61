//! How much memory batches take, and how large they may be for all lanes together to keep to a limit.

/// The largest batch, in bytes of text, with which `lanes` lanes keep to `memory` if a byte of text takes `held_per_byte`.
pub fn largest_batch(memory: usize, lanes: usize, held_per_byte: f64) -> usize {
    (memory as f64 / (batches(lanes) as f64 * held_per_byte)) as usize
}

/// Returns how many batches are in memory when this many lanes are kept busy.
pub fn batches(lanes: usize) -> usize {
    lanes * BATCHES_PER_LANE + BATCHES_BESIDE
}

/// One is being sent to the server, the next is being prepared.
const BATCHES_PER_LANE: usize = 2;

/// One is in the reader.
const BATCHES_BESIDE: usize = 1;

/// A byte of narrow CSV, its views and the text made of it (docs/notes/chunk-size.md): the assumption until the first chunk is
/// measured.
pub const LIKELY_HELD_PER_BYTE: f64 = 3.5;

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(mib: usize, lanes: usize, held_per_byte: f64, want_kib: usize) {
        assert_eq!(largest_batch(mib << 20, lanes, held_per_byte) >> 10, want_kib);
    }

    #[test]
    fn two_lanes_have_room_for_14_mib() {
        check(256, 2, 3.5, 14_979);
    }
    #[test]
    fn many_lanes_share() {
        check(256, 16, 3.5, 2_269);
    }
    #[test]
    fn wide_rows_of_small_cells_take_more() {
        check(256, 2, 10.0, 5_242);
    }
}
