//! Lowers abilities that an effect creates: delayed triggers (CR 603.7), reflexive triggers (CR 603.12), and `until … { ABILITY … }`.

use super::Lowering;
use super::effect::{UnclosedEnd, UnclosedModification};
use super::function_builder::FunctionBuilder;
use super::pattern::UnclosedPattern;
use crate::diagnostics::{Diagnostic, codes};
use fizzle_grammar::ast::{
    Ability as WrittenAbility, AbilityKind as WrittenAbilityKind, Block, Duration, Expr, Moment, Pattern, Span, Statement,
    StatementKind,
};
use fizzle_ir::verbs::{BEGIN, FINISH};
use fizzle_ir::{Ability, AbilityId, AbilityKind, ActionId, Batching, EventPattern, Op, Reg};

/// How a trigger is put on the list and resolved.
#[derive(Clone, Copy, Default)]
struct TriggerMode {
    immediate: bool,
    off_list: bool,
    can_miss_timing: bool,
}

impl TriggerMode {
    fn of(ability: &WrittenAbility) -> Self {
        Self { immediate: ability.immediately, off_list: ability.off_list, can_miss_timing: ability.can_miss_timing }
    }
}

/// An ability whose functions are not closed over their captures yet.
#[expect(clippy::large_enum_variant, reason = "a few of them live while one statement is compiled")]
enum UnclosedAbility {
    Triggered {
        open: UnclosedPattern,
        condition: Option<FunctionBuilder>,
        body: FunctionBuilder,
        optional: bool,
        mode: TriggerMode,
    },
    Replacement {
        open: UnclosedPattern,
        body: FunctionBuilder,
        optional: bool,
    },
}

impl UnclosedAbility {
    /// Returns its functions, to collect their captures.
    fn children(&self) -> Vec<&FunctionBuilder> {
        match self {
            Self::Triggered { open, condition, body, .. } => {
                open.filter.iter().chain(condition).chain(std::iter::once(body)).collect()
            }
            Self::Replacement { open, body, .. } => open.filter.iter().chain(std::iter::once(body)).collect(),
        }
    }
}

impl<'a> Lowering<'a> {
    /// Lowers `at end of turn { … }` as a statement: a delayed trigger.
    pub fn delayed_moment(&mut self, moment: &'a Moment, body: &'a Block, span: Span) {
        self.lint_late_trigger(moment);
        let Some(open) = self.moment_pattern(moment) else { return };
        let ability = self.unclosed_trigger(open, None, body, TriggerMode::default());
        self.begin_ability_effect(vec![ability], Vec::new(), Vec::new(), true, span);
    }

    /// Lowers `(immediately)? when PATTERN { … }` (triggers once) or `whenever PATTERN until DURATION { … }` as a statement.
    pub fn delayed_when(
        &mut self,
        immediate: bool,
        once: bool,
        pattern: &'a Pattern,
        until: Option<&'a Duration>,
        body: &'a Block,
        span: Span,
    ) {
        if !once && until.is_none() {
            self.report(
                Diagnostic::new(&codes::MISSING_OPERAND, pattern.span, "a repeated trigger needs a duration")
                    .help("write `whenever … until end of turn { … }`, or `when …` for the next time only"),
            );
        }
        let Some(open) = self.pattern(pattern, &[]) else { return };
        let until = self.unclosed_ends(until);
        let ability = self.unclosed_trigger(open, None, body, TriggerMode { immediate, ..TriggerMode::default() });
        self.begin_ability_effect(vec![ability], Vec::new(), until, once, span);
    }

    /// Lowers `trigger { … }`: a reflexive trigger, which triggers now.
    pub fn reflexive_trigger(&mut self, block: &'a Block, span: Span) {
        self.begin_child(false, None);
        self.fun().outlives_statement = true;
        self.block(block);
        let body = self.end_child();
        let captures = FunctionBuilder::captured_registers(&[&body]);
        self.reject_list_captures(&captures, span);
        let body = self.close(body, &captures);
        let pattern = EventPattern { action: ActionId(BEGIN), filter: None, looks_back: false };
        let optional = super::ability::is_optional(block);
        let kind = AbilityKind::Triggered {
            pattern,
            condition: None,
            optional,
            immediate: false,
            off_list: false,
            limit: None,
            can_miss_timing: false,
            batching: Batching::Each,
            body,
        };
        let ability = self.add_ability(kind, span);
        self.emit(Op::Trigger { ability, captures });
    }

