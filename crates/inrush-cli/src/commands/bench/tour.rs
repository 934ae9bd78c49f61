//! `inrush bench` alone: a tour of about two minutes. Four small experiments on one server, one after the other, and a plain answer from
//! their numbers.

use super::experiment::{self, Experiment};
use super::insert::InsertArgs;
use super::load::LoadArgs;
use super::place::BenchPlace;
use super::rtt::RttArgs;
use super::sweep::SweepArgs;
use crate::connection::ConnectArgs;
use crate::{Output, exit};
use clap::{Args, Parser};
use inrush::Method;
use inrush_bench::answer::{self, Tour};
use inrush_bench::results::Results;
use inrush_bench::runner::part_of;
use inrush_bench::sweep;
use inrush_bench::table;
use inrush_core::{Error, Result};
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// Where the tour goes.
#[derive(Debug, Args)]
pub(super) struct TourArgs {
    #[command(flatten)]
    connect: ConnectArgs,

    /// Fewer rows and less time, for tests of the tour: its advice is worth nothing then
    #[arg(long, hide = true)]
    small: bool,

    /// Print help
    #[arg(long, action = clap::ArgAction::HelpLong)]
    help: Option<bool>,
}

/// Options of an experiment alone.
#[derive(Debug, Parser)]
#[command(no_binary_name = true, disable_help_flag = true)]
struct Only<T: Args> {
    #[command(flatten)]
    args: T,
}

/// Runs the tour.
pub(super) fn run(args: &TourArgs, output: &Output) -> Result<u8> {
    experiment::at_a_place(&args.connect, None, false, output, |place, stop| {
        output.notice(
            "a tour of about two minutes: insert methods, then numbers of rows and connections, then round trips, then loads of a file, the last one once more",
        );
        let amounts = if args.small { SMALL } else { FULL };
        let began = Instant::now();
        let part = |stages: u32| part_of(TIME, began.elapsed(), stages);
        let insert = stage::<InsertArgs>(amounts.insert, place, stop, output, part(5))?;
        let best = answer::best_way(&insert).unwrap_or_default();
        let method = sweep::methods().find(|method| method.name() == best).unwrap_or(Method::MultiRow);
        let sweep = stage::<SweepArgs>(&format!("{} --method {method}", amounts.sweep), place, stop, output, part(4))?;
        let rtt = stage::<RttArgs>(amounts.rtt, place, stop, output, part(3))?;
        let lanes = format!("{} --lanes 1,2,{}auto", amounts.load, if args.small { "" } else { "4," });
        let load = stage::<LoadArgs>(&lanes, place, stop, output, part(2))?;
        let again = match answer::lanes_to_copy(&load).filter(|lanes| lanes != "auto") {
            Some(lanes) => format!("{lanes},auto"),
            None => "auto".into(),
        };
        let file = format!("inrush-bench-again-{}.jsonl", experiment::stamp_of_now());
        let again = format!("{} --lanes {again} --once -o {file}", amounts.load);
        let again = stage::<LoadArgs>(&again, place, stop, output, part(1))?;
        let tour = Tour { insert: &insert, sweep: &sweep, rtt: &rtt, load: &load, again: &again };
        let answer = match args.small {
            false => answer::of(&tour),
            true => answer::whatever_the_machine_did(&tour),
        };
        if output.is_json() {
            let document = |results: &Results| serde_json::from_str::<Value>(&table::json(results)).unwrap_or_default();
            let all = json!({
                "inrush": "bench tour", "version": 1, "answer": answer,
                "insert": document(&insert), "sweep": document(&sweep), "rtt": document(&rtt), "load": document(&load),
                "again": document(&again),
            });
            output.result(&format!("{all:#}"));
        } else {
            output.result(&answer.join("\n"));
        }
        Ok(exit::OK)
    })
}

/// A slow machine makes fewer rounds in it, and each case at least once.
const TIME: Duration = Duration::from_secs(170);

/// The options of each experiment.
struct Amounts {
    insert: &'static str,
    sweep: &'static str,
    rtt: &'static str,
    load: &'static str,
}

const FULL: Amounts = Amounts {
    insert: "--rows 1000,10000 --cap 3",
    sweep: "--statement-rows 100,1000,10000 --connections 1,2,4 --for 0.5",
    rtt: "--rtt 0,5 --rows 1000 --cap 3",
    load: "--rows 200000 --commit-rows none",
};

const SMALL: Amounts = Amounts {
    insert: "--rows 100,500 --cap 3",
    sweep: "--statement-rows 10,100,1000 --connections 1,2 --for 0.2",
    rtt: "--rtt 0,5 --rows 50 --cap 3",
    load: "--rows 500 --commit-rows none",
};

/// One experiment, with these options.
fn stage<E: Experiment + Args>(
    options: &str,
    place: &BenchPlace,
    stop: &Arc<AtomicBool>,
    output: &Output,
    budget: Duration,
) -> Result<Results> {
    let only = Only::<E>::try_parse_from(options.split(' ')).map_err(|e| Error::config(e.to_string()))?;
    experiment::measure(&only.args, place, stop, output, budget, &|results| {
        if !output.is_json() {
            output.result(&format!("## {}", E::NAME));
            experiment::show(results, output);
            output.result("");
        }
    })
}
