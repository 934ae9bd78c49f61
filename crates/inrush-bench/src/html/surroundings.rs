//! The conditions of the numbers: the machine, the server and its settings, the tables, the options. Pure.

use super::figure::Table;
use super::svg::escaped;
use crate::results::Run;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// At the end of the page.
pub(super) fn section(run: &Run) -> String {
    let Run { machine, server, inrush, .. } = run;
    let unknown = || "unknown".to_owned();
    let gib = |bytes: u64| format!("{:.1} GiB", bytes as f64 / (1_u64 << 30) as f64);
    let commit = inrush.commit.as_ref().map(|commit| format!(", commit {commit}")).unwrap_or_default();
    let facts = [
        ("Server", server.version.clone()),
        ("Reached by", server.transport.clone()),
        ("TLS", server.tls.clone().unwrap_or_else(|| "none".into())),
        ("Round trip", round_trip(server.round_trip)),
        ("Processor", machine.cpu.clone().unwrap_or_else(unknown)),
        ("Cores", machine.cores.to_string()),
        ("Memory", machine.memory.map_or_else(unknown, gib)),
        ("Kernel", machine.kernel.clone().unwrap_or_else(unknown)),
        ("inrush", format!("{}{commit}", inrush.version)),
        ("Seed", run.seed.to_string()),
        ("Began", run.at.clone()),
    ];
    let mut out = "<section id=\"surroundings\">\n<h2>Where and how</h2>\n<dl class=\"cards\">\n".to_owned();
    for (name, value) in facts {
        let _ = writeln!(out, "<div><dt>{name}</dt><dd>{}</dd></div>", escaped(&value));
    }
    out += "</dl>\n<div class=\"panels many\">\n";
    out += &texts("Options", "option", &run.options);
    out += &texts("Settings of the server", "variable", &server.settings);
    out += "</div>\n";
    if !run.ddl.is_empty() {
        out += "<h3>Tables</h3>\n";
    }
    for ddl in &run.ddl {
        let _ = writeln!(out, "<pre tabindex=\"0\"><code>{}</code></pre>", escaped(ddl));
    }
    out + "</section>\n"
}

fn texts(title: &str, head: &str, texts: &BTreeMap<String, String>) -> String {
    if texts.is_empty() {
        return String::new();
    }
    let rows = texts.iter().map(|(name, value)| vec![name.clone(), value.clone()]).collect();
    let table = Table { head: vec![head.into(), "value".into()], rows };
    format!("<div class=\"panel names\"><h3>{title}</h3>{}</div>\n", table.html(title))
}

fn round_trip(seconds: f64) -> String {
    match seconds {
        long if long >= 1e-3 => format!("{:.2} ms", long * 1e3),
        short => format!("{:.0} µs", short * 1e6),
    }
}
