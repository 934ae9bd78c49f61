//! What makes no sense together; words; names of options in messages.

use super::*;
use inrush_core::front_end;
use inrush_core::load::widen::Needed;
use std::path::Path;

#[test]
fn words() {
    assert_eq!(BadRows::parse("skip"), Some(BadRows::Skip));
    assert_eq!(BadRows::parse("divert:a:b.csv"), Some(BadRows::Divert("a:b.csv".into())));
    for wrong in ["", "divert", "divert:", "keep", "stop:x"] {
        assert_eq!(BadRows::parse(wrong), None, "{wrong}");
    }
    assert_eq!((Sort::parse("server"), Sort::parse("Key")), (Some(Sort::Server), None));
    assert_eq!(Guarantee::parse("at-least-once"), Some(Guarantee::AtLeastOnce));
    assert_eq!(Guarantee::parse("once"), None);
    assert_eq!([MinRows::parse("10"), MinRows::parse("90%")], [MinRows::Rows(10), MinRows::Percent(90.0)].map(Some));
    for wrong in ["", "%", "-1", "nan%", "-1%", "ten"] {
        assert_eq!(MinRows::parse(wrong), None, "{wrong}");
    }
}

#[test]
fn what_makes_no_sense_is_refused() {
    let wrong = [
        LoadOptions::default().with_lanes(0),
        LoadOptions::default().with_memory(LEAST_MEMORY - 1),
        LoadOptions::default().with_max_bad(MaxBad::Rows(5)),
        LoadOptions::default().with_truncate(true).with_min_rows(MinRows::Rows(5)),
        LoadOptions::default().with_new_columns(NewColumns::Add).with_mode(Mode::Delete),
        LoadOptions::default().with_needed([Needed::default()]).with_mode(Mode::Delete),
        LoadOptions::default().with_missing_columns(MissingColumns::Null).with_mode(Mode::Upsert),
        LoadOptions::default().with_missing_columns(MissingColumns::Error).with_mode(Mode::Delete),
    ];
    assert!(wrong.iter().all(|options| options.check().is_err()));
    assert!(LoadOptions::default().with_max_bad(MaxBad::Rows(5)).with_bad_rows(BadRows::Skip).check().is_ok());
}

#[track_caller]
fn check(most: MaxBad, rejected: u64, read: u64, at_end: bool, want: bool) {
    assert_eq!(most.is_exceeded(rejected, read, at_end), want);
}

#[test]
fn fewer_rows_than_must_be() {
    let reached = |least: MinRows, stored| least.is_reached(stored, 1000);
    assert_eq!([4, 5].map(|n| reached(MinRows::Rows(5), n)), [false, true]);
    assert_eq!([899, 900].map(|n| reached(MinRows::Percent(90.0), n)), [false, true]);
    let least = [
        (MinRows::Rows(5), 5),
        (MinRows::Percent(90.0), 900),
        (MinRows::Percent(89.95), 900),
        (MinRows::Percent(0.1), 1),
    ];
    assert_eq!(least.map(|(of, _)| of.least(1000)), least.map(|(_, n_rows)| n_rows));
    assert!(MinRows::Percent(90.0).is_reached(0, 0));
}

#[test]
fn as_many_as_allowed() {
    check(MaxBad::Rows(3), 3, 10, false, false);
}
#[test]
fn one_more() {
    check(MaxBad::Rows(3), 4, 10, false, true);
}
#[test]
fn none_allowed() {
    check(MaxBad::Rows(0), 1, 10, false, true);
}
#[test]
fn a_share_of_few_waits() {
    check(MaxBad::Percent(1.0), 5, 10, false, false);
}
#[test]
fn a_share_of_few_at_the_end() {
    check(MaxBad::Percent(1.0), 5, 10, true, true);
}
#[test]
fn a_share_of_many() {
    check(MaxBad::Percent(1.0), 101, 10_000, false, true);
    check(MaxBad::Percent(1.0), 100, 10_000, false, false);
}

/// A file or folder of the repository.
fn repository(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path)
}

/// The lines of all Rust files below, without comments and tests.
fn code_lines(folder: &Path, each: &mut impl FnMut(&Path, &str)) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_dir() && name != "tests" {
            code_lines(&path, each);
        } else if name.ends_with(".rs") && name != "tests.rs" {
            let text = std::fs::read_to_string(&path).unwrap();
            let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap();
            code.lines().filter(|line| !line.trim_start().starts_with("//")).for_each(|line| each(&path, line));
        }
    }
}

#[test]
fn every_option_that_a_message_names_has_its_names() {
    let known: Vec<_> = front_end::known().map(|(flag, _)| flag).collect();
    let mut unknown = Vec::new();
    for folder in ["crates/inrush/src/loader", "crates/inrush-core/src", "crates/inrush-files/src"] {
        code_lines(&repository(folder), &mut |path, line| {
            let options = line.split('`').flat_map(|part| part.split(' ')).filter_map(|word| word.strip_prefix("--"));
            let flag = |word: &str| word.split(|c: char| !c.is_ascii_lowercase() && c != '-').next().map(str::to_owned);
            let flags = options.filter_map(flag).filter(|flag| !flag.is_empty());
            unknown.extend(flags.filter(|flag| !known.contains(&flag.as_str())).map(|flag| (path.to_owned(), flag)));
        });
    }
    // Of the server, of the program that computes formulas, of that of a store, and of mydumper.
    let others = ["read-only", "headless", "convert-to", "outdir", "profile", "set-names", "build-empty-files"];
    // Masks, exports and whole dumps are the command's alone.
    let of_command = ["mask", "mask-strict", "dry-run", "lanes", "rename", "only", "rows-only"];
    let others = [&others[..], &of_command[..]].concat();
    unknown.retain(|(path, flag)| !path.ends_with("front_end.rs") && !others.contains(&flag.as_str()));
    assert_eq!(unknown, []);
}

