//! Renders abilities and keywords to lines, and drops the conditions that players need not read.

use super::governed_blocks::{OPEN_CONDITION, OPEN_SECOND_CONDITION};
use crate::names::Meaning;
use crate::text::lexicon::Lexicon;
use crate::text::line_marks::INNER_HEAD;
use crate::text::normalize::{CONDITION, LISTED};
use crate::text::pattern_match::{LexiconEntry, LexiconTable, TemplatePart};
use crate::text::renderer::{Renderer, TextLocal};
use crate::text::tree::{TextNode, TextNodeKind};
use crate::text::tree::{collect_conditions, equal_ignoring_spans};
use fizzle_ir::Type;
use smol_str::SmolStr;

impl<'a> Renderer<'a> {
    /// The lines of an ability. There are none if players need not read it.
    pub fn ability(&mut self, node: &TextNode) -> Vec<String> {
        self.locals.clear();
        self.counted_nouns.clear();
        self.last_list = None;
        self.taken.clear();
        self.done.clear();
        self.ability_with_names(node)
    }

    /// The lines of an ability within a text, whose names it may use.
    pub(in crate::text) fn ability_with_names(&mut self, node: &TextNode) -> Vec<String> {
        self.reminders.clear();
        self.reminders_printed = 0;
        let mut lines = self.ability_lines(node);
        for line in &mut lines {
            *line = crate::text::english::lines::place_reminders(line, self.is_japanese());
        }
        let reminders = self.take_reminders();
        if let (false, Some(last)) = (reminders.is_empty(), lines.last_mut()) {
            last.push_str(&if self.is_japanese() { format!("（{reminders}）") } else { format!(" ({reminders})") });
        }
        lines
    }

    /// The reminders that have not been printed yet.
    fn take_reminders(&mut self) -> String {
        let printed = std::mem::replace(&mut self.reminders_printed, self.reminders.len());
        self.reminders
            .get(printed..)
            .map_or_else(String::new, |reminders| reminders.join(if self.is_japanese() { "" } else { " " }))
    }

    /// The same between marks: they are printed behind the sentence in which the mark is.
    pub(in crate::text) fn take_marked_reminders(&mut self) -> String {
        let mark = crate::text::line_marks::REMINDER;
        match self.take_reminders() {
            reminders if reminders.is_empty() => reminders,
            reminders => format!("{mark}{reminders}{mark}"),
        }
    }

    /// Whether the line before covers this trigger too: it equals the second form of the trigger's entry. Japanese only.
    pub fn is_covered_by(&mut self, node: &TextNode, before: &str) -> bool {
        let lexicon: &'a Lexicon = self.lexicon;
        let node = self.prune(node);
        if node.kind != TextNodeKind::When || !self.is_japanese() {
            return false;
        }
        let Some((entry, found)) = lexicon.find(LexiconTable::Ability, &node, self.builder) else { return false };
        let Some(form) = entry.more_forms.first() else { return false };
        self.bind_event_parameters(&node);
        let text = self.fill(form, &found);
        self.finish_line(&text) == before
    }

    fn ability_lines(&mut self, node: &TextNode) -> Vec<String> {
        self.implied_owner = None;
        self.event_object = None;
        self.is_it_this = false;
        self.leading_sentences.clear();
        self.trailing_text = None;
        self.last_sentence = None;
        let node = self.prune(node);
        if node.kind == TextNodeKind::Keyword {
            return self.keyword(&node);
        }
        if let Some(lines) = self.ability_in_zone(&node) {
            return lines;
        }
        let node = if node.kind == TextNodeKind::Does { self.without_vacuous_other(&node) } else { node };
        let node = with_open_condition(node);
        let node = if self.style("paid_first").is_empty() { node } else { with_late_triggers(node) };
        self.bind_event_parameters(&node);
        let node = self.with_explicit_referents(node);
        let lines = self.lines_of_ability(&node);
        self.mark_mandatory(&node, lines)
    }

    fn lines_of_ability(&mut self, node: &TextNode) -> Vec<String> {
        if self.gets_limit_from_entry(node)
            && let Some(lines) = self.limited_ability(node)
        {
            return lines;
        }
        if let Some(text) = self.lookup(LexiconTable::Ability, node) {
            let mut text = self.with_word_of_event(node, text);
            // what an X in the price is, where no sentence says it
            text.push_str(&self.trailing_text.take().unwrap_or_default());
            text.push_str(&self.last_sentence.take().unwrap_or_default());
            if text.is_empty() {
                return self.unimplied_prohibition(node).into_iter().collect();
            }
            // a cost of the card has a form alone and a form before the effect, as a keyword has
            if node.kind == TextNodeKind::Clause
                && let Some(head) = self.head_en(node, &text)
            {
                return vec![head];
            }
            let line = self.finish_line(&text);
            let head = !self.is_japanese() && crate::text::english::lines::is_head(&line);
            return vec![if head { format!("{line}{}{line}", crate::text::english::lines::HEAD) } else { line }];
        }
        if let Some(lines) = self.limited_ability(node) {
            return lines;
        }
        match node.kind {
            TextNodeKind::Does => {
                let mut text = self.sentences(node.kid(0));
                text.push_str(&self.trailing_text.take().unwrap_or_default());
                if text.is_empty() {
                    return Vec::new();
                }
                vec![if self.is_japanese() { self.effect_ja(&text) } else { self.effect_en(&text) }]
            }
            TextNodeKind::Static if node.kid(0).is_nil() => {
                let mut text = self.sentences(node.kid(1));
                // what an X is
                text.push_str(&self.trailing_text.take().unwrap_or_default());
                vec![self.finish_line(&text)]
            }
            // what a card defines of itself is what it gets, where no entry has other words for that
            TextNodeKind::Defines => {
                let whom = TextNode::word("this", node.span);
                let changes = vec![whom, node.kid(0).clone(), TextNode::nil()];
                let text = self.act(&TextNode::new(TextNodeKind::Gets, "", changes, node.span));
                vec![self.finish_line(&text)]
            }
            TextNodeKind::Cannot | TextNodeKind::Clause => {
                let text = self.text(node);
                if text.is_empty() { Vec::new() } else { vec![self.finish_line(&text)] }
            }
            _ => vec![self.gap(node)],
        }
    }

