//! The marks of random texts, against a search byte by byte.

use super::*;
use proptest::prelude::*;

proptest! {
    #[test]
    fn finds_every_mark_from_anywhere(text in text(), delimiter in delimiter(), at in 0usize..3000) {
        let mut marks = Marks::from(delimiter, at);
        prop_assert_eq!(rest(&mut marks, &text), expected(&text, delimiter, at));
    }

    #[test]
    fn passes_over_what_it_is_told(text in text(), delimiter in delimiter(), hops in prop::collection::vec(0usize..1500, 1..8)) {
        let mut marks = Marks::from(delimiter, 0);
        let mut at = 0;
        for hop in hops {
            at += hop;
            marks.pass(at);
            let next = marks.next(&text);
            prop_assert_eq!(next, expected(&text, delimiter, at).first().copied());
            at = next.map_or(text.len(), |mark| mark + 1);
        }
        prop_assert_eq!(rest(&mut marks, &text), expected(&text, delimiter, at));
    }
}

fn text() -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(prop::sample::select(b"ab, \n-\xff\x2d\x8a\x0b".to_vec()), 0..3000)
}

fn delimiter() -> impl Strategy<Value = u8> {
    prop::sample::select(b", a".to_vec())
}

fn expected(text: &[u8], delimiter: u8, at: usize) -> Vec<usize> {
    (at..text.len()).filter(|&i| text[i] == delimiter || text[i] == b'\n').collect()
}

fn rest(marks: &mut Marks, text: &[u8]) -> Vec<usize> {
    std::iter::from_fn(|| marks.next(text)).collect()
}
