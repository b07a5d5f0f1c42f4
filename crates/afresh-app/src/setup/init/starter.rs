//! A plan or a specification to start from: what `afresh new` writes (BE-01).
//!
//! Both are complete: `afresh lint` and `afresh audit` find nothing wrong with them, and the plan can be run.

use std::fs::OpenOptions;
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};

use afresh_formats::project::{self, CheckKind};

use super::files;
use crate::error::AppError;

/// What is to be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StarterKind {
    Plan,
    Specification,
}

impl StarterKind {
    pub fn word(self) -> &'static str {
        match self {
            Self::Plan => "plan",
            Self::Specification => "specification",
        }
    }

    fn ending(self) -> &'static str {
        match self {
            Self::Plan => ".plan.toml",
            Self::Specification => ".md",
        }
    }

    fn default_name(self) -> &'static str {
        match self {
            Self::Plan => "work.plan.toml",
            Self::Specification => "spec.md",
        }
    }
}

/// A file to start from.
#[derive(Debug, PartialEq, Eq)]
pub struct StarterFile {
    pub path: PathBuf,
    /// As the user would name it.
    pub shown: String,
    pub text: String,
}

impl StarterFile {
    /// For the repository at `root`; `given` is relative to `directory`.
    pub fn new(
        kind: StarterKind,
        directory: &Path,
        root: &Path,
        given: Option<&Path>,
    ) -> Result<Self, AppError> {
        let given = given.unwrap_or(Path::new(kind.default_name()));
        let shown = given.display().to_string();
        let file = given.file_name().unwrap_or_default().to_string_lossy();
        let Some(name) = file.strip_suffix(kind.ending()).filter(|name| !name.is_empty()) else {
            let message = format!("{shown} is no name for a {}", kind.word());
            let hint = format!("a {} is a file such as {}", kind.word(), kind.default_name());
            return Err(AppError::usage("name", message).hint(hint));
        };
        let test = find_test_command(root);
        let text = match kind {
            StarterKind::Plan => plan_text(name, &shown, &free_name(root), test.as_deref()),
            StarterKind::Specification => spec_text(name, test.as_deref()),
        };
        Ok(Self { path: directory.join(given), shown, text })
    }

    /// Writes it; a file that exists stays as it is.
    pub fn write(&self) -> Result<(), AppError> {
        let mut file = match OpenOptions::new().write(true).create_new(true).open(&self.path) {
            Ok(file) => file,
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {
                let message = format!("{} exists, and stays as it is", self.shown);
                return Err(AppError::usage("exists", message).hint("name another file"));
            }
            Err(error) => return Err(self.not_written(&error)),
        };
        file.write_all(self.text.as_bytes()).map_err(|error| self.not_written(&error))
    }

    fn not_written(&self, error: &std::io::Error) -> AppError {
        let failure = AppError::usage("write", format!("cannot write {}", self.shown));
        failure.cause(error.to_string()).hint("name a file in a directory that exists")
    }
}

/// The command that tests the repository, if its files tell.
fn find_test_command(root: &Path) -> Option<String> {
    let stacks = project::discover(&files::list(root));
    let mut checks = stacks.into_iter().flat_map(|stack| stack.checks);
    checks.find(|check| check.kind == CheckKind::Test).map(|check| check.command)
}

/// The name of an example file that the repository does not have.
fn free_name(root: &Path) -> String {
    let names = (1..).map(|number| match number {
        1 => "greeting.txt".to_owned(),
        more => format!("greeting-{more}.txt"),
    });
    let mut free = names.filter(|name| !root.join(name).exists());
    free.next().unwrap_or_else(|| "greeting.txt".to_owned())
}

fn plan_text(name: &str, shown: &str, file: &str, test: Option<&str>) -> String {
    let guard = match test {
        Some(test) => format!(
            "  # A guard passes before the work and after it.\n  {{ run = {test:?}, guard = true }},\n"
        ),
        None => String::new(),
    };
    PLAN.replace("{name}", &format!("{name:?}"))
        .replace("{plan}", shown)
        .replace("{file}", file)
        .replace("{guard}", &guard)
}

fn spec_text(name: &str, test: Option<&str>) -> String {
    let criterion = test.map(|test| format!("- `{test}` passes.\n")).unwrap_or_default();
    SPEC.replace("{name}", name).replace("{criterion}", &criterion)
}

const PLAN: &str = include_str!("starter.plan.toml");
const SPEC: &str = include_str!("starter.spec.md");

#[cfg(test)]
mod tests {
    use super::*;

    fn make(kind: StarterKind, given: Option<&str>) -> Result<StarterFile, AppError> {
        let directory = tempfile::tempdir().expect("a directory");
        StarterFile::new(kind, directory.path(), directory.path(), given.map(Path::new))
    }

    #[test]
    fn a_name_says_what_the_file_is() {
        let plan = make(StarterKind::Plan, None).expect("a plan");
        assert_eq!(plan.shown, "work.plan.toml");
        assert!(plan.text.contains("name = \"work\""), "{}", plan.text);
        assert!(make(StarterKind::Plan, Some("work.md")).is_err());
        assert!(make(StarterKind::Plan, Some(".plan.toml")).is_err());
        assert!(make(StarterKind::Specification, Some("docs/x.md")).is_ok());
    }

    #[test]
    fn no_placeholder_is_left() {
        for kind in [StarterKind::Plan, StarterKind::Specification] {
            let text = make(kind, None).expect("a file").text;
            assert!(!text.contains("{name}") && !text.contains("{guard}"), "{text}");
            assert!(!text.contains("{file}") && !text.contains("{criterion}"), "{text}");
        }
    }
}