    /// The text of a trigger whose event has a condition, with the word for an event that happens once where the entry of the event has that: `when
    /// this creature dies and it was tapped`.
    fn with_word_of_event(&mut self, node: &TextNode, text: String) -> String {
        let (repeated, once) = if self.is_japanese() { ("たび、", "とき、") } else { ("whenever ", "when ") };
        let is_repeated = |text: &str| text.split_once(repeated).is_some_and(|(before, _)| !before.contains(['.', '。', '、']));
        let has_condition = node.kind == TextNodeKind::When && !node.kid(0).kid(CONDITION).is_nil();
        if !has_condition || self.style("event_while").is_empty() || !text.contains(repeated) {
            return text;
        }
        let mut plain = node.clone();
        plain.kids[0].kids[CONDITION] = TextNode::nil();
        let plain = self.preview(|this| this.lookup(LexiconTable::Ability, &plain)).unwrap_or_default();
        let is_once =
            plain.split_once(once).is_some_and(|(before, _)| !before.contains(['.', '。', '、'])) && !is_repeated(&plain);
        if is_once { text.replacen(repeated, once, 1) } else { text }
    }

    /// The lines of an ability that works in one zone other than the field, where no entry names the zone: those of the ability, and the zone as
    /// the setting `works_in` phrases it, unless the text of the ability names it. `None` otherwise.
    fn ability_in_zone(&mut self, node: &TextNode) -> Option<Vec<String>> {
        let form = self.lexicon.style("works_in").filter(|form| !form.is_empty())?;
        let is_static = matches!(node.kind, TextNodeKind::Static | TextNodeKind::Cannot | TextNodeKind::Clause);
        let is_trigger =
            matches!(node.kind, TextNodeKind::When | TextNodeKind::At | TextNodeKind::Activated | TextNodeKind::Instead);
        if !is_static && !is_trigger {
            return None;
        }
        let zones = node.kids.last().filter(|kid| kid.kind == TextNodeKind::List && kid.text == "zones")?;
        let [first, ..] = zones.kids.as_slice() else { return None };
        // An event about the object itself says where that is.
        let event = node.kid(0);
        if event.kind == TextNodeKind::Event && (event.kid(0).is_word("this") || event.kid(1).is_word("this")) {
            return None;
        }
        let name_of = |zone: &TextNode| self.lexicon.name(&zone.text).and_then(|forms| forms.first()).cloned();
        let names = zones.kids.iter().map(name_of).collect::<Option<Vec<String>>>()?;
        let name = names.join(self.style("or"));
        let zone = first.text.clone();
        let is_one = zones.kids.len() == 1;
        let lexicon: &'a Lexicon = self.lexicon;
        let is_covered = |entry: &LexiconEntry| entry.pattern.kids.last().is_some_and(|zones| !zones.kids.is_empty());
        if lexicon.find(LexiconTable::Ability, node, self.builder).is_some_and(|(entry, _)| is_covered(entry)) {
            return None;
        }
        let mut rest = node.clone();
        if let Some(zones) = rest.kids.last_mut() {
            zones.kids.clear();
        }
        let mut lines = self.ability_lines(&rest);
        let last = lines.last_mut()?;
        let is_named = is_one && (self.places_itself_in(&name, last) || self.name_zone_of_move(&zone, last));
        let forms = self.lexicon.styles("works_in");
        let clause =
            forms.get(if node.kind == TextNodeKind::Activated { 1 } else { 2 }).filter(|_| !self.is_japanese() && !is_static);
        // 存在し、…場合: two conditions in one clause
        let has_condition = self.is_japanese() && last.split('。').next().is_some_and(|head| head.contains("場合"));
        let form = forms.get(1).filter(|_| has_condition).map_or(form, String::as_str);
        let form = forms.last().filter(|_| is_static && forms.len() > 1).map_or(form, String::as_str);
        // a zone that all players share has no owner
        let form = if self.is_own_zone(&zone) { form.to_owned() } else { form.replace("your {Z}", "{Z}") };
        if !is_named && let Some(text) = clause.and_then(|clause| insert_clause(last, &clause.replace("{Z}", &name))) {
            *last = self.capitalise(&text);
        } else if !is_named {
            let text = if form.contains(", {A}") { crate::text::english::lower_first(last) } else { last.clone() };
            let this = self.self_name();
            *last = self.capitalise(&form.replace("{A}", &text).replace("{Z}", &name).replace("{this}", &this));
        }
        Some(lines)
    }

