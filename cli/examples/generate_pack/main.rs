//! Writes a large generated pack: `cargo run --example generate_pack -- DIRECTORY CARDS`, with at most 1,000 cards in a file.

mod pack;

use std::process::ExitCode;

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let (Some(directory), Some(cards)) = (arguments.next(), arguments.next().and_then(|number| number.parse().ok())) else {
        return ExitCode::from(2);
    };
    for (path, text) in pack::pack(cards, 1000) {
        let target = std::path::Path::new(&directory).join(path);
        let result = target.parent().map_or(Ok(()), std::fs::create_dir_all).and_then(|()| std::fs::write(&target, text));
        if result.is_err() {
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}
