use super::*;
use crate::params;

fn bulk(options: BulkOptions) -> Bulk {
    Bulk::new("shop.people", &["name", "a`ge"], options).unwrap()
}

fn report(n_rows: u64) -> BulkReport {
    BulkReport { n_rows, affected: n_rows, warnings: 0, batches: 1 }
}

#[test]
fn rows_by_position_and_by_name() {
    let mut bulk = bulk(BulkOptions::new());
    assert_eq!(bulk.statement.sql(), "INSERT INTO `shop`.`people` (`name`, `a``ge`) VALUES (?, ?)");
    bulk.push(&("Ann", 40)).unwrap();
    bulk.push(&params! { "a`ge" => 41, "name" => "Bob" }).unwrap();
    assert_eq!((bulk.queued(), bulk.flushed()), (2, 0));
    let error = bulk.push(&("Cid",)).unwrap_err();
    assert_eq!((error.row(), bulk.queued()), (Some(2), 2));
    let error = bulk.push(&params! { "name" => "Cid" }).unwrap_err();
    assert_eq!((error.row(), bulk.queued()), (Some(2), 2));
}
#[test]
fn it_is_time_by_rows_or_by_bytes() {
    let mut by_rows = bulk(BulkOptions::new().with_rows(2));
    assert_eq!([by_rows.push(&(1, 2)).unwrap(), by_rows.push(&(1, 2)).unwrap()], [false, true]);
    let mut by_bytes = bulk(BulkOptions::new().with_bytes(1000));
    assert_eq!([by_bytes.push(&("", 2)).unwrap(), by_bytes.push(&("x".repeat(1000), 2)).unwrap()], [false, true]);
}
#[test]
fn counts_add_up_and_rows_are_counted_from_the_first() {
    let mut bulk = bulk(BulkOptions::new());
    bulk.push(&(1, 2)).unwrap();
    bulk.push(&(1, 2)).unwrap();
    bulk.written(Ok(report(2))).unwrap();
    assert_eq!((bulk.queued(), bulk.flushed(), bulk.affected()), (0, 2, 2));
    bulk.push(&(1, 2)).unwrap();
    let error = bulk.written(Err(Error::data("`x` is not a number").at_row(0))).unwrap_err();
    assert_eq!(error.row(), Some(2));
    assert_eq!(error.message(), "rows 2 to 3 for `shop.people` were not written: `x` is not a number");
    assert_eq!(bulk.left_behind(), None, "somebody was told");
    assert!(bulk.push(&(1, 2)).is_err() && bulk.report().is_err());
}
#[test]
fn what_is_not_written_is_left_behind() {
    let mut bulk = bulk(BulkOptions::new());
    assert_eq!(bulk.left_behind(), None);
    bulk.push(&(1, 2)).unwrap();
    assert_eq!(bulk.left_behind(), Some((1, "shop.people")));
}
#[test]
fn columns_must_be_named() {
    assert!(Bulk::new("t", &[], BulkOptions::new()).is_err());
    assert!(Bulk::new("", &["a"], BulkOptions::new()).is_err());
}
