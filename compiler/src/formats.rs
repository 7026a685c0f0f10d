//! Resolves formats before lowering: applies the differences of each format to the format that it extends.

use crate::diagnostics::{Diagnostic, allow_comparisons, closest, codes};
use crate::layout_difference::{ResolvedLayout, UnknownLayoutPath};
use crate::limits::{self, MAX_FORMATS};
use crate::maps::IndexMap;
use crate::names::{NameTable, dotted};
use crate::packs::GameItems;
use crate::turn_tree::{
    TurnNode, TurnNodeEntry, entries_of, find_node, has_node, insert_sibling, node_of, node_paths, remove_node,
};
use fizzle_grammar::ast::{
    Ability, Action, AnnouncePolicy, Block, Card, DeckRule, Difference, DifferenceKind, Expr, Item, ItemKind, MatchRules, Name,
    Param, Path, Payment, Play, Span,
};
use fizzle_ir::DECK_ZONE;
use smol_str::SmolStr;
use std::collections::BTreeMap;

/// The parameters and abilities of a keyword.
#[derive(Clone, Copy, Debug)]
pub struct KeywordBody<'a> {
    /// Its parameters, with the names of this declaration.
    pub params: &'a [Param],
    /// Its abilities.
    pub abilities: &'a [Ability],
}

/// A declaration `treat ACTION as ACTION when COND`.
#[derive(Clone, Copy, Debug)]
pub struct ActionAliasDecl<'a> {
    /// The proposed action.
    pub action: &'a Name,
    /// The action as which the event is re-read.
    pub into: &'a Name,
    /// The condition of the event, if there is one.
    pub condition: Option<&'a Expr>,
}

/// A format with its differences applied.
#[derive(Clone, Debug, Default)]
pub struct ResolvedFormat<'a> {
    /// Its name.
    pub name: SmolStr,
    /// Its title for readers.
    pub title: String,
    /// The format that it extends; `None` for the game itself.
    pub base: Option<SmolStr>,
    /// The place of its name.
    pub span: Span,
    /// Actions, each with the blocks that differences append to its body.
    pub actions: IndexMap<SmolStr, (&'a Action, Vec<&'a Block>)>,
    /// Keywords.
    pub keywords: IndexMap<SmolStr, KeywordBody<'a>>,
    /// Rules.
    pub rules: IndexMap<SmolStr, &'a [Ability]>,
    /// State rules.
    pub state_rules: IndexMap<SmolStr, &'a Block>,
    /// Actions that are re-read as others, by the proposed action.
    pub action_aliases: IndexMap<SmolStr, ActionAliasDecl<'a>>,
    /// Plays.
    pub plays: IndexMap<SmolStr, &'a Play>,
    /// Payments.
    pub payments: IndexMap<SmolStr, &'a Payment>,
    /// Constants.
    pub constants: IndexMap<SmolStr, &'a Expr>,
    /// The timing of the list.
    pub timing: Option<&'a [Vec<Name>]>,
    /// The announcement policy.
    pub announce: Option<&'a AnnouncePolicy>,
    /// The setup: blocks that run before the first turn.
    pub setup: Vec<&'a Block>,
    /// The turn.
    pub turn: Option<TurnNode<'a>>,
    /// The evaluation that bots maximise.
    pub evaluate: Option<&'a Expr>,
    /// The deck rules.
    pub deck: Option<&'a [DeckRule]>,
    /// The match rules.
    pub match_rules: Option<&'a MatchRules>,
    /// The minimal and maximal number of players, with the place of their declaration.
    pub players: Option<(u32, u32, Span)>,
    /// The zones that the format removes.
    pub absent_zones: Vec<SmolStr>,
    /// Banned cards.
    pub banned: Vec<&'a Name>,
    /// Restricted cards: a deck may have one copy.
    pub restricted: Vec<&'a Name>,
    /// Cards with errata.
    pub errata: Vec<&'a Card>,
    /// How the board looks.
    pub layout: Option<ResolvedLayout<'a>>,
}

