//! The intermediate representation (IR): the interface between the compiler and the machine.
//!
//! A [`Library`] holds what does not depend on a format: code, choice sites, constant lists and cards. A [`Format`] is a set of
//! tables over it: action bodies, the abilities of keywords, the periods of a turn, the announcement policy. Ten formats of one
//! game are ten such sets of tables over one library.
//!
//! Registers hold 64-bit values; the state holds 32-bit cells. How values are represented:
//! - player: its seat (0, 1, …), or [`NO_PLAYER`];
//! - object: a reference with slot and incarnation ([`ObjectRef`]), or 0;
//! - thing (an object or a player): a reference; a player is a reference to slot 0 ([`ObjectRef::of_player`]);
//! - zone: the index of a zone instance; trait set: a mask of words; card: a [`DefId`]; bool: 0 or 1;
//! - list: a handle into the scratch memory of the evaluation.
//!
//! Compiled packs (`.fzb`) are in [`artifact`], and [`verify`] checks all that was read from one.
//!
//! # Where to look
//!
//! | What | Where |
//! |---|---|
//! | Operations of code, and what each reads and writes | [`op`], `operands` |
//! | Verbs and built-in functions: one row each | [`verbs`] |
//! | Tables that all formats share; tables of one format | `library`; `format` |
//! | Cards' abilities and their bundles; rules texts; scenarios | `ability`; `text`; `scenario` |
//! | Compiled packs: bytes, limits, checks of foreign ones | [`artifact`]; [`encoding_limits`]; [`verify`] |
//! | The hash that says whether two compilations have the same rules | `rules_hash` |

pub mod ability;
pub mod arithmetic;
pub mod artifact;
mod compiled_game;
pub mod decision_kind;
mod depth_limit;
pub mod encoding_limits;
pub mod format;
pub mod ids;
pub mod layout;
pub mod library;
pub mod object_ref;
pub mod op;
pub mod operands;
pub mod reachability;
pub mod rules_hash;
pub mod scenario;
pub mod sparse_table;
pub mod text;
#[cfg(any(test, feature = "tiny_game"))]
#[doc(hidden)]
pub mod tiny_game;
pub mod types;
pub mod verbs;
pub mod verify;

pub use ability::*;
pub use compiled_game::{Artifact, CompiledGame};
pub use decision_kind::DecisionKind;
pub use format::*;
pub use ids::*;
pub use library::*;
pub use object_ref::ObjectRef;
pub use op::{Function, Op, Place, choice_sites};
pub use text::{AbilityText, CardText, Prompt, Texts};
pub use types::*;
