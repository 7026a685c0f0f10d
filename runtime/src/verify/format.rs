//! Abilities, changes, sites, and the tables of a format.

use super::{MAX_ARGS, MAX_CAPTURES, MAX_PLAYERS, Unsound, Verifier};
use crate::ir::verbs::VERBS;
use crate::ir::{AbilityKind, Change, Clause, ClauseRule, EventPattern, Format, Mod, Play, Site, SpanEntry, Type, has_zone};

/// The longest symbol of a price, in bytes.
const MAX_SYMBOL: usize = 16;
/// The most spans of a format: the plan of a turn packs a span and an entry of it into one word.
const MAX_SPANS: usize = 1 << 16;

/// The most entries of a span.
const MAX_ENTRIES: usize = 4095;

/// The deepest nesting of spans.
const MAX_DEPTH: usize = 64;

impl Verifier<'_> {
    pub(super) fn ability(&self, kind: &AbilityKind) -> Result<(), Unsound> {
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
            AbilityKind::Causing { pattern, whose, .. } => self.pattern(pattern).and_then(|()| self.pure(*whose, 3)),
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
                    return Err(Unsound::new("option", "its status is no number and no condition"));
                }
                for function in [condition, price, possible] {
                    self.pure(*function, 2)?;
                }
                self.statements(*cost, 2)
            }
            AbilityKind::Activated { play } if play.announced.is_some() => {
                Err(Unsound::new("activated ability", "what it is of does not wait itself"))
            }
            AbilityKind::Activated { play } => self.play(play),
        }
    }

    fn pattern(&self, pattern: &EventPattern) -> Result<(), Unsound> {
        self.index("action", pattern.action.index(), self.actions)?;
        self.pure(pattern.filter, 2)
    }

    pub(super) fn change(&self, change: &Mod) -> Result<(), Unsound> {
        let library = self.library;
        self.index("layer", usize::from(change.layer), library.layers.len().max(1))?;
        self.pure(change.selector, 3)?;
        let property = |number: u16| {
            self.index("property", usize::from(number), library.properties.len())?;
            match library.properties.get(usize::from(number)) {
                Some(p) if p.ty == Type::Price => Err(Unsound::new("property", "a price cannot be changed")),
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

    fn clause(&self, clause: &Clause) -> Result<(), Unsound> {
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

    pub(super) fn site(&self, site: &Site) -> Result<(), Unsound> {
        self.at_most("captures", site.captures.len(), MAX_CAPTURES)?;
        self.pure(site.selector, site.captures.len())?;
        self.pure(site.min, site.captures.len())?;
        self.pure(site.max, site.captures.len())?;
        if site.of.element().is_none() {
            return Err(Unsound::new("candidates", "they are neither objects nor players"));
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

    pub(super) fn format(&self, format: &Format) -> Result<(), Unsound> {
        if format.least == 0 || format.least > format.players || format.players > MAX_PLAYERS {
            return Err(Unsound::new("players", format!("{} to {} are not 1 to {MAX_PLAYERS}", format.least, format.players)));
        }
        for (kind, zone) in self.library.zones.iter().enumerate() {
            if has_zone(format.absent, kind) && (zone.field || zone.list) {
                return Err(Unsound::new("zone", format!("`{}` cannot be absent", zone.name)));
            }
        }
        self.actions_of(format)?;
        for (number, unit) in format.units.numbered() {
            let place = |e: Unsound| e.within(&format!("unit {number}"));
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
            if play.covered {
                return Err(Unsound::new(
                    &format!("play `{}`", play.name),
                    "only an ability works while its object is concealed",
                ));
            }
            self.play(play).map_err(|e| e.within(&format!("play `{}`", play.name)))?;
        }
        for payment in &format.payments {
            self.payment(payment).map_err(|e| e.within(&format!("payment `{}`", payment.name)))?;
        }
        for lift in &format.announce.lifts {
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
        if format.contest.best_of != 0 && format.contest.best_of.is_multiple_of(2) {
            return Err(Unsound::new("match", format!("best of {} is no odd number of games", format.contest.best_of)));
        }
        if let Some(unlimited) = format.deck.unlimited {
            self.pure(unlimited, 3)?;
        }
        for card in format.deck.banned.iter().chain(&format.deck.restricted) {
            self.index("card", card.index(), definitions)?;
        }
        self.spans_of(format)
    }

    fn actions_of(&self, format: &Format) -> Result<(), Unsound> {
        for (verb, action) in VERBS.iter().zip(&format.actions) {
            if verb.name != action.name || verb.params.len() != action.params.len() {
                return Err(Unsound::new(
                    "action",
                    format!("`{}` stands where the built-in verb `{}` does", action.name, verb.name),
                ));
            }
        }
        if format.actions.len() < VERBS.len() {
            return Err(Unsound::new("actions", "built-in verbs are missing"));
        }
        for action in &format.actions {
            let place = |e: Unsound| e.within(&format!("action `{}`", action.name));
            self.at_most("parameters", action.params.len(), MAX_ARGS).map_err(place)?;
            self.statements(action.body, 2).map_err(place)?;
            self.source(action.source).map_err(place)?;
            if let Some(parent) = action.parent {
                self.index("action", parent.index(), format.actions.len()).map_err(place)?;
            }
        }
        Ok(())
    }

    fn play(&self, play: &Play) -> Result<(), Unsound> {
        for zone in &play.from {
            self.index("zone", zone.index(), self.library.zones.len())?;
        }
        for condition in [play.applies, play.condition, play.price, play.usual, play.yields, play.cost_possible] {
            self.pure(condition, 2)?;
        }
        self.statements(play.values, 2)?;
        if play.price.is_some() || play.yields.is_some() {
            self.index("payment", play.payment.index(), self.payments)?;
        }
        self.at_most("further arguments", play.extras.len(), MAX_ARGS)?;
        self.at_most("given arguments", usize::from(play.given), play.extras.len())?;
        if play.extras.iter().any(|ty| ty.is_list()) {
            return Err(Unsound::new("play", "a further argument cannot be a list"));
        }
        if let Some(status) = play.announced {
            if play.at_once || play.nowhere || play.covered {
                return Err(Unsound::new("play", "only what waits is announced under a status"));
            }
            self.index("status", usize::from(status), self.library.statuses.len())?;
            if self.library.statuses.get(usize::from(status)).is_none_or(|status| status.ty != Type::Bool) {
                return Err(Unsound::new("play", "what is announced holds a status that is a bool"));
            }
        }
        if let Some(limit) = play.limit {
            self.index("span", limit.span.index(), self.spans)?;
        }
        self.statements(play.cost, 2)?;
        self.statements(play.body, 2)?;
        self.source(play.source)
    }

    fn payment(&self, payment: &crate::ir::Payment) -> Result<(), Unsound> {
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
                return Err(Unsound::new("symbols", "one is not made of a few capitals and digits"));
            }
        }
        let variables = self.library.player_variables.len();
        payment.pool.iter().flatten().try_for_each(|n| self.index("player variable", usize::from(*n), variables))
    }

    fn spans_of(&self, format: &Format) -> Result<(), Unsound> {
        self.at_most("spans", format.spans.len(), MAX_SPANS)?;
        for (number, span) in format.spans.iter().enumerate() {
            let place = |e: Unsound| e.within(&format!("span {number} `{}`", span.path));
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

    fn entries(&self, format: &Format, entries: &[SpanEntry]) -> Result<(), Unsound> {
        entries.iter().try_for_each(|entry| match entry {
            SpanEntry::Span(child) => self.index("span", child.index(), format.spans.len()),
            SpanEntry::Repeat(condition, children) => {
                self.pure(*condition, 2)?;
                self.at_most("entries", children.len(), MAX_ENTRIES)?;
                self.entries(format, children)
            }
        })
    }

    /// Going from parent to parent ends at the turn.
    fn ends(&self, format: &Format, number: usize) -> Result<(), Unsound> {
        let mut at = number;
        for _ in 0..=MAX_DEPTH {
            if at == 0 {
                return Ok(());
            }
            at = format.spans.get(at).map_or(0, |span| span.parent.index());
        }
        Err(Unsound::new("parent", "its parents form a circle"))
    }

    /// Going from child to child ends: children never lead back to a span that is open.
    fn is_tree(&self, format: &Format) -> Result<(), Unsound> {
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
                        return Err(Unsound::new(&format!("span {at}"), "its children lead back to it"));
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

fn children(entries: &[SpanEntry]) -> Vec<usize> {
    entries
        .iter()
        .flat_map(|entry| match entry {
            SpanEntry::Span(child) => vec![child.index()],
            SpanEntry::Repeat(_, inner) => children(inner),
        })
        .collect()
}
