//! Mappings, a case a line: what is accepted, and that every mistake is named.

use crate::load::MissingColumns;
use crate::load::plan::*;

fn column(name: &str) -> Column {
    let ty = ColumnType::Int { bytes: 4, unsigned: false, bool: false };
    Column::new(name, ty)
}

/// `people`: id auto-increment, name NOT NULL text, age nullable INT, `double_age` generated.
fn people() -> Table {
    let id = Column { nullable: false, auto_increment: true, ..column("id") };
    let name = Column { nullable: false, optional: false, ty: ColumnType::VarChar { chars: 9 }, ..column("name") };
    let twice = Column { generated: true, ..column("double_age") };
    Table {
        schema: "shop".into(),
        name: "people".into(),
        engine: "InnoDB".into(),
        transactional: true,
        columns: vec![id, name, column("age"), twice],
    }
}

fn plan(fields: &str, matching: Matching) -> Result<LoadPlan> {
    let fields: Vec<String> = fields.split(',').map(str::to_owned).collect();
    LoadPlan::new("people.csv", &fields, &matching, &[], &people(), (Mode::Insert, Drift::default()))
}

#[track_caller]
fn fits(fields: &str, matching: Matching, want: &str) {
    let plan = plan(fields, matching).unwrap();
    let got: Vec<_> = plan
        .uses
        .iter()
        .zip(&plan.columns)
        .map(|(field, column)| format!("{}>{}{}", field.index, column.name, if field.empty_is_null { "?" } else { "" }))
        .collect();
    assert_eq!(got.join(" "), want);
}

#[track_caller]
fn refused(fields: &str, matching: Matching, want: &[&str]) {
    let error = plan(fields, matching).unwrap_err();
    for part in want {
        assert!(error.to_string().contains(part), "{error} lacks {part}");
    }
    assert_eq!(error.to_string().matches("\n  - ").count(), want.len(), "{error}");
}

fn listed(list: &str) -> Matching {
    Matching::Listed(FieldTarget::parse_list(list).unwrap())
}

#[test]
fn matched_by_header() {
    fits("name,age", Matching::ByName, "0>name 1>age?");
}
#[test]
fn order_and_case_do_not_matter() {
    fits("AGE, Name", Matching::ByName, "0>age? 1>name");
}
#[test]
fn matched_by_position() {
    fits("c1,c2,c3", Matching::ByPosition, "0>id? 1>name 2>age?");
}
#[test]
fn listed_with_a_skip() {
    fits("x,y,z", listed("age,@dummy,name"), "0>age? 2>name");
}
#[test]
fn every_mistake_at_once() {
    refused(
        "nmae,height,double_age,age,Age",
        Matching::ByName,
        &["did you mean `name`", "`height`", "generated", "more than one"],
    );
}
#[test]
fn a_name_of_one_letter_is_no_slip_of_another() {
    assert_eq!(nearest("x", ["a", "b"].into_iter()), None);
    assert_eq!(nearest("nmae", ["name", "age"].into_iter()), Some("name"));
    assert_eq!(nearest("ÄRA", ["name", "ära_"].into_iter()), Some("ära_"));
    assert_eq!(nearest("id", ["kind"].into_iter()), None);
    assert_eq!(nearest("idd", ["id", "kind"].into_iter()), Some("id"));
    let long = "n".repeat(65);
    assert_eq!(nearest(&long, [long.as_str()].into_iter()), None);
}
#[test]
fn a_required_column_is_missing() {
    refused("id,age", Matching::ByName, &["`name` is NOT NULL without a default"]);
}
#[test]
fn what_makes_no_rows_needs_no_values_for_them() {
    let fields = ["id", "age"].map(str::to_owned);
    for mode in Mode::ALL {
        let plan = LoadPlan::new("people.csv", &fields, &Matching::ByName, &[], &people(), (mode, Drift::default()));
        assert_eq!(plan.is_ok(), mode.is_by_key(), "{mode}");
    }
}
#[test]
fn a_delete_keeps_its_key_alone() {
    let mut plan = plan("age,name,id", Matching::ByName).unwrap();
    plan.keep(&["id".into()]);
    assert_eq!((plan.uses[0].index, plan.uses.len(), plan.columns[0].name.as_str()), (2, 1, "id"));
}
/// Which column each field fills, and what is computed; fields are given by their position among those that are read.
#[track_caller]
fn computes(fields: &str, matching: Matching, set: &[&str], want: Result<&str, &[&str]>) {
    let fields: Vec<String> = fields.split(',').map(str::to_owned).collect();
    let set: Vec<Computed> = set.iter().map(|text| Computed::parse(text).unwrap()).collect();
    match (LoadPlan::new("people.csv", &fields, &matching, &set, &people(), (Mode::Insert, Drift::default())), want) {
        (Ok(plan), Ok(want)) => {
            let uses = plan.uses.iter().zip(&plan.columns).map(|(field, c)| format!("{}>{}", field.index, c.name));
            let computed = plan.computed.iter().map(|(c, e)| format!("{}={}", c.name, e.sql(|n| format!("<{n}>"))));
            assert_eq!(uses.chain(computed).collect::<Vec<_>>().join(" "), want);
        }
        (Err(error), Err(want)) => {
            want.iter().for_each(|part| assert!(error.message().contains(part), "{error} lacks {part}"));
            assert_eq!(error.message().matches("\n  - ").count(), want.len(), "{error}");
        }
        (got, want) => panic!("{got:?}, not {want:?}"),
    }
}

