//! Lints about cards that are used for their text only, and so are never in the field: their abilities that work in the field, choices of them
//! there, and such cards without a text.

use super::printed_facts::{MAX_NOUN_DEPTH, PrintedFacts};
use crate::diagnostics::{Diagnostic, codes};
use crate::lower::Lowering;
use crate::lower::selection::{SearchSpace, Selection};
use crate::names::Meaning;
use fizzle_grammar::ast::{
    Ability, AbilityKind, BinaryOp, Block, Call, Card, Expr, ExprKind, Head, Name, Phrase, Play, Span, StatementKind,
};

impl<'a> Lowering<'a> {
    /// The play that resolves the text of a card with this print and puts it elsewhere than into the field, if no play may put it there.
    fn text_play_of(&self, judge: &PrintedFacts<'_, 'a>) -> Option<&'a Play> {
        let resolvers = &self.names.text_resolvers;
        if resolvers.has_other_resolvers {
            return None;
        }
        let field = self.names.field_zone()?;
        let with_text = resolvers.plays.iter().map(|(play, _)| *play);
        if self.names.plays.values().copied().chain(with_text).any(|play| self.may_put_into(judge, play, field)) {
            return None;
        }
        let runs = |(play, count): &(&'a Play, usize)| {
            let word = play.params.first().map(|param| param.ty.name.text.as_str());
            let is_used = word.and_then(|word| judge.matches_word(word, MAX_NOUN_DEPTH));
            (is_used == Some(true) && judge.may_resolve_text(play, *count)).then_some(*play)
        };
        resolvers.plays.iter().find_map(runs)
    }

    /// Whether a play may put a card with this print into a zone.
    fn may_put_into(&self, judge: &PrintedFacts<'_, 'a>, play: &'a Play, zone: &str) -> bool {
        let Some(param) = play.params.first() else { return false };
        // A card matches other plays only by what it may gain.
        judge.matches_word(&param.ty.name.text, MAX_NOUN_DEPTH) == Some(true)
            && self.block_may_put(judge, &play.body, &param.name.text, zone)
    }

    fn block_may_put(&self, judge: &PrintedFacts<'_, 'a>, block: &'a Block, param: &str, zone: &str) -> bool {
        let subject = |word: &str| word == param || word == "it";
        block.statements.iter().any(|statement| match &statement.kind {
            StatementKind::Calls(calls) => calls.iter().any(|call| self.call_may_put(judge, call, &subject, zone)),
            StatementKind::If { condition, then, otherwise } => {
                let holds = judge.holds(condition, &subject, MAX_NOUN_DEPTH);
                holds != Some(false) && self.block_may_put(judge, then, param, zone)
                    || holds != Some(true)
                        && otherwise.as_ref().is_some_and(|block| self.block_may_put(judge, block, param, zone))
            }
            StatementKind::Block(body) | StatementKind::Simultaneously(body) => self.block_may_put(judge, body, param, zone),
            StatementKind::Assign { .. } | StatementKind::Let { .. } => false,
            // What else there is may do anything to the card that it mentions.
            _ => self.mentions(statement.span, &subject),
        })
    }

    fn call_may_put(&self, judge: &PrintedFacts<'_, 'a>, call: &Call, subject: &dyn Fn(&str) -> bool, zone: &str) -> bool {
        match call.verb.text.as_str() {
            "resolve_text" => false,
            "put" | "puts" => {
                let places = call.prepositions.iter().filter(|(word, _)| matches!(word.text.as_str(), "into" | "onto" | "to"));
                places.into_iter().any(|(_, place)| self.mentions(place.span, &|word| word == zone))
            }
            verb => match self.called_body(call, subject).filter(|_| judge.is_whole) {
                _ if !self.mentions(call.span, subject) => false,
                Some((body, param)) => self.block_may_put(judge, body, param, zone),
                None => self.may_act_on_field(verb),
            },
        }
    }

    /// The body of an action that a play calls with its card as the first operand, and the name of the card in it. Actions that such a body calls
    /// are judged by what they mention.
    fn called_body(&self, call: &Call, subject: &dyn Fn(&str) -> bool) -> Option<(&'a Block, &'a str)> {
        let names = self.names;
        let action = names.text_resolvers.called.get(&call.verb.text)?;
        let is_card = call.operands.first().and_then(crate::phrase_syntax::bare_word).is_some_and(|word| subject(&word.text));
        let others = call.operands.iter().skip(1).chain(call.prepositions.iter().map(|(_, operand)| operand));
        let only_first = others.into_iter().all(|operand| !self.mentions(operand.span, subject));
        let (body, param) = (action.body.as_ref()?, action.params.first()?);
        let calls_itself = self.mentions(body.span, &|word| word == action.name.text);
        (is_card && only_first && !calls_itself).then_some((body, param.name.text.as_str()))
    }

    /// Whether a verb is no action of which it is known that it puts nothing into the field.
    fn may_act_on_field(&self, verb: &str) -> bool {
        let action = self.names.action_of_form(verb, false).and_then(|id| self.names.actions.get_index(id.index()));
        action.is_none_or(|(name, _)| self.names.action_effects.into_field.contains(name))
    }

    /// Whether a text may put something into the field: it says so, or mentions an action that does.
    fn puts_into_field(&self, span: Span) -> bool {
        let field = self.names.field_zone().unwrap_or_default();
        let into_field = &self.names.action_effects.into_field;
        let words: Vec<&str> = self.sources.slice(span).split(|c: char| !c.is_alphanumeric() && c != '_').collect();
        let is_put = |pair: &[&str]| matches!(pair, [into, zone] if matches!(*into, "into" | "onto" | "to") && *zone == field);
        words.windows(2).any(is_put) || words.iter().any(|word| into_field.contains(*word))
    }

    /// Whether a source text contains a word.
    fn mentions(&self, span: Span, is_wanted: &dyn Fn(&str) -> bool) -> bool {
        self.sources.slice(span).split(|c: char| !c.is_alphanumeric() && c != '_').any(is_wanted)
    }

    /// Reports a card whose text is resolved and that has none, and its abilities that work only in the field, where it never is.
    pub fn lint_text_card(&mut self, card: &'a Card) {
        let names = self.names;
        let is_known = |fact: &fizzle_grammar::ast::Fact| !names.meanings(&fact.word.text).is_empty();
        let is_kind = |fact: &fizzle_grammar::ast::Fact| {
            names.meanings(&fact.word.text).iter().any(|meaning| matches!(meaning, Meaning::Word(..) | Meaning::Traits(_)))
        };
        let is_unclear = !card.facts.iter().any(is_kind) || !card.facts.iter().all(is_known);
        if card.is_token || card.unread.is_some() || !card.faces.is_empty() || is_unclear {
            return;
        }
        let Some(play) = self.text_play_of(&PrintedFacts::of_card(names, card)) else { return };
        let may_put_itself = |ability: &fizzle_grammar::ast::Ability| {
            self.mentions(ability.span, &|word| matches!(word, "this" | "it")) && self.puts_into_field(ability.span)
        };
        if card.abilities.iter().any(may_put_itself) {
            return;
        }
        let play_name = play.name.as_ref().map_or("", |name| name.text.as_str());
        let place = play.name.as_ref().map_or(play.span, |name| name.span);
        let field = names.field_zone().unwrap_or_default();
        let field_bit = self.field_mask();
        let mut is_reported = false;
        for ability in &card.abilities {
            let works_in_field = matches!(
                ability.kind,
                AbilityKind::When { .. } | AbilityKind::At { .. } | AbilityKind::AsSoon { .. } | AbilityKind::Activated(_)
            );
            if !works_in_field || !ability.zones.is_empty() && self.ability_zones(ability) != field_bit {
                continue;
            }
            let message = format!("`{}` is never in `{field}`, the only zone where this ability works", card.name.text);
            let span = self.first_line(ability.span);
            is_reported = true;
            self.report(
                Diagnostic::new(&codes::INACTIVE_ABILITY, span, message)
                    .also(place, format!("`{play_name}` resolves its text and puts it elsewhere"))
                    .help("write what it does as it resolves in `does { … }`, or a zone before the ability: `in ZONE when …`"),
            );
        }
        let has_text = |ability: &Ability| matches!(ability.kind, AbilityKind::Does(_));
        let has_keyword = card.abilities.iter().any(|ability| matches!(ability.kind, AbilityKind::Keyword(_)))
            || card.facts.iter().any(|fact| names.keywords.contains_key(&fact.word.text));
        if !is_reported && !card.abilities.iter().any(has_text) && !has_keyword {
            self.report(
                Diagnostic::new(&codes::TEXT_MISSING, card.name.span, format!("`{}` has no text to resolve", card.name.text))
                    .label("it does nothing as it resolves")
                    .also(place, format!("`{play_name}` resolves the text of such a card"))
                    .help("write its text: `does { … }`")
                    .for_whole_item(card.span),
            );
        }
    }

    /// Reports a choice in the field among cards that are never there: `copy target instant`.
    pub fn lint_choice_in_field(&mut self, phrase: &'a Phrase, span: Span, selection: &Selection<'a>) {
        let names = self.names;
        let Some(field) = names.field_zone().filter(|_| selection.searches_field_by_default()) else { return };
        let mut kinds = Vec::new();
        if phrase.quantifier.is_none() || !collect_kinds(&phrase.head, &mut kinds) || kinds.is_empty() {
            return;
        }
        let is_kind = |name: &&Name| {
            let is_trait = names.meanings(&name.text).iter().any(|meaning| matches!(meaning, Meaning::Word(..)));
            is_trait && self.text_play_of(&PrintedFacts::of_word(names, &name.text)).is_some()
        };
        if !kinds.iter().all(is_kind) {
            return;
        }
        let Some(list) = self.library.zones.iter().find(|zone| zone.list).map(|zone| zone.name.clone()) else { return };
        let text = self.sources.slice(span).to_owned();
        let behind = phrase.filters.first().map_or(span.end, |post| post.span.start);
        let (head, rest) = text.split_at((behind - span.start) as usize);
        let blank = if rest.is_empty() { "" } else { " " };
        let whole = format!("{} in {list}{blank}{rest}", head.trim_end());
        self.report(
            Diagnostic::new(&codes::NEVER_IN_FIELD, span, format!("nothing in `{field}` is such a card"))
                .label(format!("without a zone, this is searched in `{field}`"))
                .help(format!("write `{whole}`, or the zone that you mean"))
                .fix(text, whole),
        );
    }
}

