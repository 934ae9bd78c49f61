//! Compression on real servers: the same answers through zlib and zstd, over every route, small and large, both ways.

use crate::cases::{Case, Route, Twin, everywhere, in_cases, in_every_case};
use inrush::sans_io::session::LoadCounts;
use inrush::sans_io::session::pipeline::{Decision, Flight, NextCommand, Pipeline, Reply};
use inrush::sans_io::value::Value;
use inrush::sans_io::wire::Row;
use inrush::{Compression, Kind, Result};
use inrush_testkit::servers::{self, Vendor};

/// What each family of servers can do.
fn offered(case: &Case) -> &'static [Compression] {
    match case.server.vendor {
        Vendor::Mysql => &[Compression::ZLIB, Compression::ZSTD],
        Vendor::Mariadb => &[Compression::ZLIB],
    }
}

/// Text that shrinks to about half.
fn text(length: usize) -> String {
    let letter = |i: u64| b"etaoinshrdlucmfw"[(i.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 60) as usize];
    (0..length as u64).map(|i| char::from(letter(i))).collect()
}

#[test]
fn small_and_large_answers() {
    in_every_case(|case| {
        for &compression in offered(case) {
            let mut connection = case.open_with(&case.config().with_compression(compression));
            assert_eq!(connection.session().compression(), compression);
            let status = connection.query("SHOW STATUS LIKE 'Compression'").unwrap();
            assert_eq!(status[0].value(0, 1).unwrap().to_string(), "ON");
            assert_eq!(connection.ask("SELECT 1"), "1");
            assert_eq!(connection.ask("SELECT REPEAT('x', 300000)"), "x".repeat(300_000));
            let text = text(1_000_000);
            assert!(connection.ask(&format!("SELECT '{text}'")) == text);
            let error = connection.execute(&format!("SELEKT '{text}'")).unwrap_err();
            assert!(error.code() == 1064 && !error.is_fatal(), "{error:?}");
            connection.ping().unwrap();
        }
    });
}

#[test]
fn many_rows_and_several_results() {
    everywhere(|case| {
        for &compression in offered(case) {
            let config = case.config().with_compression(compression).with_multi_statements(true);
            let mut connection = case.open_with(&config);
            let rows = "WITH RECURSIVE s (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < 900) SELECT n, REPEAT('x', n) FROM s";
            let results = connection.query(&format!("{rows}; SET @a = 1; {rows}; SELECT @a")).unwrap();
            assert_eq!(results.iter().map(|result| result.len()).collect::<Vec<_>>(), [900, 0, 900, 1]);
            let mut n = 0;
            connection
                .query_each(rows, |row| {
                    n += row.get::<String>(1)?.len();
                    Ok(())
                })
                .unwrap();
            assert_eq!(n, 900 * 901 / 2);
        }
    });
}

#[test]
fn statements_sessions_and_accounts() {
    everywhere(|case| {
        for &compression in offered(case) {
            let mut connection = case.open_with(&case.config().with_compression(compression));
            let long = text(200_000);
            let statement = connection.prepare("SELECT ?, LENGTH(?)").unwrap();
            let result =
                &connection.query_result_sets(&statement, &[Value::Int(7), Value::Bytes(long.as_bytes())]).unwrap()[0];
            let row = result.rows().next().unwrap();
            assert_eq!((row.get::<i64>(0).unwrap(), row.get::<usize>(1).unwrap()), (7, long.len()));
            connection.reset().unwrap();
            assert_eq!(connection.ask("SELECT 2"), "2");
            connection.change_user(&case.config()).unwrap();
            assert_eq!(connection.session().compression(), compression);
            assert_eq!(connection.ask(&format!("SELECT LENGTH('{long}')")), long.len().to_string());
        }
    });
}

#[test]
fn load_data_local() {
    // More than 256 packets: both counts of numbers wrap. What is stored of them is what they come to.
    let row = text(60_000);
    let content: String = (0..1150).map(|id| format!("{id}\t{row}\n")).collect();
    assert!(content.len() > 257 * 256 * 1024);
    in_cases(servers::with_local_infile(), &[Route::Tcp], |case| {
        for &compression in offered(case) {
            let schema = case.server.schema("compressedload");
            let config = case.config().with_compression(compression).with_local_infile(true);
            let mut connection = case.open_with(&config.with_database(schema.name()));
            connection.execute("CREATE TABLE t (id INT PRIMARY KEY, sum CHAR(64) NOT NULL)").unwrap();
            for (content, n) in [(content.as_str(), 1150), ("1\tx\n", 1), ("", 0)] {
                connection.execute("TRUNCATE t").unwrap();
                let statement = |name: &str| {
                    format!("LOAD DATA LOCAL INFILE '{name}' INTO TABLE t (id, @text) SET sum = SHA2(@text, 256)")
                };
                let outcome = connection.load_local(statement, content.as_bytes()).unwrap();
                let counts = LoadCounts::parse(&outcome.info).unwrap();
                assert_eq!(counts, LoadCounts { records: n, deleted: 0, skipped: 0, warnings: 0 });
                let right = format!("SELECT COUNT(*) FROM t WHERE sum IN (SHA2('{row}', 256), SHA2('x', 256))");
                assert_eq!(connection.ask(&right), n.to_string());
            }
        }
    });
}

