//! Makes the blocking shell of the library from its async one: the text of a file of `src/blocking` out of that of `src/tokio`.
//!
//! | async | blocking |
//! |---|---|
//! | `async fn f()`, `f().await` | `fn f()`, `f()` |
//! | `trace.follow(work).await`, `trace.along(..)` | `trace.within(\|\| work)`, `trace.around(..)` |
//! | `async { .. }`, `async \|tx\| ..` | `\|\| { .. }`, `\|tx\| ..` |
//! | `impl AsyncFnOnce(A) -> B`, with `+ Clone` | `impl FnOnce(A) -> B`, `impl FnMut(A) -> B` |
//! | `-> impl Future<Output = T> + Send` | `-> T` |
//! | `Box::pin(future).await` | the call |
//! | an example's async `main`, `inrush::Pool` | no `main`, `inrush::blocking::Pool` |
//! | "task" in comments | "thread" |
//!
//! What differs otherwise is in [`PHRASES`], or in the files that both shells have of their own (`shell`, `socket`, `maintenance`).

/// The files that are made.
pub const FILES: [&str; 15] = [
    "arrow",
    "batch",
    "bulk",
    "connection",
    "executor",
    "inserter",
    "inserters",
    "query_timeout",
    "pipeline",
    "pool",
    "pool_verbs",
    "rows",
    "split",
    "target",
    "transaction",
];

/// The blocking text of an async file, not formatted. `name` is the file's, without `.rs`.
///
/// # Errors
/// What of the text it does not know how to translate.
pub fn blocking(name: &str, text: &str) -> Result<String, String> {
    let mut text = text.to_owned();
    for (_, from, to) in PHRASES.iter().filter(|(file, ..)| *file == name) {
        if !text.contains(from) {
            return Err(format!("tokio/{name}.rs has no `{from}`, which is among the phrases"));
        }
        text = text.replace(from, to);
    }
    text = examples(&text);
    text = calls(&text, "Box::pin(", ").await", |inner| inner.to_owned())?;
    text = calls(&text, ".follow(", ")", |work| format!(".within({})", closure(work)))?;
    text = calls(&text, ".along(", ")", |work| format!(".around({})", closure(work)))?;
    text = calls(&text, "-> impl Future<Output = ", "> + Send", |output| format!("-> {output}"))?;
    text = without_await(&text);
    for (from, to) in WORDS {
        text = text.replace(from, to);
    }
    text = text
        .lines()
        .map(|line| if line.contains("//") { line.replace("task", "thread") + "\n" } else { line.to_owned() + "\n" })
        .collect();
    if let Some(line) =
        text.lines().find(|line| !line.contains("//") && (line.contains("async") || line.contains("::tokio")))
    {
        return Err(format!("tokio/{name}.rs: no rule for `{}`", line.trim()));
    }
    let (charter, rest) = text.split_once('\n').unwrap_or((&text, ""));
    Ok(format!(
        "{charter}\n//!\n//! Made of `tokio/{name}.rs` by `INRUSH_WRITE_BLOCKING=1 cargo test -p inrush-testkit --test blocking_twin`.\n{rest}"
    ))
}

/// Words of code and of docs that are replaced wherever they are.
const WORDS: &[(&str, &str)] = &[
    ("async fn ", "fn "),
    ("async {", "|| {"),
    ("async |", "|"),
    ("AsyncFnOnce(", "FnOnce("),
    ("FromRow<'r> + Send", "FromRow<'r>"),
    ("Sql + Sync + ?Sized", "Sql + ?Sized"),
    ("Params + Send + Sync", "Params"),
    ("inrush::Connection::", "inrush::blocking::Connection::"),
    ("inrush::Pool::", "inrush::blocking::Pool::"),
    ("inrush::ResultRows::", "inrush::blocking::ResultRows::"),
    ("use ::tokio::time::Instant;", "use std::time::Instant;"),
];

