//! `--mask` of export and load: equal results in both, nothing without its mask in anything that is written or shown, and what is refused.

use crate::place::{Done, Place, Rows, everywhere};
use std::process::{Command, Stdio};

/// Part of every value that must not be seen.
const SECRET: &str = "geheim";
const MASKS: &str =
    "--mask email=email,name=name,card=card,born=year,note=keep-last-2,id=number --mask-key-file mask.key";
const COLUMNS: &str =
    "id INT PRIMARY KEY, email VARCHAR(60) UNIQUE, name VARCHAR(30), card CHAR(19), born DATE, note TEXT";
const ROWS: [&str; 3] = [
    "1,geheim.1@corp.test,Geheim Eins,4111 1111 1111 1111,1987-06-05,geheim eins",
    "2,geheim.2@corp.test,,5500005555555559,1990-12-31,",
    "30,geheim.3@corp.test,GEHEIM,4111111111111111,2001-02-03,x",
];

#[track_caller]
fn export(place: &Place, arguments: &str) -> Done {
    let mut command = Command::new(env!("CARGO_BIN_EXE_inrush"));
    command.arg("export").args(["--json", "-q", "--snapshot", "tables"]).current_dir(place.folder.path());
    command.arg("-S").arg(&place.server.socket).args(["-u", &place.server.user, "-D", place.schema.name()]);
    command.env("HOME", place.folder.path()).env_remove("INRUSH_URL").env("INRUSH_PASSWORD", &place.server.password);
    command.args(arguments.split_whitespace()).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    hides(place.done(&command.output().unwrap()))
}

#[track_caller]
fn load(place: &Place, arguments: &str) -> Done {
    hides(place.load(arguments))
}

/// Nothing of a secret, and nothing of the key, is in what a command said.
#[track_caller]
fn hides(done: Done) -> Done {
    let all = done.to_string().to_lowercase();
    assert!(
        !all.contains(SECRET) && !all.contains("4111111") && !all.contains("4111 1111") && !all.contains(KEY),
        "{done}"
    );
    done
}

const KEY: &str = "0123456789abcdef-key-of-tests";

fn prepare(place: &Place) {
    place.write("mask.key", format!("{KEY}\n"));
    place.write("rows.csv", format!("id,email,name,card,born,note\n{}\n", ROWS.join("\n")));
}

/// No file of the folder has a secret in it, but for those that are read.
#[track_caller]
fn check_files(place: &Place, folder: &str) {
    for entry in std::fs::read_dir(place.path(folder)).unwrap() {
        let path = entry.unwrap().path();
        if !path.is_file() || ["rows.csv", "odd.csv", "mask.key"].iter().any(|name| path.ends_with(name)) {
            continue;
        }
        let bytes = std::fs::read(&path).unwrap();
        let text = String::from_utf8_lossy(&bytes).to_lowercase();
        assert!(
            !text.contains(SECRET) && !text.contains("4111111") && !text.contains("4111 1111") && !text.contains(KEY),
            "{}: {text}",
            path.display()
        );
    }
}

#[test]
fn an_export_and_a_load_mask_alike() {
    everywhere("masks_alike", |place| {
        prepare(place);
        place.sql(&format!(
            "CREATE TABLE plain ({COLUMNS}); CREATE TABLE people LIKE plain; CREATE TABLE back LIKE plain"
        ));
        place.sql("CREATE TABLE orders (id INT PRIMARY KEY, email VARCHAR(40)); INSERT INTO orders VALUES (7, 'geheim.3@corp.test')");
        assert_eq!(place.load("rows.csv --into plain").rows(), Some(Rows::stored(3)));

        let done = load(place, &format!("rows.csv --into people {MASKS} --mask-strict --events events.jsonl"));
        assert_eq!((done.code, done.rows()), (0, Some(Rows::stored(3))), "{done}");
        let seen = place.sql(
            "SELECT name IS NULL, note, born, LENGTH(name), card LIKE '____ ____ ____ ____' FROM people ORDER BY born",
        );
        assert!(seen.contains("xxxxxxxxxns") && seen.contains("1987-01-01") && !seen.contains("06-05"), "{seen}");
        let stored = place.sql("SELECT * FROM people ORDER BY id");

        for (format, null) in [("csv", r"--null \N"), ("parquet", ""), ("arrow", ""), ("jsonl", "")] {
            let done = export(place, &format!("plain --to {format} --format {format} {MASKS} --mask-strict --lanes 2"));
            assert_eq!(done.code, 0, "{format}: {done}");
            place.sql("TRUNCATE back");
            let done = place.load(&format!("{format}/plain.1.{format} {format}/plain.2.{format} --into back {null}"));
            assert_eq!((done.code, done.rows()), (0, Some(Rows::stored(3))), "{format}: {done}");
            assert_eq!(place.sql("SELECT * FROM back ORDER BY id"), stored, "{format}");
            check_files(place, format);
        }
        check_files(place, ".");

        // A join over two tables, by the rules of a file.
        place.write("masks.toml", "'*mail' = 'email'\n[plain]\nid = 'number'\n");
        let done = export(
            place,
            "plain orders --to both --format jsonl --mask-file masks.toml --mask-key-file mask.key --columns id,email",
        );
        assert_eq!(done.code, 0, "{done}");
        place.sql("CREATE TABLE orders_back LIKE orders");
        assert_eq!(place.load("both/orders.*jsonl --into orders_back").code, 0);
        assert_eq!(place.sql("SELECT COUNT(*) FROM orders_back JOIN people USING (email)"), "1");
    });
}

