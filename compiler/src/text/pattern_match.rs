//! Matches text trees with the patterns of the entries of a lexicon, and binds their holes.

use super::normalize::{BINDING, MAY, SUBJECT};
use super::tree::{TextNode, TextNodeKind, collect_conditions, equal_ignoring_spans};
use smol_str::SmolStr;
use std::rc::Rc;

/// A part of a template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TemplatePart {
    /// Literal text.
    Text(String),
    /// What a hole is bound to, in a form: `{X}`, `{X's}`, `{N card}`, `{X:one|several}`.
    Slot(SmolStr, String),
}

/// A pattern with the template for the nodes that it matches.
#[derive(Clone, Debug)]
pub struct LexiconEntry {
    /// The form of the nodes that it matches.
    pub pattern: TextNode,
    /// The template.
    pub parts: Vec<TemplatePart>,
    /// Templates of further forms, such as the reminder of a verb or the second form of an event.
    pub more_forms: Vec<Vec<TemplatePart>>,
    /// Whether the pattern or the template of a verb names its subject.
    pub(super) prints_subject: bool,
}

/// The table that an entry belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[expect(missing_docs, reason = "named after the words of the language")]
pub enum LexiconTable {
    Do,
    Cost,
    Event,
    Value,
    Until,
    Change,
    Ability,
}

/// An entry of a text item, parsed once for all lexicons that it is added to.
#[derive(Clone, Debug)]
pub enum ParsedEntry {
    /// The forms of a name.
    Name(SmolStr, Rc<[String]>),
    /// How objects that print a word refer to themselves; without a word, all objects.
    SelfName(Option<SmolStr>, Rc<str>),
    /// The text of a state rule.
    Rule(SmolStr, Rc<str>),
    /// The forms of a setting.
    Style(SmolStr, Rc<[String]>),
    /// A template, and the table that it belongs to.
    Template(LexiconTable, Rc<LexiconEntry>),
}

/// The nodes that the holes of a pattern are bound to.
pub type HoleBindings = Vec<(SmolStr, TextNode)>;

impl LexiconEntry {
    /// Whether the template of a verb prints its subject, or begins with something other than the verb.
    pub(super) fn names_subject(&self) -> bool {
        self.prints_subject || !matches!(self.parts.first(), Some(TemplatePart::Text(_)))
    }

    /// Whether its pattern is a sequence of statements.
    pub(super) fn is_sequence(&self) -> bool {
        self.pattern.kind == TextNodeKind::Block && self.pattern.kids.len() > 1
    }
}

/// Whether a pattern leaves a child open: it is not written, or is the list of exceptions of a copy that has none.
pub(super) fn is_unwritten(pattern: &TextNode, at: usize) -> bool {
    let is_copy = matches!(pattern.kind, TextNodeKind::Becomes | TextNodeKind::CreateCopy);
    let child = pattern.kid(at);
    child.is_nil() || is_copy && child.kind == TextNodeKind::List && child.kids.is_empty()
}

/// Whether a pattern matches a filter of any phrase, as `X with power <= N` does.
pub(super) fn is_post(pattern: &TextNode) -> bool {
    pattern.kind == TextNodeKind::Phrase
        && pattern.kids.len() == 3
        && pattern.kid(1).kind == TextNodeKind::Hole
        && pattern.kid(0).is_nil()
        && pattern.text.is_empty()
}

/// Whether a statement says who does it, or that a player chooses if it is done, and the pattern does not: the text of several statements has no
/// place for it.
fn drops_doer(pattern: &TextNode, node: &TextNode) -> bool {
    let [pattern, node] = [pattern, node].map(|statement| statement.kid(0));
    let is_act = pattern.kind == TextNodeKind::Do && node.kind == TextNodeKind::Do;
    let is_dropped = |at: usize| pattern.kid(at).is_nil() && !node.kid(at).is_nil();
    is_act && (is_dropped(MAY) || is_dropped(SUBJECT) && !node.kid(SUBJECT).is_word("you"))
}

/// Whether a pattern for a statement of a sequence would drop the link of the statement that it matches: a hole takes it over as a whole.
fn drops_link(pattern: &TextNode, node: &TextNode) -> bool {
    pattern.kind == TextNodeKind::Hole
        && node.kind == TextNodeKind::Statement
        && matches!(node.text.as_str(), "if_you_do" | "otherwise")
}

