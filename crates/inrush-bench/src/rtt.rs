//! The experiment `rtt`: the effect of the route to the server on each write method. The routes are the direct one, and relays of several
//! round trips; the methods are those of `insert`. The choice of cells and the conclusions are pure and in this file; [`Ways`] runs
//! a cell.

mod ways;

pub use ways::{Settings, Ways};

use crate::insert::{self, Allowed, InsertMethod, Operation};
use crate::results::{Case, LeftOut, Results, Role, Unit};
use crate::table::{self, Line, grouped};
use std::collections::BTreeMap;
use std::time::Duration;

/// How a server is reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Route {
    /// As without a relay.
    Direct,
    /// Through a relay with this round trip.
    Relay(Duration),
}

/// What is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Doing {
    /// Questions that the server answers at once, one after the other.
    Ping,
    /// A case of `insert`.
    Insert(insert::Cell),
}

/// One cell of the experiment's table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cell {
    /// The route to the server.
    pub route: Route,
    /// The work.
    pub doing: Doing,
}

impl Route {
    /// The direct one, and those of these round trips in milliseconds.
    pub fn all(round_trips: &[f64]) -> Vec<Route> {
        let relays = round_trips.iter().map(|ms| Route::Relay(Duration::from_secs_f64(ms / 1e3)));
        std::iter::once(Route::Direct).chain(relays).collect()
    }

    /// In milliseconds, as one writes it.
    fn shown(self) -> Option<String> {
        match self {
            Route::Direct => None,
            Route::Relay(round_trip) => Some((round_trip.as_micros() as f64 / 1e3).to_string()),
        }
    }

    /// As it is called in tables.
    fn name(self) -> String {
        self.shown().map_or_else(|| "direct".into(), |ms| format!("{ms} ms"))
    }
}

impl Cell {
    /// Its record in the results.
    pub fn case(&self) -> Case {
        let case = match &self.doing {
            Doing::Insert(cell) => cell.case(),
            Doing::Ping => Case {
                id: PING.into(),
                subject: PING.into(),
                with: BTreeMap::new(),
                group: String::new(),
                rows: PINGS,
                unit: Unit::Queries,
                role: Role::Subject,
            },
        };
        let name = self.route.name();
        let mut with = case.with;
        with.insert("route".into(), if self.route == Route::Direct { "direct" } else { "relay" }.into());
        with.extend(self.route.shown().map(|ms| (RTT.to_owned(), ms)));
        Case { id: format!("{name} / {}", case.id), with, group: name, ..case }
    }
}

/// The cells for these routes and sizes: every method that the server allows.
pub fn cells(routes: &[Route], sizes: &[u64], allowed: &Allowed) -> (Vec<Cell>, Vec<LeftOut>) {
    // Methods that run in the server do not depend on the route to it.
    let is_ours = |way: &InsertMethod| !matches!(way, InsertMethod::OnServer | InsertMethod::ServerFile);
    let (inserts, mut left_out) = insert::cells(Operation::Insert, sizes, allowed);
    let of_server = [InsertMethod::OnServer, InsertMethod::ServerFile].map(|way| way.name(Operation::Insert));
    left_out.retain(|one| !of_server.contains(&&*one.way));
    let doings: Vec<Doing> =
        inserts.into_iter().filter(|cell| is_ours(&cell.way)).map(Doing::Insert).chain([Doing::Ping]).collect();
    let cells = routes.iter().flat_map(|route| doings.iter().map(|doing| Cell { route: *route, doing: *doing }));
    (cells.collect(), left_out)
}

/// The effect of the longest route on the methods; then a sentence for each route: how many times as fast as row by row each method is, and
/// which part of `1000 / ping` row by row reaches; at the end, the cost of the relay by itself.
pub fn sentences(results: &Results) -> Vec<String> {
    let lines = table::lines(results);
    let mut groups: Vec<&str> = Vec::new();
    for line in &lines {
        if !groups.contains(&line.case.group.as_str()) {
            groups.push(&line.case.group);
        }
    }
    let of_routes = groups.iter().flat_map(|group| of_route(group, &lines));
    headline(&lines).into_iter().chain(of_routes).chain(relay_costs(&lines)).collect()
}

