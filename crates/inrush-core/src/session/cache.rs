//! The prepared statements of one connection, by text. The least recently used one is dropped for a new one.

use std::collections::HashMap;
use std::hash::{BuildHasher, DefaultHasher, Hasher, RandomState};

#[cfg(doc)]
use crate::session::Derived;
use crate::session::{Effect, Prepared};
use crate::value::Value;
use crate::wire::StmtId;
use crate::wire::stmt::{self, Family};

/// Prepared statements by text. Pure bookkeeping: a caller that drops one from here must close it on the server.
#[derive(Debug)]
pub struct StatementCache {
    slots: Vec<Entry>,
    by_text: HashMap<Box<[u8]>, usize, ByEnds>,
    capacity: usize,
    clock: u64,
    /// How often the settings have changed under which statements are prepared.
    epoch: u64,
    /// Changes when the session may no longer hold a lock on a table: from then on, others can alter any of them.
    locks: u64,
}

/// One statement of the cache.
#[derive(Debug)]
pub struct Entry {
    /// The server's answer to the PREPARE.
    pub prepared: Prepared,
    /// Type and flag of each parameter, as they were sent to the server last; empty if it knows none.
    types: Vec<u8>,
    /// Whether an execution that sent the types succeeded. Until then each execution sends them: where values are refused, a
    /// server knows only the types of the parameters before them (docs/notes/pipeline.md).
    has_types: bool,
    /// Changes when the types change and when an execution failed: an answer applies only to the types of its own round.
    round: u32,
    /// The statement may contain left-over long data, or an error from it: it is prepared again.
    is_spoiled: bool,
    /// The kinds of values that each parameter ever had.
    had: Vec<Had>,
    /// As long as the cache's number is this one, its tables cannot have been altered since it was prepared: nothing was sent in
    /// between, or its first execution holds a lock on the table until the transaction ends.
    locks: Option<u64>,
    last_used: u64,
    epoch: u64,
}

impl Entry {
    /// Whether the server knows the types of these values. If not, the next execution sends them.
    pub(crate) fn learn_types(&mut self, values: &[Value<'_>]) -> bool {
        let is_known = self.has_types && stmt::has_types(values, &self.types);
        if !is_known {
            let mut types = Vec::with_capacity(2 * values.len());
            stmt::types(&mut types, values, &self.types);
            self.set_sent_types(&types);
        }
        is_known
    }

    /// Records the types that the next execution sends to the server.
    pub(crate) fn set_sent_types(&mut self, types: &[u8]) {
        self.had.resize(types.len() / 2, Had::default());
        for (had, ty) in self.had.iter_mut().zip(types.chunks_exact(2)) {
            had.see(Family::of_type(ty[0]));
        }
        self.has_types = false;
        if self.types != types {
            self.round = self.round.wrapping_add(1);
            self.types.clear();
            self.types.extend_from_slice(types);
        }
    }

    /// Returns the types that were sent to the server last, and whether it is sure to know them.
    pub(crate) fn sent_types(&self) -> (&[u8], bool) {
        (&self.types, self.has_types)
    }

    /// Records that its table may be altered before its next execution.
    pub fn rests(&mut self) {
        self.locks = None;
    }

    /// Records that the server no longer knows any types.
    pub(crate) fn forget_types(&mut self) {
        self.types.clear();
        self.has_types = false;
        self.round = self.round.wrapping_add(1);
    }

    /// The execution that is sent next. `has_long`: some of its values are sent ahead.
    pub(crate) fn execution(&self, slot: usize, has_long: bool) -> Execution {
        Execution { slot, id: self.prepared.id, round: self.round, has_long }
    }

    /// Whether the statement must be prepared again for these values: the server might store something else (see [`Had`]), or
    /// answer for values that went ahead of an earlier execution. `keeps_types`: `Profile::keeps_param_types`.
    pub(crate) fn bends(&self, values: &[Value<'_>], keeps_types: bool) -> bool {
        let mut pairs = self.had.iter().zip(values);
        self.is_spoiled || (keeps_types && pairs.any(|(had, value)| had.bends(Family::of(value))))
    }

    /// The same by their types.
    pub(crate) fn bends_types(&self, types: &[u8], keeps_types: bool) -> bool {
        let mut pairs = self.had.iter().zip(types.chunks_exact(2));
        // Most often they are the types of the last execution, which the server accepted.
        self.is_spoiled
            || (keeps_types && types != self.types && pairs.any(|(had, ty)| had.bends(Family::of_type(ty[0]))))
    }
}

/// What a parameter was in earlier executions. If a number was bound once, however long ago, MySQL converts a later text that
/// looks like a number to a number (`7` is stored for `007`). It also converts a text that looks like a date to a date, and a
/// number to a moment. So such a statement is prepared again. Tested by `real/type_changes.rs`.
#[derive(Clone, Copy, Debug, Default)]
struct Had {
    number: bool,
    moment: bool,
}

impl Had {
    fn see(&mut self, family: Family) {
        self.number |= family == Family::Number;
        self.moment |= family == Family::Moment;
    }

    #[inline]
    fn bends(self, family: Family) -> bool {
        match family {
            Family::Text => self.number || self.moment,
            Family::Number => self.moment,
            Family::Moment | Family::Null => false,
        }
    }
}

/// One execution of a statement, until it is answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Execution {
    slot: usize,
    id: StmtId,
    round: u32,
    /// Some of its values were sent ahead. A server keeps an error of theirs until the statement is reset or closed.
    pub(crate) has_long: bool,
}

impl Execution {
    /// Returns the id of its statement.
    pub(crate) fn id(&self) -> StmtId {
        self.id
    }
}

impl StatementCache {
    /// Records that the server accepted the values of an execution, whatever the outcome of the statement.
    pub(crate) fn took(&mut self, execution: Execution) {
        if let Some(entry) = self.entry_of(execution) {
            entry.has_types |= entry.round == execution.round && !entry.types.is_empty();
        }
    }

