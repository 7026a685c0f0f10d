//! Generates the parser from `src/fizzle.pest`, with a first-set guard at the start of each rule.
//!
//! A failing rule of pest is expensive. The script computes the characters, or the word, that a rule can begin with; a guard
//! (`parser::may_begin`, `parser::begins_with`) fails the rule at once otherwise. Guards affect only speed: a refused text is parsed again without
//! them (`parser::read`), so that pest collects all expected rules. Rules that only match characters become plain functions (`build/matchers.rs`).
//!
//! pest's generic methods would be instantiated for thousands of closures. The generated code calls wrappers with function pointers
//! (`parser::rule`) in their place, which are as fast and halve the compile time.

#[path = "build/matchers.rs"]
mod matchers;

use pest_meta::ast::{Expr, Rule, RuleType};
use pest_meta::parser;
use proc_macro2::{Delimiter, Group, LexError, TokenStream, TokenTree};
use std::collections::BTreeMap;

/// The rules that parsing starts with.
const ENTRY_RULES: [&str; 7] =
    ["one_item", "one_expression", "some_members", "some_statements", "some_entries", "some_differences", "some_steps"];

/// Silent rules with at most this many strings, ranges and built-in rules have no guard: they fail as fast as the guard would.
const MAX_UNGUARDED_LEAVES: usize = 3;

/// A set of characters: ASCII by bit, all other characters, the end of the text.
#[derive(Clone, Copy, Default, PartialEq)]
struct Chars {
    ascii: u128,
    wide: bool,
    end: bool,
}

const NONE: Chars = Chars { ascii: 0, wide: false, end: false };
const ALL: Chars = Chars { ascii: u128::MAX, wide: true, end: true };
const WIDE: Chars = Chars { wide: true, ..NONE };

impl Chars {
    fn or(self, other: Self) -> Self {
        Self { ascii: self.ascii | other.ascii, wide: self.wide || other.wide, end: self.end || other.end }
    }

    fn and(self, other: Self) -> Self {
        Self { ascii: self.ascii & other.ascii, wide: self.wide && other.wide, end: self.end && other.end }
    }

    fn range(from: char, to: char) -> Self {
        let ascii = (0..128).filter(|n| (u32::from(from)..=u32::from(to)).contains(n)).fold(0, |all, n| all | 1 << n);
        Self { ascii, wide: !to.is_ascii(), end: false }
    }
}

/// The first set of an expression: the next characters with which it can match some text, and those with which it can match nothing.
#[derive(Clone, Copy, Default, PartialEq)]
struct FirstSet {
    consuming: Chars,
    empty: Chars,
}

type FirstSets = BTreeMap<String, FirstSet>;

fn first_set(expr: &Expr, known: &FirstSets, spaced: bool) -> FirstSet {
    let of = |expr: &Expr| first_set(expr, known, spaced);
    let reads = |reads: Chars| FirstSet { consuming: reads, empty: NONE };
    match expr {
        Expr::Str(text) => match text.chars().next() {
            Some(first) => reads(Chars::range(first, first)),
            None => FirstSet { consuming: NONE, empty: ALL },
        },
        Expr::Range(from, to) => match (from.chars().next(), to.chars().next()) {
            (Some(from), Some(to)) => reads(Chars::range(from, to)),
            _ => FirstSet { consuming: ALL, empty: ALL },
        },
        Expr::Ident(name) => match (known.get(name), name.as_str()) {
            (Some(begin), _) => *begin,
            (None, "ANY") => reads(Chars { end: false, ..ALL }),
            (None, "EOI") => FirstSet { consuming: NONE, empty: Chars { end: true, ..NONE } },
            (None, "ASCII_DIGIT") => reads(Chars::range('0', '9')),
            (None, "XID_START") => reads(Chars::range('a', 'z').or(Chars::range('A', 'Z')).or(WIDE)),
            (None, "XID_CONTINUE") => {
                let more = Chars::range('0', '9').or(Chars::range('_', '_')).or(WIDE);
                reads(Chars::range('a', 'z').or(Chars::range('A', 'Z')).or(more))
            }
            _ => FirstSet { consuming: ALL, empty: ALL },
        },
        Expr::PosPred(inner) => {
            let inner = of(inner);
            FirstSet { consuming: NONE, empty: inner.consuming.or(inner.empty) }
        }
        Expr::NegPred(_) => FirstSet { consuming: NONE, empty: ALL },
        Expr::Seq(first, second) => {
            let (first, second) = (of(first), of(second));
            // blanks may be skipped between the two parts
            let blank = if spaced { Chars::range(' ', ' ') } else { NONE };
            FirstSet {
                consuming: first.consuming.or(first.empty.and(second.consuming.or(blank))),
                empty: first.empty.and(second.empty),
            }
        }
        Expr::Choice(one, other) => {
            let (one, other) = (of(one), of(other));
            FirstSet { consuming: one.consuming.or(other.consuming), empty: one.empty.or(other.empty) }
        }
        Expr::Opt(inner) | Expr::Rep(inner) => FirstSet { consuming: of(inner).consuming, empty: ALL },
        Expr::RepOnce(inner) => of(inner),
        _ => FirstSet { consuming: ALL, empty: ALL },
    }
}

/// The first sets of all rules, as the least fixpoint.
fn first_sets(rules: &[Rule]) -> FirstSets {
    let mut known: FirstSets = rules.iter().map(|rule| (rule.name.clone(), FirstSet::default())).collect();
    loop {
        let mut grown = false;
        for rule in rules {
            let spaced = !matches!(rule.ty, RuleType::Atomic | RuleType::CompoundAtomic);
            let now = first_set(&rule.expr, &known, spaced);
            grown |= known.insert(rule.name.clone(), now) != Some(now);
        }
        if !grown {
            return known;
        }
    }
}

