//! Lowers plays, activated abilities, cost options and payments (CR 118, 601, 602).

use super::Lowering;
use super::cost::CostParts;
use super::function_builder::{Binding, ItBinding};
use crate::diagnostics::{Diagnostic, codes};
use fizzle_grammar::ast::{
    Block, Expr, Name, Payment as WrittenPayment, PaymentClause as WrittenPaymentClause, Play as WrittenPlay, Span, TypeRef,
};
use fizzle_ir::{
    AbilityKind, ChoiceSiteId, FnId, Op, Payment, PaymentClause, PaymentId, Place, Play, Reg, RestrictedPool, TraitSetId, Type,
};

/// The name in conditions of clauses and restricted pools for whether an ability of the object is used.
const FOR_ABILITY: &str = "for_ability";

impl<'a> Lowering<'a> {
    /// Lowers a play of the game, once; formats that share it get the same code.
    pub fn play(&mut self, play: &'a WrittenPlay) -> Play {
        let key = std::ptr::from_ref(play) as usize;
        if let Some(known) = self.plays.get(&key) {
            return known.clone();
        }
        self.begin_context(false);
        let lowered = self.play_in_context(play, false);
        self.end_context();
        self.plays.insert(key, lowered.clone());
        lowered
    }

    /// The classes of a play, with those of plays that are its classes: a window for a class is one for all of them.
    fn classes_of(&self, play: &WrittenPlay) -> Vec<String> {
        let mut found: Vec<String> = play.classes.iter().map(|class| class.text.to_string()).collect();
        let mut next = 0;
        while let Some(name) = found.get(next).cloned() {
            for class in self.names.plays.get(name.as_str()).into_iter().flat_map(|play| &play.classes) {
                if !found.iter().any(|known| class.text == known.as_str()) {
                    found.push(class.text.to_string());
                }
            }
            next += 1;
        }
        found
    }

