//! Tests of a page's content for a given file. A browser tests how it looks and behaves (tests/html).

use super::*;
use crate::histogram::Latencies;
use crate::results::tests::{case, results};
use crate::results::{End, Sample, Tick};
use std::collections::BTreeMap;
use std::time::Duration;

fn text_of(results: &Results) -> String {
    page(results, &[])
}

/// The ids of the figures, in their order.
fn figures_of(results: &Results) -> Vec<String> {
    let text = text_of(results);
    text.split("<figure id=\"").skip(1).filter_map(|rest| Some(rest.split_once('"')?.0.to_owned())).collect()
}

/// A case for each of some settings, two rounds of each.
fn cases(settings: &[&[(&str, u32)]]) -> Results {
    let mut results = results(&[]);
    for (i, settings) in settings.iter().enumerate() {
        let mut case = case(&format!("case {i}"));
        case.subject = "multi-row".into();
        case.with = settings.iter().map(|(name, value)| ((*name).into(), value.to_string())).collect();
        let sample = |round: u32| Sample {
            case: case.id.clone(),
            round,
            seconds: 0.1 + (i as f64 + f64::from(round)) / 100.0,
            rows: 100,
            ..Sample::default()
        };
        results.samples.extend([1, 2].map(sample));
        results.cases.push(case);
    }
    results
}

#[test]
fn pictures_follow_from_what_there_is() {
    assert_eq!(figures_of(&results(&[])), [""; 0]);
    assert_eq!(figures_of(&results(&[("row", 1.0), ("load-data", 0.1)])), ["rates"]);
    assert_eq!(figures_of(&cases(&[&[("n", 1)], &[("n", 2)]])), ["rates"]);
    assert_eq!(figures_of(&cases(&[&[("n", 1)], &[("n", 2)], &[("n", 9)]])), ["rates", "by-n"]);
    let grid: Vec<[(&str, u32); 2]> = (0..3).flat_map(|a| (1..4).map(move |b| [("a", a), ("b", b)])).collect();
    let grid: Vec<&[(&str, u32)]> = grid.iter().map(|settings| &settings[..]).collect();
    assert_eq!(figures_of(&cases(&grid)), ["rates", "a-and-b", "by-a", "by-b"]);
    // Two settings that go together are no map.
    let pairs: [&[(&str, u32)]; 4] =
        [&[("a", 1), ("b", 1)], &[("a", 2), ("b", 2)], &[("a", 3), ("b", 3)], &[("a", 4), ("b", 4)]];
    assert_eq!(figures_of(&cases(&pairs)), ["rates"]);
}

#[test]
fn a_short_load_has_no_curve() {
    for (experiment, seconds, want) in [("load", 3, false), ("load", 6, true), ("pressure", 3, true)] {
        let mut results = results(&[("row", 1.0), ("load-data", 0.1)]);
        results.run.experiment = experiment.into();
        let tick = |second: u32| Tick { second, rows: 9, errors: 0 };
        results.samples.iter_mut().for_each(|sample| sample.server_curve = (0..seconds).map(tick).collect());
        let is_shown = figures_of(&results).contains(&"seconds".to_owned());
        assert_eq!(is_shown, want, "{experiment}, {seconds} seconds");
    }
}

#[test]
fn what_stands_alone_is_no_line() {
    let across: [&[(&str, u32)]; 5] = [
        &[("a", 1), ("b", 7)],
        &[("a", 2), ("b", 7)],
        &[("a", 3), ("b", 7)],
        &[("a", 2), ("b", 8)],
        &[("a", 2), ("b", 9)],
    ];
    let text = text_of(&cases(&across));
    for (id, line, alone) in [("by-a", "b 7", ["b 8", "b 9"]), ("by-b", "a 2", ["a 1", "a 3"])] {
        let figure = text.split(&format!("<figure id=\"{id}\"")).nth(1).unwrap().split("</figure>").next().unwrap();
        assert!(figure.contains(&format!("<code>{line}</code>")), "{figure}");
        assert!(!alone.iter().any(|name| figure.contains(name)), "{figure}");
    }
}

