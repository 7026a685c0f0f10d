//! Words that a pack has for its own things: rules texts, prompts, state rules, names.

use crate::protocol::Lang;
use fizzle_ir::op::Source;
use fizzle_ir::{CompiledGame, DefId, Format, Prompt, Texts};

/// The code of a language in the texts of a pack.
#[must_use]
pub fn code(lang: Lang) -> &'static str {
    match lang {
        Lang::En => "en",
        Lang::Ja => "ja",
    }
}

/// A name of the sources as words: without underscores.
#[must_use]
pub fn spaced(name: &str) -> String {
    name.replace('_', " ")
}

fn texts<'g>(game: &'g CompiledGame, format: &str, lang: Lang) -> Option<&'g Texts> {
    game.texts.iter().find(|texts| texts.language == code(lang) && texts.format == format)
}

/// The texts of a format, or of the nearest format that it extends and that has any.
fn texts_of_format<'g>(game: &'g CompiledGame, format: &Format, lang: Lang) -> Option<&'g Texts> {
    game.ancestors(&format.name).iter().find_map(|name| texts(game, name, lang))
}

/// The lines of a card's rules text: those of the format, else those of the game; in English if there are none in the language.
#[must_use]
pub fn rules_text(game: &CompiledGame, format: &Format, card: DefId, lang: Lang) -> Vec<String> {
    let of = |lang: Lang| {
        let own = texts_of_format(game, format, lang).and_then(|texts| texts.of(card));
        own.or_else(|| texts(game, "", lang).and_then(|texts| texts.of(card)))
    };
    let text = of(lang).or_else(|| of(Lang::En));
    text.map_or(&[][..], |text| text.lines.as_slice()).iter().flat_map(|line| line.lines()).map(str::to_owned).collect()
}

/// The text of an ability of a card, by its place in the source; in English if there is none in the language.
#[must_use]
pub fn ability_text(game: &CompiledGame, format: &Format, card: DefId, place: Source, lang: Lang) -> Option<String> {
    text_of_place(game, format, card, &|known| known == place, lang)
}

/// The text of the ability of a card in the line of a place, if the card has only one there.
#[must_use]
pub fn only_ability_text_in_line(game: &CompiledGame, format: &Format, card: DefId, place: Source, lang: Lang) -> Option<String> {
    text_of_place(game, format, card, &|known| (known.file, known.line) == (place.file, place.line), lang)
}

/// The text of the ability of a card whose place fits. `None` if several abilities fit.
fn text_of_place(game: &CompiledGame, format: &Format, card: DefId, fits: &dyn Fn(Source) -> bool, lang: Lang) -> Option<String> {
    let of = |lang: Lang| {
        let find = |texts: &Texts| {
            let mut found = texts.of(card)?.abilities.iter().filter(|ability| fits(ability.place));
            let first = found.next()?;
            found.all(|other| other.place == first.place).then(|| first.text.clone())
        };
        texts_of_format(game, format, lang).and_then(find).or_else(|| texts(game, "", lang).and_then(find))
    };
    of(lang).or_else(|| of(Lang::En))
}

/// The name of a card in a language.
#[must_use]
pub fn card_name(game: &CompiledGame, card: DefId, lang: Lang) -> String {
    let translated = texts(game, "", lang).and_then(|texts| texts.of(card)).map(|text| text.name.as_str());
    let printed = || game.library.definitions.get(card.index()).map_or("", |definition| definition.name.as_str());
    translated.filter(|name| !name.is_empty()).unwrap_or_else(printed).to_owned()
}

/// The name of a declaration in words: as the pack calls it in the language, else its name in the sources.
#[must_use]
pub fn name(game: &CompiledGame, format: &Format, declared: &str, lang: Lang) -> String {
    let own = texts_of_format(game, format, lang).and_then(|texts| texts.name(declared));
    let found = own.or_else(|| texts(game, "", lang).and_then(|texts| texts.name(declared)));
    found.map_or_else(|| spaced(declared), str::to_owned)
}

/// The prompt of a choice site; in English if there is none in the language.
#[must_use]
pub fn prompt(game: &CompiledGame, site: u32, lang: Lang) -> Option<&Prompt> {
    let of = |lang: Lang| texts(game, "", lang)?.prompt(site);
    of(lang).or_else(|| of(Lang::En))
}

/// The text of a state rule, else its name.
#[must_use]
pub fn state_rule(game: &CompiledGame, format: &Format, rule: &str, lang: Lang) -> String {
    let of = |lang: Lang| {
        let own = texts_of_format(game, format, lang).and_then(|texts| texts.rule(rule));
        own.or_else(|| texts(game, "", lang).and_then(|texts| texts.rule(rule)))
    };
    of(lang).or_else(|| of(Lang::En)).map_or_else(|| spaced(rule), str::to_owned)
}