/// Which method is fastest over the longest route, and how much longer it and row by row take there than on the direct route.
fn headline(lines: &[Line<'_>]) -> Option<String> {
    let is_row = |line: &&Line<'_>| line.case.role == Role::Baseline;
    let ours =
        || lines.iter().filter(|line| matches!(line.case.role, Role::Subject | Role::Baseline) && !is_ping(line));
    let round_trip = |line: &Line<'_>| line.case.with.get(RTT).and_then(|ms| ms.parse::<f64>().ok());
    let longest = ours().filter_map(round_trip).max_by(f64::total_cmp).filter(|ms| *ms > 0.0)?;
    let seconds = |line: &Line<'_>| Some(line.seconds.as_ref()?.median);
    let far = |rows: u64| ours().filter(move |line| line.case.rows == rows && round_trip(line) == Some(longest));
    let rows = ours().map(|line| line.case.rows).max()?;
    let best = far(rows).filter_map(|line| Some((line, seconds(line)?))).min_by(|a, b| a.1.total_cmp(&b.1))?;
    // How many times as long as the same case takes on the direct route.
    let times = |line: &Line<'_>, here: f64| {
        let is_same = |other: &&Line<'_>| {
            let commits = |line: &Line<'_>| line.case.with.get("commits").cloned();
            round_trip(other).is_none()
                && (other.case.rows, &other.case.subject) == (line.case.rows, &line.case.subject)
                && commits(other) == commits(line)
        };
        Some(here / seconds(ours().find(is_same)?)?)
    };
    let row = match far(rows).find(is_row).map(|line| (line, seconds(line))) {
        Some((line, Some(here))) => format!("{} times", factor(times(line, here)?)),
        _ => "too long to be measured".to_owned(),
    };
    Some(format!(
        "Over a round trip of {longest} ms, {rows} rows by `{}`, committed {}, take {} times as long as without it; row by row takes {row}.",
        best.0.case.subject,
        best.0.case.with.get("commits").map_or("once", String::as_str),
        factor(times(best.0, best.1)?),
    ))
}

fn is_ping(line: &Line<'_>) -> bool {
    line.case.subject == PING
}

