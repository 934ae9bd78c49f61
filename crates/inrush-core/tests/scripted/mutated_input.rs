//! Any bytes at all, and damaged packets of real servers, into every decoder and conversation: nothing panics or hangs.

use inrush_testkit::fuzz_harness;
use proptest::prelude::*;

fn every_harness(bytes: &[u8]) {
    fuzz_harness::ALL.iter().for_each(|(_, fuzz_harness)| fuzz_harness(bytes));
}

#[test]
fn real_exchanges_as_they_are() {
    fuzz_harness::seeds().iter().for_each(|bytes| every_harness(bytes));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        every_harness(&bytes);
    }

    #[test]
    fn damaged_exchanges(
        exchange in prop::sample::select(fuzz_harness::seeds()),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..6),
        end in any::<prop::sample::Index>(),
    ) {
        let mut bytes = exchange;
        for (at, byte) in changes {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        every_harness(&bytes);
        every_harness(&bytes[..end.index(bytes.len() + 1)]);
    }
}