    /// Lowers `until DURATION { ABILITY … }`.
    pub fn abilities_until(&mut self, until: &'a Duration, once: bool, abilities: &'a [WrittenAbility], span: Span) {
        let (mut open, mut mods) = (Vec::new(), Vec::new());
        for ability in abilities {
            let before = self.at;
            self.at = ability.span;
            self.ability_until(ability, &mut open, &mut mods);
            self.at = before;
        }
        let until = self.unclosed_ends(Some(until));
        self.begin_ability_effect(open, mods, until, once, span);
    }

    fn ability_until(
        &mut self,
        ability: &'a WrittenAbility,
        open: &mut Vec<UnclosedAbility>,
        mods: &mut Vec<UnclosedModification>,
    ) {
        if let Some(zone) = ability.zones.first() {
            self.report_not_here(zone.span, "an ability with a duration is in no zone", "leave `in ZONE` out");
        }
        match &ability.kind {
            WrittenAbilityKind::When { pattern, condition, limit, body } => {
                self.reject_limit(limit.as_deref());
                let Some(pattern) = self.pattern(pattern, &[]) else { return };
                let condition = condition.as_ref().map(|condition| self.unclosed_condition(&pattern, condition));
                open.push(self.unclosed_trigger(pattern, condition, body, TriggerMode::of(ability)));
            }
            WrittenAbilityKind::At { moment, condition, limit, body } => {
                self.reject_limit(limit.as_deref());
                if !ability.immediately {
                    self.lint_late_trigger(moment);
                }
                let Some(pattern) = self.moment_pattern(moment) else { return };
                let condition = condition.as_ref().map(|condition| self.unclosed_condition(&pattern, condition));
                open.push(self.unclosed_trigger(pattern, condition, body, TriggerMode::of(ability)));
            }
            WrittenAbilityKind::Instead { pattern, condition, optional, body } => {
                let conditions: Vec<&'a Expr> = condition.iter().map(AsRef::as_ref).collect();
                let Some(pattern) = self.pattern(pattern, &conditions) else { return };
                self.begin_event(pattern.event_verb.action(), false);
                self.bind_event(&pattern);
                self.fun().outlives_statement = true;
                self.fun().may_player = optional.then_some(1);
                self.block(body);
                let body = self.end_child();
                open.push(UnclosedAbility::Replacement { open: pattern, body, optional: *optional });
            }
            WrittenAbilityKind::Cannot(pattern) => mods.extend(self.unclosed_cannot(pattern)),
            WrittenAbilityKind::Clause(clause) => mods.extend(self.unclosed_clause(clause)),
            WrittenAbilityKind::Static { condition: None, clauses } => {
                for clause in clauses {
                    mods.extend(self.clause_until(clause));
                }
            }
            WrittenAbilityKind::Static { condition: Some(condition), .. } => {
                self.report_not_here(
                    condition.span,
                    "an ability with a duration has no separate condition",
                    "write the condition in the selection, or use `always`",
                );
            }
            WrittenAbilityKind::Defines(_)
            | WrittenAbilityKind::TriggerChange { .. }
            | WrittenAbilityKind::AsSoon { .. }
            | WrittenAbilityKind::Does(_)
            | WrittenAbilityKind::Activated(_)
            | WrittenAbilityKind::Cost(_)
            | WrittenAbilityKind::Option { .. }
            | WrittenAbilityKind::Keyword(_)
            | WrittenAbilityKind::Costed(_)
            | WrittenAbilityKind::KeywordBlock(_) => {
                self.report(
                    Diagnostic::new(&codes::MISPLACED_FORM, ability.span, "only an object can have this ability")
                        .help("let an object gain it: `X gets KEYWORD until …`"),
                );
            }
        }
    }

    fn reject_limit(&mut self, limit: Option<&fizzle_grammar::ast::UseLimit>) {
        if let Some(limit) = limit {
            self.report_not_here(
                limit.span,
                "an ability with a duration has no usage limit",
                "end it after one use: `until …, once { … }`",
            );
        }
    }

