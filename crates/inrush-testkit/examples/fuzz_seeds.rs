//! Writes the fuzz targets' seeds into the corpus folder given as the argument: a fuzzer that has seen a login goes deeper.

use std::path::PathBuf;

use inrush_testkit::fuzz_harness;

fn main() -> std::io::Result<()> {
    let corpus = PathBuf::from(std::env::args_os().nth(1).expect("the corpus folder"));
    for (target, _) in fuzz_harness::ALL {
        let folder = corpus.join(target);
        std::fs::create_dir_all(&folder)?;
        for (i, seed) in fuzz_harness::seeds().iter().enumerate() {
            std::fs::write(folder.join(format!("seed-{i}")), seed)?;
        }
    }
    Ok(())
}
