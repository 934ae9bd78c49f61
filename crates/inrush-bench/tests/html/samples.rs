//! Results as the experiments write them, made of a formula and a seeded noise.

use inrush_bench::dataset::Users;
use inrush_bench::histogram::Latencies;
use inrush_bench::results::{
    Case, End, LeftOut, Machine, Program, Record, Results, Role, Run, Sample, Server, Tick, Unit, VERSION,
};
use std::collections::BTreeMap;
use std::time::Duration;

/// A file that is being made.
pub(crate) struct File {
    pub(crate) results: Results,
    /// Of the noise.
    state: u64,
}

impl File {
    pub(crate) fn new(experiment: &str) -> Self {
        let settings = [
            ("binlog_row_image", "FULL"),
            ("innodb_buffer_pool_size", "134217728"),
            ("innodb_doublewrite", "ON"),
            ("innodb_flush_log_at_trx_commit", "1"),
            ("innodb_redo_log_capacity", "104857600"),
            ("local_infile", "ON"),
            ("log_bin", "ON"),
            ("max_allowed_packet", "67108864"),
            (
                "sql_mode",
                "ONLY_FULL_GROUP_BY,STRICT_TRANS_TABLES,NO_ZERO_IN_DATE,NO_ZERO_DATE,ERROR_FOR_DIVISION_BY_ZERO",
            ),
            ("sync_binlog", "1"),
        ];
        let run = Run {
            version: VERSION,
            experiment: experiment.into(),
            at: "2026-03-04T05:06:07Z".into(),
            seed: 1,
            inrush: Program { version: "0.1.0".into(), commit: Some("0123456789abcdef".into()) },
            machine: Machine {
                cpu: Some("A Processor (R) 9000 @ 3.20 GHz".into()),
                cores: 8,
                memory: Some(33_000_000_000),
                kernel: Some("Linux 6.1.0".into()),
                ..Machine::default()
            },
            server: Server {
                version: "MySQL 9.7.4".into(),
                transport: "tcp".into(),
                tls: Some("TLS_AES_128_GCM_SHA256".into()),
                round_trip: 48e-6,
                settings: texts(&settings),
            },
            ddl: vec![Users::ddl("bench_users")],
            options: texts(&[("cap", "10"), ("effort", "quick"), ("rows", "100,1000,10000")]),
            left_out: vec![LeftOut { way: "bulk".into(), reason: "only MariaDB <knows> it".into() }],
        };
        let end = Some(End { complete: true, reason: None });
        Self { results: Results { run, cases: Vec::new(), samples: Vec::new(), end }, state: 7 }
    }

    /// A case, and samples of its rate in so many rounds after a warm-up.
    pub(crate) fn case(&mut self, case: Case, rate: f64, spread: f64, rounds: u32) {
        for round in 0..=rounds {
            let noise = 1.0 + spread * (self.random() + self.random() - 1.0);
            let rows = if case.rows == 0 { (rate * noise * 2.0) as u64 } else { case.rows };
            let sample = Sample {
                case: case.id.clone(),
                round,
                seconds: if case.rows == 0 { 2.0 } else { rows as f64 / (rate * noise) },
                rows,
                client_cpu: Some(rows as f64 * 2.5e-6),
                server_cpu: Some(rows as f64 * 6.5e-6),
                bytes_sent: Some(rows * 61),
                ..Sample::default()
            };
            self.results.samples.push(sample);
        }
        self.results.cases.push(case);
    }

    /// The samples of the case that came last.
    pub(crate) fn last(&mut self) -> impl Iterator<Item = &mut Sample> {
        let case = self.results.cases.last().map(|case| case.id.clone()).unwrap_or_default();
        self.results.samples.iter_mut().filter(move |sample| sample.case == case)
    }

