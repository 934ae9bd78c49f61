//! `inrush bench query`: every query is answered or counted as one that failed.

use super::{Place, said};

pub(super) fn on(place: &Place) {
    both_kinds_of_clients_are_answered(place);
    queries_travel_together(place);
    a_query_that_fails_is_counted(place);
    only_queries_are_asked(place);
}

fn both_kinds_of_clients_are_answered(place: &Place) {
    let document = place.document("query --clients 1,3 --queries 20 --warmup 2 -o q1.jsonl", 0);
    let cases = document["cases"].as_array().unwrap();
    let ids: Vec<&str> = cases.iter().map(|case| case["case"]["id"].as_str().unwrap()).collect();
    assert_eq!(ids, ["blocking / 1", "blocking / 3", "async / 1", "async / 3"]);
    for (case, clients) in cases.iter().zip([1, 3, 1, 3]) {
        assert_eq!((&case["done"], &case["failed"]), (&(3 * 20 * clients).into(), &0.into()), "{case}");
        assert_eq!(case["latency"]["n"], case["done"], "{case}");
        assert!(case["client_cpu"].is_number() && case["rows_per_second"].as_f64().unwrap() > 0.0, "{case}");
    }
    let report = place.bench("report q1.jsonl");
    for word in ["queries/s", "asked", "answered", "p99"] {
        assert!(said(&report).contains(word), "{}", said(&report));
    }
}

fn queries_travel_together(place: &Place) {
    let together = [
        "--mode batch --batch-size 7",
        "--mode pipeline --batch-size 7",
        "--join --prepared --mode pipeline --batch-size 7",
        "--join --mode batch --batch-size 7",
    ];
    for (i, how) in together.iter().enumerate() {
        let document = place.document(&format!("query --clients 2 --queries 20 --warmup 1 {how} -o q2{i}.jsonl"), 0);
        for case in document["cases"].as_array().unwrap() {
            assert_eq!((&case["done"], &case["failed"]), (&120.into(), &0.into()), "{how}: {case}");
            // One answer to each text, or to each query.
            let answers = if how.contains("batch --") { 3 * 2 * 3 } else { 120 };
            assert_eq!(case["latency"]["n"], answers, "{how}: {case}");
        }
    }
    assert_eq!(place.sql("SHOW DATABASES LIKE 'inrush_bench'"), "");
}

fn a_query_that_fails_is_counted(place: &Place) {
    let slow = "query --client async --clients 2 --queries 1 --warmup 0 --timeout 1 --sql SELECT(SLEEP(9)) -o q3.jsonl";
    let document = place.document(slow, 4);
    let case = &document["cases"][0];
    assert_eq!((&case["done"], &case["failed"], &case["errors"]["timeout"]), (&0.into(), &6.into(), &8.into()));
    let shown = said(&place.bench("report q3.jsonl"));
    assert!(shown.contains("timeout: 8"), "{shown}");
    assert!(place.samples("q3.jsonl")[0]["first_error"].as_str().unwrap().contains("time-out"));
}

fn only_queries_are_asked(place: &Place) {
    let refused = "`--sql` takes one query that changes nothing";
    for (i, sql) in ["DROP", "/**/DO(1)", "select/**/nowhere.f()"].iter().enumerate() {
        let (code, says) = if i < 2 { (1, refused) } else { (3, "nowhere") };
        place.fails(&format!("query --sql {sql} -o q4{i}.jsonl"), code, says);
    }
    place.fails("query --mode batch --prepared -o q5.jsonl", 1, "cannot be prepared");
    place.fails("query --clients 0 -o q5.jsonl", 1, "a number from 1 to");
    place.fails("query --clients 9999 -o q5.jsonl", 1, "max_connections");
}
