//! Lowers `create RELATION(X, Y)`: creates the object of a relationship, and writes what it relates.

use super::{Lowering, TypedRegister};
use crate::diagnostics::word_suggestions::{is_or_are, value_count};
use crate::diagnostics::{Diagnostic, codes};
use crate::phrase_syntax::as_phrase;
use crate::relation_zones;
use crate::verb_forms::is_third_person_of;
use fizzle_grammar::ast::{Call, Expr, Head, Relation};
use fizzle_ir::op::{ChosenBy, EventProposal, Place, WriteMode};
use fizzle_ir::verbs::CREATE;
use fizzle_ir::{ActionId, Op, Reg, Type};

/// The definition of relationships: the nameless one.
const NAMELESS_DEFINITION: i64 = 0;

impl<'a> Lowering<'a> {
    /// The relation that a call creates a relationship of, with what is related.
    pub fn created_relation(&self, call: &'a Call) -> Option<(&'a Relation, &'a [Expr])> {
        let phrase = as_phrase(call.operands.first()?)?;
        let (name, related) = match &phrase.head {
            Head::Call { name, args } => (name, args.as_slice()),
            Head::Word(name) => (name, &[][..]),
            _ => return None,
        };
        let relation = self.names.relations.get(&name.text).copied()?;
        let verb = call.verb.text.as_str();
        (verb == "create" || is_third_person_of("create", verb)).then_some((relation, related))
    }

    /// Lowers `create RELATION(X, Y) as NAME`. Returns the register that holds whether it happened, if `needed`.
    pub fn create_relationship(
        &mut self,
        call: &'a Call,
        (relation, related): (&'a Relation, &'a [Expr]),
        needed: bool,
    ) -> Option<Reg> {
        let ends = relation.ends.iter().filter_map(|end| self.names.status_number(&end.name.text)).collect::<Vec<_>>();
        let values: Vec<Reg> = related.iter().zip(&ends).map(|(value, end)| self.related(value, *end)).collect();
        self.check_relationship(call, relation, related);
        let zone = self.names.zone_id(&relation_zones::zone_of(&relation.name.text))?;
        let what = self.constant(NAMELESS_DEFINITION, Type::Card);
        let place = self.reg(Type::Zone);
        self.emit(Op::ZoneOf { dst: place, zone, player: 1 });
        let zero = self.constant(0, Type::Number);
        let (model, done, out) = (self.constant(0, Type::Object), self.reg(Type::Bool), self.reg(Type::Objects));
        let owner = self.player_of_text();
        let args = vec![what, place, owner, model, zero, zero];
        let event = EventProposal { action: ActionId(CREATE), args, over: None, chosen: ChosenBy::NoPlayer };
        self.emit(Op::Propose { events: vec![event], done: Some(done), out: Some(out) });
        let created = self.first_of(out);
        self.emit(Op::BeginBatch);
        for (value, end) in values.into_iter().zip(ends) {
            self.emit(Op::Write { place: Place::Status(end), of: created, how: WriteMode::Set, value });
        }
        self.emit(Op::EndBatch { done: None, out: None });
        if let Some(name) = &call.binding {
            self.bind_value(name, TypedRegister::new(created, Type::Object));
        }
        needed.then_some(done)
    }

    /// Lowers what stands at an end of a relationship.
    fn related(&mut self, value: &'a Expr, end: u16) -> Reg {
        let ty = self.names.types[1].get(usize::from(end)).copied().unwrap_or(Type::Object);
        let found = self.expr(value, Some(ty));
        self.coerce(found, ty, value.span)
    }

    /// Reports a relationship with other values than its ends, with further words, or inside of a batch, where it does not exist yet.
    fn check_relationship(&mut self, call: &'a Call, relation: &'a Relation, related: &[Expr]) {
        let name = &relation.name;
        let ends: Vec<&str> = relation.ends.iter().map(|end| end.name.text.as_str()).collect();
        let form = format!("create {}({})", name.text, ends.join(", "));
        if related.len() != ends.len() {
            let code = if related.len() < ends.len() { &codes::MISSING_OPERAND } else { &codes::EXTRA_OPERAND };
            let message = format!("`{}` relates {}, but {} given", name.text, value_count(ends.len()), given(related.len()));
            self.report(
                Diagnostic::new(code, call.span, message).also(name.span, "declared here").help(format!("write `{form}`")),
            );
        } else if let Some((word, _)) = call.prepositions.first() {
            let problem = Diagnostic::new(&codes::EXTRA_OPERAND, word.span, format!("`{}` is in no zone", name.text));
            self.report(problem.help(format!("write `{form}` alone")));
        } else if let Some(adverb) = call.adverbs.first() {
            let message = format!("`{}` has no meaning after a relationship", adverb.text);
            let problem = Diagnostic::new(&codes::BAD_ADVERB, adverb.span, message);
            self.report(problem.help(format!("write `{form} as NAME`, then `{} of NAME = …`", adverb.text)));
        } else if call.operands.first().and_then(as_phrase).is_some_and(|phrase| phrase.quantifier.is_some()) {
            let message = format!("one statement creates one `{}`", name.text);
            let problem = Diagnostic::new(&codes::EXTRA_OPERAND, call.span, message);
            self.report(problem.help(format!("write `{form}`, or `2 times {{ {form} }}`")));
        } else if self.is_in_batch() {
            let problem =
                Diagnostic::new(&codes::MISPLACED_FORM, call.span, "a relationship cannot be created together with other events");
            self.report(problem.help("write it as a separate statement, outside of `simultaneously`"));
        }
    }

    /// Whether the statements of a batch are being lowered in this function.
    fn is_in_batch(&mut self) -> bool {
        let ops = &self.fun().ops;
        let count = |wanted: fn(&Op) -> bool| ops.iter().filter(|op| wanted(op)).count();
        count(|op| matches!(op, Op::BeginBatch)) > count(|op| matches!(op, Op::EndBatch { .. }))
    }
}

fn given(count: usize) -> String {
    format!("{count} {}", is_or_are(count))
}
