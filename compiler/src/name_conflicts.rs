//! Reports name conflicts: declarations of different kinds with the same name, of which one could never be used.

use crate::diagnostics::{Diagnostic, codes};
use crate::lower::call::STATEMENTS;
use crate::maps::IndexMap;
use crate::names::NameTable;
use crate::verb_forms::is_inflected_form;
use fizzle_grammar::ast::Span;
use fizzle_grammar::edition;
use fizzle_ir::Type;
use fizzle_ir::verbs::{BUILTINS, VERBS};
use smol_str::SmolStr;

/// The kinds of declarations whose names are used in expressions.
const EXPRESSION_KINDS: &[&str] = &[
    "trait word",
    "traits item",
    "property",
    "status",
    "player variable",
    "global variable",
    "constant",
    "zone",
    "noun",
    "keyword",
    "function",
];

/// Words with a built-in meaning where a name is expected.
const RESERVED_WORDS: &[&str] = &["card", "object", "player", "players", "candidate"];

/// The place of the first declaration of each name of each kind.
type DeclarationSpans = IndexMap<(&'static str, SmolStr), Span>;

/// Reports all conflicts, each at the later declaration.
pub fn report(names: &NameTable<'_>, declared: &DeclarationSpans, diagnostics: &mut Vec<Diagnostic>) {
    let mut first: IndexMap<&SmolStr, Vec<(&'static str, Span)>> = IndexMap::default();
    for ((kind, name), span) in declared {
        if EXPRESSION_KINDS.contains(kind) {
            first.entry(name).or_default().push((*kind, *span));
        }
    }
    for (name, kinds) in &first {
        report_word_conflicts(names, name, kinds, diagnostics);
    }
    report_verb_conflicts(declared, diagnostics);
}

fn report_word_conflicts(
    names: &NameTable<'_>,
    name: &SmolStr,
    kinds: &[(&'static str, Span)],
    diagnostics: &mut Vec<Diagnostic>,
) {
    // The owner distinguishes values of objects (`X of it`) from values of players (`X of you`).
    let of_player = |kind| kind == "player variable";
    let of_object = |kind| matches!(kind, "status" | "property");
    let apart = |a, b| of_player(a) && of_object(b) || of_object(a) && of_player(b);
    for (later, (kind, span)) in kinds.iter().enumerate() {
        let clash = kinds.iter().take(later).find(|(earlier, _)| !apart(earlier, kind));
        if let Some((earlier, at)) = clash {
            diagnostics.push(
                Diagnostic::new(
                    &codes::DUPLICATE,
                    *span,
                    format!("the {kind} `{name}` has the same name as the {earlier} `{name}`"),
                )
                .label("a text could mean either of them")
                .also(*at, "declared here")
                .help("give one of them another name"),
            );
        } else if RESERVED_WORDS.contains(&name.as_str()) {
            report_unreachable(*span, format!("`{name}` has a built-in meaning"), diagnostics);
        } else if *kind == "function"
            && let Some(renamed) = edition::renamed_function(name)
        {
            report_unreachable(*span, format!("the name `{name}` is reserved: edition 1 uses it for `{renamed}`"), diagnostics);
        } else if *kind == "function" && BUILTINS.iter().any(|row| row.name == name) {
            report_unreachable(*span, format!("the function `{name}` is built in"), diagnostics);
        } else if is_bool(names, kind, name)
            && let Some(path) = names.find_period(name).into_iter().find(|path| path.rsplit('.').next() == Some(name.as_str()))
        {
            let mut problem =
                Diagnostic::new(&codes::DUPLICATE, *span, format!("the {kind} `{name}` has the same name as a phase or step"))
                    .label("a text could mean either of them")
                    .help("give one of them another name");
            if let Some(at) = names.periods.get(&path).filter(|at| **at != Span::default()) {
                problem = problem.also(*at, "declared here");
            }
            diagnostics.push(problem);
        }
    }
}

/// Whether a name alone is a bool. Then it takes precedence over a phase or step of the same name.
fn is_bool(names: &NameTable<'_>, kind: &str, name: &SmolStr) -> bool {
    match kind {
        "global variable" => {
            let place = names.globals.iter().position(|global| global.name.text == *name);
            place.and_then(|place| names.types[3].get(place)) == Some(&Type::Bool)
        }
        "function" => {
            names.functions.get(name).is_some_and(|function| function.params.is_empty() && function.result == Some(Type::Bool))
        }
        _ => false,
    }
}

fn report_unreachable(span: Span, message: String, diagnostics: &mut Vec<Diagnostic>) {
    let problem = Diagnostic::new(&codes::DUPLICATE, span, message);
    diagnostics.push(problem.label("this declaration can never be used").help("give it another name"));
}

/// Reports conflicts of actions and plays. Statements and patterns distinguish them only by their verbs.
fn report_verb_conflicts(declared: &DeclarationSpans, diagnostics: &mut Vec<Diagnostic>) {
    let all: Vec<(&'static str, &SmolStr, Span)> = declared
        .iter()
        .filter(|((kind, _), _)| matches!(*kind, "action" | "play"))
        .map(|((kind, name), span)| (*kind, name, *span))
        .collect();
    for (later, (kind, name, span)) in all.iter().enumerate() {
        let built = |word: &str| VERBS.iter().any(|verb| verb.pattern_words.contains(&word));
        if *kind == "action" && STATEMENTS.contains(&name.as_str()) || built(name) {
            report_unreachable(*span, format!("the verb `{name}` is built in"), diagnostics);
            continue;
        }
        if *kind == "action"
            && let Some(renamed) = edition::renamed_verb(name)
        {
            report_unreachable(*span, format!("the name `{name}` is reserved: edition 1 uses it for `{renamed}`"), diagnostics);
            continue;
        }
        let alike =
            |other: &str| other == name.as_str() || is_inflected_form(other, name, true) || is_inflected_form(name, other, true);
        if let Some((earlier, other, at)) = all.iter().take(later).find(|(_, other, _)| alike(other)) {
            diagnostics.push(
                Diagnostic::new(
                    &codes::DUPLICATE,
                    *span,
                    format!("the {kind} `{name}` has the same name as the {earlier} `{other}`"),
                )
                .label("a pattern could mean either of them")
                .also(*at, "declared here")
                .help("give one of them another name"),
            );
        }
    }
}