#[test]
fn what_was_timed_and_counted_is_drawn() {
    let mut results = results(&[("row", 1.0), ("load-data", 0.1)]);
    let mut latency = Latencies::new();
    (1..=100).for_each(|micros| latency.record(Duration::from_micros(micros)));
    for sample in &mut results.samples {
        (sample.latency, sample.acquire) = (Some(latency.clone()), Some(Latencies::new()));
        sample.curve = vec![Tick { second: 0, rows: 7, errors: 1 }, Tick { second: u32::MAX, rows: 7, errors: 0 }];
    }
    assert_eq!(figures_of(&results), ["rates", "seconds", "latency"]);
    let text = text_of(&results);
    assert!(text.contains("p99.9 ms") && !text.contains("99.99 % took"), "a hundred do not tell the 99.99th");
}

#[test]
fn what_went_wrong_is_said() {
    let mut results = results(&[("row", 1.0), ("load-data", 0.1)]);
    assert!(!text_of(&results).contains("To be read with care") || results.end.is_none());
    results.end = Some(End { complete: false, reason: Some("load-data, round 2: gone".into()) });
    results.samples[0].seconds *= 9.0;
    let cut = Sample { case: "load-data".into(), rows: 1_234, cut: true, seconds: 9.0, ..Sample::default() };
    results.samples.push(cut);
    results.samples[1].errors = BTreeMap::from([("1213".into(), 4)]);
    let text = text_of(&results);
    for says in [
        "The run did not come to its end: load-data, round 2: gone.",
        "<code>load-data</code> after 1,234 rows",
        "1213: ",
        "<code>row</code>: far from the others by its time: round 1 (",
    ] {
        assert!(text.contains(says), "{says}: {text}");
    }
    results.end = None;
    assert!(text_of(&results).contains("The run was killed"));
}

#[test]
fn numbers_that_are_none_do_no_harm() {
    let mut results = results(&[("row", 1.0), ("load-data", 0.1)]);
    for (sample, seconds) in results.samples.iter_mut().zip([0.0, f64::NAN, -1.0, 1e300, f64::INFINITY, 1e-300]) {
        sample.seconds = seconds;
    }
    for (case, value) in results.cases.iter_mut().zip(["nan", "1e999"]) {
        case.with = BTreeMap::from([("n".into(), value.into()), (String::new(), "-0".into())]);
    }
    let text = text_of(&results);
    for bad in ["=\"NaN", " NaN\"", "=\"inf", "MNaN", "LNaN"] {
        assert!(!text.contains(bad), "{bad}");
    }
}

#[test]
fn two_kinds_of_rounds_are_said() {
    let mut results = results(&[("row", 1.0)]);
    let sample = results.samples[0].clone();
    results.samples =
        (1..=12).map(|round| Sample { round, seconds: f64::from(round % 2 + 1), ..sample.clone() }).collect();
    assert!(text_of(&results).contains("<code>row</code>: the rounds fall into two groups"));
}

#[test]
fn what_the_lab_takes_is_in_no_picture() {
    let mut results = results(&[("row", 1.0), ("nothing", 0.001)]);
    results.cases[1].role = Role::Lab;
    let text = text_of(&results);
    assert!(!text.contains("<title>nothing"), "{text}");
    assert!(text.contains("<code>nothing</code> is what the lab itself takes"), "{text}");
    assert!(
        text.contains("× the fastest beside it") && text.contains("The fastest case is <code>row</code>"),
        "{text}"
    );
}

#[test]
fn texts_stay_texts() {
    let attack = "<script>alert(1)</script>";
    let mut results = results(&[(attack, 1.0)]);
    results.run.experiment = attack.into();
    results.run.options.insert(attack.into(), attack.into());
    let text = page(&results, &[format!("use {attack}")]);
    assert_eq!(text.matches("<script").count(), 1);
    assert!(text.contains("use &lt;script&gt;alert(1)&lt;/script&gt;"));
}

#[test]
fn sentences_come_in_order() {
    let text = page(&results(&[("row", 1.0)]), &["First `this`.".into(), "Then that.".into()]);
    assert!(text.contains("<p class=\"answer\">First <code>this</code>.</p>"), "{text}");
    assert!(text.contains("<ul class=\"answers\"><li>Then that.</li></ul>"), "{text}");
    assert!(text_of(&results(&[("row", 1.0)])).contains("The fastest case is <code>row</code>"));
    assert!(text.contains("2 January 2026, 03:04 UTC"));
}
