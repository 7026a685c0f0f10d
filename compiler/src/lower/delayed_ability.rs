//! Standing effects with abilities of their own: delayed triggers, reflexive triggers, `until … { ABILITY … }`.

use super::Lowering;
use super::effect::UnclosedModification;
use super::function_builder::FunctionBuilder;
use super::pattern::UnclosedPattern;
use crate::diagnostics::{Diagnostic, codes};
use fizzle_grammar::ast::{
    Ability as Written, AbilityKind as WrittenKind, Block, Duration, Expr, Moment, Pattern, Span, Statement, StatementKind,
};
use fizzle_runtime::ir::op::DurationEnd;
use fizzle_runtime::ir::verbs::{BEGIN, FINISH};
use fizzle_runtime::ir::{Ability, AbilityId, AbilityKind, ActionId, EventPattern, Op, Reg};

/// How a trigger waits.
#[derive(Clone, Copy, Default)]
struct TriggerMode {
    immediate: bool,
    unlisted: bool,
    timely: bool,
}

impl TriggerMode {
    fn of(ability: &Written) -> Self {
        Self { immediate: ability.immediately, unlisted: ability.off_list, timely: ability.can_miss_timing }
    }
}

/// An ability whose functions are not closed yet.
#[expect(clippy::large_enum_variant, reason = "a few of them live while one statement is compiled")]
enum UnclosedAbility {
    Triggered {
        open: UnclosedPattern,
        condition: Option<FunctionBuilder>,
        body: FunctionBuilder,
        optional: bool,
        how: TriggerMode,
    },
    Replacement {
        open: UnclosedPattern,
        body: FunctionBuilder,
        optional: bool,
    },
}

impl UnclosedAbility {
    /// The functions that capture.
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
    /// `at end of turn { … }` as a statement.
    pub fn delayed_moment(&mut self, moment: &'a Moment, body: &'a Block, span: Span) {
        let Some(open) = self.moment_pattern(moment) else { return };
        let ability = self.open_trigger(open, None, body, TriggerMode::default());
        self.begin_standing(vec![ability], Vec::new(), Vec::new(), true, span);
    }

    /// `when PATTERN { … }` as a statement, or `whenever PATTERN until DURATION { … }`.
    pub fn delayed_when(&mut self, once: bool, pattern: &'a Pattern, until: Option<&'a Duration>, body: &'a Block, span: Span) {
        if !once && until.is_none() {
            self.report(
                Diagnostic::new(&codes::MISSING_OPERAND, pattern.span, "this does not say how long it triggers again and again")
                    .help("write `whenever … until end of turn { … }`; or `when …` for the next time only"),
            );
        }
        let Some(open) = self.pattern(pattern, &[]) else { return };
        let until = self.until(until);
        let ability = self.open_trigger(open, None, body, TriggerMode::default());
        self.begin_standing(vec![ability], Vec::new(), until, once, span);
    }

