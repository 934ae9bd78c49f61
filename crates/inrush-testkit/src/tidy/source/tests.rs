use super::*;

#[track_caller]
fn check(text: &str, want: &[&str]) {
    let paths: Vec<_> = Source::read(text).paths.into_iter().map(|path| path.join("::")).collect();
    assert_eq!(paths, want);
}

#[test]
fn groups_of_groups() {
    check("use crate::{a::{B, C as D}, e};", &["crate::a::B", "crate::a::C", "crate::e"])
}
#[test]
fn the_module_itself() {
    check("use super::a::{self, B};", &["super::a", "super::a::B"])
}
#[test]
fn a_glob() {
    check("pub use a::b::*; use c::{d::*, E};", &["a::b", "c::E", "c::d"])
}
#[test]
fn paths_in_code() {
    check("fn f(x: a::B) -> Vec<c::D> { x.g::<u8>(e::h()) }", &["a::B", "c::D", "e::h"])
}
#[test]
fn in_macros() {
    check("$crate::a::B; quote!(a::C)", &["a::C", "crate::a::B"])
}
#[test]
fn comments_and_literals_are_not_code() {
    check("// a::B\n/* a::C */ \"a::\\\"D\"; r#\"a::\"E\"#; b\"a::F\"; '\"'; b'\\''; a::G; '\"';", &["a::G"])
}
#[test]
fn lifetimes_are_no_characters() {
    check("fn f<'a>(x: &'a a::B<'a>) {}", &["a::B"])
}
#[test]
fn tests_are_left_out() {
    let text = "#[cfg(test)]\nmod tests { use a::B; fn f() { {} } }\n#[cfg(test)] use a::{C, D};\n\
                #[cfg(test)] #[track_caller] fn f(x: [u8; 3]) { a::E } use a::F;";
    check(text, &["a::F"]);
}
#[test]
fn names_and_items() {
    let source = Source::read("pub use a::B as C; struct D; const fn e() {} mod f;");
    assert_eq!(source.names, BTreeMap::from([("C".into(), vec!["a".into(), "B".into()])]));
    assert_eq!(source.defined.into_iter().collect::<Vec<_>>(), ["D", "e", "f"]);
}
