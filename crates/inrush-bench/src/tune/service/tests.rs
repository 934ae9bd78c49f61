use super::*;
use inrush::{InserterOptions, PoolOptions};
use std::collections::BTreeMap;

#[path = "copied.rs"]
mod copied;

/// Times by a formula.
struct Simulated<'s, C> {
    seconds: &'s dyn Fn(&C) -> f64,
    left: f64,
    n_measured: BTreeMap<String, usize>,
}

impl<C: Options> Measure<C> for Simulated<'_, C> {
    fn measure(&mut self, candidate: &C) -> inrush::Result<Result<f64, String>> {
        *self.n_measured.entry(candidate.to_string()).or_default() += 1;
        self.left -= 0.01;
        Ok(Ok((self.seconds)(candidate)))
    }

    fn left(&self) -> f64 {
        self.left
    }
}

fn best<C: Options>(outcome: &Outcome<C>) -> C {
    outcome.finalists.iter().min_by(|a, b| a.median().total_cmp(&b.median())).unwrap().candidate
}

#[test]
fn the_defaults_are_those_of_the_library() {
    let Together { lanes, batch_rows } = Together::DEFAULT;
    let same = InserterOptions::new().with_lanes(lanes).with_batch_rows(batch_rows);
    assert_eq!(format!("{same:?}"), format!("{:?}", InserterOptions::new()));
    assert_eq!(PoolOptions::new().with_max(Alone::DEFAULT.connections), PoolOptions::new());
}

#[test]
fn the_best_inserter_is_found() {
    let seconds = |one: &Together| {
        let lanes = [(1, 2.0), (2, 1.4), (4, 1.0), (8, 1.2)].iter().find(|(n, _)| *n == one.lanes).unwrap().1;
        lanes * if one.batch_rows == 32 { 0.8 } else { 1.0 }
    };
    let mut simulated = Simulated { seconds: &seconds, left: 1.0, n_measured: BTreeMap::new() };
    let outcome = race_together(256, 100, &mut simulated).unwrap();
    assert_eq!(best(&outcome), Together { lanes: 4, batch_rows: 32 });
    // No lane without a connection, and none without a caller.
    let few = Simulated { seconds: &|_: &Together| 1.0, left: 1.0, n_measured: BTreeMap::new() };
    for (callers, most) in [(3, 100), (100, 3)] {
        let mut few = Simulated { n_measured: BTreeMap::new(), ..few };
        race_together(callers, most, &mut few).unwrap();
        assert!(few.n_measured.keys().all(|one| one.starts_with("1 lane,") || one.starts_with("2 lanes,")));
    }
}

#[test]
fn pools_of_the_formulas_are_measured() {
    let formulas = formulas(Some(12), 2);
    assert_eq!(formulas.iter().map(|f| (f.least, f.most)).collect::<Vec<_>>(), [(25, 25), (12, 120), (5, 5)]);
    assert_eq!(pool_sizes(256, 100, &formulas), [1, 2, 4, 5, 8, 12, 16, 25, 32, 64]);
    assert_eq!(pool_sizes(4, 100, &super::formulas(None, 1)), [1, 2, 3, 4]);
    let seconds = |one: &Alone| (one.connections as f64 - 25.0).abs() + 1.0;
    let mut simulated = Simulated { seconds: &seconds, left: 1.0, n_measured: BTreeMap::new() };
    let outcome = race_alone(&pool_sizes(256, 100, &formulas), &mut simulated).unwrap();
    assert_eq!(best(&outcome), Alone { connections: 25 });
}

/// The code is that of a program which is compiled with this test.
#[test]
fn code_that_compiles() {
    let source = include_str!("copied.rs").replace("\n    ", "\n");
    let four = Together { lanes: 4, batch_rows: 64 };
    for code in [
        code("visits", Together::DEFAULT, Alone::DEFAULT),
        code("shop.visits", four, Alone { connections: 25 }),
        code("visits", Together { lanes: 16, ..four }, Alone { connections: 1 }),
    ] {
        assert!(source.contains(&code), "{code}");
    }
}
