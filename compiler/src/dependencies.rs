//! What constants, nouns, functions, keywords and actions use, found from the names that a game declares. Reports cycles and limits.

use crate::dependency_graph::{Analysis, Dependencies, Node, UsedNames, analyse, circle};
use crate::diagnostics::Diagnostic;
use crate::formats::KeywordBody;
use crate::limits::{self, MAX_ABILITIES, MAX_DEPENDENCY_DEPTH, MAX_FUNCTION_BYTES, MAX_NOUN_BYTES};
use crate::maps::IndexMap;
use crate::names::NameTable;
use fizzle_grammar::ast::{Ability, AbilityKind, Expr, Item, ItemKind, Name, Span};
use fizzle_grammar::visit;
use smol_str::SmolStr;
use std::collections::BTreeSet;

/// Finds what the declarations of a game use. Reports circles and limits. Removes the nouns and the parents of actions that it reports.
pub fn resolve(names: &mut NameTable<'_>, items: &[&Item], diagnostics: &mut Vec<Diagnostic>) -> Dependencies {
    let mut found = Dependencies { keyword_sizes: keyword_sizes(names, items), ..Dependencies::default() };
    resolve_constants(names, &mut found, diagnostics);
    resolve_nouns_and_functions(names, &mut found, diagnostics);
    resolve_parents(names, diagnostics);
    found
}

/// The size of an expression in bytes of its text.
fn size_of(expr: &Expr) -> u64 {
    u64::from(expr.span.end.saturating_sub(expr.span.start))
}

fn report_circles(nodes: &[Node], found: &Analysis, diagnostics: &mut Vec<Diagnostic>) {
    for numbers in &found.circles {
        let members: Vec<&Node> = numbers.iter().filter_map(|number| nodes.get(*number as usize)).collect();
        diagnostics.push(circle(&members));
    }
}

fn resolve_constants(names: &NameTable<'_>, out: &mut Dependencies, diagnostics: &mut Vec<Diagnostic>) {
    let mut nodes = Vec::with_capacity(names.constants.len());
    for (name, value) in &names.constants {
        let mut uses = Vec::new();
        let mut found = |used: &Name| uses.extend(names.constants.get_index_of(&used.text).map(|number| number as u32));
        visit::expression(value, &mut UsedNames { found: &mut found });
        nodes.push(Node {
            kind: "constant",
            name: name.clone(),
            span: names.span_of("constant", name),
            size: size_of(value),
            uses,
        });
    }
    let found = analyse(&nodes);
    report_circles(&nodes, &found, diagnostics);
    out.circular_constants.extend(&found.circular);
    // declarations that refer to a circle: those whose uses include one, in the order of the depths
    let mut order: Vec<u32> = (0..nodes.len() as u32).collect();
    order.sort_by_key(|number| found.depths[*number as usize]);
    if !found.circular.is_empty() {
        for number in order {
            if nodes[number as usize].uses.iter().any(|used| out.circular_constants.contains(used)) {
                out.circular_constants.insert(number);
            }
        }
    }
    out.constants = nodes.into_iter().map(|node| node.uses).collect();
}

