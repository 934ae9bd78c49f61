//! Dumps of two schemas as people know them from tutorials, a shop that lends films and a firm with the history of its salaries, beside what the
//! server's own client makes of them.

use crate::dumps::{dump, load, play};
use crate::manifests::{beside, is_equal, stored};
use crate::place::{Place, everywhere};

/// A database, and the names of what is in it.
struct Sample {
    label: &'static str,
    statements: &'static str,
    tables: &'static [&'static str],
    n_rows: u64,
    /// `VIEW v`, `PROCEDURE p` ..
    others: &'static [&'static str],
    /// Queries whose answers need routines and views.
    queries: &'static [&'static str],
}

/// Foreign keys in a circle (store, staff), a table that refers to itself, full texts and geometries, all kinds of triggers.
const FILMS: Sample = Sample {
    label: "dump_films",
    statements: r#"
SET foreign_key_checks = 0;
CREATE TABLE digit (n TINYINT UNSIGNED NOT NULL PRIMARY KEY);
CREATE TABLE actor (actor_id SMALLINT UNSIGNED NOT NULL AUTO_INCREMENT, first_name VARCHAR(45) CHARACTER SET utf8mb4 NOT NULL,
  last_update TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP ON UPDATE CURRENT_TIMESTAMP, PRIMARY KEY (actor_id), KEY idx_name (first_name(10)));
CREATE TABLE film (film_id SMALLINT UNSIGNED NOT NULL AUTO_INCREMENT, title VARCHAR(128) CHARACTER SET utf8mb4 NOT NULL, description TEXT CHARACTER SET utf8mb4,
  release_year YEAR DEFAULT NULL, sequel_of SMALLINT UNSIGNED DEFAULT NULL, rental_rate DECIMAL(4,2) NOT NULL DEFAULT '4.99',
  rating ENUM('G','PG','PG-13','R','NC-17') CHARACTER SET utf8mb4 DEFAULT 'G', features SET('Trailers','Commentaries','Deleted Scenes') CHARACTER SET utf8mb4 DEFAULT NULL,
  price_with_tax DECIMAL(6,2) AS (rental_rate * 1.19) STORED, PRIMARY KEY (film_id), KEY idx_title (title),
  CONSTRAINT fk_sequel FOREIGN KEY (sequel_of) REFERENCES film (film_id) ON UPDATE CASCADE);
CREATE TABLE film_actor (actor_id SMALLINT UNSIGNED NOT NULL, film_id SMALLINT UNSIGNED NOT NULL, PRIMARY KEY (actor_id, film_id), KEY idx_film (film_id),
  CONSTRAINT fk_fa_actor FOREIGN KEY (actor_id) REFERENCES actor (actor_id) ON UPDATE CASCADE,
  CONSTRAINT fk_fa_film FOREIGN KEY (film_id) REFERENCES film (film_id) ON DELETE CASCADE);
CREATE TABLE film_text (film_id SMALLINT UNSIGNED NOT NULL PRIMARY KEY, title VARCHAR(255) CHARACTER SET utf8mb4 NOT NULL, FULLTEXT KEY idx_text (title));
CREATE TABLE address (address_id SMALLINT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY, district VARCHAR(20) CHARACTER SET utf8mb4 NOT NULL,
  location GEOMETRY NOT NULL, SPATIAL KEY idx_location (location));
CREATE TABLE staff (staff_id TINYINT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY, store_id TINYINT UNSIGNED NOT NULL, picture BLOB, active BIT(1) NOT NULL DEFAULT b'1',
  CONSTRAINT fk_staff_store FOREIGN KEY (store_id) REFERENCES store (store_id));
CREATE TABLE store (store_id TINYINT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY, manager_id TINYINT UNSIGNED NOT NULL, UNIQUE KEY idx_manager (manager_id),
  CONSTRAINT fk_store_staff FOREIGN KEY (manager_id) REFERENCES staff (staff_id));
CREATE TABLE payment (payment_id INT NOT NULL AUTO_INCREMENT PRIMARY KEY, staff_id TINYINT UNSIGNED NOT NULL, amount DECIMAL(5,2) NOT NULL,
  payment_date DATETIME NOT NULL, KEY idx_staff (staff_id, payment_date), CONSTRAINT fk_payment_staff FOREIGN KEY (staff_id) REFERENCES staff (staff_id));
INSERT INTO digit VALUES (0),(1),(2),(3),(4),(5),(6),(7),(8),(9);
INSERT INTO actor (first_name, last_update) SELECT CONCAT('PÉNÉLOPE ', a.n, b.n, '''s'), '2006-02-15 04:34:33' FROM digit a, digit b;
INSERT INTO film (title, description, release_year, rental_rate, rating, features) SELECT CONCAT('FILM "', a.n, b.n, '"'), CONCAT('A; tale\nof \\', b.n),
  2000 + a.n, b.n + 0.99, ELT(1 + a.n MOD 5, 'G', 'PG', 'PG-13', 'R', 'NC-17'), IF(b.n = 3, NULL, ELT(1 + b.n MOD 3, 'Trailers', 'Trailers,Deleted Scenes', '')) FROM digit a, digit b;
UPDATE film SET sequel_of = film_id + 1 WHERE film_id MOD 7 = 0;
INSERT INTO film_actor SELECT 1 + a.n, 1 + b.n * 10 FROM digit a, digit b;
INSERT INTO film_text SELECT film_id, title FROM film;
INSERT INTO address (district, location) SELECT CONCAT('d', n), ST_GeomFromText(CONCAT('POINT(', n, ' ', -n, '.5)')) FROM digit;
INSERT INTO staff (store_id, picture, active) VALUES (1, 0x89504e470d0a1a0a00ff27, b'1'), (2, NULL, b'0');
INSERT INTO store (manager_id) VALUES (2), (1);
INSERT INTO payment (staff_id, amount, payment_date) SELECT 1 + a.n MOD 2, b.n + c.n / 100, '2005-05-25 11:30:37' + INTERVAL (a.n * 100 + b.n * 10 + c.n) HOUR FROM digit a, digit b, digit c;
CREATE VIEW film_list AS SELECT film.film_id AS fid, film.title AS title, GROUP_CONCAT(actor.first_name ORDER BY actor.actor_id SEPARATOR ', ') AS actors
  FROM film LEFT JOIN film_actor ON film_actor.film_id = film.film_id LEFT JOIN actor ON actor.actor_id = film_actor.actor_id GROUP BY film.film_id, film.title;
CREATE SQL SECURITY INVOKER VIEW a_first_view AS SELECT fid, title FROM film_list WHERE actors IS NOT NULL;
CREATE TRIGGER ins_film AFTER INSERT ON film FOR EACH ROW INSERT INTO film_text (film_id, title) VALUES (NEW.film_id, NEW.title);
CREATE TRIGGER payment_date BEFORE INSERT ON payment FOR EACH ROW SET NEW.payment_date = NOW();
CREATE FUNCTION in_stock(p_film INT) RETURNS INT READS SQL DATA RETURN (SELECT COUNT(*) FROM film_actor WHERE film_id = p_film);
CREATE PROCEDURE payments_of(IN p_staff INT, OUT p_count INT) READS SQL DATA SELECT COUNT(*) INTO p_count FROM payment WHERE staff_id = p_staff;
"#,
    tables: &["digit", "actor", "film", "film_actor", "film_text", "address", "staff", "store", "payment"],
    n_rows: 10 + 100 + 100 + 100 + 100 + 10 + 2 + 2 + 1000,
    others: &[
        "VIEW film_list",
        "VIEW a_first_view",
        "TRIGGER ins_film",
        "TRIGGER payment_date",
        "FUNCTION in_stock",
        "PROCEDURE payments_of",
    ],
    queries: &[
        "SELECT * FROM a_first_view ORDER BY fid",
        "SELECT in_stock(11), in_stock(12)",
        "SELECT film_id FROM film_text WHERE MATCH (title) AGAINST ('film' IN BOOLEAN MODE) ORDER BY 1",
        "SELECT film_id, price_with_tax FROM film ORDER BY 1",
    ],
};

/// Keys of several columns, dates that mean for ever, views over views.
const FIRM: Sample = Sample {
    label: "dump_firm",
    statements: r#"
CREATE TABLE digit (n INT NOT NULL PRIMARY KEY);
CREATE TABLE employees (emp_no INT NOT NULL, birth_date DATE NOT NULL, first_name VARCHAR(14) CHARACTER SET utf8mb4 NOT NULL, gender ENUM('M','F') CHARACTER SET utf8mb4 NOT NULL,
  hire_date DATE NOT NULL, PRIMARY KEY (emp_no));
CREATE TABLE departments (dept_no CHAR(4) CHARACTER SET utf8mb4 NOT NULL, dept_name VARCHAR(40) CHARACTER SET utf8mb4 NOT NULL, PRIMARY KEY (dept_no), UNIQUE KEY (dept_name));
CREATE TABLE dept_emp (emp_no INT NOT NULL, dept_no CHAR(4) CHARACTER SET utf8mb4 NOT NULL, from_date DATE NOT NULL, to_date DATE NOT NULL, KEY (dept_no),
  FOREIGN KEY (emp_no) REFERENCES employees (emp_no) ON DELETE CASCADE, FOREIGN KEY (dept_no) REFERENCES departments (dept_no) ON DELETE CASCADE, PRIMARY KEY (emp_no, dept_no));
CREATE TABLE titles (emp_no INT NOT NULL, title VARCHAR(50) CHARACTER SET utf8mb4 NOT NULL, from_date DATE NOT NULL, to_date DATE DEFAULT NULL,
  FOREIGN KEY (emp_no) REFERENCES employees (emp_no) ON DELETE CASCADE, PRIMARY KEY (emp_no, title, from_date));
CREATE TABLE salaries (emp_no INT NOT NULL, salary INT NOT NULL, from_date DATE NOT NULL, to_date DATE NOT NULL, PRIMARY KEY (emp_no, from_date), KEY (salary))
  PARTITION BY RANGE (YEAR(from_date)) (PARTITION p0 VALUES LESS THAN (1995), PARTITION p1 VALUES LESS THAN (2000), PARTITION p2 VALUES LESS THAN MAXVALUE);
INSERT INTO digit VALUES (0),(1),(2),(3),(4),(5),(6),(7),(8),(9);
INSERT INTO employees SELECT 10001 + a.n * 100 + b.n * 10 + c.n, '1952-02-29' + INTERVAL (a.n * 100 + b.n) DAY, CONCAT('Georgi ', c.n), IF(c.n MOD 2, 'M', 'F'), '1985-01-01' + INTERVAL b.n YEAR
  FROM digit a, digit b, digit c;
INSERT INTO departments SELECT CONCAT('d00', n), CONCAT('Dept ', n, ' & Söhne') FROM digit;
INSERT INTO dept_emp SELECT emp_no, CONCAT('d00', emp_no MOD 10), hire_date, IF(emp_no MOD 3, '9999-01-01', '1999-12-31') FROM employees;
INSERT INTO titles SELECT emp_no, 'Engineer', hire_date, IF(emp_no MOD 2, NULL, '9999-01-01') FROM employees;
INSERT INTO salaries SELECT emp_no, 40000 + emp_no * (1 + n), hire_date + INTERVAL n YEAR, hire_date + INTERVAL (n + 1) YEAR FROM employees, digit;
CREATE VIEW dept_emp_latest_date AS SELECT emp_no, MAX(from_date) AS from_date, MAX(to_date) AS to_date FROM dept_emp GROUP BY emp_no;
CREATE VIEW current_dept_emp AS SELECT l.emp_no, d.dept_no, l.from_date, l.to_date FROM dept_emp d INNER JOIN dept_emp_latest_date l
  ON d.emp_no = l.emp_no AND d.from_date = l.from_date AND l.to_date = d.to_date;
"#,
    tables: &["digit", "employees", "departments", "dept_emp", "titles", "salaries"],
    n_rows: 10 + 1000 + 10 + 1000 + 1000 + 10_000,
    others: &["VIEW dept_emp_latest_date", "VIEW current_dept_emp"],
    queries: &[
        "SELECT COUNT(*), MIN(to_date), MAX(dept_no) FROM current_dept_emp",
        "SELECT COUNT(*) FROM salaries PARTITION (p1)",
    ],
};

fn is_what_the_client_makes(sample: &Sample) {
    everywhere(sample.label, |place| {
        place.sql(sample.statements);
        for arguments in ["--routines", "--routines --hex-blob --skip-extended-insert --complete-insert"] {
            dump(place, arguments);
            let (ours, theirs) = (Place::new(place.server.clone(), "ours"), beside(place));
            for options in ["", "--truncate --defer-indexes"] {
                // The triggers of the dump would fire.
                let drops = sample.others.iter().filter(|other| other.starts_with("TRIGGER") && !options.is_empty());
                drops.for_each(|other| drop(ours.sql(&format!("DROP {other}"))));
                let done = load(place, &ours, &format!("dump.sql --into * {options}"));
                assert_eq!(stored(&done), (0, sample.n_rows), "{arguments} {options}: {}", done.stderr);
            }
            play(place, &theirs);
            let shown = |place: &Place, what: &str| {
                let shown = place.sql(&format!("SHOW CREATE {what}")).replace(place.schema.name(), "shop");
                match what.starts_with("TRIGGER") {
                    // When it was made.
                    true => shown.rsplit_once(",20").map_or(shown.clone(), |(text, _)| text.to_owned()),
                    false => shown,
                }
            };
            for table in sample.tables {
                let table_of = |place: &Place| shown(place, &format!("TABLE {table}"));
                assert_eq!(table_of(&ours), table_of(&theirs), "{arguments}");
                is_equal(place, &ours, table, "");
            }
            for other in sample.others {
                assert_eq!(shown(&ours, other), shown(&theirs, other), "{arguments}");
            }
            for query in sample.queries {
                assert_eq!(ours.sql(query), theirs.sql(query), "{arguments}: {query}");
            }
        }
    });
}

#[test]
fn films() {
    is_what_the_client_makes(&FILMS);
}

#[test]
fn a_firm() {
    is_what_the_client_makes(&FIRM);
}
