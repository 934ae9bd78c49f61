use crate::write::search::*;

/// Searches among `n` rows. The server takes statements of at most `room` rows. Returns the bad rows that were found, and how
/// many statements and round trips it took.
fn search(n: usize, room: usize, names_row: bool, is_bad: impl Fn(usize) -> bool) -> (Vec<usize>, usize, usize) {
    let mut search = Search::new(0..n, 0.0);
    let (mut found, mut stored, mut n_statements, mut n_trips) = (Vec::new(), Vec::new(), 0, 0);
    while let Some(next) = search.next() {
        n_trips += 1;
        match next {
            Try::Together(rows) => {
                n_statements += 1;
                let end = rows.end.min(rows.start + room);
                search.left(end..rows.end);
                let rows = rows.start..end;
                match rows.clone().any(&is_bad) {
                    true => search.refused(rows.clone(), names_row.then(|| named(rows, &is_bad))),
                    false => {
                        search.stored(rows.len());
                        stored.extend(rows);
                    }
                }
            }
            Try::OneByOne(rows) => {
                n_statements += rows.len();
                let (bad, good): (Vec<_>, Vec<_>) = rows.clone().partition(|row| is_bad(*row));
                search.told_apart(rows.len(), bad.len());
                found.extend(bad);
                stored.extend(good);
            }
        }
    }
    assert!(stored.is_sorted(), "rows go in in their order");
    assert_eq!(found.len() + stored.len(), n, "each row has one fate");
    (found, n_statements, n_trips)
}

#[track_caller]
fn check(n: usize, room: usize, is_bad: impl Fn(usize) -> bool, most_statements: usize, most_trips: usize) {
    check_server(n, room, false, &is_bad, most_statements, most_trips);
    // Never worse where the server names the row.
    check_server(n, room, true, &is_bad, most_statements, most_trips);
}

#[track_caller]
fn check_server(
    n: usize,
    room: usize,
    names_row: bool,
    is_bad: impl Fn(usize) -> bool,
    most_statements: usize,
    most_trips: usize,
) {
    let (found, n_statements, n_trips) = search(n, room, names_row, &is_bad);
    assert_eq!(found, (0..n).filter(|row| is_bad(*row)).collect::<Vec<_>>());
    assert!(n_statements <= most_statements && n_trips <= most_trips, "{n_statements} statements, {n_trips} trips");
}

/// The first bad row of a statement, as a server names it.
fn named(mut rows: Range<usize>, is_bad: impl Fn(usize) -> bool) -> u64 {
    1 + rows.position(is_bad).unwrap() as u64
}

#[test]
fn no_row_is_bad() {
    check(10_000, 1_000, |_| false, 10, 10);
}
#[test]
fn one_row_is_bad() {
    check(10_000, 1_000, |row| row == 4_321, 34, 28);
}
#[test]
fn every_hundredth_row_is_bad() {
    // At the border: mostly one row for each statement, in far fewer round trips than the 1,600 that halves take.
    check(10_000, 1_000, |row| row % 100 == 7, 10_100, 300);
}
#[test]
fn every_tenth_row_is_bad() {
    // One row for each statement after a few hundred: hardly more statements than rows, and a flight for each few hundred.
    check(10_000, 1_000, |row| row % 10 == 7, 10_100, 110);
}
#[test]
fn every_row_is_bad() {
    check(10_000, 1_000, |_| true, 10_060, 105);
}
#[test]
fn a_nest_of_bad_rows_is_left_behind() {
    // Many rows for each statement again after the bad range: the rest of the rows takes far fewer statements than rows.
    check(100_000, 1_000, |row| row < 2_000, 16_500, 200);
}
#[test]
fn a_row_that_the_server_names_costs_no_halving() {
    check_server(10_000, 1_000, true, |row| row == 4_321, 17, 17);
}
#[test]
fn a_server_that_always_names_the_first_row() {
    let mut search = Search::new(0..1_000, 0.0);
    let (mut n_statements, mut found) = (0, Vec::new());
    while let Some(next) = search.next() {
        match next {
            Try::Together(rows) if rows.contains(&777) => search.refused(rows, Some(1)),
            Try::Together(rows) => search.stored(rows.len()),
            Try::OneByOne(rows) => {
                found.extend(rows.clone().filter(|row| *row == 777));
                search.told_apart(rows.len(), usize::from(rows.contains(&777)));
            }
        }
        n_statements += 1;
    }
    assert_eq!(found, [777]);
    assert!(n_statements < 40, "{n_statements} statements");
}
#[test]
fn nothing_and_one() {
    check(0, 10, |_| true, 0, 0);
    check(1, 10, |_| true, 2, 2);
    check(1, 10, |_| false, 1, 1);
}

#[test]
fn what_an_earlier_search_came_to_saves_the_halving() {
    let mut first = Search::new(0..10_000, 0.5);
    assert_eq!(first.next(), Some(Try::OneByOne(0..FLIGHT_ROWS)));
    let mut second = Search::new(0..10_000, 0.01);
    assert_eq!(second.next(), Some(Try::Together(0..10_000)));
}

#[track_caller]
fn check_cut(rows: Range<usize>, named: Option<u64>, want: &[Range<usize>]) {
    assert_eq!(cut(rows, named).into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>(), want);
}

#[test]
fn halves_keep_the_order() {
    check_cut(2..7, None, &[2..4, 4..7]);
    check_cut(2..4, None, &[2..3, 3..4]);
}
#[test]
fn a_named_row_is_tried_alone() {
    check_cut(10..20, Some(4), &[10..13, 13..14, 14..17, 17..20]);
    check_cut(10..20, Some(1), &[10..11, 11..15, 15..20]);
    check_cut(10..20, Some(10), &[10..19, 19..20]);
}
#[test]
fn a_row_that_is_none_of_them_is_not_believed() {
    check_cut(2..7, Some(6), &[2..4, 4..7]);
    check_cut(2..7, Some(0), &[2..4, 4..7]);
}

#[test]
fn where_a_statement_leaves_rows_each_row_is_tried_alone() {
    let mut search = Search::apart(3..900);
    assert_eq!(search.next(), Some(Try::OneByOne(3..900)));
    search.told_apart(897, 1);
    assert_eq!(search.next(), None);
    assert_eq!(Search::apart(0..0).next(), None);
}
