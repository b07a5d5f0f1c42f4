//! What a repository is built with, and the commands that follow from it.
//!
//! From names and texts of files alone: nothing is executed, and nothing is read that the caller has
//! not handed in. Only fixed words are put into commands, never names that a file made up. Which of
//! the commands are used is for the caller, and for people.

mod compiled;
mod makers;
mod node;
mod python;
mod scripted;

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

/// The files of a repository: their paths from its root, and the texts of some.
#[derive(Debug, Clone, Default)]
pub struct FileListing {
    pub paths: BTreeSet<String>,
    /// Of those files for which [`is_read`] holds.
    pub texts: BTreeMap<String, String>,
}

/// One way in which a repository is built.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ProjectStack {
    pub name: &'static str,
    /// The file that told.
    pub file: String,
    /// What brings dependencies, before anything else.
    pub setup: Vec<String>,
    pub checks: Vec<ProjectCheck>,
    /// Ignored directories that are worth keeping.
    pub keep: Vec<String>,
}

/// A command that says whether the work is good.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ProjectCheck {
    pub kind: CheckKind,
    pub command: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum CheckKind {
    Test,
    Build,
    Lint,
}

/// The names of files whose text tells more than their being there.
const READ: &[&str] = &[
    "Cargo.toml",
    "package.json",
    "deno.json",
    "deno.jsonc",
    "pyproject.toml",
    "requirements.txt",
    "requirements-dev.txt",
    "setup.cfg",
    "tox.ini",
    "Makefile",
    "makefile",
    "GNUmakefile",
    "justfile",
    "Justfile",
    "composer.json",
    "Gemfile",
    "Rakefile",
    "CMakeLists.txt",
    "build.zig",
    "pubspec.yaml",
    ".gitignore",
];

/// Whether the text of this file is worth handing in.
pub fn is_read(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    path.matches('/').count() <= 1 && READ.contains(&name)
}

/// Everything that the repository is built with; what is in directories counts only where the root
/// tells nothing.
pub fn discover(listing: &FileListing) -> Vec<ProjectStack> {
    let stacks = in_directory(&ProjectDir { listing, directory: "" });
    if !stacks.is_empty() {
        return stacks;
    }
    let directories: BTreeSet<&str> =
        listing.paths.iter().filter_map(|path| path.split_once('/')).map(|(top, _)| top).collect();
    let plain = |name: &&str| {
        name.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.'))
            && !name.starts_with(['.', '-'])
    };
    let below = directories.into_iter().filter(plain);
    below.flat_map(|directory| below_root(&ProjectDir { listing, directory })).collect()
}

/// The paths that `keep` names and no line of the repository's ignore file does.
pub fn not_ignored<'k>(listing: &FileListing, keep: &'k [String]) -> Vec<&'k str> {
    let text = listing.texts.get(".gitignore").map_or("", String::as_str);
    let lines: BTreeSet<&str> = text.lines().map(|line| line.trim().trim_matches('/')).collect();
    let last =
        |path: &str| path.trim_matches('/').rsplit('/').next().unwrap_or_default().to_owned();
    keep.iter()
        .map(String::as_str)
        .filter(|path| {
            !lines.contains(path.trim_matches('/')) && !lines.contains(last(path).as_str())
        })
        .collect()
}

fn in_directory(place: &ProjectDir<'_>) -> Vec<ProjectStack> {
    let mut stacks: Vec<ProjectStack> = [
        compiled::stacks(place),
        node::stacks(place),
        python::stacks(place),
        scripted::stacks(place),
    ]
    .concat();
    // A Makefile is often a wrapper around one of those; alone it is what there is.
    let is_tested =
        stacks.iter().flat_map(|stack| &stack.checks).any(|c| c.kind == CheckKind::Test);
    if !is_tested {
        stacks.extend(makers::stacks(place));
    }
    stacks
}

fn below_root(place: &ProjectDir<'_>) -> Vec<ProjectStack> {
    let directory = place.directory;
    let mut stacks = in_directory(place);
    for stack in &mut stacks {
        stack.file = format!("{directory}/{}", stack.file);
        for command in &mut stack.setup {
            *command = format!("cd {directory} && {command}");
        }
        for check in &mut stack.checks {
            check.command = format!("cd {directory} && {}", check.command);
        }
        for path in &mut stack.keep {
            *path = format!("{directory}/{path}");
        }
    }
    stacks
}

/// A directory that may be the root of something.
struct ProjectDir<'a> {
    listing: &'a FileListing,
    /// Empty for the root.
    directory: &'a str,
}

impl ProjectDir<'_> {
    fn path(&self, name: &str) -> String {
        if self.directory.is_empty() {
            name.to_owned()
        } else {
            format!("{}/{name}", self.directory)
        }
    }

    fn has(&self, name: &str) -> bool {
        self.listing.paths.contains(&self.path(name))
    }

    /// The first of these that is there.
    fn first<'n>(&self, names: &[&'n str]) -> Option<&'n str> {
        names.iter().copied().find(|name| self.has(name))
    }

    /// A file directly here whose name ends so.
    fn ending_in(&self, ends: &[&str]) -> Option<String> {
        self.below("")
            .find(|name| !name.contains('/') && ends.iter().any(|end| name.ends_with(end)))
    }

    /// The files below a directory here, from here.
    fn below(&self, directory: &str) -> impl Iterator<Item = String> {
        let start = self.path(directory);
        let own = if self.directory.is_empty() { 0 } else { self.directory.len() + 1 };
        let paths = self.listing.paths.iter().filter(move |path| path.starts_with(&start));
        paths.filter_map(move |path| path.get(own..).map(str::to_owned))
    }

    fn text(&self, name: &str) -> &str {
        self.listing.texts.get(&self.path(name)).map_or("", String::as_str)
    }

    fn mentions(&self, name: &str, word: &str) -> bool {
        self.text(name).contains(word)
    }
}

fn test(command: impl Into<String>) -> ProjectCheck {
    ProjectCheck { kind: CheckKind::Test, command: command.into() }
}

fn build(command: impl Into<String>) -> ProjectCheck {
    ProjectCheck { kind: CheckKind::Build, command: command.into() }
}

fn lint(command: impl Into<String>) -> ProjectCheck {
    ProjectCheck { kind: CheckKind::Lint, command: command.into() }
}

fn owned(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}

/// A text, if there is one that says something.
fn some(text: &str) -> Option<String> {
    (!text.is_empty()).then(|| text.to_owned())
}
