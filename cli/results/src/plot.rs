//! Plots as SVG, with the colours of the page. They contain only numbers and fixed words, no untrusted text.

use super::stats::{Bin, Rate, percent};
use std::fmt::Write;

/// Width and height of the plot of an interval.
const INTERVAL_SIZE: (f64, f64) = (160.0, 14.0);

/// Plots an interval on a line from 0 to 1, with a mark to compare it with.
pub fn plot_interval(rate: Rate, mark: f64) -> String {
    let (width, height) = INTERVAL_SIZE;
    let middle = height / 2.0;
    let x = |share: f64| 3.0 + share.clamp(0.0, 1.0) * (width - 6.0);
    let (low, high, at, mark) = (x(rate.low), x(rate.high), x(rate.rate), x(mark));
    let label = format!("{}, 95% interval {} to {}", percent(rate.rate), percent(rate.low), percent(rate.high));
    format!(
        "<svg class=\"interval\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" role=\"img\" aria-label=\"{label}\">\
         <title>{label}</title>\
         <line class=\"axis\" x1=\"3\" y1=\"{middle}\" x2=\"{:.1}\" y2=\"{middle}\"/>\
         <line class=\"mark\" x1=\"{mark:.1}\" y1=\"1\" x2=\"{mark:.1}\" y2=\"{:.1}\"/>\
         <line class=\"range\" x1=\"{low:.1}\" y1=\"{middle}\" x2=\"{high:.1}\" y2=\"{middle}\"/>\
         <circle class=\"point\" cx=\"{at:.1}\" cy=\"{middle}\" r=\"3\"/></svg>",
        width - 3.0,
        height - 1.0
    )
}

/// Width and height of a histogram, and its margins: left, right, top, bottom.
const BARS_SIZE: (f64, f64) = (720.0, 240.0);
const BARS_MARGINS: (f64, f64, f64, f64) = (56.0, 12.0, 12.0, 40.0);

/// Plots a histogram. `what`: the name of the values; it is not escaped.
pub fn plot_histogram(bins: &[Bin], what: &str) -> String {
    let (width, height) = BARS_SIZE;
    let (left, right, top, bottom) = BARS_MARGINS;
    let most = bins.iter().map(|bin| bin.count).max().unwrap_or(0).max(1);
    let all = bins.iter().fold(0u64, |sum, bin| sum.saturating_add(bin.count));
    let step = (width - left - right) / bins.len().max(1) as f64;
    let y = |count: f64| height - bottom - count / most as f64 * (height - top - bottom);
    let mut svg =
        format!("<svg class=\"bars\" viewBox=\"0 0 {width} {height}\" role=\"img\" aria-label=\"histogram: {what} a game\">");
    // Half of an odd number is rounded up, because the axis counts games.
    let middle = most.div_ceil(2);
    for count in [0, middle, most] {
        let count = count as f64;
        let at = y(count);
        let _ = write!(svg, "<line class=\"grid\" x1=\"{left}\" y1=\"{at:.1}\" x2=\"{:.1}\" y2=\"{at:.1}\"/>", width - right);
        let _ =
            write!(svg, "<text class=\"tick end\" x=\"{:.1}\" y=\"{:.1}\">{}</text>", left - 6.0, at + 4.0, axis_label(count));
    }
    let every = bins.len().div_ceil(12).max(1);
    for (n, bin) in bins.iter().enumerate() {
        let x = left + step * n as f64;
        let at = y(bin.count as f64);
        let label = if bin.from == bin.to { bin.from.to_string() } else { format!("{} to {}", bin.from, bin.to) };
        let share = Rate::of(bin.count, all).map_or_else(String::new, |rate| format!(" ({})", percent(rate.rate)));
        let _ = write!(
            svg,
            "<rect class=\"bar\" x=\"{:.1}\" y=\"{at:.1}\" width=\"{:.1}\" height=\"{:.1}\"><title>{label} {what}: {} games{share}</title></rect>",
            x + step * 0.06,
            (step * 0.88).max(0.5),
            (height - bottom - at).max(0.0),
            bin.count
        );
        if n % every == 0 {
            let middle = x + step / 2.0;
            let _ = write!(svg, "<text class=\"tick\" x=\"{middle:.1}\" y=\"{:.1}\">{}</text>", height - bottom + 16.0, bin.from);
        }
    }
    let middle = left + (width - left - right) / 2.0;
    let _ = write!(svg, "<text class=\"tick\" x=\"{middle:.1}\" y=\"{:.1}\">{what} a game</text></svg>", height - 6.0);
    svg
}

/// The label of a number of games on the axis.
fn axis_label(count: f64) -> String {
    match count {
        count if count >= 1e7 => format!("{:.0}M", count / 1e6),
        count if count >= 1e4 => format!("{:.0}k", count / 1e3),
        count => format!("{count:.0}"),
    }
}