#[test]
fn nothing_is_shown_of_bad_rows() {
    everywhere("masks_bad_rows", |place| {
        prepare(place);
        place.sql(&format!("CREATE TABLE people ({COLUMNS})"));
        let odd = [
            ROWS[0],
            "2,geheim.2@corp.test,Geheim,geheim,1990-12-31,geheim",
            "geheim,geheim.3@corp.test,Geheim,5500005555555559,1990-12-31,geheim",
            "4,geheim.4@corp.test,Geheim,5500005555555559,geheim,geheim",
            "5,geheim.5@corp.test,Geheim,5500005555555559,1990-12-31,geheim,geheim,geheim",
            // Of the same address as the first: a duplicate for the server.
            "6,geheim.1@corp.test,Geheim,5500005555555559,1990-12-31,geheim",
            "7,geheim.7@corp.test,Geheim,5500005555555559,1990-12-31,geheim",
        ];
        place.write("odd.csv", format!("id,email,name,card,born,note\n{}\n", odd.join("\n")));
        for sort in ["none", "key"] {
            place.sql("TRUNCATE people");
            for file in ["bad.csv", "bad.csv.log"] {
                let _ = std::fs::remove_file(place.path(file));
            }
            let done = load(
                place,
                &format!("odd.csv --into people {MASKS} --bad-rows divert:bad.csv --events events.jsonl --sort {sort}"),
            );
            assert_eq!((done.code, done.rows()), (4, Some(Rows::rejecting(2, 5))), "{sort}: {done}");
            check_files(place, ".");
            let bad = place.read("bad.csv");
            assert!(bad.starts_with("id,email,name,card,born,note\n") && bad.lines().count() == 6, "{bad}");
            let done = load(place, &format!("odd.csv --into people {MASKS} --again --sort {sort}"));
            assert_eq!(done.code, 2, "{done}");
            check_files(place, ".");
        }
    });
}

#[test]
fn a_load_goes_on_only_with_the_same_masks() {
    everywhere("masks_resumed", |place| {
        prepare(place);
        place.write("other.key", "another key of these tests");
        place.sql(&format!("CREATE TABLE people ({COLUMNS})"));
        place.write("odd.csv", format!("id,email,name,card,born,note\n{}\nx,geheim,,,,\n", ROWS.join("\n")));
        let done = load(place, &format!("odd.csv --into people {MASKS} --batch 1"));
        assert_eq!(done.code, 2, "{done}");
        for other in [
            "--mask email=hmac --mask-key-file mask.key".to_owned(),
            MASKS.replace("mask.key", "other.key"),
            String::new(),
        ] {
            let done = place.go_on(&format!("odd.csv --into people {other} --bad-rows skip --batch 1"));
            assert_eq!(done.code, 5, "{done}");
            done.says("masks was ");
        }
        let done = place.go_on(&format!("odd.csv --into people {MASKS} --bad-rows skip --batch 1"));
        assert_eq!(done.code, 4, "{done}");
        assert_eq!(place.sql("SELECT COUNT(*) FROM people"), "3");
    });
}

