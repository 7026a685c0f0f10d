//! Statistics: rates with confidence intervals, and histograms of exact counts, which can be added across shards.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The number of games for each value.
pub type Histogram = BTreeMap<u64, u64>;

/// The two-sided 95 % quantile of the normal distribution.
const Z: f64 = 1.959_963_984_540_054;

/// A share with its 95 % Wilson interval, which stays between 0 and 1 and is valid for few games.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Rate {
    /// The share.
    pub rate: f64,
    /// The lower bound.
    pub low: f64,
    /// The upper bound.
    pub high: f64,
}

impl Rate {
    /// The share of `count` in `all`; `None` if `all` is 0.
    pub fn of(count: u64, all: u64) -> Option<Self> {
        if all == 0 {
            return None;
        }
        let n = all as f64;
        let p = count.min(all) as f64 / n;
        let z2 = Z * Z;
        let middle = (p + z2 / (2.0 * n)) / (1.0 + z2 / n);
        let half = Z / (1.0 + z2 / n) * (p * (1.0 - p) / n + z2 / (4.0 * n * n)).sqrt();
        let low = if count == 0 { 0.0 } else { (middle - half).max(0.0) };
        let high = if count >= all { 1.0 } else { (middle + half).min(1.0) };
        Some(Self { rate: round(p), low: round(low), high: round(high) })
    }
}

/// Rounds to six digits: more are not significant, and the text is the same on all platforms.
fn round(share: f64) -> f64 {
    (share * 1e6).round() / 1e6
}

/// A share in percent, for people.
pub fn percent(share: f64) -> String {
    format!("{:.1}%", share * 100.0)
}

/// The smallest value such that at least the given share of all games does not exceed it; 0 without games.
pub fn quantile(histogram: &Histogram, share: f64) -> u64 {
    let all: u64 = histogram.values().fold(0, |sum, count| sum.saturating_add(*count));
    let wanted = (all as f64 * share).ceil().max(1.0) as u64;
    let mut sum = 0u64;
    for (value, count) in histogram {
        sum = sum.saturating_add(*count);
        if sum >= wanted {
            return *value;
        }
    }
    0
}

/// Adds counts to sums, saturating: the counts may come from untrusted files.
pub fn add<'a>(counts: impl IntoIterator<Item = (&'a mut u64, u64)>) {
    for (sum, more) in counts {
        *sum = sum.saturating_add(more);
    }
}

/// Adds counts to the sums with the same index.
pub fn add_lists(sums: &mut Vec<u64>, more: &[u64]) {
    sums.resize(sums.len().max(more.len()), 0);
    add(sums.iter_mut().zip(more.iter().copied()));
}

/// Adds counts to the sums with the same key.
pub fn add_maps<K: Ord + Clone>(sums: &mut BTreeMap<K, u64>, more: &BTreeMap<K, u64>) {
    for (key, count) in more {
        add([(sums.entry(key.clone()).or_default(), *count)]);
    }
}

/// A bin of a histogram: a range of values, and the number of games in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bin {
    /// The smallest value.
    pub from: u64,
    /// The largest value.
    pub to: u64,
    /// The number of games.
    pub count: u64,
}

/// Groups a histogram into at most `max_bins` bins, whose width is 1, 2 or 5 times a power of ten.
pub fn make_bins(histogram: &Histogram, max_bins: u64) -> Vec<Bin> {
    let (Some((first, _)), Some((last, _))) = (histogram.first_key_value(), histogram.last_key_value()) else {
        return Vec::new();
    };
    let mut width = 1u64;
    for (step, power) in [2u64, 5, 10].into_iter().cycle().zip((0u32..19).flat_map(|power| [power; 3])) {
        if last / width - first / width < max_bins.max(1) {
            break;
        }
        width = step.saturating_mul(10u64.saturating_pow(power));
    }
    let mut found: Vec<Bin> = (first / width..=last / width)
        .take(max_bins.max(1) as usize)
        .map(|n| Bin { from: n.saturating_mul(width), to: n.saturating_mul(width).saturating_add(width - 1), count: 0 })
        .collect();
    for (value, count) in histogram {
        let place = (value / width).saturating_sub(first / width) as usize;
        let place = place.min(found.len().saturating_sub(1));
        if let Some(bin) = found.get_mut(place) {
            bin.count = bin.count.saturating_add(*count);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_match_published_wilson_intervals() {
        // Newcombe 1998, table I: 81 of 263, 15 of 148, 0 of 20, 1 of 29.
        for (count, all, low, high) in
            [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611), (1, 29, 0.0061, 0.1718)]
        {
            let rate = Rate::of(count, all).expect("some");
            assert!((rate.low - low).abs() < 1e-4 && (rate.high - high).abs() < 1e-4, "{count}/{all}: {rate:?}");
        }
        assert_eq!(Rate::of(0, 0), None);
        assert_eq!(Rate::of(7, 7).map(|rate| rate.high), Some(1.0));
    }

    #[test]
    fn quantiles_are_observed_values() {
        let histogram = Histogram::from([(3, 1), (5, 2), (9, 1)]);
        assert_eq!((quantile(&histogram, 0.05), quantile(&histogram, 0.5), quantile(&histogram, 0.95)), (3, 5, 9));
        assert_eq!(quantile(&Histogram::new(), 0.5), 0);
    }

    #[test]
    fn bins_count_every_game() {
        let histogram: Histogram = (0..977).map(|n| (n + 13, n % 7)).collect();
        let all: u64 = histogram.values().sum();
        for most in [1, 7, 30, 2000] {
            let bins = make_bins(&histogram, most);
            assert!(bins.len() as u64 <= most);
            assert_eq!(bins.iter().map(|bin| bin.count).sum::<u64>(), all, "{most}");
        }
        assert_eq!(make_bins(&Histogram::from([(0, 1), (u64::MAX, 1)]), 30).iter().map(|bin| bin.count).sum::<u64>(), 2);
    }
}
