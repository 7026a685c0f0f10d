//! The command line as its users see it: every file of `tests/cmd` is a session.

#[test]
fn sessions() {
    trycmd::TestCases::new().case("tests/cmd/*.toml").case("tests/cmd/*.trycmd");
}
