//! The place of a cursor in unfinished text, by the grammar: what a name would be there, and which fixed words can stand there.
//!
//! The text before the cursor is shortened to the sentences that the cursor is in: earlier statements, facts and steps are left out, so that
//! their errors do not matter and the length of an item does not. Two parses answer the two questions. The shortened text alone fails at its end,
//! where the parser reports what it expected. The shortened text with a name in the place of the cursor, an ending and the closing brackets
//! parses; the rules around the name are its [`Slot`].

use crate::cst::Around;
use crate::item_splitter::MAX_DEPTH;
use crate::lexer::{Token, TokenKind, tokens};
use crate::newlines::significant_lines;
use crate::parser::{Rule, read, read_accepted};
use crate::recovery::members::keyword_text;
use crate::visit::DeclKind;

/// What a name is at its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Slot {
    /// The keyword of an item.
    Item,
    /// The new name of a declaration or of a binding.
    New,
    /// A printed fact, or an ability.
    Fact,
    /// The first word of a statement.
    Statement,
    /// The verb of a statement with a subject.
    Verb,
    /// A word after the operand of a verb.
    AfterOperand,
    /// The direct operand of a verb.
    Operand,
    /// The operand after a preposition.
    Prepositional,
    /// The word of an event in a pattern.
    Event,
    /// The base form of an action or play, after `cannot`, `must`, `would` and `can`.
    BaseEvent,
    /// The subject of a pattern.
    Subject,
    /// What a pattern says after its event.
    EventObject,
    /// What is counted, after a number or a quantifier.
    Counted,
    /// Any value.
    Value,
    /// A condition on the objects of a phrase, after `with`.
    Condition,
    /// A keyword or a word of a trait set, after `has` and `without`.
    Keyword,
    /// What something is, after `is`.
    Quality,
    /// A zone, after `in` and `from`.
    Zone,
    /// A player or an object, after `of`.
    Owner,
    /// What a player or an object has, after `your` and `'s`.
    Possession,
    /// A change, after `gets`.
    Change,
    /// The name of a type.
    Type,
    /// A setting of a zone.
    Setting,
    /// A phase or step.
    Period,
    /// A part of a format that a difference names.
    Part,
    /// The place of a rule that refuses something.
    RulePlace,
    /// A difference of a format.
    Difference,
    /// A format, or the pack of a game.
    Format,
    /// A section of a deck.
    Section,
    /// A step of a scenario.
    Step,
    /// A player of a scenario.
    Seat,
    /// What a player of a scenario does.
    Play,
    /// What a player of a scenario uses or chooses.
    Chosen,
    /// The zone of cards of a position, or a variable of the player.
    Placed,
    /// The name of a declaration of one of these kinds.
    Declared(&'static [DeclKind]),
}

/// The place of a cursor.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// What a name is here; `None` if the grammar accepts no name.
    pub slot: Option<Slot>,
    /// The fixed words that the grammar accepts here.
    pub words: Vec<String>,
    /// The text of the innermost sentence before the cursor.
    pub sentence: String,
}

/// The most bytes of the sentences that a cursor is in. Each is parsed once for each ending.
const MAX_BYTES: usize = 16 << 10;

/// A name that stands for the one that is being written. It is reserved nowhere.
const NAME: &str = "zz";

/// Endings that complete a sentence after a name, before the closing brackets and after them.
const ENDINGS: [(&str, &str); 13] = [
    ("", ""),
    (": { }", ""),
    (" zz", ""),
    (" { }", ""),
    (" = 1", ""),
    (" 1", ""),
    (": zz", ""),
    (": zz = 1", ""),
    (" zz { }", ""),
    (", instead { }", ""),
    ("'s zz", ""),
    ("", ": zz = 1"),
    ("", " { }"),
];

