//! Objects of stores and HTTP servers: what a file means, an object means, whatever the network does.

use crate::place::{Done, Place, Rows, everywhere, on};
use crate::stopped::{Running, await_true};
use inrush_testkit::object_server::{Act, ObjectServer};
use inrush_testkit::servers::{Server, spread};
use std::io::Write as _;
use std::process::Command;

/// One server with LOCAL INFILE: where the network matters alone.
fn one() -> Vec<Server> {
    spread(3).into_iter().take(1).collect()
}

/// A load with the settings of a store at this address.
fn command(place: &Place, server: &ObjectServer, arguments: &str) -> Command {
    let mut command = place.command(arguments);
    command.envs([("AWS_ENDPOINT_URL", &server.url()[..]), ("AWS_REGION", "us-east-1"), ("AWS_ACCESS_KEY_ID", "id")]);
    command.envs([("AWS_SECRET_ACCESS_KEY", "very-secret"), ("AWS_SESSION_TOKEN", "very-secret-token")]);
    command
}

fn load(place: &Place, server: &ObjectServer, arguments: &str) -> Done {
    place.forget();
    go_on(place, server, arguments)
}

fn go_on(place: &Place, server: &ObjectServer, arguments: &str) -> Done {
    let done = place.done(&command(place, server, arguments).args(["--json", "-q"]).output().unwrap());
    assert!(!format!("{}{}", done.stdout, done.stderr).contains("very-secret"), "{done}");
    done
}

/// Numbered rows, of some 70 bytes each.
fn csv(n: u32) -> Vec<u8> {
    let mut text = b"id,name\n".to_vec();
    for id in 1..=n {
        writeln!(text, "{id},a name that is long enough to fill some of these ranges {:08}", id * 7).unwrap();
    }
    text
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all(bytes).unwrap();
    gzip.finish().unwrap()
}

fn zip(name: &str, bytes: &[u8]) -> Vec<u8> {
    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    zip.start_file(name, zip::write::SimpleFileOptions::default()).unwrap();
    zip.write_all(bytes).unwrap();
    zip.finish().unwrap().into_inner()
}

const TABLE: &str = "CREATE TABLE people (id INT PRIMARY KEY, name VARCHAR(100))";

const SUM: &str = "SELECT COUNT(*), SUM(id), MAX(name) FROM people";

#[test]
fn each_kind_of_file_is_loaded_from_each_kind_of_address() {
    everywhere("objects", |place| {
        let server = ObjectServer::start();
        place.sql(TABLE);
        let text = csv(20_000);
        let jsonl = b"{\"id\": 1, \"name\": \"Ann\"}\n{\"id\": 2, \"name\": \"Bob\"}\n";
        server.put("/data/in/people.csv", text.clone());
        server.put("/data/in/a b+c.csv.gz", gzip(&text));
        server.put("/data/in/people.zip", zip("x/people.csv", &text));
        server.put("/data/in/few.jsonl", jsonl.to_vec());
        let all = "20000,200010000,a name that is long enough to fill some of these ranges 00140000";
        for (name, holds) in [
            ("s3://data/in/people.csv", all),
            ("s3://data/in/a b+c.csv.gz", all),
            ("s3://data/in/people.zip", all),
            ("s3://data/in/people.zip#x/people.csv", all),
            ("s3://data/in/few.jsonl", "2,3,Bob"),
            ("HTTP/data/in/people.csv", all),
            ("HTTP/data/in/a%20b+c.csv.gz?sig=very-secret", all),
            ("HTTP/data/in/people.zip#x/people.csv", all),
        ] {
            place.forget();
            let mut command = command(place, &server, "--into people --truncate --json -q");
            let done = place.done(&command.arg(name.replace("HTTP", &server.url())).output().unwrap());
            assert_eq!((done.code, &place.sql(SUM)[..]), (0, holds), "{name}: {done}");
            assert!(!format!("{}{}", done.stdout, done.stderr).contains("very-secret"), "{done}");
        }
    });
}

