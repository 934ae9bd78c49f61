//! What guards of a transaction are besides: the connection that they hold, with all its verbs. Written once for both twins.

/// Makes guards with a field `connection: &mut Connection` usable as that connection: the one that is named so where this
/// is written.
macro_rules! are_connections {
    ($($guard:ident),+) => {$(
        impl std::ops::Deref for $guard<'_> {
            type Target = Connection;

            fn deref(&self) -> &Connection {
                self.connection
            }
        }

        impl std::ops::DerefMut for $guard<'_> {
            fn deref_mut(&mut self) -> &mut Connection {
                self.connection
            }
        }
    )+};
}

pub(crate) use are_connections;
