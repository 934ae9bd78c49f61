//! `inrush bench pool`: every caller gets its connections, and how long that took is known.

use super::Place;

pub(super) fn on(place: &Place) {
    let document =
        place.document("pool --min 1,3 --max 2,4 --concurrency 6 --queries 15 --warmup 15 -o pool1.jsonl", 0);
    let cases = document["cases"].as_array().unwrap();
    // 3 to 2 is none.
    assert_eq!(cases.len(), 2 * 3, "{document}");
    for case in cases {
        assert_eq!((&case["done"], &case["failed"]), (&(3 * 6 * 15).into(), &0.into()), "{case}");
        assert_eq!((&case["latency"]["n"], &case["acquire"]["n"]), (&case["done"], &case["done"]), "{case}");
        assert!(case["acquire"]["mean"].as_f64() < case["latency"]["mean"].as_f64(), "{case}");
    }
    place.fails("pool --min 5 --max 2 -o pool2.jsonl", 1, "no pool keeps 5 connections and has at most 2");
    place.fails("pool --sql DELETE -o pool2.jsonl", 1, "changes nothing");
}
