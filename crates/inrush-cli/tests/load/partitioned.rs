//! Sorted loads into partitioned tables: rows of a partition come together where it is known which rows those are, and the server agrees.

use crate::place::{Place, Rows, everywhere};

const ROWS: u64 = 20_000;

/// `arrival` says in which order rows came.
fn table(by: &str) -> String {
    format!(
        "DROP TABLE IF EXISTS people; CREATE TABLE people (id INT NOT NULL, born DATE NOT NULL, name VARCHAR(20), \
         arrival INT NOT NULL AUTO_INCREMENT, PRIMARY KEY (id, born), KEY (arrival)) ENGINE=InnoDB PARTITION BY {by}"
    )
}

fn people() -> String {
    let row = |i: u64| {
        let id = i * 7919 % ROWS;
        format!("{id},{:04}-{:02}-{:02},n{i}\n", 1950 + id % 70, 1 + id % 12, 1 + id % 28)
    };
    "id,born,name\n".to_owned() + &(0..ROWS).map(row).collect::<String>()
}

const ARGS: &str = "people.csv --into people --sort key --lanes 1 --batch 700 --memory 2MiB";

/// The arrivals of each partition, from the first to the last, with the number of its rows.
fn arrivals(place: &Place) -> Vec<[u64; 3]> {
    let names = place.sql(
        "SELECT PARTITION_NAME FROM information_schema.PARTITIONS WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = 'people' \
         ORDER BY PARTITION_ORDINAL_POSITION",
    );
    let of = |name: &str| {
        let row = place.sql(&format!(
            "SELECT COALESCE(MIN(arrival), 0), COALESCE(MAX(arrival), 0), COUNT(*) FROM people PARTITION ({name})"
        ));
        let numbers: Vec<u64> = row.split(',').map(|number| number.parse().unwrap()).collect();
        <[u64; 3]>::try_from(numbers).unwrap()
    };
    names.split('|').map(of).collect()
}

#[track_caller]
fn check_grouped(place: &Place, want: bool) {
    let mut filled = arrivals(place);
    filled.retain(|[_, _, rows]| *rows > 0);
    assert_eq!(filled.iter().map(|[_, _, rows]| rows).sum::<u64>(), ROWS);
    assert!(filled.len() > 2, "{filled:?}");
    let is_grouped = filled.windows(2).all(|pair| pair[0][1] < pair[1][0]);
    assert_eq!(is_grouped, want, "{filled:?}");
}

#[test]
fn rows_of_a_partition_come_together() {
    everywhere("partitioned", |place| {
        place.write("people.csv", people());
        for by in [
            "KEY (id) PARTITIONS 8",
            "HASH (id) PARTITIONS 5",
            "RANGE (YEAR(born)) (PARTITION a VALUES LESS THAN (1970), PARTITION b VALUES LESS THAN (2000), PARTITION c VALUES LESS THAN MAXVALUE)",
            "RANGE COLUMNS (born) (PARTITION a VALUES LESS THAN ('1970-01-01'), PARTITION b VALUES LESS THAN ('2000-06-01'), PARTITION c VALUES LESS THAN (MAXVALUE))",
            "RANGE (YEAR(born)) SUBPARTITION BY HASH (id) SUBPARTITIONS 2 (PARTITION a VALUES LESS THAN (1970), PARTITION b VALUES LESS THAN (2000), PARTITION c VALUES LESS THAN MAXVALUE)",
        ] {
            place.sql(&table(by));
            let done = place.load(ARGS);
            assert_eq!((done.code, done.rows()), (0, Some(Rows::stored(ROWS))), "{by}: {done}");
            assert_eq!(done.json["sort"]["columns"].as_array().unwrap()[0], "partition", "{by}: {done}");
            if !by.contains("SUBPARTITION") {
                check_grouped(place, true);
            }
        }
    });
}

/// No rule, or a wrong one: rows are sorted by the key alone, and the reason is told.
#[test]
fn without_a_rule_they_are_sorted_by_the_key_alone() {
    everywhere("partitioned_not", |place| {
        place.write("people.csv", people());
        let mut tables = vec![("HASH (id DIV 3) PARTITIONS 5", "the rule HASH (")];
        // The older hash, of which nothing is known: the server's answers differ.
        if place.is_mysql() {
            tables.push(("KEY ALGORITHM=1 (id) PARTITIONS 64", "the server looks for a row of the load in `p"));
        }
        for (by, why) in tables {
            place.sql(&table(by));
            let done = place.load(ARGS);
            assert_eq!((done.code, done.rows()), (0, Some(Rows::stored(ROWS))), "{by}: {done}");
            assert_eq!(done.json["sort"]["columns"], serde_json::json!(["id", "born"]), "{by}: {done}");
            let reason = done.json["sort"]["reason"].as_str().unwrap();
            assert!(reason.contains("; rows are not grouped by partition: ") && reason.contains(why), "{reason}");
            check_grouped(place, false);
        }
    });
}

/// What an interrupted load has stored fits only into the same order.
#[test]
fn an_interrupted_one_goes_on_in_the_same_order() {
    everywhere("partitioned_cut", |place| {
        place.write("people.csv", people());
        place.sql(&table("KEY (id) PARTITIONS 8"));
        // The sequence ends in a row that no other may have: it is found behind some chunks.
        place.sql("ALTER TABLE people ADD CHECK (name <> 'n19999')");
        let cut = place.load(ARGS);
        assert_eq!(cut.code, 2, "{cut}");
        let stored = cut.rows().unwrap().stored;
        assert!(stored > 0, "{cut}");
        place.sql("ALTER TABLE people REMOVE PARTITIONING");
        let other = place.go_on(ARGS);
        assert_eq!(other.code, 5, "{other}");
        other.says("was read in another way then: sort was `by partition and key` and is `by the key`");
        place.sql("ALTER TABLE people PARTITION BY KEY (id) PARTITIONS 8");
        let done = place.go_on(&format!("{ARGS} --bad-rows skip"));
        assert_eq!((done.code, done.rows().unwrap().stored), (4, ROWS - 1), "{done}");
        assert_eq!(place.sql("SELECT COUNT(*), COUNT(DISTINCT id) FROM people"), format!("{0},{0}", ROWS - 1));
    });
}