#[test]
fn every_name_is_there() {
    let read = |path: &str| std::fs::read_to_string(repository(path)).unwrap();
    let rust = [
        ("LoadOptions", read("crates/inrush/src/loader/options.rs")),
        ("CsvOptions", read("crates/inrush-files/src/dialect.rs")),
        ("ValueFormats", read("crates/inrush-files/src/formats.rs")),
    ];
    let python = read("python/src/inrush/_load.py");
    for (flag, setter) in front_end::known() {
        let setter = setter.split('(').next().unwrap();
        if let Some((of, method)) = setter.split_once("::")
            && let Some((_, text)) = rust.iter().find(|(known, _)| *known == of)
        {
            assert!(text.contains(&format!("    {method} => ")), "--{flag}: {setter}");
        }
        let argument = match flag {
            "create-table" => "create".to_owned(),
            "no-header" => "header".to_owned(),
            "job-name" => "job".to_owned(),
            // Python has no widening yet (`NOT_IN_PYTHON`).
            "forget" | "status" | "widen" => continue,
            flag => flag.replace('-', "_"),
        };
        assert!(python.contains(&format!("\n    {argument}: ")), "--{flag}: {argument}");
    }
}

#[test]
fn a_hint_has_the_names_of_who_asked() {
    let hint = |front_end| {
        let options = LoadOptions::default().with_max_bad(MaxBad::Rows(5));
        let config = crate::Config::from_url("mysql://nobody@localhost/none").unwrap();
        let loader = crate::Loader::new(config, "t").with_options(options).with_front_end(front_end);
        let error = loader.load(Vec::new()).unwrap_err();
        (error.message().to_owned(), error.hint().unwrap().to_owned())
    };
    let (message, library) = hint(front_end::FrontEnd::Library);
    assert!(message.starts_with("`LoadOptions::with_max_bad` has no meaning"), "{message}");
    assert!(library.starts_with("add `LoadOptions::with_bad_rows(BadRows::Skip)`"), "{library}");
    assert!(hint(front_end::FrontEnd::Command).1.starts_with("add `--bad-rows skip`"));
    assert!(hint(front_end::FrontEnd::Python).1.starts_with("add `bad_rows=\"skip\"`"));
}

/// The lines of Python that are made from the table: the file, between which lines they are, and they.
fn python_lines() -> [(&'static str, &'static str, &'static str, String); 5] {
    let mut lines = [const { String::new() }; 5];
    for option in LoadOption::ALL {
        let keyword = option.keyword();
        let (declared, value) = match option.value {
            OptionValue::Switch => ("bool = False", keyword.clone()),
            OptionValue::One { python, .. } => (python, keyword.clone()),
            OptionValue::Many { .. } | OptionValue::List { .. } => {
                ("Sequence[str] | str = ()", format!("_texts({keyword})"))
            }
        };
        let python_type = declared.split(" = ").next().unwrap();
        let help = front_end::FrontEnd::Python.names(option.help, false);
        lines[0] += &format!("    {keyword}: {python_type}\n");
        lines[1] += &format!("    {keyword}: {declared},\n");
        lines[2] += &wrapped(&format!("{keyword}: {}{}.", help[..1].to_lowercase(), &help[1..]));
        lines[3] += &format!("        \"{keyword}\": {value},\n");
        if option.is_of(DerivedLoad::Part) {
            lines[4] += &format!("    \"{keyword}\",\n");
        }
    }
    let [types, arguments, texts, values, of_parts] = lines;
    let load = "python/src/inrush/_load.py";
    [
        (load, "class LoadOptions(", "    create: ", types),
        (load, "def load(", "    create: ", arguments),
        (load, "    Args:\n", "        create: ", texts),
        (load, "    options: dict[str, Any] = {\n", "        \"create\": ", values),
        ("python/src/inrush/spark.py", "LOAD_OPTIONS = (\n", "    \"columns\",", of_parts),
    ]
}

/// A line of a docstring, in lines of at most 120 characters.
fn wrapped(text: &str) -> String {
    let (mut lines, mut line) = (String::new(), " ".repeat(7));
    for word in text.split(' ') {
        if line.chars().count() + word.chars().count() >= 120 {
            lines += &format!("{line}\n");
            line = " ".repeat(11);
        }
        line += &format!(" {word}");
    }
    format!("{lines}{line}\n")
}

/// `INRUSH_WRITE_OPTIONS=1` writes Python's lines.
#[test]
fn python_has_the_options_of_the_table() {
    for (file, section, last, lines) in python_lines() {
        let path = repository(file);
        let text = std::fs::read_to_string(&path).unwrap();
        let mut made = text.clone();
        let begin = made.find(section).unwrap();
        let first = lines.split([':', ',']).next().unwrap();
        let start = begin + made[begin..].find(&format!("\n{first}")).unwrap() + 1;
        let end = start + made[start..].find(&format!("\n{last}")).unwrap() + 1;
        made.replace_range(start..end, &lines);
        if std::env::var_os("INRUSH_WRITE_OPTIONS").is_some() {
            std::fs::write(&path, &made).unwrap();
        } else {
            assert!(made == text, "{file} lacks options: run this test with INRUSH_WRITE_OPTIONS=1");
        }
    }
}

#[test]
fn the_guide_has_the_options_of_the_table() {
    let guide = std::fs::read_to_string(repository("docs/load.md")).unwrap();
    for option in LoadOption::ALL {
        assert!(guide.contains(&format!("`--{}", option.name)), "docs/load.md lacks `--{}`", option.name);
    }
}
