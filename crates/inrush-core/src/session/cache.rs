//! The prepared statements of one connection, by text. The one that was not used for longest makes room for a new one.

use std::collections::HashMap;

use crate::session::Prepared;
use crate::wire::StmtId;

/// Prepared statements by text. Pure bookkeeping: who drops one from here closes it on the server.
#[derive(Debug)]
pub struct StatementCache {
    slots: Vec<Entry>,
    by_text: HashMap<Box<[u8]>, usize>,
    capacity: usize,
    clock: u64,
}

/// One statement of the cache.
#[derive(Debug)]
pub struct Entry {
    /// What the server said of it.
    pub prepared: Prepared,
    /// Type and flag of each parameter, as the server knows them; empty if it knows none.
    pub types: Vec<u8>,
    last_used: u64,
}

impl StatementCache {
    /// The statement's slot. It stays its slot until the next [`StatementCache::insert`] or [`StatementCache::clear`].
    pub fn find(&mut self, sql: &[u8]) -> Option<usize> {
        let slot = *self.by_text.get(sql)?;
        self.clock += 1;
        self.slots[slot].last_used = self.clock;
        Some(slot)
    }

    /// Adds a statement that is not in here. Returns its slot, and the statement that had to go.
    pub fn insert(&mut self, sql: &[u8], prepared: Prepared) -> (usize, Option<StmtId>) {
        self.clock += 1;
        let entry = Entry { prepared, types: Vec::new(), last_used: self.clock };
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

    /// What is in a slot that [`StatementCache::find`] or [`StatementCache::insert`] named.
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

    /// Forgets all: the server closed them.
    pub fn clear(&mut self) {
        self.slots.clear();
        self.by_text.clear();
    }
}

impl Default for StatementCache {
    fn default() -> Self {
        Self { slots: Vec::new(), by_text: HashMap::new(), capacity: CAPACITY, clock: 0 }
    }
}

/// A server has room for 16,382 (`max_prepared_stmt_count`): enough for 120 connections that fill theirs.
const CAPACITY: usize = 128;

#[cfg(test)]
mod tests {
    use super::*;

    fn prepared(id: u32) -> Prepared {
        Prepared { id: StmtId(id), n_params: 0, columns: Vec::new() }
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
    fn forgets_all() {
        let mut cache = StatementCache::default();
        cache.insert(b"a", prepared(1));
        cache.clear();
        assert!(cache.is_empty() && cache.find(b"a").is_none());
        assert_eq!(cache.insert(b"a", prepared(1)), (0, None));
    }
}