    /// Whether a line says that the card itself is in a zone, or leaves it. That other cards do does not say where this one is.
    fn places_itself_in(&self, zone: &str, line: &str) -> bool {
        let own = self.self_name();
        if self.is_japanese() {
            // 墓地に置く is where something goes
            let selves = [own.as_str(), self.name.as_str(), "これ", "このカード"];
            let is_left = |own: &&&str| {
                let whose = ["", "あなたの", "自分の"];
                whose.iter().any(|whose| {
                    line.contains(&format!("{own}を{whose}{zone}から"))
                        || line.contains(&format!("{own}は{whose}{zone}から"))
                        || line
                            .split(&format!("{own}が{whose}{zone}"))
                            .skip(1)
                            .any(|rest| !rest.starts_with(['へ', 'に']) || rest.starts_with("に存在") || rest.starts_with("にあ"))
                })
            };
            let is_there = |own: &&&str| {
                let links = ["から", "から、", "にある", "の", "に存在する"];
                links.iter().any(|link| line.contains(&format!("{zone}{link}{own}")))
            };
            return selves.iter().filter(|own| !own.is_empty()).any(|own| is_left(&own) || is_there(&own));
        }
        // Special Summon this card (from your hand)
        if ["", "your "].iter().any(|whose| line.contains(&format!("(from {whose}{zone})"))) {
            return true;
        }
        let selves = [own.as_str(), self.name.as_str(), self.short_name(), "it", "this card"];
        line.match_indices(zone).any(|(at, _)| {
            let before = source_of(line.get(..at).unwrap_or(""));
            before.is_some_and(|before| {
                let before = before.strip_suffix(" is").unwrap_or(before);
                let ends = |own: &&str| {
                    before.strip_suffix(*own).is_some_and(|rest| !own.is_empty() && !rest.ends_with(char::is_alphanumeric))
                };
                selves.iter().any(ends)
            })
        })
    }

    /// Names the zone in the phrase by which a card moves itself out of it (setting `moved_self`: the zone, the phrase, the phrase with the zone).
    /// Returns whether the line has that phrase.
    fn name_zone_of_move(&self, zone: &str, line: &mut String) -> bool {
        let phrases = self.lexicon.styles("moved_self").chunks_exact(3).filter_map(|three| <&[String; 3]>::try_from(three).ok());
        let mut is_named = false;
        for [_, plain, named] in phrases.filter(|[of, ..]| of == zone) {
            if !line.contains(named.as_str()) {
                *line = line.replacen(plain.as_str(), named, 1);
            }
            is_named |= line.contains(named.as_str());
        }
        is_named
    }

    /// Whether the entry of an ability leaves its limit open, to be printed in general words, while only a setting can phrase it.
    fn gets_limit_from_entry(&self, node: &TextNode) -> bool {
        let is_open =
            |entry: &LexiconEntry| entry.parts.iter().any(|part| matches!(part, TemplatePart::Slot(name, _) if name == "limit"));
        matches!(node.kind, TextNodeKind::When | TextNodeKind::At)
            && matches!(node.kid(3).text.as_str(), "limit_name" | "limit_player")
            && self.lexicon.find(LexiconTable::Ability, node, self.builder).is_some_and(|(entry, _)| is_open(entry))
    }

    /// The lines of an ability with a limit that no entry covers: those of the ability without it, and the limit as the setting for its kind
    /// phrases it. `None` if there is no limit or no such setting.
    fn limited_ability(&mut self, node: &TextNode) -> Option<Vec<String>> {
        let at = match node.kind {
            TextNodeKind::When | TextNodeKind::At => 3,
            TextNodeKind::Activated => 5,
            _ => return None,
        };
        let limit = node.kid(at).clone();
        let style = match limit.text.as_str() {
            "limit" => "limited",
            "limit_name" => "limited_by_name",
            "limit_player" => "limited_by_player",
            _ => return None,
        };
        // a limit for the whole game has its own wording where a turn is written out
        let whole = format!("{style}_per_game");
        let style = if limit.kid(1).is_word("game") && !self.style(&whole).is_empty() { whole.as_str() } else { style };
        let forms: &'a [String] = self.lexicon.styles(style);
        let form = if limit.kid(0).text == "1" { forms.first() } else { forms.get(1) }?;
        let period = self.slot(limit.kid(1), ":bare");
        let form = form.replace("{P}", &period).replace("{N}", &limit.kid(0).text).replace("{name}", &self.name);
        let mut rest = node.clone();
        if let Some(slot) = rest.kids.get_mut(at) {
            *slot = TextNode::nil();
        }
        let mut lines = self.ability_lines(&rest);
        let last = lines.last_mut()?;
        let text = if form.contains(", {A}") { crate::text::english::lower_first(last) } else { last.clone() };
        *last = self.capitalise(&form.replace("{A}", &text));
        Some(lines)
    }

