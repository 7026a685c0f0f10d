//! Plain functions for what reads characters and nothing else: pest keeps books for each rule, sequence and attempt, and of these none are wanted.

use super::{Begins, is_small, look};
use pest_meta::ast::{Expr, Rule, RuleType};
use std::collections::{BTreeMap, BTreeSet};

/// Which rules are taken by a plain function, and how.
#[derive(Clone, Copy, PartialEq)]
enum Taken {
    /// A word: its rule is told to pest, with its end.
    Token,
    /// What leaves nothing in the tree, by itself or because it is only looked at.
    Silent,
}

/// Functions under way: rules and whether blanks are skipped between their parts.
type Wanted = BTreeSet<(String, bool)>;

struct Grammar<'r> {
    rules: BTreeMap<&'r str, &'r Rule>,
}

impl Grammar<'_> {
    /// Whether blanks are skipped in a rule that is called where they are, or are not.
    fn spaced(rule: &Rule, outside: bool) -> bool {
        match rule.ty {
            RuleType::Atomic | RuleType::CompoundAtomic => false,
            RuleType::NonAtomic => true,
            RuleType::Normal | RuleType::Silent => outside,
        }
    }

    /// The end of what an expression reads from `at` on, as Rust. None, if that is not to be said so.
    fn matcher(&self, expr: &Expr, spaced: bool, wanted: &mut Wanted, within: &mut Vec<String>) -> Option<String> {
        let mut of = |expr: &Expr| self.matcher(expr, spaced, wanted, within);
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
                    let spaced = Self::spaced(rule, spaced);
                    within.push(name.clone());
                    let readable = self.matcher(&rule.expr, spaced, wanted, within).is_some();
                    within.pop();
                    wanted.insert((name.clone(), spaced));
                    readable.then(|| format!("{}(text, at)", function(name, spaced)))?
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

    /// Whether an expression may put something into the tree.
    fn leaves_something(&self, expr: &Expr) -> bool {
        match expr {
            Expr::PosPred(_) | Expr::NegPred(_) => false,
            Expr::Ident(name) => match self.rules.get(name.as_str()) {
                Some(rule) => rule.ty != RuleType::Silent || self.leaves_something(&rule.expr),
                None => name == "EOI",
            },
            Expr::Seq(one, other) | Expr::Choice(one, other) => self.leaves_something(one) || self.leaves_something(other),
            Expr::Opt(inner) | Expr::Rep(inner) | Expr::RepOnce(inner) => self.leaves_something(inner),
            Expr::Str(_) | Expr::Range(..) => false,
            _ => true,
        }
    }

    /// Collects the rules that stand somewhere else than in a look ahead.
    fn stands(&self, expr: &Expr, found: &mut BTreeSet<String>) {
        match expr {
            Expr::PosPred(_) | Expr::NegPred(_) => {}
            Expr::Ident(name) => {
                if let Some(rule) = self.rules.get(name.as_str())
                    && found.insert(name.clone())
                {
                    self.stands(&rule.expr, found);
                }
            }
            Expr::Seq(one, other) | Expr::Choice(one, other) => {
                self.stands(one, found);
                self.stands(other, found);
            }
            Expr::Opt(inner) | Expr::Rep(inner) | Expr::RepOnce(inner) => self.stands(inner, found),
            _ => {}
        }
    }

    fn taken(&self, rule: &Rule, stands: &BTreeSet<String>) -> Option<Taken> {
        match rule.ty {
            RuleType::Atomic => Some(Taken::Token),
            RuleType::Silent if !is_recursive(rule, &self.rules, &mut Vec::new()) => {
                let silent = !stands.contains(&rule.name) || !self.leaves_something(&rule.expr);
                silent.then_some(Taken::Silent)
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

fn function(name: &str, spaced: bool) -> String {
    format!("{name}_{}", if spaced { "spaced" } else { "dense" })
}

/// The functions, and for each rule that one of them is for, what is to stand before what pest has for it. `entries`: where reading begins.
pub fn matchers(rules: &[Rule], entries: &[&str], known: &Begins) -> (String, BTreeMap<String, String>) {
    let grammar = Grammar { rules: rules.iter().map(|rule| (rule.name.as_str(), rule)).collect() };
    let mut stands = BTreeSet::new();
    for entry in entries {
        grammar.stands(&Expr::Ident((*entry).to_owned()), &mut stands);
    }
    let mut wanted = Wanted::new();
    let mut before = BTreeMap::new();
    for rule in rules {
        let Some(taken) = grammar.taken(rule, &stands) else { continue };
        let spaced = taken != Taken::Token;
        let mut used = Wanted::from([(rule.name.clone(), spaced)]);
        if grammar.matcher(&rule.expr, spaced, &mut used, &mut vec![rule.name.clone()]).is_none() {
            continue;
        }
        wanted.append(&mut used);
        let name = format!("r#{}", rule.name);
        let function = format!("crate::parser::generated::matchers::{}", function(&rule.name, spaced));
        let call = match taken {
            Taken::Token => format!("crate::parser::token(state, Rule::{name}, {function})"),
            Taken::Silent => format!("crate::parser::passed(state, {function})"),
        };
        before.insert(rule.name.clone(), format!("let state = match {call} {{ Ok(done) => return done, Err(state) => state }};"));
    }
    let mut functions = String::new();
    for (name, spaced) in wanted {
        let Some(rule) = grammar.rules.get(name.as_str()) else { continue };
        let Some(body) = grammar.matcher(&rule.expr, spaced, &mut Wanted::new(), &mut vec![name.clone()]) else { continue };
        let look = known.get(&name).filter(|_| !is_small(rule)).and_then(look);
        let look = look.map_or(String::new(), |chars| format!("if !crate::parser::fits(text, at, {chars}) {{ return None; }}"));
        let name = function(&name, spaced);
        functions += &format!("#[inline] pub fn {name}(text: &str, at: usize) -> Option<usize> {{ {look} {body} }}\n");
    }
    (
        format!("#[allow(non_snake_case)] pub mod matchers {{ use crate::parser::{{blanks, many, one, word}};\n{functions} }}"),
        before,
    )
}
