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
        done.says("`zip` is VARCHAR(64): `00501` in line 2 would lose its spelling");
        done.says("`code` is VARCHAR(64): `1E5` in line 3 would lose its spelling");
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
        done.says("`n` is VARCHAR(64) because of `x`, line 2002: 2000 of 2001 values are numbers");
        done.says("`n` VARCHAR(64) NULL");
        let mut piped = place.command("- --into made --create-table --sample all");
        let done = place.done(&piped.stdin(std::process::Stdio::null()).output().unwrap());
        assert_eq!(done.code, 1, "{done}");
    });
}

/// What the sample keeps is kept behind it: by a bad row, whose hint works.
#[test]
fn a_spelling_behind_the_sample_is_kept_or_its_row_is_bad() {
    everywhere("spelt", |place| {
        let rows = |first: &str| (1..=2_000).map(|id| format!("{id},{first}\n")).collect::<String>();
        for (first, late) in [
            ("123", "00123"),
            ("123", "1E5"),
            ("123", "+45"),
            ("123", "5.0"),
            ("3.5", "3.10"),
            ("2024-01-31", "2024-2-1"),
            ("0192f3a8-0000-7000-8000-0000000000ff", "0192F3A8-0000-7000-8000-0000000000FE"),
        ] {
            let file = format!("id,v\n{}2001,{late}\n", rows(first));
            fresh(place, &file);
            let done = place.load("made.csv --into made --create-table --sample 2000");
            if place.is_mysql() && first.len() == 36 {
                // There a UUID is a CHAR(36).
                assert_eq!(done.code, 0, "{late}: {done}");
            } else {
                assert_eq!(done.code, 2, "{late}: {done}");
                done.says(&format!("`{late}` would lose its spelling"));
                done.says("`--sample all` finds a type that holds all rows, `--type 'v=VARCHAR(255)'` gives it one");
                assert!(!is_there(place), "{late}");
                let done = place.load("made.csv --into made --create-table --sample all");
                assert_eq!(done.code, 0, "{late}: {done}");
            }
            // A DOUBLE, which the whole file asks for, has no point where it needs none.
            let held = if late == "5.0" { "5" } else { late };
            assert_eq!(place.sql("SELECT v FROM made WHERE id = 2001"), held, "{late}");
        }
    });
}

/// Each hint is followed.
#[test]
fn what_the_types_of_the_sample_do_not_hold_has_a_way_in() {
    everywhere("ways", |place| {
        let rows = |first: &str| (1..=2_000).map(|id| format!("{id},{first}\n")).collect::<String>();
        let long = "x".repeat(300);
        for (first, late, says, option) in [
            ("Ann", &long[..], "`--type 'v=LONGTEXT'`", "--type v=LONGTEXT"),
            ("Ann", &long, "`--sample all` finds a type", "--sample all"),
            ("123", "soon", "`--type 'v=VARCHAR(255)'`", "--type v=VARCHAR(255)"),
            ("123", "NA", "`--null NA` reads it as NULL, where it is not quoted", "--null NA"),
        ] {
            fresh(place, &format!("id,v\n{}2001,{late}\n", rows(first)));
            let done = place.load("made.csv --into made --create-table --sample 2000");
            assert_eq!(done.code, 2, "{late}: {done}");
            done.says(says);
            let done = place.load(
                &format!("made.csv --into made --create-table --sample 2000 {option}")
                    .replace("--sample 2000 --sample", "--sample"),
            );
            assert_eq!(done.code, 0, "{late} {option}: {done}");
            let held = if late == "NA" { "NULL" } else { late };
            assert_eq!(place.sql("SELECT v FROM made WHERE id = 2001"), held, "{late}");
        }
    });
}

