//! The race: candidates are measured in turns, and those that are clearly slower are dropped early. Pure: the caller measures, and says
//! how much time is left.
//!
//! 1. *Methods and lanes*: the defaults, and each method with each number of lanes. After each turn those are dropped that are slower
//!    than the best by more than half, then by more than a fifth.
//! 2. *One option at a time*, from the best so far: indexes built afterwards, more lanes, sizes of a chunk, the order of rows. An option
//!    is kept if it was faster by 3 % in the mean of three turns beside the best.
//! 3. *The final*: the defaults, the best and the next best, in turns until the time is over. Only these samples are reported, so a
//!    candidate that was lucky once has to be so again.
//!
//! No measurement begins after the time is over, except the first one of the defaults, and the last third of it is for the final. What was
//! not measured then is part of the outcome.

use super::{Candidate, Options, Order};
use inrush::Method;

/// What may be tried.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Space {
    /// The methods that the server may take.
    pub methods: Vec<Method>,
    /// Numbers of lanes, ascending.
    pub lanes: Vec<usize>,
    /// Sizes of a chunk in bytes.
    pub batches: Vec<u64>,
    /// Whether the table has a key by which rows can be sorted.
    pub has_key: bool,
    /// Whether it has secondary indexes that may be built after the rows.
    pub has_indexes: bool,
}

/// Measures candidates.
pub trait Measure<C> {
    /// Loads the sample with these options; returns the seconds. An `Err` is why it cannot be loaded like this: the candidate is out.
    ///
    /// # Errors
    /// The outer error ends the race.
    fn measure(&mut self, candidate: &C) -> inrush::Result<Result<f64, String>>;

    /// The share of the time for the race that is left: from 1 down to 0.
    fn left(&self) -> f64;
}

/// A candidate and its samples.
#[derive(Clone, Debug, PartialEq)]
pub struct Arm<C> {
    /// Which one.
    pub candidate: C,
    /// Seconds, one for each turn.
    pub seconds: Vec<f64>,
}

/// How the race ended.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome<C> {
    /// The finalists with the samples of the final, the defaults first; all have as many. Without the time for one turn of the final, they
    /// have earlier samples.
    pub finalists: Vec<Arm<C>>,
    /// All samples of those that were dropped, the fastest first.
    pub dropped: Vec<Arm<C>>,
    /// What could not be measured, and why.
    pub refused: Vec<(C, String)>,
    /// What was left when the time was over.
    pub not_measured: Vec<C>,
}

/// Runs the race.
///
/// # Errors
/// Those of [`Measure::measure`]; `Config` if not even the defaults can be loaded.
pub fn run(space: &Space, measure: &mut dyn Measure<Candidate>) -> inrush::Result<Outcome<Candidate>> {
    let mut race = Race::start(measure)?;
    let field = space.methods.iter().flat_map(|method| {
        let with = |lanes: &usize| Candidate { method: Some(*method), lanes: Some(*lanes), ..Candidate::DEFAULT };
        space.lanes.iter().map(with)
    });
    race.heats(&field.collect::<Vec<_>>())?;
    race.refine(space)?;
    race.finish()
}

/// A race of any options.
pub(super) struct Race<'m, C> {
    measure: &'m mut dyn Measure<C>,
    /// All that could be measured, in the order of their first sample.
    arms: Vec<Arm<C>>,
    refused: Vec<(C, String)>,
    /// What was to be measured when the time was over.
    left: Vec<C>,
}

impl<'m, C: Options> Race<'m, C> {
    /// Measures the defaults, which must be possible.
    pub(super) fn start(measure: &'m mut dyn Measure<C>) -> inrush::Result<Self> {
        let mut race = Self { measure, arms: Vec::new(), refused: Vec::new(), left: Vec::new() };
        race.turn(&[C::DEFAULT], 0.0)?;
        match race.refused.pop() {
            Some((_, why)) => Err(inrush::Error::config(why)),
            None => Ok(race),
        }
    }

