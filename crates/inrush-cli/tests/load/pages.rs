//! Pages that a reader follows command by command: every `sh` block is run, all of a page in one shell, and prints the `text` block
//! behind it. In these blocks `..` is any text, and a line of `..` any lines. Translated pages have the same blocks.

use crate::server_of_own::{OwnServer, on_each_family};
use inrush_testkit::patience::patience;
use inrush_testkit::servers::one;
use std::fmt::Write as _;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Command, Stdio};

mod the_tutorial {
    use super::*;

    on_each_family!(runs);

    fn runs(family: &str) {
        run("docs/tutorial.md", family);
    }
}

#[test]
fn the_readme_runs() {
    run("README.md", "mariadb-11.8");
}

#[test]
fn translated_pages_have_the_same_commands() {
    for (page, original) in [("README.zh-CN.md", "README.md"), ("docs/zh/tutorial.md", "docs/tutorial.md")] {
        let (translated, original) = (blocks(&read(page)), blocks(&read(original)));
        assert!(!original.is_empty());
        assert_eq!(translated, original, "{page}");
    }
}

#[test]
fn translated_guides_have_the_code_of_the_originals() {
    for page in ["load.md", "writing-fast.md", "python.md", "spark.md"] {
        let (translated, original) = (code(&read(&format!("docs/zh/{page}"))), code(&read(&format!("docs/{page}"))));
        assert!(translated.len() > 1, "{page}");
        for block in translated {
            assert!(original.contains(&block), "docs/zh/{page} has code that docs/{page} has not:\n{block}");
        }
    }
}

/// All blocks of code of a page, without their comments, which are translated.
fn code(page: &str) -> Vec<String> {
    let blocks = page.split("```").skip(1).step_by(2);
    let without_comment = |line: &str| {
        let comment = [" //", " # "].iter().filter_map(|mark| line.find(mark)).min();
        line[..comment.unwrap_or(line.len())].trim_end().to_owned() + "\n"
    };
    blocks.map(|block| block.lines().map(without_comment).collect()).collect()
}

/// Commands, and what they print: not compared if `None`.
#[derive(Debug, PartialEq, Eq)]
struct Block {
    commands: String,
    output: Option<String>,
}

/// Runs a page's commands with a server of its own, in an empty folder.
#[track_caller]
fn run(page: &str, family: &str) {
    let server = OwnServer::new(family, &[]);
    let folder = server.above().join("page");
    let programs = server.above().join("programs");
    for folder in [&folder, &programs] {
        fs::create_dir(folder).unwrap();
    }
    let program = programs.join("inrush");
    fs::write(&program, command_with_server(&server.above().join("server"))).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();

    let blocks = blocks(&read(page));
    assert!(!blocks.is_empty(), "{page} has no commands");
    let path = format!("{}:{}", programs.display(), std::env::var("PATH").unwrap());
    // A page may wait for something, which never comes if a command before it failed.
    let most = patience().as_secs() * 10;
    let done = Command::new("timeout")
        .args([&most.to_string(), "bash", "-c", &script(&blocks, server.above())])
        .current_dir(&folder)
        .envs([("PATH", path.as_str()), ("HOME", folder.to_str().unwrap())])
        .env("INRUSH_MYSQLD", one(family).mysqld)
        .env_remove("INRUSH_URL")
        .env_remove("INRUSH_PASSWORD")
        .stdin(Stdio::null())
        .output()
        .unwrap();

    let mut wrong = String::new();
    for (n, block) in blocks.iter().enumerate() {
        let written = |what: &str| fs::read_to_string(server.above().join(format!("{what}.{n}"))).unwrap_or_default();
        let (output, code) = (written("output"), written("code"));
        if code != "0\n" || block.output.as_ref().is_some_and(|shown| !prints(shown, &output)) {
            let _ = write!(wrong, "--- {block:?}\n--- exit code {code}{output}\n");
        }
    }
    assert!(wrong.is_empty() && done.status.success(), "{page}: {done:?}\n{wrong}");
}

