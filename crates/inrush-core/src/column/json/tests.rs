//! One line at a time.

use crate::column::json::*;

#[test]
fn members_with_all_kinds_of_values() {
    let line =
        r#" {"a":1, "b" : -0.5e+10 ,"c":"x","d":true,"e":false,"f":null,"g":[1,{"h":[]}],"i":{"j":"}"},"k":"\"\\"} "#;
    check(
        line,
        &[
            "a=1",
            "b=-0.5e+10",
            "c='x'",
            "d=true",
            "e=false",
            "f=null",
            r#"g=[1,{"h":[]}]"#,
            r#"i={"j":"}"}"#,
            r#"k='"\'"#,
        ],
    );
    check("{}", &[]);
    check("{ }", &[]);
}

#[test]
fn escapes() {
    check(r#"{"\u0061\n":"\b\f\n\r\t\/\"\\\u00e9\ud83d\ude00"}"#, &["a\n='\u{8}\u{c}\n\r\t/\"\\é😀'"]);
    check(r#"{"zero":"\u0000"}"#, &["zero='\0'"]);
}

#[test]
fn what_is_no_json_is_named_with_its_place() {
    bad("", "it is no object", 0);
    bad("[1]", "it is no object", 0);
    bad("{", "a string is missing", 1);
    bad("{1:2}", "a string is missing", 1);
    bad(r#"{"a"}"#, "`:` is missing", 4);
    bad(r#"{"a":}"#, "a value is missing", 5);
    bad(r#"{"a":tru}"#, "a value is missing", 5);
    bad(r#"{"a":1 "b":2}"#, "`,` or `}` is missing", 7);
    bad(r#"{"a":1,}"#, "a string is missing", 7);
    bad(r#"{"a":1} x"#, "something follows the object", 8);
    bad(r#"{"a":01}"#, "`,` or `}` is missing", 6);
    bad(r#"{"a":.5}"#, "a value is missing", 5);
    bad(r#"{"a":1.}"#, "a digit is missing", 7);
    bad(r#"{"a":1e}"#, "a digit is missing", 7);
    bad(r#"{"a":-}"#, "a digit is missing", 6);
    bad(r#"{"a":"b"#, "a string does not end", 7);
    bad("{\"a\":\"b\tc\"}", "a control character stands in a string", 7);
    bad(r#"{"a":"\x"}"#, "an escape that JSON does not have", 7);
    bad(r#"{"a":"\u12g4"}"#, DIGITS, 8);
    bad(r#"{"a":"\u12"#, DIGITS, 8);
    bad(r#"{"a":"\ud800"}"#, HALF, 12);
    bad(r#"{"a":"\udc00"}"#, HALF, 12);
    bad(r#"{"a":"\ud800\u0041"}"#, HALF, 18);
    bad(r#"{"a":[1}"#, "`,` or a closing bracket is missing", 7);
    bad(r#"{"a":{"b" 1}}"#, "`:` is missing", 10);
    bad(r#"{"a":[1,]}"#, "a value is missing", 8);
    bad(r#"{"a":NaN}"#, "a value is missing", 5);
}

#[test]
fn nesting_is_bounded() {
    let nested = |n: usize| format!("{{\"a\":{}{}}}", "[".repeat(n), "]".repeat(n));
    check(&nested(100), &[&format!("a={}{}", "[".repeat(100), "]".repeat(100))]);
    assert_eq!(scan(&nested(101)).unwrap_err(), Fault { what: What::Depth, at: 105 });
    assert!(scan(&"{\"a\":[".repeat(100_000)).is_err());
}

#[test]
fn every_front_of_a_line_is_bad() {
    let line = r#"{"a":[1,{"b":"\u00e9"}],"c":-1.5e3,"d":"x"}"#;
    for cut in 0..line.len() {
        assert!(scan(&line[..cut]).is_err(), "{}", &line[..cut]);
    }
}

/// Checks what a line holds, also in the middle of a text.
#[track_caller]
fn check(line: &str, want: &[&str]) {
    assert_eq!(scan(line).unwrap(), want);
}

#[track_caller]
fn bad(line: &str, what: &'static str, at: usize) {
    let fault = scan(line).unwrap_err();
    assert_eq!(fault, Fault { what: What::Grammar(what), at });
}

fn scan(line: &str) -> Result<Vec<String>, Fault> {
    let text = format!("{{\"before\":1}}\n{line}\n{{\"behind\":2}}\"");
    let start = text.find('\n').unwrap() + 1;
    let said = |text: &str, string: Text| {
        let mut plain = Vec::new();
        unescape(string.span.of(text.as_bytes()), &mut plain);
        assert!(string.escaped || plain == string.span.of(text.as_bytes()));
        String::from_utf8(plain).unwrap()
    };
    let mut found = Vec::new();
    let span = Span { start, end: start + line.len() };
    let scanned = Scanner::new(text.as_bytes(), span, Limits::default()).object(|key, value| {
        let value = match value {
            Value::Null => "null".to_owned(),
            Value::Bool(value) => value.to_string(),
            Value::Number(span) | Value::Nested(span) => text[span.start..span.end].to_owned(),
            Value::String(string) => format!("'{}'", said(&text, string)),
        };
        found.push(format!("{}={value}", said(&text, key)));
        Ok(())
    });
    scanned.map(|()| found).map_err(|fault: Fault| Fault { at: fault.at - start, ..fault })
}
