//! Whose zone something goes to: a player's own things come back to a zone that needs no owner.

use super::Renderer;
use crate::text::english::plural;
use crate::text::tree::{TextNode, TextNodeKind};

/// To whom something can only belong.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ZoneOwner {
    /// The player whose text it is.
    Own,
    /// The subject of the sentence, or whoever was named with it.
    Theirs,
    /// Nobody says.
    Unknown,
}

impl Renderer<'_> {
    /// The zone of whoever something belongs to: `your hand`, `their hand`, `its owner's hand`; 手札, 持ち主の手札.
    pub(in crate::text) fn home(&self, node: &TextNode, zone: &str) -> String {
        let name = self.lexicon.name(zone).and_then(|forms| forms.first()).map_or(zone, String::as_str);
        match (self.is_japanese(), self.home_of(node)) {
            (true, ZoneOwner::Own) => name.to_owned(),
            (true, ZoneOwner::Theirs) if self.acts_for_itself() => name.to_owned(),
            (true, _) => format!("持ち主の{name}"),
            (false, ZoneOwner::Own) => format!("your {name}"),
            (false, ZoneOwner::Theirs) => format!("their {name}"),
            (false, ZoneOwner::Unknown) if self.is_plural(node) => format!("their owners' {}", plural(name)),
            (false, ZoneOwner::Unknown) => format!("its owner's {name}"),
        }
    }

    /// Whether the subject of the sentence is somebody else than the player whose text it is.
    fn acts_for_itself(&self) -> bool {
        self.owner.as_ref().is_some_and(|owner| !self.is_japanese() || owner == self.style("their"))
    }

    fn home_of(&self, node: &TextNode) -> ZoneOwner {
        match node.kind {
            TextNodeKind::Word => match node.text.as_str() {
                "this" | "you" => ZoneOwner::Own,
                "opponent" => ZoneOwner::Theirs,
                "it" => self
                    .event_object
                    .as_ref()
                    .filter(|thing| !thing.is_word("it"))
                    .map_or(ZoneOwner::Unknown, |thing| self.home_of(thing)),
                word => match self.local(word) {
                    Some(local) if !local.value.mentions(word) => self.home_of(&local.value),
                    _ => ZoneOwner::Unknown,
                },
            },
            // as it is now
            TextNodeKind::Call if node.kids.len() == 1 => self.home_of(node.kid(0)),
            TextNodeKind::Binary if matches!(node.text.as_str(), "and" | "or") => {
                let (one, other) = (self.home_of(node.kid(0)), self.home_of(node.kid(1)));
                if one == other { one } else { ZoneOwner::Unknown }
            }
            TextNodeKind::Phrase => {
                let told = node.kids.iter().skip(2).filter(|post| post.kind == TextNodeKind::Other).flat_map(|post| &post.kids);
                let mut places =
                    node.kids.iter().skip(2).chain(told).filter(|post| matches!(post.kind, TextNodeKind::Of | TextNodeKind::In));
                let known = places.find_map(|post| match post.kid(0) {
                    place if place.kind == TextNodeKind::Phrase && self.is_own_zone(&place.kid(1).text) => {
                        let of = place.kids.iter().skip(2).find(|post| post.kind == TextNodeKind::Of);
                        of.map(|of| if of.kid(0).is_word("you") { ZoneOwner::Own } else { ZoneOwner::Theirs })
                    }
                    place if post.kind == TextNodeKind::In && self.is_own_zone(&place.text) => {
                        self.acts_for_itself().then_some(ZoneOwner::Theirs)
                    }
                    place if post.kind == TextNodeKind::Of && place.is_word("you") => Some(ZoneOwner::Own),
                    _ => None,
                });
                let head = node.kid(1);
                known.unwrap_or_else(|| if head.kind == TextNodeKind::Word { self.home_of(head) } else { ZoneOwner::Unknown })
            }
            _ => ZoneOwner::Unknown,
        }
    }
}
