//! Sizes of the files that a plan lists, for its estimates; bounded.

use std::collections::BTreeMap;
use std::fs;
use std::ops::Bound;
use std::path::Path;

use afresh_core::pattern::FilePattern;

/// How many files are listed for globs.
const MAX_FILES: usize = 50_000;
/// Directories that workers do not read.
const SKIPPED: &[&str] = &[".git", "node_modules", "target", ".venv", "__pycache__", ".afresh"];

/// How many comparisons of globs with files are made.
const MAX_COMPARISONS: usize = 2_000_000;

/// The size of each pattern in bytes, computed once.
#[derive(Debug)]
pub struct FileSizes(BTreeMap<String, u64>);

impl FileSizes {
    pub fn measure<'a>(root: &Path, patterns: impl Iterator<Item = &'a FilePattern>) -> Self {
        let distinct: BTreeMap<&str, &FilePattern> =
            patterns.map(|pattern| (pattern.as_str(), pattern)).collect();
        let mut look = SizeScan { root, listed: None, comparisons: 0 };
        let found = distinct.into_iter().filter_map(|(text, pattern)| {
            let bytes = match pattern.literal() {
                Some(path) => look.plain(path),
                None => look.glob(pattern),
            };
            Some((text.to_owned(), bytes?))
        });
        Self(found.collect())
    }

    /// The size of all files that match the pattern; none where no file exists yet.
    pub fn bytes_of(&self, pattern: &FilePattern) -> Option<u64> {
        self.0.get(pattern.as_str()).copied()
    }
}

struct SizeScan<'a> {
    root: &'a Path,
    /// Every file by its path; filled only where a plan has globs.
    listed: Option<BTreeMap<String, u64>>,
    comparisons: usize,
}

impl SizeScan<'_> {
    fn plain(&self, path: &str) -> Option<u64> {
        let found = fs::symlink_metadata(self.root.join(path)).ok()?;
        found.is_file().then_some(found.len())
    }

    fn glob(&mut self, pattern: &FilePattern) -> Option<u64> {
        let root = self.root;
        let listed = self.listed.get_or_insert_with(|| list(root));
        let start = pattern.fixed_start();
        let near = listed.range::<str, _>((Bound::Included(start), Bound::Unbounded));
        let near = near.take_while(|(path, _)| path.starts_with(start));
        let left = MAX_COMPARISONS.saturating_sub(self.comparisons);
        let compared = near.take(left).inspect(|_| self.comparisons += 1);
        let found = compared.filter(|(path, _)| pattern.matches(path));
        found.fold(None, |sum, (_, bytes)| Some(sum.unwrap_or(0) + bytes))
    }
}

fn list(root: &Path) -> BTreeMap<String, u64> {
    let mut listed = BTreeMap::new();
    let mut open = vec![String::new()];
    while let Some(directory) = open.pop() {
        let Ok(entries) = fs::read_dir(root.join(&directory)) else { continue };
        for entry in entries.flatten() {
            let Ok(name) = entry.file_name().into_string() else { continue };
            let Ok(kind) = entry.file_type() else { continue };
            let path =
                if directory.is_empty() { name.clone() } else { format!("{directory}/{name}") };
            if kind.is_dir() && !SKIPPED.contains(&name.as_str()) {
                open.push(path);
            } else if kind.is_file() {
                listed.insert(path, entry.metadata().map_or(0, |found| found.len()));
            }
            if listed.len() >= MAX_FILES {
                return listed;
            }
        }
    }
    listed
}
