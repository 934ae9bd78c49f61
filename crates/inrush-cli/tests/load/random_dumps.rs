//! Dumps of random schemas become what the server's own client makes of them: tables, keys, generated columns, CHECK, partitions, views,
//! triggers, routines, events, and rows. `FIRE=1 FIRE_SEED=1` for 30 of them on each server.

use crate::dumps::{dump, load, play};
use crate::manifests::{beside, stored};
use crate::place::{Place, everywhere};
use crate::random_schemas;
use crate::verify;
use inrush_testkit::dice::{Dice, times};
use std::process::Stdio;

/// What is added to a random table, whose columns `id`, `part`, `name`, `moment` and `raw` always exist.
const ADDED: &[&str] = &[
    "ADD COLUMN `g v` INT GENERATED ALWAYS AS (part + 1) VIRTUAL",
    "ADD COLUMN gs VARCHAR(60) CHARACTER SET utf8mb4 GENERATED ALWAYS AS (CONCAT('a;\\'b', id)) STORED, ADD KEY (gs)",
    "ADD COLUMN first INT NOT NULL DEFAULT 7 FIRST",
    "ADD COLUMN made TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP ON UPDATE CURRENT_TIMESTAMP",
    "ADD COLUMN e VARCHAR(20) DEFAULT (CONCAT('x', 'y'))",
    "ADD CONSTRAINT `c k;` CHECK (part >= -100 AND id > -1000)",
    "ADD COLUMN k VARCHAR(9) DEFAULT 'a' CHECK (k <> 'INSERT INTO x VALUES (1);')",
    "ADD COLUMN o INT COMMENT 'it''s; -- no /* comment */ `x`'",
    "COMMENT 'tabs\\tand\\nlines \"and\" quotes'",
    "ADD KEY both_ways (moment DESC, id)",
    "ADD COLUMN ft TEXT CHARACTER SET utf8mb4, ADD FULLTEXT (ft)",
    "AUTO_INCREMENT = 1000, ADD COLUMN ai BIGINT UNSIGNED NOT NULL AUTO_INCREMENT, ADD UNIQUE (ai)",
    "ROW_FORMAT=COMPRESSED",
    "ADD COLUMN `invisible` INT INVISIBLE DEFAULT 3",
];

/// Everything else, as a script; `@T` is the table of the round.
const OTHERS: &[&str] = &[
    "CREATE TABLE zdad (d INT PRIMARY KEY, up INT, CONSTRAINT `self` FOREIGN KEY (up) REFERENCES zdad (d))//\n\
     CREATE TABLE kid (k INT AUTO_INCREMENT PRIMARY KEY, d INT, FOREIGN KEY (d) REFERENCES zdad (d) ON DELETE CASCADE)//\n\
     INSERT INTO zdad VALUES (1, NULL), (2, 1), (3, 3)//\nINSERT INTO kid (d) VALUES (1), (1), (NULL), (3)",
    "CREATE TABLE parted (a INT NOT NULL, b DATE) PARTITION BY RANGE (a) (PARTITION p0 VALUES LESS THAN (10), PARTITION `p;1` VALUES LESS THAN \
     MAXVALUE)//\nINSERT INTO parted VALUES (1, '2024-01-01'), (10, NULL), (99, '1999-12-31')",
    "CREATE VIEW zv AS SELECT id, name FROM @T WHERE name <> 'é; x'//\nCREATE VIEW av AS SELECT COUNT(*) AS `n n` FROM zv",
    "CREATE SQL SECURITY INVOKER VIEW `v``x` AS SELECT id FROM @T WHERE part > 0 WITH CASCADED CHECK OPTION",
    "CREATE TRIGGER tb BEFORE INSERT ON @T FOR EACH ROW BEGIN\n  SET NEW.part = NEW.part + 1; -- a comment; with ';\nEND",
    "CREATE TABLE log (a VARCHAR(99) CHARACTER SET utf8mb4)//\nINSERT INTO log VALUES ('ünï'), (NULL)//\n\
     CREATE TRIGGER `t r` AFTER UPDATE ON @T FOR EACH ROW INSERT INTO log VALUES (CONCAT(OLD.name, ' -> ', NEW.name))//\n\
     CREATE TRIGGER tl BEFORE INSERT ON log FOR EACH ROW SET NEW.a = 'wrong'",
    "CREATE PROCEDURE `p 1`(IN x INT, OUT y VARCHAR(10) CHARSET utf8mb4)\nBEGIN\n  DECLARE done INT DEFAULT 0;\n  SELECT 'a;b' INTO y;\n  \
     WHILE done < x DO SET done = done + 1; END WHILE;\nEND",
    "CREATE FUNCTION f(x INT) RETURNS INT DETERMINISTIC RETURN x * 2//\nCREATE VIEW vf AS SELECT f(id) AS twice FROM @T",
    "CREATE EVENT ev ON SCHEDULE EVERY 1 DAY STARTS '2030-01-01 00:00:00' DISABLE COMMENT 'it''s' DO DELETE FROM @T WHERE id = -5000",
    "CREATE TABLE dots (`a.b` INT PRIMARY KEY, `sel``ect` VARCHAR(20), `日本` INT)//\n\
     INSERT INTO dots VALUES (1, '\\\\', 1), (2, '\\'', 2), (3, '\\\\n;', NULL), (4, '\\Z', 0)",
    "SET SESSION sql_mode = 'ANSI_QUOTES,NO_BACKSLASH_ESCAPES'//\nCREATE PROCEDURE am() SELECT 'back\\slash' AS \"x\"//\nSET SESSION sql_mode = DEFAULT",
    "SET SESSION sql_mode = 'NO_AUTO_VALUE_ON_ZERO'//\nCREATE TABLE zero (id INT AUTO_INCREMENT PRIMARY KEY, t TIMESTAMP NULL)//\n\
     INSERT INTO zero VALUES (0, '2038-01-19 03:14:07'), (5, NULL)//\nSET SESSION sql_mode = DEFAULT",
];

