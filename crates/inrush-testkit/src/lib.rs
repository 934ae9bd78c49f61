//! Placeholder until the first inhabitant moves in.