/// A generated column would show what is masked, also by way of another one.
#[test]
fn generated_columns_show_nothing() {
    everywhere("masks_generated", |place| {
        prepare(place);
        place.sql(
            "CREATE TABLE people (id INT PRIMARY KEY, Name VARCHAR(30), other INT, loud VARCHAR(40) AS (UPPER(Name)) STORED, \
             twice VARCHAR(90) AS (CONCAT(loud, loud)) VIRTUAL, next INT AS (other + 1) STORED); \
             INSERT INTO people (id, Name, other) VALUES (1, 'geheim', 1)",
        );
        let masks = "--mask name=name --mask-key-file mask.key";
        for columns in ["id,name,loud", "id,twice", "loud"] {
            let done = export(place, &format!("people --to out --columns {columns} {masks}"));
            assert_eq!((done.code, place.path("out").exists()), (1, false), "{columns}: {done}");
            done.says("is computed of `Name`, which is masked, and would show it");
        }
        for (at, arguments) in
            ["id,name,next", "id,twice --mask loud=hmac --mask twice=hmac", "id,next --mask next=keep"]
                .iter()
                .enumerate()
        {
            let done = export(place, &format!("people --to out{at} --format csv --columns {arguments} {masks}"));
            assert_eq!(done.code, 0, "{arguments}: {done}");
            check_files(place, &format!("out{at}"));
        }
        place.sql("CREATE VIEW seen AS SELECT * FROM people");
        let done = export(place, &format!("seen --to out {masks}"));
        assert_eq!(done.code, 1, "{done}");
        done.says("`--mask` is for tables");
    });
}

#[test]
fn values_that_become_equal_are_found() {
    everywhere("masks_unique", |place| {
        prepare(place);
        place.sql(&format!("CREATE TABLE people ({COLUMNS})"));
        place.load("rows.csv --into people");
        let done = export(place, "people --to out --mask email=keep-last-4 --mask-key-file mask.key");
        assert_eq!(done.code, 2, "{done}");
        done.says("the mask `keep-last-4` makes two values of the unique column `email` equal");
        assert!(!place.path("out/manifest.json").exists() && !place.path("out/people.parquet").exists());
        place.sql("TRUNCATE people");
        let done = load(place, "rows.csv --into people --mask email=fixed:x --mask-key-file mask.key");
        assert_eq!((done.code, place.sql("SELECT COUNT(*) FROM people").as_str()), (2, "0"), "{done}");
        let done = load(place, "rows.csv --into people --mode ignore --mask email=redact --mask-key-file mask.key");
        assert_eq!(done.code, 1, "{done}");
        done.says("the mask of `email` may make two values equal");
    });
}

#[test]
fn wrong_masks_change_nothing() {
    everywhere("masks_wrong", |place| {
        prepare(place);
        place.write("short.key", "short");
        place.write("masks.toml", "email = 3\n");
        place.sql(&format!("CREATE TABLE people ({COLUMNS})"));
        for (arguments, want) in [
            ("--mask email=hmac", "masks need a key"),
            ("--mask-key-file mask.key", "masks nothing by itself"),
            ("--mask email=hmac --mask-key-file gone.key", "cannot read the key of masks, `gone.key`"),
            ("--mask email=hmac --mask-key-file short.key", "at least 16 bytes"),
            ("--mask emial=hmac --mask-key-file mask.key", "did you mean `email`?"),
            ("--mask email=hmca --mask-key-file mask.key", "did you mean `hmac`?"),
            ("--mask id=year --mask-key-file mask.key", "does not fit the column `id`, INT"),
            ("--mask email=hmac,email=email --mask-key-file mask.key", "has two masks"),
            (
                "--mask email=hmac --mask-strict --mask-key-file mask.key",
                "no mask names `id`, `name`, `card`, `born`, `note`",
            ),
            ("--mask-file masks.toml --mask-key-file mask.key", "`masks.toml`: `email` is no rule"),
            ("--mask-file gone.toml --mask-key-file mask.key", "cannot read the rules of masks, `gone.toml`"),
        ] {
            for done in [
                load(place, &format!("rows.csv --into people {arguments}")),
                export(place, &format!("people --to out {arguments}")),
            ] {
                assert_eq!(done.code, 1, "{arguments}: {done}");
                done.says(want);
            }
            assert!(!place.path("out").exists(), "{arguments}");
        }
        let done = load(place, &format!("rows.csv --into new --create-table {MASKS}"));
        assert_eq!(done.code, 1, "{done}");
        assert_eq!(place.sql("SELECT COUNT(*) FROM people"), "0");
    });
}
