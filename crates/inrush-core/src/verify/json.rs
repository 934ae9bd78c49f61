//! Documents of JSON as bytes that are the same exactly for equal values: MySQL sorts the keys, leaves blanks out and writes numbers in its own way, while
//! MariaDB keeps the text as it came.
//!
//! Equal are 1, 1.0 and 1e0, strings by their characters, objects in any order of keys. Of a key that is there twice the last one counts, as on
//! MySQL. Numbers of more than 17 digits are compared by all of them.

use crate::column::json::{Limits, Scanner, Span, Text, Value, unescape};

/// The canonical bytes of a document; those of the text itself, with a mark, if it is not JSON.
pub(super) fn canonical(text: &[u8]) -> Vec<u8> {
    let whole = Span { start: 0, end: text.len() };
    let mut reader = Reader { text, scanner: Scanner::new(text, whole, Limits::default()) };
    let mut out = Vec::with_capacity(text.len());
    let is_whole = reader.value(&mut out, 0).is_some() && reader.scanner.token().is_none();
    match is_whole {
        true => out,
        false => [b"?", text].concat(),
    }
}

/// MySQL takes 100, MariaDB fewer.
const MOST_DEPTH: usize = 128;

struct Reader<'a> {
    text: &'a [u8],
    scanner: Scanner<'a>,
}

/// Each method returns `None` where the text is not JSON.
impl Reader<'_> {
    fn value(&mut self, out: &mut Vec<u8>, depth: usize) -> Option<()> {
        if depth > MOST_DEPTH {
            return None;
        }
        match self.scanner.token()? {
            b'{' => return self.object(out, depth),
            b'[' => return self.array(out, depth),
            b'-' | b'0'..=b'9' => return self.number(out),
            _ => {}
        }
        match self.scanner.scalar().ok()? {
            Value::String(text) => write_string(&self.string(text), out),
            Value::Bool(true) => out.push(b't'),
            Value::Bool(false) => out.push(b'f'),
            _ => out.push(b'n'),
        }
        Some(())
    }

    /// A string's bytes in UTF-8.
    fn string(&self, text: Text) -> Vec<u8> {
        let mut string = Vec::new();
        unescape(text.span.of(self.text), &mut string);
        string
    }

    fn array(&mut self, out: &mut Vec<u8>, depth: usize) -> Option<()> {
        self.scanner.takes(b'[');
        out.push(b'[');
        if !self.scanner.takes(b']') {
            loop {
                self.value(out, depth + 1)?;
                if self.scanner.takes(b']') {
                    break;
                }
                self.scanner.takes(b',').then_some(())?;
            }
        }
        out.push(b']');
        Some(())
    }

    fn object(&mut self, out: &mut Vec<u8>, depth: usize) -> Option<()> {
        self.scanner.takes(b'{');
        let mut members = std::collections::BTreeMap::new();
        if !self.scanner.takes(b'}') {
            loop {
                let key = self.scanner.key().ok()?;
                let key = self.string(key);
                let mut value = Vec::new();
                self.value(&mut value, depth + 1)?;
                members.insert(key, value);
                if self.scanner.takes(b'}') {
                    break;
                }
                self.scanner.takes(b',').then_some(())?;
            }
        }
        out.push(b'{');
        for (key, value) in members {
            write_string(&key, out);
            out.extend(value);
        }
        out.push(b'}');
        Some(())
    }

    /// MariaDB takes `1.` as well, which JSON does not have.
    fn number(&mut self, out: &mut Vec<u8>) -> Option<()> {
        let is_part = |byte: u8| byte.is_ascii_digit() || matches!(byte, b'-' | b'+' | b'.' | b'e' | b'E');
        let text = std::str::from_utf8(self.scanner.take_while(is_part)).ok()?;
        let exact = Decimal::parse(text)?;
        // Both servers keep these as they are.
        let is_integer =
            text.parse::<i128>().is_ok_and(|number| (i128::from(i64::MIN)..=i128::from(u64::MAX)).contains(&number));
        // Other numbers are DOUBLEs on MySQL: several texts of few digits may be one.
        let double = match is_integer || exact.digits.len() > 17 {
            true => None,
            false => text.parse::<f64>().ok().filter(|double| double.is_finite() && *double != 0.0),
        };
        let decimal = double.and_then(|double| Decimal::parse(&format!("{double:e}"))).unwrap_or(exact);
        out.push(b'#');
        out.extend(
            format!("{}{}e{};", if decimal.is_negative { "-" } else { "" }, decimal.digits, decimal.exponent).bytes(),
        );
        Some(())
    }
}

