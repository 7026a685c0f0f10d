//! Growth: for each form of the language that repeats or nests, a text of twice the size costs at most three times the work, to compile,
//! to check in a session, and to format.
//!
//! Work is the number of allocated bytes beyond those of the game alone. Numbers of steps that allocate nothing are not seen; the folder
//! `hostile/` has the same forms at sizes where such steps would take minutes.

mod common;
#[path = "common/measure.rs"]
mod measure;

use common::TINY;
use fizzle_compiler::SourceFile;
use fizzle_compiler::session::Session;
use measure::{allocated, measure};

/// A form of the language.
struct Form {
    name: &'static str,
    /// The size that is compared with twice of it.
    size: usize,
    /// The text of some size.
    text: fn(usize) -> String,
}

/// What any text may cost more: tables double their sizes, and the formatter indents deep blocks.
const SLACK: u64 = 64 << 10;

fn form(name: &'static str, size: usize, text: fn(usize) -> String) -> Form {
    Form { name, size, text }
}

/// A card whose text does something.
fn does(text: &str) -> String {
    format!("card \"A\" {{ piece  power 2  does {{ {text} }} }}\n")
}

/// Lines made of their numbers, from 1 on.
fn lines(count: usize, line: impl Fn(usize) -> String) -> String {
    (1..=count).map(|number| line(number) + "\n").collect()
}

/// `open` and `close` around a text, some times.
fn nest(count: usize, open: &str, inner: &str, close: &str) -> String {
    format!("{}{inner}{}", open.repeat(count), close.repeat(count))
}

