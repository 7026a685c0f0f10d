//! Memories: variables that record events (`counts PATTERN`), and triggers on one event by its number (`the second time each turn`).
//!
//! A memory is an immediate trigger of a rule that only writes its variable. It runs right after the other triggers on an event were
//! found, so a trigger on the second event of a period tests whether its memory is 1.

use super::pattern::EventVerb;
use super::{Lowering, Owner};
use crate::diagnostics::{Diagnostic, codes};
use crate::names::dotted;
use crate::phrase_syntax::{as_phrase, is_word};
use fizzle_grammar::ast::{Expr, Memory, MemoryKind, NthTime, Pattern, PhraseFilterKind, Span, Variable, VariableKind};
use fizzle_ir::op::{Binary, Place, WriteMode};
use fizzle_ir::scenario::third_person;
use fizzle_ir::{Ability, AbilityId, AbilityKind, Batching, Op, Reg, Rule, Type};

/// The period that never ends during a game.
pub(super) const GAME: &str = "game";

/// Where a memory keeps what it records of an event.
#[derive(Clone, Copy, Debug)]
pub struct MemoryPlace {
    /// The variable.
    place: Place,
    /// The parameter of the event whose object or player has the variable; unused for a variable of the game.
    param: usize,
}

impl<'a> Lowering<'a> {
    /// Lowers the memories of the game, which work in all of its formats.
    pub fn memory_rules(&mut self) -> Vec<Rule> {
        let memories: Vec<(Place, &'a Variable, &'a Memory)> = self.memories().collect();
        let rules = memories.into_iter().filter_map(|(place, variable, memory)| {
            let name = variable.name.text.to_string();
            let before = std::mem::replace(&mut self.owner, Owner::new(format!("memory {name}")));
            self.begin_context(true);
            let ability = self.memory(place, variable, memory);
            self.end_context();
            self.owner = before;
            Some(Rule { name, abilities: vec![ability?] })
        });
        rules.collect()
    }

