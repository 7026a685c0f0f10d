//! Lowers continuous effects, prohibitions and their durations (CR 611, 613).
//!
//! Modifications are built as [`UnclosedModification`]: their functions are children of the statement. When all children are known, they
//! are closed over the same captures, which are the values that the effect stores.

use super::Lowering;
use super::function_builder::{Candidate, FunctionBuilder};
use super::pattern::{EventVerb, UnclosedPattern};
use super::selection::{Constraint, Selection};
use crate::diagnostics::{Diagnostic, codes};
use crate::names::{Meaning, dotted};
use crate::phrase_syntax::{as_phrase, bare_word};
use fizzle_grammar::ast::{
    Duration, DurationPoint, Expr, Head, Modification as WrittenMod, ModificationKind, Moment, Name, Pattern, Phrase, Quantifier,
    Span, WordsAndAbilities, pair_part,
};
use fizzle_ir::op::{Binary, DurationEnd, Place};
use fizzle_ir::verbs::{BEGIN, FINISH};
use fizzle_ir::{
    AbilityBundleId, ActionId, Change, Modification, ModificationId, Op, PeriodId, Reg, TraitSetId, Type, WordSetChange,
};

/// A change whose functions are not closed over their captures yet.
#[derive(Debug)]
#[expect(missing_docs, reason = "each is a change of the runtime")]
pub enum UnclosedChange {
    Add(u16, Box<FunctionBuilder>, Option<Box<FunctionBuilder>>),
    Set(u16, Box<FunctionBuilder>),
    Controller(Box<FunctionBuilder>),
    Switch(u16, u16),
    Word(TraitSetId, u16),
    NotWord(TraitSetId, u16),
    NoWords(TraitSetId),
    AllWords(TraitSetId),
    ChangeWordByValue(TraitSetId, Box<FunctionBuilder>, WordSetChange),
    SubstituteWord(TraitSetId, Box<FunctionBuilder>, Box<FunctionBuilder>),
    GainChosen(Vec<AbilityBundleId>, Box<FunctionBuilder>),
    Gain(AbilityBundleId),
    NotKeyword(fizzle_ir::KeywordId),
    NoAbilities,
    NoStatics,
    Cannot(Box<UnclosedPattern>),
    Clause(Box<super::declaration_clause::UnclosedClause>),
}

/// A change, its layer, and what it applies to.
#[derive(Debug)]
pub struct UnclosedModification {
    layer: u8,
    selector: Selector,
    zones: u32,
    change: UnclosedChange,
}

impl UnclosedModification {
    /// Returns a modification that applies to no objects: a prohibition or a declaration clause.
    pub fn of(change: UnclosedChange) -> Self {
        Self { layer: 0, selector: Selector::None, zones: 0, change }
    }
}

/// The objects that a change applies to.
#[derive(Debug)]
enum Selector {
    /// The fixed list of the effect, or its source.
    None,
    /// All objects that pass the filter, at any time.
    Filter(Box<FunctionBuilder>),
    /// The objects of the previous change of the same clause: an object affected in one layer is affected in the later ones too (CR 613.6).
    AsPrevious,
}

/// The end of a duration whose function is not closed over the captures of its effect yet.
pub enum UnclosedEnd {
    /// A moment, which has no function.
    Moment(DurationEnd),
    /// An event.
    Event {
        /// The action.
        action: ActionId,
        /// The filter.
        filter: FunctionBuilder,
        /// Whether the event is matched in the state before it.
        looks_back: bool,
        /// Whether the event is about the source itself.
        of_source: bool,
    },
    /// The failure of a condition.
    Failure(FunctionBuilder),
}

impl UnclosedEnd {
    /// Its function, to collect the captures.
    pub fn child(&self) -> Option<&FunctionBuilder> {
        match self {
            Self::Moment(_) => None,
            Self::Event { filter: child, .. } | Self::Failure(child) => Some(child),
        }
    }
}

