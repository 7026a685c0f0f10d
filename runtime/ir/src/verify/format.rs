//! Verifies abilities, modifications, choice sites, and the tables of a format.

use super::{MAX_ARGS, MAX_CAPTURES, Verifier, VerifyError};
use crate::encoding_limits::MAX_PLAYERS;
use crate::verbs::VERBS;
use crate::{
    AbilityKind, Change, ChoiceSite, ClauseRule, DeclarationClause, EventPattern, Format, Modification, PeriodEntry, Play, Type,
    WHOLE_GAME, has_zone,
};

/// The maximum length of a symbol of a price, in bytes.
const MAX_SYMBOL_BYTES: usize = 16;
/// The maximum number of periods of a format: the plan of a turn packs a period and an entry index into one word.
const MAX_PERIODS: usize = 1 << 16;

/// The maximum number of entries of a period.
const MAX_ENTRIES: usize = 4095;

/// The maximum depth of periods.
const MAX_PERIOD_DEPTH: usize = 64;

impl Verifier<'_> {
    pub(super) fn ability(&self, kind: &AbilityKind) -> Result<(), VerifyError> {
        match kind {
            AbilityKind::Triggered { pattern, condition, limit, body, .. } => {
                self.pattern(pattern)?;
                if let Some(limit) = limit.filter(|limit| limit.period != WHOLE_GAME) {
                    self.index("span", limit.period.index(), self.periods)?;
                }
                self.pure(*condition, 2)?;
                self.statements(*body, 2)
            }
            AbilityKind::Replacement { pattern, body, .. } => self.pattern(pattern).and_then(|()| self.statements(*body, 2)),
            AbilityKind::Prohibition { pattern } => self.pattern(pattern),
            AbilityKind::TriggerModifier { pattern, whose, .. } => self.pattern(pattern).and_then(|()| self.pure(*whose, 3)),
            AbilityKind::Static { condition, modifications: mods } => {
                self.pure(*condition, 2)?;
                mods.iter().try_for_each(|m| self.index("change", m.index(), self.library.modifications.len()))
            }
            AbilityKind::Paragraph { body } => self.statements(*body, 2),
            AbilityKind::Cost { body, possible } => self.statements(*body, 2).and_then(|()| self.pure(*possible, 2)),
            AbilityKind::CostOption { status, instead: _, site, condition, price, cost, possible } => {
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
            Change::SetController(value) => self.pure(*value, 3),
            Change::LoseAllWords(traits) | Change::GainAllWords(traits) => {
                self.index("trait set", traits.index(), library.traits.len())
            }
            Change::ChangeWordByValue { traits, word, how: _ } => {
                self.index("trait set", traits.index(), library.traits.len())?;
                self.pure(*word, 3)
            }
            Change::GainWord(traits, word) | Change::LoseWord(traits, word) => {
                let words = library.traits.get(traits.index()).map_or(0, |t| t.words.len());
                self.index("word", usize::from(*word), words)
            }
            Change::SubstituteWord { traits, new, old } => {
                self.index("trait set", traits.index(), library.traits.len())?;
                self.pure(*new, 3)?;
                self.pure(*old, 3)
            }
            Change::GainBundle(unit) => self.index("unit", unit.index(), self.bundles),
            Change::GainBundleByValue { bundles: units, which } => {
                units.iter().try_for_each(|unit| self.index("unit", unit.index(), self.bundles))?;
                self.pure(*which, 3)
            }
            Change::LoseKeyword(keyword) => self.index("keyword", keyword.index(), library.keywords.len()),
            Change::LoseAbilities | Change::LoseStatics => Ok(()),
            Change::Prohibit(pattern) => self.pattern(pattern),
            Change::ConstrainDeclarations(clause) => self.clause(clause),
        }
    }

    fn clause(&self, clause: &DeclarationClause) -> Result<(), VerifyError> {
        self.pattern(&clause.pattern)?;
        match &clause.rule {
            ClauseRule::Must => Ok(()),
            ClauseRule::Count { count, .. } => self.pure(*count, 2),
            ClauseRule::WithOthers { others, count } => self.pure(*others, 2).and_then(|()| self.pure(*count, 2)),
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
        if site.candidate_type.element().is_none() {
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
            if has_zone(format.absent_zones, kind) && (zone.field || zone.list) {
                return Err(VerifyError::new("zone", format!("`{}` cannot be absent", zone.name)));
            }
        }
        self.actions_of(format)?;
        for (number, unit) in format.bundles.numbered() {
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
            let place = |e: VerifyError| e.within(&format!("state rule `{}`", rule.name));
            self.statements(rule.body, 2).map_err(place)?;
            rule.acts.iter().try_for_each(|acts| self.pure(*acts, 2)).map_err(place)?;
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
        format.announce.needs.iter().try_for_each(|action| self.index("action", action.index(), self.actions))?;
        for treat in &format.action_aliases {
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
        for refused in &format.deck.prohibitions {
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
        self.layout(&format.layout).map_err(|e| e.within("layout"))?;
        self.check_periods(format)
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
            for condition in &action.cost_conditions {
                self.pure(*condition, 2).map_err(place)?;
            }
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
        for condition in [play.object_filter, play.condition, play.price, play.price_condition, play.produces, play.cost_possible]
        {
            self.pure(condition, 2)?;
        }
        self.statements(play.numbers, 2)?;
        if play.price.is_some() || play.produces.is_some() {
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
        if let Some(limit) = play.limit.filter(|limit| limit.period != WHOLE_GAME) {
            self.index("span", limit.period.index(), self.periods)?;
        }
        self.statements(play.cost, 2)?;
        self.statements(play.body, 2)?;
        self.source(play.source)
    }

    fn payment(&self, payment: &crate::Payment) -> Result<(), VerifyError> {
        self.index("trait set", payment.kinds.index(), self.library.traits.len())?;
        self.at_most("clauses", payment.clauses.len(), 64)?;
        for clause in &payment.clauses {
            self.pure(clause.condition, 3)?;
            self.pure(clause.producers, 2)?;
            self.pure(clause.produces, 3)?;
            self.pure(clause.times, 3)?;
            self.statements(clause.by, 2)?;
        }
        if !payment.symbols.is_empty() {
            let kinds = self.library.traits.get(payment.kinds.index()).map_or(0, |kinds| kinds.words.len());
            self.at_most("symbols", payment.symbols.len(), kinds)?;
            let is_symbol = |text: &String| {
                text.len() <= MAX_SYMBOL_BYTES && text.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit())
            };
            if !payment.symbols.iter().all(is_symbol) {
                return Err(VerifyError::new("symbols", "one is not made of a few capitals and digits"));
            }
        }
        self.at_most("restricted pools", payment.restricted.len(), 64)?;
        for pool in &payment.restricted {
            self.pure(pool.condition, 3)?;
            let variable = self.library.player_variables.get(usize::from(pool.variable));
            if variable.is_none_or(|variable| variable.keys != Some(payment.kinds)) {
                return Err(VerifyError::new("restricted pool", "its variable has no number for each kind"));
            }
        }
        let variables = self.library.player_variables.len();
        payment.pool.iter().flatten().try_for_each(|n| self.index("player variable", usize::from(*n), variables))
    }

    fn check_periods(&self, format: &Format) -> Result<(), VerifyError> {
        self.at_most("spans", format.periods.len(), MAX_PERIODS)?;
        for (number, span) in format.periods.iter().enumerate() {
            let place = |e: VerifyError| e.within(&format!("span {number} `{}`", span.path));
            self.index("span", span.parent.index(), format.periods.len()).map_err(place)?;
            self.pure(span.condition, 2).map_err(place)?;
            self.statements(span.body, 2).map_err(place)?;
            for body in span.at_start.iter().chain(&span.at_end) {
                self.statements(*body, 2).map_err(place)?;
            }
            self.source(span.source).map_err(place)?;
            self.at_most("entries", span.entries.len(), MAX_ENTRIES).map_err(place)?;
            self.entries(format, &span.entries).map_err(place)?;
            self.check_parents(format, number).map_err(place)?;
        }
        self.check_tree(format)
    }

    fn entries(&self, format: &Format, entries: &[PeriodEntry]) -> Result<(), VerifyError> {
        entries.iter().try_for_each(|entry| match entry {
            PeriodEntry::Period(child) => self.index("span", child.index(), format.periods.len()),
            PeriodEntry::Repeat(condition, children) => {
                self.pure(*condition, 2)?;
                self.at_most("entries", children.len(), MAX_ENTRIES)?;
                self.entries(format, children)
            }
        })
    }

    /// Checks that the parents of a period lead to the turn.
    fn check_parents(&self, format: &Format, number: usize) -> Result<(), VerifyError> {
        let mut at = number;
        for _ in 0..=MAX_PERIOD_DEPTH {
            if at == 0 {
                return Ok(());
            }
            at = format.periods.get(at).map_or(0, |span| span.parent.index());
        }
        Err(VerifyError::new("parent", "its parents form a circle"))
    }

    /// Checks that the child entries of periods have no cycles.
    fn check_tree(&self, format: &Format) -> Result<(), VerifyError> {
        let mut done = vec![false; format.periods.len()];
        let mut open = vec![false; format.periods.len()];
        for start in 0..format.periods.len() {
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
                for child in format.periods.get(at).map_or_else(Vec::new, |span| children(&span.entries)) {
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
            PeriodEntry::Period(child) => vec![child.index()],
            PeriodEntry::Repeat(_, inner) => children(inner),
        })
        .collect()
}