/// The rules whose name has a slot, and the slot. The innermost rule around a name that is listed decides.
const SLOTS: &[(Rule, Slot)] = &[
    (Rule::fact, Slot::Fact),
    (Rule::verb, Slot::Verb),
    (Rule::verb_with_arguments, Slot::Verb),
    (Rule::adverb, Slot::AfterOperand),
    (Rule::operand, Slot::Operand),
    (Rule::with_preposition, Slot::Prepositional),
    (Rule::pattern, Slot::Event),
    (Rule::plain_pattern, Slot::Event),
    (Rule::would_pattern, Slot::BaseEvent),
    (Rule::prohibition, Slot::BaseEvent),
    (Rule::lead_cannot, Slot::BaseEvent),
    (Rule::can_test, Slot::BaseEvent),
    (Rule::clause_on, Slot::BaseEvent),
    (Rule::clause_count, Slot::BaseEvent),
    (Rule::clause_with, Slot::BaseEvent),
    (Rule::pattern_subject, Slot::Subject),
    (Rule::plain_subject, Slot::Subject),
    (Rule::pattern_object, Slot::EventObject),
    (Rule::plain_object, Slot::EventObject),
    (Rule::noun_atom, Slot::Counted),
    (Rule::quantified, Slot::Counted),
    (Rule::with_condition, Slot::Condition),
    (Rule::has_test, Slot::Keyword),
    (Rule::without_post, Slot::Keyword),
    (Rule::that_has, Slot::Keyword),
    (Rule::is_test, Slot::Quality),
    (Rule::plain_is, Slot::Quality),
    (Rule::that_is, Slot::Quality),
    (Rule::in_post, Slot::Zone),
    (Rule::from_post, Slot::Zone),
    (Rule::pattern_from, Slot::Zone),
    (Rule::of_post, Slot::Owner),
    (Rule::your, Slot::Possession),
    (Rule::possessive, Slot::Possession),
    (Rule::mod_, Slot::Change),
    (Rule::type_ref, Slot::Type),
    (Rule::setting, Slot::Setting),
    (Rule::moment, Slot::Period),
    (Rule::limit, Slot::Period),
    (Rule::plan_call, Slot::Period),
    (Rule::player_path, Slot::Seat),
    (Rule::removal, Slot::Part),
    (Rule::appendix, Slot::Part),
    (Rule::append_layout, Slot::Part),
    (Rule::insertion, Slot::Period),
    (Rule::change_span, Slot::Period),
    (Rule::because, Slot::RulePlace),
    (Rule::paths, Slot::Declared(&[DeclKind::Action, DeclKind::Play])),
    (Rule::expect_no_event, Slot::Declared(&[DeclKind::Action, DeclKind::Play])),
    (Rule::step_format, Slot::Format),
    (Rule::deck_format, Slot::Format),
    (Rule::announce_like, Slot::Format),
    (Rule::pack_extends, Slot::Format),
    (Rule::pack_uses, Slot::Declared(&[DeclKind::Pack])),
    (Rule::deck_section, Slot::Section),
    (Rule::deck_size, Slot::Section),
    (Rule::match_exchange, Slot::Section),
    (Rule::deck_card, Slot::Declared(&[DeclKind::Card])),
    (Rule::ban, Slot::Declared(&[DeclKind::Card])),
    (Rule::restrict, Slot::Declared(&[DeclKind::Card])),
    (Rule::errata, Slot::Declared(&[DeclKind::Card])),
    (Rule::from_position, Slot::Declared(&[DeclKind::Position])),
    (Rule::treat, Slot::Declared(&[DeclKind::Action])),
    (Rule::parent, Slot::Declared(&[DeclKind::Action])),
    (Rule::declare, Slot::Declared(&[DeclKind::Action])),
    (Rule::except, Slot::Declared(&[DeclKind::Action])),
    (Rule::play_from, Slot::Declared(&[DeclKind::Zone])),
    (Rule::param_zone, Slot::Declared(&[DeclKind::Zone])),
    (Rule::in_zones, Slot::Declared(&[DeclKind::Zone])),
    (Rule::in_layer, Slot::Declared(&[DeclKind::Layer])),
    (Rule::mod_layer, Slot::Declared(&[DeclKind::Layer])),
    (Rule::for_keys, Slot::Declared(&[DeclKind::Traits])),
    (Rule::shares_test, Slot::Declared(&[DeclKind::Traits])),
    (Rule::aggregate, Slot::Declared(&[DeclKind::Property, DeclKind::Status])),
    (Rule::plain_aggregate, Slot::Declared(&[DeclKind::Property, DeclKind::Status])),
    (Rule::kind, Slot::Declared(&[DeclKind::TraitWord])),
    (Rule::kind_part, Slot::Declared(&[DeclKind::Property, DeclKind::Traits, DeclKind::TraitWord])),
    (Rule::plate_large, Slot::Declared(&[DeclKind::Player])),
    (Rule::plate_show, Slot::Declared(&[DeclKind::Player])),
    (Rule::layout_hidden, Slot::Declared(&[DeclKind::Zone])),
    (Rule::layout_link, Slot::Declared(&[DeclKind::Status])),
    (Rule::arrow_ends, Slot::Declared(&[DeclKind::Status])),
    (Rule::layout_face, Slot::Counted),
    (Rule::face_hue, Slot::Declared(&[DeclKind::Traits])),
    (Rule::face_line, Slot::Declared(&[DeclKind::Traits])),
    (Rule::face_corner, Slot::Declared(&[DeclKind::Property])),
    (Rule::stat, Slot::Declared(&[DeclKind::Property])),
    (Rule::face_count, Slot::Declared(&[DeclKind::Status, DeclKind::Property])),
    (Rule::face_mark, Slot::Declared(&[DeclKind::Status, DeclKind::Property])),
    (Rule::row_contents, Slot::Declared(&[DeclKind::Zone, DeclKind::Noun, DeclKind::TraitWord])),
    (Rule::row_places, Slot::Declared(&[DeclKind::Status])),
    (Rule::hue, Slot::Declared(&[DeclKind::TraitWord])),
    (Rule::stage, Slot::Counted),
    (Rule::value, Slot::Chosen),
    (Rule::choosing_one, Slot::Chosen),
    (Rule::answer, Slot::Chosen),
    (Rule::assigned, Slot::Chosen),
    (Rule::position_player, Slot::Seat),
    (Rule::match_seat, Slot::Seat),
    (Rule::position_cards, Slot::Placed),
    (Rule::position_value, Slot::Placed),
    (Rule::position_flag, Slot::Declared(&[DeclKind::Status])),
    (Rule::position_status, Slot::Declared(&[DeclKind::Status])),
    (Rule::expr, Slot::Value),
    (Rule::binding, Slot::New),
    (Rule::let_, Slot::New),
    (Rule::for_each, Slot::New),
    (Rule::param, Slot::New),
];

