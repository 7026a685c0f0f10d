//! The target `deck` for `cargo fuzz`.

#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    if let Some(target) = fizzle_fuzz::targets::named("deck") {
        let _accepted = (target.run)(input);
    }
});
