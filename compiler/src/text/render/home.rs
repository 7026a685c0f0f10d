//! Whose zone something goes to: a player's own things come back to a zone that needs no owner.

use super::Renderer;
use crate::text::english::plural;
use crate::text::node::{Kind, Node};

/// To whom something can only belong.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Home {
    /// The player whose text it is.
    Own,
    /// The subject of the sentence, or whoever was named with it.
    Theirs,
    /// Nobody says.
    Unknown,
}

impl Renderer<'_> {
    /// The zone of whoever something belongs to: `your hand`, `their hand`, `its owner's hand`; 手札, 持ち主の手札.
    pub(in crate::text) fn home(&self, node: &Node, zone: &str) -> String {
        let name = self.lexicon.name(zone).and_then(|forms| forms.first()).map_or(zone, String::as_str);
        match (self.is_japanese(), self.home_of(node)) {
            (true, Home::Own) => name.to_owned(),
            (true, Home::Theirs) if self.acts_for_itself() => name.to_owned(),
            (true, _) => format!("持ち主の{name}"),
            (false, Home::Own) => format!("your {name}"),
            (false, Home::Theirs) => format!("their {name}"),
            (false, Home::Unknown) if self.is_plural(node) => format!("their owners' {}", plural(name)),
            (false, Home::Unknown) => format!("its owner's {name}"),
        }
    }

    /// Whether the subject of the sentence is somebody else than the player whose text it is.
    fn acts_for_itself(&self) -> bool {
        self.owner.as_ref().is_some_and(|owner| !self.is_japanese() || owner == self.style("their"))
    }

    fn home_of(&self, node: &Node) -> Home {
        match node.kind {
            Kind::Word => match node.text.as_str() {
                "this" | "you" => Home::Own,
                "opponent" => Home::Theirs,
                "it" => {
                    self.thing.as_ref().filter(|thing| !thing.is_word("it")).map_or(Home::Unknown, |thing| self.home_of(thing))
                }
                word => match self.local(word) {
                    Some(local) if !local.value.mentions(word) => self.home_of(&local.value),
                    _ => Home::Unknown,
                },
            },
            // as it is now
            Kind::Call if node.kids.len() == 1 => self.home_of(node.kid(0)),
            Kind::Binary if matches!(node.text.as_str(), "and" | "or") => {
                let (one, other) = (self.home_of(node.kid(0)), self.home_of(node.kid(1)));
                if one == other { one } else { Home::Unknown }
            }
            Kind::Phrase => {
                let told = node.kids.iter().skip(2).filter(|post| post.kind == Kind::Other).flat_map(|post| &post.kids);
                let mut places = node.kids.iter().skip(2).chain(told).filter(|post| matches!(post.kind, Kind::Of | Kind::In));
                let known = places.find_map(|post| match post.kid(0) {
                    place if place.kind == Kind::Phrase && self.is_own_zone(&place.kid(1).text) => {
                        let of = place.kids.iter().skip(2).find(|post| post.kind == Kind::Of);
                        of.map(|of| if of.kid(0).is_word("you") { Home::Own } else { Home::Theirs })
                    }
                    place if post.kind == Kind::In && self.is_own_zone(&place.text) => {
                        self.acts_for_itself().then_some(Home::Theirs)
                    }
                    place if post.kind == Kind::Of && place.is_word("you") => Some(Home::Own),
                    _ => None,
                });
                let head = node.kid(1);
                known.unwrap_or_else(|| if head.kind == Kind::Word { self.home_of(head) } else { Home::Unknown })
            }
            _ => Home::Unknown,
        }
    }
}