/// Items that declare a name. In a difference that replaces one, the name is one that is declared.
const DECLARATIONS: &[(Rule, &[DeclKind])] = &[
    (Rule::constant, &[DeclKind::Constant]),
    (Rule::keyword, &[DeclKind::Keyword]),
    (Rule::action, &[DeclKind::Action]),
    (Rule::rule_item, &[DeclKind::Rule]),
    (Rule::state_rule, &[DeclKind::StateRule]),
    (Rule::play, &[DeclKind::Play]),
    (Rule::payment, &[DeclKind::Payment]),
    (Rule::noun, &[DeclKind::Noun]),
    (Rule::function, &[DeclKind::Function]),
    (Rule::zone, &[DeclKind::Zone]),
    (Rule::traits, &[DeclKind::Traits]),
    (Rule::turn_span, &[DeclKind::Period]),
    (Rule::named_position, &[DeclKind::Position]),
    (Rule::card, &[DeclKind::Card]),
    (Rule::deck, &[DeclKind::Deck]),
    (Rule::pack, &[DeclKind::Pack]),
    (Rule::format, &[DeclKind::Format]),
];

/// Rules that the parser reports as a whole, and their fixed words.
const WORDS: &[(Rule, &[&str])] = &[
    (Rule::variable, &["property", "status", "player", "global"]),
    (Rule::card, &["card", "token"]),
    (Rule::face, &["face", "back"]),
    (Rule::turn_span, &["phase", "step"]),
    (Rule::up_to, &["up to"]),
    (Rule::link, &["then", "if you do", "otherwise"]),
    (Rule::whose, &["your"]),
    (Rule::any_number, &["any number of"]),
    (Rule::play_numbers, &["announce numbers"]),
    (Rule::play_produces, &["produces"]),
    (Rule::play_immediate, &["immediately"]),
    (Rule::play_while_paying, &["usable while paying"]),
    (Rule::expect_fizzles, &["fizzles"]),
    (Rule::fizzles_not, &["does not fizzle"]),
    (Rule::timing_neutral, &["timing_neutral"]),
    (Rule::until, &["until"]),
    (Rule::of_post, &["of"]),
    (Rule::in_post, &["in"]),
    (Rule::from_post, &["from"]),
    (Rule::with_post, &["with"]),
    (Rule::without_post, &["without"]),
    (Rule::that_is, &["that is"]),
    (Rule::that_has, &["that has"]),
];

