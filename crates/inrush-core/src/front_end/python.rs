//! Options as arguments of Python: `--bad-rows skip`, between backticks, becomes `bad_rows="skip"`.

/// The text with the command's options as arguments. One without a value is to be switched on where the text is a `hint`.
pub(super) fn in_python(text: &str, is_hint: bool) -> String {
    let part = |(at, part): (usize, &str)| match at % 2 {
        1 if part.starts_with("--") => arguments(part, is_hint),
        1 if part.starts_with(FORGET) => forgets(&part[FORGET.len()..]),
        _ => part.to_owned(),
    };
    text.split('`').enumerate().map(part).collect::<Vec<_>>().join("`")
}

const FORGET: &str = "inrush load --forget ";

/// Options as they are written for a shell.
fn arguments(options: &str, is_hint: bool) -> String {
    let mut words = words(options).into_iter().peekable();
    let mut all = Vec::new();
    while let Some(option) = words.next() {
        let Some(name) = option.strip_prefix("--") else {
            // No option and no value of one: prose.
            return options.to_owned();
        };
        let value = match name.split_once('=') {
            Some((_, value)) => Some(value.to_owned()),
            None => words.next_if(|word| !word.starts_with("--")),
        };
        let name = name.split('=').next().unwrap_or_default().trim_end_matches(',').replace('-', "_");
        let name = if name == "job_name" { "job".to_owned() } else { name };
        all.push(match (&*name, value) {
            ("no_header", None) if is_hint => "header=False".into(),
            ("no_header", None) => "header".into(),
            ("create_table", None) => "create=True".into(),
            ("columns" | "key", Some(value)) => format!("{name}=[{}]", list(&value)),
            (_, Some(value)) if value.bytes().all(|byte| byte.is_ascii_digit()) && !value.is_empty() => {
                format!("{name}={value}")
            }
            (_, Some(value)) => format!("{name}={}", quoted(&value)),
            (_, None) if is_hint => format!("{name}=True"),
            (_, None) => name,
        });
    }
    all.join(", ")
}

fn forgets(ids: &str) -> String {
    let forget = |id: String| format!("inrush.forget({}, url)", quoted(&id));
    words(ids).into_iter().map(forget).collect::<Vec<_>>().join("; ")
}

fn list(names: &str) -> String {
    names.split(',').map(|name| quoted(name.trim())).collect::<Vec<_>>().join(", ")
}

/// A text as Python writes it.
fn quoted(text: &str) -> String {
    let mut quoted = String::from('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            '\t' => quoted += "\\t",
            c if c.is_ascii_control() => quoted += &format!("\\x{:02x}", c as u32),
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

/// The words of a shell's line: `'a b'`, `"a b"`, `$'\x1f'` are one each.
pub(super) fn words(line: &str) -> Vec<String> {
    let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None);
    let mut chars = line.chars().peekable();
    while let Some(c) = chars.next() {
        match (c, quote) {
            (c, Some((open, _))) if c == open => quote = None,
            ('\\', Some((_, true))) => {
                let escaped: String = chars.by_ref().take_while(|c| *c != '\'').collect();
                let byte = escaped.strip_prefix('x').and_then(|hex| u8::from_str_radix(hex, 16).ok());
                word.get_or_insert_default().push(byte.map_or('\t', char::from));
                quote = None;
            }
            ('$', None) if chars.peek() == Some(&'\'') => {
                chars.next();
                quote = Some(('\'', true));
                word.get_or_insert_default();
            }
            ('\'' | '"', None) => {
                quote = Some((c, false));
                word.get_or_insert_default();
            }
            (' ', None) => words.extend(word.take()),
            (c, _) => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    words
}

#[cfg(test)]
mod tests;