    /// From 0 to 1.
    pub(crate) fn random(&mut self) -> f64 {
        self.state = self.state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.state >> 33) as f64 / f64::from(1_u32 << 31)
    }

    /// So many of them around `micros`, some far slower.
    pub(crate) fn latencies(&mut self, micros: f64, n: u32) -> Latencies {
        let mut all = Latencies::new();
        for _ in 0..n {
            let luck = 1.0 - self.random() * 0.999_99;
            all.record(Duration::from_nanos((micros * 1e3 * (0.7 + 0.25 * luck.powf(-0.55))) as u64));
        }
        all
    }

    /// Rows second by second, and a second at which all stands still.
    pub(crate) fn curve(&mut self, rate: f64, seconds: u32, stall: u32) -> Vec<Tick> {
        let tick = |second: u32, share: f64| Tick {
            second,
            rows: (rate * share) as u64,
            errors: u64::from(second == stall) * 3,
        };
        (0..seconds)
            .map(|second| {
                let ramp = (f64::from(second + 1) / 4.0).min(1.0);
                let noise = 0.92 + 0.16 * self.random();
                tick(second, if second == stall { 0.08 } else { ramp * noise })
            })
            .collect()
    }

    /// As a program reads it back.
    pub(crate) fn read_again(&self) -> Results {
        let mut file = Vec::new();
        let mut records = vec![Record::Run(Box::new(self.results.run.clone()))];
        records.extend(self.results.cases.iter().cloned().map(Record::Case));
        records.extend(self.results.samples.iter().cloned().map(Record::Sample));
        records.extend(self.results.end.iter().cloned().map(Record::End));
        records.iter().for_each(|record| record.write(&mut file).unwrap());
        Results::read("sample", &file[..]).unwrap()
    }
}

pub(crate) fn texts(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
    pairs.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect()
}

/// All ways to write at three sizes, with everything that may go wrong.
pub(crate) fn insert(rounds: u32) -> File {
    let mut file = File::new("insert");
    let ways = [
        ("row", 1_800.0),
        ("multi-statement", 2_100.0),
        ("prepared", 2_000.0),
        ("pipelined", 2_050.0),
        ("multi-row", 38_000.0),
        ("multi-row-prepared", 46_000.0),
        ("load-data", 71_000.0),
    ];
    for rows in [100_u64, 1_000, 10_000] {
        let size = 0.35 + 0.22 * (rows as f64).log10();
        for (commits, faster) in [("each statement", 1.0), ("once", 9.0)] {
            for (way, rate) in ways {
                let is_single = rate < 10_000.0;
                let rate = rate * if is_single { faster } else { 1.0 + faster / 90.0 } * size;
                let role = if way == "row" && commits != "once" { Role::Baseline } else { Role::Subject };
                file.case(of_insert(way, commits, rows, role), rate, 0.18, rounds);
            }
        }
        file.case(of_insert("insert-select", "once", rows, Role::Limit), 150_000.0 * size, 0.1, rounds);
    }
    // One was cut, one has a round apart, one has two kinds of rounds, one failed now and then.
    let cut = "prepared / each statement / 10000";
    file.results.samples.retain(|sample| sample.case != cut);
    let sample = Sample { case: cut.into(), seconds: 10.0, rows: 6_437, cut: true, ..Sample::default() };
    file.results.samples.push(sample);
    for sample in &mut file.results.samples {
        match (sample.case.as_str(), sample.round) {
            ("multi-row / once / 1000", 2) => sample.seconds *= 4.0,
            ("load-data / once / 10000", round) if round % 2 == 1 => sample.seconds *= 1.9,
            ("pipelined / each statement / 1000", 1) => sample.errors = BTreeMap::from([("1213".into(), 4)]),
            _ => {}
        }
    }
    file
}

fn of_insert(way: &str, commits: &str, rows: u64, role: Role) -> Case {
    Case {
        id: format!("{way} / {commits} / {rows}"),
        subject: way.into(),
        with: texts(&[("commits", commits), ("rows", &rows.to_string())]),
        group: format!("{rows} rows"),
        rows,
        unit: Unit::Rows,
        role,
    }
}

/// The published grid of rows a statement and connections.
pub(crate) fn sweep() -> File {
    let mut file = File::new("sweep");
    for rows in [1_u32, 10, 100, 500, 1_000, 2_000, 5_000, 10_000, 20_000, 50_000] {
        for connections in [1_u32, 2, 4, 8, 16, 32, 64, 96, 128] {
            let (n, c) = (f64::from(rows), f64::from(connections));
            let batch = n / (n + 60.0) / (1.0 + n / 90_000.0);
            let many = c / (c + 5.0) / (1.0 + c / 260.0);
            let case = Case {
                id: format!("{rows} rows a statement, {connections} connections"),
                subject: "multi-row".into(),
                with: texts(&[("statement_rows", &rows.to_string()), ("connections", &connections.to_string())]),
                group: String::new(),
                rows: 0,
                unit: Unit::Rows,
                role: Role::Subject,
            };
            file.case(case, 320_000.0 * batch * many, 0.08, 3);
        }
    }
    file
}

