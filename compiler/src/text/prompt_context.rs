//! Context of prompts: parameters, elements of lists, the purpose of a choice, and filters that cannot be rendered.

use super::normalize::{BINDING, OPERANDS};
use super::pattern_match::LexiconTable;
use super::tree::{TextNode, TextNodeKind};
use crate::text::renderer::{Renderer, TextLocal};
use fizzle_grammar::ast::Param;
use fizzle_grammar::ast::Span;
use smol_str::SmolStr;

/// Replaces the filters that cannot be rendered. The lexicon phrases it as "that fit": the options themselves show which do.
const UNRENDERED_FILTER: &str = "_fits";

/// The parameters of an action, a keyword or a play: names and type names.
pub fn parameters(params: &[Param]) -> Vec<(SmolStr, SmolStr)> {
    params.iter().map(|param| (param.name.text.clone(), param.ty.name.text.clone())).collect()
}

/// Binds parameters for which the game has no entry: each is called by its name if that is a noun, else by its type.
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
            renderer.locals.push(TextLocal { name: name.clone(), value, inline: None, is_plural: false });
        }
    }
}

/// Binds the element of a list inside its loop.
pub fn bind_element(each: &TextNode, renderer: &mut Renderer<'_>) {
    let noun = renderer.noun_of(each.kid(1));
    let noun = match noun.kind {
        TextNodeKind::Word if noun.text == "players" => TextNode::word("player", noun.span),
        TextNodeKind::Word | TextNodeKind::Quoted if renderer.is_noun(&noun.text) => noun,
        TextNodeKind::Binary if noun.text == "or" => noun,
        _ => TextNode::word("card", each.kid(1).span),
    };
    renderer.locals.push(TextLocal { name: each.kid(0).text.clone(), value: noun, inline: None, is_plural: false });
}

/// The purpose of a choice: the statement behind it that uses its name, or the statement that contains it. Returns the place of the choice
/// as well.
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
    // `for each one in chosen { charge one }` becomes `charge chosen`
    let each = then.kid(0);
    let then = match each.kind {
        TextNodeKind::ForEach if each.kid(1).is_word(&name.text) && each.kid(2).kids.len() == 1 => {
            each.kid(2).kid(0).replace_word(&each.kid(0).text, name)
        }
        TextNodeKind::Do | TextNodeKind::Sentence => then.clone(),
        _ => return None,
    };
    let named = TextNode::new(TextNodeKind::Let, "", vec![name.clone(), choice.clone()], act.span);
    let named = TextNode::new(TextNodeKind::Statement, "", vec![named], statement.span);
    let whole =
        if count_mentions(&then, &name.text) == 1 { vec![then.replace_word(&name.text, choice)] } else { vec![named, then] };
    Some((choice.span, TextNode::new(TextNodeKind::Block, "", whole, statement.span)))
}

/// Counts how often a text mentions a word.
pub(super) fn count_mentions(node: &TextNode, word: &str) -> usize {
    usize::from(node.is_word(word)) + node.kids.iter().map(|kid| count_mentions(kid, word)).sum::<usize>()
}

pub(super) fn is_choice(node: &TextNode) -> bool {
    node.kind == TextNodeKind::Phrase && matches!(node.kid(0).text.as_str(), "exactly" | "up_to" | "any" | "range")
}

/// A copy in which the filters that cannot be rendered are replaced by one [`UNRENDERED_FILTER`] per phrase.
pub fn replace_unrendered_filters(node: &TextNode, renderer: &mut Renderer<'_>) -> TextNode {
    let mut made =
        TextNode { kids: node.kids.iter().map(|kid| replace_unrendered_filters(kid, renderer)).collect(), ..node.clone() };
    if made.kind != TextNodeKind::Phrase || made.kid(0).is_nil() {
        return made;
    }
    let posts = made.kids.split_off(2.min(made.kids.len()));
    let filters_start = made.kids.len();
    let mut left_out = false;
    for post in posts {
        let each = TextNode::new(TextNodeKind::Quantifier, "each", Vec::new(), post.span);
        let trial =
            TextNode::new(TextNodeKind::Phrase, "", vec![each, TextNode::word("card", post.span), post.clone()], post.span);
        if renders_without_gaps(&trial, renderer) {
            made.kids.push(post);
        } else if !left_out {
            left_out = true;
            made.kids.insert(
                filters_start,
                TextNode::new(TextNodeKind::Is, "", vec![TextNode::word(UNRENDERED_FILTER, post.span)], post.span),
            );
        }
    }
    made
}

/// Whether a node renders without gaps. The state of the renderer is restored.
fn renders_without_gaps(node: &TextNode, renderer: &mut Renderer<'_>) -> bool {
    let (gaps, locals) = (renderer.gaps.len(), renderer.locals.clone());
    let (before, after) = (std::mem::take(&mut renderer.leading_sentences), renderer.trailing_text.take());
    let text = renderer.text(node);
    (renderer.leading_sentences, renderer.trailing_text, renderer.locals) = (before, after, locals);
    let whole = renderer.gaps.len() == gaps && !text.contains('⟦');
    renderer.gaps.truncate(gaps);
    whole
}
