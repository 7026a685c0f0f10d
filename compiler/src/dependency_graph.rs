//! The graph of declarations that refer to each other: cycles, sizes and longest chains.
//!
//! One depth-first search finds the cycles, the sizes of declarations with all that they use written out, and the longest chains. It is
//! iterative, and takes time in proportion to the texts.

use crate::diagnostics::{Diagnostic, codes};
use fizzle_grammar::ast::{Expr, Name, Path, Span};
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
pub struct UsedNames<F: FnMut(&Name)> {
    /// Called with each name.
    pub found: F,
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
