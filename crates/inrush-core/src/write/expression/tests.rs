//! Which texts are one expression, where their fields are, and which texts are refused.

use crate::write::expression::*;

/// The column, and the expression with each field as `<name>`.
#[track_caller]
fn check(text: &str, want: &str) {
    let computed = Computed::parse(text).unwrap();
    let shown = computed.parts.iter().map(|part| match part {
        Part::Sql(sql) => sql.clone(),
        Part::Field(name) => format!("<{name}>"),
    });
    assert_eq!(format!("{} = {}", computed.column, shown.collect::<String>()), want);
}

#[track_caller]
fn refused(text: &str, why: &str) {
    let error = Computed::parse(text).unwrap_err();
    assert!(error.message().contains(why), "{error}");
}

#[test]
fn constants_and_functions() {
    check("loaded_at=NOW()", "loaded_at = NOW()");
    check(" `country` = 'NZ' ", "country = 'NZ'");
    check("a=b=1", "a = b=1");
    check("x=CONCAT('a,b;(', \"@c\", '--')", "x = CONCAT('a,b;(', \"@c\", '--')");
}
#[test]
fn fields() {
    check("total=@price*@qty", "total = <price>*<qty>");
    check("t=NULLIF(@`first name`, '')", "t = NULLIF(<first name>, '')");
    check("t=@größe+@@session.auto_increment_offset", "t = <größe>+@@session.auto_increment_offset");
    check("t=@a", "t = <a>");
    check("t='it''s @x' + @y", "t = 'it''s @x' + <y>");
}
#[test]
fn what_is_not_one_expression() {
    refused("total", "no `=`");
    refused("=1", "names no column");
    refused("a= ", "no expression");
    refused("a=1;DROP TABLE t", "`;`");
    refused("a=1, b=2", "comma outside");
    refused("a=(1", "brackets");
    refused("a=1)+(2", "brackets");
    refused("a='x", "quote stays open");
    refused("a=1 -- x", "comment");
    refused("a=1 /* x */", "comment");
    refused("a=@ 1", "name is missing");
    refused("a=@``", "name is missing");
}
#[test]
fn numbered() {
    let computed = Computed::parse("t=@a*(@b+@a)").unwrap();
    assert_eq!(computed.fields().collect::<Vec<_>>(), ["a", "b", "a"]);
    let number = |name: &str| ["b", "a"].iter().position(|known| *known == name);
    assert_eq!(computed.numbered(number).unwrap().sql(|n| format!("#{n}")), "#1*(#0+#1)");
    assert_eq!(computed.numbered(|_| None), None);
}
