use super::*;

#[track_caller]
fn check(columns: Columns<'_>, placeholders: &[&str], want: Result<&[&[Value<'_>]], (&str, &str)>) {
    let names: Vec<Box<str>> = placeholders.iter().filter(|name| **name != "?").map(|&name| name.into()).collect();
    match (columns.bind(&names, placeholders.len()), want) {
        (Ok(bound), Ok(want)) => {
            let mut values = Vec::new();
            (0..bound.n_rows()).for_each(|row| bound.row(row, &mut values).unwrap());
            assert_eq!((bound.n_rows(), &values), (want.len(), &want.concat()));
            for (from, to) in [(0, want.len()), (want.len() / 2, want.len()), (0, 0)] {
                let mut several = vec![Value::Default];
                bound.rows(from..to, &mut several).unwrap();
                assert_eq!(several[1..], want[from..to].concat());
            }
        }
        (Err(error), Err(want)) => assert_eq!((error.message(), error.hint().unwrap_or_default()), want),
        (got, want) => panic!("{:?} is not {want:?}", got.map(|rows| rows.n_rows())),
    }
}

const A1: Value<'static> = Value::Int(1);
const A2: Value<'static> = Value::Int(2);
const X: Value<'static> = Value::Text("x");
const Y: Value<'static> = Value::Text("y");

#[test]
fn columns_by_name_in_any_order_and_twice() {
    let columns = || Columns::default().with("a", &[1, 2]).with("b", &["x", "y"]);
    check(columns(), &["b", "a"], Ok(&[&[X, A1], &[Y, A2]]));
    check(columns(), &["a", "b", "a"], Ok(&[&[A1, X, A1], &[A2, Y, A2]]));
    check(columns(), &["A", "b"], Ok(&[&[A1, X], &[A2, Y]]));
}
#[test]
fn columns_by_position() {
    let columns = || Columns::default().with("b", &[1, 2]).with("any name", &["x", "y"]);
    check(columns(), &["?", "?"], Ok(&[&[A1, X], &[A2, Y]]));
    let want = ("the statement takes 3 values a row, not 2", "the columns are `b`, `any name`");
    check(columns(), &["?", "?", "?"], Err(want));
    check(Columns::default(), &["?"], Err(("the statement takes 1 values a row, not 0", "the columns are none")));
}
#[test]
fn one_value_for_all_rows() {
    let country = String::from("x");
    let columns = Columns::default().with("a", &[1, 2]).with("b", scalar(&country)).with("c", scalar(None::<i64>));
    check(columns, &["a", "b", "c"], Ok(&[&[A1, X, Value::Null], &[A2, X, Value::Null]]));
    let owned = Columns::default().with("a", scalar(country)).with("b", &[1]);
    check(owned, &["a", "b"], Ok(&[&[X, A1]]));
    let want = "no column says how many rows there are: each is one value for all of them";
    check(Columns::default().with("a", scalar(1)), &["a"], Err((want, "a column of one row is `&[value]`")));
}
#[test]
fn every_kind_of_slice() {
    let (texts, bytes) = (vec![String::from("x")], vec![b"x".to_vec()]);
    let may_be = [Some(1_u64), None];
    let columns = Columns::default().with("a", &texts).with("b", &bytes[..]).with("c", &may_be[..1]);
    check(columns, &["?", "?", "?"], Ok(&[&[X, Value::Bytes(b"x"), Value::UInt(1)]]));
    check(Columns::default().with("a", &may_be), &["a"], Ok(&[&[Value::UInt(1)], &[Value::Null]]));
    macro_rules! numbers {
        ($($ty:ty => $variant:ident),*) => { $(
            let numbers: Vec<$ty> = vec![1 as $ty, <$ty>::MAX];
            check(
                Columns::default().with("a", &numbers),
                &["a"],
                Ok(&[&[Value::$variant(1 as _)], &[Value::$variant(<$ty>::MAX as _)]]),
            );
        )* };
    }
    numbers!(i8 => Int, i16 => Int, i32 => Int, i64 => Int, isize => Int, u8 => UInt, u16 => UInt, u32 => UInt, u64 => UInt);
    numbers!(usize => UInt, f32 => Float, f64 => Double);
    check(Columns::default().with("a", &[true, false]), &["a"], Ok(&[&[A1], &[Value::Int(0)]]));
}
#[test]
fn no_rows() {
    check(Columns::default().with("a", &Vec::<i32>::new()).with("b", scalar(1)), &["a", "b"], Ok(&[]));
}
#[test]
fn lengths_that_differ() {
    let columns = Columns::default().with("c", scalar(0)).with("a", &[1, 2]).with("b", &["x"]);
    let want = ("column `a` has 2 rows, and `b` has 1", "one value for all rows is `scalar(value)`");
    check(columns, &["a", "b", "c"], Err(want));
}
#[test]
fn names_that_do_not_fit() {
    let columns =
        |names: &[&'static str]| Columns::new(names.iter().map(|name| (*name, BoundColumn::of(&[1]))).collect());
    let listed = "the columns are `a`, `b`";
    check(columns(&["a", "b"]), &["a", "c"], Err(("no column for `:c`", listed)));
    let unused = "the statement has `:a`; leave the column out if it is not to be written";
    check(columns(&["a", "b"]), &["a"], Err(("no placeholder takes column `b`", unused)));
    check(columns(&["a", "a"]), &["a"], Err(("two columns are named `a`", "the columns are `a`, `a`")));
    let either = ("`:ab` may be column `AB` or `Ab`", "spell it as one of them is spelled");
    check(columns(&["AB", "Ab"]), &["ab"], Err(either));
    check(columns(&["AB", "Ab"]), &["Ab", "AB"], Ok(&[&[A1, A1]]));
}
#[test]
fn a_column_that_cannot_be_sent() {
    let refused = BoundColumn::refused("it is odd".to_owned(), Some("leave it"));
    check(Columns::default().with("a", refused), &["a"], Err(("column `a`: it is odd", "leave it")));
}
