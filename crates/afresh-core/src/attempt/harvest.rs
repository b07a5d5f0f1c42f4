//! What an attempt really changed, as git sees it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::ids::{CommitId, TreeId};
use crate::scope::looks_like_test;

/// The tree that an attempt left, compared with the commit it started from.
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
pub struct Harvest {
    pub tree: TreeId,
    /// The commit that we made of it; none if nothing changed.
    pub commit: Option<CommitId>,
    pub changes: Vec<Change>,
    /// Notices for people (a nested repository was removed, …).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// New lines that hold a secret.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub leaks: Vec<Leak>,
    /// Files that the task was to create, and that the tree does not have.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<String>,
}

impl Harvest {
    /// Test files that were created or changed.
    pub fn changed_tests(&self) -> Vec<String> {
        let kept = self.changes.iter().filter(|change| change.kind != ChangeKind::Deleted);
        let tests = kept.filter(|change| looks_like_test(&change.path));
        tests.map(|change| change.path.clone()).collect()
    }
}

/// A line that holds a secret; the secret itself is not recorded.
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
pub struct Leak {
    pub path: String,
    /// Counted from 1.
    pub line: u64,
}

/// One changed path.
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
pub struct Change {
    pub path: String,
    pub kind: ChangeKind,
    /// What is at the path now.
    pub now: EntryKind,
    #[serde(default, skip_serializing_if = "SettingsChange::is_unknown")]
    pub settings: SettingsChange,
}

/// Whether a change touches what test runners read from a manifest (`package.json` and the like).
#[derive(Debug, Clone, Default, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SettingsChange {
    /// Not a manifest, or one that could not be read.
    #[default]
    Unknown,
    Same,
    /// The names of some, such as `scripts.test`.
    Changed(Vec<String>),
}

impl SettingsChange {
    fn is_unknown(&self) -> bool {
        *self == Self::Unknown
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ChangeKind {
    Created,
    Modified,
    Deleted,
}

#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EntryKind {
    Nothing,
    File,
    /// Where it points, as written.
    Symlink(String),
    /// A repository inside the repository.
    Gitlink,
    /// The same file as before with this mode, such as `100755 (executable)`.
    Mode(String),
}

impl Change {
    pub fn new(path: impl Into<String>, kind: ChangeKind, now: EntryKind) -> Self {
        Self { path: path.into(), kind, now, settings: SettingsChange::Unknown }
    }

    pub fn existed(&self) -> bool {
        self.kind != ChangeKind::Created
    }
}
