//! The server over loopback: hostile clients, seats that are taken again, whole games that equal those without sockets, tables after a restart.

#![cfg(feature = "serve")]
#![allow(clippy::unwrap_used, clippy::panic, clippy::disallowed_methods, clippy::print_stdout, missing_docs, dead_code)]

#[path = "../src"]
mod program {
    pub mod serve;
}
#[path = "serve/client.rs"]
mod client;
#[path = "../../table/tests/common/mod.rs"]
mod common;
#[path = "serve/games.rs"]
mod games;
#[path = "serve/hostile.rs"]
mod hostile;
#[path = "serve/workbench.rs"]
mod workbench;
