//! Makes the parser of `src/fizzle.pest` and lets each of its rules look at what is next before it begins.
//!
//! What pest generates tries a rule before it knows that the next character rules it out, and a failing rule is dear. From the grammar
//! follows with which characters a rule can begin at all, or with which word; where something else stands, it fails at once
//! (`parser::may_begin`, `parser::begins_with`). That changes nothing but the time: what is refused is read again without (`parser::read`),
//! since a rule that is not tried is not wanted either. What reads characters and nothing else is read by plain functions (`build/matchers.rs`).
//!
//! pest's methods are generic over what they are to read, and each of the thousands of closures would be compiled with copies of its own;
//! they are called by functions that take pointers (`parser::rule`), which is as fast and compiles in half of the time.

#[path = "build/matchers.rs"]
mod matchers;

use pest_meta::ast::{Expr, Rule, RuleType};
use pest_meta::parser;
use proc_macro2::{Delimiter, Group, LexError, TokenStream, TokenTree};
use std::collections::BTreeMap;

/// Where reading begins.
const ENTRIES: [&str; 7] =
    ["one_item", "one_expression", "some_members", "some_statements", "some_entries", "some_differences", "some_steps"];

/// Rules of fewer characters and strings fail as fast as one can look.
const FEW: usize = 3;

/// Characters: ASCII by number, all others, the end of the text.
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

/// What an expression can begin with: where it reads something, and where it reads nothing and is content.
#[derive(Clone, Copy, Default, PartialEq)]
struct Begin {
    reads: Chars,
    content: Chars,
}

type Begins = BTreeMap<String, Begin>;

fn begin(expr: &Expr, known: &Begins, spaced: bool) -> Begin {
    let of = |expr: &Expr| begin(expr, known, spaced);
    let reads = |reads: Chars| Begin { reads, content: NONE };
    match expr {
        Expr::Str(text) => match text.chars().next() {
            Some(first) => reads(Chars::range(first, first)),
            None => Begin { reads: NONE, content: ALL },
        },
        Expr::Range(from, to) => match (from.chars().next(), to.chars().next()) {
            (Some(from), Some(to)) => reads(Chars::range(from, to)),
            _ => Begin { reads: ALL, content: ALL },
        },
        Expr::Ident(name) => match (known.get(name), name.as_str()) {
            (Some(begin), _) => *begin,
            (None, "ANY") => reads(Chars { end: false, ..ALL }),
            (None, "EOI") => Begin { reads: NONE, content: Chars { end: true, ..NONE } },
            (None, "ASCII_DIGIT") => reads(Chars::range('0', '9')),
            (None, "XID_START") => reads(Chars::range('a', 'z').or(Chars::range('A', 'Z')).or(WIDE)),
            (None, "XID_CONTINUE") => {
                let more = Chars::range('0', '9').or(Chars::range('_', '_')).or(WIDE);
                reads(Chars::range('a', 'z').or(Chars::range('A', 'Z')).or(more))
            }
            _ => Begin { reads: ALL, content: ALL },
        },
        Expr::PosPred(inner) => {
            let inner = of(inner);
            Begin { reads: NONE, content: inner.reads.or(inner.content) }
        }
        Expr::NegPred(_) => Begin { reads: NONE, content: ALL },
        Expr::Seq(first, second) => {
            let (first, second) = (of(first), of(second));
            // blanks may be skipped between the two
            let blank = if spaced { Chars::range(' ', ' ') } else { NONE };
            Begin { reads: first.reads.or(first.content.and(second.reads.or(blank))), content: first.content.and(second.content) }
        }
        Expr::Choice(one, other) => {
            let (one, other) = (of(one), of(other));
            Begin { reads: one.reads.or(other.reads), content: one.content.or(other.content) }
        }
        Expr::Opt(inner) | Expr::Rep(inner) => Begin { reads: of(inner).reads, content: ALL },
        Expr::RepOnce(inner) => of(inner),
        _ => Begin { reads: ALL, content: ALL },
    }
}

/// What each rule can begin with.
fn begins(rules: &[Rule]) -> Begins {
    let mut known: Begins = rules.iter().map(|rule| (rule.name.clone(), Begin::default())).collect();
    loop {
        let mut grown = false;
        for rule in rules {
            let spaced = !matches!(rule.ty, RuleType::Atomic | RuleType::CompoundAtomic);
            let now = begin(&rule.expr, &known, spaced);
            grown |= known.insert(rule.name.clone(), now) != Some(now);
        }
        if !grown {
            return known;
        }
    }
}

