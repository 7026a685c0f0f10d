//! Lowers control flow: conditions, loops, batches, modes and windows.

use super::Lowering;
use super::function_builder::FunctionBuilder;
use crate::diagnostics::{Diagnostic, codes};
use crate::phrase_syntax::is_word;
use crate::verb_forms::is_third_person_of;
use fizzle_grammar::ast::{Block, Expr, ExprKind, Head, Name, PhraseFilterKind, Span, StatementKind, WindowSetting};
use fizzle_ir::op::Binary;
use fizzle_ir::verbs::CREATE;
use fizzle_ir::{ActionId, Op, Reg, Type, WindowRules};

/// The maximum number of objects that `N times { create … }` creates simultaneously: the cost of a batch grows faster than its size.
const MAX_CREATED_TOGETHER: i64 = 1_024;

impl<'a> Lowering<'a> {
    /// Lowers `if COND { … } otherwise { … }`.
    pub fn if_statement(&mut self, condition: &'a Expr, then: &'a Block, otherwise: Option<&'a Block>) {
        let (yes, no) = self.narrowings(condition);
        let cond = self.bool(condition);
        let skip = self.jump_unless(cond);
        self.fun().condition_depth += 1;
        let guards = self.option_guards.len();
        self.guard_by_option(condition, false);
        let moved = self.take_tested_names(condition);
        self.with_narrowed(&yes, |lower| lower.block(then));
        self.fun().moved_names.extend(moved);
        self.option_guards.truncate(guards);
        match otherwise {
            None => self.patch_jump(skip),
            Some(block) => {
                let done = self.jump();
                self.patch_jump(skip);
                self.guard_by_option(condition, true);
                self.with_narrowed(&no, |lower| lower.block(block));
                self.option_guards.truncate(guards);
                self.patch_jump(done);
            }
        }
        self.fun().condition_depth -= 1;
    }

    /// Lets the targets of a branch be announced only if its condition holds, where that is a cost which is announced before the targets:
    /// `if kicked of this { … }` (CR 601.2b, c).
    fn guard_by_option(&mut self, condition: &'a Expr, negated: bool) {
        match &condition.kind {
            ExprKind::Not(inner) => self.guard_by_option(inner, !negated),
            ExprKind::Phrase(phrase) => {
                let Head::Word(status) = &phrase.head else { return };
                let of_this = matches!(phrase.filters.as_slice(), [filter]
                    if matches!(&filter.kind, PhraseFilterKind::Of(owner) if is_word(owner, "this")));
                if of_this && phrase.quantifier.is_none() && self.names.option_statuses.contains(status.text.as_str()) {
                    self.option_guards.push((self.funs.len(), condition, negated));
                }
            }
            _ => {}
        }
    }

    /// Lowers `for each x in LIST { … }`.
    pub fn for_each(&mut self, name: &'a Name, list: &'a Expr, body: &'a Block) {
        if self.each_key(name, list, body) {
            return;
        }
        let list = self.list_of(list);
        let single = list.ty.and_then(Type::element).unwrap_or(Type::Object);
        self.for_each_element(list.reg, single, |lower, item| {
            if list.is_moved {
                lower.mark_moved(item);
            }
            let mark = lower.fun().locals.len();
            lower.bind(name, Some(single), super::function_builder::Binding::Reg(item));
            lower.block(body);
            lower.leave_scope(mark);
        });
    }

    /// Lowers `for each kind in counters of it { … }`: a loop over the words whose number is not 0, in their order. Returns `false` for any
    /// other loop.
    fn each_key(&mut self, name: &'a Name, list: &'a Expr, body: &'a Block) -> bool {
        let Some(phrase) = crate::phrase_syntax::as_phrase(list) else { return false };
        let (Head::Word(word), None) = (&phrase.head, &phrase.quantifier) else { return false };
        if self.local_type(&word.text).is_some() || !self.has_keys(&word.text) {
            return false;
        }
        let (of, rest) = self.conditions(true, &phrase.filters);
        let Some(of) = of.filter(|_| rest.is_empty()) else { return false };
        let owner = self.atom(&of, None);
        let owner = self.as_it_left(owner);
        let Some((place, traits)) = owner.ty.filter(|ty| !ty.is_list()).and_then(|ty| self.keyed_place(&word.text, ty)) else {
            return false;
        };
        let ty = Type::Word(traits);
        let key = self.constant(0, ty);
        let start = self.next_op();
        self.emit(Op::NextKey { dst: key, place, of: owner.reg, after: key });
        let none = self.constant(0, ty);
        let more = self.binary(Binary::Less, none, key, Type::Bool);
        let done = self.jump_unless(more);
        let mark = self.fun().locals.len();
        self.bind(name, Some(ty), super::function_builder::Binding::Reg(key));
        self.loop_body(body);
        self.leave_scope(mark);
        self.emit(Op::Jump { to: start });
        self.patch_jump(done);
        true
    }

