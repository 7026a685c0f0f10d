fn main() {
    let path = std::env::args().nth(1).unwrap();
    let text = std::fs::read_to_string(path).unwrap();
    let parsed = fizzle_grammar::parse_file(0, &text);
    for item in &parsed.items { println!("{item:?}"); }
    for e in &parsed.errors { println!("ERR {}..{} {} | {:?} | {:?}", e.span.start, e.span.end, e, e.help, text.get(e.span.start as usize..).unwrap_or("").chars().take(50).collect::<String>()); }
}
