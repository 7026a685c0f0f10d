//! x
mod common;
#[test]
fn dump() {
    for line in std::fs::read_to_string("/tmp/exprs").unwrap().lines() {
        let shown = match line.split_once(' ').unwrap() {
            ("e", text) => common::expression(text),
            ("s", text) => common::statements(&text.replace('|', "\n")),
            ("a", text) => common::short(&common::ability(text)),
            ("i", text) => common::short(&common::item(&text.replace('|', "\n"))),
            _ => continue,
        };
        println!("{line}\n    => {}", shown.replace('\n', "\n    => "));
    }
}
