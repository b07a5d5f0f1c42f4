//! Existing tests that touch the files of a task (TR-08): by import, by name, by changes together.
//!
//! Everything is read from git, from the commit that a worker starts with; never from a checkout. A repository may hold
//! anything, so all of it is bounded, and what cannot be read is left out: this is a hint, and never a reason not to
//! start.
//!
//! | module | what it holds |
//! | --- | --- |
//! | `imports` | what a source file imports |
//! | `index` | the tests of one commit |
//! | `naming` | tests and what they test, by their names |

mod imports;
mod index;
mod naming;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Arc, Mutex, PoisonError};

use afresh_agents::Bundle;
use afresh_agents::bundle::{RelatedTest, TestRelation};
use afresh_core::ids::CommitId;
use afresh_core::plan::{ContextLevel, Task};
use afresh_core::printable::is_unprintable;
use afresh_git::{BulkLimits, CommandError, EntryMode, Repository};

use imports::{SourceImport, find_imports};
use index::{IndexedTest, TestIndex};
use naming::{is_test_source, shared_directories};

/// The most tests that are named.
const MAX_NAMED: usize = 15;
/// The longest path that is named, in bytes.
const MAX_PATH_BYTES: usize = 200;
/// The most tests of a repository whose imports are read.
const MAX_TESTS: usize = 5_000;
const LIMITS: BulkLimits = BulkLimits { blob_bytes: 256 * 1024, total_bytes: 64 * 1024 * 1024 };
/// How many commits are read for changes together, and how much of git's output.
const MAX_COMMITS: usize = 500;
const MAX_HISTORY_BYTES: u64 = 16 * 1024 * 1024;
/// A commit with more files says nothing about any two of them.
const MAX_COMMIT_FILES: usize = 40;
/// Once is chance.
const MIN_TOGETHER: u32 = 2;
/// How many commits are remembered.
const MAX_INDEXES: usize = 4;

/// Finds tests, and remembers what it read.
#[derive(Debug, Default)]
pub struct TestFinder(Mutex<FinderCache>);

#[derive(Debug, Default)]
struct FinderCache {
    /// By commit, the newest last.
    indexes: Vec<(CommitId, Arc<TestIndex>)>,
    /// What tests import, by blob and path: most tests stay the same from commit to commit.
    imports: HashMap<(String, String), Arc<[SourceImport]>>,
    history: Option<(CommitId, Arc<ChangeHistory>)>,
}

/// Which files the last commits changed together.
type ChangeHistory = Vec<Vec<String>>;

impl TestFinder {
    /// Adds the tests that touch the files of a bundle's task, from the commit that its worker starts with and the
    /// history before `run_base`, the commit that the run started from.
    pub fn add_tests(&self, bundle: &mut Bundle, repository: &Repository, run_base: &CommitId) {
        if bundle.context == ContextLevel::Minimal || bundle.resumes_session {
            return;
        }
        bundle.tests = self.find(repository, &bundle.base, run_base, &bundle.task);
    }

    fn find(
        &self,
        repository: &Repository,
        base: &CommitId,
        run_base: &CommitId,
        task: &Task,
    ) -> Vec<RelatedTest> {
        if !task.lists_files() {
            return Vec::new();
        }
        // One worker reads, the others wait for what it found.
        let mut cache = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let Ok(index) = cache.index_of(repository, base) else { return Vec::new() };
        let history = cache.history_of(repository, run_base);
        drop(cache);
        let targets = index.targets(task);
        rank_tests(&index, &history, &targets, task)
    }
}

impl FinderCache {
    fn index_of(
        &mut self,
        repository: &Repository,
        commit: &CommitId,
    ) -> Result<Arc<TestIndex>, CommandError> {
        if let Some((_, known)) = self.indexes.iter().find(|(of, _)| of == commit) {
            return Ok(Arc::clone(known));
        }
        let index = Arc::new(self.read_index(repository, commit)?);
        if self.indexes.len() == MAX_INDEXES {
            self.indexes.remove(0);
        }
        self.indexes.push((commit.clone(), Arc::clone(&index)));
        Ok(index)
    }

