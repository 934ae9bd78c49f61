//! Pages of results in a real browser: they open without a complaint and want nothing from elsewhere, every picture is drawn, numbers
//! show under the pointer and by the keyboard, and they fit a telephone, the dark and paper.
//!
//! `INRUSH_PAGES=FOLDER` keeps the pages and pictures of them, to be looked at.

// The helpers of tests fail like tests.
#![allow(clippy::unwrap_used, clippy::panic)]

mod samples;

use inrush_bench::results::Results;
use inrush_bench::{advice, html};
use inrush_testkit::browser::Browser;
use samples::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};

#[test]
fn pages_are_good_in_a_browser() {
    let folder = tempfile::tempdir().unwrap();
    let mut browser = Browser::start();
    let mut killed = samples::insert(3);
    killed.results.end = None;
    killed.results.samples.truncate(9);
    let mut empty = File::new("something-new");
    empty.results.end = None;
    let pages = [
        ("insert", samples::insert(3), 2),
        ("insert-full", samples::insert(12), 2),
        ("sweep", samples::sweep(), 4),
        ("pressure", samples::pressure(), 3),
        ("query", samples::query(), 4),
        ("killed", killed, 1),
        ("empty", empty, 0),
        ("hostile", samples::hostile(), 1),
    ];
    for (name, file, n_figures) in pages {
        let page = Page::write(folder.path(), name, &file);
        page.is_whole(&mut browser, n_figures);
        page.tells_numbers(&mut browser);
        page.fits_everywhere(&mut browser);
        assert_eq!(browser.complaints(), [""; 0], "{name}");
        page.keep(&mut browser);
    }
}

/// Each experiment as it was recorded, on both engines: names and numbers as they are, not as a sample has them.
#[test]
fn recorded_results_are_readable() {
    let folder = tempfile::tempdir().unwrap();
    let mut browser = Browser::start();
    let results = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/results");
    let files = std::fs::read_dir(results).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<_> =
        files.filter(|file| file.extension().is_some_and(|extension| extension == "jsonl")).collect();
    files.sort();
    assert!(files.len() >= 14, "{files:?}");
    for file in files {
        let name = file.file_stem().unwrap().to_string_lossy().into_owned();
        let results = Results::read(&name, BufReader::new(opened(&file))).unwrap();
        let page = Page::write_results(folder.path(), &name, &results);
        browser.show_as("screen", "light");
        browser.open(&page.file);
        for (width, is_phone) in [(1280, false), (390, true)] {
            browser.resize(width, 900, is_phone);
            page.has_whole_names(&mut browser);
        }
        page.scrolls_its_tables(&mut browser);
        page.fits_everywhere(&mut browser);
        assert_eq!(browser.complaints(), [""; 0], "{name}");
        page.keep(&mut browser);
    }
}

fn opened(file: &Path) -> std::fs::File {
    std::fs::File::open(file).unwrap_or_else(|e| panic!("{}: {e}", file.display()))
}

/// A page in a file.
struct Page {
    name: String,
    file: PathBuf,
}

impl Page {
    fn write(folder: &Path, name: &str, file: &File) -> Self {
        Self::write_results(folder, name, &file.read_again())
    }

    fn write_results(folder: &Path, name: &str, results: &Results) -> Self {
        let conclusions = if name.contains("insert") { advice::of(results) } else { Vec::new() };
        let text = html::page(results, &conclusions);
        assert!(text.len() < 1_000_000, "{name}: {} bytes", text.len());
        let file = folder.join(format!("{name}.html"));
        std::fs::write(&file, text).unwrap();
        Self { name: name.to_owned(), file }
    }

