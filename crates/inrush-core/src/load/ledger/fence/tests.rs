use crate::load::ledger::fence::*;

fn fence(shared_lock: &'static str) -> Fence {
    Fence {
        ledger: Ledger { schema: "shop".into(), shared_lock, is_marked: false, has_owners: true, has_runs: true },
        job: JobId([0xab; 16]),
        epoch: 7,
    }
}

const LINE: fn() -> ChunkLine = || ChunkLine {
    span: 10..250,
    first_record: 3,
    records: 20,
    first_line: 4,
    lines: 21,
    rows: 17,
    skipped: 1,
    rejected: 2,
    checksum: u64::MAX,
};

fn reject(line: u64, raw: &[u8]) -> Reject {
    let place = Place { source: "a.csv".into(), line, column: Some("age".into()) };
    Reject { place, reason: "`x` is no number".into(), fault: Default::default(), code: 1366, raw: raw.to_vec() }
}

#[test]
fn a_chunk_line_is_written_behind_the_fence() {
    let id = "ab".repeat(16);
    for lock in ["FOR SHARE", "LOCK IN SHARE MODE"] {
        assert_eq!(
            fence(lock).chunk_statement(&LINE()),
            format!(
                "INSERT INTO `shop`.`inrush_chunk` (`job`, `start`, `end`, `first_record`, `records`, `first_line`, `n_lines`, \
                 `n_rows`, `skipped`, `rejected`, `checksum`, `epoch`) SELECT `id`, 10, 250, 3, 20, 4, 21, 17, 1, 2, \
                 18446744073709551615, `epoch` FROM `shop`.`inrush_job` WHERE `id` = x'{id}' AND `epoch` = 7 AND \
                 `state` = 'running' {lock}"
            )
        );
    }
}

#[test]
fn in_a_cluster_the_jobs_line_is_changed() {
    let mut fence = fence("FOR SHARE");
    assert_eq!(fence.mark_statement(), None);
    fence.ledger.is_marked = true;
    let id = "ab".repeat(16);
    let want = format!(
        "UPDATE `shop`.`inrush_job` AS l JOIN (SELECT 1 AS one) AS o SET `chunks` = `chunks` + 1 \
         WHERE `id` = x'{id}' AND `epoch` = 7 AND `state` = 'running'"
    );
    assert_eq!(fence.mark_statement(), Some(want));
}

#[test]
fn settling_waits_for_whoever_writes() {
    assert!(fence("FOR SHARE").settle_query(10).ends_with("AND `start` = 10 FOR SHARE"));
    assert!(fence("LOCK IN SHARE MODE").settle_query(10).ends_with("AND `start` = 10 LOCK IN SHARE MODE"));
}

#[test]
fn whose_the_job_is_waits_for_nobody() {
    let want = format!("SELECT `epoch` FROM `shop`.`inrush_job` WHERE `id` = x'{}'", "ab".repeat(16));
    assert_eq!(fence("FOR SHARE").epoch_query(), want);
    assert!(fence("FOR SHARE").is_taken_over(&["8".into()]));
    assert!(!fence("FOR SHARE").is_taken_over(&["7".into()]));
}

#[track_caller]
fn settled(answer: &[&str], want: Option<bool>) {
    let answer: Vec<String> = answer.iter().map(|&text| text.to_owned()).collect();
    assert_eq!(fence("FOR SHARE").settle(&answer, 99).ok(), want);
}

#[test]
fn what_a_settling_read_means() {
    settled(&[], Some(false));
    settled(&["7", "99"], Some(true));
    settled(&["8", "99"], None);
    settled(&["7", "98"], None);
    settled(&["7"], None);
}

#[track_caller]
fn taken_over(state: &[&str], want: bool) {
    let state: Vec<String> = state.iter().map(|&text| text.to_owned()).collect();
    assert_eq!(fence("FOR SHARE").is_taken_over(&state), want);
}

#[test]
fn whose_a_job_is() {
    taken_over(&["7", "running", "begin"], false);
    taken_over(&["7", "done", "verify"], false);
    taken_over(&["8", "running", "begin"], true);
    taken_over(&["8", "done", "verify"], true);
    // The job is done, if its source cannot be read again, or its line was removed (`--forget`).
    taken_over(&[], false);
}

