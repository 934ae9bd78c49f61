//! What is said at the end of a slow load: what it waited for, and which command says more.

use super::LoadArgs;
use crate::commands::shell_word::quoted;
use inrush::sans_io::load::report::Report;
use inrush::sans_io::load::slow::WaitCause;

/// The sentence; `None` if there is nothing to say.
pub(super) fn sentence(report: &Report, args: &LoadArgs) -> Option<String> {
    if report.dry_run || report.stop.is_some() {
        return None;
    }
    let (cause, share) = report.slow_because()?;
    let source = match &args.files[..] {
        [file] if file != "-" => quoted(file),
        _ => "FILE".into(),
    };
    Some(of(cause, share, &quoted(args.named_table()), &source))
}

fn of(cause: WaitCause, share: f64, table: &str, source: &str) -> String {
    let percent = share * 100.0;
    let waited = |what: &str| format!("connections of this load waited {percent:.0} % of their time for {what}");
    match cause {
        WaitCause::Commit => format!(
            "{}: `inrush doctor {table} --probe` measures what a commit costs there, `inrush tune {table} {source}` whether other options are faster",
            waited("COMMIT")
        ),
        WaitCause::Rows => format!(
            "{}: `inrush doctor {table} --probe` says what slows it, `inrush tune {table} {source}` whether other options are faster",
            waited("the server to take rows")
        ),
        WaitCause::Retries => format!(
            "connections of this load spent {percent:.0} % of their time on chunks that were stored only after an error (`retried`): \
             `inrush doctor {table}` says what slows this server, and fewer `--lanes` meet fewer locks"
        ),
        WaitCause::Source => format!("{}, as the source was read no faster; the server has time left", waited("rows")),
        WaitCause::Rate => format!("{}, as `--rate` allowed no more; the server has time left", waited("rows")),
        WaitCause::Throttle => format!(
            "{}, as `--throttle` or `--max-lag` held them back: `inrush doctor {table}` says what slows this server",
            waited("rows")
        ),
        WaitCause::Client => format!(
            "{}, as this machine parsed and checked them no faster; the server has time left, and a machine with more free processors uses it",
            waited("rows")
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_wait_has_its_sentence() {
        let said = of(WaitCause::Commit, 0.714, "shop.orders", "'my orders.csv'");
        assert_eq!(
            said,
            "connections of this load waited 71 % of their time for COMMIT: `inrush doctor shop.orders --probe` measures what a commit costs \
             there, `inrush tune shop.orders 'my orders.csv'` whether other options are faster"
        );
        let causes = [WaitCause::Rows, WaitCause::Retries, WaitCause::Throttle];
        assert!(causes.into_iter().all(|cause| of(cause, 0.6, "t", "FILE").contains("`inrush doctor t")));
        // What neither command changes.
        let causes = [WaitCause::Source, WaitCause::Rate, WaitCause::Client];
        assert!(causes.into_iter().all(|cause| !of(cause, 0.6, "t", "FILE").contains("inrush ")));
    }
}