#[test]
fn a_table_is_created_from_it() {
    on(one(), "object_table", |place| {
        let server = ObjectServer::start();
        server.put("/data/people.csv", csv(3));
        let done = load(place, &server, "s3://data/people.csv --into people --create-table");
        assert_eq!((done.code, done.rows()), (0, Some(Rows::stored(3))), "{done}");
        assert_eq!(place.sql("SELECT COUNT(*) FROM people"), "3");
    });
}

#[test]
fn what_the_network_does_changes_nothing() {
    on(one(), "object_faults", |place| {
        place.sql(TABLE);
        let text = csv(200_000);
        let server = ObjectServer::start();
        server.put("/data/people.csv", text.clone());
        server.put("/data/people.csv.gz", gzip(&text));
        for name in ["people.csv", "people.csv.gz"] {
            server.set_policy(|request| match request.nth % 4 {
                0 => Act::Fail(503, "<Error><Code>SlowDown</Code></Error>".into()),
                1 => Act::Cut(0),
                2 => Act::Cut(100_001),
                _ => Act::Answer,
            });
            let done = load(place, &server, &format!("s3://data/{name} --into people --truncate"));
            assert_eq!((done.code, done.rows()), (0, Some(Rows::stored(200_000))), "{name}: {done}");
        }
        assert!(server.requests().iter().any(|request| request.headers.contains_key("if-match")));
    });
}

#[test]
fn an_object_that_changes_is_noticed() {
    on(one(), "object_changes", |place| {
        place.sql(TABLE);
        let server = ObjectServer::start();
        let text = csv(200_000);
        server.put("/data/people.csv", text.clone());
        let other = [&text[..text.len() - 2], b"9\n"].concat();
        // The second request for what is behind the sample.
        server.set_policy(move |request| match request.headers.get("range") {
            Some(range) if range.starts_with("bytes=1441792-") => Act::Replace(other.clone()),
            _ => Act::Answer,
        });
        let done = load(place, &server, "s3://data/people.csv --into people");
        assert_eq!(done.code, 2, "{done}");
        done.says("`s3://data/people.csv` was written to while it was loaded: its ETag is another one");
        // The rest is not put behind the old rows.
        server.set_policy(|_| Act::Answer);
        let again = go_on(place, &server, "s3://data/people.csv --into people");
        assert_ne!(place.sql("SELECT COUNT(*), COUNT(DISTINCT id) FROM people"), "", "{again}");
    });
}

#[test]
fn a_loaded_object_is_known_by_its_etag() {
    on(one(), "object_ledger", |place| {
        place.sql(TABLE);
        let server = ObjectServer::start();
        server.put("/data/people.csv", csv(1000));
        assert_eq!(load(place, &server, "s3://data/people.csv --into people").code, 0);
        let again = go_on(place, &server, "s3://data/people.csv --into people");
        assert_eq!((again.code, &place.sql("SELECT COUNT(*) FROM people")[..]), (0, "1000"), "{again}");
        server.put("/data/people.csv", csv(1001));
        let changed = go_on(place, &server, "s3://data/people.csv --into people");
        assert_ne!(changed.code, 0, "{changed}");
        changed.says("with another content");
    });
}

