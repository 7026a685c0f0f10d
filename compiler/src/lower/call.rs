//! Verbs: the built-in statements, and events proposed in batches.

use super::function_builder::{Binding, Candidate, ItBinding};
use super::operand::Subject;
use super::phrase::{PhraseCondition, as_phrase, bare_word, is_word};
use super::selection::Selection;
use super::{Lowering, TypedRegister};
use crate::diagnostics::{Diagnostic, codes};
use fizzle_grammar::ast::{Call, Expr, ExprKind, Head, Phrase, PhraseFilterKind, Span};
use fizzle_runtime::ir::op::{Binary, ChosenBy, EventProposal};
use fizzle_runtime::ir::{ActionId, FnId, Op, PeriodId, PlayId, Reg, Type};

/// The statements that are no events.
pub const STATEMENTS: &[&str] = &[
    "choose",
    "use",
    "pay",
    "store",
    "carry_out",
    "refund",
    "retarget",
    "insert",
    "skip",
    "skip_to",
    "expire",
    "end",
    "priority",
    "settle",
    "extra_turn",
];

impl<'a> Lowering<'a> {
    /// One sentence: verbs joined by `and`. When `needed`, a register that says whether it happened.
    pub fn calls(&mut self, calls: &'a [Call], span: Span, needed: bool) -> Option<Reg> {
        let first = calls.first()?;
        if !first.may {
            return self.sentence(calls, span, needed);
        }
        let subject = self.subject(first);
        let player = subject.value.filter(|value| value.ty == Some(Type::Player)).map_or(1, |value| value.reg);
        let happened = self.constant(0, Type::Bool);
        // Nobody is asked for what cannot be paid.
        let impossible = (calls.len() == 1 && self.statement_verb(first) == "pay").then(|| {
            let price = self.price_operand(first);
            let can = self.reg(Type::Bool);
            self.emit(Op::CanPay { dst: can, player, price });
            self.fun().price = Some(price);
            self.jump_unless(can)
        });
        let yes = self.reg(Type::Bool);
        let mut site = self.site(span, yes);
        site.optional = true;
        if player != 1 {
            site.chooser = fizzle_runtime::ir::Chooser::Player(player);
        }
        let id = self.add_site(site);
        if let Some(site) = self.library.sites.get_mut(id.index()) {
            // Yes or no is said when it comes to it.
            site.announceable = false;
        }
        self.fun().known_on_announcement.remove(&yes);
        self.emit(Op::Ask { dst: yes, player, site: id });
        let no = self.jump_unless(yes);
        self.fun().may_depth += 1;
        let before = self.fun().may.replace(player);
        let done = self.sentence(calls, span, needed);
        self.fun().may = before;
        self.fun().may_depth -= 1;
        if let Some(src) = done {
            self.emit(Op::Copy { dst: happened, src });
        }
        self.patch_jump(no);
        if let Some(impossible) = impossible {
            self.patch_jump(impossible);
        }
        needed.then_some(happened)
    }