    /// Binds the parameters of the event that an ability waits for, and the numbers that are chosen for it.
    pub(in crate::text) fn bind_event_parameters(&mut self, ability: &TextNode) {
        let chosen = ability.kids.iter().find(|kid| kid.kind == TextNodeKind::List && kid.text == "values").cloned();
        for name in chosen.iter().flat_map(|chosen| &chosen.kids) {
            let value = TextNode::new(TextNodeKind::Number, "X", Vec::new(), name.span);
            self.locals.push(TextLocal { name: name.text.clone(), value, inline: Some(false), is_plural: true });
        }
        let event = match ability.kind {
            TextNodeKind::When | TextNodeKind::Instead | TextNodeKind::Cannot | TextNodeKind::DelayedWhen => ability.kid(0),
            _ => return,
        };
        let (params, subject) = self.builder.parameters(match event.text.as_str() {
            "enter" | "leave" => "put",
            other => other,
        });
        let passive = !event.kid(4).is_nil();
        let first =
            if passive { params.iter().position(|(_, ty)| *ty != Some(Type::Player)).unwrap_or(0) } else { subject.unwrap_or(0) };
        let second =
            (0..params.len()).find(|at| *at != first && !matches!(params.get(*at), Some((_, Some(Type::Number | Type::Bool)))));
        for (at, part) in [(Some(first), event.kid(0)), (second, event.kid(1))] {
            let Some((name, _)) = at.and_then(|at| params.get(at)) else { continue };
            if name == "it" && !part.is_nil() {
                self.event_object = Some(part.clone());
                let is_of_two = !passive && !event.kid(1).is_nil() && !matches!(event.text.as_str(), "enter" | "leave");
                self.is_it_this = part.is_word("this") && is_of_two;
            }
            // what acts or is acted on is no number
            if matches!(at.and_then(|at| params.get(at)), Some((_, Some(Type::Number | Type::Bool)))) {
                continue;
            }
            // a value that mentions its own name is no value of that name
            if name == "it" || part.is_nil() || name == "you" || part.mentions(name) {
                continue;
            }
            // A parameter for an object or a player, which is a player here: the entry for its name would say both.
            let is_thing = at.and_then(|at| params.get(at)).is_some_and(|(_, ty)| *ty == Some(Type::Thing));
            let value = match is_thing && matches!(part.text.as_str(), "player" | "opponent") {
                true => {
                    TextNode::new(TextNodeKind::Phrase, "", vec![TextNode::nil(), TextNode::word("player", part.span)], part.span)
                }
                false => part.clone(),
            };
            self.locals.push(TextLocal { name: name.clone(), value, inline: None, is_plural: false });
        }
    }

    /// Completes a line: capital letters, markers, pronouns and the end of the sentence.
    pub(in crate::text) fn finish_line(&self, text: &str) -> String {
        let end = self.style("end");
        let text = text.trim();
        // a Japanese line keeps the mark at its beginning, which exempts it from signs
        let apart = if self.is_japanese() && text.starts_with('^') { "^" } else { "" };
        // an English line with a mark at its end gets no full stop
        let open = !self.is_japanese() && text.ends_with('^');
        let text = format!("{apart}{}", text.replace('^', ""));
        let text = if self.is_japanese() {
            self.resolve_markers(&text.replace('|', ""))
        } else {
            let text = crate::text::english::lines::place_event_first(&text, self.style("event_before"));
            crate::text::english::capitalise_sentences(&text)
        };
        let text = if self.is_japanese() {
            self.replace_self_name(&self.insert_topic_comma(&text))
        } else {
            let text = crate::text::english::replace_that_many(&self.replace_by_it(&self.join_price_and_target(&text)));
            crate::text::english::replace_by_they(&text, self.lexicon.styles("they"))
        };
        let text = match self.lexicon.styles("may_twice") {
            [twice, apart] if !twice.is_empty() => text.replace(twice.as_str(), apart),
            _ => text,
        };
        let text = match self.style("cannot") {
            "" => text,
            cannot => text.replace("can't", cannot),
        };
        let is_line = if self.is_japanese() { text.contains('\n') } else { self.ends_with_mode(&text) };
        // the brackets of a sum end no sentence
        let is_in_brackets = text.ends_with(')') && !text.ends_with(".)");
        let closed = text.ends_with(['.', '。', '」', '"', ')', '）', ':']) && !is_in_brackets || is_line;
        if closed || open || end.is_empty() { text } else { format!("{text}{end}") }
    }

    /// Capitalises a name at the beginning of a line. Japanese is left unchanged.
    pub(in crate::text) fn capitalise(&self, name: &str) -> String {
        if self.is_japanese() { name.to_owned() } else { crate::text::english::capitalise(name) }
    }

    /// The lines of a keyword: its name, or the abilities that it stands for.
    pub(in crate::text) fn keyword(&mut self, node: &TextNode) -> Vec<String> {
        if let Some(text) = self.keyword_name(node) {
            if let Some(head) = self.head_en(node, &text) {
                return vec![head];
            }
            return if text.is_empty() { Vec::new() } else { vec![self.capitalise(&text)] };
        }
        // a keyword without abilities works by its name alone, so it needs a text
        match self.expand_keyword(node) {
            Some(lines) if !(lines.is_empty() && self.has_no_abilities(node)) => lines,
            _ => vec![self.gap(node)],
        }
    }

    /// The name of a keyword with its arguments.
    pub(in crate::text) fn keyword_name(&mut self, node: &TextNode) -> Option<String> {
        if let Some(text) = self.lookup(LexiconTable::Ability, node) {
            return Some(text);
        }
        self.lexicon_name(node)
    }

    /// Whether an ability entry matches, so that a printed word is rendered as a keyword is.
    pub(in crate::text) fn has_ability_entry(&self, node: &TextNode) -> bool {
        self.lexicon.find(LexiconTable::Ability, node, self.builder).is_some()
    }

    /// The name of a keyword inside a sentence.
    pub(in crate::text) fn keyword_short(&mut self, node: &TextNode) -> Option<String> {
        if node.kids.is_empty()
            && let Some(short) = self.lexicon.name(&node.text).and_then(|forms| forms.get(1))
        {
            return Some(short.clone());
        }
        let lexicon: &'a Lexicon = self.lexicon;
        if let Some((entry, found)) = lexicon.find(LexiconTable::Ability, node, self.builder)
            && let Some(short) = entry.more_forms.first()
        {
            return Some(self.fill(short, &found));
        }
        self.keyword_name(node)
    }