    /// Measures each of these once, and those near the best up to twice more.
    pub(super) fn heats(&mut self, field: &[C]) -> inrush::Result<()> {
        self.turn(field, FOR_FINAL)?;
        for slower in [1.5, 1.2] {
            if self.measure.left() < FOR_METHODS {
                break;
            }
            let field = self.within(slower, STAYING);
            self.turn(&field, FOR_FINAL)?;
        }
        Ok(())
    }

    /// Measures each of these once, as long as more than this share of the time is left.
    fn turn(&mut self, candidates: &[C], kept: f64) -> inrush::Result<()> {
        for candidate in candidates {
            if self.refused.iter().any(|(refused, _)| refused == candidate) {
                continue;
            }
            if self.measure.left() <= kept && !self.arms.is_empty() {
                self.left.push(*candidate);
                continue;
            }
            match self.measure.measure(candidate)? {
                Err(why) => self.refused.push((*candidate, why)),
                Ok(seconds) => match self.arms.iter_mut().find(|arm| arm.candidate == *candidate) {
                    Some(arm) => arm.seconds.push(seconds),
                    None => self.arms.push(Arm { candidate: *candidate, seconds: vec![seconds] }),
                },
            }
        }
        Ok(())
    }

    /// All that were measured, the fastest first.
    fn ranked(&self) -> Vec<&Arm<C>> {
        let mut arms: Vec<&Arm<C>> = self.arms.iter().collect();
        arms.sort_by(|a, b| a.median().total_cmp(&b.median()));
        arms
    }

    /// At most `n` that take no more than `slower` times as long as the fastest.
    fn within(&self, slower: f64, n: usize) -> Vec<C> {
        let ranked = self.ranked();
        let limit = ranked.first().map_or(0.0, |best| best.median() * slower);
        ranked.into_iter().take_while(|arm| arm.median() <= limit).take(n).map(|arm| arm.candidate).collect()
    }

    fn best(&self) -> C {
        self.ranked().first().map_or(C::DEFAULT, |arm| arm.candidate)
    }

    /// Tries variants of the best, one step after the other: each step makes those of the best so far. A variant is kept if it was faster by
    /// 3 % in the mean of three turns.
    pub(super) fn improve(&mut self, steps: &[&dyn Fn(C) -> Vec<C>]) -> inrush::Result<()> {
        let mut best = self.best();
        for step in steps {
            let variants = step(best);
            if self.measure.left() < FOR_FINAL {
                self.left.extend(variants);
                continue;
            }
            if variants.is_empty() {
                continue;
            }
            let first = self.beside(best, &variants)?;
            let promising: Vec<(C, f64)> = first.into_iter().filter(|(_, times)| *times < STILL_PROMISING).collect();
            if promising.is_empty() {
                continue;
            }
            let variants: Vec<C> = promising.iter().map(|(variant, _)| *variant).collect();
            let mut sums = promising;
            for _ in 0..MORE_TURNS {
                let turn = self.beside(best, &variants)?;
                // One that was refused meanwhile is out.
                sums.retain(|(variant, _)| turn.iter().any(|(other, _)| other == variant));
                for (variant, sum) in &mut sums {
                    *sum += turn.iter().find(|(other, _)| other == variant).map_or(0.0, |(_, times)| *times);
                }
            }
            let most = WORTH_IT * f64::from(1 + MORE_TURNS);
            let fastest = sums.into_iter().min_by(|a, b| a.1.total_cmp(&b.1)).filter(|(_, sum)| *sum < most);
            best = fastest.map_or(best, |(variant, _)| variant);
        }
        Ok(())
    }

    /// Measures the best and variants of it in one turn; returns how many times as long as the best each variant took.
    fn beside(&mut self, best: C, variants: &[C]) -> inrush::Result<Vec<(C, f64)>> {
        self.turn(&[best], FOR_FINAL)?;
        self.turn(variants, FOR_FINAL)?;
        let last = |candidate: &C| {
            self.arms.iter().find(|arm| arm.candidate == *candidate).and_then(|arm| arm.seconds.last().copied())
        };
        let base = last(&best).unwrap_or(f64::MAX);
        Ok(variants.iter().filter_map(|variant| Some((*variant, last(variant)? / base))).collect())
    }