/// What to make concurrent, second by second.
pub(crate) fn pressure() -> File {
    let mut file = File::new("pressure");
    let ways = [("one", 9_800.0, 1), ("statement", 9_300.0, 10), ("connection", 9_400.0, 10)];
    let more = [("connections", 40_900.0, 10), ("connections-multi-row", 245_000.0, 10), ("inserter", 180_000.0, 10)];
    for (at, (subject, rate, clients)) in ways.into_iter().chain(more).enumerate() {
        let case = Case {
            id: subject.into(),
            subject: subject.into(),
            with: texts(&[("clients", &clients.to_string())]),
            group: String::new(),
            rows: 0,
            unit: Unit::Rows,
            role: if at == 0 { Role::Baseline } else { Role::Subject },
        };
        file.case(case, rate, 0.05, 3);
        for round in 1..=3_usize {
            let stall = if at == 3 && round == 2 { 17 } else { 99 };
            let (client, server) = (file.curve(rate, 30, stall), file.curve(rate, 31, stall));
            let latency = file.latencies(1e7 / rate, 9_000);
            for sample in file.last().skip(round).take(1) {
                if stall == 17 {
                    sample.errors.insert("2013".into(), 3);
                }
                (sample.curve, sample.server_curve, sample.latency) =
                    (client.clone(), server.clone(), Some(latency.clone()));
            }
        }
    }
    file
}

/// Clients of two kinds, by their number, out of a pool.
pub(crate) fn query() -> File {
    let mut file = File::new("query");
    for (client, rate) in [("blocking", 9_000.0), ("async", 46_000.0)] {
        for clients in [1_u32, 10, 50, 200] {
            let n = f64::from(clients);
            let case = Case {
                id: format!("{client}, {clients} clients"),
                subject: client.into(),
                with: texts(&[("clients", &clients.to_string())]),
                group: String::new(),
                rows: 10_000,
                unit: Unit::Queries,
                role: Role::Subject,
            };
            file.case(case, rate * n / (n + 6.0), 0.06, 8);
            let (latency, acquire) =
                (file.latencies(1e6 * n / rate, 20_000 / clients), file.latencies(n * n / 9.0 + 4.0, 800));
            for sample in file.last() {
                (sample.latency, sample.acquire) = (Some(latency.clone()), Some(acquire.clone()));
            }
        }
    }
    file
}

/// Everything that a file can have, each text of it an attack.
pub(crate) fn hostile() -> File {
    const ATTACK: &str = "</title></script><script>alert(1)</script><img src=x onerror=alert(2)>\"'&`-->";
    let mut file = pressure();
    let run = &mut file.results.run;
    for text in [&mut run.experiment, &mut run.at, &mut run.inrush.version, &mut run.server.version] {
        *text = ATTACK.into();
    }
    (run.server.transport, run.server.tls) = (ATTACK.into(), Some(ATTACK.into()));
    (run.machine.cpu, run.machine.kernel) = (Some(ATTACK.into()), Some(ATTACK.into()));
    run.inrush.commit = Some(ATTACK.into());
    run.server.settings.insert(ATTACK.into(), ATTACK.into());
    run.options.insert(ATTACK.into(), ATTACK.into());
    run.ddl.push(ATTACK.into());
    for case in &mut file.results.cases {
        case.id = format!("{ATTACK}{}", case.id);
        case.subject = format!("{ATTACK}{}", case.subject);
        case.group = ATTACK.into();
        for (at, n) in ["1", "2", "4"].into_iter().enumerate() {
            case.with.insert(format!("{ATTACK}{at}"), if case.id.len() % 2 == at { n.into() } else { "7".into() });
        }
    }
    for sample in &mut file.results.samples {
        sample.case = format!("{ATTACK}{}", sample.case);
        sample.errors.insert(ATTACK.into(), 1);
    }
    file.results.end = Some(End { complete: false, reason: Some(ATTACK.into()) });
    file
}