/// `digits * 10^exponent`, without zeros at either end of the digits; zero has none.
struct Decimal {
    is_negative: bool,
    digits: String,
    exponent: i64,
}

impl Decimal {
    fn parse(text: &str) -> Option<Self> {
        let (is_negative, text) = text.strip_prefix('-').map_or((false, text), |text| (true, text));
        let (mantissa, exponent) = match text.split_once(['e', 'E']) {
            Some((mantissa, exponent)) => (mantissa, exponent.parse::<i32>().ok()?),
            None => (text, 0),
        };
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let all = format!("{whole}{fraction}");
        if whole.is_empty() || !all.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        let digits = all.trim_end_matches('0');
        let exponent = i64::from(exponent) - fraction.len() as i64 + (all.len() - digits.len()) as i64;
        let digits = digits.trim_start_matches('0').to_owned();
        match digits.is_empty() {
            true => Some(Self { is_negative: false, digits, exponent: 0 }),
            false => Some(Self { is_negative, digits, exponent }),
        }
    }
}

fn write_string(string: &[u8], out: &mut Vec<u8>) {
    out.extend(format!("\"{}:", string.len()).bytes());
    out.extend(string);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(one: &str, other: &str, is_equal: bool) {
        assert_eq!(canonical(one.as_bytes()) == canonical(other.as_bytes()), is_equal, "{one} and {other}");
    }

    #[test]
    fn equal_values() {
        check(r#"{"b":[1,{"x":null}],"a":true}"#, r#" { "a" : true, "b": [1, {"x": null}] } "#, true);
        check(r#"{"a":1,"a":2}"#, r#"{"a": 2}"#, true);
        for (one, other) in [
            ("1", "1.0"),
            ("1e2", "100.0"),
            ("-0", "0"),
            ("0.1", "0.10000000000000001"),
            ("1E-7", "0.0000001"),
            ("-2.50", "-2.5"),
        ] {
            check(one, other, true);
        }
        check("18446744073709551615", "18446744073709551615", true);
        // As MariaDB takes it.
        check("[1., 2.e5]", "[1, 2e5]", true);
        check("1.2345678901234567e22", "12345678901234567000000", true);
        check(r#""\u00fc\n\/\ud83d\ude00""#, "\"ü\\n/😀\"", true);
    }

    #[test]
    fn other_values() {
        for (one, other) in [
            ("1", "\"1\""),
            ("1", "true"),
            ("null", "\"null\""),
            ("[]", "{}"),
            ("[1,2]", "[2,1]"),
            ("[[1],2]", "[1,[2]]"),
            ("[\"a,b\"]", "[\"a\",\"b\"]"),
            ("{\"a\":1}", "{\"A\":1}"),
            ("\"a\"", "\"a \""),
            ("\"\"", "null"),
            ("9007199254740993", "9007199254740992"),
            ("18446744073709551615", "18446744073709551614"),
            ("0.1", "0.10000000000000002"),
            ("1e-300", "1e-299"),
            ("1", "-1"),
            ("1", "1x"),
            ("{\"a\":1}", "{\"a\":1"),
        ] {
            check(one, other, false);
        }
    }

    #[test]
    fn what_is_not_json_is_compared_as_it_is() {
        check("{a:1}", "{a:1}", true);
        check("{a:1}", "{a: 1}", false);
        check("\"\\ud800\"", "\"\\ud800\"", true);
        let deep = "[".repeat(100_000);
        check(&deep, &deep, true);
        check("1e99999999999", "1e99999999998", false);
    }
}
