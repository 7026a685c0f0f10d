//! Lowers layouts and stages, after all rules: what only they use is at the end of the tables of the library.

use crate::diagnostics::{Diagnostic, codes};
use crate::formats::ResolvedFormat;
use crate::layout_difference::PlacedRow;
use crate::limits;
use crate::lower::function_builder::Candidate;
use crate::lower::selection::{SearchSpace, Selection};
use crate::lower::{Lowering, Owner, TypedRegister};
use crate::names::Meaning;
use crate::phrase_syntax::{as_phrase, bare_word};
use fizzle_grammar::ast::{
    ArrowEnds, Expr, FacePart, LayoutEntryKind, LayoutFace as WrittenFace, LayoutRowKind, LinkKind, Name,
    RowStyle as WrittenStyle, ScenarioStepKind, Span, Stage as WrittenStage, Tone as WrittenTone, WordHue as WrittenHue,
};
use fizzle_ir::layout::{
    FaceStat, FaceValue, Layout, LayoutFace, LayoutRow, MAX_LAYOUT_ENTRIES, MAX_LAYOUT_NAMES, MAX_PLACES, RowContent, RowStyle,
    Tone, WordHue,
};
use fizzle_ir::scenario::Stage;
use fizzle_ir::{FnId, Format, Op, TraitSetId, Type, ZoneKindId};
use smol_str::SmolStr;
use std::collections::BTreeMap;

/// The register of the object in a condition.
const OBJECT: u16 = 2;

/// What was lowered already, by the addresses of expressions: formats share it.
#[derive(Default)]
struct LayoutCache {
    functions: BTreeMap<usize, FnId>,
    contents: BTreeMap<usize, Option<RowContent>>,
}

