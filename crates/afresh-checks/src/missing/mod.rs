//! What a command that failed needs and did not find: a program, a file, a script, a target, a module.
//!
//! Lines are known by the exact shape that a tool prints. They count if the command starts that tool; of commands
//! whose parts are not known only the end of the output is read.
//!
//! | module | whose lines |
//! | --- | --- |
//! | `lines` | the lines of a failed command that can be a tool's own |
//! | `shell` | the shell, and common programs such as `grep` |
//! | `python` | Python, pytest, unittest, ruff |
//! | `javascript` | node, npm, jest, vitest, mocha, eslint, tsc |
//! | `rust` | cargo, rustc |
//! | `go` | go |
//! | `java` | Maven, javac |
//! | `make` | make |

mod go;
mod java;
mod javascript;
pub(crate) mod lines;
mod make;
mod python;
mod rust;
mod shell;
pub(crate) use shell::shell_message;

use serde::Serialize;

use crate::command::ReadCommand;
use lines::FailedOutput;

/// How many missing things of one output are looked at.
const MAX_THINGS: usize = 12;

/// Something that a command names and that does not exist.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct MissingThing {
    pub kind: MissingKind,
    /// As the program that looked for it writes it.
    pub name: String,
    /// Who needs it.
    pub needed_by: NeededBy,
    /// The file that names it, if that is known.
    pub from: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum MissingKind {
    /// A program that the shell, cargo or npm should start.
    Program,
    /// A file or a directory.
    File,
    /// A file that exists and may not be executed.
    NotExecutable,
    /// A file that a tool needs in order to know what to do.
    Configuration,
    /// A script of package.json.
    Script,
    /// A package of an npm workspace.
    NpmWorkspace,
    MakeTarget,
    CargoTest,
    CargoBin,
    CargoExample,
    CargoBench,
    CargoPackage,
    CargoFeature,
    /// A test within a file that exists.
    Test,
    PythonModule,
    JavascriptModule,
    RustModule,
    GoPackage,
    /// A class or a package of Java.
    JavaClass,
    /// A module of a Maven project.
    MavenModule,
}

/// Who needs something that is missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum NeededBy {
    /// The check cannot run without it.
    Check,
    /// The check runs, and shows that the code is not complete.
    Code,
}

impl MissingThing {
    fn new(kind: MissingKind, name: &str) -> Self {
        let name = name.trim().to_owned();
        Self { kind, name, needed_by: NeededBy::Check, from: None }
    }

    fn by_code(kind: MissingKind, name: &str) -> Self {
        Self { needed_by: NeededBy::Code, ..Self::new(kind, name) }
    }

    fn named_in(self, file: &str) -> Self {
        Self { from: Some(file.trim().to_owned()), ..self }
    }

    /// One sentence without its end.
    pub fn describe(&self) -> String {
        let name = &self.name;
        match self.kind {
            MissingKind::Program => format!("the program `{name}` does not exist"),
            MissingKind::File | MissingKind::JavaClass => format!("`{name}` does not exist"),
            MissingKind::NotExecutable => format!("`{name}` is not executable"),
            MissingKind::Configuration => format!("there is no `{name}`"),
            MissingKind::Script => format!("package.json has no script `{name}`"),
            MissingKind::NpmWorkspace => format!("there is no workspace `{name}`"),
            MissingKind::MakeTarget => format!("there is no make target `{name}`"),
            MissingKind::CargoTest => format!("there is no test target `{name}`"),
            MissingKind::CargoBin => format!("there is no binary target `{name}`"),
            MissingKind::CargoExample => format!("there is no example `{name}`"),
            MissingKind::CargoBench => format!("there is no benchmark `{name}`"),
            MissingKind::CargoPackage => format!("there is no package `{name}`"),
            MissingKind::CargoFeature => format!("there is no feature `{name}`"),
            MissingKind::Test => format!("there is no test `{name}`"),
            MissingKind::PythonModule | MissingKind::JavascriptModule | MissingKind::RustModule => {
                format!("the module `{name}` does not exist")
            }
            MissingKind::GoPackage => format!("the package `{name}` does not exist"),
            MissingKind::MavenModule => format!("there is no module `{name}`"),
        }
    }
}

/// Everything that a failed command did not find, in the order in which it says so; nothing if it passed.
pub fn find_missing(command: &str, exit_code: i32, output: &str) -> Vec<MissingThing> {
    let command = ReadCommand::new(command);
    find_in(&FailedOutput::new(&command, exit_code, output))
}

/// What a failed command did not find, also if it does not say so.
pub(crate) fn find_in(failed: &FailedOutput<'_>) -> Vec<MissingThing> {
    if failed.code == 0 {
        return Vec::new();
    }
    let found = find_reported(failed);
    if found.is_empty() { shell::find_silently(failed) } else { found }
}

/// What the output says about missing things.
pub(crate) fn find_reported(failed: &FailedOutput<'_>) -> Vec<MissingThing> {
    let finders: [fn(&FailedOutput<'_>) -> Vec<MissingThing>; 7] = [
        python::find_missing,
        javascript::find_missing,
        rust::find_missing,
        go::find_missing,
        java::find_missing,
        make::find_missing,
        shell::find_missing,
    ];
    let mut found: Vec<MissingThing> = Vec::new();
    for missing in finders.iter().flat_map(|find| find(failed)) {
        if found.len() == MAX_THINGS {
            break;
        }
        let is_known =
            found.iter().any(|other| other.kind == missing.kind && other.name == missing.name);
        if !missing.name.is_empty() && !is_known {
            found.push(missing);
        }
    }
    found
}

/// The text between two others, if the line starts with the first one.
fn between<'a>(line: &'a str, before: &str, after: &str) -> Option<&'a str> {
    let rest = line.strip_prefix(before)?;
    if after.is_empty() { Some(rest) } else { rest.split_once(after).map(|(name, _)| name) }
}

/// A shape of a line: what is missing is between the two texts.
struct MissingShape {
    kind: MissingKind,
    before: &'static str,
    after: &'static str,
}

const fn shape(kind: MissingKind, before: &'static str, after: &'static str) -> MissingShape {
    MissingShape { kind, before, after }
}

/// What lines of one of these shapes say.
fn find_by_shape(line: &str, shapes: &[MissingShape]) -> Option<MissingThing> {
    shapes.iter().find_map(|shape| {
        let name = between(line, shape.before, shape.after)?;
        Some(MissingThing::new(shape.kind, name))
    })
}
