//! Prints the text of a card that a person names.

use super::client_state::ClientState;
use crate::commands::explain;
use crate::game_setup::SelectedFormat;
use crate::output;

/// Prints the text of a card, given by a name, a part of a name, or `#` and a number.
pub fn print(wanted: &str, received: &ClientState, picked: &SelectedFormat<'_>) {
    if wanted.is_empty() {
        output::line("`text NAME` shows the text of a card, `text #12` the text of the object with that number");
        return;
    }
    let numbered = wanted.strip_prefix('#').and_then(|digits| digits.parse::<u32>().ok());
    let known = numbered.map(|handle| received.name(handle));
    if known.is_some_and(str::is_empty) {
        output::line(format!("you know no object with the number `{wanted}`"));
        return;
    }
    // The name in the sources, also where the card is called otherwise in this language.
    let known = numbered.and_then(|handle| received.view.objects.get(&handle.to_string())).map(|it| it.card.as_str());
    let wanted = known.unwrap_or(wanted).trim_matches(['"', '《', '》']).to_lowercase();
    let Some(format) = picked.format() else { return };
    let names: Vec<&str> = picked.game.library.definitions.present().skip(1).map(|card| card.name.as_str()).collect();
    let exact: Vec<&str> = names.iter().copied().filter(|name| name.to_lowercase() == wanted).collect();
    let found =
        if exact.is_empty() { names.into_iter().filter(|name| name.to_lowercase().contains(&wanted)).collect() } else { exact };
    match found.as_slice() {
        [] => output::line(format!("no card is called `{wanted}`")),
        [name, rest @ ..] if rest.iter().all(|other| other == name) => {
            explain::card_text(picked.game, format, name).into_iter().flatten().for_each(output::wrapped_line);
        }
        several => {
            let listed: Vec<&str> = several.iter().copied().take(10).collect();
            output::line(format!("which one: {}{}", listed.join(", "), if several.len() > listed.len() { ", …" } else { "" }));
        }
    }
}
