//! Lints: event patterns that no event matches. These are triggers on plays and moves that happen in zones where their ability does not work, and
//! patterns about a play or move with a noun that excludes it.

use super::printed_facts::{MAX_NOUN_DEPTH, PrintedFacts};
use crate::action_effects::zone_word;
use crate::diagnostics::{Diagnostic, codes};
use crate::lower::Lowering;
use crate::phrase_syntax::{as_phrase, is_word};
use crate::verb_forms::is_inflected_form;
use fizzle_grammar::ast::{Head, Name, Pattern, PhraseFilterKind, Play};
use fizzle_ir::Type;

/// The most plays that a message suggests.
const MAX_PLAYS_SUGGESTED: usize = 4;

impl<'a> Lowering<'a> {
    /// Reports a trigger on a play of `this` whose ability works in no zone that the play is used from.
    pub fn lint_play_trigger(&mut self, play: u32, pattern: &'a Pattern, zones: u32) {
        let names = self.names;
        let about_this =
            is_word(&pattern.subject, "this") || pattern.object.as_ref().is_some_and(|object| is_word(object, "this"));
        let Some((name, play)) = names.plays.get_index(play as usize).filter(|_| about_this) else { return };
        let bit = |name: &str| names.zone_id(name).map_or(0, |id| 1 << id.0);
        let from =
            play.from.iter().fold(0, |mask, zone| mask | if zone.text == "field" { self.field_mask() } else { bit(&zone.text) });
        let list = self.library.zones.iter().position(|zone| zone.list).map_or(0, |zone| 1 << zone);
        let from_list = if play.immediate { 0 } else { list };
        if from == 0 || zones & (from | from_list) != 0 {
            return;
        }
        let works = (0..).zip(&self.library.zones).filter(|(bit, _)| zones & 1 << bit != 0).map(|(_, zone)| zone.name.as_str());
        let works: Vec<String> = works.map(|zone| format!("`{zone}`")).collect();
        let text = self.sources.slice(pattern.span).split_whitespace().collect::<Vec<_>>().join(" ");
        let first = play.from.first().map_or("", |zone| zone.text.as_str()).to_owned();
        let message = format!("`{text}` never happens in the zones where this ability works: {}", works.join(" and "));
        let place = play.name.as_ref().map_or(play.span, |name| name.span);
        let field = names.field_zone().unwrap_or_default();
        let done = self.action_of_play(name).unwrap_or_else(|| format!("this enters {field}"));
        self.report(
            Diagnostic::new(&codes::INACTIVE_ABILITY, pattern.span, message)
                .also(place, format!("`{name}` is used from `{first}`"))
                .help(format!(
                    "wait for what it does, as in `when {done} {{ … }}`, or write the zone before the ability: \
                     `in {first} when {text} {{ … }}`"
                )),
        );
    }

    /// For the play `normal_summon` of a game with the action `summon`: the event that its object is summoned so.
    fn action_of_play(&self, play: &str) -> Option<String> {
        let (way, action) = play.rsplit_once('_')?;
        let signature = self.names.actions.get(action)?;
        let is_object = signature.params.first().is_some_and(|(_, ty)| *ty == Type::Object) && signature.acting_param.is_none();
        let how = signature.params.iter().find_map(|(name, ty)| {
            let Type::Word(set) = ty else { return None };
            let words = self.names.traits.get(set.index())?.words.as_ref()?;
            let word = words.iter().find(|word| word.rsplit('_').next() == Some(way))?;
            Some(format!(" where {name} is {word}"))
        });
        let done = self.names.participle_of_action(action);
        is_object.then(|| format!("this is {done}{}", how.unwrap_or_default()))
    }

    /// Reports a pattern about a play of cards that it is not for: `opponent cannot activate trap` if `activate` is a play of spells.
    pub fn lint_play_object(&mut self, play: u32, pattern: &'a Pattern) {
        let names = self.names;
        let written = if pattern.passive { Some(&pattern.subject) } else { pattern.object.as_ref() };
        let Some(Head::Word(word)) = written.and_then(as_phrase).map(|phrase| &phrase.head) else { return };
        let used_on = |play: &'a Play| play.params.first().map(|param| param.ty.name.text.as_str());
        let Some((name, found)) = names.plays.get_index(play as usize) else { return };
        let Some(wanted) = used_on(found).filter(|wanted| self.excludes(&word.text, wanted)) else { return };
        let judge = PrintedFacts::of_word(names, &word.text);
        let others = names
            .plays
            .iter()
            .filter(|(_, play)| used_on(play).is_some_and(|param| judge.matches_word(param, MAX_NOUN_DEPTH) == Some(true)));
        let others: Vec<String> = others.map(|(name, _)| format!("`{name}`")).take(MAX_PLAYS_SUGGESTED).collect();
        let place = found.name.as_ref().map_or(found.span, |name| name.span);
        let problem = Diagnostic::new(
            &codes::NEVER_HAPPENS,
            word.span,
            format!("`{name}` is for cards with `{wanted}`, and none of them prints `{}`", word.text),
        )
        .also(place, "declared here");
        self.report(problem.help(if others.is_empty() {
            format!("write `{wanted}`, or another play")
        } else {
            format!("write `{wanted}`, or a play for such cards: {}", others.join(", "))
        }));
    }

