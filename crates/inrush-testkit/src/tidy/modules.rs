//! Which module uses which, in every crate: neighbours must not use each other in a circle, however long, and a crate's modules use
//! only those below them.
//!
//! A name that is re-exported counts as one of the module that defines it. A module and those inside it may use each other: together
//! they are one thing. Tests may use everything. Calls of methods are not seen, as no path names their module.

use std::collections::{BTreeMap, BTreeSet};

use super::source::{Path, Source};

/// Complaints about the modules of all crates; `files` holds (path relative to the repository's root, text).
pub fn check_modules(files: &[(String, String)]) -> Vec<String> {
    let mut crates: BTreeMap<&str, BTreeMap<Path, Source>> = BTreeMap::new();
    for (path, text) in files {
        let Some((name, inside)) = path.strip_prefix("crates/").and_then(|rest| rest.split_once("/src/")) else {
            continue;
        };
        let Some(module) = inside.strip_suffix(".rs").map(module_of) else { continue };
        if !module.iter().any(|step| step == "tests") {
            crates.entry(name).or_default().insert(module, Source::read(text));
        }
    }
    let found = crates.iter().map(|(name, modules)| check_crate(name, &Modules(modules)));
    found.flatten().collect()
}

fn module_of(file: &str) -> Path {
    let mut steps: Path = file.split('/').map(str::to_owned).collect();
    if steps.last().is_some_and(|last| ["mod", "lib", "main"].contains(&last.as_str())) {
        steps.pop();
    }
    steps
}

/// For each module: which of its children use which, and one path that says so.
type Edges = BTreeMap<Path, BTreeMap<(String, String), String>>;

fn check_crate(name: &str, modules: &Modules<'_>) -> Vec<String> {
    let edges = modules.edges();
    let mut found = Vec::new();
    for (parent, edges) in &edges {
        let steps: String = parent.iter().map(|step| format!("/{step}")).collect();
        let folder = format!("crates/{name}/src{steps}");
        for circle in circles(edges.keys()) {
            let within =
                edges.iter().filter(|((from, to), _)| circle.contains(from.as_str()) && circle.contains(to.as_str()));
            let uses: Vec<_> = within.map(|((from, to), path)| format!("{from} -> {to} ({path})")).collect();
            found.push(format!("{folder}: modules use each other in a circle: {}", uses.join(", ")));
        }
    }
    if let Some((_, layers)) = LAYERS.iter().find(|(known, _)| *known == name) {
        found.extend(check_layers(name, layers, modules, edges.get(&Path::new())));
    }
    found
}

fn check_layers(
    name: &str,
    layers: &[&[&str]],
    modules: &Modules<'_>,
    edges: Option<&BTreeMap<(String, String), String>>,
) -> Vec<String> {
    let layer = |module: &str| layers.iter().position(|layer| layer.contains(&module));
    let top: BTreeSet<_> = modules.0.keys().filter_map(|module| module.first()).collect();
    let unknown = top.into_iter().filter(|module| layer(module).is_none());
    let mut found: Vec<_> = unknown
        .map(|module| format!("crates/{name}/src: no layer for the module `{module}` in tidy/modules.rs"))
        .collect();
    for ((from, to), path) in edges.into_iter().flatten() {
        if let (Some(upper), Some(lower)) = (layer(from), layer(to))
            && upper <= lower
        {
            found.push(format!("crates/{name}/src: `{from}` must not use `{to}` ({path})"));
        }
    }
    found
}

/// The modules of one crate by their paths; the crate's root has none.
struct Modules<'m>(&'m BTreeMap<Path, Source>);

impl Modules<'_> {
    fn edges(&self) -> Edges {
        let mut edges = Edges::new();
        for (module, source) in self.0 {
            for path in &source.paths {
                let Some(target) = self.definer(module, path, 0) else { continue };
                let shared = module.iter().zip(&target).take_while(|(a, b)| a == b).count();
                if let (Some(from), Some(to)) = (module.get(shared), target.get(shared)) {
                    let place = format!("`{}` in {}", path.join("::"), module.join("::"));
                    edges
                        .entry(module[..shared].to_vec())
                        .or_default()
                        .entry((from.clone(), to.clone()))
                        .or_insert(place);
                }
            }
        }
        edges
    }

    /// The module that defines what `path` names in `module`. `None`: it is not of this crate.
    fn definer(&self, module: &[String], path: &[String], depth: usize) -> Option<Path> {
        if depth > MOST_STEPS {
            return None;
        }
        let Some(absolute) = self.absolute(module, path) else {
            let used = self.0.get(module)?.names.get(path.first()?)?;
            let leads_on = used.first() != path.first();
            return leads_on.then(|| self.definer(module, &[used.as_slice(), &path[1..]].concat(), depth + 1))?;
        };
        let mut at = Path::new();
        for (i, step) in absolute.iter().enumerate() {
            at.push(step.clone());
            if self.0.contains_key(&at) {
                continue;
            }
            at.pop();
            let source = self.0.get(&at)?;
            if let Some(used) = source.names.get(step) {
                return self.definer(&at, &[used.as_slice(), &absolute[i + 1..]].concat(), depth + 1);
            }
            let mut of_globs = source.globs.iter().filter_map(|glob| self.definer(&at, glob, depth + 1));
            let defines = |module: &Path| self.0.get(module).is_some_and(|source| source.defined.contains(step));
            let by_glob = of_globs.find(defines);
            return Some(by_glob.unwrap_or(at));
        }
        Some(at)
    }

    /// The path from the crate's root. `None`: it begins with a name in scope, or leaves the crate.
    fn absolute(&self, module: &[String], path: &[String]) -> Option<Path> {
        let mut base = module.to_vec();
        let mut rest = path;
        match path.first()?.as_str() {
            "crate" => return Some(path[1..].to_vec()),
            "self" => rest = &path[1..],
            "super" => {
                while let [first, tail @ ..] = rest
                    && first == "super"
                {
                    base.pop()?;
                    rest = tail;
                }
            }
            first => {
                base.push(first.to_owned());
                let is_child = self.0.contains_key(&base);
                base.pop();
                is_child.then_some(())?;
            }
        }
        base.extend_from_slice(rest);
        Some(base)
    }
}

