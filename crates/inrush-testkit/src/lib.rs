//! Test tools of inrush; never published, only ever a dev-dependency.
//!
//! | module | what lives there |
//! |---|---|
//! | [`servers`] | the real servers: how to reach them, SQL through their own client, throw-away schemas |
//! | [`tidy`] | the house's rules that no compiler checks |

// A test tool's way to fail is to panic.
#![allow(clippy::panic)]

pub mod servers;
pub mod tidy;
