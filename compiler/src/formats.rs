//! Formats before lowering: what a format is made of once its differences are applied to what it extends.

use crate::diagnostics::{Diagnostic, closest, codes};
use crate::maps::IndexMap;
use crate::names::{NameTable, dotted};
use crate::packs::GameItems;
use crate::turn_tree::{TurnNode, TurnNodeEntry, entries_of, find_node, insert_beside, node_of, node_paths, remove_node};
use fizzle_grammar::ast::{
    Ability, Action, AnnouncePolicy, Block, Card, DeckRule, Difference, DifferenceKind, Expr, Item, ItemKind, MatchRules, Name,
    Param, Path, Payment, Play, Span,
};
use fizzle_runtime::game::DECK_ZONE;
use smol_str::SmolStr;
use std::collections::BTreeMap;

/// What a keyword stands for.
#[derive(Clone, Copy, Debug)]
pub struct KeywordBody<'a> {
    /// Its parameters, as this text names them.
    pub params: &'a [Param],
    /// Its abilities.
    pub abilities: &'a [Ability],
}

/// `treat ACTION as ACTION when COND`
#[derive(Clone, Copy, Debug)]
pub struct ActionAliasDecl<'a> {
    /// What is proposed.
    pub action: &'a Name,
    /// What it is.
    pub into: &'a Name,
    /// Under this condition.
    pub condition: Option<&'a Expr>,
}

/// A format once its differences are applied.
#[derive(Clone, Debug, Default)]
pub struct ResolvedFormat<'a> {
    /// Its name.
    pub name: SmolStr,
    /// For people.
    pub title: String,
    /// What it extends.
    pub base: Option<SmolStr>,
    /// Where it is declared.
    pub span: Span,
    /// Actions, with blocks added at their ends.
    pub actions: IndexMap<SmolStr, (&'a Action, Vec<&'a Block>)>,
    /// Keywords.
    pub keywords: IndexMap<SmolStr, KeywordBody<'a>>,
    /// Rules.
    pub rules: IndexMap<SmolStr, &'a [Ability]>,
    /// State rules.
    pub state_rules: IndexMap<SmolStr, &'a Block>,
    /// Events that are other events, by the action re-read.
    pub treats: IndexMap<SmolStr, ActionAliasDecl<'a>>,
    /// Plays.
    pub plays: IndexMap<SmolStr, &'a Play>,
    /// Payments.
    pub payments: IndexMap<SmolStr, &'a Payment>,
    /// Named numbers.
    pub constants: IndexMap<SmolStr, &'a Expr>,
    /// The discipline of the list.
    pub timing: Option<&'a [Vec<Name>]>,
    /// What is announced.
    pub announce: Option<&'a AnnouncePolicy>,
    /// Run before the first turn.
    pub setup: Vec<&'a Block>,
    /// The turn.
    pub turn: Option<TurnNode<'a>>,
    /// What a bot maximises.
    pub evaluate: Option<&'a Expr>,
    /// What a legal deck is.
    pub deck: Option<&'a [DeckRule]>,
    /// What a match is.
    pub contest: Option<&'a MatchRules>,
    /// How many take part: at least, at most, and where that is written.
    pub players: Option<(u32, u32, Span)>,
    /// Zones that it does not have.
    pub absent: Vec<SmolStr>,
    /// Cards that are not allowed.
    pub banned: Vec<&'a Name>,
    /// Cards of which one is allowed.
    pub restricted: Vec<&'a Name>,
    /// Corrected cards.
    pub errata: Vec<&'a Card>,
}

