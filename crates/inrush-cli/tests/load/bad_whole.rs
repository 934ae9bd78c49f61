//! Errors before the first row: the file, the table, the mapping, the server, the options. No row is sent.

use crate::case::{CASE, Case, check_all};
use crate::place::{Place, Rows, everywhere};
use inrush_testkit::closed_port::ClosedPort;
use std::io::Write as _;
use std::net::TcpListener;

#[test]
fn every_kind_of_bad_whole() {
    everywhere("bad_whole", |place| {
        std::fs::create_dir(place.path("folder")).unwrap();
        check_all(place, CASES, Case::check);
    });
}

pub(crate) const CASES: &[Case] = &[
    Case {
        title: "A missing file",
        advice: "The message names all files that cannot be opened; the others are not loaded.",
        args: "people.csv peeple.csv poeple.csv --into people",
        says: "error: cannot open `peeple.csv`: No such file or directory (os error 2)\n  \
                 cannot open `poeple.csv`: No such file or directory (os error 2)",
        ..NOTHING_SENT
    },
    Case {
        title: "A folder without files",
        advice: "A folder stands for the files in it.",
        args: "people.csv folder --into people",
        says: "error: there is no file in the folder `folder`",
        ..NOTHING_SENT
    },
    Case {
        title: "A missing table",
        advice: "",
        args: "people.csv --into peeple",
        says: "error: there is no table `peeple` in database `shop`\n\
               hint: did you mean `people`? `--create-table` makes a new one",
        ..NOTHING_SENT
    },
    Case {
        title: "A missing database",
        advice: "",
        args: "people.csv --into nowhere.people",
        says: "error: there is no database `nowhere`, or this user may not see it",
        ..NOTHING_SENT
    },
    Case {
        title: "A view",
        advice: "",
        sql: "CREATE TABLE people (id INT PRIMARY KEY, name VARCHAR(20) NOT NULL); CREATE OR REPLACE VIEW humans AS SELECT * FROM people",
        args: "people.csv --into humans",
        says: "error: `humans` is a view\n\
               hint: load into the table behind it",
        ..NOTHING_SENT
    },
    Case {
        title: "Columns that do not fit",
        advice: "All mapping errors are reported at once.",
        sql: "CREATE TABLE people (id INT PRIMARY KEY, name VARCHAR(20) NOT NULL, age INT, twice INT AS (age * 2))",
        file: b"id,nam,colour,twice,id\n1,Ann,red,2,1\n",
        says: "error: `people.csv` does not fit table `people`:\n  \
                 - field `nam`: the table has no such column; did you mean `name`?\n  \
                 - field `colour`: the table has no such column (it has id, name, age, twice)\n  \
                 - column `id` is filled by more than one field\n  \
                 - column `twice` is generated and takes no value\n\
               hint: `--columns a,b,@skip` names the column of each field in order; `--new-columns ignore` leaves such fields out, \
               `--new-columns add` adds columns for them; `--no-header` if line 1 is data",
        ..NOTHING_SENT
    },
    Case {
        title: "A required column without a field",
        advice: "",
        sql: "CREATE TABLE people (id INT PRIMARY KEY, name VARCHAR(20) NOT NULL, age INT NOT NULL, pay INT NOT NULL DEFAULT 0)",
        says: "error: `people.csv` does not fit table `people`:\n  \
                 - column `age` is NOT NULL without a default, and no field fills it\n\
               hint: `--set 'column = 0'` gives such a column a value, ALTER TABLE a default; \
                     `--columns a,b,@skip` names the column of each field in order; `--no-header` if line 1 is data",
        ..NOTHING_SENT
    },
    Case {
        title: "Columns that the file must have, by an option",
        advice: "",
        sql: "CREATE TABLE people (id INT PRIMARY KEY, name VARCHAR(20), age INT, pay INT DEFAULT 0)",
        args: "people.csv --into people --missing-columns error",
        says: "error: `people.csv` does not fit table `people`:\n  \
                 - column `age`: no field fills it\n  \
                 - column `pay`: no field fills it\n\
               hint: `--missing-columns default` stores the defaults of such columns",
        ..NOTHING_SENT
    },
    Case {
        title: "Fields without names, and not as many as columns",
        advice: "",
        file: b"1,Ann,x\n",
        args: "people.csv --into people --no-header",
        says: "error: `people.csv` does not fit table `people`:\n  \
                 - it has 3 fields, and the table has 2 columns\n\
               hint: `--columns a,b,@skip` names the column of each field in order; `--no-header` if line 1 is data",
        ..NOTHING_SENT
    },
    Case {
        title: "Fields with two possible delimiters",
        advice: "What is clear is found out: `;`, a tab or `|` between the fields needs no option.",
        file: b"id;name,age\n1;Ann,30\n",
        says: "error: the fields of `people.csv` may be separated by `,` or by `;`\n\
               hint: say which: `--delimiter ','` or `--delimiter ';'`",
        ..NOTHING_SENT
    },
    Case {
        title: "Lines before the table",
        advice: "",
        file: b"People of 2024\n\nid,name\n1,Ann\n2,Bob\n",
        says: "error: lines 1 to 2 do not belong to the table of `people.csv`, whose records have 2 fields\n\
               hint: `--skip auto` passes over such lines, `--skip 2` over these",
        ..NOTHING_SENT
    },
    Case {
        title: "Columns aligned by blanks",
        advice: "",
        file: b"id   name\n1    Ann\n2    Bob\n",
        says: "error: the columns of `people.csv` are aligned by blanks, and have no delimiter between them\n\
               hint: `--widths 5,rest` cuts the lines where the columns begin; `--delimiter ,` loads each line as one field",
        ..NOTHING_SENT
    },
    Case {
        title: "A page instead of a table",
        advice: "",
        file: b"<!doctype html>\n<html><body>Sign in</body></html>\n",
        says: "error: `people.csv` is a page of HTML, not a table\n\
               hint: a download that asks for a login or for consent is often such a page: look into the file",
        ..NOTHING_SENT
    },
    Case {
        title: "An empty file",
        advice: "With `--no-header` it is a file without rows, which is not an error.",
        file: b"",
        says: "error: `people.csv` is empty: it has not even a header",
        ..NOTHING_SENT
    },
    Case {
        title: "A file without rows",
        advice: "Exit code 0: an empty export has no rows to store. Without `-q` a notice is printed.",
        file: b"id,name\n",
        code: 0,
        rows: Some(Rows { read: 0, stored: 0, skipped: 0, rejected: 0, not_loaded: 0, unknown: 0 }),
        ..NOTHING_SENT
    },
    Case {
        title: "A quote that never closes",
        advice: "The line is that of the opening quote. Earlier rows are in the stored chunks, if there are any.",
        file: b"id,name\n1,Ann\n2,\"Bob\n3,Cy\n",
        code: 2,
        says: "error: a quote opens here and never closes (people.csv, line 3)\n\
               hint: if quotes are plain text in this file, `--quote ''` turns quoting off\n\
               stored: people.csv, records 1 to 1 (lines 2 to 2)",
        rows: Some(Rows { read: 1, stored: 1, skipped: 0, rejected: 0, not_loaded: 0, unknown: 0 }),
        holds: "1,Ann",
        ..NOTHING_SENT
    },
    Case {
        title: "UTF-16 without a byte order mark, under `--format csv`",
        advice: "Without `--format csv` it is found out.",
        file: b"i\0d\0,\0n\0a\0m\0e\0\n\0",
        args: "people.csv --into people --format csv",
        says: "error: the header of `people.csv` has NUL bytes in it\n\
               hint: if it is UTF-16, say so: `--encoding utf-16le`; if it is no text, it cannot be loaded",
        ..NOTHING_SENT
    },
    Case {
        title: "A header that is not valid in its encoding",
        advice: "",
        file: b"id,n\xe4me\n1,Ann\n",
        code: 2,
        says: "error: the header is not valid UTF-8 (people.csv, line 1)\n\
               hint: the file is most likely windows-1252: `--encoding auto` takes that",
        ..NOTHING_SENT
    },
    Case {
        title: "A table that cannot roll back",
        advice: "MyISAM keeps the rows of a load that fails in the middle.",
        sql: "CREATE TABLE people (id INT PRIMARY KEY, name VARCHAR(20) NOT NULL) ENGINE=MyISAM",
        code: 5,
        says: "error: table `people` is MyISAM, which cannot roll back: a load that fails would leave some of its rows\n\
               hint: `--guarantee at-least-once` accepts that, or `ALTER TABLE .. ENGINE=InnoDB`",
        ..NOTHING_SENT
    },
    Case {
        title: "Options without effect",
        advice: "",
        args: "people.csv --into people --max-bad 3",
        says: "error: `--max-bad` has no meaning while the first bad row stops the load\n\
               hint: add `--bad-rows skip` or `--bad-rows divert:FILE`",
        ..NOTHING_SENT
    },
    Case {
        title: "A time zone that the server does not have",
        advice: "",
        args: "people.csv --into people --time-zone Europe/Berlyn",
        says: "error: `Europe/Berlyn` is not a time zone\n\
               hint: give an offset such as `+02:00`, or a name such as `Europe/Berlin`",
        ..NOTHING_SENT
    },
    Case {
        title: "A file of another format",
        advice: "The name says Parquet, and the file is CSV.",
        name: "people.parquet",
        args: "people.parquet --into people",
        says: "error: `people.parquet` is named `.parquet`, and does not begin as such a file\n\
               hint: if it is CSV, `--format csv`",
        ..NOTHING_SENT
    },
    Case {
        title: "An existing reject file",
        advice: "It may hold rows that are stored nowhere else.",
        other: ("rejected.csv", b"id,name\n7,\n"),
        args: "people.csv --into people --bad-rows divert:rejected.csv",
        says: "error: `rejected.csv` exists: it may hold rows of an earlier load\n\
               hint: load what is in it, then remove it; or give `--bad-rows divert:FILE` another name",
        ..NOTHING_SENT
    },
    Case {
        title: "A reject file that is read as well",
        advice: "",
        args: "people.csv --into people --bad-rows divert:people.csv",
        says: "error: `people.csv` is read and would be written as well\n\
               hint: give `--bad-rows divert:FILE` another name",
        ..NOTHING_SENT
    },
];

