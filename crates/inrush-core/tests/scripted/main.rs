//! The core from outside: conversations by script, plans of batches, and bytes that no server would send. One program, because each
//! program is linked by itself.

// The helpers of tests fail like tests.
#![allow(clippy::unwrap_used, clippy::panic)]

mod batch_plans;
mod batches;
mod cached_executes;
mod cleaning;
mod commands;
mod logins;
mod mutated_input;
mod pipeline_talk;
mod pipelined_statements;
mod pipelines;
mod transactions;
