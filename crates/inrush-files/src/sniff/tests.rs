//! One case a line: a text, and what is found in it.

mod truth;

use super::*;
use crate::dialect::{AutoDetect, TableColumn, TableColumns};

const ALL: AutoDetect = AutoDetect { delimiter: true, quote: true, header: true, skip: false, encoding: false };

fn options() -> CsvOptions {
    CsvOptions { auto_detect: ALL, ..CsvOptions::default() }
}

fn skipping() -> CsvOptions {
    CsvOptions { auto_detect: AutoDetect { skip: true, ..ALL }, ..CsvOptions::default() }
}

fn of(bytes: &[u8], delimiter: u8, options: &CsvOptions) -> Result<DetectedDialect> {
    sniff(
        Sample {
            name: "x",
            bytes,
            is_all: true,
            delimiter,
            lacks_ends: false,
            wide: None,
            comment: options.comment.as_deref(),
        },
        options,
    )
}

#[track_caller]
fn check(text: &str, want: &str) {
    assert_eq!(of(text.as_bytes(), b',', &options()).unwrap().differences(), want, "{text}");
}

#[track_caller]
fn check_skipping(text: &str, want: &str) {
    assert_eq!(of(text.as_bytes(), b',', &skipping()).unwrap().differences(), want, "{text}");
}

#[track_caller]
fn refused(text: &str, message: &str, hint: &str) {
    let error = of(text.as_bytes(), b',', &options()).unwrap_err();
    assert_eq!((error.message(), error.hint()), (message, Some(hint)), "{text}");
}

#[test]
fn plain() {
    check("id,name\n1,Ann\n2,Bob\n", "");
    check("id,name\r\n1,Ann\r\n2,Bob\r\n", "");
    check("id,name\n", "");
    check("", "");
    check("\n", "");
}

/// Comments say nothing of the table, whatever they hold, and however many there are.
#[test]
fn comments() {
    let check = |text: &str, want: &str| {
        let options = options().with_comment(b"#".to_vec());
        assert_eq!(of(text.as_bytes(), b',', &options).unwrap().differences(), want, "{text}");
    };
    check("# a\n# b\nid,name\n1,Ann\n2,Bob\n", "");
    check("# a;b;c\n#;;\nid;name\n# x,y,z\n1;Ann\n#,,\n2;Bob\n", "`;` between fields");
    check("#,1\n1,Ann,2\n2,Bob,3\n# the end\n", "no header");
    check("# \"a\n#'b,'\nid,name\n1,\"Ann\n# no comment\"\n2,Bob\n", "");
    check(&format!("{}id;name\n1;Ann\n2;Bob\n", "## contig=<ID=1,length=2>\n".repeat(9000)), "`;` between fields");
    check("# a\rid;name\r#\r1;Ann\r", "`;` between fields, lines end with CR");
    // Other lines before the table are counted as lines of the file.
    let options = skipping().with_comment(b"#".to_vec());
    let text = "# a\nA title\n\n# b\nid,name,n\n1,Ann,2\n2,Bob,3\n";
    assert_eq!(of(text.as_bytes(), b',', &options).unwrap().skip, 4);
    let sample = Sample {
        name: "x",
        bytes: b"# a\n# b\n# c",
        is_all: false,
        delimiter: b',',
        lacks_ends: false,
        wide: None,
        comment: Some(b"#"),
    };
    let error = sniff(sample, &options).unwrap_err();
    assert!(error.message().contains("the first 11 bytes of `x` are comments"), "{error}");
}

#[test]
fn delimiters() {
    check("id;name\n1;Ann\n2;Bob\n", "`;` between fields");
    check("id\tname\n1\tAnn\n", "`\\t` between fields");
    check("id|name\n1|Ann\n", "`|` between fields");
    check("id;price\n1;2,50\n2;3,75\n", "`;` between fields");
    check("id;price\n1;1.234,50\n2;3,75\n", "`;` between fields");
    check("id;text\n1;one, two\n2;three\n3;four, five, six\n", "`;` between fields");
    check("id,text\n1,\"a;b;c\"\n2,\"d;e;f\"\n", "");
    check("id,text\n1,a;b\n2,c\n3,d;e;f\n", "");
    check("a;b;c\n", "`;` between fields");
    check("sep=;\nid;name\n1;Ann\n", "`;` between fields, line 1 passed over");
    check("sep=\t\r\nid\tname\r\n1\tAnn\r\n", "`\\t` between fields, line 1 passed over");
}