/// With which characters something can begin, as Rust; None, if with any.
fn look(begin: &Begin) -> Option<String> {
    let chars = begin.reads.or(begin.content);
    let Chars { ascii, wide, end } = chars;
    (chars != ALL).then(|| format!("{ascii:#x}, {wide}, {end}"))
}

/// What everything that an expression reads begins with, if it is always the same.
fn beginning<'r>(expr: &'r Expr, rules: &'r [Rule], depth: usize) -> Option<&'r str> {
    match expr {
        Expr::Str(text) => Some(text),
        Expr::Seq(first, _) => beginning(first, rules, depth),
        Expr::Ident(name) => {
            let rule = rules.iter().find(|rule| rule.name == *name).filter(|_| depth > 0)?;
            beginning(&rule.expr, rules, depth - 1)
        }
        _ => None,
    }
}

/// Whether a rule consists of so little that looking first would not help.
fn is_small(rule: &Rule) -> bool {
    let parts: Vec<Expr> = rule.expr.iter_top_down().collect();
    let named = |part: &Expr| matches!(part, Expr::Ident(name) if !name.starts_with("XID") && !name.starts_with("ASCII"));
    let leaf = |part: &&Expr| matches!(part, Expr::Str(_) | Expr::Range(..) | Expr::Ident(_));
    rule.ty == RuleType::Silent && !parts.iter().any(named) && parts.iter().filter(leaf).count() <= FEW
}

/// The methods of pest's state that are given something to read, for each of which there is a function in `parser`.
const METHODS: [&str; 6] = ["rule", "sequence", "optional", "repeat", "lookahead", "atomic"];

/// The function to call instead of the method of pest's state that was just written.
fn function(out: &[TokenTree]) -> Option<String> {
    match out {
        [.., TokenTree::Ident(state), TokenTree::Punct(dot), TokenTree::Ident(name)]
            if state == "state" && dot.as_char() == '.' && METHODS.iter().any(|method| name == method) =>
        {
            Some(format!("crate::parser::{name}"))
        }
        _ => None,
    }
}

/// Puts the look at the beginning of each rule's function, and calls functions instead of pest's generic methods.
fn guarded(code: TokenStream, guards: &BTreeMap<String, TokenStream>) -> Result<TokenStream, LexError> {
    let mut out: Vec<TokenTree> = Vec::new();
    let mut guard: Option<&TokenStream> = None;
    let mut is_name = false;
    for token in code {
        match token {
            TokenTree::Group(group) => {
                let braces = group.delimiter() == Delimiter::Brace;
                let mut inner = guarded(group.stream(), guards)?;
                if let Some(look) = guard.filter(|_| braces) {
                    inner = look.clone().into_iter().chain(inner).collect();
                }
                if let Some(function) = function(&out) {
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
    let known = begins(&rules);
    let mut guards = BTreeMap::new();
    for rule in rules.iter().filter(|rule| !is_small(rule)) {
        if let Some(word) = beginning(&rule.expr, &rules, rules.len()).filter(|word| word.len() > 1) {
            let look = format!("let state = crate::parser::begins_with(state, {word:?})?;");
            guards.insert(rule.name.clone(), look.parse()?);
            continue;
        }
        if let Some(chars) = known.get(&rule.name).and_then(look) {
            let look = format!("let state = crate::parser::may_begin(state, {chars})?;");
            guards.insert(rule.name.clone(), look.parse()?);
        }
    }
    let (functions, before) = matchers::matchers(&rules, &ENTRIES, &known);
    for (name, code) in before {
        guards.insert(name, code.parse()?);
    }
    guards.insert("skip".to_owned(), "if true { return crate::parser::skip_blanks(state); }".parse()?);
    let parser = format!("#[derive(Parser)] #[grammar_inline = {text:?}] pub(crate) struct Grammar;").parse()?;
    let code = guarded(pest_generator::derive_parser(parser, false), &guards)?;
    let code = code.to_string();
    let written = code.replace(' ', "");
    if METHODS.iter().any(|method| !written.contains(&format!("crate::parser::{method}("))) {
        return Err("pest writes its calls in another way than before".into());
    }
    let out = std::env::var("OUT_DIR")?;
    std::fs::write(std::path::Path::new(&out).join("grammar.rs"), format!("{code}\n{functions}"))?;
    Ok(())
}
