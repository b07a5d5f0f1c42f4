//! Making a commit of a tree that exists.

use std::collections::BTreeMap;

use afresh_core::ids::{CommitId, TreeId};

use crate::git::command::{CommandError, GitCommand};
use crate::git::error::FileContext as _;
use crate::git::identity::CommitSignature;
use crate::git::repository::{Repository, parse_id};
use crate::objects::loose::ObjectKind;
use crate::workspace::pool::PoolError;

/// All parts of a commit; the same parts give the same id.
#[derive(Debug, Clone, Copy)]
pub struct NewCommit<'a> {
    pub tree: &'a TreeId,
    pub parents: &'a [CommitId],
    pub message: &'a str,
    pub signature: &'a CommitSignature,
}

impl Repository {
    /// Stages a commit. Nothing may depend on it until it is [published](Repository::publish).
    pub fn commit(&self, new: &NewCommit<'_>) -> Result<CommitId, PoolError> {
        self.expect_parts(new)?;
        let id = self.write_object(ObjectKind::Commit, &render(new))?;
        Ok(CommitId::new(id.to_string()).expect("a digest in hexadecimal is an id"))
    }

    /// A garbage collection of the user's may have removed what no ref points to.
    fn expect_parts(&self, new: &NewCommit<'_>) -> Result<(), CommandError> {
        let parts = [new.tree.as_str()].into_iter();
        let parts = parts.chain(new.parents.iter().map(CommitId::as_str));
        for id in parts.filter(|id| !self.is_staged(id) && *id != self.format.empty_tree()) {
            if self.object_kind(id)?.is_none() {
                return Err(CommandError::Unexpected {
                    doing: "make a commit".to_owned(),
                    verb: "cat-file".to_owned(),
                    detail: format!("{id} is missing"),
                });
            }
        }
        Ok(())
    }
}

/// A commit that is made of another one and some files.
#[derive(Debug, Clone, Copy)]
pub struct FileOverlay<'a> {
    pub onto: &'a CommitId,
    /// By path; each replaces what is there.
    pub files: &'a BTreeMap<String, Vec<u8>>,
    pub message: &'a str,
    pub signature: &'a CommitSignature,
}

impl Repository {
    /// Publishes a commit on top of another one that adds or replaces files. The user's index and checkout are not
    /// involved.
    pub fn commit_files(&self, overlay: &FileOverlay<'_>) -> Result<CommitId, PoolError> {
        let mut script = Vec::new();
        for (path, content) in overlay.files {
            let id = self.write_object(ObjectKind::Blob, content)?;
            script.extend(format!("100644 {id}\t{path}\0").into_bytes());
        }
        // The caller holds the lock, so nobody else writes here.
        let index = self.ensure_staging()?.join("overlay.index");
        if index.exists() {
            std::fs::remove_file(&index).context("remove", &index)?;
        }
        let call = |doing: &str| -> Result<GitCommand, PoolError> {
            Ok(self.stage_objects_of(self.git(doing))?.env("GIT_INDEX_FILE", &index))
        };
        call("read the base of a plan")?
            .args(["read-tree", overlay.onto.as_str()])
            .run_checked()?;
        let add = call("add the files of a plan")?;
        add.args(["update-index", "--add", "-z", "--index-info"]).stdin(script).run_checked()?;
        let answer = call("write the tree of a plan")?.args(["write-tree"]).run_checked()?;
        let tree: TreeId = parse_id(answer.line()?, |detail| answer.unexpected(detail))?;
        let commit = self.commit(&NewCommit {
            tree: &tree,
            parents: std::slice::from_ref(overlay.onto),
            message: overlay.message,
            signature: overlay.signature,
        })?;
        self.publish(&commit)?;
        std::fs::remove_file(&index).context("remove", &index)?;
        Ok(commit)
    }
}

/// The commit as git stores it.
pub(crate) fn render(new: &NewCommit<'_>) -> Vec<u8> {
    let CommitSignature { identity, at_seconds } = new.signature;
    let who = format!("{} <{}> {at_seconds} +0000", identity.name(), identity.email());
    // Git does not store a parent twice.
    let parents = new.parents.iter().enumerate();
    let parents = parents.filter(|(at, parent)| !new.parents[..*at].contains(parent));
    let parents: String = parents.flat_map(|(_, id)| ["parent ", id.as_str(), "\n"]).collect();
    // Git rejects a NUL in a message, and a message ends with a line break.
    let message = new.message.replace('\0', "");
    let end = if message.ends_with('\n') { "" } else { "\n" };
    let tree = new.tree;
    format!("tree {tree}\n{parents}author {who}\ncommitter {who}\n\n{message}{end}").into_bytes()
}
