//! What became of a chunk that was sent. Apart from `send`, because a lane decides by it, and `send` is a part of the lane.

use inrush_core::Error;
use inrush_core::load::modes::Counted;
use inrush_core::write::answer::LoadWarning;

/// How the sending of a chunk went.
pub(crate) enum Sent {
    /// Every row that the mode does not leave out is in the open transaction; the server noted this, under strict SQL.
    All { counted: Counted, noted: Vec<LoadWarning> },
    /// The answer leaves a doubt about some row.
    InDoubt { warnings: Vec<LoadWarning> },
    /// The server refused the method.
    Refused(Error),
}