/// The bindings of a pattern of several statements that matches the first ones of these.
pub(super) fn matches_sequence(pattern: &TextNode, statements: &[TextNode]) -> Option<HoleBindings> {
    let mut found = Vec::new();
    let fit = pattern.kids.len() <= statements.len()
        && pattern.kids.iter().zip(statements).enumerate().all(|(at, (pattern, node))| {
            if drops_doer(pattern, node) {
                false
            } else if at == 0
                && pattern.kind == TextNodeKind::Statement
                && node.kind == TextNodeKind::Statement
                && pattern.text.is_empty()
            {
                fits(pattern.kid(0), node.kid(0), &mut found)
            } else {
                // a name that only later statements use is bound by the renderer
                !drops_link(pattern, node) && fits(pattern, &without_unwritten_name(pattern, node), &mut found)
            }
        });
    fit.then_some(found)
}

/// A statement without the name that it gives to what it is about, if the pattern writes none.
fn without_unwritten_name(pattern: &TextNode, node: &TextNode) -> TextNode {
    let mut made = node.clone();
    let is_act = |statement: &TextNode| statement.kid(0).kind == TextNodeKind::Do;
    if is_act(pattern)
        && is_act(node)
        && pattern.kid(0).kid(BINDING).is_nil()
        && let Some(name) = made.kids.first_mut().and_then(|act| act.kids.get_mut(BINDING))
    {
        *name = TextNode::nil();
    }
    made
}

fn bind(hole: &SmolStr, node: TextNode, found: &mut HoleBindings) -> bool {
    if let Some((_, known)) = found.iter().find(|(name, _)| name == hole) {
        return equal_ignoring_spans(known, &node);
    }
    found.push((hole.clone(), node));
    true
}

/// Whether a node matches a pattern. Binds the holes in `found`.
pub fn fits(pattern: &TextNode, node: &TextNode, found: &mut HoleBindings) -> bool {
    fits_whole(pattern, node, found, true)
}

/// Whether a node matches a pattern. Children that the outermost pattern leaves open are left to [`unbound_holes`]. Nested patterns must
/// match all of them.
fn fits_whole(pattern: &TextNode, node: &TextNode, found: &mut HoleBindings, outermost: bool) -> bool {
    match pattern.kind {
        TextNodeKind::Hole => return !node.is_nil() && bind(&pattern.text, node.clone(), found),
        TextNodeKind::Phrase => return fits_phrase(pattern, node, found),
        TextNodeKind::Block | TextNodeKind::List
            if pattern.kids.len() == 1 && pattern.kid(0).kind == TextNodeKind::Hole && node.kind == pattern.kind =>
        {
            return !(node.kind == TextNodeKind::List && node.kids.is_empty()) && bind(&pattern.kid(0).text, node.clone(), found);
        }
        _ => {}
    }
    if pattern.kind != node.kind {
        return false;
    }
    if pattern.kind == TextNodeKind::Binary
        && pattern.text == "and"
        && let Some(fit) = fits_conjunction(pattern, node, found)
    {
        return fit;
    }
    if super::tree::is_hole(&pattern.text) && pattern.text != node.text {
        if !bind(&pattern.text, TextNode::word(&node.text, node.span), found) {
            return false;
        }
    } else if pattern.text != node.text
        && !(pattern.text.is_empty()
            && matches!(
                pattern.kind,
                TextNodeKind::When | TextNodeKind::At | TextNodeKind::Activated | TextNodeKind::Trigger | TextNodeKind::Block
            ))
    {
        return false;
    }
    if pattern.kind == TextNodeKind::Block
        && (pattern.kids.len() != node.kids.len()
            || pattern.kids.iter().zip(&node.kids).any(|(one, other)| drops_link(one, other)))
    {
        return false;
    }
    let length = pattern.kids.len().max(node.kids.len());
    let open = outermost
        && matches!(
            pattern.kind,
            TextNodeKind::Do
                | TextNodeKind::Call
                | TextNodeKind::Keyword
                | TextNodeKind::Gets
                | TextNodeKind::Becomes
                | TextNodeKind::CreateCopy
                | TextNodeKind::CopyListed
                | TextNodeKind::Cannot
                | TextNodeKind::Clause
                | TextNodeKind::DelayedWhen
                | TextNodeKind::When
                | TextNodeKind::At
                | TextNodeKind::Activated
                | TextNodeKind::Option
                | TextNodeKind::Event
                | TextNodeKind::Divide
                | TextNodeKind::Moment
        );
    (0..length).all(|at| {
        let (want, kid) = (pattern.kid(at), node.kid(at));
        if is_unwritten(pattern, at) {
            // [`unbound_holes`] checks the children that are left open
            return open || kid.is_nil() || kid.kind == TextNodeKind::List && kid.kids.is_empty();
        }
        if want.kind == TextNodeKind::List
            && want.kids.is_empty()
            && (want.text == "zones" || (pattern.kind == TextNodeKind::Do && kid.kids.is_empty()))
        {
            return true;
        }
        if pattern.kind == TextNodeKind::Do && at == BINDING && kid.is_nil() {
            return false;
        }
        if pattern.kind == TextNodeKind::Do && at == MAY && kid.is_nil() {
            return false;
        }
        // `draw(you, 2)` is the same as `draw 2`
        if pattern.kind == TextNodeKind::Do && at == SUBJECT && kid.is_nil() && want.is_word("you") {
            return true;
        }
        if want.kind == TextNodeKind::List
            && want.kids.len() != kid.kids.len()
            && !(want.kids.len() == 1 && want.kid(0).kind == TextNodeKind::Hole)
        {
            return false;
        }
        fits_whole(want, kid, found, false)
    })
}