/// The arguments of a guard for a first set, as Rust code; `None` if it contains all characters.
fn guard_arguments(begin: &FirstSet) -> Option<String> {
    let chars = begin.consuming.or(begin.empty);
    let Chars { ascii, wide, end } = chars;
    (chars != ALL).then(|| format!("{ascii:#x}, {wide}, {end}"))
}

/// The string that every match of an expression begins with, if there is one.
fn fixed_prefix<'r>(expr: &'r Expr, rules: &'r [Rule], depth: usize) -> Option<&'r str> {
    match expr {
        Expr::Str(text) => Some(text),
        Expr::Seq(first, _) => fixed_prefix(first, rules, depth),
        Expr::Ident(name) => {
            let rule = rules.iter().find(|rule| rule.name == *name).filter(|_| depth > 0)?;
            fixed_prefix(&rule.expr, rules, depth - 1)
        }
        _ => None,
    }
}

/// Whether a rule is so small that a guard would not make it faster.
fn is_small(rule: &Rule) -> bool {
    let parts: Vec<Expr> = rule.expr.iter_top_down().collect();
    let named = |part: &Expr| matches!(part, Expr::Ident(name) if !name.starts_with("XID") && !name.starts_with("ASCII"));
    let leaf = |part: &&Expr| matches!(part, Expr::Str(_) | Expr::Range(..) | Expr::Ident(_));
    rule.ty == RuleType::Silent && !parts.iter().any(named) && parts.iter().filter(leaf).count() <= MAX_UNGUARDED_LEAVES
}

/// The methods of pest's state that take a closure. `parser` has a wrapper function for each.
const WRAPPED_METHODS: [&str; 6] = ["rule", "sequence", "optional", "repeat", "lookahead", "atomic"];

/// The wrapper to call in the place of the method call that the output ends with.
fn wrapper_function(out: &[TokenTree]) -> Option<String> {
    match out {
        [.., TokenTree::Ident(state), TokenTree::Punct(dot), TokenTree::Ident(name)]
            if state == "state" && dot.as_char() == '.' && WRAPPED_METHODS.iter().any(|method| name == method) =>
        {
            Some(format!("crate::parser::{name}"))
        }
        _ => None,
    }
}

/// Inserts a guard at the start of each rule's function, and replaces calls of pest's generic methods by calls of the wrappers.
fn insert_guards(code: TokenStream, guards: &BTreeMap<String, TokenStream>) -> Result<TokenStream, LexError> {
    let mut out: Vec<TokenTree> = Vec::new();
    let mut guard: Option<&TokenStream> = None;
    let mut is_name = false;
    for token in code {
        match token {
            TokenTree::Group(group) => {
                let braces = group.delimiter() == Delimiter::Brace;
                let mut inner = insert_guards(group.stream(), guards)?;
                if let Some(code) = guard.filter(|_| braces) {
                    inner = code.clone().into_iter().chain(inner).collect();
                }
                if let Some(function) = wrapper_function(&out) {
                    out.truncate(out.len() - 3);
                    out.extend(function.parse::<TokenStream>()?);
                    inner = "state,".parse::<TokenStream>()?.into_iter().chain(inner).collect();
                }
                if braces {
                    guard = None;
                }
                out.push(Group::new(group.delimiter(), inner).into());
                is_name = false;
            }
            TokenTree::Ident(ident) => {
                if is_name {
                    let name = ident.to_string();
                    guard = guards.get(name.strip_prefix("r#").unwrap_or(&name));
                }
                is_name = ident == "fn";
                out.push(ident.into());
            }
            other => {
                is_name = false;
                out.push(other);
            }
        }
    }
    Ok(out.into_iter().collect())
}

#[expect(clippy::disallowed_methods, reason = "a build script reads and writes files")]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("cargo::rerun-if-changed=src/fizzle.pest");
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=build/matchers.rs");
    let text = std::fs::read_to_string("src/fizzle.pest")?;
    let pairs = parser::parse(parser::Rule::grammar_rules, &text)?;
    let rules = parser::consume_rules(pairs).map_err(|errors| format!("{errors:?}"))?;
    let known = first_sets(&rules);
    let mut guards = BTreeMap::new();
    for rule in rules.iter().filter(|rule| !is_small(rule)) {
        if let Some(word) = fixed_prefix(&rule.expr, &rules, rules.len()).filter(|word| word.len() > 1) {
            let guard = format!("let state = crate::parser::begins_with(state, {word:?})?;");
            guards.insert(rule.name.clone(), guard.parse()?);
            continue;
        }
        if let Some(chars) = known.get(&rule.name).and_then(guard_arguments) {
            let guard = format!("let state = crate::parser::may_begin(state, {chars})?;");
            guards.insert(rule.name.clone(), guard.parse()?);
        }
    }
    let (functions, before) = matchers::matchers(&rules, &ENTRY_RULES, &known);
    for (name, code) in before {
        guards.insert(name, code.parse()?);
    }
    guards.insert("skip".to_owned(), "if true { return crate::parser::skip_blanks(state); }".parse()?);
    let parser = format!("#[derive(Parser)] #[grammar_inline = {text:?}] pub(crate) struct Grammar;").parse()?;
    let code = insert_guards(pest_generator::derive_parser(parser, false), &guards)?;
    let code = code.to_string();
    let written = code.replace(' ', "");
    if WRAPPED_METHODS.iter().any(|method| !written.contains(&format!("crate::parser::{method}("))) {
        return Err("pest generates its calls differently: the wrappers are not used".into());
    }
    let out = std::env::var("OUT_DIR")?;
    std::fs::write(std::path::Path::new(&out).join("grammar.rs"), format!("{code}\n{functions}"))?;
    Ok(())
}
