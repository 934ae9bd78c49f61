//! The benchmarks of `inrush bench`: which write method is fastest on this server, and why; and the rules of `inrush doctor`.
//!
//! ```text
//! insert, query .. (cases) -> runner (rounds, shuffled) -> results (JSON Lines, saved as they come) -> stats -> table, html
//! ```
//! A case calls the public library, as any program does. Everything but [`insert::Writer`], the
//! `Bench` of each other experiment, [`doctor::examine`], [`tune::copy`], [`rows_of_table`], `own_schema`, [`peer::Peers`], [`relay`], [`facts`] and [`server_file`] is pure.

pub mod advice;
pub mod answer;
pub mod axes;
pub mod busy;
mod clock;
pub mod compare;
pub mod counters;
pub mod dataset;
pub mod doctor;
pub mod facts;
pub mod heat_map;
pub mod histogram;
pub mod html;
pub mod insert;
pub mod knee;
pub mod load;
mod meter;
mod own_schema;
pub mod peer;
pub mod pool;
pub mod pressure;
pub mod profile;
pub mod query;
pub mod relay;
pub mod results;
mod rights;
pub mod rows_of_table;
pub mod rtt;
pub mod runner;
pub mod server_file;
pub mod stats;
pub mod sweep;
pub mod table;
pub mod tune;
mod workers;
mod wrap;
