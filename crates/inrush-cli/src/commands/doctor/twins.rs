//! The servers of `inrush doctor --twin`: two local ones in folders of their own, which go with the command.

use crate::Output;
use crate::commands::load::Watch;
use crate::local_server::{self, Throwaway};
use inrush::Config;
use inrush_bench::doctor::{Twin, Twins};
use inrush_core::profile::Profile;
use inrush_core::wire::ServerVersion;
use inrush_core::{Error, Kind, Result, human};
use std::path::PathBuf;

/// Two local servers.
pub(super) struct LocalTwins<'a> {
    above: PathBuf,
    same: Throwaway,
    changed: Throwaway,
    signals: &'a Watch,
    output: &'a Output,
}

impl<'a> LocalTwins<'a> {
    /// Nothing is started yet.
    pub(super) fn new(above: Option<PathBuf>, signals: &'a Watch, output: &'a Output) -> Result<Self> {
        let above = above.unwrap_or_else(std::env::temp_dir);
        let twin = |name: &str| Throwaway::new(&above, &format!("{PREFIX}-{name}"));
        Ok(Self { same: twin(SAME)?, changed: twin(CHANGED)?, above, signals, output })
    }
}

impl Twins for LocalTwins<'_> {
    fn check(&self, version: &ServerVersion) -> Result<()> {
        let (vendor, installed) = local_server::installed().map_err(|error| match error.hint() {
            Some(hint) => {
                let hint = format!("{hint}; without `--twin` none is needed");
                error.with_hint(hint)
            }
            None => error,
        })?;
        let server = Profile::of(version).name;
        if server != vendor.title() {
            return Err(Error::config(format!(
                "the server is {server} {}, and the program for a twin is {} {installed}: they would be no twins",
                version.text,
                vendor.title()
            ))
            .with_hint(
                "INRUSH_MYSQLD names another program, if one is on this machine; without `--twin` none is needed",
            ));
        }
        if !version.text.starts_with(&installed) {
            self.output.notice(&format!(
                "the twins are {} {installed}, the server is {}",
                vendor.title(),
                version.text
            ));
        }
        let room = rustix::fs::statvfs(&self.above)
            .map_err(|error| Error::io(format!("cannot use the folder `{}`", self.above.display()), error.into()))?;
        let free = room.f_bavail.saturating_mul(room.f_frsize);
        if free < NEEDED {
            return Err(Error::config(format!(
                "`{}` has {} free, and twins need {}",
                self.above.display(),
                human::bytes(free as f64),
                human::bytes(NEEDED as f64)
            ))
            .with_hint("`--twin-dir` names another folder"));
        }
        for name in [SAME, CHANGED] {
            Throwaway::sweep(&self.above, &format!("{PREFIX}-{name}"));
        }
        self.signals.hold(
            "stopping after this measurement, then the twins are removed; once more leaves at once, and they stay",
        );
        Ok(())
    }

    fn start(&mut self, twin: Twin, settings: &[String]) -> Result<Config> {
        let server = match twin {
            Twin::Same => &self.same,
            Twin::Changed => &self.changed,
        };
        server.start(Some(FIRST_MEMORY), settings.to_vec())?;
        server.config()
    }

    fn begins(&mut self, step: &str) -> Result<()> {
        if self.signals.is_over() {
            return Err(Error::new(Kind::Interrupted, "interrupted"));
        }
        if self.output.shows_progress() && self.output.is_terminal() {
            self.output.set_line(Some(&format!("twins: {step}")));
        } else {
            self.output.detail(&format!("twins: {step}"));
        }
        Ok(())
    }
}

impl Drop for LocalTwins<'_> {
    fn drop(&mut self) {
        self.output.set_line(None);
    }
}

const PREFIX: &str = "twin";
const SAME: &str = "same";
const CHANGED: &str = "changed";
/// Of the buffer pool, until the sample's size is known.
const FIRST_MEMORY: u64 = 128 << 20;
/// Two redo logs of a GiB at most, the system's tables and the sample.
const NEEDED: u64 = 3 << 30;
