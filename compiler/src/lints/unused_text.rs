//! What a card says it `does` while no play carries out its text.

use crate::diagnostics::{Diagnostic, codes};
use crate::lower::Lowering;
use crate::lower::phrase::{as_phrase, bare_word};
use crate::names::{Meaning, NameTable};
use fizzle_grammar::ast::{
    AbilityKind, BinaryOp, Block, Card, DifferenceKind, Expr, ExprKind, Head, Item, ItemKind, Name, Path, Phrase,
    PhraseFilterKind, Play, StatementKind,
};
use fizzle_grammar::visit::{self, NameRole, Visitor};

/// How deep nouns are followed.
const DEPTH: u32 = 16;

/// Who carries out the texts of objects, in all formats of a game.
#[derive(Clone, Debug, Default)]
pub struct TextRunners<'a> {
    /// The plays that do, with how often the words `carry out` stand in each.
    plays: Vec<(&'a Play, usize)>,
    /// Something else does: an action, a rule, a step. Whose texts, only the game knows.
    pub elsewhere: bool,
}

/// Counts `carry out`.
struct RunTextCounter(usize);

impl Visitor for RunTextCounter {
    fn name(&mut self, role: NameRole, name: &Name) {
        self.0 += usize::from(role == NameRole::Verb && name.text == "carry_out");
    }
    fn path(&mut self, _: &Path) {}
    fn span(&mut self, _: &Name) {}
    fn enter(&mut self) {}
    fn event(&mut self, _: &Name) {}
    fn leave(&mut self) {}
}

fn count(item: &Item) -> usize {
    let mut counted = RunTextCounter(0);
    visit::item(item, &mut counted);
    counted.0
}

impl<'a> TextRunners<'a> {
    /// Of the items of a game.
    pub fn of(items: impl IntoIterator<Item = &'a Item>) -> Self {
        let mut made = Self::default();
        for item in items {
            let elsewhere = match &item.kind {
                ItemKind::Card(_) | ItemKind::Scenario(_) | ItemKind::Text(_) => 0,
                ItemKind::Play(_) => made.play(item, 0),
                ItemKind::Format { differences, .. } => {
                    let whole = count(item);
                    differences.iter().fold(whole, |open, difference| match &difference.kind {
                        DifferenceKind::Add(item) | DifferenceKind::Replace(item) => made.play(item, open),
                        _ => open,
                    })
                }
                _ => count(item),
            };
            made.elsewhere |= elsewhere > 0;
        }
        made
    }

    /// Takes a play in; gives how many of the `open` ones are not in it.
    fn play(&mut self, item: &'a Item, open: usize) -> usize {
        let ItemKind::Play(play) = &item.kind else { return open };
        let count = count(item);
        if count > 0 {
            self.plays.push((play, count));
        }
        open.saturating_sub(count)
    }
}

impl<'a> Lowering<'a> {
    /// Tells a text of a card that nothing carries out, by what the card prints.
    pub fn suspect_text(&mut self, card: &'a Card) {
        let names = self.names;
        let carriers = &names.carriers;
        let known = |fact: &fizzle_grammar::ast::Fact| !names.meanings(&fact.word.text).is_empty();
        // Where nothing can be played, nothing is finished.
        if card.unread.is_some() || carriers.elsewhere || names.plays.is_empty() || !card.facts.iter().all(known) {
            return;
        }
        let Some(text) = card.abilities.iter().find(|ability| matches!(ability.kind, AbilityKind::Does(_))) else { return };
        let judge = PrintedFacts { names, card };
        if carriers.plays.iter().any(|(play, count)| judge.may_carry_out(play, *count)) {
            return;
        }
        let span = self.first_line(text.span);
        let help = "say when it happens: `when … { … }`, or let it be used: `activated { … does { … } }`";
        self.report(match carriers.plays.first() {
            Some((play, _)) => {
                let (name, place) = play.name.as_ref().map_or(("", play.span), |name| (name.text.as_str(), name.span));
                let message = format!("nothing carries out what `{}` does", card.name.text);
                Diagnostic::new(&codes::NEVER_CARRIED_OUT, span, message)
                    .label("no play of such a card comes to this")
                    .also(place, format!("`{name}` carries out texts, but not of such a card"))
                    .help(help)
            }
            None => Diagnostic::new(&codes::NEVER_CARRIED_OUT, span, "no play of this game carries out what cards do")
                .help("write `carry out it` in a play: `play NAME(it: object) { … does { carry out it } }`")
                .help(help),
        });
    }
}

/// What is known of a card from what it prints: `Some` where that decides.
struct PrintedFacts<'n, 'a> {
    names: &'n NameTable<'a>,
    card: &'n Card,
}

/// A condition, and whether it holds where something stands.
type Guard<'t> = (&'t Expr, bool);

