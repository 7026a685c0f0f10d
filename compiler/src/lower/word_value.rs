//! Lowers words as values: local names, built-in words, attributes of objects and players, zones, periods.

use super::function_builder::ItBinding;
use super::{Lowering, TypedRegister};
use crate::diagnostics::{Diagnostic, codes};
use crate::names::FACTS;
use crate::names::Meaning;
use crate::phrase_syntax::{Atom, as_phrase, is_word};
use crate::shorthand::enumerations;
use fizzle_grammar::ast::{Expr, Name, Span};
use fizzle_ir::op::Place;
use fizzle_ir::verbs::BUILTINS;
use fizzle_ir::{Op, Type};
use smol_str::SmolStr;

/// The word for no object, no player, no word of a set, or an empty list, as its place expects.
pub const NOTHING: &str = "nothing";

impl<'a> Lowering<'a> {
    /// Whether an expression is the built-in word `nothing`, which a game may declare as something else.
    pub fn is_nothing(&self, expr: &Expr) -> bool {
        is_word(expr, NOTHING) && self.local_type(NOTHING).is_none() && self.names.meanings(NOTHING).is_empty()
    }

    /// Lowers `nothing` as a value of the expected type; as no object if the type is not known or has no such value.
    fn nothing(&mut self, want: Option<Type>) -> TypedRegister {
        let ty = match want {
            Some(ty @ (Type::Player | Type::Thing | Type::Word(_) | Type::Objects | Type::Players | Type::Things)) => ty,
            _ => Type::Object,
        };
        let dst = match ty {
            Type::Player => self.constant(fizzle_ir::NO_PLAYER, ty),
            ty if ty.is_list() => {
                let dst = self.reg(ty);
                self.emit(Op::MakeList { dst, items: Vec::new() });
                dst
            }
            ty => self.constant(0, ty),
        };
        TypedRegister::new(dst, ty)
    }

    /// Lowers a word, with the `of` that belongs to it.
    pub fn word(&mut self, name: &'a Name, of: Option<&Atom<'a>>, want: Option<Type>, span: Span) -> TypedRegister {
        let word = name.text.as_str();
        if let Some(value) = self.local(word) {
            return match of {
                Some(of) if value.ty == Some(Type::Shares) => self.share_of(value, of),
                _ => value,
            };
        }
        if let Some(of) = of {
            let owner = self.atom(of, None);
            return self.fact_of(name, owner, of.span(), want);
        }
        match word {
            "this" => return self.this(span),
            "it" => return self.it(span),
            "you" | "opponent" if self.report_no_player(span, |word| format!("`{word}` where no player has the text")) => {
                return self.error_value();
            }
            "you" => return TypedRegister::new(1, Type::Player),
            "opponent" => {
                self.single_opponents.insert(span);
                let dst = self.reg(Type::Player);
                self.emit(Op::Opponent { dst, player: 1 });
                return TypedRegister::new(dst, Type::Player);
            }
            "active" => {
                let dst = self.reg(Type::Player);
                self.emit(Op::ActivePlayer { dst });
                return TypedRegister::new(dst, Type::Player);
            }
            "players" => {
                let dst = self.reg(Type::Players);
                self.emit(Op::Players { dst });
                return TypedRegister::new(dst, Type::Players);
            }
            "candidate" => {
                return match self.candidate() {
                    Some(found) => found.value(),
                    None => {
                        self.error(&codes::MISPLACED_FORM, span, "there is no `candidate` here");
                        self.error_value()
                    }
                };
            }
            "player" => {
                let level = self.funs.iter().rposition(|fun| fun.each_player.is_some());
                if let Some(level) = level
                    && let Some(reg) = self.funs[level].each_player
                {
                    let reg = self.capture(self.funs.len() - 1, level, reg);
                    return TypedRegister::new(reg, Type::Player);
                }
            }
            _ => {}
        }
        self.declared_word(name, want, span)
    }