fn of_route(group: &str, lines: &[Line<'_>]) -> Vec<String> {
    let here = || lines.iter().filter(|line| line.case.group == group);
    let Some(ping) = here().find_map(ping) else { return Vec::new() };
    let mut sizes: Vec<u64> =
        here().filter(|line| line.case.role == Role::Baseline).map(|line| line.case.rows).collect();
    sizes.dedup();
    let sentence = |rows: u64| {
        let head = format!("{group} (ping {}), {rows} rows", shown_time(ping));
        let each =
            || here().filter(|line| line.case.rows == rows && line.case.with.get("commits").is_some_and(|c| c == EACH));
        let row = each().find(|line| line.case.role == Role::Baseline)?;
        let Some(rate) = row.median_rate() else {
            return Some(format!("{head}: row by row was cut, so nothing is held against it."));
        };
        let most = 1.0 / ping;
        let times = each()
            .filter(|line| line.case.role == Role::Subject)
            .filter_map(|line| Some(format!("{} {}", line.case.subject, factor(line.speed_up?))));
        Some(format!(
            "{head}: row by row {} rows/s, {:.0} % of 1000/ping ({}); times as fast: {}.",
            grouped(rate, 0),
            rate / most * 100.0,
            grouped(most, 0),
            times.collect::<Vec<_>>().join(", ")
        ))
    };
    sizes.into_iter().filter_map(sentence).collect()
}

/// What passes through the relay for nothing, if that was measured.
fn relay_costs(lines: &[Line<'_>]) -> Option<String> {
    let through = |group: &str| {
        let here = || lines.iter().filter(move |line| line.case.group == group);
        let row = here().find(|line| line.case.role == Role::Baseline)?.median_rate()?;
        Some((here().find_map(ping)?, row))
    };
    let (direct, relay) = (through("direct")?, through("0 ms")?);
    Some(format!(
        "The relay by itself: a ping takes {} instead of {}; row by row is {:.2} times as fast as without it.",
        shown_time(relay.0),
        shown_time(direct.0),
        relay.1 / direct.1
    ))
}

/// The median, in seconds.
fn ping(line: &Line<'_>) -> Option<f64> {
    let latency = line.latency.as_ref().filter(|_| line.case.subject == PING)?;
    Some(latency.quantile(0.5).as_secs_f64()).filter(|seconds| *seconds > 0.0)
}

fn shown_time(seconds: f64) -> String {
    if seconds < 1e-3 { format!("{:.0} us", seconds * 1e6) } else { format!("{:.1} ms", seconds * 1e3) }
}

fn factor(times: f64) -> String {
    grouped(times, if times < 10.0 { 1 } else { 0 })
}

/// The name of the axis.
const RTT: &str = "rtt ms";

const PING: &str = "ping";

/// A case of them.
const PINGS: u64 = 21;

const EACH: &str = insert::Commits::Each.name();

#[cfg(test)]
mod tests {
    use super::*;
    use crate::histogram::Latencies;
    use crate::insert::Commits;
    use crate::results::{Record, Sample};
    use inrush::Method;
    use inrush::sans_io::profile::Profile;
    use inrush::sans_io::wire::ServerVersion;

    fn allowed() -> Allowed {
        let profile = Profile::of(&ServerVersion::parse("9.7.4"));
        Allowed { profile, local_infile: false, no_files: Some("it is far".into()) }
    }

    #[test]
    fn every_method_over_every_way() {
        let (cells, left_out) = cells(&Route::all(&[0.0, 0.5]), &[100], &allowed());
        // Six methods committed in two ways, the inserter, pings; three routes.
        assert_eq!(cells.len(), 3 * (2 * 6 + 2));
        assert_eq!(left_out.iter().map(|one| &*one.way).collect::<Vec<_>>(), ["bulk", "load-data"]);
        let ids: std::collections::BTreeSet<String> = cells.iter().map(|cell| cell.case().id).collect();
        assert_eq!(ids.len(), cells.len());
        let case = cells.last().unwrap().case();
        assert_eq!(
            (case.id.as_str(), &case.with["rtt ms"], case.group.as_str()),
            ("0.5 ms / ping", &"0.5".into(), "0.5 ms")
        );
        assert_eq!(cells[0].case().with.get("rtt ms"), None);
    }

    /// `row`, `pipelined` (each statement) and pings, in seconds for 100 rows or for one ping, over some routes.
    fn results(ways: &[(Route, f64, f64, f64)]) -> Results {
        let mut results = crate::results::tests::results(&[]);
        let insert = |way: InsertMethod| {
            Doing::Insert(insert::Cell { operation: Operation::Insert, way, commits: Commits::Each, rows: 100 })
        };
        for (route, row, pipelined, ping) in ways {
            let pipeline = InsertMethod::Batch(Method::Pipelined);
            let doings =
                [(insert(InsertMethod::Row), *row), (insert(pipeline), *pipelined), (Doing::Ping, ping * 21.0)];
            for (doing, seconds) in doings {
                let case = Cell { route: *route, doing }.case();
                let mut latency = Latencies::new();
                latency.record(Duration::from_secs_f64(*ping));
                let sample = |round: u32| Sample {
                    case: case.id.clone(),
                    round,
                    seconds,
                    rows: case.rows,
                    cut: seconds > 10.0,
                    latency: (doing == Doing::Ping).then(|| latency.clone()),
                    ..Sample::default()
                };
                results.samples.extend((0..4).map(sample));
                results.cases.push(case);
            }
        }
        // It can be written.
        results.cases.iter().for_each(|case| Record::Case(case.clone()).write(&mut Vec::new()).unwrap());
        results
    }

    #[test]
    fn what_a_way_makes_of_the_methods() {
        let ms = |ms: u64| Route::Relay(Duration::from_millis(ms));
        let results = results(&[
            (Route::Direct, 0.1, 0.05, 1e-5),
            (ms(0), 0.2, 0.05, 4e-5),
            (ms(5), 0.52, 0.01, 0.005),
            (ms(200), 20.0, 0.3, 0.2),
        ]);
        let want = [
            "Over a round trip of 200 ms, 100 rows by `pipelined`, committed each statement, take 6.0 times as long as without it; row by row \
             takes too long to be measured.",
            "direct (ping 10 us), 100 rows: row by row 1,000 rows/s, 1 % of 1000/ping (99,900); times as fast: pipelined 2.0.",
            "0 ms (ping 40 us), 100 rows: row by row 500 rows/s, 2 % of 1000/ping (24,975); times as fast: pipelined 4.0.",
            "5 ms (ping 5.0 ms), 100 rows: row by row 192 rows/s, 96 % of 1000/ping (200); times as fast: pipelined 52.",
            "200 ms (ping 200.0 ms), 100 rows: row by row was cut, so nothing is held against it.",
            "The relay by itself: a ping takes 40 us instead of 10 us; row by row is 0.50 times as fast as without it.",
        ];
        let shown = sentences(&results);
        let is_near = |(a, b): (&String, &&str)| a.split(' ').zip(b.split(' ')).filter(|(a, b)| a != b).count() <= 1;
        assert!(shown.len() == want.len() && shown.iter().zip(&want).all(is_near), "{shown:#?}");
        assert_eq!(sentences(&crate::results::tests::results(&[])), [""; 0]);
    }
}
