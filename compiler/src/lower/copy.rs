//! Lowers copies (CR 707): copy effects, created copies, and copies of objects on the list.

use super::effect::{UnclosedEnd, functions};
use super::function_builder::FunctionBuilder;
use super::function_builder::{Binding, ItBinding};
use super::{Lowering, TypedRegister};
use crate::diagnostics::{Diagnostic, codes};
use crate::phrase_syntax::as_phrase;
use fizzle_grammar::ast::{Duration, Expr, Head, Modification as WrittenMod, Name, Span};
use fizzle_ir::op::{EventProposal, Place};
use fizzle_ir::verbs::CREATE;
use fizzle_ir::{ActionId, DefId, Op, Reg, Type};

impl<'a> Lowering<'a> {
    /// Lowers `X becomes copy of Y except …`, and `X enters as copy of Y except …`.
    pub fn becomes(
        &mut self,
        whom: &'a Expr,
        model: &'a Expr,
        enters: bool,
        except: &'a [WrittenMod],
        until: Option<&'a Duration>,
        span: Span,
    ) {
        let whom = self.list_of(whom);
        let model = self.model(model);
        let open = self.unclosed_mods(except, None, false);
        self.reject_text_changes(&open, span);
        let until = self.unclosed_ends(until);
        let children: Vec<_> = functions(&open).into_iter().chain(until.iter().filter_map(UnclosedEnd::child)).collect();
        let captures = FunctionBuilder::captured_registers(&children);
        self.reject_list_captures(&captures, span);
        let except = self.close_mods(open, &captures);
        let until = self.close_ends(until, &captures);
        let before = self.at;
        self.at = span;
        self.emit(Op::Become { whom: whom.reg, model, enters, except, captures, until });
        self.at = before;
    }

    /// Lowers `create copy of X except … into ZONE` as a `create` event. Returns the register that holds whether it happened.
    pub fn create_copy(
        &mut self,
        model: &'a Expr,
        except: &'a [WrittenMod],
        into: &'a Expr,
        (under, adverbs): (Option<&'a Expr>, &'a [Name]),
        name: Option<&'a Name>,
        span: Span,
    ) -> Reg {
        let token = self.token_named(model);
        let model = match token {
            Some(_) => self.constant(0, Type::Object),
            None => self.model(model),
        };
        let open = self.unclosed_mods(except, None, false);
        self.reject_text_changes(&open, span);
        if !FunctionBuilder::captured_registers(&functions(&open)).is_empty() {
            self.report(
                Diagnostic::new(&codes::MISPLACED_FORM, span, "the changes to a created copy cannot use local names, or words that effects can change")
                    .help("use only `this`, `you` and names that the game declares; change words of the copy behind it: `create copy of X into ZONE as made`, `made gets WORD`"),
            );
        }
        let except = self.close_mods(open, &[]);
        let number = if except.is_empty() {
            0
        } else {
            self.library.exceptions.push(except);
            self.library.exceptions.len() as i64
        };
        let into = self.expr(into, Some(Type::Zone));
        let into = self.coerce(into, Type::Zone, span);
        let under = match under {
            Some(under) => self.player(under),
            None => self.player_of_text(),
        };
        let card = match token {
            Some(token) => self.constant(i64::from(token.0), Type::Card),
            None => {
                let card = self.reg(Type::Card);
                self.emit(Op::Get { dst: card, place: Place::Definition, of: model });
                card
            }
        };
        let except = self.constant(number, Type::Number);
        let flags = adverbs.iter().fold(0, |flags, adverb| flags | self.arrival_flag(adverb, &[]));
        let flags = self.constant(flags, Type::Number);
        let (done, out) = (self.reg(Type::Bool), self.reg(Type::Objects));
        let event = EventProposal {
            action: ActionId(CREATE),
            args: vec![card, into, under, model, except, flags],
            over: None,
            chosen: fizzle_ir::op::ChosenBy::NoPlayer,
        };
        self.emit(Op::Propose { events: vec![event], done: Some(done), out: Some(out) });
        let created = self.first_of(out);
        self.bind_created(created, name);
        done
    }

    /// Lowers `copy X choosing targets as NAME`: a copy of an object on the list.
    pub fn copy_listed(&mut self, model: &'a Expr, choosing: bool, name: Option<&'a Name>, span: Span) {
        let object = self.model(model);
        let dst = self.reg(Type::Object);
        let before = std::mem::replace(&mut self.at, span);
        self.emit(Op::CopyListed { dst, object, choosing });
        self.at = before;
        self.bind_created(dst, name);
    }

    fn bind_created(&mut self, created: Reg, name: Option<&'a Name>) {
        if let Some(name) = name {
            self.bind_value(name, TypedRegister::new(created, Type::Object));
        }
        self.fun().it = ItBinding::Bound(Binding::Reg(created), Type::Object);
    }

    /// Returns the token that a quoted name alone names: such a token is created with its printed values and the exceptions.
    fn token_named(&self, model: &Expr) -> Option<DefId> {
        let phrase =
            as_phrase(model).filter(|phrase| phrase.quantifier.is_none() && phrase.filters.is_empty() && !phrase.other)?;
        let Head::Quoted(name) = &phrase.head else { return None };
        self.names.card_at(&name.text, name.span).filter(|card| card.is_token)?;
        self.names.card_id(name)
    }

    /// Lowers the object that is copied: the first one of a list.
    fn model(&mut self, model: &'a Expr) -> Reg {
        let value = self.list_of(model);
        let reg = if value.ty == Some(Type::Object) { value.reg } else { self.first_of(value.reg) };
        self.as_it_left(TypedRegister { is_moved: value.is_moved, ..TypedRegister::new(reg, Type::Object) }).reg
    }

    pub(super) fn first_of(&mut self, list: Reg) -> Reg {
        let (dst, index) = (self.reg(Type::Object), self.constant(0, Type::Number));
        self.emit(Op::ElementAt { dst, list, index });
        dst
    }
}