impl Selection<'_> {
    /// Whether it searches the field because it names no zone.
    fn searches_field_by_default(&self) -> bool {
        let is_default = match self.search_spaces.as_slice() {
            [] => self.parts.is_empty() || self.parts.iter().all(Self::searches_field_by_default),
            [SearchSpace::Zone(_)] => self.has_default_space,
            _ => false,
        };
        is_default && !self.selects_players && !self.selects_things
    }
}

/// Collects the words of a head: `instant`, `(instant or sorcery)`. Returns `false` if it has another form.
fn collect_kinds<'t>(head: &'t Head, kinds: &mut Vec<&'t Name>) -> bool {
    match head {
        Head::Word(name) => {
            kinds.push(name);
            true
        }
        Head::Group(inner) => collect_alternatives(inner, kinds),
        _ => false,
    }
}

fn collect_alternatives<'t>(expr: &'t Expr, kinds: &mut Vec<&'t Name>) -> bool {
    match &expr.kind {
        ExprKind::Binary { op: BinaryOp::Or, left, right } => {
            collect_alternatives(left, kinds) && collect_alternatives(right, kinds)
        }
        ExprKind::Phrase(phrase) if phrase.quantifier.is_none() && phrase.filters.is_empty() && !phrase.other => {
            collect_kinds(&phrase.head, kinds)
        }
        _ => false,
    }
}
