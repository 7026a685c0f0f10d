//! Tests of the machine on programs built by hand.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs, reason = "tests")]

mod effects;
mod fuzz;
mod games;
mod lists;
mod moves;
mod position;
mod scripts;
mod support;
