//! A case of bad input as a value: the test runs it on every server, and the guide (docs/bad-input.md) is written from it, so
//! that what the guide says is what happens.

use crate::place::{Place, Rows, message};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Input that is not what it should be, and what happens.
#[derive(Clone, Copy)]
pub(crate) struct Case {
    /// A heading of the guide.
    pub(crate) title: &'static str,
    /// What it means and what to do, for the guide.
    pub(crate) advice: &'static str,
    /// Statements before the load.
    pub(crate) sql: &'static str,
    /// The name of the file, and what is in it.
    pub(crate) name: &'static str,
    pub(crate) file: &'static [u8],
    /// The name and the content of one more file; none if the name is empty.
    pub(crate) other: (&'static str, &'static [u8]),
    /// What follows `inrush load`.
    pub(crate) args: &'static str,
    pub(crate) code: i32,
    /// All of standard error under `-q`; `{this|that}` is MySQL's and MariaDB's wording. A path is relative to the folder.
    pub(crate) says: &'static str,
    /// The counts, if it came to a report.
    pub(crate) rows: Option<Rows>,
    /// What the table (or this query) holds afterwards, see [`Place::sql`].
    pub(crate) query: &'static str,
    pub(crate) holds: &'static str,
    /// The file's content once a person has corrected what was diverted: see [`Case::check_row`].
    pub(crate) corrected: &'static [u8],
    /// What the table holds once that is loaded too.
    pub(crate) then_holds: &'static str,
}

/// A case to fill in.
pub(crate) const CASE: Case = Case {
    title: "",
    advice: "",
    sql: "CREATE TABLE people (id INT PRIMARY KEY, name VARCHAR(20) NOT NULL)",
    name: "people.csv",
    file: b"id,name\n1,Ann\n2,Bob\n",
    other: ("", b""),
    args: "people.csv --into people",
    code: 2,
    says: "",
    rows: None,
    query: "SELECT * FROM people ORDER BY id",
    holds: "",
    corrected: b"",
    then_holds: "",
};

/// Checks every case, and tells of all that fail at once.
#[track_caller]
pub(crate) fn check_all(place: &Place, cases: &[Case], check: fn(&Case, &Place)) {
    let failed: Vec<String> = cases
        .iter()
        .filter_map(|case| {
            let panic = catch_unwind(AssertUnwindSafe(|| check(case, place))).err()?;
            Some(format!("{}: {}", case.title, message(&*panic)))
        })
        .collect();
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

impl Case {
    /// The load as it is: message, exit code, counts, table.
    #[track_caller]
    pub(crate) fn check(&self, place: &Place) {
        self.prepare(place);
        let done = place.load(self.args);
        assert_eq!(done.stderr.trim_end(), words(self.says, place.is_mysql()), "what it says\n{done}");
        assert_eq!((done.code, done.rows()), (self.code, self.rows), "{done}");
        if !self.query.is_empty() {
            assert_eq!(place.sql(self.query), self.holds, "what the table holds\n{done}");
        }
        for (name, bytes) in self.files() {
            assert_eq!(std::fs::read(place.path(name)).unwrap(), bytes, "`{name}` is as it was\n{done}");
            std::fs::remove_file(place.path(name)).unwrap();
        }
    }

    /// The names of the files, and what is in them.
    pub(crate) fn files(&self) -> impl Iterator<Item = (&'static str, &'static [u8])> {
        [(self.name, self.file), self.other].into_iter().filter(|(name, _)| !name.is_empty())
    }

    /// A bad row, the second of three: the load stops at it; with `skip` and `divert` the other two go in; the diverted one,
    /// corrected, goes in by the same command.
    #[track_caller]
    pub(crate) fn check_row(&self, place: &Place) {
        let case = Case { code: 2, rows: Some(Rows::stopping(0, 3)), holds: "", ..*self };
        case.check(place);
        place.write(self.name, self.file);

        let (part, held) = (Some(Rows::rejecting(2, 1)), self.holds);
        let skipped = place.load(&format!("{} --bad-rows skip", self.args));
        assert_eq!((skipped.code, skipped.rows()), (4, part), "{skipped}");
        let (reject, stop) = (skipped.json["first_rejects"][0].clone(), words(self.says, place.is_mysql()));
        let line = stop.lines().next().unwrap_or_default();
        assert!(line.contains(reject["reason"].as_str().unwrap()), "`{line}` and {reject}");
        assert_eq!(place.sql(&format!("{}; DELETE FROM people", self.query)), held, "skipped: what the table holds");

        let diverted = place.load(&format!("{} --bad-rows divert:rejected.csv", self.args));
        assert_eq!((diverted.code, diverted.rows()), (4, part), "{diverted}");
        assert_eq!(place.sql(self.query), held, "diverted: what the table holds");
        let record = |text: &[u8]| text.split_inclusive(|b| *b == b'\n').nth(2).unwrap().to_vec();
        let header = self.file.split_inclusive(|b| *b == b'\n').next().unwrap();
        let rejected = std::fs::read(place.path("rejected.csv")).unwrap();
        let (rejected, want) = (String::from_utf8_lossy(&rejected), [header, &record(self.file)].concat());
        assert_eq!(rejected.trim_start_matches('\u{feff}'), String::from_utf8_lossy(&want), "the reject file");
        let column = reject["column"].as_str().unwrap_or_default();
        let log = format!("people.csv\t3\t{column}\t{}\t{}\n", reject["code"], reject["reason"].as_str().unwrap());
        assert_eq!(place.read("rejected.csv.log").replace(place.schema.name(), "shop"), log);

        place.write("people.csv", self.corrected);
        let corrected = place.load(self.args);
        assert_eq!((corrected.code, corrected.rows()), (0, Some(Rows::stored(1))), "{corrected}");
        assert_eq!(place.sql(self.query), self.then_holds, "once corrected");
        for name in ["rejected.csv", "rejected.csv.log"] {
            std::fs::remove_file(place.path(name)).unwrap();
        }
    }

    fn prepare(&self, place: &Place) {
        place.sql(&format!("DROP TABLE IF EXISTS people; DROP TABLE IF EXISTS pets;\n{}", self.sql));
        for (name, bytes) in self.files() {
            place.write(name, bytes);
        }
    }
}

/// One vendor's wording of a text with `{MySQL's|MariaDB's}` parts.
pub(crate) fn words(text: &str, mysql: bool) -> String {
    let mut said = String::new();
    let mut rest = text;
    while let Some((before, choice, after)) = rest
        .split_once('{')
        .and_then(|(before, rest)| rest.split_once('}').map(|(choice, after)| (before, choice, after)))
    {
        said.push_str(before);
        match choice.split_once('|') {
            Some((this, that)) => said.push_str(if mysql { this } else { that }),
            None => said.push_str(&format!("{{{choice}}}")),
        }
        rest = after;
    }
    said + rest
}