/// Items of a kind, many of them.
fn items() -> Vec<Form> {
    vec![
        form("cards", 300, |k| lines(k, |n| format!("card \"C{n}\" {{ piece  power {n} }}"))),
        form("tokens", 300, |k| lines(k, |n| format!("token \"C{n}\" {{ piece  power {n} }}"))),
        form("cards of the same name", 300, |k| lines(k, |_| "card \"C\" { piece  power 1 }".to_owned())),
        form("cards with words", 300, |k| lines(k, |n| format!("card \"C{n}\" {{ piece  race \"R{n}\"  power 1 }}"))),
        form("cards with texts", 300, |k| {
            lines(k, |n| format!("card \"C{n}\" {{ piece  when this enters field {{ draw {n} }} }}"))
        }),
        form("cards with keywords", 300, |k| lines(k, |n| format!("card \"C{n}\" {{ piece  power 1  eager({n}) }}"))),
        form("cards with unknown words", 200, |k| lines(k, |n| format!("card \"C{n}\" {{ piece  does {{ draw zork{n} }} }}"))),
        form("constants", 300, |k| lines(k, |n| format!("constant c{n} = {n}"))),
        form("nouns", 300, |k| lines(k, |n| format!("noun n{n} = piece with power == {n}"))),
        form("functions", 300, |k| lines(k, |n| format!("function f{n}(x: number): number = x + {n}"))),
        form("keywords", 300, |k| lines(k, |n| format!("keyword k{n} {{ when this enters field {{ draw {n} }} }}"))),
        form("actions", 300, |k| lines(k, |n| format!("action a{n}(it: object) {{ discard it }}"))),
        form("actions with one parent", 300, |k| lines(k, |n| format!("action a{n}(it: object) is destroy {{ discard it }}"))),
        form("plays", 300, |k| lines(k, |n| format!("play p{n}(it: object) {{ from hand  does {{ discard it }} }}"))),
        form("rules", 300, |k| lines(k, |n| format!("rule r{n} {{ when piece enters field {{ draw {n} by active }} }}"))),
        form("state rules", 300, |k| lines(k, |n| format!("state rule r{n} {{ discard each piece with power == {n} }}"))),
        form("statuses", 300, |k| lines(k, |n| format!("status s{n}: bool"))),
        form("properties", 300, |k| lines(k, |n| format!("property s{n}: number"))),
        form("variables of players", 300, |k| lines(k, |n| format!("player s{n}: number"))),
        form("variables of the game", 300, |k| lines(k, |n| format!("global s{n}: number"))),
        form("trait sets", 100, |k| lines(k, |n| format!("traits t{n} {{ w{n} }}"))),
        form("words", 300, |k| format!("traits t {{ {} }}\n", lines(k, |n| format!("w{n}")))),
        form("open words", 300, |k| format!("traits t open {{ {} }}\n", lines(k, |n| format!("\"w{n}\"")))),
        form("decks", 200, |k| lines(k, |n| format!("deck \"D{n}\" {{ format tiny  main {{ 40 \"Bear\" }} }}"))),
        form("cards of a deck", 300, |k| {
            format!("deck \"D\" {{ format tiny  main {{ {} }} }}\n", lines(k, |_| "1 \"Bear\"".to_owned()))
        }),
        form("unknown cards of a deck", 300, |k| {
            format!("deck \"D\" {{ format tiny  main {{ {} }} }}\n", lines(k, |n| format!("1 \"Q{n}\"")))
        }),
        form("scenarios", 100, |k| lines(k, |n| format!("scenario \"s{n}\" {{ at A's turn.draw\n expect no piece\n }}"))),
        form("steps of a scenario", 200, |k| {
            format!("scenario \"s\" {{ at A's turn.draw\n{} }}\n", lines(k, |_| "expect no piece".to_owned()))
        }),
        form("formats", 30, |k| lines(k, |n| format!("format f{n} extends tiny {{ }}"))),
        form("formats in a chain", 30, |k| {
            "format f0 extends tiny { }\n".to_owned() + &lines(k, |n| format!("format f{n} extends f{} {{ }}", n - 1))
        }),
        form("differences", 200, |k| format!("format f extends tiny {{ {} }}\n", lines(k, |n| format!("constant c{n} = {n}")))),
        form("bans", 200, |k| format!("format f extends tiny {{ {} }}\n", lines(k, |_| "ban \"Bear\"".to_owned()))),
        form("errata", 100, |k| {
            lines(k, |n| format!("card \"C{n}\" {{ piece }}"))
                + &format!("format f extends tiny {{ {} }}\n", lines(k, |n| format!("errata \"C{n}\" {{ piece  power 1 }}")))
        }),
        form("periods", 100, |k| {
            format!("format f extends tiny {{ replace turn {{ {} }} }}\n", lines(k, |n| format!("step s{n} {{ priority }}")))
        }),
        form("foreign words", 300, |k| format!("foreign {{ {} }}\n", lines(k, |n| format!("w{n}: draw")))),
        form("foreign phrases and errors", 100, |k| {
            lines(k, |n| format!("foreign {{ \"n n n w{n}\": draw }}"))
                + &lines(k, |n| format!("card \"C{n}\" {{ when this 1 1 1 }}"))
        }),
        form("kinds", 200, |k| lines(k, |_| "kind piece prints power".to_owned())),
        form("kinds and cards that differ", 200, |k| {
            lines(k, |_| "kind piece prints not power".to_owned()) + &lines(k, |n| format!("card \"C{n}\" {{ piece  power 1 }}"))
        }),
        form("statuses of a relation", 400, |k| format!("relation r(a, b) {{\n{}}}", lines(k, |n| format!("  s{n}: number")))),
        form("ends of a relation, most of them refused", 300, |k| {
            let ends: Vec<String> = (1..=k).map(|n| format!("a{n}")).collect();
            format!("relation r({}) {{ }}", ends.join(", "))
        }),
        form("parameters of a keyword, most of them refused", 300, |k| {
            let params: Vec<String> = (1..=k).map(|n| format!("a{n}: number")).collect();
            format!("keyword k({}) {{ }}", params.join(", "))
        }),
        form("relations", 200, |k| lines(k, |n| format!("relation r{n}(a{n}, b{n})"))),
        form("entries of a text", 200, |k| {
            format!("text en {{ {} }}\n", lines(k, |n| format!("do burn X {n}: \"burn {{X}} {n}\"")))
        }),
        form("Japanese entries", 200, |k| {
            format!("text ja {{ {} }}\n", lines(k, |n| format!("do burn X {n}: \"{{X}}を{n}焼く\"")))
        }),
        form("doc comments", 300, |k| lines(k, |n| format!("/// Text.\ncard \"C{n}\" {{ piece }}"))),
        form("comments that allow", 300, |k| lines(k, |_| "// allow W0701: a reason".to_owned())),
        form("comments that allow, with texts", 200, |k| {
            lines(k, |n| format!("// allow W0701: a reason\ncard \"C{n}\" {{ piece  does {{ let x = 1 }} }}"))
        }),
        form("packs of the same name", 100, |k| lines(k, |_| "pack x { edition 2; extends tiny }".to_owned())),
    ]
}