    /// No name in a picture is cut, reaches out of it, or lies upon another one.
    fn has_whole_names(&self, browser: &mut Browser) {
        let bad = browser.eval(
            "(() => { document.querySelectorAll('details').forEach(d => d.open = true);
              const bad = [];
              for (const svg of document.querySelectorAll('svg')) {
                if (getComputedStyle(svg).display === 'none') continue;
                const box = svg.getBoundingClientRect();
                const texts = [...svg.querySelectorAll('text')].map(t => [t.textContent, t.getBoundingClientRect()]);
                texts.forEach(([text, a], i) => {
                  if (text.includes('…')) bad.push('cut: ' + text);
                  if (a.left < box.left - 1 || a.right > Math.min(box.right, innerWidth) + 1) bad.push('outside: ' + text);
                  // A line of text is higher than its letters.
                  for (const [other, b] of texts.slice(i + 1))
                    if (Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1
                        && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 0.35 * a.height) bad.push(text + ' upon ' + other);
                });
              }
              return bad; })()",
        );
        assert_eq!(bad, serde_json::json!([]), "{}", self.name);
    }

    /// On a telephone: what a row is of stays, and the last column can be reached.
    fn scrolls_its_tables(&self, browser: &mut Browser) {
        let bad = browser.eval(
            "[...document.querySelectorAll('.scroll')].filter(s => s.checkVisibility() && s.scrollWidth > s.clientWidth).filter(s => {
               s.scrollLeft = 1e6;
               const box = s.getBoundingClientRect(), row = s.querySelector('tbody tr');
               const first = row.cells[0].getBoundingClientRect(), last = row.cells[row.cells.length - 1].getBoundingClientRect();
               return first.left < box.left - 1 || first.right > last.left + 1 || last.right > box.right + 1; })
             .map(s => s.getAttribute('aria-label'))",
        );
        assert_eq!(bad, serde_json::json!([]), "{}", self.name);
    }

    /// Everything that is shown has a size; no text of a file has become an element.
    fn is_whole(&self, browser: &mut Browser, n_figures: u64) {
        browser.show_as("screen", "light");
        browser.resize(1280, 900, false);
        browser.open(&self.file);
        assert_eq!(browser.complaints(), [""; 0], "{}", self.name);
        let n = browser.eval("document.querySelectorAll('figure').length").as_u64().unwrap();
        assert!(n >= n_figures, "{}: {n} figures", self.name);
        let empty = browser.eval(
            "(() => { document.querySelectorAll('details').forEach(d => d.open = true);
              const shown = [...document.querySelectorAll('svg')].filter(s => getComputedStyle(s).display !== 'none');
              const bad = shown.filter(s => { const b = s.getBBox(), r = s.getBoundingClientRect();
                return !(b.width > 50 && b.height > 20 && r.width > 50 && r.height > 20) || !s.querySelector('.mark'); });
              const panels = [...document.querySelectorAll('figure .panels > .panel')];
              const without = panels.filter(p => [...p.querySelectorAll('svg')]
                .filter(s => getComputedStyle(s).display !== 'none').length !== 1);
              return bad.concat(without).map(e => e.outerHTML.slice(0, 200)); })()",
        );
        assert_eq!(empty, serde_json::json!([]), "{}", self.name);
        let foreign = browser.eval("document.querySelectorAll('script:not(body > script), img, iframe, b > *').length");
        assert_eq!((foreign.as_u64(), browser.eval("document.scripts.length").as_u64()), (Some(0), Some(1)));
        let bare = browser.eval(
            "[...document.querySelectorAll('figure')].filter(f => !f.querySelector('figcaption') || !f.querySelector('details.numbers table')).length",
        );
        assert_eq!(bare, 0, "{}: a picture without its numbers", self.name);
        // Whatever reaches out of a picture is cut off on paper.
        let outside = browser.eval(
            "[...document.querySelectorAll('svg')].filter(s => getComputedStyle(s).display !== 'none').flatMap(s => {
               const box = s.getBoundingClientRect();
               return [...s.querySelectorAll('text')].filter(t => { const r = t.getBoundingClientRect();
                 return r.width > 0 && (r.left < box.left - 1 || r.right > box.right + 1 || r.bottom > box.bottom + 1 || r.top < box.top - 1); })
                 .map(t => t.textContent); })",
        );
        assert_eq!(outside, serde_json::json!([]), "{}: texts outside of their pictures", self.name);
    }

    /// Under the pointer, at the focus, and sorted.
    fn tells_numbers(&self, browser: &mut Browser) {
        let is_hidden = "document.getElementById('tip').hidden";
        let at = browser.eval(
            "(() => { const mark = [...document.querySelectorAll('.mark')].find(m => m.getBoundingClientRect().width > 0);
              if (!mark) return null;
              mark.scrollIntoView({ block: 'center', behavior: 'instant' });
              const box = (mark.querySelector('rect') ?? mark).getBoundingClientRect();
              return [box.left + box.width / 2, box.top + box.height / 2, mark.dataset.tip]; })()",
        );
        let Some(tip) = at[2].as_str() else { return assert!(self.name == "empty" || self.name == "killed") };
        // What a scroll hides comes after it.
        browser.eval("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))");
        browser.point_at(at[0].as_f64().unwrap(), at[1].as_f64().unwrap());
        let shown = browser.eval("document.getElementById('tip').innerText");
        assert_eq!((squeezed(shown.as_str().unwrap()), browser.eval(is_hidden)), (squeezed(tip), false.into()));
        assert!(tip.chars().any(|c| c.is_ascii_digit()), "{}: {tip}", self.name);
        browser.point_at(1.0, 1.0);
        assert_eq!(browser.eval(is_hidden), true, "{}: it goes with the pointer", self.name);

        browser.eval("[...document.querySelectorAll('.mark[tabindex=\"0\"]')].find(m => m.getBoundingClientRect().width > 0).focus({ preventScroll: true })");
        let first = browser.eval("document.getElementById('tip').innerText");
        browser.eval("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))");
        browser.press("ArrowRight", 39);
        browser.eval("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))");
        let second = browser.eval("document.activeElement.dataset.tip");
        assert!(first != second && second.is_string(), "{}: {first} {second}", self.name);
        browser.press("Escape", 27);
        assert_eq!(browser.eval(is_hidden), true, "{}", self.name);

        let sorted = browser.eval(
            "(() => { const t = document.querySelector('#cases table');
              const heads = [...t.querySelectorAll('thead th')];
              const at = heads.findIndex(h => h.textContent.includes('/s'));
              heads[at].querySelector('button').click();
              return [...t.tBodies[0].rows].map(r => parseFloat(r.cells[at].textContent.replaceAll(',', ''))).filter(n => !isNaN(n)); })()",
        );
        let sorted: Vec<f64> = sorted.as_array().unwrap().iter().map(|n| n.as_f64().unwrap()).collect();
        assert!(sorted.is_sorted_by(|a, b| a >= b) && !sorted.is_empty(), "{}: {sorted:?}", self.name);
    }

    fn fits_everywhere(&self, browser: &mut Browser) {
        let background = "getComputedStyle(document.body).backgroundColor";
        let light = browser.eval(background);
        browser.show_as("screen", "dark");
        let dark = browser.eval(background);
        assert_ne!(light, dark, "{}: the dark", self.name);
        browser.eval("document.getElementById('theme').click()");
        assert_eq!(browser.eval(background), light, "{}: the button", self.name);
        browser.eval("document.getElementById('theme').click()");

        browser.resize(390, 844, true);
        let wide = browser.eval(
            "[document.documentElement.scrollWidth, innerWidth, [...document.querySelectorAll('body *')]
              .filter(e => !e.closest('.scroll') && e.getBoundingClientRect().right > 391).map(e => e.outerHTML.slice(0, 150))]",
        );
        assert!(wide[0].as_u64() <= Some(390) && wide[2] == serde_json::json!([]), "{}: {wide}", self.name);

        // What a row is of breaks between words, not between letters.
        let narrow = browser.eval(
            "[...document.querySelectorAll('#cases tbody th:first-child')]
              .map(e => [e.textContent.slice(0, 40), e.getBoundingClientRect().width]).filter(([, width]) => width > 0 && width < 100)",
        );
        assert_eq!(narrow, serde_json::json!([]), "{}", self.name);

        browser.resize(1280, 900, false);
        browser.eval("document.querySelectorAll('details').forEach(d => d.open = false)");
        browser.show_as("print", "dark");
        assert_eq!(browser.eval(background), light, "{}: paper is white", self.name);
        let controls = browser.eval("getComputedStyle(document.getElementById('theme')).display");
        assert_eq!(controls, "none", "{}", self.name);
        let closed = browser.eval(
            "[...document.querySelectorAll('details.numbers table')].filter(t => !(t.getBoundingClientRect().height > 10 && t.checkVisibility())).length",
        );
        assert_eq!(closed, 0, "{}: numbers are open on paper", self.name);
        browser.show_as("screen", "light");
        browser.eval("delete document.documentElement.dataset.theme; localStorage.clear()");
    }

    /// Pictures of it, where somebody wants them.
    fn keep(&self, browser: &mut Browser) {
        let Some(folder) = std::env::var_os("INRUSH_PAGES").map(PathBuf::from) else { return };
        let write = |name: String, bytes: Vec<u8>| std::fs::write(folder.join(name), bytes).unwrap();
        let name = &self.name;
        write(format!("{name}.html"), std::fs::read(&self.file).unwrap());
        browser.open(&self.file);
        write(format!("{name}.png"), browser.picture(true));
        browser.show_as("screen", "dark");
        write(format!("{name}-dark.png"), browser.picture(true));
        browser.show_as("screen", "light");
        browser.resize(390, 844, true);
        write(format!("{name}-phone.png"), browser.picture(true));
        browser.resize(1280, 900, false);
        write(format!("{name}.pdf"), browser.paper());
    }
}

fn squeezed(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
