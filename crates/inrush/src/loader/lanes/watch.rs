//! The watch over silent lanes: a server may wait instead of failing (a full disk, a lock), so after 30 s without an answer
//! we report it, with what the server says it is doing. It also watches lanes that have nothing to do because memory is short, and has
//! the load yield to others.

use super::throttle::Yielding;
use super::waits::beside;
use crate::Config;
use crate::blocking::Connection;
use crate::loader::control::lock;
use crate::loader::plan::target::Target;
use crate::loader::report::event::LoadEvent;
use inrush_core::load::report::Stop;
use std::sync::mpsc::{Receiver, RecvTimeoutError, TryRecvError};
use std::time::{Duration, Instant};

/// No answer for this long is reported, and again after as long.
const SILENCE: Duration = Duration::from_secs(30);

const LOOK_EVERY: Duration = Duration::from_millis(500);

/// Watches until the load is over, which is when the other end of `over` is dropped.
pub(crate) fn watch(target: &Target, over: &Receiver<()>, mut yielding: Option<Yielding>) {
    let mut has_told_of_memory = false;
    let is_over = || target.load.control.is_aborted() || over.try_recv() == Err(TryRecvError::Disconnected);
    let every = yielding.as_ref().map_or(LOOK_EVERY, Yielding::every);
    while over.recv_timeout(every) == Err(RecvTimeoutError::Timeout) {
        for (lane, connection_id, waiting_for, seconds) in silent_lanes(target, Instant::now()) {
            let config = target.config.clone();
            // Abandoned if the load ends meanwhile.
            let Ok(Some(state)) = beside("inrush-watch", is_over, move || server_state(&config, connection_id)) else {
                continue;
            };
            target.load.notify(&LoadEvent::Silent { lane: lane + 1, waiting_for, seconds, state });
        }
        if !has_told_of_memory && let Some(shortage) = target.tuning.shortage() {
            target.load.notify(&shortage);
            has_told_of_memory = true;
        }
        if let Some(yielding) = &mut yielding
            && let Some(error) = yielding.poll(&target.load, is_over)
            && target.load.control.wants_more()
        {
            lock(&target.load.counters).stop_at(0, Stop::Failed(error), &target.load.control);
        }
    }
}

fn silent_lanes(target: &Target, now: Instant) -> Vec<(usize, u32, &'static str, u64)> {
    let mut silent = Vec::new();
    for (number, lane) in lock(&target.load.control.lanes).iter_mut().enumerate() {
        let Some((what, since)) = lane.waiting else { continue };
        if now.duration_since(lane.told.unwrap_or(since)) >= SILENCE {
            lane.told = Some(now);
            silent.push((number, lane.connection_id, what, now.duration_since(since).as_secs()));
        }
    }
    silent
}

/// Queries the server, on a connection of its own and with time-outs, so that the watch never hangs with what it watches.
fn server_state(config: &Config, connection_id: u32) -> String {
    let limit = Some(Duration::from_secs(5));
    let config = config.clone().with_read_timeout(limit).with_write_timeout(limit);
    let id = connection_id.to_string();
    let asked = Connection::connect(&config).and_then(|mut connection| {
        // MySQL refuses information_schema.PROCESSLIST while a statement of any user has an emoji in it (error 3854).
        let rows = crate::loader::sql::rows(&mut connection, "SHOW PROCESSLIST")?;
        // A user who may not read them, or whose server keeps no stages, gets none.
        let stages = crate::loader::sql::rows(&mut connection, &stages_query(connection_id)).unwrap_or_default();
        connection.close();
        Ok((rows, stages))
    });
    match asked {
        Ok((rows, stages)) => match rows.iter().map(Vec::as_slice).find(|row| row.first() == Some(&id)) {
            Some([_, _, _, _, command, time, state, more @ ..]) => {
                format!("{command} for {time} s, state `{state}`{}", progress(more, &stages))
            }
            _ => "the server has no such connection any more".into(),
        },
        Err(error) => format!("the server does not answer: {error}"),
    }
}

/// How far a long statement is: MySQL estimates the work of its stages where the consumer `events_stages_current` is on.
fn stages_query(connection_id: u32) -> String {
    format!(
        "SELECT SUBSTRING_INDEX(EVENT_NAME, '/', -1), WORK_COMPLETED, WORK_ESTIMATED FROM performance_schema.events_stages_current \
         JOIN performance_schema.threads USING (THREAD_ID) WHERE PROCESSLIST_ID = {connection_id} AND WORK_ESTIMATED > 0"
    )
}

/// The server's progress, to add after its state; MariaDB has a percentage in the last column of its process list.
fn progress(more: &[String], stages: &[Vec<String>]) -> String {
    if let [_info, percent] = more
        && percent.parse().is_ok_and(|percent: f64| percent > 0.0)
    {
        return format!(", {percent} % done");
    }
    match stages.first().map(Vec::as_slice) {
        Some([stage, done, of]) => match (done.parse::<f64>(), of.parse::<f64>()) {
            (Ok(done), Ok(of)) if of > 0.0 => format!(", {stage}: {:.0} % done", (100.0 * done / of).min(100.0)),
            _ => String::new(),
        },
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(more: &[&str], stages: &[[&str; 3]], want: &str) {
        let texts = |texts: &[&str]| texts.iter().map(|text| text.to_string()).collect::<Vec<_>>();
        let stages: Vec<Vec<String>> = stages.iter().map(|stage| texts(stage)).collect();
        assert_eq!(progress(&texts(more), &stages), want);
    }

    #[test]
    fn how_far_a_statement_is() {
        check(&["ALTER TABLE t"], &[], "");
        check(&["ALTER TABLE t", "0.000"], &[], "");
        check(&["ALTER TABLE t", "41.250"], &[], ", 41.250 % done");
        check(
            &["ALTER TABLE t"],
            &[["alter table (merge sort)", "50", "200"]],
            ", alter table (merge sort): 25 % done",
        );
        check(&["ALTER TABLE t"], &[["x", "300", "200"]], ", x: 100 % done");
        check(&["ALTER TABLE t"], &[["x", "300", "0"]], "");
    }
}
