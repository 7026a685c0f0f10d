//! Decks of Cockatrice: XML of zones with cards. Only elements and their attributes are read; there are no document types and no entities.

use super::{CardLine, DeckList, ListFormat, ListProblem, ListProblemKind, MAX_COPIES};
use quick_xml::events::{BytesStart, Event};
use quick_xml::{Reader, XmlVersion};

/// The element of a deck.
const ROOT: &str = "cockatrice_deck";
/// The zone of tokens, which are no part of a deck.
const TOKENS: &str = "tokens";
/// The deepest nesting of elements.
const MAX_DEPTH: usize = 16;
/// The most attributes of an element that are read.
const MAX_ATTRIBUTES: usize = 16;

/// Whether a text is XML.
pub fn looks_like(text: &str) -> bool {
    text.trim_start().starts_with('<')
}

/// Reads a deck.
pub fn read(text: &str) -> Result<DeckList, ListProblem> {
    let mut list = DeckList::new(ListFormat::Cockatrice);
    let mut reader = Reader::from_str(text);
    let mut open: Vec<String> = Vec::new();
    let (mut name, mut in_tokens, mut found_root) = (String::new(), false, false);
    let (mut line, mut counted) = (1, 0);
    loop {
        let event = reader.read_event();
        // The line of the end of what was read.
        let until = (reader.buffer_position() as usize).min(text.len());
        let before = line;
        line += text.as_bytes().get(counted..until).map_or(0, |read| read.iter().filter(|byte| **byte == b'\n').count());
        counted = until;
        let refuse = |message: &str| Err(ListProblemKind::Xml(message.to_owned()).at(line));
        let event = event.map_err(|error| ListProblemKind::Xml(error.to_string()).at(before))?;
        match &event {
            Event::Start(element) | Event::Empty(element) => {
                let tag = element.local_name().as_ref().to_owned();
                if !found_root && tag != ROOT {
                    return Err(ListProblemKind::OtherXml(tag.chars().take(40).collect()).at(line));
                }
                found_root = true;
                match tag.as_str() {
                    "zone" => {
                        let zone = attribute(element, "name").unwrap_or_default();
                        in_tokens = zone.trim().eq_ignore_ascii_case(TOKENS);
                        if !in_tokens {
                            list.add_heading(line, &zone);
                        }
                    }
                    "card" if !in_tokens => list.add_element(line, element),
                    _ => {}
                }
                if matches!(event, Event::Start(_)) {
                    open.push(tag);
                    if open.len() > MAX_DEPTH {
                        return refuse("it is nested too deeply");
                    }
                }
            }
            Event::End(_) => {
                let ended = open.pop();
                match ended.as_deref() {
                    Some("deckname") => list.set_name(line, &std::mem::take(&mut name)),
                    Some("zone") => in_tokens = false,
                    _ => {}
                }
            }
            Event::Text(text) if open.last().is_some_and(|tag| tag == "deckname") => name.push_str(&text.xml10_content()),
            Event::GeneralRef(reference) if open.last().is_some_and(|tag| tag == "deckname") => {
                let character = reference.resolve_char_ref().ok().flatten().map(String::from);
                let predefined = || quick_xml::escape::resolve_predefined_entity(reference).map(str::to_owned);
                name.push_str(&character.or_else(predefined).unwrap_or_default());
            }
            Event::DocType(_) => return refuse("it has a document type"),
            Event::Eof if !open.is_empty() => return refuse("it ends inside of an element"),
            Event::Eof if !found_root => return refuse("it has no element"),
            Event::Eof => return Ok(list),
            _ => {}
        }
    }
}

impl DeckList {
    /// Adds the card of an element.
    fn add_element(&mut self, line: usize, element: &BytesStart<'_>) {
        let copies = attribute(element, "number").unwrap_or_else(|| "1".to_owned());
        let name = attribute(element, "name").unwrap_or_default();
        match copies.trim().parse() {
            Ok(count @ 1..=MAX_COPIES) => {
                let readings = vec![(count, name.trim().to_owned())];
                self.add_card(line, CardLine { readings, is_bare: false, section: None });
            }
            _ => self.report(line, ListProblemKind::Copies(copies.chars().take(12).collect())),
        }
    }
}

/// The value of an attribute. References other than those of characters leave it out.
fn attribute(element: &BytesStart<'_>, name: &str) -> Option<String> {
    let mut attributes = element.attributes();
    // The check for equal names takes quadratic time.
    let all = attributes.with_checks(false).take(MAX_ATTRIBUTES).filter_map(Result::ok);
    let found = all.into_iter().find(|attribute| attribute.key.as_ref() == name)?;
    Some(found.normalized_value(XmlVersion::Implicit1_0).ok()?.into_owned())
}
