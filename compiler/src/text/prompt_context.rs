//! What prompts know besides the text around them: parameters, the elements of a list, what a choice is for, and which conditions no words say.

use super::lexicon::LexiconTable;
use super::normalize::{BINDING, OPERANDS};
use super::render::{Renderer, TextLocal};
use super::tree::{TextNode, TextNodeKind};
use fizzle_grammar::ast::Param;
use fizzle_grammar::ast::Span;
use smol_str::SmolStr;

/// Stands for conditions that no words say: the options are those that fit.
const FITS: &str = "_fits";

/// The parameters of an action, a keyword or a play: their names and what they are.
pub fn parameters(params: &[Param]) -> Vec<(SmolStr, SmolStr)> {
    params.iter().map(|param| (param.name.text.clone(), param.ty.name.text.clone())).collect()
}

/// Parameters are spoken of by what they are, where the game has no words of its own for them.
pub fn bind_parameters(params: &[(SmolStr, SmolStr)], renderer: &mut Renderer<'_>) {
    for (name, ty) in params {
        let word = TextNode::word(name, Span::default());
        let own = renderer.lexicon.find(LexiconTable::Value, &word, renderer.builder).is_some();
        let what = match ty.as_str() {
            "player" => "player",
            "number" => "_number",
            "price" => "_price",
            "object" | "card" => "card",
            kind if renderer.is_noun(kind) => kind,
            _ => continue,
        };
        if !own && !matches!(name.as_str(), "it" | "this" | "you") {
            let what = if renderer.is_noun(name) { name } else { what };
            let value = TextNode::word(what, Span::default());
            renderer.locals.push(TextLocal { name: name.clone(), value, inline: None, plural: false });
        }
    }
}

/// The element of a list, inside its loop.
pub fn element(each: &TextNode, renderer: &mut Renderer<'_>) {
    let noun = renderer.noun_of(each.kid(1));
    let noun = match noun.kind {
        TextNodeKind::Word if noun.text == "players" => TextNode::word("player", noun.span),
        TextNodeKind::Word | TextNodeKind::Quoted if renderer.is_noun(&noun.text) => noun,
        TextNodeKind::Binary if noun.text == "or" => noun,
        _ => TextNode::word("card", each.kid(1).span),
    };
    renderer.locals.push(TextLocal { name: each.kid(0).text.clone(), value: noun, inline: None, plural: false });
}

/// What becomes of a choice: the statement that names it, behind the one that makes it.
pub fn use_of_choice(statement: &TextNode, next: Option<&TextNode>) -> Option<(Span, TextNode)> {
    let act = statement.kid(0);
    let (name, choice) = match act.kind {
        TextNodeKind::Let => (act.kid(0), act.kid(1)),
        TextNodeKind::Do if act.text == "choose" && !act.kid(BINDING).is_nil() => (act.kid(BINDING), act.kid(OPERANDS)),
        TextNodeKind::Do if act.text != "choose" => {
            let choice = act.kids.iter().skip(OPERANDS).find(|operand| is_choice(operand))?;
            return Some((choice.span, TextNode::new(TextNodeKind::Block, "", vec![statement.clone()], statement.span)));
        }
        _ => return None,
    };
    let then = next.filter(|next| next.mentions(&name.text) && is_choice(choice))?;
    // `for each one in chosen { charge one }` is `charge chosen`
    let each = then.kid(0);
    let then = match each.kind {
        TextNodeKind::ForEach if each.kid(1).is_word(&name.text) && each.kid(2).kids.len() == 1 => {
            each.kid(2).kid(0).with(&each.kid(0).text, name)
        }
        TextNodeKind::Do | TextNodeKind::Sentence => then.clone(),
        _ => return None,
    };
    let named = TextNode::new(TextNodeKind::Let, "", vec![name.clone(), choice.clone()], act.span);
    let named = TextNode::new(TextNodeKind::Statement, "", vec![named], statement.span);
    let whole = if times(&then, &name.text) == 1 { vec![then.with(&name.text, choice)] } else { vec![named, then] };
    Some((choice.span, TextNode::new(TextNodeKind::Block, "", whole, statement.span)))
}

/// How often a text names something.
pub(super) fn times(node: &TextNode, word: &str) -> usize {
    usize::from(node.is_word(word)) + node.kids.iter().map(|kid| times(kid, word)).sum::<usize>()
}

pub(super) fn is_choice(node: &TextNode) -> bool {
    node.kind == TextNodeKind::Phrase && matches!(node.kid(0).text.as_str(), "exactly" | "up_to" | "any" | "range")
}

/// A text in which conditions that no words say are one: what can be chosen. The options themselves show which that is.
pub fn fitting(node: &TextNode, renderer: &mut Renderer<'_>) -> TextNode {
    let mut made = TextNode { kids: node.kids.iter().map(|kid| fitting(kid, renderer)).collect(), ..node.clone() };
    if made.kind != TextNodeKind::Phrase || made.kid(0).is_nil() {
        return made;
    }
    let posts = made.kids.split_off(2.min(made.kids.len()));
    let told = made.kids.len();
    let mut left_out = false;
    for post in posts {
        let each = TextNode::new(TextNodeKind::Quantifier, "each", Vec::new(), post.span);
        let trial =
            TextNode::new(TextNodeKind::Phrase, "", vec![each, TextNode::word("card", post.span), post.clone()], post.span);
        if is_said(&trial, renderer) {
            made.kids.push(post);
        } else if !left_out {
            left_out = true;
            made.kids.insert(told, TextNode::new(TextNodeKind::Is, "", vec![TextNode::word(FITS, post.span)], post.span));
        }
    }
    made
}

/// Whether all of it can be said. Nothing is kept of the attempt.
fn is_said(node: &TextNode, renderer: &mut Renderer<'_>) -> bool {
    let (gaps, locals) = (renderer.gaps.len(), renderer.locals.clone());
    let (before, after) = (std::mem::take(&mut renderer.before), renderer.after.take());
    let text = renderer.text(node);
    (renderer.before, renderer.after, renderer.locals) = (before, after, locals);
    let whole = renderer.gaps.len() == gaps && !text.contains('⟦');
    renderer.gaps.truncate(gaps);
    whole
}
