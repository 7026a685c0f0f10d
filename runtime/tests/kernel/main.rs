//! Tests of the machine with programs that are built by hand, without the compiler.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs, reason = "tests")]

mod effects;
mod fuzz;
mod games;
mod moves;
mod position;
mod scenario_runner;
mod stack_and_triggers;
mod support;
