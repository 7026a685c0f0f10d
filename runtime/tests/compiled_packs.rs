//! Compiled packs and the machine: a program linked from a part of a pack equals the one linked from the whole pack, and a forged pack is
//! refused or plays without a panic.

#![allow(clippy::unwrap_used, missing_docs)]

use fizzle_ir::artifact::{Pack, PackContents, decode, encode, with_valid_checksums};
use fizzle_ir::{Artifact, CompiledGame, DefId, FnId, tiny_game};
use fizzle_runtime::game;
use fizzle_runtime::program::Program;
use fizzle_runtime::vm::machine::StepResult;
use proptest::prelude::*;
use std::sync::Arc;

/// The tiny game with a card of an ability that no other card has; its number.
fn game_with_a_lonely_card() -> (CompiledGame, u32) {
    let mut game = tiny_game::game();
    let library = std::sync::Arc::make_mut(&mut game.library);
    let ability = fizzle_ir::AbilityId(library.abilities.len() as u32);
    library.functions.push(library.functions[0].clone());
    library.abilities.push(fizzle_ir::Ability {
        name: "alone".into(),
        zones: 0,
        kind: fizzle_ir::AbilityKind::Paragraph { body: FnId(library.functions.len() as u32 - 1) },
        source: fizzle_ir::op::Source::default(),
    });
    let bundle = fizzle_ir::AbilityBundleId(game.formats[0].bundles.len() as u32);
    for format in &mut game.formats {
        format.bundles.push(fizzle_ir::AbilityBundle { keyword: None, abilities: vec![ability] });
    }
    let lonely = library.definitions.len() as u32;
    let card = fizzle_ir::Definition { name: "Alone".into(), bundles: vec![bundle], ..library.definitions[2].clone() };
    library.definitions.push(card);
    (game, lonely)
}

/// A few decisions of a game of the first format, with the last options.
fn plays(game: &CompiledGame, pool: &[DefId]) {
    let Some(program) = Program::link(game, 0, pool) else { return };
    let decks = [tiny_game::cards(4), tiny_game::cards(4)];
    let Ok(mut machine) = game::start(Arc::new(program), &decks, 1) else { return };
    machine.limits.fuel = 20_000;
    for _ in 0..20 {
        let StepResult::Decision(decision) = game::advance(&mut machine) else { break };
        let picks: Vec<u32> = (0..decision.min.max(0) as u32).rev().collect();
        if machine.answer(&picks).is_err() {
            break;
        }
    }
}

#[test]
fn a_part_links_to_the_program_of_the_whole_pack() {
    let (whole, lonely) = game_with_a_lonely_card();
    let bytes = encode(&Artifact { games: vec![whole.clone()] }).unwrap();
    let pack = Pack::open(bytes.as_slice()).unwrap();
    for card in [2, lonely] {
        let part = pack.load_part(0, &[DefId(card)], PackContents::Play).unwrap();
        let [of_part, of_whole] = [&part, &whole].map(|game| Program::link(game, 0, &[DefId(card)]).unwrap());
        assert_eq!(of_part.rules_hash, of_whole.rules_hash);
        assert_eq!(of_part.bundles, of_whole.bundles);
        assert_eq!(of_part.templates[card as usize], of_whole.templates[card as usize]);
    }
    let part = pack.load_part(0, &[DefId(2)], PackContents::Play).unwrap();
    assert!(Program::link(&part, 0, &[DefId(lonely)]).is_none(), "the card is not in the part");
}

proptest! {
    #[test]
    fn a_forged_pack_is_refused_or_plays_without_a_panic(at in 0usize..100_000, value in any::<u8>()) {
        let mut bytes = encode(&Artifact { games: vec![tiny_game::game()] }).unwrap();
        let at = at % bytes.len();
        bytes[at] = value;
        let Some(forged) = with_valid_checksums(&bytes) else { return Ok(()) };
        if let Ok(artifact) = decode(&forged) && let Some(game) = artifact.games.first() {
            plays(game, &[]);
        }
        let part = Pack::open(forged.as_slice()).and_then(|pack| pack.load_part(0, &[DefId(2)], PackContents::Texts));
        if let Ok(game) = part {
            plays(&game, &[DefId(2)]);
        }
    }
}
