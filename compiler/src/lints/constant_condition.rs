//! Lint: conditions that are always true or always false, and selections that nothing satisfies.
//!
//! Only literals are evaluated: a format may replace a constant, and the arguments of a keyword differ from card to card.

use crate::diagnostics::{Diagnostic, codes};
use crate::lower::Lowering;
use crate::lower::selection::Constraint;
use crate::names::Meaning;
use crate::phrase_syntax::{as_phrase, bare_word};
use fizzle_grammar::ast::{Aggregate, BinaryOp, Expr, ExprKind, Head, PhraseFilterKind, Span};

/// A comparison of a text with a literal.
struct NumericBound {
    what: String,
    op: BinaryOp,
    number: i64,
    span: Span,
}

impl<'a> Lowering<'a> {
    /// Reports a condition that is constant, and parts of it that exclude each other.
    pub fn lint_condition(&mut self, expr: &'a Expr) {
        if let Some(always) = self.constant_truth(expr) {
            let text = self.source_words(expr.span);
            self.report(Diagnostic::new(&codes::CONSTANT_CONDITION, expr.span, format!("`{text}` is always {always}")).help(
                if always {
                    "leave the condition out"
                } else {
                    "what depends on it never happens: correct the condition, or leave it out"
                },
            ));
        }
        self.lint_place_before_move(expr);
        if let ExprKind::Binary { op: BinaryOp::And, .. } = expr.kind {
            let mut bounds = Vec::new();
            self.collect_bounds(expr, &mut bounds);
            self.lint_exclusive_bounds(&bounds);
            let mut parts = Vec::new();
            collect_conjuncts(expr, &mut parts);
            self.lint_opposites(&parts);
        }
    }

    /// Reports `before_move(x) in ZONE`: an object as it was before its move is in no zone any more.
    fn lint_place_before_move(&mut self, expr: &'a Expr) {
        let Some(phrase) = as_phrase(ungrouped(expr)) else { return };
        let (Head::Call { name, .. }, [filter]) = (&phrase.head, phrase.filters.as_slice()) else { return };
        let PhraseFilterKind::In(place) = &filter.kind else { return };
        let zone = match as_phrase(place).map(|place| &place.head) {
            Some(Head::Word(word) | Head::Possessive { word, .. }) => word,
            _ => return,
        };
        let is_zone = self.names.zone_id(&zone.text).is_some() && self.local_type(&zone.text).is_none();
        if name.text != "before_move" || phrase.quantifier.is_some() || phrase.other || !is_zone {
            return;
        }
        let (text, zone) = (self.source_words(ungrouped(expr).span), &zone.text);
        let message = format!("`{text}` is always false: what has moved is in no zone as it was before");
        self.report(Diagnostic::new(&codes::CONSTANT_CONDITION, ungrouped(expr).span, message).help(format!(
            "an event names the zone from which something comes: `when this leaves {zone}`, `when this enters OTHER from {zone}`; for one of several zones write an ability for each"
        )));
    }