#[test]
fn spellings_are_kept_by_the_run_that_goes_on_with_a_job() {
    everywhere("spelt_on", |place| {
        let rows = |from: u32, to: u32| (from..=to).map(|id| format!("{id},{id}\n")).collect::<String>();
        fresh(place, &format!("id,v\n{}", rows(1, 2_000)));
        // Farther behind than a load looks before it makes the table.
        let late = |last: &str| format!("id,v\n{}{last}\n", rows(2_001, 150_000));
        place.write("late.csv", late("150001,007"));
        let load = "made.csv late.csv --into made --create-table --sample 1 --batch 20000";
        let done = place.load(load);
        assert_eq!(done.code, 2, "{done}");
        done.says("`007` would lose its spelling");
        done.says("`inrush load --forget ");
        // The table is there now, and its columns are INT: the job still keeps what it began with, with and without the option.
        for again in [load, "made.csv late.csv --into made --batch 20000"] {
            let done = place.go_on(again);
            assert_eq!(done.code, 2, "{again}: {done}");
            done.says("`007` would lose its spelling");
        }
        place.write("late.csv", late("150001,7"));
        let done = place.go_on(load);
        assert_eq!(done.code, 0, "{done}");
        assert_eq!(place.sql("SELECT COUNT(*), MAX(id), COUNT(DISTINCT v) FROM made"), "150001,150001,150000");
        // To a table that is there, a number may be spelt in any way.
        place.write("more.csv", "id,v\n300001,007\n");
        let done = place.go_on("more.csv --into made --create-table");
        assert_eq!(done.code, 0, "{done}");
        let done = place.go_on(load);
        assert_eq!(done.code, 0, "the finished job: {done}");
    });
}

#[test]
fn the_types_of_several_files_hold_the_values_of_all() {
    everywhere("several", |place| {
        fresh(place, "n,b,u\n9007199254740993,true,18446744073709551615\n");
        place.write("more.csv", "n,b,u\n0.5,5,-1\n");
        for files in ["made.csv more.csv", "more.csv made.csv"] {
            place.sql("DROP TABLE IF EXISTS made");
            place.forget();
            let done = loud(place, &format!("{files} --into made --create-table"));
            assert_eq!(done.code, 0, "{files}: {done}");
            done.says("in one file and ");
            assert_eq!(
                place.sql("SELECT * FROM made ORDER BY n"),
                "0.5,5,-1|9007199254740993.0,true,18446744073709551615",
                "{files}"
            );
        }
    });
}

/// Always-quoted exports.
#[test]
fn an_empty_text_in_quotes_is_null_where_no_text_is_empty() {
    everywhere("quoted", |place| {
        let file =
            "\"id\",\"n\",\"d\",\"s\",\"e\"\n\"1\",\"\",\"2024-01-31\",\"\",\"a\"\n\"2\",\"7\",\"\",\"x\",\"\"\n";
        fresh(place, file);
        let done = loud(place, "made.csv --into made --create-table --type e=ENUM('','a')");
        assert_eq!(done.code, 0, "{done}");
        assert!(types(place).starts_with("int int date varchar enum"), "{}", types(place));
        let said = "`\"\"` is read as NULL in d, n, which hold no empty text";
        assert_eq!(done.stderr.matches(said).count(), 1, "{done}");
        let held = "1,NULL,2024-01-31,,a|2,7,NULL,x,";
        assert_eq!(place.sql("SELECT * FROM made ORDER BY id"), held);
        // Into a table that is there; a column that takes no NULL has no way to say it.
        place.sql("DELETE FROM made");
        let done = loud(place, "made.csv --into made --again");
        assert_eq!(done.code, 0, "{done}");
        assert_eq!(done.stderr.matches(said).count(), 1, "{done}");
        assert_eq!(place.sql("SELECT * FROM made ORDER BY id"), held);
        place.sql("DELETE FROM made; ALTER TABLE made MODIFY n INT NOT NULL");
        let done = place.load("made.csv --into made");
        assert_eq!(done.code, 2, "{done}");
        done.says("empty text is not a whole number");
    });
}

#[test]
fn many_short_texts_are_a_table_that_the_server_takes() {
    everywhere("wide", |place| {
        let list = |cell: fn(usize) -> String| (0..150).map(cell).collect::<Vec<_>>().join(",");
        let file = format!("{}\n{}\n", list(|i| format!("c{i}")), list(|_| "x".to_owned()));
        for tight in ["", "--tight"] {
            fresh(place, &file);
            let done = place.load(&format!("made.csv --into made --create-table {tight}"));
            assert_eq!(done.code, 0, "{tight}: {done}");
            assert_eq!(place.sql("SELECT c0, c149 FROM made"), "x,x");
        }
    });
}

