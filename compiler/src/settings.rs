//! Reads settings of fixed words: zones, timing, announcement policies.

use crate::diagnostics::{Diagnostic, codes};
use crate::names::{Meaning, NameTable};
use fizzle_grammar::ast::{AnnouncePolicy as WrittenAnnounce, Name};
use fizzle_ir::{
    ActionId, AfterActing, AnnouncePolicy, AnnounceStage, AnnouncedChoices, Timing, TraitSetId, TriggerPlacement, Visibility,
    ZoneKind,
};

fn report_unknown_setting(what: &str, words: &[Name], known: &[&str], diagnostics: &mut Vec<Diagnostic>) {
    let Some(first) = words.first() else { return };
    let text = words.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" ");
    let span = words.last().map_or(first.span, |last| first.span.to(last.span));
    let list = known.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ");
    diagnostics.push(
        Diagnostic::new(&codes::BAD_SETTING, span, format!("{what} has no setting `{text}`"))
            .did_you_mean(&text, known.iter().copied())
            .help(format!("settings are {list}")),
    );
}

/// Splits a line into known phrases, the longest first, and calls `take` for each.
fn match_phrases(what: &str, line: &[Name], known: &[&str], diagnostics: &mut Vec<Diagnostic>, mut take: impl FnMut(&str)) {
    let mut rest = line;
    while !rest.is_empty() {
        let fits = known.iter().filter_map(|phrase| {
            let words: Vec<&str> = phrase.split(' ').collect();
            (rest.len() >= words.len() && words.iter().zip(rest).all(|(word, name)| name.text == *word))
                .then_some((words.len(), *phrase))
        });
        match fits.max() {
            Some((length, phrase)) => {
                take(phrase);
                rest = &rest[length..];
            }
            None => {
                report_unknown_setting(what, rest, known, diagnostics);
                return;
            }
        }
    }
}

/// The phrases of the settings of a zone.
pub const ZONE_SETTINGS: &[&str] = &[
    "each player",
    "shared",
    "ordered",
    "public",
    "hidden",
    "visible to owner",
    "field",
    "list",
    "owner only",
    "keeps last known",
    "keeps objects",
    "absent",
    "hidden cards are",
];

/// Applies the settings of a zone.
pub fn zone(zone: &mut ZoneKind, lines: &[Vec<Name>], names: &NameTable<'_>, diagnostics: &mut Vec<Diagnostic>) {
    for line in lines {
        if let [hidden, cards, are, words @ ..] = line.as_slice()
            && hidden.text == "hidden"
            && cards.text == "cards"
            && are.text == "are"
        {
            zone.possible_words.extend(hidden_words(are, words, names, diagnostics));
            continue;
        }
        match_phrases("a zone", line, ZONE_SETTINGS, diagnostics, |phrase| match phrase {
            "each player" => zone.each_player = true,
            "ordered" => zone.ordered = true,
            "public" => zone.visibility = Visibility::Public,
            "hidden" => zone.visibility = Visibility::Hidden,
            "visible to owner" => zone.visibility = Visibility::Owner,
            "field" => zone.field = true,
            "list" => zone.list = true,
            "owner only" => zone.owner_only = true,
            "keeps last known" => zone.keeps_last_known = true,
            "keeps objects" => zone.keeps_objects = true,
            "absent" => zone.absent = true,
            _ => {}
        });
    }
    if zone.owner_only
        && !zone.each_player
        && let Some(first) = lines.iter().flatten().next()
    {
        diagnostics.push(
            Diagnostic::new(&codes::BAD_SETTING, first.span, "only zones of players are `owner only`")
                .help("write `each player; owner only`"),
        );
    }
}

