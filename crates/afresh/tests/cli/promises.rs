//! `docs/promises.md` says what afresh promises, by id, with the tests that prove each. This keeps
//! it true: every promise has a test that names it, every id that a test names is a promise, and the
//! lists of tests are the real ones. `AFRESH_UPDATE=1 cargo test -p afresh --test cli promises` writes the
//! lists anew.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

const MARK: &str = "Tests:";

fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).expect("the workspace").to_owned()
}

#[test]
fn every_promise_has_its_tests_and_every_test_its_promise() {
    let file = workspace().join("docs/promises.md");
    let text = std::fs::read_to_string(&file).expect("docs/promises.md");
    let tests = tests_by_id();
    let promised: BTreeSet<String> =
        text.lines().filter_map(promise_id).map(str::to_owned).collect();
    let unproved: Vec<&String> = promised.iter().filter(|id| !tests.contains_key(*id)).collect();
    assert!(unproved.is_empty(), "promised, but no test names: {unproved:?}");
    let unpromised: Vec<&String> = tests.keys().filter(|id| !promised.contains(*id)).collect();
    assert!(unpromised.is_empty(), "named by a test, but not in docs/promises.md: {unpromised:?}");
    let lists = text.lines().filter(|line| line.starts_with(MARK)).count();
    assert_eq!(lists, promised.len(), "each promise has one line `{MARK}`");
    let current = with_lists(&text, &tests);
    if std::env::var_os("AFRESH_UPDATE").is_some() {
        std::fs::write(&file, &current).expect("written");
    } else {
        assert!(
            text == current,
            "docs/promises.md is not current: run AFRESH_UPDATE=1 cargo test -p afresh --test cli promises"
        );
    }
}

/// The id that a heading such as `### R3` is about.
fn promise_id(line: &str) -> Option<&str> {
    line.strip_prefix("### ").map(str::trim)
}

/// The text with the list of tests under each promise replaced.
fn with_lists(text: &str, tests: &BTreeMap<String, BTreeSet<String>>) -> String {
    let mut lines: Vec<String> = Vec::new();
    let mut id = None;
    for line in text.lines() {
        if let Some(next) = promise_id(line) {
            id = Some(next.to_owned());
        }
        match (&id, line.starts_with(MARK)) {
            (Some(id), true) => {
                let names: Vec<String> =
                    tests.get(id).into_iter().flatten().map(|name| format!("`{name}`")).collect();
                lines.push(format!("{MARK} {}", names.join(", ")));
            }
            _ => lines.push(line.to_owned()),
        }
    }
    lines.join("\n") + "\n"
}

/// Every id that a test names in its doc comment, with those tests as `crate::test`.
fn tests_by_id() -> BTreeMap<String, BTreeSet<String>> {
    let mut found: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut open = vec![workspace().join("crates")];
    while let Some(directory) = open.pop() {
        for entry in std::fs::read_dir(directory).expect("a directory").flatten() {
            let path = entry.path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let owner = owner(&path);
                for (name, ids) in tests_in(&std::fs::read_to_string(&path).expect("text")) {
                    for id in ids {
                        found.entry(id).or_default().insert(format!("{owner}::{name}"));
                    }
                }
            }
        }
    }
    found
}

/// The crate that a file belongs to.
fn owner(path: &Path) -> String {
    let root = workspace().join("crates");
    let below = path.strip_prefix(root).expect("below crates");
    below.components().next().expect("a crate").as_os_str().to_string_lossy().into_owned()
}

/// The tests of a file and the ids that each one names.
fn tests_in(source: &str) -> Vec<(String, BTreeSet<String>)> {
    let mut tests = Vec::new();
    let mut docs = String::new();
    let mut is_test = false;
    for line in source.lines().map(str::trim) {
        if let Some(doc) = line.strip_prefix("///") {
            docs.push_str(doc);
            docs.push(' ');
        } else if line.starts_with("#[test]") {
            is_test = true;
        } else if line.starts_with("#[") {
            // Other attributes stand between a doc comment and its function.
        } else {
            let name = line.strip_prefix("fn ").and_then(|rest| rest.split('(').next());
            if let (true, Some(name)) = (is_test, name) {
                tests.push((name.to_owned(), ids_in_text(&docs)));
            }
            docs.clear();
            is_test = false;
        }
    }
    tests
}

/// Ids such as `R3`, `B12`, `F04`, `EX-05` in prose.
fn ids_in_text(text: &str) -> BTreeSet<String> {
    let words = text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '-'));
    words.map(|word| word.trim_matches('-')).filter(|word| is_id(word)).map(str::to_owned).collect()
}

fn is_id(word: &str) -> bool {
    const GROUPS: [&str; 12] =
        ["AU", "PL", "FO", "PR", "AG", "RE", "EX", "HU", "ST", "LO", "BE", "SC"];
    let digits = |text: &str, lengths: std::ops::RangeInclusive<usize>| {
        lengths.contains(&text.len()) && text.bytes().all(|b| b.is_ascii_digit())
    };
    if let Some((group, number)) = word.split_once('-') {
        return GROUPS.contains(&group) && digits(number, 2..=2);
    }
    match word.split_at_checked(1) {
        Some(("R", number)) => digits(number, 1..=2),
        Some(("B" | "F", number)) => digits(number, 2..=2),
        _ => false,
    }
}