/// The name of a file decides between equals, and yields to what fits better.
#[test]
fn names_of_files() {
    let found = |text: &str| of(text.as_bytes(), b'\t', &options()).unwrap().delimiter;
    assert_eq!(found("id\tb,c\n1\te,f\n"), b'\t');
    assert_eq!(found("a;b\n1;2\n"), b';');
    assert_eq!(found("a\n1\n"), b'\t');
}

#[test]
fn one_column() {
    check("name\nAnn\nBob\n", "");
    check("text\nHello, world\nGood bye\nWell, well, well\n", "");
    check("n\n1\n2\n", "");
    check("Kunde\n1.699,8\n1.556,0\n", "`;` between fields");
    for halves in ["1.699,8\n1.556,0\n", "155,06\n1602,48\n"] {
        refused(
            halves,
            "each line of `x` may be one number with a decimal comma, or two fields",
            "say which: `--delimiter ';'` for one field, `--delimiter ','` for two",
        );
    }
    check("1,2\n3,40\n", "no header");
    check("1\n2\n", "no header");
}

#[test]
fn quotes_and_escapes() {
    check("a,b\n\"x, y\",\"z\"\n\"1\"\"2\",3\n", "");
    check("a,b\n\"say \\\"hi\\\", he said\",1\n\"x\",2\n", "`\\` escapes");
    check("a,b\n\"C:\\\",1\n\"D:\\\",2\n", "");
    check("a,b\n'x, y',1\n'z',2\n'u, v',3\n", "`'` around fields");
    check("a,b\nit's,1\nnot 'so',2\n", "");
    check("a,b\n\"line\nbreak\",1\n\"x\",2\n", "");
}

#[test]
fn headers() {
    check("1,2\n3,4\n", "no header");
    check("2024-01-31,1.5\n2024-02-01,2.5\n", "no header");
    check("id,n\n3,4\n", "");
    check("1,2\n", "no header");
    check("1,2\n,\n", "no header");
    check("Ann,1\nBob,2\n", "no header");
    check("true,a\nfalse,b\n", "no header");
    check("active,x\ntrue,b\nfalse,c\n", "");
    // Years are names as well as numbers.
    check("country,2019,2020\nDE,1,2\nFR,3,4\n", "");
    check("id,2019,2020\n1,1,2\n", "");
    check("a,b\n", "");
    check("a,b\n,\n", "");
    // Days over numbers are names.
    check("Region,2024-01,2024-02\nNorth,1,2\nSouth,3,4\n", "");
    check("Country,1/22/20,1/23/20\nDE,1,2\nFR,3,4\n", "");
    check("name,city\nAnn,Berlin\n", "");
    check("name\nAnn\nBob\n", "");
    check("NA,1\n2,3\n", "no header");
}

/// Both readings are plausible: the file's lines are shown with the option for each.
#[test]
fn headers_in_doubt() {
    let doubtful = |text: &str, first: &str, next: &str| {
        let hint = format!("say which: `--header` or `--no-header`; with a header {next}, without one it is `{first}`");
        refused(text, &format!("the first line of `x` may be a header or a row: `{first}`"), &hint);
    };
    doubtful("id,5\n1,6\n2,7\n", "id,5", "the first row is `1,6`");
    doubtful("Name,1,2\nAnn,5,6\nBob,7,8\n", "Name,1,2", "the first row is `Ann,5,6`");
    doubtful("Ann,1999\nBob,2000\n", "Ann,1999", "the first row is `Bob,2000`");
    doubtful("Ann,1999\nBob,5\n", "Ann,1999", "the first row is `Bob,5`");
    doubtful("Ann,,Paris\nBob,x,Rome\n", "Ann,,Paris", "the first row is `Bob,x,Rome`");
    doubtful("Ann,Berlin\nBob,Paris\n", "Ann,Berlin", "the first row is `Bob,Paris`");
    doubtful("name,city\nAnn,city\nBob,Rome\nZoe,name\n", "name,city", "the first row is `Ann,city`");
    doubtful("Ann,Berlin\n", "Ann,Berlin", "there is no row");
    doubtful("2019,2020\n", "2019,2020", "there is no row");
    doubtful("id,2\n", "id,2", "there is no row");
    doubtful("apple\npear\n", "apple", "the first row is `pear`");
    doubtful("color,red\nsize,L\n", "color,red", "the first row is `size,L`");
}

