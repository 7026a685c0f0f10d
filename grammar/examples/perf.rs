fn main() {
    let text = std::fs::read_to_string(std::env::args().nth(1).unwrap()).unwrap();
    let n: usize = std::env::args().nth(2).unwrap().parse().unwrap();
    let start = std::time::Instant::now();
    let big = text.repeat(n);
    let parsed = fizzle_grammar::parse_file(0, &big);
    println!("{} items {} errors {} bytes {:?}", parsed.items.len(), parsed.errors.len(), big.len(), start.elapsed());
    let start = std::time::Instant::now();
    println!("fmt {} {:?}", fizzle_grammar::format(&big).len(), start.elapsed());
}
