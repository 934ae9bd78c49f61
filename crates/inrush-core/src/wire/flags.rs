//! The protocol's bit sets and type codes. The tables are `mysql_common`'s; these names are the ones we use.

pub use mysql_common::constants::{
    CapabilityFlags as Capabilities, ColumnFlags, ColumnType, MariadbCapabilities as MariaDbCapabilities,
    StatusFlags as Status,
};
