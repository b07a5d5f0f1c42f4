//! What a command that failed needs and did not find: a program, a file, a script, a target, a module.

use std::path::Path;

use afresh_core::printable::without_colors;
use serde::Serialize;

/// Something that a command names and that does not exist.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct MissingThing {
    pub kind: MissingKind,
    /// As the program that looked for it writes it.
    pub name: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum MissingKind {
    /// A program that the shell, cargo or npm should start.
    Program,
    /// A file or a directory.
    File,
    /// A script of package.json.
    Script,
    /// A target of make or cargo, or a package.
    Target,
    /// A module of Python or JavaScript.
    Module,
    /// A file that a tool needs in order to know what to do.
    Configuration,
}

impl MissingThing {
    fn new(kind: MissingKind, name: &str) -> Self {
        Self { kind, name: name.trim().to_owned() }
    }

    pub fn describe(&self) -> String {
        let name = &self.name;
        match self.kind {
            MissingKind::Program => format!("the program `{name}` does not exist"),
            MissingKind::File => format!("`{name}` does not exist"),
            MissingKind::Script => format!("package.json has no script `{name}`"),
            MissingKind::Target => format!("there is no target or package `{name}`"),
            MissingKind::Module => format!("the module `{name}` does not exist"),
            MissingKind::Configuration => format!("there is no `{name}`"),
        }
    }
}

/// A line of a program that says what is missing: the name is between two texts.
struct MissingPattern {
    kind: MissingKind,
    before: &'static str,
    after: &'static str,
}

const fn pattern(kind: MissingKind, before: &'static str, after: &'static str) -> MissingPattern {
    MissingPattern { kind, before, after }
}

/// What follows may be on several lines or in a program's own words; these parts have been the same for years.
const PATTERNS: &[MissingPattern] = &[
    // pytest
    pattern(MissingKind::File, "ERROR: file or directory not found: ", ""),
    pattern(MissingKind::File, "ERROR: not found: ", ""),
    // Python
    pattern(MissingKind::File, ": can't open file '", "'"),
    pattern(MissingKind::Module, "ModuleNotFoundError: No module named '", "'"),
    pattern(MissingKind::Module, ": No module named ", ""),
    pattern(MissingKind::File, "Start directory is not importable: '", "'"),
    // node
    pattern(MissingKind::Module, "Error: Cannot find module '", "'"),
    pattern(MissingKind::File, "Could not find '", "'"),
    // npm, pnpm, yarn
    pattern(MissingKind::Script, "Missing script: \"", "\""),
    pattern(MissingKind::Script, "ERR_PNPM_NO_SCRIPT  Missing script: ", ""),
    pattern(MissingKind::Script, "error Command \"", "\" not found"),
    // cargo
    pattern(MissingKind::Target, "error: no test target named `", "`"),
    pattern(MissingKind::Target, "error: no bin target named `", "`"),
    pattern(MissingKind::Target, "error: no example target named `", "`"),
    pattern(MissingKind::Target, "error: no bench target named `", "`"),
    pattern(MissingKind::Target, "error: package ID specification `", "` did not match"),
    pattern(MissingKind::Program, "error: no such command: `", "`"),
    pattern(MissingKind::Configuration, "error: could not find `", "` in `"),
    // go
    pattern(MissingKind::File, "stat ", ": directory not found"),
    // make
    pattern(MissingKind::Target, "*** No rule to make target '", "'"),
    // tsc, eslint
    pattern(MissingKind::File, "error TS6053: File '", "' not found"),
    pattern(MissingKind::File, "error TS5058: The specified path does not exist: '", "'"),
    pattern(MissingKind::File, "No files matching the pattern \"", "\" were found"),
];

/// Lines that name no file, with the one that is meant.
const CONFIGURATIONS: &[(&str, &str)] = &[
    ("ESLint couldn't find an eslint.config.", "eslint.config.js"),
    ("ESLint couldn't find a configuration file", "eslint.config.js"),
    ("go: go.mod file not found", "go.mod"),
    ("directory prefix . does not contain main module", "go.mod"),
    ("go: cannot find main module", "go.mod"),
];

