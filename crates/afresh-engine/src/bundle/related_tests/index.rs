//! The tests of one commit, and what they import.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use afresh_core::plan::Task;

use super::imports::{CrateName, SourceImport};
use super::naming::{is_test_source, name_of_source, subject_of_test};

/// The most files of a task that are looked for.
const MAX_TARGETS: usize = 200;

/// A test, and what it imports.
#[derive(Debug)]
pub(super) struct IndexedTest {
    pub(super) path: String,
    pub(super) imports: Arc<[SourceImport]>,
}

/// All tests of a commit.
///
/// Imports are not indexed: reading all of them once per bundle is faster than keeping tables for each commit.
#[derive(Debug)]
pub(super) struct TestIndex {
    files: Vec<String>,
    tests: Vec<IndexedTest>,
    by_subject: HashMap<String, Vec<usize>>,
}

impl TestIndex {
    pub(super) fn new(files: Vec<String>, mut tests: Vec<IndexedTest>) -> Self {
        tests.sort_by(|one, other| one.path.cmp(&other.path));
        let mut by_subject: HashMap<String, Vec<usize>> = HashMap::new();
        for (at, test) in tests.iter().enumerate() {
            if let Some(subject) = subject_of_test(&test.path) {
                by_subject.entry(subject).or_default().push(at);
            }
        }
        Self { files, tests, by_subject }
    }

    pub(super) fn path(&self, test: usize) -> &str {
        &self.tests[test].path
    }

    /// The test at this path.
    pub(super) fn position(&self, path: &str) -> Option<usize> {
        self.tests.binary_search_by(|test| test.path.as_str().cmp(path)).ok()
    }

    /// The files that a task works on: those that exist, and those that it names. Its own tests are no targets.
    pub(super) fn targets(&self, task: &Task) -> Vec<String> {
        let named = task.patterns().filter_map(|pattern| pattern.literal()).map(ToOwned::to_owned);
        let existing = self.files.iter().filter(|path| task.may_write(path)).cloned();
        let mut seen = BTreeSet::new();
        named
            .chain(existing)
            .filter(|path| !is_test_source(path) && seen.insert(path.clone()))
            .take(MAX_TARGETS)
            .collect()
    }

    /// The tests that import one of these files.
    pub(super) fn importers_of(&self, targets: &[String]) -> BTreeSet<usize> {
        let table = TargetTable::new(targets);
        let imports = |test: &IndexedTest| {
            test.imports.iter().any(|import| table.is_reached(import, &test.path))
                || table.is_in_package(&test.path)
        };
        let importing = self.tests.iter().enumerate().filter(|(_, test)| imports(test));
        importing.map(|(at, _)| at).collect()
    }

    /// The tests that are named after this file.
    pub(super) fn named_after(&self, target: &str) -> &[usize] {
        let named = name_of_source(target).and_then(|name| self.by_subject.get(&name));
        named.map_or(&[], Vec::as_slice)
    }
}

/// The files of a task, by the last part of what would import them.
struct TargetTable<'t> {
    by_module: HashMap<&'t str, Vec<&'t str>>,
    by_package: HashMap<&'t str, Vec<&'t str>>,
    /// Directories with a file of Go.
    go_packages: BTreeSet<&'t str>,
}

impl<'t> TargetTable<'t> {
    fn new(targets: &'t [String]) -> Self {
        let (mut by_module, mut by_package) = (HashMap::new(), HashMap::new());
        let mut go_packages = BTreeSet::new();
        for target in targets.iter().map(String::as_str) {
            let mut add = |key: &'t str| {
                let files: &mut Vec<&str> = by_module.entry(key).or_default();
                files.push(target);
            };
            add(last_part(module_path(target)));
            if target.ends_with("src/lib.rs") {
                // No path names the root of a crate.
                add("lib");
            }
            let package = directory_of(target);
            let files: &mut Vec<&str> = by_package.entry(last_part(package)).or_default();
            files.push(target);
            if has_extension(target, "go") {
                go_packages.insert(package);
            }
        }
        Self { by_module, by_package, go_packages }
    }

    /// Whether an import of the test names one of the files.
    fn is_reached(&self, import: &SourceImport, test: &str) -> bool {
        let candidates = match import {
            SourceImport::At(path)
            | SourceImport::Ending(path)
            | SourceImport::Module { path, .. } => self.by_module.get(last_part(path)),
            SourceImport::Package(path) => self.by_package.get(last_part(path)),
        };
        candidates.into_iter().flatten().any(|target| reaches(import, test, target))
    }

    /// A test of Go is in the package that it tests.
    fn is_in_package(&self, test: &str) -> bool {
        has_extension(test, "go") && self.go_packages.contains(directory_of(test))
    }
}

fn last_part(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

fn has_extension(path: &str, wanted: &str) -> bool {
    path.rsplit_once('.').is_some_and(|(_, extension)| extension == wanted)
}

fn directory_of(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(directory, _)| directory)
}

/// The path without extension, and without the name of a file that stands for its directory.
fn module_path(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    let plain = match name.rsplit_once('.') {
        Some((stem, extension)) if !stem.is_empty() => &path[..path.len() - extension.len() - 1],
        _ => path,
    };
    ["/index", "/mod", "/__init__"].iter().find_map(|end| plain.strip_suffix(end)).unwrap_or(plain)
}

/// Whether an import of the test names the target.
fn reaches(import: &SourceImport, test: &str, target: &str) -> bool {
    let module = module_path(target);
    match import {
        SourceImport::At(path) => module == path || target == path,
        SourceImport::Ending(path) => ends_with(module, path),
        SourceImport::Package(path) => {
            let directory = directory_of(target);
            !directory.is_empty() && (ends_with(directory, path) || ends_with(path, directory))
        }
        SourceImport::Module { krate, path } => {
            has_extension(target, "rs")
                && ends_with(module, path)
                && is_in_crate(krate, test, target)
        }
    }
}

fn ends_with(path: &str, end: &str) -> bool {
    path.strip_suffix(end).is_some_and(|start| start.is_empty() || start.ends_with('/'))
}

/// Whether the target is in the crate that a test imports from.
fn is_in_crate(krate: &CrateName, test: &str, target: &str) -> bool {
    let Some(root) = crate_root(target) else { return false };
    match krate {
        CrateName::Own => crate_root(test) == Some(root),
        CrateName::Named(name) => {
            let directory = root.rsplit('/').next().unwrap_or(root).replace('-', "_");
            // The crate at the root may have any name.
            root.is_empty() || directory == *name || name.ends_with(&format!("_{directory}"))
        }
    }
}

/// The directory of the crate that a file belongs to.
fn crate_root(path: &str) -> Option<&str> {
    ["src/", "tests/", "benches/"].iter().find_map(|directory| {
        if path.starts_with(directory) {
            return Some("");
        }
        let at = path.find(&format!("/{directory}"))?;
        Some(&path[..at])
    })
}
