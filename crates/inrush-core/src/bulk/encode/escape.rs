//! Copies text and puts escapes where they must be, 16 bytes at a step while there are none.

/// Appends `text`; before each byte for which `is_special` holds comes what `escape` appends instead of it.
///
/// `is_special` must be a plain comparison with a few bytes: it is run over 16 bytes at once.
#[inline]
pub(super) fn copy_escaped(
    text: &[u8],
    is_special: impl Fn(u8) -> bool + Copy,
    escape: impl Fn(u8, &mut Vec<u8>),
    out: &mut Vec<u8>,
) {
    let (steps, tail) = text.as_chunks::<16>();
    for step in steps {
        copy_step(step, is_special, &escape, out);
    }
    copy_step(tail, is_special, &escape, out);
}

#[inline]
fn copy_step(bytes: &[u8], is_special: impl Fn(u8) -> bool, escape: &impl Fn(u8, &mut Vec<u8>), out: &mut Vec<u8>) {
    if !bytes.iter().fold(false, |any, b| any | is_special(*b)) {
        return out.extend_from_slice(bytes);
    }
    for byte in bytes {
        if is_special(*byte) { escape(*byte, out) } else { out.push(*byte) }
    }
}
