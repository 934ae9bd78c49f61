//! TIMESTAMP columns in a named zone: the server's zone tables are its own, and may be others than ours.

use crate::place::{Place, Rows, methods};
use crate::server_of_own::{OwnServer, on_each_family};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use std::fmt::Write as _;

/// Fills a server's tables with zones of ours: the name there, and whose changes it has.
fn fill_zones(place: &Place, zones: &[(&str, &str)]) {
    let mut sql = String::from("USE mysql;");
    for (i, (name, like)) in zones.iter().enumerate() {
        let (id, zone) = (9_000 + i, TimeZone::get(like).unwrap());
        let mut offsets = vec![zone.to_offset(Timestamp::UNIX_EPOCH).seconds()];
        let mut changes = String::new();
        let end = Timestamp::from_second(u32::MAX.into()).unwrap();
        for change in zone.following(Timestamp::UNIX_EPOCH).take_while(|change| change.timestamp() < end) {
            let offset = change.offset().seconds();
            let ty = offsets.iter().position(|known| *known == offset).unwrap_or_else(|| {
                offsets.push(offset);
                offsets.len() - 1
            });
            let _ = write!(changes, ",({id},{},{ty})", change.timestamp().as_second());
        }
        let types = offsets.iter().enumerate().map(|(ty, offset)| format!(",({id},{ty},{offset},0,'X{ty}')"));
        let types: String = types.collect();
        let _ = write!(
            sql,
            "INSERT INTO time_zone (Time_zone_id, Use_leap_seconds) VALUES ({id},'N');\
             INSERT INTO time_zone_name (Name, Time_zone_id) VALUES ('{name}',{id});\
             INSERT INTO time_zone_transition_type (Time_zone_id, Transition_type_id, `Offset`, Is_DST, Abbreviation) VALUES {};",
            &types[1..]
        );
        if !changes.is_empty() {
            let _ = write!(
                sql,
                "INSERT INTO time_zone_transition (Time_zone_id, Transition_time, Transition_type_id) VALUES {};",
                &changes[1..]
            );
        }
    }
    place.sql(&sql);
}

fn zones(family: &str) {
    let own = OwnServer::new(family, &["local-infile=1"]);
    let place = Place::own(&own);
    // `Asia/Tokyo` here is what Berlin is elsewhere: a table that differs from ours.
    fill_zones(
        &place,
        &[
            ("Africa/Casablanca", "Africa/Casablanca"),
            ("Europe/Berlin", "Europe/Berlin"),
            ("Asia/Tokyo", "Europe/Berlin"),
        ],
    );
    for method in methods(&place) {
        instants_are_stored_or_refused(&place, method);
        what_a_clock_shows_twice(&place, method);
        other_tables(&place, method);
    }
}

const CREATE: &str =
    "DROP TABLE IF EXISTS t; CREATE TABLE t (id INT PRIMARY KEY, at TIMESTAMP NULL, there DATETIME NULL)";

/// Every six hours of some years, among them the ones whose changes are only foretold: what is stored is the instant of the file.
fn instants_are_stored_or_refused(place: &Place, method: &str) {
    for (zone, is_all) in [("Africa/Casablanca", false), ("Europe/Berlin", false), ("+01:00", true)] {
        place.sql(CREATE);
        let year_2034 = 2_019_686_400..2_051_222_400_i64;
        let year_2013 = 1_356_998_400..1_388_534_400_i64;
        let instants: Vec<i64> =
            year_2034.step_by(21_600).chain(year_2013.step_by(21_600)).chain([2_046_290_400]).collect();
        let text = |at: &i64| Timestamp::from_second(*at).unwrap().to_string();
        let rows = instants.iter().enumerate().map(|(i, at)| format!("{i},{}\n", text(at)));
        place.write("t.csv", format!("id,at\n{}", rows.collect::<String>()));
        let done = place.load(&format!("t.csv --into t --time-zone {zone} --bad-rows skip --method {method}"));
        let stored = done.rows().unwrap().stored;
        assert!(matches!(done.code, 0 | 4) && (done.code == 0 || !is_all), "{method}: {done}");
        // Without those that the clocks show twice.
        assert!(stored * 100 > instants.len() as u64 * 99, "{method}, {zone}: {done}");
        for row in place.sql("SELECT id, UNIX_TIMESTAMP(at) FROM t").split('|') {
            let (id, at) = row.split_once(',').unwrap();
            assert_eq!(instants[id.parse::<usize>().unwrap()].to_string(), at, "{method}, {zone}, row {id}");
        }
    }
    place.sql(CREATE);
    place.write("t.csv", "id,at\n1,2034-11-04T22:00:00Z\n");
    place.load(&format!("t.csv --into t --time-zone Africa/Casablanca --bad-rows skip --method {method}"));
    let stored = place.sql("SELECT UNIX_TIMESTAMP(at) FROM t");
    assert_eq!(stored, "2046290400");
}

/// A wall time that the zone has twice, one that it skips, and those beside them.
fn what_a_clock_shows_twice(place: &Place, method: &str) {
    place.sql(CREATE);
    let rows = [
        "1,2013-10-27 01:59:59",
        "2,2013-10-27 02:30:00",
        "3,2013-10-27T00:30:00Z",
        "4,2013-10-27 03:00:00",
        "5,2013-03-31 02:30:00",
        "6,2013-10-27T01:30:00Z",
        "7,2013-07-01T12:00:00+05:00",
    ];
    place.write("t.csv", format!("id,at\n{}\n", rows.join("\n")));
    let done = place.load(&format!("t.csv --into t --time-zone Europe/Berlin --bad-rows skip --method {method}"));
    assert_eq!((done.code, done.rows()), (4, Some(Rows::rejecting(3, 4))), "{method}: {done}");
    let reasons: Vec<_> =
        done.json["first_rejects"].as_array().unwrap().iter().map(|it| it["reason"].to_string()).collect();
    assert_eq!(reasons.iter().filter(|it| it.contains("has twice")).count(), 3, "{reasons:?}");
    assert_eq!(
        place.sql("SELECT id, UNIX_TIMESTAMP(at) FROM t ORDER BY id"),
        "1,1382831999|4,1382839200|7,1372662000",
        "{method}"
    );
    // A DATETIME is the clock itself.
    place.write("t.csv", format!("id,there\n{}\n", rows.join("\n")));
    place.sql(CREATE);
    let done = place.load(&format!("t.csv --into t --time-zone Europe/Berlin --method {method}"));
    assert_eq!((done.code, done.rows()), (0, Some(Rows::stored(7))), "{method}: {done}");
}

/// All that the tables of this zone tell apart is refused, with and without an offset; elsewhere nothing is.
fn other_tables(place: &Place, method: &str) {
    place.sql(CREATE);
    place.write(
        "t.csv",
        "id,at,there\n1,2013-07-01T12:00:00Z,2013-07-01T12:00:00Z\n2,2013-07-01 12:00:00,\n3,,2013-07-01\n",
    );
    let done = place.load(&format!("t.csv --into t --time-zone Asia/Tokyo --bad-rows skip --method {method}"));
    assert_eq!((done.code, done.rows()), (4, Some(Rows::rejecting(1, 2))), "{method}: {done}");
    let reason = done.json["first_rejects"][0]["reason"].as_str().unwrap();
    assert!(reason.contains("the server's table of time zone Asia/Tokyo is another one"), "{reason}");
    assert_eq!(place.sql("SELECT id FROM t"), "3");
}

on_each_family!(zones);