    pub(in crate::text) fn lexicon_name(&self, node: &TextNode) -> Option<String> {
        if node.kids.is_empty() { self.lexicon.name(&node.text).and_then(|forms| forms.first()).cloned() } else { None }
    }

    /// Whether a keyword has no abilities.
    fn has_no_abilities(&self, node: &TextNode) -> bool {
        self.lexicon.keyword(&node.text, self.builder).is_none_or(|(_, abilities)| abilities.is_empty())
    }

    /// The lines of the abilities that a keyword stands for, with its arguments. `None` if it is unknown or nested too deep.
    pub(in crate::text) fn expand_keyword(&mut self, node: &TextNode) -> Option<Vec<String>> {
        if self.depth > 4 {
            return None;
        }
        let (params, abilities) = self.lexicon.keyword(&node.text, self.builder)?;
        let mut lines = Vec::new();
        self.depth += 1;
        let mut all: Vec<TextNode> = Vec::new();
        for ability in abilities {
            let mut spelt = self.builder.ability(ability);
            for (param, value) in params.iter().zip(&node.kids) {
                spelt = spelt.replace_word(&param.name.text, value);
            }
            all.push(spelt);
        }
        all.dedup_by(|later, before| crate::text::english::lines::are_mirrored(before, later, self.lexicon, self.builder));
        for spelt in &all {
            for line in self.ability(spelt) {
                if !lines.contains(&line) {
                    lines.push(line);
                }
            }
        }
        self.depth -= 1;
        Some(lines)
    }

    /// The text of the abilities of a keyword that has no words, quoted in a sentence that gives it to something. `None` if it has none.
    pub(in crate::text) fn quoted_keyword(&mut self, node: &TextNode, whom: &TextNode) -> Option<String> {
        let (_, abilities) = self.lexicon.keyword(&node.text, self.builder)?;
        if abilities.is_empty() || self.lexicon_name(node).is_some() || self.has_ability_entry(node) {
            return None;
        }
        let mut inner = self.renderer_of_recipient(whom);
        let lines = inner.expand_keyword(node);
        self.work_left = inner.work_left;
        self.add_gaps(&inner.gaps);
        let text = self.with_one_head(lines?).join(if self.is_japanese() { "" } else { " " });
        let text = self.within_sentence(&text);
        (!text.is_empty()).then_some(text)
    }

    /// The lines of an ability within a sentence, with one head each.
    pub(in crate::text) fn with_one_head(&self, lines: Vec<String>) -> Vec<String> {
        if self.is_japanese() { self.gather_heads(lines) } else { lines }
    }

    /// The text of an ability within a sentence, whose head is not that of the line.
    pub(in crate::text) fn within_sentence(&self, text: &str) -> String {
        if self.is_japanese() {
            return text
                .replace("発動する", &format!("発動{INNER_HEAD}する"))
                .replace("発動できる", &format!("発動{INNER_HEAD}できる"));
        }
        text.replace(": ", &format!(":{INNER_HEAD} "))
    }

    /// The sentence that a keyword prints, as the thing that gets it says it: `this creature attacks each combat if able.` `None` if its words are no
    /// sentence.
    pub(in crate::text) fn sentence_of_keyword(&mut self, node: &TextNode, whom: &TextNode) -> Option<String> {
        let mut inner = self.renderer_of_recipient(whom);
        let sentence = inner.sentence_name(node);
        self.work_left = inner.work_left;
        sentence
    }

    /// The name of a keyword that is a sentence.
    pub(in crate::text) fn sentence_name(&mut self, node: &TextNode) -> Option<String> {
        let sentence = self.keyword_name(node).filter(|text| text.ends_with(['.', '。']))?;
        Some(self.capitalise(&sentence))
    }

    /// A renderer for a quotation in a sentence that gives something to a thing, which calls itself by its noun there. The sentence continues behind
    /// the quotation, with its own names.
    fn renderer_of_recipient(&mut self, whom: &TextNode) -> Self {
        let mut inner = Renderer::new(self.lexicon, self.builder, self.sources, self.grammar, self.words.clone());
        inner.name.clone_from(&self.name);
        if let Some(noun) = self.noun_of_recipient(whom) {
            inner.words = vec![noun.text.clone()];
            let is_by_name = self.lexicon.self_name_for(&inner.words).is_none_or(|form| form.contains('{'));
            if is_by_name {
                inner.name = match self.is_japanese() {
                    true => format!("この{}", self.noun_ja(&noun)),
                    false => format!("this {}", self.noun_en(&noun, false)),
                };
                inner.is_quoted = true;
            }
        }
        inner.is_quoted |= self.is_quoted;
        (inner.depth, inner.work_left) = (self.depth, self.work_left);
        inner
    }

