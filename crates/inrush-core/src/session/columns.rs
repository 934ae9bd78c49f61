//! Column definitions of recently read results. A server sends them with every result, mostly the same ones again: definitions
//! that are the same byte for byte are not parsed again.

use std::collections::VecDeque;
use std::sync::Arc;

use crate::wire::{ColumnDef, ColumnDefs, Malformed};

/// The definitions of the last few results.
#[derive(Debug, Default)]
pub(crate) struct KnownColumns(VecDeque<Arc<ColumnDefs>>);

/// The definitions of one result, as they arrive.
#[derive(Debug)]
pub(crate) enum Columns {
    /// So many of them are the same as before.
    Known { defs: Arc<ColumnDefs>, n_same: usize },
    /// At least one is new.
    New(ColumnDefs),
}

impl KnownColumns {
    /// Takes the first of `n_columns` definitions.
    pub(crate) fn begin(&self, n_columns: u64, first: &[u8]) -> Result<Columns, Malformed> {
        let same = self.0.iter().find(|defs| defs.len() as u64 == n_columns && defs.came_as(0, first));
        let mut columns = match same {
            Some(defs) => Columns::Known { defs: defs.clone(), n_same: 0 },
            None => Columns::New(ColumnDefs::default()),
        };
        columns.push(first)?;
        Ok(columns)
    }

    /// Stores definitions that are complete, and returns them.
    pub(crate) fn end(&mut self, columns: Columns) -> Arc<ColumnDefs> {
        match columns {
            Columns::Known { defs, .. } => defs,
            Columns::New(defs) => {
                let defs = Arc::new(defs);
                // Memory must not grow with the widest table of a query.
                if defs.n_bytes() <= MOST_BYTES {
                    self.0.truncate(MOST - 1);
                    self.0.push_front(defs.clone());
                }
                defs
            }
        }
    }
}

impl Columns {
    /// Takes the next definition.
    pub(crate) fn push(&mut self, body: &[u8]) -> Result<(), Malformed> {
        match self {
            Self::Known { defs, n_same } if defs.came_as(*n_same, body) => {
                *n_same += 1;
                Ok(())
            }
            Self::Known { defs, n_same } => {
                let mut columns = defs.first(*n_same);
                columns.push(body)?;
                *self = Self::New(columns);
                Ok(())
            }
            Self::New(columns) => columns.push(body),
        }
    }

    /// The definitions so far.
    #[inline]
    pub(crate) fn as_slice(&self) -> &[ColumnDef] {
        match self {
            Self::Known { defs, n_same } => &defs.as_slice()[..*n_same],
            Self::New(defs) => defs.as_slice(),
        }
    }
}

impl Default for Columns {
    fn default() -> Self {
        Self::New(ColumnDefs::default())
    }
}

/// Enough for an application that runs a few queries in turn; each is a comparison of a few bytes.
const MOST: usize = 8;
const MOST_BYTES: usize = 16 * 1024;

#[cfg(test)]
mod tests {
    use super::*;

    /// A definition with this name.
    fn column(name: &[u8; 2]) -> Vec<u8> {
        [b"\x03def\0\0\0\x02", &name[..], b"\0\x0c\x3f\0\x14\0\0\0\x08\0\0\0\0\0"].concat()
    }

    /// Reads results with these columns one after the other; each as whether it was known.
    #[track_caller]
    fn check(results: &[&[&[u8; 2]]], want: &[bool]) {
        let mut known = KnownColumns::default();
        for (names, want) in results.iter().zip(want) {
            let mut columns = known.begin(names.len() as u64, &column(names[0])).unwrap();
            names[1..].iter().for_each(|name| columns.push(&column(name)).unwrap());
            assert_eq!(matches!(columns, Columns::Known { .. }), *want, "{names:?}");
            let read = known.end(columns);
            let read: Vec<_> = read.as_slice().iter().map(|column| column.name.as_bytes()).collect();
            assert_eq!(read, names.iter().map(|name| &name[..]).collect::<Vec<_>>());
        }
    }

    #[test]
    fn the_same_again_is_known() {
        check(&[&[b"ab"], &[b"ab"], &[b"ab", b"cd"], &[b"ab"], &[b"ab", b"cd"]], &[false, true, false, true, true]);
    }
    #[test]
    fn what_differs_anywhere_is_new() {
        check(&[&[b"ab", b"cd"], &[b"ab", b"ce"], &[b"ab", b"cd"]], &[false, false, false]);
    }
    #[test]
    fn only_the_last_few_are_kept() {
        let names: [[u8; 2]; 9] = std::array::from_fn(|i| [b'a', b'0' + i as u8]);
        let mut known = KnownColumns::default();
        for name in &names {
            let columns = known.begin(1, &column(name)).unwrap();
            known.end(columns);
        }
        assert_eq!(known.0.len(), MOST);
        assert!(matches!(known.begin(1, &column(&names[0])).unwrap(), Columns::New(_)));
        assert!(matches!(known.begin(1, &column(&names[1])).unwrap(), Columns::Known { .. }));
    }
}
