//! The inrush command.
fn main() {}