/// The first thing that a failed command did not find; none if it found everything, or passed.
pub fn find_missing(exit_code: i32, output: &str) -> Option<MissingThing> {
    if exit_code == 0 {
        return None;
    }
    let plain = without_colors(output);
    let mut lines = plain.lines().peekable();
    while let Some(line) = lines.next() {
        let found = find_by_pattern(line)
            .or_else(|| find_configuration(line))
            .or_else(|| find_by_shell(exit_code, line))
            .or_else(|| find_by_ruff(line, lines.peek().copied()))
            .or_else(|| find_no_such_file(line));
        if found.is_some() {
            return found;
        }
    }
    is_help_of_tsc(&plain).then(|| MissingThing::new(MissingKind::Configuration, "tsconfig.json"))
}

fn find_by_pattern(line: &str) -> Option<MissingThing> {
    PATTERNS.iter().find_map(|pattern| {
        let (_, rest) = line.split_once(pattern.before)?;
        let name = match pattern.after {
            "" => rest,
            after => rest.split_once(after)?.0,
        };
        (!name.trim().is_empty()).then(|| MissingThing::new(pattern.kind, name))
    })
}

fn find_configuration(line: &str) -> Option<MissingThing> {
    let (_, name) = CONFIGURATIONS.iter().find(|(text, _)| line.contains(text))?;
    Some(MissingThing::new(MissingKind::Configuration, name))
}

/// `sh: 1: nothere: not found`, `bash: line 1: nothere: command not found`, `sh: 1: ./x: Permission denied`.
fn find_by_shell(exit_code: i32, line: &str) -> Option<MissingThing> {
    let endings: &[&str] = match exit_code {
        127 => &[": command not found", ": not found", ": No such file or directory"],
        126 => &[": Permission denied"],
        _ => return None,
    };
    let before = endings.iter().find_map(|ending| line.strip_suffix(ending))?;
    let name = before.rsplit(": ").next()?;
    // `npm run x` and `make` hand on the code of their own shell, which names the program too.
    let kind = if name.contains('/') { MissingKind::File } else { MissingKind::Program };
    Some(MissingThing::new(kind, name))
}

/// `grep: src/a.py: No such file or directory`: program, then file.
fn find_no_such_file(line: &str) -> Option<MissingThing> {
    let before = line.strip_suffix(": No such file or directory")?;
    let (program, name) = before.rsplit_once(": ")?;
    // Anything longer is a sentence of a test, or a trace.
    let is_program = program.split(": ").next().is_some_and(|word| !word.contains(' '));
    let name = name.trim_matches(['\'', '"', '‘', '’']);
    let name = name.strip_prefix("cannot access '").unwrap_or(name);
    (is_program && !name.is_empty()).then(|| MissingThing::new(MissingKind::File, name))
}

/// `E902 No such file or directory (os error 2)`, then `--> nothere.py:1:1`.
fn find_by_ruff(line: &str, next: Option<&str>) -> Option<MissingThing> {
    if !line.starts_with("E902 No such file or directory") {
        return None;
    }
    let place = next?.trim_start().strip_prefix("--> ")?;
    let name = place.split(':').next()?;
    Some(MissingThing::new(MissingKind::File, name))
}

/// Without a configuration and without files, tsc explains itself.
fn is_help_of_tsc(output: &str) -> bool {
    output.contains("tsc: The TypeScript Compiler") && output.contains("COMMON COMMANDS")
}

impl MissingThing {
    /// Whether a file of this path is what was missing; modules are looked for under the names of their files.
    pub fn may_be(&self, path: &str) -> bool {
        let path = Path::new(path);
        match self.kind {
            MissingKind::File | MissingKind::Configuration => {
                // Programs print absolute paths too; a test within a file needs the file.
                let file = self.name.split("::").next().unwrap_or(&self.name);
                Path::new(file.trim_start_matches("./")).ends_with(path)
            }
            MissingKind::Module => self.is_module(path),
            MissingKind::Program | MissingKind::Target => {
                path.file_stem().is_some_and(|stem| *stem == *self.name)
            }
            MissingKind::Script => path.ends_with("package.json"),
        }
    }

    /// `app.greet` is `app/greet.py` or `app/greet/__init__.py`, in any directory; `./greet` is `greet.js`.
    fn is_module(&self, path: &Path) -> bool {
        let is_python = path.extension().is_some_and(|ending| ending == "py");
        let name = if is_python { self.name.replace('.', "/") } else { self.name.clone() };
        let name = name.trim_start_matches("./").trim_start_matches("../");
        let whole = path.with_extension("");
        let whole = if whole.ends_with("__init__") || whole.ends_with("index") {
            whole.parent().unwrap_or(&whole).to_owned()
        } else {
            whole
        };
        whole.ends_with(name) || Path::new(name).with_extension("").ends_with(&whole)
    }
}
