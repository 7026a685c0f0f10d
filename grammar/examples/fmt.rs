fn main() { let path = std::env::args().nth(1).unwrap(); print!("{}", fizzle_grammar::format(&std::fs::read_to_string(path).unwrap())); }
