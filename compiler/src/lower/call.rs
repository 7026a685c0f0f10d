//! Lowers calls of verbs: events, which are proposed in batches, and the built-in statements that are not events.

use super::function_builder::FunctionBuilder;
use super::function_builder::{Binding, Candidate, EventResult, ItBinding};
use super::operand::Subject;
use super::selection::Selection;
use super::{Lowering, TypedRegister};
use crate::diagnostics::{Diagnostic, codes};
use crate::phrase_syntax::{PhraseCondition, as_phrase, bare_word, is_word};
use fizzle_grammar::ast::{Call, Expr, ExprKind, Head, Name, Phrase, PhraseFilterKind, Play, Span, Statement, StatementKind};
use fizzle_ir::op::{Binary, ChosenBy, EventProposal};
use fizzle_ir::{ActionId, FnId, Op, PeriodId, PlayId, Reg, TraitSetId, Type};

/// Verbs of statements that are no events.
pub const STATEMENTS: &[&str] = &[
    "choose",
    "use",
    "pay",
    "produce",
    "resolve_text",
    "restore_use",
    "retarget",
    "insert",
    "skip",
    "skip_to",
    "expire",
    "end",
    "priority",
    "settle",
    "check_state_rules",
    "extra_turn",
];

/// Second names of built-in statements. An action of the game with such a name is meant instead.
pub const SYNONYMS: &[(&str, &str)] = &[("add", "produce")];

/// Returns the name of the built-in statement of a verb, also if it is written in the third person or by its second name.
pub fn statement_of(word: &str) -> Option<&'static str> {
    let is_form = |verb: &&str| *verb == word || crate::verb_forms::is_third_person_of(verb, word);
    let second = SYNONYMS.iter().find(|(verb, _)| is_form(verb)).map(|(_, name)| *name);
    STATEMENTS.iter().find(|verb| is_form(verb)).copied().or(second)
}

impl<'a> Lowering<'a> {
    /// Lowers one sentence: verbs joined by `and`. If `needed`, returns the register that holds whether it happened.
    pub fn calls(&mut self, calls: &'a [Call], span: Span, needed: bool) -> Option<Reg> {
        let first = calls.first()?;
        if !first.may {
            return self.sentence(calls, None, span, needed);
        }
        let subject = self.subject(first);
        if subject.is_each && subject.value.is_some() && self.statement_verb(first).is_empty() {
            return self.each_player_may_call(calls, &subject, span, needed);
        }
        let player = subject.value.filter(|value| value.ty == Some(Type::Player)).map_or(1, |value| value.reg);
        let happened = self.constant(0, Type::Bool);
        // `may pay` is offered only if the price can be paid.
        let impossible = (calls.len() == 1 && self.statement_verb(first) == "pay").then(|| {
            let price = self.price_operand(first);
            let can = self.reg(Type::Bool);
            self.emit(Op::CanPay { dst: can, player, price });
            self.fun().known_price = Some(price);
            self.jump_unless(can)
        });
        self.offer(player, span, |lower| {
            // The subject was evaluated before the offer: what follows it may need it where the offer is declined.
            if let Some(src) = lower.sentence(calls, Some(subject), span, needed) {
                lower.emit(Op::Copy { dst: happened, src });
            }
        });
        if let Some(impossible) = impossible {
            self.patch_jump(impossible);
        }
        needed.then_some(happened)
    }

    /// Asks a player whether to do something, which is done on yes.
    fn offer(&mut self, player: Reg, span: Span, done: impl FnOnce(&mut Self)) {
        let yes = self.reg(Type::Bool);
        let mut site = self.new_site(span, yes);
        site.optional = true;
        if player != 1 {
            site.chooser = fizzle_ir::Chooser::Player(player);
        }
        let id = self.add_site(site);
        if let Some(site) = self.library.sites.get_mut(id.index()) {
            // Whether to do it is decided on resolution, not on announcement.
            site.announceable = false;
        }
        self.fun().known_on_announcement.remove(&yes);
        self.emit(Op::Ask { dst: yes, player, site: id });
        let no = self.jump_unless(yes);
        self.fun().may_depth += 1;
        let before = self.fun().may_player.replace(player);
        done(self);
        self.fun().may_player = before;
        self.fun().may_depth -= 1;
        self.patch_jump(no);
    }

