//! Connections on real servers: every behaviour, with both shells, on every server of `scripts/servers`, over plain TCP,
//! TCP with TLS, and a Unix socket. Where no honest server would behave as needed, a scripted one does.
#![allow(clippy::unwrap_used, clippy::panic)]

mod arrow;
mod arrow_back;
mod basics;
mod batches;
mod bulk_batches;
mod bulk_facts;
mod cancel;
mod cases;
mod compression;
mod examples;
mod failures;
mod inserter;
mod large;
mod literals;
mod load_local;
mod login;
mod misfits;
mod pipeline_facts;
mod pipeline_probe;
mod pipelined_rows;
mod pipelines;
mod pool;
mod queries;
mod reruns;
mod scripted;
mod spawned;
mod statements;
mod timeouts;
mod tls;
mod transactions;
mod traps;
mod twins;
mod type_changes;
mod types;