/// Chains of declarations that use the one before, within the limits.
fn chains() -> Vec<Form> {
    vec![
        form("constants in a chain", 200, |k| {
            "constant c0 = 1\n".to_owned() + &lines(k, |n| format!("constant c{n} = c{} + 1", n - 1))
        }),
        form("constants that double", 200, |k| {
            "constant c0 = 1\n".to_owned() + &lines(k, |n| format!("constant c{n} = c{0} + c{0}", n - 1))
        }),
        form("constants in a circle", 200, |k| {
            format!("constant c0 = c{k}\n") + &lines(k, |n| format!("constant c{n} = c{}", n - 1))
        }),
        form("nouns in a chain", 11, |k| {
            "noun n0 = piece\n".to_owned()
                + &lines(k, |n| format!("noun n{n} = n{}", n - 1))
                + &does(&format!("discard each n{k}"))
        }),
        form("nouns in a chain that is too long", 200, |k| {
            "noun n0 = piece\n".to_owned() + &lines(k, |n| format!("noun n{n} = n{}", n - 1))
        }),
        form("nouns that double", 200, |k| {
            "noun n0 = piece\n".to_owned() + &lines(k, |n| format!("noun n{n} = n{0} with power <= count of n{0}", n - 1))
        }),
        form("functions in a chain", 11, |k| {
            "function f0(x: number): number = x\n".to_owned()
                + &lines(k, |n| format!("function f{n}(x: number): number = f{}(x)", n - 1))
        }),
        form("functions that double", 200, |k| {
            "function f0(x: number): number = x\n".to_owned()
                + &lines(k, |n| format!("function f{n}(x: number): number = f{0}(x) + f{0}(x)", n - 1))
        }),
        form("functions in a circle", 200, |k| {
            format!("function f0(x: number): number = f{k}(x)\n")
                + &lines(k, |n| format!("function f{n}(x: number): number = f{}(x)", n - 1))
        }),
        form("keywords in a chain", 11, |k| {
            "keyword k0 { this cannot draw }\n".to_owned()
                + &lines(k, |n| format!("keyword k{n} {{ k{} }}", n - 1))
                + &format!("card \"A\" {{ piece  k{k} }}\n")
        }),
        form("keywords that double", 200, |k| {
            "keyword k0 { when this enters field { draw 1 } }\n".to_owned()
                + &lines(k, |n| format!("keyword k{n} {{ k{0} k{0} }}", n - 1))
                + &format!("card \"A\" {{ piece  k{k} }}\n")
        }),
        form("actions with parents", 11, |k| {
            "action a0(it: object) { discard it }\n".to_owned()
                + &lines(k, |n| format!("action a{n}(it: object) is a{} {{ discard it }}", n - 1))
        }),
    ]
}