/// What the rows before one take: the zones that are taken whole, and the texts of other contents, each with where that is written.
#[derive(Default)]
struct TakenContents {
    zones: BTreeMap<ZoneKindId, (Span, &'static str)>,
    texts: BTreeMap<String, Span>,
}

/// A table of variables of objects or players.
#[derive(Clone, Copy, PartialEq)]
enum VariableTable {
    Property,
    Status,
    Player,
}

impl<'a> Lowering<'a> {
    /// Lowers the layouts of all formats. Nothing that follows may be part of a rule.
    pub(crate) fn layouts(&mut self, models: &[ResolvedFormat<'a>], formats: &mut [Format]) {
        if models.iter().all(|model| model.layout.is_none()) {
            return;
        }
        let mut shared = LayoutCache::default();
        let span = models.iter().find_map(|model| model.layout.as_ref()).map_or(Span::default(), |layout| layout.span);
        self.outside_of_rules(span, |lower| {
            let before = std::mem::replace(&mut lower.owner, Owner::new("layout"));
            for (model, format) in models.iter().zip(formats) {
                format.layout = lower.layout(model, &mut shared);
            }
            lower.owner = before;
        });
    }

    /// Lowers something that the rules hash does not cover. It may not add words to open trait sets.
    pub(crate) fn outside_of_rules<T>(&mut self, span: Span, lower: impl FnOnce(&mut Self) -> T) -> T {
        let functions = self.library.functions.len();
        let lists = self.library.lists.len();
        let words: Vec<usize> = self.words.iter().map(|words| words.len()).collect();
        let result = lower(self);
        self.library.shown_functions += (self.library.functions.len() - functions) as u32;
        self.library.shown_lists += (self.library.lists.len() - lists) as u32;
        let mut unknown = None;
        for (set, known) in self.words.iter_mut().zip(words) {
            unknown = unknown.or_else(|| set.get_index(known).map(|(word, _)| word.clone()));
            set.truncate(known);
        }
        if let Some(word) = unknown {
            self.report(
                Diagnostic::new(&codes::UNKNOWN_NAME, span, format!("no card prints the word \"{word}\", which this names"))
                    .help("list the word where its set is declared: `traits NAME open { \"WORD\" }`"),
            );
        }
        result
    }

    fn layout(&mut self, model: &ResolvedFormat<'a>, shared: &mut LayoutCache) -> Layout {
        let Some(written) = &model.layout else { return Layout::default() };
        let mut layout = Layout::default();
        let mut taken = TakenContents::default();
        for entry in &written.entries {
            if let LayoutEntryKind::Hidden(zones) = &entry.kind {
                for zone in zones {
                    if let Some(id) = self.layout_zone(zone) {
                        taken.zones.entry(id).or_insert((zone.span, "it is hidden here"));
                        layout.hidden.push(id);
                    }
                }
            }
        }
        if self.exceeds("rows", written.rows.len(), MAX_LAYOUT_ENTRIES, written.span) {
            return layout;
        }
        for placed in &written.rows {
            layout.rows.extend(self.layout_row(placed, &mut taken, shared));
        }
        for entry in &written.entries {
            match &entry.kind {
                LayoutEntryKind::Area { .. } | LayoutEntryKind::Hidden(_) => {}
                LayoutEntryKind::Plate { large, show } => {
                    let numbers = [Type::Number, Type::Bool];
                    for name in large {
                        let found = self.shown_variable(name, VariableTable::Player, &numbers);
                        if layout.large.is_some() {
                            self.report(
                                Diagnostic::new(&codes::BAD_LAYOUT, name.span, "a plate has one large number only")
                                    .help(format!("write `show {}`", name.text)),
                            );
                        }
                        layout.large = layout.large.or(found);
                    }
                    for name in show {
                        layout.show.extend(self.shown_variable(name, VariableTable::Player, &numbers));
                    }
                }
                LayoutEntryKind::Links { kind, statuses } => {
                    for name in statuses {
                        let found = self.shown_variable(name, VariableTable::Status, &[Type::Object, Type::Player, Type::Thing]);
                        match kind {
                            LinkKind::Beside => layout.beside.extend(found),
                            LinkKind::Under => layout.under.extend(found),
                        }
                    }
                }
                LayoutEntryKind::Arrows(arrows) => {
                    for ArrowEnds { from, to } in arrows {
                        let objects = [Type::Object, Type::Thing];
                        match to {
                            None => layout.arrow.extend(self.shown_variable(
                                from,
                                VariableTable::Status,
                                &[Type::Object, Type::Player, Type::Thing],
                            )),
                            Some(to) => {
                                let from = self.shown_variable(from, VariableTable::Status, &objects);
                                let to = self.shown_variable(to, VariableTable::Status, &objects);
                                layout.arrows_between.extend(from.zip(to));
                            }
                        }
                    }
                }
                LayoutEntryKind::Forward(condition) => layout.forward.push(self.object_condition(condition, shared)),
                LayoutEntryKind::Face(face) => layout.faces.push(self.layout_face(face, shared)),
                LayoutEntryKind::Hues(hues) => layout.hues.extend(hues.iter().filter_map(|hue| self.word_hue(hue))),
            }
        }
        let lists = [
            layout.show.len(),
            layout.hidden.len(),
            layout.beside.len(),
            layout.under.len(),
            layout.arrow.len() + layout.arrows_between.len(),
        ];
        let longest = lists.into_iter().chain([layout.forward.len(), layout.hues.len()]).max().unwrap_or(0);
        if self.exceeds("faces", layout.faces.len(), MAX_LAYOUT_ENTRIES, written.span)
            || self.exceeds("names in a list", longest, MAX_LAYOUT_NAMES, written.span)
        {
            return Layout::default();
        }
        layout
    }

    /// Reports that a layout has too many of something.
    fn exceeds(&mut self, what: &str, count: usize, limit: usize, span: Span) -> bool {
        if count > limit {
            self.report(limits::exceeded(span, format!("this layout has more than {limit} {what}"), "leave some out"));
        }
        count > limit
    }

    fn layout_row(&mut self, placed: &PlacedRow<'a>, taken: &mut TakenContents, shared: &mut LayoutCache) -> Option<LayoutRow> {
        let LayoutRowKind::Row { style, contents, places, equal_together } = &placed.row.kind else { return None };
        let mut row = LayoutRow {
            area: placed.area,
            style: match style {
                WrittenStyle::Row => RowStyle::Row,
                WrittenStyle::Tiles => RowStyle::Tiles,
                WrittenStyle::Fan => RowStyle::Fan,
                WrittenStyle::Pile => RowStyle::Pile,
                WrittenStyle::Backs => RowStyle::Backs,
                WrittenStyle::Places => RowStyle::Places,
            },
            contents: Vec::new(),
            places: None,
            equal_together: *equal_together,
        };
        if let Some((count, span, status)) = places {
            let number = self.shown_variable(status, VariableTable::Status, &[Type::Number]);
            let count = u8::try_from(*count).ok().filter(|count| (1..=MAX_PLACES).contains(count));
            if count.is_none() {
                self.report(
                    Diagnostic::new(&codes::BAD_LAYOUT, *span, format!("a row has 1 to {MAX_PLACES} places"))
                        .help("write how many objects lie in the row at most: `places 5 by …`"),
                );
            }
            let keyed = number.is_some_and(|n| self.names.statuses.get(usize::from(n)).is_some_and(|it| it.keys.is_some()));
            if keyed {
                self.report(
                    Diagnostic::new(&codes::TYPE_MISMATCH, status.span, format!("`{}` has a number for each word", status.text))
                        .help("places are numbered by a status with one number"),
                );
            }
            row.places = Some((count?, number.filter(|_| !keyed)?));
        }
        if self.exceeds("zones in a row", contents.len(), MAX_LAYOUT_NAMES, placed.row.span) {
            return None;
        }
        let is_numbered = row.places.is_some();
        for content in contents {
            if let Some(found) = self.row_content(content, shared) {
                self.check_taken(content, &found, is_numbered, taken);
                row.contents.push(found);
            }
        }
        Some(row)
    }

    /// Reports a content that earlier rows have taken, and adds it to what is taken.
    fn check_taken(&mut self, written: &'a Expr, content: &RowContent, is_numbered: bool, taken: &mut TakenContents) {
        let text = self.sources.slice(written.span).split_whitespace().collect::<Vec<_>>().join(" ");
        let mut earlier = None;
        if !content.zones.is_empty() && content.zones.iter().all(|zone| taken.zones.contains_key(zone)) {
            earlier = content.zones.iter().find_map(|zone| taken.zones.get(zone).copied());
        }
        let earlier = earlier.or_else(|| taken.texts.get(&text).map(|span| (*span, "it is here already")));
        if let Some((span, label)) = earlier {
            let zone = content.zones.first().and_then(|zone| self.library.zones.get(zone.index()));
            let zone = zone.map_or("ZONE", |zone| zone.name.as_str());
            let help = if content.condition.is_some() {
                format!("write it above the row that takes all of `{zone}`, or leave it out")
            } else {
                format!("say which of them lie in each row, as in `row card in {zone} with COND`, or leave one out")
            };
            let message = format!("nothing can lie here: what is before it takes all of `{text}`");
            self.report(Diagnostic::new(&codes::EMPTY_ROW, written.span, message).also(span, label).help(help));
            return;
        }
        // An object whose number is none of the places is in a later row.
        if is_numbered {
            return;
        }
        if content.condition.is_none() {
            for zone in &content.zones {
                taken.zones.insert(*zone, (written.span, "it is here already"));
            }
        }
        taken.texts.insert(text, written.span);
    }

    /// A zone, or a selection of objects in some zones.
    fn row_content(&mut self, written: &'a Expr, shared: &mut LayoutCache) -> Option<RowContent> {
        let key = std::ptr::from_ref(written) as usize;
        if let Some(known) = shared.contents.get(&key) {
            return known.clone();
        }
        let content = self.lower_row_content(written);
        shared.contents.insert(key, content.clone());
        content
    }

    fn lower_row_content(&mut self, written: &'a Expr) -> Option<RowContent> {
        if let Some(word) = bare_word(written)
            && let Some(zone) = self.names.zone_id(&word.text)
        {
            return Some(RowContent { zones: vec![zone], condition: None });
        }
        if let Some(word) = bare_word(written)
            && self.names.meanings(&word.text).is_empty()
            && !matches!(word.text.as_str(), "card" | "object" | "player" | "players" | "opponent")
        {
            self.report_unknown_zone(word);
            return None;
        }
        let phrase = as_phrase(written).filter(|phrase| phrase.quantifier.is_none());
        let Some(phrase) = phrase else {
            self.report_not_here(
                written.span,
                "a row takes zones, and kinds of objects in them",
                "write `row ZONE` or `row NOUN in ZONE`; several are separated by commas",
            );
            return None;
        };
        self.begin_object_condition(written.span);
        let selection = self.selection(phrase, written.span);
        let mut zones = Vec::new();
        let is_whole = selection.as_ref().is_some_and(|selection| self.zones_of_row(selection, written.span, &mut zones));
        let holds = match &selection {
            Some(selection) if is_whole => self.passes(selection, OBJECT, Type::Object),
            _ => self.constant(0, Type::Bool),
        };
        self.emit(Op::Return { value: Some(holds) });
        let function = self.end();
        if !is_whole {
            return None;
        }
        if zones.is_empty() {
            let text = self.sources.slice(written.span).to_owned();
            let field = self.library.zones.iter().find(|zone| zone.field).or(self.library.zones.first());
            let field = field.map_or("ZONE", |zone| zone.name.as_str());
            self.report(
                Diagnostic::new(&codes::BAD_LAYOUT, written.span, format!("the zone of `{text}` is missing"))
                    .help(format!("write `{text} in {field}`")),
            );
            return None;
        }
        zones.sort_unstable();
        zones.dedup();
        Some(RowContent { zones, condition: Some(function) })
    }

    /// Collects the zones of a selection. Reports it and returns `false` if it selects something else than objects of whole zones.
    fn zones_of_row(&mut self, selection: &Selection<'a>, span: Span, zones: &mut Vec<ZoneKindId>) -> bool {
        for space in &selection.search_spaces {
            if let SearchSpace::Value(atom) = space
                && let Some(word) = atom.word()
                && self.names.meanings(&word.text).is_empty()
            {
                self.report_unknown_zone(word);
                return false;
            }
        }
        let whole = selection.search_spaces.iter().all(|space| matches!(space, SearchSpace::Zone(_)));
        if !whole || selection.selects_players || selection.selects_things {
            let message = "a row takes objects of whole zones, for each player alike";
            self.report_not_here(span, message, "write `NOUN in ZONE`, without `of`, lists and players");
            return false;
        }
        zones.extend(selection.search_spaces.iter().filter_map(|space| match space {
            SearchSpace::Zone(zone) => Some(*zone),
            _ => None,
        }));
        selection.parts.iter().all(|part| self.zones_of_row(part, span, zones))
    }

    fn layout_face(&mut self, written: &'a WrittenFace, shared: &mut LayoutCache) -> LayoutFace {
        let mut face = LayoutFace {
            filter: self.shown_filter(&written.filter, shared),
            hue: Vec::new(),
            corner: None,
            line: Vec::new(),
            stats: Vec::new(),
            turned: Vec::new(),
            dim: Vec::new(),
            counts: Vec::new(),
            marks: Vec::new(),
        };
        for part in &written.parts {
            match part {
                FacePart::Hue(sets) => face.hue.extend(sets.iter().filter_map(|set| self.layout_traits(set))),
                FacePart::Line(sets) => face.line.extend(sets.iter().filter_map(|set| self.layout_traits(set))),
                FacePart::Corner(property) => {
                    face.corner =
                        self.shown_variable(property, VariableTable::Property, &[Type::Number, Type::Price]).or(face.corner);
                }
                FacePart::Stats(stats) => {
                    for stat in stats {
                        let first = self.shown_variable(&stat.first, VariableTable::Property, &[Type::Number]);
                        let second = stat
                            .second
                            .as_ref()
                            .map(|second| self.shown_variable(second, VariableTable::Property, &[Type::Number]));
                        let condition = stat.condition.as_ref().map(|condition| self.object_condition(condition, shared));
                        if let (Some(first), None | Some(Some(_))) = (first, second) {
                            face.stats.push(FaceStat { first, second: second.flatten(), condition });
                        }
                    }
                }
                FacePart::Turned(condition) => face.turned.push(self.object_condition(condition, shared)),
                FacePart::Dim(condition) => face.dim.push(self.object_condition(condition, shared)),
                FacePart::Counts(names) => {
                    face.counts.extend(names.iter().filter_map(|name| self.face_value(name, Type::Number, "count")));
                }
                FacePart::Marks(names) => {
                    face.marks.extend(names.iter().filter_map(|name| self.face_value(name, Type::Bool, "mark")));
                }
            }
        }
        let lists = [face.hue.len(), face.line.len(), face.stats.len(), face.turned.len(), face.dim.len()];
        let longest = lists.into_iter().chain([face.counts.len(), face.marks.len()]).max().unwrap_or(0);
        if self.exceeds("parts of one kind in a face", longest, MAX_LAYOUT_NAMES, written.filter.span) {
            for list in [&mut face.hue, &mut face.line] {
                list.clear();
            }
            (face.stats, face.turned, face.dim) = Default::default();
            (face.counts, face.marks) = Default::default();
        }
        face
    }

    /// A status or property of a type.
    fn face_value(&mut self, name: &Name, ty: Type, part: &str) -> Option<FaceValue> {
        let names = self.names;
        let found = names.meanings(&name.text).iter().find_map(|meaning| match meaning {
            Meaning::Status(number) => Some((FaceValue::Status(*number), names.types[1].get(usize::from(*number)))),
            Meaning::Property(number) => Some((FaceValue::Property(*number), names.types[0].get(usize::from(*number)))),
            _ => None,
        });
        match found {
            Some((value, Some(found))) if *found == ty => return Some(value),
            Some(_) => {
                let (wanted, help) = match ty {
                    Type::Number => ("a number", format!("bools are shown by `mark {}`", name.text)),
                    _ => ("a bool", format!("numbers are shown by `count {}`", name.text)),
                };
                let message = format!("`{part}` shows {wanted}, which `{}` is not", name.text);
                self.report(Diagnostic::new(&codes::TYPE_MISMATCH, name.span, message).help(help));
            }
            None => {
                let known = names.statuses.iter().chain(&names.properties).map(|variable| variable.name.text.as_str());
                let message = format!("no status or property is called `{}`", name.text);
                let problem = Diagnostic::new(&codes::UNKNOWN_NAME, name.span, message).did_you_mean(&name.text, known);
                self.report(problem.or_help(format!(
                    "declare it: `status {}: {}`",
                    name.text,
                    if ty == Type::Bool { "bool" } else { "number" }
                )));
            }
        }
        None
    }

    /// A variable of some types, by its name.
    fn shown_variable(&mut self, name: &Name, table: VariableTable, types: &[Type]) -> Option<u16> {
        let names = self.names;
        let [properties, statuses, players, _] = &names.types;
        let (what, keyword, variables, all_types) = match table {
            VariableTable::Property => ("property", "property", &names.properties, properties),
            VariableTable::Status => ("status", "status", &names.statuses, statuses),
            VariableTable::Player => ("variable of players", "player", &names.players, players),
        };
        let found = names.meanings(&name.text).iter().find_map(|meaning| match (meaning, table) {
            (Meaning::Property(number), VariableTable::Property)
            | (Meaning::Status(number), VariableTable::Status)
            | (Meaning::Player(number), VariableTable::Player) => Some(*number),
            _ => None,
        });
        let fits = |number: usize| all_types.get(number).is_some_and(|ty| types.contains(ty));
        let fitting = || {
            let all = variables.iter().enumerate().filter(|(number, _)| fits(*number));
            all.map(|(_, variable)| variable.name.text.as_str()).filter(|name| !name.starts_with('_'))
        };
        match found {
            Some(number) if fits(usize::from(number)) => Some(number),
            Some(_) => {
                let wanted = match types {
                    [Type::Number] => "a number",
                    [Type::Number, Type::Price] => "a number or a price",
                    [Type::Number, Type::Bool] => "a number or a bool",
                    _ => "a reference to an object or a player",
                };
                let message = format!("`{}` is not {wanted}", name.text);
                let known: Vec<String> = fitting().take(12).map(|name| format!("`{name}`")).collect();
                let help = if known.is_empty() {
                    format!("no {what} of the game is {wanted}")
                } else {
                    format!("those are {}", known.join(", "))
                };
                self.report(Diagnostic::new(&codes::TYPE_MISMATCH, name.span, message).help(help));
                None
            }
            None => {
                let message = format!("no {what} is called `{}`", name.text);
                let problem = Diagnostic::new(&codes::UNKNOWN_NAME, name.span, message).did_you_mean(&name.text, fitting());
                let other = names.meanings(&name.text).iter().find_map(|meaning| match meaning {
                    Meaning::Property(_) => Some("a property"),
                    Meaning::Status(_) => Some("a status of objects"),
                    Meaning::Player(_) => Some("a variable of players"),
                    Meaning::Global(_) => Some("a variable of the game"),
                    _ => None,
                });
                self.report(match other {
                    Some(other) => problem.help(format!("`{}` is {other}", name.text)),
                    None => problem.or_help(format!("declare it: `{keyword} {}: number`", name.text)),
                });
                None
            }
        }
    }

    fn layout_zone(&mut self, zone: &Name) -> Option<ZoneKindId> {
        let found = self.names.zone_id(&zone.text);
        if found.is_none() {
            self.report_unknown_zone(zone);
        }
        found
    }

    fn layout_traits(&mut self, name: &Name) -> Option<TraitSetId> {
        let found = self.names.traits_id(&name.text);
        if found.is_none() {
            let known: Vec<&str> = self.names.traits.iter().map(|set| set.name.as_str()).collect();
            let message = format!("no traits item is called `{}`", name.text);
            let help =
                format!("the traits items are {}", known.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", "));
            self.report(
                Diagnostic::new(&codes::UNKNOWN_NAME, name.span, message)
                    .did_you_mean(&name.text, known.iter().copied())
                    .or_help(help),
            );
        }
        found
    }