/// Applies the settings that a pack adds to a zone of its game: further words that hidden cards may print.
pub fn zone_additions(zone: &mut ZoneKind, lines: &[Vec<Name>], names: &NameTable<'_>, diagnostics: &mut Vec<Diagnostic>) {
    for line in lines {
        match line.as_slice() {
            [hidden, cards, are, words @ ..] if hidden.text == "hidden" && cards.text == "cards" && are.text == "are" => {
                zone.possible_words.extend(hidden_words(are, words, names, diagnostics));
            }
            [first, ..] => diagnostics.push(
                Diagnostic::new(&codes::BAD_SETTING, first.span, format!("`{}` cannot be added to a zone", first.text))
                    .help("a pack adds what hidden cards of a zone may be: `zone NAME adds { hidden cards are WORD or WORD }`"),
            ),
            [] => {}
        }
    }
}

/// Reads the words of `hidden cards are WORD or WORD`.
fn hidden_words(are: &Name, words: &[Name], names: &NameTable<'_>, diagnostics: &mut Vec<Diagnostic>) -> Vec<(TraitSetId, u16)> {
    let known = || {
        let words =
            names.words.iter().filter(|(_, meanings)| meanings.iter().any(|meaning| matches!(meaning, Meaning::Word(..))));
        words.map(|(word, _)| word.as_str())
    };
    let mut found = Vec::new();
    for (place, word) in words.iter().enumerate() {
        let trait_word = names.meanings(&word.text).iter().find_map(|meaning| match meaning {
            Meaning::Word(set, index) => Some((*set, *index)),
            _ => None,
        });
        match trait_word {
            Some(word) if place % 2 == 0 => found.push(word),
            None if place % 2 == 1 && word.text == "or" => {}
            _ => {
                let message = format!("`hidden cards are` takes trait words, not `{}`", word.text);
                diagnostics.push(
                    Diagnostic::new(&codes::BAD_SETTING, word.span, message)
                        .did_you_mean(&word.text, known())
                        .help("write `hidden cards are WORD or WORD`: each hidden card there has one of them"),
                );
                return found;
            }
        }
    }
    if words.len().is_multiple_of(2) {
        let last = words.last().unwrap_or(are);
        diagnostics.push(
            Diagnostic::new(&codes::BAD_SETTING, last.span, format!("a trait word is missing after `{}`", last.text))
                .help("write `hidden cards are WORD or WORD`: each hidden card there has one of them"),
        );
    }
    found
}

/// Applies the settings of the timing: a preset, then single settings.
pub fn timing(timing: &mut Timing, lines: &[Vec<Name>], diagnostics: &mut Vec<Diagnostic>) {
    const KNOWN: &[&str] = &[
        "stack",
        "chain",
        "queue",
        "after acting same",
        "after acting next",
        "resolve one",
        "resolve all",
        "triggers window",
        "triggers new list",
        "triggers one by one",
        "use during resolution waits",
        "use during resolution inline",
        "optional triggers declared",
        "optional triggers on resolution",
        "loop draws",
        "triggers of first controller",
        "triggers of last controller",
        "triggers of phases together",
        "triggers of phases alone",
        "replace again",
        "replace once",
    ];
    for line in lines {
        match_phrases("the timing", line, KNOWN, diagnostics, |phrase| match phrase {
            "stack" => {
                *timing = Timing {
                    uses_list: true,
                    after_acting: AfterActing::SamePlayer,
                    resolve_all: false,
                    triggers: TriggerPlacement::NextWindow,
                    nested_use_waits: true,
                    declares_optional_triggers: false,
                    loop_draws: timing.loop_draws,
                    triggers_change_sides: false,
                    phase_triggers_alone: false,
                    replaces_once: timing.replaces_once,
                };
            }
            "chain" => {
                *timing = Timing {
                    uses_list: true,
                    after_acting: AfterActing::NextPlayer,
                    resolve_all: true,
                    triggers: TriggerPlacement::NewList,
                    nested_use_waits: true,
                    declares_optional_triggers: true,
                    loop_draws: timing.loop_draws,
                    triggers_change_sides: true,
                    phase_triggers_alone: true,
                    replaces_once: timing.replaces_once,
                };
            }
            "queue" => {
                *timing = Timing {
                    uses_list: false,
                    after_acting: AfterActing::SamePlayer,
                    resolve_all: false,
                    triggers: TriggerPlacement::OneByOne,
                    nested_use_waits: false,
                    declares_optional_triggers: false,
                    loop_draws: timing.loop_draws,
                    triggers_change_sides: false,
                    phase_triggers_alone: false,
                    replaces_once: timing.replaces_once,
                };
            }
            "after acting same" => timing.after_acting = AfterActing::SamePlayer,
            "after acting next" => timing.after_acting = AfterActing::NextPlayer,
            "resolve one" => timing.resolve_all = false,
            "resolve all" => timing.resolve_all = true,
            "triggers window" => timing.triggers = TriggerPlacement::NextWindow,
            "triggers new list" => timing.triggers = TriggerPlacement::NewList,
            "triggers one by one" => timing.triggers = TriggerPlacement::OneByOne,
            "use during resolution waits" => timing.nested_use_waits = true,
            "use during resolution inline" => timing.nested_use_waits = false,
            "optional triggers declared" => timing.declares_optional_triggers = true,
            "loop draws" => timing.loop_draws = true,
            "triggers of first controller" => timing.triggers_change_sides = false,
            "triggers of last controller" => timing.triggers_change_sides = true,
            "triggers of phases together" => timing.phase_triggers_alone = false,
            "triggers of phases alone" => timing.phase_triggers_alone = true,
            "replace again" => timing.replaces_once = false,
            "replace once" => timing.replaces_once = true,
            "optional triggers on resolution" => timing.declares_optional_triggers = false,
            _ => {}
        });
    }
}

