//! A directory on the disk, as readers of plans see it: bounded, only what can hold a plan, and no
//! links followed.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use afresh_formats::Finding;
use afresh_formats::folder::{Folder, MAX_FILE_BYTES, as_text};

/// More files than this are not looked at.
const MAX_FILES: usize = 20_000;
/// Directories further down are not looked at.
const MAX_DEPTH: usize = 12;
const SKIPPED: &[&str] = &[".git", "node_modules", "target", ".venv", "vendor", "dist", "build"];
const ENDINGS: &[&str] = &["md", "json", "jsonl", "yml", "yaml", "toml"];

#[derive(Debug)]
pub(crate) struct DiskFolder {
    root: PathBuf,
    paths: Vec<String>,
}

impl DiskFolder {
    pub(crate) fn open(root: &Path) -> Self {
        let mut folder = Self { root: root.to_owned(), paths: Vec::new() };
        folder.list("", 0);
        folder.paths.sort();
        folder
    }

    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    fn list(&mut self, directory: &str, depth: usize) {
        let Ok(entries) = fs::read_dir(self.root.join(directory)) else { return };
        for entry in entries.flatten() {
            let (Ok(name), Ok(kind)) = (entry.file_name().into_string(), entry.file_type()) else {
                continue;
            };
            let path =
                if directory.is_empty() { name.clone() } else { format!("{directory}/{name}") };
            if kind.is_dir() && depth < MAX_DEPTH && !SKIPPED.contains(&name.as_str()) {
                self.list(&path, depth + 1);
            } else if kind.is_file() && may_hold_a_plan(&name) && self.paths.len() < MAX_FILES {
                self.paths.push(path);
            }
        }
    }
}

fn may_hold_a_plan(name: &str) -> bool {
    name.rsplit_once('.').is_some_and(|(_, ending)| ENDINGS.contains(&ending))
}

impl Folder for DiskFolder {
    fn paths(&self) -> &[String] {
        &self.paths
    }

    fn text(&self, path: &str) -> Option<Result<String, Finding>> {
        self.paths.binary_search_by(|known| known.as_str().cmp(path)).ok()?;
        let read = || -> std::io::Result<Vec<u8>> {
            let mut bytes = Vec::new();
            let file = fs::File::open(self.root.join(path))?;
            file.take(MAX_FILE_BYTES as u64 + 1).read_to_end(&mut bytes)?;
            Ok(bytes)
        };
        Some(match read() {
            Ok(bytes) => as_text(path, &bytes),
            Err(error) => {
                Err(Finding::of_file(path, "unreadable", format!("cannot read it: {error}")))
            }
        })
    }
}
