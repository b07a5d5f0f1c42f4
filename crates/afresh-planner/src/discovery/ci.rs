//! Commands that CI runs: what the maintainers themselves hold to be a check.

use std::collections::BTreeSet;

use super::facts::SourcedCommand;
use super::{paths, shown};

/// The most commands that are kept.
const MAX_COMMANDS: usize = 16;
/// Programs that build, test and lint; others deploy, install or notify.
const PROGRAMS: &[&str] = &[
    "cargo",
    "npm",
    "pnpm",
    "yarn",
    "bun",
    "npx",
    "node",
    "deno",
    "pytest",
    "tox",
    "nox",
    "hatch",
    "uv",
    "poetry",
    "python",
    "python3",
    "pre-commit",
    "ruff",
    "mypy",
    "go",
    "golangci-lint",
    "make",
    "just",
    "gradle",
    "./gradlew",
    "mvn",
    "./mvnw",
    "dotnet",
    "bundle",
    "rake",
    "bin/rails",
    "composer",
    "vendor/bin/phpunit",
    "phpunit",
    "cmake",
    "ctest",
    "meson",
    "ninja",
    "bazel",
    "mix",
    "swift",
    "zig",
    "turbo",
    "nx",
    "task",
    "pdm",
    "black",
    "flake8",
];
/// Words that tell a check from another command.
const WORDS: &[&str] = &[
    "test",
    "tests",
    "check",
    "lint",
    "clippy",
    "fmt",
    "format",
    "vet",
    "build",
    "compile",
    "typecheck",
    "type-check",
    "tsc",
    "mypy",
    "pytest",
    "ruff",
    "tox",
    "nox",
    "verify",
    "rspec",
    "rubocop",
    "phpunit",
    "phpstan",
    "ctest",
    "eslint",
    "prettier",
    "black",
    "flake8",
    "pyright",
    "doc",
    "pre-commit",
    "nextest",
    "assemble",
    "golangci-lint",
];
/// Words of commands that change the world.
const OUTSIDE: &[&str] = &[
    "publish", "deploy", "push", "login", "install", "upload", "release", "docker", "curl", "add",
    "update", "sudo",
];

pub(super) fn is_ci_file(path: &str) -> bool {
    let is_yaml = path.strip_suffix(".yml").is_some() || path.strip_suffix(".yaml").is_some();
    match path {
        ".gitlab-ci.yml"
        | ".travis.yml"
        | ".circleci/config.yml"
        | "azure-pipelines.yml"
        | ".cirrus.yml"
        | "appveyor.yml"
        | ".appveyor.yml"
        | "bitbucket-pipelines.yml"
        | ".woodpecker.yml"
        | ".drone.yml"
        | ".buildkite/pipeline.yml" => true,
        _ => is_yaml && paths::parent(path) == ".github/workflows",
    }
}

/// The checks in CI files, each once; the first of every file, then the second, so that a long file hides no other.
pub(super) fn find_commands<'a>(
    files: impl Iterator<Item = (&'a str, &'a str)>,
) -> Vec<SourcedCommand> {
    let mut seen = BTreeSet::new();
    let mut ranked = Vec::new();
    for (path, text) in files {
        let commands = text.lines().filter_map(read_line).filter(|it| seen.insert(it.clone()));
        let source = shown::text(path);
        ranked.extend(commands.take(MAX_COMMANDS).enumerate().map(|(rank, command)| {
            (rank, SourcedCommand { command, source: source.clone(), probed: None })
        }));
    }
    ranked.sort_by_key(|(rank, _)| *rank);
    ranked.truncate(MAX_COMMANDS);
    ranked.into_iter().map(|(_, command)| command).collect()
}

/// The command of a line, whatever key or list it is in. Commands with variables of the CI are left out.
fn read_line(line: &str) -> Option<String> {
    let mut line = line.trim();
    line = line.strip_prefix("- ").unwrap_or(line).trim_start();
    for key in ["run:", "script:", "test_script:", "build_script:"] {
        line = line.strip_prefix(key).unwrap_or(line).trim_start();
    }
    let line = line.trim_matches(['"', '\'']).trim_end_matches('\\').trim_end();
    if line.contains("${{") || line.contains("$(") || line.contains('$') || line.starts_with('#') {
        return None;
    }
    let words: Vec<&str> = line.split_whitespace().collect();
    let first = words.first()?;
    let is_check = words.iter().any(|word| {
        let parts = word.split([':', '/', '=', '-', '.']);
        WORDS.contains(word) || parts.into_iter().any(|part| WORDS.contains(&part))
    });
    let is_outside = words.iter().any(|word| OUTSIDE.contains(word));
    if !(PROGRAMS.contains(first) || first.starts_with("vendor/bin/"))
        || !is_check
        || is_outside
        || line.ends_with([':', '&'])
    {
        return None;
    }
    shown::command(line)
}