#[test]
fn a_new_table_has_room_for_other_rows() {
    everywhere("room", |place| {
        let file = "id,name,note\n1,Ann,a note of more than thirty-two characters\n";
        let definitions = |options: &str| {
            fresh(place, file);
            let done = loud(place, &format!("made.csv --into made --create-table {options}"));
            assert_eq!(done.code, 0, "{options}: {done}");
            let made: Vec<_> = done.stderr.lines().filter(|line| line.starts_with("  `")).map(str::trim).collect();
            let said =
                done.stderr.lines().find_map(|line| line.strip_suffix(": `--tight` makes them as narrow as it is"));
            (made.join(" "), said.unwrap_or_default().to_owned())
        };
        let is = |options: &str, want: &str, said: &str| {
            assert_eq!(definitions(options), (want.to_owned(), said.to_owned()), "{options}");
        };
        let room = "columns take NULL, and texts twice as long as those of the sample";
        let room_of_texts = "columns take texts twice as long as those of the sample";
        is("", "`id` INT NULL, `name` VARCHAR(64) NULL, `note` VARCHAR(255) NULL", room);
        is("--tight", "`id` INT NOT NULL, `name` VARCHAR(16) NOT NULL, `note` VARCHAR(64) NOT NULL", "");
        is("--key id", "`id` INT NOT NULL, `name` VARCHAR(64) NOT NULL, `note` VARCHAR(255) NOT NULL,", room_of_texts);
        let done = place.load("made.csv --into made --tight");
        assert_eq!(done.code, 1, "{done}");
        done.says("`--type`, `--sample` and `--tight` are for a new table");
        // Four texts in a key: with room they would be too long for one.
        let texts = format!("a,b,c,d\n{0},{0},{0},{0}\n", "x".repeat(40));
        fresh(place, &texts);
        let done = place.load("made.csv --into made --create-table --key a,b,c,d");
        assert_eq!(done.code, 0, "{done}");
    });
}

/// A column of several kinds takes a value of each; one of numbers takes no text that would be another number.
#[test]
fn kinds_of_json_behind_the_sample() {
    everywhere("json_kinds", |place| {
        fresh(place, "");
        let rows: String = (1..=2_000).map(|id| format!("{{\"id\":{id},\"v\":[{id}],\"b\":true}}\n")).collect();
        place.write("made.jsonl", format!("{rows}{{\"id\":2001,\"v\":\"x\",\"b\":false}}\n"));
        let load = "made.jsonl --into made --create-table --sample 2000";
        let done = place.load(load);
        assert_eq!(done.code, 0, "{done}");
        assert_eq!(place.sql("SELECT v, b FROM made WHERE id = 2001"), "\"x\",0");
        for late in ["\"007\"", "2001.0"] {
            fresh(place, "");
            place.write("made.jsonl", format!("{rows}{{\"id\":{late},\"v\":1,\"b\":false}}\n"));
            let done = place.load(load);
            assert_eq!(done.code, 2, "{late}: {done}");
            done.says("would lose its spelling in a column of INT");
        }
    });
}

/// As those of a header are.
#[test]
fn names_of_json_become_those_of_columns() {
    everywhere("names", |place| {
        fresh(place, "");
        place.write("made.jsonl", "{\"a \":1,\"A\":2,\"\":3}\n");
        let done = loud(place, "made.jsonl --into made --create-table");
        assert_eq!(done.code, 0, "{done}");
        done.says("columns of `made.jsonl`: field 2, `A`, is `A_2`; field 3, which has no name, is `c3`");
        assert_eq!(place.sql("SELECT a, A_2, c3 FROM made"), "1,2,3");
    });
}