    fn word_hue(&mut self, written: &WrittenHue) -> Option<WordHue> {
        let word = &written.word;
        if self.words.iter().all(|set| !set.contains_key(&word.text)) {
            let known: Vec<String> = self.words.iter().flat_map(|set| set.keys()).map(ToString::to_string).collect();
            let message = format!("no traits item has the word `{}`", word.text);
            let problem = Diagnostic::new(&codes::UNKNOWN_NAME, word.span, message);
            self.report(
                problem
                    .did_you_mean(&word.text, known.iter().map(String::as_str))
                    .or_help("a hue belongs to a word of a traits item: `hue red 30`"),
            );
            return None;
        }
        let Some(degrees) = u16::try_from(written.degrees).ok().filter(|degrees| *degrees < 360) else {
            let message = format!("a hue is 0 to 359 degrees, not {}", written.degrees);
            let help = format!("write `{} {}`", word.text, written.degrees % 360);
            self.report(
                Diagnostic::new(&codes::BAD_LAYOUT, written.degrees_span, message)
                    .help(help)
                    .fix(written.degrees.to_string(), (written.degrees % 360).to_string()),
            );
            return None;
        };
        let tone = match written.tone {
            WrittenTone::Full => Tone::Full,
            WrittenTone::Soft => Tone::Soft,
            WrittenTone::Grey => Tone::Grey,
            WrittenTone::Pale => Tone::Pale,
        };
        Some(WordHue { word: word.text.to_string(), degrees, tone })
    }

