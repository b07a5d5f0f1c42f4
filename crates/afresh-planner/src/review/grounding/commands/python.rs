//! Modules of Python, and tests of pytest and unittest.

use super::super::symbols::is_telling;
use super::super::tree::{PlannedPath, is_generated};
use super::super::{GroundingState, ReferenceKind};
use super::arguments::{is_plain_path, positionals, values};
use super::{CheckCommand, CheckReader, join};
use crate::words::has_words;

/// Directories in which the modules of a project are.
const ROOTS: &[&str] = &["", "src", "lib", "python"];

/// Options of pytest whose value is the next word.
const PYTEST_VALUED: &[&str] = &[
    "-k",
    "-m",
    "-n",
    "-p",
    "-c",
    "-o",
    "-W",
    "--maxfail",
    "--tb",
    "--cov",
    "--cov-report",
    "--junitxml",
    "--durations",
    "--rootdir",
    "--deselect",
    "--timeout",
    "-r",
    "--log-level",
    "--cov-fail-under",
    "--ignore",
];

impl CheckReader<'_, '_, '_> {
    pub(super) fn python(&mut self, command: &CheckCommand) {
        let words = &command.words;
        let mut at = 1;
        while let Some(word) = words.get(at) {
            match word.as_str() {
                "-m" => {
                    let Some(module) = words.get(at + 1) else { return };
                    return self.python_module(command, module, at + 2);
                }
                "-c" => {
                    let Some(code) = words.get(at + 1) else { return };
                    return self.python_code(command, code);
                }
                "-W" | "-X" => at += 2,
                word if word.starts_with('-') => at += 1,
                word => {
                    if is_plain_path(word) {
                        self.file(command, word);
                    }
                    return;
                }
            }
        }
    }

    fn python_module(&mut self, command: &CheckCommand, module: &str, after: usize) {
        match module {
            "pytest" => self.pytest(command, after),
            "unittest" => self.unittest(command, after),
            "py_compile" | "compileall" | "json.tool" | "mypy" | "ruff" | "flake8" | "black"
            | "pylint" | "doctest" | "tabnanny" | "ast" => {
                for word in positionals(
                    &command.words[after..],
                    &["--select", "--ignore", "-n", "--config"],
                ) {
                    if is_plain_path(word) {
                        self.file(command, word);
                    }
                }
            }
            "coverage" => {
                let rest = &command.words[after..];
                let inner = rest.iter().position(|word| word == "-m").map(|at| after + at);
                if let Some((at, inner)) =
                    inner.and_then(|at| command.words.get(at + 1).map(|module| (at, module)))
                {
                    self.python_module(command, inner, at + 2);
                }
            }
            _ => self.module(command, module),
        }
    }

    /// A dotted name that has to be a module.
    fn module(&mut self, command: &CheckCommand, module: &str) {
        let state = self.module_state(command, module, ModuleDepth::Whole);
        self.add(ReferenceKind::Module, module, state);
    }

    fn unittest(&mut self, command: &CheckCommand, after: usize) {
        let words = &command.words[after..];
        if words.first().is_some_and(|word| word == "discover") {
            for directory in values(words, &["-s", "--start-directory", "-t"]) {
                self.argument_directory(command, directory);
            }
            for directory in positionals(
                &words[1..],
                &["-s", "-p", "-t", "--pattern", "-k", "--start-directory"],
            )
            .into_iter()
            .take(1)
            {
                self.argument_directory(command, directory);
            }
            return;
        }
        for word in positionals(words, &["-k"]) {
            if is_plain_path(word) {
                self.file(command, word);
            } else {
                let state = self.module_state(command, word, ModuleDepth::Prefix);
                self.add(ReferenceKind::Module, word, state);
            }
        }
    }

    fn argument_directory(&mut self, command: &CheckCommand, directory: &str) {
        if !matches!(directory, "." | "./") && !directory.contains(['$', '*']) {
            self.file(command, directory);
        }
    }

    pub(super) fn pytest(&mut self, command: &CheckCommand, after: usize) {
        for word in positionals(&command.words[after.min(command.words.len())..], PYTEST_VALUED) {
            let mut parts = word.split("::");
            let path = parts.next().unwrap_or(word);
            self.argument(command, path);
            if !path.contains('/')
                && !is_plain_path(path)
                && path != "."
                && !path.contains(['*', '$'])
            {
                self.file(command, path);
            }
            let names: Vec<&str> = parts.collect();
            let Some(whole) = command.whole_path(path).filter(|_| !names.is_empty()) else {
                continue;
            };
            let text =
                self.view.text(&whole).filter(|_| self.view.state(&whole) == PlannedPath::Exists);
            let text = text.filter(|text| is_telling(text) && !self.view.may_change(&whole));
            let Some(text) = text else { continue };
            for name in names.iter().map(|name| name.split('[').next().unwrap_or(name)) {
                let state = if has_words(&text, name) {
                    GroundingState::Verified
                } else {
                    GroundingState::Missing {
                        hint: format!("{whole} has no such test, and no task before changes it"),
                    }
                };
                self.add(ReferenceKind::Symbol, name, state);
            }
        }
    }

    /// `import a.b` and `from a.b import c`.
    fn python_code(&mut self, command: &CheckCommand, code: &str) {
        for part in code.split([';', '\n']).map(str::trim) {
            let module = part.strip_prefix("from ").or_else(|| part.strip_prefix("import "));
            let Some(module) = module.and_then(|rest| rest.split([' ', ',']).next()) else {
                continue;
            };
            if !module.starts_with('.') && !module.is_empty() {
                let state = self.module_state(command, module, ModuleDepth::Whole);
                self.add(ReferenceKind::Module, module, state);
            }
        }
    }

    fn module_state(
        &self,
        command: &CheckCommand,
        module: &str,
        depth: ModuleDepth,
    ) -> GroundingState {
        let Some(here) = &command.directory else { return GroundingState::Uncheckable };
        let parts: Vec<&str> = module.split('.').collect();
        let plain =
            |part: &&str| !part.is_empty() && part.chars().all(|c| c.is_alphanumeric() || c == '_');
        if !parts.iter().all(plain) {
            return GroundingState::Uncheckable;
        }
        let mut roots: Vec<String> = ROOTS.iter().filter_map(|root| join(here, root)).collect();
        if !here.is_empty() {
            roots.push(String::new());
        }
        let place =
            |root: &String, parts: &[&str]| join(root, &parts.join("/")).unwrap_or_default();
        let is_module = |path: &str| {
            ["", ".py", ".pyi"].iter().any(|end| self.view.has(&format!("{path}{end}")))
                && !is_generated(path)
        };
        let Some(root) = roots.iter().find(|root| is_module(&place(root, &parts[..1]))) else {
            // A module of the system, of a package, or nothing: only the machine knows.
            return GroundingState::Uncheckable;
        };
        for length in 1..=parts.len() {
            let path = place(root, &parts[..length]);
            if is_module(&path) {
                // What follows a file is a class or a function.
                if depth == ModuleDepth::Prefix && self.view.has(&format!("{path}.py")) {
                    return GroundingState::Verified;
                }
                continue;
            }
            let is_attribute = depth == ModuleDepth::Whole
                && length > 1
                && self.view.has(&format!("{}.py", place(root, &parts[..length - 1])));
            if is_attribute {
                return GroundingState::Uncheckable;
            }
            let file = format!("{path}.py");
            let hint = match self.view.state(&file) {
                PlannedPath::PlannedElsewhere(by) => self.later_hint(by),
                _ => self.absent_hint(&file),
            };
            return GroundingState::Missing { hint };
        }
        GroundingState::Verified
    }
}

/// How much of a dotted name has to be modules.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ModuleDepth {
    Whole,
    /// The rest may be a class and a test.
    Prefix,
}