#[test]
fn formats_of_dates_say_what_they_do_not_fit() {
    everywhere("unfit", |place| {
        fresh(place, "id,born,seen\n1,31.12.24,soon\n2,01.02.69,x\n");
        let done =
            loud(place, "made.csv --into made --create-table --date-format %d.%m.%Y --date-format seen=%d.%m.%Y");
        assert_eq!(done.code, 0, "{done}");
        done.says("column `born` looks like `--date-format 'born=%d.%m.%y'`");
        done.says("(`%y` reads 00 to 68 as 2000 to 2068, 69 to 99 as 1969 to 1999)");
        done.says("`--date-format '%d.%m.%Y'` fits the cells of no column");
        done.says("not all of its cells fit `--date-format 'seen=%d.%m.%Y'`");
        assert_eq!(place.sql("SELECT born FROM made ORDER BY id"), "31.12.24|01.02.69");
        fresh(place, "id,born\n1,31.12.24\n2,01.02.69\n");
        let done = place.load("made.csv --into made --create-table --date-format born=%d.%m.%y");
        assert_eq!(done.code, 0, "{done}");
        assert_eq!(place.sql("SELECT born FROM made ORDER BY id"), "2024-12-31|1969-02-01");
        let done = place.load("made.csv --into made --date-format borm=%d.%m.%y");
        assert_eq!(done.code, 1, "{done}");
        done.says("`--date-format borm=%d.%m.%y`: no file has a field `borm`");
        done.says("did you mean `born`?");
        let done = place.load("made.csv --into made --currency -");
        assert_eq!(done.code, 1, "{done}");
        done.says("`--currency -`: that is a part of numbers");
    });
}

#[test]
fn types_are_given() {
    everywhere("given", |place| {
        fresh(place, FILE);
        let mut command =
            place.command("made.csv --into made --create-table --type zip=CHAR(5) --type born=VARCHAR(10)");
        command.args(["--type", "ID=BIGINT UNSIGNED NOT NULL", "--type", "active=BOOL"]);
        let done = place.done(&command.output().unwrap());
        assert_eq!(done.code, 0, "{done}");
        assert!(types(place).starts_with("bigint char varchar time tinyint"), "{}", types(place));
        assert_eq!(place.sql("SELECT born FROM made ORDER BY id"), "31/01/2013|02/03/2014|NA");
        for (option, says) in [
            ("--type zap=INT", "did you mean `zip`?"),
            ("--type zip=CHR(5)", "that is no type of a column"),
            ("--type zip=VARCHAR(5),evil", "that is no type of a column"),
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

/// MySQL makes no table of so many texts: the error says what does.
#[test]
fn more_texts_than_a_table_of_mysql_has_columns() {
    everywhere("wide", |place| {
        let list = |cell: fn(usize) -> String| (0..300).map(cell).collect::<Vec<_>>().join(",");
        place.write("wide.csv", format!("{}\n{1}\n{1}\n", list(|i| format!("a{i}")), list(|i| format!("{i} of it"))));
        let done = place.load("wide.csv --into wide --create-table");
        if !place.is_mysql() {
            assert_eq!(
                (done.code, place.sql("SELECT COUNT(*), MAX(a299) FROM wide")),
                (0, "2,299 of it".to_owned()),
                "{done}"
            );
            return;
        }
        assert_eq!(done.code, 3, "{done}");
        done.says("no table of InnoDB with more than about 196 columns of text");
        let columns = list(|i| if i < 190 { format!("a{i}") } else { format!("@a{i}") });
        let done = place.load(&format!("wide.csv --into wide --create-table --columns {columns}"));
        assert_eq!(
            (done.code, place.sql("SELECT COUNT(*), MAX(a189) FROM wide")),
            (0, "2,189 of it".to_owned()),
            "{done}"
        );
    });
}

/// A column of MySQL with a reference system takes geometries of it alone.
#[test]
fn a_geometry_without_its_srid() {
    everywhere("srid", |place| {
        if !place.is_mysql() {
            return;
        }
        place.sql("CREATE TABLE g (id INT PRIMARY KEY, pos POINT NOT NULL SRID 4326)");
        place.write("g.csv", "id,pos\n1,POINT(13.4 52.5)\n");
        let done = place.load("g.csv --into g");
        assert_eq!(done.code, 2, "{done}");
        let set = "pos=ST_GeomFromText(@pos, 4326, 'axis-order=long-lat')";
        done.says(&format!("`--set \"{set}\"` says the SRID"));
        let done = place.done(&place.command("g.csv --into g --json").args(["--set", set]).output().unwrap());
        assert_eq!(done.code, 0, "{done}");
        assert_eq!(place.sql("SELECT ST_Longitude(pos), ST_Latitude(pos) FROM g"), "13.4,52.5");
    });
}
