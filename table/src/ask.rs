//! Writes the protocol's message [`Ask`]: a decision as it is sent to a client, with prompt, options in words, and what the main button answers.

use crate::playing::Playing;
use crate::protocol::{Ask, AskKind, AskOption};
use crate::table_view::zone_key;
use crate::words::pack_texts::{ability_text, name, prompt, spaced};
use crate::words::phrases::Speaker;
use fizzle_ir::{CompiledGame, DefId, ObjectRef};
use fizzle_runtime::tables::ABILITY_PLAY;
use fizzle_runtime::view::{DecisionView, OptionView, View, decision_object, sees, without_amount};
use fizzle_runtime::vm::decision::{Choice, Decision, DecisionKind, Side};
use fizzle_runtime::vm::derived::naming_definition;
use fizzle_runtime::vm::machine::Machine;
use std::collections::BTreeMap;

/// The pending decision of a seat, from its view, or from that of a viewer who sees everything.
#[must_use]
pub fn ask(id: u64, playing: &Playing, decision: &Decision, view: &View, game: &CompiledGame, speaker: &Speaker) -> Option<Ask> {
    let machine = &playing.game.machine;
    let question = view.decision.as_ref()?;
    let mut options: Vec<AskOption> = (0..question.options.len())
        .filter_map(|number| option(number, machine, decision, question, view, game, speaker))
        .collect();
    add_texts(&mut options, machine, (decision, question), game, speaker);
    // What the list or a text of the table requests; a decision to act is about nothing.
    let about = if decision.kind == DecisionKind::Act { ObjectRef::NONE } else { decision_object(machine) };
    let handles = playing.observer(view.viewer)?.handles();
    let source = handles.handle(about).filter(|_| machine.state.exists(about) && sees(machine, view.viewer, about.slot()));
    let text = question.text.split_whitespace().collect::<Vec<_>>().join(" ");
    let words = decision.site.and_then(|site| prompt(game, site, speaker.lang)).map(|prompt| prompt.text.clone());
    let words = words.or_else(|| Some(without_amount(&text).to_owned())).filter(|text| !text.is_empty());
    Some(Ask {
        id,
        kind: kind(decision.kind),
        prompt: words.unwrap_or_else(|| kind_prompt(decision.kind, speaker).to_owned()),
        hint: match machine.unpaid_price().filter(|price| decision.kind == DecisionKind::Pay && !price.is_empty()) {
            Some(price) => price,
            None => amount(decision.kind, question, speaker),
        },
        on: source,
        min: question.min,
        max: question.max,
        repeats: question.repeats,
        main: main_answer(decision).map(|picks| question.options_of(&picks)),
        options: distinguished(options, view, speaker),
        seat: decision.player,
    })
}

/// The kind of a decision.
#[must_use]
pub fn kind(kind: DecisionKind) -> AskKind {
    match kind {
        DecisionKind::Act => AskKind::Act,
        DecisionKind::Choose => AskKind::Choose,
        DecisionKind::Trigger => AskKind::Order,
        DecisionKind::Replacement => AskKind::Replacement,
        DecisionKind::Modes => AskKind::Modes,
        DecisionKind::YesNo => AskKind::YesNo,
        DecisionKind::Number => AskKind::Number,
        DecisionKind::Divide => AskKind::Divide,
        DecisionKind::Assign => AskKind::Assign,
        DecisionKind::Pay => AskKind::Pay,
    }
}

/// What the main button answers: pass, the payment or declaration that is proposed.
#[must_use]
pub fn main_answer(decision: &Decision) -> Option<Vec<u32>> {
    match decision.kind {
        DecisionKind::Act => pass(decision),
        DecisionKind::Pay | DecisionKind::Assign => decision.proposal(),
        DecisionKind::Choose
        | DecisionKind::Trigger
        | DecisionKind::Replacement
        | DecisionKind::Modes
        | DecisionKind::YesNo
        | DecisionKind::Number
        | DecisionKind::Divide => None,
    }
}

/// The picks that pass; `None` if the player may not pass.
#[must_use]
pub fn pass(decision: &Decision) -> Option<Vec<u32>> {
    decision.options.iter().position(|choice| *choice == Choice::Pass).map(|at| vec![at as u32])
}

fn kind_prompt(kind: DecisionKind, speaker: &Speaker) -> &'static str {
    let (en, ja) = match kind {
        DecisionKind::Act => ("Your move", "行動を選択"),
        DecisionKind::Choose => ("Choose", "選択"),
        DecisionKind::Trigger => ("What is next?", "次の処理を選択"),
        DecisionKind::Replacement => ("Which replacement applies?", "適用する置換を選択"),
        DecisionKind::Modes => ("Choose what happens", "効果を選択"),
        DecisionKind::YesNo => ("Yes or no?", "はい・いいえ"),
        DecisionKind::Number => ("Choose a number", "数を選択"),
        DecisionKind::Divide => ("Divide", "割り振り"),
        DecisionKind::Assign => ("Declare", "宣言"),
        DecisionKind::Pay => ("Pay", "支払い"),
    };
    match speaker.lang {
        crate::protocol::Lang::En => en,
        crate::protocol::Lang::Ja => ja,
    }
}

