//! Inserters whose connections are killed, whose answers are lost, whose callers go away, whose runtime ends.
