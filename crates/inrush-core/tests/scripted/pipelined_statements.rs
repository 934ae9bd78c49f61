//! Executions in a pipeline by script: what is prepared when, which types are told, what is closed.

use crate::pipeline_talk::{Say, check, check_once, narrow, say, say_with, texts};
use inrush_core::value::Value;
use inrush_testkit::captured::{COLUMN_CURRENT_USER as COLUMN, OK};
use inrush_testkit::script::{Script, script};

const ONE_ROW: &[u8] = b"\x00\x01\x00\x02\x00\x00\x00";
const NO_TABLE: &[u8] = b"\xff\x7a\x04#42S02Table doesn't exist";
const ONE: &[Value<'_>] = &[Value::Int(1)];
const TEXT: &[Value<'_>] = &[Value::Text("a")];
const NULL: &[Value<'_>] = &[Value::Null];
const TWO: &[Value<'_>] = &[Value::Int(1), Value::Int(2)];

/// The answer to a PREPARE: a statement of this number with so many parameters.
fn prepared(script: Script, id: u8, n_params: u8) -> Script {
    let script = script.reply_to(1).read(&[0, id, 0, 0, 0, 0, 0, n_params, 0, 0, 0, 0]);
    (0..n_params).fold(script, |script, _| script.read(COLUMN))
}

/// An execution of a statement with one parameter; `rest` is what follows its head.
fn execute(script: Script, id: u8, rest: &[u8]) -> Script {
    script.command(&[&[0x17, id, 0, 0, 0, 0, 1, 0, 0, 0], rest].concat())
}

fn done(script: Script) -> Script {
    script.reply_to(1).read(ONE_ROW)
}

const TYPED: &[u8] = b"\0\x01\x08\0\x01\0\0\0\0\0\0\0";
const TYPED_TEXT: &[u8] = b"\0\x01\xfd\0\x01a";
const UNTYPED: &[u8] = b"\0\0\x01\0\0\0\0\0\0\0";

/// The ways to execute.
const ASKS: [fn(&'static str, &'static [Value<'static>]) -> Say; 3] = [Say::Ask, Say::AskBound, Say::SendBound];

#[test]
fn a_new_statement_is_prepared_first_and_tells_its_types_until_they_were_taken() {
    for say_it in ASKS {
        let script = prepared(script().logged_in().command(b"\x0e").command(b"\x16a?").read(OK), 7, 1);
        let script = execute(execute(script, 7, TYPED), 7, TYPED).command(b"\x0e");
        let script = done(done(script)).reply_to(1).read(OK);
        let script = done(done(execute(execute(script, 7, UNTYPED), 7, UNTYPED)));
        let one = say_it("a?", ONE);
        let talk = [Say::Ping, one, one, Say::Ping, Say::Wait, one, one];
        check(&script, say(&talk), &["0", "1", "1", "0", "1", "1"]);
    }
}

#[test]
fn types_are_told_again_when_they_change_and_null_fits_any() {
    for say_it in ASKS {
        let script = prepared(script().logged_in().command(b"\x16a?"), 7, 1);
        let script = execute(execute(script, 7, TYPED_TEXT), 7, b"\x01\x01\xfd\0");
        let script = execute(execute(script, 7, TYPED), 7, b"\x01\x01\x08\0");
        let script = execute(script, 7, TYPED);
        let script = (0..5).fold(script, |script, _| done(script));
        let script = done(done(execute(execute(script, 7, b"\x01\0"), 7, UNTYPED)));
        let say_it = |values| say_it("a?", values);
        let [text, null, one] = [TEXT, NULL, ONE].map(say_it);
        check_once(&script, say(&[text, null, one, null, one, Say::Wait, null, one]), &["1"; 7]);
    }
}

/// Where an execution fails, nobody knows which of its types the server has taken.
#[test]
fn types_are_told_again_behind_an_error() {
    for say_it in ASKS {
        let script = prepared(script().logged_in().command(b"\x16a?"), 7, 1);
        let script = execute(execute(script, 7, TYPED), 7, TYPED).reply_to(1).read(NO_TABLE);
        let script = done(execute(done(script), 7, TYPED));
        let script = done(execute(script, 7, UNTYPED));
        let one = say_it("a?", ONE);
        check_once(&script, say(&[one, one, Say::Wait, one, Say::Wait, one]), &["!1146", "1", "1", "1"]);
    }
}

/// MySQL would make a number of a text that looks like one.
#[test]
fn a_text_behind_a_number_has_a_statement_prepared_anew() {
    for say_it in ASKS {
        let script = prepared(script().logged_in().command(b"\x16a?"), 7, 1);
        let script = done(execute(script, 7, TYPED).command(b"\x16a?"));
        let script = prepared(script, 8, 1).command(b"\x19\x07\0\0\0");
        let script = done(done(execute(execute(script, 8, TYPED_TEXT), 8, TYPED_TEXT)));
        let talk = [ONE, TEXT, TEXT].map(|values| say_it("a?", values));
        check_once(&script, say(&talk), &["1"; 3]);
    }
}

#[test]
fn mariadb_takes_each_value_for_what_it_is() {
    for say_it in ASKS {
        let script = prepared(script().logged_in_at_mariadb().command(b"\x16a?"), 7, 1);
        let script = done(done(execute(execute(script, 7, TYPED), 7, TYPED_TEXT)));
        check_once(&script, say(&[ONE, TEXT].map(|values| say_it("a?", values))), &["1"; 2]);
    }
}

#[test]
fn what_is_learned_ahead_is_prepared_in_one_flight() {
    let script = script().logged_in().command(b"\x16a?").command(b"\x16b?");
    let script = execute(prepared(prepared(script, 7, 1), 8, 1), 7, TYPED);
    let script = done(done(execute(script, 8, TYPED)));
    let talk = [Say::Learn("a?"), Say::Learn("b?"), Say::Wait, Say::Ask("a?", ONE), Say::Ask("b?", ONE)];
    check(&script, say(&talk), &["1", "1"]);
}

/// A statement that cannot be prepared yet, because an earlier step makes its table, gets a second chance.
#[test]
fn what_could_not_be_learned_is_tried_again_in_its_place() {
    let script = script().logged_in().command(b"\x16a?").read(NO_TABLE).command(b"\x03CREATE").command(b"\x16a?");
    let script = execute(prepared(script.read(OK), 7, 1), 7, TYPED);
    let talk = [Say::Learn("a?"), Say::Wait, Say::Query("CREATE"), Say::Ask("a?", ONE)];
    check_once(&done(script), say(&talk), &["0", "1"]);
}

#[test]
fn a_statement_that_is_refused_fails_its_step() {
    let script = script().logged_in().command(b"\x0e").command(b"\x16a?").read(OK).reply_to(1).read(NO_TABLE);
    let script = script.command(b"\x0e").read(OK);
    check_once(&script, say(&[Say::Ping, Say::Ask("a?", ONE), Say::Ping]), &["0", "!1146", "0"]);
}

#[test]
fn a_wrong_number_of_values_fails_its_step_and_sends_nothing() {
    for say_it in ASKS {
        let script = prepared(script().logged_in().command(b"\x16a?"), 7, 1).command(b"\x0e");
        let script = execute(script.read(OK), 7, TYPED);
        let talk = [say_it("a?", TWO), Say::Ping, say_it("a?", TWO), say_it("a?", ONE)];
        check_once(&done(script), say_with(&talk, narrow(1), false), &["!0", "0", "!0", "1"]);
    }
}

#[test]
fn a_prepare_of_what_is_known_sends_nothing() {
    let script = prepared(script().logged_in().command(b"\x16a?"), 7, 1).command(b"\x0e").read(OK);
    check(
        &script,
        say_with(&[Say::Prepare("a?"), Say::Prepare("a?"), Say::Ping], narrow(1), false),
        &["prepared a?", "prepared a?", "0"],
    );
}

#[test]
fn what_the_cache_drops_is_closed() {
    let script = prepared(script().logged_in().command(b"\x16a?"), 7, 1).command(b"\x16b?");
    let script = prepared(script, 8, 1).command(b"\x19\x07\0\0\0").command(b"\x0e").read(OK);
    script.check(
        |peer| {
            peer.channel.session.statements_mut().set_capacity(1);
            say_with(&[Say::Prepare("a?"), Say::Prepare("b?"), Say::Ping], narrow(1), false)(peer).map(texts)
        },
        vec!["prepared a?".into(), "prepared b?".into(), "0".into()],
    );
}

#[test]
fn after_a_reset_statements_are_prepared_anew() {
    let script =
        prepared(script().logged_in().command(b"\x16a?"), 7, 1).command(b"\x1f").command(b"\x03SET NAMES utf8mb4");
    let script = script.command(b"\x16a?").read(OK).reply_to(1).read(OK);
    let script = done(execute(prepared(script, 1, 1), 1, TYPED));
    check_once(&script, say(&[Say::Learn("a?"), Say::Wait, Say::Reset, Say::Ask("a?", ONE)]), &["0", "1"]);
}

#[test]
fn long_values_go_ahead_in_parts() {
    const PART: usize = 256 * 1024;
    static LONG: [u8; PART + 1] = [b'x'; PART + 1];
    static VALUES: [Value<'static>; 2] = [Value::Int(1), Value::Bytes(&LONG)];
    for say_it in ASKS {
        let part = |bytes: &[u8]| [b"\x18\x07\0\0\0\x01\0", bytes].concat();
        let script = prepared(script().logged_in().command(b"\x16a??"), 7, 2);
        let script = script.command(&part(&LONG[..PART])).command(&part(b"x"));
        let script = execute(script, 7, b"\0\x01\x08\0\xfc\0\x01\0\0\0\0\0\0\0");
        // An error of theirs would stay in the statement.
        let script = done(script.command(b"\x1a\x07\0\0\0")).reply_to(1).read(OK);
        check_once(&script, say(&[say_it("a??", &VALUES)]), &["1"]);
    }
}

/// Where one command is sent at a time, nothing follows; a statement whose long values failed is prepared anew.
#[test]
fn behind_an_error_of_long_values_a_statement_is_prepared_anew() {
    static LONG: [u8; 256 * 1024 + 1] = [b'x'; 256 * 1024 + 1];
    static VALUES: [Value<'static>; 1] = [Value::Bytes(&LONG)];
    const SHORT: &[Value<'_>] = &[Value::Bytes(b"a")];
    const BLOB: &[u8] = b"\0\x01\xfc\0";
    for say_it in ASKS {
        let script = prepared(script().logged_in().command(b"\x16a?"), 7, 1);
        let part = |bytes: &[u8]| [b"\x18\x07\0\0\0\0\0", bytes].concat();
        let script = script.command(&part(&LONG[1..])).command(&part(b"x"));
        let script = execute(script, 7, BLOB).reply_to(1).read(NO_TABLE).command(b"\x16a?");
        let script = execute(prepared(script, 8, 1).command(b"\x19\x07\0\0\0"), 8, b"\0\x01\xfc\0\x01a");
        let talk = [say_it("a?", &VALUES), say_it("a?", SHORT)];
        check_once(&done(script), say_with(&talk, narrow(1), false), &["!1146", "1"]);
    }
}

const BULK: &[u8] = b"\x80\0\x08\0\0\x01\0\0\0\0\0\0\0\x01";

#[test]
fn a_bulk_execution_waits_for_its_statement_and_takes_the_types_along() {
    let script = prepared(script().logged_in_at_mariadb().command(b"\x0e").command(b"\x16a?").read(OK), 7, 1);
    let bulk = [b"\xfa\x07\0\0\0", BULK].concat();
    let script = execute(script.command(&bulk).command(&bulk), 7, TYPED).command(&bulk);
    // What the bulk execution told holds for the next one of the statement, whatever it was.
    let script = done(done(done(done(execute(script, 7, TYPED)))));
    let bulk = Say::SendBulk("a?", 1, BULK);
    let talk = [Say::Ping, bulk, bulk, Say::SendBound("a?", ONE), bulk, Say::Ask("a?", ONE)];
    check(&done(script), say(&talk), &["0", "1", "1", "1", "1", "1"]);
}

#[test]
fn a_bulk_body_for_another_number_of_parameters_is_not_sent() {
    let script = prepared(script().logged_in_at_mariadb().command(b"\x16a?"), 7, 1).command(b"\x0e").read(OK);
    check_once(&script, say_with(&[Say::SendBulk("a?", 2, BULK), Say::Ping], narrow(1), false), &["!0", "0"]);
}

#[test]
fn a_server_without_bulk_execution_is_not_asked_for_it() {
    let script = script().logged_in().command(b"\x0e").read(OK);
    check_once(&script, say(&[Say::SendBulk("a?", 1, BULK), Say::Ping]), &["!0", "0"]);
}

#[test]
fn a_text_is_sent_like_any_other() {
    let script = script().logged_in().command(b"\x03a").command(b"\x03b").read(ONE_ROW).reply_to(1).read(ONE_ROW);
    check(&script, say(&[Say::SendQuery("a"), Say::SendQuery("b")]), &["1", "1"]);
    // A COMMIT waits for what is before it.
    let script = script.command(b"\x03COMMIT").read(OK);
    check(&script, say(&[Say::SendQuery("a"), Say::SendQuery("b"), Say::SendQuery("COMMIT")]), &["1", "1", "0"]);
}
