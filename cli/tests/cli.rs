//! Tests of the command line: every file of `tests/cmd` records commands with their output and exit status.

#[test]
fn recorded_sessions_match() {
    trycmd::TestCases::new().case("tests/cmd/*.toml").case("tests/cmd/*.trycmd");
}