/// Applies an announcement policy. Names of actions that are not declared are added to `unknown`.
pub fn announce<'w>(
    policy: &mut AnnouncePolicy,
    written: &'w WrittenAnnounce,
    action: &dyn Fn(&Name) -> Option<ActionId>,
    unknown: &mut Vec<&'w Name>,
    diagnostics: &mut Vec<Diagnostic>,
) {
    for stage in &written.stages {
        let found = match stage.text.as_str() {
            "pay" => Some(AnnounceStage::Pay),
            "list" => Some(AnnounceStage::List),
            "values" => Some(AnnounceStage::Values),
            "modes" | "choices" => Some(AnnounceStage::Choices),
            _ => {
                report_unknown_setting(
                    "a stage",
                    std::slice::from_ref(stage),
                    &["pay", "list", "values", "modes", "choices"],
                    diagnostics,
                );
                None
            }
        };
        if let Some(found) = found.filter(|found| !policy.stages.contains(found)) {
            policy.stages.push(found);
        }
    }
    for written in &written.announced {
        let mut announced = AnnouncedChoices::default();
        const KNOWN: &[&str] = &["targets", "choices", "mandatory", "by controller", "in first sentence", "public"];
        match_phrases("`announce`", &written.words, KNOWN, diagnostics, |phrase| match phrase {
            "targets" => announced.targets = true,
            "mandatory" => announced.mandatory = true,
            "by controller" => announced.by_controller = true,
            "in first sentence" => announced.first_sentence = true,
            "public" => announced.public = true,
            _ => {}
        });
        for name in &written.except {
            match action(name) {
                Some(id) => announced.except_own.push(id),
                None => unknown.push(name),
            }
        }
        policy.announced_choices.push(announced);
    }
    if let Some(none) = &written.without_choices {
        match none.text.as_str() {
            "allowed" => policy.requires_choices = false,
            "refused" => policy.requires_choices = true,
            _ => report_unknown_setting("`without choices`", std::slice::from_ref(none), &["allowed", "refused"], diagnostics),
        }
    }
    for name in &written.needs {
        match action(name) {
            Some(id) => policy.needs.push(id),
            None => unknown.push(name),
        }
    }
    const FIZZLING: &[&str] = &["paragraph", "whole", "prohibitions once", "prohibitions again"];
    match_phrases("`fizzle`", &written.fizzle, FIZZLING, diagnostics, |phrase| match phrase {
        "paragraph" => policy.fizzle_whole = false,
        "whole" => policy.fizzle_whole = true,
        "prohibitions once" => policy.prohibitions_once = true,
        "prohibitions again" => policy.prohibitions_once = false,
        _ => {}
    });
}
