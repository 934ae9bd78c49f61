//! Tables that a load makes: their types, what is said of them, types that are given, tables that are replaced, and what is left of a load
//! that came to nothing.

use crate::place::{Done, Place, everywhere};

const FILE: &str = "id,zip,born,open,active,token,doc,price,note,at,code\n\
    1,00501,31/01/2013,10:00,true,0192f3a8-0000-7000-8000-0000000000ff,\"{\"\"a\"\": 1}\",1.50,Ann,1/5/2024,12\n\
    2,10115,02/03/2014,23:15,FALSE,0192f3a8-0000-7000-8000-0000000000fe,[],2.75,Bob,2/6/2024,1E5\n\
    3,NA,NA,NA,NA,0192f3a8-0000-7000-8000-0000000000fd,{},3.00,NA,3/7/2024,7\n";

fn fresh(place: &Place, file: &str) {
    place.sql("DROP TABLE IF EXISTS made, made__inrush_new, made__inrush_old");
    place.forget();
    place.write("made.csv", file.as_bytes());
}

/// A load that tells all that it does.
fn loud(place: &Place, arguments: &str) -> Done {
    place.done(&place.command(arguments).arg("--json").output().unwrap())
}

fn types(place: &Place) -> String {
    place.sql(
        "SELECT GROUP_CONCAT(DATA_TYPE ORDER BY ORDINAL_POSITION SEPARATOR ' ') FROM information_schema.COLUMNS \
         WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = 'made'",
    )
}

fn is_there(place: &Place) -> bool {
    place.sql(
        "SELECT COUNT(*) FROM information_schema.TABLES WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME LIKE 'made%'",
    ) != "0"
}

#[test]
fn types_that_people_mean() {
    everywhere("meant", |place| {
        fresh(place, FILE);
        let done = loud(place, "made.csv --into made --create-table");
        assert_eq!(done.code, 0, "{done}");
        done.says("dates are read by `%d/%m/%Y`, which alone fits, in born");
        done.says("`zip` is VARCHAR(16): `00501` in line 2 would lose its spelling");
        done.says("`code` is VARCHAR(16): `1E5` in line 3 would lose its spelling");
        done.says("column `at` looks like `--date-format '%d/%m/%Y'` or `--date-format '%m/%d/%Y'`");
        let (uuid, json) = if place.is_mysql() { ("char", "json") } else { ("uuid", "longtext") };
        assert_eq!(
            types(place),
            format!("int varchar date time tinyint {uuid} {json} decimal varchar varchar varchar")
        );
        assert_eq!(
            place.sql("SELECT id, zip, born, open, active, token, price, note, at, code FROM made ORDER BY id"),
            "1,00501,2013-01-31,10:00:00,1,0192f3a8-0000-7000-8000-0000000000ff,1.50,Ann,1/5/2024,12|\
             2,10115,2014-03-02,23:15:00,0,0192f3a8-0000-7000-8000-0000000000fe,2.75,Bob,2/6/2024,1E5|\
             3,NA,NULL,NULL,NULL,0192f3a8-0000-7000-8000-0000000000fd,3.00,NA,3/7/2024,7"
        );
        // A date of the other order is a bad row, never another day.
        place.write("more.csv", FILE.replace("31/01/2013", "31/02/2013"));
        let done = place.load("more.csv --into made --create-table");
        assert_eq!(done.code, 2, "{done}");
    });
}

#[test]
fn each_file_has_the_format_of_its_own() {
    everywhere("formats", |place| {
        fresh(place, "id,born\n1,2024-01-31\n2,2024-02-01\n");
        place.write("days.csv", "id,born\n3,31/01/2024\n4,01/02/2024\n");
        place.write("months.csv", "id,born\n5,01/31/2024\n6,02/01/2024\n");
        place.write("none.csv", "id,born\n7,\n");
        let done = place.load("made.csv days.csv months.csv none.csv --into made --create-table");
        assert_eq!(done.code, 0, "{done}");
        let days = "2024-01-31|2024-02-01";
        assert_eq!(place.sql("SELECT born FROM made ORDER BY id"), format!("{days}|{days}|{days}|NULL"));
    });
}

/// In either order of the files.
#[test]
fn a_file_without_values_takes_the_types_of_the_others() {
    everywhere("missing", |place| {
        for files in ["made.csv missing.csv", "missing.csv made.csv"] {
            fresh(place, "n,d,t,o\n7,31/01/2024,x,NA\n");
            place.write("missing.csv", "n,d,t,o\nNA,NA,NA,NA\n,,,\n");
            let done = place.load(&format!("{files} --into made --create-table"));
            assert_eq!(done.code, 0, "{files}: {done}");
            assert_eq!(types(place), "int date varchar varchar", "{files}");
            let query = "SELECT COUNT(*), COUNT(n), SUM(n), COUNT(d), MAX(d), SUM(t = 'NA'), SUM(o = 'NA') FROM made";
            assert_eq!(place.sql(query), "3,1,7,1,2024-01-31,1,2", "{files}");
        }
    });
}

