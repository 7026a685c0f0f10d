//! The runtime of Fizzle: the machine that plays compiled games.
//!
//! The machine knows no particular game. It provides mechanisms: objects, zones, events, triggers, continuous effects, windows
//! and payments.
//! All rules of a game come from an [`ir::Library`] and an [`ir::Format`] that are compiled from source.
//!
//! # Where to look
//!
//! | What | Where |
//! |---|---|
//! | The loop of the machine, and what stops it | `vm`, `vm::machine`, `vm::budgets` (limits of a game), `vm::effect_charges` (fuel of continuous effects) |
//! | Turns, phases, steps; who may act | `vm::turn`, `vm::window` |
//! | Which plays are offered | `vm::legal_plays`; its caches: `vm::playable_cache`, `vm::refusal_cache` |
//! | Why a play or an answer was refused, in words | `view::refusal` |
//! | Announcing a play: stages, choices, targets | `vm::announce`, `vm::announced_choices`, `vm::announcement_search` |
//! | What a play costs; its cache, and what invalidates it | `vm::cost_options`, `vm::cost_cache`, `vm::pay::price_dependencies` |
//! | Paying, and what is proposed | `vm::pay` and the modules below it |
//! | The list (stack, chain): resolving, fizzling | `vm::resolve` |
//! | Simultaneous events, replacement effects, triggers | `vm::batch` and the modules below it, `vm::hooks` |
//! | What a committed event changes | `vm::commit`, `vm::direct_write`, `vm::bulk_commit` |
//! | Declarations that pair objects | `vm::declare`; the search for legal ones: `assign` |
//! | Values after continuous effects: layers, copies | `vm::derived` and the modules below it, `vm::copy` |
//! | State rules, and triggers that wait | `vm::settle` |
//! | Players who lose, leave, concede | `vm::elimination` |
//! | Bodies that change the game | `vm::statements`; choices in them: `vm::choices`, `vm::decision` |
//! | Pure code: interpreters, native code, specialisation | `vm::eval` (the reference), `vm::optimized`, `jit`, `specialize`; which of them runs a call: `vm::call_tiers` |
//! | Verbs and built-in functions | rows: `ir::verbs`; code: `vm::statements` and `vm::commit` (verbs), `vm::builtin_functions` |
//! | Caches, and what their entries depend on | `vm::cache_entries`, `vm::dependencies`, `vm::change_tracking` |
//! | Random numbers, shuffles | `vm::random`, `dice` |
//! | The state in memory, and the frames and events in it | `state`, `state::layout`, `records` |
//! | What a player sees; hidden information | `view`, `view::event_stream`, `vm::knowledge`, `view::determinise` |
//! | Starting, recording, saving, replaying a game | `game`, `save_game`, `trace`; matches of several games: `matches` |
//! | Running scenarios | `scenario` and the modules below it |

mod applicability;
pub mod assign;
pub mod deck;
pub mod dice;
pub mod game;
pub mod invariants;
#[cfg(feature = "jit")]
pub mod jit;
mod liveness;
pub mod matches;
mod ownership;
pub mod packed_list;
pub mod program;
pub mod random_answers;
pub mod read_mask;
pub mod records;
pub mod save_game;
pub mod scenario;
mod specialize;
pub mod stage;
pub mod state;
pub mod tables;
pub mod trace;
pub mod view;
pub mod vm;

/// The intermediate representation of games, which the compiler writes.
pub use fizzle_ir as ir;

#[cfg(test)]
mod testing;