/// The names of the table decide, also against numbers and days.
#[test]
fn headers_by_the_table() {
    let header = |text: &str, columns: &[&str]| {
        let columns: Vec<TableColumn> = columns.iter().map(|&name| TableColumn::named(name)).collect();
        let columns = TableColumns::new(move || Ok(Some(columns.clone())));
        let options = CsvOptions { columns_of_table: Some(columns), ..options() };
        of(text.as_bytes(), b',', &options).map(|found| found.header).ok()
    };
    assert_eq!(header("Name,1,2\nAnn,5,6\n", &["name", "1", "2"]), Some(true));
    assert_eq!(header("1,2\n3,4\n", &["1", "2", "3"]), Some(true));
    assert_eq!(header("1,2\n3,4\n", &["a", "b"]), Some(false));
    assert_eq!(header("Vorname,Ort\n", &["ort", "vorname"]), Some(true));
    assert_eq!(header("Ann,Berlin\nBob,Paris\n", &["name", "city"]), None);
    assert_eq!(header("a,a\nx,y\n", &["a", "b"]), None);
    // So does the header of another file of the load.
    let several = CsvOptions { columns_of_table: Some(TableColumns::new(|| Ok(None))), ..options() };
    assert!(of(b"p,q\nNA,NA\n", b',', &several).is_err());
    assert!(of(b"p,q\n1,2\n", b',', &several).unwrap().header);
    assert!(of(b"p,q\nNA,NA\n", b',', &several).unwrap().header);
    // A table that is not needed is not read.
    let unread = TableColumns::new(|| Err(Error::config("read")));
    let options = CsvOptions { columns_of_table: Some(unread), ..options() };
    assert!(of(b"id,name\n1,Ann\n", b',', &options).is_ok());
    assert_eq!(of(b"1,Ann\n2,Bob\n", b',', &options).unwrap_err().message(), "read");
}

/// Quotes are text where only then all lines have the same number of fields.
#[test]
fn stray_quotes() {
    let tabs = "`\\t` between fields";
    let stray = "id\tk\ttext\tx\n1\tA\t\"ON CERTAIN CARS\tX\n2\tB\tDEALERS WILL\"\tZ\n3\tC\tz\tZ\n";
    check(stray, &format!("{tabs}, no quotes"));
    check("id\ttext\n1\t\"Foo\n2\tBar\n3\tBaz\n", &format!("{tabs}, no quotes"));
    check("id\ttext\n1\t\"a\nb\"\n2\tc\n", tabs);
    check("id\ttext\n1\t\"a\"\n2\tc\n", tabs);
    check("id\ttext\n1\t\"Foo\" Inc\n2\tc\n", &format!("{tabs}, no quotes"));
    check("id,text\n1,\"Foo\" Inc\n2,c\n", "");
    // A decimal comma is no delimiter where another sign is on every line.
    let wide = "a\tb\tc\td\te\tf\nx\t\"y\tz\t1\t2\t224,85\nx\ty\tz\t1\t2\t17,20\nx\ty\tz\t1\t2\t0,5\n";
    check(wide, &format!("{tabs}, no quotes"));
    check(&wide.replace('\t', ";"), "`;` between fields, no quotes");
    refused(
        "k,text\na,\"b\nc,d e\"\n",
        "`\"` around fields of `x` may be quotes or text (line 2 has the first)",
        "say which: `--quote '\"'` for quotes, `--quote ''` for text",
    );
}

#[test]
fn single_quotes() {
    let single = "`'` around fields";
    check("'id','name'\n'1','Ann'\n'2','Bob'\n", single);
    check("id,name\n1,'Ann'\n2,'Bob'\n3,\n", single);
    check("'id','name'\n'1','5\" pipe'\n'2','Bob'\n", single);
    check("name\n'Ann'\n'Bob'\n", single);
    check("'wert'\n'1.924,6'\n'1.798,9'\n", single);
    check("wert\n\"1.924,6\"\n\"1.798,9\"\n", "");
    check("id,name,x\n1,'78,88',\"Foo\" Inc\n2,'1,5',b\n", single);
    check("id,name\n1,'tis\n2,Bob'\n3,rock 'n' roll\n", "");
    refused(
        "id,name\n1,'Ann'\n2,Bob\n",
        "`'` around fields of `x` may be quotes or text (line 2 has the first)",
        "say which: `--quote \"'\"` for quotes, `--quote '\"'` for text",
    );
}

