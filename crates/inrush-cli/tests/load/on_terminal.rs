//! What people see: a line of progress that fits their terminal and is gone before anything else is printed, messages in whole lines of its
//! width, colours where they are wanted.

use crate::numbers::{TABLE, numbers};
use crate::place::{Place, everywhere};
use crate::session::Session;
use crate::terminal::Terminal;
use std::process::{Command, Output};

fn fill(place: &Place, n: u64) {
    place.sql(&format!("DROP TABLE IF EXISTS numbers; {TABLE}"));
    place.forget();
    place.write("numbers.csv", numbers(n, |id| format!("{id},{id}")));
}

#[test]
fn progress_is_one_line_that_fits_and_goes() {
    everywhere("progress", |place| {
        fill(place, 2000);
        let terminal = Terminal::run(&place.command("numbers.csv --into numbers --rate 200"), 80);
        terminal.await_text("%: ");
        terminal.await_text(" rows stored, ");
        terminal.await_text(" left");
        terminal.narrow(50);
        let left = terminal.end(place);
        let text = left.text();
        assert_eq!((left.code, left.is_wrapped), (0, false), "{text}");
        assert!(!text.contains(" rows stored, ") && !text.contains("%:"), "{text}");
        assert!(text.starts_with("table     shop.numbers on"), "{text}");
        assert!(text.contains("\nrows      2,000 read = 2,000 stored\nchunks "), "{text}");
        assert_eq!(text.matches("\nmethod    ").count(), 1, "{text}");
        assert!(left.lines.iter().all(|line| line.len() <= 50), "{text}");
    });
}

#[test]
fn the_first_ctrl_c_leaves_whole_lines() {
    everywhere("ctrl_c_typed", |place| {
        fill(place, 20_000);
        let mut terminal = Terminal::run(&place.command("numbers.csv --into numbers --rate 500"), 80);
        terminal.await_text(" rows stored, ");
        terminal.press("\u{3}");
        terminal.await_text("stopping: ");
        let left = terminal.end(place);
        let text = left.text();
        assert_eq!((left.code, left.is_wrapped), (130, false), "{text}");
        let stopping = "stopping: chunks on their way are finished first; once more stops at once\n";
        assert!(text.starts_with(&format!("{stopping}table     shop.numbers on ")), "{text}");
        assert!(text.contains("\ninterrupted: what is stored stays\nstored: numbers.csv, records 1 to "), "{text}");
        assert!(text.ends_with("\nthe same command goes on where this one stopped"), "{text}");
    });
}

#[test]
fn the_second_ctrl_c_leaves_whole_lines() {
    everywhere("ctrl_c_twice", |place| {
        fill(place, 50);
        let holder = Session::open(place, "BEGIN; INSERT INTO numbers VALUES (7, 7)");
        let mut terminal = Terminal::run(&place.command("numbers.csv --into numbers"), 80);
        terminal.await_text("none since ");
        terminal.press("\u{3}");
        terminal.await_text("stopping: ");
        terminal.press("\u{3}");
        let left = terminal.end(place);
        drop(holder);
        let text = left.text();
        assert_eq!((left.code, left.is_wrapped), (130, false), "{text}");
        assert!(text.starts_with("stopping: chunks on their way "), "{text}");
        assert!(text.contains("\nstopping at once\ntable "), "{text}");
        assert!(!text.contains("none since") && !text.contains("^C"), "{text}");
    });
}

#[test]
fn an_error_has_lines_of_its_own() {
    everywhere("error_on_terminal", |place| {
        fill(place, 0);
        place.write("numbers.csv", numbers(1500, |id| if id == 1400 { "1400,x".into() } else { format!("{id},{id}") }));
        let terminal = Terminal::run(&place.command("numbers.csv --into numbers --rate 200"), 60);
        terminal.await_text(" rows stored, ");
        let left = terminal.end(place);
        let text = left.text();
        assert_eq!((left.code, left.is_wrapped), (2, false), "{text}");
        let want = "\nerror: `x` is not a whole number (numbers.csv, line 1401,\n  column `value`)\nhint: ";
        assert!(text.contains(want), "{text}");
        assert!(left.raw.contains("\u{1b}[1m\u{1b}[31merror:\u{1b}[0m `x` is"), "{:?}", left.raw);
    });
}

#[test]
fn the_method_is_printed_once() {
    everywhere("method_once", |place| {
        fill(place, 10);
        let done = place.done(&place.command("numbers.csv --into numbers").output().unwrap());
        assert_eq!((done.code, done.stderr.as_str(), done.stdout.matches("method").count()), (0, "", 1), "{done}");
        fill(place, 10);
        let done = place.done(&place.command("numbers.csv --into numbers -v --json").output().unwrap());
        assert!(done.stderr.starts_with("method "), "{done}");
    });
}

/// The command without a server.
fn refused(arguments: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_inrush"));
    command.args(arguments.split(' ')).env("HOME", "/").env_remove("INRUSH_URL");
    command
}

#[test]
fn colours_where_they_are_wanted() {
    everywhere("colours", |place| {
        let on_terminal = |command: &Command| Terminal::run(command, 80).end(place).raw;
        for wrong in ["load a.csv --into a --bad-rows odd", "load --nonsense", "load a.csv --into a --password x"] {
            let painted = |text: &str| text.contains("\u{1b}[1m\u{1b}[31merror:\u{1b}[0m");
            let plain = |text: &str| !text.contains('\u{1b}') && text.contains("error:");
            let of_pipe = |command: &mut Command| {
                let Output { stderr, .. } =
                    command.env_remove("NO_COLOR").env_remove("CLICOLOR_FORCE").output().unwrap();
                String::from_utf8(stderr).unwrap()
            };
            let text = on_terminal(&refused(wrong));
            assert!(painted(&text), "{text:?}");
            assert!(plain(&on_terminal(&refused(&format!("--color never {wrong}")))), "{wrong}");
            assert!(plain(&on_terminal(refused(wrong).env("NO_COLOR", "1"))), "{wrong}");
            assert!(plain(&of_pipe(&mut refused(wrong))), "{wrong}");
            assert!(painted(&of_pipe(&mut refused(&format!("--color=always {wrong}")))), "{wrong}");
            let forced = refused(wrong).env("CLICOLOR_FORCE", "1").env_remove("NO_COLOR").output().unwrap();
            assert!(painted(&String::from_utf8(forced.stderr).unwrap()), "{wrong}");
        }
        let json = refused("load a.csv --into a --bad-rows odd --json --log-format json --color always").output();
        let Output { stdout, stderr, .. } = json.unwrap();
        assert!(!stdout.contains(&0x1b) && !stderr.contains(&0x1b));
    });
}