/// All commands in one shell: exported variables and background jobs stay.
fn script(blocks: &[Block], above: &Path) -> String {
    let mut script = String::new();
    for (n, Block { commands, .. }) in blocks.iter().enumerate() {
        let above = above.display();
        let _ = write!(script, "{{\n{commands}}} >{above}/output.{n} 2>&1\necho $? >{above}/code.{n}\n");
    }
    script
}

/// The command, whose local server is in this folder and small.
fn command_with_server(folder: &Path) -> String {
    let (program, folder) = (env!("CARGO_BIN_EXE_inrush"), folder.display());
    format!(
        "#!/bin/sh\n\
         [ \"$1\" = server ] || exec {program} \"$@\"\n\
         verb=$2\n\
         shift 2\n\
         if [ \"$verb\" = start ]; then set -- --memory 128M \"$@\"; fi\n\
         exec {program} server --dir {folder} \"$verb\" \"$@\"\n"
    )
}

/// The `sh` blocks of a page, each with the `text` block that follows it without prose between them.
fn blocks(page: &str) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    let mut is_output_next = false;
    let mut lines = page.lines();
    while let Some(line) = lines.next() {
        if let Some(kind) = line.strip_prefix("```") {
            let content: String =
                lines.by_ref().take_while(|line| *line != "```").map(|line| format!("{line}\n")).collect();
            match (kind, blocks.last_mut()) {
                ("text", Some(block)) if is_output_next => block.output = Some(content),
                ("sh", _) => blocks.push(Block { commands: content, output: None }),
                _ => {}
            }
            is_output_next = kind == "sh";
        } else if !line.trim().is_empty() {
            is_output_next = false;
        }
    }
    blocks
}

/// Whether a shown text is what was printed.
fn prints(shown: &str, printed: &str) -> bool {
    let (shown, printed): (Vec<_>, Vec<_>) = (shown.lines().collect(), printed.lines().collect());
    all_lines(&shown, &printed)
}

fn all_lines(shown: &[&str], printed: &[&str]) -> bool {
    match (shown, printed) {
        ([], printed) => printed.is_empty(),
        (["..", rest @ ..], printed) => (0..=printed.len()).any(|n| all_lines(rest, &printed[n..])),
        ([first, rest @ ..], [line, others @ ..]) => is_line(first, line) && all_lines(rest, others),
        _ => false,
    }
}

fn is_line(shown: &str, printed: &str) -> bool {
    let Some((before, after)) = shown.split_once("..") else { return shown == printed.trim_end() };
    printed.strip_prefix(before).is_some_and(|rest| {
        rest.char_indices().map(|(at, _)| at).chain([rest.len()]).any(|at| is_line(after, &rest[at..]))
    })
}

fn read(page: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(page);
    fs::read_to_string(path).unwrap_or_else(|e| panic!("{page}: {e}"))
}

#[test]
fn blocks_are_found() {
    let page = "```sh\na\nb\n```\n\n```text\nx\n```\nprose\n```text\nno\n```\n```sh\nc\n```\nprose\n```text\nno\n```\n";
    let block =
        |commands: &str, output: Option<&str>| Block { commands: commands.into(), output: output.map(Into::into) };
    assert_eq!(blocks(page), [block("a\nb\n", Some("x\n")), block("c\n", None)]);
}

#[test]
fn dots_are_any_text() {
    let check = |shown, printed, want| assert_eq!(prints(shown, printed), want, "{shown} {printed}");
    check("a\nb", "a\nb\n", true);
    check("a\nb", "a\n", false);
    check("rows ..s, .. MB", "rows 1 s, 2 MB", true);
    check("rows ..s", "rows 1 m", false);
    check("..\nb\n..", "x\ny\nb\n", true);
    check("..\nb", "x\nc", false);
}