#[test]
fn null_words() {
    let tabs = "`\\t` between fields, no quotes";
    check("id\tname\n1\t\\N\n2\tBob\n", &format!("{tabs}, `\\N` is NULL"));
    check("id,name\n1,\\N\n2,\"Bob\"\n", "`\\N` is NULL");
    let escaped = "id\tname\n1\t\\N\n2\ta\\\\b\\nc\n";
    check(escaped, "`\\t` between fields, no quotes, `\\` escapes, `\\N` is NULL");
    check("id\tname\n1\t\\N\n2\ta\\\tb\n3\tc\\\nd\n", "`\\t` between fields, no quotes, `\\` escapes, `\\N` is NULL");
    check("id\tname\n1\t\\N\n2\tC:\\Foo\\new\n", &format!("{tabs}, `\\N` is NULL"));
    refused(
        "id\tname\n1\t\\N\n2\tC:\\new\n",
        "`\\` in `x` may escape what is behind it, or be text: `C:\\new` in line 3",
        "say which: `--quote '' --escape '\\'` for escapes, `--null '\\N'` for text",
    );
    refused(
        "id\tname\n1\ta\\\\b\n",
        "`\\` in `x` may escape what is behind it, or be text: `a\\\\b` in line 2",
        "say which: `--quote '' --escape '\\'` for escapes, `--quote ''` for text",
    );
    // Between commas a backslash is text where nothing else says that it escapes.
    check("id,name\n1,\\N\n2,a\\b\n3,\\\n", "");
    check("id,name\n1,\\N\n2,b\n", "`\\N` is NULL");
    let given = CsvOptions { nulls: vec![b"\\N".to_vec()], ..options() };
    assert!(of(b"id\tname\n1\t\\N\n2\tC:\\new\n", b',', &given).is_ok());
}

#[test]
fn what_is_not_read() {
    refused(
        "id,name\r\r\n1,Ann\r\r\n",
        "line 1 of `x` ends with CR CR LF; the first CR would be a part of its last field",
        "`tr -d '\\r' < x | inrush load - ..` loads it without them",
    );
    refused(
        "id||name\n1||Ann\n",
        "the fields of `x` are separated by `||`, and a delimiter is one byte",
        "`sed 's/||/\\t/g' x | inrush load - --delimiter '\\t' ..` loads it",
    );
    refused(
        "id::name\n1::Ann\n",
        "the fields of `x` may be separated by `::`, and a delimiter is one byte",
        "`sed 's/::/\\t/g' x | inrush load - --delimiter '\\t' ..` loads them; `--delimiter ,` loads each line as one field",
    );
    refused(
        "1||||Ann\n2||x||Bob\n",
        "the fields of `x` are separated by `||`, and a delimiter is one byte",
        "`sed 's/||/\\t/g' x | inrush load - --delimiter '\\t' ..` loads it",
    );
    refused(
        "1,5~x\n2,5~y\n",
        "the fields of `x` may be separated by `~` or by `,`",
        "say which: `--delimiter '~'` or `--delimiter ','`",
    );
    refused(
        "id~name\n1~Ann\n",
        "the fields of `x` may be separated by `~`, or each line is one field",
        "say which: `--delimiter '~'`, or `--delimiter ,` for one field",
    );
    refused(
        "id, name\n1, \"Ann, Bob\"\n2, \"Zoe\"\n",
        "blanks stand before quotes in `x`, so these are no quotes: ` \"Ann` in line 2",
        "`sed -Ez 's/(^|,|\\n) *(\"([^\"]|\"\")*\"|[^\",\\n]*) */\\1\\2/g' x | inrush load - ..` leaves the blanks out",
    );
    check("id,name,comment\n1,Ann,\"pinto beans; \"\n2,Bob,\"; \"\n3,Zoe,\"none\"\n", "");
    check("id;name\n1;\"a, \"\n2;b\n", "`;` between fields");
    refused(
        "id; name; n\n1; \"Ann, Bob\"; 2\n2; \"Zoe, Kim\"; 3\n",
        "blanks stand before quotes in `x`, so these are no quotes: ` \"Ann, Bob\"` in line 2",
        "`sed -Ez 's/(^|;|\\n) *(\"([^\"]|\"\")*\"|[^\";\\n]*) */\\1\\2/g' x | inrush load - ..` leaves the blanks out",
    );
    refused(
        "id|name\n--|----\n1|Ann\n",
        "line 2 of `x` only has dashes, and would be a row",
        "`sed 2d x | inrush load - ..` leaves it out",
    );
    check("id|name\n-|-\n1|Ann\n", "`|` between fields");
    refused(
        "id, name\n1, Ann\n",
        "a blank stands behind each `,` of `x`, and would be a part of the values",
        "`sed -Ez 's/(^|,|\\n) *(\"([^\"]|\"\")*\"|[^\",\\n]*) */\\1\\2/g' x | inrush load - ..` leaves the blanks out; \
         `--delimiter ','` keeps them",
    );
    check("id, name\n1, Ann\n2,Bob\n", "");
    check("time\n10:00\n11:00\n", "");
    check("1,2\n3,4\n\x1a", "no header");
}

