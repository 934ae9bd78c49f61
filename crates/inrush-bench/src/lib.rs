//! The lab behind `inrush bench`: which way of writing is fastest here, and why.
//!
//! ```text
//! insert (cases) -> runner (rounds, shuffled) -> results (JSON Lines, saved as they come) -> stats -> table, html
//! ```
//! What is measured is what ships: a case calls the library as any program would. Everything but [`insert::Writer`], [`facts`] and [`server_file`] is pure.

pub mod advice;
pub mod compare;
pub mod dataset;
pub mod facts;
pub mod histogram;
pub mod html;
pub mod insert;
pub mod results;
pub mod runner;
pub mod server_file;
pub mod stats;
pub mod table;