    /// Lowers a play, or the play of an activated ability, within a context.
    pub fn play_in_context(&mut self, play: &'a WrittenPlay, activated: bool) -> Play {
        let name = play.name.as_ref().map_or_else(|| "activate".to_owned(), |name| name.text.to_string());
        let mut lowered = Play {
            name,
            immediate: play.immediate,
            during_payment: play.during_payment,
            source: self.sources.source(play.span),
            ..Play::default()
        };
        lowered.classes = self.classes_of(play);
        for from in &play.from {
            match from.text.as_str() {
                "nowhere" => lowered.nowhere = true,
                "field" if self.names.zone_id("field").is_none() => match self.library.zones.iter().position(|zone| zone.field) {
                    Some(field) => lowered.from.push(fizzle_ir::ZoneKindId(field as u32)),
                    None => self.error(&codes::MISSING_PART, from.span, "no zone is the field"),
                },
                word => match self.names.zone_id(word) {
                    Some(zone) => lowered.from.push(zone),
                    None => self.report_unknown_zone(from),
                },
            }
        }
        if lowered.nowhere && !play.immediate && !activated {
            self.report(
                Diagnostic::new(&codes::MISSING_OPERAND, play.span, "a play without an object cannot wait on the list")
                    .help("write `immediately`"),
            );
        }
        if play.from.is_empty() && !activated && play.params.len() < 2 {
            self.report(
                Diagnostic::new(&codes::MISSING_OPERAND, play.span, "this play does not say from which zone its objects come")
                    .help("write `from ZONE`, `from field` or `from nowhere`; only a play with a second parameter, which effects use, needs no zone"),
            );
        }
        lowered.announced = play.announced.as_ref().and_then(|status| self.announced_status(status, play, activated));
        let mark = self.fun().locals.len();
        if let Some(param) = play.params.first() {
            self.bind(&param.name, Some(Type::Object), Binding::Reg(0));
            if let Some(local) = self.fun().locals.last_mut() {
                local.warn_if_unused = false;
            }
        }
        lowered.object_filter = play.params.first().and_then(|param| self.object_filter(&param.ty));
        for param in play.params.iter().skip(1) {
            let ty = self.extra_type(&param.ty);
            let reg = self.extra_register(ty);
            lowered.extra_params.push(ty);
            self.bind(&param.name, Some(ty), Binding::Reg(reg));
        }
        lowered.effect_params = lowered.extra_params.len() as u16;
        if let Some(values) = &play.numbers {
            self.first_value.get_or_insert(values.span);
        }
        // All functions of the play know the names of announced numbers. The names of the cost are known only after it is paid.
        let values = play.numbers.as_ref().map(|values| self.block_with_results(values, &mut lowered.extra_params, false));
        let cost = play.cost.as_ref().map(|cost| self.block_with_results(cost, &mut lowered.extra_params, true));
        let extras: Vec<Reg> = (2..2 + lowered.extra_params.len() as Reg).collect();
        if !lowered.nowhere {
            self.set_it(Binding::Reg(0), Type::Object);
        }
        lowered.condition = play.condition.as_ref().map(|condition| self.play_value(condition, Type::Bool, &extras));
        if let Some(price) = &play.price {
            if activated && !play.from_keyword {
                self.report_chosen_symbol(price, true);
            }
            lowered.price = Some(self.play_value(price, Type::Price, &extras));
            if self.names.payments.is_empty() {
                self.report_no_payment(price.span);
            }
        }
        lowered.price_condition = play.price_condition.as_ref().map(|usual| self.play_value(usual, Type::Bool, &extras));
        lowered.limit = play.limit.as_ref().and_then(|limit| self.limit(limit));
        lowered.payment = PaymentId(0);
        if let Some(values) = values {
            lowered.numbers = Some(self.close(values, &extras));
        }
        if let Some(mut cost) = cost {
            let conditions = self.taken_card_conditions(&mut cost, &[]);
            let parts = CostParts::of(&cost, conditions);
            let cost = self.close(cost, &extras);
            lowered.cost = Some(cost);
            lowered.cost_possible = self.cost_possible(cost, parts);
        }
        // An ability that only adds units produces them, if its cost allows that (CR 605.1a).
        let added = if activated && play.produces.is_none() { self.only_added_units(play) } else { None };
        let added = added.filter(|_| self.can_produce(play, &lowered));
        if let Some((price, pool)) = play.produces.as_ref().map(|price| (price, 0)).or(added) {
            if added.is_none() && !(activated && play.body.statements.is_empty() && self.can_produce(play, &lowered)) {
                self.report_cannot_produce(price.span);
            }
            self.produced_units(price, pool, &mut lowered, &extras);
            self.leave_scope(mark);
            self.fun().it = ItBinding::None;
            return lowered;
        }
        if activated && play.body.statements.is_empty() {
            self.report(
                Diagnostic::new(&codes::MISSING_OPERAND, play.span, "this activated ability has no effect")
                    .help("write what it does: `activated { … does { … } }`, or the units that it produces: `produces PRICE`")
                    // The effect may be what could not be parsed.
                    .for_whole_item(self.owner.span),
            );
        }
        let (body, sites, carries_out) = self.play_block(&play.body, &extras);
        lowered.body = body;
        lowered.runs_text = carries_out;
        if activated && !play.from_keyword && self.adds_without_target(body, &sites) {
            (lowered.during_payment, lowered.immediate) = (true, true);
        }
        self.leave_scope(mark);
        self.fun().it = ItBinding::None;
        lowered
    }

    /// Lowers `announced STATUS`: a bool status that the object has from the announcement on.
    fn announced_status(&mut self, status: &Name, play: &WrittenPlay, activated: bool) -> Option<u16> {
        if activated || play.immediate || play.from.iter().any(|from| from.text == "nowhere") {
            self.report_not_here(
                status.span,
                "only a play whose object waits on the list can write `announced`",
                "leave `announced` out",
            );
        }
        self.status_named(status, &[Type::Bool], "is not a status of type `bool`").map(|(number, _)| number)
    }

    /// Finds a status that has one of the given types. Reports it otherwise.
    fn status_named(&mut self, status: &Name, types: &[Type], otherwise: &str) -> Option<(u16, Type)> {
        let number = self.names.meanings(&status.text).iter().find_map(|meaning| match meaning {
            crate::names::Meaning::Status(number) => Some(*number),
            _ => None,
        });
        let ty = number.and_then(|number| self.names.types[1].get(usize::from(number)).copied());
        let found = number.zip(ty).filter(|(_, ty)| types.contains(ty));
        if found.is_none() {
            let known: Vec<&str> = self.names.statuses.iter().map(|status| status.name.text.as_str()).collect();
            self.report(
                Diagnostic::new(&codes::UNKNOWN_NAME, status.span, format!("`{}` {otherwise}", status.text))
                    .did_you_mean(&status.text, known)
                    .help(format!("declare one: `status {}: bool`", status.text)),
            );
        }
        found
    }

