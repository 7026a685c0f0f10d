//! Why something cannot be used, chosen, or answered so.

use super::{ClientId, Table};
use crate::protocol::{Reason, ServerMessage};
use crate::words::pack_texts::spaced;
use crate::words::phrases::Speaker;
use fizzle_runtime::view::{RefusalKind, RefusalReason, answer_refusal_text, candidate_refusal, declaration_refusal, refusals};
use fizzle_runtime::vm::decision::{AnswerError, Decision, DecisionKind};

/// The most reasons in one message.
const MAX_REASONS: usize = 40;

impl Table {
    /// Why something cannot be used or chosen now, in words for one client.
    pub(super) fn reasons(&mut self, seats: &[usize], on: Option<u32>, speaker: &Speaker) -> Vec<Reason> {
        let unknown = |en: &str, ja: &str| {
            vec![Reason { kind: "unknown".to_owned(), words: speaker.say(en, ja).to_owned(), ..Reason::default() }]
        };
        // While an automatic answer waits, the client does not know yet what is pending.
        let decision = self.playing.decision().filter(|_| self.shown_at.is_none()).cloned();
        let Some(decision) = decision else {
            return unknown("there is nothing to decide now", "いま選択するものはない");
        };
        if !seats.contains(&decision.player) {
            return unknown("another player decides now", "いまは他のプレイヤーが選択する");
        }
        let Some(handles) = self.playing.observer(decision.player).map(|observer| observer.handles().clone()) else {
            return Vec::new();
        };
        // Reasons refresh caches, so they are computed on a copy.
        let mut machine = self.playing.game.machine.clone();
        if decision.kind == DecisionKind::Act {
            let refused = refusals(&mut machine, &handles, &decision).into_iter();
            let refused = refused.filter(|one| on.is_none() || one.handle == on);
            let mut reasons: Vec<_> = refused.map(|one| (one.why.kind, reason(&one.play, one.why))).collect();
            reasons.sort_by_key(|(kind, _)| *kind);
            return reasons.into_iter().map(|(_, reason)| reason).take(MAX_REASONS).collect();
        }
        let Some(on) = on else {
            return unknown("the options are all that can be chosen here", "ここで選べるのは選択肢にあるものだけである");
        };
        match candidate_refusal(&mut machine, &handles, &decision, on) {
            Some(why) => vec![reason("", why)],
            None => unknown("nothing is known about it", "それについて分かることはない"),
        }
    }

    /// Sends why an answer is not legal, and for a declaration the nearest legal one.
    pub(super) fn refuse(&mut self, client: ClientId, decision: &Decision, refusal: &AnswerError) {
        let Some(speaker) = self.client(client).map(|known| known.speaker.clone()) else { return };
        let machine = &self.playing.game.machine;
        let mut why = match declaration_refusal(machine, decision.player, decision, refusal) {
            Some(rule) => reason("", rule),
            None => Reason { kind: kind_name(RefusalKind::Selection).to_owned(), ..Reason::default() },
        };
        why.words = match refusal {
            AnswerError::NoDecisionPending => speaker
                .say("the answer does not have the form that the decision needs", "この選択に合わない形の答えである")
                .to_owned(),
            refusal => answer_refusal_text(machine, decision.player, decision, refusal),
        };
        let instead = match refusal {
            AnswerError::IllegalDeclaration { instead, .. } => instead.clone().or_else(|| decision.proposal()),
            _ => None,
        };
        let question = self.playing.view(decision.player).decision.unwrap_or_default();
        let instead = instead.map(|picks| question.options_of(&picks));
        self.send(client, ServerMessage::Refused { ask: self.ask, why, instead });
    }
}

fn reason(play: &str, why: RefusalReason) -> Reason {
    Reason {
        play: spaced(play),
        kind: kind_name(why.kind).to_owned(),
        words: why.words,
        path: why.path,
        place: why.place,
        ..Reason::default()
    }
}

/// The name of a kind of reasons in messages.
fn kind_name(kind: RefusalKind) -> &'static str {
    match kind {
        RefusalKind::Forbidden => "forbidden",
        RefusalKind::Cost => "cost",
        RefusalKind::NoChoice => "no_choice",
        RefusalKind::Limit => "limit",
        RefusalKind::Moment => "moment",
        RefusalKind::Window => "window",
        RefusalKind::Elsewhere => "elsewhere",
        RefusalKind::Selection => "selection",
    }
}
