//! The core from outside: conversations by script, plans of batches, and bytes that no server would send. One program, because each
//! program is linked by itself.

// The helpers of tests fail like tests.
#![allow(clippy::unwrap_used, clippy::panic)]

mod asks;
mod batch_plans;
mod batches;
mod cleaning;
mod commands;
mod logins;
mod pipeline_talk;
mod pipelined_statements;
mod pipelines;
mod soups;
mod transactions;
