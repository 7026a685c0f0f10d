//! Lowers cards and tokens: printed words, properties, keywords and abilities.

use super::function_builder::Binding;
use super::{BundleKind, KeywordPart, Lowering, Owner};
use crate::diagnostics::word_suggestions::number_word;
use crate::diagnostics::{Diagnostic, codes};
use crate::limits::{self, MAX_ABILITIES};
use crate::names::Meaning;
use fizzle_grammar::ast::{Ability, AbilityKind, Card, Expr, Fact, Head, ModificationKind, Span, UNLABELLED_PRICE, pair_part};
use fizzle_ir::{AbilityBundleId, Definition, KeywordId, Type};

/// Prefix of the suggestion for a word that was written as two.
const ONE_WORD_HELP: &str = "write it as one word";

impl<'a> Lowering<'a> {
    /// Returns the nameless definition, which abilities on the list have.
    #[must_use]
    pub fn nameless_definition(&self) -> Definition {
        Definition {
            properties: self.library.properties.iter().map(|property| property.initial).collect(),
            words: vec![Vec::new(); self.names.traits.len()],
            ..Definition::default()
        }
    }

    /// Returns the property whose value another one has by default, if it is a property of the same type.
    pub fn default_source(&self, default: &Expr, ty: Type) -> Option<u16> {
        let name = crate::phrase_syntax::bare_word(default)?;
        self.names.meanings(&name.text).iter().find_map(|meaning| match *meaning {
            Meaning::Property(number) => {
                let known = self.library.properties.get(usize::from(number))?;
                (known.ty == ty).then_some(number)
            }
            _ => None,
        })
    }

    /// Copies the defaults of properties that a card does not print. A property takes its default only from one that was declared before it.
    fn copy_properties(&self, card: &Card, definition: &mut Definition) {
        for (number, declared) in self.names.properties.iter().enumerate() {
            let Some(ty) = self.library.properties.get(number).map(|property| property.ty) else { continue };
            let printed = card.facts.iter().any(|fact| fact.word.text == declared.name.text);
            let from = declared.default.as_ref().filter(|_| !printed).and_then(|default| self.default_source(default, ty));
            let value =
                from.filter(|from| usize::from(*from) < number).and_then(|from| definition.properties.get(usize::from(from)));
            if let (Some(value), Some(place)) = (value.copied(), definition.properties.get_mut(number)) {
                *place = value;
            }
        }
    }

    /// Returns the properties that abilities of a card define: `defines { power = … }`.
    fn defined_properties(&self, card: &Card) -> Vec<u16> {
        let abilities = card.abilities.iter().filter_map(|ability| match &ability.kind {
            AbilityKind::Defines(mods) => Some(mods),
            _ => None,
        });
        let names = abilities.flatten().filter_map(|change| match &change.kind {
            ModificationKind::Set { property, .. } => Some(&property.text),
            _ => None,
        });
        let numbers = names.flat_map(|name| self.names.meanings(name)).filter_map(|meaning| match meaning {
            Meaning::Property(number) => Some(*number),
            _ => None,
        });
        let mut defined: Vec<u16> = numbers.collect();
        defined.sort_unstable();
        defined.dedup();
        defined
    }

    /// Numbers all quoted words of open trait sets that a card prints.
    pub fn intern_facts(&mut self, card: &'a Card) {
        for fact in card.facts.iter().chain(card.faces.iter().flat_map(|face| &face.card.facts)) {
            self.intern_fact(fact);
        }
    }

    fn intern_fact(&mut self, fact: &'a Fact) {
        let traits = self.names.meanings(&fact.word.text).iter().find_map(|meaning| match meaning {
            Meaning::Traits(id) => Some(*id),
            _ => None,
        });
        if let (Some(traits), Some(value)) = (traits, &fact.value)
            && let Some(phrase) = crate::phrase_syntax::as_phrase(value)
            && let Head::Quoted(name) = &phrase.head
        {
            self.intern_word(traits, name);
        }
    }

