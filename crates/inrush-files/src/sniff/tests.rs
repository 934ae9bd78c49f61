//! One case a line: a text, and what is found in it.

use super::*;
use crate::dialect::FindOut;

const ALL: FindOut = FindOut { delimiter: true, quote: true, header: true, skip: false, encoding: false };

fn options() -> CsvOptions {
    CsvOptions { find_out: ALL, ..CsvOptions::default() }
}

fn skipping() -> CsvOptions {
    CsvOptions { find_out: FindOut { skip: true, ..ALL }, ..CsvOptions::default() }
}

fn of(bytes: &[u8], delimiter: u8, options: &CsvOptions) -> Result<Found> {
    sniff(Sample { name: "x", bytes, is_all: true, delimiter }, options)
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
    assert_eq!(found("a\tb,c\nd\te,f\n"), b'\t');
    assert_eq!(found("a;b\n1;2\n"), b';');
    assert_eq!(found("a\n1\n"), b'\t');
}

#[test]
fn one_column() {
    check("name\nAnn\nBob\n", "");
    check("text\nHello, world\nGood bye\nWell, well, well\n", "");
    check("n\n1\n2\n", "");
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
    check("2019,2020\n", "");
    check("id,2\n", "");
    check("1,2\n,\n", "no header");
    check("Ann,1\nBob,2\n", "no header");
    // Texts under texts are a header, as ever.
    check("Ann,Berlin\nBob,Paris\n", "");
    // Years are names as well as numbers.
    check("country,2019,2020\nDE,1,2\nFR,3,4\n", "");
    check("id,2019,2020\n1,1,2\n", "");
    check("a,b\n", "");
    check("a,b\n,\n", "");
    refused(
        "id,5\n1,6\n2,7\n",
        "the first line of `x` may be a header or a row",
        "say which: `--header` or `--no-header`",
    );
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
    let given =
        CsvOptions { delimiter: Some(b'\t'), find_out: FindOut { delimiter: false, ..ALL }, ..CsvOptions::default() };
    assert!(of(b"id\ttext\n1\t2  3\n3\t4  5\n", b',', &given).is_ok());
}

#[test]
fn what_is_given_is_not_questioned() {
    let given = CsvOptions {
        delimiter: Some(b','),
        header: false,
        find_out: FindOut { delimiter: false, quote: false, header: false, skip: false, encoding: true },
        ..CsvOptions::default()
    };
    assert_eq!(of(b"id;name\n1;Ann\n", b',', &given).unwrap().differences(), "no header");
    let quote = CsvOptions { quote: None, find_out: FindOut { quote: false, ..ALL }, ..CsvOptions::default() };
    assert_eq!(of(b"a;b\n\"x;1\n\"y;2\n", b',', &quote).unwrap().differences(), "`;` between fields, no quotes");
}

#[test]
fn line_ends() {
    check("a;b\r1;2\r3;4\r", "`;` between fields, lines end with CR");
    check("a,b\r", "");
}

#[track_caller]
fn check_encoding(bytes: &[u8], want: &str) {
    let auto = CsvOptions { find_out: FindOut { encoding: true, ..ALL }, ..CsvOptions::default() };
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
    check_encoding(b"name,city\nJos\xe9,M\xe1laga\nBj\xf6rn,Malm\xf6\n", "windows-1252");
    assert!(likely_encoding(b"Jos\xe9,M\xe1laga", true).is_some());
    // A damaged place is no other encoding, nor is a sample that ends within a character.
    assert_eq!(likely_encoding("ä,ö,ü\n\u{fffd}".as_bytes(), true), None);
    assert_eq!(likely_encoding(b"\xc3\xa4,\xc3\xb6,\xff\n", true), None);
    assert_eq!(likely_encoding(b"abc\xc3", false), None);
}

proptest::proptest! {
    /// Whatever the bytes are: an answer or an error, and the same one each time.
    #[test]
    fn any_bytes_are_looked_at(
        bytes in proptest::collection::vec(proptest::sample::select(&b"a1;,\t|\"'\\\r\n #-.\0\xe9\xff"[..]), 0..200),
        is_all in proptest::bool::ANY,
    ) {
        for options in [options(), skipping()] {
            let found = || sniff(Sample { name: "x", bytes: &bytes, is_all, delimiter: b',' }, &options);
            match (found(), found()) {
                (Ok(one), Ok(other)) => proptest::prop_assert_eq!(one, other),
                (Err(one), Err(other)) => proptest::prop_assert_eq!(one.message(), other.message()),
                _ => proptest::prop_assert!(false, "two answers"),
            }
        }
    }
}