    /// Whether an activated ability adds units and has no target: then it can be used while a price is paid (CR 605.1a).
    fn adds_without_target(&self, body: FnId, sites: &[ChoiceSiteId]) -> bool {
        let ops = self.library.functions.get(body.index()).map_or(&[][..], |body| body.ops.as_slice());
        let has_target = |id: &ChoiceSiteId| self.library.sites.get(id.index()).is_some_and(|site| site.target);
        ops.iter().any(|op| matches!(op, Op::AddToPool { .. })) && !sites.iter().any(has_target)
    }

    /// Whether the cost of an ability concerns its own object alone, so that it can be used without a decision while a price is paid.
    fn can_produce(&self, play: &WrittenPlay, lowered: &Play) -> bool {
        let cost = lowered.cost.and_then(|cost| self.library.functions.get(cost.index()));
        let alone = cost.is_none_or(|cost| {
            cost.ops.iter().all(|op| match op {
                Op::Propose { events, .. } => {
                    events.iter().all(|event| event.args.iter().all(|arg| *arg != 1) && event.over.is_none())
                }
                op => {
                    !matches!(op, Op::Choose { .. } | Op::JumpUnless { .. } | Op::Write { .. } | Op::Pay { .. } | Op::Ask { .. })
                }
            })
        });
        alone && play.price.is_none() && play.limit.is_none() && play.numbers.is_none()
    }

    fn report_cannot_produce(&mut self, span: Span) {
        self.report(
            Diagnostic::new(
                &codes::MISPLACED_FORM,
                span,
                "only an activated ability whose cost concerns its own object alone can write `produces`",
            )
            .help(
                "it has no price, limit, numbers or `does`; otherwise write what it adds as a statement: `{1}, {T}: add {R}{R}`",
            ),
        );
    }

    /// Lowers an activated ability that produces units for a pool or for the price that is being paid.
    fn produced_units(&mut self, price: &'a Expr, pool: u16, lowered: &mut Play, extras: &[Reg]) {
        lowered.produces = Some(self.play_value(price, Type::Price, extras));
        lowered.pool = pool;
        (lowered.during_payment, lowered.immediate) = (true, true);
        if self.names.payments.is_empty() {
            self.report(
                Diagnostic::new(&codes::MISSING_PART, price.span, "no payment is declared for prices")
                    .help("declare one: `payment NAME of TRAITS { … }`"),
            );
        }
        self.begin_child(false, None);
        let value = self.expr(price, Some(Type::Price));
        let units = self.coerce(value, Type::Price, price.span);
        self.emit(Op::AddToPool { player: 1, units, pool });
        let child = self.end_child();
        lowered.body = self.close(child, extras);
    }

