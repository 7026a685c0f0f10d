//! Results of simulations: counts of games that are added, read, checked, merged, and written as JSON, tables and pages.
//!
//! A result may be a stranger's: [`parse_results`] refuses numbers that contradict each other, and [`csv_tables`] and [`html_page`] escape every
//! name. The crate reads and writes no file.

#![deny(missing_docs)]

mod card_count;
mod csv;
mod html;
mod merge;
mod plot;
mod ranges;
mod result;
pub mod stats;

pub use card_count::CardCount;
pub use csv::{FIRST_TABLE, tables as csv_tables};
pub use html::page as html_page;
pub use merge::{MergeError, merge};
pub use ranges::Ranges;
pub use result::{ResultError, SimResult, parse_results, parse_shard, shard_size};