/// Words after a player of a scenario. They are not expected after the first word of another step, which could be a player's name.
const AFTER_SEAT: &[&str] = &[
    "answer",
    "answers",
    "are",
    "choose",
    "chooses",
    "concedes",
    "exchange",
    "exchanges",
    "is",
    "pass",
    "passes",
    "pays",
    "say",
    "says",
    "win",
    "wins",
];

/// First words of steps that are no player.
const STEP_WORDS: &[&str] = &["at", "go", "expect", "refuse", "chance", "let", "answer", "format", "match", "next", "position"];

/// The place at the end of the unfinished text of one item. A word that is being written is not part of the text.
///
/// Text that is nested too deeply, or whose sentence is too long, has no place.
#[must_use]
pub fn place_at_end(before: &str) -> Place {
    let shortened = shorten(before);
    let depth = shortened.closing.chars().filter(|closing| *closing != ' ').count();
    if depth > MAX_DEPTH || shortened.text.len() > MAX_BYTES {
        return Place::default();
    }
    crate::with_large_stack(depth, || place_of(shortened)).unwrap_or_default()
}

fn place_of(shortened: Shortened) -> Place {
    let Shortened { text, closing, sentence } = shortened;
    if text.trim().is_empty() {
        return Place { slot: Some(Slot::Item), ..Place::default() };
    }
    // a name directly behind a dot or an apostrophe belongs to it
    let text = if text.ends_with('.') { text } else { format!("{} ", text.trim_end()) };
    let expected = match read(Rule::one_item, text.trim_end()) {
        Err(failure) if failure.at >= text.trim_end().len() => failure.expected,
        _ => Vec::new(),
    };
    let around = ENDINGS.iter().find_map(|(ending, after)| {
        let whole = format!("{text}{NAME}{ending}{closing}{after}");
        read_accepted(Rule::one_item, &whole).map(|nodes| nodes.path_to(text.len()))
    });
    let slot =
        around.and_then(|around| slot(&around, text.len())).or_else(|| expected.iter().find_map(|rule| slot_of_rule(*rule)));
    let mut words: Vec<String> = expected.iter().flat_map(|rule| words(*rule)).collect();
    let first_word = |text: &str| text.split_whitespace().next().unwrap_or("").to_owned();
    let begins_step = STEP_WORDS.contains(&first_word(&sentence).as_str());
    let has_seat = !begins_step && sentence.split(',').all(|seat| seat.split_whitespace().count() == 1);
    if expected.contains(&Rule::k_concedes) && !has_seat {
        words.retain(|word| !AFTER_SEAT.contains(&word.as_str()));
    }
    // the next step would begin on the same line
    if expected.contains(&Rule::step) && !sentence.trim().is_empty() {
        words.retain(|word| !STEP_WORDS.contains(&word.as_str()));
    }
    let is_seat_word = begins_step && slot == Some(Slot::Play) && first_word(&sentence) != "refuse";
    let slot = slot.filter(|_| !is_seat_word);
    Place { slot, words, sentence }
}

