//! Pipelines on real servers: each kind of step, errors per step, transactions, results, and what ends the connection.

use crate::cases::{Case, Shell, everywhere, texts, until_asleep};
use crate::twins::with_twin;
use inrush::{Config, Error, PipelineMode, Reply, Result, Statement, params};
use inrush_testkit::patience::growing_limits;
use std::cell::Cell;
use std::time::Duration;

/// The rows a step changed, `!` and the code of its error, or its rows.
fn told(reply: &Result<Reply>) -> String {
    match reply {
        Err(error) => format!("!{}", error.code()),
        Ok(reply) if reply.statement().is_some() => "prepared".to_owned(),
        Ok(reply) if reply.result_sets().is_empty() => reply.affected().to_string(),
        Ok(reply) => {
            let results = reply.result_sets().iter().map(texts);
            results.map(|rows| rows.concat().join(",")).collect::<Vec<_>>().join(";")
        }
    }
}

fn all_told(replies: &[Result<Reply>]) -> Vec<String> {
    replies.iter().map(told).collect()
}

/// The same with pipelining and without.
const MODES: [PipelineMode; 3] = [PipelineMode::Auto, PipelineMode::On, PipelineMode::Off];

fn in_modes(config: &Config) -> [Config; 3] {
    MODES.map(|mode| config.clone().with_pipeline(mode))
}

#[test]
fn every_kind_of_step() {
    everywhere(|case| {
        for config in in_modes(&case.config().with_multi_statements(true)) {
            let schema = case.server.schema("steps");
            with_twin!(case, config.with_database(schema.name()), connection => {
                let insert = Statement::new("INSERT INTO t (a, b) VALUES (:a, :b)").unwrap();
                let select = Statement::new("SELECT b FROM t WHERE id > ? ORDER BY id").unwrap();
                let mut pipeline = connection.pipeline();
                pipeline.query("CREATE TABLE t (id INT PRIMARY KEY AUTO_INCREMENT, a INT, b VARCHAR(20))");
                pipeline.execute(&insert, (1, "one")).execute(&insert, params! { "b" => "two", "a" => None::<i32> });
                pipeline.execute(&select, (0,)).query("SELECT 1; DO 1; SELECT 'x', NULL");
                pipeline.prepare(&select).ping().reset().execute(&insert, (3, "three")).query("SELECT COUNT(*) FROM t");
                assert_eq!((pipeline.len(), pipeline.is_empty()), (10, false));
                let replies = wait!(pipeline.run()).unwrap();
                let want = ["0", "1", "1", "one,two", "1;;x,NULL", "prepared", "0", "0", "1", "3"];
                assert_eq!(all_told(&replies), want);
                assert_eq!(replies[2].as_ref().unwrap().last_insert_id(), Some(2));
                let rows: Vec<(String,)> = replies[3].as_ref().unwrap().rows().unwrap();
                assert_eq!(rows, [("one".into(),), ("two".into(),)]);
                // And nothing is out of step afterwards.
                assert_eq!(wait!(connection.query_one::<(u64,)>("SELECT COUNT(*) FROM t", ())).unwrap(), (3,));
                assert!(wait!(connection.pipeline().run()).unwrap().is_empty());
            });
        }
    });
}

#[test]
fn an_error_is_that_of_its_step() {
    everywhere(|case| {
        for config in in_modes(&case.config()) {
            let schema = case.server.schema("steperrors");
            with_twin!(case, config.with_database(schema.name()), connection => {
                wait!(connection.execute("CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(3))", ())).unwrap();
                let insert = wait!(connection.prepare("INSERT INTO t VALUES (?, ?)")).unwrap();
                let nowhere = Statement::new("INSERT INTO nowhere VALUES (?)").unwrap();
                let mut pipeline = connection.pipeline();
                pipeline.execute(&insert, (1, "a")).execute(&insert, (1, "b")).execute(&insert, (2, "too long"));
                pipeline.query("SELEKT").execute(&nowhere, (1,)).execute(&insert, (3,)).execute(&insert, (2, "b"));
                pipeline.execute(&insert, params! { "x" => 1 }).execute(&insert, ("3", None::<&str>));
                // An error in the midst of rows.
                pipeline.query("SELECT 1 UNION ALL SELECT (SELECT 1 UNION ALL SELECT 2)");
                let replies = wait!(pipeline.run()).unwrap();
                let want = ["1", "!1062", "!1406", "!1064", "!1146", "!0", "1", "!0", "1", "!1242"];
                assert_eq!(all_told(&replies), want);
                let ids: Vec<(i32,)> = wait!(connection.query("SELECT id FROM t ORDER BY id", ())).unwrap();
                assert_eq!(ids, [(1,), (2,), (3,)]);
            });
        }
    });
}

