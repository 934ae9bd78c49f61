use super::*;

#[test]
fn names_match_as_in_a_shell() {
    let check = |pattern: &str, yes: &[&str], no: &[&str]| {
        yes.iter().for_each(|name| assert!(is_like(name, pattern), "{pattern} {name}"));
        no.iter().for_each(|name| assert!(!is_like(name, pattern), "{pattern} {name}"));
    };
    check(
        "part-*.csv",
        &["part-1.csv", "part-.csv", "part-a.csv.csv"],
        &["part-1.csv.gz", "apart-1.csv", "part-1_csv"],
    );
    check("*", &["a", "a.b"], &[".hidden"]);
    check(".*", &[".hidden"], &["a"]);
    check("a?c", &["abc", "a\u{e9}c"], &["ac", "abbc"]);
    check("[a-c1]x", &["ax", "cx", "1x"], &["dx", "-x", "x"]);
    check("[!a-c]x", &["dx"], &["ax"]);
    check("[]]x", &["]x"], &["x"]);
    check("[a", &["[a"], &["a"]);
    check("*a*b*c", &["abc", "xaxxbxxbc"], &["acb", "ab"]);
    check("**", &["", "a"], &[]);
}

#[test]
fn patterns_and_folders_become_files() {
    let dir = tempfile::tempdir().unwrap();
    for path in ["b/2.csv", "b/10.csv", "b/1.csv", "b/.hidden", "c/1.csv", "c/deep/1.csv", "[1].csv", "x1.csv"] {
        let path = dir.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "a\n").unwrap();
    }
    let root = dir.path().to_str().unwrap();
    let expanded = |patterns: &[&str]| -> std::result::Result<Vec<String>, String> {
        let patterns: Vec<_> = patterns.iter().map(|pattern| format!("{root}/{pattern}")).collect();
        let files = expand(&patterns).map_err(|e| e.message().replace(root, "."))?;
        Ok(files.iter().map(|file| file.replace(&format!("{root}/"), "")).collect())
    };
    let check = |patterns: &[&str], want: &[&str]| assert_eq!(expanded(patterns).unwrap(), want, "{patterns:?}");
    check(&["b/*.csv"], &["b/1.csv", "b/10.csv", "b/2.csv"]);
    check(&["b"], &["b/1.csv", "b/10.csv", "b/2.csv"]);
    check(&["*/1.csv"], &["b/1.csv", "c/1.csv"]);
    check(&["?/*/1.csv"], &["c/deep/1.csv"]);
    check(&["c"], &["c/1.csv"]);
    check(&["[1].csv"], &["[1].csv"]);
    check(&["x[1].csv"], &["x1.csv"]);
    check(&["b/2.csv", "b/*"], &["b/2.csv", "b/1.csv", "b/10.csv"]);
    check(&["absent.csv"], &["absent.csv"]);
    assert_eq!(expanded(&["*.tsv"]).unwrap_err(), "no file is named like `./*.tsv`");
    fs::create_dir(dir.path().join("empty")).unwrap();
    assert_eq!(expanded(&["empty"]).unwrap_err(), "there is no file in the folder `./empty`");
}
