//! Samples in, words out, a line a case; and how often an interval holds what it should.

use super::*;

#[track_caller]
fn check(samples: &[f64], median: f64, interval: Option<(f64, f64)>) {
    let summary = Summary::of(samples).unwrap();
    assert_eq!(summary.median, median);
    assert_eq!(summary.interval.map(|interval| (interval.low, interval.high)), interval);
}

#[test]
fn medians_and_their_intervals() {
    check(&[3.0], 3.0, None);
    check(&[3.0, 1.0, 2.0], 2.0, None);
    check(&[1.0, 2.0, 3.0, 4.0, 5.0], 3.0, None);
    // Tables of the sign test: 6 to 8 samples, their ends; 9 to 11, one in from each end.
    check(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], 3.5, Some((1.0, 6.0)));
    check(&[8.0, 7.0, 6.0, 5.0, 4.0, 3.0, 2.0, 1.0], 4.5, Some((1.0, 8.0)));
    check(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0], 5.0, Some((2.0, 8.0)));
    let twenty: Vec<f64> = (1..=20).map(f64::from).collect();
    check(&twenty, 10.5, Some((6.0, 15.0)));
}

#[test]
fn nothing_comes_of_nothing() {
    assert_eq!(Summary::of(&[]), None);
    assert_eq!(Ratio::of_pairs(&[]), None);
    assert_eq!(Ratio::of_runs(&[], &[1.0], 1), None);
}

#[track_caller]
fn check_outliers(samples: &[f64], want: &[usize]) {
    assert_eq!(Summary::of(samples).unwrap().outliers, want);
}

#[test]
fn outliers_are_named_in_the_order_of_the_rounds() {
    check_outliers(&[1.0, 1.1, 5.0, 0.9, 1.05, 1.0], &[2]);
    check_outliers(&[1.0, 1.1, 1.2, 0.9, 1.05, 1.0], &[]);
    check_outliers(&[1.0, 1.0, 9.0], &[]);
    check_outliers(&[1.0; 8], &[]);
}

#[track_caller]
fn check_modes(samples: &[f64], want: bool) {
    assert_eq!(Summary::of(samples).unwrap().two_modes, want);
}

#[test]
fn two_modes_are_told() {
    check_modes(&[2.7, 2.71, 2.72, 2.74, 3.5, 3.51, 3.52, 3.55], true);
    check_modes(&[2.7, 2.8, 2.9, 3.0, 3.1, 3.2, 3.3, 3.4], false);
    // A single sample far from the others is an outlier, not a mode.
    check_modes(&[2.7, 2.71, 2.72, 2.74, 2.75, 2.76, 2.77, 9.0], false);
    check_modes(&[2.7, 2.71, 3.5, 3.51], false);
}

#[track_caller]
fn check_verdict(a: &[f64], b: &[f64], want: Verdict) {
    assert_eq!(Ratio::of_runs(a, b, 1).unwrap().verdict(), want);
}

#[test]
fn ratios_say_no_more_than_they_know() {
    let slow = [1.2, 1.21, 1.22, 1.19, 1.23, 1.2];
    let fast = [1.0, 1.01, 1.02, 0.99, 1.03, 1.0];
    check_verdict(&slow, &fast, Verdict::More);
    check_verdict(&fast, &slow, Verdict::Less);
    check_verdict(&fast, &fast, Verdict::NoDifference);
    check_verdict(&[1.0], &[2.0], Verdict::NoDifference);
    let pairs: Vec<_> = slow.into_iter().zip(fast).collect();
    let ratio = Ratio::of_pairs(&pairs).unwrap();
    assert!((ratio.times - 1.2).abs() < 0.01 && ratio.verdict() == Verdict::More, "{ratio:?}");
    assert_eq!(Ratio::of_pairs(&pairs[..5]).unwrap().interval, None);
}

/// Numbers between 0 and 1 that look random.
fn noise(seed: u64) -> impl FnMut() -> f64 {
    let mut rows = crate::dataset::Dice::new(seed);
    move || rows.next() as f64 / u64::MAX as f64
}

#[test]
fn intervals_hold_the_truth_nineteen_times_of_twenty() {
    let mut noise = noise(1);
    let mut draw = |n: usize| (0..n).map(|_| 1.0 + noise() + noise() * noise()).collect::<Vec<_>>();
    let truth = Summary::of(&draw(100_001)).unwrap().median;
    let (mut medians, mut equal) = (0, 0);
    for _ in 0..2000 {
        let interval = Summary::of(&draw(12)).unwrap().interval.unwrap();
        medians += u32::from(interval.low <= truth && truth <= interval.high);
        equal += u32::from(Ratio::of_runs(&draw(9), &draw(9), 1).unwrap().verdict() == Verdict::NoDifference);
    }
    assert!(medians >= 1900 && equal >= 1880, "{medians} and {equal} of 2000");
}

#[test]
fn rank_sums_are_those_of_the_tables() {
    // Mann and Whitney's critical values for 5 % on both sides: U may be at most one less than the number outside.
    for (n, m, u) in
        [(4, 4, Some(0)), (5, 5, Some(2)), (6, 6, Some(5)), (8, 8, Some(13)), (10, 7, Some(14)), (3, 4, None)]
    {
        assert_eq!(rank_sums_outside(n, m, 0.025), u.map_or(0, |u| u + 1), "{n} {m}");
    }
    // Both methods agree at the size where one replaces the other.
    let exact = rank_sums_outside(31, 32, 0.001) as f64;
    let deviation = (31.0 * 32.0 * 64.0 / 12.0_f64).sqrt();
    assert!((exact - (31.0 * 16.0 - normal_quantile(0.001) * deviation)).abs() < 6.0, "{exact}");
    assert!((normal_quantile(0.025) - 1.96).abs() < 0.001);
}

#[test]
fn many_equal_cases_together_show_no_difference() {
    let mut draw = noise(9);
    let mut samples = |n: usize| (0..n).map(|_| 1.0 + draw() / 5.0).collect::<Vec<f64>>();
    let mut families_with_a_difference = 0;
    for _ in 0..200 {
        let verdicts: Vec<Verdict> =
            (0..20).map(|_| Ratio::of_runs(&samples(10), &samples(10), 20).unwrap().verdict()).collect();
        families_with_a_difference += u32::from(verdicts.iter().any(|verdict| *verdict != Verdict::NoDifference));
    }
    assert!(families_with_a_difference <= 20, "{families_with_a_difference} of 200");
    let twice: Vec<f64> = samples(8).iter().map(|sample| sample * 2.0).collect();
    assert_eq!(Ratio::of_runs(&twice, &samples(8), 60).unwrap().verdict(), Verdict::More);
}
