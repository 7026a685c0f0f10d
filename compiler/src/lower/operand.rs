//! Lowers the operands of a verb: assigns subject, direct operands, prepositions and adverbs to the parameters of an action.

use super::{Lowering, TypedRegister};
use crate::diagnostics::{Diagnostic, codes};
use crate::names::Meaning;
use crate::phrase_syntax::{Atom, alternatives, as_phrase, bare_word, is_word};
use crate::verb_usage::{split_counting_name, usage};
use fizzle_grammar::ast::{Call, Expr, ExprKind, Head, Name, Phrase, PhraseFilterKind, Quantifier, Span};
use fizzle_ir::op::{Binary, ChosenBy, EventProposal};
use fizzle_ir::verbs::{ATTACH, CREATE, OperandDefault, PUT, VERBS, position};
use fizzle_ir::{ActionId, NO_PLAYER, Op, Reg, Type};
use smol_str::SmolStr;

/// The most words that a message lists.
const MAX_WORDS_LISTED: usize = 12;

/// The number of latest diagnostics among which a related one is searched.
const MAX_RECENT_REPORTS: usize = 8;

/// The subject of a verb.
#[derive(Clone, Debug, Default)]
pub struct Subject<'a> {
    /// The expression that names it; `None` if no subject is written.
    pub expr: Option<&'a Expr>,
    /// Its value: a player or players, an object or objects.
    pub value: Option<TypedRegister>,
    /// Whether it stands for several players: `each player`, `each other player`, `each opponent`.
    pub is_each: bool,
    /// Whether it is the word `you`.
    pub is_you: bool,
}

impl Subject<'_> {
    /// The subject with one player in place of several.
    #[must_use]
    pub fn of_one(&self, player: Reg) -> Self {
        Self { value: Some(TypedRegister::new(player, Type::Player)), is_each: false, ..self.clone() }
    }

    /// Returns the player who chooses operands, if that is not the controller.
    #[must_use]
    pub fn chooser(&self) -> Option<Reg> {
        self.value.filter(|value| value.ty == Some(Type::Player) && !self.is_you).map(|value| value.reg)
    }
}

/// The parameters of an action while a call fills them.
struct OperandSlots {
    params: Vec<(SmolStr, Type)>,
    values: Vec<Option<TypedRegister>>,
    over: Option<u8>,
    /// The parameter that acts, if it is not the first one.
    doer: Option<usize>,
    /// For parameters that are things: the value before its conversion.
    origins: Vec<Option<TypedRegister>>,
    /// Whether a player who is the subject is an argument.
    takes_player: bool,
    /// Whether the operand was the word `it`.
    was_it: Vec<bool>,
    /// Whether a report says that the operands do not fit the verb.
    is_refused: bool,
}

