//! The program `fizzle`.
fn main() {}
