//! Matchers: plain functions for rules that only match characters, which skip pest's bookkeeping per rule, sequence and attempt.

use super::{FirstSets, guard_arguments, is_small};
use pest_meta::ast::{Expr, Rule, RuleType};
use std::collections::{BTreeMap, BTreeSet};

/// The kind of a rule that a matcher replaces.
#[derive(Clone, Copy, PartialEq)]
enum MatcherKind {
    /// An atomic rule: the parser emits one node for it.
    Token,
    /// A rule that emits no nodes, by itself or because it occurs only in lookaheads.
    Silent,
}

/// Matchers to generate: rules, and whether blanks are skipped between their parts.
type MatcherSet = BTreeSet<(String, bool)>;

struct Grammar<'r> {
    rules: BTreeMap<&'r str, &'r Rule>,
}

impl Grammar<'_> {
    /// Whether blanks are skipped inside of a rule. `outside`: whether they are skipped where it is called.
    fn is_spaced(rule: &Rule, outside: bool) -> bool {
        match rule.ty {
            RuleType::Atomic | RuleType::CompoundAtomic => false,
            RuleType::NonAtomic => true,
            RuleType::Normal | RuleType::Silent => outside,
        }
    }

    /// Rust code for the end of the match of an expression from `at` on. `None` if the expression is recursive or not supported.
    ///
    /// Adds the matchers that the code calls to `needed`. `within` are the rules being translated.
    fn matcher(&self, expr: &Expr, spaced: bool, needed: &mut MatcherSet, within: &mut Vec<String>) -> Option<String> {
        let mut of = |expr: &Expr| self.matcher(expr, spaced, needed, within);
        let next = if spaced { "let at = blanks(text, at);" } else { "" };
        Some(match expr {
            Expr::Str(word) => format!("word(text, at, {word:?})"),
            Expr::Range(from, to) => {
                let (from, to) = (from.chars().next()?, to.chars().next()?);
                format!("one(text, at, |c| ({from:?}..={to:?}).contains(&c))")
            }
            Expr::Ident(name) => match (self.rules.get(name.as_str()), name.as_str()) {
                (Some(rule), _) => {
                    if within.contains(name) {
                        return None;
                    }
                    let spaced = Self::is_spaced(rule, spaced);
                    within.push(name.clone());
                    let readable = self.matcher(&rule.expr, spaced, needed, within).is_some();
                    within.pop();
                    needed.insert((name.clone(), spaced));
                    readable.then(|| format!("{}(text, at)", function_name(name, spaced)))?
                }
                (None, "ANY") => "one(text, at, |_| true)".to_owned(),
                (None, "ASCII_DIGIT") => "one(text, at, |c| c.is_ascii_digit())".to_owned(),
                (None, "XID_START" | "XID_CONTINUE") => format!("one(text, at, ::pest::unicode::{name})"),
                (None, "EOI") => "(at == text.len()).then_some(at)".to_owned(),
                _ => return None,
            },
            Expr::Seq(first, second) => format!("{}.and_then(|at| {{ {next} {} }})", of(first)?, of(second)?),
            Expr::Choice(one, other) => format!("{}.or_else(|| {})", of(one)?, of(other)?),
            Expr::Opt(inner) => format!("Some({}.unwrap_or(at))", of(inner)?),
            Expr::Rep(inner) => {
                let inner = of(inner)?;
                format!("Some({inner}.map_or(at, |at| many(at, |at| {{ {next} {inner} }})))")
            }
            Expr::RepOnce(inner) => {
                let inner = of(inner)?;
                format!("{inner}.map(|at| many(at, |at| {{ {next} {inner} }}))")
            }
            Expr::PosPred(inner) => format!("{}.map(|_| at)", of(inner)?),
            Expr::NegPred(inner) => format!("{}.map_or(Some(at), |_| None)", of(inner)?),
            _ => return None,
        })
    }

    /// Whether an expression may emit nodes.
    fn may_emit_nodes(&self, expr: &Expr) -> bool {
        match expr {
            Expr::PosPred(_) | Expr::NegPred(_) => false,
            Expr::Ident(name) => match self.rules.get(name.as_str()) {
                Some(rule) => rule.ty != RuleType::Silent || self.may_emit_nodes(&rule.expr),
                None => name == "EOI",
            },
            Expr::Seq(one, other) | Expr::Choice(one, other) => self.may_emit_nodes(one) || self.may_emit_nodes(other),
            Expr::Opt(inner) | Expr::Rep(inner) | Expr::RepOnce(inner) => self.may_emit_nodes(inner),
            Expr::Str(_) | Expr::Range(..) => false,
            _ => true,
        }
    }

    /// Collects the rules that an expression reaches outside of lookaheads.
    fn collect_consuming(&self, expr: &Expr, found: &mut BTreeSet<String>) {
        match expr {
            Expr::PosPred(_) | Expr::NegPred(_) => {}
            Expr::Ident(name) => {
                if let Some(rule) = self.rules.get(name.as_str())
                    && found.insert(name.clone())
                {
                    self.collect_consuming(&rule.expr, found);
                }
            }
            Expr::Seq(one, other) | Expr::Choice(one, other) => {
                self.collect_consuming(one, found);
                self.collect_consuming(other, found);
            }
            Expr::Opt(inner) | Expr::Rep(inner) | Expr::RepOnce(inner) => self.collect_consuming(inner, found),
            _ => {}
        }
    }

    fn matcher_kind(&self, rule: &Rule, consuming: &BTreeSet<String>) -> Option<MatcherKind> {
        match rule.ty {
            RuleType::Atomic => Some(MatcherKind::Token),
            RuleType::Silent if !is_recursive(rule, &self.rules, &mut Vec::new()) => {
                let silent = !consuming.contains(&rule.name) || !self.may_emit_nodes(&rule.expr);
                silent.then_some(MatcherKind::Silent)
            }
            _ => None,
        }
    }
}

