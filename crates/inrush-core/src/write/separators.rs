//! The separators that LOAD DATA is given for a text: between fields, and around them.

/// The separators of the fields of a text, in the terms of LOAD DATA.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Separators {
    /// The separator between two fields.
    pub terminated_by: u8,
    /// The quote around those fields that begin with it; it is doubled within them. `None`: no byte is a quote.
    pub enclosed_by: Option<u8>,
}