    /// Lowers an additional or alternative (`instead`) cost of a card: its condition, price and cost.
    pub fn option(&mut self, status: &'a Name, instead: bool, play: &'a WrittenPlay) -> Option<AbilityKind> {
        self.first_value.get_or_insert(play.span);
        let types = [Type::Bool, Type::Number];
        let (number, ty) = self.status_named(status, &types, "is not a status that can record the payment of this cost")?;
        if ty == Type::Number && (instead || play.cost.is_some()) {
            self.report_not_here(
                status.span,
                "a cost that can be paid several times has only a price",
                "write a status of type `bool`",
            );
        }
        let extra = !play.from.is_empty()
            || play.immediate
            || play.during_payment
            || !play.classes.is_empty()
            || play.limit.is_some()
            || play.announced.is_some();
        if extra
            || !play.body.statements.is_empty()
            || play.numbers.is_some()
            || play.produces.is_some()
            || play.price_condition.is_some()
        {
            self.report_not_here(
                play.span,
                "an additional or alternative cost contains only `when`, `price` and `cost`",
                "write the rest in the text that reads the status",
            );
        }
        self.set_it(Binding::Reg(0), Type::Object);
        let condition = play.condition.as_ref().map(|condition| self.play_value(condition, Type::Bool, &[]));
        if let Some(price) = play.price.as_ref().filter(|_| self.names.payments.is_empty()) {
            self.report_no_payment(price.span);
        }
        let price = play.price.as_ref().map(|price| self.play_value(price, Type::Price, &[]));
        let (mut cost, mut possible) = (None, None);
        if let Some(block) = &play.cost {
            (cost, possible) = {
                let (cost, possible) = self.cost_block(block);
                (Some(cost), possible)
            };
        }
        self.fun().it = ItBinding::None;
        let mut site = self.new_site(status.span, 0);
        (site.optional, site.text) = (true, if instead { format!("{} instead", status.text) } else { status.text.to_string() });
        let site_id = ChoiceSiteId(self.library.sites.len() as u32);
        self.choice_spans.insert(site_id.0, status.span);
        self.library.sites.push(site);
        Some(AbilityKind::CostOption { status: number, instead, site: site_id, condition, price, cost, possible })
    }

    /// Lowers the type of a play's parameter as a filter of objects. `object` accepts every object and has no filter.
    fn object_filter(&mut self, ty: &'a TypeRef) -> Option<FnId> {
        let word = ty.name.text.as_str();
        if ty.list || !self.is_noun(word) || word == "player" {
            if ty.list || word != "object" {
                let names = self.names;
                let known = names.words.keys().map(smol_str::SmolStr::as_str).chain(["object", "card"]);
                let problem = Diagnostic::new(&codes::UNKNOWN_TYPE, ty.name.span, format!("`{word}` is not a kind of object"))
                    .did_you_mean(word, known)
                    .help("the type of a play's parameter is `object`, `card`, a trait word or a noun");
                self.report(problem);
            }
            return None;
        }
        if word == "object" {
            return None;
        }
        self.at = ty.name.span;
        self.begin_child(true, Some(Type::Bool));
        let mut selection = super::selection::Selection::default();
        let holds = match self.select_word(&ty.name, None, &mut selection) {
            Some(()) => self.passes(&selection, 0, Type::Object),
            None => 0,
        };
        self.emit(Op::Return { value: Some(holds) });
        let child = self.end_child();
        Some(self.close(child, &[]))
    }

    /// Returns the type of a further parameter, which must be a single value.
    fn extra_type(&mut self, ty: &'a TypeRef) -> Type {
        match ty.name.text.as_str() {
            _ if ty.list => {}
            "player" => return Type::Player,
            "number" => return Type::Number,
            "bool" => return Type::Bool,
            "thing" => return Type::Thing,
            word if word == "object" || self.is_noun(word) => return Type::Object,
            _ => {}
        }
        let text = &ty.name.text;
        let problem = Diagnostic::new(&codes::UNKNOWN_TYPE, ty.name.span, format!("`{text}` is not the type of a single value"));
        self.report(problem.help("a further parameter is an `object`, a `player`, a `number` or a `bool`"));
        Type::Object
    }

    /// Adds a register to the context for a further argument.
    fn extra_register(&mut self, ty: Type) -> Reg {
        let reg = self.reg(ty);
        self.fun().known_on_announcement.insert(reg);
        reg
    }

    /// Lowers the announced numbers or the cost (`paid`) of a play. Single values that it names are stored with the announcement, as further
    /// parameters (`extras`) of all functions of the play.
    fn block_with_results(
        &mut self,
        cost: &'a Block,
        extras: &mut Vec<Type>,
        paid: bool,
    ) -> super::function_builder::FunctionBuilder {
        self.begin_child(false, None);
        self.statements_without_scope(&cost.statements.iter().collect::<Vec<_>>());
        let named: Vec<super::function_builder::Local> = self.fun().locals.clone();
        let mut kept = Vec::new();
        for local in named.iter().filter(|local| local.warn_if_unused && local.ty.is_some_and(|ty| !ty.is_list())) {
            let (Some(ty), Some(value)) = (local.ty, self.local(&local.name)) else { continue };
            self.emit(Op::StoreCostResult { slot: extras.len() as u16, src: value.reg });
            extras.push(ty);
            kept.push((local.clone(), ty, value.is_moved));
        }
        let child = self.end_child();
        for (local, ty, is_moved) in kept {
            let reg = self.extra_register(ty);
            let fun = self.fun();
            if is_moved {
                fun.moved.insert(reg);
            }
            if paid {
                fun.cost_results.insert(reg);
            }
            fun.locals.push(super::function_builder::Local { ty: Some(ty), binding: Binding::Reg(reg), ..local });
        }
        child
    }

