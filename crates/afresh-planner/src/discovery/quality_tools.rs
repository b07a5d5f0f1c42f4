//! Formatters, linters and type checkers that the repository configures.

use std::collections::{BTreeMap, BTreeSet};

use super::facts::{QualityTool, ToolPurpose};
use super::{RepositoryFile, paths, shown};

/// The most tools that are named.
const MAX_TOOLS: usize = 16;
/// A tool with files of its own is looked for up to this depth.
const MAX_DEPTH: usize = 3;

/// How a tool is recognised.
struct KnownTool {
    name: &'static str,
    purpose: ToolPurpose,
    /// Files of its own; `*` at the end stands for anything.
    files: &'static [&'static str],
    /// What a manifest of another name contains if it configures the tool.
    mentions: &'static [(&'static str, &'static str)],
}

const fn tool(
    name: &'static str,
    purpose: ToolPurpose,
    files: &'static [&'static str],
    mentions: &'static [(&'static str, &'static str)],
) -> KnownTool {
    KnownTool { name, purpose, files, mentions }
}

use ToolPurpose::{CommitHook, Formatter, Linter, TypeChecker};

const TOOLS: &[KnownTool] = &[
    tool("rustfmt", Formatter, &["rustfmt.toml", ".rustfmt.toml"], &[]),
    tool("clippy", Linter, &["clippy.toml", ".clippy.toml"], &[("Cargo.toml", "lints.clippy")]),
    tool("cargo-deny", Linter, &["deny.toml"], &[]),
    tool("ruff", Linter, &["ruff.toml", ".ruff.toml"], &[("pyproject.toml", "[tool.ruff")]),
    tool(
        "black",
        Formatter,
        &[],
        &[("pyproject.toml", "[tool.black"), (".pre-commit-config.yaml", "id: black")],
    ),
    tool(
        "isort",
        Formatter,
        &[".isort.cfg"],
        &[("pyproject.toml", "[tool.isort"), ("setup.cfg", "[isort")],
    ),
    tool("flake8", Linter, &[".flake8"], &[("setup.cfg", "[flake8"), ("tox.ini", "[flake8")]),
    tool("pylint", Linter, &[".pylintrc", "pylintrc"], &[("pyproject.toml", "[tool.pylint")]),
    tool(
        "mypy",
        TypeChecker,
        &["mypy.ini", ".mypy.ini"],
        &[("pyproject.toml", "[tool.mypy"), ("setup.cfg", "[mypy")],
    ),
    tool("pyright", TypeChecker, &["pyrightconfig.json"], &[("pyproject.toml", "[tool.pyright")]),
    tool("basedpyright", TypeChecker, &[], &[("pyproject.toml", "[tool.basedpyright")]),
    tool(
        "ESLint",
        Linter,
        &[".eslintrc*", "eslint.config.*"],
        &[("package.json", "\"eslintConfig\"")],
    ),
    tool(
        "Prettier",
        Formatter,
        &[".prettierrc*", "prettier.config.*"],
        &[("package.json", "\"prettier\": {"), ("package.json", "\"prettier\": \"")],
    ),
    tool("Biome", Linter, &["biome.json", "biome.jsonc"], &[]),
    tool("oxlint", Linter, &[".oxlintrc.json"], &[]),
    tool("dprint", Formatter, &["dprint.json"], &[]),
    tool("standard", Linter, &[], &[("package.json", "\"standard\": \"")]),
    tool("XO", Linter, &[], &[("package.json", "\"xo\": \"")]),
    tool("Stylelint", Linter, &[".stylelintrc*", "stylelint.config.*"], &[]),
    tool("TypeScript", TypeChecker, &["tsconfig.json", "tsconfig.base.json"], &[]),
    tool("golangci-lint", Linter, &[".golangci.y*", ".golangci.toml"], &[]),
    tool("gofmt", Formatter, &[], &[("go.mod", "module ")]),
    tool(
        "Checkstyle",
        Linter,
        &["checkstyle.xml"],
        &[("pom.xml", "maven-checkstyle-plugin"), ("build.gradle", "checkstyle")],
    ),
    tool(
        "Spotless",
        Formatter,
        &[],
        &[("pom.xml", "spotless"), ("build.gradle", "spotless"), ("build.gradle.kts", "spotless")],
    ),
    tool(
        "Error Prone",
        Linter,
        &[],
        &[
            ("pom.xml", "error_prone"),
            ("build.gradle", "errorprone"),
            ("build.gradle.kts", "errorprone"),
        ],
    ),
    tool(
        "detekt",
        Linter,
        &["detekt.yml"],
        &[("build.gradle.kts", "detekt"), ("build.gradle", "detekt")],
    ),
    tool("ktlint", Formatter, &[], &[("build.gradle.kts", "ktlint"), ("build.gradle", "ktlint")]),
    tool("clang-format", Formatter, &[".clang-format"], &[]),
    tool("clang-tidy", Linter, &[".clang-tidy"], &[]),
    tool("RuboCop", Linter, &[".rubocop.yml"], &[]),
    tool("Standard Ruby", Linter, &[".standard.yml"], &[("Gemfile", "standardrb")]),
    tool("Sorbet", TypeChecker, &["sorbet/config"], &[]),
    tool("PHPStan", Linter, &["phpstan.neon*", "phpstan.dist.neon"], &[]),
    tool("Psalm", TypeChecker, &["psalm.xml*"], &[]),
    tool("PHP CS Fixer", Formatter, &[".php-cs-fixer*", ".php_cs*"], &[]),
    tool("PHP_CodeSniffer", Linter, &["phpcs.xml*", ".phpcs.xml*"], &[]),
    tool("Laravel Pint", Formatter, &["pint.json"], &[("composer.json", "laravel/pint")]),
    tool("EditorConfig", Formatter, &[".editorconfig"], &[]),
    tool("pre-commit", CommitHook, &[".pre-commit-config.yaml"], &[]),
    tool("husky", CommitHook, &[".husky/*"], &[]),
    tool("lefthook", CommitHook, &["lefthook.yml"], &[]),
];