#[test]
fn all_of_the_file_is_looked_at() {
    everywhere("looked", |place| {
        let rows: String = (1..=2_000).map(|id| format!("{id},{id}\n")).collect();
        fresh(place, &format!("id,n\n{rows}2001,x\n"));
        let done = place.load("made.csv --into made --create-table --sample 2000");
        assert_eq!(done.code, 2, "{done}");
        done.says("`x` is not a whole number");
        fresh(place, &format!("id,n\n{rows}2001,x\n"));
        let done = loud(place, "made.csv --into made --create-table --sample all");
        assert_eq!(done.code, 0, "{done}");
        done.says("`n` is VARCHAR(16) because of `x`, line 2002: 2000 of 2001 values are numbers");
        done.says("`n` VARCHAR(16) NOT NULL");
        let mut piped = place.command("- --into made --create-table --sample all");
        let done = place.done(&piped.stdin(std::process::Stdio::null()).output().unwrap());
        assert_eq!(done.code, 1, "{done}");
    });
}

#[test]
fn types_are_given() {
    everywhere("given", |place| {
        fresh(place, FILE);
        let mut command =
            place.command("made.csv --into made --create-table --type zip=CHAR(5) --type born=VARCHAR(10)");
        command.args(["--type", "ID=BIGINT UNSIGNED NOT NULL"]);
        let done = place.done(&command.output().unwrap());
        assert_eq!(done.code, 0, "{done}");
        assert!(types(place).starts_with("bigint char varchar time tinyint"), "{}", types(place));
        assert_eq!(place.sql("SELECT born FROM made ORDER BY id"), "31/01/2013|02/03/2014|NA");
        for (option, says) in [
            ("--type zap=INT", "did you mean `zip`?"),
            ("--type zip=CHR(5)", "that is no type of a column"),
            ("--type zip", "it takes a column and a type"),
            ("--sample 0", "it takes a number of rows, or `all`"),
        ] {
            let done = place.load(&format!("made.csv --into made2 --create-table {option}"));
            assert_eq!(done.code, 1, "{done}");
            done.says(says);
        }
        let done = place.load("made.csv --into made --type zip=INT");
        assert_eq!(done.code, 1, "{done}");
        done.says("add `--create-table`");
    });
}

#[test]
fn a_dry_run_shows_the_table_and_makes_none() {
    everywhere("shown", |place| {
        fresh(place, FILE);
        let done = loud(place, "made.csv --into made --create-table --dry-run --key id");
        assert_eq!(done.code, 0, "{done}");
        done.says("would create the table:\nCREATE TABLE");
        done.says("PRIMARY KEY (`id`)");
        assert!(!is_there(place));
    });
}

#[test]
fn a_table_is_replaced_when_the_new_one_is_full() {
    everywhere("replaced", |place| {
        fresh(place, "id,x\n1,a\n2,b\n");
        // None is there: it is made.
        let done = place.load("made.csv --into made --replace-table --create-table --key id");
        assert_eq!(done.code, 0, "{done}");
        assert_eq!(place.sql("SELECT * FROM made ORDER BY id"), "1,a|2,b");
        // Another table takes its place, and not before all is stored.
        let rows: String = (1..=300).map(|id| format!("{id},{},z\n", id * 2)).collect();
        place.write("other.csv", format!("id,n,s\n{rows}300,1,z\n"));
        let args = "other.csv --into made --replace-table --create-table --key id --batch 100 --lanes 1";
        let done = place.load(args);
        assert_eq!(done.code, 2, "{done}");
        done.says("table `made` is as it was");
        assert_eq!(place.sql("SELECT * FROM made ORDER BY id"), "1,a|2,b");
        // The same command goes on: what was stored is in the new table.
        let args = &format!("{args} --bad-rows skip");
        let done = place.go_on(args);
        assert_eq!(done.code, 4, "{done}");
        assert_eq!(place.sql("SELECT COUNT(*), SUM(n), MIN(s) FROM made"), "300,90300,z");
        assert_eq!(types(place), "int int varchar");
        // It is loaded, and is not loaded again.
        let done = place.go_on(args);
        assert_eq!((done.code, place.sql("SELECT COUNT(*) FROM made")), (4, "300".into()), "{done}");
    });
}

#[test]
fn nothing_is_left_of_a_table_in_which_nothing_is_stored() {
    everywhere("unused", |place| {
        fresh(place, "id,x\n1,a\n");
        let user = format!("u{}", place.schema.name().rsplit('_').next().unwrap());
        let schema = place.schema.name();
        place.server.sql(&format!(
            "DROP USER IF EXISTS {user}@localhost; CREATE USER {user}@localhost IDENTIFIED BY 'some-Pass1'; \
             GRANT SELECT, CREATE, DROP, LOCK TABLES ON `{schema}`.* TO {user}@localhost"
        ));
        let mut command = place.bare("made.csv --into made --create-table --guarantee at-least-once");
        command.arg("-S").arg(&place.server.socket).args(["-u", &user, "-D", schema]);
        command.env("INRUSH_PASSWORD", "some-Pass1");
        let done = place.done(&command.output().unwrap());
        place.server.sql(&format!("DROP USER {user}@localhost"));
        assert_ne!(done.code, 0, "{done}");
        done.says("created the table");
        done.says("dropped the new table again: nothing is stored in it");
        assert!(!is_there(place));
    });
}