fn resolve_nouns_and_functions(names: &mut NameTable<'_>, out: &mut Dependencies, diagnostics: &mut Vec<Diagnostic>) {
    let nouns = names.nouns.len() as u32;
    let number = |word: &SmolStr| {
        let noun = names.nouns.get_index_of(word).map(|number| number as u32);
        noun.or_else(|| names.functions.get_index_of(word).map(|number| nouns + number as u32))
    };
    let mut nodes = Vec::with_capacity(names.nouns.len() + names.functions.len());
    for (name, meaning) in &names.nouns {
        let mut uses = Vec::new();
        let mut found = |used: &Name| uses.extend(number(&used.text));
        visit::expression(meaning, &mut UsedNames { found: &mut found });
        nodes.push(Node { kind: "noun", name: name.clone(), span: names.span_of("noun", name), size: size_of(meaning), uses });
    }
    for (name, function) in &names.functions {
        let mut uses = Vec::new();
        let mut found = |used: &Name| {
            // a parameter hides declarations of its name
            if !function.params.iter().any(|(param, _)| *param == used.text) {
                uses.extend(number(&used.text));
            }
        };
        visit::expression(function.body, &mut UsedNames { found: &mut found });
        nodes.push(Node { kind: "function", name: name.clone(), span: function.span, size: size_of(function.body), uses });
    }
    let found = analyse(&nodes);
    report_circles(&nodes, &found, diagnostics);
    let mut refused = found.circular.clone();
    for (number, node) in nodes.iter().enumerate() {
        let is_noun = (number as u32) < nouns;
        let max_size = if is_noun { MAX_NOUN_BYTES } else { MAX_FUNCTION_BYTES };
        let (size, depth) = (found.sizes[number], found.depths[number]);
        let Node { kind, name, span, uses, .. } = node;
        let is_first = |exceeds: &dyn Fn(usize) -> bool| uses.iter().all(|used| !exceeds(*used as usize));
        if size > max_size {
            refused.insert(number as u32);
            // those that use it are too large as well, and not reported
            if is_first(&|used| found.sizes[used] > if (used as u32) < nouns { MAX_NOUN_BYTES } else { MAX_FUNCTION_BYTES }) {
                let (message, help) = if is_noun {
                    (
                        format!("the noun `{name}` has more than {max_size} characters with all its nouns written out"),
                        "use each noun once, or compute a part of it by a `function`",
                    )
                } else {
                    (
                        format!("a call of `{name}` evaluates more than {max_size} characters of functions"),
                        "call each function once, and pass its value on",
                    )
                };
                diagnostics.push(limits::exceeded(*span, message, help));
            }
        } else if depth > MAX_DEPENDENCY_DEPTH {
            refused.insert(number as u32);
            if is_first(&|used| found.depths[used] > MAX_DEPENDENCY_DEPTH) {
                let message = format!("the {kind} `{name}` uses a chain of more than {MAX_DEPENDENCY_DEPTH} nouns and functions");
                diagnostics.push(limits::exceeded(*span, message, "let it use those at the end of the chain"));
            }
        }
    }
    out.refused_functions = refused.range(nouns..).map(|number| number - nouns).collect();
    out.functions = called_functions(&nodes, nouns);
    if refused.range(..nouns).next().is_some() {
        let mut number = 0;
        names.nouns.retain(|_, _| {
            number += 1;
            !refused.contains(&(number - 1))
        });
    }
}

/// The functions that each function calls, also through nouns, without duplicates. `nouns`: the number of nouns, which come first.
fn called_functions(nodes: &[Node], nouns: u32) -> Vec<Vec<u32>> {
    let mut called = Vec::new();
    for (number, node) in nodes.iter().enumerate().skip(nouns as usize) {
        let mut seen: BTreeSet<u32> = BTreeSet::new();
        let mut open: Vec<u32> = node.uses.clone();
        let mut functions = Vec::new();
        while let Some(next) = open.pop() {
            if next as usize == number || !seen.insert(next) {
                continue;
            }
            if next < nouns {
                open.extend(&nodes[next as usize].uses);
            } else {
                functions.push(next - nouns);
            }
        }
        functions.sort_unstable();
        called.push(functions);
    }
    called
}