    /// Lowers `N times { … }`. A block that only creates is done in batches: `2 times { create "X" into ZONE }` creates two objects simultaneously.
    pub fn times(&mut self, count: &'a Expr, body: &'a Block) {
        self.report_negative_count(count);
        let count = self.number(count);
        let index = self.constant(0, Type::Number);
        if self.fun().batch_depth == 0 && self.only_creates(body) {
            let size = self.constant(MAX_CREATED_TOGETHER, Type::Number);
            let start = self.next_op();
            let more = self.binary(Binary::Less, index, count, Type::Bool);
            let done = self.jump_unless(more);
            self.emit(Op::BeginBatch);
            self.fun().batch_depth += 1;
            let most = self.binary(Binary::Add, index, size, Type::Number);
            let end = self.binary(Binary::Min, most, count, Type::Number);
            self.repeat_until(index, end, body);
            self.fun().batch_depth -= 1;
            self.emit(Op::EndBatch { done: None, out: None });
            self.emit(Op::Jump { to: start });
            self.patch_jump(done);
            self.mark_it_plural(body.span);
        } else {
            self.repeat_until(index, count, body);
        }
    }

    /// Whether a block creates one object, or one copy, without a choice, and does nothing else.
    fn only_creates(&self, body: &'a Block) -> bool {
        let [statement] = body.statements.as_slice() else { return false };
        match &statement.kind {
            StatementKind::CreateCopy { name, .. } => name.is_none(),
            StatementKind::Calls(calls) => match calls.as_slice() {
                [call] => {
                    let verb = call.verb.text.as_str();
                    let creates = (verb == "create" || is_third_person_of("create", verb))
                        && self.names.action_id("create") == Some(ActionId(CREATE));
                    creates
                        && !call.may
                        && call.binding.is_none()
                        && self.created_relation(call).is_none()
                        && !self.asks_each_player(call)
                }
                _ => false,
            },
            _ => false,
        }
    }

    /// Emits a block that is repeated until a number, which is raised by one each time, has reached its end.
    fn repeat_until(&mut self, index: Reg, end: Reg, body: &'a Block) {
        let one = self.constant(1, Type::Number);
        let start = self.next_op();
        let more = self.binary(Binary::Less, index, end, Type::Bool);
        let done = self.jump_unless(more);
        self.loop_body(body);
        self.emit(Op::Binary { op: Binary::Add, dst: index, a: index, b: one });
        self.emit(Op::Jump { to: start });
        self.patch_jump(done);
    }

    /// Lowers `repeat while COND { … }`.
    pub fn repeat(&mut self, condition: &'a Expr, body: &'a Block) {
        let start = self.next_op();
        let cond = self.bool(condition);
        let done = self.jump_unless(cond);
        self.loop_body(body);
        self.emit(Op::Jump { to: start });
        self.patch_jump(done);
    }

    fn loop_body(&mut self, body: &'a Block) {
        let fun = self.fun();
        fun.loop_depth += 1;
        fun.condition_depth += 1;
        self.block(body);
        let fun = self.fun();
        fun.loop_depth -= 1;
        fun.condition_depth -= 1;
    }

    /// Lowers `simultaneously { … }`: one batch. Returns the register that holds whether it happened; it is filled only if `needed`.
    pub fn at_once(&mut self, block: &'a Block, needed: bool) -> Reg {
        self.emit(Op::BeginBatch);
        // What is written to an object that the same batch moves belongs to the moved object.
        self.fun().batch_depth += 1;
        self.block(block);
        self.fun().batch_depth -= 1;
        let done = self.reg(Type::Bool);
        self.emit(Op::EndBatch { done: needed.then_some(done), out: None });
        done
    }

