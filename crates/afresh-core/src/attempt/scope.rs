//! Whether a change may land (EX-04).
//!
//! The file lists of real plans are never complete, so by default a change outside of the list is accepted if the
//! worker declared it. Exceptions are deletions, tests that the checks depend on, files that another unfinished task
//! claims, configuration of the programs that the checks run, and files that can make other programs run code. A file that a check merely reads is no such test; of a
//! manifest, which holds dependencies beside the settings of test runners, only the latter are guarded.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::check_files::{CheckFiles, FileUse};
use crate::harvest::{Change, ChangeKind, EntryKind, Leak, SettingsChange};
use crate::outcome::Deviation;
use crate::pattern::{PatternError, fold_name};
use crate::plan::Task;
use crate::run::settings::ScopeMode;

/// One change that cannot land, and why.
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
pub struct ScopeViolation {
    pub path: String,
    pub why: ViolationReason,
}

impl From<&Leak> for ScopeViolation {
    fn from(leak: &Leak) -> Self {
        Self { path: leak.path.clone(), why: ViolationReason::Secret(leak.line) }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ViolationReason {
    /// Outside of the task's files, and not declared.
    Undeclared,
    /// Outside of the task's files, while `strict` allows only those.
    Unlisted,
    /// Another unfinished task writes it.
    ClaimedBy(String),
    /// It existed before, and the task does not list it.
    Deletion,
    /// A test that the checks depend on.
    Test,
    /// It says what the checks do.
    CheckConfig,
    /// The same, and it did not exist before.
    NewCheckConfig,
    /// A manifest, and the settings of test runners in it that changed; none if they could not be compared.
    RunnerSettings(Vec<String>),
    /// It can make other programs run code.
    Trust,
    /// The run itself depends on it.
    Pinned,
    /// A symbolic link that leads out of the repository.
    LeavesTree(String),
    /// A repository inside the repository.
    Gitlink,
    /// Not a path that we would write.
    BadPath(String),
    /// A line of it holds a secret.
    Secret(u64),
    /// Only its mode changed; says why that is not allowed, and the mode.
    ModeOnly(String),
}

impl ViolationReason {
    /// What the next worker is given.
    pub fn explain(&self) -> String {
        match self {
            Self::Undeclared => {
                "is outside the task's files and was not declared as a deviation".to_owned()
            }
            Self::Unlisted => "is outside the task's files".to_owned(),
            Self::ClaimedBy(task) => format!("belongs to task {task}, which is not finished"),
            Self::Deletion => "was deleted although it is outside the task's files".to_owned(),
            Self::Test => {
                "is a test that the checks rest on, and not one of the task's files".to_owned()
            }
            Self::CheckConfig => {
                "configures the programs that the checks run, and is not one of the task's files"
                    .to_owned()
            }
            Self::NewCheckConfig => {
                "is a new file that configures the programs that the checks run; the task has to list \
                 it among its files, or, if it lists no files at all, the worker has to declare it as a \
                 deviation"
                    .to_owned()
            }
            Self::RunnerSettings(settings) if settings.is_empty() => {
                "holds settings of test runners that could not be compared, and is not one of the \
                 task's files"
                    .to_owned()
            }
            Self::RunnerSettings(settings) => format!(
                "changes {}, which the checks rest on, and is not one of the task's files",
                settings.join(", ")
            ),
            Self::Trust => {
                "tells agents, hooks or other tools what to do, and is outside the task's files"
                    .to_owned()
            }
            Self::Pinned => {
                "is a file that controls this run (its plan, an agent's script or the prompt \
                             template), and no worker may change it"
                    .to_owned()
            }
            Self::LeavesTree(target) => {
                format!("is a symbolic link that leaves the repository ({target:?})")
            }
            Self::Gitlink => "is a repository inside the repository".to_owned(),
            Self::BadPath(why) => format!("is not an acceptable path: it {why}"),
            Self::ModeOnly(why) => why.clone(),
            Self::Secret(line) => format!("holds a secret in line {line}: a key or a password"),
        }
    }
}

/// What the decision depends on.
#[derive(Debug)]
pub struct TaskScope<'a> {
    pub mode: ScopeMode,
    pub task: &'a Task,
    pub deviations: &'a [Deviation],
    /// Other tasks that are not finished.
    pub unfinished: Vec<&'a Task>,
    pub always: &'a [String],
    pub pinned: &'a [String],
}

/// What may land, what may not, and what a person must allow first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ScopeVerdict {
    pub violations: Vec<ScopeViolation>,
    /// Listed files that can make other programs run code.
    pub ask: Vec<String>,
    /// Accepted although they are not listed.
    pub beyond: Vec<String>,
}

