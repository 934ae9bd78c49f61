//! What every connection does: answers, errors that leave it usable, sessions that begin anew.

use crate::cases::{Route, everywhere, in_cases, texts};
use inrush::Kind;
use inrush::sans_io::session::Transport;
use inrush::sans_io::wire::Vendor;
use inrush_testkit::servers;

#[test]
fn pings_and_knows_whom_it_talks_to() {
    everywhere(|case| {
        let mut connection = case.open();
        connection.ping().unwrap();
        let transport = match case.route {
            Route::Tcp => Transport::Tcp,
            Route::Tls => Transport::Tls,
            Route::Unix => Transport::Unix,
        };
        assert_eq!(connection.session().transport(), transport);
        let vendor = match case.server.vendor {
            servers::Vendor::Mysql => Vendor::MySql,
            servers::Vendor::Mariadb => Vendor::MariaDb,
        };
        let version = connection.session().version().clone();
        assert_eq!(version.vendor, vendor);
        assert_eq!(version.text, connection.ask("SELECT VERSION()"));
        assert_eq!(connection.session().connection_id().to_string(), connection.ask("SELECT CONNECTION_ID()"));
    });
}

#[test]
fn speaks_utf8mb4() {
    everywhere(|case| {
        let mut connection = case.open();
        assert_eq!(connection.ask("SELECT 'grün 🦀'"), "grün 🦀");
        assert_eq!(connection.ask("SELECT HEX('🦀')"), "F09FA680");
        assert_eq!(connection.ask("SELECT @@character_set_client"), "utf8mb4");
    });
}

#[test]
fn tells_the_server_who_it_is() {
    everywhere(|case| {
        let schema = case.server.schema("attributes");
        let config = case.config().with_attribute("job", "nightly").with_database(schema.name());
        let mut connection = case.open_with(&config);
        assert_eq!(connection.ask("SELECT DATABASE()"), schema.name());
        assert_eq!(connection.session().schema(), Some(schema.name()));
        if connection.ask("SELECT @@performance_schema") == "0" {
            // Nowhere to read them; that the server took the packet is all that can be seen.
            return;
        }
        let results = connection
            .query(
                "SELECT ATTR_NAME, ATTR_VALUE FROM performance_schema.session_connect_attrs \
                 WHERE PROCESSLIST_ID = CONNECTION_ID() AND ATTR_NAME IN ('_client_name', 'job') ORDER BY 1",
            )
            .unwrap();
        assert_eq!(texts(&results[0]), [["_client_name", "inrush"], ["job", "nightly"]]);
    });
}

#[test]
fn an_error_of_the_server_leaves_the_connection_usable() {
    everywhere(|case| {
        let mut connection = case.open();
        let error = connection.execute("SELEKT 1").unwrap_err();
        assert_eq!((error.kind(), error.code(), error.sql_state()), (Kind::Server, 1064, "42000"));
        assert!(!error.is_fatal());
        let error = connection.query("SELECT * FROM nowhere.nothing").unwrap_err();
        assert!([1049, 1146].contains(&error.code()), "{error}");
        assert_eq!(connection.ask("SELECT 1"), "1");
    });
}

#[test]
fn several_results_of_one_text() {
    everywhere(|case| {
        let mut connection = case.open_with(&case.config().with_multi_statements(true));
        let results = connection.query("SELECT 1, 2; SET @a = 3; SELECT @a WHERE 1 = 0; SELECT 'x'").unwrap();
        assert_eq!(results.len(), 4);
        assert_eq!(texts(&results[0]), [["1", "2"]]);
        assert!(results[1].columns().is_empty() && results[1].is_empty());
        assert!(results[2].columns().len() == 1 && results[2].is_empty());
        assert_eq!(texts(&results[3]), [["x"]]);
        let error = connection.query("SELECT 1; SELEKT 2; SELECT 3").unwrap_err();
        assert_eq!(error.code(), 1064);
        assert_eq!(connection.ask("SELECT 4"), "4");
    });
}

#[test]
fn one_text_is_one_statement_unless_asked_otherwise() {
    everywhere(|case| {
        let mut connection = case.open();
        assert_eq!(connection.query("SELECT 1; SELECT 2").unwrap_err().code(), 1064);
        assert_eq!(connection.ask("SELECT 1"), "1");
    });
}