/// Makes all formats of a game: the game itself first, then the others in the order written.
pub fn models<'a>(game: &GameItems<'a>, names: &NameTable<'a>, diagnostics: &mut Vec<Diagnostic>) -> Vec<ResolvedFormat<'a>> {
    let mut base =
        ResolvedFormat { name: game.name.clone(), title: game.title.clone(), span: game.span, ..ResolvedFormat::default() };
    let mut formats: IndexMap<SmolStr, &'a Item> = IndexMap::default();
    let mut once: BTreeMap<&'static str, Span> = BTreeMap::new();
    for item in &game.items {
        match &item.kind {
            ItemKind::Format { name, .. } => {
                formats.entry(name.text.clone()).or_insert(item);
            }
            _ => {
                if let Some(what) = only_one(&item.kind)
                    && let Some(earlier) = once.insert(what, item.span)
                {
                    diagnostics.push(
                        Diagnostic::new(&codes::DUPLICATE, item.span, format!("{what} of the game is said twice"))
                            .label("said again")
                            .also(earlier, "first said here")
                            .help("a format says it differently by `replace`: `format NAME extends BASE { replace … }`"),
                    );
                }
                base.set(item);
            }
        }
    }
    for name in base.keywords.keys() {
        if base.needs_keyword(name, name, &mut Vec::new()) {
            let span = names.keywords.get(name).map_or(base.span, |declared| declared.span);
            diagnostics.push(
                Diagnostic::new(&codes::RECURSION, span, format!("the keyword `{name}` needs itself"))
                    .help("a keyword stands for abilities and other keywords: take it out of its own text"),
            );
        }
    }
    let mut done: BTreeMap<SmolStr, Option<ResolvedFormat<'a>>> = BTreeMap::new();
    done.insert(game.name.clone(), Some(base.clone()));
    for name in formats.keys() {
        make(name, &formats, &mut done, names, diagnostics, &mut Vec::new());
    }
    let mut all = vec![base];
    all.extend(formats.keys().filter(|name| **name != game.name).filter_map(|name| done.get(name).cloned().flatten()));
    all
}

fn make<'a>(
    name: &SmolStr,
    formats: &IndexMap<SmolStr, &'a Item>,
    done: &mut BTreeMap<SmolStr, Option<ResolvedFormat<'a>>>,
    names: &NameTable<'a>,
    diagnostics: &mut Vec<Diagnostic>,
    open: &mut Vec<SmolStr>,
) -> Option<ResolvedFormat<'a>> {
    if let Some(model) = done.get(name) {
        return model.clone();
    }
    let item = *formats.get(name)?;
    let ItemKind::Format { name: written, title, base, differences } = &item.kind else { return None };
    if open.contains(name) {
        diagnostics.push(
            Diagnostic::new(&codes::FORMAT_CYCLE, base.span, format!("`{name}` extends itself by way of `{}`", base.text))
                .help("one of them must stand without the others: let it extend the game"),
        );
        return None;
    }
    open.push(name.clone());
    let found = if done.contains_key(&base.text) || formats.contains_key(&base.text) {
        make(&base.text, formats, done, names, diagnostics, open)
    } else {
        let known: Vec<&str> = formats.keys().chain(done.keys()).map(SmolStr::as_str).collect();
        diagnostics.push(
            Diagnostic::new(&codes::UNKNOWN_FORMAT, base.span, format!("there is no format `{}` in this game", base.text))
                .did_you_mean(&base.text, known),
        );
        None
    };
    open.pop();
    let made = found.map(|mut model| {
        model.name = written.text.clone();
        model.title = title.as_ref().map_or_else(|| written.text.to_string(), |title| title.text.to_string());
        model.base = Some(base.text.clone());
        model.span = written.span;
        let mut touched = BTreeMap::new();
        for difference in differences {
            model.apply(difference, names, &mut touched, diagnostics);
        }
        model
    });
    done.insert(name.clone(), made.clone());
    made
}