/// Repetitions within one text.
fn repetitions() -> Vec<Form> {
    vec![
        form("statements", 200, |k| does(&lines(k, |_| "draw 1".to_owned()))),
        form("statements on one line", 200, |k| does(&vec!["draw 1"; k].join("; "))),
        form("then", 200, |k| does(&vec!["draw 1"; k].join(" then "))),
        form("if you do", 200, |k| does(&vec!["draw 1"; k].join(" if you do "))),
        form("and", 200, |k| does(&vec!["draw 1"; k].join(" and "))),
        form("and of conditions", 200, |k| does(&format!("if {} {{ draw 1 }}", vec!["marked of this"; k].join(" and ")))),
        form("or of conditions", 200, |k| does(&format!("if {} {{ draw 1 }}", vec!["marked of this"; k].join(" or ")))),
        form("or of nouns", 200, |k| does(&format!("discard each ({})", vec!["piece"; k].join(" or ")))),
        form("sums", 30, |k| does(&format!("draw ({})", vec!["1"; k].join(" + ")))),
        form("products", 30, |k| does(&format!("draw ({})", vec!["1"; k].join(" * ")))),
        form("not", 30, |k| does(&format!("if {}marked of this {{ draw 1 }}", "not ".repeat(k)))),
        form("minus", 30, |k| does(&format!("draw ({}1)", "-".repeat(k)))),
        form("with", 30, |k| does(&format!("discard each piece{}", " with marked".repeat(k)))),
        form("without", 30, |k| does(&format!("discard each piece{}", " without eager".repeat(k)))),
        form("in", 30, |k| does(&format!("discard each piece{}", " in field".repeat(k)))),
        form("of", 30, |k| does(&format!("draw by {}this", "owner of ".repeat(k)))),
        form("possessives", 30, |k| does(&format!("draw by this{}", "'s owner".repeat(k)))),
        form("otherwise if", 30, |k| {
            does(&format!("if marked of this {{ draw 1 }}{}", " otherwise if marked of this { draw 1 }".repeat(k)))
        }),
        form("modes", 100, |k| does(&format!("choose 1 {{ {} }}", lines(k, |_| "- draw 1".to_owned())))),
        form("changes", 200, |k| does(&format!("this gets {} until end of turn", vec!["+1 power"; k].join(", ")))),
        form("durations", 100, |k| does(&format!("this gets +1 power until {}", vec!["end of turn"; k].join(" or ")))),
        form("lists", 200, |k| does(&format!("let a = [{}]\ndiscard a", vec!["this"; k].join(", ")))),
        form("arguments", 200, |k| does(&format!("draw (min({}))", vec!["1"; k].join(", ")))),
        form("let", 200, |k| does(&(lines(k, |n| format!("let a{n} = power of this")) + &lines(k, |n| format!("draw a{n}"))))),
        form("let of the name before", 200, |k| {
            does(&("let a0 = 1\n".to_owned() + &lines(k, |n| format!("let a{n} = a{} + 1", n - 1)) + &format!("draw a{k}")))
        }),
        form("captures", 60, |k| {
            does(
                &(lines(k, |n| format!("let a{n} = power of this"))
                    + &format!("at end of turn {{ {} }}", lines(k, |n| format!("draw a{n}")))),
            )
        }),
        form("abilities", 100, |k| {
            format!("card \"A\" {{ piece\n{} }}\n", lines(k, |n| format!("when this enters field {{ draw {n} }}")))
        }),
        form("printed keywords", 200, |k| format!("card \"A\" {{ piece\n{} }}\n", lines(k, |n| format!("eager({n})")))),
        form("price symbols", 200, |k| format!("card \"A\" {{ piece  cost {} }}\n", "{2}".repeat(k))),
        form("parts of a symbol", 200, |k| format!("card \"A\" {{ piece  cost {{R{}}} }}\n", "/R".repeat(k))),
        form("parameters", 100, |k| {
            format!("function f({}): number = 1\n", (0..k).map(|n| format!("a{n}: number")).collect::<Vec<_>>().join(", "))
        }),
        form("unknown words", 100, |k| does(&lines(k, |n| format!("draw zork{n}")))),
        form("unknown verbs", 100, |k| does(&lines(k, |n| format!("zork{n} this")))),
        form("unknown facts", 100, |k| format!("card \"A\" {{ piece\n{} }}\n", lines(k, |n| format!("zork{n}")))),
        form("unknown periods", 100, |k| {
            format!("card \"A\" {{ piece\n{} }}\n", lines(k, |n| format!("at start of zork{n} {{ draw 1 }}")))
        }),
        form("unknown cards", 100, |k| does(&lines(k, |n| format!("create \"zork{n}\" into field")))),
        form("long names", 2000, |k| format!("card \"{}\" {{ zork }}\n", "x".repeat(k))),
        form("long Japanese names", 2000, |k| format!("card 《{}》 {{ zork }}\n", "竜".repeat(k))),
        form("long words", 2000, |k| format!("card \"A\" {{ {} }}\n", "x".repeat(k))),
        form("long numbers", 2000, |k| format!("card \"A\" {{ power {} }}\n", "9".repeat(k))),
    ]
}

