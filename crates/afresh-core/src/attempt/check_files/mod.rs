//! Which files checks rest on: what their command lines execute, load as a test, or load as configuration.
//!
//! What a check merely reads (`grep -q x src/index.ts`, `test -f a`, `diff a b`, `< a`) is what it checks, and no test.
//! Only the text of the command is read. A program that is not known reads its arguments.
//!
//! | module | what it holds |
//! | --- | --- |
//! | `line` | one command line, command by command |
//! | `calls` | what interpreters and runners of tests load |
//! | `options` | the values of options |
//! | `tools` | runners of tests, linters and build tools, and the names of their configuration |
//! | `interpreters` | programs that execute the script they are given |
//! | `launchers` | programs that start another one: `npx`, `poetry run` |
//! | `variables` | values of shell variables |
//! | `word_path` | a word as the path of a file |

mod calls;
mod interpreters;
mod launchers;
mod line;
mod options;
mod tools;
mod variables;
mod word_path;

use self::line::LineReader;
use self::tools::ConfigReach;
use self::word_path::{WordPath, ends_with_path};
use crate::plan::shell::simple_commands;

/// How a check uses a file that it rests on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileUse {
    /// It is the program, or a part of it.
    Executes,
    /// A runner of tests loads it as a test.
    LoadsTest,
    /// It says what a runner, a linter or a build tool does.
    LoadsConfig,
}

/// The files that checks rest on.
#[derive(Debug, Default)]
pub struct CheckFiles(Vec<(FileUse, FileMatcher)>);

impl CheckFiles {
    /// Reads the command lines of checks.
    pub fn read<'a>(lines: impl IntoIterator<Item = &'a str>) -> Self {
        let mut found = Self::default();
        for line in lines {
            let mut reader = LineReader::default();
            for command in simple_commands(line) {
                reader.command(&command);
            }
            found.0.extend(reader.finish());
        }
        found
    }

    /// How the checks use this file; none if they at most read it.
    pub fn use_of(&self, path: &str) -> Option<FileUse> {
        self.0.iter().find(|(_, files)| files.matches(path)).map(|(usage, _)| *usage)
    }
}

/// Some files of the repository.
#[derive(Debug)]
enum FileMatcher {
    File(WordPath),
    /// Files below a directory with one of these names.
    Below(WordPath, Vec<String>),
    /// A module of Python, as the end of a path.
    Module(String),
    /// Files with one of these names, where a program that runs in `directory` finds them.
    Named {
        names: Vec<String>,
        directory: Option<String>,
        reach: ConfigReach,
    },
}

impl FileMatcher {
    fn matches(&self, path: &str) -> bool {
        let (parent, name) = path.rsplit_once('/').unwrap_or(("", path));
        let has_name = |names: &[String]| names.iter().any(|wanted| matches_name(wanted, name));
        match self {
            Self::File(word) => word.is_file(path),
            Self::Below(directory, names) => directory.is_above(path) && has_name(names),
            Self::Module(end) => ends_with_path(path, end),
            Self::Named { names, directory, reach } => {
                let is_there = match (directory.as_deref(), reach) {
                    (None, _) => true,
                    (Some(directory), ConfigReach::Here) => parent == directory,
                    (Some(directory), ConfigReach::Around) => {
                        is_within(parent, directory) || is_within(directory, parent)
                    }
                };
                is_there && has_name(names)
            }
        }
    }
}

/// Whether `path` is `directory`, or below it.
fn is_within(path: &str, directory: &str) -> bool {
    directory.is_empty()
        || path.strip_prefix(directory).is_some_and(|r| r.is_empty() || r.starts_with('/'))
}

/// Whether a name fits a pattern with `*`.
fn matches_name(pattern: &str, name: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(mut rest) = name.strip_prefix(parts.next().unwrap_or_default()) else { return false };
    let Some(last) = parts.next_back() else { return rest.is_empty() };
    for part in parts {
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests;
