use crate::load::ledger::job::*;

const LEDGER: fn() -> Ledger =
    || Ledger { schema: "shop".into(), shared_lock: "FOR SHARE", is_marked: false, has_owners: true, has_runs: true };

fn row(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|&text| text.to_owned()).collect()
}

fn line_row() -> Vec<String> {
    let id = "07".repeat(16);
    row(&[
        &id,
        "1",
        "9",
        "shop.people",
        "/a.csv",
        "1000",
        "-5",
        "18446744073709551615",
        "delimiter: ,\n",
        "truncate",
        "",
        "running",
        "1",
        "2",
        "3",
        "4",
        "5",
        "2026-01-01 00:00:00",
        "",
        "ann@%",
        "",
        "2026-01-02 00:00:00",
        "",
        "",
    ])
}

#[test]
fn a_line_is_read() {
    let line = JobLine::parse(&line_row()).unwrap();
    assert_eq!(
        line,
        JobLine {
            id: JobId([7; 16]),
            version: 1,
            epoch: 9,
            target: "shop.people".into(),
            source: "/a.csv".into(),
            size: Some(1000),
            modified: Some(-5),
            hash: Some(u64::MAX),
            mapping: Mapping::default().with("delimiter", ","),
            step: JobStep::Truncate,
            indexes: None,
            state: State::Running,
            totals: Totals::default(),
            started: "2026-01-01 00:00:00".into(),
            finished: String::new(),
            owner: "ann@%".into(),
            copied: String::new(),
            run: LastRun { began: "2026-01-02 00:00:00".into(), ..LastRun::default() },
        }
    );
}

/// While a job runs, the column of its chunks is a mark.
#[test]
fn a_finished_line_has_totals() {
    let mut texts = line_row();
    texts[11] = "done".into();
    let line = JobLine::parse(&texts).unwrap();
    assert_eq!(line.totals, Totals { chunks: 1, records: 2, rows: 3, skipped: 4, rejected: 5 });
}

#[test]
fn a_line_of_a_stream_has_no_size() {
    let mut texts = line_row();
    for i in [5, 6, 7] {
        texts[i].clear();
    }
    let line = JobLine::parse(&texts).unwrap();
    assert_eq!((line.size, line.modified, line.hash), (None, None, None));
}

#[test]
fn an_odd_line_is_an_error() {
    assert!(JobLine::parse(&[]).is_err());
    for i in [0, 1, 2, 5, 6, 7, 9, 11, 12, 16] {
        let mut texts = line_row();
        texts[i] = "x".into();
        assert!(JobLine::parse(&texts).is_err(), "column {i}");
    }
}

#[test]
fn chunks_and_sums_are_read() {
    let numbers = row(&["10", "250", "3", "20", "4", "21", "17", "1", "2", "99"]);
    let line = ChunkLine::parse(&numbers).unwrap();
    assert_eq!((line.span, line.rows, line.checksum), (10..250, 17, 99));
    for (at, number) in [(6, "18"), (6, "18446744073709551615"), (3, "9999999999999999999"), (5, "9999999999999999999")]
    {
        let mut odd = numbers.clone();
        odd[at] = number.into();
        assert!(ChunkLine::parse(&odd).is_err(), "column {at}");
    }
    assert!(ChunkLine::parse(&numbers[1..]).is_err() && ChunkLine::parse(&row(&["x"; 10])).is_err());
    assert_eq!(Totals::parse(&row(&["1", "2", "3", "4", "5"])).unwrap().skipped, 4);
    assert!(Totals::parse(&row(&["1", "2", "3", "4", "5.5"])).is_err());
}

#[test]
fn as_many_columns_are_written_as_values() {
    let mapping = Mapping::default();
    let identity = Identity { name: "/a.csv".into(), size: None, modified: None, hash: 3 };
    for identity in [None, Some(&identity)] {
        let start = Start {
            id: JobId([7; 16]),
            target: "shop.people",
            source: "/a.csv",
            identity,
            mapping: &mapping,
            program: "inrush 0.1",
        };
        let insert = JobLine::insert_statement(&LEDGER(), &start, 5);
        let (_, values) = insert.split_once(" VALUES (").unwrap();
        assert_eq!(values.split(", ").count(), COLUMNS.len() + 2, "{insert}");
        let older = Ledger { has_owners: false, has_runs: false, ..LEDGER() };
        let insert_older = JobLine::insert_statement(&older, &start, 5);
        assert!(insert.contains("`owner`") && insert.contains("CURRENT_USER()"), "{insert}");
        assert!(
            !insert_older.contains("owner")
                && !insert_older.contains("run_began")
                && !insert_older.contains("CURRENT_USER()"),
            "{insert_older}"
        );
        assert_eq!(insert.contains("NULL, NULL, NULL"), identity.is_none());
    }
    assert_eq!(READ_COLUMNS.matches('`').count() / 2, 19);
}

#[test]
fn what_changes_a_line_names_its_epoch() {
    let fence = Fence { ledger: LEDGER(), job: JobId([7; 16]), epoch: 9 };
    let totals = Totals { chunks: 1, records: 2, rows: 3, skipped: 4, rejected: 5 };
    let all = [
        fence.step_statement(JobStep::Truncate),
        fence.indexes_statement("KEY (a)"),
        fence.finish_statements(&totals)[0].clone(),
        fence.remove_statements()[0].clone(),
        fence.run_ended_statement("no room").unwrap(),
    ];
    let older = Fence { ledger: Ledger { has_runs: false, ..LEDGER() }, ..fence };
    assert_eq!(older.run_ended_statement("no room"), None);
    for statement in all {
        assert!(statement.ends_with("AND `epoch` = 9 AND `state` = 'running'"), "{statement}");
    }
}

#[test]
fn every_step_is_found_by_its_name() {
    for step in JobStep::ALL {
        assert_eq!(JobStep::parse(step.name()), Some(step));
    }
    assert!(JobStep::ALL.is_sorted());
}

#[test]
fn a_copy_is_filled_from_its_making_to_the_swap() {
    let query = |ledger| JobLine::others_with_copy_query(&ledger, "shop.people", &[JobId([7; 16])]);
    let of_all = query(LEDGER()).unwrap();
    let steps = "`step` IN ('make', 'create', 'truncate', 'before', 'drop', 'chunks') ORDER BY `id`";
    assert!(of_all.contains("`state` = 'running' AND `copied` <> ''") && of_all.ends_with(steps), "{of_all}");
    assert_eq!(query(Ledger { has_owners: false, ..LEDGER() }), None);
}

#[test]
fn no_list_of_jobs_is_empty() {
    assert!(
        JobLine::query(&LEDGER(), Some(&[]), true)
            .ends_with("IN (x'00000000000000000000000000000000') ORDER BY `id` FOR UPDATE")
    );
    assert!(!JobLine::query(&LEDGER(), None, false).contains("WHERE `id`"));
}