    /// Lowers `choose N { - … }`. The code has one slot for each mode that can be chosen (a constant number counts up to 16). Each slot
    /// holds a copy of every mode, guarded by the choice.
    pub fn modes(&mut self, count: &'a Expr, least: Option<u32>, repeats: bool, modes: &'a [Block], span: Span) {
        self.report_negative_count(count);
        let slots = match self.constant_value(count, Type::Number) {
            Some(count) => usize::try_from(count).unwrap_or(0).min(16),
            None if !repeats => modes.len(),
            None => {
                self.report(
                    Diagnostic::new(&codes::NOT_CONSTANT, count.span, "the number of repeated modes must be a constant")
                        .help("write a number"),
                );
                return;
            }
        };
        if let (Some(least), Some(most)) = (least, self.constant_value(count, Type::Number))
            && i64::from(least) > most
        {
            let message = format!("at least {least} of at most {most} modes cannot be chosen");
            self.report(Diagnostic::new(&codes::MISSING_COUNT, count.span, message).help("write the smaller number first"));
        }
        let fewest = least.map(i64::from).or_else(|| self.constant_value(count, Type::Number)).unwrap_or(0);
        if !repeats && fewest > modes.len() as i64 {
            let message = format!("there are {} modes, and {fewest} are to be chosen", modes.len());
            self.report(
                Diagnostic::new(&codes::MISSING_COUNT, count.span, message).help(format!("write `choose {}`", modes.len())),
            );
        }
        self.begin_child(true, Some(Type::Number));
        let number = self.number(count);
        self.emit(Op::Return { value: Some(number) });
        let child = self.end_child();
        let outer = FunctionBuilder::captured_registers(&[&child]);
        let number = self.close(child, &outer);
        let min = match least {
            None => Some(number),
            Some(0) => None,
            Some(least) => {
                self.begin_child(true, Some(Type::Number));
                let least = self.constant(i64::from(least), Type::Number);
                self.emit(Op::Return { value: Some(least) });
                let child = self.end_child();
                Some(self.close(child, &outer))
            }
        };
        let dst = self.reg(Type::Objects);
        let mut site = self.new_site(span, dst);
        let header = Span { end: modes.first().map_or(span.end, |mode| mode.span.start), ..span };
        site.text =
            self.sources.slice(header).trim_end_matches(['-', '{', ' ', '\n']).split_whitespace().collect::<Vec<_>>().join(" ");
        site.captures = [0, 1].into_iter().chain(outer).collect();
        site.min = min;
        site.max = Some(number);
        site.optional |= min.is_none();
        site.modes = Some((modes.len() as u16, repeats));
        let site = self.add_site(site);
        self.emit(Op::ChooseModes { dst, site });
        let chosen = self.reg(Type::Number);
        self.emit(Op::Count { dst: chosen, list: dst });
        let (outer_mode, sentence) = (self.fun().mode, self.fun().sentence);
        let mut last = self.fun().next_sentence;
        for slot in 0..slots {
            let index = self.constant(slot as i64, Type::Number);
            let there = self.binary(Binary::Less, index, chosen, Type::Bool);
            let none = self.jump_unless(there);
            let item = self.reg(Type::Number);
            self.emit(Op::ElementAt { dst: item, list: dst, index });
            for (mode, block) in modes.iter().enumerate() {
                let number = self.constant(mode as i64, Type::Number);
                let same = self.binary(Binary::Equal, item, number, Type::Bool);
                let skip = self.jump_unless(same);
                let fun = self.fun();
                let this_mode = (site, slot as u16, mode as u16);
                fun.mode = Some(this_mode);
                fun.sentence = sentence;
                let start = fun.ops.len();
                self.block(block);
                let fun = self.fun();
                fun.mode_ops.push((this_mode, start..fun.ops.len()));
                fun.mode = outer_mode;
                last = last.max(fun.next_sentence);
                self.patch_jump(skip);
            }
            self.patch_jump(none);
        }
        let fun = self.fun();
        fun.sentence = sentence;
        fun.next_sentence = last;
    }

    /// Lowers `window NAME { … }`.
    pub fn window(&mut self, name: &'a Name, settings: &'a [WindowSetting]) {
        let mut window = WindowRules { name: name.text.to_string(), ..WindowRules::default() };
        for setting in settings {
            match (setting.word.text.as_str(), &setting.value) {
                ("only", None) if setting.names.iter().all(|name| name.text == "active") => window.only_active = true,
                ("plays", None) => {
                    for play in &setting.names {
                        let class =
                            self.names.plays.values().any(|known| known.classes.iter().any(|class| class.text == play.text));
                        if !class && !self.names.plays.contains_key(&play.text) {
                            let known = self.names.plays.keys().map(smol_str::SmolStr::as_str);
                            let problem =
                                Diagnostic::new(&codes::UNKNOWN_NAME, play.span, format!("no play is called `{}`", play.text))
                                    .did_you_mean(&play.text, known);
                            self.report(problem);
                        }
                        window.plays.push(play.text.to_string());
                    }
                }
                ("until", Some(value)) => {
                    self.begin_child(true, Some(Type::Bool));
                    let cond = self.bool(value);
                    self.emit(Op::Return { value: Some(cond) });
                    let child = self.end_child();
                    if !child.captures.is_empty() {
                        self.error(&codes::MISPLACED_FORM, value.span, "a window cannot use local names");
                    }
                    window.until = Some(self.close(child, &[]));
                }
                _ => self.report(
                    Diagnostic::new(
                        &codes::BAD_SETTING,
                        setting.word.span,
                        format!("a window has no setting `{}`", setting.word.text),
                    )
                    .did_you_mean(&setting.word.text, ["only", "plays", "until"])
                    .help("settings are `only active`, `plays NAME, …` and `until COND`"),
                ),
            }
        }
        let number = self.library.windows.len() as u16;
        self.library.windows.push(window);
        self.emit(Op::Window { window: number });
    }
}