#[test]
fn rejects_share_statements() {
    let rejects: Vec<Reject> = (1..=40).map(|line| reject(line, b"a,x\n")).collect();
    let all = fence("FOR SHARE").reject_statements(10, &rejects, true, 1 << 30);
    assert_eq!(all.len(), 1);
    assert_eq!(all[0].matches("x'612c780a')").count(), 40);
    let cut = fence("FOR SHARE").reject_statements(10, &rejects, true, 2000);
    assert!(cut.len() > 2 && cut.iter().all(|statement| statement.len() <= 2000), "{}", cut.len());
    assert_eq!(cut.iter().map(|statement| statement.matches("x'612c780a')").count()).sum::<usize>(), 40);
    assert!(fence("FOR SHARE").reject_statements(10, &[], true, 1 << 30).is_empty());
}

#[test]
fn a_record_longer_than_a_statement_lies_in_parts() {
    let raw: Vec<u8> = (0..5000u32).map(|i| i as u8).collect();
    let statements = fence("FOR SHARE").reject_statements(10, &[reject(1, &raw), reject(2, b"")], true, 2000);
    assert!(statements.iter().all(|statement| statement.len() <= 2000));
    let all = statements.concat();
    for part in 0..6 {
        assert!(all.contains(&format!(", 1, {part}, 10, ")), "part {part}");
    }
    assert!(all.contains(", 2, 0, 10, ") && all.contains("x'')"));
    // The parts in order are the record.
    let pieces: String = all
        .split(", x'")
        .skip(1)
        .filter(|piece| !piece.starts_with("abab"))
        .map(|p| p.split('\'').next().unwrap())
        .collect();
    assert_eq!(format!("x'{pieces}'"), hex(&raw));
}

#[test]
fn long_reasons_are_cut_at_a_character() {
    assert_eq!(shortened(&"é".repeat(4096)).len(), REASON_BYTES);
    assert_eq!(shortened(&format!("a{}", "é".repeat(4096))).len(), REASON_BYTES - 1);
}

/// The error of the older run depends on the current content of the ledger.
#[test]
fn what_became_of_a_job() {
    let fence = fence("FOR SHARE");
    let fate = |row: &[&str]| row.iter().map(|&text| text.to_owned()).collect::<Vec<_>>();
    let say = |row: &[&str], by: Option<&str>| {
        let error = fence.what_became_of_it(&fate(row), by, "ann@%");
        assert_eq!(error.reason(), Reason::JobTakenOver, "{error}");
        format!("{} / {}", error.message(), error.hint().unwrap_or_default())
    };
    let mine = say(&["8", "running", "ann@%"], None);
    assert!(mine.starts_with("another run has taken this job over / it goes on where"), "{mine}");
    let theirs = say(&["8", "running", "bob@%"], None);
    assert!(theirs.starts_with("user `bob@%` has taken this job over") && theirs.contains("ask them"), "{theirs}");
    let done = say(&["8", "done", "bob@%"], None);
    assert!(done.contains("has finished it: user `bob@%`"), "{done}");
    for gone in [say(&[], Some("bob@%")), say(&["4000000000", "running", "bob@%"], None)] {
        assert!(
            gone.contains("forgotten") && gone.contains("user `bob@%`") && gone.contains("a second time"),
            "{gone}"
        );
        assert!(!gone.contains("goes on"), "{gone}");
    }
}

#[test]
fn a_lost_job_is_known_by_its_reason() {
    let told = [Fence::taken_over(), Fence::taken_over().while_doing("cannot finish the load")];
    assert!(told.iter().all(|error| error.reason() == Reason::JobTakenOver));
    assert_eq!(Error::new(Kind::Server, TAKEN_OVER).reason(), Reason::Other);
}

#[test]
fn a_reason_alone_is_one_line_whose_record_is_not_kept() {
    let statements = fence("FOR SHARE").reject_statements(10, &[reject(1, &[7; 5000])], false, 2000);
    let [statement] = &statements[..] else { panic!("{statements:?}") };
    assert!(statement.contains(", 1, 4294967295, 10, ") && statement.ends_with(", x'')"), "{statement}");
    let row =
        |part| RejectRow { line: 1, part, column: String::new(), code: 0, reason: String::new(), raw: Vec::new() };
    assert_eq!((row(u32::MAX).is_kept(), row(0).is_kept()), (false, true));
}
