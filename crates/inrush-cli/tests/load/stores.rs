//! Object stores by their real protocols: moto (S3), Azurite (Azure), fake-gcs-server (Google), as `scripts/stores` starts them.
//!
//! What these servers never do is in [`crate::objects`], against a server whose faults are scripted.

use crate::place::{Done, Place, Rows, on};
use crate::stopped::{Running, Session, await_true};
use inrush_testkit::proxy::fates::{Fate, FateRelay};
use inrush_testkit::proxy::throttle::{Pieces, SlowRelay};
use inrush_testkit::servers::{Server, spread};
use inrush_testkit::stores::{self, Bucket, Protocol};
use std::io::Write as _;
use std::process::{Command, Stdio};
use std::time::Duration;

/// One server: what differs here is the store.
fn one() -> Vec<Server> {
    spread(3).into_iter().take(1).collect()
}

/// Runs it once for each of these protocols, each in a bucket of its own.
#[track_caller]
fn with_each(protocols: &[Protocol], label: &str, test: impl Fn(&Place, &Bucket) + Sync) {
    let test = &test;
    std::thread::scope(|scope| {
        for &protocol in protocols {
            scope.spawn(move || on(one(), label, |place| test(place, &Bucket::new(protocol))));
        }
    });
}

/// `inrush VERB ARGUMENTS` with these settings.
fn run(place: &Place, settings: &[(&'static str, String)], verb: &str, arguments: &[&str]) -> Done {
    let mut command = command(place, settings, verb, arguments);
    if verb == "load" {
        command.args(["--json", "-q"]);
    }
    let done = place.done(&command.output().unwrap());
    for secret in settings.iter().filter(|(name, _)| ["SECRET", "KEY", "TOKEN"].iter().any(|part| name.contains(part)))
    {
        let shown = secret.1.len() > 8 && format!("{}{}", done.stdout, done.stderr).contains(&secret.1);
        assert!(!shown, "{} is shown: {done}", secret.0);
    }
    done
}

fn command(place: &Place, settings: &[(&'static str, String)], verb: &str, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_inrush"));
    command.arg(verb).args(arguments).current_dir(place.folder.path()).envs(settings.iter().cloned());
    command.arg("-S").arg(&place.server.socket).args(["-u", &place.server.user, "-D", place.schema.name()]);
    command.env("INRUSH_PASSWORD", &place.server.password).env("HOME", place.folder.path()).env_remove("INRUSH_URL");
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// A load that finds nothing of earlier ones.
#[track_caller]
fn load(place: &Place, bucket: &Bucket, arguments: &[&str]) -> Done {
    place.forget();
    run(place, &bucket.settings(), "load", arguments)
}

/// Numbered rows, of some 200 bytes each.
fn csv(n: u32) -> Vec<u8> {
    let mut text = b"id,name\n".to_vec();
    for id in 1..=n {
        writeln!(text, "{id},{:0190}", id * 7).unwrap();
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

const TABLE: &str = "CREATE TABLE people (id INT PRIMARY KEY, name VARCHAR(200))";

const SUM: &str = "SELECT COUNT(*), SUM(id) FROM people";

/// A load of 12 MB takes eighteen seconds at least: whatever is done once it has stored rows is done while it runs.
const SLOWLY: Pieces = Pieces { bytes: 64 << 10, pause: Duration::from_millis(100) };

/// A key that must be escaped in a URL, in XML and in a signature.
const ODD: &str = "in/a b+c%20&é'ü.csv";

/// Puts files there, and loads each: whole files, members, folders, patterns.
fn loads_everything(place: &Place, bucket: &Bucket) {
    place.sql(TABLE);
    let text = csv(20_000);
    bucket.put("in/people.csv", &text);
    bucket.put("zipped/people.csv.gz", &gzip(&text));
    bucket.put("zipped/people.zip", &zip("x/people.csv", &text));
    bucket.put("zipped/people.parquet", &parquet(place));
    bucket.put(ODD, b"id,name\n30001,x\n");
    bucket.put("in/deep/more.csv", b"id,name\n30002,x\n");
    bucket.put("in/.hidden.csv", b"id,name\n30003,x\n");
    for (key, holds) in [
        ("in/people.csv", "20000,200010000"),
        (ODD, "1,30001"),
        ("zipped/people.csv.gz", "20000,200010000"),
        ("zipped/people.zip", "20000,200010000"),
        ("zipped/people.zip#x/people.csv", "20000,200010000"),
        ("zipped/people.parquet", "3,6"),
        ("in/", "20001,200040001"),
        ("in/*/m*.csv", "1,30002"),
        ("i*/[a-b]*.csv", "1,30001"),
    ] {
        let done = load(place, bucket, &[&bucket.address(key), "--into", "people", "--truncate"]);
        assert_eq!((done.code, &place.sql(SUM)[..]), (0, holds), "{key}: {done}");
    }
    for (key, says) in [("in/none.csv", "there is no such object"), ("none/", "no object is named like")] {
        let done = load(place, bucket, &[&bucket.address(key), "--into", "people"]);
        assert_eq!(done.code, 1, "{done}");
        done.says(says);
    }
    let other = bucket.address("x.csv").replace(bucket.name(), "no-such-bucket");
    let done = load(place, bucket, &[&other, "--into", "people"]);
    assert_eq!(done.code, 1, "{done}");
    done.says(if bucket.names_missing_buckets() {
        "there is no bucket `no-such-bucket`"
    } else {
        "there is no such object"
    });
}

/// Rows 1 to 3 as Parquet, which the command itself writes.
fn parquet(place: &Place) -> Vec<u8> {
    let query = "SELECT id, 'Ann' AS name FROM (SELECT 1 AS id UNION ALL SELECT 2 UNION ALL SELECT 3) AS n";
    let done = run(place, &[], "export", &["--query", query, "--to", "few", "-q"]);
    assert_eq!(done.code, 0, "{done}");
    std::fs::read(place.path("few/query.parquet")).unwrap()
}

#[test]
fn each_store_is_read() {
    let mut protocols = Protocol::WRITTEN.to_vec();
    // fake-gcs-server is built for minutes: `make test-stores` alone has it.
    if std::env::var_os("INRUSH_TEST_GOOGLE").is_some() {
        protocols.push(Protocol::Google);
    }
    with_each(&protocols, "stores_read", loads_everything);
}

/// Two tables: one small, one of 60,000 rows and 20 MB as CSV, which is more than a part of an upload.
fn two_tables(place: &Place) {
    place.sql("CREATE TABLE few (id INT PRIMARY KEY, name VARCHAR(100)); INSERT INTO few VALUES (1, 'Ann'), (2, NULL)");
    place.sql("CREATE TABLE many (id INT PRIMARY KEY, name VARCHAR(400))");
    place.sql(
        "INSERT INTO many WITH RECURSIVE n (id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM n WHERE id < 600) \
         SELECT a.id * 1000 + b.id, REPEAT(SHA2(a.id * 1000 + b.id, 256), 5) FROM n a JOIN n b ON b.id <= 100",
    );
}

#[test]
fn an_export_to_each_store_is_verified_and_loads_back() {
    with_each(&Protocol::WRITTEN, "stores_export", |place, bucket| {
        two_tables(place);
        let sums = "SELECT COUNT(*), SUM(id), BIT_XOR(CRC32(name)) FROM many; SELECT COUNT(*) FROM few";
        let want = place.sql(sums);
        let settings = bucket.settings();
        for (folder, options) in [
            ("out/one day", &["--format", "csv", "--lanes", "1"][..]),
            ("out/split", &["--split", "1MiB", "--format", "csv", "--compress", "gzip"]),
            ("out/parquet", &["--format", "parquet"]),
        ] {
            let to = bucket.address(folder);
            let done = run(place, &settings, "export", &[&["few", "many", "--to", &to, "-q"], options].concat());
            assert_eq!((done.code, bucket.open_uploads()), (0, 0), "{folder}: {done}");
            let keys: Vec<_> = bucket.keys().into_iter().filter(|key| key.starts_with(folder)).collect();
            assert!(keys.contains(&format!("{folder}/manifest.json")), "{keys:?}");
            let from = bucket.address(&format!("{folder}/"));
            let verified = run(place, &settings, "verify", &[&from]);
            assert_eq!(verified.code, 0, "{folder}: {verified}");
            place.sql("DROP TABLE few, many");
            let loaded = load(place, bucket, &[&from]);
            assert_eq!((loaded.code, place.sql(sums)), (0, want.clone()), "{folder}: {loaded}");
            place.sql("UPDATE many SET name = 'other' WHERE id = 1001");
            let verified = run(place, &settings, "verify", &[&from]);
            assert_eq!(verified.code, 2, "{folder}: {verified}");
            place.sql("UPDATE many SET name = REPEAT(SHA2(1001, 256), 5) WHERE id = 1001");
            let again = run(place, &settings, "export", &["few", "--to", &to, "-q"]);
            assert_eq!(again.code, 1, "{again}");
            again.says("is not empty: it holds");
        }
    });
}

#[test]
fn of_two_exports_into_one_folder_one_fails() {
    with_each(&[Protocol::S3, Protocol::Azure], "stores_twice", |place, bucket| {
        two_tables(place);
        let to = bucket.address("same");
        let runs: Vec<_> = (0..2)
            .map(|_| {
                let mut command =
                    command(place, &bucket.settings(), "export", &["many", "--to", &to, "-q", "--format", "csv"]);
                command.spawn().unwrap()
            })
            .collect();
        let outputs: Vec<_> = runs.into_iter().map(|run| run.wait_with_output().unwrap()).collect();
        let codes: Vec<_> = outputs.iter().map(|output| output.status.code()).collect();
        // The other one comes too late, or meets the first one's claim.
        assert!(codes.contains(&Some(0)) && codes.contains(&Some(1)), "{outputs:?}");
        assert_eq!(bucket.open_uploads(), 0);
        let keys = bucket.keys();
        assert!(keys.contains(&"same/manifest.json".to_owned()), "{keys:?}");
        assert!(!keys.iter().any(|key| key.ends_with(".inrush-writing")), "{keys:?}");
        // All of its files are there: the other one has neither written over them nor deleted them.
        place.sql("CREATE TABLE again LIKE many");
        let loaded = run(place, &bucket.settings(), "load", &[&format!("{to}/"), "--into", "again"]);
        assert_eq!(
            (loaded.code, place.sql("SELECT COUNT(*) FROM again")),
            (0, place.sql("SELECT COUNT(*) FROM many")),
            "{loaded}"
        );
    });
}

#[test]
fn what_the_network_does_to_each_store_changes_nothing() {
    type Of = fn(u64) -> Fate;
    let fates: [(&str, Of); 3] = [
        ("503", |n| if n % 3 == 0 { Fate::Busy } else { Fate::Pass }),
        ("cut", |n| if n % 2 == 0 { Fate::CutAfter(3 << 20) } else { Fate::Pass }),
        ("cut early", |n| if n % 3 == 0 { Fate::CutAfter(0) } else { Fate::Pass }),
    ];
    with_each(&Protocol::WRITTEN, "stores_network", |place, bucket| {
        place.sql(TABLE);
        bucket.put("people.csv", &csv(60_000));
        for (what, of) in fates {
            let relay = FateRelay::start(bucket.port(), of);
            place.forget();
            let settings = bucket.settings_through(relay.port());
            let from = bucket.address("people.csv");
            let done = run(place, &settings, "load", &[&from, "--into", "people", "--truncate"]);
            assert_eq!((done.code, done.rows()), (0, Some(Rows::stored(60_000))), "{what}: {done}");
            assert!(relay.n_connections() > 1, "{what}: {} connections", relay.n_connections());
            let to = bucket.address(&format!("out {what}"));
            let done = run(place, &settings, "export", &["people", "--to", &to, "-q", "--format", "csv"]);
            assert_eq!(done.code, 0, "{what}: {done}");
            // Only the answer that is lost names an upload that has begun, so that it stays, as that of a killed process.
            assert!(what == "cut early" || bucket.open_uploads() == 0, "{what}: {done}");
            let done = run(place, &bucket.settings(), "verify", &[&format!("{to}/")]);
            assert_eq!(done.code, 0, "{what}: {done}");
        }
        let relay = SlowRelay::start(bucket.port(), Pieces { bytes: 64 << 10, pause: Duration::from_millis(2) });
        place.forget();
        let settings = bucket.settings_through(relay.port());
        let done = run(place, &settings, "load", &[&bucket.address("people.csv"), "--into", "people", "--truncate"]);
        assert_eq!((done.code, done.rows()), (0, Some(Rows::stored(60_000))), "slow: {done}");
    });
}

#[test]
fn a_store_that_falls_silent_is_requested_again() {
    with_each(&[Protocol::S3], "stores_silent", |place, bucket| {
        place.sql(TABLE);
        bucket.put("people.csv", &csv(60_000));
        let relay = FateRelay::start(bucket.port(), |n| if n == 1 { Fate::StallAfter(100_000) } else { Fate::Pass });
        let settings = bucket.settings_through(relay.port());
        let done = run(place, &settings, "load", &[&bucket.address("people.csv"), "--into", "people"]);
        assert_eq!((done.code, done.rows()), (0, Some(Rows::stored(60_000))), "{done}");
        assert!(relay.n_connections() > 2);
    });
}

#[test]
fn an_export_that_is_killed_leaves_no_object() {
    with_each(&Protocol::WRITTEN, "stores_killed", |place, bucket| {
        two_tables(place);
        let to = bucket.address("out");
        // The last row comes when nobody else has the lock, whose name is of the row: otherwise it would be taken before the first one.
        let lock = place.schema.name();
        let last = format!("id < 600100 OR GET_LOCK(CONCAT('{lock}', LEFT(id, 0)), 1000) = 1");
        let arguments = ["many", "--to", &to, "-q", "--format", "csv", "--lanes", "1", "--where", &last];
        let holder = Session::open(place, &format!("DO GET_LOCK('{lock}', 1000)"));
        let mut export = command(place, &bucket.settings(), "export", &arguments);
        // At a rate rows are written a few thousand at a time.
        let mut export = export.args(["--rate", "20k"]).spawn().unwrap();
        await_true("a part of the file", || bucket.has_parts());
        export.kill().unwrap();
        export.wait().unwrap();
        drop(holder);
        assert_eq!(bucket.keys(), Vec::<String>::new());
        // The parts stay, invisible, and do not keep the same command from working.
        let done = run(place, &bucket.settings(), "export", &arguments);
        assert_eq!((done.code, bucket.keys()), (0, vec!["out/manifest.json".into(), "out/many.csv".into()]), "{done}");
    });
}

#[test]
fn an_export_that_fails_half_way_leaves_neither_object_nor_upload() {
    with_each(&Protocol::WRITTEN, "stores_fails", |place, bucket| {
        two_tables(place);
        // The table ends with a day that no calendar has, which ends the export when parts have been sent.
        place.sql("SET sql_mode = ''; ALTER TABLE many ADD d DATE; UPDATE many SET d = '0000-00-00' WHERE id > 600000");
        let to = bucket.address("out");
        let arguments = ["many", "--to", &to, "-q", "--format", "csv", "--lanes", "1"];
        let done = run(place, &bucket.settings(), "export", &arguments);
        assert_ne!(done.code, 0, "{done}");
        assert_eq!((bucket.keys(), bucket.open_uploads()), (Vec::<String>::new(), 0), "{done}");
    });
}

#[test]
fn a_killed_load_continues_with_the_same_object_alone() {
    with_each(&[Protocol::S3, Protocol::Azure], "stores_resume", |place, bucket| {
        place.sql(TABLE);
        let text = csv(60_000);
        bucket.put("people.csv", &text);
        let slow = SlowRelay::start(bucket.port(), SLOWLY);
        let from = bucket.address("people.csv");
        let arguments = [&from[..], "--into", "people", "--batch", "5000", "--lanes", "1"];
        let mut killed = command(place, &bucket.settings_through(slow.port()), "load", &arguments).spawn().unwrap();
        await_true("rows in the table", || place.sql("SELECT COUNT(*) > 0 FROM people") == "1");
        killed.kill().unwrap();
        killed.wait().unwrap();
        let n: u32 = place.sql("SELECT COUNT(*) FROM people").parse().unwrap();
        assert!(n < 60_000, "it was killed too late");
        bucket.put("people.csv", &[&text[..], b"60001,new\n"].concat());
        let other = run(place, &bucket.settings(), "load", &arguments);
        assert_eq!(other.code, 5, "{other}");
        other.says("was written to since: its ETag or its size is another one");
        if bucket.is_of_azure() {
            // Each writing has an ETag of its own there: rows of a part can only be taken for those of another object.
            return;
        }
        bucket.put("people.csv", &text);
        let again = run(place, &bucket.settings(), "load", &arguments);
        assert_eq!((again.code, &place.sql(SUM)[..]), (0, "60000,1800030000"), "{again}");
        let third = run(place, &bucket.settings(), "load", &arguments);
        assert_eq!((third.code, &place.sql(SUM)[..]), (0, "60000,1800030000"), "{third}");
    });
}

#[test]
fn an_object_that_is_written_to_during_a_load_is_noticed() {
    with_each(&[Protocol::S3, Protocol::Azure], "stores_changes", |place, bucket| {
        place.sql(TABLE);
        let text = csv(350_000);
        bucket.put("people.csv", &text);
        let slow = SlowRelay::start(bucket.port(), SLOWLY);
        let from = bucket.address("people.csv");
        let mut load = command(place, &bucket.settings_through(slow.port()), "load", &[&from, "--into", "people"]);
        load.args(["--batch", "5000"]);
        let running = Running::spawn(place, load);
        await_true("rows in the table", || place.sql("SELECT COUNT(*) > 0 FROM people") == "1");
        let mut other = text;
        other.reverse();
        bucket.put("people.csv", &other);
        slow.pass_in(Pieces { bytes: 64 << 10, pause: Duration::ZERO });
        let done = running.end();
        assert_eq!(done.code, 2, "{done}");
        done.says("was written to while it was loaded: its ETag is another one");
    });
}

#[test]
fn signatures_are_those_of_s3() {
    on(one(), "stores_signed", |place| {
        two_tables(place);
        place.sql(TABLE);
        let signed = &stores::all().signed_s3;
        // The bucket is that of all tests.
        // A blank in the prefix of a list is left out here: moto takes the `+` that stands for it in a query for a `+`.
        let folder = format!("s3://{}/{}/a+c%20é", signed.bucket, place.schema.name());
        let settings = |id: &str, secret: &str, token: &str| {
            let mut all = vec![("AWS_ENDPOINT_URL", signed.url.clone()), ("AWS_REGION", "us-east-1".into())];
            all.extend([("AWS_ACCESS_KEY_ID", id.to_owned()), ("AWS_SECRET_ACCESS_KEY", secret.to_owned())]);
            all.extend((!token.is_empty()).then(|| ("AWS_SESSION_TOKEN", token.to_owned())));
            all
        };
        let own = settings(&signed.key_id, &signed.secret, "");
        for (name, format) in [("csv", "csv"), ("parquet&", "parquet")] {
            let to = format!("{folder}/{name}");
            let done = run(place, &own, "export", &["few", "many", "--to", &to, "--format", format, "-q"]);
            assert_eq!(done.code, 0, "{done}");
            let from = format!("{to}/");
            let done = run(place, &own, "verify", &[&from]);
            assert_eq!(done.code, 0, "{done}");
        }
        // Without a region it is Amazon's first one.
        let first: Vec<_> = own.iter().filter(|(name, _)| *name != "AWS_REGION").cloned().collect();
        let done = run(place, &first, "verify", &[&format!("{folder}/csv/")]);
        assert_eq!(done.code, 0, "{done}");
        let from = format!("{folder}/csv/few.csv");
        let denied = |settings: &[(&'static str, String)], says: &str| {
            for (verb, arguments) in
                [("load", &[&from[..], "--into", "people"][..]), ("export", &["few", "--to", "s3://data/other", "-q"])]
            {
                let done = run(place, settings, verb, arguments);
                assert_eq!(done.code, 1, "{done}");
                done.says(if verb == "load" { says } else { "AWS_ACCESS_KEY_ID" });
            }
        };
        denied(&settings(&signed.key_id, "very-wrong-secret", ""), "refuses the credentials (SignatureDoesNotMatch)");
        denied(&settings("AKIAWRONGWRONGWRONG", &signed.secret, ""), "refuses the credentials (InvalidAccessKeyId)");
        denied(&settings(&signed.key_id, &signed.secret, "wrong-token"), "refuses the credentials (InvalidToken)");
    });
}

#[test]
fn tokens_and_keys_of_azure_are_checked() {
    with_each(&[Protocol::Azure], "stores_azure", |place, bucket| {
        place.sql(TABLE);
        bucket.put(ODD, b"id,name\n1,x\n");
        let azure = &stores::all().azure;
        let from = bucket.address(ODD);
        let settings = |name: &'static str, value: &str| {
            let mut all = bucket.settings();
            all.truncate(2);
            all.push((name, value.to_owned()));
            all
        };
        let run = |settings: &[(&'static str, String)], verb: &str| {
            place.forget();
            match verb {
                "load" => run(place, settings, verb, &[&from, "--into", "people", "--truncate"]),
                _ => run(place, settings, verb, &["people", "--to", &bucket.address("out"), "-q"]),
            }
        };
        for verb in ["load", "export"] {
            let done = run(&settings("AZURE_STORAGE_SAS_TOKEN", &azure.sas), verb);
            assert_eq!(done.code, 0, "{done}");
            let done = run(&settings("AZURE_STORAGE_SAS_TOKEN", &azure.expired_sas), verb);
            assert_eq!(done.code, 1, "{done}");
            done.says("the credentials have expired");
            done.says("renew AZURE_STORAGE_SAS_TOKEN");
            let done = run(&settings("AZURE_STORAGE_ACCOUNT_KEY", "d3Jvbmctd3Jvbmctd3Jvbmc="), verb);
            assert_eq!(done.code, 1, "{done}");
            done.says("access is denied");
            done.says("AZURE_STORAGE_ACCOUNT_KEY");
        }
    });
}

#[test]
fn bad_rows_are_diverted_into_each_store() {
    with_each(&Protocol::WRITTEN, "stores_divert", |place, bucket| {
        place.sql(TABLE);
        place.write("people.csv", "id,name\n1,Ann\nx,Bob\n3,Cid\ny,Dan\n");
        let to = bucket.address("bad/rejected rows.csv");
        let divert = format!("divert:{to}");
        let arguments = ["people.csv", "--into", "people", "--bad-rows", &divert];
        let done = load(place, bucket, &arguments);
        assert_eq!((done.code, done.rows()), (4, Some(Rows::rejecting(2, 2))), "{done}");
        let text = |key: &str| bucket.get(key).map(|bytes| String::from_utf8(bytes).unwrap());
        assert_eq!(text("bad/rejected rows.csv").unwrap(), "id,name\nx,Bob\ny,Dan\n");
        let log = text("bad/rejected rows.csv.log").unwrap();
        let lines: Vec<_> = log.lines().map(|line| line.split('\t').take(3).collect::<Vec<_>>()).collect();
        assert_eq!(lines, [["people.csv", "3", "id"], ["people.csv", "5", "id"]], "{log}");
        // Another load writes over nothing.
        let again = load(place, bucket, &[&arguments[..], &["--truncate"]].concat());
        assert_eq!(again.code, 1, "{again}");
        again.says("rejected rows.csv` exists: it may hold rows of an earlier load");
        // A load without bad rows leaves no object.
        place.write("good.csv", "id,name\n7,Eve\n");
        let none = format!("divert:{}", bucket.address("none.csv"));
        let good = load(place, bucket, &["good.csv", "--into", "people", "--bad-rows", &none]);
        assert_eq!((good.code, text("none.csv")), (0, None), "{good}");
        // Corrected, the object is loaded as it is.
        bucket.put("bad/rejected rows.csv", b"id,name\n2,Bob\n4,Dan\n");
        let corrected = load(place, bucket, &[&to, "--into", "people"]);
        assert_eq!((corrected.code, &place.sql(SUM)[..]), (0, "5,17"), "{corrected}");
    });
}

#[test]
fn rows_of_a_killed_load_are_in_the_store_once() {
    with_each(&[Protocol::S3, Protocol::Azure], "stores_divert_killed", |place, bucket| {
        place.sql(TABLE);
        let good = csv(60_000);
        let mut text = Vec::new();
        let mut bad = b"id,name\n".to_vec();
        for (number, line) in good.split_inclusive(|byte| *byte == b'\n').enumerate() {
            let is_bad = number > 0 && number % 1000 == 0;
            let line = if is_bad { [b"x", line].concat() } else { line.to_vec() };
            text.extend_from_slice(&line);
            if is_bad {
                bad.extend_from_slice(&line);
            }
        }
        bucket.put("people.csv", &text);
        let slow = SlowRelay::start(bucket.port(), SLOWLY);
        let divert = format!("divert:{}", bucket.address("bad.csv"));
        let from = bucket.address("people.csv");
        let arguments = [&from[..], "--into", "people", "--batch", "2000", "--lanes", "1", "--bad-rows", &divert];
        let mut killed = command(place, &bucket.settings_through(slow.port()), "load", &arguments).spawn().unwrap();
        await_true("rows in the table", || place.sql("SELECT COUNT(*) > 0 FROM people") == "1");
        killed.kill().unwrap();
        killed.wait().unwrap();
        assert_eq!(bucket.get("bad.csv"), None, "nothing appears before the end");
        let again = run(place, &bucket.settings(), "load", &arguments);
        assert_eq!((again.code, &place.sql("SELECT COUNT(*) FROM people")[..]), (4, "59940"), "{again}");
        assert!(bucket.get("bad.csv").unwrap() == bad, "each bad row is in the object once, in order");
    });
}