    fn play_value(&mut self, expr: &'a Expr, ty: Type, extras: &[Reg]) -> FnId {
        self.at = expr.span;
        self.begin_child(true, Some(ty));
        let value = self.expr(expr, Some(ty));
        let value = self.coerce(value, ty, expr.span);
        self.emit(Op::Return { value: Some(value) });
        let child = self.end_child();
        let kept = self.fun().cost_results.clone();
        if child.captures.iter().any(|(outer, _)| kept.contains(outer)) {
            let text = self.sources.slice(expr.span).to_owned();
            self.report_not_here(
                expr.span,
                &format!("`{text}` uses a name of the cost, which is bound only when the cost is paid"),
                "use only the object and the player, or pay it in the cost",
            );
        }
        self.close(child, extras)
    }

    fn play_block(&mut self, block: &'a Block, extras: &[Reg]) -> (FnId, Vec<ChoiceSiteId>, bool) {
        self.begin_child(false, None);
        self.block(block);
        let child = self.end_child();
        let (sites, carries_out) = (child.sites.clone(), child.runs_text);
        (self.close(child, extras), sites, carries_out)
    }

    /// Returns a play that is never offered, for a format that lacks it.
    pub fn absent_play(&mut self, name: &str) -> Play {
        self.begin_context(true);
        self.begin_child(true, Some(Type::Bool));
        let no = self.constant(0, Type::Bool);
        self.emit(Op::Return { value: Some(no) });
        let child = self.end_child();
        let condition = self.close(child, &[]);
        self.begin_child(false, None);
        let child = self.end_child();
        let body = self.close(child, &[]);
        self.end_context();
        Play { name: name.to_owned(), condition: Some(condition), body, ..Play::default() }
    }

    /// Lowers a payment, once; formats that share it get the same code.
    pub fn payment(&mut self, payment: &'a WrittenPayment) -> Payment {
        let key = std::ptr::from_ref(payment) as usize;
        if let Some(known) = self.payments.get(&key) {
            return known.clone();
        }
        let kinds = match self.names.traits_id(&payment.kinds.text) {
            Some(kinds) => kinds,
            None => {
                let known: Vec<&str> = self.names.traits.iter().map(|set| set.name.as_str()).collect();
                let problem = Diagnostic::new(
                    &codes::UNKNOWN_NAME,
                    payment.kinds.span,
                    format!("no traits item is called `{}`", payment.kinds.text),
                )
                .did_you_mean(&payment.kinds.text, known);
                self.report(problem);
                TraitSetId(0)
            }
        };
        let clauses = payment.clauses.iter().map(|clause| self.payment_clause(clause, kinds)).collect();
        let pool = payment.pool.as_ref().map_or_else(Vec::new, |prefix| self.pool(prefix, &payment.except, kinds));
        let (restricted, symbols) = (self.restricted_pools(kinds), self.kind_symbols(kinds));
        let lowered = Payment { name: payment.name.text.to_string(), kinds, clauses, pool, restricted, symbols };
        self.payments.insert(key, lowered.clone());
        lowered
    }

    /// The pools whose units pay only for some objects.
    fn restricted_pools(&mut self, kinds: TraitSetId) -> Vec<RestrictedPool> {
        let names = self.names;
        let set = names.traits.get(kinds.index()).map_or("", |set| set.name.as_str());
        let mut pools = Vec::new();
        for (name, pool) in &names.pools {
            self.begin_context(false);
            let condition = self.payment_condition(&pool.condition);
            self.end_context();
            match self.keyed_place(name, Type::Player) {
                Some((Place::Player(variable), traits)) if traits == kinds => pools.push(RestrictedPool { condition, variable }),
                _ => {
                    let message = format!("`{name}` is no number of a player for each of `{set}`");
                    let problem = Diagnostic::new(&codes::UNKNOWN_NAME, pool.name.span, message);
                    self.report(problem.help(format!("declare it: `player {name}: number for each {set}`")));
                }
            }
        }
        pools
    }