/// What is otherwise for threads: a file, its text, the text instead. A text that the file lacks is an error.
const PHRASES: &[(&str, &str, &str)] = &[
    (
        "pool",
        "Connections for many tasks, the async twin of [`crate::blocking::Pool`].",
        "Connections for many threads.",
    ),
    (
        "pool",
        "///\n/// A connection belongs to the runtime in which it was opened: use a pool within one runtime.\n",
        "",
    ),
    ("pool", " (from the first [`Pool::get`] on, if it is made outside of a runtime)", ""),
    (
        "pool",
        "    /// If the future is dropped before it is ready, it leaves nothing in the pool: no place in the queue, and no connection.\n    ///\n",
        "",
    ),
    (
        "arrow",
        "[`ResultBatches::into_stream`] makes a `Stream` of it.",
        "It is an [`arrow_array::RecordBatchReader`], so whatever takes one (a Parquet writer, a [load](crate::Loader)) takes it.",
    ),
    (
        "connection",
        "the async twin of [`crate::blocking::Connection`].\n///\n/// A future that is dropped before it is ready leaves an exchange half done: the connection then refuses every further use.",
        "for use by one thread at a time.",
    ),
    ("executor", " [`blocking::Executor`](crate::blocking::Executor) is the\n/// same for threads.", ""),
    ("executor", "/// use inrush::{Executor, Result};", "/// use inrush::Result;\n/// use inrush::blocking::Executor;"),
    ("executor", "trait Executor: Send {", "trait Executor {"),
    ("inserter", "by tasks of the runtime in which the inserter was made", "by threads of the inserter"),
    (
        "inserter",
        "`Config` outside of a runtime, and for what is not a name.",
        "`Config` for what is not a name; `Io` if there are no threads.",
    ),
    (
        "inserter",
        " If the future is dropped before it is ready, the row may be stored or not;\n    /// other rows are not affected.",
        "",
    ),
    (
        "inserter",
        "            // In a box: rarely needed, and large, which would make every caller's future large.\n",
        "",
    ),
    ("inserter", "shell::spawn(writer.run())", "shell::spawn(move || writer.run())"),
    ("inserters", "`Config` outside of a runtime.", "`Io` if there are no threads."),
    (
        "pool_verbs",
        "    /// A closure that may run again must not change what it borrows: it must be [`Clone`], as closures are that borrow by `&` or own clones.\n    /// Counters and the like go into an atomic or a mutex.\n    ///\n",
        "",
    ),
    (
        "pool_verbs",
        "AsyncFnOnce(&mut Transaction<'_>) -> Result<T> + Clone",
        "FnMut(&mut Transaction<'_>) -> Result<T>",
    ),
    (
        "pool_verbs",
        "work: impl AsyncFnOnce(&mut Transaction<'_>) -> Result<T, E> + Clone",
        "mut work: impl FnMut(&mut Transaction<'_>) -> Result<T, E>",
    ),
    ("pool_verbs", "work.clone()", "&mut work"),
    (
        "transaction",
        "an async connection: the verbs, and the guards; the rollback of a dropped one is the connection's next use.",
        "a blocking connection: the verbs, and the guards that roll back when they are dropped.",
    ),
    (
        "transaction",
        "the connection's next use rolls it\n/// back, before anything else, or its return to a pool does: a drop cannot wait. Until then its locks are held; so prefer\n/// [`rollback`](Transaction::rollback) where you can.",
        "it is rolled back at once; if\n/// that fails, the connection is dead and the server rolls back.",
    ),
    ("transaction", "the next use undoes it.", "it is undone at once."),
    (
        "transaction",
        "    /// A closure that may run again must not change what it borrows: it must be [`Clone`], as closures are that borrow by `&` or own clones.\n    /// Counters and the like go into an atomic or a mutex.\n    ///\n",
        "",
    ),
    (
        "transaction",
        "work: impl AsyncFnOnce(&mut Transaction<'_>) -> Result<T, E> + Clone",
        "mut work: impl FnMut(&mut Transaction<'_>) -> Result<T, E>",
    ),
    ("transaction", "work.clone()", "&mut work"),
];