/// Whether a conjunction of three or more conditions matches a pattern of two of which one is a hole: the hole takes the others. `None`
/// for other patterns and conjunctions.
fn fits_conjunction(pattern: &TextNode, node: &TextNode, found: &mut HoleBindings) -> Option<bool> {
    let (hole, wanted) = match (pattern.kid(0).kind, pattern.kid(1).kind) {
        (TextNodeKind::Hole, TextNodeKind::Hole) => return None,
        (TextNodeKind::Hole, _) => (pattern.kid(0), pattern.kid(1)),
        (_, TextNodeKind::Hole) => (pattern.kid(1), pattern.kid(0)),
        _ => return None,
    };
    let mut conditions = Vec::new();
    collect_conditions(node, &mut conditions);
    if conditions.len() < 3 || wanted.text == "and" {
        return None;
    }
    let at = conditions.iter().position(|condition| fits_whole(wanted, condition, &mut found.clone(), false));
    let Some(at) = at else { return Some(false) };
    fits_whole(wanted, conditions.remove(at), found, false);
    let both = |one: TextNode, other: TextNode| TextNode { kids: vec![one, other], ..node.clone() };
    let others = conditions.into_iter().cloned().reduce(both);
    Some(others.is_some_and(|others| bind(&hole.text, others, found)))
}

fn fits_phrase(pattern: &TextNode, node: &TextNode, found: &mut HoleBindings) -> bool {
    if node.kind != TextNodeKind::Phrase {
        return false;
    }
    let open = pattern.kid(1).kind == TextNodeKind::Hole;
    let mut left: Vec<TextNode> = node.kids.iter().skip(2).filter(|post| post.kind != TextNodeKind::Other).cloned().collect();
    for post in pattern.kids.iter().skip(2) {
        let fit = left.iter().position(|other| {
            let mut trial = found.clone();
            let fit = fits(post, other, &mut trial);
            if fit {
                *found = trial;
            }
            fit
        });
        match fit {
            Some(at) => {
                left.remove(at);
            }
            None => return false,
        }
    }
    if pattern.text == "other" && node.text != "other" || !open && pattern.text != node.text {
        return false;
    }
    let quantified = !pattern.kid(0).is_nil();
    if quantified && !fits(pattern.kid(0), node.kid(0), found) {
        return false;
    }
    if !open {
        return left.is_empty() && (quantified || node.kid(0).is_nil()) && fits(pattern.kid(1), node.kid(1), found);
    }
    let quantifier = if quantified { TextNode::nil() } else { node.kid(0).clone() };
    let other = if pattern.text == "other" { "" } else { node.text.as_str() };
    let placed = pattern.kids.iter().skip(2).any(|post| post.kind == TextNodeKind::In);
    let rest = if quantifier.is_nil() && left.is_empty() && other.is_empty() && !placed {
        node.kid(1).clone()
    } else {
        let mut kids = vec![quantifier, node.kid(1).clone()];
        kids.append(&mut left);
        // the filter says where it is, so the place is not printed again
        if pattern.kids.iter().skip(2).any(|post| matches!(post.kind, TextNodeKind::Of | TextNodeKind::In)) {
            let where_it_is = pattern.kids.iter().skip(2).filter(|post| post.kind == TextNodeKind::In).cloned().collect();
            kids.push(TextNode::new(TextNodeKind::Other, "", where_it_is, node.span));
        }
        TextNode::new(TextNodeKind::Phrase, other, kids, node.span)
    };
    bind(&pattern.kid(1).text, rest, found)
}
