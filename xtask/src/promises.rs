//! `docs/promises.md` and the tests that name each promise.
//!
//! Every promise has a test that names its id in its doc comment, and every id that a test names is a promise.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};

/// Groups of requirement ids such as `EX-05`.
const GROUPS: [&str; 14] =
    ["AU", "PL", "FO", "PR", "AG", "RE", "EX", "HU", "ST", "LO", "BE", "SC", "IN", "TR"];

type TestsById = BTreeMap<String, BTreeSet<String>>;

/// `cargo xtask promises [ID…]`: each promise with its tests.
#[expect(clippy::print_stdout, reason = "a chore talks to the person who runs it")]
pub(crate) fn run(ids: &[String]) -> Result<()> {
    let promises = load_promises()?;
    let unknown: Vec<&String> = ids.iter().filter(|id| !promises.contains_key(*id)).collect();
    ensure!(unknown.is_empty(), "docs/promises.md has no {unknown:?}");
    let tests = find_tests()?;
    for (id, text) in promises.iter().filter(|(id, _)| ids.is_empty() || ids.contains(*id)) {
        println!("{id}: {text}");
        for test in tests.get(id).into_iter().flatten() {
            println!("    {test}");
        }
    }
    Ok(())
}

fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace").to_owned()
}

/// The promise of each table row `| R3 | text | state |`.
fn load_promises() -> Result<BTreeMap<String, String>> {
    let file = workspace().join("docs/promises.md");
    let text = fs::read_to_string(&file).with_context(|| format!("reading {}", file.display()))?;
    let row = |line: &str| {
        let mut cells = line.strip_prefix("| ")?.split(" | ");
        let id = cells.next().filter(|id| is_id(id))?;
        Some((id.to_owned(), cells.next()?.to_owned()))
    };
    Ok(text.lines().filter_map(row).collect())
}

/// Every id that a test names, with those tests as `crate::test`.
fn find_tests() -> Result<TestsById> {
    let mut found = TestsById::new();
    for top in ["crates", "xtask"] {
        let root = workspace().join(top);
        let mut open = vec![root.clone()];
        while let Some(directory) = open.pop() {
            for entry in fs::read_dir(&directory)?.flatten() {
                let path = entry.path();
                if path.is_dir() {
                    open.push(path);
                } else if path.extension().is_some_and(|extension| extension == "rs") {
                    let below = path.strip_prefix(&root)?.components().next();
                    let owner = below.map(|part| part.as_os_str().to_string_lossy().into_owned());
                    for (name, ids) in tests_in(&fs::read_to_string(&path)?) {
                        let test = format!("{}::{name}", owner.clone().unwrap_or_default());
                        for id in ids {
                            found.entry(id).or_default().insert(test.clone());
                        }
                    }
                }
            }
        }
    }
    Ok(found)
}

/// The tests of a file, and the ids that the doc comment of each names.
fn tests_in(source: &str) -> Vec<(String, BTreeSet<String>)> {
    let mut tests = Vec::new();
    let (mut docs, mut is_test) = (String::new(), false);
    for line in source.lines().map(str::trim) {
        if let Some(doc) = line.strip_prefix("///") {
            docs.push_str(doc);
            docs.push(' ');
        } else if line.starts_with("#[test]") {
            is_test = true;
        } else if line.starts_with("#[") {
            // Other attributes may be between a doc comment and its function.
        } else {
            let name = line.strip_prefix("fn ").and_then(|rest| rest.split('(').next());
            if let (true, Some(name)) = (is_test, name) {
                tests.push((name.to_owned(), ids_in(&docs)));
            }
            docs.clear();
            is_test = false;
        }
    }
    tests
}

/// Ids such as `R3`, `B12`, `F04`, `EX-05` in prose.
fn ids_in(text: &str) -> BTreeSet<String> {
    let words = text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '-'));
    words.map(|word| word.trim_matches('-')).filter(|word| is_id(word)).map(str::to_owned).collect()
}

fn is_id(word: &str) -> bool {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_promise_has_a_test_and_every_id_in_a_test_is_a_promise() {
        let promised: BTreeSet<String> = load_promises().expect("the page").into_keys().collect();
        let named: BTreeSet<String> = find_tests().expect("the sources").into_keys().collect();
        let unproved: Vec<&String> = promised.difference(&named).collect();
        assert!(unproved.is_empty(), "promised, but no test names: {unproved:?}");
        let unpromised: Vec<&String> = named.difference(&promised).collect();
        assert!(unpromised.is_empty(), "named by a test, but not promised: {unpromised:?}");
    }
}
