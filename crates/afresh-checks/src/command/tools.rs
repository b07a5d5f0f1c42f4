//! The tools by the words that start them.

use afresh_core::plan::shell::SimpleCommand;

use super::launchers::words_before_program;
use crate::runners::TestRunner;

/// What a command starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum InvokedTool {
    Cargo,
    CargoTest,
    Nextest,
    Pytest,
    Unittest,
    Python,
    Node,
    NodeTest,
    Mocha,
    Jest,
    Vitest,
    Go,
    GoTest,
    Npm,
    Make,
    Maven,
    Ruff,
    Eslint,
    Tsc,
    Git,
    /// A program that runs no tests, such as `grep`.
    Plain,
    /// A script or a program of which we know nothing.
    Opaque,
}

impl InvokedTool {
    /// Whether it may start any other tool.
    pub(super) fn is_opaque(self) -> bool {
        matches!(self, Self::Opaque | Self::Npm | Self::Make | Self::Python | Self::Node)
    }

    pub(crate) fn runner(self) -> Option<TestRunner> {
        match self {
            Self::CargoTest => Some(TestRunner::Cargo),
            Self::Nextest => Some(TestRunner::Nextest),
            Self::Pytest => Some(TestRunner::Pytest),
            Self::Unittest => Some(TestRunner::Unittest),
            Self::NodeTest => Some(TestRunner::Node),
            Self::Mocha => Some(TestRunner::Mocha),
            Self::Jest => Some(TestRunner::Jest),
            Self::Vitest => Some(TestRunner::Vitest),
            Self::GoTest => Some(TestRunner::Go),
            Self::Maven => Some(TestRunner::Maven),
            _ => None,
        }
    }
}

/// One tool with its arguments.
#[derive(Debug, Clone)]
pub(crate) struct CalledTool {
    pub(crate) tool: InvokedTool,
    /// As it is written, with its directory.
    pub(crate) program: String,
    /// The program and its arguments, without what launches it.
    pub(crate) words: Vec<String>,
    /// How many of the words say which tool it is.
    own_words: usize,
    pub(crate) assignments: Vec<(String, String)>,
    /// Files that it writes by redirection.
    pub(crate) outputs: Vec<String>,
    /// Where it runs, relative to where the line starts; none if only the shell knows.
    pub(crate) directory: Option<String>,
}

impl CalledTool {
    pub(super) fn new(command: SimpleCommand) -> Self {
        let SimpleCommand { mut words, mut assignments, outputs, directory, .. } = command;
        while let Some(before) = words_before_program(&words) {
            let assigned = words[..before].iter().filter_map(|word| word.split_once('='));
            let assigned = assigned.map(|(name, value)| (name.to_owned(), value.to_owned()));
            assignments.extend(assigned.collect::<Vec<_>>());
            words.drain(..before);
        }
        let (tool, own_words) = recognise(&words);
        let program = words.first().cloned().unwrap_or_default();
        Self { tool, program, words, own_words, assignments, outputs, directory }
    }

    /// What follows the words that start the tool.
    pub(crate) fn arguments(&self) -> &[String] {
        &self.words[self.own_words.min(self.words.len())..]
    }
}

/// The tool, and how many words say so.
fn recognise(words: &[String]) -> (InvokedTool, usize) {
    let program = words.first().map(String::as_str).unwrap_or_default();
    let name = program.rsplit('/').next().unwrap_or(program);
    match name {
        "pytest" | "py.test" => (InvokedTool::Pytest, 1),
        "jest" => (InvokedTool::Jest, 1),
        "vitest" => (InvokedTool::Vitest, 1),
        "mocha" | "_mocha" => (InvokedTool::Mocha, 1),
        "ruff" => (InvokedTool::Ruff, 1),
        "eslint" => (InvokedTool::Eslint, 1),
        "tsc" => (InvokedTool::Tsc, 1),
        "git" => (InvokedTool::Git, 1),
        "make" | "gmake" => (InvokedTool::Make, 1),
        "mvn" | "mvnw" => (InvokedTool::Maven, 1),
        "npm" | "pnpm" | "yarn" => (InvokedTool::Npm, 1),
        "cargo" => recognise_cargo(words),
        "cargo-nextest" => (InvokedTool::Nextest, 1),
        "go" => recognise_go(words),
        "node" | "nodejs" => recognise_node(words),
        "coverage" | "pypy" | "pypy3" => {
            recognise_module(words).unwrap_or((InvokedTool::Python, 1))
        }
        _ if is_python(name) => recognise_module(words).unwrap_or((InvokedTool::Python, 1)),
        _ if program.contains('$') => (InvokedTool::Opaque, 1),
        // `./test` is a program of the project.
        _ if PLAIN.contains(&name) && (name == program || program.starts_with('/')) => {
            (InvokedTool::Plain, 1)
        }
        _ => (InvokedTool::Opaque, 1),
    }
}

/// `python`, `python3`, `python3.12`.
pub(crate) fn is_python(name: &str) -> bool {
    let version = name.strip_prefix("python");
    version.is_some_and(|version| version.chars().all(|c| c.is_ascii_digit() || c == '.'))
}

