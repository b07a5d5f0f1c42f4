//! The files of a repository that show how it is built. Nothing is executed, no link is followed, and only
//! a bounded part is read.

use std::fs;
use std::io::Read;
use std::path::Path;

use afresh_formats::project::{self, FileListing};

/// How deep directories are searched.
const MAX_DEPTH: usize = 3;
const MAX_FILES: usize = 10_000;
const MAX_TEXT_BYTES: u64 = 512 * 1024;
/// Directories with third-party or generated files.
const OTHERS: &[&str] = &["node_modules", "vendor", "target", "dist", "build", "third_party"];

pub fn list(root: &Path) -> FileListing {
    let mut listing = FileListing::default();
    let mut open = vec![(String::new(), 0)];
    while let Some((directory, depth)) = open.pop() {
        let entries = fs::read_dir(root.join(&directory)).into_iter().flatten().flatten();
        for entry in entries {
            let Some(name) = entry.file_name().to_str().map(str::to_owned) else { continue };
            let path =
                if directory.is_empty() { name.clone() } else { format!("{directory}/{name}") };
            let Ok(kind) = entry.file_type() else { continue };
            if kind.is_dir() {
                let hidden = name.starts_with('.') || OTHERS.contains(&name.as_str());
                if !hidden && depth < MAX_DEPTH {
                    open.push((path, depth + 1));
                }
            } else if kind.is_file() && listing.paths.len() < MAX_FILES {
                if project::needs_text(&path) {
                    listing.texts.insert(path.clone(), text(&entry.path()));
                }
                listing.paths.insert(path);
            }
        }
    }
    listing
}

fn text(file: &Path) -> String {
    let mut bytes = Vec::new();
    if let Ok(open) = fs::File::open(file) {
        // Unreadable files are skipped.
        let _ = open.take(MAX_TEXT_BYTES).read_to_end(&mut bytes);
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