/// The objects that a `gets` clause names.
enum AffectedObjects<'a> {
    /// All objects that pass a selection, now and later.
    Selection(Selection<'a>),
    /// The objects of a value.
    Value(&'a Expr),
}

/// The most properties that a suggestion names.
const MAX_PROPERTIES_NAMED: usize = 8;

impl<'a> Lowering<'a> {
    /// Lowers `X gets …` as a statement.
    pub fn gets(&mut self, whom: &'a Expr, mods: &'a [WrittenMod], until: Option<&'a Duration>, span: Span) {
        let target = self.affected_objects(whom, false);
        let (living, list) = match target {
            AffectedObjects::Selection(selection) => {
                self.lint_open_subject(whom, until, span);
                (Some(selection), None)
            }
            AffectedObjects::Value(expr) => {
                let value = self.list_of(expr);
                (None, Some(value.reg))
            }
        };
        let mut open = self.unclosed_mods(mods, living.as_ref(), false);
        open.iter_mut().for_each(|open| self.evaluate_now(&mut open.change));
        self.begin_effect(open, list, until, span);
    }

    /// Makes the values of a change fixed: an effect of a statement determines them as it begins (CR 608.2h, 611.2d). Values that depend on
    /// the affected object are not fixed.
    fn evaluate_now(&mut self, change: &mut UnclosedChange) {
        let values = match change {
            UnclosedChange::Add(_, value, floor) => [Some(value), floor.as_mut()],
            UnclosedChange::Set(_, value)
            | UnclosedChange::Controller(value)
            | UnclosedChange::ChangeWordByValue(_, value, _)
            | UnclosedChange::GainChosen(_, value) => [Some(value), None],
            UnclosedChange::SubstituteWord(_, new, old) => [Some(new), Some(old)],
            _ => [None, None],
        };
        values.into_iter().flatten().for_each(|value| self.evaluate_value_now(value));
    }

    fn evaluate_value_now(&mut self, value: &mut FunctionBuilder) {
        let of_its_object = |op: &Op| {
            let mut reads = false;
            op.for_each_read(|reg| reads |= value.trailing_params.contains(&reg));
            reads
        };
        let reads_state = |op: &Op| {
            !matches!(op, Op::Const { .. } | Op::Constant { .. } | Op::Copy { .. } | Op::Binary { .. } | Op::Return { .. })
        };
        let Some(ty) = value.result.filter(|ty| !ty.is_list() && *ty != Type::Price) else { return };
        if value.ops.iter().any(of_its_object) || !value.ops.iter().any(reads_state) {
            return;
        }
        let captures = FunctionBuilder::captured_registers(&[value]);
        let none = self.constant(0, Type::Object);
        let args = [0, 1].into_iter().chain(captures.iter().copied()).chain([none]).collect();
        let function = self.close(std::mem::take(value), &captures);
        let known = self.reg(ty);
        self.emit(Op::Call { dst: known, function, args });
        let here = self.funs.len() - 1;
        self.begin_child(true, Some(ty));
        self.fun().outlives_statement = true;
        self.trailing_param(Type::Object);
        let own = self.capture(here + 1, here, known);
        self.emit(Op::Return { value: Some(own) });
        *value = self.end_child();
    }

    /// Lowers `X cannot …` as a statement.
    pub fn cannot(&mut self, pattern: &'a Pattern, until: Option<&'a Duration>, span: Span) {
        let mut open: Vec<UnclosedModification> = self.unclosed_cannot(pattern).into_iter().collect();
        for open in &mut open {
            if let UnclosedChange::Cannot(pattern) = &mut open.change
                && let Some(filter) = &mut pattern.filter
            {
                self.evaluate_values_of_names_now(filter);
            }
        }
        let whom = self.named_object(&pattern.subject);
        self.begin_effect(open, whom, until, span);
    }

    /// Returns the object that a prohibition is about, if a name stands for one: what clears the effects on an object ends its prohibitions, too.
    fn named_object(&mut self, subject: &'a Expr) -> Option<Reg> {
        let name = bare_word(subject)?.text.as_str();
        let is_bound = matches!(name, "this" | "it") || matches!(self.local_type(name), Some((Some(Type::Object), _)));
        if !is_bound {
            return None;
        }
        let value = self.expr(subject, Some(Type::Object));
        (value.ty == Some(Type::Object)).then_some(value.reg)
    }

    /// Makes the values of bound objects in a condition fixed, such as `name of x`: the effect determines them as it begins (CR 608.2h, 611.2d).
    /// Statuses and zones are not fixed, and nothing of `this` is.
    fn evaluate_values_of_names_now(&mut self, condition: &mut FunctionBuilder) {
        for index in 0..condition.ops.len() {
            let Some(Op::Get { dst, place, of }) = condition.ops.get(index).cloned() else { continue };
            let is_value = matches!(
                place,
                Place::Property(_) | Place::Words(_) | Place::Definition | Place::Owner | Place::Controller | Place::SourceOf
            );
            let outer = condition.captures.iter().find(|(_, own)| *own == of).map(|(outer, _)| *outer);
            let ty = condition.registers.get(usize::from(dst)).copied().filter(|ty| !ty.is_list());
            let (Some(outer), Some(ty), true) = (outer, ty, is_value) else { continue };
            let known = self.reg(ty);
            self.emit(Op::Get { dst: known, place, of: outer });
            let own = condition.add_register(ty);
            condition.captures.push((known, own));
            if let Some(op) = condition.ops.get_mut(index) {
                *op = Op::Copy { dst, src: own };
            }
        }
    }

    /// Reports text changes among the exceptions of a copy. A copy has the text of its model (CR 707.2); only effects change its words.
    pub fn reject_text_changes(&mut self, open: &[UnclosedModification], span: Span) {
        if open.iter().any(|open| matches!(open.change, UnclosedChange::SubstituteWord(..))) {
            let problem = Diagnostic::new(&codes::MISPLACED_FORM, span, "a copy cannot change words of its text");
            self.report(problem.help("change them by an effect on the copy: `it gets TRAITS NEW instead of OLD`"));
        }
    }

    /// Closes modifications and emits the operation that begins their effect.
    pub fn begin_effect(&mut self, open: Vec<UnclosedModification>, whom: Option<Reg>, until: Option<&'a Duration>, span: Span) {
        let until = self.unclosed_ends(until);
        let children: Vec<_> = functions(&open).into_iter().chain(until.iter().filter_map(UnclosedEnd::child)).collect();
        let outer = FunctionBuilder::captured_registers(&children);
        self.reject_list_captures(&outer, span);
        let mods = self.close_mods(open, &outer);
        let until = self.close_ends(until, &outer);
        let before = self.at;
        self.at = span;
        self.emit(Op::BeginEffect { mods, abilities: Vec::new(), whom, captures: outer, until, once: false });
        self.at = before;
    }

    /// Lowers a `gets` clause of a static ability.
    pub fn static_gets(&mut self, whom: &'a Expr, mods: &'a [WrittenMod]) -> Vec<ModificationId> {
        let open = self.unclosed_static(whom, mods, true);
        self.close_mods(open, &[])
    }

    /// Lowers a `gets` clause without a duration. `has_source`: whether `this` means the source of the effect, without a filter.
    pub fn unclosed_static(&mut self, whom: &'a Expr, mods: &'a [WrittenMod], has_source: bool) -> Vec<UnclosedModification> {
        match self.affected_objects(whom, true) {
            AffectedObjects::Selection(selection) => self.unclosed_mods(mods, Some(&selection), true),
            AffectedObjects::Value(expr) if has_source && crate::phrase_syntax::is_word(expr, "this") => {
                self.unclosed_mods(mods, None, true)
            }
            AffectedObjects::Value(expr) => {
                let mut selection = Selection::default();
                selection.constraints.push(Constraint::Is(expr, false));
                let mut open = self.unclosed_mods(mods, Some(&selection), true);
                for each in &mut open {
                    each.zones = u32::MAX;
                }
                open
            }
        }
    }

    /// Lowers a `cannot` clause of a static ability.
    pub fn static_cannot(&mut self, pattern: &'a Pattern) -> Vec<ModificationId> {
        let open = self.unclosed_cannot(pattern).into_iter().collect();
        self.close_mods(open, &[])
    }

    /// Lowers a prohibition as a modification.
    pub fn unclosed_cannot(&mut self, pattern: &'a Pattern) -> Option<UnclosedModification> {
        self.lint_forbidden_noun(pattern);
        self.lint_unset_status(pattern);
        let open = self.pattern(pattern, &[])?;
        Some(UnclosedModification::of(UnclosedChange::Cannot(Box::new(open))))
    }

    fn affected_objects(&mut self, whom: &'a Expr, each_lives: bool) -> AffectedObjects<'a> {
        if let Some(phrase) = as_phrase(whom) {
            let bare = self.selects(phrase);
            let each = each_lives && matches!(phrase.quantifier, Some(Quantifier::Each));
            if (bare || each)
                && let Some(selection) = self.selection(phrase, whom.span)
            {
                return AffectedObjects::Selection(selection);
            }
        }
        AffectedObjects::Value(whom)
    }

    pub(super) fn unclosed_mods(
        &mut self,
        mods: &'a [WrittenMod],
        living: Option<&Selection<'a>>,
        fixed: bool,
    ) -> Vec<UnclosedModification> {
        let mut all: Vec<UnclosedModification> = Vec::new();
        for (layer, change) in self.unclosed_changes(mods) {
            let (selector, zones) = match living {
                None => (Selector::None, if fixed { u32::MAX } else { 0 }),
                Some(_) if !all.is_empty() => (Selector::AsPrevious, all.last().map_or(0, |open| open.zones)),
                Some(selection) => {
                    self.begin_child(true, Some(Type::Bool));
                    self.fun().outlives_statement = true;
                    let ty = selection.single_type();
                    let reg = self.trailing_param(ty);
                    self.fun().candidate = Some(Candidate::new(reg, ty));
                    let holds = self.passes(selection, reg, ty);
                    self.emit(Op::Return { value: Some(holds) });
                    (Selector::Filter(Box::new(self.end_child())), self.zone_mask(selection))
                }
            };
            all.push(UnclosedModification { layer, selector, zones, change });
        }
        all
    }

    /// Lowers a list of changes, each with its layer.
    fn unclosed_changes(&mut self, mods: &'a [WrittenMod]) -> Vec<(u8, UnclosedChange)> {
        let mut all = Vec::new();
        for written in mods {
            let Some((layer, change)) = self.unclosed_change(written) else { continue };
            if let Some(floor) = written.floor.as_ref().filter(|_| !matches!(change, UnclosedChange::Add(..))) {
                let problem = Diagnostic::new(&codes::MISPLACED_FORM, floor.span, "`min` has no effect here");
                self.report(problem.help("only an added number has a lower bound: `-2 power min 0`"));
            }
            let layer = written.in_layer.as_ref().map_or(Some(layer), |name| self.written_layer(name)).unwrap_or(layer);
            let set = match (&written.kind, &change) {
                (ModificationKind::Only(_), UnclosedChange::Word(traits, _) | UnclosedChange::ChangeWordByValue(traits, ..)) => {
                    all.push((layer, UnclosedChange::NoWords(*traits)));
                    Some(*traits)
                }
                (ModificationKind::Set { .. }, UnclosedChange::ChangeWordByValue(traits, ..)) => Some(*traits),
                _ => None,
            };
            let how = set.and_then(|set| self.names.traits.get(set.index())).map(|set| set.abilities);
            let replaces_abilities = how == Some(WordsAndAbilities::ReplaceAbilities);
            let takes_abilities = replaces_abilities || matches!(change, UnclosedChange::NoAbilities);
            all.push((layer, change));
            if replaces_abilities {
                all.push((layer, UnclosedChange::NoAbilities));
            }
            if takes_abilities {
                let sets = self.names.traits.iter().enumerate();
                let abilities = sets.filter(|(_, set)| set.abilities == WordsAndAbilities::AreAbilities);
                all.extend(abilities.map(|(number, _)| (layer, UnclosedChange::NoWords(TraitSetId(number as u32)))));
            }
        }
        all
    }

    /// Returns the number of a layer that is named in the text; reports an unknown one.
    pub fn written_layer(&mut self, name: &Name) -> Option<u8> {
        let found = self.names.layers.iter().position(|layer| *layer == name.text);
        if found.is_none() {
            let known = self.names.layers.iter().map(smol_str::SmolStr::as_str);
            let problem = Diagnostic::new(&codes::UNKNOWN_NAME, name.span, format!("no layer is called `{}`", name.text))
                .did_you_mean(&name.text, known)
                .or_help(format!("declare it among the layers, in the order of application: `layers {{ …, {} }}`", name.text));
            self.report(problem);
        }
        found.map(|layer| layer as u8)
    }

    /// Lowers `defines { … }`: characteristic-defining changes of the ability's own object.
    pub fn defines(&mut self, mods: &'a [WrittenMod]) -> Vec<ModificationId> {
        let open = self.unclosed_mods(mods, None, true);
        let mods = self.close_mods(open, &[]);
        for id in &mods {
            if let Some(change) = self.library.modifications.get_mut(id.index()) {
                change.defining = true;
            }
        }
        mods
    }

    pub(super) fn trait_set(&mut self, name: &Name) -> Option<TraitSetId> {
        let found = self.names.meanings(&name.text).iter().find_map(|meaning| match meaning {
            Meaning::Traits(id) => Some(*id),
            _ => None,
        });
        if found.is_none() {
            let known: Vec<&str> = self.names.traits.iter().map(|set| set.name.as_str()).collect();
            let problem = Diagnostic::new(&codes::UNKNOWN_NAME, name.span, format!("no trait set is called `{}`", name.text));
            self.report(match self.names.keywords.contains_key(&name.text) {
                true => problem.help(format!("a keyword is removed by `not`: `gets not {}`", name.text)),
                false => problem.did_you_mean(&name.text, known),
            });
        }
        found
    }

    fn layer_number(&self, name: &str) -> u8 {
        self.names.layers.iter().position(|layer| layer == name).unwrap_or(0) as u8
    }

    fn unclosed_change(&mut self, written: &'a WrittenMod) -> Option<(u8, UnclosedChange)> {
        match &written.kind {
            ModificationKind::Add { negative, amount, property } if self.is_trait_set(property) => {
                self.word_set_change(property, amount, if *negative { WordSetChange::Lose } else { WordSetChange::Gain })
            }
            ModificationKind::Set { property, value } if self.is_trait_set(property) => {
                self.word_set_change(property, value, WordSetChange::GainOnly)
            }
            ModificationKind::Add { property, .. } if pair_part(property).is_some() => {
                if pair_part(property) == Some(0) {
                    self.report_missing_pair(written.span);
                }
                None
            }
            ModificationKind::Add { negative, amount, property } => {
                let (number, layer) = self.property_and_layer(property)?;
                let ty = self.names.types[0].get(usize::from(number)).copied().unwrap_or(Type::Number);
                if ty != Type::Number {
                    let found = self.a_type(ty);
                    let word = &property.text;
                    let problem = Diagnostic::new(
                        &codes::TYPE_MISMATCH,
                        property.span,
                        format!("`{word}` is {found}, so no number can be added to it"),
                    );
                    let help = if ty == Type::Price {
                        format!("set it: `{word} = {{2}}`; or declare a number for it: `property {word}: number in layer …`")
                    } else {
                        format!("set it: `{word} = …`")
                    };
                    self.report(problem.help(help));
                    return None;
                }
                let layer = self.layer_for(number, |declared| declared.add_layer.as_ref()).unwrap_or(layer);
                let value = self.value_child(Type::Number, amount, *negative);
                let floor = written.floor.as_ref().map(|floor| self.value_child(Type::Number, floor, false));
                Some((layer, UnclosedChange::Add(number, value, floor)))
            }
            ModificationKind::Set { property, value } if property.text == "controller" => {
                let value = self.value_child(Type::Player, value, false);
                Some((self.layer_number("controller"), UnclosedChange::Controller(value)))
            }
            ModificationKind::Set { property, value } => {
                let (number, layer) = self.property_and_layer(property)?;
                let ty = self.names.types[0].get(usize::from(number)).copied().unwrap_or(Type::Number);
                if ty == Type::Price && self.guess(value) == Some(Type::Number) {
                    let text = self.sources.slice(value.span).to_owned();
                    let message = format!("`{}` is a price, but `{text}` is a number", property.text);
                    let problem = Diagnostic::new(&codes::TYPE_MISMATCH, value.span, message);
                    self.report(problem.help("a price is written in symbols: `{2}{U}`"));
                    return None;
                }
                let value = self.value_child(ty, value, false);
                Some((layer, UnclosedChange::Set(number, value)))
            }
            ModificationKind::Word { name, args } => self.add_word_or_keyword(name, args),
            ModificationKind::Only(name) => match self.add_word_or_keyword(name, &[])? {
                found @ (_, UnclosedChange::Word(..) | UnclosedChange::ChangeWordByValue(..)) => Some(found),
                _ => {
                    let message = format!("`{}` is not a trait word", name.text);
                    self.report(
                        Diagnostic::new(&codes::TYPE_MISMATCH, name.span, message)
                            .help("`WORD only` removes the other words of its trait set; `no abilities` removes abilities"),
                    );
                    None
                }
            },
            ModificationKind::Instead { traits, new, old } => self.instead_of(traits, new, old),
            ModificationKind::None(name) => {
                self.trait_set(name).map(|set| (self.traits_layer(set), UnclosedChange::NoWords(set)))
            }
            ModificationKind::Every(name) => {
                self.trait_set(name).map(|set| (self.traits_layer(set), UnclosedChange::AllWords(set)))
            }
            ModificationKind::Switch(a, b) => {
                let (first, layer) = self.property_and_layer(a)?;
                let (second, _) = self.property_and_layer(b)?;
                for (number, name) in [(first, a), (second, b)] {
                    if self.names.types[0].get(usize::from(number)) != Some(&Type::Number) {
                        let message = format!("`{}` is not a number, so it cannot be switched", name.text);
                        self.error(&codes::TYPE_MISMATCH, name.span, message);
                        return None;
                    }
                }
                let layer = self.layer_for(first, |declared| declared.switch_layer.as_ref()).unwrap_or(layer);
                Some((layer, UnclosedChange::Switch(first, second)))
            }
            ModificationKind::Not(name) => match self.word_constraint(name)? {
                Constraint::Word(traits, word) => {
                    let change = self.constant_word(traits, word, WordSetChange::Lose);
                    Some((self.traits_layer(traits), change.unwrap_or(UnclosedChange::NotWord(traits, word))))
                }
                Constraint::Keyword(keyword) => Some((self.layer_number("abilities"), UnclosedChange::NotKeyword(keyword))),
                _ => {
                    self.error(&codes::TYPE_MISMATCH, name.span, format!("`{}` cannot be lost", name.text));
                    None
                }
            },
            ModificationKind::NoAbilities => Some((self.layer_number("abilities"), UnclosedChange::NoAbilities)),
            ModificationKind::NoStatics => Some((self.layer_number("abilities"), UnclosedChange::NoStatics)),
        }
    }

    /// Whether a name is a trait set and not a property.
    fn is_trait_set(&self, name: &Name) -> bool {
        let meanings = self.names.meanings(&name.text);
        meanings.iter().any(|meaning| matches!(meaning, Meaning::Traits(_)))
            && !meanings.iter().any(|meaning| matches!(meaning, Meaning::Property(_)))
    }

    /// Lowers `TRAITS = WORD`, `+WORD TRAITS`, `-WORD TRAITS`, where the word is an expression.
    fn word_set_change(&mut self, set: &'a Name, word: &'a Expr, how: WordSetChange) -> Option<(u8, UnclosedChange)> {
        let traits = self.trait_set(set)?;
        if let Some(Phrase { head: Head::Quoted(name), .. }) = as_phrase(word) {
            let known = self.words.get(traits.index())?;
            if !known.contains_key(&name.text) {
                let message = format!("`{}` is not a word of `{}`", name.text, set.text);
                let problem = Diagnostic::new(&codes::UNKNOWN_NAME, name.span, message)
                    .did_you_mean(&name.text, known.keys().map(smol_str::SmolStr::as_str));
                self.report(problem);
                return None;
            }
        }
        let word = self.value_child(Type::Word(traits), word, false);
        Some((self.traits_layer(traits), UnclosedChange::ChangeWordByValue(traits, word, how)))
    }

    /// Lowers the gain or loss of a word that effects can change in this text; `None` for a word that they cannot change.
    fn constant_word(&mut self, traits: TraitSetId, word: u16, how: WordSetChange) -> Option<UnclosedChange> {
        self.begin_child(true, Some(Type::Word(traits)));
        self.fun().outlives_statement = true;
        self.trailing_param(Type::Object);
        let slot = self.slot(traits, word);
        self.emit(Op::Return { value: slot });
        let fun = self.end_child();
        slot.map(|_| UnclosedChange::ChangeWordByValue(traits, Box::new(fun), how))
    }

    fn add_word_or_keyword(&mut self, name: &'a Name, args: &'a [Expr]) -> Option<(u8, UnclosedChange)> {
        match self.word_constraint(name)? {
            Constraint::Word(traits, word) => {
                let change = self.constant_word(traits, word, WordSetChange::Gain);
                Some((self.traits_layer(traits), change.unwrap_or(UnclosedChange::Word(traits, word))))
            }
            Constraint::Keyword(keyword) => {
                let args = self.keyword_args(name, keyword, args)?;
                let change = match self.pick_change(name, keyword, &args) {
                    Some(change) => change,
                    None => UnclosedChange::Gain(self.keyword_bundle(keyword, args)),
                };
                Some((self.layer_number("abilities"), change))
            }
            _ => {
                self.report(
                    Diagnostic::new(&codes::TYPE_MISMATCH, name.span, format!("`{}` cannot be gained", name.text))
                        .help(format!("assign a status: `{} of X = true`", name.text)),
                );
                None
            }
        }
    }

    /// Returns the layer that a property declares for one kind of change.
    fn layer_for(&mut self, number: u16, kind: impl Fn(&'a fizzle_grammar::ast::Variable) -> Option<&'a Name>) -> Option<u8> {
        let declared: &'a fizzle_grammar::ast::Variable = self.names.properties.get(usize::from(number)).copied()?;
        let name = kind(declared)?;
        self.written_layer(name)
    }

    fn traits_layer(&self, traits: TraitSetId) -> u8 {
        self.library.traits.get(traits.index()).map_or(0, |set| set.layer)
    }

    fn property_and_layer(&mut self, name: &Name) -> Option<(u16, u8)> {
        for meaning in self.names.meanings(&name.text) {
            if let Meaning::Property(number) = *meaning {
                let layer = self.library.properties.get(usize::from(number)).map_or(0, |property| property.layer);
                let names = self.names;
                if let (Some(declared), Some(last)) = (names.properties.get(usize::from(number)), names.layers.last())
                    && declared.layer.is_none()
                    && !names.layers.contains(&declared.name.text)
                {
                    let message = format!("`{}` has no layer, so the order of this change is unknown", name.text);
                    let pack = |span: Span| names.scopes.pack_of(span.file);
                    // a pack cannot change how another one declares a property
                    let help = match pack(declared.name.span) == pack(name.span) {
                        true => format!("declare it with a layer: `property {}: … in layer {last}`", name.text),
                        false => {
                            let has_layer = |property: &&&fizzle_grammar::ast::Variable| {
                                property.layer.is_some() && !property.name.text.starts_with('_')
                            };
                            let known = names.properties.iter().filter(has_layer).take(MAX_PROPERTIES_NAMED);
                            let known: Vec<String> = known.map(|property| format!("`{}`", property.name.text)).collect();
                            format!("effects change the properties with a layer: {}", known.join(", "))
                        }
                    };
                    let problem = Diagnostic::new(&codes::NOT_ASSIGNABLE, name.span, message)
                        .also(declared.name.span, "declared without `in layer`")
                        .help(help);
                    self.report(problem);
                    return None;
                }
                return Some((number, layer));
            }
        }
        let known: Vec<&str> = self.names.properties.iter().map(|property| property.name.text.as_str()).collect();
        let problem = Diagnostic::new(&codes::UNKNOWN_NAME, name.span, format!("no property is called `{}`", name.text))
            .did_you_mean(&name.text, known);
        self.report(problem);
        None
    }

    /// Lowers a value of a modification as a child. Parameters: `this`, `you`, captures, the affected object.
    pub(super) fn value_child(&mut self, ty: Type, expr: &'a Expr, negative: bool) -> Box<FunctionBuilder> {
        self.begin_child(true, Some(ty));
        self.fun().outlives_statement = true;
        let reg = self.trailing_param(Type::Object);
        self.fun().candidate = Some(Candidate { reg, ty: Type::Object, binds_bare_names: false, as_it_left: None });
        let value = self.expr(expr, Some(ty));
        let mut value = self.coerce(value, ty, expr.span);
        if negative {
            let zero = self.constant(0, Type::Number);
            value = self.binary(Binary::Subtract, zero, value, Type::Number);
        }
        self.emit(Op::Return { value: Some(value) });
        Box::new(self.end_child())
    }

    /// Closes modifications over the captures of their effect, and adds them to the library.
    pub fn close_mods(&mut self, open: Vec<UnclosedModification>, outer: &[Reg]) -> Vec<ModificationId> {
        let mut before = None;
        open.into_iter()
            .map(|open| {
                let selector = match open.selector {
                    Selector::None => None,
                    Selector::Filter(fun) => Some(self.close(*fun, outer)),
                    Selector::AsPrevious => before,
                };
                before = selector;
                let change = match open.change {
                    UnclosedChange::Add(property, value, floor) => {
                        let value = self.close(*value, outer);
                        let floor = floor.map(|floor| self.close(*floor, outer));
                        Change::Add { property, value, floor }
                    }
                    UnclosedChange::Set(property, value) => Change::Set { property, value: self.close(*value, outer) },
                    UnclosedChange::Controller(value) => Change::SetController(self.close(*value, outer)),
                    UnclosedChange::Switch(a, b) => Change::Switch(a, b),
                    UnclosedChange::NoWords(traits) => Change::LoseAllWords(traits),
                    UnclosedChange::AllWords(traits) => Change::GainAllWords(traits),
                    UnclosedChange::ChangeWordByValue(traits, word, how) => {
                        Change::ChangeWordByValue { traits, word: self.close(*word, outer), how }
                    }
                    UnclosedChange::SubstituteWord(traits, new, old) => {
                        let new = self.close(*new, outer);
                        Change::SubstituteWord { traits, new, old: self.close(*old, outer) }
                    }
                    UnclosedChange::GainChosen(units, which) => {
                        Change::GainBundleByValue { bundles: units, which: self.close(*which, outer) }
                    }
                    UnclosedChange::Word(traits, word) => Change::GainWord(traits, word),
                    UnclosedChange::NotWord(traits, word) => Change::LoseWord(traits, word),
                    UnclosedChange::Gain(unit) => Change::GainBundle(unit),
                    UnclosedChange::NotKeyword(keyword) => Change::LoseKeyword(keyword),
                    UnclosedChange::NoAbilities => Change::LoseAbilities,
                    UnclosedChange::NoStatics => Change::LoseStatics,
                    UnclosedChange::Cannot(pattern) => Change::Prohibit(self.close_pattern(*pattern, outer)),
                    UnclosedChange::Clause(clause) => Change::ConstrainDeclarations(Box::new(self.close_clause(*clause, outer))),
                };
                let id = ModificationId(self.library.modifications.len() as u32);
                self.library.modifications.push(Modification {
                    layer: open.layer,
                    selector,
                    zones: open.zones,
                    defining: false,
                    change,
                });
                id
            })
            .collect()
    }

    /// Lowers the ends of a duration; an effect ends at the first of them.
    pub fn unclosed_ends(&mut self, duration: Option<&'a Duration>) -> Vec<UnclosedEnd> {
        let mut ends = Vec::new();
        for point in duration.map_or(&[][..], |duration| &duration.points) {
            match point {
                DurationPoint::Moment(moment) => {
                    let end = self.moment_end(moment, duration.map_or(self.at, |duration| duration.span));
                    ends.extend(end.map(UnclosedEnd::Moment));
                }
                DurationPoint::Event(pattern) => {
                    let Some(open) = self.pattern(pattern, &[]) else { continue };
                    let action = open.event_verb.action();
                    let looks_back = open.looks_back;
                    let filter = match open.filter {
                        Some(fun) => fun,
                        None => self.always_filter(action),
                    };
                    let of_source = crate::phrase_syntax::is_word(&pattern.subject, "this");
                    ends.push(UnclosedEnd::Event { action, filter, looks_back, of_source });
                }
                DurationPoint::Failure(condition) => ends.push(UnclosedEnd::Failure(self.lasting_condition(condition))),
            }
        }
        ends
    }

    /// Closes the ends of a duration over the captures of their effect.
    pub fn close_ends(&mut self, open: Vec<UnclosedEnd>, outer: &[Reg]) -> Vec<DurationEnd> {
        open.into_iter()
            .map(|end| match end {
                UnclosedEnd::Moment(end) => end,
                UnclosedEnd::Event { action, filter, looks_back, of_source } => {
                    DurationEnd::Event { action, filter: self.close(filter, outer), looks_back, of_source }
                }
                UnclosedEnd::Failure(condition) => DurationEnd::Failure { condition: self.close(condition, outer) },
            })
            .collect()
    }

    /// Lowers the condition of `for as long as COND` as a child. It does not hold either once an object that it names has moved: the card is
    /// another object then (CR 400.7), and its last known values do not count. An object that is treated as not existing ends it as well (CR 702.26f).
    fn lasting_condition(&mut self, condition: &'a Expr) -> FunctionBuilder {
        self.lint_lasting_condition(condition);
        self.begin_child(true, Some(Type::Bool));
        self.fun().outlives_statement = true;
        let before = self.uses_of_this;
        let mut holds = self.bool(condition);
        let uses_this = self.uses_of_this != before;
        let fun = self.fun();
        let captured = fun.captures.iter().map(|(_, own)| *own);
        let objects: Vec<Reg> = captured
            .filter(|own| fun.registers.get(usize::from(*own)).is_some_and(|ty| ty.is_reference()))
            .chain(uses_this.then_some(0))
            .collect();
        for of in objects {
            let exists = self.reg(Type::Bool);
            self.emit(Op::Exists { dst: exists, of });
            holds = self.binary(Binary::And, holds, exists, Type::Bool);
            for zone in self.names.absent_zones() {
                let (absent, present) = (self.reg(Type::Bool), self.reg(Type::Bool));
                self.emit(Op::InZone { dst: absent, of, zone });
                self.emit(Op::Not { dst: present, a: absent });
                holds = self.binary(Binary::And, holds, present, Type::Bool);
            }
        }
        self.emit(Op::Return { value: Some(holds) });
        self.end_child()
    }

    fn always_filter(&mut self, action: ActionId) -> FunctionBuilder {
        self.begin_event(action, true);
        let yes = self.constant(1, Type::Bool);
        self.emit(Op::Return { value: Some(yes) });
        self.end_child()
    }

    fn moment_end(&mut self, moment: &'a Moment, at: Span) -> Option<DurationEnd> {
        let span = self.moment_period(moment)?;
        match (&moment.whose, moment.start) {
            (None, false) => Some(DurationEnd::End(span)),
            (Some(whose), start) if moment.next || start => {
                let player = self.player(whose);
                Some(if start { DurationEnd::NextStart(span, player) } else { DurationEnd::NextEnd(span, player) })
            }
            _ => {
                self.report(
                    Diagnostic::new(&codes::MISPLACED_FORM, at, "it is unclear which of these moments ends the duration")
                        .help("write `end of PERIOD`, `start of your next PERIOD` or `end of your next PERIOD`"),
                );
                None
            }
        }
    }

    fn moment_period(&mut self, moment: &Moment) -> Option<PeriodId> {
        let path = dotted(moment.period_path.parts.iter().map(|part| part.text.as_str()));
        self.period_of_path(&path, moment.period_path.span)
    }

    /// Lowers a moment as a pattern: a period begins or ends, in the turn of a certain player if the moment says whose.
    pub fn moment_pattern(&mut self, moment: &'a Moment) -> Option<UnclosedPattern> {
        let span = self.moment_period(moment)?;
        let action = ActionId(if moment.start { BEGIN } else { FINISH });
        let args = self.begin_event(action, true);
        self.fun().outlives_statement = true;
        let wanted = self.constant(i64::from(span.0), Type::Period);
        let found = args.first().copied().unwrap_or(0);
        let mut holds = self.binary(Binary::Equal, found, wanted, Type::Bool);
        if let (Some(whose), Some(who)) = (&moment.whose, args.get(1)) {
            let who = super::TypedRegister::new(*who, Type::Player);
            holds = self.short_circuit(true, holds, |lower| lower.predicate(who, whose));
        }
        self.emit(Op::Return { value: Some(holds) });
        let filter = self.end_child();
        Some(UnclosedPattern {
            event_verb: EventVerb::Action(action),
            filter: Some(filter),
            looks_back: false,
            narrowed_params: Vec::new(),
            one_or_more: None,
            sole_party: None,
        })
    }
}

/// Returns the functions of modifications, to collect their captures.
pub fn functions(open: &[UnclosedModification]) -> Vec<&FunctionBuilder> {
    let mut funs: Vec<&FunctionBuilder> = Vec::new();
    for each in open {
        if let Selector::Filter(fun) = &each.selector {
            funs.push(fun);
        }
        match &each.change {
            UnclosedChange::Add(_, value, floor) => {
                funs.push(value);
                funs.extend(floor.as_deref());
            }
            UnclosedChange::Set(_, value)
            | UnclosedChange::Controller(value)
            | UnclosedChange::ChangeWordByValue(_, value, _)
            | UnclosedChange::GainChosen(_, value) => funs.push(value),
            UnclosedChange::SubstituteWord(_, new, old) => funs.extend([new.as_ref(), old.as_ref()]),
            UnclosedChange::Cannot(pattern) => funs.extend(pattern.filter.iter()),
            UnclosedChange::Clause(clause) => funs.extend(clause.functions()),
            _ => {}
        }
    }
    funs
}