impl TaskScope<'_> {
    pub fn check_changes(&self, changes: &[Change]) -> ScopeVerdict {
        let mut judgement = ScopeVerdict::default();
        let check_files = self.check_files();
        for change in changes {
            let listed = self.task.may_write(&change.path);
            let outside = || Some(name_mode(change, self.outside(change, listed, &check_files)?));
            if let Some(why) = self.never(change).or_else(outside) {
                judgement.violations.push(ScopeViolation { path: change.path.clone(), why });
            } else if hands_trust(&change.path) && !is_plan_document(&change.path) {
                judgement.ask.push(change.path.clone());
            } else if !listed && self.task.lists_files() {
                judgement.beyond.push(change.path.clone());
            }
        }
        judgement
    }

    /// What no list and no declaration can allow.
    fn never(&self, change: &Change) -> Option<ViolationReason> {
        match crate::pattern::check_path(&change.path) {
            // A name that exists, and that no plan can write but in a glob.
            Err(PatternError::Backslash) if change.existed() => {}
            Err(why) => return Some(ViolationReason::BadPath(why.to_string())),
            Ok(()) => {}
        }
        if self.pinned.contains(&change.path) {
            return Some(ViolationReason::Pinned);
        }
        match &change.now {
            EntryKind::Gitlink => Some(ViolationReason::Gitlink),
            EntryKind::Symlink(target) if leaves_tree(&change.path, target) => {
                Some(ViolationReason::LeavesTree(target.clone()))
            }
            _ => None,
        }
    }

    fn outside(
        &self,
        change: &Change,
        listed: bool,
        check_files: &CheckFiles,
    ) -> Option<ViolationReason> {
        if listed {
            return None;
        }
        if hands_trust(&change.path) {
            return Some(ViolationReason::Trust);
        }
        if self.mode == ScopeMode::Open {
            return None;
        }
        let free = !self.task.lists_files();
        if self.mode == ScopeMode::Strict && !free {
            return Some(ViolationReason::Unlisted);
        }
        if change.kind == ChangeKind::Deleted {
            return Some(ViolationReason::Deletion);
        }
        let declared = self.deviations.iter().any(|deviation| deviation.declares(&change.path));
        if let Some(why) = weakens_checks(change, check_files) {
            return Some(why);
        }
        // Without a list, a task that sets a project up could not land; its declaration is in the receipt.
        if let Some(why) = configures_checks(change, check_files).filter(|_| !(free && declared)) {
            return Some(why);
        }
        if let Some(other) = self.unfinished.iter().find(|task| task.may_write(&change.path)) {
            return Some(ViolationReason::ClaimedBy(other.id.to_string()));
        }
        (!free && !declared).then_some(ViolationReason::Undeclared)
    }

    fn check_files(&self) -> CheckFiles {
        let own = self.task.all_checks().map(|check| check.command.as_str());
        CheckFiles::read(own.chain(self.always.iter().map(String::as_str)))
    }
}

/// Whether the checks rest on what this change replaces.
fn weakens_checks(change: &Change, check_files: &CheckFiles) -> Option<ViolationReason> {
    if !change.existed() {
        return None;
    }
    if looks_like_test(&change.path) {
        return Some(ViolationReason::Test);
    }
    if is_manifest(&change.path) {
        return match &change.settings {
            SettingsChange::Same => None,
            SettingsChange::Changed(settings) => {
                Some(ViolationReason::RunnerSettings(settings.clone()))
            }
            SettingsChange::Unknown => Some(ViolationReason::RunnerSettings(Vec::new())),
        };
    }
    match check_files.use_of(&change.path)? {
        FileUse::Executes | FileUse::LoadsTest => Some(ViolationReason::Test),
        FileUse::LoadsConfig => Some(ViolationReason::CheckConfig),
    }
}

/// Whether a new file says what the programs do that the checks run: it can leave tests out.
fn configures_checks(change: &Change, check_files: &CheckFiles) -> Option<ViolationReason> {
    if change.existed() {
        return None;
    }
    let has_settings = matches!(&change.settings, SettingsChange::Changed(_));
    let is_loaded = check_files.use_of(&change.path) == Some(FileUse::LoadsConfig);
    let configures = is_loaded || (has_settings && is_python_manifest(&change.path));
    configures.then_some(ViolationReason::NewCheckConfig)
}

/// Manifests that a runner may load from beside the tests, where none was before.
pub fn is_python_manifest(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    matches!(name, "pyproject.toml" | "setup.cfg")
}

