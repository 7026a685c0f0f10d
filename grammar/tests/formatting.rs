//! Tests the formatter with small texts.

use fizzle_grammar::item_splitter::MAX_ITEM_BYTES;
use fizzle_grammar::{format, format_items, item_ranges};

#[test]
fn lines_are_indented_by_braces_and_line_breaks_are_kept() {
    let text =
        "card   \"a\"{\ncreature   cost {2}{U}\n\n\n      when this enters battle{\ndestroy 1 creature\nthen draw( 1 )\n}   \n}";
    let right = "card  \"a\" {\n  creature  cost {2}{U}\n\n  when this enters battle {\n    destroy 1 creature\n    then draw(1)\n  }\n}\n";
    assert_eq!(format(text), right);
}

#[test]
fn one_line_blocks_stay_if_they_fit() {
    let short = "setup { draw 1; draw 2 }\n";
    assert_eq!(format("setup {draw 1 ;draw 2}"), short);
    let long = format!("setup {{ {} }}", ["each player draws 5"; 8].join("; "));
    let broken = format!("setup {{\n{}\n}}\n", ["  each player draws 5"; 8].join(";\n"));
    assert_eq!(format(&long), broken);
}

#[test]
fn long_modes_break_at_their_dashes() {
    let mode = " - destroy each creature of opponent with power <= 4000";
    let text = format!("setup {{\n  choose 1 {{{} }}\n}}\n", mode.repeat(3));
    let right = format!("setup {{\n  choose 1 {{\n{}  }}\n}}\n", format!("   {mode}\n").repeat(3));
    assert_eq!(format(&text), right);
}

#[test]
fn comments_and_continuation_lines_are_indented() {
    let text = "  // top\nfunction f(a: number): number =\na + // why\nb\n";
    assert_eq!(format(text), "// top\nfunction f(a: number): number =\n  a + // why\n  b\n");
    assert_eq!(format("\u{feff}card \"a\" { }\r\n\r\n"), "card \"a\" { }\n");
    // Within a line it separates tokens, so it may not vanish.
    assert_eq!(format("x = a\u{feff}b\n"), "x = a b\n");
    // Words of one setting are recognised with any blanks between them.
    for blank in ["\u{feff}", "\u{3000}", "\u{a0}", "\t"] {
        let text = format!("announce {{\n  stages list\n  without{blank}choices allowed\n}}\n");
        assert_eq!(format(&text), "announce {\n  stages list\n  without choices allowed\n}\n");
    }
    assert_eq!(format(""), "");
}

/// Words are those of the lexer: a bracket or a comment behind them does not belong to them.
#[test]
fn words_end_at_any_other_token() {
    for (written, right) in [
        (
            "announce {\n stages list\n without choices allowed{ }\n}\n",
            "announce {\n  stages list\n  without choices allowed { }\n}\n",
        ),
        (
            "announce {\n stages list\n without choices// why\n allowed\n}\n",
            "announce {\n  stages list\n  without choices // why\n  allowed\n}\n",
        ),
        ("card \"a\" {\n fire\n as soon as{ }\n}\n", "card \"a\" {\n  fire\n  as soon as { }\n}\n"),
    ] {
        assert_eq!(format(written), right);
        assert_eq!(format(right), right);
    }
}

#[test]
fn runs_of_blanks_collapse_to_two() {
    let text = "card \"a\"    {   creature    fire  cost 3\tpower 2000   // a bear\n}\n";
    let right = "card \"a\" { creature  fire  cost 3 power 2000  // a bear\n}\n";
    assert_eq!(format(text), right);
    assert_eq!(format("zone hand { each player;   visible to  owner }"), "zone hand { each player;  visible to  owner }\n");
    assert_eq!(format("setup { draw(  you  ,   2  ) }"), "setup { draw(you,  2) }\n");
}

/// An item that is nearly as long as an item may be, and longer with its indentation, stays as it is; those around it are formatted.
#[test]
fn no_item_becomes_too_long_to_be_read() {
    let lines = "draw 1\n".repeat(MAX_ITEM_BYTES / 8);
    let large = format!("card \"B\" {{\n{lines}}}");
    assert!(large.len() < MAX_ITEM_BYTES && large.len() + 2 * lines.lines().count() > MAX_ITEM_BYTES);
    let text = format!("card \"A\" {{\ndraw 1\n}}\n{large}\ncard \"C\" {{\ndraw 1\n}}\n");
    let formatted = format_items(&text);
    assert_eq!(formatted.text, format!("card \"A\" {{\n  draw 1\n}}\n{large}\ncard \"C\" {{\n  draw 1\n}}\n"));
    assert_eq!(formatted.unformatted, [text.find("card \"B\"").expect("the second card") as u32]);
    assert!(item_ranges(&formatted.text).iter().all(|item| (item.end - item.start) as usize <= MAX_ITEM_BYTES));
    assert!(format(&formatted.text) == formatted.text, "formatting twice changes more");
    // one that is too long before stays too long, and is formatted
    let larger = format!("card \"B\" {{\n{lines}{lines}}}\n");
    assert!(format(&larger).contains("\n  draw 1\n") && format_items(&larger).unformatted.is_empty());
}