    /// Runs the final.
    pub(super) fn finish(mut self) -> inrush::Result<Outcome<C>> {
        let mut finalists = vec![C::DEFAULT];
        finalists.extend(self.within(f64::MAX, FINALISTS).into_iter().filter(|one| *one != C::DEFAULT));
        finalists.truncate(FINALISTS);
        let earlier = std::mem::take(&mut self.arms);
        let not_measured = std::mem::take(&mut self.left);
        let mut n_turns = 0;
        while n_turns < MOST_TURNS && self.measure.left() > 0.0 {
            // Rotated, so that none always comes after the same other one.
            finalists.rotate_left(usize::from(n_turns > 0));
            self.turn(&finalists, 0.0)?;
            n_turns += 1;
        }
        finalists.retain(|one| !self.refused.iter().any(|(refused, _)| refused == one));
        let of = |arms: &[Arm<C>]| {
            let arms = finalists.iter().map(|one| arms.iter().find(|arm| arm.candidate == *one).cloned());
            arms.collect::<Option<Vec<Arm<C>>>>()
        };
        let mut of_final = of(&self.arms).or_else(|| of(&earlier)).unwrap_or_default();
        // The time was over in the middle of a turn.
        let whole = of_final.iter().map(|arm| arm.seconds.len()).min().unwrap_or(0);
        of_final.iter_mut().for_each(|arm| arm.seconds.truncate(whole));
        of_final.sort_by_key(|arm| arm.candidate != C::DEFAULT);
        let is_of = |arms: &[Arm<C>], one: &C| arms.iter().any(|arm| arm.candidate == *one);
        let mut left: Vec<C> = Vec::new();
        for one in not_measured {
            if !is_of(&earlier, &one) && !left.contains(&one) {
                left.push(one);
            }
        }
        let mut dropped: Vec<Arm<C>> = earlier.into_iter().filter(|arm| !is_of(&of_final, &arm.candidate)).collect();
        dropped.sort_by(|a, b| a.median().total_cmp(&b.median()));
        Ok(Outcome { finalists: of_final, dropped, refused: self.refused, not_measured: left })
    }
}

impl Race<'_, Candidate> {
    /// Changes one option of the best after the other.
    fn refine(&mut self, space: &Space) -> inrush::Result<()> {
        let most = space.lanes.last().copied();
        // What gains most where it gains comes first: the time may be over before the last.
        let steps: [&dyn Fn(Candidate) -> Vec<Candidate>; 4] = [
            &|best| match space.has_indexes {
                true => vec![Candidate { defer_indexes: true, ..best }],
                false => Vec::new(),
            },
            &|best| {
                let more = best.lanes.filter(|lanes| Some(*lanes) == most).map(|lanes| lanes * 2);
                more.map(|lanes| Candidate { lanes: Some(lanes), ..best }).into_iter().collect()
            },
            &|best| space.batches.iter().map(|bytes| Candidate { batch: Some(*bytes), ..best }).collect(),
            &|best| match space.has_key {
                true => [Order::Key, Order::Source].map(|order| Candidate { sort: Some(order), ..best }).into(),
                false => Vec::new(),
            },
        ];
        self.improve(&steps)
    }
}

impl<C> Arm<C> {
    /// The median of its seconds.
    pub fn median(&self) -> f64 {
        crate::stats::Summary::of(&self.seconds).map_or(f64::MAX, |summary| summary.median)
    }
}

/// How many stay for the second and the third turn.
const STAYING: usize = 5;
const FINALISTS: usize = 3;
/// What an option may take in its first turn, as a multiple of the best, to be measured again.
const STILL_PROMISING: f64 = 1.03;
/// How many turns follow the first one.
const MORE_TURNS: u32 = 2;
/// An option that saves less than 3 % in the mean of its turns is left to the loader.
const WORTH_IT: f64 = 0.97;
/// Shares of the time that are kept for what follows.
const FOR_METHODS: f64 = 0.65;
const FOR_FINAL: f64 = 0.3;
const MOST_TURNS: usize = 15;

#[cfg(test)]
mod tests;
