//! The values of one execution that is not sent yet: encoded, owned, and valid for any connection.

use crate::error::{Error, Result};
use crate::session::cache::{Entry, Execution, StatementCache};
use crate::session::cached_execute::{LONG_PART, is_long};
use crate::session::derived::Derived;
use crate::value::Value;
use crate::wire::stmt::Family;
use crate::wire::{Outbox, StmtId, stmt};
use std::borrow::Cow;

/// The values of one execution, as they are sent.
#[derive(Clone, Debug)]
pub struct Bound {
    n_values: usize,
    /// Bitmap, then types.
    head: Vec<u8>,
    values: Vec<u8>,
    /// Values that are sent ahead in parts, and their parameters.
    long: Vec<(u16, Vec<u8>)>,
    part_bytes: usize,
}

impl Bound {
    /// Copies the values.
    pub fn new(values: &[Value<'_>]) -> Self {
        Self::with_long(values, is_long, LONG_PART)
    }

    /// The same where texts and bytes for which `is_long` is true are sent ahead, in parts of at most `part_bytes`.
    pub(crate) fn with_long(values: &[Value<'_>], is_long: impl Fn(&Value<'_>) -> bool, part_bytes: usize) -> Self {
        let (mut head, mut bytes) = (Vec::new(), Vec::new());
        stmt::bitmap(&mut head, values);
        stmt::types(&mut head, values, &[]);
        stmt::values(&mut bytes, values, &is_long);
        let long = long_values(values, is_long).map(|(param, bytes)| (param, bytes.to_vec())).collect();
        Self { n_values: values.len(), head, values: bytes, long, part_bytes }
    }

    /// From encoded parts: bitmap and types of so many values, then the values.
    pub(crate) fn encoded(n_values: usize, head: Vec<u8>, values: Vec<u8>) -> Self {
        Self { n_values, head, values, long: Vec::new(), part_bytes: LONG_PART }
    }

    /// The parts that are sent: bitmap and types, values, and the parameters that are sent ahead with their number of bytes.
    #[cfg(test)]
    pub(crate) fn parts(&self) -> (&[u8], &[u8], Vec<(u16, usize)>) {
        (&self.head, &self.values, self.long.iter().map(|(param, bytes)| (*param, bytes.len())).collect())
    }

    /// Bytes of the longest packet that it is sent in, if all types are sent.
    pub(crate) fn n_bytes(&self) -> usize {
        stmt::EXECUTE_HEAD + self.head.len() + self.values.len()
    }

    pub(super) fn into_values(self) -> Vec<u8> {
        self.values
    }

    /// Appends the execution.
    pub(super) fn send(
        &self,
        slot: usize,
        entry: &mut Entry,
        out: &mut Outbox,
        push: impl FnOnce(&mut Outbox, Execution, &dyn Fn(&mut Vec<u8>)),
    ) {
        let id = entry.prepared.id;
        for (param, bytes) in &self.long {
            send_long(out, id, *param, bytes, self.part_bytes);
        }
        if self.n_values == 0 {
            return push(out, entry.execution(slot, false), &|out| stmt::execute(out, id, &[], None, is_long));
        }
        let (bitmap, types) = self.head.split_at(self.n_values.div_ceil(8));
        let types = self.types_to_send(bitmap, types, entry);
        if let Some(types_sent) = &types {
            entry.set_sent_types(types_sent);
        }
        let execution = entry.execution(slot, !self.long.is_empty());
        push(out, execution, &|out| stmt::execute_encoded(out, id, bitmap, types.as_deref(), &self.values));
    }

    /// `None`: the types that the server knows fit. A NULL fits any type, and keeps the known one.
    fn types_to_send<'t>(&self, bitmap: &[u8], types: &'t [u8], entry: &Entry) -> Option<Cow<'t, [u8]>> {
        let (known, is_sure) = entry.sent_types();
        if is_sure && known == types {
            return None;
        }
        if known.len() != types.len() {
            return Some(Cow::Borrowed(types));
        }
        let is_null = |i: usize| bitmap[i / 8] & 1 << (i % 8) != 0;
        let fits = |i: &usize| is_null(*i) || types[2 * i..2 * i + 2] == known[2 * i..2 * i + 2];
        if is_sure && (0..self.n_values).all(|i| fits(&i)) {
            return None;
        }
        let mut types_sent = types.to_vec();
        for i in (0..self.n_values).filter(|i| is_null(*i)) {
            types_sent[2 * i..2 * i + 2].copy_from_slice(&known[2 * i..2 * i + 2]);
        }
        Some(Cow::Owned(types_sent))
    }

    /// Whether the statement must be prepared again for these values: see [`StatementCache::bends`].
    pub(super) fn is_bent_by(&self, slot: usize, statements: &StatementCache, keeps_types: bool) -> bool {
        let entry = statements.get(slot);
        entry.bends_types(&self.head[self.n_values.div_ceil(8)..], keeps_types)
            || (statements.may_be_altered(slot) && self.is_bent_as(&entry.prepared.derived))
    }

    /// Whether one of the values may change by conversion to its parameter's derived type. Most often the types rule that out.
    fn is_bent_as(&self, derived: &[Derived]) -> bool {
        let (bitmap, types) = self.head.split_at(self.n_values.div_ceil(8));
        let families = || types.chunks_exact(2).map(|ty| Family::of_type(ty[0]));
        let mut pairs = derived.iter().zip(families());
        pairs.any(|(derived, family)| derived.may_bend(family))
            && (!self.long.is_empty()
                || derived.iter().zip(families()).any(|(derived, family)| derived.bends_all(family))
                || stmt::texts(bitmap, types, &self.values)
                    .any(|(param, text)| derived.get(param).is_some_and(|derived| derived.bends_text(text))))
    }

    /// Whether the statement takes so many values.
    pub(super) fn check(&self, n_params: u16) -> Result<()> {
        check_count(self.n_values, n_params)
    }
}

/// Appends the execution of borrowed values.
pub(super) fn send_values(
    values: &[Value<'_>],
    slot: usize,
    entry: &mut Entry,
    out: &mut Outbox,
    push: impl FnOnce(&mut Outbox, Execution, &dyn Fn(&mut Vec<u8>)),
) {
    let id = entry.prepared.id;
    let mut has_long = false;
    for (param, bytes) in long_values(values, is_long) {
        send_long(out, id, param, bytes, LONG_PART);
        has_long = true;
    }
    let is_known = entry.learn_types(values);
    let types = (!is_known).then_some(entry.sent_types().0);
    push(out, entry.execution(slot, has_long), &|out| stmt::execute(out, id, values, types, is_long));
}

pub(super) fn check_count(n_values: usize, n_params: u16) -> Result<()> {
    match n_values == usize::from(n_params) {
        true => Ok(()),
        false => Err(Error::config(format!("the statement takes {n_params} values, not {n_values}"))),
    }
}

fn long_values<'a>(
    values: &'a [Value<'_>],
    is_long: impl Fn(&Value<'_>) -> bool,
) -> impl Iterator<Item = (u16, &'a [u8])> {
    let long = values.iter().enumerate().filter(move |(_, value)| is_long(value));
    // As many parameters as a statement can have fit.
    long.filter_map(|(param, value)| Some((param as u16, value.as_bytes()?)))
}

/// Servers do not answer these: the execution reports their errors.
fn send_long(out: &mut Outbox, id: StmtId, param: u16, bytes: &[u8], part_bytes: usize) {
    for part in bytes.chunks(part_bytes) {
        out.pipelined(|out| stmt::long_data(out, id, param, part));
    }
}