#[test]
fn lines_before_the_table() {
    let title = "Sales of 2024\n\nid,name,price\n1,a,2\n2,b,3\n3,c,4\n";
    refused(
        title,
        "lines 1 to 2 do not belong to the table of `x`, whose records have 3 fields",
        "`--skip auto` passes over such lines, `--skip 2` over these",
    );
    check_skipping(title, "lines 1 to 2 passed over");
    check_skipping("# Exported 2024-01-01\nid;name\n1;a\n2;b\n", "`;` between fields, line 1 passed over");
    check_skipping("# Exported, by hand\nid,name\n1,a\n2,b\n", "line 1 passed over");
    check_skipping("id,name\n1,a\n2,b\n", "");
    check("a,b\n1,2,3\n1,2\n1,2\n", "");
    // A header of another length is for the reader to refuse, row by row.
    check("a,b,c\n1,2\n3,4\n", "");
    check("a,b\nx,1,2\ny,3,4\n", "");
    check("\n\na,b\nx,1\ny,3\n", "");
}

#[test]
fn doubt() {
    refused(
        "a;b,c\nd;e,f\n",
        "the fields of `x` may be separated by `,` or by `;`",
        "say which: `--delimiter ','` or `--delimiter ';'`",
    );
    // Passing over it would make a header of the first row.
    refused(
        "# name,city\nAnn,Berlin\nBob,Paris\n",
        "line 1 does not belong to the table of `x`, whose records have 2 fields; line 1 may be its header, as a comment",
        "`--skip 1 --columns name,city --no-header` takes these names; `--skip 1` passes over it, and over nothing else",
    );
    refused(
        "id   name     age\n1    Ann      40\n2    Bob      17\n",
        "the columns of `x` are aligned by blanks, and have no delimiter between them",
        "`--widths 5,9,rest` cuts the lines where the columns begin; `--delimiter ,` loads each line as one field",
    );
    refused(
        "s\tn   \ta  b\nT\t3  \t1  2\nV\t1\t4   -5\n",
        "the columns of `x` have tabs between them in some places and blanks in others",
        "`expand x > aligned.txt` makes columns of them, which can be cut by their widths; if only the tabs count, name the delimiter",
    );
    refused(
        "\n <!DOCTYPE html>\n<html><body>Sign in</body></html>\n",
        "`x` is a page of HTML, not a table",
        "a download that asks for a login or for consent is often such a page: look into the file",
    );
    let tar = "a.csv\0".to_owned() + &"\0".repeat(251) + "ustar\x0000";
    refused(
        &tar,
        "`x` is a tar archive, not a table as text",
        "load one of its files: `tar -xOf x MEMBER | inrush load - ..`",
    );
    refused("%PDF-1.7\n", "`x` is a PDF, not a table as text", "take its tables out first");
}

