//! A bad row among good ones: named with its place, left out on request, and loaded once corrected.

use crate::case::{CASE, Case, check_all};
use crate::place::everywhere;

#[test]
fn every_kind_of_bad_row() {
    everywhere("bad_rows", |place| {
        check_all(place, CASES, Case::check_row);
    });
}

pub(crate) const CASES: &[Case] = &[
    Case {
        title: "A row with too many or too few fields",
        advice: "Usually a delimiter inside an unquoted value, or a line that was split.",
        file: b"id,name\n1,Ann\n2,Bob,x\n3,Cy\n",
        says: "error: expected 2 fields, found 3 (people.csv, line 3)\n\
               hint: `--extra-fields ignore` leaves out what is behind the fields of the header; `--bad-rows divert:rejected.csv` loads the rest\n\
               stored: nothing",
        corrected: b"id,name\n2,Bob\n",
        ..ANN_AND_CY
    },
    Case {
        title: "Text after a closing quote",
        advice: "A quote inside a quoted value must be doubled: `\"Bob \"\"the\"\" cat\"`.",
        file: b"id,name\n1,Ann\n2,\"Bob\"x\n3,Cy\n",
        says: "error: text follows the closing quote of field 2 (people.csv, line 3, column `name`)\n\
               hint: if quotes are text in this file, `--quote ''` turns quoting off; `--bad-rows divert:rejected.csv` loads the rest\n\
               stored: nothing",
        corrected: b"id,name\n2,Bob\n",
        ..ANN_AND_CY
    },
    Case {
        title: "Text that is not valid in its encoding",
        advice: "The guess is made of the first megabyte; the more of the language is in it, the surer it is. `--encoding NAME` says the encoding.",
        file: b"id,name\n1,Ann\n2,B\xf6b\n3,Cy\n",
        says: "error: not valid UTF-8 at byte 2 (people.csv, line 3, column `name`)\n\
               hint: the file is most likely windows-1252: `--encoding auto` takes that; `--bad-rows divert:rejected.csv` loads the rest\n\
               stored: nothing",
        corrected: b"id,name\n2,Bob\n",
        ..ANN_AND_CY
    },
    Case {
        title: "A NUL byte in a number",
        advice: "NUL bytes are ordinary text in text columns. In a number or a date they are an error; a file full of \
                 them is UTF-16 (`--encoding utf-16le`).",
        file: b"id,name\n1,Ann\n2\0,Bob\n3,Cy\n",
        says: "error: `2\\0` is not a whole number (people.csv, line 3, column `id`)\n\
               hint: `--bad-rows divert:rejected.csv` loads the rest\n\
               stored: nothing",
        corrected: b"id,name\n2,Bob\n",
        ..ANN_AND_CY
    },
    Case {
        title: "A value too long",
        advice: "inrush never cuts a value. Make the column longer, or the value shorter.",
        file: b"id,name\n1,Ann\n2,Bob of the twenty-one c\n3,Cy\n",
        says: "error: `Bob of the twenty-one c` is 23 characters long, VARCHAR(20) takes 20 (people.csv, line 3, column `name`)\n\
               hint: `--bad-rows divert:rejected.csv` loads the rest\n\
               stored: nothing",
        corrected: b"id,name\n2,Bob\n",
        ..ANN_AND_CY
    },
    Case {
        title: "A character the column does not have",
        advice: "`ALTER TABLE .. CONVERT TO CHARACTER SET utf8mb4` makes room for every character.",
        sql: "CREATE TABLE people (id INT PRIMARY KEY, name VARCHAR(20) CHARACTER SET latin1 NOT NULL)",
        file: "id,name\n1,Ann\n2,Боб\n3,Cy\n".as_bytes(),
        says: "error: `Б` (U+0411) does not exist in character set latin1 (people.csv, line 3, column `name`)\n\
               hint: `--bad-rows divert:rejected.csv` loads the rest\n\
               stored: nothing",
        corrected: b"id,name\n2,Bob\n",
        ..ANN_AND_CY
    },
    Case {
        title: "A bad number",
        advice: "Thousands separators, units and decimal commas are not numbers to a database.",
        file: b"id,age\n1,30\n2,1 200\n3,\n",
        says: "error: `1 200` is not a whole number (people.csv, line 3, column `age`)\n\
               hint: column `age` looks like `--thousands ' '`: 2 of 2 sampled cells fit; `--bad-rows divert:rejected.csv` loads the rest\n\
               stored: nothing",
        corrected: b"id,age\n2,120\n",
        then_holds: "1,30|2,120|3,NULL",
        ..AGES
    },
    Case {
        title: "A number out of range",
        advice: "Use a larger type, or correct the value.",
        file: b"id,age\n1,30\n2,300\n3,\n",
        says: "error: `300` is out of range for TINYINT UNSIGNED (0 to 255) (people.csv, line 3, column `age`)\n\
               hint: `--bad-rows divert:rejected.csv` loads the rest\n\
               stored: nothing",
        corrected: b"id,age\n2,30\n",
        then_holds: "1,30|2,30|3,NULL",
        ..AGES
    },
    Case {
        title: "More digits after the point than the column holds",
        advice: "The server would round it, with only a note.",
        sql: "CREATE TABLE people (id INT PRIMARY KEY, pay DECIMAL(8,2))",
        file: b"id,pay\n1,30.5\n2,30.125\n3,\n",
        says: "error: `30.125` has more than 2 digits behind the point, DECIMAL(8,2) (people.csv, line 3, column `pay`)\n\
               hint: `--bad-rows divert:rejected.csv` loads the rest\n\
               stored: nothing",
        holds: "1,30.50|3,NULL",
        corrected: b"id,pay\n2,30.12\n",
        then_holds: "1,30.50|2,30.12|3,NULL",
        ..AGES
    },
    Case {
        title: "A bad date",
        advice: "Dates are `1999-02-28` (also with `/`, and times with `T`, `Z` or an offset).",
        sql: "CREATE TABLE people (id INT PRIMARY KEY, born DATE)",
        file: b"id,born\n1,1999-02-28\n2,31/02/1999\n3,\n",
        says: "error: `31/02/1999` is not a date (people.csv, line 3, column `born`)\n\
               hint: `--bad-rows divert:rejected.csv` loads the rest\n\
               stored: nothing",
        holds: "1,1999-02-28|3,NULL",
        corrected: b"id,born\n2,1999-02-27\n",
        then_holds: "1,1999-02-28|2,1999-02-27|3,NULL",
        ..AGES
    },
    Case {
        title: "An invalid date",
        advice: "",
        sql: "CREATE TABLE people (id INT PRIMARY KEY, seen DATETIME)",
        file: b"id,seen\n1,2013-02-28 12:00:00\n2,2013-02-30 12:00:00\n3,\n",
        says: "error: `2013-02-30 12:00:00` is not a date and time (people.csv, line 3, column `seen`)\n\
               hint: `--bad-rows divert:rejected.csv` loads the rest\n\
               stored: nothing",
        holds: "1,2013-02-28 12:00:00|3,NULL",
        corrected: b"id,seen\n2,2013-02-28 12:00:00\n",
        then_holds: "1,2013-02-28 12:00:00|2,2013-02-28 12:00:00|3,NULL",
        ..AGES
    },
    Case {
        title: "A value that is not a member of an ENUM",
        advice: "Members are compared as the server does: letters in either case are the same.",
        sql: "CREATE TABLE people (id INT PRIMARY KEY, pet ENUM('cat','dog'))",
        file: b"id,pet\n1,cat\n2,cow\n3,\n",
        says: "error: `cow` is not a member of ENUM('cat','dog') (people.csv, line 3, column `pet`)\n\
               hint: `--bad-rows divert:rejected.csv` loads the rest\n\
               stored: nothing",
        holds: "1,cat|3,NULL",
        corrected: b"id,pet\n2,dog\n",
        then_holds: "1,cat|2,dog|3,NULL",
        ..AGES
    },
    Case {
        title: "A value that is not a member of a SET",
        advice: "",
        sql: "CREATE TABLE people (id INT PRIMARY KEY, pets SET('cat','dog'))",
        file: b"id,pets\n1,\"cat,dog\"\n2,\"cat,cow\"\n3,\n",
        says: "error: `cat,cow` is not a member of SET('cat','dog') (people.csv, line 3, column `pets`)\n\
               hint: `--bad-rows divert:rejected.csv` loads the rest\n\
               stored: nothing",
        holds: "1,cat,dog|3,NULL",
        corrected: b"id,pets\n2,cat\n",
        then_holds: "1,cat,dog|2,cat|3,NULL",
        ..AGES
    },
    Case {
        title: "Text that is not JSON",
        advice: "",
        sql: "CREATE TABLE people (id INT PRIMARY KEY, more JSON)",
        file: b"id,more\n1,[1]\n2,[1\n3,\n",
        says: "error: not valid JSON at byte 3 (people.csv, line 3, column `more`)\n\
               hint: `--bad-rows divert:rejected.csv` loads the rest\n\
               stored: nothing",
        holds: "1,[1]|3,NULL",
        corrected: b"id,more\n2,[2]\n",
        then_holds: "1,[1]|2,[2]|3,NULL",
        ..AGES
    },
    Case {
        title: "NULL where none is allowed",
        advice: "An empty field is NULL only in nullable columns that are not text; `--null TEXT` names other texts for NULL.",
        args: "people.csv --into people --null NA",
        file: b"id,name\n1,Ann\n2,NA\n3,Cy\n",
        says: "error: NULL into NOT NULL column (people.csv, line 3, column `name`)\n\
               hint: `--bad-rows divert:rejected.csv` loads the rest\n\
               stored: nothing",
        corrected: b"id,name\n2,Bob\n",
        ..ANN_AND_CY
    },
    Case {
        title: "A key that is already in the table",
        advice: "The message has the server's text. The existing row is not replaced.",
        sql: "CREATE TABLE people (id INT PRIMARY KEY, name VARCHAR(20), code CHAR(2) DEFAULT 'x', UNIQUE KEY by_name (name, code));\
              CREATE TABLE pets (name CHAR(20))",
        file: b"id,name,code\n1,Ann,a\n1,Bob,b\n3,Cy,c\n",
        says: "error: Duplicate entry '1' for key '{people.PRIMARY|PRIMARY}' (server error 1062) (people.csv, line 3)\n\
               hint: `--bad-rows divert:rejected.csv` loads the rest\n\
               stored: nothing",
        holds: "1,Ann,a|3,Cy,c",
        corrected: b"id,name,code\n2,Bob,b\n",
        then_holds: "1,Ann,a|2,Bob,b|3,Cy,c",
        ..ANN_AND_CY
    },
    Case {
        title: "A duplicate value of a unique key",
        advice: "",
        sql: "CREATE TABLE people (id INT PRIMARY KEY, name VARCHAR(20) NOT NULL UNIQUE)",
        file: b"id,name\n1,Ann\n2,ANN\n3,Cy\n",
        says: "error: Duplicate entry 'ANN' for key '{people.name|name}' (server error 1062) (people.csv, line 3)\n\
               hint: `--bad-rows divert:rejected.csv` loads the rest\n\
               stored: nothing",
        corrected: b"id,name\n2,Bob\n",
        ..ANN_AND_CY
    },
    Case {
        title: "A foreign key without its parent row",
        advice: "Load the parent table first.",
        sql: "CREATE TABLE pets (pet INT PRIMARY KEY); INSERT INTO pets VALUES (7), (8);\
              CREATE TABLE people (id INT PRIMARY KEY, pet INT, CONSTRAINT owns FOREIGN KEY (pet) REFERENCES pets (pet))",
        file: b"id,pet\n1,7\n2,9\n3,\n",
        says: "error: Cannot add or update a child row: a foreign key constraint fails (`shop`.`people`, CONSTRAINT `owns` \
               FOREIGN KEY (`pet`) REFERENCES `pets` (`pet`)) (server error 1452) (people.csv, line 3)\n\
               hint: `--bad-rows divert:rejected.csv` loads the rest\n\
               stored: nothing",
        holds: "1,7|3,NULL",
        corrected: b"id,pet\n2,8\n",
        then_holds: "1,7|2,8|3,NULL",
        ..AGES
    },
    Case {
        title: "A CHECK that fails",
        advice: "",
        sql: "CREATE TABLE people (id INT PRIMARY KEY, age INT, CONSTRAINT adult CHECK (age >= 18))",
        file: b"id,age\n1,30\n2,12\n3,\n",
        says: "error: {Check constraint 'adult' is violated. (server error 3819)|CONSTRAINT `adult` failed for `shop`.`people` (server error 4025)} (people.csv, line 3)\n\
               hint: `--bad-rows divert:rejected.csv` loads the rest\n\
               stored: nothing",
        corrected: b"id,age\n2,21\n",
        then_holds: "1,30|2,21|3,NULL",
        ..AGES
    },
    Case {
        title: "A trigger that refuses a row",
        advice: "The message is that of the trigger.",
        sql: "CREATE TABLE people (id INT PRIMARY KEY, age INT);\
              \nDELIMITER $$\n\
              CREATE TRIGGER guard BEFORE INSERT ON people FOR EACH ROW \
              IF NEW.age < 18 THEN SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'too young for us'; END IF$$\n\
              DELIMITER ;\n",
        file: b"id,age\n1,30\n2,12\n3,\n",
        says: "error: too young for us (server error 1644) (people.csv, line 3)\n\
               hint: `--bad-rows divert:rejected.csv` loads the rest\n\
               stored: nothing",
        corrected: b"id,age\n2,21\n",
        then_holds: "1,30|2,21|3,NULL",
        ..AGES
    },
    Case {
        title: "No partition for a row",
        advice: "",
        sql: "CREATE TABLE people (id INT PRIMARY KEY, age INT) PARTITION BY LIST (id) (PARTITION a VALUES IN (1, 3), PARTITION b VALUES IN (4))",
        file: b"id,age\n1,30\n2,12\n3,\n",
        says: "error: Table has no partition for value 2 (server error 1526) (people.csv, line 3)\n\
               hint: `--bad-rows divert:rejected.csv` loads the rest\n\
               stored: nothing",
        corrected: b"id,age\n4,21\n",
        then_holds: "1,30|3,NULL|4,21",
        ..AGES
    },
    Case {
        title: "Text that is not valid in the encoding of `--encoding`",
        advice: "The diverted record is UTF-8, with `\u{fffd}` in place of the invalid bytes; the reject file begins with a byte order mark.",
        args: "people.csv --into people --encoding shift_jis",
        file: b"id,name\n1,Ann\n2,B\xffb\n3,Cy\n",
        says: "error: the text is not valid Shift_JIS (people.csv, line 3)\n\
               hint: `--bad-rows divert:rejected.csv` loads the rest\n\
               stored: nothing",
        corrected: b"id,name\n2,Bob\n",
        ..ANN_AND_CY
    },
];

const ANN_AND_CY: Case = Case { holds: "1,Ann|3,Cy", then_holds: "1,Ann|2,Bob|3,Cy", ..CASE };

const AGES: Case = Case {
    sql: "CREATE TABLE people (id INT PRIMARY KEY, age TINYINT UNSIGNED)",
    holds: "1,30|3,NULL",
    then_holds: "1,30|3,NULL",
    ..CASE
};