#[test]
fn a_column_is_computed() {
    computes("name", Matching::ByName, &["age=1+1"], Ok("0>name age=1+1"));
    computes("name,born", Matching::ByName, &["age=2020-@born"], Ok("0>name 1>@born age=2020-<1>"));
    computes("a,b", listed("@name,age"), &["name=UPPER(@name)"], Ok("1>age 0>@name name=UPPER(<1>)"));
    computes("c1,c2", Matching::ByPosition, &["age=7"], Ok("0>id 1>name age=7"));
}
#[test]
fn what_is_computed_comes_before_the_field_of_its_name() {
    let set = ["name=CONCAT(@name, @age, @Name)"];
    computes("name,age", Matching::ByName, &set, Ok("1>age 0>@name 1>@age name=CONCAT(<1>, <2>, <1>)"));
}
#[test]
fn mistakes_of_what_is_computed() {
    let unknown = ["`--set` `nmae`: the table has no such column; did you mean `name`?", "no field `@x`"];
    computes("name,age", Matching::ByName, &["nmae=@x"], Err(&unknown));
    computes("name", Matching::ByName, &["double_age=1"], Err(&["`double_age` is generated"]));
    computes("name", Matching::ByName, &["age=1", "Age=2"], Err(&["`age` is computed by more than one"]));
    computes("age", Matching::ByName, &["id=1"], Err(&["`name` is NOT NULL without a default"]));
}
#[test]
fn a_delete_by_a_computed_key() {
    let fields = ["name", "age", "nr"].map(str::to_owned);
    let set = [Computed::parse("id=@nr+1").unwrap(), Computed::parse("age=1").unwrap()];
    let mode = (Mode::Delete, Drift::default());
    let mut plan = LoadPlan::new("p.csv", &fields, &Matching::ByName, &set, &people(), mode).unwrap();
    plan.keep(&["id".into()]);
    assert_eq!((plan.n_values, plan.columns.len(), plan.uses[0].index), (0, 1, 2));
    assert_eq!(plan.computed.iter().map(|(_, e)| e.sql(|n| n.to_string())).collect::<Vec<_>>(), ["0+1"]);
}
#[test]
fn too_few_by_position() {
    refused("c1,c2", Matching::ByPosition, &["2 fields, and the table has 3 columns"]);
}
#[test]
fn list_of_another_length() {
    refused("a,b", listed("name"), &["2 fields, and `--columns` names 1"]);
}
#[test]
fn list_with_an_unknown_name() {
    refused("a,b", listed("name,zzz"), &["`zzz`"]);
}
#[test]
fn nothing_goes_anywhere() {
    refused("a", listed("@a"), &["`name` is NOT NULL", "no field goes"]);
}
#[test]
fn an_empty_name_in_the_list() {
    assert!(FieldTarget::parse_list("a,,b").is_err());
}

#[track_caller]
fn drifts(fields: &str, matching: Matching, (new, missing): (NewColumns, MissingColumns), want: Result<&str, &[&str]>) {
    let fields: Vec<String> = fields.split(',').map(str::to_owned).collect();
    let mut table = people();
    table.columns.push(Column { has_default: true, ..column("since") });
    let drift = Drift { new, missing };
    match (LoadPlan::new("people.csv", &fields, &matching, &[], &table, (Mode::Insert, drift)), want) {
        (Ok(plan), Ok(want)) => {
            let filled: Vec<_> = plan.filled().into_iter().map(|column| column.name).collect();
            assert_eq!(format!("{} | {}", filled.join(" "), plan.left_out.join(" ")), want);
        }
        (Err(error), Err(want)) => {
            assert!(want.iter().all(|part| error.to_string().contains(part)), "{error}");
            assert_eq!(error.to_string().matches("\n  - ").count(), want.len(), "{error}");
        }
        (got, _) => panic!("{got:?}"),
    }
}

#[test]
fn fields_without_a_column_are_left_out() {
    let ignores = (NewColumns::Ignore, MissingColumns::Default);
    drifts("name,city,,age", Matching::ByName, ignores, Ok("name age | city field 3"));
    drifts("a,b", listed("name,city"), ignores, Ok("name | city"));
    drifts("city", Matching::ByName, ignores, Err(&["`name` is NOT NULL", "no field goes"]));
    drifts("c1,c2", Matching::ByPosition, ignores, Err(&["2 fields, and the table has 4 columns"]));
}
#[test]
fn fields_without_a_column_that_is_added_are_refused() {
    drifts("name,city", Matching::ByName, (NewColumns::Add, MissingColumns::Default), Err(&["`city`"]));
}
#[test]
fn columns_without_a_field() {
    let (null, error) = (MissingColumns::Null, MissingColumns::Error);
    drifts("name", Matching::ByName, (NewColumns::Error, null), Ok("name since | "));
    drifts("age,since", Matching::ByName, (NewColumns::Error, null), Err(&["column `name` is NOT NULL, and"]));
    drifts("name", Matching::ByName, (NewColumns::Error, error), Err(&["column `age`: no", "column `since`: no"]));
    drifts("name,age,since", Matching::ByName, (NewColumns::Error, error), Ok("name age since | "));
}
