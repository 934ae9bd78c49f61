//! A terminal in which a command runs: what it prints is drawn on a screen, keys can be typed, and the window can be resized.

use crate::place::Place;
use inrush_testkit::patience::Wait;
use rustix::fs::{Mode, OFlags, open};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};
use std::io::{Read as _, Write as _};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

/// A terminal and the command in it.
pub(crate) struct Terminal {
    window: std::fs::File,
    child: Child,
    screen: Arc<Mutex<Screen>>,
    reader: JoinHandle<()>,
}

/// What a command left on its terminal.
pub(crate) struct Left {
    pub(crate) code: i32,
    pub(crate) lines: Vec<String>,
    /// Every byte that came.
    pub(crate) raw: String,
    /// Whether a line was longer than the screen is wide.
    pub(crate) is_wrapped: bool,
}

impl Terminal {
    /// Runs it on a screen of so many columns.
    pub(crate) fn run(command: &Command, columns: u16) -> Self {
        let window = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        grantpt(&window).unwrap();
        unlockpt(&window).unwrap();
        tcsetwinsize(&window, size(columns)).unwrap();
        let name = ptsname(&window, Vec::new()).unwrap();
        let end = || Stdio::from(open(&*name, OFlags::RDWR | OFlags::NOCTTY, Mode::empty()).unwrap());
        // The terminal is the command's own, so that keys are signals.
        let mut inside = Command::new("setsid");
        inside.arg("-c").arg(command.get_program()).args(command.get_args());
        for (name, value) in command.get_envs() {
            match value {
                Some(value) => inside.env(name, value),
                None => inside.env_remove(name),
            };
        }
        for name in ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE"] {
            if !command.get_envs().any(|(set, _)| set == name) {
                inside.env_remove(name);
            }
        }
        if let Some(folder) = command.get_current_dir() {
            inside.current_dir(folder);
        }
        let child = inside.env("TERM", "xterm").stdin(end()).stdout(end()).stderr(end()).spawn().unwrap();
        // The last copies of the command's end: once it ends, reading does.
        drop(inside);
        let window = std::fs::File::from(window);
        let screen = Arc::new(Mutex::new(Screen::new(columns.into())));
        let (mut from, to) = (window.try_clone().unwrap(), screen.clone());
        let reader = std::thread::spawn(move || {
            let mut bytes = [0; 4096];
            // Linux answers with an error (EIO) when the other end is closed.
            while let Ok(n @ 1..) = from.read(&mut bytes) {
                to.lock().unwrap().draw(&bytes[..n]);
            }
        });
        Self { window, child, screen, reader }
    }

    pub(crate) fn press(&mut self, keys: &str) {
        self.window.write_all(keys.as_bytes()).unwrap();
    }

    /// Makes the window narrower; the screen is as wide once the command draws for it.
    #[track_caller]
    pub(crate) fn narrow(&self, columns: u16) {
        tcsetwinsize(&self.window, size(columns)).unwrap();
        let fits = |screen: &Screen| {
            let line = screen.lines.last().unwrap();
            !line.is_empty() && line.len() < usize::from(columns)
        };
        self.await_screen("a shorter line", fits);
        self.screen.lock().unwrap().columns = columns.into();
    }

    /// Waits until the screen shows a text.
    #[track_caller]
    pub(crate) fn await_text(&self, text: &str) {
        self.await_screen(text, |screen| screen.lines().iter().any(|line| line.contains(text)));
    }

    #[track_caller]
    fn await_screen(&self, what: &str, is_so: impl Fn(&Screen) -> bool) {
        let wait = Wait::begin();
        while !is_so(&self.screen.lock().unwrap()) {
            let screen = self.screen.lock().unwrap().lines();
            assert!(!self.reader.is_finished(), "no {what}: {screen:#?}");
            wait.pause(format_args!("{what}: {screen:#?}"));
        }
    }

    /// Waits for its end.
    pub(crate) fn end(mut self, place: &Place) -> Left {
        let code = self.child.wait().unwrap().code().unwrap_or(-1);
        self.reader.join().unwrap();
        let screen = self.screen.lock().unwrap();
        let named = |text: &str| text.replace(place.schema.name(), "shop");
        Left {
            code,
            lines: screen.lines().iter().map(|line| named(line)).collect(),
            raw: named(&screen.raw),
            is_wrapped: screen.is_wrapped,
        }
    }
}

impl Left {
    /// The lines without those that are empty.
    pub(crate) fn text(&self) -> String {
        self.lines.iter().filter(|line| !line.is_empty()).cloned().collect::<Vec<_>>().join("\n")
    }
}

fn size(columns: u16) -> Winsize {
    Winsize { ws_row: 24, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 }
}

/// What is drawn: the few sequences that the command uses.
struct Screen {
    columns: usize,
    lines: Vec<Vec<char>>,
    at: (usize, usize),
    /// A sequence that is not complete.
    sequence: String,
    raw: String,
    is_wrapped: bool,
}

impl Screen {
    fn new(columns: usize) -> Self {
        let lines = vec![Vec::new()];
        Self { columns, lines, at: (0, 0), sequence: String::new(), raw: String::new(), is_wrapped: false }
    }

    fn lines(&self) -> Vec<String> {
        self.lines.iter().map(|line| line.iter().collect::<String>().trim_end().to_owned()).collect()
    }

    fn draw(&mut self, bytes: &[u8]) {
        // Only ASCII is printed by these tests.
        for c in bytes.iter().map(|byte| char::from(*byte)) {
            self.raw.push(c);
            if !self.sequence.is_empty() {
                self.sequence.push(c);
                if c.is_ascii_alphabetic() {
                    self.control();
                }
                continue;
            }
            match c {
                '\u{1b}' => self.sequence.push(c),
                '\r' => self.at.1 = 0,
                '\n' => {
                    self.at.0 += 1;
                    if self.at.0 == self.lines.len() {
                        self.lines.push(Vec::new());
                    }
                }
                c => self.put(c),
            }
        }
    }

    fn put(&mut self, c: char) {
        let (row, column) = self.at;
        self.is_wrapped |= column >= self.columns;
        let line = &mut self.lines[row];
        if line.len() <= column {
            line.resize(column + 1, ' ');
        }
        line[column] = c;
        self.at.1 += 1;
    }

    fn control(&mut self) {
        let sequence = std::mem::take(&mut self.sequence);
        let number = sequence.trim_matches(|c: char| !c.is_ascii_digit()).parse().unwrap_or(0);
        let (row, column) = self.at;
        match sequence.chars().last() {
            Some('K') if number == 2 => self.lines[row].clear(),
            Some('K') => self.lines[row].truncate(column),
            Some('A') => self.at.0 = row.saturating_sub(number.max(1)),
            Some('B') => self.at.0 = (row + number.max(1)).min(self.lines.len() - 1),
            Some('C') => self.at.1 += number.max(1),
            Some('D') => self.at.1 = column.saturating_sub(number.max(1)),
            Some('G') => self.at.1 = number.max(1) - 1,
            // Colours, and whether the cursor is shown.
            Some('m' | 'h' | 'l') => {}
            _ => panic!("the terminal does not know {sequence:?}"),
        }
    }
}