#[test]
fn blanks_within_a_field_are_its_own() {
    let tabs = "`\\t` between fields";
    check("id\ttext\n1\tin  short\n2\tone  2\n", tabs);
    check("id\ttext\n1  \t2\n3  \t4\n", tabs);
    check("id\ttext\n1\t2  3\n3\t4\n", tabs);
    let given = CsvOptions {
        delimiter: Some(b'\t'),
        auto_detect: AutoDetect { delimiter: false, ..ALL },
        ..CsvOptions::default()
    };
    assert!(of(b"id\ttext\n1\t2  3\n3\t4  5\n", b',', &given).is_ok());
}

#[test]
fn what_is_given_is_not_questioned() {
    let given = CsvOptions {
        delimiter: Some(b','),
        header: false,
        auto_detect: AutoDetect { delimiter: false, quote: false, header: false, skip: false, encoding: true },
        ..CsvOptions::default()
    };
    assert_eq!(of(b"id;name\n1;Ann\n", b',', &given).unwrap().differences(), "no header");
    let quote = CsvOptions { quote: None, auto_detect: AutoDetect { quote: false, ..ALL }, ..CsvOptions::default() };
    assert_eq!(of(b"a;b\n\"x;1\n\"y;2\n", b',', &quote).unwrap().differences(), "`;` between fields, no quotes");
}

#[test]
fn line_ends() {
    check("a;b\r1;2\r3;4\r", "`;` between fields, lines end with CR");
    check("a,b\r", "lines end with CR");
}

#[track_caller]
fn check_encoding(bytes: &[u8], want: &str) {
    let auto = CsvOptions { auto_detect: AutoDetect { encoding: true, ..ALL }, ..CsvOptions::default() };
    assert_eq!(of(bytes, b',', &auto).unwrap().differences(), want);
}

#[test]
fn encodings() {
    let utf_16 = |text: &str, bytes: fn(u16) -> [u8; 2]| text.encode_utf16().flat_map(bytes).collect::<Vec<_>>();
    let text = "id;name\n1;Ann\n2;Bjørn\n";
    check_encoding(&utf_16(text, u16::to_le_bytes), "`;` between fields, utf-16le");
    check_encoding(&utf_16(text, u16::to_be_bytes), "`;` between fields, utf-16be");
    check_encoding(&[&b"\xff\xfe"[..], &utf_16(text, u16::to_le_bytes)].concat(), "`;` between fields");
    check_encoding(text.as_bytes(), "`;` between fields");
    check_encoding(b"name,city\nJ\xf6rg,K\xf6ln\nBj\xf6rn,Malm\xf6\n", "windows-1252");
    let likely = |bytes: &[u8], is_all| {
        likely_encoding(Sample {
            name: "x",
            bytes,
            is_all,
            delimiter: b',',
            lacks_ends: false,
            wide: None,
            comment: None,
        })
        .unwrap_or_default()
    };
    assert_eq!(likely(b"J\xf6rg,K\xf6ln", true), "the file is most likely windows-1252: `--encoding auto` takes that");
    // A damaged place is no other encoding, nor is a sample that ends within a character, nor what its mark says.
    assert_eq!(likely("ä,ö,ü\n\u{fffd}".as_bytes(), true), "");
    assert_eq!(likely(b"\xc3\xa4,\xc3\xb6,\xff\n", true), "");
    assert_eq!(likely(b"abc\xc3", false), "");
    assert_eq!(likely(&[&b"\xff\xfe"[..], &utf_16(text, u16::to_le_bytes)].concat(), true), "");
    assert!(
        likely(b"\xef\xbb\xbfJ\xf6rg,K\xf6ln", true)
            .contains("`tail -c +4 x | inrush load - --encoding windows-1252 ..`")
    );
}

proptest::proptest! {
    /// Whatever the bytes are: an answer or an error, and the same one each time.
    #[test]
    fn any_bytes_are_looked_at(
        bytes in proptest::collection::vec(proptest::sample::select(&b"a1;,\t|\"'\\\r\n #-.\0\xe9\xff"[..]), 0..200),
        is_all in proptest::bool::ANY,
    ) {
        for options in [options(), skipping()] {
            let found = || sniff(Sample { name: "x", bytes: &bytes, is_all, delimiter: b',', lacks_ends: false, wide: None, comment: None }, &options);
            match (found(), found()) {
                (Ok(one), Ok(other)) => proptest::prop_assert_eq!(one, other),
                (Err(one), Err(other)) => proptest::prop_assert_eq!(one.message(), other.message()),
                _ => proptest::prop_assert!(false, "two answers"),
            }
        }
    }
}
