//! An engine by its name, for servers whose greeting names another one or none.

use crate::wire::{ServerVersion, Vendor};

/// An engine that speaks MySQL's protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Engine(Vendor);

impl Engine {
    /// The engine of this name: `tidb`, `PolarDB-X`. Case does not matter.
    pub fn named(name: &str) -> Option<Self> {
        Vendor::ALL.into_iter().find(|vendor| vendor.name().eq_ignore_ascii_case(name)).map(Self)
    }

    /// The engine that a version names, if it is another one than `greeted` names. MySQL does not name itself.
    pub fn unless_greeted(version: &ServerVersion, greeted: &ServerVersion) -> Option<Self> {
        (![Vendor::MySql, greeted.vendor].contains(&version.vendor)).then_some(Self(version.vendor))
    }

    /// All names, for messages.
    pub fn names() -> String {
        Vendor::ALL.map(|vendor| vendor.name().to_ascii_lowercase()).join(", ")
    }

    /// Makes a version one of this engine.
    pub(crate) fn rename(self, version: &mut ServerVersion) {
        version.vendor = self.0;
    }
}