    fn clause_until(&mut self, clause: &'a Statement) -> Vec<UnclosedModification> {
        match &clause.kind {
            StatementKind::Gets { whom, mods, until: None } => self.unclosed_static(whom, mods, false),
            StatementKind::Cannot { pattern, until: None } => self.unclosed_cannot(pattern).into_iter().collect(),
            StatementKind::Clause { clause, until: None } => self.unclosed_clause(clause).into_iter().collect(),
            _ => {
                self.report_not_here(
                    clause.span,
                    "`always` contains only `gets`, `cannot` and `must` clauses without `until`",
                    "make it a trigger: `when … { … }`",
                );
                Vec::new()
            }
        }
    }

    fn unclosed_condition(&mut self, open: &UnclosedPattern, condition: &'a Expr) -> FunctionBuilder {
        self.begin_event(open.event_verb.action(), true);
        self.bind_event(open);
        self.fun().outlives_statement = true;
        let holds = self.bool(condition);
        self.emit(Op::Return { value: Some(holds) });
        self.end_child()
    }

    fn unclosed_trigger(
        &mut self,
        open: UnclosedPattern,
        condition: Option<FunctionBuilder>,
        block: &'a Block,
        how: TriggerMode,
    ) -> UnclosedAbility {
        let action = open.event_verb.action();
        self.begin_event(action, false);
        self.bind_event(&open);
        self.fun().outlives_statement = true;
        if matches!(action.0, BEGIN | FINISH) {
            // The event of a moment has no object, so `it` keeps the meaning that it has where the trigger is created.
            self.fun().it = super::function_builder::ItBinding::None;
        }
        self.block(block);
        let body = self.end_child();
        let optional = super::ability::is_optional(block);
        UnclosedAbility::Triggered { open, condition, body, optional, mode: how }
    }

    fn begin_ability_effect(
        &mut self,
        open: Vec<UnclosedAbility>,
        mods: Vec<UnclosedModification>,
        until: Vec<UnclosedEnd>,
        once: bool,
        span: Span,
    ) {
        let mut children: Vec<&FunctionBuilder> = open.iter().flat_map(UnclosedAbility::children).collect();
        children.extend(super::effect::functions(&mods));
        children.extend(until.iter().filter_map(UnclosedEnd::child));
        let captures = FunctionBuilder::captured_registers(&children);
        self.reject_list_captures(&captures, span);
        let mut abilities = Vec::new();
        for ability in open {
            let kind = match ability {
                UnclosedAbility::Triggered { open, condition, body, optional, mode: how } => AbilityKind::Triggered {
                    batching: self.batching(&open, condition.iter().chain([&body])),
                    condition: condition.map(|condition| self.close(condition, &captures)),
                    body: self.close(body, &captures),
                    pattern: self.close_pattern(open, &captures),
                    optional,
                    immediate: how.immediate,
                    off_list: how.off_list,
                    limit: None,
                    can_miss_timing: how.can_miss_timing,
                },
                UnclosedAbility::Replacement { open, body, optional } => AbilityKind::Replacement {
                    body: self.close(body, &captures),
                    pattern: self.close_pattern(open, &captures),
                    optional,
                },
            };
            abilities.push(self.add_ability(kind, span));
        }
        let mods = self.close_mods(mods, &captures);
        let until = self.close_ends(until, &captures);
        if !abilities.is_empty() || !mods.is_empty() {
            self.emit(Op::BeginEffect { mods, abilities, whom: None, captures, until, once });
        }
    }

    fn add_ability(&mut self, kind: AbilityKind, span: Span) -> AbilityId {
        let id = AbilityId(self.library.abilities.len() as u32);
        let source = self.sources.source(span);
        self.library.abilities.push(Ability { name: self.owner.name.clone(), zones: u32::MAX, kind, source });
        id
    }

    /// Reports captures that are lists: an effect stores single objects, players and numbers only.
    pub fn reject_list_captures(&mut self, captures: &[Reg], span: Span) {
        let fun = self.fun();
        if captures.iter().any(|reg| fun.registers.get(usize::from(*reg)).is_some_and(|ty| ty.is_list())) {
            self.report(
                Diagnostic::new(&codes::MISPLACED_FORM, span, "a list cannot be kept until later")
                    .help("write it for each of them: `for each x in … { … }`, or mark them with a status"),
            );
        }
    }
}