/// How much is to be chosen, in words.
fn amount(kind: DecisionKind, question: &DecisionView, speaker: &Speaker) -> String {
    let (min, max) = (question.min, question.max);
    let english = matches!(speaker.lang, crate::protocol::Lang::En);
    match kind {
        DecisionKind::Act | DecisionKind::YesNo | DecisionKind::Pay | DecisionKind::Trigger | DecisionKind::Replacement => {
            String::new()
        }
        DecisionKind::Number if english => format!("from {min} to {max}"),
        DecisionKind::Number => format!("{min}～{max}"),
        DecisionKind::Divide if english => format!("{max} in all, at least {min} for each"),
        DecisionKind::Divide => format!("合計{max}、それぞれ{min}以上"),
        DecisionKind::Assign => String::new(),
        DecisionKind::Choose | DecisionKind::Modes if min == max && english => format!("{max} of {}", question.options.len()),
        DecisionKind::Choose | DecisionKind::Modes if english => format!("{min} to {max} of {}", question.options.len()),
        DecisionKind::Choose | DecisionKind::Modes if min == max => format!("{}個から{max}個", question.options.len()),
        DecisionKind::Choose | DecisionKind::Modes => format!("{}個から{min}～{max}個", question.options.len()),
    }
}

fn option(
    number: usize,
    machine: &Machine,
    decision: &Decision,
    question: &DecisionView,
    view: &View,
    game: &CompiledGame,
    speaker: &Speaker,
) -> Option<AskOption> {
    let shown = question.options.get(number)?;
    let pick = question.picks(&[number as u32]).first().copied()?;
    let choice = decision.options.get(pick as usize)?;
    let mut it = AskOption { action: shown.action.clone(), on: shown.handle, with: shown.with, ..AskOption::default() };
    it.label.clone_from(&shown.label);
    let (label, word) = match choice {
        Choice::Pass => (speaker.say("Pass", "パス"), None),
        Choice::Yes => (speaker.say("Yes", "はい"), None),
        Choice::No => (speaker.say("No", "いいえ"), None),
        Choice::PayNow => (speaker.say("Pay", "支払う"), None),
        Choice::Abandon => (speaker.say("Cancel", "やめる"), None),
        Choice::Producer(_) => ("", Some(speaker.say("pay with", "支払いに使う").to_owned())),
        Choice::Mode(mode) => {
            let modes = decision.site.and_then(|site| prompt(game, site, speaker.lang)).map(|prompt| &prompt.modes);
            if let Some(text) = modes.and_then(|modes| modes.get(*mode as usize)) {
                it.label.clone_from(text);
            }
            ("", None)
        }
        Choice::Player(seat) => {
            it.seat = Some(*seat);
            it.label = capitalised(&speaker.player(*seat));
            ("", None)
        }
        Choice::Pair(left, side) => {
            let left = name_of(shown.handle, *left, machine, view, speaker);
            let right = match side {
                Side::Object(right) => name_of(shown.with, *right, machine, view, speaker),
                Side::Player(seat) => {
                    it.seat = Some(*seat);
                    speaker.player(*seat)
                }
            };
            it.label = format!("{left} → {right}");
            ("", None)
        }
        Choice::Play { .. } => ("", Some(spaced(&shown.action))),
        Choice::Object(object) => {
            it.place = place(shown, *object, machine);
            ("", None)
        }
        Choice::Word(..) => {
            let named = name(game, &machine.program.format, &shown.label, speaker.lang);
            named.trim_end_matches('・').clone_into(&mut it.label);
            ("", None)
        }
        Choice::Trigger { ability, source, .. } | Choice::Replacement { ability, source, .. } => {
            let knows = shown.handle.is_some() && (!machine.state.exists(*source) || sees(machine, view.viewer, source.slot()));
            let text = if knows { text_of_ability(*ability, *source, machine, game, speaker) } else { None };
            if let Some(text) = text {
                // The name of the ability is that of its card.
                let words = format!("{} ", spaced(&shown.action));
                it.label = format!("{}: {text}", shown.label.strip_prefix(&words).unwrap_or(&shown.label));
            }
            ("", None)
        }
    };
    if !label.is_empty() {
        label.clone_into(&mut it.label);
        it.word = it.label.clone();
    }
    if let Some(word) = word {
        it.word = word;
    }
    Some(it)
}

