//! One process of `inrush load`: fed, watched by its trace, killed, or waited for.

use crate::place::{Done, Place};
use crate::trace;
use inrush_testkit::patience::patience;
use rustix::process::{Pid, Signal, kill_process};
use std::fs::File;
use std::io::Write as _;
use std::os::unix::process::ExitStatusExt as _;
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};
use std::sync::Arc;
use std::thread::{self, JoinHandle, sleep};
use std::time::{Duration, Instant};

/// A process under way. What it says goes into files, so that nobody has to listen.
pub(crate) struct Run<'a> {
    place: &'a Place,
    child: Child,
    feeder: Option<JoinHandle<()>>,
    trace: PathBuf,
    stdout: PathBuf,
    stderr: PathBuf,
}

/// How a process ended that was to be killed.
pub(crate) enum Killed {
    /// By the kill; the points inside a chunk's life where its lanes were.
    Here(Vec<&'static str>),
    /// Before it.
    Ended(Done),
}

/// How a process ended that was interrupted.
pub(crate) enum Ended {
    /// By the signal itself: it came before the process listened for it.
    BySignal,
    /// With an exit code and a report.
    ByItself(Done),
}

impl<'a> Run<'a> {
    pub(crate) fn start(place: &'a Place, command: Command, input: Option<Arc<Vec<u8>>>) -> Self {
        Self::start_as("", place, command, input)
    }

    /// The same beside others in the same folder, whose names are other ones.
    pub(crate) fn start_as(name: &str, place: &'a Place, mut command: Command, input: Option<Arc<Vec<u8>>>) -> Self {
        let [trace, stdout, stderr] = ["trace", "stdout", "stderr"].map(|file| place.path(&format!("{file}{name}")));
        let _ = std::fs::remove_file(&trace);
        command.args(["--json", "--no-progress"]).env("INRUSH_FAULT_TRACE", &trace);
        command.stdout(File::create(&stdout).unwrap()).stderr(File::create(&stderr).unwrap());
        command.stdin(if input.is_some() { Stdio::piped() } else { Stdio::null() });
        let mut child = command.spawn().unwrap();
        let feeder = input.map(|input| {
            let mut stdin = child.stdin.take().unwrap();
            // A process that is killed reads no more.
            thread::spawn(move || drop(stdin.write_all(&input)))
        });
        Self { place, child, feeder, trace, stdout, stderr }
    }

    /// One that stops at its visit number `visit` (counted from 1) to a point, until it is told to go on.
    pub(crate) fn start_and_stop(
        name: &str,
        place: &'a Place,
        mut command: Command,
        point: &str,
        visit: usize,
    ) -> Self {
        command.env("INRUSH_FAULT", format!("{point}:{visit}:stop"));
        let mut run = Self::start_as(name, place, command, None);
        assert!(run.await_visits(point, visit), "it ends before it comes to {point}:{visit}: {}", run.said());
        // It writes down the visit before it stops: a signal to go on that comes in between would be lost.
        let deadline = Instant::now() + limit();
        while !run.is_stopped() {
            assert!(Instant::now() < deadline, "it does not stop at {point}:{visit}: {}", run.said());
            sleep(Duration::from_millis(1));
        }
        run
    }

    /// Whether a signal has stopped it (`T` behind the name of the program, proc(5)).
    fn is_stopped(&self) -> bool {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.child.id())).unwrap_or_default();
        stat.rsplit_once(") ").is_some_and(|(_, behind)| behind.starts_with('T'))
    }

    pub(crate) fn trace(&self) -> String {
        std::fs::read_to_string(&self.trace).unwrap_or_default()
    }

    pub(crate) fn is_over(&mut self) -> bool {
        self.child.try_wait().unwrap().is_some()
    }

    /// Waits until it has visited a point so many times. `false`: it has ended before.
    pub(crate) fn await_visits(&mut self, point: &str, n: usize) -> bool {
        let deadline = Instant::now() + limit();
        loop {
            if self.trace().lines().filter(|line| line.split(' ').next() == Some(point)).count() >= n {
                return true;
            }
            if self.is_over() {
                return false;
            }
            assert!(Instant::now() < deadline, "it does not come to `{point}`; it says: {}", self.said());
            sleep(Duration::from_millis(1));
        }
    }

    /// `kill -9`, and nothing of it is left.
    pub(crate) fn kill(mut self) -> Killed {
        // An error only if it has been waited for.
        let _ = self.child.kill();
        let status = self.child.wait().unwrap();
        if status.signal() == Some(9) {
            self.join_feeder();
            Killed::Here(trace::inside(&self.trace()))
        } else {
            Killed::Ended(self.end())
        }
    }

    /// Ctrl-C.
    pub(crate) fn signal(&self) {
        // An error only if it has ended.
        let _ = kill_process(Pid::from_child(&self.child), Signal::INT);
    }

    /// Waits until it ends, by a signal or by itself.
    pub(crate) fn end_or_signal(mut self) -> Ended {
        self.wait();
        if self.child.wait().unwrap().signal().is_some() {
            self.join_feeder();
            Ended::BySignal
        } else {
            Ended::ByItself(self.end())
        }
    }

    /// Lets it go on that has stopped at the point that it was given.
    pub(crate) fn go_on(&self) {
        kill_process(Pid::from_child(&self.child), Signal::CONT).unwrap();
    }

    /// Waits until it kills itself at the point that it was given, or ends.
    pub(crate) fn end_or_fault(mut self) -> Killed {
        self.wait();
        if self.child.wait().unwrap().signal() == Some(9) {
            self.join_feeder();
            Killed::Here(trace::inside(&self.trace()))
        } else {
            Killed::Ended(self.end())
        }
    }

    #[track_caller]
    pub(crate) fn end(mut self) -> Done {
        self.wait();
        let status = self.child.wait().unwrap();
        self.join_feeder();
        let read = |path: &PathBuf| std::fs::read(path).unwrap();
        self.place.done(&Output { status, stdout: read(&self.stdout), stderr: read(&self.stderr) })
    }

    pub(crate) fn said(&self) -> String {
        std::fs::read_to_string(&self.stderr).unwrap_or_default()
    }

    #[track_caller]
    fn wait(&mut self) {
        let deadline = Instant::now() + limit();
        while !self.is_over() {
            if Instant::now() > deadline {
                let _ = self.child.kill();
                panic!("it does not end; it says: {}\nits way ends: {:?}", self.said(), self.trace().lines().last());
            }
            sleep(Duration::from_millis(2));
        }
    }

    fn join_feeder(&mut self) {
        if let Some(feeder) = self.feeder.take() {
            feeder.join().unwrap();
        }
    }
}

impl Drop for Run<'_> {
    fn drop(&mut self) {
        // After a failed test.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Longer than any lock wait.
fn limit() -> Duration {
    4 * patience()
}