    fn sentence(&mut self, calls: &'a [Call], span: Span, needed: bool) -> Option<Reg> {
        let first = calls.first()?;
        let mut subjects: Vec<Subject<'a>> = Vec::new();
        for call in calls {
            let mut subject = self.subject(call);
            if subject.written.is_none()
                && let Some(last) = subjects.last()
                && last.written.is_some()
                && self.is_third_person(&call.verb.text)
            {
                subject = last.clone();
            }
            subjects.push(subject);
        }
        if let ([call], [subject]) = (calls, subjects.as_slice()) {
            return self.one_call(call, subject, needed);
        }
        let simple = calls.iter().zip(&subjects).all(|(call, subject)| {
            let plain = self.statement_verb(call).is_empty() && !(subject.each && self.asks_each(call));
            plain && (!call.may || std::ptr::eq(call, first))
        });
        if !simple {
            self.emit(Op::BeginBatch);
            for (index, (call, subject)) in calls.iter().zip(&subjects).enumerate() {
                if index > 0 && call.may {
                    self.calls(std::slice::from_ref(call), call.span, false);
                } else {
                    self.one_call(call, subject, false);
                }
            }
            let done = self.reg(Type::Bool);
            self.emit(Op::EndBatch { done: needed.then_some(done), out: None });
            return needed.then_some(done);
        }
        let mut events = Vec::new();
        let mut objects = Vec::new();
        for (call, subject) in calls.iter().zip(&subjects) {
            let Some(action) = self.action_of(call) else { continue };
            if let Some((proposal, object)) = self.proposal(call, action, subject) {
                events.push(proposal);
                objects.push((call, object));
            }
        }
        let done = needed.then(|| self.reg(Type::Bool));
        let op = self.emit(Op::Propose { events, done, out: None });
        let mut distinct: Vec<TypedRegister> = Vec::new();
        for (call, object) in &objects {
            if let Some((value, _)) = object {
                if !distinct.iter().any(|known| known.reg == value.reg) {
                    distinct.push(*value);
                }
                if let Some(name) = &call.binding {
                    // In one batch only the operands tell what became of which.
                    self.bind_value(name, *value);
                }
            } else if let Some(name) = &call.binding {
                let out = self.batch_out(op);
                self.bind(name, Some(Type::Objects), Binding::Reg(out));
            }
        }
        match distinct.as_slice() {
            [] => {}
            [one] if one.ty == Some(Type::Object) => self.follow(op, *one, true),
            [one] if one.ty == Some(Type::Thing) && self.fun().it_param.is_none() => {
                self.set_it(Self::binding_of(*one), Type::Thing);
            }
            _ => self.plural(span),
        }
        done
    }

