//! The separators that LOAD DATA is given for a text: between fields, and around them.

/// The separators of the fields of a text, in the terms of LOAD DATA.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Separators {
    /// Stands between two fields.
    pub terminated_by: u8,
    /// Stands around those fields that begin with it, and is doubled within them. `None`: it means nothing where it stands.
    pub enclosed_by: Option<u8>,
}
