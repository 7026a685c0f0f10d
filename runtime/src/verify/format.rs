//! Abilities, changes, sites, and the tables of a format.

use super::{MAX_ARGS, MAX_CAPTURES, MAX_PLAYERS, Verifier, VerifyError};
use crate::ir::verbs::VERBS;
use crate::ir::{
    AbilityKind, Change, ChoiceSite, ClauseRule, DeclarationClause, EventPattern, Format, Modification, PeriodEntry, Play, Type,
    has_zone,
};

/// The longest symbol of a price, in bytes.
const MAX_SYMBOL: usize = 16;
/// The most spans of a format: the plan of a turn packs a span and an entry of it into one word.
const MAX_SPANS: usize = 1 << 16;

/// The most entries of a span.
const MAX_ENTRIES: usize = 4095;

/// The deepest nesting of spans.
const MAX_DEPTH: usize = 64;

impl Verifier<'_> {
    pub(super) fn ability(&self, kind: &AbilityKind) -> Result<(), VerifyError> {
        match kind {
            AbilityKind::Triggered { pattern, condition, limit, body, .. } => {
                self.pattern(pattern)?;
                if let Some(limit) = limit {
                    self.index("span", limit.span.index(), self.spans)?;
                }
                self.pure(*condition, 2)?;
                self.statements(*body, 2)
            }
            AbilityKind::Replacement { pattern, body, .. } => self.pattern(pattern).and_then(|()| self.statements(*body, 2)),
            AbilityKind::Prohibition { pattern } => self.pattern(pattern),
            AbilityKind::TriggerModifier { pattern, whose, .. } => self.pattern(pattern).and_then(|()| self.pure(*whose, 3)),
            AbilityKind::Static { condition, mods } => {
                self.pure(*condition, 2)?;
                mods.iter().try_for_each(|m| self.index("change", m.index(), self.library.mods.len()))
            }
            AbilityKind::Paragraph { body } => self.statements(*body, 2),
            AbilityKind::Cost { body, possible } => self.statements(*body, 2).and_then(|()| self.pure(*possible, 2)),
            AbilityKind::Option { status, instead: _, site, condition, price, cost, possible } => {
                self.index("site", site.index(), self.library.sites.len())?;
                let statuses = &self.library.statuses;
                self.index("status", usize::from(*status), statuses.len())?;
                if statuses.get(usize::from(*status)).is_none_or(|s| !matches!(s.ty, Type::Bool | Type::Number)) {
                    return Err(VerifyError::new("option", "its status is no number and no condition"));
                }
                for function in [condition, price, possible] {
                    self.pure(*function, 2)?;
                }
                self.statements(*cost, 2)
            }
            AbilityKind::Activated { play } if play.announced.is_some() => {
                Err(VerifyError::new("activated ability", "what it is of does not wait itself"))
            }
            AbilityKind::Activated { play } => self.play(play),
        }
    }

    fn pattern(&self, pattern: &EventPattern) -> Result<(), VerifyError> {
        self.index("action", pattern.action.index(), self.actions)?;
        self.pure(pattern.filter, 2)
    }

    pub(super) fn change(&self, change: &Modification) -> Result<(), VerifyError> {
        let library = self.library;
        self.index("layer", usize::from(change.layer), library.layers.len().max(1))?;
        self.pure(change.selector, 3)?;
        let property = |number: u16| {
            self.index("property", usize::from(number), library.properties.len())?;
            match library.properties.get(usize::from(number)) {
                Some(p) if p.ty == Type::Price => Err(VerifyError::new("property", "a price cannot be changed")),
                _ => Ok(()),
            }
        };
        match &change.change {
            Change::Add { property: number, value, floor } => {
                property(*number)?;
                self.pure(*value, 3)?;
                self.pure(*floor, 3)
            }
            Change::Set { property: number, value } => property(*number).and_then(|()| self.pure(*value, 3)),
            Change::Switch(a, b) => property(*a).and_then(|()| property(*b)),
            Change::Controller(value) => self.pure(*value, 3),
            Change::NoWords(traits) | Change::AllWords(traits) => self.index("trait set", traits.index(), library.traits.len()),
            Change::Given { traits, word, how: _ } => {
                self.index("trait set", traits.index(), library.traits.len())?;
                self.pure(*word, 3)
            }
            Change::Word(traits, word) | Change::NotWord(traits, word) => {
                let words = library.traits.get(traits.index()).map_or(0, |t| t.words.len());
                self.index("word", usize::from(*word), words)
            }
            Change::Instead { traits, new, old } => {
                self.index("trait set", traits.index(), library.traits.len())?;
                self.pure(*new, 3)?;
                self.pure(*old, 3)
            }
            Change::Unit(unit) => self.index("unit", unit.index(), self.units),
            Change::Pick { units, which } => {
                units.iter().try_for_each(|unit| self.index("unit", unit.index(), self.units))?;
                self.pure(*which, 3)
            }
            Change::NotKeyword(keyword) => self.index("keyword", keyword.index(), library.keywords.len()),
            Change::NoAbilities | Change::NoStatics => Ok(()),
            Change::Cannot(pattern) => self.pattern(pattern),
            Change::Clause(clause) => self.clause(clause),
        }
    }

    fn clause(&self, clause: &DeclarationClause) -> Result<(), VerifyError> {
        self.pattern(&clause.pattern)?;
        match &clause.rule {
            ClauseRule::Must => Ok(()),
            ClauseRule::Count { count, .. } => self.pure(*count, 2),
            ClauseRule::With { others, count } => self.pure(*others, 2).and_then(|()| self.pure(*count, 2)),
            ClauseRule::Costs { price, cost, possible } => {
                self.pure(*price, 2)?;
                self.pure(*possible, 2)?;
                cost.map_or(Ok(()), |cost| self.statements(cost, 2))
            }
        }
    }

    pub(super) fn site(&self, site: &ChoiceSite) -> Result<(), VerifyError> {
        self.at_most("captures", site.captures.len(), MAX_CAPTURES)?;
        self.pure(site.selector, site.captures.len())?;
        self.pure(site.min, site.captures.len())?;
        self.pure(site.max, site.captures.len())?;
        if site.of.element().is_none() {
            return Err(VerifyError::new("candidates", "they are neither objects nor players"));
        }
        if let Some(verb) = site.verb {
            self.index("action", verb.index(), self.actions)?;
        }
        if let Some((modes, _, _)) = site.mode {
            self.index("site", modes.index(), self.library.sites.len())?;
        }
        if let Some((modes, _)) = site.modes {
            self.at_most("modes", usize::from(modes), 256)?;
        }
        self.source(site.source)
    }

    pub(super) fn format(&self, format: &Format) -> Result<(), VerifyError> {
        if format.min_players == 0 || format.min_players > format.max_players || format.max_players > MAX_PLAYERS {
            return Err(VerifyError::new(
                "players",
                format!("{} to {} are not 1 to {MAX_PLAYERS}", format.min_players, format.max_players),
            ));
        }
        for (kind, zone) in self.library.zones.iter().enumerate() {
            if has_zone(format.absent, kind) && (zone.field || zone.list) {
                return Err(VerifyError::new("zone", format!("`{}` cannot be absent", zone.name)));
            }
        }
        self.actions_of(format)?;
        for (number, unit) in format.units.numbered() {
            let place = |e: VerifyError| e.within(&format!("unit {number}"));
            if let Some((keyword, _)) = &unit.keyword {
                self.index("keyword", keyword.index(), self.library.keywords.len()).map_err(place)?;
            }
            for ability in &unit.abilities {
                self.index("ability", ability.index(), self.library.abilities.len()).map_err(place)?;
            }
        }
        for rule in &format.rules {
            for ability in &rule.abilities {
                self.index("ability", ability.index(), self.library.abilities.len())
                    .map_err(|e| e.within(&format!("rule `{}`", rule.name)))?;
            }
        }
        for rule in &format.state_rules {
            self.statements(rule.body, 2).map_err(|e| e.within(&format!("state rule `{}`", rule.name)))?;
        }
        self.at_most("plays", format.plays.len(), 1 << 20)?;
        for play in &format.plays {
            if play.while_concealed {
                return Err(VerifyError::new(
                    &format!("play `{}`", play.name),
                    "only an ability works while its object is concealed",
                ));
            }
            self.play(play).map_err(|e| e.within(&format!("play `{}`", play.name)))?;
        }
        for payment in &format.payments {
            self.payment(payment).map_err(|e| e.within(&format!("payment `{}`", payment.name)))?;
        }
        for lift in &format.announce.announced_choices {
            lift.except_own.iter().try_for_each(|action| self.index("action", action.index(), self.actions))?;
        }
        for treat in &format.treats {
            self.index("action", treat.action.index(), self.actions)?;
            self.index("action", treat.into.index(), self.actions)?;
            self.pure(treat.condition, 2)?;
        }
        self.statements(format.setup, 2)?;
        self.pure(format.evaluate, 2)?;
        let definitions = self.library.definitions.len();
        for (from, to) in &format.errata {
            self.index("card", from.index(), definitions)?;
            self.index("card", to.index(), definitions)?;
        }
        for refused in &format.deck.refused {
            self.pure(refused.cards, 3)?;
        }
        for (limited, _) in &format.deck.limits {
            self.pure(*limited, 3)?;
        }
        if format.match_rules.best_of != 0 && format.match_rules.best_of.is_multiple_of(2) {
            return Err(VerifyError::new("match", format!("best of {} is no odd number of games", format.match_rules.best_of)));
        }
        if let Some(unlimited) = format.deck.unlimited {
            self.pure(unlimited, 3)?;
        }
        for card in format.deck.banned.iter().chain(&format.deck.restricted) {
            self.index("card", card.index(), definitions)?;
        }
        self.spans_of(format)
    }

    fn actions_of(&self, format: &Format) -> Result<(), VerifyError> {
        for (verb, action) in VERBS.iter().zip(&format.actions) {
            if verb.name != action.name || verb.params.len() != action.params.len() {
                return Err(VerifyError::new(
                    "action",
                    format!("`{}` stands where the built-in verb `{}` does", action.name, verb.name),
                ));
            }
        }
        if format.actions.len() < VERBS.len() {
            return Err(VerifyError::new("actions", "built-in verbs are missing"));
        }
        for action in &format.actions {
            let place = |e: VerifyError| e.within(&format!("action `{}`", action.name));
            self.at_most("parameters", action.params.len(), MAX_ARGS).map_err(place)?;
            self.statements(action.body, 2).map_err(place)?;
            self.source(action.source).map_err(place)?;
            if let Some(parent) = action.parent {
                self.index("action", parent.index(), format.actions.len()).map_err(place)?;
            }
        }
        Ok(())
    }

    fn play(&self, play: &Play) -> Result<(), VerifyError> {
        for zone in &play.from {
            self.index("zone", zone.index(), self.library.zones.len())?;
        }
        for condition in [play.object_filter, play.condition, play.price, play.price_condition, play.yields, play.cost_possible] {
            self.pure(condition, 2)?;
        }
        self.statements(play.values, 2)?;
        if play.price.is_some() || play.yields.is_some() {
            self.index("payment", play.payment.index(), self.payments)?;
        }
        self.at_most("further arguments", play.extra_params.len(), MAX_ARGS)?;
        self.at_most("given arguments", usize::from(play.effect_params), play.extra_params.len())?;
        if play.extra_params.iter().any(|ty| ty.is_list()) {
            return Err(VerifyError::new("play", "a further argument cannot be a list"));
        }
        if let Some(status) = play.announced {
            if play.immediate || play.nowhere || play.while_concealed {
                return Err(VerifyError::new("play", "only what waits is announced under a status"));
            }
            self.index("status", usize::from(status), self.library.statuses.len())?;
            if self.library.statuses.get(usize::from(status)).is_none_or(|status| status.ty != Type::Bool) {
                return Err(VerifyError::new("play", "what is announced holds a status that is a bool"));
            }
        }
        if let Some(limit) = play.limit {
            self.index("span", limit.span.index(), self.spans)?;
        }
        self.statements(play.cost, 2)?;
        self.statements(play.body, 2)?;
        self.source(play.source)
    }

    fn payment(&self, payment: &crate::ir::Payment) -> Result<(), VerifyError> {
        self.index("trait set", payment.kinds.index(), self.library.traits.len())?;
        self.at_most("clauses", payment.clauses.len(), 64)?;
        for clause in &payment.clauses {
            self.pure(clause.condition, 2)?;
            self.pure(clause.producers, 2)?;
            self.pure(clause.yields, 3)?;
            self.pure(clause.times, 3)?;
            self.statements(clause.by, 2)?;
        }
        if !payment.symbols.is_empty() {
            let kinds = self.library.traits.get(payment.kinds.index()).map_or(0, |kinds| kinds.words.len());
            self.at_most("symbols", payment.symbols.len(), kinds)?;
            let is_symbol =
                |text: &String| text.len() <= MAX_SYMBOL && text.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit());
            if !payment.symbols.iter().all(is_symbol) {
                return Err(VerifyError::new("symbols", "one is not made of a few capitals and digits"));
            }
        }
        let variables = self.library.player_variables.len();
        payment.pool.iter().flatten().try_for_each(|n| self.index("player variable", usize::from(*n), variables))
    }

    fn spans_of(&self, format: &Format) -> Result<(), VerifyError> {
        self.at_most("spans", format.spans.len(), MAX_SPANS)?;
        for (number, span) in format.spans.iter().enumerate() {
            let place = |e: VerifyError| e.within(&format!("span {number} `{}`", span.path));
            self.index("span", span.parent.index(), format.spans.len()).map_err(place)?;
            self.pure(span.condition, 2).map_err(place)?;
            self.statements(span.body, 2).map_err(place)?;
            for body in span.at_start.iter().chain(&span.at_end) {
                self.statements(*body, 2).map_err(place)?;
            }
            self.source(span.source).map_err(place)?;
            self.at_most("entries", span.entries.len(), MAX_ENTRIES).map_err(place)?;
            self.entries(format, &span.entries).map_err(place)?;
            self.ends(format, number).map_err(place)?;
        }
        self.is_tree(format)
    }

    fn entries(&self, format: &Format, entries: &[PeriodEntry]) -> Result<(), VerifyError> {
        entries.iter().try_for_each(|entry| match entry {
            PeriodEntry::Span(child) => self.index("span", child.index(), format.spans.len()),
            PeriodEntry::Repeat(condition, children) => {
                self.pure(*condition, 2)?;
                self.at_most("entries", children.len(), MAX_ENTRIES)?;
                self.entries(format, children)
            }
        })
    }

    /// Going from parent to parent ends at the turn.
    fn ends(&self, format: &Format, number: usize) -> Result<(), VerifyError> {
        let mut at = number;
        for _ in 0..=MAX_DEPTH {
            if at == 0 {
                return Ok(());
            }
            at = format.spans.get(at).map_or(0, |span| span.parent.index());
        }
        Err(VerifyError::new("parent", "its parents form a circle"))
    }

    /// Going from child to child ends: children never lead back to a span that is open.
    fn is_tree(&self, format: &Format) -> Result<(), VerifyError> {
        let mut done = vec![false; format.spans.len()];
        let mut open = vec![false; format.spans.len()];
        for start in 0..format.spans.len() {
            let mut stack = vec![(start, false)];
            while let Some((at, leaving)) = stack.pop() {
                if leaving {
                    mark(&mut open, at, false);
                    mark(&mut done, at, true);
                    continue;
                }
                if done.get(at).copied().unwrap_or(true) {
                    continue;
                }
                mark(&mut open, at, true);
                stack.push((at, true));
                for child in format.spans.get(at).map_or_else(Vec::new, |span| children(&span.entries)) {
                    if open.get(child).copied().unwrap_or(false) {
                        return Err(VerifyError::new(&format!("span {at}"), "its children lead back to it"));
                    }
                    stack.push((child, false));
                }
            }
        }
        Ok(())
    }
}

fn mark(items: &mut [bool], at: usize, value: bool) {
    if let Some(place) = items.get_mut(at) {
        *place = value;
    }
}

fn children(entries: &[PeriodEntry]) -> Vec<usize> {
    entries
        .iter()
        .flat_map(|entry| match entry {
            PeriodEntry::Span(child) => vec![child.index()],
            PeriodEntry::Repeat(_, inner) => children(inner),
        })
        .collect()
}
