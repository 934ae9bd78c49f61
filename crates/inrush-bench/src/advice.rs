//! What to do, drawn from the numbers just measured and from nothing else. Pure.

use crate::results::{Results, Role};
use crate::table::{self, Line};

/// A sentence for each number of rows, the most rows first: the fastest method and the next one.
pub fn of(results: &Results) -> Vec<String> {
    let lines = table::lines(results);
    let mut sizes: Vec<u64> = results.cases.iter().map(|case| case.rows).collect();
    sizes.sort_unstable();
    sizes.dedup();
    sizes.into_iter().rev().filter_map(|rows| for_rows(&lines, rows)).collect()
}

fn for_rows(lines: &[Line<'_>], rows: u64) -> Option<String> {
    let median = |line: &Line<'_>| line.seconds.as_ref().map(|seconds| seconds.median);
    let mut ours: Vec<(&Line<'_>, f64)> = lines
        .iter()
        .filter(|line| line.case.rows == rows && matches!(line.case.role, Role::Subject | Role::Baseline))
        .filter_map(|line| Some((line, median(line)?)))
        .collect();
    ours.sort_by(|a, b| a.1.total_cmp(&b.1));
    let (best, least) = ours.first()?;
    let commits = |line: &Line<'_>| line.case.with.get("commits").cloned().unwrap_or_default();
    let mut text = format!("{rows} rows: `{}`, committed {}", best.case.subject, commits(best));
    if let Some(times) = best.speed_up.filter(|times| *times > 1.0) {
        text += &format!(", {times:.1} times as fast as row by row");
    }
    if let Some(share) = best.of_limit {
        text += &format!(", {:.0} % of what the server does by itself", share * 100.0);
    }
    let next = ours.iter().find(|(line, _)| line.case.subject != best.case.subject);
    if let Some((line, seconds)) = next {
        text += &format!(
            "; then `{}`, committed {} ({:.2} times as long)",
            line.case.subject,
            commits(line),
            seconds / least
        );
    }
    Some(text + ".")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::tests::results;

    #[test]
    fn the_fastest_comes_first() {
        let results = results(&[("row", 1.0), ("multi-row", 0.1), ("load-data", 0.08)]);
        assert_eq!(
            of(&results),
            [
                "100 rows: `load-data`, committed once, 12.5 times as fast as row by row; then `multi-row`, committed once (1.25 times as long)."
            ]
        );
    }

    #[test]
    fn nothing_is_said_of_nothing() {
        assert_eq!(of(&results(&[])), [""; 0]);
    }
}
