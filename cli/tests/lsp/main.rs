//! Tests of the language server over stdio: every capability, and malformed input.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

#[path = "../editor/client.rs"]
mod client;
mod editing;
#[path = "../editor/edits.rs"]
mod edits;
mod malformed_input;
mod navigation;
mod places;
mod speed;