/// `python -m pytest`, `coverage run -m unittest`.
fn recognise_module(words: &[String]) -> Option<(InvokedTool, usize)> {
    let at = words.iter().position(|word| word == "-m")?;
    // What follows a script or a command belongs to it.
    let mut before = words[1..at].iter().peekable();
    while let Some(word) = before.next() {
        match word.as_str() {
            "-W" | "-X" | "--source" | "--rcfile" | "--omit" | "--include" => drop(before.next()),
            "-c" => return None,
            "run" if words[0].ends_with("coverage") => {}
            word if word.starts_with('-') => {}
            _ => return None,
        }
    }
    let tool = match words.get(at + 1)?.as_str() {
        "pytest" => InvokedTool::Pytest,
        "unittest" => InvokedTool::Unittest,
        "ruff" => InvokedTool::Ruff,
        _ => return None,
    };
    Some((tool, at + 2))
}

fn recognise_cargo(words: &[String]) -> (InvokedTool, usize) {
    let valued = ["-C", "-Z", "--config", "--color", "--manifest-path"];
    let at = first_positional(words, &valued);
    let own = at + 1;
    match words.get(at).map(String::as_str) {
        Some("test" | "t") => (InvokedTool::CargoTest, own),
        Some("nextest") => (InvokedTool::Nextest, own),
        Some("llvm-cov" | "tarpaulin") => match words.get(at + 1).map(String::as_str) {
            Some("nextest") => (InvokedTool::Nextest, own + 1),
            _ => (InvokedTool::CargoTest, own),
        },
        Some("xtask" | "make" | "run" | "r" | "hack") => (InvokedTool::Opaque, own),
        _ => (InvokedTool::Cargo, own),
    }
}

fn recognise_go(words: &[String]) -> (InvokedTool, usize) {
    let at = first_positional(words, &["-C"]);
    match words.get(at).map(String::as_str) {
        Some("test") => (InvokedTool::GoTest, at + 1),
        _ => (InvokedTool::Go, at + 1),
    }
}

fn recognise_node(words: &[String]) -> (InvokedTool, usize) {
    let valued =
        ["--import", "--require", "-r", "--loader", "--test-reporter", "--conditions", "-C"];
    let at = first_positional(words, &valued);
    if words[..at].iter().any(|word| word == "--test") {
        return (InvokedTool::NodeTest, 1);
    }
    // `node node_modules/.bin/jest`, `node ./node_modules/jest/bin/jest.js`
    let script = words.get(at).map(String::as_str).unwrap_or_default();
    let stem = script.rsplit('/').next().unwrap_or(script);
    let stem = stem.trim_end_matches(".js").trim_end_matches(".mjs");
    let tool = match stem {
        "jest" => InvokedTool::Jest,
        "vitest" => InvokedTool::Vitest,
        "mocha" | "_mocha" => InvokedTool::Mocha,
        "eslint" => InvokedTool::Eslint,
        "tsc" => InvokedTool::Tsc,
        _ => return (InvokedTool::Node, 1),
    };
    if script.contains("node_modules") { (tool, at + 1) } else { (InvokedTool::Node, 1) }
}

/// The position of the first word after the program that is no option, nor the value of one, nor `+toolchain`.
fn first_positional(words: &[String], valued: &[&str]) -> usize {
    let mut at = 1;
    while let Some(word) = words.get(at).filter(|word| word.starts_with(['-', '+'])) {
        at += 1 + usize::from(valued.contains(&word.as_str()));
    }
    at.min(words.len())
}

/// Programs that run nothing else, and whose messages have the common shape.
pub(crate) const PLAIN: &[&str] = &[
    "[",
    "[[",
    "awk",
    "basename",
    "bc",
    "cat",
    "cd",
    "chmod",
    "cmp",
    "comm",
    "command",
    "hash",
    "cp",
    "cut",
    "date",
    "diff",
    "dirname",
    "du",
    "echo",
    "egrep",
    "exit",
    "export",
    "expr",
    "false",
    "fgrep",
    "file",
    "find",
    "fd",
    "for",
    "gawk",
    "grep",
    "gunzip",
    "gzip",
    "head",
    "jq",
    "ln",
    "ls",
    "mawk",
    "md5sum",
    "mkdir",
    "mktemp",
    "mv",
    "nl",
    "od",
    "popd",
    "printf",
    "pushd",
    "pwd",
    "read",
    "readlink",
    "realpath",
    "return",
    "rg",
    "rm",
    "rmdir",
    "sed",
    "seq",
    "set",
    "sha1sum",
    "sha256sum",
    "shellcheck",
    "sleep",
    "sort",
    "stat",
    "tac",
    "tail",
    "tar",
    "tee",
    "test",
    "touch",
    "tr",
    "true",
    "type",
    "umask",
    "uniq",
    "unset",
    "unzip",
    "wait",
    "wc",
    "which",
    "xmllint",
    "yamllint",
    "yes",
    "yq",
    "zip",
    ":",
];
