//! The dependency graph of declarations that refer to each other: constants, nouns, functions, keywords and actions with their parents.
//!
//! One depth-first search finds the cycles, the sizes of declarations with all that they use written out, and the longest chains. It is
//! iterative, and takes time in proportion to the texts.

use crate::diagnostics::{Diagnostic, codes};
use crate::formats::KeywordBody;
use crate::limits::{self, MAX_ABILITIES, MAX_DEPENDENCY_DEPTH, MAX_FUNCTION_BYTES, MAX_NOUN_BYTES};
use crate::maps::IndexMap;
use crate::names::NameTable;
use fizzle_grammar::ast::{Ability, AbilityKind, Expr, Item, ItemKind, Name, Path, Span};
use fizzle_grammar::visit::{self, NameRole, Visitor};
use smol_str::SmolStr;
use std::collections::BTreeSet;

/// The most declarations of a circle that a message shows.
const MAX_SHOWN: usize = 5;

/// A declaration and what it uses.
#[derive(Clone, Debug, Default)]
pub struct Node {
    /// The kind of the declaration (`noun`), for messages.
    pub kind: &'static str,
    /// Its name.
    pub name: SmolStr,
    /// The place of its name.
    pub span: Span,
    /// Its own size.
    pub size: u64,
    /// The declarations that it uses, by number; once for each use.
    pub uses: Vec<u32>,
}

/// What the search finds.
#[derive(Clone, Debug, Default)]
pub struct Analysis {
    /// The circles, each as the numbers of its declarations in the order of use.
    pub circles: Vec<Vec<u32>>,
    /// The declarations that are part of a circle. Without them there is none.
    pub circular: BTreeSet<u32>,
    /// For each declaration: its size with everything that it uses written out.
    pub sizes: Vec<u64>,
    /// For each declaration: the length of the longest chain of declarations that begins with it.
    pub depths: Vec<u32>,
}

/// Searches a graph. Uses that close a circle do not count for sizes and depths.
#[must_use]
pub fn analyse(nodes: &[Node]) -> Analysis {
    #[derive(Clone, Copy, PartialEq, Eq)]
    enum State {
        New,
        Open(usize),
        Done,
    }
    let mut found =
        Analysis { sizes: nodes.iter().map(|node| node.size).collect(), depths: vec![1; nodes.len()], ..Analysis::default() };
    let mut states = vec![State::New; nodes.len()];
    for root in 0..nodes.len() as u32 {
        // each entry: a declaration, and the number of its uses that were followed
        let mut path: Vec<(u32, usize)> = Vec::new();
        if states[root as usize] == State::New {
            states[root as usize] = State::Open(0);
            path.push((root, 0));
        }
        while let Some((at, followed)) = path.last_mut() {
            let number = *at as usize;
            let Some(next) = nodes[number].uses.get(*followed).map(|next| *next as usize) else {
                states[number] = State::Done;
                path.pop();
                continue;
            };
            match states[next] {
                State::New => {
                    // the use is followed again when the declaration is done
                    states[next] = State::Open(path.len());
                    path.push((next as u32, 0));
                    continue;
                }
                State::Open(start) => {
                    let circle: Vec<u32> = path.iter().skip(start).map(|(number, _)| *number).collect();
                    // one message for each declaration that closes a circle
                    if found.circular.insert(number as u32) || !found.circular.contains(&(next as u32)) {
                        found.circular.extend(&circle);
                        found.circles.push(circle);
                    }
                }
                State::Done => {
                    found.sizes[number] = found.sizes[number].saturating_add(found.sizes[next]);
                    found.depths[number] = found.depths[number].max(found.depths[next].saturating_add(1));
                }
            }
            if let Some((_, followed)) = path.last_mut() {
                *followed += 1;
            }
        }
    }
    found
}

/// The diagnostic of a circle. `nodes`: its declarations, in the order of use.
#[must_use]
pub fn circle(nodes: &[&Node]) -> Diagnostic {
    // from the declaration that comes first in the sources, so that the message does not depend on where the search begins
    let first = (0..nodes.len()).min_by_key(|index| nodes[*index].span).unwrap_or(0);
    let at = |index: usize| nodes[(first + index) % nodes.len().max(1)];
    let Node { kind, name, span, .. } = at(0);
    let mut message = format!("the {kind} `{name}` uses itself");
    let mut diagnostic_labels = Vec::new();
    if nodes.len() > 1 {
        let shown = nodes.len().min(MAX_SHOWN);
        let uses = |index: usize| format!("`{}` uses `{}`", at(index).name, at(index + 1).name);
        let mut parts: Vec<String> = (0..shown).map(uses).collect();
        if nodes.len() > shown {
            parts[shown - 1] = format!("… ({} more)", nodes.len() - shown);
            parts.push(uses(nodes.len() - 1));
        }
        message = format!("{message}: {}", parts.join(", "));
        diagnostic_labels.extend((1..shown).map(|index| (at(index).span, format!("`{}` is declared here", at(index).name))));
    }
    let help = match *kind {
        "constant" => "give one of them a value that is a number",
        "noun" => "define it by other nouns, trait words and conditions",
        "function" => "card code always terminates: use a count or a selection instead",
        "keyword" => "a keyword consists of abilities and other keywords: remove it from its own declaration",
        "action" => "an action is a more special form of its parent: leave `is` out in one of them",
        _ => "one of them must not refer to the others",
    };
    let mut problem = Diagnostic::new(&codes::RECURSION, *span, message).help(help);
    problem.labels = diagnostic_labels;
    problem
}

/// Collects the names that an expression uses.
struct UsedNames<F: FnMut(&Name)> {
    found: F,
}

impl<F: FnMut(&Name)> Visitor for UsedNames<F> {
    fn name(&mut self, role: NameRole, name: &Name) {
        if matches!(role, NameRole::Word | NameRole::Called) {
            (self.found)(name);
        }
    }

    fn path(&mut self, _: &Path) {}

    fn period(&mut self, _: &Name) {}

    fn enter(&mut self) {}

    fn event(&mut self, _: &Name) {}

    fn leave(&mut self) {}
}

/// The names that an expression uses.
#[must_use]
pub fn used_names(expr: &Expr) -> Vec<SmolStr> {
    let mut names = Vec::new();
    visit::expression(expr, &mut UsedNames { found: |name: &Name| names.push(name.text.clone()) });
    names
}

/// The declared names that expressions use, and what is known about them.
#[derive(Clone, Debug, Default)]
pub struct Dependencies {
    /// For each constant: the constants in its value.
    pub constants: Vec<Vec<u32>>,
    /// The constants that are part of a circle, or refer to one that is.
    pub circular_constants: BTreeSet<u32>,
    /// For each function: the functions that it calls, also through nouns.
    pub functions: Vec<Vec<u32>>,
    /// For each keyword: the number of abilities that it stands for in the game, with all keywords expanded.
    pub keyword_sizes: Vec<u64>,
    /// The functions that cannot be lowered: they call themselves, or their calls are too large.
    pub refused_functions: BTreeSet<u32>,
}

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