/// The slot of a rule that the parser expects as a whole.
fn slot_of_rule(rule: Rule) -> Option<Slot> {
    Some(match rule {
        Rule::difference => Slot::Difference,
        Rule::ability | Rule::fact => Slot::Fact,
        Rule::statement => Slot::Statement,
        Rule::step => Slot::Step,
        Rule::negated | Rule::unary => Slot::Value,
        Rule::atom | Rule::noun_atom => Slot::Counted,
        _ => return None,
    })
}

/// The fixed words with which a rule begins, if it has any.
fn words(rule: Rule) -> Vec<String> {
    match WORDS.iter().find(|(listed, _)| *listed == rule) {
        Some((_, words)) => words.iter().map(|word| (*word).to_owned()).collect(),
        None if rule == Rule::k_timing_neutral => vec!["timing_neutral".to_owned()],
        None if rule == Rule::k_step_pays => vec!["pays".to_owned()],
        None => keyword_text(rule).into_iter().collect(),
    }
}

/// The slot of a name at a byte, by the rules around it.
fn slot(around: &[Around], byte: usize) -> Option<Slot> {
    let begins = |rule: Rule| around.iter().any(|node| node.rule == rule && node.start == byte);
    if begins(Rule::step) {
        return Some(Slot::Step);
    }
    let statement = around.iter().rposition(|node| node.rule == Rule::statement);
    // nothing but the statement itself is between the name and the start of the statement
    if statement.and_then(|index| around.get(index)).is_some_and(|node| node.start == byte) {
        return Some(Slot::Statement);
    }
    for (index, node) in around.iter().enumerate().rev() {
        let inner = around.get(index + 1);
        let outer = index.checked_sub(1).and_then(|index| around.get(index));
        match node.rule {
            // the second name of these steps is a play, the first a player
            Rule::act | Rule::refusal | Rule::assign_step | Rule::refusal_assign => {
                return Some(if inner.is_some_and(|name| name.ordinal > 0) { Slot::Play } else { Slot::Seat });
            }
            Rule::path if around.iter().any(|node| node.rule == Rule::player_path) => return Some(Slot::Period),
            Rule::format if inner.is_some_and(|name| name.ordinal > 0) => return Some(Slot::Format),
            Rule::operand if outer.is_some_and(|outer| outer.rule == Rule::with_preposition) => {}
            Rule::treat | Rule::let_ | Rule::for_each if inner.is_none_or(|inner| inner.rule != Rule::name) => {}
            Rule::atom if inner.is_some_and(|name| name.rule == Rule::name) => return Some(Slot::Possession),
            rule => {
                if let Some((_, kinds)) = DECLARATIONS.iter().find(|(listed, _)| *listed == rule) {
                    let replaces = around.iter().any(|node| node.rule == Rule::change_item);
                    return Some(if replaces { Slot::Declared(kinds) } else { Slot::New });
                }
                if let Some((_, slot)) = SLOTS.iter().find(|(listed, _)| *listed == rule) {
                    return Some(*slot);
                }
            }
        }
    }
    let is_value = around.iter().any(|node| matches!(node.rule, Rule::sum | Rule::plain_sum));
    Some(if is_value { Slot::Value } else { Slot::New })
}

/// Text before a cursor without the sentences that do not contain it.
struct Shortened {
    text: String,
    /// The brackets that close the open ones.
    closing: String,
    /// The innermost sentence.
    sentence: String,
}

/// An open bracket, and what it contains.
struct Open {
    /// The offset behind the bracket.
    inside: usize,
    closing: char,
    /// The start of the sentence that contains the cursor.
    sentence: usize,
}