const NOTHING_SENT: Case = Case { code: 1, holds: "", ..CASE };

#[test]
fn a_wrong_password() {
    everywhere("wrong_password", |place| {
        prepared(place);
        let mut command = place.command("people.csv --into people");
        let done = place.done(&command.env("INRUSH_PASSWORD", "not-it").output().unwrap());
        assert_eq!(done.code, 1, "{done}");
        done.says("error: cannot log in to `");
        done.says("Access denied for user 'inrush'@'localhost' (using password: YES) (server error 1045, SQLSTATE 28000)\nhint: check user");
        assert!(!done.stderr.contains("not-it"), "{done}");
    });
}

#[test]
fn an_unknown_database_is_no_failed_login() {
    everywhere("no_database", |place| {
        prepared(place);
        let named = place.command("people.csv --into people");
        let mut command = std::process::Command::new(named.get_program());
        command.args(named.get_args().map(|argument| match argument.to_str() {
            Some(name) if name == place.schema.name() => "no_such_database".into(),
            _ => argument.to_owned(),
        }));
        command.envs(named.get_envs().filter_map(|(name, value)| Some((name, value?))));
        command.current_dir(named.get_current_dir().unwrap());
        let done = place.done(&command.output().unwrap());
        assert_eq!(done.code, 3, "{done}");
        done.says("error: cannot open the database at `");
        done.says("Unknown database 'no_such_database' (server error 1049, SQLSTATE 42000)\nhint: the login succeeded");
    });
}