/// Files that hold settings of test runners beside dependencies and other ordinary content.
pub fn is_manifest(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    matches!(
        name,
        "package.json"
            | "pyproject.toml"
            | "setup.cfg"
            | "Cargo.toml"
            | "composer.json"
            | "deno.json"
            | "deno.jsonc"
    )
}

/// A change of the mode alone is easily made by accident, so it is named.
fn name_mode(change: &Change, why: ViolationReason) -> ViolationReason {
    let EntryKind::Mode(mode) = &change.now else { return why };
    ViolationReason::ModeOnly(format!("{}; only its mode changed, to {mode}", why.explain()))
}

/// Directories whose files make other programs run code.
const TRUSTED_DIRECTORIES: &[&str] = &[
    ".claude",
    ".codex",
    ".gemini",
    ".cursor",
    ".vscode",
    ".idea",
    ".husky",
    ".afresh",
    ".circleci",
    ".devcontainer",
    ".buildkite",
    ".opencode",
    ".githooks",
    ".aider",
    ".clinerules",
    ".continue",
    ".forgejo",
    ".gitea",
    ".kiro",
    ".roo",
    ".windsurf",
    ".woodpecker",
    ".zed",
];

/// Names of files that make other programs run code.
const TRUSTED_NAMES: &[&str] = &[
    ".mcp.json",
    ".gitmodules",
    ".gitattributes",
    ".envrc",
    "claude.md",
    "agents.md",
    "gemini.md",
    ".gitlab-ci.yml",
    ".travis.yml",
    "jenkinsfile",
    "azure-pipelines.yml",
    ".pre-commit-config.yaml",
    "bitbucket-pipelines.yml",
    ".cursorrules",
    ".windsurfrules",
    ".clinerules",
    ".aider.conf.yml",
    "opencode.json",
    "opencode.jsonc",
    "claude.local.md",
    "copilot-instructions.md",
    ".gitconfig",
    ".lfsconfig",
    ".npmrc",
    ".yarnrc",
    ".yarnrc.yml",
    ".pnpmfile.cjs",
    ".mise.toml",
    "mise.toml",
    "lefthook.yml",
    "lefthook.yaml",
    ".drone.yml",
    ".woodpecker.yml",
    "appveyor.yml",
    "cloudbuild.yaml",
];

/// What planners write: a person sees it before anything runs by it. Only tasks that list it may change it.
fn is_plan_document(path: &str) -> bool {
    path.starts_with(".afresh/plans/")
}

/// Files that make other programs run code: a change to them is never accepted silently.
pub fn hands_trust(path: &str) -> bool {
    // Some file systems ignore case.
    let components: Vec<String> = path.split('/').map(fold_name).collect();
    let lower = components.join("/");
    let name = components.last().map(String::as_str).unwrap_or_default();
    components.iter().any(|component| TRUSTED_DIRECTORIES.contains(&component.as_str()))
        || TRUSTED_NAMES.contains(&name)
        // The short names of `.gitmodules` and `.gitattributes` on Windows.
        || name.starts_with("gitmod~")
        || name.starts_with("gitatt~")
        || lower.starts_with(".github/workflows/")
        || lower.starts_with(".github/actions/")
        || lower.ends_with(".cargo/config.toml")
        || lower.ends_with(".cargo/config")
}

/// Tests, recognised by common names.
pub fn looks_like_test(path: &str) -> bool {
    let lower = path.to_lowercase();
    let (directories, name) = lower.rsplit_once('/').unwrap_or(("", &lower));
    let stem = name.split('.').next().unwrap_or_default();
    directories
        .split('/')
        .any(|d| matches!(d, "test" | "tests" | "__tests__" | "spec" | "specs" | "testdata"))
        || stem.starts_with("test_")
        || stem.ends_with("_test")
        || stem.ends_with("_spec")
        || stem == "conftest"
        || name.contains(".test.")
        || name.contains(".spec.")
        || path.rsplit('/').next().is_some_and(|n| n.contains("Test.") || n.contains("Tests."))
}

/// Whether following the link at `path` would lead out of the repository.
pub fn leaves_tree(path: &str, target: &str) -> bool {
    if target.starts_with('/') || target.is_empty() {
        return true;
    }
    let mut depth = path.split('/').count() - 1;
    let mut went_down = false;
    for component in target.split('/') {
        match component {
            "" | "." => {}
            // An earlier component may itself be a link, and then `..` starts from its target.
            ".." if depth == 0 || went_down => return true,
            ".." => depth -= 1,
            name if name.eq_ignore_ascii_case(".git") => return true,
            _ => went_down = true,
        }
    }
    false
}