/// Keeps, inside of each open bracket, only the sentence that the cursor is in.
fn shorten(before: &str) -> Shortened {
    let all = tokens(before);
    let base = all.first().map_or(0, |token| token.start) as usize;
    let solid: Vec<Token> = all.iter().copied().filter(|token| !token.kind.is_trivia()).collect();
    // a word at the end shows whether the last newline ends a sentence
    let probe = format!("{before}{NAME}");
    let lines = significant_lines(&probe, &tokens(&probe), &[]);
    let newline =
        |from: usize, to: usize| lines.get(from - base..to - base).and_then(|text| text.rfind('\n')).map(|at| from + at + 1);
    let mut open: Vec<Open> = Vec::new();
    let mut outer = base;
    let mut last = base;
    for token in solid.iter().map(Some).chain([None]) {
        let (start, end) = token.map_or((before.len(), before.len()), |token| (token.start as usize, token.end as usize));
        let current = open.last_mut().map_or(&mut outer, |open| &mut open.sentence);
        if let Some(at) = newline(last, start) {
            *current = at;
        }
        let Some(token) = token else { break };
        match token.kind {
            TokenKind::Semicolon => *current = end,
            kind if kind.opens() => {
                let closing = match kind {
                    TokenKind::OpenBrace => '}',
                    TokenKind::OpenParen => ')',
                    _ => ']',
                };
                open.push(Open { inside: end, closing, sentence: end });
            }
            kind if kind.closes() => drop(open.pop()),
            _ => {}
        }
        last = end;
    }
    let mut text = String::new();
    let mut from = outer;
    for open in &open {
        text.push_str(lines.get(from - base..open.inside - base).unwrap_or(""));
        from = open.sentence;
    }
    let sentence = lines.get(from - base..before.len() - base).unwrap_or("").to_owned();
    text.push_str(&sentence);
    let closing = open.iter().rev().flat_map(|open| [' ', open.closing]).collect();
    Shortened { text, closing, sentence }
}

#[cfg(test)]
mod tests {
    use super::{Slot, place_at_end};
    use crate::visit::DeclKind;

    fn slot(text: &str) -> Option<Slot> {
        place_at_end(text).slot
    }

