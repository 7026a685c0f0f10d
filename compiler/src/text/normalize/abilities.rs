//! Abilities, durations, changes and events as text trees.

use super::{Builder, nil};
use crate::text::tree::collect_conditions;
use crate::text::tree::{TextNode, TextNodeKind, is_hole};
use fizzle_grammar::ast::{
    Ability, AbilityKind, Block, ClauseKind, DeclarationClause, Duration, DurationPoint, Fact, Modification, ModificationKind,
    Moment, Pattern, Play, Span, StatementKind, TriggerChange, UseLimit,
};
use smol_str::SmolStr;

/// The indices of the children of an event: its object, its condition, and the word `passive`.
const OBJECT: usize = 1;
pub(in crate::text) const CONDITION: usize = 3;
const PASSIVE: usize = 4;

/// The text of a trigger inside an ability that waits on the list itself.
pub(in crate::text) const LISTED: &str = "listed";

impl Builder<'_> {
    /// Converts a list of changes.
    #[must_use]
    pub fn changes(&self, mods: &[Modification], span: Span) -> TextNode {
        TextNode::new(TextNodeKind::List, "", mods.iter().map(|one| self.change(one)).collect(), span)
    }

    /// Converts a change.
    #[must_use]
    pub fn change(&self, change: &Modification) -> TextNode {
        let span = change.span;
        let (text, mut kids) = match &change.kind {
            ModificationKind::Add { negative, amount, property } => {
                (if *negative { "-" } else { "+" }, vec![self.word(property), self.expr(amount)])
            }
            ModificationKind::Set { property, value } => ("=", vec![self.word(property), self.expr(value)]),
            ModificationKind::Word { name, args } => {
                if self.is_pattern && args.is_empty() && is_hole(&name.text) {
                    return self.word(name);
                }
                let mut kids = vec![self.word(name)];
                kids.extend(args.iter().map(|arg| self.expr(arg)));
                ("word", kids)
            }
            ModificationKind::Only(name) => ("only", vec![self.word(name)]),
            ModificationKind::Instead { traits, new, old } => {
                ("instead", vec![self.word(traits), self.expr(new), self.expr(old)])
            }
            ModificationKind::None(name) => ("none", vec![self.word(name)]),
            ModificationKind::Every(name) => ("every", vec![self.word(name)]),
            ModificationKind::Switch(one, two) => ("switch", vec![self.word(one), self.word(two)]),
            ModificationKind::Not(name) => ("not", vec![self.word(name)]),
            ModificationKind::NoAbilities => ("no_abilities", vec![]),
            ModificationKind::NoStatics => ("no_statics", vec![]),
        };
        if let Some(floor) = &change.floor {
            kids.push(TextNode::new(TextNodeKind::List, "min", vec![self.expr(floor)], span));
        }
        TextNode::new(TextNodeKind::Change, text, kids, span)
    }

    /// Converts a duration.
    #[must_use]
    pub fn until(&self, until: &Duration) -> TextNode {
        let points = until.points.iter().map(|point| match point {
            DurationPoint::Moment(moment) => self.moment(moment),
            DurationPoint::Event(pattern) => self.event(pattern),
            DurationPoint::Failure(condition) => self.expr(condition),
        });
        let is_condition = matches!(until.points.as_slice(), [DurationPoint::Failure(_)]);
        TextNode::new(TextNodeKind::Until, if is_condition { "as_long_as" } else { "" }, points.collect(), until.span)
    }

    pub(super) fn moment(&self, moment: &Moment) -> TextNode {
        let path: Vec<&str> = moment.period_path.parts.iter().map(|part| part.text.as_str()).collect();
        let last = path.last().copied().unwrap_or("");
        let text = format!("{}{}", if moment.start { "start" } else { "end" }, if moment.next { "_next" } else { "" });
        let span = moment.period_path.span;
        let mut place = self.word_text(&SmolStr::new(last), false, span);
        place.kind = if place.kind == TextNodeKind::Word { TextNodeKind::Period } else { place.kind };
        TextNode::new(TextNodeKind::Moment, text, vec![place, self.optional_expr(moment.whose.as_ref())], span)
    }

    /// The index of the child of an event that its condition calls `it`.
    pub(in crate::text) fn place_of_it(&self, event: &TextNode) -> usize {
        // an object that enters or leaves a zone is `it`, and the zone is no object
        if matches!(event.text.as_str(), "enter" | "leave") {
            return 0;
        }
        let (params, subject) = self.parameters(&event.text);
        let it = params.iter().position(|(name, _)| name == "it");
        let is_subject = it.is_some() && it == subject;
        if !event.kid(PASSIVE).is_nil() || is_subject || event.kid(OBJECT).is_nil() { 0 } else { OBJECT }
    }

    /// Rewrites the conditions of an event on the zone of its object, `casts card where it in graveyard`, as filters of the object.
    fn place_object(&self, mut event: TextNode) -> TextNode {
        let at = self.place_of_it(&event);
        let object = event.kid(at).clone();
        let head = if object.kind == TextNodeKind::Phrase { object.kid(1) } else { &object };
        let is_open = head.kind == TextNodeKind::Hole || head.kind == TextNodeKind::Word && self.is_noun(&head.text);
        if event.kid(CONDITION).is_nil() || !is_open {
            return event;
        }
        let mut tests = Vec::new();
        collect_conditions(event.kid(CONDITION), &mut tests);
        let is_placed = object.kids.iter().any(|filter| filter.kind == TextNodeKind::In);
        let place = |test: &TextNode| match test.kind {
            TextNodeKind::Not => Some((TextNodeKind::NotIn, self.place_of("it", test.kid(0))?)),
            _ if is_placed => None,
            _ => Some((TextNodeKind::In, self.place_of("it", test)?)),
        };
        let (placing, others): (Vec<&TextNode>, Vec<&TextNode>) = tests.into_iter().partition(|test| place(test).is_some());
        if placing.is_empty() {
            return event;
        }
        let mut kids = if object.kind == TextNodeKind::Phrase { object.kids.clone() } else { vec![nil(), object.clone()] };
        kids.extend(placing.iter().filter_map(|test| {
            let (kind, zone) = place(test)?;
            Some(TextNode::new(kind, "", vec![zone], test.span))
        }));
        let both = |one: TextNode, other: TextNode| {
            let span = one.span;
            TextNode::new(TextNodeKind::Binary, "and", vec![one, other], span)
        };
        let rest = others.into_iter().cloned().reduce(both).unwrap_or_else(nil);
        let text = if object.kind == TextNodeKind::Phrase { object.text.clone() } else { SmolStr::default() };
        event.kids[at] = TextNode::new(TextNodeKind::Phrase, text, kids, object.span);
        event.kids[CONDITION] = rest;
        event
    }

    /// Converts the pattern of an event.
    #[must_use]
    pub fn event(&self, pattern: &Pattern) -> TextNode {
        let span = pattern.span;
        let subject = match pattern.one_or_more {
            Some(span) => one_or_more(self.expr(&pattern.subject), span),
            None => any_player(self.expr(&pattern.subject)),
        };
        if self.is_pattern && matches!(pattern.verb.text.as_str(), "happens" | "happen") && subject.kind == TextNodeKind::Hole {
            return subject;
        }
        let verb = if self.is_pattern && is_hole(&pattern.verb.text) {
            pattern.verb.text.clone()
        } else {
            self.verb(&pattern.verb.text, pattern.passive)
        };
        let kids = vec![
            subject,
            self.optional_expr(pattern.object.as_ref()),
            self.optional_expr(pattern.from.as_ref()),
            self.optional_expr(pattern.condition.as_ref()),
            if pattern.passive { TextNode::word("passive", span) } else { nil() },
        ];
        let event = self.place_object(TextNode::new(TextNodeKind::Event, verb, kids, span));
        let Some(nth) = pattern.nth_time.as_deref() else { return event };
        let period = nth.period_path.parts.last().map_or("", |part| part.text.as_str());
        let number = TextNode::new(TextNodeKind::Number, nth.number.to_string(), vec![], nth.span);
        TextNode::new(TextNodeKind::NthTime, "", vec![event, number, TextNode::word(period, nth.span)], nth.span)
    }

    pub(super) fn clause(&self, clause: &DeclarationClause) -> TextNode {
        let span = clause.span;
        let verb = self.verb(&clause.verb.text, clause.passive);
        let (text, mut extra) = match &clause.kind {
            ClauseKind::Must => ("must".to_owned(), vec![]),
            ClauseKind::Alone => ("alone".to_owned(), vec![]),
            ClauseKind::Count { more, count, together } => (
                format!("{}{}", if *more { "more" } else { "fewer" }, if *together { "_together" } else { "" }),
                vec![self.expr(count)],
            ),
            ClauseKind::Unless { count, others, .. } => ("unless".to_owned(), vec![self.expr(count), self.expr(others)]),
            ClauseKind::Price(price) => ("price".to_owned(), vec![self.expr(price)]),
            ClauseKind::Cost(block) => ("cost".to_owned(), vec![self.block(block)]),
        };
        let mut kids = vec![
            TextNode::word(&verb, span),
            self.expr(&clause.subject),
            self.optional_expr(clause.object.as_ref()),
            self.optional_expr(clause.condition.as_ref()),
            if clause.passive { TextNode::word("passive", span) } else { nil() },
            if clause.some { TextNode::word("some", span) } else { nil() },
        ];
        kids.append(&mut extra);
        TextNode::new(TextNodeKind::Clause, text, kids, span)
    }

    pub(super) fn limit(&self, limit: Option<&UseLimit>) -> TextNode {
        limit.map_or_else(nil, |limit| {
            let by = limit.by.as_ref().map_or_else(String::new, |by| format!("_{}", by.text));
            let place = limit.period_path.parts.last().map_or("", |part| part.text.as_str());
            let kids = vec![
                TextNode::new(TextNodeKind::Number, limit.count.to_string(), vec![], limit.span),
                TextNode::word(place, limit.span),
            ];
            TextNode::new(TextNodeKind::Limit, format!("limit{by}"), kids, limit.span)
        })
    }

    pub(super) fn play(&self, play: &Play) -> Vec<TextNode> {
        vec![
            self.optional_expr(play.condition.as_ref()),
            self.optional_expr(play.price.as_ref()),
            play.cost.as_ref().map_or_else(nil, |cost| self.block(cost)),
            if play.body.statements.is_empty() { nil() } else { self.block(&play.body) },
            self.optional_expr(play.produces.as_ref()),
            self.limit(play.limit.as_ref()),
            play.numbers.as_ref().map_or_else(nil, |values| self.values(values)),
        ]
    }

    /// The names of the numbers that are chosen for a play.
    pub(super) fn values(&self, values: &Block) -> TextNode {
        let calls = values.statements.iter().flat_map(|statement| match &statement.kind {
            StatementKind::Calls(calls) => calls.as_slice(),
            _ => &[],
        });
        let names = calls.filter_map(|call| call.binding.as_ref());
        TextNode::new(TextNodeKind::List, "values", names.map(|name| self.word(name)).collect(), values.span)
    }

    pub(super) fn fact(&self, fact: &Fact) -> TextNode {
        let mut kids: Vec<TextNode> = fact.args.iter().map(|arg| self.expr(arg)).collect();
        kids.extend(fact.value.iter().map(|value| self.expr(value)));
        TextNode::new(TextNodeKind::Keyword, fact.word.text.clone(), kids, fact.span)
    }

    /// Converts an ability. Its zones are the last child.
    #[must_use]
    pub fn ability(&self, ability: &Ability) -> TextNode {
        let span = ability.span;
        let zones = TextNode::new(TextNodeKind::List, "zones", ability.zones.iter().map(|zone| self.word(zone)).collect(), span);
        let (kind, text, mut kids) = match &ability.kind {
            AbilityKind::When { pattern, condition, limit, body } => (
                TextNodeKind::When,
                SmolStr::new(trigger_manner(ability)),
                vec![
                    self.event(pattern),
                    self.optional_expr(condition.as_deref()),
                    self.block(body),
                    self.limit(limit.as_deref()),
                ],
            ),
            AbilityKind::TriggerChange { pattern, whose, change } => {
                let change = match change {
                    TriggerChange::Again => "again",
                    TriggerChange::Never => "",
                    TriggerChange::NotOptionally => "optionally",
                };
                (TextNodeKind::Causing, change.into(), vec![self.event(pattern), self.expr(whose)])
            }
            AbilityKind::AsSoon { condition, body } => {
                (TextNodeKind::AsSoon, SmolStr::default(), vec![self.expr(condition), self.block(body)])
            }
            AbilityKind::At { moment, condition, limit, body } => (
                TextNodeKind::At,
                SmolStr::new(trigger_manner(ability)),
                vec![
                    self.moment(moment),
                    self.optional_expr(condition.as_deref()),
                    self.block(body),
                    self.limit(limit.as_deref()),
                ],
            ),
            AbilityKind::Instead { pattern, condition, optional, body } => (
                TextNodeKind::Instead,
                if *optional { "may" } else { "" }.into(),
                vec![self.event(pattern), self.optional_expr(condition.as_deref()), self.governed_block(body, "if")],
            ),
            AbilityKind::Cannot(pattern) => (TextNodeKind::Cannot, SmolStr::default(), vec![self.event(pattern), nil()]),
            AbilityKind::Clause(clause) => {
                let mut made = self.clause(clause);
                made.kids.push(nil());
                made.kids.push(zones);
                return if self.is_pattern { made } else { self.with_periods(made) };
            }
            AbilityKind::Static { condition, clauses } => {
                let clauses = clauses.iter().map(|clause| self.statement(clause)).collect();
                let by = if condition.is_some() { "if" } else { "" };
                (
                    TextNodeKind::Static,
                    SmolStr::default(),
                    vec![self.optional_expr(condition.as_deref()), TextNode::new(TextNodeKind::Block, by, clauses, span)],
                )
            }
            AbilityKind::Defines(mods) => (TextNodeKind::Defines, SmolStr::default(), vec![self.changes(mods, span)]),
            AbilityKind::Does(block) => (TextNodeKind::Does, SmolStr::default(), vec![self.block(block)]),
            AbilityKind::Cost(block) => (TextNodeKind::Cost, SmolStr::default(), vec![self.block(block)]),
            AbilityKind::Option { status, instead, play } => {
                let mut kids = vec![self.word(status), if *instead { TextNode::word("instead", span) } else { nil() }];
                kids.extend(self.play(play));
                (TextNodeKind::Option, SmolStr::default(), kids)
            }
            AbilityKind::Activated(play) => {
                let manner = if play.immediate { "immediately" } else { "" };
                (TextNodeKind::Activated, SmolStr::new_static(manner), self.play(play))
            }
            AbilityKind::Keyword(fact) => return self.fact(fact),
            // What could not be expanded is an error.
            AbilityKind::Costed(_) | AbilityKind::KeywordBlock(_) => (TextNodeKind::Does, SmolStr::default(), Vec::new()),
        };
        kids.push(zones);
        let mut made = TextNode::new(kind, text, kids, span);
        let is_immediate = ability.immediately || made.kind == TextNodeKind::Activated && !made.text.is_empty();
        if !self.is_pattern && !ability.off_list && !is_immediate {
            mark_triggers(&mut made);
        }
        if self.is_pattern { made } else { self.with_periods(made) }
    }

    /// Converts a printed fact to a `Keyword` node, as an ability is.
    #[must_use]
    pub fn keyword(&self, fact: &Fact) -> TextNode {
        self.fact(fact)
    }
}