#[test]
fn a_commit_behind_a_failure_rolls_back() {
    everywhere(|case| {
        for config in in_modes(&case.config()) {
            let schema = case.server.schema("stepcommit");
            with_twin!(case, config.with_database(schema.name()), connection => {
                wait!(connection.execute("CREATE TABLE t (id INT PRIMARY KEY)", ())).unwrap();
                let insert = wait!(connection.prepare("INSERT INTO t VALUES (?)")).unwrap();
                let mut pipeline = connection.pipeline();
                pipeline.query("BEGIN").execute(&insert, (1,)).execute(&insert, (1,)).execute(&insert, (2,)).commit();
                pipeline.query("BEGIN").execute(&insert, (3,)).commit().query("BEGIN").execute(&insert, (4,));
                let replies = wait!(pipeline.run()).unwrap();
                let want = ["0", "1", "!1062", "1", "!1062", "0", "1", "0", "0", "1"];
                assert_eq!(all_told(&replies), want);
                let error = replies[4].as_ref().unwrap_err();
                assert!(error.message().contains("rolled back") && error.message().contains("step 2"), "{error:?}");
                assert!(connection.session().in_transaction());
                wait!(connection.execute("ROLLBACK", ())).unwrap();
                let ids: Vec<(i32,)> = wait!(connection.query("SELECT id FROM t", ())).unwrap();
                assert_eq!(ids, [(3,)]);

                // Unless asked for.
                let mut pipeline = connection.pipeline();
                pipeline.best_effort().query("BEGIN").execute(&insert, (3,)).execute(&insert, (5,)).commit();
                let replies = wait!(pipeline.run()).unwrap();
                assert_eq!(all_told(&replies), ["0", "!1062", "1", "0"]);
                let ids: Vec<(i32,)> = wait!(connection.query("SELECT id FROM t", ())).unwrap();
                assert_eq!(ids, [(3,), (5,)]);
            });
        }
    });
}

/// A statement that commits by itself ends the transaction: COMMIT would be one of something else.
#[test]
fn a_commit_of_a_transaction_that_has_ended_is_refused() {
    everywhere(|case| {
        let schema = case.server.schema("stepended");
        with_twin!(case, case.config().with_database(schema.name()), connection => {
            let mut pipeline = connection.pipeline();
            pipeline.query("CREATE TABLE t (id INT PRIMARY KEY)").query("BEGIN").query("INSERT INTO t VALUES (1)");
            pipeline.query("CREATE TABLE u (id INT)").query("INSERT INTO t VALUES (2)").commit();
            let replies = wait!(pipeline.run()).unwrap();
            assert_eq!(all_told(&replies), ["0", "0", "1", "0", "1", "!0"]);
            let error = replies[5].as_ref().unwrap_err();
            assert!(error.message().contains("had ended before step 3") && error.hint().is_some(), "{error:?}");
        });
    });
}

#[test]
fn a_stream_of_steps_ends_when_either_side_has_enough() {
    everywhere(|case| {
        for config in in_modes(&case.config()) {
            let schema = case.server.schema("stream");
            with_twin!(case, config.with_database(schema.name()), connection => {
                wait!(connection.execute("CREATE TABLE t (id INT PRIMARY KEY)", ())).unwrap();
                let insert = wait!(connection.prepare("INSERT INTO t VALUES (?)")).unwrap();
                let (mut to_send, mut n_stored) = (0..1_000, 0);
                wait!(connection.pipeline_each(
                    |next| match to_send.next() {
                        Some(0) => next.query("SET autocommit = 0"),
                        Some(999) => next.commit(),
                        Some(id) => next.execute(&insert, (id,)),
                        None => next.end(),
                    },
                    |step, reply| {
                        n_stored += reply?.affected();
                        assert!(step < 1_000);
                        Ok(())
                    },
                ))
                .unwrap();
                assert_eq!(n_stored, 998);

                let end = wait!(connection.pipeline_each(
                    |next| next.execute(&insert, (1,)),
                    |step, reply| if step < 10 { Ok(()) } else { reply.map(drop) },
                ));
                assert_eq!(end.unwrap_err().code(), 1062);
                let mut n_left = 10;
                let end = wait!(connection.pipeline_each(
                    |next| {
                        n_left -= 1;
                        if n_left > 0 { next.query("SELECT 1") } else { Err(Error::data("no more")) }
                    },
                    |_, reply| reply.and_then(|reply| reply.rows::<(u8,)>()).map(drop),
                ));
                assert_eq!(end.unwrap_err().message(), "no more");
                assert_eq!(wait!(connection.query_one::<(u64,)>("SELECT COUNT(*) FROM t", ())).unwrap(), (998,));
            });
        }
    });
}

