//! Paths as arguments.

use super::super::{GroundingState, ReferenceKind};
use super::arguments::{is_pattern, is_plain_path, positionals, values};
use super::{CheckCommand, CheckReader};

/// Programs that only read, and name what they read.
const READERS: &[&str] = &[
    "test",
    "[",
    "[[",
    "cat",
    "head",
    "tail",
    "grep",
    "egrep",
    "fgrep",
    "rg",
    "diff",
    "cmp",
    "wc",
    "ls",
    "stat",
    "file",
    "jq",
    "yq",
    "sort",
    "uniq",
    "cut",
    "sed",
    "awk",
    "md5sum",
    "sha256sum",
    "sha1sum",
    "xmllint",
    "yamllint",
    "cd",
    "true",
    "echo",
    "printf",
    "exit",
    "set",
    "export",
    "false",
    ":",
    "basename",
    "dirname",
    "pwd",
    "find",
    "sleep",
];

/// Interpreters, test runners and linters, which are given files.
const TAKERS: &[&str] = &[
    "node",
    "ruby",
    "php",
    "perl",
    "lua",
    "Rscript",
    "bash",
    "sh",
    "zsh",
    "tsx",
    "ts-node",
    "deno",
    "bats",
    "rspec",
    "phpunit",
    "pest",
    "mocha",
    "jest",
    "vitest",
    "ava",
    "elixir",
    "swift",
    "dotnet",
    "mix",
    "prove",
    "busted",
    "sqlite3",
    "psql",
    "mypy",
    "ruff",
    "eslint",
    "shellcheck",
    "tsc",
    "playwright",
    "black",
    "flake8",
    "prettier",
    "pylint",
    "pyright",
    "phpstan",
    "rubocop",
    "stylelint",
    "cypress",
    "behave",
    "cucumber",
    "hadolint",
    "markdownlint",
    "luac",
];

pub(super) fn takes_files(program: &str) -> bool {
    TAKERS.contains(&program)
}

pub(super) fn only_reads(program: &str) -> bool {
    READERS.contains(&program)
}

/// Options of readers and tools whose value is no file.
const VALUED: &[&str] = &[
    "-n",
    "-c",
    "-k",
    "-m",
    "-e",
    "-t",
    "-d",
    "-A",
    "-B",
    "-C",
    "--grep",
    "-g",
    "--filter",
    "-r",
    "--reporter",
    "--rulesets",
    "--testNamePattern",
    "--test-name-pattern",
    "--format",
    "-f",
    "-T",
    "--tests",
    "--project",
    "-b",
    "--browser",
    "--config",
    "--max-warnings",
    "--include",
    "--exclude",
    "--name",
    "-W",
    "--only",
    "--seed",
    "--timeout",
    "--select",
    "--ignore",
    "--test-reporter",
    "--import",
    "--require",
    "--ext",
    "--line-length",
    "--target-version",
    "-l",
    "-s",
];

impl CheckReader<'_, '_, '_> {
    /// The files that a reader such as `test` or `grep` is given.
    pub(super) fn read_files(&mut self, command: &CheckCommand) {
        let words = &command.words[1..];
        let program = command.program();
        match program {
            "test" | "[" | "[[" => {
                let is_operator = |word: &str| {
                    matches!(word, "-f" | "-e" | "-d" | "-s" | "-r" | "-x" | "-w" | "-h" | "-L")
                };
                let is_negated = words.first().is_some_and(|word| word == "!");
                for pair in
                    words.windows(2).filter(|pair| is_operator(&pair[0]) && !is_pattern(&pair[1]))
                {
                    if !is_negated && !pair[1].starts_with('/') {
                        self.file(command, &pair[1]);
                    }
                }
            }
            "grep" | "egrep" | "fgrep" | "rg" | "sed" | "awk" | "jq" | "yq" => {
                let gives_pattern = words
                    .iter()
                    .any(|word| matches!(word.as_str(), "-e" | "-f" | "--regexp" | "--file"));
                let skip = usize::from(!gives_pattern);
                let files = positionals(
                    words,
                    &["-e", "-f", "-A", "-B", "-C", "-m", "--include", "-g", "-t", "--arg"],
                );
                for file in files.into_iter().skip(skip).filter(|word| is_plain_path(word)) {
                    self.file(command, file);
                }
            }
            "echo" | "printf" | "find" | "exit" | "set" | "export" | "sleep" | "true" | "false"
            | ":" => {}
            _ => {
                for file in positionals(words, &["-n", "-c", "-d", "-k", "-f", "-t"])
                    .into_iter()
                    .filter(|word| is_plain_path(word))
                {
                    self.file(command, file);
                }
            }
        }
    }

    /// The paths that a test runner, a linter or an interpreter is given.
    pub(super) fn tool_files(&mut self, command: &CheckCommand) {
        for word in positionals(&command.words[1..], VALUED) {
            self.argument(command, word);
        }
        for file in values(&command.words, &["-p", "--project", "--config", "-c"]) {
            if is_plain_path(file) {
                self.file(command, file);
            }
        }
    }

    /// A path, a pattern of paths, or anything else.
    pub(super) fn argument(&mut self, command: &CheckCommand, word: &str) {
        let path = word.split("::").next().unwrap_or(word).split('#').next().unwrap_or(word);
        // `spec/a_spec.rb:12`
        let path = path
            .rsplit_once(':')
            .filter(|(_, line)| line.bytes().all(|b| b.is_ascii_digit()))
            .map_or(path, |(p, _)| p);
        if is_plain_path(path) {
            self.file(command, path);
            return;
        }
        if is_pattern(path) && path.contains('/') {
            let fixed = path.find(['*', '?', '$', '{', '[']).map_or(path, |at| &path[..at]);
            let directory = fixed.rsplit_once('/').map_or("", |(directory, _)| directory);
            let Some(whole) = command.whole_path(directory).filter(|whole| !whole.is_empty())
            else {
                return;
            };
            if self.view.has(&whole) {
                self.add(ReferenceKind::Path, path, GroundingState::Uncheckable);
            } else {
                self.file(command, directory);
            }
            return;
        }
        // Test runners also take the start of a path: `src/cart` for src/cart.test.ts.
        let is_start = self.view.tree.files().any(|known| known.starts_with(path))
            || self.view.planned().any(|known| known.starts_with(path));
        if path.contains('/') && is_start {
            return self.add(ReferenceKind::Path, path, GroundingState::Verified);
        }
        // `tests/unit`: a directory, if it has that look.
        let is_directory =
            path.contains('/') && path.chars().all(|c| c.is_alphanumeric() || "/_.-".contains(c));
        if is_directory
            && !path.starts_with(['/', '-', '@'])
            && !path.contains("..")
            && !path.contains("//")
        {
            self.file(command, path);
        }
    }
}
