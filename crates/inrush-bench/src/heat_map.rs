//! Two axes of a results file as a map of rates, as text: the numbers, and next to each a mark that is the darker the nearer the rate is
//! to the highest of all. Pure.

use crate::axes::{self, Axis};
use crate::results::{Case, Results};
use crate::table::{self, Line, grouped};

/// A map for each combination of the other settings; empty for fewer than two axes. Rates are in thousands where they would be wider
/// than `width` columns.
pub fn render(results: &Results, width: usize) -> String {
    let exact = drawn(results, |rate| grouped(rate, 0));
    match exact.lines().all(|line| line.chars().count() <= width) {
        true => exact,
        false => drawn(results, |rate| if rate < 1e3 { grouped(rate, 0) } else { grouped(rate / 1e3, 0) + "k" }),
    }
}

fn drawn(results: &Results, shown: fn(f64) -> String) -> String {
    let mut axes = axes::of(results);
    // The two with the most values; the longer one goes down.
    axes.sort_by_key(|axis| std::cmp::Reverse(axis.values.len()));
    let [down, across, ..] = &axes[..] else { return String::new() };
    let lines = table::lines(results);
    let highest = lines.iter().filter_map(Line::median_rate).fold(0.0, f64::max);
    let rest = |case: &Case| axes::rest(results, case, &[&down.name, &across.name]);
    let mut groups: Vec<String> = Vec::new();
    for line in &lines {
        let group = rest(line.case);
        let has_both = [down, across].iter().all(|axis| line.case.with.contains_key(&axis.name));
        if has_both && !groups.contains(&group) {
            groups.push(group);
        }
    }
    let map = |group: &String| {
        let members: Vec<&Line<'_>> = lines.iter().filter(|line| rest(line.case) == *group).collect();
        let head = if group.is_empty() { String::new() } else { format!("{group}\n") };
        head + &one((down, across), &members, highest, shown)
    };
    groups.iter().map(map).collect::<Vec<_>>().join("\n")
}

/// The map of lines that differ in these axes alone.
fn one((down, across): (&Axis, &Axis), lines: &[&Line<'_>], highest: f64, shown: fn(f64) -> String) -> String {
    let unit = lines.first().map(|line| line.case.unit).unwrap_or_default().name();
    let at = |row: &str, column: &str| {
        let is_there = |line: &&&Line<'_>| {
            let has = |axis: &Axis, value: &str| line.case.with.get(&axis.name).is_some_and(|text| text == value);
            has(down, row) && has(across, column)
        };
        lines.iter().find(is_there).map_or(String::new(), |line| match line.median_rate() {
            Some(rate) => format!("{} {}", shown(rate), mark(rate / highest)),
            None => "cut  ".into(),
        })
    };
    let row = |value: &String| {
        let cells = across.values.iter().map(|column| at(value, column));
        std::iter::once(value.clone()).chain(cells).collect::<Vec<_>>()
    };
    let head = std::iter::once(String::new()).chain(across.values.iter().map(|value| format!("{value}  "))).collect();
    let rows: Vec<Vec<String>> = std::iter::once(head).chain(down.values.iter().map(row)).collect();
    let width = |column: usize| rows.iter().map(|cells| cells[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..=across.values.len()).map(width).collect();
    let line = |cells: &Vec<String>| {
        let cells = cells.iter().zip(&widths).map(|(cell, width)| format!("{cell:>width$}"));
        cells.collect::<Vec<_>>().join("  ").trim_end().to_owned() + "\n"
    };
    format!("{unit}/s by {} (down) and {} (across)\n", down.name, across.name)
        + &rows.iter().map(line).collect::<String>()
}

/// For a share of the highest rate.
fn mark(share: f64) -> char {
    match share {
        0.9.. => '█',
        0.75.. => '▓',
        0.5.. => '▒',
        0.25.. => '░',
        _ => '·',
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::axes::tests::grid;

    #[test]
    fn a_map_of_two_axes() {
        let cells = [(1, 1, 100.0), (100, 1, 1000.0), (1, 2, 300.0), (100, 2, 2000.0), (1000, 2, 1900.0)];
        let mut want = "rows/s by rows (down) and connections (across)\n".to_owned();
        want += "          1        2\n   1    100 ·    300 ·\n 100  1,000 ▒  2,000 █\n1000           1,900 █\n";
        assert_eq!(render(&grid(&cells), 100), want);
        assert!(render(&grid(&cells), 20).contains("\n 100   1k ▒   2k █\n"), "{}", render(&grid(&cells), 20));
    }

    #[test]
    fn a_map_for_each_other_setting() {
        let mut results = grid(&[(1, 1, 100.0), (100, 1, 1000.0), (100, 2, 700.0), (1, 1, 10.0), (100, 2, 60.0)]);
        for (i, case) in results.cases.iter_mut().enumerate() {
            case.with.insert("mode".into(), if i < 3 { "a" } else { "b" }.into());
        }
        let shown = render(&results, 100);
        assert!(shown.starts_with("mode a\nrows/s by") && shown.contains("\n\nmode b\nrows/s by"), "{shown}");
    }

    #[test]
    fn a_table_of_many_settings_shows_those_that_differ() {
        let results = grid(&[(1, 1, 100.0), (100, 1, 1000.0)]);
        let shown = |style| table::render(&results, style).lines().next().unwrap_or_default().to_owned();
        let text = shown(table::Style::Text);
        assert!(text.contains("rows ") && !text.contains("connections") && !text.contains("columns"), "{text}");
        assert!(shown(table::Style::Csv).starts_with("what,columns,connections,rows,"));
    }

    #[test]
    fn one_axis_is_no_map() {
        assert_eq!(render(&grid(&[(1, 1, 100.0), (100, 1, 1000.0)]), 100), "");
    }
}
