//! One item that afresh made, whether it is removed, and how.

use std::path::PathBuf;

use afresh_core::ids::CommitId;
use afresh_git::WorkspaceId;
use serde::Serialize;

/// The kind of an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum CleanupKind {
    Workspace,
    /// Records about workspaces, removed once no workspace is left.
    Notes,
    Temporary,
    /// A copy of a workspace, made for a person.
    Copy,
    /// What processes in the background printed.
    Messages,
    SavedWork,
    Branch,
    Run,
    Transcripts,
    Bundles,
    Registry,
    Repository,
}

impl CleanupKind {
    /// The text that people read before the item's name.
    pub fn label(self) -> &'static str {
        match self {
            Self::Workspace => "workspace",
            Self::Notes => "notes about workspaces",
            Self::Temporary => "temporary files",
            Self::Copy => "copy",
            Self::Messages => "messages",
            Self::SavedWork => "saved work",
            Self::Branch => "branch",
            Self::Run => "run",
            Self::Transcripts => "transcripts",
            Self::Bundles => "bundles",
            Self::Registry => "process registry",
            Self::Repository => "workspaces of",
        }
    }
}

/// One thing that cleanup may remove.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CleanupItem {
    pub kind: CleanupKind,
    pub name: String,
    pub bytes: u64,
    pub fate: Disposition,
    pub(crate) target: CleanupTarget,
}

/// Whether an item is removed, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Disposition {
    Goes { why: String },
    Stays { why: String, hint: Option<String> },
}

/// How an item is removed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum CleanupTarget {
    Slot(WorkspaceId),
    /// The pool's own directory, if no workspace is left in it.
    PoolItself,
    Paths(Vec<PathBuf>),
    Ref {
        name: String,
        commit: CommitId,
    },
    Nothing,
}

impl CleanupItem {
    pub(crate) fn remove(
        kind: CleanupKind,
        name: impl Into<String>,
        why: impl Into<String>,
        target: CleanupTarget,
    ) -> Self {
        Self {
            kind,
            name: name.into(),
            bytes: 0,
            fate: Disposition::Goes { why: why.into() },
            target,
        }
    }

    pub(crate) fn stays(
        kind: CleanupKind,
        name: impl Into<String>,
        why: impl Into<String>,
    ) -> Self {
        let fate = Disposition::Stays { why: why.into(), hint: None };
        Self { kind, name: name.into(), bytes: 0, fate, target: CleanupTarget::Nothing }
    }

    pub(crate) fn hint(mut self, text: impl Into<String>) -> Self {
        if let Disposition::Stays { hint, .. } = &mut self.fate {
            *hint = Some(text.into());
        }
        self
    }

    pub(crate) fn of_size(self, bytes: u64) -> Self {
        Self { bytes, ..self }
    }

    pub fn is_to_go(&self) -> bool {
        matches!(self.fate, Disposition::Goes { .. })
    }
}
