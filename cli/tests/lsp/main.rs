//! Sessions of a client with the language server, over stdio: every capability, and input that no client should send.
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout, reason = "tests")]

mod client;
mod hostile;
mod navigation;
mod speed;
mod writing;
