//! What the commands of checks name: files, scripts, targets, packages, modules, programs.
//!
//! | module | what it holds |
//! | --- | --- |
//! | `arguments` | words of a command: options, their values, positional arguments |
//! | `files` | paths as arguments |
//! | `go` | packages of Go |
//! | `makefiles` | targets of make and recipes of just |
//! | `node` | scripts of package.json and composer.json, and tools that npx starts |
//! | `programs` | programs by name |
//! | `python` | modules, and tests of pytest and unittest |
//! | `rust` | packages and targets of cargo |

mod arguments;
mod files;
mod go;
mod makefiles;
mod node;
mod programs;
mod python;
mod rust;

use std::collections::BTreeSet;

use afresh_checks::words_before_program;
use afresh_core::plan::shell::{SimpleCommand, simple_commands};

use super::tree::{PlannedPath, TaskTree, is_generated};
use super::{GroundingState, PlanReference, ReferenceKind};

/// Everything that a check names.
pub(super) fn references(check: &str, view: &TaskTree<'_, '_>) -> Vec<PlanReference> {
    let mut reader =
        CheckReader { view, made: BTreeSet::new(), made_unknown: false, found: Vec::new() };
    for command in simple_commands(check) {
        reader.read(command);
    }
    reader.found
}

/// A check on its way.
struct CheckReader<'c, 't, 'a> {
    view: &'c TaskTree<'t, 'a>,
    /// Files that the check itself has made so far.
    made: BTreeSet<String>,
    /// Whether a program before may have made any file.
    made_unknown: bool,
    found: Vec<PlanReference>,
}

/// A program with its arguments, without what launches it.
struct CheckCommand {
    words: Vec<String>,
    /// `npx`, `uv` and the like.
    launcher: Option<String>,
    /// From the root; none if only the shell knows.
    directory: Option<String>,
}

impl CheckCommand {
    fn program(&self) -> &str {
        self.words.first().map_or("", |word| word.rsplit('/').next().unwrap_or(word))
    }

    /// A path from the root.
    fn whole_path(&self, path: &str) -> Option<String> {
        join(self.directory.as_deref()?, path)
    }
}

impl CheckReader<'_, '_, '_> {
    fn read(&mut self, simple: SimpleCommand) {
        let SimpleCommand { mut words, inputs, outputs, directory, .. } = simple;
        let mut launcher = None;
        while let Some(before) = words_before_program(&words) {
            launcher = words.first().cloned();
            words.drain(..before);
        }
        let command = CheckCommand { words, launcher, directory };
        for input in &inputs {
            self.file(&command, input);
        }
        if !command.words.is_empty() {
            self.program(&command);
        }
        for output in outputs.iter().chain(&arguments::outputs(&command.words)) {
            self.made.extend(command.whole_path(output));
        }
        self.made_unknown |= !files::only_reads(command.program());
    }

    fn program(&mut self, command: &CheckCommand) {
        let first = command.words[0].as_str();
        match command.program() {
            "cd" | "pushd" => self.directory(command),
            _ if first.contains(['$', '`', '*']) => {
                self.add(ReferenceKind::Program, first, GroundingState::Uncheckable);
            }
            name if first.contains('/') && !first.starts_with('/') => {
                let takes_files = files::takes_files(name);
                self.script(command, first);
                if takes_files {
                    self.tool_files(command);
                }
            }
            "npm" | "pnpm" | "yarn" | "bun" => self.node_script(command),
            "make" | "gmake" => self.make_targets(command),
            "just" => self.just_recipes(command),
            "cargo" => self.cargo(command),
            "go" => self.go(command),
            "pytest" | "py.test" => self.pytest(command, 1),
            name if programs::is_python(name) => self.python(command),
            "composer" => self.composer_script(command),
            name if files::takes_files(name) => {
                self.node_tool(command);
                self.tool_files(command);
            }
            name if files::only_reads(name) => self.read_files(command),
            _ => {
                self.node_tool(command);
                self.named_program(command);
            }
        }
    }

    fn add(&mut self, kind: ReferenceKind, name: &str, state: GroundingState) {
        self.found.push(PlanReference { kind, name: name.to_owned(), state });
    }

    fn missing(&mut self, kind: ReferenceKind, name: &str, hint: String) {
        self.add(kind, name, GroundingState::Missing { hint });
    }

    /// Adds a file that has to exist when the check runs.
    fn file(&mut self, command: &CheckCommand, path: &str) {
        let Some(whole) = command.whole_path(path) else {
            return self.add(ReferenceKind::Path, path, GroundingState::Uncheckable);
        };
        if self.made.contains(&whole)
            || self.made.iter().any(|made| whole.starts_with(&format!("{made}/")))
        {
            return;
        }
        let state = match self.view.state(&whole) {
            PlannedPath::Exists | PlannedPath::Planned => GroundingState::Verified,
            _ if is_generated(&whole) => GroundingState::Uncheckable,
            PlannedPath::PlannedElsewhere(by) => {
                GroundingState::Missing { hint: self.later_hint(by) }
            }
            PlannedPath::Deleted(by) => {
                let by = &self.view.tree.task_id(by);
                GroundingState::Missing { hint: format!("{by}, which comes before, deletes it") }
            }
            PlannedPath::Absent if self.made_unknown => GroundingState::Uncheckable,
            PlannedPath::Absent => GroundingState::Missing { hint: self.absent_hint(&whole) },
        };
        self.add(ReferenceKind::Path, &whole, state);
    }

    fn later_hint(&self, by: afresh_core::plan::TaskIndex) -> String {
        let by = self.view.tree.task_id(by);
        format!("{by} creates it: add {by:?} to `needs`, or check something that exists by then")
    }

    fn absent_hint(&self, path: &str) -> String {
        match self.view.tree.nearest(path) {
            Some(near) => {
                format!("did you mean {near:?}? Or list it in `files` of the task that creates it")
            }
            None => {
                "list it in `files` of the task that creates it, or correct the path".to_owned()
            }
        }
    }

    fn directory(&mut self, command: &CheckCommand) {
        let Some(to) =
            command.words.get(1).filter(|to| !to.starts_with(['/', '~', '-']) && !to.contains('$'))
        else {
            return;
        };
        let Some(whole) = command.whole_path(to) else { return };
        if !whole.is_empty() {
            self.file(command, to);
        }
    }

    /// A program of the repository, by its path.
    fn script(&mut self, command: &CheckCommand, first: &str) {
        let Some(whole) = command.whole_path(first) else {
            return self.add(ReferenceKind::Program, first, GroundingState::Uncheckable);
        };
        // Programs of compiled and installed packages are no files of the repository.
        if is_generated(&whole)
            || whole.contains("node_modules/")
            || self.made_unknown && !self.view.has(&whole)
        {
            return self.add(ReferenceKind::Program, &whole, GroundingState::Uncheckable);
        }
        self.file(command, first);
    }
}

/// A path in a directory, from the root; none if it leaves the root.
fn join(directory: &str, path: &str) -> Option<String> {
    let mut parts: Vec<&str> = directory.split('/').filter(|part| !part.is_empty()).collect();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()?),
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}