    /// Begins a condition: a pure function (0, controller, the object) to bool.
    fn begin_object_condition(&mut self, span: Span) {
        self.at = span;
        self.begin(true, Some(Type::Bool), &[(SmolStr::new("it"), Type::Object)]);
        let fun = self.fun();
        fun.has_no_source = true;
        fun.candidate = Some(Candidate::new(OBJECT, Type::Object));
    }

    /// Lowers a condition on an object; formats that share it share its function.
    fn object_condition(&mut self, condition: &'a Expr, shared: &mut LayoutCache) -> FnId {
        self.condition_on_object(condition, shared, |lower| lower.bool(condition))
    }

    /// Lowers a filter of objects: a noun, a trait word, conditions on one.
    fn shown_filter(&mut self, filter: &'a Expr, shared: &mut LayoutCache) -> FnId {
        self.condition_on_object(filter, shared, |lower| lower.predicate(TypedRegister::new(OBJECT, Type::Object), filter))
    }

    fn condition_on_object(&mut self, written: &'a Expr, shared: &mut LayoutCache, lower: impl FnOnce(&mut Self) -> u16) -> FnId {
        let key = std::ptr::from_ref(written) as usize;
        if let Some(known) = shared.functions.get(&key) {
            return *known;
        }
        self.begin_object_condition(written.span);
        let holds = lower(self);
        self.emit(Op::Return { value: Some(holds) });
        let id = self.end();
        shared.functions.insert(key, id);
        id
    }