fn is_recursive(rule: &Rule, rules: &BTreeMap<&str, &Rule>, within: &mut Vec<String>) -> bool {
    if within.contains(&rule.name) {
        return true;
    }
    within.push(rule.name.clone());
    let named = |part: &Expr| if let Expr::Ident(name) = part { rules.get(name.as_str()).copied() } else { None };
    let found = rule.expr.iter_top_down().filter_map(|part| named(&part)).any(|rule| is_recursive(rule, rules, within));
    within.pop();
    found
}

fn function_name(name: &str, spaced: bool) -> String {
    format!("{name}_{}", if spaced { "spaced" } else { "dense" })
}

/// The code of all matchers, and for each replaced rule the call to insert at the start of pest's function.
///
/// `entries` are the rules that parsing starts with.
pub fn matchers(rules: &[Rule], entries: &[&str], known: &FirstSets) -> (String, BTreeMap<String, String>) {
    let grammar = Grammar { rules: rules.iter().map(|rule| (rule.name.as_str(), rule)).collect() };
    let mut consuming = BTreeSet::new();
    for entry in entries {
        grammar.collect_consuming(&Expr::Ident((*entry).to_owned()), &mut consuming);
    }
    let mut needed = MatcherSet::new();
    let mut before = BTreeMap::new();
    for rule in rules {
        let Some(taken) = grammar.matcher_kind(rule, &consuming) else { continue };
        let spaced = taken != MatcherKind::Token;
        let mut used = MatcherSet::from([(rule.name.clone(), spaced)]);
        if grammar.matcher(&rule.expr, spaced, &mut used, &mut vec![rule.name.clone()]).is_none() {
            continue;
        }
        needed.append(&mut used);
        let name = format!("r#{}", rule.name);
        let function = format!("crate::parser::generated::matchers::{}", function_name(&rule.name, spaced));
        let call = match taken {
            MatcherKind::Token => format!("crate::parser::token(state, Rule::{name}, {function})"),
            MatcherKind::Silent => format!("crate::parser::silent(state, {function})"),
        };
        before.insert(rule.name.clone(), format!("let state = match {call} {{ Ok(done) => return done, Err(state) => state }};"));
    }
    let mut functions = String::new();
    for (name, spaced) in needed {
        let Some(rule) = grammar.rules.get(name.as_str()) else { continue };
        let Some(body) = grammar.matcher(&rule.expr, spaced, &mut MatcherSet::new(), &mut vec![name.clone()]) else { continue };
        let guard = known.get(&name).filter(|_| !is_small(rule)).and_then(guard_arguments);
        let guard = guard.map_or(String::new(), |chars| format!("if !crate::parser::fits(text, at, {chars}) {{ return None; }}"));
        let name = function_name(&name, spaced);
        functions += &format!("#[inline] pub fn {name}(text: &str, at: usize) -> Option<usize> {{ {guard} {body} }}\n");
    }
    (
        format!("#[allow(non_snake_case)] pub mod matchers {{ use crate::parser::{{blanks, many, one, word}};\n{functions} }}"),
        before,
    )
}
