//! Writes the fuzz targets' seeds into the corpus folder given as the argument: a fuzzer that has seen a login goes deeper.

use std::path::PathBuf;

use inrush_testkit::soup;

fn main() -> std::io::Result<()> {
    let corpus = PathBuf::from(std::env::args_os().nth(1).expect("the corpus folder"));
    for (target, _) in soup::ALL {
        let folder = corpus.join(target);
        std::fs::create_dir_all(&folder)?;
        for (i, seed) in soup::seeds().iter().enumerate() {
            std::fs::write(folder.join(format!("seed-{i}")), seed)?;
        }
    }
    Ok(())
}
