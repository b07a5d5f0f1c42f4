//! What differs between two trees, entry by entry.

use std::collections::BTreeMap;

use afresh_core::harvest::{Change, ChangeKind, EntryKind};

use crate::git::command::{CommandError, GitCommand, GitOutput};
use crate::objects::path_text::render_path;

/// The kind of an entry as git stores it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum EntryMode {
    /// There is no entry on this side.
    Absent,
    File,
    Executable,
    Symlink,
    /// A commit of another repository.
    Gitlink,
    Tree,
    /// Something git should not store; kept so that it is not mistaken for a file.
    Other(u32),
}

impl EntryMode {
    pub(crate) fn from_bits(bits: u32) -> Self {
        match bits {
            0 => Self::Absent,
            // 100664 is found in very old histories.
            0o100_644 | 0o100_664 => Self::File,
            0o100_755 => Self::Executable,
            0o120_000 => Self::Symlink,
            0o160_000 => Self::Gitlink,
            0o040_000 => Self::Tree,
            other => Self::Other(other),
        }
    }

    pub(crate) fn parse(octal: &str) -> Option<Self> {
        u32::from_str_radix(octal, 8).ok().map(Self::from_bits)
    }

    pub(crate) fn bits(self) -> u32 {
        match self {
            Self::Absent => 0,
            Self::File => 0o100_644,
            Self::Executable => 0o100_755,
            Self::Symlink => 0o120_000,
            Self::Gitlink => 0o160_000,
            Self::Tree => 0o040_000,
            Self::Other(bits) => bits,
        }
    }
}

/// One entry that is not the same in two trees.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TreeChange {
    /// Bytes that are not UTF-8 are escaped, as in `caf\xe9.txt`.
    pub path: String,
    pub kind: ChangeKind,
    pub old_mode: EntryMode,
    pub new_mode: EntryMode,
    /// Where a new or changed symlink points, with anything unprintable escaped.
    pub symlink_target: Option<String>,
    /// The objects on both sides; zeros where there is none.
    pub old_id: String,
    pub new_id: String,
}

impl TreeChange {
    /// The change as the journal records it.
    pub fn summarize(&self) -> Change {
        let now = match self.new_mode {
            EntryMode::Absent => EntryKind::Nothing,
            EntryMode::Symlink => {
                EntryKind::Symlink(self.symlink_target.clone().unwrap_or_default())
            }
            EntryMode::Gitlink => EntryKind::Gitlink,
            EntryMode::Executable if self.old_id == self.new_id => {
                EntryKind::Mode("100755 (executable)".to_owned())
            }
            EntryMode::File if self.old_id == self.new_id => {
                EntryKind::Mode("100644 (not executable)".to_owned())
            }
            _ => EntryKind::File,
        };
        Change::new(self.path.clone(), self.kind, now)
    }
}

/// A change as git prints it; its path may not be UTF-8.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RawTreeChange {
    pub(crate) path: Vec<u8>,
    pub(crate) kind: ChangeKind,
    pub(crate) old_mode: EntryMode,
    pub(crate) new_mode: EntryMode,
    pub(crate) old_id: String,
    pub(crate) new_id: String,
}

impl RawTreeChange {
    /// A new repository inside the repository.
    pub(crate) fn is_new_gitlink(&self) -> bool {
        self.new_mode == EntryMode::Gitlink && self.old_mode != EntryMode::Gitlink
    }

    /// Whether its name can be written in a plan.
    pub(crate) fn is_utf8(&self) -> bool {
        std::str::from_utf8(&self.path).is_ok()
    }

    pub(crate) fn into_change(self, targets: &BTreeMap<String, String>) -> TreeChange {
        let target =
            if self.new_mode == EntryMode::Symlink { targets.get(&self.new_id) } else { None };
        let (kind, old_mode, new_mode) = (self.kind, self.old_mode, self.new_mode);
        let symlink_target = target.cloned();
        let (old_id, new_id) = (self.old_id, self.new_id);
        let path = render_path(&self.path);
        TreeChange { path, kind, old_mode, new_mode, symlink_target, old_id, new_id }
    }
}

/// Compares two tree-ishes with `call`, which says in which repository.
pub(crate) fn diff_with_git(
    call: GitCommand,
    old: &str,
    new: &str,
) -> Result<Vec<RawTreeChange>, CommandError> {
    // A `.gitmodules` in the tree could otherwise hide a changed gitlink.
    let options = ["-r", "--raw", "-z", "--no-renames", "--no-abbrev", "--ignore-submodules=none"];
    let answer = call.args(["diff-tree"]).args(options).args([old, new]).run_checked()?;
    parse_raw(&answer)
}

fn parse_raw(answer: &GitOutput) -> Result<Vec<RawTreeChange>, CommandError> {
    let mut changes = Vec::new();
    let mut fields = answer.fields();
    while let Some(header) = fields.next() {
        let odd = || answer.unexpected(String::from_utf8_lossy(header));
        let path = fields.next().ok_or_else(odd)?;
        changes.push(parse_change(header, path).ok_or_else(odd)?);
    }
    Ok(changes)
}

/// Reads `:100644 100755 <old id> <new id> M`.
fn parse_change(header: &[u8], path: &[u8]) -> Option<RawTreeChange> {
    let text = std::str::from_utf8(header).ok()?.strip_prefix(':')?;
    let mut parts = text.split(' ');
    let old_mode = EntryMode::parse(parts.next()?)?;
    let new_mode = EntryMode::parse(parts.next()?)?;
    let (old_id, new_id) = (parts.next()?.to_owned(), parts.next()?.to_owned());
    let kind = match parts.next()?.as_bytes().first()? {
        b'A' => ChangeKind::Created,
        b'D' => ChangeKind::Deleted,
        // T: a file became a symlink, or the like.
        b'M' | b'T' => ChangeKind::Modified,
        _ => return None,
    };
    Some(RawTreeChange { path: path.to_owned(), kind, old_mode, new_mode, old_id, new_id })
}