    fn read_index(
        &mut self,
        repository: &Repository,
        commit: &CommitId,
    ) -> Result<TestIndex, CommandError> {
        let files = repository.list_files(commit)?;
        let is_file = |mode| matches!(mode, EntryMode::File | EntryMode::Executable);
        let files: Vec<_> =
            files.into_iter().filter(|file| is_file(file.mode) && is_plain(&file.path)).collect();
        let tests: Vec<_> =
            files.iter().filter(|file| is_test_source(&file.path)).take(MAX_TESTS).collect();
        let key = |id: &str, path: &str| (id.to_owned(), path.to_owned());
        let unread: Vec<&str> = tests
            .iter()
            .filter(|file| !self.imports.contains_key(&key(&file.id, &file.path)))
            .map(|file| file.id.as_str())
            .collect();
        let texts = repository.read_blobs(&unread, LIMITS)?;
        // What is no longer in the tree is forgotten.
        let mut known = std::mem::take(&mut self.imports);
        let mut indexed = Vec::new();
        for file in tests {
            let key = key(&file.id, &file.path);
            let imports = known.remove(&key).unwrap_or_else(|| {
                let text = texts.get(&file.id).map(|bytes| String::from_utf8_lossy(bytes));
                text.map_or_else(Vec::new, |text| find_imports(&file.path, &text)).into()
            });
            self.imports.insert(key, Arc::clone(&imports));
            indexed.push(IndexedTest { path: file.path.clone(), imports });
        }
        Ok(TestIndex::new(files.into_iter().map(|file| file.path).collect(), indexed))
    }

    fn history_of(&mut self, repository: &Repository, commit: &CommitId) -> Arc<ChangeHistory> {
        if let Some((of, known)) = &self.history
            && of == commit
        {
            return Arc::clone(known);
        }
        let read = repository.recent_changes(commit, MAX_COMMITS, MAX_HISTORY_BYTES);
        let mut changes = read.unwrap_or_default();
        changes.retain(|paths| (2..=MAX_COMMIT_FILES).contains(&paths.len()));
        let history = Arc::new(changes);
        self.history = Some((commit.clone(), Arc::clone(&history)));
        history
    }
}

/// Paths that can be named in a prompt.
fn is_plain(path: &str) -> bool {
    path.len() <= MAX_PATH_BYTES && !path.contains(is_unprintable) && !path.contains('`')
}

/// What speaks for a test.
#[derive(Debug, Clone, Default)]
struct TestEvidence {
    imports: bool,
    name: bool,
    together: u32,
    /// Directories in common with the nearest file.
    shared: usize,
}

/// The tests that touch these files, the closest first.
fn rank_tests(
    index: &TestIndex,
    history: &ChangeHistory,
    targets: &[String],
    task: &Task,
) -> Vec<RelatedTest> {
    let mut found: BTreeMap<usize, TestEvidence> = BTreeMap::new();
    for at in index.importers_of(targets) {
        found.entry(at).or_default().imports = true;
    }
    for target in targets {
        for at in index.named_after(target) {
            found.entry(*at).or_default().name = true;
        }
    }
    for (at, times) in changed_together(index, history, targets) {
        found.entry(at).or_default().together = times;
    }
    let mut ranked: Vec<(usize, TestEvidence)> =
        found.into_iter().filter(|(at, _)| !task.may_write(index.path(*at))).collect();
    for (at, evidence) in &mut ranked {
        let shared = targets.iter().map(|target| shared_directories(index.path(*at), target));
        evidence.shared = shared.max().unwrap_or(0);
    }
    ranked.sort_by(|(one, a), (other, b)| {
        let weight = |it: &TestEvidence| (it.imports && it.name, it.imports, it.name);
        weight(b)
            .cmp(&weight(a))
            .then(b.together.cmp(&a.together))
            .then(b.shared.cmp(&a.shared))
            .then(index.path(*one).cmp(index.path(*other)))
    });
    let named = ranked.into_iter().take(MAX_NAMED);
    named.map(|(at, evidence)| evidence.describe(index.path(at))).collect()
}

impl TestEvidence {
    fn describe(&self, path: &str) -> RelatedTest {
        let why = match self {
            Self { imports: true, .. } => TestRelation::Imports,
            Self { name: true, .. } => TestRelation::Name,
            _ => TestRelation::ChangedTogether,
        };
        RelatedTest { path: path.to_owned(), why, times: self.together }
    }
}

/// How often each test changed in one commit with one of these files.
fn changed_together(
    index: &TestIndex,
    history: &ChangeHistory,
    targets: &[String],
) -> Vec<(usize, u32)> {
    let targets: BTreeSet<&str> = targets.iter().map(String::as_str).collect();
    let mut times: BTreeMap<usize, u32> = BTreeMap::new();
    let touches = |paths: &&Vec<String>| paths.iter().any(|path| targets.contains(path.as_str()));
    for paths in history.iter().filter(touches) {
        for at in paths.iter().filter_map(|path| index.position(path)) {
            *times.entry(at).or_default() += 1;
        }
    }
    times.into_iter().filter(|(_, times)| *times >= MIN_TOGETHER).collect()
}

#[cfg(test)]
mod tests;