#[test]
fn what_cannot_be_opened_is_explained() {
    on(one(), "object_errors", |place| {
        place.sql(TABLE);
        let server = ObjectServer::start();
        server.put("/data/people.csv", csv(3));
        let http = server.url();
        for (name, says, hint) in [
            ("s3://data/none.csv", "cannot open `s3://data/none.csv`: there is no such object", "check the key"),
            ("s3://none/people.csv", "there is no bucket `none`", "AWS_ENDPOINT_URL"),
            ("s3://data", "the address `s3://data/` names no object", "`s3://bucket/*.csv`"),
            ("s3://data//people.csv", "begins with `/`", "copy it"),
            ("s3://id:very-secret@data/people.csv", "has a login in it", "AWS_ACCESS_KEY_ID"),
            (
                &format!("{}/none.csv?sig=very-secret", http.replace("//", "//me:very-secret@")),
                "has a login",
                "address",
            ),
            (&format!("{http}/none.csv?sig=very-secret"), "/none.csv`: there is no such object", "check the address"),
            ("ftp://me:very-secret@host/x.csv", "`ftp://host/x.csv` is an address of a kind that is not read", "curl"),
            ("s3a://data/people.csv", "that begin with `s3a://` are not read", "`s3://bucket/key`"),
        ] {
            let done = load(place, &server, &format!("{name} --into people"));
            assert_eq!(done.code, 1, "{name}: {done}");
            done.says(says);
            done.says(hint);
        }
        server.set_policy(|_| Act::Fail(400, "<Error><Code>ExpiredToken</Code></Error>".into()));
        let done = load(place, &server, "s3://data/people.csv --into people");
        done.says("the credentials have expired");
        done.says("AWS_SESSION_TOKEN");
        let mut bare = place.command("s3://data/people.csv --into people -q");
        let done = place.done(&bare.env("AWS_EC2_METADATA_DISABLED", "true").output().unwrap());
        assert_eq!(done.code, 1, "{done}");
        done.says("there are no credentials for `s3://data/people.csv`");
    });
}

#[test]
fn a_profile_has_the_credentials() {
    on(one(), "object_profile", |place| {
        place.sql(TABLE);
        let server = ObjectServer::start();
        server.put("/data/people.csv", csv(3));
        std::fs::create_dir(place.path(".aws")).unwrap();
        place.write(".aws/credentials", "[work]\naws_access_key_id = WORKKEY\naws_secret_access_key = very-secret\n");
        place.write(".aws/config", format!("[profile work]\nregion = eu-west-9\nendpoint_url = {}\n", server.url()));
        let mut command = place.command("s3://data/people.csv --into people --json -q");
        let done = place.done(&command.env("AWS_PROFILE", "work").output().unwrap());
        assert_eq!((done.code, done.rows()), (0, Some(Rows::stored(3))), "{done}");
        let signed = &server.requests()[0].headers["authorization"];
        assert!(signed.contains("WORKKEY") && signed.contains("eu-west-9"), "{signed}");
    });
}

#[test]
fn folders_and_patterns_are_listed() {
    on(one(), "object_lists", |place| {
        place.sql(TABLE);
        let server = ObjectServer::start();
        let row = |id: u32| format!("id,name\n{id},x\n");
        for id in 1..=9 {
            server.put(&format!("/data/in/part-{id}.csv"), row(id));
        }
        server.put("/data/in/.hidden.csv", row(100));
        server.put("/data/in/deep/part-10.csv", row(10));
        server.put("/data/in/other/part-11.csv", row(11));
        server.put("/data/in/a[1].csv", row(12));
        server.put("/data/top.csv", row(13));
        for (name, count, sum) in [
            ("s3://data/in/part-*.csv", 9, 45),
            ("s3://data/in/part-[2-4].csv", 3, 9),
            ("s3://data/in/", 10, 57),
            ("s3://data/in/*/part-*.csv", 2, 21),
            ("s3://data/*/deep/*.csv", 1, 10),
            ("s3://data/in/a[1].csv", 1, 12),
            ("s3://data/", 1, 13),
            ("s3://data/top.csv s3://data/t*.csv", 1, 13),
        ] {
            let done = load(place, &server, &format!("{name} --into people --truncate"));
            assert_eq!(done.code, 0, "{name}: {done}");
            assert_eq!(place.sql("SELECT COUNT(*), SUM(id) FROM people"), format!("{count},{sum}"), "{name}: {done}");
        }
        for (name, says) in [
            ("s3://data/in/none*", "no object is named like `s3://data/in/none*`"),
            ("s3://data/none/", "no object is named like `s3://data/none/`"),
        ] {
            let done = load(place, &server, &format!("{name} --into people"));
            assert_eq!(done.code, 1, "{done}");
            done.says(says);
        }
        place.sql("CREATE TABLE top (id INT PRIMARY KEY, name VARCHAR(100))");
        let done = load(place, &server, "s3://data/t*.csv --into shop.*".replace("shop", place.schema.name()).as_str());
        assert_eq!((done.code, &place.sql("SELECT COUNT(*) FROM top")[..]), (0, "1"), "{done}");
    });
}