    /// Lowers a condition of a payment. Parameters: the object that is paid for, the payer, whether an ability of the object is used.
    fn payment_condition(&mut self, condition: &'a Expr) -> FnId {
        self.at = condition.span;
        self.begin_child(true, Some(Type::Bool));
        let flag = self.trailing_param(Type::Bool);
        self.bind(&Name { text: FOR_ABILITY.into(), span: Span::default() }, Some(Type::Bool), Binding::Reg(flag));
        if let Some(local) = self.fun().locals.last_mut() {
            local.warn_if_unused = false;
        }
        let value = self.expr(condition, Some(Type::Bool));
        let value = self.coerce(value, Type::Bool, condition.span);
        self.emit(Op::Return { value: Some(value) });
        let child = self.end_child();
        self.close(child, &[])
    }

    fn payment_clause(&mut self, clause: &'a WrittenPaymentClause, kinds: TraitSetId) -> PaymentClause {
        self.begin_context(false);
        let condition = clause.condition.as_ref().map(|condition| self.payment_condition(condition));
        self.at = clause.from.span;
        self.begin_child(true, Some(Type::Objects));
        let list = self.list_of(&clause.from);
        let list = self.coerce(list, Type::Objects, clause.from.span);
        self.emit(Op::Return { value: Some(list) });
        let child = self.end_child();
        let producers = self.close(child, &[]);
        let words = if self.guess(&clause.produces) == Some(Type::Price) { Type::Price } else { Type::Words(kinds) };
        let produces = self.producer_value(&clause.produces, words);
        let times = clause.times.as_ref().map(|times| self.producer_value(times, Type::Number));
        self.end_context();

        self.begin_context(false);
        self.set_it(Binding::Reg(0), Type::Object);
        let (by, _, _) = self.play_block(&clause.by, &[]);
        self.end_context();
        PaymentClause { condition, producers, produces, times, by }
    }

    /// Lowers a value of a producer. Parameters: the object that is paid for, the payer, the producer.
    fn producer_value(&mut self, expr: &'a Expr, ty: Type) -> FnId {
        self.at = expr.span;
        self.begin_child(true, Some(ty));
        let producer = self.trailing_param(Type::Object);
        self.fun().candidate = Some(super::function_builder::Candidate::new(producer, Type::Object));
        self.fun().it = ItBinding::Bound(Binding::Reg(producer), Type::Object);
        let value = self.expr(expr, Some(ty));
        let value = self.coerce(value, ty, expr.span);
        self.emit(Op::Return { value: Some(value) });
        let child = self.end_child();
        self.close(child, &[])
    }

    /// Finds the player variables `PREFIX_<kind>` of a pool; `except` are kinds without one.
    fn pool(&mut self, prefix: &Name, except: &[Name], kinds: TraitSetId) -> Vec<Option<u16>> {
        let words: Vec<String> =
            self.words.get(kinds.index()).map(|words| words.keys().map(ToString::to_string).collect()).unwrap_or_default();
        for name in except.iter().filter(|name| !words.iter().any(|word| *word == name.text.as_str())) {
            let known: Vec<&str> = words.iter().map(String::as_str).collect();
            let problem =
                Diagnostic::new(&codes::UNKNOWN_NAME, name.span, format!("`{}` is not a kind of this payment", name.text));
            self.report(problem.did_you_mean(&name.text, known));
        }
        let mut pool = Vec::new();
        for word in words {
            if except.iter().any(|name| word == name.text.as_str()) {
                pool.push(None);
                continue;
            }
            let name = format!("{}_{word}", prefix.text);
            match self.names.players.iter().position(|variable| variable.name.text == name) {
                Some(number) => pool.push(Some(number as u16)),
                None => self.report(
                    Diagnostic::new(&codes::UNKNOWN_NAME, prefix.span, format!("no player variable is called `{name}`"))
                        .help(format!("declare it: `player {name}: number = 0`")),
                ),
            }
        }
        pool
    }
}
