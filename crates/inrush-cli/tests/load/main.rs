//! `inrush load` as a user runs it, on each version of the servers, and on each engine with LOCAL INFILE on and off: what bad input
//! gets, what good input becomes, and what is true after a load that did not come to its end.

// The helpers of tests fail like tests.
#![allow(clippy::unwrap_used, clippy::panic)]

mod aborted;
mod atomic_others;
mod bad_rows;
mod bad_whole;
mod blown_up;
mod case;
mod changing;
mod chunks;
mod columns;
mod computed;
mod export;
mod files;
mod formats;
mod found_out;
mod full_disk;
mod guide;
mod hostile_ledger;
mod jobs;
mod json_documents;
mod kinds;
mod ledger;
mod ledger_cuts;
mod ledger_refused;
mod lost;
mod many;
mod modes;
mod new_tables;
mod numbers;
mod on_terminal;
mod operation;
mod options;
mod other_spellings;
mod own_server;
mod partitioned;
mod parts;
mod place;
mod promises;
mod record_batches;
mod retried;
mod runs;
mod server_of_own;
mod server_sort;
mod session;
mod sorted;
mod step_cuts;
mod steps;
mod stopped;
mod terminal;
mod tuning;
mod untouched;
mod workbooks;
mod zones;
