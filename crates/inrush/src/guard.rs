//! The connection that a guard of a transaction holds, with all its verbs. Written once for both twins.

use std::ops::{Deref, DerefMut};

/// The connection of a transaction: borrowed, or owned and from a pool.
#[derive(Debug)]
pub(crate) enum Holder<'c, C, O> {
    Borrowed(&'c mut C),
    Owned(O),
}

impl<C, O: Deref<Target = C>> Deref for Holder<'_, C, O> {
    type Target = C;

    fn deref(&self) -> &C {
        match self {
            Self::Borrowed(connection) => connection,
            Self::Owned(connection) => connection,
        }
    }
}

impl<C, O: DerefMut<Target = C>> DerefMut for Holder<'_, C, O> {
    fn deref_mut(&mut self) -> &mut C {
        match self {
            Self::Borrowed(connection) => connection,
            Self::Owned(connection) => connection,
        }
    }
}

/// Makes guards with a field `connection` usable as that connection: the one that is named so where this
/// is written.
macro_rules! are_connections {
    ($($guard:ident),+) => {$(
        impl std::ops::Deref for $guard<'_> {
            type Target = Connection;

            fn deref(&self) -> &Connection {
                &self.connection
            }
        }

        impl std::ops::DerefMut for $guard<'_> {
            fn deref_mut(&mut self) -> &mut Connection {
                &mut self.connection
            }
        }
    )+};
}

pub(crate) use are_connections;