#[test]
fn load_data_local_over_tls_and_unix() {
    let content: String = (0..20_000).map(|id| format!("{id}\tname {id}\n")).collect();
    in_cases(servers::with_local_infile(), &[Route::Tls, Route::Unix], |case| {
        for &compression in offered(case) {
            let schema = case.server.schema("compressedtls");
            let config = case.config().with_compression(compression).with_local_infile(true);
            let mut connection = case.open_with(&config.with_database(schema.name()));
            connection.execute("CREATE TABLE t (id INT PRIMARY KEY, name VARCHAR(100) NOT NULL)").unwrap();
            let statement = |name: &str| format!("LOAD DATA LOCAL INFILE '{name}' INTO TABLE t");
            assert_eq!(connection.load_local(statement, content.as_bytes()).unwrap().affected, 20_000);
        }
    });
}

#[test]
fn smallest_socket_buffers_stop_nothing() {
    in_cases(servers::with_local_infile(), &[Route::Tcp, Route::Tls, Route::Unix], |case| {
        let text = text(400_000);
        for &compression in offered(case) {
            let config = case.config().with_compression(compression).with_socket_buffers(Some(2048));
            let mut connection = case.open_with(&config);
            assert!(connection.ask(&format!("SELECT '{text}'")) == text);
        }
    });
}

#[test]
fn every_level() {
    let long = text(300_000);
    in_cases(servers::with_local_infile(), &[Route::Unix], |case| {
        for level in [1, 9, 19, 20, 22] {
            for compression in [Compression::Zlib(level.min(9)), Compression::Zstd(level)] {
                if case.server.vendor == Vendor::Mariadb && compression == Compression::Zstd(level) {
                    continue;
                }
                let mut connection = case.open_with(&case.config().with_compression(compression));
                assert!(connection.ask(&format!("SELECT REPEAT('{long}', 20)")) == long.repeat(20));
            }
        }
    });
}

#[test]
fn what_the_server_does_not_offer_is_an_error_unless_none_will_do() {
    everywhere(|case| {
        let wanted = vec![Compression::ZSTD, Compression::None];
        let connection = case.open_with(&case.config().with_compression(wanted));
        let is_mysql = case.server.vendor == Vendor::Mysql;
        let want = if is_mysql { Compression::ZSTD } else { Compression::None };
        assert_eq!(connection.session().compression(), want);
        if !is_mysql {
            let config = case.config().with_compression(Compression::ZSTD);
            let error = crate::cases::Twin::connect(case.shell, &config).unwrap_err();
            assert!(error.kind() == Kind::Config && error.message().contains("zstd"), "{error:?}");
        }
    });
}

/// Statements of very different lengths, each answered with its number and the length of its text.
struct Lengths {
    n: u64,
    texts: Vec<String>,
    answers: Vec<(u64, usize)>,
}

impl Lengths {
    fn length(&self, step: u64) -> usize {
        self.texts[step as usize % self.texts.len()].len()
    }
}

impl Flight for &mut Lengths {
    fn next(&mut self, next: NextCommand<'_>) -> Result<Decision> {
        let step = self.n;
        if step == STEPS {
            return next.end();
        }
        self.n += 1;
        next.query(&format!("SELECT {step}, LENGTH('{0}'), '{0}'", self.texts[step as usize % self.texts.len()]))
    }

    fn reply(&mut self, _step: u64, reply: Result<Reply>) -> Result<()> {
        reply.map(drop)
    }

    fn row(&mut self, step: u64, row: Row<'_>) -> Result<()> {
        let (number, length) = (row.get::<u64>(0)?, row.get::<usize>(1)?);
        assert_eq!((number, length, row.get::<&str>(2)?.len()), (step, self.length(step), length));
        self.answers.push((number, length));
        Ok(())
    }
}

const STEPS: u64 = 100;

#[test]
fn pipelines_go_through_it() {
    in_every_case(|case| {
        for &compression in offered(case) {
            let mut connection = case.open_with(&case.config().with_compression(compression));
            // Commands that end just before, at and behind the end of a frame, and some of several frames.
            let lengths = [1, 10, 40, 65_480, 65_490, 3, 65_536, 200_000, 2, 70_000, 1, 1, 30_000, 65_500];
            let texts = lengths.iter().map(|length| text(*length)).collect();
            let mut lengths = Lengths { n: 0, texts, answers: Vec::new() };
            let pipeline = Pipeline::new(&mut lengths);
            let end = match &mut connection {
                Twin::Blocking(connection) => connection.run(pipeline),
                Twin::Tokio(connection, runtime) => runtime.block_on(connection.run(pipeline)),
            };
            end.unwrap().unwrap();
            assert_eq!(lengths.answers.len() as u64, STEPS);
            assert_eq!(connection.ask("SELECT 'and on'"), "and on");
        }
    });
}
