//! Determines the owner of a zone that something goes to: `your hand`, `their hand`, `its owner's hand`.

use crate::text::english::plural;
use crate::text::renderer::Renderer;
use crate::text::tree::{TextNode, TextNodeKind};

/// Who an object can only belong to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ZoneOwner {
    /// The player whose text it is.
    Controller,
    /// The subject of the sentence, or the opponent.
    Subject,
    /// The text does not determine it.
    Unknown,
}

/// The filter of a zone that can be any player's.
const ANY_PLAYER: &str = "_any_player";

/// The zone of a phrase for a zone that can be any player's.
pub(in crate::text) fn any_players_zone(node: &TextNode) -> Option<&TextNode> {
    let [_, zone, filter] = node.kids.as_slice() else { return None };
    (node.kind == TextNodeKind::Phrase && filter.kind == TextNodeKind::Other && filter.text == ANY_PLAYER).then_some(zone)
}

impl Renderer<'_> {
    /// The selection with *any player's* before its zones, which each player has and which are written without one. A selection of all things
    /// is from each player's zones. `None` for other selections, and in languages without the setting `any_player`.
    pub(in crate::text) fn with_any_players_zones(&self, selection: &TextNode) -> Option<TextNode> {
        let quantifier = selection.kid(0).text.as_str();
        let filters = selection.kids.get(2..).unwrap_or_default();
        let is_chosen = matches!(quantifier, "exactly" | "up_to" | "any" | "range" | "random");
        let is_owned = |filter: &TextNode| {
            matches!(filter.kind, TextNodeKind::Of | TextNodeKind::Other)
                || ["owner", "controller", "you", "opponent"].iter().any(|word| filter.mentions(word))
        };
        if selection.kind != TextNodeKind::Phrase
            || !is_chosen && quantifier != "each"
            || self.style("any_player").is_empty()
            || !filters.iter().any(|filter| filter.kind == TextNodeKind::In && self.is_own_zone(&filter.kid(0).text))
            || filters.iter().any(is_owned)
        {
            return None;
        }
        let mut made = selection.clone();
        for filter in made.kids.iter_mut().skip(2).filter(|filter| filter.kind == TextNodeKind::In) {
            let zone = filter.kid(0).clone();
            if zone.kind != TextNodeKind::Word || !self.is_own_zone(&zone.text) {
                continue;
            }
            let whose = match is_chosen {
                true => TextNode::new(TextNodeKind::Other, ANY_PLAYER, Vec::new(), zone.span),
                false => {
                    let players = TextNode::word("players", zone.span);
                    TextNode::new(TextNodeKind::Of, "", vec![players], zone.span)
                }
            };
            filter.kids[0] = TextNode::new(TextNodeKind::Phrase, "", vec![TextNode::nil(), zone.clone(), whose], zone.span);
        }
        (made != *selection).then_some(made)
    }

    /// A zone with the owner of the object as its possessor: `your hand`, `their hand`, `its owner's hand`; 手札, 持ち主の手札.
    pub(in crate::text) fn zone_with_owner(&self, node: &TextNode, zone: &str) -> String {
        let name = self.lexicon.name(zone).and_then(|forms| forms.first()).map_or(zone, String::as_str);
        match (self.is_japanese(), self.zone_owner(node)) {
            (true, ZoneOwner::Controller) => name.to_owned(),
            (true, ZoneOwner::Subject) if self.has_other_subject() => name.to_owned(),
            (true, _) => format!("持ち主の{name}"),
            (false, ZoneOwner::Controller) => format!("your {name}"),
            (false, ZoneOwner::Subject) => format!("their {name}"),
            (false, ZoneOwner::Unknown) if self.is_plural(node) => format!("their owners' {}", plural(name)),
            (false, ZoneOwner::Unknown) => format!("its owner's {name}"),
        }
    }

    /// Whether the subject of the sentence is another player than the one whose text it is.
    fn has_other_subject(&self) -> bool {
        self.implied_owner.as_ref().is_some_and(|owner| !self.is_japanese() || owner == self.style("their"))
    }

    fn zone_owner(&self, node: &TextNode) -> ZoneOwner {
        match node.kind {
            TextNodeKind::Word => match node.text.as_str() {
                "this" | "you" => ZoneOwner::Controller,
                "opponent" => ZoneOwner::Subject,
                "it" => self
                    .event_object
                    .as_ref()
                    .filter(|thing| !thing.is_word("it"))
                    .map_or(ZoneOwner::Unknown, |thing| self.zone_owner(thing)),
                word => match self.local(word) {
                    Some(local) if !local.value.mentions(word) => self.zone_owner(&local.value),
                    _ => ZoneOwner::Unknown,
                },
            },
            // the current state of an object
            TextNodeKind::Call if node.kids.len() == 1 => self.zone_owner(node.kid(0)),
            TextNodeKind::Binary if matches!(node.text.as_str(), "and" | "or") => {
                let (one, other) = (self.zone_owner(node.kid(0)), self.zone_owner(node.kid(1)));
                if one == other { one } else { ZoneOwner::Unknown }
            }
            TextNodeKind::Phrase => {
                let consumed =
                    node.kids.iter().skip(2).filter(|post| post.kind == TextNodeKind::Other).flat_map(|post| &post.kids);
                let mut places = node
                    .kids
                    .iter()
                    .skip(2)
                    .chain(consumed)
                    .filter(|post| matches!(post.kind, TextNodeKind::Of | TextNodeKind::In));
                let known = places.find_map(|post| match post.kid(0) {
                    place if place.kind == TextNodeKind::Phrase && self.is_own_zone(&place.kid(1).text) => {
                        let of = place.kids.iter().skip(2).find(|post| post.kind == TextNodeKind::Of);
                        of.map(|of| if of.kid(0).is_word("you") { ZoneOwner::Controller } else { ZoneOwner::Subject })
                    }
                    place if post.kind == TextNodeKind::In && self.is_own_zone(&place.text) => {
                        self.has_other_subject().then_some(ZoneOwner::Subject)
                    }
                    // one of the top cards of your library
                    place if post.kind == TextNodeKind::In && self.selects_list(place) => {
                        let list = self.local(&place.text).filter(|list| !list.value.mentions(&place.text));
                        list.map(|list| self.zone_owner(&list.value)).filter(|owner| *owner == ZoneOwner::Controller)
                    }
                    place if post.kind == TextNodeKind::Of && place.is_word("you") => Some(ZoneOwner::Controller),
                    _ => None,
                });
                let head = node.kid(1);
                known.unwrap_or_else(|| if head.kind == TextNodeKind::Word { self.zone_owner(head) } else { ZoneOwner::Unknown })
            }
            _ => ZoneOwner::Unknown,
        }
    }
}