    /// Lowers a card or token.
    pub fn card(&mut self, card: &'a Card) -> Definition {
        let owner = format!("card \"{}\"", card.name.text);
        let before = std::mem::replace(&mut self.owner, Owner { span: card.span, ..Owner::new(owner) });
        let mut definition = self.nameless_definition();
        definition.name = card.name.text.to_string();
        self.check_name(&card.name);
        definition.token = card.is_token;
        definition.source = self.sources.source(card.name.span);
        self.report_duplicate_facts(card);
        self.lint_text(card);
        self.lint_text_card(card);
        self.begin_context(false);
        self.fun().context = Some(true);
        let mut units: Vec<(u32, AbilityBundleId)> = Vec::new();
        for fact in &card.facts {
            if let Some(unit) = self.fact(fact, &mut definition) {
                units.push((fact.span.start, unit));
            }
        }
        for ability in &card.abilities {
            let unit = match &ability.kind {
                AbilityKind::Keyword(fact) => self.keyword_ability(ability, fact, &mut definition),
                _ => self.ability(ability).map(|id| self.add_single_bundle(vec![id])),
            };
            if let Some(unit) = unit {
                units.push((ability.span.start, unit));
            }
        }
        self.end_context();
        if card.facts.len() as u64 > MAX_ABILITIES || self.count_abilities(&units) > MAX_ABILITIES {
            let message = format!("this card has more than {MAX_ABILITIES} abilities and printed facts, with keywords expanded");
            self.report(limits::exceeded(card.name.span, message, "leave some out"));
            units.clear();
        }
        self.lint_kinds(card, &definition);
        self.copy_properties(card, &mut definition);
        definition.defined = self.defined_properties(card);
        definition.written.sort_unstable();
        definition.written.dedup();
        units.sort_by_key(|(start, _)| *start);
        definition.bundles = units.into_iter().map(|(_, unit)| unit).collect();
        definition.words.iter_mut().for_each(keep_first);
        self.owner = before;
        definition
    }

    /// The number of abilities in bundles, with keywords expanded.
    fn count_abilities(&self, units: &[(u32, AbilityBundleId)]) -> u64 {
        let sizes = &self.names.dependencies.keyword_sizes;
        let size = |id: &AbilityBundleId| match self.bundles.get(id.index()) {
            Some(BundleKind::Keyword(keyword, _)) => sizes.get(keyword.index()).copied().unwrap_or(1).max(1),
            _ => 1,
        };
        units.iter().fold(0, |sum: u64, (_, id)| sum.saturating_add(size(id)))
    }

    /// Reports a property that is printed twice.
    fn report_duplicate_facts(&mut self, card: &Card) {
        let mut seen: Vec<(u16, Span)> = Vec::new();
        for fact in &card.facts {
            let property = self.names.meanings(&fact.word.text).iter().find_map(|meaning| match meaning {
                Meaning::Property(number) => Some(*number),
                _ => None,
            });
            let Some(number) = property else { continue };
            match seen.iter().find(|(known, _)| *known == number) {
                Some((_, first)) => {
                    let message = format!("`{}` is printed twice on this card", fact.word.text);
                    let problem = Diagnostic::new(&codes::DUPLICATE, fact.span, message).also(*first, "first printed here");
                    self.report(problem.help("leave one of them out"));
                }
                None => seen.push((number, fact.span)),
            }
        }
    }

    fn keyword_ability(&mut self, ability: &'a Ability, fact: &'a Fact, definition: &mut Definition) -> Option<AbilityBundleId> {
        if !ability.zones.is_empty() {
            self.report_not_here(
                ability.span,
                "the declaration of a keyword says in which zone it works",
                "write the zone in the declaration of the keyword",
            );
        }
        self.fact(fact, definition)
    }

