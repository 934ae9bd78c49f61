use super::*;
use crate::blocking::Connection;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

#[test]
fn a_housekeeper_does_not_wake_himself() {
    let rung = Arc::new(AtomicU32::new(0));
    let bell = Arc::clone(&rung);
    let config = Config::new().with_pool(PoolOptions::new().with_min(1));
    let ring = move || {
        bell.fetch_add(1, Relaxed);
    };
    let shared = Shared::<Connection>::new(&config, ring).unwrap();
    let (opening, _) = shared.chores(Instant::now()).unwrap();
    assert_eq!(rung.load(Relaxed), 0);
    opening.unwrap().failed();
    assert_eq!(rung.load(Relaxed), 1, "others tell him");
    let (opening, again_in) = shared.chores(Instant::now()).unwrap();
    assert!(opening.is_none() && !again_in.is_zero());
    assert_eq!(rung.load(Relaxed), 1);
}
