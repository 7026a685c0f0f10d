//! Reports shorthand forms that no declaration of the game defines. [`crate::shorthand`] expands all others before lowering.

use super::Lowering;
use crate::diagnostics::{Diagnostic, codes};
use crate::names::{KeywordDecl, Signature};
use fizzle_grammar::ast::{KeywordBlock, Name, Span};
use fizzle_ir::Type;
use smol_str::SmolStr;

impl Lowering<'_> {
    /// Reports a keyword with a block that was not expanded.
    pub fn report_unexpanded(&mut self, used: &KeywordBlock, span: Span) {
        let name = &used.keyword;
        let word = &name.text;
        let Some(declared) = self.names.keywords.get(word) else {
            if let Some(number) = used.uses.iter().flatten().find(|argument| argument.is_signed()) {
                let written = number.label.replace("plus_", "+").replace("minus_", "-");
                let takes_number = |(_, keyword): &(&SmolStr, &KeywordDecl)| keyword.with_body && keyword.params.len() == 1;
                let keyword = self.names.keywords.iter().find(takes_number).map_or("KEYWORD", |(name, _)| name.as_str());
                let help = format!("write the keyword that takes the number: `{keyword} {written}: …`; or a cost: `COST: …`");
                let message = format!("`{written}:` begins no ability");
                self.report(Diagnostic::new(&codes::UNKNOWN_FACT, number.value.span, message).help(help));
                return;
            }
            if let Some(help) = self.suggest_keyword_block(word) {
                let problem = Diagnostic::new(&codes::UNKNOWN_FACT, name.span, format!("`{word}` begins no ability"));
                self.report(problem.help(help));
                return;
            }
            let bodies = self.names.keywords.iter().filter(|(_, keyword)| keyword.with_body).map(|(name, _)| name.as_str());
            let mut problem = Diagnostic::new(&codes::UNKNOWN_FACT, name.span, format!("`{word}` begins no ability"))
                .did_you_mean(word, bodies);
            let takes_object = |declared: &Signature| matches!(declared.params.first(), Some((_, Type::Object)));
            if self.names.actions.get(word).is_some_and(takes_object) {
                problem.help = vec![format!("a cost in words says what it is paid with: `{word} this: …`")];
                problem.fixes.clear();
            }
            if problem.help.is_empty() {
                problem = problem.help(format!(
                    "an ability is `when … {{ … }}`, `does {{ … }}`, `always {{ … }}` or `COST: …`; or declare \
                     `keyword {word} with body {{ … }}`"
                ));
            }
            self.report(problem);
            return;
        };
        let problem = if !declared.with_body {
            Diagnostic::new(&codes::EXTRA_OPERAND, name.span, format!("the keyword `{word}` takes no block"))
                .also(declared.span, "declared here")
                .help(format!("write `{word}` without it; a keyword that takes one is declared `keyword {word} with body`"))
        } else if used.uses.iter().any(|arguments| arguments.len() != declared.params.len()) {
            let message = format!(
                "`{word}` takes {} before its block",
                crate::diagnostics::word_suggestions::value_count(declared.params.len())
            );
            Diagnostic::new(&codes::MISSING_OPERAND, name.span, message)
                .also(declared.span, "declared here")
                .help(format!("write `{}`", form(word, declared)))
        } else {
            Diagnostic::new(&codes::LIMIT, span, format!("the keyword `{word}` expands to too much"))
                .also(declared.span, "declared here")
                .help("it uses itself, repeats what repeats its block, or is used too often: write `body` less often, or use it on fewer cards")
        };
        self.report(problem);
    }

    /// For a verb that is a keyword `with body`, or a Roman number without its keyword: how that is written.
    pub fn suggest_keyword_block(&self, word: &str) -> Option<String> {
        let one_number = |keyword: &KeywordDecl| keyword.with_body && keyword.params.len() == 1;
        if let Some((name, declared)) = self.names.keywords.get_key_value(word).filter(|(_, keyword)| keyword.with_body) {
            let fact = self.fact_named_after(name).map_or_else(String::new, |fact| format!("the fact of a card is `{fact} 3`; "));
            return Some(match one_number(declared) {
                true => format!(
                    "{fact}before the block of `{name}` write a number, such as `{name} 1: …`, or several with commas: `{name} I, II: …`"
                ),
                false => format!("write `{}`", form(name, declared)),
            });
        }
        let is_roman = !word.is_empty() && word.chars().all(|c| matches!(c, 'I' | 'V' | 'X'));
        let takers = self.names.keywords.iter().filter(|(_, keyword)| is_roman && one_number(keyword));
        let forms: Vec<String> = takers.map(|(name, _)| format!("`{name} {word}: …`")).collect();
        (!forms.is_empty()).then(|| format!("write the keyword of the number before it: {}", forms.join(" or ")))
    }

    /// The property whose name ends with that of a keyword, such as `first_charge` for `charge`.
    fn fact_named_after(&self, keyword: &str) -> Option<&str> {
        let mut facts = self.names.properties.iter().map(|property| property.name.text.as_str());
        facts.find(|fact| fact.strip_suffix(keyword).is_some_and(|start| start.ends_with('_')))
    }

    /// Reports a keyword `with body` that is used without a block.
    pub fn report_missing_body(&mut self, name: &Name, declared: &KeywordDecl) {
        let problem = Diagnostic::new(&codes::MISSING_OPERAND, name.span, format!("`{}` needs a block", name.text))
            .also(declared.span, "declared here")
            .help(format!("write `{}` on a card; it cannot be granted", form(&name.text, declared)));
        let problem = match self.fact_named_after(&name.text) {
            Some(fact) => problem.help(format!("the fact of a card is `{fact} 3`")),
            None => problem,
        };
        self.report(problem);
    }

    /// Reports a price without a word in a game that declares no property for it.
    pub fn report_unlabelled_price(&mut self, span: Span) {
        let price = self.sources.text(span.file).get(span.start as usize..span.end as usize).unwrap_or("{1}");
        let properties = self.names.properties.iter().filter(|property| property.ty.name.text == "price");
        let forms: Vec<String> = properties.map(|property| format!("`{} {price}`", property.name.text)).collect();
        let help = if forms.is_empty() {
            "this game has no property that is a price; a cost stands before a colon: `{1}: …`".to_owned()
        } else {
            format!("write {}; a game declares a property for it by `unlabelled PROPERTY`", forms.join(" or "))
        };
        self.report(Diagnostic::new(&codes::UNKNOWN_FACT, span, "a price alone has no meaning in this game").help(help));
    }

    /// Reports `2/2` or `+1/+1` in a game without a pair of properties.
    pub fn report_missing_pair(&mut self, span: Span) {
        let problem = Diagnostic::new(&codes::UNKNOWN_FACT, span, "this game has no pair of properties")
            .help("write each property with its name; a game declares a pair by `pair FIRST / SECOND`");
        self.report(problem);
    }
}

/// How a keyword `with body` is used.
fn form(word: &SmolStr, declared: &KeywordDecl) -> String {
    match declared.params.as_slice() {
        [] => format!("{word}: …"),
        [_] => format!("{word} 1 {{ … }}"),
        params => {
            let names: Vec<&str> = params.iter().map(|(name, _)| name.as_str()).collect();
            format!("{word}({}) {{ … }}", names.join(", "))
        }
    }
}
