//! What LOAD DATA is told of a text: between fields, and around them.

/// How the fields of a text are told apart, in the words of LOAD DATA.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Separators {
    /// Stands between two fields.
    pub terminated_by: u8,
    /// Stands around those fields that begin with it, and is doubled within them. `None`: it means nothing where it stands.
    pub enclosed_by: Option<u8>,
}
