//! The core from outside: conversations by script, methods of batches and loads, and bytes that no server would send. One program, because each
//! program is linked by itself.

// The helpers of tests fail like tests.
#![allow(clippy::unwrap_used, clippy::panic)]

mod batches;
mod cached_executes;
mod cleaning;
mod commands;
mod logins;
mod methods;
mod mutated_input;
mod pipeline_talk;
mod pipelined_statements;
mod pipelines;
mod transactions;
