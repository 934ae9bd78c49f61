use super::*;

/// What a document becomes, however its reads are cut.
#[track_caller]
fn lines(document: &str, path: Option<&[&str]>) -> Result<String, String> {
    let path: Option<Vec<String>> = path.map(|path| path.iter().map(|key| (*key).to_owned()).collect());
    let read = |piece: usize| {
        let bytes = Pieces { bytes: document.as_bytes(), piece };
        let mut text = String::new();
        Elements::new(bytes, path.as_deref()).read_to_string(&mut text).map(|_| text).map_err(|e| e.to_string())
    };
    let whole = read(usize::MAX);
    for piece in [1, 2, 3, 7] {
        assert_eq!(read(piece), whole, "{document} in pieces of {piece}");
    }
    whole
}

struct Pieces<'a> {
    bytes: &'a [u8],
    piece: usize,
}

impl Read for Pieces<'_> {
    fn read(&mut self, space: &mut [u8]) -> io::Result<usize> {
        let n = self.piece.min(space.len());
        self.bytes.read(&mut space[..n])
    }
}

#[test]
fn documents_become_lines() {
    let check = |document: &str, want: &str| assert_eq!(lines(document, None).unwrap(), want, "{document}");
    check(r#"[{"a":1},{"a":2}]"#, "{\"a\":1}\n{\"a\":2}\n");
    check("\u{feff} [\n {\n\"a\": 1,\r\n \"b\": [1,\n2] }\n,\n{}\n]\n", "{ \"a\": 1,   \"b\": [1, 2] }\n{}\n");
    check(r#"[{"a":"}],\\\"["}]"#, "{\"a\":\"}],\\\\\\\"[\"}\n");
    check("[]", "");
    check("", "");
    check("  \n", "");
    check("[1, \"x\", null,true]", "1\n\"x\"\nnull\ntrue\n");
    // JSON Lines, and objects over several lines.
    check("{\"a\":1}\n{\"a\":2}\n", "{\"a\":1}\n{\"a\":2}\n");
    check("{\n\"a\":\n1}\n\n{\"a\":2}", "{ \"a\": 1}\n{\"a\":2}\n");
    check("7", "7\n");
    // Only a document that begins with an array is one.
    check("{\"a\":1}\n[{\"a\":2}]\n", "{\"a\":1}\n[{\"a\":2}]\n");
    // A line end within a string is no JSON, and stays to be refused.
    check("[{\"a\":\"x\ny\"}]", "{\"a\":\"x\ny\"}\n");
}

#[test]
fn a_path_leads_to_an_array() {
    let document = r#"{"note":"\"rows\":[1]","meta":{"rows":[9],"n":2},"data":{"x":[{}],"rows":[{"a":1},{"a":2}],"y":3},"rows":4}"#;
    let check = |path: &[&str], want: Result<&str, &str>| {
        let got = lines(document, Some(path));
        assert_eq!(got.as_ref().map(String::as_str).map_err(String::as_str), want, "{path:?}");
    };
    check(&["data", "rows"], Ok("{\"a\":1}\n{\"a\":2}\n"));
    check(&["meta"], Ok("{\"rows\":[9],\"n\":2}\n"));
    check(&[], Ok(&format!("{document}\n")));
    check(&["data", "none"], Err("there is no such key as `--json-path` names"));
    check(&["none"], Err("there is no such key as `--json-path` names"));
    check(&["rows"], Err("what `--json-path` names is neither an array nor an object"));
    check(&["note"], Err("what `--json-path` names is neither an array nor an object"));
}

#[test]
fn what_is_cut_is_no_shorter_array() {
    let check = |document: &str, path: Option<&[&str]>, want: &str| {
        assert_eq!(lines(document, path).unwrap_err(), want, "{document}");
    };
    check("[{\"a\":1},", None, "the document ends inside of its array");
    check("[{\"a\":1}", None, "the document ends inside of its array");
    check("[{\"a\":", None, "the document ends inside of its array");
    check("{\"a\":", None, "the document ends inside of its array");
    check("{\"a\":", Some(&["a"]), "the document ends before the array that `--json-path` names");
    check("{\"a\":[1", Some(&["a"]), "the document ends inside of its array");
    check("[1][2]", None, "something follows what should be all");
    check("{\"a\":1}{\"a\":2}", Some(&[]), "something follows what should be all");
    check("[1},2]", None, "a `}` or `,` stands where a value begins");
    check("]", None, "a `]` closes nothing");
}

#[test]
fn a_key_of_the_path_that_stands_twice_is_refused() {
    let check = |document: &str, path: &[&str], want: Result<&str, &str>| {
        let got = lines(document, Some(path));
        assert_eq!(got.as_ref().map(String::as_str).map_err(String::as_str), want, "{document}");
    };
    let twice = Err("a key that `--json-path` names stands twice in its object");
    check(r#"{"rows":[{"a":1}],"rows":[{"a":2}]}"#, &["rows"], twice);
    check(r#"{"data":{"rows":[1]},"n":{"data":1},"data":{"rows":[2]}}"#, &["data", "rows"], twice);
    check(r#"{"data":{"rows":[1],"rows":7}}"#, &["data", "rows"], twice);
    check(r#"{"row":{"a":1},"row":{"a":2}}"#, &["row"], twice);
    check(r#"{"data":{"rows":[1],"data":2},"rows":3} "#, &["data", "rows"], Ok("1\n"));
    check(r#"{"rows":[1],"n":{"rows":[2]}}"#, &["rows"], Ok("1\n"));
    // Text after the document is not another document, and a cut document is reported as cut.
    check("{\"rows\":[1]}\n{\"rows\":[2]}", &["rows"], Err("something follows what should be all"));
    check(r#"{"rows":[1],"n":{"#, &["rows"], Err("the document ends inside of the object around its array"));
    check(r#"{"rows":[1]"#, &["rows"], Err("the document ends inside of the object around its array"));
    check(r#"{"rows":[1]]"#, &["rows"], Err("no key stands where one begins"));
}

#[test]
fn an_object_around_arrays_is_found_out() {
    let check = |sample: &str, want: &[&str]| assert_eq!(only_object(sample.as_bytes()).arrays, want, "{sample}");
    check(r#"{"type":"x","features":[{"a":1}],"n":1.5,"tags":["a"],"more": [ {"#, &["features", "more"]);
    check(r#"{"a":{"b":[{}]},"c":null,"d":"[{","e":[{"x":"]}"}]}"#, &["e"]);
    check("{\"a\":[{}]}\n{\"a\":[{}]}\n", &[]);
    check(r#"{"a":1}"#, &[]);
    check("[{}]", &[]);
    check("", &[]);
    check(r#"{"a"#, &[]);
}
