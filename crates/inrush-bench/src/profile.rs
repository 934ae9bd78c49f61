//! What takes the server's processor time while a case runs, by function: `perf` samples the server's process, and its report is summed up.

use crate::facts::ServerProcess;
use crate::results::{Results, Share};
use inrush::sans_io::{Error, Result};
use rustix::process::{Pid, Signal, kill_process};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// `perf` at work on a server's process. It is stopped when this is dropped.
#[derive(Debug)]
pub(crate) struct Recording {
    perf: Child,
    file: PathBuf,
}

impl Recording {
    /// Begins, and returns once samples are taken. `folder` keeps them meanwhile.
    ///
    /// # Errors
    /// `Config` if the server is not on this machine or `perf` may not profile it; `Io` if `perf` cannot be run.
    pub(crate) fn start(server: Option<&ServerProcess>, folder: PathBuf) -> Result<Self> {
        let Some(server) = server else {
            return Err(Error::config("the server's process cannot be seen from here, so it cannot be profiled")
                .with_hint("`--profile` works where the server runs on this machine"));
        };
        let file = folder.join(format!("inrush-perf-{}.data", std::process::id()));
        let _ = std::fs::remove_file(&file);
        let mut command = Command::new("perf");
        command.args(["record", "-q", "-F", "997", "-p", &server.pid().to_string(), "-o"]).arg(&file);
        let perf = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn();
        let perf = perf.map_err(|error| {
            Error::io("cannot run `perf`", error)
                .with_hint("`--profile` needs it (Debian: linux-perf); without it everything else is measured")
        })?;
        let mut recording = Self { perf, file };
        let began = Instant::now();
        // It writes the first bytes once it has attached to all threads; from then on a new thread is sampled too.
        let is_attached = |file: &PathBuf| std::fs::metadata(file).is_ok_and(|file| file.len() > 0);
        while !is_attached(&recording.file) {
            if let Ok(Some(_)) = recording.perf.try_wait() {
                return Err(recording.refused());
            }
            if began.elapsed() > PATIENCE {
                return Err(Error::config("`perf` takes no samples"));
            }
            sleep(Duration::from_millis(10));
        }
        Ok(recording)
    }

    /// Ends it: the shares of the server's time, the largest first.
    ///
    /// # Errors
    /// `Config` if `perf` took no sample or its report cannot be read.
    pub(crate) fn end(mut self) -> Result<Vec<Share>> {
        self.stop();
        let mut command = Command::new("perf");
        command.args([
            "report",
            "--stdio",
            "-q",
            "--no-children",
            "-g",
            "none",
            "-F",
            "sample,dso,symbol",
            "-t",
            "|",
            "-i",
        ]);
        let report = command.arg(&self.file).stdin(Stdio::null()).output();
        let report = report.map_err(|error| Error::io("cannot run `perf report`", error))?;
        let shares = summed(&String::from_utf8_lossy(&report.stdout));
        if shares.is_empty() {
            return Err(self.refused());
        }
        Ok(shares)
    }

    fn stop(&mut self) {
        // As Ctrl-C does: it writes what it has.
        if let Ok(None) = self.perf.try_wait() {
            let _ = kill_process(Pid::from_child(&self.perf), Signal::INT);
        }
        let _ = self.perf.wait();
    }

    fn refused(&mut self) -> Error {
        let mut said = String::new();
        if let Some(mut stderr) = self.perf.stderr.take() {
            let _ = std::io::Read::read_to_string(&mut stderr, &mut said);
        }
        let first = said.lines().find(|line| !line.trim().is_empty()).unwrap_or("it took no sample");
        Error::config(format!("`perf` cannot profile the server: {}", first.trim()))
            .with_hint("`sysctl kernel.perf_event_paranoid` says who may; the server's own user and root may")
    }
}

impl Drop for Recording {
    fn drop(&mut self) {
        self.stop();
        let _ = std::fs::remove_file(&self.file);
    }
}

/// The shares of a report whose lines are `samples|file|[.] function`. What has no name is one entry a file.
fn summed(report: &str) -> Vec<Share> {
    let mut samples: BTreeMap<(String, String), u64> = BTreeMap::new();
    for line in report.lines() {
        let mut parts = line.splitn(3, '|').map(str::trim);
        let (Some(n), Some(file), Some(function)) =
            (parts.next().and_then(|n| n.parse::<u64>().ok()), parts.next(), parts.next())
        else {
            continue;
        };
        // `[.]` and `[k]` say where it ran.
        let function = function.split_once("] ").map_or(function, |(_, name)| name).trim_end_matches([' ', '-']);
        let function = if function.starts_with("0x") { NAMELESS } else { function };
        *samples.entry((file.trim_matches(['[', ']']).to_owned(), function.to_owned())).or_default() += n;
    }
    let all: u64 = samples.values().sum();
    let share = |((file, function), n): ((String, String), u64)| Share { file, function, share: n as f64 / all as f64 };
    let mut shares: Vec<Share> = samples.into_iter().map(share).collect();
    shares.sort_by(|a, b| b.share.total_cmp(&a.share));
    shares.truncate(KEPT);
    shares
}

/// The profiles of a run, for people; empty if there are none.
pub fn shown(results: &Results) -> String {
    let mut text = String::new();
    for case in &results.cases {
        let Some(sample) =
            results.samples.iter().rev().find(|sample| sample.case == case.id && !sample.profile.is_empty())
        else {
            continue;
        };
        let _ = writeln!(text, "\nThe server's time during {}:", case.id);
        for Share { file, function, share } in &sample.profile {
            let _ = writeln!(text, "{:5.1} %  {function} ({file})", share * 100.0);
        }
    }
    text
}

/// A part of a program without names of functions: a distribution has taken them out.
const NAMELESS: &str = "functions without a name";

/// The largest of a case.
const KEPT: usize = 10;

const PATIENCE: Duration = Duration::from_secs(30);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_is_summed_up() {
        let report = "\n 110        |libc.so.6          |[.] __memmove          \n 81   |mariadbd   |[.] 0x000000000072d8f6   -      -\n\
                      40 |mariadbd|[.] 0x0000000000de2972\n 59|mariadbd|[.] Field::store(char const*, unsigned long)\n 10|[kernel.kallsyms]|[k] futex\nno line\n";
        let shares = summed(report);
        let shown: Vec<String> = shares.iter().map(|s| format!("{} {} {:.3}", s.file, s.function, s.share)).collect();
        assert_eq!(
            shown,
            [
                "mariadbd functions without a name 0.403",
                "libc.so.6 __memmove 0.367",
                "mariadbd Field::store(char const*, unsigned long) 0.197",
                "kernel.kallsyms futex 0.033"
            ]
        );
        assert!(summed("").is_empty());
    }

    #[test]
    fn a_server_elsewhere_is_not_profiled() {
        let refused = Recording::start(None, std::env::temp_dir()).unwrap_err();
        assert!(refused.message().contains("cannot be seen from here"), "{refused}");
    }
}
