//! The rules of Markdown pages: links lead to files and headings, and the documentation site has every page.

use super::complain;

/// A link of a Markdown file to another file must have an existing target; `exists` gets paths relative to the repository's root.
pub fn check_links(path: &str, text: &str, exists: impl Fn(&str) -> bool) -> Vec<String> {
    let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
    complain(path, text, |line| {
        let files = link_targets(line).map(|target| target.split('#').next().unwrap_or_default());
        let lost =
            files.filter(|file| !file.is_empty() && !file.contains("://")).find(|file| !exists(&joined(folder, file)));
        lost.map(|file| format!("the link to `{file}` leads nowhere"))
    })
}

/// A link to a part of a page must name one of its headings; `read` returns the text of a page of the repository.
pub fn check_anchors(path: &str, text: &str, read: impl Fn(&str) -> Option<String>) -> Vec<String> {
    let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
    complain(path, text, |line| {
        let lost = link_targets(line).find(|target| {
            let Some((file, anchor)) = target.split_once('#') else { return false };
            let page = match file {
                "" => Some(text.to_owned()),
                file if file.ends_with(".md") && !file.contains("://") => read(&joined(folder, file)),
                _ => None,
            };
            page.is_some_and(|page| !anchors(&page).iter().any(|known| known == anchor))
        });
        lost.map(|target| format!("no heading for the link to `{target}`"))
    })
}

/// The anchors of a page's headings, as GitHub and mdBook make them: letters, digits, `_` and `-` in lower case, `-` for each blank. A
/// second heading of the same words has `-1` behind them.
fn anchors(page: &str) -> Vec<String> {
    let mut is_code = false;
    let mut anchors: Vec<String> = Vec::new();
    for line in page.lines() {
        is_code ^= line.trim_start().starts_with("```");
        let heading = line.trim_start_matches('#');
        if is_code || heading.len() == line.len() || !heading.starts_with(' ') {
            continue;
        }
        // Of a link only the text counts: each part but the first begins with a target and `)`.
        let parts = heading.split("](").enumerate();
        let visible =
            parts.map(|(n, part)| if n == 0 { part } else { part.split_once(')').map_or(part, |(_, rest)| rest) });
        let visible: String = visible.collect();
        let kept = visible.trim().chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '_' | '-'));
        let anchor: String = kept.map(|c| if c == ' ' { '-' } else { c }).collect::<String>().to_lowercase();
        let again = anchors.iter().filter(|known| **known == anchor).count();
        anchors.push(if again == 0 { anchor } else { format!("{anchor}-{again}") });
    }
    anchors
}

/// The table of contents of the documentation site, `docs/SUMMARY.md`: it names every page of `docs` exactly once, and each page that
/// its pages link to. `pages` has the Markdown files of the repository with their texts.
pub fn check_summary(summary: &str, pages: &[(String, String)]) -> Vec<String> {
    let listed: Vec<String> = summary.lines().flat_map(link_targets).map(|target| joined("docs", target)).collect();
    let mut found = Vec::new();
    for (page, text) in pages {
        let times = listed.iter().filter(|listed| *listed == page).count();
        let is_of_docs = page.starts_with("docs/") && page != SUMMARY;
        if times > 1 || times == 0 && is_of_docs {
            found.push(format!("{SUMMARY}: lists `{page}` {times} times"));
        }
        if times == 0 {
            continue;
        }
        let folder = page.rsplit_once('/').map_or("", |(folder, _)| folder);
        let files = text.lines().flat_map(link_targets).filter_map(|target| target.split('#').next());
        let files = files.filter(|file| !file.is_empty() && !file.contains("://")).map(|file| joined(folder, file));
        // The site has the pages of the summary and the files that they name, but no folders.
        let is_on_site = |file: &String| match file.rsplit_once('/').map_or(&**file, |(_, name)| name) {
            name if name.ends_with(".md") => listed.contains(file),
            name => name.contains('.') || name.starts_with("LICENSE"),
        };
        let lost = files.filter(|file| !is_on_site(file));
        found.extend(lost.map(|file| format!("{page}: links to `{file}`, which the site does not have ({SUMMARY})")));
    }
    found
}

/// The site's table of contents.
pub const SUMMARY: &str = "docs/SUMMARY.md";

/// The targets of a line's Markdown links.
fn link_targets(line: &str) -> impl Iterator<Item = &str> {
    line.split("](").skip(1).filter_map(|rest| rest.split_once(')')).map(|(target, _)| target)
}

/// `docs` and `../README.md` come to `README.md`.
fn joined(folder: &str, file: &str) -> String {
    let mut steps: Vec<&str> = folder.split('/').filter(|step| !step.is_empty()).collect();
    for step in file.split('/') {
        match step {
            ".." => drop(steps.pop()),
            "." | "" => {}
            _ => steps.push(step),
        }
    }
    steps.join("/")
}
