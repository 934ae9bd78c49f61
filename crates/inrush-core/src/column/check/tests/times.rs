//! DATE, TIME, DATETIME, TIMESTAMP.

use crate::column::check::tests::*;

#[test]
fn date() {
    good("date", &["2013-01-05", "0001-01-01", "9999-12-31", "2000-02-29", "2024-02-29"]);
    becomes("date", "2013-1-5", "2013-01-05");
    becomes("date", "2013/01/05", "2013-01-05");
    becomes("date", "2013.1.05", "2013-01-05");
    becomes("date", "20130105", "2013-01-05");
    becomes("date", " 2013-01-05 ", "2013-01-05");
    becomes("date", "2013-01-05 00:00:00", "2013-01-05");
    becomes("date", "2013-01-05T00:00:00.000Z", "2013-01-05");
    becomes_under(&in_berlin(), "date", "2013-01-04T23:00:00Z", "2013-01-05");
}

#[test]
fn not_a_date() {
    bad("date", "31/02/1999", "`31/02/1999` is not a date");
    bad("date", "2013-01-05 10:00:00", "`2013-01-05 10:00:00` has a time of day, which DATE does not hold");
    bad("date", "2013-01-05 00:00:00.5", "`2013-01-05 00:00:00.5` has a time of day, which DATE does not hold");
    let cells = [
        "",
        "1999-02-31",
        "1900-02-29",
        "2013-00-05",
        "2013-01-00",
        "0000-00-00",
        "0000-01-01",
        "2013-13-01",
        "13-01-05",
        "130105",
        "2013-01",
        "2013",
        "2013-01/05",
        "05.01.2013",
        "Jan 5 2013",
        "2013-01-05x",
        "2013-01-05Z",
        "20130132",
        "2013 01 05",
        "NULL",
        "2013-01-055",
        "١٩٩٩-01-01",
        "2013-1-5-6",
        "-2013-01-05",
    ];
    all_bad("date", &cells, "is not a date");
}

#[test]
fn date_time() {
    good("datetime", &["2013-01-05 07:03:00", "2013-01-05", "9999-12-31 23:59:59", "0001-01-01 00:00:00"]);
    good("datetime(3)", &["2013-01-05 07:03:00.5", "2013-01-05 07:03:00.500", "2013-01-05 07:03:00"]);
    good("datetime(6)", &["2013-01-05 07:03:00.123456"]);
    becomes("datetime", "2013-01-05T07:03:00", "2013-01-05 07:03:00");
    becomes("datetime", "2013-01-05 7:03", "2013-01-05 07:03:00");
    becomes("datetime", "2013/1/5 07:03:00", "2013-01-05 07:03:00");
    becomes("datetime", "20130105T070300", "2013-01-05 07:03:00");
    becomes("datetime", "20130105070300", "2013-01-05 07:03:00");
    becomes("datetime", "20130105 070300", "2013-01-05 07:03:00");
    becomes("datetime", "2013-01-05 07:03:00.000", "2013-01-05 07:03:00");
    becomes("datetime", "2013-01-05 07:03:00.0000000000", "2013-01-05 07:03:00");
    becomes("datetime(2)", "2013-01-05 07:03:00.1200", "2013-01-05 07:03:00.12");
    becomes("datetime(3)", "2013-01-05t07:03:00,25", "2013-01-05 07:03:00.250");
    becomes("datetime", "2013-01-05  07:03:00", "2013-01-05 07:03:00");
}