/// Resolves all formats of a game: the game itself first, then the others in the order of their declaration.
pub fn resolve_formats<'a>(
    game: &GameItems<'a>,
    names: &NameTable<'a>,
    diagnostics: &mut Vec<Diagnostic>,
) -> Vec<ResolvedFormat<'a>> {
    let mut base =
        ResolvedFormat { name: game.name.clone(), title: game.title.clone(), span: game.span, ..ResolvedFormat::default() };
    let mut formats: IndexMap<SmolStr, &'a Item> = IndexMap::default();
    let mut too_many = false;
    let mut singletons: BTreeMap<&'static str, Span> = BTreeMap::new();
    for item in &game.items {
        match &item.kind {
            ItemKind::Format { name, .. } if formats.len() >= MAX_FORMATS => {
                if !std::mem::replace(&mut too_many, true) {
                    let message = format!("the game has more than {MAX_FORMATS} formats");
                    diagnostics.push(limits::exceeded(name.span, message, "leave some out, or write them in another game"));
                }
            }
            ItemKind::Format { name, .. } => {
                formats.entry(name.text.clone()).or_insert(item);
            }
            _ => {
                if let Some(what) = singleton_name(&item.kind)
                    && let Some(earlier) = singletons.insert(what, item.span)
                {
                    diagnostics.push(
                        Diagnostic::new(&codes::DUPLICATE, item.span, format!("{what} of the game is declared twice"))
                            .label("declared again")
                            .also(earlier, "first declared here")
                            .help("to change it in a format write `replace`: `format NAME extends BASE { replace … }`"),
                    );
                }
                base.set_item(item);
            }
        }
    }
    base.empty_refused_keywords(names, diagnostics);
    let mut done: BTreeMap<SmolStr, Option<ResolvedFormat<'a>>> = BTreeMap::new();
    done.insert(game.name.clone(), Some(base.clone()));
    for name in formats.keys() {
        resolve_format(name, &formats, &mut done, names, diagnostics, &mut Vec::new());
    }
    let mut all = vec![base];
    all.extend(formats.keys().filter(|name| **name != game.name).filter_map(|name| done.get(name).cloned().flatten()));
    all
}

fn resolve_format<'a>(
    name: &SmolStr,
    formats: &IndexMap<SmolStr, &'a Item>,
    done: &mut BTreeMap<SmolStr, Option<ResolvedFormat<'a>>>,
    names: &NameTable<'a>,
    diagnostics: &mut Vec<Diagnostic>,
    unfinished: &mut Vec<SmolStr>,
) -> Option<ResolvedFormat<'a>> {
    if let Some(model) = done.get(name) {
        return model.clone();
    }
    let item = *formats.get(name)?;
    let ItemKind::Format { name: written, title, base, differences } = &item.kind else { return None };
    if unfinished.contains(name) {
        diagnostics.push(
            Diagnostic::new(&codes::FORMAT_CYCLE, base.span, format!("`{name}` extends itself through `{}`", base.text))
                .help("one of them must not extend the others: let it extend the game"),
        );
        return None;
    }
    diagnostics.extend(title.as_ref().and_then(crate::limits::long_name));
    unfinished.push(name.clone());
    let found = if done.contains_key(&base.text) || formats.contains_key(&base.text) {
        resolve_format(&base.text, formats, done, names, diagnostics, unfinished)
    } else {
        let known: Vec<&str> = formats.keys().chain(done.keys()).map(SmolStr::as_str).collect();
        diagnostics.push(
            Diagnostic::new(&codes::UNKNOWN_FORMAT, base.span, format!("there is no format `{}` in this game", base.text))
                .did_you_mean(&base.text, known),
        );
        None
    };
    unfinished.pop();
    let resolved = found.map(|mut model| {
        model.name = written.text.clone();
        model.title = title.as_ref().map_or_else(|| written.text.to_string(), |title| title.text.to_string());
        model.base = Some(base.text.clone());
        model.span = written.span;
        let mut changed_paths = BTreeMap::new();
        for difference in differences {
            model.apply(difference, names, &mut changed_paths, diagnostics);
        }
        let changes_keyword = |difference: &Difference| match &difference.kind {
            DifferenceKind::Add(item) | DifferenceKind::Replace(item) => matches!(item.kind, ItemKind::Keyword { .. }),
            _ => false,
        };
        if differences.iter().any(changes_keyword) {
            model.empty_refused_keywords(names, diagnostics);
        }
        model
    });
    done.insert(name.clone(), resolved.clone());
    resolved
}