/// Rewrites `one or more X` as a phrase with a quantifier.
fn one_or_more(subject: TextNode, span: Span) -> TextNode {
    let quantifier = TextNode::new(TextNodeKind::Quantifier, "one_or_more", Vec::new(), span);
    match subject.kind {
        TextNodeKind::Phrase if subject.kid(0).is_nil() => {
            let kids = std::iter::once(quantifier).chain(subject.kids.into_iter().skip(1)).collect();
            TextNode { kids, ..subject }
        }
        _ => {
            let span = span.to(subject.span);
            TextNode::new(TextNodeKind::Phrase, "", vec![quantifier, subject], span)
        }
    }
}

/// How a trigger is placed. An entry without a manner matches triggers of all manners.
fn trigger_manner(ability: &Ability) -> &'static str {
    match (&ability.kind, ability.can_miss_timing, ability.immediately) {
        (_, true, _) => "timely",
        (_, _, true) => "immediately",
        (AbilityKind::At { .. }, ..) if ability.off_list => "unlisted",
        _ => "",
    }
}

/// Marks the triggers inside an ability that waits on the list itself: what they depend on happens when it resolves.
fn mark_triggers(node: &mut TextNode) {
    if node.kind == TextNodeKind::Trigger {
        node.text = LISTED.into();
    }
    node.kids.iter_mut().for_each(mark_triggers);
}

/// The subject of an event: `players` is any player.
fn any_player(subject: TextNode) -> TextNode {
    if subject.is_word("players") { TextNode::word("player", subject.span) } else { subject }
}
