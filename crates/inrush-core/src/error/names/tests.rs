use super::*;

/// `want`: table, column and constraint, `-` for none.
#[track_caller]
fn check_as(key_has_table: bool, code: u16, message: &str, want: &str) {
    let names = read(code, message, key_has_table);
    let shown = [names.table, names.column, names.constraint].map(|name| name.unwrap_or("-"));
    assert_eq!(shown.join(", "), want, "{message}");
}
#[track_caller]
fn mysql(code: u16, message: &str, want: &str) {
    check_as(true, code, message, want);
}
#[track_caller]
fn mariadb(code: u16, message: &str, want: &str) {
    check_as(false, code, message, want);
}
#[track_caller]
fn both(code: u16, message: &str, want: &str) {
    mysql(code, message, want);
    mariadb(code, message, want);
}

const CANNOT_ADD: &str = "Cannot add or update a child row: a foreign key constraint fails";
const CANNOT_DELETE: &str = "Cannot delete or update a parent row: a foreign key constraint fails";

#[test]
fn of_a_key() {
    mysql(1062, "Duplicate entry '1' for key 't.PRIMARY'", "t, -, PRIMARY");
    mysql(1062, "Duplicate entry 'a' for key 't.u k'", "t, -, u k");
    mariadb(1062, "Duplicate entry '1' for key 'PRIMARY'", "-, -, PRIMARY");
    mariadb(1062, "Duplicate entry '1-2' for key 'u k'", "-, -, u k");
}
#[test]
fn of_a_key_with_dots() {
    mysql(1062, "Duplicate entry '1' for key 'a.b.c'", "-, -, -");
    mysql(1062, "Duplicate entry '1' for key 'PRIMARY'", "-, -, -");
    mariadb(1062, "Duplicate entry '1' for key 'a.b.c'", "-, -, a.b.c");
}
#[test]
fn of_a_key_with_quotes() {
    mysql(1062, "Duplicate entry '1' for key 'we`ird.u'k'", "we`ird, -, u'k");
    mariadb(1062, "Duplicate entry '1' for key 'u'.k'", "-, -, u'.k");
}
#[test]
fn a_value_is_no_name() {
    mysql(1062, "Duplicate entry 'it's for key 'x.y'' for key 't.k'", "t, -, k");
    mariadb(1062, "Duplicate entry '' for key 'x'' for key 'k'", "-, -, k");
    mariadb(1062, "Duplicate entry '' for key '' for key 'k'", "-, -, k");
    both(1062, "Doppelter Eintrag 'Duplicate entry '1' for key 'a.b'' f\u{fc}r Schl\u{fc}ssel 't.k'", "-, -, -");
}
#[test]
fn of_a_foreign_key() {
    let clause = "(`errs`.`t`, CONSTRAINT `fk` FOREIGN KEY (`pid`) REFERENCES `p` (`id`))";
    both(1452, &format!("{CANNOT_ADD} {clause}"), "t, pid, fk");
    both(1451, &format!("{CANNOT_DELETE} {clause}"), "t, pid, fk");
    both(1452, &format!("eine Fremdschl\u{fc}sselbedingung schl\u{e4}gt fehl {clause}"), "t, pid, fk");
}
#[test]
fn of_a_foreign_key_of_several_columns() {
    let clause = "(`errs`.`t`, CONSTRAINT `fk` FOREIGN KEY (`a`, `b`) REFERENCES `p` (`a`, `b`) ON DELETE CASCADE)";
    both(1452, &format!("{CANNOT_ADD} {clause}"), "t, -, fk");
}
#[test]
fn of_a_foreign_key_with_backticks() {
    let rest = "FOREIGN KEY (`pid`) REFERENCES `p` (`id`))";
    mysql(1452, &format!("{CANNOT_ADD} (`errs`.`t`, CONSTRAINT `f`k` {rest}"), "t, pid, -");
    mariadb(1452, &format!("{CANNOT_ADD} (`errs`.`t``x`, CONSTRAINT `f``k` {rest}"), "-, pid, -");
}
#[test]
fn a_foreign_key_that_the_server_does_not_name() {
    both(1451, CANNOT_DELETE, "-, -, -");
    both(1451, &format!("{CANNOT_DELETE} (`errs`.`t`, CONSTRAINT `a_very_long_na)"), "-, -, -");
    both(1217, CANNOT_DELETE, "-, -, -");
}
#[test]
fn of_a_check() {
    mysql(3819, "Check constraint 'c_pos' is violated.", "-, -, c_pos");
    mysql(3819, "Check constraint 't_chk_1' is violated.", "-, -, t_chk_1");
    mariadb(4025, "CONSTRAINT `c_pos` failed for `errs`.`t`", "t, -, c_pos");
    mariadb(4025, "CONSTRAINT `CONSTRAINT_1` failed for `errs`.`t`", "t, -, CONSTRAINT_1");
    mariadb(4025, "CONSTRAINT `c_pos` fehlgeschlagen: `errs`.`t`", "t, -, c_pos");
    mariadb(4025, "CONSTRAINT `t.js` failed for `errs`.`t`", "t, js, js");
    mariadb(4025, "CONSTRAINT `tt.js` failed for `errs`.`t`", "t, -, tt.js");
    mariadb(4025, "CONSTRAINT `c``k` failed for `errs`.`t`", "-, -, -");
    mariadb(4025, "CONSTRAINT `c` failed for `errs`.`t``x`", "-, -, c");
}
#[test]
fn of_a_column() {
    both(1048, "Column 'n' cannot be null", "-, n, -");
    both(1364, "Field 'it's' doesn't have a default value", "-, it's, -");
    both(1406, "Data too long for column 's' at row 1", "-, s, -");
    both(1406, "Data too long for column 'a' at row 2' at row 1", "-, a' at row 2, -");
    both(1264, "Out of range value for column 'd' at row 17", "-, d, -");
    both(1263, "Column set to default value; NULL supplied to NOT NULL column 'n' at row 1", "-, n, -");
}
#[test]
fn in_another_language() {
    both(1062, "Doppelter Eintrag '1' f\u{fc}r Schl\u{fc}ssel 't.PRIMARY'", "-, -, -");
    both(1062, "Duplicata du champ '1' pour la clef 'PRIMARY'", "-, -, -");
    both(1048, "Feld 'n' darf nicht NULL sein", "-, -, -");
    both(1048, "Le champ 'n' ne peut \u{ea}tre vide (null)", "-, -, -");
    both(1406, "Daten zu lang f\u{fc}r Feld 's' in Zeile 1", "-, -, -");
    both(1364, "Feld 'n' hat keinen Vorgabewert", "-, -, -");
}
#[test]
fn of_a_message_that_may_be_cut() {
    both(1062, &format!("Duplicate entry '' for key 'x{}'", "y".repeat(500)), "-, -, -");
}
#[test]
fn of_anything_else() {
    both(1062, "", "-, -, -");
    both(1062, "Duplicate entry '", "-, -, -");
    both(1452, "(`", "-, -, -");
    both(4025, "CONSTRAINT ``", "-, -, -");
    both(4025, "CONSTRAINT `a` `", "-, -, -");
    both(1146, "Table 'errs.nope' doesn't exist", "-, -, -");
}