/// Removes the parents of actions that are their own ancestors, or have too many ancestors.
fn resolve_parents(names: &mut NameTable<'_>, diagnostics: &mut Vec<Diagnostic>) {
    if names.actions.values().all(|action| action.parent.is_none()) {
        return;
    }
    let node = |action: &crate::names::Signature| Node {
        kind: "action",
        name: action.name.clone(),
        span: action.span,
        size: 1,
        uses: action.parent.iter().map(|parent| parent.0).collect(),
    };
    let nodes: Vec<Node> = names.actions.values().map(node).collect();
    let found = analyse(&nodes);
    report_circles(&nodes, &found, diagnostics);
    for (number, action) in names.actions.values_mut().enumerate() {
        if found.depths[number] == MAX_DEPENDENCY_DEPTH + 1 {
            let message = format!("the action `{}` has more than {MAX_DEPENDENCY_DEPTH} actions above it", action.name);
            diagnostics.push(limits::exceeded(action.span, message, "let it extend the action at the end of the chain"));
        }
        if found.depths[number] > MAX_DEPENDENCY_DEPTH || found.circular.contains(&(number as u32)) {
            action.parent = None;
        }
    }
}

/// A keyword with the number of abilities that it has itself. `number`: the number of another keyword in the graph.
fn keyword_node(
    names: &NameTable<'_>,
    name: &SmolStr,
    abilities: &[Ability],
    number: impl Fn(&SmolStr) -> Option<usize>,
) -> Node {
    let parts = abilities.iter().filter_map(|ability| match &ability.kind {
        AbilityKind::Keyword(fact) => number(&fact.word.text).map(|number| number as u32),
        _ => None,
    });
    let uses: Vec<u32> = parts.collect();
    let size = (abilities.len() - uses.len()) as u64;
    let span = names.keywords.get(name).map_or_else(Span::default, |declared| declared.span);
    Node { kind: "keyword", name: name.clone(), span, size, uses }
}

/// The number of abilities that each keyword stands for in the game.
fn keyword_sizes(names: &NameTable<'_>, items: &[&Item]) -> Vec<u64> {
    let mut nodes: Vec<Node> = vec![Node::default(); names.keywords.len()];
    for item in items {
        if let ItemKind::Keyword { name, abilities, .. } = &item.kind
            && let Some(node) = names.keywords.get_index_of(&name.text).and_then(|number| nodes.get_mut(number))
        {
            *node = keyword_node(names, &name.text, abilities, |word| names.keywords.get_index_of(word));
        }
    }
    analyse(&nodes).sizes
}

/// Finds the keywords of a format that stand for themselves, or for too many abilities. `bodies`: their names with what they stand for.
///
/// Returns those that are reported; they stand for nothing.
pub fn resolve_keywords(
    names: &NameTable<'_>,
    bodies: &IndexMap<SmolStr, KeywordBody<'_>>,
    diagnostics: &mut Vec<Diagnostic>,
) -> BTreeSet<SmolStr> {
    let mut nodes = Vec::with_capacity(bodies.len());
    for (name, body) in bodies {
        nodes.push(keyword_node(names, name, body.abilities, |word| bodies.get_index_of(word)));
    }
    let found = analyse(&nodes);
    report_circles(&nodes, &found, diagnostics);
    let mut refused: BTreeSet<SmolStr> =
        found.circular.iter().filter_map(|number| nodes.get(*number as usize)).map(|node| node.name.clone()).collect();
    for (number, Node { name, span, uses, .. }) in nodes.iter().enumerate() {
        let exceeds = |number: usize| found.sizes[number] > MAX_ABILITIES || found.depths[number] > MAX_DEPENDENCY_DEPTH;
        if !exceeds(number) {
            continue;
        }
        refused.insert(name.clone());
        // keywords that include it exceed the limit as well, and are not reported
        if uses.iter().any(|used| exceeds(*used as usize)) {
            continue;
        }
        diagnostics.push(if found.sizes[number] > MAX_ABILITIES {
            let message = format!("the keyword `{name}` stands for more than {MAX_ABILITIES} abilities");
            limits::exceeded(*span, message, "include each keyword once")
        } else {
            let message = format!("the keyword `{name}` uses a chain of more than {MAX_DEPENDENCY_DEPTH} keywords");
            limits::exceeded(*span, message, "let it include those at the end of the chain")
        });
    }
    refused
}