    /// `each player may draw 1`: the players decide one after the other, then what they decided for happens simultaneously (CR 101.4). It happened if
    /// it did for one of them.
    fn each_player_may_call(&mut self, calls: &'a [Call], subject: &Subject<'a>, span: Span, needed: bool) -> Option<Reg> {
        let (first, list) = (calls.first()?, subject.value?);
        if let Some(action) = self.action_of(first).filter(|_| calls.len() == 1) {
            return self.batch_of_players(first, list.reg, needed, |lower, player| {
                lower.offer(player, span, |lower| lower.propose_by(first, action, &subject.of_one(player)));
            });
        }
        let mark = self.fun().locals.len();
        let begin = self.emit(Op::BeginBatch);
        self.for_each_player(list.reg, |lower, player| {
            lower.offer(player, span, |lower| {
                lower.sentence(calls, Some(subject.of_one(player)), span, false);
            });
        });
        let done = self.reg(Type::Bool);
        let op = self.emit(Op::EndBatch { done: needed.then_some(done), out: None });
        self.move_results(mark, begin, op);
        self.mark_it_plural(span);
        needed.then_some(done)
    }

    /// Lowers calls that are joined by `and`. `first_subject`: the subject of the first one, if it was evaluated before.
    fn sentence(&mut self, calls: &'a [Call], first_subject: Option<Subject<'a>>, span: Span, needed: bool) -> Option<Reg> {
        let first = calls.first()?;
        let mut subjects: Vec<Subject<'a>> = first_subject.into_iter().collect();
        for call in calls.iter().skip(subjects.len()) {
            let mut subject = self.subject(call);
            if subject.expr.is_none()
                && let Some(last) = subjects.last().or(self.sentence_subject.as_ref())
                && last.expr.is_some()
                && self.is_third_person(&call.verb.text)
            {
                subject = last.clone();
            }
            subjects.push(subject);
        }
        self.sentence_subject = subjects.last().cloned();
        if let ([call], [subject]) = (calls, subjects.as_slice()) {
            return self.one_call(call, subject, needed);
        }
        if let Some(call) = calls.iter().find(|call| self.created_relation(call).is_some()) {
            let problem =
                Diagnostic::new(&codes::MISPLACED_FORM, call.span, "a relationship cannot be created together with other events");
            self.report(problem.help("write it as a separate statement"));
            return needed.then(|| self.constant(0, Type::Bool));
        }
        let simple = calls.iter().zip(&subjects).all(|(call, subject)| {
            let plain = self.statement_verb(call).is_empty() && !(subject.is_each && self.asks_each_player(call));
            plain && (!call.may || std::ptr::eq(call, first))
        });
        if !simple {
            let mark = self.fun().locals.len();
            let begin = self.emit(Op::BeginBatch);
            for (index, (call, subject)) in calls.iter().zip(&subjects).enumerate() {
                if index > 0 && call.may {
                    self.calls(std::slice::from_ref(call), call.span, false);
                } else {
                    self.one_call(call, subject, false);
                }
            }
            let done = self.reg(Type::Bool);
            let op = self.emit(Op::EndBatch { done: needed.then_some(done), out: None });
            self.move_results(mark, begin, op);
            return needed.then_some(done);
        }
        let mut events = Vec::new();
        let mut objects = Vec::new();
        for (call, subject) in calls.iter().zip(&subjects) {
            let Some(action) = self.action_of(call) else { continue };
            if let Some((proposal, object)) = self.proposal(call, action, subject) {
                events.push(proposal);
                objects.push((call, action, object));
            }
        }
        let done = needed.then(|| self.reg(Type::Bool));
        let op = self.emit(Op::Propose { events, done, out: None });
        let mut distinct: Vec<TypedRegister> = Vec::new();
        for (call, action, object) in &objects {
            if let Some((value, _)) = object {
                if !distinct.iter().any(|known| known.reg == value.reg) {
                    distinct.push(*value);
                }
                match (&call.binding, value.ty) {
                    (Some(name), Some(ty @ (Type::Object | Type::Objects))) => {
                        let result = EventResult::named(op, value.reg, *action).among_several();
                        self.bind(name, Some(ty), Binding::Result(result));
                    }
                    (Some(name), _) => self.bind_value(name, *value),
                    (None, _) => {}
                }
            } else if let Some(name) = &call.binding {
                let out = self.batch_out(op);
                self.bind(name, Some(Type::Objects), Binding::Reg(out));
            }
        }
        match distinct.as_slice() {
            [] => {}
            [one] if one.ty == Some(Type::Object) => {
                self.set_it(Binding::Result(EventResult::or_operand(op, one.reg).among_several()), Type::Object);
            }
            [one] if one.ty == Some(Type::Thing) && self.fun().it_param.is_none() => {
                self.set_it(Self::binding_of(*one), Type::Thing);
            }
            _ => self.mark_it_plural(span),
        }
        done
    }