    /// The verb of a statement that is no event.
    fn statement_verb(&self, call: &Call) -> &'static str {
        let word = call.verb.text.as_str();
        if self.names.actions.contains_key(word) {
            return "";
        }
        let found = STATEMENTS.iter().find(|verb| **verb == word || super::pattern::third_person(verb, word));
        found.copied().unwrap_or("")
    }

    fn is_third_person(&self, word: &str) -> bool {
        !self.names.actions.contains_key(word)
            && (self.names.actions.keys().any(|name| super::pattern::third_person(name, word))
                || STATEMENTS.iter().any(|verb| super::pattern::third_person(verb, word)))
    }

    fn one_call(&mut self, call: &'a Call, subject: &Subject<'a>, needed: bool) -> Option<Reg> {
        let before = self.at;
        self.at = call.span;
        let done = match self.statement_verb(call) {
            "" => self.event(call, subject, needed),
            verb => self.built_in(verb, call, subject, needed),
        };
        self.at = before;
        done
    }

    fn event(&mut self, call: &'a Call, subject: &Subject<'a>, needed: bool) -> Option<Reg> {
        let Some(action) = self.action_of(call) else {
            self.poison_operands(call);
            return needed.then(|| self.constant(0, Type::Bool));
        };
        if subject.each && self.asks_each(call) {
            return self.each_player_call(call, action, subject, needed);
        }
        let done = needed.then(|| self.reg(Type::Bool));
        let (proposal, object) = self.proposal(call, action, subject)?;
        let op = self.emit(Op::Propose { events: vec![proposal], done, out: None });
        self.after_event(call, op, object, action);
        done
    }

    /// Binds names and `it` after an event.
    fn after_event(&mut self, call: &'a Call, op: usize, object: Option<(TypedRegister, bool)>, action: ActionId) {
        let creates = action.0 == fizzle_runtime::ir::verbs::CREATE;
        match object {
            Some((value, _)) if value.ty == Some(Type::Thing) => {
                if let Some(name) = &call.binding {
                    self.bind_value(name, value);
                }
                if self.fun().it_param.is_none() {
                    self.set_it(Self::binding_of(value), Type::Thing);
                }
            }
            Some((value, was_it)) if value.ty == Some(Type::Object) => {
                if let Some(name) = &call.binding {
                    self.bind(name, Some(Type::Object), Binding::Result(op, Some(value.reg)));
                }
                self.follow(op, value, was_it);
            }
            Some((value, _)) => {
                if let Some(name) = &call.binding {
                    let out = self.batch_out(op);
                    let dst = self.reg(Type::Objects);
                    self.emit(Op::Copy { dst, src: out });
                    let count = self.reg(Type::Number);
                    self.emit(Op::Count { dst: count, list: out });
                    let nothing = self.jump_unless(count);
                    let done = self.jump();
                    self.patch_jump(nothing);
                    self.emit(Op::Copy { dst, src: value.reg });
                    self.patch_jump(done);
                    self.bind(name, Some(Type::Objects), Binding::Reg(dst));
                }
                if value.ty.is_some_and(Type::is_list) {
                    self.plural(call.span);
                }
            }
            None => {
                if call.binding.is_none() && !creates {
                    return;
                }
                let one = creates || call.operands.iter().any(|operand| self.constant_value(operand, Type::Number) == Some(1));
                let out = self.batch_out(op);
                let (ty, binding) = if one { (Type::Object, Binding::Single(out)) } else { (Type::Objects, Binding::Reg(out)) };
                if let Some(name) = &call.binding {
                    self.bind(name, Some(ty), binding);
                }
                if one && self.fun().it_param.is_none() {
                    self.set_it(binding, Type::Object);
                }
            }
        }
    }

    /// `it` follows a single object; in a function with a parameter `it` only that one.
    fn follow(&mut self, op: usize, value: TypedRegister, was_it: bool) {
        if self.fun().it_param.is_none() || was_it {
            self.set_it(Binding::Result(op, Some(value.reg)), Type::Object);
        }
    }

    fn plural(&mut self, span: Span) {
        let fun = self.fun();
        if fun.it_param.is_none() {
            fun.it = ItBinding::Plural(span);
        }
    }

    /// `each player discards 1 card in hand of player`: one after the other decides, then all happens at once.
    fn each_player_call(&mut self, call: &'a Call, action: ActionId, subject: &Subject<'a>, needed: bool) -> Option<Reg> {
        let list = subject.value?;
        self.emit(Op::BeginBatch);
        self.each_element(list.reg, Type::Player, |lower, player| {
            let before = lower.fun().each_player.replace(player);
            let single = Subject { value: Some(TypedRegister::new(player, Type::Player)), each: false, ..subject.clone() };
            if let Some((proposal, _)) = lower.proposal(call, action, &single) {
                lower.emit(Op::Propose { events: vec![proposal], done: None, out: None });
            }
            lower.fun().each_player = before;
        });
        let done = self.reg(Type::Bool);
        let op = self.emit(Op::EndBatch { done: needed.then_some(done), out: None });
        if let Some(name) = &call.binding {
            let out = self.batch_out(op);
            self.bind(name, Some(Type::Objects), Binding::Reg(out));
        }
        self.plural(call.span);
        needed.then_some(done)
    }

    fn built_in(&mut self, verb: &'static str, call: &'a Call, subject: &Subject<'a>, needed: bool) -> Option<Reg> {
        let yes = |lower: &mut Self| needed.then(|| lower.constant(1, Type::Bool));
        match verb {
            "choose" => self.choose_statement(call, subject, needed),
            "use" => {
                let Some(operand) = call.operands.first() else { return self.lacks(call, "what is used") };
                let value = self.expr(operand, Some(Type::Object));
                let object = self.want(value, Type::Object, operand.span);
                let (by, args) = self.usage(call);
                let free = call.adverbs.iter().any(|adverb| adverb.text == "free");
                for adverb in call.adverbs.iter().filter(|adverb| adverb.text != "free") {
                    self.bad_adverb(adverb, &["free"]);
                }
                let done = needed.then(|| self.reg(Type::Bool));
                // The machine takes register 1 for the user: it is lent to the subject meanwhile.
                let user = subject.chooser().map(|player| (player, self.reg(Type::Player)));
                if let Some((player, you)) = user {
                    self.emit(Op::Copy { dst: you, src: 1 });
                    self.emit(Op::Copy { dst: 1, src: player });
                }
                self.emit(Op::Use { object, by, args, free, done });
                if let Some((_, you)) = user {
                    self.emit(Op::Copy { dst: 1, src: you });
                }
                if let Some(name) = &call.binding {
                    self.bind(name, Some(Type::Object), Binding::Reg(object));
                }
                if self.fun().it_param.is_none() {
                    self.set_it(Binding::Reg(object), Type::Object);
                }
                done
            }
            "pay" => {
                let player = subject.value.filter(|value| value.ty == Some(Type::Player)).map_or(1, |value| value.reg);
                if subject.each {
                    self.not_here(
                        call.span,
                        "several players cannot pay in one statement",
                        "write `for each p in players { … }`",
                    );
                    return None;
                }
                let price = self.price_operand(call);
                let done = needed.then(|| self.reg(Type::Bool));
                self.emit(Op::Pay { player, price, done });
                done
            }
            "store" => {
                let player = subject.value.filter(|value| value.ty == Some(Type::Player)).map_or(1, |value| value.reg);
                let price = self.price_operand(call);
                let units = self.reg(Type::Price);
                self.emit(Op::Copy { dst: units, src: price });
                self.emit(Op::AddToPool { player, units });
                yes(self)
            }
            "carry_out" => {
                let Some(operand) = call.operands.first() else { return self.lacks(call, "what is carried out") };
                let object = self.object(operand);
                self.fun().carries_out |= object == 0;
                self.emit(Op::CarryOut { object });
                yes(self)
            }
            "refund" => {
                let Some(operand) = call.operands.first() else { return self.lacks(call, "what is not counted") };
                let object = self.object(operand);
                self.emit(Op::Refund { object });
                yes(self)
            }
            "retarget" => {
                let Some(operand) = call.operands.first() else { return self.lacks(call, "whose target is changed") };
                let object = self.object(operand);
                self.emit(Op::Retarget { object });
                yes(self)
            }
            "priority" => {
                let with = call.operands.first().map(|operand| operand.span);
                let with = with.or_else(|| call.prepositions.first().map(|(word, operand)| word.span.to(operand.span)));
                if let Some(with) = with.or_else(|| call.adverbs.first().map(|adverb| adverb.span)) {
                    let text = self.sources.slice(with).to_owned();
                    let problem = Diagnostic::new(&codes::EXTRA_OPERAND, with, format!("`priority` does not take `{text}`"));
                    let help = "all players may act in its window, the active one first; one with settings has a name: `window NAME { only active }`";
                    self.report(problem.help(help));
                }
                self.emit(Op::Window { window: 0 });
                yes(self)
            }
            "settle" => {
                let rules = call.operands.first().and_then(|operand| bare_word(operand)).is_some_and(|word| word.text == "rules")
                    || call.adverbs.iter().any(|adverb| adverb.text == "rules");
                let acted = self.reg(Type::Bool);
                let wanted = call.binding.is_some() || needed;
                self.emit(Op::Settle { triggers: !rules, acted: wanted.then_some(acted) });
                if let Some(name) = &call.binding {
                    self.bind(name, Some(Type::Bool), Binding::Reg(acted));
                }
                needed.then_some(acted)
            }
            "insert" => {
                if let Some((word, place)) = call.prepositions.first()
                    && (word.text != "after" || !is_word(place, "this"))
                {
                    self.report(
                        Diagnostic::new(
                            &codes::NOT_HERE,
                            place.span,
                            "a phase or step is inserted right after the one that is open",
                        )
                        .help("write `after this`; of several, insert the last one first"),
                    );
                }
                if let Some(span) = self.span_operand(call) {
                    self.emit(Op::InsertSpan { span });
                }
                yes(self)
            }
            "skip" => {
                if let Some(span) = self.span_operand(call) {
                    let player = subject.value.map_or(1, |value| value.reg);
                    self.emit(Op::SkipSpan { span, player });
                }
                yes(self)
            }
            "end" => {
                if let Some(span) = self.span_operand(call) {
                    self.emit(Op::EndSpan { span });
                }
                yes(self)
            }
            "skip_to" => {
                if let Some(span) = self.span_operand(call) {
                    self.emit(Op::SkipTo { span });
                }
                yes(self)
            }
            "expire" => {
                if let Some(span) = self.span_operand(call) {
                    self.emit(Op::Expire { span });
                }
                yes(self)
            }
            _ => {
                let player = match (call.operands.first(), subject.value) {
                    (Some(operand), _) => self.player(operand),
                    (None, Some(value)) => value.reg,
                    (None, None) => 1,
                };
                let dst = self.reg(Type::Number);
                self.emit(Op::ExtraTurn { dst, player });
                if let Some(name) = &call.binding {
                    self.bind_value(name, TypedRegister::new(dst, Type::Number));
                }
                yes(self)
            }
        }
    }

    /// The price of a `pay` statement.
    fn price_operand(&mut self, call: &'a Call) -> Reg {
        if let Some(price) = self.fun().price.take() {
            return price;
        }
        if self.names.payments.is_empty() {
            self.tell_no_payment(call.span);
        }
        for extra in call.adverbs.iter() {
            self.bad_adverb(extra, &[]);
        }
        let extra = call.operands.get(1).map(|operand| operand.span).or(call.prepositions.first().map(|(word, _)| word.span));
        if let Some(span) = extra {
            self.error(&codes::EXTRA_OPERAND, span, "one price is all that this verb takes");
        }
        let Some(operand) = call.operands.first() else {
            self.lacks(call, "which price");
            return self.error_value().reg;
        };
        let value = self.expr(operand, Some(Type::Price));
        self.want(value, Type::Price, operand.span)
    }

    /// `by PLAY onto X`: the play by which something is used, and what it is given besides.
    fn usage(&mut self, call: &'a Call) -> (Option<PlayId>, Vec<Reg>) {
        let named = call.prepositions.iter().find(|(word, _)| word.text == "by");
        let given: Vec<_> = call.prepositions.iter().filter(|(word, _)| word.text != "by").collect();
        let names = self.names;
        let name = named.and_then(|(_, expr)| bare_word(expr));
        let found = name.and_then(|name| names.plays.get_full(&name.text));
        let Some((index, _, play)) = found else {
            if let Some((word, expr)) = named {
                let text = self.sources.slice(expr.span).to_owned();
                let problem = Diagnostic::new(&codes::UNKNOWN_NAME, expr.span, format!("no play is called `{text}`"));
                let known = names.plays.keys().map(smol_str::SmolStr::as_str);
                self.report(problem.also(word.span, "`use X by PLAY`").did_you_mean(&text, known));
            } else if let Some((word, _)) = given.first() {
                self.report(
                    Diagnostic::new(&codes::EXTRA_OPERAND, word.span, format!("`use` does not take `{}`", word.text))
                        .help("only a play that is named takes more: `use X by PLAY onto Y`"),
                );
            }
            return (None, Vec::new());
        };
        let wanted = play.params.get(1..).unwrap_or(&[]);
        if wanted.len() != given.len() {
            let code = if given.len() < wanted.len() { &codes::MISSING_OPERAND } else { &codes::EXTRA_OPERAND };
            let name = play.name.as_ref().map_or("", |name| name.text.as_str());
            let message =
                format!("the play `{name}` is given {} values besides its object, but {} are written", wanted.len(), given.len());
            let mut problem = Diagnostic::new(code, call.span, message).also(play.span, "declared here");
            if let Some(param) = wanted.get(given.len()) {
                problem = problem.help(format!("write what `{}` is: `for X`, `onto X`", param.name.text));
            }
            self.report(problem);
            return (None, Vec::new());
        }
        let mut args = Vec::new();
        for (param, (_, expr)) in wanted.iter().zip(given) {
            let ty = match param.ty.name.text.as_str() {
                "player" => Type::Player,
                "number" => Type::Number,
                "bool" => Type::Bool,
                "thing" => Type::Thing,
                _ => Type::Object,
            };
            let value = self.expr(expr, Some(ty));
            args.push(self.want(value, ty, expr.span));
        }
        (Some(PlayId(index as u32)), args)
    }

    fn lacks(&mut self, call: &Call, what: &str) -> Option<Reg> {
        self.error(&codes::MISSING_OPERAND, call.span, format!("`{}` does not say {what}", call.verb.text));
        None
    }

    /// The phase or step that `insert`, `skip` or `end` is about.
    fn span_operand(&mut self, call: &'a Call) -> Option<PeriodId> {
        let Some(operand) = call.operands.first() else {
            self.lacks(call, "which phase or step");
            return None;
        };
        let Some(word) = bare_word(operand) else {
            self.error(&codes::TYPE_MISMATCH, operand.span, "this is no phase or step");
            return None;
        };
        match word.text.as_str() {
            "phase" | "step" if self.names.find_span(&word.text).is_empty() => {
                let phase = word.text == "phase";
                let found = self.names.spans.keys().skip(1).position(|path| self.names.phases.contains(path) == phase);
                found.map(|index| PeriodId(index as u32 + 1))
            }
            _ => self.span_of_word(word),
        }
    }

    /// `choose 1 piece of opponent as x`, `choose number from 1 to 3 as n`
    fn choose_statement(&mut self, call: &'a Call, subject: &Subject<'a>, needed: bool) -> Option<Reg> {
        let Some(operand) = call.operands.first() else { return self.lacks(call, "what is chosen") };
        if let Some(value) = self.choose_word(operand, subject).or_else(|| self.choose_number(call, subject)) {
            if let Some(name) = &call.binding {
                self.bind_value(name, value);
            }
            return needed.then(|| self.constant(1, Type::Bool));
        }
        if matches!(operand.kind, ExprKind::Phrase(ref phrase) if phrase.quantifier.is_none()) {
            let text = self.sources.slice(operand.span).to_owned();
            self.report(
                Diagnostic::new(&codes::HOW_MANY, operand.span, format!("`{text}` does not say how many"))
                    .help(format!("write `choose 1 {text}` or `choose up to 1 {text}`")),
            );
            return None;
        }
        let before = self.fun().chooser;
        self.fun().chooser = subject.chooser();
        let value = self.expr(operand, None);
        self.fun().chooser = before;
        if let Some(name) = &call.binding {
            self.bind_value(name, value);
        }
        match value.ty {
            Some(ty @ (Type::Object | Type::Thing)) if self.fun().it_param.is_none() => {
                self.set_it(Self::binding_of(value), ty);
            }
            Some(Type::Objects | Type::Things) => self.plural(call.span),
            _ => {}
        }
        if !needed {
            return None;
        }
        let list = value.list.unwrap_or(value.reg);
        let count = self.reg(Type::Number);
        self.emit(Op::Count { dst: count, list });
        let zero = self.constant(0, Type::Number);
        Some(self.binary(Binary::Less, zero, count, Type::Bool))
    }

    /// `choose word of color as c`, `choose word of color that is not c as d`
    fn choose_word(&mut self, operand: &'a Expr, subject: &Subject<'a>) -> Option<TypedRegister> {
        let phrase = as_phrase(operand)?;
        let (Head::Word(word), [post, ..], None) = (&phrase.head, phrase.posts.as_slice(), &phrase.quantifier) else {
            return None;
        };
        let PhraseFilterKind::Of(of) = &post.kind else { return None };
        if word.text != "word" || self.local_type("word").is_some() {
            return None;
        }
        let name = bare_word(of)?;
        let Some(traits) = self.names.traits_id(&name.text) else {
            let known: Vec<&str> = self.names.traits.iter().map(|set| set.name.as_str()).collect();
            let message = format!("no traits item is called `{}`", name.text);
            self.report(Diagnostic::new(&codes::UNKNOWN_NAME, name.span, message).did_you_mean(&name.text, known));
            return Some(self.error_value());
        };
        let player = subject.value.map_or(1, |value| value.reg);
        let (only, captures) = self.only_words(phrase, Type::Word(traits)).unzip();
        let dst = self.reg(Type::Word(traits));
        self.emit(Op::AskWord { dst, player, traits, only, captures: captures.unwrap_or_default() });
        Some(TypedRegister::new(dst, Type::Word(traits)))
    }

    /// Which words of `word of TRAITS that …` may be chosen, and what that function gets before the word.
    fn only_words(&mut self, phrase: &'a Phrase, ty: Type) -> Option<(FnId, Vec<Reg>)> {
        let (_, conditions) = self.conditions(true, &phrase.posts);
        if conditions.is_empty() {
            return None;
        }
        let mut selection = Selection::default();
        for condition in conditions {
            if matches!(condition, PhraseCondition::Holds(_) | PhraseCondition::Is(..)) {
                self.select_condition(condition, &mut selection);
            } else {
                let span = phrase.posts.last().map_or(self.at, |post| post.span);
                let problem = Diagnostic::new(&codes::NOT_HERE, span, "a word is nowhere and has nothing");
                self.report(problem.help("say which words: `that is not X`, `that is (X or Y)`, `that (candidate != X)`"));
            }
        }
        self.begin_child(true, Some(Type::Bool));
        let reg = self.trailing(ty);
        self.fun().candidate = Some(Candidate { reg, ty, bare: false });
        let holds = self.passes(&selection, reg, ty);
        self.emit(Op::Return { value: Some(holds) });
        let fun = self.end_child();
        let outer = Self::captured(&[&fun]);
        let only = self.close(fun, &outer);
        Some((only, [0, 1].into_iter().chain(outer).collect()))
    }

    fn choose_number(&mut self, call: &'a Call, subject: &Subject<'a>) -> Option<TypedRegister> {
        let phrase = as_phrase(call.operands.first()?)?;
        let Head::Word(word) = &phrase.head else { return None };
        if word.text != "number" || phrase.quantifier.is_some() || !self.names.meanings("number").is_empty() {
            return None;
        }
        let from = phrase.posts.iter().find_map(|post| match &post.kind {
            PhraseFilterKind::In(expr) => Some(expr),
            _ => None,
        });
        let operand = |name: &str| call.prepositions.iter().find(|(word, _)| word.text == name).map(|(_, expr)| expr);
        let min = match from.or_else(|| operand("from")) {
            Some(expr) => self.number(expr),
            None => self.constant(0, Type::Number),
        };
        let max = match operand("to") {
            Some(expr) => self.number(expr),
            None => {
                self.lacks(call, "the highest number");
                min
            }
        };
        let player = subject.value.map_or(1, |value| value.reg);
        let dst = self.reg(Type::Number);
        self.emit(Op::AskNumber { dst, player, min, max });
        Some(TypedRegister::new(dst, Type::Number))
    }

    /// A batch of one event, for other parts of the compiler.
    pub fn propose(&mut self, action: ActionId, args: Vec<Reg>) {
        let events = vec![EventProposal { action, args, over: None, chosen: ChosenBy::Nobody }];
        self.emit(Op::Propose { events, done: None, out: None });
    }
}
