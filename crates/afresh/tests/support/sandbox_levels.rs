//! The sandboxes that this machine supports.

use std::path::PathBuf;

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

/// A PATH on which bubblewrap is found if it is installed anywhere: one of the agent programs brings its own.
pub(crate) fn path_with_bubblewrap() -> String {
    let path = std::env::var("PATH").unwrap_or_default();
    let is_here = |directory: PathBuf| directory.join("bwrap").is_file();
    if std::env::split_paths(&path).any(is_here) {
        return path;
    }
    let programs = std::env::var_os("AFRESH_TEST_AGENTS").map(PathBuf::from);
    let vendor = programs.map(|it| it.join("node_modules/@openai/codex-linux-x64/vendor"));
    let targets = vendor.and_then(|vendor| vendor.read_dir().ok()).into_iter().flatten().flatten();
    let mut places = targets.map(|target| target.path().join("codex-resources"));
    match places.find(|directory| directory.join("bwrap").is_file()) {
        Some(place) => format!("{path}:{}", place.display()),
        None => path,
    }
}

/// All levels, with that PATH.
#[expect(clippy::print_stderr, reason = "a test that was passed over says so")]
pub(crate) fn levels_with_bubblewrap() -> Vec<&'static str> {
    let mut levels = vec!["off"];
    for (word, path) in [("landlock", String::new()), ("bubblewrap", path_with_bubblewrap())] {
        let found = afresh_app::sandbox::detect_sandbox(&path);
        if found.level.word() == word {
            levels.push(word);
        } else {
            eprintln!("SKIPPED: {word}: {:?}", found.unavailable);
        }
    }
    levels
}