    /// The memories of the game, in the order of their declaration in each table.
    fn memories(&self) -> impl Iterator<Item = (Place, &'a Variable, &'a Memory)> + use<'a> {
        let names = self.names;
        let place = |(kind, number): (VariableKind, usize)| match kind {
            VariableKind::Status => Place::Status(number as u16),
            VariableKind::Player => Place::Player(number as u16),
            _ => Place::Global(number as u16),
        };
        let tables = [&names.statuses, &names.players, &names.globals];
        tables.into_iter().flat_map(move |table| {
            let variables = table.iter().enumerate();
            variables.filter_map(move |(number, variable)| {
                let variable: &'a Variable = variable;
                Some((place((variable.kind, number)), variable, variable.memory.as_deref()?))
            })
        })
    }

    fn memory(&mut self, place: Place, variable: &'a Variable, memory: &'a Memory) -> Option<AbilityId> {
        if !self.is_memory_allowed(place, variable, memory) {
            return None;
        }
        let open = self.pattern(&memory.pattern, &[])?;
        let action = open.event_verb.action();
        let param = self.subject_param(&memory.pattern.subject, memory.pattern.passive, &memory.pattern.verb, open.event_verb)?;
        let args = self.begin_event(action, false);
        self.narrow_event_params(action, &open.narrowed_params);
        let of = self.holder_of(MemoryPlace { place, param }, &open.narrowed_params, &args, memory.pattern.subject.span);
        let value = match &memory.kind {
            MemoryKind::Sums(amount) => self.number(amount),
            _ => self.constant(1, variable_type(memory)),
        };
        let how = if matches!(memory.kind, MemoryKind::Notes) { WriteMode::Set } else { WriteMode::Add };
        self.emit(Op::Write { place, of, how, value });
        let body = self.end_child();
        let body = self.close(body, &[]);
        let pattern = self.close_pattern(open, &[]);
        let id = AbilityId(self.library.abilities.len() as u32);
        let source = self.sources.source(memory.span);
        let kind = AbilityKind::Triggered {
            pattern,
            condition: None,
            optional: false,
            immediate: true,
            off_list: false,
            limit: None,
            can_miss_timing: false,
            batching: Batching::InOrder,
            body,
        };
        self.library.abilities.push(Ability { name: self.owner.name.clone(), zones: u32::MAX, kind, source });
        Some(id)
    }

    /// Reports a memory that its variable cannot keep.
    fn is_memory_allowed(&mut self, place: Place, variable: &'a Variable, memory: &'a Memory) -> bool {
        let wanted = variable_type(memory);
        let problem = if variable.keys.is_some() {
            Some(("a number for each word records no events".to_owned(), "declare one variable for what you count".to_owned()))
        } else if variable.default.is_some() {
            Some(("a memory begins empty".to_owned(), "leave the start value out".to_owned()))
        } else if self.sources.slice(memory.span).split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == "you") {
            let help = "name the player by the event: `who`, `controller of it`".to_owned();
            Some(("a memory records for every player, so there is no `you`".to_owned(), help))
        } else if memory.pattern.one_or_more.is_some() {
            Some(("a memory records each event".to_owned(), "leave `one or more` out".to_owned()))
        } else {
            let (row, number) = match place {
                Place::Status(number) => (1, number),
                Place::Player(number) => (2, number),
                Place::Global(number) => (3, number),
                _ => return false,
            };
            let declared = self.names.types.get(row).and_then(|types| types.get(usize::from(number))).copied();
            let help = match wanted {
                Type::Bool => "write `bool`, or count: `number … counts PATTERN`",
                _ => "write `number`, or note whether it happened: `bool … when PATTERN`",
            };
            declared.filter(|ty| *ty != wanted).map(|ty| {
                let (wanted, found) = (self.a_type(wanted), self.a_type(ty));
                (format!("this records {wanted}, but `{}` is {found}", variable.name.text), help.to_owned())
            })
        };
        let is_allowed = problem.is_none();
        if let Some((message, help)) = problem {
            self.report(Diagnostic::new(&codes::BAD_SETTING, memory.span, message).help(help));
        }
        is_allowed
    }

    /// Emits the object or player whose variable records an event: a player, or the controller of an object.
    fn holder_of(&mut self, memory: MemoryPlace, narrowed: &[(usize, Type)], args: &[Reg], span: Span) -> Reg {
        let Some(reg) = args.get(memory.param).copied() else { return 1 };
        let known = narrowed.iter().find(|(index, _)| *index == memory.param).map(|(_, ty)| *ty);
        let declared = self.fun().registers.get(usize::from(reg)).copied();
        let wanted = match memory.place {
            Place::Global(_) => return 1,
            Place::Status(_) => Type::Object,
            _ => Type::Player,
        };
        match known.or(declared) {
            Some(ty) if ty == wanted => match declared {
                Some(Type::Thing) => self.cast(reg, wanted),
                _ => reg,
            },
            Some(Type::Object) if wanted == Type::Player => {
                let it = if declared == Some(Type::Thing) { self.cast(reg, Type::Object) } else { reg };
                let dst = self.reg(Type::Player);
                self.emit(Op::Get { dst, place: Place::Controller, of: it });
                dst
            }
            found => {
                let found = found.map_or_else(|| "unknown".to_owned(), |ty| self.a_type(ty));
                let (wanted, help) = match wanted {
                    Type::Object => {
                        ("an object", "a status records events about objects; for players declare a `player` variable")
                    }
                    _ => ("a player or an object of one", "for all events together declare a `global` variable"),
                };
                let message = format!("the subject of this event is {found}, but {wanted} has the variable");
                self.report(Diagnostic::new(&codes::TYPE_MISMATCH, span, message).help(help));
                self.error_value().reg
            }
        }
    }

    /// Finds the memory that counts the events of a pattern in a period; reports that there is none.
    pub(super) fn memory_of(&mut self, pattern: &'a Pattern, nth: &'a NthTime, event_verb: EventVerb) -> Option<MemoryPlace> {
        let path = dotted(nth.period_path.parts.iter().map(|part| part.text.as_str()));
        let period = match path.as_str() {
            GAME => None,
            _ => self.period_of_path(&path, nth.period_path.span).map(|_| self.names.find_period(&path)),
        };
        if period.is_none() && path != GAME {
            return None;
        }
        let param = self.subject_param(&pattern.subject, pattern.passive, &pattern.verb, event_verb)?;
        let memories: Vec<(Place, &'a Variable, &'a Memory)> = self.memories().collect();
        for (place, variable, memory) in memories {
            let counts = matches!(memory.kind, MemoryKind::Counts) && self.counts_same(place, memory, pattern, event_verb);
            let lifetime = variable.lifetime.as_ref().map(|lifetime| self.names.find_period(&lifetime.text));
            if counts && lifetime == period {
                return Some(MemoryPlace { place, param });
            }
        }
        let declaration = self.suggest_memory(pattern, event_verb, &path);
        let text = self.sources.slice(Span { end: nth.span.start, ..pattern.span }).trim_end_matches([' ', ',', '\n']).to_owned();
        let message = format!("nothing counts how often `{text}` happens in a {path}");
        self.report(
            Diagnostic::new(&codes::UNKNOWN_NAME, nth.span, message).help(format!("declare what counts it: `{declaration}`")),
        );
        None
    }

    /// Emits whether as many events were counted before this one as `the N-th time` says.
    pub(super) fn is_nth_time(&mut self, memory: MemoryPlace, nth: &NthTime, narrowed: &[(usize, Type)], args: &[Reg]) -> Reg {
        let of = self.holder_of(memory, narrowed, args, nth.span);
        let counted = self.reg(Type::Number);
        self.emit(Op::Get { dst: counted, place: memory.place, of });
        let wanted = self.constant(i64::from(nth.number) - 1, Type::Number);
        self.binary(Binary::Equal, counted, wanted, Type::Bool)
    }

    /// Whether a memory counts the events that a pattern is about, for whom it is about them.
    fn counts_same(&mut self, place: Place, memory: &Memory, pattern: &Pattern, event_verb: EventVerb) -> bool {
        let counted = &memory.pattern;
        let before = self.diagnostics.len();
        let same_verb = counted.passive == pattern.passive
            && self.event_verb(&counted.verb.text, counted.verb.span, counted.passive) == Some(event_verb);
        self.forget_problems_since(before);
        let parts =
            [(&counted.object, &pattern.object), (&counted.from, &pattern.from), (&counted.condition, &pattern.condition)];
        same_verb
            && parts.iter().all(|(a, b)| self.written(a.as_ref()) == self.written(b.as_ref()))
            && match place {
                Place::Status(_) => is_word(&pattern.subject, "this"),
                Place::Player(_) if is_word(&counted.subject, "player") => self.is_one_player(&pattern.subject),
                Place::Player(_) => {
                    self.without_owner(&pattern.subject).is_some_and(|kind| Some(kind) == self.written(Some(&counted.subject)))
                }
                _ => self.written(Some(&counted.subject)) == self.written(Some(&pattern.subject)),
            }
    }

    fn is_one_player(&self, expr: &Expr) -> bool {
        ["you", "opponent", "player"].iter().any(|word| is_word(expr, word))
    }

    /// The text of an expression, with single blanks.
    fn written(&self, expr: Option<&Expr>) -> Option<String> {
        expr.map(|expr| self.one_line(expr.span))
    }

    fn one_line(&self, span: Span) -> String {
        self.sources.slice(span).split_whitespace().collect::<Vec<_>>().join(" ")
    }

    /// `creature` of `creature of you`; `None` if no player is named at the end.
    fn without_owner(&self, expr: &Expr) -> Option<String> {
        let last = as_phrase(expr)?.filters.last()?;
        let PhraseFilterKind::Of(owner) = &last.kind else { return None };
        let before = Span { end: last.span.start, ..expr.span };
        self.is_one_player(owner).then(|| self.one_line(before))
    }

    /// The declaration of a variable that would count the events of a pattern.
    fn suggest_memory(&self, pattern: &Pattern, event_verb: EventVerb, period: &str) -> String {
        let (kind, subject) = match self.without_owner(&pattern.subject) {
            Some(noun) => ("player", noun),
            None if self.is_one_player(&pattern.subject) => ("player", "player".to_owned()),
            None if is_word(&pattern.subject, "this") => ("status", "card".to_owned()),
            None => ("global", self.one_line(pattern.subject.span)),
        };
        let name = match event_verb {
            EventVerb::Action(id) => self.names.actions.get_index(id.index()).map(|(name, _)| name),
            EventVerb::Play(play) => self.names.plays.get_index(play as usize).map(|(name, _)| name),
            EventVerb::Enters | EventVerb::Leaves => None,
        };
        let verb = match name {
            Some(name) if !pattern.passive => third_person(name),
            _ => self.one_line(Span { end: pattern.verb.span.end, start: pattern.subject.span.end, ..pattern.span }),
        };
        let rest = self.one_line(Span { start: pattern.verb.span.end, ..pattern.span });
        let lifetime = if period == GAME { String::new() } else { format!(" for {period}") };
        let event = format!("{subject} {verb} {rest}");
        format!("{kind} NAME: number{lifetime} counts {}", event.trim_end())
    }
}

/// The type of a variable that keeps what a memory records.
fn variable_type(memory: &Memory) -> Type {
    match memory.kind {
        MemoryKind::Notes => Type::Bool,
        MemoryKind::Counts | MemoryKind::Sums(_) => Type::Number,
    }
}
