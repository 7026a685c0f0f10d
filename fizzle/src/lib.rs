//! Fizzle as a library: compile packs of rules and cards, play games, run scenarios, simulate.
//!
//! A [`Pack`] is compiled from sources or read from a compiled pack. It has [`Format`]s, each with its [`Deck`]s. A [`Game`] of a format stops
//! at every [`Decision`]: it says which seat must answer what, and lists the options in words. An [`Answer`] advances it to the next one, until
//! there is an [`Outcome`]. What a player may see is a [`View`].
//!
//! ```
//! # #[cfg(feature = "shipped")]
//! use fizzle::{Game, Pack};
//!
//! # #[cfg(not(feature = "shipped"))] fn main() {}
//! # #[cfg(feature = "shipped")]
//! # fn main() -> Result<(), fizzle::Error> {
//! let pack = Pack::shipped("duel_masters")?;
//! let format = pack.format("duel_masters")?;
//! let decks = [format.deck("Dragons and birds")?, format.deck("Fire and nature")?];
//! let mut game = Game::start(&format, &decks, 7)?;
//!
//! // The decision in words. The options are those that the rules allow.
//! let decision = game.decision().expect("the game has just begun");
//! assert_eq!(decision.seat, 0);
//! assert_eq!(decision.prompt, "Put up to one card from your hand into your mana zone");
//! assert_eq!((decision.min, decision.max, decision.options.len()), (0, 1, 5));
//! let card = decision.options[0].label.clone();
//!
//! // An answer names options by their index. What is not legal is refused, and changes nothing.
//! assert!(game.answer([0, 1]).is_err());
//! game.answer(0)?;
//!
//! // The player sees the card in the mana zone and the other four in hand; of the opponent's hand there is only a number.
//! let view = game.view(0)?;
//! let mana = view.zone("mana", Some(0)).expect("a mana zone");
//! assert_eq!(mana.objects[0].name, card);
//! assert_eq!(view.zone("hand", Some(0)).expect("a hand").objects.len(), 4);
//! let hand = view.zone("hand", Some(1)).expect("a hand");
//! assert_eq!((hand.objects.len(), hand.hidden), (0, 5));
//! # Ok(())
//! # }
//! ```
//!
//! All that comes out is plain data: nothing borrows from a game. Nothing reads a clock, and random numbers follow from the seed of a game, so the same
//! pack, decks, seed and answers give the same game everywhere. The library reads no files, except for [`Pack::read`].
//!
//! - [`Game::save`] and [`Game::load`] keep a game; [`Game::why_not`] says which rule forbids what is not among the options.
//! - A [`Bot`] answers for a seat; a [`Simulation`] plays many games between bots.
//! - [`Pack::scenarios`] lists the executable rule examples of a pack, and [`Pack::run_scenarios`] runs them.
//! - An [`Error`] from the compiler has [`Diagnostic`]s with code, message, file, line and suggestions.
//!
//! # Features
//!
//! - `shipped` (on by default) embeds the games that Fizzle comes with: `Pack::shipped`.
//! - `jit` compiles hot functions to native code. Games are the same with it.

#![deny(missing_docs)]

mod bot;
mod decision;
mod deck;
#[doc(hidden)]
pub mod deck_list;
mod diagnostic;
mod error;
#[doc(hidden)]
pub mod files;
mod format;
mod game;
mod pack;
#[doc(hidden)]
pub mod pack_scan;
mod scenario;
#[cfg(feature = "shipped")]
#[doc(hidden)]
pub mod shipped;
#[doc(hidden)]
pub mod simulation;
mod view;

pub use bot::Bot;
pub use decision::{Answer, Decision, DecisionKind, DecisionOption};
pub use deck::Deck;
pub use diagnostic::{Diagnostic, Severity};
pub use error::{CompileError, Error, UnknownName};
pub use format::Format;
pub use game::{Game, Outcome, RefusedPlay};
pub use pack::Pack;
pub use scenario::{Scenario, ScenarioFailure, ScenarioResult};
pub use simulation::{SimulatedGame, Simulation, SimulationResult};
pub use view::{ObjectView, PlayerView, ShownCard, Value, View, ZoneView};