/// Modules that use each other, group by group.
fn circles<'e>(edges: impl Iterator<Item = &'e (String, String)> + Clone) -> Vec<BTreeSet<&'e str>> {
    let reach = |from: &'e str| {
        let (mut reached, mut next) = (BTreeSet::new(), vec![from]);
        while let Some(module) = next.pop() {
            let used = edges.clone().filter(|(user, _)| user == module).map(|(_, used)| used.as_str());
            next.extend(used.filter(|used| reached.insert(*used)));
        }
        reached
    };
    let nodes: BTreeSet<&str> = edges.clone().map(|(from, _)| from.as_str()).collect();
    let reached: BTreeMap<&str, BTreeSet<&str>> = nodes.iter().map(|node| (*node, reach(node))).collect();
    let groups = nodes.iter().filter(|node| reached[*node].contains(*node)).map(|node| {
        let back = |other: &&&str| reached.get(**other).is_some_and(|of_other| of_other.contains(node));
        reached[node].iter().filter(back).copied().collect::<BTreeSet<_>>()
    });
    groups.collect::<BTreeSet<_>>().into_iter().collect()
}

/// Re-exports of re-exports that are followed.
const MOST_STEPS: usize = 8;

/// The modules of each crate from the lowest up: one may use those of the rows before its own. Those of the core have a finer table.
const LAYERS: &[(&str, &[&[&str]])] = &[
    (
        "inrush",
        &[
            &["columns", "config", "fault", "guard", "nonblocking", "once", "reading", "table", "waiter"],
            &["bulk", "kept_batches", "pipeline", "sql", "tls", "trace"],
            &["batch", "net"],
            &["deadlines"],
            &["verbs"],
            &["pool"],
            &["inserter"],
            &["transact"],
            &["blocking", "tokio"],
            &["until_stopped"],
            &["loader", "parts", "read_view"],
            &["verify"],
            &["documents"],
        ],
    ),
    (
        "inrush-bench",
        &[
            &["dataset", "histogram", "rights", "rows_of_table", "server_file", "stats", "wrap"],
            &["own_schema", "relay", "results"],
            &["axes", "busy", "compare", "facts", "meter", "runner", "table", "counters"],
            &["advice", "clock", "workers", "heat_map", "html", "knee", "profile"],
            &["answer", "insert", "query", "sweep"],
            &["load", "peer", "pool", "pressure", "rtt"],
            &["doctor", "tune"],
        ],
    ),
    (
        "inrush-cli",
        &[&["colour", "connection", "exit", "human", "local_server", "wrap"], &["output"], &["commands"], &["args"]],
    ),
    ("inrush-derive", &[&["case"], &["fields"], &["from_row", "to_row"], &["value"]]),
    (
        "inrush-files",
        &[
            &["address"],
            &["no_objects", "objects"],
            &[
                "cells",
                "escaped",
                "expansion",
                "guard",
                "lz4",
                "mask",
                "on_disk",
                "paths",
                "pending_bytes",
                "raw",
                "widths",
            ],
            &["decompress", "json_elements", "moment", "other_formats"],
            &["infer_types"],
            &["formats"],
            &["dialect"],
            &["applies", "input", "names", "sniff"],
            &["file_source", "fixed_width", "opened_file", "script", "zip_member"],
            &["columnar", "csv", "dump", "tar_member"],
            &["arrow", "jsonl", "no_parquet", "parquet", "xlsx"],
            &["file_format"],
            &["text"],
            &["open"],
            &["diverts", "file_options", "record_batches", "whole_sample", "written"],
            &["new_table"],
            &["hints", "needed", "together"],
            &["fuzz"],
        ],
    ),
    (
        "inrush-testkit",
        &[
            &["patience"],
            &[
                "blocking_twin",
                "browser",
                "captured",
                "closed_port",
                "dice",
                "http",
                "object_server",
                "proxy",
                "servers",
                "tidy",
            ],
            &["script", "shop", "stores", "fuzz_harness"],
        ],
    ),
];