#[test]
fn follows_the_transaction() {
    everywhere(|case| {
        let schema = case.server.schema("transaction");
        let mut connection = case.open_with(&case.config().with_database(schema.name()));
        connection.execute("CREATE TABLE t (id INT PRIMARY KEY AUTO_INCREMENT, n INT) ENGINE = InnoDB").unwrap();
        connection.execute("BEGIN").unwrap();
        let outcome = connection.execute("INSERT INTO t (n) VALUES (1), (2), (3)").unwrap();
        assert_eq!((outcome.affected, outcome.last_insert_id), (3, Some(1)));
        assert!(connection.session().in_transaction());
        connection.execute("ROLLBACK").unwrap();
        assert!(!connection.session().in_transaction());
        assert_eq!(connection.ask("SELECT COUNT(*) FROM t"), "0");
    });
}

#[test]
fn counts_rows_found_where_asked() {
    everywhere(|case| {
        let schema = case.server.schema("foundrows");
        let mut changed = case.open_with(&case.config().with_database(schema.name()));
        changed.execute("CREATE TABLE t (n INT)").unwrap();
        changed.execute("INSERT INTO t VALUES (1), (2)").unwrap();
        assert_eq!(changed.execute("UPDATE t SET n = 1").unwrap().affected, 1);
        let mut found = case.open_with(&case.config().with_database(schema.name()).with_found_rows(true));
        assert_eq!(found.execute("UPDATE t SET n = 1").unwrap().affected, 2);
    });
}

#[test]
fn streams_rows() {
    everywhere(|case| {
        let mut connection = case.open();
        let (mut n, mut sum) = (0, 0);
        let sql = "WITH RECURSIVE s (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < 900) SELECT n, REPEAT('x', n) FROM s";
        connection
            .query_each(sql, |row| {
                n += 1;
                let first = row.values().next().unwrap().unwrap();
                sum += first.as_u64().unwrap();
                Ok(())
            })
            .unwrap();
        assert_eq!((n, sum), (900, 900 * 901 / 2));
        let error = connection.query_each(sql, |_| Err(inrush::Error::data("enough"))).unwrap_err();
        assert!(error.is_fatal() && error.message() == "enough", "{error:?}");
        assert!(connection.ping().is_err());
    });
}

#[test]
fn a_collected_result_has_a_limit() {
    everywhere(|case| {
        let mut connection = case.open_with(&case.config().with_max_result(10_000));
        assert_eq!(connection.ask("SELECT REPEAT('x', 9000)").len(), 9000);
        let error = connection.query("SELECT REPEAT('x', 11000)").unwrap_err();
        assert!(error.message().contains("more than 10000 bytes"), "{error}");
    });
}

#[test]
fn a_reset_session_is_as_new() {
    everywhere(|case| {
        let mut connection = case.open();
        connection.execute("SET @a = 1, SESSION sql_mode = 'ANSI'").unwrap();
        let statement = connection.prepare("SELECT 1").unwrap();
        connection.execute("BEGIN").unwrap();
        connection.reset().unwrap();
        assert_eq!(connection.ask("SELECT @a IS NULL"), "1");
        assert_eq!(connection.ask("SELECT @@sql_mode = @@GLOBAL.sql_mode"), "1");
        assert_eq!(connection.ask("SELECT @@character_set_client"), "utf8mb4");
        assert_eq!(connection.ask("SELECT @@character_set_results"), "utf8mb4");
        // Its statements are gone with it, so they are prepared anew.
        assert!(connection.session().statements().is_empty());
        assert_eq!(texts(&connection.query_result_sets(&statement, &[]).unwrap()[0]), [["1"]]);
        assert!(!connection.session().in_transaction());
    });
}

#[test]
fn becomes_another_account() {
    everywhere(|case| {
        let schema = case.server.schema("changeuser");
        for user in case.server.users.iter().filter(|user| user.plugin != "cleartext_plugin_server") {
            let mut connection = case.open();
            connection.execute("SET @a = 1").unwrap();
            let other = case.config().with_user(&user.user).with_password(&user.password);
            connection.change_user(&other).unwrap();
            assert_eq!(connection.ask("SELECT SUBSTRING_INDEX(USER(), '@', 1)"), user.user);
            assert_eq!(connection.ask("SELECT @a IS NULL"), "1");
            connection.change_user(&case.config().with_database(schema.name())).unwrap();
            assert_eq!(connection.ask("SELECT DATABASE()"), schema.name());
            assert_eq!(connection.ask("SELECT 'grün'"), "grün");
        }
    });
}

#[test]
fn who_fails_to_become_another_account_is_out() {
    // The servers make it wait a second.
    in_cases(servers::with_local_infile(), &[Route::Unix], |case| {
        let mut connection = case.open();
        let error = connection.change_user(&case.config().with_password("wrong")).unwrap_err();
        assert_eq!(error.code(), 1045, "{error:?}");
        assert!(error.is_fatal() && connection.ping().is_err());
    });
}