/// Examples without an async `main`.
fn examples(text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let mut made = String::new();
    let mut i = 0;
    while let Some(line) = lines.get(i) {
        let doc = line.trim_start();
        let indent = &line[..line.len() - doc.len()];
        i += 1;
        if doc == "/// # #[tokio::main(flavor = \"current_thread\")]"
            || doc == "/// # async fn main() -> inrush::Result<()> {"
        {
            continue;
        }
        if doc == "/// # Ok(())" && lines.get(i).is_some_and(|next| next.trim_start() == "/// # }") {
            i += 1;
            made += indent;
            made += "/// # Ok::<(), inrush::Error>(())\n";
            continue;
        }
        made += line;
        made.push('\n');
    }
    made
}

/// Replaces `begin`, a text whose brackets match, `end`.
fn calls(text: &str, begin: &str, end: &str, made: impl Fn(&str) -> String) -> Result<String, String> {
    let mut rest = text;
    let mut out = String::new();
    while let Some(at) = rest.find(begin) {
        let inner = &rest[at + begin.len()..];
        let length = closing(inner).ok_or_else(|| format!("`{begin}` has no end"))?;
        out += &rest[..at];
        match inner[length..].strip_prefix(end) {
            Some(behind) => {
                out += &made(&inner[..length]);
                rest = behind;
            }
            None => {
                out += begin;
                rest = inner;
            }
        }
    }
    Ok(out + rest)
}

/// Where the bracket closes that was opened before `text`.
fn closing(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    let mut before = ' ';
    for (at, c) in text.char_indices() {
        match c {
            '(' | '{' | '[' | '<' => depth += 1,
            // The arrow of a type.
            '>' if before == '-' || before == '=' => {}
            ')' | '}' | ']' | '>' if depth == 0 => return Some(at),
            ')' | '}' | ']' | '>' => depth -= 1,
            _ => {}
        }
        before = c;
    }
    None
}

/// A closure of the work of a future.
fn closure(work: &str) -> String {
    let is_name = work.chars().all(|c| c.is_alphanumeric() || c == '_');
    match work.strip_prefix("async {") {
        _ if is_name => work.to_owned(),
        Some(block) => format!("|| {{{block}"),
        None => format!("|| {work}"),
    }
}

/// Without `.await`, and the line break before it.
fn without_await(text: &str) -> String {
    let mut parts = text.split(".await");
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        // A call of its own line, perhaps of an example: what comes before the dot of its line goes too.
        let before = out.trim_end();
        let before = before.strip_suffix("///").map_or(before, str::trim_end);
        out.truncate(before.len());
        out += part;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(from: &str, want: &str) {
        let made = blocking("none", &format!("//! Charter.\n{from}\n")).unwrap();
        let (_, body) = made.split_once("blocking_twin`.\n").unwrap();
        assert_eq!(body.trim(), want);
    }

    #[test]
    fn verbs() {
        check(
            "pub async fn f(&mut self) -> R { self.g().await?.h().await }",
            "pub fn f(&mut self) -> R { self.g()?.h() }",
        );
        check("let x = self\n    .g()\n    .await?;", "let x = self\n    .g()?;");
        check("Box::pin(self.g(1)).await?", "self.g(1)?");
    }
    #[test]
    fn traces_take_closures() {
        check("t.follow(self.g(a, (b))).await", "t.within(|| self.g(a, (b)))");
        check("t.follow(work).await", "t.within(work)");
        check("t.along(async { 1 }).await", "t.around(|| { 1 })");
        check("let work = async { self.g().await };", "let work = || { self.g() };");
    }
    #[test]
    fn closures_and_futures_as_types() {
        check("work: impl AsyncFnOnce(&mut T<'_>) -> R<T>", "work: impl FnOnce(&mut T<'_>) -> R<T>");
        check("fn f() -> impl Future<Output = R<Vec<T>>> + Send;", "fn f() -> R<Vec<T>>;");
    }
    #[test]
    fn examples_have_no_main() {
        check(
            "/// # #[tokio::main(flavor = \"current_thread\")]\n/// # async fn main() -> inrush::Result<()> {\n/// f().await?;\n/// # Ok(())\n/// # }",
            "/// f()?;\n/// # Ok::<(), inrush::Error>(())",
        );
    }
    #[test]
    fn what_it_does_not_know_is_an_error() {
        assert!(blocking("none", "//! C.\nasync move { 1 }\n").is_err());
        assert!(blocking("none", "//! C.\nuse ::tokio::sync::Notify;\n").is_err());
    }
}