#[test]
fn parquet_and_arrow_are_read_by_ranges() {
    on(one(), "object_columnar", |place| {
        let server = ObjectServer::start();
        place.sql(TABLE);
        place.sql(
            "CREATE TABLE source WITH RECURSIVE n (id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM n WHERE id < 900) \
             SELECT a.id * 1000 + b.id AS id, SHA2(a.id * 1000 + b.id, 256) AS name FROM n a JOIN n b ON b.id <= 300",
        );
        let sums = "SELECT COUNT(*), SUM(id), BIT_XOR(CRC32(name)) FROM ";
        let want = place.sql(&format!("{sums} source"));
        for format in ["parquet", "arrow"] {
            let done = export(place, &server, &format!("source --to {format} --format {format}"));
            assert_eq!(done.code, 0, "{done}");
            let name = format!("source.{format}");
            let bytes = std::fs::read(place.path(&format!("{format}/{name}"))).unwrap();
            assert!(bytes.len() > 4 << 20, "{} bytes", bytes.len());
            server.put(&format!("/data/{name}"), bytes);
            server.set_policy(|request| match request.nth % 5 {
                3 => Act::Cut(10_000),
                _ => Act::Answer,
            });
            let before = server.requests().len();
            let done = load(place, &server, &format!("s3://data/{name} --into people --truncate"));
            assert_eq!((done.code, place.sql(&format!("{sums} people"))), (0, want.clone()), "{format}: {done}");
            let requests = server.requests().split_off(before);
            assert!(requests.iter().all(|request| request.headers.contains_key("range")), "{requests:?}");
            assert!(requests.len() < 60, "{} requests", requests.len());
        }
    });
}

#[test]
fn a_load_in_part_continues_with_the_same_object_alone() {
    on(one(), "object_resume", |place| {
        place.sql(TABLE);
        let server = ObjectServer::start();
        let text = csv(100_000);
        server.put("/data/people.csv", text.clone());
        let args = "s3://data/people.csv --into people --batch 5000 --lanes 1";
        // Bad rows end the first run in its midst.
        place.sql("ALTER TABLE people ADD CHECK (id <> 70000)");
        let stopped = load(place, &server, args);
        assert_eq!(stopped.code, 2, "{stopped}");
        let n: u32 = place.sql("SELECT COUNT(*) FROM people").parse().unwrap();
        assert!(n > 0 && n < 100_000, "{stopped}");
        server.put("/data/people.csv", [&text[..], b"100001,new\n"].concat());
        let other = go_on(place, &server, args);
        assert_eq!(other.code, 5, "{other}");
        other.says("is loaded in part, and was written to since: its ETag or its size is another one");
        server.put("/data/people.csv", text.clone());
        let again = go_on(place, &server, &format!("{args} --bad-rows skip"));
        assert_eq!((again.code, &place.sql("SELECT COUNT(*) FROM people")[..]), (4, "99999"), "{again}");
    });
}

#[test]
fn a_server_that_is_silent_does_not_keep_a_load_from_stopping() {
    on(one(), "object_stall", |place| {
        place.sql(TABLE);
        let server = ObjectServer::start();
        server.put("/data/people.csv", csv(200_000));
        for (stalls, is_open) in [("bytes=0-", false), ("bytes=5636096-", true)] {
            server.set_policy(move |request| match request.headers.get("range") {
                Some(range) if range.starts_with(stalls) => Act::Stall(1000),
                _ => Act::Answer,
            });
            let before = server.requests().len();
            let load = Running::spawn(place, command(place, &server, "s3://data/people.csv --into people"));
            await_true("the request", || {
                let requests = server.requests().split_off(before);
                requests
                    .iter()
                    .any(|request| request.headers.get("range").is_some_and(|range| range.starts_with(stalls)))
            });
            if is_open {
                await_true("rows in the table", || place.sql("SELECT COUNT(*) > 0 FROM people") == "1");
            }
            load.signal("INT");
            let done = load.end();
            // Before its files are open the signal itself ends it.
            assert_eq!(done.code, if is_open { 130 } else { -1 }, "{stalls}: {done}");
            place.forget();
        }
    });
}