    fn fact(&mut self, fact: &'a Fact, definition: &mut Definition) -> Option<AbilityBundleId> {
        if let Some(part) = pair_part(&fact.word) {
            if part == 0 {
                self.report_missing_pair(fact.span);
            }
            return None;
        }
        let word = fact.word.text.as_str();
        if word == UNLABELLED_PRICE {
            self.report_unlabelled_price(fact.span);
            return None;
        }
        let meanings = self.names.meanings(word).to_vec();
        for meaning in &meanings {
            match *meaning {
                Meaning::Word(traits, index) if fact.value.is_none() && fact.args.is_empty() => {
                    definition.words[traits.index()].push(index);
                    return None;
                }
                Meaning::Traits(traits) => {
                    self.word_fact(fact, traits, definition);
                    return None;
                }
                Meaning::Property(number) => {
                    self.property_fact(fact, number, definition);
                    return None;
                }
                Meaning::Keyword(_) => {
                    let (keyword, args) = self.keyword_fact(fact)?;
                    self.keyword_versions(keyword, &args);
                    return Some(self.keyword_bundle(keyword, args));
                }
                _ => {}
            }
        }
        if let Some((traits, index)) = self.open_word(word) {
            definition.words[traits.index()].push(index);
            return None;
        }
        // A word that lacks its value directly precedes: this word was meant as the value and is not reported again.
        let lacking = self.diagnostics.last().filter(|problem| problem.code.code == codes::MISSING_OPERAND.code);
        if let Some(missing) =
            lacking.filter(|problem| problem.span.file == fact.span.file && problem.span.end <= fact.span.start)
            && self.is_adjacent(missing.span, fact.span)
        {
            return None;
        }
        // The second half of a word that was reported to be one word with the previous one.
        let joined =
            self.diagnostics.last().filter(|problem| problem.help.first().is_some_and(|help| help.starts_with(ONE_WORD_HELP)));
        if joined.is_some_and(|problem| problem.span.file == fact.span.file && self.is_adjacent(problem.span, fact.span)) {
            return None;
        }
        if self.report_word_before_price(fact) {
            return None;
        }
        let names = self.names;
        let words = names.traits.iter().flat_map(|set| set.words.iter().flatten()).map(smol_str::SmolStr::as_str);
        let properties = names.properties.iter().map(|property| property.name.text.as_str());
        let known = words
            .chain(properties)
            .chain(names.keywords.keys().map(smol_str::SmolStr::as_str))
            .chain(names.traits.iter().map(|set| set.name.as_str()));
        let mut problem = Diagnostic::new(&codes::UNKNOWN_FACT, fact.word.span, format!("`{word}` cannot be printed on a card"))
            .did_you_mean(word, known.clone());
        let behind = self.sources.text(fact.word.span.file).get(fact.word.span.end as usize..).unwrap_or("");
        let behind: String = behind.trim_start_matches(' ').chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
        let joined = format!("{word}_{behind}").to_lowercase();
        if let Some(one) = known.clone().find(|name| *name == joined) {
            problem.help = vec![format!("{ONE_WORD_HELP}: `{one}`")];
            problem.fixes.clear();
        }
        let changes = names.statuses.iter().any(|status| status.name.text == *word);
        if changes {
            problem.help =
                vec![format!("`{word}` changes during the game and is not printed; an ability sets it: `{word} of this = …`")];
        }
        if problem.help.is_empty()
            && names.actions.keys().any(|action| crate::verb_forms::is_inflected_form(action, &word.to_lowercase(), false))
        {
            problem =
                problem.help(format!("`{word}` is an action: write it in an ability, `does {{ {} … }}`", word.to_lowercase()));
        }
        if problem.help.is_empty()
            && !fact.word.is_quoted()
            && let Some((printed, set)) = self.open_word_of_other_case(word)
        {
            problem = problem.help(format!("a word of an open set is written in quotes: `\"{printed}\"`, `{set} \"{printed}\"`"));
        }
        let open: Vec<String> =
            names.traits.iter().filter(|set| set.words.is_none()).map(|set| format!("`{} \"{word}\"`", set.name)).collect();
        if problem.help.is_empty() && fact.word.is_quoted() && !open.is_empty() {
            problem = problem.help(format!("a quoted word is in an open set of traits; write its name: {}", open.join(", ")));
        }
        if let Some(number) = number_word(word).filter(|_| problem.help.is_empty()) {
            problem = problem.help(format!("numbers are written in digits: `{number}`"));
        }
        if problem.help.is_empty() {
            let help = "a card has trait words, properties with values, keywords and abilities: `does { … }`";
            let values: Vec<&Expr> = fact.value.as_deref().into_iter().chain(&fact.args).collect();
            let of_type = |value: &&Expr| match self.guess(value) {
                Some(Type::Price) => Some("price"),
                Some(Type::Number) => Some("number"),
                _ => None,
            };
            let types: Option<Vec<&str>> = values.iter().map(of_type).collect();
            let names = [["n"; 4], ["fee"; 4]];
            let params =
                types.filter(|types| !types.is_empty() && types.len() <= names[0].len()).map_or_else(String::new, |types| {
                    let one = |(at, ty): (usize, &&str)| {
                        let name = names[usize::from(*ty == "price")][at];
                        if at == 0 { format!("{name}: {ty}") } else { format!("{name}{}: {ty}", at + 1) }
                    };
                    format!("({})", types.iter().enumerate().map(one).collect::<Vec<_>>().join(", "))
                });
            problem = problem.help(format!("{help}; a keyword of your own is declared `keyword {word}{params} {{ … }}`"));
        }
        self.report(problem);
        None
    }