    /// An execution failed. `is_reset`: a reset of the statement follows it.
    pub(crate) fn failed(&mut self, execution: Execution, is_reset: bool) {
        if let Some(entry) = self.entry_of(execution) {
            entry.forget_types();
            entry.is_spoiled |= execution.has_long && !is_reset;
        }
    }

    fn entry_of(&mut self, execution: Execution) -> Option<&mut Entry> {
        self.slots.get_mut(execution.slot).filter(|entry| entry.prepared.id == execution.id)
    }

    /// Returns the statement's slot, if it was prepared under the current schema and settings. The slot is valid until the next
    /// [`StatementCache::insert`] or [`StatementCache::clear`].
    pub fn find(&mut self, sql: &[u8]) -> Option<usize> {
        let slot = *self.by_text.get(sql)?;
        if self.slots[slot].epoch != self.epoch {
            return None;
        }
        self.clock += 1;
        self.slots[slot].last_used = self.clock;
        Some(slot)
    }

    /// Adds a statement; it replaces one with the same text. Returns its slot, and the statement that was dropped.
    pub fn insert(&mut self, sql: &[u8], mut prepared: Prepared) -> (usize, Option<StmtId>) {
        self.clock += 1;
        prepared.effect = Effect::of_prepared(sql);
        let entry = Entry {
            prepared,
            types: Vec::new(),
            has_types: false,
            round: 0,
            is_spoiled: false,
            had: Vec::new(),
            locks: Some(self.locks),
            last_used: self.clock,
            epoch: self.epoch,
        };
        if let Some(slot) = self.by_text.get(sql) {
            let gone = std::mem::replace(&mut self.slots[*slot], entry);
            return (*slot, Some(gone.prepared.id));
        }
        if self.slots.len() < self.capacity {
            self.slots.push(entry);
            self.by_text.insert(sql.into(), self.slots.len() - 1);
            return (self.slots.len() - 1, None);
        }
        let oldest = self.slots.iter().enumerate().min_by_key(|(_, entry)| entry.last_used).map_or(0, |(slot, _)| slot);
        self.by_text.retain(|_, slot| *slot != oldest);
        self.by_text.insert(sql.into(), oldest);
        let gone = std::mem::replace(&mut self.slots[oldest], entry);
        (oldest, Some(gone.prepared.id))
    }

