//! Facts without a word before them: `creature "Elf" {1}{G}` stands for `creature  subtype "Elf"  mana_cost {1}{G}` in a game that declares
//! `unlabelled mana_cost, subtype`.

use super::phrase;
use crate::maps::{IndexMap, IndexSet};
use crate::phrase_syntax::as_phrase;
use fizzle_grammar::ast::{ExprKind, Fact, Head, Item, ItemKind, Name, Phrase, UNLABELLED_PRICE, UnlabelledFact, VariableKind};
use std::mem::take;

/// What a price alone and quoted words alone state on a card.
#[derive(Clone, Debug, Default)]
pub struct UnlabelledFacts<'a> {
    declared: Vec<&'a UnlabelledFact>,
    /// The properties that are prices.
    prices: IndexSet<&'a str>,
    open_traits: IndexSet<&'a str>,
    /// The words that open sets of traits list, with their sets.
    listed: IndexMap<&'a str, &'a str>,
    /// Trait words and keywords, which take no value.
    without_value: IndexSet<&'a str>,
    /// Properties, sets of traits and keywords with parameters, which may share the name of a trait word.
    with_value: IndexSet<&'a str>,
}

impl<'a> UnlabelledFacts<'a> {
    /// Collects what an item declares about facts.
    pub fn add(&mut self, item: &'a Item) {
        match &item.kind {
            ItemKind::Unlabelled(facts) => self.declared.extend(facts),
            ItemKind::Traits { name, open, words, .. } => {
                self.with_value.insert(&name.text);
                let words = words.iter().map(|word| word.text.as_str());
                if *open {
                    self.open_traits.insert(&name.text);
                    self.listed.extend(words.map(|word| (word, name.text.as_str())));
                } else {
                    self.without_value.extend(words);
                }
            }
            ItemKind::Variable(variable) if variable.kind == VariableKind::Property => {
                self.with_value.insert(&variable.name.text);
                if variable.ty.name.text == "price" {
                    self.prices.insert(&variable.name.text);
                }
            }
            ItemKind::Keyword { name, params, .. } => {
                let words = if params.is_empty() { &mut self.without_value } else { &mut self.with_value };
                words.insert(&name.text);
            }
            _ => {}
        }
    }

    /// Gives each fact its word. What has none in this game stays as it is.
    pub fn expand(&self, facts: &mut Vec<Fact>) {
        if facts.iter().any(|fact| self.followed_by_fact(fact)) {
            self.separate(facts);
        }
        let price = self.declared_for(&self.prices, facts);
        let traits = self.declared_for(&self.open_traits, facts);
        for fact in facts {
            if fact.word.text == UNLABELLED_PRICE {
                fact.word.text = price.map_or(UNLABELLED_PRICE, |name| name.text.as_str()).into();
            } else if fact.value.is_none() && fact.word.is_quoted() {
                let listed = self.listed.get(fact.word.text.as_str()).copied();
                if let Some(traits) = listed.or(traits.map(|name| name.text.as_str())) {
                    let span = fact.word.span;
                    let word = std::mem::replace(&mut fact.word, Name { text: traits.into(), span });
                    fact.value = Some(Box::new(phrase(Head::Quoted(word), Vec::new(), span)));
                }
            }
        }
    }

    /// Separates words that take no value from the prices and quoted words after them.
    fn separate(&self, facts: &mut Vec<Fact>) {
        let mut word_before = None;
        for mut fact in take(facts) {
            if self.followed_by_fact(&fact)
                && let Some(value) = fact.value.take()
            {
                let span = value.span;
                let word = match &value.kind {
                    ExprKind::Phrase(Phrase { head: Head::Quoted(word), .. }) => word.clone(),
                    _ => Name { text: UNLABELLED_PRICE.into(), span },
                };
                let value = (!word.is_quoted()).then_some(value);
                // Each of several quoted words after one word is a fact with that word.
                if word_before.replace(fact.word.span) != Some(fact.word.span) {
                    facts.push(Fact { span: fact.word.span, ..fact });
                }
                fact = Fact { word, value, args: Vec::new(), span };
            }
            facts.push(fact);
        }
    }

    /// Whether the word of a fact takes no value, so that the price or quoted word after it is another fact.
    fn followed_by_fact(&self, fact: &Fact) -> bool {
        let word = fact.word.text.as_str();
        let value = fact.value.as_deref().and_then(as_phrase);
        value.is_some_and(|phrase| matches!(phrase.head, Head::Price(_) | Head::Quoted(_)))
            && self.without_value.contains(word)
            && !self.with_value.contains(word)
    }

    /// The first declared name among some names that applies to a card with these facts.
    fn declared_for(&self, names: &IndexSet<&'a str>, facts: &[Fact]) -> Option<&'a Name> {
        let prints = |word: &Name| facts.iter().any(|fact| fact.word.text == word.text);
        let applies = |fact: &&UnlabelledFact| fact.words.is_empty() || fact.words.iter().any(prints);
        self.declared.iter().copied().filter(applies).map(|fact| &fact.name).find(|name| names.contains(name.text.as_str()))
    }
}