    /// `trigger { … }`: an ability that triggers now.
    pub fn reflexive(&mut self, block: &'a Block, span: Span) {
        self.begin_child(false, None);
        self.fun().keeps = true;
        self.block(block);
        let body = self.end_child();
        let captures = Self::captured(&[&body]);
        self.no_lists(&captures, span);
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
            once_per_batch: false,
            body,
        };
        let ability = self.add_ability(kind, span);
        self.emit(Op::Trigger { ability, captures });
    }

    /// `until DURATION { ABILITY … }`
    pub fn standing(&mut self, until: &'a Duration, once: bool, abilities: &'a [Written], span: Span) {
        let (mut open, mut mods) = (Vec::new(), Vec::new());
        for ability in abilities {
            let before = self.at;
            self.at = ability.span;
            self.standing_ability(ability, &mut open, &mut mods);
            self.at = before;
        }
        let until = self.until(Some(until));
        self.begin_standing(open, mods, until, once, span);
    }

    fn standing_ability(&mut self, ability: &'a Written, open: &mut Vec<UnclosedAbility>, mods: &mut Vec<UnclosedModification>) {
        if let Some(zone) = ability.zones.first() {
            self.not_here(zone.span, "a standing effect lies in no zone", "leave `in ZONE` out");
        }
        match &ability.kind {
            WrittenKind::When { pattern, condition, limit, body } => {
                self.no_limit(limit.as_deref());
                let Some(pattern) = self.pattern(pattern, &[]) else { return };
                let condition = condition.as_ref().map(|condition| self.open_condition(&pattern, condition));
                open.push(self.open_trigger(pattern, condition, body, TriggerMode::of(ability)));
            }
            WrittenKind::At { moment, condition, limit, body } => {
                self.no_limit(limit.as_deref());
                let Some(pattern) = self.moment_pattern(moment) else { return };
                let condition = condition.as_ref().map(|condition| self.open_condition(&pattern, condition));
                open.push(self.open_trigger(pattern, condition, body, TriggerMode::of(ability)));
            }
            WrittenKind::Instead { pattern, condition, optional, body } => {
                let conditions: Vec<&'a Expr> = condition.iter().map(AsRef::as_ref).collect();
                let Some(pattern) = self.pattern(pattern, &conditions) else { return };
                self.begin_event(pattern.verbed.action(), false);
                self.know_event(&pattern);
                self.fun().keeps = true;
                self.fun().may = optional.then_some(1);
                self.block(body);
                let body = self.end_child();
                open.push(UnclosedAbility::Replacement { open: pattern, body, optional: *optional });
            }
            WrittenKind::Cannot(pattern) => mods.extend(self.open_cannot(pattern)),
            WrittenKind::Clause(clause) => mods.extend(self.open_clause(clause)),
            WrittenKind::Static { condition: None, clauses } => {
                for clause in clauses {
                    mods.extend(self.standing_clause(clause));
                }
            }
            WrittenKind::Static { condition: Some(condition), .. } => {
                self.not_here(
                    condition.span,
                    "a standing effect has no condition of its own",
                    "say it in its selection, or use `always`",
                );
            }
            WrittenKind::Defines(_)
            | WrittenKind::Causing { .. }
            | WrittenKind::AsSoon { .. }
            | WrittenKind::Does(_)
            | WrittenKind::Activated(_)
            | WrittenKind::Cost(_)
            | WrittenKind::Option { .. }
            | WrittenKind::Keyword(_) => {
                self.report(
                    Diagnostic::new(&codes::NOT_HERE, ability.span, "only an object can have this ability")
                        .help("let an object gain it: `X gets KEYWORD until …`"),
                );
            }
        }
    }

    fn no_limit(&mut self, limit: Option<&fizzle_grammar::ast::UseLimit>) {
        if let Some(limit) = limit {
            self.not_here(limit.span, "a standing effect counts no uses", "end it after its use: `until …, once { … }`");
        }
    }

    fn standing_clause(&mut self, clause: &'a Statement) -> Vec<UnclosedModification> {
        match &clause.kind {
            StatementKind::Gets { whom, mods, until: None } => self.open_static(whom, mods, false),
            StatementKind::Cannot { pattern, until: None } => self.open_cannot(pattern).into_iter().collect(),
            StatementKind::Clause { clause, until: None } => self.open_clause(clause).into_iter().collect(),
            _ => {
                self.not_here(
                    clause.span,
                    "`always` holds only `gets`, `cannot` and `must` clauses without `until`",
                    "make it a trigger: `when … { … }`",
                );
                Vec::new()
            }
        }
    }

    fn open_condition(&mut self, open: &UnclosedPattern, condition: &'a Expr) -> FunctionBuilder {
        self.begin_event(open.verbed.action(), true);
        self.know_event(open);
        self.fun().keeps = true;
        let holds = self.bool(condition);
        self.emit(Op::Return { value: Some(holds) });
        self.end_child()
    }

    fn open_trigger(
        &mut self,
        open: UnclosedPattern,
        condition: Option<FunctionBuilder>,
        block: &'a Block,
        how: TriggerMode,
    ) -> UnclosedAbility {
        let action = open.verbed.action();
        self.begin_event(action, false);
        self.know_event(&open);
        self.fun().keeps = true;
        if matches!(action.0, BEGIN | FINISH) {
            // At a moment `it` is what it was when the trigger was made.
            self.fun().it = super::function_builder::ItBinding::None;
        }
        self.block(block);
        let body = self.end_child();
        let optional = super::ability::is_optional(block);
        UnclosedAbility::Triggered { open, condition, body, optional, how }
    }

    fn begin_standing(
        &mut self,
        open: Vec<UnclosedAbility>,
        mods: Vec<UnclosedModification>,
        until: Vec<DurationEnd>,
        once: bool,
        span: Span,
    ) {
        let mut children: Vec<&FunctionBuilder> = open.iter().flat_map(UnclosedAbility::children).collect();
        children.extend(super::effect::functions(&mods));
        let captures = Self::captured(&children);
        self.no_lists(&captures, span);
        let mut abilities = Vec::new();
        for ability in open {
            let kind = match ability {
                UnclosedAbility::Triggered { open, condition, body, optional, how } => AbilityKind::Triggered {
                    condition: condition.map(|condition| self.close(condition, &captures)),
                    body: self.close(body, &captures),
                    once_per_batch: open.together.is_some(),
                    pattern: self.close_pattern(open, &captures),
                    optional,
                    immediate: how.immediate,
                    off_list: how.unlisted,
                    limit: None,
                    can_miss_timing: how.timely,
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
        if !abilities.is_empty() || !mods.is_empty() {
            self.emit(Op::BeginEffect { mods, abilities, whom: None, captures, until, once });
        }
    }

    fn add_ability(&mut self, kind: AbilityKind, span: Span) -> AbilityId {
        let id = AbilityId(self.library.abilities.len() as u32);
        let source = self.sources.source(span);
        self.library.abilities.push(Ability { name: self.owner.clone(), zones: u32::MAX, kind, source });
        id
    }

    /// What lasts remembers single objects, players and numbers only.
    pub fn no_lists(&mut self, captures: &[Reg], span: Span) {
        let fun = self.fun();
        if captures.iter().any(|reg| fun.registers.get(usize::from(*reg)).is_some_and(|ty| ty.is_list())) {
            self.report(
                Diagnostic::new(&codes::NOT_HERE, span, "a list cannot be remembered until later")
                    .help("say it for each of them: `for each x in … { … }`, or keep them in a status"),
            );
        }
    }
}
