use super::*;

#[track_caller]
fn check(codes: &[u16], want: Reason) {
    for &code in codes {
        assert_eq!(Error::server(code, *b"HY000", "no").reason(), want, "{code}");
    }
}

#[test]
fn of_the_servers_codes() {
    check(&[1022, 1062, 1169, 1586, 1859], Reason::UniqueViolation);
    check(&[1216, 1217, 1451, 1452, 1761, 1762], Reason::ForeignKeyViolation);
    check(&[3819, 4025], Reason::CheckViolation);
    check(&[1048, 1263, 1364], Reason::NotNullViolation);
    check(&[1406], Reason::DataTooLong);
    check(&[1264], Reason::OutOfRange);
    check(&[1213], Reason::Deadlock);
    check(&[1205, 3572], Reason::LockTimedOut);
    check(&[1053, 1158, 1159, 1160, 1161, 1927, 2006, 2013, 3169, 4031], Reason::ConnectionLost);
    check(&[1044, 1045, 1130, 1142, 1143, 1227, 1370, 1698, 1862, 3118, 4151], Reason::AccessDenied);
    check(&[1040, 1203, 1226], Reason::ServerFull);
    check(&[0, 1, 1064, 1146, 1265, 1292, 1366, 1369, 1690, 65_535], Reason::Other);
}
#[test]
fn of_our_own() {
    assert_eq!(row_not_found().reason(), Reason::RowNotFound);
    assert_eq!(too_many_rows().reason(), Reason::TooManyRows);
    assert_eq!(Error::config("no").reason(), Reason::Other);
}
#[test]
fn questions_agree() {
    let server = |code| Error::server(code, *b"HY000", "no");
    assert!(server(1062).is_unique_violation() && !server(1452).is_unique_violation());
    assert!(server(1452).is_foreign_key_violation() && !server(1062).is_foreign_key_violation());
    assert!(server(4025).is_check_violation() && server(3819).is_check_violation());
    assert!(server(1048).is_not_null_violation() && server(1406).is_data_too_long());
    assert!(row_not_found().is_row_not_found() && !too_many_rows().is_row_not_found());
}
#[test]
fn a_conversion_names_the_rust_type() {
    let to = |kind| Conversion::new("c", "INT", kind).to;
    assert_eq!(to("a number (`f64`)"), "f64");
    assert_eq!(to("so many bytes (`[u8; N]`)"), "[u8; N]");
    assert_eq!(to("something of yours"), "something of yours");
}