    /// The noun of a thing that gets something. One that is described without a noun has that with which its text ends: `equipped creature`. `None` for
    /// the card itself, and without a noun.
    fn noun_of_recipient(&mut self, whom: &TextNode) -> Option<TextNode> {
        let object = self.event_object.clone().filter(|_| whom.is_word("it"));
        let whom = object.as_ref().unwrap_or(whom);
        let noun = self.noun_of(whom);
        if noun.kind == TextNodeKind::Word && self.is_noun(&noun.text) {
            return Some(noun);
        }
        if whom.is_word("this") {
            return None;
        }
        let text = self.preview(|this| this.text(whom));
        let names = self.builder.names;
        let words = names.traits.iter().flat_map(|set| set.words.iter().flatten()).chain(names.nouns.keys());
        let mut longest: Option<(usize, &SmolStr)> = None;
        for word in words.filter(|word| self.is_noun(word)) {
            let Some(form) = self.lexicon.name(word).and_then(|forms| forms.first()) else { continue };
            let before = text.strip_suffix(form.as_str()).filter(|_| !form.is_empty());
            let is_at_end = before.is_some_and(|before| self.is_japanese() || before.is_empty() || before.ends_with(' '));
            if is_at_end && longest.is_none_or(|(length, _)| length < form.len()) {
                longest = Some((form.len(), word));
            }
        }
        let (_, word) = longest?;
        Some(TextNode::word(word, whom.span))
    }

    /// Whether an entry hides a condition from players. The values of its holes must be printed elsewhere: a number in the price, anything
    /// else in the `rest` of the ability.
    pub(in crate::text) fn is_hidden(&self, node: &TextNode, rest: &AbilityRemainder<'_>) -> bool {
        if node.kind == TextNodeKind::Binary && node.text == "and" {
            return self.is_hidden(node.kid(0), rest) && self.is_hidden(node.kid(1), rest);
        }
        let Some((found, is_hidden_for_use)) = self.lexicon.find_hidden(node, self.builder) else { return false };
        if is_hidden_for_use && !rest.is_use {
            return false;
        }
        // only what happens to an object itself needs it to be where it was
        let is_about = |object: &TextNode| rest.all.iter().all(|part| each_statement_mentions(part, object));
        if placed_object(node).is_some_and(|object| !is_about(object)) {
            return false;
        }
        // a status or variable that the entry itself names: what the ability does or costs must be about it
        let is_read = |word: &TextNode| found.iter().all(|(_, value)| !value.mentions(&word.text));
        let mut states = Vec::new();
        self.collect_states(node, &mut states);
        let is_covered = |state: &TextNode| rest.all.iter().chain(rest.price).any(|part| mentions_all_of(part, state));
        if states.iter().any(|state| is_read(state) && !is_covered(state)) {
            return false;
        }
        found.iter().all(|(_, value)| {
            let covering = if value.kind == TextNodeKind::Number { rest.price } else { rest.all };
            covering.iter().any(|part| mentions_all_of(part, value) && names_things_of(part, value))
        })
    }

    /// Collects the words for statuses and variables that a condition reads.
    fn collect_states(&self, condition: &TextNode, states: &mut Vec<TextNode>) {
        let is_state = |meaning: &Meaning| matches!(meaning, Meaning::Status(_) | Meaning::Player(_) | Meaning::Global(_));
        if condition.kind == TextNodeKind::Word && self.builder.names.meanings(&condition.text).iter().any(is_state) {
            states.push(condition.clone());
        }
        condition.kids.iter().for_each(|kid| self.collect_states(kid, states));
    }

    /// The condition without the parts that are hidden from players.
    pub(in crate::text) fn without_hidden_conditions(&self, node: &TextNode, rest: &AbilityRemainder<'_>) -> TextNode {
        if node.is_nil() || self.is_hidden(node, rest) {
            return TextNode::nil();
        }
        if node.kind == TextNodeKind::Binary && node.text == "and" {
            let (left, right) =
                (self.without_hidden_conditions(node.kid(0), rest), self.without_hidden_conditions(node.kid(1), rest));
            return match (left.is_nil(), right.is_nil()) {
                (true, _) => right,
                (_, true) => left,
                _ => TextNode { kids: vec![left, right], ..node.clone() },
            };
        }
        node.clone()
    }

    /// Moves a condition of the event to the ability, unless an entry renders it with the event.
    pub(in crate::text) fn move_condition_to_ability(&mut self, ability: &mut TextNode) {
        let event = ability.kid(0).clone();
        let condition = event.kid(3).clone();
        let lexicon: &'a Lexicon = self.lexicon;
        let covers_condition = |entry: &LexiconEntry| {
            !entry.pattern.kid(3).is_nil()
                || entry.parts.iter().any(|part| matches!(part, TemplatePart::Slot(name, _) if name == "where"))
        };
        if condition.is_nil()
            || ability.kind == TextNodeKind::When && !self.style("event_while").is_empty()
            || lexicon.find(LexiconTable::Event, &event, self.builder).is_some_and(|(entry, _)| covers_condition(entry))
        {
            return;
        }
        let whole = lexicon.find(LexiconTable::Ability, ability, self.builder);
        if whole.is_some_and(|(entry, _)| !entry.pattern.kid(0).kid(3).is_nil()) {
            return;
        }
        let (kept, condition) = self.split_event_condition(&event);
        ability.kids[0].kids[3] = kept;
        let other = ability.kid(1).clone();
        let span = condition.span;
        ability.kids[1] =
            if other.is_nil() { condition } else { TextNode::new(TextNodeKind::Binary, "and", vec![condition, other], span) };
    }

