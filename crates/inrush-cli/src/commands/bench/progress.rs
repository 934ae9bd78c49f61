//! The progress of a run: on a terminal one line that is replaced, elsewhere nothing.

use crate::Output;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use inrush_bench::runner::Effort;
use std::time::Duration;

/// The line. Dropping it frees the terminal's line.
pub(super) struct Progress {
    output: Output,
    bar: Option<ProgressBar>,
    n_cases: usize,
    effort: Effort,
    /// The current round, and how many of its cases began.
    at: (u32, usize),
}

impl Progress {
    /// Starts to show the preparations of a run.
    pub(super) fn start(name: &str, n_cases: usize, effort: Effort, output: &Output) -> Self {
        let bar = (output.shows_progress() && output.is_terminal()).then(|| {
            let bar = ProgressBar::new_spinner();
            bar.set_draw_target(ProgressDrawTarget::stderr());
            // The template is a constant, so it is always valid; the fallback is a plain spinner.
            if let Ok(style) = ProgressStyle::with_template("{spinner} {elapsed} {wide_msg}") {
                bar.set_style(style);
            }
            bar.set_message(format!("{name}: preparing tables and rows"));
            bar.enable_steady_tick(REDRAW_EVERY);
            output.set_bar(Some(bar.clone()));
            bar
        });
        Self { output: output.clone(), bar, n_cases, effort, at: (0, 0) }
    }

    /// A case begins.
    pub(super) fn begin(&mut self, case: &str, round: u32) {
        self.at = if self.at.0 == round { (round, self.at.1 + 1) } else { (round, 1) };
        if let Some(bar) = &self.bar {
            bar.set_message(line(case, self.at, self.n_cases, self.effort));
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if self.bar.take().is_some() {
            self.output.set_bar(None);
        }
    }
}

/// `round 2 of 3, case 12 of 54: row / once / 1000`.
fn line(case: &str, (round, nth): (u32, usize), n_cases: usize, effort: Effort) -> String {
    let round = match round {
        0 => "warm-up".to_owned(),
        round if effort.least_rounds == effort.most_rounds => format!("round {round} of {}", effort.most_rounds),
        round => format!("round {round}"),
    };
    format!("{round}, case {nth} of {n_cases}: {case}")
}

const REDRAW_EVERY: Duration = Duration::from_millis(200);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_says_the_round_and_the_case() {
        assert_eq!(line("row / once / 10", (0, 3), 54, Effort::QUICK), "warm-up, case 3 of 54: row / once / 10");
        assert_eq!(line("row / once / 10", (2, 54), 54, Effort::QUICK), "round 2 of 3, case 54 of 54: row / once / 10");
        assert_eq!(line("row", (9, 1), 2, Effort::FULL), "round 9, case 1 of 2: row");
    }
}
