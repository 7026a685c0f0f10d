//! Snippets: items, abilities and statements with tab stops, for editors that accept them.

/// A form that begins with a word.
#[derive(Clone, Copy, Debug)]
pub struct Snippet {
    /// The word that it completes.
    pub word: &'static str,
    /// The form in the syntax of snippets: `${1:shown}` is a tab stop, `$0` the last one.
    pub text: &'static str,
}

impl Snippet {
    /// The form on one line with what its tab stops show.
    pub fn shown(&self) -> String {
        let mut shown = String::new();
        let mut rest = self.text;
        while let Some((before, stop)) = rest.split_once('$') {
            shown.push_str(before);
            let inner = stop.strip_prefix('{').and_then(|stop| stop.split_once('}'));
            rest = match inner {
                Some((stop, after)) => {
                    shown.push_str(stop.split_once(':').map_or("", |(_, shown)| shown));
                    after
                }
                None => stop.trim_start_matches(|letter: char| letter.is_ascii_digit()),
            };
        }
        shown.push_str(rest);
        shown.split_whitespace().collect::<Vec<_>>().join(" ")
    }
}

const fn form(word: &'static str, text: &'static str) -> Snippet {
    Snippet { word, text }
}

/// Items.
pub const ITEMS: &[Snippet] = &[
    form("card", "card \"${1:Name}\" {\n  $0\n}"),
    form("token", "token \"${1:Name}\" {\n  $0\n}"),
    form(
        "scenario",
        "scenario \"${1:What happens}\" {\n  format ${2:format}\n  position {\n    A: { ${3} }\n    B: { ${4} }\n  }\n  \
         at A's ${5:turn}\n  $0\n}",
    ),
    form("keyword", "keyword ${1:name} {\n  $0\n}"),
    form("deck", "deck \"${1:Name}\" {\n  format ${2:format}\n  main {\n    $0\n  }\n}"),
    form("pack", "pack ${1:name} {\n  edition 2\n  title \"${2:Title}\"\n  extends ${3:game}\n  $0\n}"),
    form("format", "format ${1:name} \"${2:Title}\" extends ${3:game} {\n  $0\n}"),
    form("rule", "rule ${1:name} {\n  $0\n}"),
    form("action", "action ${1:name}(${2:it: object}) {\n  $0\n}"),
    form("function", "function ${1:name}(${2:n: number}): ${3:number} = $0"),
    form("relation", "relation ${1:name}(${2:first}, ${3:second}) {\n  $0\n}"),
    form("play", "play ${1:name}(${2:card: object}) {\n  from ${3:hand}\n  does { $0 }\n}"),
];

/// Abilities.
pub const ABILITIES: &[Snippet] = &[
    form("when", "when ${1:this} ${2:event}: $0"),
    form("whenever", "whenever ${1:this} ${2:event}: $0"),
    form("at start of", "at start of ${1:step} of you: $0"),
    form("while", "while ${1:condition}: $0"),
    form("always", "always: $0"),
    form("does", "does: $0"),
    form("activated", "\"${1:name}\" ${2:cost}: $0"),
    form("additional cost", "additional cost ${1:name} { price $0 }"),
    form("alternative cost", "alternative cost ${1:name} { price $0 }"),
    form("as soon as", "as soon as ${1:condition} { $0 }"),
    form("face", "face \"${1:Name}\" {\n  $0\n}"),
    form("back", "back \"${1:Name}\" {\n  $0\n}"),
];

/// Statements.
pub const STATEMENTS: &[Snippet] = &[
    form("let", "let ${1:name} = $0"),
    form("if", "if ${1:condition} { $0 }"),
    form("for each", "for each ${1:it} in ${2:objects} { $0 }"),
    form("choose", "choose ${1:1} {\n  - ${2}\n  - $0\n}"),
    form("repeat while", "repeat while ${1:condition} { $0 }"),
    form("simultaneously", "simultaneously { $0 }"),
    form("at start of", "at start of ${1:step} { $0 }"),
    form("when", "when ${1:it} ${2:event} { $0 }"),
    form("whenever", "whenever ${1:it} ${2:event} { $0 }"),
    form("trigger", "trigger { $0 }"),
];
