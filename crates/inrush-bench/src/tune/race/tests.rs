use super::*;
use inrush::Result;
use std::collections::BTreeMap;

/// Times by a formula with noise, and a clock that they move.
struct Simulated<'s> {
    seconds: &'s dyn Fn(&Candidate) -> Result<f64, String>,
    noise: f64,
    seed: u64,
    budget: f64,
    spent: f64,
    /// By the words of the candidate.
    n_measured: BTreeMap<String, usize>,
}

impl<'s> Simulated<'s> {
    fn new(seconds: &'s dyn Fn(&Candidate) -> Result<f64, String>, noise: f64, budget: f64, seed: u64) -> Self {
        Self { seconds, noise, seed, budget, spent: 0.0, n_measured: BTreeMap::new() }
    }

    /// From -1 to 1.
    fn random(&mut self) -> f64 {
        self.seed = self.seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.seed >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }
}

impl Measure<Candidate> for Simulated<'_> {
    fn measure(&mut self, candidate: &Candidate) -> inrush::Result<Result<f64, String>> {
        let noise = 1.0 + self.noise * self.random();
        *self.n_measured.entry(candidate.to_string()).or_default() += 1;
        Ok((self.seconds)(candidate).map(|seconds| {
            let seconds = seconds * noise;
            self.spent += seconds;
            seconds
        }))
    }

    fn left(&self) -> f64 {
        (1.0 - self.spent / self.budget).max(0.0)
    }
}

fn space() -> Space {
    Space {
        methods: vec![Method::LoadData, Method::Bulk, Method::MultiRow],
        lanes: vec![1, 2, 4],
        batches: vec![1 << 20, 4 << 20, 16 << 20],
        has_key: true,
        has_indexes: true,
    }
}

/// `bulk` is a fifth faster than `load-data`; two lanes are best, chunks of 4 MiB a little; deferring saves a tenth.
fn seconds(candidate: &Candidate) -> Result<f64, String> {
    let method = match candidate.method {
        Some(Method::Bulk) => 0.8,
        Some(Method::MultiRow) => 1.6,
        _ => 1.0,
    };
    let lanes = match candidate.lanes {
        Some(1) => 1.7,
        Some(2) => 1.0,
        Some(4) => 1.15,
        Some(_) => 1.4,
        None => 1.2,
    };
    let batch = match candidate.batch {
        Some(bytes) if bytes == 4 << 20 => 0.93,
        Some(_) => 1.1,
        None => 1.0,
    };
    let sort = if candidate.sort == Some(Order::Key) { 1.2 } else { 1.0 };
    let defer = if candidate.defer_indexes { 0.85 } else { 1.0 };
    Ok(2.0 * method * lanes * batch * sort * defer)
}

fn best(outcome: &Outcome<Candidate>) -> &Arm<Candidate> {
    outcome.finalists.iter().min_by(|a, b| a.median().total_cmp(&b.median())).unwrap()
}

#[test]
fn the_best_is_found_without_noise() {
    let outcome = run(&space(), &mut Simulated::new(&seconds, 0.0, 120.0, 1)).unwrap();
    let want =
        Candidate { method: Some(Method::Bulk), lanes: Some(2), batch: Some(4 << 20), sort: None, defer_indexes: true };
    let best = best(&outcome).candidate;
    assert_eq!(Candidate { sort: None, ..best }, want);
    assert_ne!(best.sort, Some(Order::Key));
    assert_eq!(outcome.finalists[0].candidate, Candidate::DEFAULT);
}

#[test]
fn with_noise_the_choice_is_within_five_percent_nearly_always() {
    let optimum = 2.0 * 0.8 * 0.93 * 0.85;
    let mut n_near = 0;
    for seed in 0..200 {
        let outcome = run(&space(), &mut Simulated::new(&seconds, 0.08, 120.0, seed)).unwrap();
        n_near += u32::from(seconds(&best(&outcome).candidate).unwrap() <= optimum * 1.05);
    }
    // The seeds are fixed: this decides nothing by chance.
    assert!(n_near >= 170, "{n_near} of 200");
}

#[test]
fn all_finalists_have_as_many_samples_and_an_interval() {
    for seed in 0..50 {
        let outcome = run(&space(), &mut Simulated::new(&seconds, 0.3, 240.0, seed)).unwrap();
        let n = outcome.finalists[0].seconds.len();
        assert!(n >= 6 && outcome.finalists.iter().all(|arm| arm.seconds.len() == n));
        assert!((2..=FINALISTS).contains(&outcome.finalists.len()));
    }
}

#[test]
fn slow_ones_are_measured_once() {
    let mut simulated = Simulated::new(&seconds, 0.0, 120.0, 1);
    run(&space(), &mut simulated).unwrap();
    let slow = Candidate { method: Some(Method::MultiRow), lanes: Some(1), ..Candidate::DEFAULT };
    assert_eq!(simulated.n_measured[&slow.to_string()], 1);
}

#[test]
fn what_is_refused_is_left_out_with_its_reason() {
    let refuses = |candidate: &Candidate| match candidate.method {
        Some(Method::LoadData) => Err("switched off".to_owned()),
        _ => seconds(candidate),
    };
    let mut simulated = Simulated::new(&refuses, 0.0, 120.0, 1);
    let outcome = run(&space(), &mut simulated).unwrap();
    assert_eq!(outcome.refused.len(), 3);
    assert!(
        outcome
            .refused
            .iter()
            .all(|(candidate, why)| candidate.method == Some(Method::LoadData) && why == "switched off")
    );
    assert!(simulated.n_measured.iter().all(|(candidate, n)| !candidate.contains("load-data") || *n == 1));
    let none = |_: &Candidate| Err("no rows".to_owned());
    assert_eq!(run(&space(), &mut Simulated::new(&none, 0.0, 120.0, 1)).unwrap_err().message(), "no rows");
}

#[test]
fn more_lanes_than_listed_are_tried_if_most_are_best() {
    let more_is_better = |candidate: &Candidate| Ok(8.0 / candidate.lanes.unwrap_or(1) as f64);
    let outcome = run(&space(), &mut Simulated::new(&more_is_better, 0.0, 300.0, 1)).unwrap();
    assert_eq!(best(&outcome).candidate.lanes, Some(8));
}

#[test]
fn it_ends_with_the_time() {
    let all = {
        let mut simulated = Simulated::new(&seconds, 0.0, 1e9, 1);
        run(&space(), &mut simulated).unwrap();
        simulated.n_measured.len()
    };
    for tenths in 0..1000 {
        let budget = f64::from(tenths) / 10.0;
        let mut simulated = Simulated::new(&seconds, 0.1, budget, 1);
        let outcome = run(&space(), &mut simulated).unwrap();
        // The slowest load takes less than 8 s, with its noise.
        assert!(simulated.spent < budget + 8.0, "{budget}: {}", simulated.spent);
        let n = outcome.finalists[0].seconds.len();
        assert!(n > 0 && outcome.finalists.iter().all(|arm| arm.seconds.len() == n), "{budget}: {outcome:?}");
        assert_eq!(outcome.finalists[0].candidate, Candidate::DEFAULT);
        // What was not measured is said, and what was said not to be was not.
        assert!(outcome.not_measured.iter().all(|one| !simulated.n_measured.contains_key(&one.to_string())));
        assert!(simulated.n_measured.len() + outcome.not_measured.len() + 4 >= all, "{budget}: {outcome:?}");
    }
    let outcome = run(&space(), &mut Simulated::new(&seconds, 0.0, 0.0, 1)).unwrap();
    assert_eq!((outcome.finalists.len(), outcome.dropped.len()), (1, 0));
}