#[test]
fn a_password_in_an_argument() {
    everywhere("password_argument", |place| {
        prepared(place);
        for argument in ["--password=s3cret", "--url=mysql://inrush:s3cret@localhost/x"] {
            let done = place.load(&format!("people.csv --into people {argument}"));
            assert_eq!(done.code, 1, "{done}");
            done.says("is seen by every user of this machine\nhint: use `--password-file FILE`, INRUSH_PASSWORD");
            assert!(!done.stderr.contains("s3cret"), "{done}");
        }
    });
}

#[test]
fn a_password_from_a_file() {
    everywhere("password_file", |place| {
        prepared(place);
        place.write("secret", format!("{}\n", place.server.password));
        let mut command = place.command("people.csv --into people --password-file secret --json");
        let done = place.done(&command.env_remove("INRUSH_PASSWORD").output().unwrap());
        assert_eq!(done.code, 0, "{done}");
    });
}

#[test]
fn a_server_that_is_not_there() {
    let closed = ClosedPort::new();
    let port = closed.number();
    let server = inrush_testkit::servers::one("mysql-9.7");
    let place = Place::new(server, "no_server");
    place.write("people.csv", "id\n1\n");
    let refused = place.bare(&format!("people.csv --into people -h 127.0.0.1 -P {port} -u a -D b")).output().unwrap();
    let done = place.done(&refused);
    assert_eq!(done.code, 3, "{done}");
    done.says(&format!("error: cannot connect to `127.0.0.1:{port}`: Connection refused (os error 111)\nhint: "));

    let nowhere = place.bare("people.csv --into people -S no.sock -u a -D b").output().unwrap();
    let done = place.done(&nowhere);
    assert_eq!(done.code, 3, "{done}");
    done.says("error: cannot connect to `no.sock`: No such file or directory (os error 2)\nhint: ");

    let done = place.done(&place.bare("people.csv --into people").output().unwrap());
    assert_eq!(done.code, 1, "{done}");
    done.says("error: no server is named\nhint: `--url mysql://user@host/database`");
}

#[test]
fn a_server_that_speaks_something_else() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let web = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let _ = stream.write_all(b"HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n");
    });
    let place = Place::new(inrush_testkit::servers::one("mysql-9.7"), "not_mysql");
    place.write("people.csv", "id\n1\n");
    let done =
        place.done(&place.bare(&format!("people.csv --into t -h 127.0.0.1 -P {port} -u a -D b")).output().unwrap());
    web.join().unwrap();
    assert_eq!(done.code, 3, "{done}");
    done.says("error: ");
}

fn prepared(place: &Place) {
    place.sql("CREATE TABLE people (id INT PRIMARY KEY, name VARCHAR(20) NOT NULL)");
    place.write("people.csv", CASE.file);
}
