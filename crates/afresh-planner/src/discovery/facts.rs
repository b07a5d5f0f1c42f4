//! What discovery finds, as data. Every text in it is printable and bounded.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use afresh_core::probe::CheckClass;

/// The version of [`ProjectFacts`]. It grows when a field is renamed or removed, or when the same files are read
/// differently.
pub const FACTS_VERSION: u32 = 2;

/// What a repository is: the one document that every planning stage is given.
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
pub struct ProjectFacts {
    pub version: u32,
    /// Where the repository is; none if the caller did not say.
    pub directory: Option<String>,
    pub state: ProjectState,
    /// How many files there are, without those that git ignores.
    pub files: u64,
    /// Programming languages, most bytes first.
    pub languages: Vec<LanguageShare>,
    /// What ties several packages together.
    pub workspaces: Vec<WorkspaceDeclaration>,
    /// The root first, then those with the most source files.
    pub packages: Vec<PackageFacts>,
    /// How many packages are not listed.
    pub packages_left_out: u64,
    pub patterns: CodePatterns,
    pub testing: TestingPatterns,
    pub key_files: Vec<KeyFile>,
    /// Generated and vendored files, which are not edited by hand.
    pub leave_alone: Vec<ForeignPath>,
    /// Formatters, linters and type checkers that are configured.
    pub quality_tools: Vec<QualityTool>,
    /// Commands that CI runs.
    pub ci: Vec<SourcedCommand>,
    /// How many texts were read to find the patterns.
    pub sampled_files: u64,
}

impl ProjectFacts {
    /// The same facts, with the directory that they are about.
    #[must_use]
    pub fn in_directory(self, directory: &str) -> Self {
        Self { directory: Some(super::shown::text(directory)), ..self }
    }

    /// Every command of every package.
    pub fn commands_mut(&mut self) -> impl Iterator<Item = &mut SourcedCommand> {
        self.packages.iter_mut().flat_map(|package| package.commands.all_mut())
    }
}

/// Whether there is code to fit in with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ProjectState {
    /// No source file and no manifest.
    New,
    Existing,
}

/// How much of the repository is written in one language.
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
pub struct LanguageShare {
    pub name: String,
    pub files: u64,
    pub bytes: u64,
    /// From the lengths of lines in the texts that were read; none if none of this language was.
    pub estimated_lines: Option<u64>,
}

/// A file that declares members, such as a Cargo workspace.
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
pub struct WorkspaceDeclaration {
    pub kind: String,
    pub file: String,
    /// How many of its members exist.
    pub members: u64,
}

/// A directory that is built by itself.
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
pub struct PackageFacts {
    /// `.` for the root.
    pub directory: String,
    pub name: Option<String>,
    /// What it is built with.
    pub stacks: Vec<String>,
    pub manifest: String,
    /// Versions that it asks for, such as `Python >=3.11`.
    pub requires: Vec<String>,
    /// Direct dependencies, without those of development.
    pub dependencies: Vec<String>,
    /// The declaration that it is a member of.
    pub member_of: Option<String>,
    pub source_files: u64,
    pub test_files: u64,
    /// Directories with source files, those with the most files first.
    pub sources: Vec<String>,
    /// Directories with tests.
    pub tests: Vec<String>,
    pub commands: PackageCommands,
}

/// The commands of a package, to be run at the root of the repository.
#[derive(Debug, Clone, Default, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
pub struct PackageCommands {
    pub setup: Vec<SourcedCommand>,
    pub test: Vec<SourcedCommand>,
    pub build: Vec<SourcedCommand>,
    pub lint: Vec<SourcedCommand>,
}

impl PackageCommands {
    pub fn is_empty(&self) -> bool {
        self.all().next().is_none()
    }

    pub fn all(&self) -> impl Iterator<Item = &SourcedCommand> {
        self.setup.iter().chain(&self.test).chain(&self.build).chain(&self.lint)
    }

    /// Those that check the work.
    pub fn checks(&self) -> impl Iterator<Item = &SourcedCommand> {
        self.test.iter().chain(&self.build).chain(&self.lint)
    }

    fn all_mut(&mut self) -> impl Iterator<Item = &mut SourcedCommand> {
        let Self { setup, test, build, lint } = self;
        setup.iter_mut().chain(test).chain(build).chain(lint)
    }
}

/// A command, and the file that it was found by.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, JsonSchema, Serialize, Deserialize)]
pub struct SourcedCommand {
    pub command: String,
    pub source: String,
    /// What it showed when it was run; none if it was not.
    pub probed: Option<CommandProbe>,
}

/// How a command ended on the current commit.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, JsonSchema, Serialize, Deserialize)]
pub struct CommandProbe {
    pub class: CheckClass,
    /// Why, in a few words.
    pub detail: Option<String>,
}

/// How the code is written.
#[derive(Debug, Clone, Default, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
pub struct CodePatterns {
    pub naming: Vec<NamingPattern>,
    /// How files import each other, one sentence per language.
    pub imports: Vec<String>,
    /// Directories whose names say what they are for.
    pub architecture: Vec<ArchitectureHint>,
    /// How errors are represented, and logging is done; the most frequent first.
    pub errors: Vec<PatternUse>,
    pub logging: Vec<PatternUse>,
}

/// How things are named in one language.
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
pub struct NamingPattern {
    pub language: String,
    pub files: Option<NameStyle>,
    pub functions: Option<NameStyle>,
    pub types: Option<NameStyle>,
}

/// The case that most names have.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, JsonSchema, Serialize, Deserialize,
)]
#[serde(rename_all = "kebab-case")]
pub enum NameStyle {
    SnakeCase,
    KebabCase,
    CamelCase,
    PascalCase,
    UpperCase,
    /// Words without any separator.
    LowerCase,
}

impl NameStyle {
    /// As people write it.
    pub fn word(self) -> &'static str {
        match self {
            Self::SnakeCase => "snake_case",
            Self::KebabCase => "kebab-case",
            Self::CamelCase => "camelCase",
            Self::PascalCase => "PascalCase",
            Self::UpperCase => "UPPER_CASE",
            Self::LowerCase => "lowercase",
        }
    }
}

/// A directory whose name says what it is for.
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
pub struct ArchitectureHint {
    pub directory: String,
    pub meaning: String,
    pub files: u64,
}

/// A way of doing something, and how often the sample does it so.
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
pub struct PatternUse {
    pub pattern: String,
    /// How many of the files that were read use it; zero if only a manifest names it.
    pub files: u64,
    /// One of them, or the manifest.
    pub example: String,
}

/// How tests are written.
#[derive(Debug, Clone, Default, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
pub struct TestingPatterns {
    pub frameworks: Vec<PatternUse>,
    /// Where tests are, in sentences.
    pub layout: Vec<String>,
    /// Files and directories that tests share.
    pub fixtures: Vec<String>,
}

/// A file worth reading first.
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
pub struct KeyFile {
    pub path: String,
    pub role: String,
}

/// Files that people do not write here.
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
pub struct ForeignPath {
    /// A directory ends with `/`.
    pub path: String,
    pub reason: String,
    pub files: u64,
}

/// A program that judges how code is written.
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
pub struct QualityTool {
    pub name: String,
    pub purpose: ToolPurpose,
    /// The file that configures it.
    pub source: String,
}

/// What a tool is for.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, JsonSchema, Serialize, Deserialize,
)]
#[serde(rename_all = "kebab-case")]
pub enum ToolPurpose {
    Formatter,
    Linter,
    TypeChecker,
    /// Runs others before a commit.
    CommitHook,
}