#[test]
fn a_load_of_a_local_file_in_a_pipeline_ends_the_connection() {
    everywhere(|case| {
        if !case.server.local_infile {
            return;
        }
        let schema = case.server.schema("stepinfile");
        with_twin!(case, case.config().with_database(schema.name()).with_local_infile(true), connection => {
            let mut pipeline = connection.pipeline();
            pipeline.query("CREATE TABLE t (v TEXT)").query("LOAD DATA LOCAL INFILE '/etc/hostname' INTO TABLE t").ping();
            let error = wait!(pipeline.run()).unwrap_err();
            assert!(error.is_fatal() && error.message().contains("step 1"), "{error:?}");
            assert!(wait!(connection.ping()).unwrap_err().is_fatal());
        });
    });
}

#[test]
fn rows_beyond_the_limit_end_the_connection() {
    everywhere(|case| {
        with_twin!(case, case.config().with_max_result(100_000), connection => {
            let mut pipeline = connection.pipeline();
            for _ in 0..200 {
                pipeline.query("SELECT REPEAT('x', 1000)");
            }
            let error = wait!(pipeline.run()).unwrap_err();
            assert!(error.is_fatal() && error.message().contains("100000 bytes"), "{error:?}");
        });
    });
}

#[test]
fn large_commands_and_large_results_in_one_flight() {
    everywhere(|case| {
        let schema = case.server.schema("largesteps");
        let config = case.config().with_database(schema.name()).with_socket_buffers(Some(4096));
        with_twin!(case, config, connection => {
            wait!(connection.execute("CREATE TABLE t (id INT PRIMARY KEY, v LONGBLOB)", ())).unwrap();
            let insert = wait!(connection.prepare("INSERT INTO t VALUES (?, ?)")).unwrap();
            let select = wait!(connection.prepare("SELECT v FROM t WHERE id = ?")).unwrap();
            // Below, at and above the length from which a value goes ahead in parts.
            let values = [1, 256 << 10, (256 << 10) + 1, 3 << 20].map(|n| vec![b'v'; n]);
            let mut pipeline = connection.pipeline();
            for (id, value) in values.iter().enumerate() {
                pipeline.execute(&insert, (id, value)).execute(&select, (id,));
            }
            let replies = wait!(pipeline.run()).unwrap();
            for (value, replies) in values.iter().zip(replies.chunks(2)) {
                assert_eq!(told(&replies[0]), "1");
                assert!(replies[1].as_ref().unwrap().rows::<(Vec<u8>,)>().unwrap() == [(value.clone(),)], "{}", value.len());
            }
        });
    });
}

/// The time of a query is that of each step, not of the flight.
#[test]
fn each_step_has_the_time_of_a_query() {
    everywhere(|case| {
        // All steps take longer than one may, and each has four fifths of the limit to spare.
        for limit in growing_limits("each step") {
            let end = Cell::new(None);
            with_twin!(case, case.config(), connection => {
                connection.set_query_timeout(Some(limit));
                let mut pipeline = connection.pipeline();
                for _ in 0..6 {
                    pipeline.query(&format!("SELECT SLEEP({})", limit.as_secs_f64() / 5.0));
                }
                end.set(Some(wait!(pipeline.run())));
            });
            match end.take().unwrap() {
                Err(error) if error.is_timeout() => {}
                replies => {
                    assert_eq!(all_told(&replies.unwrap()), ["0"; 6]);
                    break;
                }
            }
        }
        with_twin!(case, case.config(), connection => {
            connection.set_query_timeout(Some(Duration::from_secs(1)));
            let mut pipeline = connection.pipeline();
            pipeline.ping().query("SELECT SLEEP(30)").ping();
            let error = wait!(pipeline.run()).unwrap_err();
            assert!(error.is_fatal() && error.is_timeout() && error.message().contains("step"), "{error:?}");
            assert!(wait!(connection.ping()).is_err());
        });
    });
}

#[test]
fn a_dropped_pipeline_leaves_the_connection_dead() {
    everywhere(|case| {
        let Case { shell: Shell::Tokio, .. } = case else { return };
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let (server, config) = (case.server.clone(), case.config());
        let task = runtime.spawn(async move {
            let mut connection = inrush::Connection::connect(&config).await.unwrap();
            let id = connection.connection_id();
            let mut pipeline = connection.pipeline();
            pipeline.ping().query("SELECT SLEEP(30)").ping();
            tokio::select! {
                _ = pipeline.run() => panic!("it ended"),
                asleep = tokio::task::spawn_blocking(move || until_asleep(&server, id)) => asleep.unwrap(),
            }
            connection.ping().await.unwrap_err()
        });
        let error = runtime.block_on(task).unwrap();
        assert!(error.is_fatal() && error.message().contains("interrupted"), "{error:?}");
    });
}