/// Nesting within one text.
fn nesting() -> Vec<Form> {
    vec![
        form("parentheses", 28, |k| does(&format!("draw {}", nest(k, "(", "1", ")")))),
        form("parentheses of conditions", 28, |k| does(&format!("if {} {{ draw 1 }}", nest(k, "(", "marked of this", ")")))),
        form("parentheses of nouns", 28, |k| does(&format!("discard each {}", nest(k, "(", "piece", ")")))),
        form("parentheses of alternatives", 28, |k| does(&format!("discard each {}", nest(k, "(", "piece", " or spell)")))),
        form("parentheses of sums", 28, |k| does(&format!("draw {}", nest(k, "(", "1", " + 1)")))),
        form("lists in lists", 28, |k| does(&format!("let a = {}\ndiscard a", nest(k, "[", "this", "]")))),
        form("calls", 28, |k| does(&format!("draw ({})", nest(k, "min(1, ", "1", ")")))),
        form("choices", 14, |k| does(&format!("draw {}", nest(k, "(if marked of this { ", "1", " } otherwise { 1 })")))),
        form("counts in filters", 14, |k| {
            does(&format!("discard each piece with power <= {}", nest(k, "(count of piece with power <= ", "1", ")")))
        }),
        form("conditions in filters", 14, |k| does(&format!("discard each piece {}", nest(k, "that (some piece ", "", ")")))),
        form("blocks of if", 28, |k| does(&nest(k, "if marked of this { ", "draw 1", " }"))),
        form("blocks of loops", 28, |k| does(&nest(k, "2 times { ", "draw 1", " }"))),
        form("blocks for each", 28, |k| does(&nest(k, "for each x in each piece { ", "draw 1", " }"))),
        form("blocks of delayed abilities", 20, |k| does(&nest(k, "at end of turn { ", "draw 1", " }"))),
        form("blocks of delayed abilities with captures", 14, |k| {
            does(&format!("let a = power of this\n{}", nest(k, "at end of turn { ", "draw a", " }")))
        }),
        form("simultaneous blocks", 28, |k| does(&nest(k, "simultaneously { ", "draw 1", " }"))),
        form("static conditions", 14, |k| {
            format!(
                "card \"A\" {{ piece  while {} {{ this gets +1 power }} }}\n",
                nest(k, "(", "marked of this", " or marked of this)")
            )
        }),
        form("phases in phases", 14, |k| {
            format!("format f extends tiny {{ replace turn {{ {} }} }}\n", nest(k, "phase p { ", "step s { priority }", " }"))
        }),
        form("unclosed brackets", 28, |k| does(&"(".repeat(k))),
        form("unopened brackets", 200, |k| does(&")".repeat(k))),
        form("unclosed cards", 200, |k| "card \"A\" {\n".repeat(k)),
        form("unclosed quotes", 200, |k| "\"\n".repeat(k)),
        form("unclosed symbols", 200, |k| format!("card \"A\" {{ cost {} }}\n", "{R".repeat(k))),
        form("unknown characters", 200, |k| "@ # ".repeat(k)),
        form("unknown items", 200, |k| "crad \"A\" { }\n".repeat(k)),
        form("semicolons", 200, |k| does(&";".repeat(k))),
        form("empty lines", 500, |k| "\n".repeat(k)),
    ]
}

fn files(text: String) -> Vec<SourceFile> {
    vec![
        SourceFile { path: "tiny/pack.fz".to_owned(), text: TINY.to_owned() },
        SourceFile { path: "tiny/example.fz".to_owned(), text },
    ]
}

/// Opens a session and checks the files.
fn check_in_session(files: &[SourceFile]) {
    let mut session = Session::default();
    for file in files {
        session.set(&file.path, &file.text);
    }
    session.check();
    let _ = session.problems(None);
}

/// The bytes that are allocated to compile, to check in a session, and to format.
fn work(text: &str) -> [u64; 3] {
    let all = files(text.to_owned());
    let session = allocated(|| check_in_session(&all));
    let formatted = allocated(|| drop(fizzle_grammar::format(text)));
    [measure(all).bytes, session, formatted]
}

fn assert_linear(forms: Vec<Form>) {
    let base = work("");
    let mut wrong = String::new();
    for Form { name, size, text } in forms {
        // small sizes first: exponential work is found before it takes for ever
        for size in [size / 4, size * 3 / 8, size] {
            let (once, twice) = (work(&text(size)), work(&text(2 * size)));
            assert!(once[0] > base[0] && once[1] > base[1], "{name}: its text costs nothing");
            let before = wrong.len();
            for (what, index) in [("compile", 0), ("check in a session", 1), ("format", 2)] {
                let cost = |work: [u64; 3]| work[index].saturating_sub(base[index]);
                if cost(twice) > 3 * cost(once) + SLACK {
                    let (once, twice) = (cost(once), cost(twice));
                    wrong.push_str(&format!("{name}: to {what} costs {once} bytes at {size}, {twice} at twice the size\n"));
                }
            }
            if wrong.len() > before {
                break;
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn items_cost_in_proportion() {
    assert_linear(items());
}

#[test]
fn chains_of_declarations_cost_in_proportion() {
    assert_linear(chains());
}

#[test]
fn repetitions_cost_in_proportion() {
    assert_linear(repetitions());
}

#[test]
fn nesting_costs_in_proportion() {
    assert_linear(nesting());
}