    #[test]
    fn a_name_has_the_slot_of_the_rules_around_it() {
        let scenario = |step: &str| slot(&format!("scenario \"s\" {{\n  format magic\n  expect (\n  {step}"));
        let step = |step: &str| slot(&format!("scenario \"s\" {{\n  format magic\n  A broken step here\n  {step}"));
        assert_eq!(scenario("A "), None, "an open parenthesis continues the line");
        for (text, expected) in [
            ("", Slot::Step),
            ("A ", Slot::Play),
            ("A casts ", Slot::Chosen),
            ("A casts x choosing ", Slot::Chosen),
            ("refuse A ", Slot::Play),
            ("refuse A casts x because ", Slot::RulePlace),
            ("at ", Slot::Seat),
            ("at A's ", Slot::Period),
            ("go to B's ", Slot::Period),
            ("expect ", Slot::Value),
            ("expect x in ", Slot::Zone),
            ("format ", Slot::Format),
            ("position { ", Slot::Seat),
            ("position { A: { ", Slot::Placed),
            ("position { A: { hand \"X\" as x with ", Slot::Declared(&[DeclKind::Status])),
        ] {
            assert_eq!(step(text), Some(expected), "{text}");
        }
        for (text, expected) in [
            ("", Slot::Item),
            ("card \"X\" {\n  ", Slot::Fact),
            ("card \"X\" {\n  when ", Slot::Subject),
            ("card \"X\" {\n  when this ", Slot::Event),
            ("card \"X\" {\n  when this enters ", Slot::EventObject),
            ("card \"X\" {\n  if this would ", Slot::BaseEvent),
            ("card \"X\" {\n  at start of ", Slot::Period),
            ("card \"X\" {\n  does { ", Slot::Statement),
            ("card \"X\" {\n  does { draw 1\n    ", Slot::Statement),
            ("card \"X\" {\n  does { deal ", Slot::Operand),
            ("card \"X\" {\n  does { deal 3 to ", Slot::Prepositional),
            ("card \"X\" {\n  does { destroy target ", Slot::Counted),
            ("card \"X\" {\n  does { destroy target x ", Slot::AfterOperand),
            ("card \"X\" {\n  does { destroy target x with ", Slot::Condition),
            ("card \"X\" {\n  always { x of you gets ", Slot::Change),
            ("card \"X\" {\n  always { x of you gets +1 ", Slot::Change),
            ("card \"X\" {\n  does { each player ", Slot::Verb),
            ("card \"X\" {\n  does { put it into your ", Slot::Possession),
            ("card \"X\" {\n  does { let n = ", Slot::Value),
            ("card \"X\" {\n  does { let ", Slot::New),
            ("deck \"D\" { ", Slot::Section),
            ("deck \"D\" { format ", Slot::Format),
            ("deck \"D\" { main { 4 ", Slot::Declared(&[DeclKind::Card])),
            ("format h extends m { ", Slot::Difference),
            ("format h extends m { replace constant ", Slot::Declared(&[DeclKind::Constant])),
            ("format h extends m { replace keyword ", Slot::Declared(&[DeclKind::Keyword])),
            ("format h extends m { replace state rule ", Slot::Declared(&[DeclKind::StateRule])),
            ("format h extends m { remove ", Slot::Part),
            ("format h extends ", Slot::Format),
            ("constant ", Slot::New),
            ("zone x { ", Slot::Setting),
            ("status x: ", Slot::Type),
            ("function f(x: ", Slot::Type),
            ("layout { plate { large ", Slot::Declared(&[DeclKind::Player])),
        ] {
            assert_eq!(slot(text), Some(expected), "{text}");
        }
    }

    #[test]
    fn fixed_words_are_those_that_the_grammar_accepts() {
        let words = |text: &str| place_at_end(text).words;
        assert!(words("deck \"D\" { ").contains(&"format".to_owned()));
        let after_seat = words("scenario \"s\" { A ");
        assert!(
            ["passes", "pays", "chooses", "concedes"].iter().all(|word| after_seat.contains(&(*word).to_owned())),
            "{after_seat:?}"
        );
        let expects = words("scenario \"s\" { expect ");
        assert!(expects.contains(&"events".to_owned()) && !expects.contains(&"passes".to_owned()), "{expects:?}");
        let plays = words("card \"X\" { activated { ");
        assert!(
            ["price", "cost", "announce numbers", "does"].iter().all(|word| plays.contains(&(*word).to_owned())),
            "{plays:?}"
        );
        assert!(!plays.contains(&"values".to_owned()), "no words of the first edition: {plays:?}");
        assert!(words("pack x { ").contains(&"edition".to_owned()));
    }

    #[test]
    fn hostile_text_has_no_place() {
        for text in
            ["card \"A\" { does { let n = ".to_owned() + &"(".repeat(10_000), "noun x = ".to_owned() + &"[1, ".repeat(2_000)]
        {
            assert_eq!(slot(&text), None);
        }
        let long = "noun x = a".to_owned() + &" + a".repeat(100_000) + " + ";
        assert_eq!(slot(&long), None);
        assert_eq!(slot(&("noun x = ".to_owned() + &"(".repeat(60))), Some(Slot::Value));
    }

    /// Fixed words are derived from the names of rules: each must be text that its rule accepts.
    #[test]
    fn each_fixed_word_begins_its_rule() {
        for rule in super::Rule::all_rules() {
            for word in super::words(*rule) {
                let failure = crate::parser::read(*rule, &word);
                let at = failure.as_ref().err().map_or(word.len(), |failure| failure.at);
                assert!(at >= word.len(), "{rule:?} does not begin with {word}");
            }
        }
    }
}