    /// The word constraint that a noun or a `that is` stands for. Other constraints are returned unchanged.
    fn as_word_constraint(&self, test: &Constraint<'a>) -> Constraint<'a> {
        match test {
            Constraint::Noun(inner) => self.as_word_constraint(inner),
            Constraint::Is(expr, negated) => {
                let word = bare_word(expr).filter(|word| self.local_type(&word.text).is_none());
                let meanings = word.map_or(&[][..], |word| self.names.meanings(&word.text));
                let found = meanings.iter().find_map(|meaning| match meaning {
                    Meaning::Word(traits, index) => Some(Constraint::Word(*traits, *index)),
                    _ => None,
                });
                match found {
                    Some(found) if *negated => Constraint::Not(Box::new(found)),
                    Some(found) => found,
                    None => test.clone(),
                }
            }
            _ => test.clone(),
        }
    }

    /// Reports a condition that is required together with its opposite.
    fn lint_opposites(&mut self, parts: &[&'a Expr]) {
        let opposite = |one: &Expr, other: &Expr| match (&one.kind, &other.kind) {
            (ExprKind::Not(inner), _) => {
                is_deterministic_condition(other) && self.source_words(inner.span) == self.source_words(other.span)
            }
            (ExprKind::Is { left, right, negated: true }, ExprKind::Is { left: whose, right: what, negated: false }) => {
                let same = |a: &Expr, b: &Expr| self.source_words(a.span) == self.source_words(b.span);
                is_deterministic(left) && same(left, whose) && same(right, what)
            }
            _ => false,
        };
        let clash = parts.iter().find_map(|one| Some((*one, *parts.iter().find(|other| opposite(one, other))?)));
        if let Some((one, other)) = clash {
            let (denied, wanted) = (self.source_words(one.span), self.source_words(other.span));
            self.report(
                Diagnostic::new(&codes::CONTRADICTION, one.span, format!("`{wanted}` and `{denied}` are never true together"))
                    .also(other.span, "this one")
                    .help("leave one of the two out; if one of them is enough, join them by `or`"),
            );
        }
    }

    /// Reports constraints of one selection that exclude each other.
    pub fn lint_constraints(&mut self, tests: &[Constraint<'a>], span: Span) {
        let mut bounds = Vec::new();
        for test in tests {
            let test = if let Constraint::Noun(inner) = test { inner } else { test };
            if let Constraint::Holds(expr) = test {
                self.collect_bounds(expr, &mut bounds);
            }
        }
        // A bound that names a local variable is skipped: in the text of a noun the name means something else.
        bounds.retain(|bound| self.local_type(&bound.what).is_none());
        self.lint_exclusive_bounds(&bounds);
        let opposite = |one: &Constraint<'a>, other: &Constraint<'a>| match (one, other) {
            (Constraint::Word(a, b), Constraint::Word(c, d)) => a == c && b == d,
            (Constraint::Keyword(a), Constraint::Keyword(b)) => a == b,
            (Constraint::Flag(a), Constraint::Flag(b)) => a == b,
            _ => false,
        };
        let tests: Vec<Constraint<'a>> = tests.iter().map(|test| self.as_word_constraint(test)).collect();
        let denied =
            |test: &Constraint<'a>| matches!(test, Constraint::Not(inner) if tests.iter().any(|other| opposite(inner, other)));
        let whose = |word: &str| {
            let owner = |test: &Constraint<'a>| matches!(test, Constraint::Controlled(atom) if atom.word().is_some_and(|who| who.text == word));
            tests.iter().any(owner)
        };
        if whose("you") && whose("opponent") {
            let text = self.source_words(span);
            self.report(
                Diagnostic::new(&codes::CONTRADICTION, span, format!("nothing is `{text}`: it is yours and an opponent's"))
                    .help("leave one of the two out"),
            );
        }
        if tests.iter().any(denied) {
            let text = self.source_words(span);
            self.report(
                Diagnostic::new(&codes::CONTRADICTION, span, format!("nothing is `{text}`: it requires a word and its absence"))
                    .help("leave one of the two out"),
            );
        }
    }

    /// The constant value of a comparison, if its text shows it.
    fn constant_truth(&self, expr: &Expr) -> Option<bool> {
        let ExprKind::Binary { op, left, right } = &expr.kind else { return None };
        if let (Some(a), Some(b)) = (literal(left), literal(right)) {
            return compare(*op, a, b);
        }
        if let (true, Some(number)) = (is_count(left), literal(right)) {
            return constant_for_count(*op, number);
        }
        if let (Some(number), true) = (literal(left), is_count(right)) {
            return constant_for_count(mirror_operator(*op)?, number);
        }
        let same = self.source_words(left.span) == self.source_words(right.span) && is_deterministic(left);
        if same { compare(*op, 0, 0) } else { None }
    }

    /// Collects the comparisons with literals that must all hold.
    fn collect_bounds(&self, expr: &Expr, bounds: &mut Vec<NumericBound>) {
        match &expr.kind {
            ExprKind::Binary { op: BinaryOp::And, left, right } => {
                self.collect_bounds(left, bounds);
                self.collect_bounds(right, bounds);
            }
            ExprKind::Binary { op, left, right } => {
                let found = match (literal(left), literal(right)) {
                    (None, Some(number)) => Some((left, *op, number)),
                    (Some(number), None) => mirror_operator(*op).map(|op| (right, op, number)),
                    _ => None,
                };
                if let Some((what, op, number)) =
                    found.filter(|(what, op, _)| is_deterministic(what) && compare(*op, 0, 0).is_some())
                {
                    bounds.push(NumericBound { what: self.source_words(what.span), op, number, span: expr.span });
                }
            }
            ExprKind::Phrase(phrase) if phrase.quantifier.is_none() && phrase.filters.is_empty() && !phrase.other => {
                if let Head::Group(inner) = &phrase.head {
                    self.collect_bounds(inner, bounds);
                }
            }
            _ => {}
        }
    }

    fn lint_exclusive_bounds(&mut self, bounds: &[NumericBound]) {
        for (index, later) in bounds.iter().enumerate() {
            let clash = bounds.iter().take(index).find(|earlier| earlier.what == later.what && excludes(earlier, later));
            if let Some(earlier) = clash {
                let (one, other) = (self.source_words(earlier.span), self.source_words(later.span));
                self.report(
                    Diagnostic::new(&codes::CONTRADICTION, later.span, format!("`{one}` and `{other}` are never true together"))
                        .also(earlier.span, "this one")
                        .help("correct one of the two; if one of them is enough, join them by `or`"),
                );
            }
        }
    }

    pub(super) fn source_words(&self, span: Span) -> String {
        self.sources.slice(span).split_whitespace().collect::<Vec<_>>().join(" ")
    }
}

/// An expression without the parentheses around it.
fn ungrouped(expr: &Expr) -> &Expr {
    match as_phrase(expr) {
        Some(phrase) if phrase.quantifier.is_none() && phrase.filters.is_empty() && !phrase.other => match &phrase.head {
            Head::Group(inner) => ungrouped(inner),
            _ => expr,
        },
        _ => expr,
    }
}

/// Collects the operands of a conjunction.
fn collect_conjuncts<'a>(expr: &'a Expr, parts: &mut Vec<&'a Expr>) {
    match &expr.kind {
        ExprKind::Binary { op: BinaryOp::And, left, right } => {
            collect_conjuncts(left, parts);
            collect_conjuncts(right, parts);
        }
        ExprKind::Phrase(phrase) if phrase.quantifier.is_none() && phrase.filters.is_empty() && !phrase.other => {
            match &phrase.head {
                Head::Group(inner) => collect_conjuncts(inner, parts),
                _ => parts.push(expr),
            }
        }
        _ => parts.push(expr),
    }
}

/// The least and the greatest number that satisfy a bound. `!=` excludes none of them.
fn range(bound: &NumericBound) -> (i64, i64) {
    match bound.op {
        BinaryOp::Equal => (bound.number, bound.number),
        BinaryOp::LessEqual => (i64::MIN, bound.number),
        BinaryOp::Less => (i64::MIN, bound.number - 1),
        BinaryOp::GreaterEqual => (bound.number, i64::MAX),
        BinaryOp::Greater => (bound.number + 1, i64::MAX),
        _ => (i64::MIN, i64::MAX),
    }
}

fn excludes(one: &NumericBound, other: &NumericBound) -> bool {
    let ((a, b), (c, d)) = (range(one), range(other));
    let apart = a.max(c) > b.min(d);
    let but = |x: &NumericBound, y: &NumericBound| x.op == BinaryOp::Equal && y.op == BinaryOp::NotEqual && x.number == y.number;
    apart || but(one, other) || but(other, one)
}

/// Compares two numbers. `None` for operators that do not compare.
fn compare(op: BinaryOp, a: i64, b: i64) -> Option<bool> {
    Some(match op {
        BinaryOp::Equal => a == b,
        BinaryOp::NotEqual => a != b,
        BinaryOp::LessEqual => a <= b,
        BinaryOp::GreaterEqual => a >= b,
        BinaryOp::Less => a < b,
        BinaryOp::Greater => a > b,
        _ => return None,
    })
}

/// The operator for swapped operands. `None` for operators that do not compare.
fn mirror_operator(op: BinaryOp) -> Option<BinaryOp> {
    Some(match op {
        BinaryOp::Equal | BinaryOp::NotEqual => op,
        BinaryOp::LessEqual => BinaryOp::GreaterEqual,
        BinaryOp::GreaterEqual => BinaryOp::LessEqual,
        BinaryOp::Less => BinaryOp::Greater,
        BinaryOp::Greater => BinaryOp::Less,
        _ => return None,
    })
}

/// The constant value of a comparison of a count with a number: a count is never negative.
fn constant_for_count(op: BinaryOp, number: i64) -> Option<bool> {
    match op {
        BinaryOp::GreaterEqual if number <= 0 => Some(true),
        BinaryOp::Greater | BinaryOp::NotEqual if number < 0 => Some(true),
        BinaryOp::Less if number <= 0 => Some(false),
        BinaryOp::LessEqual | BinaryOp::Equal if number < 0 => Some(false),
        _ => None,
    }
}

fn is_count(expr: &Expr) -> bool {
    matches!(expr.kind, ExprKind::Aggregate { kind: Aggregate::Count, .. })
}

/// Whether an expression has the same value each time it occurs in one condition: it contains neither chance nor a choice.
fn is_deterministic(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Phrase(phrase) => {
            phrase.quantifier.is_none()
                && !matches!(&phrase.head, Head::Group(_) | Head::List(_))
                && !matches!(phrase.head, Head::Bool(_))
        }
        ExprKind::Aggregate { .. } => true,
        _ => false,
    }
}

/// The same for conditions.
fn is_deterministic_condition(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Is { left, right, .. } => is_deterministic(left) && is_deterministic(right),
        ExprKind::Has { left, .. } => is_deterministic(left),
        ExprKind::Binary { op, left, right } => compare(*op, 0, 0).is_some() && is_deterministic(left) && is_deterministic(right),
        _ => is_deterministic(expr),
    }
}

/// The value of a number literal.
fn literal(expr: &Expr) -> Option<i64> {
    match &expr.kind {
        ExprKind::Negative(inner) => Some(-literal(inner)?),
        ExprKind::Phrase(phrase) if phrase.quantifier.is_none() && phrase.filters.is_empty() && !phrase.other => {
            match &phrase.head {
                Head::Number(number) => Some(*number),
                Head::Group(inner) => literal(inner),
                _ => None,
            }
        }
        _ => None,
    }
}