    /// Reports `cost {R}` in a game whose cards print their price without a word.
    fn report_word_before_price(&mut self, fact: &'a Fact) -> bool {
        let Some(value) = fact.value.as_deref().filter(|value| self.guess(value) == Some(Type::Price)) else { return false };
        if self.names.unlabelled_price.is_none() {
            return false;
        }
        let price = self.sources.slice(value.span).to_owned();
        let message = format!("the price of a card is printed without a word, and `{}` is no word of this game", fact.word.text);
        let problem = Diagnostic::new(&codes::MISPLACED_FORM, fact.span, message).help(format!("write `{price}`"));
        let whole = self.sources.slice(fact.span).to_owned();
        self.report(problem.fix(whole, price));
        true
    }

    /// Whether only blanks are between two spans.
    fn is_adjacent(&self, before: Span, span: Span) -> bool {
        before.end <= span.start && self.sources.slice(Span { start: before.end, end: span.start, ..span }).trim().is_empty()
    }

    fn word_fact(&mut self, fact: &'a Fact, traits: fizzle_ir::TraitSetId, definition: &mut Definition) {
        let Some(value) = &fact.value else {
            self.report(
                Diagnostic::new(&codes::MISSING_OPERAND, fact.span, format!("`{}` needs a word", fact.word.text))
                    .help(format!("write the word in quotes: `{} \"WORD\"`", fact.word.text)),
            );
            return;
        };
        let name = crate::phrase_syntax::as_phrase(value).and_then(|phrase| match &phrase.head {
            Head::Quoted(name) | Head::Word(name) => Some(name),
            _ => None,
        });
        match name.and_then(|name| self.intern_word(traits, name)) {
            Some(index) => definition.words[traits.index()].push(index),
            None => {
                let text = self.sources.slice(value.span).to_owned();
                self.error(&codes::UNKNOWN_FACT, value.span, format!("`{text}` is not a word of `{}`", fact.word.text));
            }
        }
    }