/// Files that are searched for the settings of tools.
const READ: &[&str] = &[
    "pyproject.toml",
    "setup.cfg",
    "tox.ini",
    "package.json",
    "pom.xml",
    "build.gradle",
    "build.gradle.kts",
    "Gemfile",
    "composer.json",
    ".pre-commit-config.yaml",
    "tsconfig.json",
    "go.mod",
    "Cargo.toml",
    ".gitattributes",
];

pub(super) fn is_read(path: &str) -> bool {
    READ.contains(&paths::file_name(path)) && path.matches('/').count() <= MAX_DEPTH
}

/// Every tool once, with the file nearest to the root that configures it.
pub(super) fn find_tools(
    files: &[RepositoryFile],
    texts: &BTreeMap<String, String>,
) -> Vec<QualityTool> {
    let near = files.iter().map(|file| file.path.as_str());
    let mut near: Vec<&str> = near
        .filter(|path| path.matches('/').count() <= MAX_DEPTH)
        .filter(|path| paths::foreign_part(path).is_none() && !paths::is_example(path))
        .filter(|path| is_read(path) || TOOLS.iter().any(|tool| has_file(tool, path)))
        .collect();
    near.sort_by_key(|path| (path.matches('/').count(), *path));
    let mut known = BTreeSet::new();
    let mut tools = Vec::new();
    for path in near {
        let read = texts.get(path).filter(|_| is_read(path));
        for tool in TOOLS {
            let is_mentioned = read.is_some_and(|text| mentions(tool, path, text));
            if (has_file(tool, path) || is_mentioned) && known.insert(tool.name) {
                let (name, source) = (tool.name.to_owned(), shown::text(path));
                tools.push(QualityTool { name, purpose: tool.purpose, source });
            }
        }
    }
    tools.truncate(MAX_TOOLS);
    tools
}

fn mentions(tool: &KnownTool, path: &str, text: &str) -> bool {
    let name = paths::file_name(path);
    tool.mentions.iter().any(|(file, word)| *file == name && text.contains(word))
}

fn has_file(tool: &KnownTool, path: &str) -> bool {
    tool.files.iter().any(|pattern| match pattern.strip_suffix('*') {
        Some(start) if start.contains('/') => path.starts_with(start),
        Some(start) => paths::file_name(path).starts_with(start),
        None if pattern.contains('/') => path == *pattern,
        None => paths::file_name(path) == *pattern,
    })
}
