use super::*;

#[track_caller]
fn check(text: &str, want: &str) {
    assert_eq!(in_python(text, true), want);
}

#[test]
fn options_become_arguments() {
    check("`--bad-rows divert:rejected.csv` loads the rest", "`bad_rows=\"divert:rejected.csv\"` loads the rest");
    check("say which: `--header` or `--no-header`", "say which: `header=True` or `header=False`");
    check("`--skip 1 --no-header` takes", "`skip=1, header=False` takes");
    check("`--quote '' --escape '\\'` reads", "`quote=\"\", escape=\"\\\\\"` reads");
    check("`--delimiter $'\\x1f'`", "`delimiter=\"\\x1f\"`");
    check("`--delimiter '\\t'`", "`delimiter=\"\\\\t\"`");
    check("`--quote \"'\"` reads `'` as quotes", "`quote=\"'\"` reads `'` as quotes");
    check("`--quote '\"'`", "`quote=\"\\\"\"`");
    check("`--type 'zip=CHAR(5)'`", "`type=\"zip=CHAR(5)\"`");
    check("`--columns a,b,@skip` names", "`columns=[\"a\", \"b\", \"@skip\"]` names");
    check("`--create-table`", "`create=True`");
    check("`--truncate` or `--replace-table`", "`truncate=True` or `replace_table=True`");
    check("`--limit=5`", "`limit=5`");
    check("`inrush load --forget 12ab 34cd` and", "`inrush.forget(\"12ab\", url); inrush.forget(\"34cd\", url)` and");
    check("`sed s/a/b/ x.csv | inrush load - --skip 1`", "`sed s/a/b/ x.csv | inrush load - --skip 1`");
    check("no option -- at all", "no option -- at all");
    assert_eq!(in_python("`--again` was given", false), "`again` was given");
    assert_eq!(in_python("`--no-header` has no meaning", false), "`header` has no meaning");
}