/// The text of an ability that is printed on the card of its source.
fn text_of_ability(ability: u32, source: ObjectRef, machine: &Machine, game: &CompiledGame, speaker: &Speaker) -> Option<String> {
    let program = &machine.program;
    let place = program.library.abilities.get(ability as usize)?.source;
    let card = program.format.corrected(DefId(naming_definition(program, &machine.state, source.slot())));
    let text = ability_text(game, &program.format, card, place, speaker.lang)?;
    Some(text.split_whitespace().collect::<Vec<_>>().join(" ")).filter(|text| !text.is_empty())
}

/// Adds the texts of abilities to options that are other abilities of one object and read the same.
fn add_texts(
    options: &mut [AskOption],
    machine: &Machine,
    (decision, question): (&Decision, &DecisionView),
    game: &CompiledGame,
    speaker: &Speaker,
) {
    let labels: Vec<(String, Option<u32>)> = options.iter().map(|option| (option.label.clone(), option.on)).collect();
    for (number, option) in options.iter_mut().enumerate() {
        let pick = question.picks(&[number as u32]).first().copied();
        let choice = pick.and_then(|pick| decision.options.get(pick as usize));
        let is_repeated = labels.iter().filter(|(label, on)| *label == option.label && *on == option.on).count() > 1;
        if let Some(Choice::Play { play, object, .. }) = choice.filter(|_| is_repeated && option.on.is_some())
            && let Some(ability) = play.checked_sub(ABILITY_PLAY)
            && let Some(text) = text_of_ability(ability, *object, machine, game, speaker)
        {
            option.label = format!("{}: {text}", option.label);
        }
    }
}

/// A label with the number of its object: behind its name, if a text follows.
#[must_use]
pub fn numbered_label(label: &str, name: &str, number: &str) -> String {
    match label.split_once(": ") {
        Some((head, text)) if !name.is_empty() && (head.starts_with(name) || head.ends_with(name)) => {
            format!("{head} {number}: {text}")
        }
        _ => format!("{label} {number}"),
    }
}

/// The place of an object that the player cannot identify: the zone and the position in it.
fn place(shown: &OptionView, it: ObjectRef, machine: &Machine) -> Option<(String, usize)> {
    if shown.place == 0 {
        return None;
    }
    let zone = machine.state.zone(it.slot())?;
    let kind = machine.program.zone_of(zone)?;
    Some((zone_key(&kind.name, machine.program.zone_owner(zone)), shown.place))
}

fn name_of(handle: Option<u32>, it: ObjectRef, machine: &Machine, view: &View, speaker: &Speaker) -> String {
    let known = handle.and_then(|handle| {
        view.zones.iter().flat_map(|zone| &zone.objects).find(|object| object.handle == handle).map(|object| object.name.clone())
    });
    known.filter(|name| !name.is_empty()).unwrap_or_else(|| {
        let zone = machine.state.zone(it.slot()).and_then(|zone| machine.program.zone_of(zone).map(|kind| (zone, kind)));
        let place = zone.map(|(zone, kind)| speaker.zone(&kind.name, machine.program.zone_owner(zone))).unwrap_or_default();
        match speaker.lang {
            crate::protocol::Lang::En => format!("a hidden card in {place}"),
            crate::protocol::Lang::Ja => format!("{place}の伏せられたカード"),
        }
    })
}

/// Adds the place, and a number where that is not enough, to options that would read the same.
fn distinguished(mut options: Vec<AskOption>, view: &View, speaker: &Speaker) -> Vec<AskOption> {
    let counts = |options: &[AskOption]| {
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        for option in options {
            *counts.entry(option.label.clone()).or_default() += 1;
        }
        counts
    };
    let several = counts(&options);
    for option in &mut options {
        let Some(handle) = option.on.filter(|_| several.get(&option.label).is_some_and(|count| *count > 1)) else { continue };
        let found = view.zones.iter().find_map(|zone| Some((zone, zone.objects.iter().find(|it| it.handle == handle)?)));
        let Some((zone, object)) = found else { continue };
        let owner = zone.owner.or_else(|| usize::try_from(object.controller).ok());
        let place = speaker.zone(&zone.name, owner);
        option.label = match speaker.lang {
            crate::protocol::Lang::En => format!("{} ({place})", option.label),
            crate::protocol::Lang::Ja => format!("{}（{place}）", option.label),
        };
    }
    let several = counts(&options);
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    for option in &mut options {
        if several.get(&option.label).is_some_and(|count| *count > 1) {
            let number = seen.entry(option.label.clone()).or_default();
            *number += 1;
            option.label = format!("{}, {number}", option.label);
        }
    }
    options
}

fn capitalised(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}
