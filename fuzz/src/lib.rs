//! Fuzz targets: everything that reads bytes or sources of strangers, run with valid and with damaged inputs.
//!
//! A target ([`targets`]) takes bytes and must return: no panic, no abort, no endless work. [`seeds`] and [`tables`] give valid inputs of each, [`mutation`]
//! changes them. The program `fizzle-fuzz` makes and runs inputs on any compiler; `fuzz_targets` holds the same targets for `cargo fuzz`.

#![deny(missing_docs)]

pub mod mutation;
pub mod play;
pub mod seeds;
pub mod tables;
pub mod targets;
