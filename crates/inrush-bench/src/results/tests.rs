//! Written results are read back; damage is reported, with its line.

use super::*;
use proptest::prelude::*;

fn run() -> Run {
    Run {
        version: VERSION,
        experiment: "insert".into(),
        at: "2026-01-02T03:04:05Z".into(),
        seed: 1,
        inrush: Program { version: "0.1.0".into(), commit: None },
        machine: Machine { cores: 2, ..Machine::default() },
        server: Server { version: "9.7.4".into(), round_trip: 1e-4, ..Server::default() },
        ddl: vec![crate::dataset::Users::ddl("t")],
        options: BTreeMap::from([("rows".into(), "100".into())]),
        left_out: vec![LeftOut { way: "load-data".into(), reason: "the server has `local_infile` off".into() }],
    }
}

pub(crate) fn case(id: &str) -> Case {
    let role = if id == "row" { Role::Baseline } else { Role::Subject };
    let with = BTreeMap::from([("commits".into(), "once".into())]);
    Case { id: id.into(), subject: id.into(), with, group: "100".into(), rows: 100, unit: Unit::Rows, role }
}

/// A run of six rounds of cases that take so many seconds.
pub(crate) fn results(cases: &[(&str, f64)]) -> Results {
    results_of(&cases.iter().map(|(id, seconds)| (case(id), *seconds)).collect::<Vec<_>>())
}

/// The same of any cases.
pub(crate) fn results_of(cases: &[(Case, f64)]) -> Results {
    let mut records = vec![Record::Run(Box::new(run()))];
    records.extend(cases.iter().map(|(case, _)| Record::Case(case.clone())));
    for round in 1..7 {
        let noise = f64::from(round * 7 % 5) / 100.0;
        records.extend(cases.iter().map(|(case, seconds)| {
            Record::Sample(Sample { rows: case.rows, ..sample(&case.id, round, seconds * (1.0 + noise)) })
        }));
    }
    Results::read("r", &*written(&records)).unwrap()
}

fn sample(case: &str, round: u32, seconds: f64) -> Sample {
    Sample {
        case: case.into(),
        round,
        seconds,
        rows: 100,
        errors: BTreeMap::from([("1213".to_owned(), 2)]),
        ..Sample::default()
    }
}

fn records() -> Vec<Record> {
    let end = End { complete: true, reason: None };
    let samples = [(0, 9.0), (1, 1.0), (2, 2.0)].map(|(round, seconds)| Record::Sample(sample("a", round, seconds)));
    [vec![Record::Run(Box::new(run())), Record::Case(case("a"))], samples.to_vec(), vec![Record::End(end)]].concat()
}

fn written(records: &[Record]) -> Vec<u8> {
    let mut file = Vec::new();
    records.iter().for_each(|record| record.write(&mut file).unwrap());
    file
}

#[test]
fn what_is_written_is_read_again() {
    let results = Results::read("r.json", &*written(&records())).unwrap();
    assert_eq!((&results.run, &results.cases[..]), (&run(), &[case("a")][..]));
    assert_eq!(results.end, Some(End { complete: true, reason: None }));
    assert_eq!(results.costs("a"), [(1, 0.01), (2, 0.02)]);
    assert_eq!(results.samples[0], sample("a", 0, 9.0));
}

#[track_caller]
fn check(file: &str, want: &str) {
    assert_eq!(Results::read("r.json", file.as_bytes()).unwrap_err().to_string(), want);
}

#[test]
fn what_is_no_results_is_told() {
    let first = String::from_utf8(written(&records()[..1])).unwrap();
    check("", "`r.json` is empty");
    check("\n\n", "`r.json` is empty");
    check("id,name\n", "this is not a file of `inrush bench` (r.json, line 1)");
    check("{\"record\":\"end\",\"complete\":true}\n", "this is not a file of `inrush bench` (r.json, line 1)");
    let newer = first.replace("\"version\":1,", "\"version\":9,");
    check(&newer, "results of version 9 are not known here, only those of 1 (r.json, line 1)");
    check(&format!("{first}{first}"), "a second run begins within the file (r.json, line 2)");
    let damaged = Results::read("r.json", format!("{first}{{\"rec\n{{}}\n").as_bytes()).unwrap_err();
    assert!(damaged.to_string().starts_with("the line is damaged: "), "{damaged}");
    assert_eq!(damaged.place().map(|place| place.line), Some(2));
}

proptest! {
    /// Whatever of a file reached the disk.
    #[test]
    fn a_run_that_was_killed_is_read_up_to_there(cut in 0usize..4000) {
        let file = written(&records());
        let cut = cut.min(file.len());
        let whole = file[..cut].split_inclusive(|byte| *byte == b'\n').filter(|line| line.ends_with(b"\n")).count();
        match Results::read("r.json", &file[..cut]) {
            Ok(results) => prop_assert!(results.cases.len() + results.samples.len() + 1 >= whole.min(5)),
            Err(_) => prop_assert_eq!(whole, 0),
        }
    }

    /// Whatever the bytes, there is an answer.
    #[test]
    fn any_bytes_are_read(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let _ = Results::read("r.json", &bytes[..]);
    }
}