    /// Splits the condition of an event: the first operands of the conjunction, as many as one entry renders with the event, and the others.
    pub(in crate::text) fn split_event_condition(&self, event: &TextNode) -> (TextNode, TextNode) {
        let mut operands = Vec::new();
        collect_conditions(event.kid(3), &mut operands);
        let join = |operands: &[&TextNode]| {
            let both = |one: TextNode, other: TextNode| {
                let span = one.span;
                TextNode::new(TextNodeKind::Binary, "and", vec![one, other], span)
            };
            operands.iter().map(|operand| (*operand).clone()).reduce(both).unwrap_or_else(TextNode::nil)
        };
        for length in (1..operands.len()).rev() {
            let (front, back) = operands.split_at(length);
            let mut with_front = event.clone();
            if let Some(slot) = with_front.kids.get_mut(3) {
                *slot = join(front);
            }
            let found = self.lexicon.find(LexiconTable::Event, &with_front, self.builder);
            if found.is_some_and(|(entry, _)| !entry.pattern.kid(3).is_nil()) {
                return (join(front), join(back));
            }
        }
        (TextNode::nil(), event.kid(3).clone())
    }

    pub(in crate::text) fn prune(&mut self, node: &TextNode) -> TextNode {
        let mut made = node.clone();
        match node.kind {
            // an entry may name what is hidden otherwise
            TextNodeKind::Instead
                if self
                    .lexicon
                    .find(LexiconTable::Ability, node, self.builder)
                    .is_some_and(|(entry, _)| !entry.pattern.kid(0).kid(3).is_nil()) => {}
            TextNodeKind::When | TextNodeKind::Instead => {
                let rest = AbilityRemainder { all: node.kids.get(2..).unwrap_or_default(), ..Default::default() };
                let condition = self.without_hidden_conditions(node.kid(0).kid(3), &rest);
                if let Some(slot) = made.kids.get_mut(0).and_then(|event| event.kids.get_mut(3)) {
                    *slot = condition;
                }
                made.kids[1] = self.without_hidden_conditions(node.kid(1), &rest);
                self.move_condition_to_ability(&mut made);
            }
            TextNodeKind::At => {
                let rest = AbilityRemainder { all: node.kids.get(2..).unwrap_or_default(), ..Default::default() };
                made.kids[1] = self.without_hidden_conditions(node.kid(1), &rest);
            }
            TextNodeKind::Option => {
                let rest = node.kids.get(3..).unwrap_or_default();
                made.kids[2] = self.without_hidden_conditions(
                    node.kid(2),
                    &AbilityRemainder { price: rest.get(..2).unwrap_or_default(), all: rest, is_use: true },
                );
            }
            TextNodeKind::Static => {
                let rest = AbilityRemainder { all: node.kids.get(1..).unwrap_or_default(), ..Default::default() };
                made.kids[0] = self.without_hidden_conditions(node.kid(0), &rest);
            }
            TextNodeKind::Activated => {
                let rest = node.kids.get(1..).unwrap_or_default();
                made.kids[0] = self.without_hidden_conditions(
                    node.kid(0),
                    &AbilityRemainder { price: rest.get(..2).unwrap_or_default(), all: rest, is_use: true },
                );
                // the price is the first part of the cost
                if !self.style("list").is_empty() && self.style("prices") == "first" {
                    let price = node.kid(1).clone();
                    let mut parts = Vec::new();
                    if !price.is_nil() {
                        parts.push(TextNode::new(TextNodeKind::Statement, "", vec![price], node.span));
                    }
                    parts.extend(node.kid(2).kids.iter().cloned());
                    if !parts.is_empty() {
                        made.kids[1] = TextNode::nil();
                        made.kids[2] = TextNode::new(TextNodeKind::Block, "", parts, node.span);
                    }
                }
            }
            TextNodeKind::Cannot => {
                let condition = self.without_hidden_conditions(node.kid(0).kid(3), &AbilityRemainder::default());
                if let Some(slot) = made.kids.get_mut(0).and_then(|event| event.kids.get_mut(3)) {
                    *slot = condition;
                }
            }
            _ => {}
        }
        made
    }
}

/// A copy in which what a trigger depends on is not its price: it happens when the ability around it resolves, and the trigger waits on the
/// list then.
fn with_late_triggers(mut node: TextNode) -> TextNode {
    if node.kind == TextNodeKind::Statement && node.text == "if_you_do" && node.kid(0).kind == TextNodeKind::Trigger {
        let is_late = node.kid(0).text == LISTED;
        node.text = if is_late { "when_you_do".into() } else { node.text };
    }
    node.kids = node.kids.into_iter().map(with_late_triggers).collect();
    node
}

/// A trigger whose text begins with a condition: what follows it is marked, or it would be read as a condition of the whole trigger.
fn with_open_condition(mut node: TextNode) -> TextNode {
    let is_trigger = matches!(node.kind, TextNodeKind::When | TextNodeKind::At);
    let by = if node.kid(1).is_nil() { OPEN_CONDITION } else { OPEN_SECOND_CONDITION };
    if let Some(body) = node.kids.get_mut(2).filter(|body| is_trigger && body.text.is_empty() && body.kids.len() > 1) {
        let first = body.kid(0).kid(0);
        if first.kind == TextNodeKind::If && first.kid(2).is_nil() {
            body.text = by.into();
        }
    }
    node
}

/// The parts of an ability other than one of its conditions.
#[derive(Clone, Copy, Default)]
pub(in crate::text) struct AbilityRemainder<'n> {
    /// The price and the cost.
    pub price: &'n [TextNode],
    /// All parts.
    pub all: &'n [TextNode],
    /// Whether the condition is one of the use of something by a player.
    pub is_use: bool,
}