    /// Whether the statement's table may have been altered since it was prepared.
    pub(crate) fn may_be_altered(&self, slot: usize) -> bool {
        self.slots[slot].locks != Some(self.locks)
    }

    /// Whether the statement must be prepared again for these values: see [`Entry::bends`] and [`Derived`].
    pub(crate) fn bends(&self, slot: usize, values: &[Value<'_>], keeps_types: bool) -> bool {
        let entry = &self.slots[slot];
        let mut pairs = entry.prepared.derived.iter().zip(values);
        entry.bends(values, keeps_types)
            || (self.may_be_altered(slot) && pairs.any(|(derived, value)| derived.bends(value)))
    }

    /// Records that the session may no longer hold a lock on a table.
    pub(crate) fn unlocked(&mut self) {
        self.locks += 1;
    }

    /// Returns the entry of a slot that [`StatementCache::find`] or [`StatementCache::insert`] returned.
    pub fn get(&self, slot: usize) -> &Entry {
        &self.slots[slot]
    }

    /// The same, to change its types.
    pub fn get_mut(&mut self, slot: usize) -> &mut Entry {
        &mut self.slots[slot]
    }

    /// Number of statements.
    pub fn len(&self) -> usize {
        self.slots.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    /// How many statements it holds at most.
    pub fn capacity(&self) -> usize {
        self.capacity
    }

    /// How many statements it holds at most; at least one. Meant for a fresh connection: nothing is dropped.
    pub fn set_capacity(&mut self, capacity: usize) {
        self.capacity = capacity.max(1);
    }

    /// Records that the default schema, `sql_mode` or a similar variable changed. A server runs a statement with the values under
    /// which it was prepared, so each statement is prepared again at its next use, and replaces its older version.
    pub fn outdate(&mut self) {
        self.epoch += 1;
    }

    /// Forgets all: the server closed them.
    pub fn clear(&mut self) {
        self.slots.clear();
        self.by_text.clear();
    }
}

impl Default for StatementCache {
    fn default() -> Self {
        Self { slots: Vec::new(), by_text: HashMap::default(), capacity: CAPACITY, clock: 0, epoch: 0, locks: 0 }
    }
}

/// Hashes only the length and the two ends of a text: a text that carries many rows has 20 KiB, and is looked up for each
/// command. Texts that differ only in the middle have the same hash and are compared with each other; a cache holds only a few.
#[derive(Debug, Default)]
struct ByEnds(RandomState);

impl BuildHasher for ByEnds {
    type Hasher = EndsHasher;

    fn build_hasher(&self) -> EndsHasher {
        EndsHasher(self.0.build_hasher())
    }
}

struct EndsHasher(DefaultHasher);

impl Hasher for EndsHasher {
    fn write(&mut self, bytes: &[u8]) {
        match (bytes.first_chunk::<END>(), bytes.last_chunk::<END>()) {
            (Some(first), Some(last)) if bytes.len() > 2 * END => {
                self.0.write(first);
                self.0.write(last);
            }
            _ => self.0.write(bytes),
        }
    }

    fn finish(&self) -> u64 {
        self.0.finish()
    }
}

/// The names of most tables and columns.
const END: usize = 128;

/// A server has room for 16,382 (`max_prepared_stmt_count`): enough for 120 connections that fill theirs.
const CAPACITY: usize = 128;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::Derived;
    use crate::value::Date;

    fn prepared(id: u32) -> Prepared {
        Prepared { id: StmtId(id), n_params: 0, columns: Vec::new(), effect: Effect::Nothing, derived: Vec::new() }
    }

    #[test]
    fn the_one_unused_for_longest_goes() {
        let mut cache = StatementCache::default();
        cache.set_capacity(2);
        assert_eq!(cache.insert(b"a", prepared(1)), (0, None));
        assert_eq!(cache.insert(b"b", prepared(2)), (1, None));
        assert_eq!(cache.find(b"a"), Some(0));
        assert_eq!(cache.insert(b"c", prepared(3)), (1, Some(StmtId(2))));
        assert_eq!((cache.find(b"a"), cache.find(b"b"), cache.find(b"c")), (Some(0), None, Some(1)));
        assert_eq!(cache.get(1).prepared.id, StmtId(3));
    }

    #[test]
    fn one_with_the_same_text_takes_its_place() {
        let mut cache = StatementCache::default();
        cache.insert(b"a", prepared(1));
        cache.insert(b"b", prepared(2));
        assert_eq!(cache.insert(b"a", prepared(3)), (0, Some(StmtId(1))));
        assert_eq!((cache.len(), cache.find(b"a"), cache.find(b"b")), (2, Some(0), Some(1)));
    }

    #[track_caller]
    fn bends(earlier: &[Value<'_>], value: Value<'_>, want: bool) {
        let mut cache = StatementCache::default();
        let (slot, _) = cache.insert(b"a", prepared(1));
        for value in earlier {
            assert!(!cache.get(slot).bends(&[*value], true));
            cache.get_mut(slot).learn_types(&[*value]);
        }
        let mut types = Vec::new();
        stmt::types(&mut types, &[value], &[]);
        let entry = cache.get(slot);
        assert_eq!([entry.bends(&[value], true), entry.bends_types(&types, true)], [want; 2]);
        assert!(!entry.bends(&[value], false));
    }

    #[test]
    fn what_a_parameter_was_decides_what_it_may_become() {
        let (number, text, moment) = (Value::Int(1), Value::Text("1"), Value::Date(Date::default()));
        bends(&[], text, false);
        bends(&[text, Value::Null], Value::Bytes(b""), false);
        bends(&[number], Value::Double(1.5), false);
        bends(&[number], text, true);
        bends(&[text, number, Value::Null], text, true);
        bends(&[number, moment], number, true);
        bends(&[moment], text, true);
        bends(&[number], moment, false);
        bends(&[number, moment], Value::Null, false);
    }

    #[test]
    fn what_the_server_takes_a_parameter_for_matters_once_it_may_be_old() {
        let mut cache = StatementCache::default();
        let derived = vec![Derived::Float];
        let (slot, _) = cache.insert(b"a", Prepared { derived, ..prepared(1) });
        let long = [Value::Text("0.1234567890123456789")];
        assert!(!cache.bends(slot, &long, true));
        cache.get_mut(slot).learn_types(&long);
        assert!(!cache.bends(slot, &long, true), "its execution holds a lock on the table");
        cache.unlocked();
        assert!(cache.bends(slot, &long, true));
        assert!(!cache.bends(slot, &[Value::Text("0.1")], true));
        let (slot, _) = cache.insert(b"a", Prepared { derived: vec![Derived::Float], ..prepared(2) });
        assert!(!cache.bends(slot, &long, true));
        cache.get_mut(slot).rests();
        assert!(cache.bends(slot, &long, true));
    }

    #[test]
    fn long_texts_are_told_apart() {
        let mut cache = StatementCache::default();
        let text = |middle: u8| [[b'x'; 300].as_slice(), &[middle], &[b'x'; 300]].concat();
        for id in 0..100 {
            cache.insert(&text(id), prepared(id.into()));
        }
        for id in 0..100 {
            let slot = cache.find(&text(id)).unwrap();
            assert_eq!(cache.get(slot).prepared.id, StmtId(id.into()));
        }
        assert_eq!(cache.find(&text(100)), None);
    }

    #[test]
    fn one_that_is_outdated_is_prepared_anew() {
        let mut cache = StatementCache::default();
        cache.insert(b"a", prepared(1));
        cache.outdate();
        assert_eq!(cache.find(b"a"), None);
        assert_eq!(cache.insert(b"a", prepared(2)), (0, Some(StmtId(1))));
        assert_eq!((cache.find(b"a"), cache.len()), (Some(0), 1));
    }

    #[test]
    fn forgets_all() {
        let mut cache = StatementCache::default();
        cache.insert(b"a", prepared(1));
        cache.clear();
        assert!(cache.is_empty() && cache.find(b"a").is_none());
        assert_eq!(cache.insert(b"a", prepared(1)), (0, None));
    }
}