impl<'a> ResolvedFormat<'a> {
    /// Takes an item as a part. `None` when an item of this kind is no part of a format.
    fn set(&mut self, item: &'a Item) -> Option<()> {
        match &item.kind {
            ItemKind::Action(action) => {
                self.actions.insert(action.name.text.clone(), (action, Vec::new()));
            }
            ItemKind::Keyword { name, params, abilities } => {
                self.keywords.insert(name.text.clone(), KeywordBody { params, abilities });
            }
            ItemKind::Rule { name, abilities } => {
                self.rules.insert(name.text.clone(), abilities);
            }
            ItemKind::StateRule { name, body } => {
                self.state_rules.insert(name.text.clone(), body);
            }
            ItemKind::Treat { action, into, condition } => {
                self.treats.insert(action.text.clone(), ActionAliasDecl { action, into, condition: condition.as_ref() });
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
            ItemKind::Players { least, most, at } => self.players = Some((*least, *most, *at)),
            ItemKind::DeckRules(rules) => self.deck = Some(rules),
            ItemKind::Match(rules) => self.contest = Some(rules),
            ItemKind::Ban(cards) => self.banned.extend(cards),
            ItemKind::Restrict(cards) => self.restricted.extend(cards),
            _ => return None,
        }
        Some(())
    }

    /// The path of an item, and whether this format has it.
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
                (format!("treat.{}", action.text), action.span, self.treats.contains_key(&action.text))
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
            DifferenceKind::ReplaceSpan { path, entries } => {
                if let Some(full) = self.span_path(path, names, touched, diagnostics) {
                    touch(&full, path.span, touched, diagnostics);
                    if let Some(node) = self.turn.as_mut().and_then(|turn| find_node(turn, &full)) {
                        node.entries = entries_of(entries);
                        node.span = difference.span;
                    }
                }
            }
            DifferenceKind::Remove(path) => self.remove(path, names, touched, diagnostics),
            DifferenceKind::Insert { before, path, span } => {
                if let Some(full) = self.span_path(path, names, touched, diagnostics) {
                    let node = node_of(span);
                    if let Some(turn) = &mut self.turn {
                        insert_beside(&mut turn.entries, "turn", &full, *before, node);
                    }
                }
            }
            DifferenceKind::Append { path, body } => self.append(path, body, names, touched, diagnostics),
            DifferenceKind::Ban(cards) => self.banned.extend(cards),
            DifferenceKind::Restrict(cards) => self.restricted.extend(cards),
            DifferenceKind::Errata(card) => {
                touch(&format!("card {}", card.name.text), card.name.span, touched, diagnostics);
                self.errata.retain(|known| known.name.text != card.name.text);
                self.errata.push(card);
            }
        }
    }

    /// Whether the text of one keyword has another one, itself or by way of others.
    fn needs_keyword(&self, from: &SmolStr, wanted: &SmolStr, seen: &mut Vec<SmolStr>) -> bool {
        let abilities = self.keywords.get(from).map_or(&[][..], |text| text.abilities);
        abilities.iter().any(|ability| match &ability.kind {
            fizzle_grammar::ast::AbilityKind::Keyword(fact) if fact.word.text == *wanted => true,
            fizzle_grammar::ast::AbilityKind::Keyword(fact) if !seen.contains(&fact.word.text) => {
                seen.push(fact.word.text.clone());
                self.needs_keyword(&fact.word.text, wanted, seen)
            }
            _ => false,
        })
    }

    fn replace(&mut self, item: &'a Item, span: Span, touched: &mut BTreeMap<String, Span>, diagnostics: &mut Vec<Diagnostic>) {
        let Some((path, at, there)) = self.path_of(item) else {
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
        if !there {
            let problem = Diagnostic::new(&codes::UNKNOWN_PATH, at, format!("there is no `{path}` to replace"))
                .did_you_mean(&path, self.paths().iter().map(String::as_str));
            // an added constant changes nothing that is there
            let constants: Vec<String> = self.constants.keys().map(|name| format!("`{name}`")).collect();
            diagnostics.push(match &item.kind {
                ItemKind::Constant { .. } if constants.is_empty() => problem.or_help("there are no constants to replace"),
                ItemKind::Constant { .. } => problem.or_help(format!("the constants are {}", constants.join(", "))),
                _ => problem.help("leave `replace` out to add it"),
            });
        }
        touch(&path, at, touched, diagnostics);
        self.set(item);
    }

    fn add(&mut self, item: &'a Item, touched: &mut BTreeMap<String, Span>, diagnostics: &mut Vec<Diagnostic>) {
        let Some((path, at, there)) = self.path_of(item) else { return };
        if there && self.has(item) {
            diagnostics.push(
                Diagnostic::new(&codes::ALREADY_THERE, at, format!("`{path}` is there already"))
                    .help("write `replace` before it to change it"),
            );
            return;
        }
        touch(&path, at, touched, diagnostics);
        self.set(item);
    }

    /// Whether this format has an item of the name, or one of the kind, of which there is one. What a deck is and what is announced a format
    /// says as a whole: that needs no `replace`.
    fn has(&self, item: &Item) -> bool {
        match &item.kind {
            ItemKind::Timing(_) => self.timing.is_some(),
            ItemKind::Setup(_) => !self.setup.is_empty(),
            ItemKind::Turn(_) => self.turn.is_some(),
            ItemKind::Evaluate(_) => self.evaluate.is_some(),
            ItemKind::DeckRules(_) | ItemKind::Announce(_) => false,
            ItemKind::Match(_) => self.contest.is_some(),
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
        let written = written(path);
        let found = match path.parts.as_slice() {
            [kind, name] => match kind.text.as_str() {
                "zone" => self.remove_zone(name, names, diagnostics),
                "action" => self.actions.shift_remove(&name.text).is_some(),
                "keyword" => self.keywords.shift_remove(&name.text).is_some(),
                "rule" => self.rules.shift_remove(&name.text).is_some(),
                "state" => self.state_rules.shift_remove(&name.text).is_some(),
                "treat" => self.treats.shift_remove(&name.text).is_some(),
                "play" => self.plays.shift_remove(&name.text).is_some(),
                "payment" => self.payments.shift_remove(&name.text).is_some(),
                "constant" => self.constants.shift_remove(&name.text).is_some(),
                _ => false,
            },
            [single] => match single.text.as_str() {
                "setup" => !std::mem::take(&mut self.setup).is_empty(),
                "evaluate" => self.evaluate.take().is_some(),
                "match" => self.contest.take().is_some(),
                _ => false,
            },
            _ => false,
        };
        if found {
            touch(&written, path.span, touched, diagnostics);
            return;
        }
        let Some(full) = self.span_path(path, names, touched, diagnostics) else { return };
        touch(&full, path.span, touched, diagnostics);
        if let Some(turn) = &mut self.turn {
            remove_node(&mut turn.entries, "turn", &full);
        }
    }

    /// A zone that this format does not have; its number stays.
    fn remove_zone(&mut self, name: &Name, names: &NameTable<'a>, diagnostics: &mut Vec<Diagnostic>) -> bool {
        let Some((_, settings)) = names.zones.iter().find(|(zone, _)| zone.text == name.text) else { return false };
        let needed = settings.iter().flat_map(|line| line.iter()).any(|word| matches!(word.text.as_str(), "field" | "list"));
        if needed || name.text == DECK_ZONE {
            diagnostics.push(
                Diagnostic::new(&codes::MISSING_PART, name.span, format!("every format needs the zone `{}`", name.text))
                    .help("the field, the list and the deck stay"),
            );
        }
        self.absent.push(name.text.clone());
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
        let written = written(path);
        match path.parts.as_slice() {
            [setup] if setup.text == "setup" => {
                touch(&written, path.span, touched, diagnostics);
                self.setup.push(body);
                return;
            }
            [kind, name] if kind.text == "action" => {
                if let Some((_, appended)) = self.actions.get_mut(&name.text) {
                    touch(&written, path.span, touched, diagnostics);
                    appended.push(body);
                    return;
                }
            }
            _ => {}
        }
        let Some(full) = self.span_path(path, names, touched, diagnostics) else { return };
        touch(&full, path.span, touched, diagnostics);
        if let Some(node) = self.turn.as_mut().and_then(|turn| find_node(turn, &full)) {
            node.entries.extend(body.statements.iter().map(TurnNodeEntry::Statement));
        }
    }

    /// The full path of a phase or step that this format's turn has.
    fn span_path(
        &self,
        path: &Path,
        names: &NameTable<'a>,
        touched: &mut BTreeMap<String, Span>,
        diagnostics: &mut Vec<Diagnostic>,
    ) -> Option<String> {
        let written = written(path);
        let mut own = Vec::new();
        if let Some(turn) = &self.turn {
            node_paths(&turn.entries, "turn", &mut own);
        }
        let found: Vec<String> = names.find_span(&written).into_iter().filter(|found| own.contains(found)).collect();
        match found.as_slice() {
            [one] => Some(one.clone()),
            [] => {
                if let Some(removed) = names.find_span(&written).into_iter().find(|found| touched.contains_key(found)) {
                    touch(&removed, path.span, touched, diagnostics);
                    return None;
                }
                let mut known = self.paths();
                known.extend(own.iter().cloned());
                known.extend(own.iter().map(|path| path.trim_start_matches("turn.").to_owned()));
                let mut problem =
                    Diagnostic::new(&codes::UNKNOWN_PATH, path.span, format!("`{written}` is nothing that the base has"))
                        .did_you_mean(&written, known.iter().map(String::as_str));
                if problem.help.is_empty()
                    && let Some(likely) = likely_span(path, &own)
                {
                    problem = problem.help(format!("did you mean `{likely}`?")).fix(written.as_str(), likely);
                }
                let help = if path.parts.first().is_some_and(|part| part.text == "turn") {
                    format!("the turn has `{}`", own.join("`, `"))
                } else {
                    "paths are `action.NAME`, `keyword.NAME`, `rule.NAME`, `state.NAME`, `treat.NAME`, `play.NAME`, `payment.NAME`, `constant.NAME`, `zone.NAME`, `turn.SPAN`, `setup`".to_owned()
                };
                diagnostics.push(if written == "turn" {
                    let last = own.iter().rfind(|path| path.matches('.').count() == 1).map_or("turn.NAME", String::as_str);
                    problem.help(format!("a step of the turn stands next to another one: `after {last} step NAME {{ … }}`"))
                } else {
                    problem.or_help(help)
                });
                None
            }
            several => {
                let list = several.iter().map(|path| format!("`{path}`")).collect::<Vec<_>>().join(" or ");
                diagnostics.push(
                    Diagnostic::new(&codes::AMBIGUOUS_SPAN, path.span, format!("`{written}` can be several phases or steps"))
                        .help(format!("write {list}")),
                );
                None
            }
        }
    }

    fn paths(&self) -> Vec<String> {
        let mut all = vec!["setup".to_owned(), "timing".to_owned(), "announce".to_owned(), "turn".to_owned()];
        let mut add = |kind: &str, names: Vec<&SmolStr>| all.extend(names.iter().map(|name| format!("{kind}.{name}")));
        add("action", self.actions.keys().collect());
        add("keyword", self.keywords.keys().collect());
        add("rule", self.rules.keys().collect());
        add("state", self.state_rules.keys().collect());
        add("treat", self.treats.keys().collect());
        add("play", self.plays.keys().collect());
        add("payment", self.payments.keys().collect());
        add("constant", self.constants.keys().collect());
        all.push("match".to_owned());
        if self.players.is_some() {
            all.push("players".to_owned());
        }
        all
    }
}

/// What a game has one of.
fn only_one(kind: &ItemKind) -> Option<&'static str> {
    Some(match kind {
        ItemKind::Timing(_) => "the timing",
        ItemKind::Announce(_) => "the announcing",
        ItemKind::Setup(_) => "the setup",
        ItemKind::Turn(_) => "the turn",
        ItemKind::Evaluate(_) => "the evaluation",
        ItemKind::Players { .. } => "the number of players",
        ItemKind::DeckRules(_) => "what a deck is",
        ItemKind::Match(_) => "what a match is",
        _ => return None,
    })
}

/// The span of a turn whose own name is that of the last part of a path, or close to it.
fn likely_span<'s>(path: &Path, spans: &'s [String]) -> Option<&'s str> {
    let name = |span: &'s String| span.rsplit('.').next().unwrap_or(span);
    let last = path.parts.last()?.text.as_str();
    let close = if spans.iter().any(|span| name(span) == last) { last } else { closest(last, spans.iter().map(name))? };
    spans.iter().find(|span| name(span) == close).map(String::as_str)
}

fn written(path: &Path) -> String {
    dotted(path.parts.iter().map(|part| part.text.as_str()))
}

fn touch(path: &str, span: Span, touched: &mut BTreeMap<String, Span>, diagnostics: &mut Vec<Diagnostic>) {
    if let Some(earlier) = touched.insert(path.to_owned(), span) {
        diagnostics.push(
            Diagnostic::new(&codes::PATH_TWICE, span, format!("`{path}` is changed twice"))
                .label("changed again")
                .also(earlier, "changed here before")
                .help("say it once"),
        );
    }
}