/// Collects the words and quoted names of a node.
pub(super) fn collect_words(node: &TextNode, words: &mut Vec<TextNode>) {
    if matches!(node.kind, TextNodeKind::Word | TextNodeKind::Quoted) {
        words.push(node.clone());
    }
    node.kids.iter().for_each(|kid| collect_words(kid, words));
}

/// The object of which a condition says in which zone it is. `None` for other conditions.
fn placed_object(condition: &TextNode) -> Option<&TextNode> {
    let is_placed = condition.kind == TextNodeKind::Phrase
        && condition.kid(0).is_nil()
        && condition.kids.last().is_some_and(|place| place.kind == TextNodeKind::In);
    is_placed.then(|| condition.kid(1))
}

/// Whether each statement of a block mentions all leaves of a value. Parts other than blocks do nothing.
fn each_statement_mentions(part: &TextNode, value: &TextNode) -> bool {
    part.kind != TextNodeKind::Block || part.kids.iter().all(|statement| mentions_all_of(statement, value))
}

/// Whether a part names each kind of things that a condition is about: with its filters, or without those that say whose things they are.
pub(super) fn names_things_of(part: &TextNode, condition: &TextNode) -> bool {
    if condition.kind != TextNodeKind::Phrase {
        return condition.kids.iter().all(|kid| names_things_of(part, kid));
    }
    let filters = |phrase: &TextNode| phrase.kids.iter().skip(2).filter(|kid| kid.kind != TextNodeKind::Other).cloned().collect();
    let wanted: Vec<TextNode> = filters(condition);
    let is_named = |node: &TextNode| {
        let (head, named): (_, Vec<TextNode>) = match node.kind {
            TextNodeKind::Phrase => (node.kid(1), filters(node)),
            // `count of monster`
            TextNodeKind::Word => (node, Vec::new()),
            _ => return false,
        };
        // those of every player are those of one, too
        let is_of_all = part.mentions("player") || named.iter().all(|filter| filter.kind != TextNodeKind::Of);
        let is_zone_of_all = |filter: &TextNode, wanted: &TextNode| {
            let [(zone, whose), (wanted, _)] = [filter, wanted].map(zone_and_owner);
            filter.kind == TextNodeKind::In && equal_ignoring_spans(zone, wanted) && (whose.is_nil() || part.mentions("player"))
        };
        let covers = |wanted: &TextNode| match wanted.kind {
            TextNodeKind::Of if is_of_all => true,
            kind => named
                .iter()
                .any(|filter| equal_ignoring_spans(filter, wanted) || kind == TextNodeKind::In && is_zone_of_all(filter, wanted)),
        };
        equal_ignoring_spans(head, condition.kid(1)) && wanted.iter().all(covers)
    };
    has_node(part, &is_named)
}

/// The zone of a filter, and whose zone it is; nothing for every player's.
fn zone_and_owner(filter: &TextNode) -> (&TextNode, &TextNode) {
    let zone = filter.kid(0);
    if zone.kind == TextNodeKind::Phrase { (zone.kid(1), zone.kid(2)) } else { (zone, zone.kid(2)) }
}

/// Whether a part is or contains a node for which something holds.
fn has_node(part: &TextNode, holds: &dyn Fn(&TextNode) -> bool) -> bool {
    holds(part) || part.kids.iter().any(|kid| has_node(kid, holds))
}

/// Whether a part mentions every leaf of a value.
pub(super) fn mentions_all_of(part: &TextNode, value: &TextNode) -> bool {
    fn has(part: &TextNode, leaf: &TextNode) -> bool {
        part.kind == leaf.kind && part.text == leaf.text || part.kids.iter().any(|kid| has(kid, leaf))
    }
    match value.kids.is_empty() {
        true => value.text.is_empty() || has(part, value),
        false => value.kids.iter().all(|kid| mentions_all_of(part, kid)),
    }
}

/// Inserts a clause behind the head of a line, which says when an ability can be used: `once per turn, if this card is in your hand: …`. `None` for a
/// line without such a head.
fn insert_clause(line: &str, clause: &str) -> Option<String> {
    let end = line.find(':')?;
    let (head, rest) = line.split_at(end);
    // a bracket at the end of the head stays there; `card(s)` is one word
    let bracket = if head.starts_with('(') { Some(0) } else { head.find(" (").map(|at| at + 1) };
    let (head, bracket) = bracket.map_or((head, ""), |at| (head[..at].trim_end(), &head[at..]));
    let is_conditional = head.starts_with("if ") || head.contains(" if ") || head.starts_with("If ");
    let clause = match clause.strip_prefix(", if ").filter(|_| is_conditional) {
        Some(condition) => format!(" and {condition}"),
        None if head.is_empty() => clause.trim_start_matches([',', ' ']).to_owned(),
        None => clause.to_owned(),
    };
    let space = if bracket.is_empty() { "" } else { " " };
    // where the card is comes before a further condition
    let (event, condition) =
        head.find(", and ").filter(|_| clause.starts_with(" while ")).map_or((head, ""), |at| head.split_at(at));
    (!head.contains(['.', '"'])).then(|| format!("{event}{clause}{condition}{space}{bracket}{rest}"))
}

/// What a text says before the beginning of a place that something is in or leaves, with which it ends: `from your `, `in your `. `None` for
/// other texts.
fn source_of(text: &str) -> Option<&str> {
    ["your ", "the ", "a ", ""].iter().find_map(|word| {
        let text = text.strip_suffix(word)?;
        [" from ", " in "].iter().find_map(|preposition| text.strip_suffix(preposition))
    })
}