impl PrintedFacts<'_, '_> {
    /// Whether a play could carry out the text of the card.
    fn may_carry_out(&self, play: &Play, count: usize) -> bool {
        let Some(param) = play.params.first() else { return true };
        if self.word(&param.ty.name.text, DEPTH) == Some(false) {
            return false;
        }
        let mut places = Vec::new();
        walk(&play.body, &mut Vec::new(), &mut places);
        let holds = |(condition, wanted): &Guard<'_>| {
            let subject = |word: &str| word == param.name.text || word == "it";
            self.condition(condition, &subject, DEPTH).is_none_or(|holds| holds == *wanted)
        };
        places.len() < count || places.iter().any(|guards| guards.iter().all(holds))
    }

    /// Whether the card is a `word`: a trait word, or a noun.
    fn word(&self, word: &str, depth: u32) -> Option<bool> {
        if word == "card" || word == "object" {
            return Some(true);
        }
        let depth = depth.checked_sub(1)?;
        let printed = self.card.facts.iter().any(|fact| fact.value.is_none() && fact.args.is_empty() && fact.word.text == word);
        self.names.meanings(word).iter().find_map(|meaning| match meaning {
            Meaning::Word(..) => Some(Some(printed)),
            Meaning::Noun => Some(self.names.nouns.get(word).and_then(|noun| match as_phrase(noun) {
                Some(phrase) => self.phrase(phrase, depth),
                None => self.condition(noun, &|_| false, depth),
            })),
            _ => None,
        })?
    }

    fn phrase(&self, phrase: &Phrase, depth: u32) -> Option<bool> {
        let candidate = |word: &str| word == "candidate";
        let mut all = match &phrase.head {
            Head::Word(name) => self.word(&name.text, depth),
            Head::Group(inner) => self.condition(inner, &candidate, depth),
            _ => None,
        };
        for post in &phrase.posts {
            let one = match &post.kind {
                PhraseFilterKind::With(condition) | PhraseFilterKind::That(condition) => {
                    self.condition(condition, &candidate, depth)
                }
                PhraseFilterKind::Without(word) => self.word(&word.text, depth).map(|is| !is),
                PhraseFilterKind::ThatIs { what, negated } => self.is(what, depth).map(|is| is != *negated),
                _ => None,
            };
            all = and(all, one);
        }
        all
    }

    /// `is WHAT`
    fn is(&self, what: &Expr, depth: u32) -> Option<bool> {
        let phrase = as_phrase(what)?;
        match (&phrase.head, phrase.posts.is_empty()) {
            (Head::Quoted(name), true) => {
                let quoted = |fact: &fizzle_grammar::ast::Fact| {
                    let value = fact.value.as_deref().and_then(as_phrase);
                    value.is_some_and(|value| matches!(&value.head, Head::Quoted(word) if word.text == name.text))
                };
                Some(self.card.name.text == name.text || self.card.facts.iter().any(quoted))
            }
            (Head::Word(word), true) => self.word(&word.text, depth),
            (Head::Group(inner), true) => match &inner.kind {
                ExprKind::Binary { op: BinaryOp::Or, left, right } => or(self.is(left, depth), self.is(right, depth)),
                _ => self.is(inner, depth),
            },
            _ => None,
        }
    }

    /// A condition about the words that are the `subject`.
    fn condition(&self, condition: &Expr, subject: &dyn Fn(&str) -> bool, depth: u32) -> Option<bool> {
        let depth = depth.checked_sub(1)?;
        match &condition.kind {
            ExprKind::Binary { op: BinaryOp::And, left, right } => {
                and(self.condition(left, subject, depth), self.condition(right, subject, depth))
            }
            ExprKind::Binary { op: BinaryOp::Or, left, right } => {
                or(self.condition(left, subject, depth), self.condition(right, subject, depth))
            }
            ExprKind::Not(inner) => self.condition(inner, subject, depth).map(|holds| !holds),
            ExprKind::Is { left, right, negated } => {
                let about = bare_word(left).is_some_and(|word| subject(&word.text));
                self.is(right, depth).filter(|_| about).map(|is| is != *negated)
            }
            ExprKind::Phrase(phrase) if phrase.quantifier.is_none() && phrase.posts.is_empty() => match &phrase.head {
                Head::Group(inner) => self.condition(inner, subject, depth),
                Head::Word(word) => self.word(&word.text, depth),
                _ => None,
            },
            _ => None,
        }
    }
}

fn and(a: Option<bool>, b: Option<bool>) -> Option<bool> {
    match (a, b) {
        (Some(false), _) | (_, Some(false)) => Some(false),
        (Some(true), Some(true)) => Some(true),
        _ => None,
    }
}

fn or(a: Option<bool>, b: Option<bool>) -> Option<bool> {
    and(a.map(|a| !a), b.map(|b| !b)).map(|neither| !neither)
}

/// Finds where `carry out` stands, with the conditions around it.
fn walk<'t>(block: &'t Block, guards: &mut Vec<Guard<'t>>, found: &mut Vec<Vec<Guard<'t>>>) {
    for statement in &block.statements {
        match &statement.kind {
            StatementKind::Calls(calls) => {
                let carried = calls.iter().filter(|call| call.verb.text == "carry_out");
                found.extend(carried.map(|_| guards.clone()));
            }
            StatementKind::If { condition, then, otherwise } => {
                guards.push((condition, true));
                walk(then, guards, found);
                guards.pop();
                if let Some(otherwise) = otherwise {
                    guards.push((condition, false));
                    walk(otherwise, guards, found);
                    guards.pop();
                }
            }
            StatementKind::Block(body)
            | StatementKind::AtOnce(body)
            | StatementKind::ForEach { body, .. }
            | StatementKind::Times { body, .. }
            | StatementKind::Repeat { body, .. } => walk(body, guards, found),
            StatementKind::Modes { modes, .. } => modes.iter().for_each(|mode| walk(mode, guards, found)),
            _ => {}
        }
    }
}
