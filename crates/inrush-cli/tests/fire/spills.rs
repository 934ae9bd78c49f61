//! The temporary files of a sort fail: their disk is full, they are damaged, shortened or gone while rows are merged and sent.

use crate::job::{Job, Kind, Shape};
use crate::kills::finish;
use crate::network::servers;
use crate::place::{Done, on};
use crate::run::Run;
use crate::table::Line;
use inrush_testkit::dice::{Dice, times};
use std::fs::{self, OpenOptions};
use std::path::{Path, PathBuf};
use std::process::Command;

/// So many rows make several runs in the memory that a sorted job gets.
const RECORDS: u64 = 9_000;

/// The size of the input is not known before, or smaller than what it unpacks to: nobody can refuse it at once.
#[test]
fn a_full_temporary_disk() {
    on(servers(), "spill_full", |place| {
        let server = &place.server;
        let mut dice = Dice::of(&format!("spill full {}", server.instance));
        let mut line = Line::new("temporary disk full", &server.instance);
        for turn in 0..times(2, 30) {
            let drawn = Shape::draw_of(&[Kind::Stdin, Kind::Gz], turn, RECORDS, server, &mut dice);
            let job = Job::new(server, Shape { is_sorted: true, ..drawn }, &mut dice);
            fs::create_dir(job.place.path("small")).unwrap();
            let done = job.start(on_a_small_disk(&job.command(), dice.between(60, 220))).end();
            line.runs += 1;
            line.faults += 1;
            assert_eq!(done.code, 3, "{:?}: {done}", job.shape);
            assert!(done.stderr.contains("cannot write `small/inrush-sort-"), "{done}");
            assert!(done.stderr.contains("--temp-dir"), "{done}");
            nothing_was_sent(&job, &done);
            finish(&job, &mut line);
        }
        line.conclude();
    });
}

/// The size is known, and what it needs is not there.
#[test]
fn too_small_a_temporary_disk_is_refused() {
    on(servers(), "spill_small", |place| {
        let server = &place.server;
        let mut dice = Dice::of(&format!("spill small {}", server.instance));
        let drawn = Shape::draw_of(&[Kind::Truncate], 0, RECORDS, server, &mut dice);
        let job = Job::new(server, Shape { is_sorted: true, ..drawn }, &mut dice);
        fs::create_dir(job.place.path("small")).unwrap();
        let done = job.start(on_a_small_disk(&job.command(), 60)).end();
        assert_eq!(done.code, 1, "{done}");
        assert!(done.stderr.contains("MiB are free"), "{done}");
        nothing_was_sent(&job, &done);
    });
}

/// A run is stopped before it merges, or while it sends. What it had not read yet makes it end; what it had read, or holds open, does not
/// concern it. Either way no other row than those of the source is stored.
#[test]
fn damaged_or_deleted_spills() {
    on(servers(), "spill_damaged", |place| {
        let server = &place.server;
        let mut dice = Dice::of(&format!("spill damaged {}", server.instance));
        let mut line = Line::new("spill damaged or deleted", &server.instance);
        let kinds = [Kind::Csv, Kind::Several, Kind::BadRows, Kind::Atomic, Kind::Deferred, Kind::JsonLines];
        let mut ended = 0;
        for turn in 0..times(4, 120) {
            let drawn = Shape::draw_of(&kinds, turn, RECORDS, server, &mut dice);
            let job = Job::new(server, Shape { is_sorted: true, ..drawn }, &mut dice);
            let (point, visit) = match turn % 3 {
                0 => ("sort.gathered", 1),
                1 => ("sort.merged", 1),
                _ => ("chunk.begin", dice.between(1, 20) as usize),
            };
            let run = Run::start_and_stop("", &job.place, job.command(), point, visit);
            let what = damage(&runs(&job.place.path(".")), &mut dice);
            line.runs += 1;
            line.faults += 1;
            run.go_on();
            let done = run.end();
            if job.is_finished_by(&done) {
                job.check(&done, &mut line);
                continue;
            }
            ended += 1;
            assert_eq!(done.code, 3, "{what} at {point}:{visit}: {:?}: {done}", job.shape);
            assert!(done.stderr.contains("inrush-sort-"), "it names the file: {what} at {point}:{visit}: {done}");
            finish(&job, &mut line);
        }
        assert!(ended > 0, "no damage was met");
        line.conclude();
    });
}

/// The same command where `small` is a disk of so many KiB and holds the temporary files. It is in a mount namespace of that process.
fn on_a_small_disk(command: &Command, kib: u64) -> Command {
    let mut small = Command::new("unshare");
    small.args(["--mount", "--propagation", "private", "sh", "-euc", MOUNT, "sh", &kib.to_string()]);
    small.arg(command.get_program());
    let mut is_folder = false;
    for argument in command.get_args() {
        small.arg(if is_folder { "small".as_ref() } else { argument });
        is_folder = argument == "--temp-dir";
    }
    small.current_dir(command.get_current_dir().unwrap());
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => small.env(name, value),
            None => small.env_remove(name),
        };
    }
    small
}

const MOUNT: &str = r#"mount -t tmpfs -o "size=${1}k" tmpfs small; shift; exec "$@""#;

/// The table and what was in it are as before, whatever the job was to begin with.
#[track_caller]
fn nothing_was_sent(job: &Job, done: &Done) {
    assert_eq!(job.place.sql("SELECT COUNT(*), SUM(id < 0) FROM fire"), "3,3", "{done}");
}

/// The files of all runs.
fn runs(folder: &Path) -> Vec<PathBuf> {
    let files = |folder: &Path| fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect::<Vec<_>>();
    let is = |path: &Path, prefix: &str| path.file_name().unwrap().to_string_lossy().starts_with(prefix);
    let folders = files(folder).into_iter().filter(|path| is(path, "inrush-sort-"));
    let mut runs: Vec<_> = folders.flat_map(|folder| files(&folder)).filter(|path| is(path, "run-")).collect();
    runs.sort();
    assert!(runs.len() > 1, "{runs:?}");
    runs
}

/// Says what it did.
fn damage(runs: &[PathBuf], dice: &mut Dice) -> String {
    let path = &runs[dice.below(runs.len() as u64) as usize];
    let bytes = fs::read(path).unwrap();
    let at = dice.below(bytes.len() as u64);
    match dice.below(4) {
        0 => {
            // In place: whoever has opened it sees it.
            let mut bytes = bytes;
            bytes[at as usize] ^= 1 << dice.below(8);
            let mut file = OpenOptions::new().write(true).open(path).unwrap();
            std::io::Write::write_all(&mut file, &bytes).unwrap();
            format!("a bit at {at} of {}", path.display())
        }
        1 => {
            OpenOptions::new().write(true).open(path).unwrap().set_len(at).unwrap();
            format!("{} cut at {at}", path.display())
        }
        2 => {
            fs::remove_file(path).unwrap();
            format!("{} deleted", path.display())
        }
        _ => {
            fs::remove_dir_all(path.parent().unwrap()).unwrap();
            "the folder deleted".to_owned()
        }
    }
}
