//! Points at which a test may kill or stop the process: before and after every step of a chunk's life, so that a test can visit each
//! of them. Compiled in by the feature `fault-points` only; without it a call is nothing.
//!
//! | variable | what it does |
//! |---|---|
//! | `INRUSH_FAULT=commit.sent:3` | kills the process (SIGKILL) at its third visit to that point |
//! | `INRUSH_FAULT=commit.sent:3:stop` | stops it there instead (SIGSTOP), until it is continued (SIGCONT) |
//! | `INRUSH_FAULT_TRACE=FILE` | appends the name of each point that is visited and the thread that does so, a line each |

#[cfg(feature = "fault-points")]
pub(crate) use compiled_in::{point, told};
#[cfg(not(feature = "fault-points"))]
pub(crate) use left_out::{point, told};

#[cfg(not(feature = "fault-points"))]
mod left_out {
    use inrush_core::session::Conversation;

    /// Called when the process reaches this point.
    #[inline(always)]
    pub(crate) fn point(_name: &'static str) {}

    /// The same conversation; it reaches this point whenever everything that it had to send is sent.
    #[inline(always)]
    pub(crate) fn told<C: Conversation>(_name: &'static str, conversation: C) -> C {
        conversation
    }
}

#[cfg(feature = "fault-points")]
mod compiled_in {
    use inrush_core::Result;
    use inrush_core::session::{Conversation, Session, Step};
    use inrush_core::wire::Outbox;
    use rustix::process::{Signal, getpid, kill_process};
    use rustix::thread::gettid;
    use std::fs::{File, OpenOptions};
    use std::io::Write as _;
    use std::mem;
    use std::sync::OnceLock;
    use std::sync::atomic::{AtomicU64, Ordering};
    use std::thread;
    use std::time::Duration;

    /// Called when the process reaches this point.
    pub(crate) fn point(name: &'static str) {
        static PLAN: OnceLock<FaultPlan> = OnceLock::new();
        PLAN.get_or_init(FaultPlan::of_environment).visit(name);
    }

    /// The same conversation; it reaches this point whenever everything that it had to send is sent.
    pub(crate) fn told<C: Conversation>(name: &'static str, conversation: C) -> Told<C> {
        Told { name, conversation, has_begun: false }
    }

    /// See [`told`].
    pub(crate) struct Told<C> {
        name: &'static str,
        conversation: C,
        has_begun: bool,
    }

    impl<C: Conversation> Conversation for Told<C> {
        type Output = C::Output;

        fn send(&mut self, session: &mut Session, out: &mut Outbox) -> Result<Step<C::Output>> {
            // From the second call on the outbox has drained.
            if mem::replace(&mut self.has_begun, true) {
                point(self.name);
            }
            self.conversation.send(session, out)
        }

        fn receive(&mut self, packet: &[u8], session: &mut Session, out: &mut Outbox) -> Result<Step<C::Output>> {
            self.conversation.receive(packet, session, out)
        }

        fn may_be_stored(&self, session: &Session, out: &Outbox) -> bool {
            self.conversation.may_be_stored(session, out)
        }
    }

    /// The settings of the environment.
    struct FaultPlan {
        /// The point to die or stop at.
        fault: Option<String>,
        stops: bool,
        /// How many visits to it are still survived.
        visits_left: AtomicU64,
        trace: Option<File>,
    }

    impl FaultPlan {
        fn of_environment() -> Self {
            let asked = std::env::var("INRUSH_FAULT").unwrap_or_default();
            let mut parts = asked.split(':');
            let name = parts.next().filter(|name| !name.is_empty()).map(str::to_owned);
            let visit = parts.next().and_then(|visit| visit.parse().ok()).unwrap_or(1);
            let stops = parts.next() == Some("stop");
            let trace = std::env::var_os("INRUSH_FAULT_TRACE")
                .and_then(|path| OpenOptions::new().create(true).append(true).open(path).ok());
            Self { fault: name, stops, visits_left: AtomicU64::new(visit), trace }
        }

        fn visit(&self, name: &str) {
            if let Some(mut trace) = self.trace.as_ref() {
                // One write, so that lines of several threads stay whole. A trace that cannot be written shows in the test.
                let _ = trace.write_all(format!("{name} {}\n", gettid().as_raw_pid()).as_bytes());
            }
            if self.fault.as_deref() != Some(name) || self.visits_left.fetch_sub(1, Ordering::SeqCst) != 1 {
                return;
            }
            // Nothing more may happen until the signal arrives.
            if self.stops {
                let _ = kill_process(getpid(), Signal::STOP);
                thread::sleep(UNTIL_STOPPED);
                return;
            }
            let _ = kill_process(getpid(), Signal::KILL);
            loop {
                thread::park();
            }
        }
    }

    /// Far longer than a signal of a process to itself takes.
    const UNTIL_STOPPED: Duration = Duration::from_millis(100);
}