    /// Reports a prohibition of a play whose object is described by a noun for what is on the list: nothing is there before it is played.
    pub fn lint_forbidden_noun(&mut self, pattern: &'a Pattern) {
        let names = self.names;
        let written = if pattern.passive { Some(&pattern.subject) } else { pattern.object.as_ref() };
        let Some(Head::Word(word)) = written.and_then(as_phrase).map(|phrase| &phrase.head) else { return };
        let Some(declared) = names.nouns.get(&word.text).and_then(|noun| as_phrase(noun)) else { return };
        let Head::Word(base) = &declared.head else { return };
        let zones = declared.filters.iter().filter_map(|filter| match &filter.kind {
            PhraseFilterKind::In(zone) => zone_word(zone).and_then(|zone| names.zone_id(&zone.text)),
            _ => None,
        });
        let zones: Vec<_> = zones.filter_map(|zone| self.library.zones.get(zone.index())).collect();
        let Some(zone) = zones.first().filter(|_| zones.iter().all(|zone| zone.list) && self.is_play(&pattern.verb.text)) else {
            return;
        };
        let text = self.sources.slice(pattern.span).split_whitespace().collect::<Vec<_>>().join(" ");
        let message = format!("`{}` is in `{}`, and what is played is not there before", word.text, zone.name);
        let plain = text.replacen(word.text.as_str(), &base.text, 1);
        self.report(
            Diagnostic::new(&codes::NEVER_HAPPENS, pattern.span, message)
                .label("this forbids nothing")
                .help(format!("use a noun without a zone: `{plain}`")),
        );
    }

    /// Whether a verb is that of a play.
    fn is_play(&self, verb: &str) -> bool {
        self.names.plays.keys().any(|play| is_inflected_form(play, verb, false))
    }

    /// Whether the game declares that no card prints both words: `kind spell prints not trap`.
    fn excludes(&self, one: &str, other: &str) -> bool {
        self.names.print_rules.values().any(|(kind, parts)| {
            let excluded = |word: &str| parts.iter().any(|part| part.excluded && part.words.iter().any(|name| name.text == word));
            kind.text == one && excluded(other) || kind.text == other && excluded(one)
        })
    }

    /// Reports a trigger on objects that enter a zone and are described by a noun for another zone: `permanent enters graveyard`.
    pub fn lint_entering_noun(&mut self, pattern: &'a Pattern) {
        let names = self.names;
        let Some(into) = pattern.object.as_ref().and_then(zone_word) else { return };
        let Some(phrase) = as_phrase(&pattern.subject) else { return };
        let Head::Word(noun) = &phrase.head else { return };
        let Some(declared) = names.nouns.get(&noun.text).and_then(|noun| as_phrase(noun)) else { return };
        let zones = declared.filters.iter().filter_map(|filter| match &filter.kind {
            PhraseFilterKind::In(zone) => zone_word(zone),
            _ => None,
        });
        let zones: Vec<&Name> = zones.collect();
        let Some(place) = zones.first().filter(|_| zones.iter().all(|zone| zone.text != into.text)) else { return };
        if names.zone_id(&place.text).is_none() || names.zone_id(&into.text).is_none() {
            return;
        }
        let text = self.sources.slice(pattern.subject.span).to_owned();
        let head = match &declared.head {
            Head::Word(word) => word.text.as_str(),
            _ => "card",
        };
        let plain = text.replacen(noun.text.as_str(), head, 1);
        let message = format!("`{}` is in `{}`, and what enters `{}` is not there any more", noun.text, place.text, into.text);
        self.report(
            Diagnostic::new(&codes::NEVER_HAPPENS, pattern.span, message)
                .label("this never triggers")
                .also(declared.filters.first().map_or(noun.span, |filter| filter.span), "declared here")
                .help(format!(
                    "use a noun without a zone, and name where it comes from: `{plain} enters {} from {}`",
                    into.text, place.text
                )),
        );
    }
}
