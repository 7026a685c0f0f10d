//! Sessions of a client with the language server, over stdio: every capability, and input that no client should send.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

#[path = "../editor/client.rs"]
mod client;
#[path = "../editor/edits.rs"]
mod edits;
mod hostile;
mod navigation;
mod speed;
mod writing;