#[test]
fn date_time_with_a_zone() {
    becomes("datetime", "2013-01-05T07:03:00Z", "2013-01-05 07:03:00");
    becomes("datetime", "2013-01-05T07:03:00+02:00", "2013-01-05 05:03:00");
    becomes("datetime", "2013-01-05 07:03:00 -0330", "2013-01-05 10:33:00");
    becomes("datetime", "2013-01-05 07:03:00+02", "2013-01-05 05:03:00");
    becomes("datetime", "2013-01-05 07:03:00 UTC", "2013-01-05 07:03:00");
    becomes("datetime", "20130105T070300Z", "2013-01-05 07:03:00");
    becomes("datetime(6)", "2013-01-05T07:03:00.25+02:00", "2013-01-05 05:03:00.250000");
    becomes("datetime", "2013-01-01T00:30:00+01:00", "2012-12-31 23:30:00");
    becomes_under(&in_berlin(), "datetime", "2013-07-05T07:03:00Z", "2013-07-05 09:03:00");
    becomes_under(&in_berlin(), "datetime", "2013-10-27T00:30:00Z", "2013-10-27 02:30:00");
    bad("datetime", "9999-12-31T23:30:00-01:00", "`9999-12-31T23:30:00-01:00` is out of range for DATETIME(0)");
    bad("datetime", "0001-01-01T00:00:00+01:00", "`0001-01-01T00:00:00+01:00` is out of range for DATETIME(0)");
}

#[test]
fn not_a_date_time() {
    let fine = "has a finer fraction of a second than DATETIME(0) holds";
    all_bad("datetime", &["2013-01-05 07:03:00.7", "2013-01-05 07:03:00.0000001", "2013-01-05T07:03:00.5Z"], fine);
    bad(
        "datetime(3)",
        "2013-01-05 07:03:00.1234",
        "`2013-01-05 07:03:00.1234` has a finer fraction of a second than DATETIME(3) holds",
    );
    let cells = [
        "",
        "0000-00-00 00:00:00",
        "2013-02-30 00:00:00",
        "2013-01-05 24:00:00",
        "2013-01-05 07:60:00",
        "2013-01-05 07:03:60",
        "2013-01-05 07",
        "2013-01-05 7:3:0",
        "2013-01-05 07:03:00 PM",
        "2013-01-05 07:03:00x",
        "2013-01-05T",
        "130105070300",
        "1357369380",
        "2013-01-05 07:03:00.",
        "2013-01-05 07:03:00+25:00",
        "2013-01-05 07:03:00[UTC]",
        "2013-01-05 -7:03:00",
        "2013-01-05 07:03:00+2",
        "2013-01-05 07.03.00",
        "2013-01-05\n07:03:00",
        "2013-01-05 07:03:00 +02:",
        "now()",
    ];
    all_bad("datetime", &cells, "is not a date and time");
}

#[test]
fn timestamp() {
    good("timestamp", &["1970-01-01 00:00:01", "2038-01-19 03:14:07", "2013-01-05 07:03:00", "2037-12-31 00:00:00"]);
    becomes("timestamp", "1970-01-01T01:00:01+01:00", "1970-01-01 00:00:01");
    let end = "is out of range for TIMESTAMP(0) (1970 to 2038)";
    all_bad(
        "timestamp",
        &["1970-01-01 00:00:00", "2038-01-19 03:14:08", "1969-12-31 23:59:59", "0001-01-01", "9999-12-31"],
        end,
    );
    becomes_under(&in_berlin(), "timestamp", "1970-01-01 01:00:01", "1970-01-01 01:00:01");
    bad_under(&in_berlin(), "timestamp", "1970-01-01 01:00:00", &format!("`1970-01-01 01:00:00` {end}"));
}

#[test]
fn timestamp_on_a_mariadb_with_64_bits() {
    let rules = Rules::utc(ServerVersion::parse("11.8.9-MariaDB"));
    becomes_under(&rules, "timestamp", "2106-02-07 06:28:15", "2106-02-07 06:28:15");
    let reason = "`2106-02-07 06:28:16` is out of range for TIMESTAMP(0) (1970 to 2106)";
    bad_under(&rules, "timestamp", "2106-02-07 06:28:16", reason);
    bad_under(&on_mariadb(), "timestamp", "2039-01-01", "`2039-01-01` is out of range for TIMESTAMP(0) (1970 to 2038)");
}