impl<'a> ResolvedFormat<'a> {
    /// Sets an item of the format. `None` if formats have no items of this kind.
    fn set_item(&mut self, item: &'a Item) -> Option<()> {
        match &item.kind {
            ItemKind::Action(action) => {
                self.actions.insert(action.name.text.clone(), (action, Vec::new()));
            }
            ItemKind::Keyword { name, params, abilities, .. } => {
                self.keywords.insert(name.text.clone(), KeywordBody { params, abilities });
            }
            ItemKind::Rule { name, abilities } => {
                self.rules.insert(name.text.clone(), abilities);
            }
            ItemKind::StateRule { name, body } => {
                self.state_rules.insert(name.text.clone(), body);
            }
            ItemKind::Treat { action, into, condition } => {
                self.action_aliases.insert(action.text.clone(), ActionAliasDecl { action, into, condition: condition.as_ref() });
            }
            ItemKind::Play(play) => {
                self.plays.insert(play.name.as_ref()?.text.clone(), play);
            }
            ItemKind::Payment(payment) => {
                self.payments.insert(payment.name.text.clone(), payment);
            }
            ItemKind::Constant { name, value } => {
                self.constants.insert(name.text.clone(), value);
            }
            ItemKind::Timing(timing) => self.timing = Some(timing),
            ItemKind::Announce(announce) => self.announce = Some(announce),
            ItemKind::Setup(setup) => self.setup = vec![setup],
            ItemKind::Turn(entries) => {
                self.turn = Some(TurnNode {
                    name: SmolStr::new("turn"),
                    entries: entries_of(entries),
                    span: item.span,
                    ..TurnNode::default()
                });
            }
            ItemKind::Evaluate(evaluate) => self.evaluate = Some(evaluate),
            ItemKind::Players { min: least, max: most, at } => self.players = Some((*least, *most, *at)),
            ItemKind::DeckRules(rules) => self.deck = Some(rules),
            ItemKind::Match(rules) => self.match_rules = Some(rules),
            ItemKind::Layout(layout) => self.layout = Some(ResolvedLayout::new(layout)),
            ItemKind::Ban(cards) => self.banned.extend(cards),
            ItemKind::Restrict(cards) => self.restricted.extend(cards),
            _ => return None,
        }
        Some(())
    }

    /// The path of an item, its place, and whether this format has it.
    fn path_of(&self, item: &Item) -> Option<(String, Span, bool)> {
        Some(match &item.kind {
            ItemKind::Action(action) => {
                (format!("action.{}", action.name.text), action.name.span, self.actions.contains_key(&action.name.text))
            }
            ItemKind::Keyword { name, .. } => {
                (format!("keyword.{}", name.text), name.span, self.keywords.contains_key(&name.text))
            }
            ItemKind::Rule { name, .. } => (format!("rule.{}", name.text), name.span, self.rules.contains_key(&name.text)),
            ItemKind::StateRule { name, .. } => {
                (format!("state.{}", name.text), name.span, self.state_rules.contains_key(&name.text))
            }
            ItemKind::Treat { action, .. } => {
                (format!("treat.{}", action.text), action.span, self.action_aliases.contains_key(&action.text))
            }
            ItemKind::Play(play) => {
                let name = play.name.as_ref()?;
                (format!("play.{}", name.text), name.span, self.plays.contains_key(&name.text))
            }
            ItemKind::Payment(payment) => {
                (format!("payment.{}", payment.name.text), payment.name.span, self.payments.contains_key(&payment.name.text))
            }
            ItemKind::Constant { name, .. } => {
                (format!("constant.{}", name.text), name.span, self.constants.contains_key(&name.text))
            }
            ItemKind::Timing(_) => ("timing".to_owned(), item.span, true),
            ItemKind::Announce(_) => ("announce".to_owned(), item.span, true),
            ItemKind::Setup(_) => ("setup".to_owned(), item.span, true),
            ItemKind::Turn(_) => ("turn".to_owned(), item.span, true),
            ItemKind::Evaluate(_) => ("evaluate".to_owned(), item.span, true),
            ItemKind::Players { .. } => ("players".to_owned(), item.span, self.players.is_some()),
            ItemKind::DeckRules(_) => ("deck".to_owned(), item.span, true),
            ItemKind::Match(_) => ("match".to_owned(), item.span, true),
            ItemKind::Layout(_) => ("layout".to_owned(), item.span, self.layout.is_some()),
            _ => return None,
        })
    }

