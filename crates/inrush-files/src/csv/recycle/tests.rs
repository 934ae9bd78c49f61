//! A buffer is reused exactly if it has no other user.

use super::*;

#[test]
fn takes_back_what_is_free() {
    let mut recycled = Recycled::new(8);
    let (used, free) = (buffer(1), buffer(2));
    recycled.lend(&used);
    recycled.lend(&free);
    let slice = used.slice(1);
    drop((used, free));
    assert_eq!(recycled.take::<u8>().unwrap().capacity(), 2);
    assert_eq!(recycled.take::<u8>(), None);
    drop(slice);
    let back: Vec<u8> = recycled.take().unwrap();
    assert_eq!((back.len(), back.capacity()), (0, 1));
    assert_eq!(recycled.take::<u8>(), None);
}

#[test]
fn forgets_what_is_held_too_long() {
    let mut recycled = Recycled::new(2);
    for size in 1..=3 {
        recycled.lend(&buffer(size));
    }
    assert_eq!(recycled.take::<u8>().unwrap().capacity(), 2);
    assert_eq!(recycled.take::<u8>().unwrap().capacity(), 3);
    assert_eq!(recycled.take::<u8>(), None);
}

fn buffer(size: usize) -> Buffer {
    Buffer::from_vec(vec![7u8; size])
}