impl<'a> Lowering<'a> {
    /// Lowers the subject of a call.
    pub fn subject(&mut self, call: &'a Call) -> Subject<'a> {
        let Some(subject) = &call.subject else { return Subject::default() };
        let who = &subject.who;
        if subject.each {
            let opponents = is_word(who, "opponent");
            if opponents && subject.other {
                self.report_other_opponent(subject.span);
            }
            let list = match opponents || subject.other {
                true => {
                    let selection = super::selection::Selection {
                        selects_players: true,
                        constraints: vec![super::selection::Constraint::Opponent],
                        ..Default::default()
                    };
                    self.candidates(&selection)
                }
                false => {
                    let dst = self.reg(Type::Players);
                    self.emit(fizzle_ir::Op::Players { dst });
                    dst
                }
            };
            return Subject {
                expr: Some(who),
                value: Some(TypedRegister::new(list, Type::Players)),
                is_each: true,
                is_you: false,
            };
        }
        let you = is_word(who, "you");
        let value = self.expr(who, Some(Type::Player));
        match value.ty {
            Some(Type::Player | Type::Players | Type::Object | Type::Objects | Type::Thing | Type::Things) | None => {}
            Some(_) => {
                self.coerce(value, Type::Player, who.span);
            }
        }
        Subject { expr: Some(who), value: Some(value), is_each: value.ty == Some(Type::Players), is_you: you }
    }

    /// Finds the action of a call; reports an unknown verb.
    pub fn action_of(&mut self, call: &'a Call) -> Option<ActionId> {
        let word = call.verb.text.as_str();
        if let Some((id, _)) = self.counting_action(call) {
            return Some(id);
        }
        if let Some(id) = self.names.action_id(word) {
            return Some(id);
        }
        if let Some(id) = self.names.actions.keys().position(|name| crate::verb_forms::is_third_person_of(name, word)) {
            return Some(ActionId(id as u32));
        }
        if self.report_offered_statement(call) {
            return None;
        }
        let known = self
            .names
            .actions
            .keys()
            .map(SmolStr::as_str)
            .chain(["choose", "use", "priority", "settle", "end", "skip", "insert"])
            .chain(self.names.actions.values().filter_map(|action| split_counting_name(action).map(|(verb, _)| verb)));
        let mut problem = Diagnostic::new(&codes::UNKNOWN_VERB, call.verb.span, format!("no action is called `{word}`"));
        let upper = word.to_uppercase();
        if word.len() == 1 && *word != *upper && self.is_price_symbol(&upper) {
            problem = problem.help(format!("a symbol of a price is written in capitals: `{{{upper}}}`"));
        }
        let play = self.names.plays.keys().find(|name| *name == word || crate::verb_forms::is_third_person_of(name, word));
        if let Some(play) = play {
            problem = problem.help(format!("`{play}` is a play, which players announce; an effect uses it by `use X by {play}`"));
        }
        let named = self.suggest_named_subject(call);
        let known_word = crate::diagnostics::word_suggestions::verb_suggestion(word).filter(|_| named.is_none());
        let counting = self.names.actions.values().filter_map(split_counting_name).find(|(verb, _)| *verb == word);
        if let Some((verb, noun)) = counting.filter(|_| known_word.is_none() && play.is_none()) {
            let letter = call.operands.first().and_then(bare_word);
            problem = match letter.and_then(|letter| Some((letter, self.chosen_number_for(&letter.text)?))) {
                Some((letter, number)) => problem.help(format!(
                    "the number chosen for `{{{}}}` in the price is `{number}`: `{verb} ({number}) {noun} …`",
                    letter.text
                )),
                None => problem.help(format!("after `{verb}` write a number and `{noun}`: `{verb} 3 {noun} …`, or a value in parentheses: `{verb} (n) {noun} …`")),
            };
            if problem.help.iter().all(|help| !help.contains("in the price")) && letter.is_some_and(|word| word.text == "X") {
                problem.help.extend(crate::diagnostics::word_suggestions::word_suggestion("X"));
            }
        }
        if let Some(help) = named {
            self.mark_used(word);
            problem.help.clear();
            problem =
                Diagnostic { message: format!("`{word}` is the subject of a statement, not its verb"), ..problem }.help(help);
        }
        if let Some(help) = self.suggest_keyword_block(word).or_else(|| self.suggest_ended_fact(call)) {
            problem.help = vec![help];
        }
        if let Some(help) = known_word.filter(|_| problem.help.is_empty()) {
            problem = problem.help(help);
        }
        if problem.help.is_empty() {
            problem = problem.did_you_mean(word, known);
        }
        let problem = problem
            .or_help(format!("a verb is built in or an action that the game declares: `action {word}(it: object) {{ … }}`"));
        self.report(problem);
        None
    }

    /// Lowers the operands of an unknown verb, so that their names count as used. Diagnostics about them are dropped.
    pub fn lower_unknown_operands(&mut self, call: &'a Call) {
        let before = self.diagnostics.len();
        for expr in call.operands.iter().chain(call.prepositions.iter().map(|(_, expr)| expr)) {
            let _ = self.expr(expr, None);
        }
        self.forget_problems_since(before);
        if let Some(name) = &call.binding {
            let poison = self.error_value();
            self.bind_value(name, poison);
        }
    }

    /// Whether an `each player` call must be lowered for every player separately: its action takes an object first, or an operand depends
    /// on the player or requires a decision.
    pub fn asks_each_player(&self, call: &Call) -> bool {
        let word = call.verb.text.as_str();
        let action =
            self.names.actions.iter().find(|(name, _)| *name == word || crate::verb_forms::is_third_person_of(name, word));
        let object = action.is_some_and(|(_, signature)| matches!(signature.params.first(), Some((_, Type::Object))));
        object || call.operands.iter().chain(call.prepositions.iter().map(|(_, expr)| expr)).any(asks_player)
    }

    /// Lowers the event that a call proposes. Returns also its first operand that is an object, a thing, or a list of them, and whether it
    /// was `it`.
    pub fn proposal(
        &mut self,
        call: &'a Call,
        action: ActionId,
        subject: &Subject<'a>,
    ) -> Option<(EventProposal, Option<(TypedRegister, bool)>)> {
        let (params, doer) = self
            .names
            .actions
            .get_index(action.index())
            .map(|(_, signature)| (signature.params.clone(), signature.acting_param))?;
        let count = params.len();
        let mut slots = OperandSlots {
            params,
            values: vec![None; count],
            over: None,
            doer: doer.filter(|doer| *doer > 0),
            origins: vec![None; count],
            was_it: vec![false; count],
            is_refused: false,
            takes_player: true,
        };
        let fun = self.fun();
        let before = (fun.verb.replace(action), fun.chooser);
        if subject.expr.is_some() {
            fun.chooser = subject.chooser();
        }
        let mut position = None;
        self.fill_subject(call, subject, &mut slots);
        self.fill_direct(call, &mut slots);
        for (word, expr) in &call.prepositions {
            self.fill_preposition(call, action, word, expr, &mut slots, &mut position);
        }
        let flags = self.adverbs(call, action, &mut slots, &mut position);
        let fun = self.fun();
        fun.verb = before.0;
        fun.chooser = before.1;
        let args = self.arguments(call, action, &mut slots, position, flags);
        let given = slots.origins.iter().zip(&slots.values).map(|(origin, value)| origin.or(*value));
        let object = slots.params.iter().zip(given).zip(&slots.was_it).find_map(|(((_, ty), value), it)| {
            let value = value?;
            (ty.is_reference() && matches!(value.ty, Some(Type::Object | Type::Objects | Type::Thing | Type::Things)))
                .then_some((value, *it))
        });
        let chosen = match self.chosen_by(object.map(|(value, _)| value), slots.over.is_some()) {
            // No parameter is the player who does it: `(who) sacrifices each creature`.
            ChosenBy::NoPlayer if !slots.takes_player => subject.chooser().map_or(ChosenBy::NoPlayer, ChosenBy::Player),
            chosen => chosen,
        };
        Some((EventProposal { action, args, over: slots.over, chosen }, object))
    }

    /// Returns who chose the object of an event: the player who chose it when it was named, or the player whose `may` the statement is part
    /// of.
    fn chosen_by(&mut self, object: Option<TypedRegister>, several: bool) -> ChosenBy {
        let fun = self.fun();
        let known = object.and_then(|value| fun.chosen_by.get(&value.reg).or_else(|| fun.chosen_by.get(&value.list?)).copied());
        match (known, fun.may_player) {
            (Some(known), _) => known,
            (None, Some(player)) if !several => {
                if player == 1 {
                    ChosenBy::Controller
                } else {
                    ChosenBy::Player(player)
                }
            }
            _ => ChosenBy::NoPlayer,
        }
    }

    fn fill_subject(&mut self, call: &'a Call, subject: &Subject<'a>, slots: &mut OperandSlots) {
        let (Some(value), Some(who)) = (subject.value, subject.expr) else { return };
        let first = slots.doer.unwrap_or(0);
        let Some((_, ty)) = slots.params.get(first) else { return };
        match (ty, value.ty) {
            (Type::Player | Type::Players, Some(Type::Player | Type::Players))
            | (_, None)
            | (Type::Object, Some(Type::Object | Type::Objects))
            | (Type::Thing, Some(Type::Object | Type::Objects | Type::Thing | Type::Things)) => {
                self.fill_value(first, value, who, slots);
            }
            // Who creates something controls it, unless `under` names another player.
            (Type::Card, Some(Type::Player)) if self.fun().verb == Some(ActionId(CREATE)) => {
                let whose = slots.params.iter().position(|(_, ty)| *ty == Type::Player);
                if let Some(whose) = whose.and_then(|whose| slots.values.get_mut(whose)) {
                    *whose = Some(value);
                }
            }
            (_, Some(Type::Player)) => slots.takes_player = false,
            (_, Some(_)) => {
                let text = self.sources.slice(who.span).to_owned();
                let declared = *ty;
                let (found, wanted) = (value.ty.map_or_else(String::new, |ty| self.a_type(ty)), self.a_type(declared));
                if !declared.is_reference() && declared != Type::Player {
                    self.report_subject_of_none(call, who);
                    return;
                }
                let message = format!("`{text}` is {found}, but `{}` is done by {wanted}", call.verb.text);
                let verb = call.verb.text.strip_suffix('s').unwrap_or(&call.verb.text);
                let help = if declared == Type::Player {
                    format!("name the player: `you {verb}`, `its controller {verb}s`")
                } else {
                    format!("name the object: `this {verb}s`")
                };
                self.report(Diagnostic::new(&codes::TYPE_MISMATCH, who.span, message).help(help));
            }
        }
    }

    /// Reports a subject of an action that no object and no list of players does: `each player creates "NAME" into ZONE`.
    fn report_subject_of_none(&mut self, call: &Call, who: &Expr) {
        let subject = call.subject.as_ref().map_or(who.span, |subject| subject.span);
        let text = self.sources.slice(subject).to_owned();
        let verb = call.verb.text.as_str();
        let plain = self.names.actions.keys().find(|name| *name == verb || crate::verb_forms::is_third_person_of(name, verb));
        let plain = plain.map_or(verb, SmolStr::as_str).to_owned();
        let behind = self.sources.slice(Span { start: call.verb.span.end, ..call.span }).trim_end().to_owned();
        let built_in = VERBS.iter().find(|known| known.name == plain);
        let takes_player = built_in.is_some_and(|verb| verb.params.iter().any(|param| param.prepositions.contains(&"under")));
        let is_each = call.subject.as_ref().is_some_and(|subject| subject.each);
        let list = if text == "each player" { "players".to_owned() } else { text.clone() };
        let whose_zone = |operand: &Expr| self.is_zone_of_each_player(operand);
        let help = if is_each && takes_player && !behind.contains(" under ") {
            format!("write a loop: `for each one in {list} {{ {plain}{behind} under one }}`")
        } else if is_each && call.operands.len() == 1 && call.operands.iter().all(whose_zone) {
            format!("write a loop: `for each one in {list} {{ {plain}{behind} of one }}`")
        } else {
            format!("leave `{text}` out: `{plain}{behind}`")
        };
        let message = match is_each {
            true => format!("`{verb}` is done by one player, not by `{text}`"),
            false => format!("`{verb}` is not done by an object"),
        };
        self.report(Diagnostic::new(&codes::TYPE_MISMATCH, subject, message).help(help));
    }

    /// Whether an expression is the bare name of a zone that each player has.
    fn is_zone_of_each_player(&self, operand: &Expr) -> bool {
        let zone = bare_word(operand).and_then(|word| self.names.meanings(&word.text).first());
        matches!(zone, Some(Meaning::Zone(zone)) if self.library.zones.get(zone.index()).is_some_and(|zone| zone.each_player))
    }

    /// The player of a call without a subject: the player of the text, unless `by` names another one.
    fn implied_player(&mut self, call: &Call) -> TypedRegister {
        let named = call.prepositions.iter().any(|(word, _)| word.text == "by");
        let does = |verb: &str| format!("no player is the subject of `{verb}`");
        if !named && self.report_no_player(call.verb.span, does) {
            self.error_value()
        } else {
            TypedRegister::new(1, Type::Player)
        }
    }

    fn fill_direct(&mut self, call: &'a Call, slots: &mut OperandSlots) {
        let player_first = matches!(slots.params.first(), Some((_, Type::Player | Type::Players)));
        for (index, operand) in call.operands.iter().enumerate() {
            if index == 0
                && let Some((_, count)) = self.counting_action(call)
            {
                let number = slots.params.iter().position(|(_, ty)| *ty == Type::Number);
                if player_first && slots.values.first().is_some_and(Option::is_none) {
                    slots.values[0] = Some(self.implied_player(call));
                }
                if let Some(number) = number.filter(|number| slots.values.get(*number).is_some_and(Option::is_none)) {
                    if let ExprKind::Negative(inner) = &operand.kind {
                        self.report_negative_noun(operand, inner);
                    }
                    self.fill(number, count, slots);
                    continue;
                }
            }
            let mut slot = slots.values.iter().position(Option::is_none);
            if index == 0 && player_first && slots.values.first().is_some_and(Option::is_none) && slots.params.len() > 1 {
                let full = call.operands.len() + call.prepositions.len() >= slots.params.len();
                let player = matches!(self.guess(operand), Some(Type::Player | Type::Players));
                let unclear = self.guess(operand).is_none() && full && call.operands.len() > 1;
                // With an operand for every parameter the first one is the player, even if its type does not fit.
                let each = call.operands.len() > 1 && call.operands.len() >= slots.params.len();
                if !player && !unclear && !each {
                    slots.values[0] = Some(self.implied_player(call));
                    slot = Some(1);
                }
            }
            if index == 0 && player_first && self.report_second_player(call, operand, slots) {
                return;
            }
            match slot {
                Some(slot) if slots.params[slot].1 == Type::Number && self.report_negative_operand(call, operand) => {
                    slots.values[slot] = Some(self.error_value());
                }
                Some(slot) => self.fill(slot, operand, slots),
                None => self.report_extra_operand(call, operand),
            }
        }
    }

    /// Reports `you burn opponent for 300`: the subject is the player already. The call gets no further operands.
    fn report_second_player(&mut self, call: &Call, operand: &'a Expr, slots: &mut OperandSlots) -> bool {
        let next = slots.values.iter().position(Option::is_none).and_then(|next| slots.params.get(next));
        let takes_player = next.is_none_or(|(_, ty)| ty.is_reference() || matches!(ty, Type::Player | Type::Players));
        let Some(subject) = call.subject.as_ref().filter(|_| slots.doer.is_none() && !takes_player) else { return false };
        if !matches!(self.guess(operand), Some(Type::Player | Type::Players)) {
            return false;
        }
        let (subject, verb) = (self.sources.slice(subject.span).to_owned(), call.verb.text.as_str());
        let player = slots.params.first().map_or("", |(name, _)| name.as_str());
        let behind = self.sources.slice(Span { start: call.verb.span.end, ..call.span }).to_owned();
        let plain = self.names.actions.keys().find(|name| *name == verb || crate::verb_forms::is_third_person_of(name, verb));
        let plain = plain.map_or(verb, SmolStr::as_str);
        let may = if call.may { "may " } else { "" };
        let message = format!("`{subject}` is the `{player}` of `{verb}` already");
        let problem = Diagnostic::new(&codes::EXTRA_OPERAND, operand.span, message).also(call.verb.span, "this verb");
        self.report(problem.help(match subject.as_str() {
            "you" if call.may => format!("leave `you` out, since `may` alone asks you: `{may}{plain}{behind}`"),
            _ if call.may => format!("let the player decide on an action: `{subject} may ACTION; if you do, {plain}{behind}`"),
            _ => format!("leave `{subject}` out: `{may}{plain}{behind}`"),
        }));
        let value = self.error_value();
        slots.values.iter_mut().filter(|value| value.is_none()).for_each(|slot| *slot = Some(value));
        slots.is_refused = true;
        true
    }

    fn report_extra_operand(&mut self, call: &Call, expr: &Expr) {
        if self.has_refused_subject(call) {
            return;
        }
        let text = self.sources.slice(expr.span).to_owned();
        let problem = Diagnostic::new(&codes::EXTRA_OPERAND, expr.span, format!("`{}` does not take `{text}`", call.verb.text));
        let plain = call.verb.text.strip_suffix('s').unwrap_or(&call.verb.text);
        let action = self.names.actions.get_index_of(&call.verb.text).or_else(|| self.names.actions.get_index_of(plain));
        let longer = self.names.actions.keys().find(|name| name.strip_prefix(plain).is_some_and(|rest| rest.starts_with('_')));
        let problem = match action {
            Some(_) if let Some(help) = self.suggest_acting_player(call) => {
                self.report(problem.help(help));
                return;
            }
            Some(action) if usage(self.names, action).is_some_and(|usage| !usage.contains(' ')) => problem
                .help(format!("`{plain}` stands alone; `fizzle explain --list actions` lists the actions that take objects")),
            Some(action) => problem.help(self.describe_call(ActionId(action as u32))),
            None => problem,
        };
        self.report(match longer.and_then(|name| usage(self.names, self.names.actions.get_index_of(name)?)) {
            Some(other) => problem.help(format!("another action is {other}")),
            None => problem,
        });
    }

    /// Describes how an action is called, for messages.
    fn describe_call(&self, action: ActionId) -> String {
        usage(self.names, action.index()).map_or_else(String::new, |usage| format!("write {usage}"))
    }

    fn fill_preposition(
        &mut self,
        call: &'a Call,
        action: ActionId,
        word: &'a Name,
        expr: &'a Expr,
        slots: &mut OperandSlots,
        position: &mut Option<i64>,
    ) {
        if slots.is_refused {
            return;
        }
        let slot = if let Some(verb) = VERBS.get(action.index()) {
            if action.0 == ATTACH && word.text == "under" {
                let below = verb.params.iter().position(|param| param.name == "below");
                if let Some(below) = below {
                    let yes = self.constant(1, Type::Bool);
                    slots.values[below] = Some(TypedRegister::new(yes, Type::Bool));
                }
            }
            verb.params.iter().position(|param| param.prepositions.contains(&word.text.as_str()))
        } else if word.text == "by" {
            let free =
                |ty: Type| slots.params.iter().zip(&slots.values).position(|((_, found), value)| *found == ty && value.is_none());
            match slots.params.first() {
                _ if slots.doer.is_some() => slots.doer,
                Some((_, Type::Player)) => Some(0),
                _ => free(Type::Player),
            }
        } else {
            let player_first = matches!(slots.params.first(), Some((_, Type::Player | Type::Players)));
            if player_first
                && slots.values.first().is_some_and(Option::is_none)
                && call.subject.is_none()
                && !call.operands.is_empty()
            {
                slots.values[0] = Some(self.implied_player(call));
            }
            slots.values.iter().position(Option::is_none)
        };
        match slot {
            Some(slot) => {
                let it = self.fun().it;
                if slots.params.get(slot).is_some_and(|(_, ty)| *ty == Type::Zone) {
                    self.bind_it_for_zone(call, slots);
                }
                if let Some((zone, place)) = self.end_of_zone(expr) {
                    *position = Some(place);
                    let value = self.atom(&zone, Some(Type::Zone));
                    self.fill_value(slot, value, expr, slots);
                } else {
                    self.fill(slot, expr, slots);
                }
                self.fun().it = it;
            }
            None => {
                let with = self.sources.slice(Span { end: expr.span.end, ..word.span }).to_owned();
                let message = format!("`{}` does not take `{}`", call.verb.text, word.text);
                let problem = Diagnostic::new(&codes::EXTRA_OPERAND, word.span, message).also(call.verb.span, "this verb");
                let of_two = self.suggest_move_and_shuffle(call, action.index(), word, expr);
                let problem = match of_two.or_else(|| self.suggest_place_of_operand(call, word, expr)) {
                    Some(help) => problem.help(help),
                    None => problem.help(self.describe_call(action)),
                };
                self.report(
                    match slots.values.iter().all(Option::is_some)
                        && call.adverbs.is_empty()
                        && VERBS.get(action.index()).is_none()
                    {
                        true => problem.help(format!("leave `{with}` out")),
                        false => problem,
                    },
                );
            }
        }
    }

    /// For `put target X from your graveyard into ZONE`: the statement with the place of the object behind its noun.
    fn suggest_place_of_operand(&self, call: &Call, word: &Name, expr: &Expr) -> Option<String> {
        let operand = call.operands.first().filter(|_| word.text == "from" && call.operands.len() == 1)?;
        let (operand, place) = (self.sources.slice(operand.span), self.sources.slice(expr.span));
        let before = self.sources.slice(Span { end: call.verb.span.end, ..call.span });
        let behind = self.sources.slice(Span { start: expr.span.end, ..call.span }).trim_end().replace(" the ", " ");
        Some(format!("write where it is with `in`: `{before} {operand} in {place}{behind}`"))
    }

    /// `put 1 card in your hand into its owner's deck`: binds `it` in the zone to the object that was just chosen.
    fn bind_it_for_zone(&mut self, call: &'a Call, slots: &OperandSlots) {
        let chooses = call.operands.first().and_then(as_phrase).is_some_and(|phrase| phrase.quantifier.is_some());
        let direct = slots.values.iter().flatten().next();
        if let Some(value) = direct
            && chooses
            && value.ty == Some(Type::Object)
            && self.fun().it_param.is_none()
        {
            let binding = Self::binding_of(*value);
            self.set_it(binding, Type::Object);
        }
    }

    /// Returns the zone and the position of `top of your deck`, `bottom of deck of owner of it`.
    fn end_of_zone(&mut self, expr: &'a Expr) -> Option<(Atom<'a>, i64)> {
        let Phrase { quantifier: None, head: Head::Word(name), filters: posts, .. } = as_phrase(expr)? else { return None };
        let place = match name.text.as_str() {
            "top" => position::TOP,
            "bottom" => position::BOTTOM,
            _ => return None,
        };
        match self.conditions(true, posts) {
            (Some(zone), rest) if rest.is_empty() => Some((zone, place)),
            _ => None,
        }
    }

    fn fill(&mut self, slot: usize, expr: &'a Expr, slots: &mut OperandSlots) {
        let ty = slots.params[slot].1;
        let parts = alternatives(expr);
        let is_quantified = |part: &&Expr| as_phrase(part).is_some_and(|phrase| phrase.quantifier.is_some());
        if parts.len() > 1 && matches!(ty, Type::Object | Type::Thing) && parts.first().is_some_and(is_quantified) {
            self.report_split_choice(&parts);
            slots.values[slot] = Some(self.error_value());
            return;
        }
        if self.report_number_without_noun(expr, ty) || self.report_number_without_parentheses(expr, ty) {
            slots.values[slot] = Some(self.error_value());
            return;
        }
        if ty == Type::Number && (self.report_number_with_noun(expr) || self.report_word_for_number(expr)) {
            slots.values[slot] = Some(self.error_value());
            return;
        }
        let quantified = as_phrase(expr).is_some_and(|phrase| phrase.quantifier.is_some());
        let fun = self.fun();
        let before = fun.scope_player;
        if ty.is_reference() && quantified && fun.chooser.is_some() {
            (fun.scope_player, fun.scope_next_selection) = (fun.chooser, true);
        }
        if quantified && let Some(zone) = self.zone_of_slot(slot) {
            self.fun().operand_zone = Some((expr.span, zone));
        }
        let value = self.expr(expr, Some(ty));
        let fun = self.fun();
        (fun.scope_player, fun.scope_next_selection, fun.operand_zone) = (before, false, None);
        slots.was_it[slot] = is_word(expr, "it");
        self.fill_value(slot, value, expr, slots);
    }

    /// `draw piece`: reports a trait word where a number is required; it would be lowered as a set of words.
    fn report_word_for_number(&mut self, expr: &'a Expr) -> bool {
        let names = self.names;
        let Some(word) = bare_word(expr).filter(|word| self.local_type(&word.text).is_none()) else { return false };
        if !matches!(names.meanings(&word.text).first(), Some(Meaning::Word(..))) {
            return false;
        }
        let verb = self.fun().verb.and_then(|verb| names.actions.get_index(verb.index())).map(|(name, _)| name.as_str());
        let Some(verb) = verb else { return false };
        let text = &word.text;
        let message = format!("a number is needed here, but `{text}` is a word that cards print");
        let problem = Diagnostic::new(&codes::TYPE_MISMATCH, expr.span, message).label("this is a word");
        self.report(problem.help(format!("write a number: `{verb} 1`; to count them write `count of {text}`")));
        true
    }

    /// `lose 1`: reports a number where a player is required, if the game has an action whose name continues after the number.
    fn report_number_without_noun(&mut self, expr: &'a Expr, ty: Type) -> bool {
        let text = self.sources.slice(expr.span);
        if ty != Type::Player || !text.bytes().all(|byte| byte.is_ascii_digit()) {
            return false;
        }
        let names = self.names;
        let verb = self.fun().verb.and_then(|verb| names.actions.get_index(verb.index())).map(|(name, _)| name.as_str());
        let counting = names.actions.values().filter_map(split_counting_name).filter(|(first, _)| verb == Some(*first));
        let written: Vec<String> = counting.map(|(first, noun)| format!("`{first} {text} {noun}`")).collect();
        if written.is_empty() {
            return false;
        }
        let message = format!("`{text}` does not say of what");
        let problem = Diagnostic::new(&codes::TYPE_MISMATCH, expr.span, message).label("this is a number");
        self.report(problem.help(format!("write {}", written.join(" or "))));
        true
    }

    /// `destroy n creature`: reports a name of a number that counts a noun without its parentheses.
    fn report_number_without_parentheses(&mut self, expr: &'a Expr, ty: Type) -> bool {
        let Some(word) = bare_word(expr).filter(|_| ty.is_reference()) else { return false };
        if !matches!(self.local_type(&word.text), Some((Some(Type::Number), _))) {
            return false;
        }
        let behind = self.sources.text(expr.span.file).get(expr.span.end as usize..).unwrap_or("").trim_start_matches(' ');
        let noun: String = behind.chars().take_while(|letter| letter.is_alphanumeric() || *letter == '_').collect();
        let counts = matches!(noun.as_str(), "card" | "target" | "other")
            || self.names.meanings(&noun).iter().any(|meaning| matches!(meaning, Meaning::Noun | Meaning::Word(..)));
        if !counts {
            return false;
        }
        // the name is used
        self.expr(expr, None);
        let number = &word.text;
        let message = format!("`{number}` is a number: before a noun it is written in parentheses");
        let problem = Diagnostic::new(&codes::TYPE_MISMATCH, expr.span, message).label("this is a number");
        self.report(problem.help(format!("write `({number}) {noun}`")).fix(number.as_str(), format!("({number})")));
        true
    }

    /// Returns the zone that the current verb takes a parameter from, if its action declares one.
    fn zone_of_slot(&mut self, slot: usize) -> Option<Name> {
        let verb = self.fun().verb?;
        self.names.actions.get_index(verb.index())?.1.zones.get(slot)?.clone()
    }

    fn fill_value(&mut self, slot: usize, value: TypedRegister, expr: &'a Expr, slots: &mut OperandSlots) {
        let ty = slots.params[slot].1;
        let fans = match ty {
            Type::Thing => matches!(value.ty, Some(Type::Objects | Type::Players | Type::Things)),
            _ => value.ty.is_some() && ty.list() == value.ty,
        };
        if fans {
            if slots.over.is_some() {
                let text = self.sources.slice(expr.span).to_owned();
                self.report(
                    Diagnostic::new(
                        &codes::TYPE_MISMATCH,
                        expr.span,
                        format!("`{text}` is a second list, but a statement takes one"),
                    )
                    .help("write a loop for one of them: `for each x in … { … }`"),
                );
            }
            slots.over = Some(slot as u8);
            if ty == Type::Thing {
                slots.origins[slot] = Some(value);
            }
            let value = match ty.list() {
                Some(list) if value.ty != Some(list) => {
                    TypedRegister { reg: self.coerce(value, list, expr.span), list: None, ..value }
                }
                _ => value,
            };
            slots.values[slot] = Some(value);
            return;
        }
        if ty == Type::Zone && value.ty == Some(Type::Object) {
            let text = self.sources.slice(expr.span).to_owned();
            self.error(&codes::TYPE_MISMATCH, expr.span, format!("a zone is needed here, but `{text}` is an object"));
            slots.values[slot] = Some(TypedRegister { ty: None, ..value });
            return;
        }
        let reg = self.coerce(value, ty, expr.span);
        if ty == Type::Thing && reg != value.reg {
            slots.origins[slot] = Some(value);
        }
        let ty = if reg == value.reg { value.ty } else { Some(ty) };
        slots.values[slot] = Some(TypedRegister { reg, ty, ..value });
    }

    /// Lowers trailing words. For `put` and `create` they are bool statuses (returned as flags), `top`, `bottom` and `alone`; for other
    /// verbs bool parameters.
    fn adverbs(&mut self, call: &'a Call, action: ActionId, slots: &mut OperandSlots, place: &mut Option<i64>) -> i64 {
        let mut flags = 0i64;
        for adverb in &call.adverbs {
            let word = adverb.text.as_str();
            if matches!(action.0, PUT | CREATE) {
                match word {
                    "top" if action.0 == PUT => *place = Some(position::TOP),
                    "bottom" if action.0 == PUT => *place = Some(position::BOTTOM),
                    "alone" if action.0 == PUT => {
                        let slot = slots.params.iter().position(|(name, _)| name == "alone");
                        let yes = self.constant(1, Type::Bool);
                        if let Some(value) = slot.and_then(|slot| slots.values.get_mut(slot)) {
                            *value = Some(TypedRegister::new(yes, Type::Bool));
                        }
                    }
                    _ => flags |= self.arrival_flag(adverb, if action.0 == PUT { &["top", "bottom", "alone"] } else { &[] }),
                }
                continue;
            }
            let param = slots.params.iter().position(|(name, ty)| name == word && *ty == Type::Bool);
            match param {
                Some(slot) => {
                    let yes = self.constant(1, Type::Bool);
                    slots.values[slot] = Some(TypedRegister::new(yes, Type::Bool));
                }
                None => {
                    let known: Vec<SmolStr> =
                        slots.params.iter().filter(|(_, ty)| *ty == Type::Bool).map(|(name, _)| name.clone()).collect();
                    let known: Vec<&str> = known.iter().map(SmolStr::as_str).collect();
                    self.report_bad_adverb(adverb, &known);
                }
            }
        }
        flags
    }

    /// Returns the flag of a bool status that is set on arrival; a game can use 32. `others` are other words that are valid here, for
    /// suggestions.
    pub fn arrival_flag(&mut self, adverb: &Name, others: &[&'static str]) -> i64 {
        let is_bool = |n: u16| self.names.types[1].get(usize::from(n)) == Some(&Type::Bool);
        let status = self.names.meanings(&adverb.text).iter().find_map(|meaning| match meaning {
            Meaning::Status(n) if is_bool(*n) => Some(*n),
            _ => None,
        });
        let Some(status) = status else {
            let names = self.names;
            let statuses = names.statuses.iter().zip(&names.types[1]).filter(|(_, ty)| **ty == Type::Bool);
            let known: Vec<&str> = statuses.map(|(status, _)| status.name.text.as_str()).chain(others.iter().copied()).collect();
            self.report_bad_adverb(adverb, &known);
            return 0;
        };
        let known = self.library.arrival_statuses.iter().position(|known| *known == status);
        let bit = known.unwrap_or_else(|| {
            self.library.arrival_statuses.push(status);
            self.library.arrival_statuses.len() - 1
        });
        if bit >= 32 {
            self.error(&codes::LIMIT, adverb.span, "at most 32 statuses of a game can be set on arrival");
        }
        1i64 << bit.min(31)
    }

    /// Reports a trailing word without a meaning.
    pub fn report_bad_adverb(&mut self, adverb: &Name, known: &[&str]) {
        // The word directly before was reported already, and this one belongs to it.
        let last = self.diagnostics.last().filter(|problem| problem.is_error() && problem.span.file == adverb.span.file);
        // The article directly before was reported.
        let belongs_to = |earlier: &Diagnostic| {
            earlier.span.file == adverb.span.file
                && earlier.span.end <= adverb.span.start
                && matches!(self.sources.slice(earlier.span), "the" | "a" | "an")
                && self.sources.slice(Span { start: earlier.span.end, end: adverb.span.start, ..adverb.span }).trim().is_empty()
        };
        if self.diagnostics.iter().rev().take(MAX_RECENT_REPORTS).any(belongs_to) {
            return;
        }
        if let Some(earlier) = last
            && earlier.span.end <= adverb.span.start
            && self
                .sources
                .slice(fizzle_grammar::ast::Span { start: earlier.span.end, end: adverb.span.start, ..adverb.span })
                .split_whitespace()
                .all(|word| matches!(word, "on" | "the" | "a" | "an"))
        {
            return;
        }
        let known: Vec<&str> = known.iter().copied().filter(|word| !word.starts_with('_')).collect();
        let known = known.as_slice();
        let mut problem =
            Diagnostic::new(&codes::BAD_ADVERB, adverb.span, format!("`{}` has no meaning after this verb", adverb.text))
                .did_you_mean(&adverb.text, known.iter().copied());
        if matches!(adverb.text.as_str(), "the" | "a" | "an") {
            problem.help = vec![format!("leave `{}` out before a zone or a name", adverb.text)];
            problem.fixes.clear();
        }
        if adverb.text == "on" {
            problem.help = vec!["write `in` for where something is: `1 card in ZONE`".to_owned()];
            problem.fixes.clear();
        }
        if let Some(help) = self.suggest_one_noun(adverb) {
            (problem.help, problem.fixes) = (vec![help], Vec::new());
        }
        if problem.help.is_empty() && !known.is_empty() {
            let list = known.iter().take(MAX_WORDS_LISTED).map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ");
            let more = if known.len() > MAX_WORDS_LISTED { ", …" } else { "" };
            problem = problem.help(format!("it can be one of {list}{more}"));
        }
        let problem = problem.or_help(format!("leave `{}` out", adverb.text));
        self.report(problem);
    }

    /// The player of the text; where it has none, as in a rule, the active player. A player who is named and is no player does nothing.
    pub(super) fn player_of_text(&mut self) -> Reg {
        let is_in_card = self.funs.iter().rev().find_map(|fun| fun.context) == Some(true);
        if is_in_card {
            return 1;
        }
        let missing = self.constant(NO_PLAYER, Type::Player);
        let is_missing = self.binary(Binary::Equal, 1, missing, Type::Bool);
        let dst = self.reg(Type::Player);
        self.emit(Op::Copy { dst, src: 1 });
        let there = self.jump_unless(is_missing);
        self.emit(Op::ActivePlayer { dst });
        self.patch_jump(there);
        dst
    }

    fn arguments(
        &mut self,
        call: &'a Call,
        action: ActionId,
        slots: &mut OperandSlots,
        place: Option<i64>,
        flags: i64,
    ) -> Vec<Reg> {
        let mut args = Vec::new();
        for index in 0..slots.params.len() {
            let (name, ty) = slots.params[index].clone();
            if let Some(value) = slots.values[index] {
                args.push(value.reg);
                continue;
            }
            let default = VERBS.get(action.index()).and_then(|verb| verb.params.get(index)).map(|param| param.default);
            let reg = match default {
                _ if action.0 == PUT && name == "position" => self.constant(place.unwrap_or(position::TOP), ty),
                _ if matches!(action.0, PUT | CREATE) && name == "flags" => self.constant(flags, ty),
                _ if action.0 == CREATE && name == "text" => self.created_words(call),
                Some(OperandDefault::Value(value)) => self.constant(value, ty),
                Some(OperandDefault::You) => self.player_of_text(),
                Some(OperandDefault::Machine) => self.constant(-1, ty),
                None if slots.doer == Some(index) => {
                    let this = self.this(call.verb.span);
                    this.reg
                }
                None if ty == Type::Player && index == 0 => self.implied_player(call).reg,
                None if ty == Type::Bool => self.constant(0, ty),
                Some(OperandDefault::Required) | None => {
                    let needed = self.a_type(ty);
                    let mut problem = Diagnostic::new(
                        &codes::MISSING_OPERAND,
                        call.span,
                        format!("`{}` lacks its `{name}`, {needed}", call.verb.text),
                    );
                    if let Some((_, signature)) = self.names.actions.get_index(action.index())
                        && signature.span.end > 0
                    {
                        problem = problem.also(signature.span, "declared here");
                    }
                    if action.0 == PUT {
                        problem = problem.help("write `put X into ZONE`");
                    } else if action.0 == CREATE
                        && let Some(help) = self.suggest_created(call)
                    {
                        problem = problem.help(help);
                    } else if self.counting_action(call).is_some() && call.prepositions.is_empty() {
                        let text = self.sources.slice(call.span).to_owned();
                        problem = problem.help(format!("write it after the number: `{text} to …`"));
                    } else {
                        problem = problem.help(self.describe_call(action));
                    }
                    self.report(problem);
                    0
                }
            };
            args.push(reg);
        }
        args
    }
}

/// Whether an expression requires a decision, is random, or mentions the player of an `each player` statement.
fn asks_player(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Binary { left, right, .. } | ExprKind::Is { left, right, .. } => asks_player(left) || asks_player(right),
        ExprKind::Not(inner) | ExprKind::Negative(inner) => asks_player(inner),
        ExprKind::Has { left, .. } => asks_player(left),
        ExprKind::Shares { left, right, .. } => asks_player(left) || asks_player(right),
        ExprKind::Can { left, object, .. } => asks_player(left) || object.as_deref().is_some_and(asks_player),
        ExprKind::If { condition, then, otherwise } => asks_player(condition) || asks_player(then) || asks_player(otherwise),
        ExprKind::Aggregate { over, .. } => asks_player(over),
        // Each player gets a separate number.
        ExprKind::RandomNumber { .. } => true,
        ExprKind::Phrase(phrase) => {
            let choice = match &phrase.quantifier {
                None | Some(Quantifier::Each | Quantifier::Some | Quantifier::No) => false,
                Some(Quantifier::Top(_) | Quantifier::Bottom(_)) => false,
                Some(_) => true,
            };
            let head = match &phrase.head {
                Head::Word(name) => name.text == "player",
                Head::Group(inner) => asks_player(inner),
                Head::List(items) => items.iter().any(asks_player),
                Head::Call { args, .. } => args.iter().any(asks_player),
                Head::Possessive { owner, .. } => asks_player(owner),
                _ => false,
            };
            choice
                || head
                || phrase.filters.iter().any(|post| match &post.kind {
                    PhraseFilterKind::Of(expr)
                    | PhraseFilterKind::In(expr)
                    | PhraseFilterKind::With(expr)
                    | PhraseFilterKind::That(expr) => asks_player(expr),
                    PhraseFilterKind::ThatIs { what, .. } => asks_player(what),
                    PhraseFilterKind::Total(total) => asks_player(&total.amount),
                    PhraseFilterKind::Without(_) | PhraseFilterKind::ThatHas(_) => false,
                })
        }
    }
}

/// Suggests a comparison for `creature with 2000 or less` (`text`) that is followed by `power` (`behind`).
pub(super) fn suggest_comparison(text: &str, behind: &str) -> Option<String> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let at = words.iter().position(|word| *word == "or")?;
    let number = words.get(at.checked_sub(1)?).filter(|word| word.bytes().all(|byte| byte.is_ascii_digit()))?;
    let behind = Some(behind).filter(|behind| !behind.is_empty());
    let property = words.get(at + 2).copied().or(behind).unwrap_or("PROPERTY");
    let how = match *words.get(at + 1)? {
        "less" | "fewer" | "lower" => "<=",
        "more" | "greater" | "higher" => ">=",
        _ => return None,
    };
    Some(format!("compare it: `with {property} {how} {number}`"))
}