    fn apply(
        &mut self,
        difference: &'a Difference,
        names: &NameTable<'a>,
        touched: &mut BTreeMap<String, Span>,
        diagnostics: &mut Vec<Diagnostic>,
    ) {
        match &difference.kind {
            DifferenceKind::Replace(item) => self.replace(item, difference.span, touched, diagnostics),
            DifferenceKind::Add(item) => self.add(item, touched, diagnostics),
            DifferenceKind::ReplacePeriod { path, entries } => {
                if let Some(full) = self.period_path(path, names, touched, diagnostics) {
                    record_change(&full, path.span, touched, diagnostics);
                    if let Some(node) = self.turn.as_mut().and_then(|turn| find_node(turn, &full)) {
                        node.entries = entries_of(entries);
                        node.span = difference.span;
                    }
                }
            }
            DifferenceKind::Remove(path) => self.remove(path, names, touched, diagnostics),
            DifferenceKind::Insert { before, path, period: span } => {
                if let Some(full) = self.period_path(path, names, touched, diagnostics) {
                    let node = node_of(span);
                    if let Some(turn) = &mut self.turn {
                        insert_sibling(turn, &full, *before, node);
                    }
                }
            }
            DifferenceKind::AppendLayout { path, entries } => {
                self.change_layout(path, touched, diagnostics, |layout| {
                    layout.append(entries);
                    Ok(())
                });
            }
            DifferenceKind::AppendRows { path, rows } => {
                self.change_layout(path, touched, diagnostics, |layout| layout.append_rows(path, rows));
            }
            DifferenceKind::ReplaceRows { path, rows } => {
                self.change_layout(path, touched, diagnostics, |layout| layout.replace_rows(path, rows));
            }
            DifferenceKind::Append { path, body } => self.append(path, body, names, touched, diagnostics),
            DifferenceKind::Ban(cards) => self.banned.extend(cards),
            DifferenceKind::Restrict(cards) => self.restricted.extend(cards),
            DifferenceKind::Errata(card) => {
                record_change(&format!("card {}", card.name.text), card.name.span, touched, diagnostics);
                self.errata.retain(|known| known.name.text != card.name.text);
                self.errata.push(card);
            }
        }
    }