    /// Emits the share of a thing in a division.
    fn share_of(&mut self, shares: TypedRegister, of: &Atom<'a>) -> TypedRegister {
        let value = self.atom(of, Some(Type::Thing));
        let thing = self.coerce(value, Type::Thing, of.span());
        let dst = self.reg(Type::Number);
        self.emit(Op::ShareOf { dst, shares: shares.reg, of: thing });
        TypedRegister::new(dst, Type::Number)
    }

    /// The words of the type of a variable that lists them (`one of …`).
    pub fn listed_words(&self, ty: Type) -> Option<&'a [SmolStr]> {
        let names = self.names;
        let Type::Word(traits) = ty else { return None };
        let set = names.traits.get(traits.index()).filter(|set| enumerations::is_of_variable(&set.name))?;
        set.words.as_deref()
    }

    /// Reports a name without a meaning where one of the words of a variable is expected. Returns whether it is.
    fn report_unlisted_word(&mut self, name: &Name, want: Option<Type>) -> bool {
        let Some(words) = want.and_then(|ty| self.listed_words(ty)) else { return false };
        let message = format!("`{}` is none of the words of this variable", name.text);
        let problem = Diagnostic::new(&codes::UNKNOWN_NAME, name.span, message);
        let known = words.iter().map(SmolStr::as_str);
        self.report(problem.did_you_mean(&name.text, known).or_help(format!("they are {}", quoted_list(words))));
        true
    }

    fn declared_word(&mut self, name: &'a Name, want: Option<Type>, span: Span) -> TypedRegister {
        let word = name.text.as_str();
        if let Some(Type::Word(traits)) = want
            && let Some(index) = self.words.get(traits.index()).and_then(|words| words.get(word)).copied()
        {
            return self.word_value(traits, index);
        }
        let meanings = self.names.meanings(word).to_vec();
        if meanings.is_empty() && word != NOTHING && self.report_unlisted_word(name, want) {
            return self.error_value();
        }
        // In `with` and `that`, bare names of attributes are those of the candidate.
        if let Some(ty) = self.bare_candidate() {
            let own = FACTS.contains(&word)
                || meanings.iter().any(|meaning| match meaning {
                    Meaning::Property(_)
                    | Meaning::Status(_)
                    | Meaning::Traits(_)
                    | Meaning::Keyword(_)
                    | Meaning::Word(..)
                    | Meaning::Noun => ty == Type::Object,
                    Meaning::Player(_) => ty == Type::Player,
                    // A function of one thing is a property that is computed.
                    Meaning::Function => self.names.functions.get(word).is_some_and(
                        |function| matches!(function.params.as_slice(), [(_, param)] if *param == ty || *param == Type::Thing),
                    ),
                    _ => false,
                });
            if own && let Some(candidate) = self.candidate() {
                return self.fact_of(name, candidate.value(), name.span, want.or(Some(Type::Bool)));
            }
        }
        for meaning in &meanings {
            match *meaning {
                Meaning::Global(n) => {
                    let ty = self.names.types[3].get(usize::from(n)).copied().unwrap_or(Type::Number);
                    let dst = self.reg(ty);
                    self.emit(Op::Get { dst, place: Place::Global(n), of: 0 });
                    return TypedRegister::new(dst, ty);
                }
                Meaning::Constant(constant) => {
                    let ty = self.names.constant_type(constant);
                    let dst = self.reg(ty);
                    self.emit(Op::Constant { dst, constant });
                    return TypedRegister::new(dst, ty);
                }
                Meaning::Function if self.names.functions.get(word).is_some_and(|function| function.params.is_empty()) => {
                    return self.call_function(name, &[], span);
                }
                Meaning::Zone(zone) => {
                    let each = self.library.zones.get(zone.index()).is_some_and(|zone| zone.each_player);
                    if !each {
                        let dst = self.reg(Type::Zone);
                        self.emit(Op::ZoneOf { dst, zone, player: 1 });
                        return TypedRegister::new(dst, Type::Zone);
                    }
                }
                Meaning::Word(traits, index) if matches!(want, Some(Type::Words(_) | Type::Number)) => {
                    return self.word_mask(traits, index, name.span);
                }
                _ => {}
            }
        }
        if let Some(value) = self.period_value(name, want, &meanings) {
            return value;
        }
        if word == NOTHING && meanings.is_empty() {
            return self.nothing(want);
        }
        if let Some(row) = BUILTINS.iter().find(|row| row.name == word && row.params.is_empty()) {
            return self.builtin(row.name, Vec::new());
        }
        self.report_no_value(name, &meanings, span, want)
    }

    fn period_value(&mut self, name: &'a Name, want: Option<Type>, meanings: &[Meaning]) -> Option<TypedRegister> {
        if !meanings.is_empty() && !meanings.iter().all(|meaning| matches!(meaning, Meaning::Keyword(_))) {
            // A phase may have the name of something else. If a bool is expected, the phase is meant.
            if want != Some(Type::Bool) && want != Some(Type::Period) {
                return None;
            }
        }
        if self.names.find_period(&name.text).is_empty() {
            return None;
        }
        let Some(span) = self.period_of_word(name) else { return Some(self.error_value()) };
        if want == Some(Type::Period) {
            let reg = self.constant(i64::from(span.0), Type::Period);
            return Some(TypedRegister::new(reg, Type::Period));
        }
        let dst = self.reg(Type::Bool);
        self.emit(Op::InPeriod { dst, period: span });
        Some(TypedRegister::new(dst, Type::Bool))
    }

    /// The text of a statement before a span.
    fn statement_before(&self, span: Span) -> &str {
        let before = self.sources.text(span.file).get(..span.start as usize).unwrap_or("");
        before.rsplit(['{', '}', ';', '\n']).next().unwrap_or("").trim_start()
    }

    fn report_no_value(&mut self, name: &'a Name, meanings: &[Meaning], span: Span, want: Option<Type>) -> TypedRegister {
        let word = name.text.as_str();
        if self.is_noun(word) {
            self.report(
                Diagnostic::new(&codes::MISSING_COUNT, span, format!("`{word}` does not say how many"))
                    .help(self.suggest_aggregate(word, span).unwrap_or_else(|| self.describe_count(word))),
            );
            return self.error_value();
        }
        if FACTS.contains(&word) || !meanings.is_empty() {
            let example = match meanings.first() {
                Some(Meaning::Player(_) | Meaning::Zone(_)) if self.statement_before(span).starts_with("each ") => {
                    format!("write `{word} of player` for that of each of them")
                }
                Some(Meaning::Player(_) | Meaning::Zone(_)) => self
                    .suggest_zone_of_subject(word, self.statement_before(span))
                    .unwrap_or_else(|| format!("write `your {word}` or `{word} of PLAYER`")),
                Some(Meaning::Function) => {
                    let candidate = self.bare_candidate() == Some(Type::Object);
                    format!("write `{word}({})`", if candidate { "candidate" } else { "…" })
                }
                _ => self
                    .suggest_status_of_arrival(word, self.statement_before(span))
                    .unwrap_or_else(|| format!("write `its {word}`, `{word} of this` or `{word} of NAME`")),
            };
            self.report(Diagnostic::new(&codes::MISSING_OWNER, span, format!("`{word}` needs an owner")).help(example));
            return self.error_value();
        }
        self.report_unknown_value(name, want);
        self.error_value()
    }

    /// Lowers `this`; reports it if there is no source object.
    pub fn this(&mut self, span: Span) -> TypedRegister {
        if self.fun().has_no_source {
            self.report(
                Diagnostic::new(&codes::NO_THIS, span, "there is no source object here, so `this` has no meaning")
                    .help("give the action a parameter, or name the object with `as`"),
            );
            return self.error_value();
        }
        self.uses_of_this += 1;
        TypedRegister::new(0, Type::Object)
    }

    /// The name that a statement gives to several objects: `choose up to 2 card in hand as gone`.
    fn name_of_several(&self, place: Span) -> Option<String> {
        let written = self.sources.slice(place).trim();
        let (_, name) = written.rsplit_once(" as ")?;
        let is_name = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_');
        (is_name && self.local_type(name).is_some()).then(|| name.to_owned())
    }

    /// Lowers `it`; reports it if it is ambiguous or unbound.
    pub fn it(&mut self, span: Span) -> TypedRegister {
        let (level, it) = self.find_it();
        match it {
            ItBinding::Bound(binding, ty) => self.binding_value(level, binding, Some(ty)),
            ItBinding::Plural(place) => {
                let written = self.sources.slice(place).trim();
                let is_short = !written.contains(['\n', ';']) && !written.contains(" as ");
                let written = if is_short { written } else { "…" };
                let name = self.name_of_several(place);
                if let Some(name) = &name {
                    self.mark_used(name);
                }
                let help = match name {
                    Some(name) if self.sources.slice(span).starts_with("its") => {
                        let behind = self.sources.text(span.file).get(span.start as usize..).unwrap_or("");
                        let zone = behind
                            .strip_prefix("its owner's ")
                            .map(|rest| rest.split(|c: char| !c.is_alphanumeric() && c != '_'));
                        let zone = zone.and_then(|mut words| words.next()).unwrap_or("ZONE");
                        format!("write a loop: `for each one in {name} {{ put one into {zone} of owner of one }}`")
                    }
                    Some(name) => format!("write `{name}` in the place of `it`"),
                    None => format!("name them, `{written} as found`, and write `found` in the place of `it`"),
                };
                self.report(
                    Diagnostic::new(&codes::UNCLEAR_IT, span, "`it` could be several objects")
                        .also(place, "these are several objects")
                        .help(help),
                );
                self.error_value()
            }
            ItBinding::EventGroup(place) => {
                self.report(
                    Diagnostic::new(&codes::UNCLEAR_IT, span, "`it` could be several objects")
                        .also(place, "this triggers once for all simultaneous events")
                        .help("leave `one or more` out: then it triggers for each of them"),
                );
                self.error_value()
            }
            ItBinding::None if self.sources.slice(span).starts_with("its") => {
                let problem = Diagnostic::new(&codes::UNCLEAR_IT, span, "`its` has no meaning here");
                self.report(problem.help(
                    "for several objects write `for each one in … { put one into ZONE of owner of one }`, for this one `owner of this`",
                ));
                self.error_value()
            }
            ItBinding::None => {
                let named = self.suggest_named_player(span, "chosen");
                self.report(
                    Diagnostic::new(&codes::UNCLEAR_IT, span, "`it` has no meaning here").help(named.unwrap_or_else(|| "`it` is the object of the statement before: write `this` for the object with this text, or name one by `choose 1 card … as found`".to_owned())),
                );
                self.error_value()
            }
        }
    }

    /// Lowers an attribute of a value: `power of it`, `owner of it`, `hand of you`, `X's controller`.
    pub fn fact_of(&mut self, name: &'a Name, owner: TypedRegister, owner_span: Span, want: Option<Type>) -> TypedRegister {
        let word = name.text.as_str();
        let owner = if word == "zone" { owner } else { self.as_it_left(owner) };
        let Some(ty) = owner.ty else { return owner };
        match ty {
            Type::Object => {
                if let Some(value) = self.object_fact(name, owner, want) {
                    return value;
                }
            }
            Type::Player => {
                if word == "opponent" {
                    self.single_opponents.insert(name.span);
                    let dst = self.reg(Type::Player);
                    self.emit(Op::Opponent { dst, player: owner.reg });
                    return TypedRegister::new(dst, Type::Player);
                }
                if let Some((place, _)) = self.keyed_place(word, Type::Player) {
                    return self.sum_of_keys(place, owner);
                }
                for meaning in self.names.meanings(word) {
                    match *meaning {
                        Meaning::Player(n) => {
                            let ty = self.names.types[2].get(usize::from(n)).copied().unwrap_or(Type::Number);
                            let dst = self.reg(ty);
                            self.emit(Op::Get { dst, place: Place::Player(n), of: owner.reg });
                            return TypedRegister::new(dst, ty);
                        }
                        Meaning::Zone(zone) => {
                            let dst = self.reg(Type::Zone);
                            self.emit(Op::ZoneOf { dst, zone, player: owner.reg });
                            return TypedRegister::new(dst, Type::Zone);
                        }
                        _ => {}
                    }
                }
            }
            Type::Card if word == "name" => return owner,
            _ => {}
        }
        if let Some(function) = self.names.functions.get(word)
            && let [(_, param)] = function.params.as_slice()
        {
            let param = *param;
            let arg = self.coerce(owner, param, owner_span);
            return self.call_declared(name, vec![arg]);
        }
        self.report_no_fact(name, ty, owner_span)
    }

    fn object_fact(&mut self, name: &'a Name, owner: TypedRegister, want: Option<Type>) -> Option<TypedRegister> {
        let word = name.text.as_str();
        let built_in = match word {
            "owner" => Some((Place::Owner, Type::Player)),
            "controller" => Some((Place::Controller, Type::Player)),
            "zone" => Some((Place::Zone, Type::Zone)),
            "name" => Some((Place::Definition, Type::Card)),
            "source" => Some((Place::SourceOf, Type::Object)),
            "host" => Some((Place::Host, Type::Object)),
            "face" => Some((Place::Face, Type::Number)),
            _ => None,
        };
        if let Some((place, ty)) = built_in {
            let dst = self.reg(ty);
            self.emit(Op::Get { dst, place, of: owner.reg });
            return Some(TypedRegister::new(dst, ty));
        }
        if let Some((place, _)) = self.keyed_place(word, Type::Object) {
            return Some(self.sum_of_keys(place, owner));
        }
        for meaning in self.names.meanings(word) {
            let (place, ty) = match *meaning {
                Meaning::Property(n) => (Place::Property(n), self.names.types[0].get(usize::from(n)).copied()),
                Meaning::Status(n) => (Place::Status(n), self.names.types[1].get(usize::from(n)).copied()),
                Meaning::Traits(id) => {
                    if self.words.get(id.index()).is_some_and(|words| words.len() > 32) {
                        self.report(
                            Diagnostic::new(
                                &codes::LIMIT,
                                name.span,
                                format!("`{word}` has more than 32 words, so it cannot be a value"),
                            )
                            .help("test single words: `X is WORD`"),
                        );
                        return Some(self.error_value());
                    }
                    (Place::Words(id), Some(Type::Words(id)))
                }
                Meaning::Keyword(keyword) => {
                    let dst = if want == Some(Type::Bool) {
                        let dst = self.reg(Type::Bool);
                        self.emit(Op::HasKeyword { dst, of: owner.reg, keyword });
                        return Some(TypedRegister::new(dst, Type::Bool));
                    } else {
                        self.reg(Type::Number)
                    };
                    self.emit(Op::KeywordValue { dst, of: owner.reg, keyword });
                    return Some(TypedRegister::new(dst, Type::Number));
                }
                Meaning::Word(traits, index) => {
                    return Some(TypedRegister::new(self.has_word(owner.reg, traits, index), Type::Bool));
                }
                Meaning::Noun => {
                    let test = self.noun_selection(name)?;
                    return Some(TypedRegister::new(self.passes(&test, owner.reg, Type::Object), Type::Bool));
                }
                _ => continue,
            };
            let ty = ty.unwrap_or(Type::Number);
            let dst = self.reg(ty);
            self.emit(Op::Get { dst, place, of: owner.reg });
            return Some(TypedRegister::new(dst, ty));
        }
        None
    }

    /// Emits the sum over all keys of a status or variable with a number for each word (key 0).
    fn sum_of_keys(&mut self, place: Place, owner: TypedRegister) -> TypedRegister {
        let key = self.constant(0, Type::Number);
        let dst = self.reg(Type::Number);
        self.emit(Op::GetKey { dst, place, of: owner.reg, key });
        TypedRegister::new(dst, Type::Number)
    }

    /// Lowers `counters(charge) of it`; without `of`, it is that of the candidate.
    pub fn keyed_value(
        &mut self,
        name: &'a Name,
        args: &'a [Expr],
        owner: Option<(TypedRegister, Span)>,
        span: Span,
    ) -> TypedRegister {
        let owner = owner.or_else(|| {
            self.bare_candidate()?;
            let found = self.candidate()?;
            Some((found.value(), name.span))
        });
        let Some((owner, owner_span)) = owner else {
            self.report(
                Diagnostic::new(&codes::MISSING_OWNER, span, format!("`{}` needs an owner", name.text))
                    .help(format!("write `{}(WORD) of NAME`", name.text)),
            );
            return self.error_value();
        };
        let Some(ty) = owner.ty else { return owner };
        let Some((place, traits)) = self.keyed_place(&name.text, ty).filter(|_| !ty.is_list()) else {
            return self.report_no_fact(name, ty, owner_span);
        };
        let Some(key) = self.key(name, args, traits, span) else { return self.error_value() };
        let owner = self.as_it_left(owner);
        let dst = self.reg(Type::Number);
        self.emit(Op::GetKey { dst, place, of: owner.reg, key });
        TypedRegister::new(dst, Type::Number)
    }

    /// Lowers the key in `counters(charge)`.
    pub fn key(&mut self, name: &Name, args: &'a [Expr], traits: fizzle_ir::TraitSetId, span: Span) -> Option<u16> {
        let [key] = args else {
            let code = if args.is_empty() { &codes::MISSING_OPERAND } else { &codes::EXTRA_OPERAND };
            self.error(code, span, format!("`{}` needs a word: `{}(WORD)`", name.text, name.text));
            return None;
        };
        let value = self.expr(key, Some(Type::Word(traits)));
        Some(self.coerce(value, Type::Word(traits), key.span))
    }

    fn noun_selection(&mut self, name: &'a Name) -> Option<super::selection::Selection<'a>> {
        let meaning = *self.names.nouns.get(&name.text)?;
        let phrase = as_phrase(meaning)?;
        self.hidden_locals_depth += 1;
        let selection = self.selection(phrase, meaning.span);
        self.hidden_locals_depth -= 1;
        selection
    }

    fn report_no_fact(&mut self, name: &Name, ty: Type, owner_span: Span) -> TypedRegister {
        let word = name.text.as_str();
        let owner = self.a_type(ty);
        if self.names.meanings(word).is_empty() && !FACTS.contains(&word) && word != "opponent" {
            self.report_unknown_word(name);
        } else {
            let mut problem = Diagnostic::new(&codes::TYPE_MISMATCH, name.span, format!("{owner} has no `{word}`"))
                .also(owner_span, format!("this is {owner}"));
            let of_players = self.names.meanings(word).iter().any(|m| matches!(m, Meaning::Player(_) | Meaning::Zone(_)));
            if ty == Type::Object && (of_players || word == "opponent") {
                let is_it = self.sources.slice(owner_span) == "it";
                let named = self.suggest_named_player(name.span, &format!("{word} of chosen")).filter(|_| is_it);
                let help = format!("write `{word} of owner of …` or `{word} of controller of …`");
                problem = problem.help(named.unwrap_or(help));
            }
            if ty == Type::Thing {
                let text = self.sources.slice(owner_span).to_owned();
                problem = problem.help(super::expr::thing_help(&text));
            }
            if ty == Type::Objects {
                let several = self.sources.slice(owner_span);
                problem = problem.help(match word {
                    "owner" | "controller" => {
                        format!("each has its own: `for each one in {several} {{ … {word} of one … }}`")
                    }
                    _ => format!("write `sum of {word} of …` or `highest {word} of …`, or choose one of them"),
                });
            }
            self.report(problem);
        }
        self.error_value()
    }
}

/// The words in backquotes, with commas.
pub fn quoted_list(words: &[SmolStr]) -> String {
    words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ")
}