fn export(place: &Place, server: &ObjectServer, arguments: &str) -> Done {
    let mut export = Command::new(env!("CARGO_BIN_EXE_inrush"));
    export.arg("export").args(arguments.split_whitespace()).args(["-q", "-u", &place.server.user]);
    export.args(["-D", place.schema.name(), "-S"]).arg(&place.server.socket).current_dir(place.folder.path());
    export.env("HOME", place.folder.path()).env("INRUSH_PASSWORD", &place.server.password);
    export.envs([("AWS_ENDPOINT_URL", &server.url()[..]), ("AWS_ACCESS_KEY_ID", "id"), ("AWS_REGION", "us-east-1")]);
    let done = place.done(&export.env("AWS_SECRET_ACCESS_KEY", "very-secret").output().unwrap());
    assert!(!format!("{}{}", done.stdout, done.stderr).contains("very-secret"), "{done}");
    done
}

/// Two tables: one small, one of 20 MB as CSV, which is more than a part of an upload.
fn two_tables(place: &Place) {
    place.sql("CREATE TABLE few (id INT PRIMARY KEY, name VARCHAR(100)); INSERT INTO few VALUES (1, 'Ann'), (2, NULL)");
    place.sql("CREATE TABLE many (id INT, name VARCHAR(100))");
    place.sql(
        "INSERT INTO many WITH RECURSIVE n (id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM n WHERE id < 900) \
         SELECT a.id * 1000 + b.id, SHA2(a.id * 1000 + b.id, 256) FROM n a JOIN n b ON b.id <= 300",
    );
}

#[test]
fn an_export_into_a_store_loads_back() {
    everywhere("object_export", |place| {
        two_tables(place);
        let sums = "SELECT COUNT(*), SUM(id), BIT_XOR(CRC32(name)) FROM";
        let want = place.sql(&format!("{sums} many"));
        for (format, options) in [("csv", "--null \\N"), ("parquet", "")] {
            let server = ObjectServer::start();
            server.put("/data/other/x", b"x".to_vec());
            // A store is busy now and then.
            server.set_policy(|request| match (&request.method[..], request.nth) {
                ("PUT", 0) => Act::Fail(503, "<Error><Code>SlowDown</Code></Error>".into()),
                _ => Act::Answer,
            });
            let done = export(place, &server, &format!("few many --to s3://data/day --format {format} --lanes 1"));
            assert_eq!(done.code, 0, "{done}");
            let names = [format!("few.{format}"), "manifest.json".into(), format!("many.{format}")];
            let names = names.map(|name| format!("/data/day/{name}"));
            assert_eq!(server.paths(), [&names[..], &["/data/other/x".to_owned()]].concat());
            assert_eq!(server.open_uploads(), 0);
            // What is written is written under a claim, which is deleted then: a request of the whole bucket.
            let written =
                server.requests().into_iter().filter(|request| request.method != "GET" && request.path != "/data");
            let written: Vec<String> = written.map(|request| request.path).collect();
            assert_eq!(written.last().unwrap(), "/data/day/manifest.json");
            assert!(written.contains(&"/data/day/.inrush-writing".to_owned()), "{written:?}");
            place.sql("CREATE TABLE again (id INT, name VARCHAR(100))");
            let done = load(place, &server, &format!("s3://data/day/many.{format} --into again {options}"));
            assert_eq!((done.code, place.sql(&format!("{sums} again; DROP TABLE again"))), (0, want.clone()), "{done}");
            // The folder itself, by its manifest.
            place.sql("DROP TABLE few, many");
            let done = load(place, &server, "s3://data/day/");
            assert_eq!((done.code, place.sql(&format!("{sums} many"))), (0, want.clone()), "{done}");
            let again = export(place, &server, "few --to s3://data/day/");
            assert_eq!(again.code, 1, "{again}");
            again.says("`s3://data/day/` is not empty: it holds `s3://data/day/few.");
        }
    });
}