    /// Lowers a stage of the game `game`. `formats`: the names of its formats.
    pub fn stage(&mut self, written: &'a WrittenStage, game: &str, formats: &[SmolStr]) -> Stage {
        let before = std::mem::replace(&mut self.owner, Owner::new(format!("stage \"{}\"", written.scenario.title.text)));
        let filter = self.shown_filter(&written.filter, &mut LayoutCache::default());
        self.owner = before;
        self.in_stage = true;
        let scenario = self.scenario(&written.scenario, game, formats);
        self.in_stage = false;
        self.check_stage(written);
        Stage { filter, scenario }
    }

    /// Reports parts of scenarios that a stage cannot have, and a stage without its card.
    fn check_stage(&mut self, written: &'a WrittenStage) {
        let scenario = &written.scenario;
        let title = scenario.title.span;
        if let Some(setup) = &scenario.match_header {
            self.report(
                Diagnostic::new(&codes::BAD_SCENARIO, setup.span, "a stage has no match")
                    .help("write a position: `position { A: { hand this } }`"),
            );
        }
        for step in &scenario.steps {
            let leads_up = matches!(
                step.kind,
                ScenarioStepKind::Start { .. }
                    | ScenarioStepKind::GoTo { .. }
                    | ScenarioStepKind::Act { .. }
                    | ScenarioStepKind::Assign { .. }
                    | ScenarioStepKind::Pass(_)
                    | ScenarioStepKind::PayWith { .. }
                    | ScenarioStepKind::Answer { .. }
                    | ScenarioStepKind::Let { .. }
                    | ScenarioStepKind::Rest(_)
                    | ScenarioStepKind::Chance(_)
            );
            if !leads_up {
                self.report(
                    Diagnostic::new(&codes::BAD_SCENARIO, step.span, "a stage only leads up to a position")
                        .help("leave this out, or write a scenario: `scenario \"…\" { … }`"),
                );
            }
        }
        let cards = scenario.position.iter().flat_map(|position| &position.players).flat_map(|player| &player.entries);
        let mut cards = cards.filter_map(|entry| match entry {
            fizzle_grammar::ast::PositionEntry::Cards { card, .. } => Some(card),
            fizzle_grammar::ast::PositionEntry::Value(_) | fizzle_grammar::ast::PositionEntry::Effect { .. } => None,
        });
        if scenario.match_header.is_none() && !cards.any(is_this) {
            self.report(
                Diagnostic::new(&codes::BAD_SCENARIO, title, "the card of the stage is nowhere")
                    .help("put it into a zone: `position { A: { hand this } }`"),
            );
        }
    }
}

/// Whether a card in a position is `this`: the card of a stage.
#[must_use]
pub fn is_this(card: &Name) -> bool {
    card.text == "this" && !card.is_quoted()
}
