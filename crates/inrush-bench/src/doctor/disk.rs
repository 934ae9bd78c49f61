//! How long the disk takes: blocks that are written to the file system of the server's data, if the server is on this machine.

use super::facts::{Facts, Sync};
use std::env;
use std::fs::{self, OpenOptions};
use std::io::{Result, Seek as _, Write as _};
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// The median time of a block. `None` if the server is elsewhere, or no folder of that file system may be written to.
pub(super) fn measure(facts: &Facts) -> Option<Sync> {
    if !facts.link.is_local() {
        return None;
    }
    let device = fs::metadata(facts.var("datadir")?).ok()?.dev();
    // Never the folder of the data itself, whose files are the server's.
    let folders =
        [facts.var("tmpdir").map(PathBuf::from), Some(env::temp_dir()), env::current_dir().ok(), env::home_dir()];
    folders.into_iter().flatten().filter(|folder| is_on(folder, device)).find_map(|folder| written_in(&folder).ok())
}

fn is_on(folder: &Path, device: u64) -> bool {
    fs::metadata(folder).is_ok_and(|about| about.is_dir() && about.dev() == device)
}

/// Writes the same block again and again, as a log that is used in turns, into a file that has its size before.
fn written_in(folder: &Path) -> Result<Sync> {
    let path = folder.join(format!("inrush-doctor-{}", std::process::id()));
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path)?;
    // Its space is freed with the handle, however this process ends.
    fs::remove_file(&path)?;
    file.write_all(&[0; BLOCK * BLOCKS])?;
    file.sync_all()?;
    let mut times = Vec::new();
    let began = Instant::now();
    while times.len() < BLOCKS && (times.len() < 5 || began.elapsed() < ENOUGH) {
        file.seek(std::io::SeekFrom::Start((times.len() * BLOCK) as u64))?;
        let sent = Instant::now();
        file.write_all(&[1; BLOCK])?;
        file.sync_data()?;
        times.push(sent.elapsed());
    }
    times.sort();
    Ok(Sync { count: times.len() as u64, mean: times[times.len() / 2] })
}

const BLOCK: usize = 4096;
const BLOCKS: usize = 50;
const ENOUGH: Duration = Duration::from_secs(2);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::Link;

    fn facts(datadir: &str, is_socket: bool) -> Facts {
        let mut facts = Facts { link: Link { is_socket, ..Link::default() }, ..Facts::default() };
        facts.variables.insert("datadir".into(), datadir.into());
        facts
    }

    #[test]
    fn only_on_the_file_system_of_a_local_server() {
        let folder = env::temp_dir();
        let folder = folder.to_str().unwrap();
        let disk = measure(&facts(folder, true)).unwrap();
        assert!((5..=50).contains(&disk.count) && disk.mean > Duration::ZERO, "{disk:?}");
        assert_eq!(measure(&facts(folder, false)), None);
        assert_eq!(measure(&facts("/proc", true)), None);
        assert_eq!(measure(&facts("/nowhere/at/all", true)), None);
    }
}