#[test]
fn an_export_that_fails_leaves_nothing_in_the_store() {
    on(one(), "object_export_fails", |place| {
        two_tables(place);
        let denied = || Act::Fail(403, "<Error><Code>AccessDenied</Code></Error>".into());
        type Fails = fn(&inrush_testkit::object_server::Request) -> bool;
        let cases: [(&str, Fails); 5] = [
            ("a list", |request| request.query.contains("list-type")),
            ("the second part", |request| request.query.contains("partNumber=2")),
            ("a completion", |request| request.method == "POST" && request.query.contains("uploadId")),
            ("the beginning of an upload", |request| request.method == "POST" && request.query.starts_with("uploads")),
            ("the manifest", |request| request.method == "PUT" && request.path.ends_with("manifest.json")),
        ];
        for (what, fails) in cases {
            let server = ObjectServer::start();
            server.put("/data/other/x", b"x".to_vec());
            server.set_policy(move |request| if fails(request) { denied() } else { Act::Answer });
            let done = export(place, &server, "few many --to s3://data/day --format csv");
            assert_ne!(done.code, 0, "{what}: {done}");
            done.says("access is denied (AccessDenied)");
            assert_eq!(
                (server.paths(), server.open_uploads()),
                (vec!["/data/other/x".to_owned()], 0),
                "{what}: {done}"
            );
        }
        let server = ObjectServer::start();
        let done = export(place, &server, &format!("few --to {}/day", server.url()));
        assert_eq!(done.code, 1, "{done}");
        done.says("is on an HTTP server, which is only read");
    });
}

#[test]
fn bad_rows_that_a_store_refuses_stay_in_the_ledger() {
    on(one(), "object_divert", |place| {
        place.sql("CREATE TABLE few (id INT PRIMARY KEY)");
        place.write("few.csv", "id\n1\nx\n3\n");
        let server = ObjectServer::start();
        server.put("/data/other", b"x".to_vec());
        let arguments = "few.csv --into few --bad-rows divert:s3://data/bad.csv";
        for path in ["/data/bad.csv", "/data/bad.csv.log"] {
            server.set_policy(move |request| match &request.method[..] {
                "PUT" if request.path == path => Act::Fail(403, "<Error><Code>AccessDenied</Code></Error>".into()),
                _ => Act::Answer,
            });
            let refused = go_on(place, &server, arguments);
            assert_ne!(refused.code, 0, "{path}: {refused}");
            refused.says(&format!("cannot write `s3:/{path}`: access is denied (AccessDenied)"));
            assert_eq!(place.sql("SELECT COUNT(*) FROM few"), "2");
        }
        // The same command puts them there, over what the run before has left.
        server.set_policy(|_| Act::Answer);
        let done = go_on(place, &server, arguments);
        assert_eq!((done.code, done.rows()), (4, Some(Rows::rejecting(2, 1))), "{done}");
        assert_eq!(server.get("/data/bad.csv").unwrap(), b"id\nx\n");
        assert!(server.get("/data/bad.csv.log").unwrap().starts_with(b"few.csv\t3\tid\t"));
        assert_eq!(place.sql("SELECT COUNT(*) FROM few"), "2");
        for (to, says) in [
            (format!("{}/bad.csv", server.url()), "an HTTP server is only read"),
            ("s3://data/folder/".into(), "it is the address of a folder"),
            ("s3://data".into(), "it is the address of a folder"),
        ] {
            let done = load(place, &server, &format!("few.csv --into few --bad-rows divert:{to}"));
            assert_eq!(done.code, 1, "{done}");
            done.says(says);
        }
        let arguments = "few.csv --into few --guarantee at-least-once --bad-rows divert:s3://data/other.csv";
        let done = load(place, &server, arguments);
        assert_eq!(done.code, 1, "{done}");
        done.says("without a ledger no bad rows are written to `s3://data/other.csv`");
    });
}