    fn property_fact(&mut self, fact: &'a Fact, number: u16, definition: &mut Definition) {
        let ty = self.names.types[0].get(usize::from(number)).copied().unwrap_or(Type::Number);
        if ty == Type::Price
            && let Some(value) = fact.value.as_deref().or(fact.args.first())
            && self.guess(value) == Some(Type::Number)
        {
            let text = self.sources.slice(value.span).to_owned();
            let message = format!("`{}` is a price, but `{text}` is a number", fact.word.text);
            let problem = Diagnostic::new(&codes::TYPE_MISMATCH, value.span, message);
            self.report(problem.help(format!("a price is written in symbols: `{} {{{text}}}`", fact.word.text)));
            return;
        }
        if ty == Type::Number
            && let Some(value) = fact.value.as_deref().or(fact.args.first())
            && self.guess(value) == Some(Type::Price)
        {
            let text = self.sources.slice(value.span).to_owned();
            let message = format!("`{}` is a number, but `{text}` is a price", fact.word.text);
            let total: i64 = text
                .split(['{', '}'])
                .filter(|one| !one.is_empty())
                .map(|one| one.parse().unwrap_or(1))
                .fold(0, i64::saturating_add);
            let problem = Diagnostic::new(&codes::TYPE_MISMATCH, value.span, message);
            self.report(problem.help(format!("a number is written without braces: `{} {total}`", fact.word.text)));
            return;
        }
        let value = match (&fact.value, fact.args.as_slice()) {
            (Some(value), _) => self.must_be_constant(value, ty),
            (None, [value]) => self.must_be_constant(value, ty),
            (None, _) if ty == Type::Bool => 1,
            (None, _) => {
                let behind = self.sources.text(fact.span.file).get(fact.span.end as usize..).unwrap_or("").trim_start();
                let behind: String = behind.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
                let help = match number_word(&behind) {
                    Some(number) => format!("numbers are written in digits: `{} {number}`", fact.word.text),
                    None if ty == Type::Price => format!("write `{} {{1}}`", fact.word.text),
                    None => format!("write `{} 1`", fact.word.text),
                };
                let message = format!("`{}` has no value", fact.word.text);
                self.report(Diagnostic::new(&codes::MISSING_OPERAND, fact.span, message).help(help));
                0
            }
        };
        definition.written.push(number);
        if let Some(cell) = definition.properties.get_mut(usize::from(number)) {
            *cell = i32::try_from(value).unwrap_or(i32::MAX);
        }
    }

    /// Reports, instead of the errors in a keyword's text since diagnostic number `reported`, the argument from another set of words that they
    /// are due to.
    fn report_foreign_argument(&mut self, keyword: KeywordId, args: &[i32], reported: usize) {
        let has_error = self.diagnostics.iter().skip(reported).any(|diagnostic| diagnostic.is_error());
        let Some(span) = self.foreign_arguments.get(&(keyword, args.to_vec())).copied().filter(|_| has_error) else { return };
        self.forget_problems_since(reported);
        let Some((name, declared)) = self.names.keywords.get_index(keyword.index()) else { return };
        let word = self.sources.slice(span).to_owned();
        let problem = Diagnostic::new(&codes::TYPE_MISMATCH, span, format!("`{word}` is no word that `{name}` can use"))
            .also(declared.span, "declared here")
            .help("give it a word of the set that its parameter names");
        self.report(problem);
    }

    /// Lowers the abilities and keywords that a keyword stands for, once per version and arguments.
    pub fn lower_keyword(
        &mut self,
        version: usize,
        keyword: KeywordId,
        args: &[i32],
        params: &'a [fizzle_grammar::ast::Param],
        abilities: &'a [Ability],
    ) -> Vec<KeywordPart> {
        if let Some(parts) = self.lowered_keywords.get(&(version, args.to_vec())) {
            return parts.clone();
        }
        let Some((name, declared)) = self.names.keywords.get_index(keyword.index()) else { return Vec::new() };
        let before = std::mem::replace(&mut self.owner, Owner::new(format!("keyword {name}")));
        self.begin_context(false);
        let reported = self.diagnostics.len();
        for ((param, (_, ty)), value) in params.iter().zip(&declared.params).zip(args) {
            let (binding, ty) = match (ty, super::ability::another_set(*value)) {
                (Type::Words(_), Some((traits, word))) => (Binding::Word(traits, word), Type::Words(traits)),
                (Type::Words(traits), None) => (Binding::Word(*traits, *value as u16), *ty),
                _ => (Binding::Const(i64::from(*value)), *ty),
            };
            self.bind(&param.name, Some(ty), binding);
            if let Some(local) = self.fun().locals.last_mut() {
                local.warn_if_unused = false;
            }
        }
        let parts = self.abilities(abilities);
        self.end_context();
        self.report_foreign_argument(keyword, args, reported);
        self.keyword_versions.entry(keyword).or_default().operations += self.owner.operations;
        self.owner = before;
        self.lowered_keywords.insert((version, args.to_vec()), parts.clone());
        parts
    }
}

/// Removes all but the first occurrence of each printed word, so that they keep the order of the card.
pub fn keep_first(words: &mut Vec<u16>) {
    let mut seen = std::collections::BTreeSet::new();
    words.retain(|word| seen.insert(*word));
}