    /// Changes the layout of the base. Reports a path that leads to nothing.
    fn change_layout(
        &mut self,
        path: &Path,
        touched: &mut BTreeMap<String, Span>,
        diagnostics: &mut Vec<Diagnostic>,
        change: impl FnOnce(&mut ResolvedLayout<'a>) -> Result<(), UnknownLayoutPath>,
    ) {
        let written = path_text(path);
        let Some(layout) = &mut self.layout else {
            diagnostics.push(
                Diagnostic::new(&codes::UNKNOWN_PATH, path.span, "the base has no `layout`")
                    .help("add one: `layout { … }`; zones that it does not name lie as without it"),
            );
            return;
        };
        record_change(&written, path.span, touched, diagnostics);
        if let Err(UnknownLayoutPath { word, known }) = change(layout) {
            let message = format!("the base has no `{written}`");
            let list = known.iter().map(|path| format!("`{path}`")).collect::<Vec<_>>().join(", ");
            let mut problem = Diagnostic::new(&codes::UNKNOWN_PATH, word.span, message);
            if let Some(close) = closest(&written, known.iter().map(String::as_str)) {
                problem = problem.help(format!("did you mean `{close}`?"));
                if let (Some(last), true) = (close.rsplit('.').next(), close.matches('.').count() + 1 == path.parts.len()) {
                    problem = problem.fix(word.text.as_str(), last);
                }
            }
            diagnostics.push(problem.or_help(format!("the layout has {list}")));
        }
    }

    /// Reports keywords that include themselves, or too many abilities. They stand for nothing.
    fn empty_refused_keywords(&mut self, names: &NameTable<'a>, diagnostics: &mut Vec<Diagnostic>) {
        for name in crate::dependencies::resolve_keywords(names, &self.keywords, diagnostics) {
            if let Some(body) = self.keywords.get_mut(&name) {
                body.abilities = &[];
            }
        }
    }

    fn replace(&mut self, item: &'a Item, span: Span, touched: &mut BTreeMap<String, Span>, diagnostics: &mut Vec<Diagnostic>) {
        let Some((path, at, is_declared)) = self.path_of(item) else {
            diagnostics.push(
                Diagnostic::new(
                    &codes::UNKNOWN_PATH,
                    span,
                    "items of this kind are shared by all formats and cannot be replaced",
                )
                .help("replace an action, keyword, rule, state rule, treat, play, payment, constant, the timing, the turn or the setup"),
            );
            return;
        };
        if !is_declared {
            let problem = Diagnostic::new(&codes::UNKNOWN_PATH, at, format!("there is no `{path}` to replace"))
                .did_you_mean(&path, self.paths().iter().map(String::as_str));
            // a constant that is not declared cannot be replaced, and adding one has no effect
            let is_constant = matches!(item.kind, ItemKind::Constant { .. });
            let constants: Vec<String> = self.constants.keys().filter(|_| is_constant).map(|name| format!("`{name}`")).collect();
            diagnostics.push(match &item.kind {
                ItemKind::Constant { .. } if constants.is_empty() => problem
                    .or_help("there are no constants; to change what happens before the first turn, write `append setup { … }`"),
                ItemKind::Constant { .. } => problem.or_help(format!(
                    "the constants are {}; to change what happens before the first turn, write `append setup {{ … }}` or `replace setup {{ … }}`",
                    constants.join(", ")
                )),
                _ => problem.help("to add it, leave `replace` out"),
            });
        }
        record_change(&path, at, touched, diagnostics);
        self.set_item(item);
    }

    fn add(&mut self, item: &'a Item, touched: &mut BTreeMap<String, Span>, diagnostics: &mut Vec<Diagnostic>) {
        let Some((path, at, is_declared)) = self.path_of(item) else { return };
        if is_declared && self.has_item(item) {
            diagnostics.push(
                Diagnostic::new(&codes::ALREADY_THERE, at, format!("`{path}` exists already"))
                    .help("to change it, write `replace` before it"),
            );
            return;
        }
        record_change(&path, at, touched, diagnostics);
        self.set_item(item);
    }

    /// Whether this format has the item, so that a change of it needs `replace`. Deck rules and announcement policies are always written as
    /// a whole and need no `replace`.
    fn has_item(&self, item: &Item) -> bool {
        match &item.kind {
            ItemKind::Timing(_) => self.timing.is_some(),
            ItemKind::Setup(_) => !self.setup.is_empty(),
            ItemKind::Turn(_) => self.turn.is_some(),
            ItemKind::Evaluate(_) => self.evaluate.is_some(),
            ItemKind::DeckRules(_) | ItemKind::Announce(_) => false,
            ItemKind::Match(_) => self.match_rules.is_some(),
            _ => true,
        }
    }

    fn remove(
        &mut self,
        path: &Path,
        names: &NameTable<'a>,
        touched: &mut BTreeMap<String, Span>,
        diagnostics: &mut Vec<Diagnostic>,
    ) {
        let written = path_text(path);
        let found = match path.parts.as_slice() {
            [kind, name] => match kind.text.as_str() {
                "zone" => self.remove_zone(name, names, diagnostics),
                "action" => self.actions.shift_remove(&name.text).is_some(),
                "keyword" => self.keywords.shift_remove(&name.text).is_some(),
                "rule" => self.rules.shift_remove(&name.text).is_some(),
                "state" => self.state_rules.shift_remove(&name.text).is_some(),
                "treat" => self.action_aliases.shift_remove(&name.text).is_some(),
                "play" => self.plays.shift_remove(&name.text).is_some(),
                "payment" => self.payments.shift_remove(&name.text).is_some(),
                "constant" => self.constants.shift_remove(&name.text).is_some(),
                _ => false,
            },
            [single] => match single.text.as_str() {
                "setup" => !std::mem::take(&mut self.setup).is_empty(),
                "evaluate" => self.evaluate.take().is_some(),
                "match" => self.match_rules.take().is_some(),
                "layout" => self.layout.take().is_some(),
                _ => false,
            },
            _ => false,
        };
        if !found && path.parts.len() > 1 && path.parts.first().is_some_and(|part| part.text == "layout") && self.layout.is_some()
        {
            self.change_layout(path, touched, diagnostics, |layout| layout.replace_rows(path, &[]));
            return;
        }
        if found {
            record_change(&written, path.span, touched, diagnostics);
            return;
        }
        let Some(full) = self.period_path(path, names, touched, diagnostics) else { return };
        record_change(&full, path.span, touched, diagnostics);
        if let Some(turn) = &mut self.turn {
            remove_node(turn, &full);
        }
    }

    /// Removes a zone from this format. The numbers of zones do not change.
    fn remove_zone(&mut self, name: &Name, names: &NameTable<'a>, diagnostics: &mut Vec<Diagnostic>) -> bool {
        let Some((_, settings)) = names.zones.iter().find(|(zone, _)| zone.text == name.text) else { return false };
        let needed = settings.iter().flat_map(|line| line.iter()).any(|word| matches!(word.text.as_str(), "field" | "list"));
        if needed || name.text == DECK_ZONE {
            diagnostics.push(
                Diagnostic::new(&codes::MISSING_PART, name.span, format!("every format needs the zone `{}`", name.text))
                    .help("the field, the list and the deck cannot be removed"),
            );
        }
        self.absent_zones.push(name.text.clone());
        true
    }

    fn append(
        &mut self,
        path: &Path,
        body: &'a Block,
        names: &NameTable<'a>,
        touched: &mut BTreeMap<String, Span>,
        diagnostics: &mut Vec<Diagnostic>,
    ) {
        let written = path_text(path);
        match path.parts.as_slice() {
            [setup] if setup.text == "setup" => {
                record_change(&written, path.span, touched, diagnostics);
                self.setup.push(body);
                return;
            }
            [kind, name] if kind.text == "action" => {
                if let Some((_, appended)) = self.actions.get_mut(&name.text) {
                    record_change(&written, path.span, touched, diagnostics);
                    appended.push(body);
                    return;
                }
            }
            _ => {}
        }
        let Some(full) = self.period_path(path, names, touched, diagnostics) else { return };
        record_change(&full, path.span, touched, diagnostics);
        if let Some(node) = self.turn.as_mut().and_then(|turn| find_node(turn, &full)) {
            node.entries.extend(body.statements.iter().map(TurnNodeEntry::Statement));
        }
    }

    /// The full path of a phase or step of this format's turn. Reports an unknown or ambiguous path.
    fn period_path(
        &self,
        path: &Path,
        names: &NameTable<'a>,
        touched: &mut BTreeMap<String, Span>,
        diagnostics: &mut Vec<Diagnostic>,
    ) -> Option<String> {
        let written = path_text(path);
        let is_own = |path: &String| self.turn.as_ref().is_some_and(|turn| has_node(turn, path));
        let found: Vec<String> = names.find_period(&written).into_iter().filter(is_own).collect();
        match found.as_slice() {
            [one] => Some(one.clone()),
            [] => {
                if let Some(removed) = names.find_period(&written).into_iter().find(|found| touched.contains_key(found)) {
                    record_change(&removed, path.span, touched, diagnostics);
                    return None;
                }
                let mut own = Vec::new();
                if let Some(turn) = &self.turn
                    && allow_comparisons(names.periods.len())
                {
                    node_paths(&turn.entries, "turn", &mut own);
                }
                let mut known = self.paths();
                known.extend(own.iter().cloned());
                known.extend(own.iter().map(|path| path.trim_start_matches("turn.").to_owned()));
                let mut problem = Diagnostic::new(&codes::UNKNOWN_PATH, path.span, format!("the base has no `{written}`"))
                    .did_you_mean(&written, known.iter().map(String::as_str));
                if problem.help.is_empty()
                    && let Some(likely) = closest_period(path, &own)
                {
                    problem = problem.help(format!("did you mean `{likely}`?")).fix(written.as_str(), likely);
                }
                let help = if path.parts.first().is_some_and(|part| part.text == "turn") {
                    format!("the turn has `{}`", own.join("`, `"))
                } else {
                    "paths are `action.NAME`, `keyword.NAME`, `rule.NAME`, `state.NAME`, `treat.NAME`, `play.NAME`, `payment.NAME`, `constant.NAME`, `zone.NAME`, `turn.PERIOD`, `setup`".to_owned()
                };
                diagnostics.push(if written == "turn" {
                    let last = own.iter().rfind(|path| path.matches('.').count() == 1).map_or("turn.NAME", String::as_str);
                    problem.help(format!("add a step next to another one: `after {last} step NAME {{ … }}`"))
                } else {
                    problem.or_help(help)
                });
                None
            }
            several => {
                let list = several.iter().map(|path| format!("`{path}`")).collect::<Vec<_>>().join(" or ");
                diagnostics.push(
                    Diagnostic::new(
                        &codes::AMBIGUOUS_PERIOD,
                        path.span,
                        format!("several phases or steps are called `{written}`"),
                    )
                    .help(format!("write {list}")),
                );
                None
            }
        }
    }

    /// The paths of all declarations, for suggestions; none after too many comparisons.
    fn paths(&self) -> Vec<String> {
        let counts = [self.actions.len(), self.keywords.len(), self.rules.len(), self.state_rules.len(), self.constants.len()];
        if !allow_comparisons(counts.iter().sum()) {
            return Vec::new();
        }
        let mut all = vec!["setup".to_owned(), "timing".to_owned(), "announce".to_owned(), "turn".to_owned()];
        let mut add = |kind: &str, names: Vec<&SmolStr>| all.extend(names.iter().map(|name| format!("{kind}.{name}")));
        add("action", self.actions.keys().collect());
        add("keyword", self.keywords.keys().collect());
        add("rule", self.rules.keys().collect());
        add("state", self.state_rules.keys().collect());
        add("treat", self.action_aliases.keys().collect());
        add("play", self.plays.keys().collect());
        add("payment", self.payments.keys().collect());
        add("constant", self.constants.keys().collect());
        all.push("match".to_owned());
        all.extend(self.layout.iter().flat_map(|layout| std::iter::once("layout".to_owned()).chain(layout.paths())));
        if self.players.is_some() {
            all.push("players".to_owned());
        }
        all
    }
}

/// The description of an item that a game declares at most once.
fn singleton_name(kind: &ItemKind) -> Option<&'static str> {
    Some(match kind {
        ItemKind::Timing(_) => "the timing",
        ItemKind::Announce(_) => "the announcement policy",
        ItemKind::Setup(_) => "the setup",
        ItemKind::Turn(_) => "the turn",
        ItemKind::Evaluate(_) => "the evaluation",
        ItemKind::Players { .. } => "the number of players",
        ItemKind::DeckRules(_) => "the deck rules",
        ItemKind::Match(_) => "the match rules",
        ItemKind::Layout(_) => "the layout",
        _ => return None,
    })
}

/// The phase or step whose own name equals the last part of a path, or is closest to it.
fn closest_period<'s>(path: &Path, spans: &'s [String]) -> Option<&'s str> {
    let name = |span: &'s String| span.rsplit('.').next().unwrap_or(span);
    let last = path.parts.last()?.text.as_str();
    let close = if spans.iter().any(|span| name(span) == last) { last } else { closest(last, spans.iter().map(name))? };
    spans.iter().find(|span| name(span) == close).map(String::as_str)
}

fn path_text(path: &Path) -> String {
    dotted(path.parts.iter().map(|part| part.text.as_str()))
}

fn record_change(path: &str, span: Span, touched: &mut BTreeMap<String, Span>, diagnostics: &mut Vec<Diagnostic>) {
    if let Some(earlier) = touched.insert(path.to_owned(), span) {
        diagnostics.push(
            Diagnostic::new(&codes::PATH_TWICE, span, format!("`{path}` is changed twice"))
                .label("changed again")
                .also(earlier, "first changed here")
                .help("write it once"),
        );
    }
}