    /// Returns the verb of a statement that is no event; the empty string for an event.
    fn statement_verb(&self, call: &Call) -> &'static str {
        let word = call.verb.text.as_str();
        if self.names.actions.contains_key(word) {
            return "";
        }
        let is_of_game = |verb: &str| self.names.actions.contains_key(verb) && crate::verb_forms::is_third_person_of(verb, word);
        let is_second_name = |(verb, _): &&(&str, &str)| *verb == word || crate::verb_forms::is_third_person_of(verb, word);
        if SYNONYMS.iter().any(|(verb, _)| is_of_game(verb)) {
            return "";
        }
        // `add X to ZONE` is a move, for which the help says what to write.
        let is_elsewhere = !call.prepositions.is_empty() && self.pool_name(call).is_none();
        if SYNONYMS.iter().any(|it| is_second_name(&it)) && (self.names.payments.is_empty() || is_elsewhere) {
            return "";
        }
        statement_of(word).unwrap_or("")
    }

    /// The pool that `add {C} into POOL` names.
    fn pool_name<'c>(&self, call: &'c Call) -> Option<&'c Name> {
        let [(word, place)] = call.prepositions.as_slice() else { return None };
        bare_word(place).filter(|name| word.text == "into" && self.names.zone_id(&name.text).is_none())
    }

    /// The number of the pool that `add {C} into POOL` names, from 1.
    fn pool_of(&self, call: &Call) -> Option<u16> {
        let name = self.pool_name(call)?;
        self.names.pools.get_index_of(&name.text).map(|index| index as u16 + 1)
    }

    fn report_unknown_pool(&mut self, name: &Name) {
        let known = self.names.pools.keys().map(smol_str::SmolStr::as_str);
        let problem = Diagnostic::new(&codes::UNKNOWN_NAME, name.span, format!("no restricted pool is called `{}`", name.text));
        let help = format!("declare it: `payment … adds {{ pool {} when … }}`", name.text);
        self.report(problem.did_you_mean(&name.text, known).or_help(help));
    }

    /// What an ability adds that does nothing else: the price, and the number of the pool.
    pub fn only_added_units<'p>(&self, play: &'p Play) -> Option<(&'p Expr, u16)> {
        let [Statement { kind: StatementKind::Calls(calls), .. }] = play.body.statements.as_slice() else { return None };
        let [call] = calls.as_slice() else { return None };
        let [price] = call.operands.as_slice() else { return None };
        let for_you = call.subject.as_ref().is_none_or(|subject| !subject.each && !subject.other && is_word(&subject.who, "you"));
        let is_plain = for_you && !call.may && call.adverbs.is_empty() && call.binding.is_none();
        if !is_plain || play.from_keyword || self.statement_verb(call) != "produce" {
            return None;
        }
        let pool = if call.prepositions.is_empty() { 0 } else { self.pool_of(call)? };
        Some((price, pool))
    }

    fn is_third_person(&self, word: &str) -> bool {
        !self.names.actions.contains_key(word)
            && (self.names.actions.keys().any(|name| crate::verb_forms::is_third_person_of(name, word))
                || STATEMENTS
                    .iter()
                    .chain(SYNONYMS.iter().map(|(verb, _)| verb))
                    .any(|verb| crate::verb_forms::is_third_person_of(verb, word)))
    }

    fn one_call(&mut self, call: &'a Call, subject: &Subject<'a>, needed: bool) -> Option<Reg> {
        let before = self.at;
        self.at = call.span;
        let done = match self.statement_verb(call) {
            "" if let Some(relation) = self.created_relation(call) => self.create_relationship(call, relation, needed),
            "" => self.event(call, subject, needed),
            verb => self.built_in(verb, call, subject, needed),
        };
        self.at = before;
        done
    }

    fn event(&mut self, call: &'a Call, subject: &Subject<'a>, needed: bool) -> Option<Reg> {
        let Some(action) = self.action_of(call) else {
            self.lower_unknown_operands(call);
            return needed.then(|| self.constant(0, Type::Bool));
        };
        if subject.is_each && self.asks_each_player(call) {
            return self.each_player_call(call, action, subject, needed);
        }
        let done = needed.then(|| self.reg(Type::Bool));
        let (proposal, object) = self.proposal(call, action, subject)?;
        let op = self.emit(Op::Propose { events: vec![proposal], done, out: None });
        self.after_event(call, op, object, action);
        done
    }

    /// Binds the name of a call and `it` after its event.
    fn after_event(&mut self, call: &'a Call, op: usize, object: Option<(TypedRegister, bool)>, action: ActionId) {
        let creates = action.0 == fizzle_ir::verbs::CREATE;
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
                    self.bind(name, Some(Type::Object), Binding::Result(EventResult::named(op, value.reg, action)));
                }
                self.bind_it_to_result(op, value, was_it);
            }
            Some((value, _)) => {
                if let Some(name) = &call.binding {
                    self.bind(name, Some(Type::Objects), Binding::Result(EventResult::or_operand(op, value.reg)));
                }
                if value.ty.is_some_and(Type::is_list) {
                    self.mark_it_plural(call.span);
                }
            }
            None => {
                if call.binding.is_none() && !creates {
                    return;
                }
                let one = creates || call.operands.iter().any(|operand| self.constant_value(operand, Type::Number) == Some(1));
                let out = self.batch_out(op);
                self.mark_moved(out);
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

    /// Binds `it` to the object that an event moved. In a function with a parameter `it`, only if the operand was `it`.
    fn bind_it_to_result(&mut self, op: usize, value: TypedRegister, was_it: bool) {
        if self.fun().it_param.is_none() || was_it {
            self.set_it(Binding::Result(EventResult::or_operand(op, value.reg)), Type::Object);
        }
    }

    pub(super) fn mark_it_plural(&mut self, span: Span) {
        let fun = self.fun();
        if fun.it_param.is_none() {
            fun.it = ItBinding::Plural(span);
        }
    }

    /// Emits a loop over players, in which the word `player` is one of them.
    fn for_each_player(&mut self, players: Reg, body: impl FnOnce(&mut Self, Reg)) {
        self.for_each_element(players, Type::Player, |lower, player| {
            let before = lower.fun().each_player.replace(player);
            body(lower, player);
            lower.fun().each_player = before;
        });
    }

    /// `each player discards 1 card in hand of player`: the players decide one after the other, then all events happen in one batch.
    fn each_player_call(&mut self, call: &'a Call, action: ActionId, subject: &Subject<'a>, needed: bool) -> Option<Reg> {
        let list = subject.value?;
        self.batch_of_players(call, list.reg, needed, |lower, player| {
            lower.propose_by(call, action, &subject.of_one(player));
        })
    }

    /// Proposes the event of a call by one player.
    fn propose_by(&mut self, call: &'a Call, action: ActionId, subject: &Subject<'a>) {
        if let Some((proposal, _)) = self.proposal(call, action, subject) {
            self.emit(Op::Propose { events: vec![proposal], done: None, out: None });
        }
    }

    /// The batch of what players do in a call, one after the other. Binds the name of the call to all that it moves.
    fn batch_of_players(
        &mut self,
        call: &'a Call,
        players: Reg,
        needed: bool,
        by_one: impl FnOnce(&mut Self, Reg),
    ) -> Option<Reg> {
        self.emit(Op::BeginBatch);
        self.for_each_player(players, by_one);
        let done = self.reg(Type::Bool);
        let op = self.emit(Op::EndBatch { done: needed.then_some(done), out: None });
        if let Some(name) = &call.binding {
            let out = self.batch_out(op);
            self.mark_moved(out);
            self.bind(name, Some(Type::Objects), Binding::Reg(out));
        }
        self.mark_it_plural(call.span);
        needed.then_some(done)
    }

    /// `each player skips turn.main`, `each opponent uses x`: the players do it one after the other.
    fn built_in_for_each_player(
        &mut self,
        verb: &'static str,
        call: &'a Call,
        subject: &Subject<'a>,
        needed: bool,
    ) -> Option<Reg> {
        let list = subject.value?;
        self.for_each_player(list.reg, |lower, player| {
            lower.built_in(verb, call, &subject.of_one(player), false);
        });
        needed.then(|| self.constant(1, Type::Bool))
    }

    fn built_in(&mut self, verb: &'static str, call: &'a Call, subject: &Subject<'a>, needed: bool) -> Option<Reg> {
        let yes = |lower: &mut Self| needed.then(|| lower.constant(1, Type::Bool));
        if subject.is_each && matches!(verb, "use" | "skip" | "extra_turn") {
            return self.built_in_for_each_player(verb, call, subject, needed);
        }
        self.report_unread_parts(verb, call);
        match verb {
            "choose" => self.choose_statement(call, subject, needed),
            "use" => {
                let Some(operand) = call.operands.first() else { return self.report_missing_operand(call, "what is used") };
                let value = self.expr(operand, Some(Type::Object));
                let object = self.coerce(value, Type::Object, operand.span);
                let (by, args) = self.play_and_arguments(call);
                let free = call.adverbs.iter().any(|adverb| adverb.text == "free");
                for adverb in call.adverbs.iter().filter(|adverb| adverb.text != "free") {
                    self.report_bad_adverb(adverb, &["free"]);
                }
                let done = needed.then(|| self.reg(Type::Bool));
                // The operation uses the player in register 1 as the user. The subject is stored there during the operation.
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
                if subject.is_each {
                    self.report_not_here(
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
            "produce" => {
                let price = self.price_operand(call);
                let units = self.reg(Type::Price);
                let pool = self.pool_of(call).unwrap_or(0);
                if let Some(name) = self.pool_name(call).filter(|_| pool == 0) {
                    self.report_unknown_pool(name);
                }
                let add = |lower: &mut Self, player: Reg| {
                    lower.emit(Op::Copy { dst: units, src: price });
                    lower.emit(Op::AddToPool { player, units, pool });
                };
                match subject.value {
                    Some(list) if list.ty == Some(Type::Players) => self.for_each_element(list.reg, Type::Player, add),
                    Some(player) if player.ty == Some(Type::Player) => add(self, player.reg),
                    _ => add(self, 1),
                }
                yes(self)
            }
            "resolve_text" => {
                let Some(operand) = call.operands.first() else {
                    return self.report_missing_operand(call, "whose text resolves");
                };
                let object = self.object(operand);
                self.fun().runs_text |= object == 0;
                self.emit(Op::RunText { object });
                yes(self)
            }
            "restore_use" => {
                let Some(operand) = call.operands.first() else {
                    return self.report_missing_operand(call, "whose use is restored");
                };
                let object = self.object(operand);
                self.emit(Op::Refund { object });
                yes(self)
            }
            "retarget" => {
                let Some(operand) = call.operands.first() else {
                    return self.report_missing_operand(call, "whose target is changed");
                };
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
                    let help = "it opens a window in which all players may act, the active player first; for settings open a named window: `window NAME { only active }`";
                    self.report(problem.help(help));
                }
                self.emit(Op::Window { window: 0 });
                yes(self)
            }
            "settle" | "check_state_rules" => {
                let acted = self.reg(Type::Bool);
                let wanted = call.binding.is_some() || needed;
                self.emit(Op::Settle { triggers: verb == "settle", acted: wanted.then_some(acted) });
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
                            &codes::MISPLACED_FORM,
                            place.span,
                            "a phase or step can be inserted only after the current one",
                        )
                        .help("write `after this`; insert several in reverse order"),
                    );
                }
                if let Some(span) = self.period_operand(call) {
                    self.emit(Op::InsertPeriod { period: span });
                }
                yes(self)
            }
            "skip" => {
                if let Some(span) = self.period_operand(call) {
                    let player = subject.value.map_or(1, |value| value.reg);
                    self.emit(Op::SkipPeriod { period: span, player });
                }
                yes(self)
            }
            "end" => {
                if let Some(span) = self.period_operand(call) {
                    self.emit(Op::EndPeriod { period: span });
                }
                yes(self)
            }
            "skip_to" => {
                if let Some(span) = self.period_operand(call) {
                    self.emit(Op::SkipTo { period: span });
                }
                yes(self)
            }
            "expire" => {
                if let Some(span) = self.period_operand(call) {
                    self.emit(Op::Expire { period: span });
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

    /// Reports the parts of a statement that its verb does not read. Verbs that report their parts themselves are not listed.
    fn report_unread_parts(&mut self, verb: &str, call: &'a Call) {
        let is_number = verb == "choose" && call.operands.first().is_some_and(|operand| self.is_number_choice(operand));
        let (operands, prepositions): (usize, &[&str]) = match verb {
            "choose" if is_number => (1, &["from", "to"]),
            "choose" | "resolve_text" | "restore_use" | "retarget" | "extra_turn" => (1, &[]),
            "skip" | "skip_to" | "end" | "expire" => (1, &[]),
            "settle" | "check_state_rules" => (0, &[]),
            _ => return,
        };
        let unread = call.prepositions.iter().find(|(word, _)| !prepositions.contains(&word.text.as_str()));
        if let Some((word, what)) = unread {
            let part = self.sources.slice(word.span.to(what.span)).to_owned();
            let problem =
                Diagnostic::new(&codes::EXTRA_OPERAND, word.span, format!("`{}` does not take `{}`", call.verb.text, word.text));
            let problem = problem.also(call.verb.span, "this verb");
            let names_player = word.text == "by" && call.subject.is_none();
            self.report(if verb == "choose" && names_player {
                let whom = self.sources.slice(what.span);
                let whom = if matches!(whom, "you" | "opponent" | "active") { whom.to_owned() } else { format!("({whom})") };
                let before = self.sources.slice(Span { start: call.verb.span.end, end: word.span.start, ..call.span });
                let behind = self.sources.slice(Span { start: what.span.end, ..call.span });
                let written = format!("{}{}", before.trim_end(), behind);
                let verb = if whom == "you" { "choose" } else { "chooses" };
                problem.help(format!("write who chooses before the verb: `{whom} {verb}{written}`"))
            } else {
                let whom = self.sources.slice(what.span);
                let operand = call.operands.first().map_or("", |operand| self.sources.slice(operand.span));
                problem.help(match (verb, word.text.as_str()) {
                    ("extra_turn", "for") => format!("write `extra_turn {whom}`"),
                    ("skip", "for") => format!("write who skips it before the verb: `({whom}) skips {operand}`"),
                    _ => format!("leave `{part}` out"),
                })
            });
            // The names in it are used.
            let before = self.diagnostics.len();
            let _ = self.expr(what, None);
            self.forget_problems_since(before);
        }
        for extra in call.operands.iter().skip(operands).map(|operand| operand.span) {
            let text = self.sources.slice(extra).to_owned();
            let problem = Diagnostic::new(&codes::EXTRA_OPERAND, extra, format!("`{}` does not take `{text}`", call.verb.text));
            self.report(problem.help(format!("leave `{text}` out")));
        }
        let is_article = |operand: &Expr| matches!(self.sources.slice(operand.span), "a" | "an" | "the");
        if call.verb.text == "choose" && call.operands.first().is_some_and(is_article) {
            return;
        }
        for adverb in &call.adverbs {
            self.report_bad_adverb(adverb, &[]);
        }
    }

    /// For a choice without a number, `choose color`, `choose a creature`: the form that chooses that.
    fn suggest_choice(&self, call: &Call, text: &str) -> String {
        let word = match (text, call.adverbs.first()) {
            ("a" | "an" | "the", Some(word)) => word.text.as_str(),
            _ => text,
        };
        let name = call.binding.as_ref().map_or("chosen", |name| name.text.as_str());
        match word {
            _ if self.names.traits_id(word).is_some() => format!("write `choose word of {word} as {name}`"),
            "number" if self.names.meanings(word).is_empty() => format!("write `choose number from 1 to 6 as {name}`"),
            "a" | "an" | "the" => "write a number: `choose 1 NOUN as NAME`".to_owned(),
            _ => format!("write `choose 1 {word}` or `choose up to 1 {word}`"),
        }
    }

    /// Whether the operand of `choose` is `number`, so that a player chooses a number.
    fn is_number_choice(&self, operand: &Expr) -> bool {
        let phrase = as_phrase(operand);
        phrase.is_some_and(|phrase| {
            matches!(&phrase.head, Head::Word(word) if word.text == "number")
                && phrase.quantifier.is_none()
                && self.names.meanings("number").is_empty()
        })
    }

    /// Reports conditions of a chosen number, which has none: `choose number from 1 to 6 that (…)`.
    fn report_number_filter(&mut self, call: &Call) -> bool {
        let in_numbers = call.prepositions.iter().map(|(_, limit)| limit);
        let filters = call.operands.iter().chain(in_numbers).filter_map(as_phrase).flat_map(|phrase| &phrase.filters);
        let conditions = filters.filter(|filter| {
            matches!(
                filter.kind,
                PhraseFilterKind::That(_)
                    | PhraseFilterKind::ThatIs { .. }
                    | PhraseFilterKind::ThatHas(_)
                    | PhraseFilterKind::With(_)
                    | PhraseFilterKind::Without(_)
            )
        });
        let is_of_limit = |filter: &&fizzle_grammar::ast::PhraseFilter| {
            let limits = call.prepositions.iter().filter_map(|(_, limit)| as_phrase(limit));
            limits
                .filter(|limit| !matches!(limit.head, Head::Number(_)))
                .any(|limit| limit.filters.iter().any(|known| known.span == filter.span))
        };
        let Some(span) = conditions.filter(|filter| !is_of_limit(filter)).map(|filter| filter.span).next() else {
            return false;
        };
        let problem = Diagnostic::new(&codes::MISPLACED_FORM, span, "a chosen number has limits, but no conditions");
        self.report(problem.help(
            "give the limits, `choose number from 1 to 6 as n`, and test the number afterwards: `if n != other { … }`; for numbers that differ choose words of a set: `choose word of TRAITS that is not X as n`",
        ));
        true
    }

    /// Lowers the price of a `pay` or `produce` statement.
    fn price_operand(&mut self, call: &'a Call) -> Reg {
        if let Some(price) = self.fun().known_price.take() {
            return price;
        }
        if self.names.payments.is_empty() {
            self.report_no_payment(call.span);
        }
        for extra in call.adverbs.iter() {
            self.report_bad_adverb(extra, &[]);
        }
        let names_pool = self.statement_verb(call) == "produce" && self.pool_name(call).is_some();
        let place = if names_pool { None } else { call.prepositions.first().map(|(word, _)| word.span) };
        let extra = call.operands.get(1).map(|operand| operand.span).or(place);
        if let Some(span) = extra {
            self.error(&codes::EXTRA_OPERAND, span, "this verb takes one price");
        }
        let Some(operand) = call.operands.first() else {
            self.report_missing_operand(call, "which price");
            return self.error_value().reg;
        };
        if self.statement_verb(call) == "pay" {
            self.report_chosen_symbol(operand, false);
        }
        let value = self.expr(operand, Some(Type::Price));
        self.coerce(value, Type::Price, operand.span)
    }

    /// Lowers `by PLAY onto X` of a `use` statement: the play, and its arguments after the object.
    fn play_and_arguments(&mut self, call: &'a Call) -> (Option<PlayId>, Vec<Reg>) {
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
                        .help("only a named play takes more: `use X by PLAY onto Y`"),
                );
            }
            return (None, Vec::new());
        };
        let wanted = play.params.get(1..).unwrap_or(&[]);
        if wanted.len() != given.len() {
            let code = if given.len() < wanted.len() { &codes::MISSING_OPERAND } else { &codes::EXTRA_OPERAND };
            let name = play.name.as_ref().map_or("", |name| name.text.as_str());
            let message = format!(
                "the play `{name}` takes {} values in addition to its object, but {} are given",
                wanted.len(),
                given.len()
            );
            let mut problem = Diagnostic::new(code, call.span, message).also(play.span, "declared here");
            if let Some(param) = wanted.get(given.len()) {
                problem = problem.help(format!("give a value for `{}`: `for X`, `onto X`", param.name.text));
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
            args.push(self.coerce(value, ty, expr.span));
        }
        (Some(PlayId(index as u32)), args)
    }

    fn report_missing_operand(&mut self, call: &Call, what: &str) -> Option<Reg> {
        self.error(&codes::MISSING_OPERAND, call.span, format!("`{}` does not say {what}", call.verb.text));
        None
    }

    /// Returns the phase or step that `insert`, `skip`, `skip_to`, `end` or `expire` names.
    fn period_operand(&mut self, call: &'a Call) -> Option<PeriodId> {
        let Some(operand) = call.operands.first() else {
            self.report_missing_operand(call, "which phase or step");
            return None;
        };
        let Some(word) = bare_word(operand) else {
            self.error(&codes::TYPE_MISMATCH, operand.span, "this is not a phase or step");
            return None;
        };
        match word.text.as_str() {
            "phase" | "step" if self.names.find_period(&word.text).is_empty() => {
                let phase = word.text == "phase";
                let found = self.names.periods.keys().skip(1).position(|path| self.names.phases.contains(path) == phase);
                found.map(|index| PeriodId(index as u32 + 1))
            }
            _ => self.period_of_word(word),
        }
    }

    /// `choose 1 piece of opponent as x`, `choose number from 1 to 3 as n`
    fn choose_statement(&mut self, call: &'a Call, subject: &Subject<'a>, needed: bool) -> Option<Reg> {
        let Some(operand) = call.operands.first() else { return self.report_missing_operand(call, "what is chosen") };
        if let Some(value) = self.choose_word(operand, subject).or_else(|| self.choose_number(call, subject)) {
            if subject.is_each {
                let help = "let one player after the other choose: `for each p in players { (p) chooses … }`";
                self.report_not_here(call.span, "several players cannot choose one value", help);
            }
            if let Some(name) = &call.binding {
                self.bind_value(name, value);
            }
            return needed.then(|| self.constant(1, Type::Bool));
        }
        if matches!(operand.kind, ExprKind::Phrase(ref phrase) if phrase.quantifier.is_none()) {
            let text = self.sources.slice(operand.span).to_owned();
            self.report(
                Diagnostic::new(&codes::MISSING_COUNT, operand.span, format!("`{text}` does not say how many"))
                    .help(self.suggest_choice(call, &text)),
            );
            if let Some(name) = &call.binding {
                let value = self.error_value();
                self.bind_value(name, value);
            }
            return None;
        }
        let value = if subject.is_each {
            self.chosen_by_each_player(operand, subject)
        } else {
            self.with_chooser(subject.chooser(), |lower| lower.expr(operand, None))
        };
        if let Some(name) = &call.binding {
            self.bind_value(name, value);
        }
        match value.ty {
            Some(ty @ (Type::Object | Type::Thing)) if self.fun().it_param.is_none() => {
                self.set_it(Self::binding_of(value), ty);
            }
            Some(Type::Objects | Type::Things) => self.mark_it_plural(call.span),
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

    /// Lowers an expression whose choices a player makes.
    fn with_chooser<T>(&mut self, chooser: Option<Reg>, lower: impl FnOnce(&mut Self) -> T) -> T {
        let before = std::mem::replace(&mut self.fun().chooser, chooser);
        let value = lower(self);
        self.fun().chooser = before;
        value
    }

    /// `each player chooses 1 creature of player as x`: the players choose one after the other; the value is the list of what they
    /// chose.
    fn chosen_by_each_player(&mut self, operand: &'a Expr, subject: &Subject<'a>) -> TypedRegister {
        let Some(players) = subject.value else { return self.error_value() };
        let chosen = self.reg(Type::Objects);
        self.emit(Op::MakeList { dst: chosen, items: Vec::new() });
        self.for_each_player(players.reg, |lower, player| {
            let value = lower.with_chooser(Some(player), |lower| lower.expr(operand, None));
            let value = lower.coerce(value, Type::Objects, operand.span);
            lower.emit(Op::Union { dst: chosen, a: chosen, b: value });
        });
        TypedRegister::new(chosen, Type::Objects)
    }

    /// `choose word of color as c`, `choose word of color that is not c as d`, `choose name of card as n`
    fn choose_word(&mut self, operand: &'a Expr, subject: &Subject<'a>) -> Option<TypedRegister> {
        let phrase = as_phrase(operand)?;
        let (Head::Word(word), [post, ..], None) = (&phrase.head, phrase.filters.as_slice(), &phrase.quantifier) else {
            return None;
        };
        let PhraseFilterKind::Of(of) = &post.kind else { return None };
        let name = bare_word(of)?;
        if word.text == "name" && name.text == "card" && phrase.filters.len() == 1 {
            let player = subject.value.map_or(1, |value| value.reg);
            let dst = self.reg(Type::Card);
            self.emit(Op::AskWord { dst, player, traits: TraitSetId::CARD_NAMES, only: None, captures: Vec::new() });
            return Some(TypedRegister::new(dst, Type::Card));
        }
        if word.text != "word" || self.local_type("word").is_some() {
            return None;
        }
        let Some(traits) = self.names.traits_id(&name.text) else {
            let known: Vec<&str> = self.names.traits.iter().map(|set| set.name.as_str()).collect();
            let message = format!("no traits item is called `{}`", name.text);
            self.report(Diagnostic::new(&codes::UNKNOWN_NAME, name.span, message).did_you_mean(&name.text, known));
            return Some(self.error_value());
        };
        let player = subject.value.map_or(1, |value| value.reg);
        let (only, captures) = self.word_filter(phrase, Type::Word(traits)).unzip();
        let dst = self.reg(Type::Word(traits));
        self.emit(Op::AskWord { dst, player, traits, only, captures: captures.unwrap_or_default() });
        Some(TypedRegister::new(dst, Type::Word(traits)))
    }

    /// Lowers the conditions of `word of TRAITS that …`: the function that tests a word, and the captures that precede the word in its
    /// arguments.
    fn word_filter(&mut self, phrase: &'a Phrase, ty: Type) -> Option<(FnId, Vec<Reg>)> {
        let (_, conditions) = self.conditions(true, &phrase.filters);
        if conditions.is_empty() {
            return None;
        }
        let mut selection = Selection::default();
        for condition in conditions {
            if matches!(condition, PhraseCondition::Holds(_) | PhraseCondition::Is(..)) {
                self.select_condition(condition, &mut selection);
            } else {
                let span = phrase.filters.last().map_or(self.at, |post| post.span);
                let problem = Diagnostic::new(&codes::MISPLACED_FORM, span, "a word has no zone and no properties");
                self.report(
                    problem.help("choose among words with `that is not X`, `that is (X or Y)` or `that (candidate != X)`"),
                );
            }
        }
        self.begin_child(true, Some(Type::Bool));
        let reg = self.trailing_param(ty);
        self.fun().candidate = Some(Candidate { reg, ty, binds_bare_names: false, as_it_left: None });
        let holds = self.passes(&selection, reg, ty);
        self.emit(Op::Return { value: Some(holds) });
        let fun = self.end_child();
        let outer = FunctionBuilder::captured_registers(&[&fun]);
        let only = self.close(fun, &outer);
        Some((only, [0, 1].into_iter().chain(outer).collect()))
    }

    fn choose_number(&mut self, call: &'a Call, subject: &Subject<'a>) -> Option<TypedRegister> {
        let phrase = as_phrase(call.operands.first()?)?;
        if !self.is_number_choice(call.operands.first()?) {
            return None;
        }
        if self.report_number_filter(call) {
            return Some(self.error_value());
        }
        let from = phrase.filters.iter().find_map(|post| match &post.kind {
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
                self.report_missing_operand(call, "the highest number");
                min
            }
        };
        let player = subject.value.map_or(1, |value| value.reg);
        let dst = self.reg(Type::Number);
        self.emit(Op::AskNumber { dst, player, min, max });
        Some(TypedRegister::new(dst, Type::Number))
    }

    /// Emits a batch of one event, for other modules.
    pub fn propose(&mut self, action: ActionId, args: Vec<Reg>) {
        let events = vec![EventProposal { action, args, over: None, chosen: ChosenBy::NoPlayer }];
        self.emit(Op::Propose { events, done: None, out: None });
    }
}
