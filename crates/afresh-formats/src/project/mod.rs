//! Detects what a repository is built with, and the commands to set up, test, build and lint it.
//!
//! Uses only names and texts of files that the caller provides; nothing is executed. Commands contain
//! fixed words only, never names from a file. The caller and the user decide which of them are used.
//!
//! | module | what it holds |
//! | --- | --- |
//! | `compiled` | cargo, go, gradle, maven, dotnet, cmake and others |
//! | `node` | JavaScript and TypeScript |
//! | `python` | Python |
//! | `interpreted` | Ruby, PHP, Elixir, Dart |
//! | `make` | Makefiles and justfiles |
//! | `runner_settings` | what a manifest says to test runners, apart from its dependencies |

mod compiled;
mod interpreted;
mod make;
mod node;
mod python;
mod runner_settings;

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

pub use self::runner_settings::{
    MAX_MANIFEST_BYTES, changed_runner_settings, parse_json_manifest, parse_toml_manifest,
};

/// The files of a repository: their paths from its root, and the texts of some.
#[derive(Debug, Clone, Default)]
pub struct FileListing {
    pub paths: BTreeSet<String>,
    /// The texts of files for which [`needs_text`] holds.
    pub texts: BTreeMap<String, String>,
}

/// A build tool of a repository, and its commands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ProjectStack {
    pub name: &'static str,
    /// The file that it was detected by.
    pub file: String,
    /// Commands that install dependencies.
    pub setup: Vec<String>,
    pub checks: Vec<ProjectCheck>,
    /// Ignored directories that are worth keeping between attempts.
    pub keep: Vec<String>,
}

/// A command that checks the work.
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

/// Files whose text is needed, not only their existence.
const TEXT_FILES: &[&str] = &[
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

/// Whether detection needs the text of this file.
pub fn needs_text(path: &str) -> bool {
    path.matches('/').count() <= 1 && is_read(path)
}

/// Whether detection reads files of this name, in whatever directory [`stacks_in`] is asked about.
pub fn is_read(path: &str) -> bool {
    TEXT_FILES.contains(&path.rsplit('/').next().unwrap_or(path))
}

/// Everything that the repository is built with. Subdirectories are searched only if the root has
/// nothing.
pub fn discover(listing: &FileListing) -> Vec<ProjectStack> {
    let stacks = in_directory(&ProjectDir { listing, directory: "" });
    if !stacks.is_empty() {
        return stacks;
    }
    let directories: BTreeSet<&str> =
        listing.paths.iter().filter_map(|path| path.split_once('/')).map(|(top, _)| top).collect();
    let below = directories.into_iter().filter(|name| is_plain_directory(name));
    below.flat_map(|directory| below_root(&ProjectDir { listing, directory })).collect()
}

/// Everything that one directory is built with, whatever lies above or below it; empty for the root. Also the
/// Makefiles that [`discover`] leaves out because another tool has a test command. Paths start at the root, and the
/// commands run there. None if the directory's name could not stand in a command.
pub fn stacks_in(listing: &FileListing, directory: &str) -> Vec<ProjectStack> {
    let place = ProjectDir { listing, directory };
    let mut stacks = if directory.is_empty() {
        in_directory(&place)
    } else if directory.split('/').all(is_plain_directory) {
        below_root(&place)
    } else {
        return Vec::new();
    };
    for wrapper in make::stacks(&place) {
        let wrapper = with_directory(wrapper, directory);
        if !stacks.contains(&wrapper) {
            stacks.push(wrapper);
        }
    }
    stacks
}

/// Whether a directory's name may stand in a command as it is.
fn is_plain_directory(name: &str) -> bool {
    name.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.'))
        && !name.starts_with(['.', '-'])
        && !name.is_empty()
}

/// The paths in `keep` that the repository's ignore file does not list.
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
        crate::project::interpreted::stacks(place),
    ]
    .concat();
    // A Makefile is often a wrapper around one of those, so it is used only without another test command.
    let is_tested =
        stacks.iter().flat_map(|stack| &stack.checks).any(|c| c.kind == CheckKind::Test);
    if !is_tested {
        stacks.extend(crate::project::make::stacks(place));
    }
    stacks
}

fn below_root(place: &ProjectDir<'_>) -> Vec<ProjectStack> {
    let stacks = in_directory(place);
    stacks.into_iter().map(|stack| with_directory(stack, place.directory)).collect()
}

/// The stack of a directory, as seen from the root.
fn with_directory(mut stack: ProjectStack, directory: &str) -> ProjectStack {
    if directory.is_empty() {
        return stack;
    }
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
    stack
}

/// A directory that may be the root of a project.
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

    /// Whether this directory or one above it has the file: the lock file of a workspace is at its root.
    fn has_above(&self, name: &str) -> bool {
        self.and_above().any(|place| place.has(name))
    }

    /// This directory, and those above it up to the root.
    fn and_above(&self) -> impl Iterator<Item = ProjectDir<'_>> {
        let above = std::iter::successors(Some(self.directory), |directory| {
            (!directory.is_empty()).then(|| directory.rsplit_once('/').map_or("", |(up, _)| up))
        });
        above.map(|directory| ProjectDir { listing: self.listing, directory })
    }

    /// The first of these files that exists.
    fn first<'n>(&self, names: &[&'n str]) -> Option<&'n str> {
        names.iter().copied().find(|name| self.has(name))
    }

    /// A file in this directory with one of these endings.
    fn ending_in(&self, ends: &[&str]) -> Option<String> {
        self.below("")
            .find(|name| !name.contains('/') && ends.iter().any(|end| name.ends_with(end)))
    }

    /// The files whose path starts with `directory`, relative to this directory.
    fn below(&self, directory: &str) -> impl Iterator<Item = String> {
        let start = self.path(directory);
        let own = if self.directory.is_empty() { 0 } else { self.directory.len() + 1 };
        let paths = self.listing.paths.range(start.clone()..);
        let paths = paths.take_while(move |path| path.starts_with(&start));
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

/// The text, unless it is empty.
fn non_empty(text: &str) -> Option<String> {
    (!text.is_empty()).then(|| text.to_owned())
}