const DUMPS: &[&str] = &[
    "",
    "--hex-blob",
    "--complete-insert",
    "--skip-extended-insert",
    "--skip-quote-names",
    "--skip-opt --create-options",
    "--order-by-primary",
];

#[test]
fn random_dumps_become_what_the_client_makes_of_them() {
    everywhere("random_dumps", |place| {
        let mut dice = Dice::of(&format!("dumps {}", place.server.name));
        for round in 0..times(1, 30) {
            let from = beside(place);
            let made = make(&from, &mut dice);
            let arguments = DUMPS[dice.below(DUMPS.len() as u64) as usize];
            let described = format!("{arguments} of round {round}\n{made}");
            dump(&from, &format!("--routines --events {arguments}"));
            let (ours, theirs) = (beside(place), beside(place));
            play(&from, &theirs);
            let done = load(&from, &ours, "dump.sql --into *");
            assert_eq!(stored(&done).0, 0, "{described}{}", done.stderr);
            let (of_ours, of_theirs) = (definitions(&ours), definitions(&theirs));
            assert_eq!(of_ours, of_theirs, "{described}{}", done.stderr);
            for table in theirs.sql("SHOW FULL TABLES WHERE Table_type LIKE 'BASE%'").split('|') {
                let table = table.rsplit_once(',').unwrap_or_default().0;
                let compared = |one: &Place| {
                    let mut verify = verify::command(one, "");
                    verify.arg(format!("`{table}`")).arg(format!("{}.`{table}`", ours.schema.name()));
                    verify::Done::of(&mut verify)
                };
                // The client makes 0 of the literal -0, which a dump of MySQL has for a DOUBLE; here it stays what it was.
                let by_client = compared(&theirs);
                assert!(by_client.code == 0 || compared(&from).code == 0, "`{table}` of {described}{by_client}");
            }
        }
    });
}

/// Makes a random schema; returns what it consists of.
fn make(place: &Place, dice: &mut Dice) -> String {
    let mut made = String::new();
    let name = ["t", "T x", "näme", "q'uote", "dot.dot"][dice.below(5) as usize];
    made += &random_schemas::make(place, name, dice).0;
    let mut script = String::from("DELIMITER //\n");
    for added in ADDED {
        if dice.percent(25) {
            script += &format!("ALTER TABLE `{name}` {added}//\n");
        }
    }
    for other in OTHERS {
        if dice.percent(50) {
            script += &format!("{}//\n", other.replace("@T", &format!("`{name}`")));
        }
    }
    // Not every server has every word.
    let mut client = place.server.client();
    client.args(["--default-character-set=utf8mb4", "--user=root", "--force", "--binary-mode=0"]);
    client.env("MYSQL_PWD", &place.server.root_password).arg(place.schema.name());
    place.write("script.sql", &script);
    let script_file = std::fs::File::open(place.path("script.sql")).unwrap();
    client.stdin(script_file).stdout(Stdio::null()).stderr(Stdio::null()).status().unwrap();
    made + "\n" + &script
}

/// Everything that a schema consists of, but for rows.
fn definitions(place: &Place) -> Vec<String> {
    let schema = place.schema.name();
    let list = |query: &str| -> Vec<String> {
        let names = place.sql(query);
        names.split('|').filter(|name| !name.is_empty()).map(str::to_owned).collect()
    };
    let mut all = Vec::new();
    let of_tables = "SELECT CONCAT('TABLE `', REPLACE(TABLE_NAME, '`', '``'), '`') FROM information_schema.TABLES WHERE TABLE_SCHEMA = DATABASE() \
                     AND TABLE_NAME NOT LIKE 'inrush%' ORDER BY 1";
    let of_routines = "SELECT CONCAT(ROUTINE_TYPE, ' `', ROUTINE_NAME, '`') FROM information_schema.ROUTINES WHERE ROUTINE_SCHEMA = DATABASE() ORDER BY 1";
    let of_events = "SELECT CONCAT('EVENT `', EVENT_NAME, '`') FROM information_schema.EVENTS WHERE EVENT_SCHEMA = DATABASE() ORDER BY 1";
    for what in [of_tables, of_routines, of_events].into_iter().flat_map(list) {
        all.push(place.sql(&format!("SHOW CREATE {what}")).replace(schema, "shop"));
    }
    // SHOW CREATE TRIGGER has the moment when it was made.
    all.push(place.sql(
        "SELECT TRIGGER_NAME, EVENT_MANIPULATION, EVENT_OBJECT_TABLE, ACTION_TIMING, ACTION_STATEMENT, SQL_MODE, DEFINER, \
         CHARACTER_SET_CLIENT, COLLATION_CONNECTION FROM information_schema.TRIGGERS WHERE TRIGGER_SCHEMA = DATABASE() ORDER BY 1",
    ));
    all
}
