//! Mappings, a case a line: what is accepted, and that every mistake is named.

use super::*;

fn column(name: &str) -> Column {
    let ty = ColumnType::Int { bytes: 4, unsigned: false, bool: false };
    Column {
        name: name.into(),
        ty,
        nullable: true,
        optional: true,
        auto_increment: false,
        generated: false,
        charset: None,
    }
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

fn plan(fields: &str, matching: Matching) -> Result<Plan> {
    let fields: Vec<String> = fields.split(',').map(str::to_owned).collect();
    Plan::new("people.csv", &fields, &matching, &people(), Mode::Insert)
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
}
#[test]
fn a_required_column_is_missing() {
    refused("id,age", Matching::ByName, &["`name` is NOT NULL without a default"]);
}
#[test]
fn what_makes_no_rows_needs_no_values_for_them() {
    let fields = ["id", "age"].map(str::to_owned);
    for mode in Mode::ALL {
        let plan = Plan::new("people.csv", &fields, &Matching::ByName, &people(), mode);
        assert_eq!(plan.is_ok(), matches!(mode, Mode::Update | Mode::Delete), "{mode}");
    }
}
#[test]
fn a_delete_keeps_its_key_alone() {
    let mut plan = plan("age,name,id", Matching::ByName).unwrap();
    plan.keep(&["id".into()]);
    assert_eq!((plan.uses[0].index, plan.uses.len(), plan.columns[0].name.as_str()), (2, 1, "id"));
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
