//! The kinds of sandbox that this machine supports.

/// By their names; one that is not supported is reported as skipped.
#[expect(clippy::print_stderr, reason = "a test that was passed over says so")]
pub(crate) fn levels() -> Vec<&'static str> {
    let path = std::env::var("PATH").unwrap_or_default();
    let mut levels = Vec::new();
    for (word, found) in [
        ("bubblewrap", afresh_app::sandbox::detect_sandbox(&path)),
        ("landlock", afresh_app::sandbox::detect_sandbox("")),
    ] {
        if found.level.word() == word {
            levels.push(word);
        } else {
            eprintln!("SKIPPED: {word}: {:?}", found.unavailable);
        }
    }
    levels
}
