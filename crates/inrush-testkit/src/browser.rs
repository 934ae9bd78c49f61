//! A real browser without a window, for tests of pages: opens a file, runs scripts in it, moves the pointer, takes pictures. Speaks the
//! DevTools protocol through two pipes, so it needs no port and no other crate.
//!
//! ```text
//! us -> {"id": 1, "method": "Page.navigate", "params": {..}, "sessionId": ..} NUL
//! us <- {"id": 1, "result": {..}} NUL      or an event: {"method": "Page.loadEventFired", ..} NUL
//! ```

use crate::patience::patience;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::time::Duration;

/// A browser with one page. It ends with the value.
#[derive(Debug)]
pub struct Browser {
    process: Child,
    /// Closed first: a browser whose pipe is closed ends.
    commands: Option<ChildStdin>,
    messages: Receiver<Value>,
    n_sent: u64,
    session: Option<String>,
    /// The complaints of pages since they were last taken.
    complaints: Vec<String>,
    /// Its profile.
    _folder: tempfile::TempDir,
}

impl Browser {
    /// Starts the browser that `INRUSH_CHROMIUM` names, or the first that is installed.
    ///
    /// # Panics
    /// If no browser is installed, or it does not answer; all functions here panic if it does not answer.
    pub fn start() -> Self {
        let Some(program) = program() else { panic!("there is no Chromium: `make setup` installs one") };
        let folder = tempfile::tempdir().unwrap_or_else(|e| panic!("no folder for a profile: {e}"));
        let profile = format!("--user-data-dir={}", folder.path().display());
        // Its pipes are descriptors 3 and 4; a shell puts ours there.
        let mut process = Command::new("sh")
            .args(["-c", "exec \"$0\" \"$@\" 3<&0 4>&1 </dev/null >&2"])
            .arg(&program)
            .args([
                "--headless",
                "--remote-debugging-pipe",
                "--no-first-run",
                "--disable-gpu",
                "--disable-dev-shm-usage",
            ])
            // Tests run as root in containers as well; it sees nothing but our own files.
            .args(["--no-sandbox", "--force-color-profile=srgb", &profile, "about:blank"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap_or_else(|e| panic!("cannot start {}: {e}", program.display()));
        let (commands, answers) = (process.stdin.take(), process.stdout.take());
        let Some(answers) = answers else { panic!("no pipe from the browser") };
        let (sender, messages) = mpsc::channel();
        std::thread::spawn(move || {
            for message in BufReader::new(answers).split(0).map_while(Result::ok) {
                let message = serde_json::from_slice(&message).unwrap_or(Value::Null);
                if sender.send(message).is_err() {
                    break;
                }
            }
        });
        let mut browser =
            Self { process, commands, messages, n_sent: 0, session: None, complaints: Vec::new(), _folder: folder };
        let target = browser.call("Target.createTarget", json!({ "url": "about:blank" }));
        let target = json!({ "targetId": target["targetId"], "flatten": true });
        let session = browser.call("Target.attachToTarget", target)["sessionId"].as_str().map(str::to_owned);
        browser.session = session;
        for domain in ["Page", "Runtime", "Log", "Network"] {
            browser.call(&format!("{domain}.enable"), json!({}));
        }
        browser
    }

    /// Opens a file, and waits until it is loaded.
    pub fn open(&mut self, file: &Path) {
        let file = file.canonicalize().unwrap_or_else(|e| panic!("{}: {e}", file.display()));
        let gone = self.call("Page.navigate", json!({ "url": format!("file://{}", file.display()) }));
        assert!(gone.get("errorText").is_none(), "{gone}");
        self.wait_for("Page.loadEventFired");
    }

    /// Evaluates an expression in the page, and returns its value; waits for a promise.
    #[track_caller]
    pub fn eval(&mut self, expression: &str) -> Value {
        let wanted = json!({ "expression": expression, "returnByValue": true, "awaitPromise": true });
        let mut done = self.call("Runtime.evaluate", wanted);
        assert!(done.get("exceptionDetails").is_none(), "{expression}: {}", done["exceptionDetails"]);
        done["result"]["value"].take()
    }

    /// Errors, warnings and uncaught exceptions of pages, and whatever they wanted from elsewhere, since the last call.
    pub fn complaints(&mut self) -> Vec<String> {
        // Messages that were in transit arrive before the answer.
        self.eval("0");
        std::mem::take(&mut self.complaints)
    }

    /// The size of the window, in pixels of the page.
    pub fn resize(&mut self, width: u32, height: u32, is_phone: bool) {
        let scale = if is_phone { 2 } else { 1 };
        let size = json!({ "width": width, "height": height, "deviceScaleFactor": scale, "mobile": is_phone });
        self.call("Emulation.setDeviceMetricsOverride", size);
    }

    /// On which medium it is shown (`screen`, `print`), and in which colours (`light`, `dark`).
    pub fn show_as(&mut self, medium: &str, colours: &str) {
        let features = json!([{ "name": "prefers-color-scheme", "value": colours }]);
        self.call("Emulation.setEmulatedMedia", json!({ "media": medium, "features": features }));
    }

    /// Moves the pointer, in pixels of the window.
    pub fn point_at(&mut self, x: f64, y: f64) {
        self.call("Input.dispatchMouseEvent", json!({ "type": "mouseMoved", "x": x, "y": y }));
    }

    /// Presses a key, `Tab` for instance.
    pub fn press(&mut self, key: &str, code: u32) {
        for kind in ["rawKeyDown", "keyUp"] {
            let event = json!({ "type": kind, "key": key, "code": key, "windowsVirtualKeyCode": code });
            self.call("Input.dispatchKeyEvent", event);
        }
    }

    /// The window, or all of the page, as a PNG.
    pub fn picture(&mut self, is_whole: bool) -> Vec<u8> {
        let wanted = json!({ "format": "png", "captureBeyondViewport": is_whole });
        let wanted = match is_whole {
            false => wanted,
            true => {
                let size = self.call("Page.getLayoutMetrics", json!({}))["cssContentSize"].take();
                let clip = json!({ "x": 0, "y": 0, "width": size["width"], "height": size["height"], "scale": 1 });
                json!({ "format": "png", "captureBeyondViewport": true, "clip": clip })
            }
        };
        bytes_of(self.call("Page.captureScreenshot", wanted))
    }

    /// The page on paper, as a PDF.
    pub fn paper(&mut self) -> Vec<u8> {
        self.show_as("", "");
        bytes_of(self.call("Page.printToPDF", json!({ "printBackground": false, "preferCSSPageSize": true })))
    }

    #[track_caller]
    fn call(&mut self, method: &str, params: Value) -> Value {
        self.n_sent += 1;
        let id = self.n_sent;
        let mut message = json!({ "id": id, "method": method, "params": params });
        if let Some(session) = &self.session {
            message["sessionId"] = json!(session);
        }
        let mut bytes = message.to_string().into_bytes();
        bytes.push(0);
        let sent = self.commands.as_mut().map(|pipe| pipe.write_all(&bytes).and_then(|()| pipe.flush()));
        assert!(matches!(sent, Some(Ok(()))), "{method}: the browser has ended");
        loop {
            let mut answer = self.next(method);
            if answer["id"] == id {
                assert!(answer.get("error").is_none(), "{method}: {}", answer["error"]);
                return answer["result"].take();
            }
        }
    }

    fn wait_for(&mut self, event: &str) {
        while self.next(event)["method"] != event {}
    }

    /// The next message; what it complains about is kept.
    #[track_caller]
    fn next(&mut self, waiting_for: &str) -> Value {
        let message = self
            .messages
            .recv_timeout(patience())
            .unwrap_or_else(|e| panic!("{waiting_for}: the browser says nothing more: {e}"));
        let params = &message["params"];
        let complaint = match message["method"].as_str() {
            Some("Runtime.exceptionThrown") => Some(params["exceptionDetails"].to_string()),
            Some("Runtime.consoleAPICalled") => Some(params["args"].to_string()),
            Some("Log.entryAdded") => Some(params["entry"].to_string()),
            Some("Network.requestWillBeSent") => {
                let url = params["request"]["url"].as_str().unwrap_or_default();
                let is_own = ["file:", "data:", "about:"].iter().any(|own| url.starts_with(own));
                (!is_own).then(|| format!("it wanted {url}"))
            }
            _ => None,
        };
        self.complaints.extend(complaint);
        message
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        drop(self.commands.take());
        // It ends by itself; whatever it does, it is gone before its profile is.
        for _ in 0..100 {
            if !matches!(self.process.try_wait(), Ok(None)) {
                return;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn bytes_of(answer: Value) -> Vec<u8> {
    let text = answer["data"].as_str().unwrap_or_default();
    STANDARD.decode(text).unwrap_or_else(|e| panic!("no picture: {e}"))
}

fn program() -> Option<PathBuf> {
    if let Some(named) = std::env::var_os("INRUSH_CHROMIUM").filter(|name| !name.is_empty()) {
        return Some(named.into());
    }
    let folders: Vec<PathBuf> = std::env::split_paths(&std::env::var_os("PATH")?).collect();
    let places = PROGRAMS.iter().flat_map(|name| folders.iter().map(move |folder| folder.join(name)));
    places.into_iter().find(|place| place.is_file())
}

/// The names of Chromium's program in several distributions.
const PROGRAMS: [&str; 5] =
    ["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