#[test]
fn timestamp_when_the_clocks_change() {
    let skipped = "`2013-03-31 02:30:00` does not exist in time zone Europe/Berlin";
    bad_under(&in_berlin(), "timestamp", "2013-03-31 02:30:00", skipped);
    becomes_under(&in_berlin(), "datetime", "2013-03-31 02:30:00", "2013-03-31 02:30:00");
    let twice = "`2013-10-27T00:30:00Z` is a time that time zone Europe/Berlin has twice";
    bad_under(&in_berlin(), "timestamp", "2013-10-27T00:30:00Z", twice);
    let twice = "`2013-10-27 02:30:00` is a time that time zone Europe/Berlin has twice";
    bad_under(&in_berlin(), "timestamp", "2013-10-27 02:30:00", twice);
    becomes_under(&in_berlin(), "datetime", "2013-10-27 02:30:00", "2013-10-27 02:30:00");
    becomes_under(&in_berlin(), "timestamp", "2013-10-27 03:00:00", "2013-10-27 03:00:00");
    becomes_under(&in_berlin(), "timestamp", "2013-10-27 01:59:59", "2013-10-27 01:59:59");
}

#[test]
fn timestamp_where_the_server_has_other_tables() {
    let differ =
        Rules { tables: ZoneTables::DifferIn(std::iter::once(1_372_600_000..1_372_700_000).collect()), ..in_berlin() };
    let another = "is a time for which the server's table of time zone Europe/Berlin is another one";
    for cell in ["2013-07-01 16:00:00", "2013-07-01T14:00:00Z"] {
        bad_under(&differ, "timestamp", cell, &format!("`{cell}` {another}"));
    }
    becomes_under(&differ, "timestamp", "2013-07-05T14:00:00Z", "2013-07-05 16:00:00");
    becomes_under(&differ, "datetime", "2013-07-01T14:00:00Z", "2013-07-01 16:00:00");
    let unknown = Rules { tables: ZoneTables::NotCompared, ..in_berlin() };
    let may = "`2013-07-01T14:00:00Z` has an offset, and time zone Europe/Berlin of the session may not be the same in the server's tables";
    bad_under(&unknown, "timestamp", "2013-07-01T14:00:00Z", may);
    becomes_under(&unknown, "datetime", "2013-07-01T14:00:00Z", "2013-07-01 16:00:00");
    becomes_under(&unknown, "timestamp", "2013-07-01 16:00:00", "2013-07-01 16:00:00");
}

#[test]
fn time() {
    good("time", &["00:00:00", "23:59:59", "838:59:59", "-838:59:59", "-00:00:01"]);
    good("time(3)", &["10:00:00.250"]);
    becomes("time(3)", "10:00:00.25", "10:00:00.250");
    becomes("time", "7:03", "07:03:00");
    becomes("time", "+7:03:05", "07:03:05");
    becomes("time", "1 02:03:04", "26:03:04");
    becomes("time", "-34 22:59:59", "-838:59:59");
    becomes("time", "007:03:05.000", "07:03:05");
    let range = "is out of range for TIME(0) (-838:59:59 to 838:59:59)";
    all_bad("time", &["839:00:00", "-839:00:00", "35 00:00:00", "999999999:00:00", "100000000 00:00:00"], range);
    bad("time(6)", "838:59:59.000001", "`838:59:59.000001` is out of range for TIME(6) (-838:59:59 to 838:59:59)");
    becomes_under(&on_mariadb(), "time(6)", "838:59:59.000001", "838:59:59.000001");
    bad("time", "10:00:00.5", "`10:00:00.5` has a finer fraction of a second than TIME(0) holds");
    let cells =
        ["", "1112", "10", "10:60:00", "10:00:60", "10:00:00 PM", "2013-01-05 10:00:00", "1 24:00:00", "10:0:0", "x"];
    all_bad("time", &cells, "is not a time");
}
