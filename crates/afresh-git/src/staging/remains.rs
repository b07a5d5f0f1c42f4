//! Saves what is left of work whose objects are partly gone.

use afresh_core::ids::{CommitId, TreeId};

use crate::git::identity::{CommitIdentity, CommitSignature};
use crate::git::repository::Repository;
use crate::objects::commit::NewCommit;
use crate::objects::id::ObjectId;
use crate::objects::loose::ObjectKind;
use crate::objects::tree::{TreeObject, tree_object_id};
use crate::refs::RefError;
use crate::staging::dead_refs::DeadRef;

const GITLINK: u32 = 0o160_000;

/// A commit of everything that could still be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Remains {
    pub commit: CommitId,
    /// Files and directories that could not be read.
    pub lost: usize,
}

impl Repository {
    /// Commits every file of a dead ref that still exists, and lets the ref point there. None if nothing is left.
    pub fn save_remains(&self, dead: &DeadRef) -> Result<Option<Remains>, RefError> {
        let Ok(tree) = self.commit_tree(&dead.commit) else { return Ok(None) };
        let mut lost = 0;
        let Some(tree) = self.readable_part(tree_object_id(&tree), &mut lost)? else {
            return Ok(None);
        };
        let mut whole = Vec::new();
        for parent in self.parents(&dead.commit)? {
            if self.is_whole(&parent)? {
                whole.push(parent);
            }
        }
        let tree = TreeId::new(tree.to_string()).expect("a digest in hexadecimal is an id");
        let message =
            format!("What is left of {}\n\nSome of its objects were missing.", dead.commit);
        let signature = CommitSignature { identity: CommitIdentity::default(), at_seconds: 0 };
        let new =
            NewCommit { tree: &tree, parents: &whole, message: &message, signature: &signature };
        let commit = self.commit(&new)?;
        self.publish(&commit)?;
        self.replace_dead_ref(dead, Some(&commit))?;
        Ok(Some(Remains { commit, lost }))
    }

    /// The tree without entries that cannot be read. None if it is missing itself.
    fn readable_part(&self, id: ObjectId, lost: &mut usize) -> Result<Option<ObjectId>, RefError> {
        let Ok(TreeObject { entries, .. }) = self.read_tree(id) else {
            *lost += 1;
            return Ok(None);
        };
        let mut kept = Vec::new();
        for mut entry in entries {
            if entry.is_tree() {
                let Some(part) = self.readable_part(entry.id, lost)? else { continue };
                entry.id = part;
            } else if entry.mode != GITLINK && self.object_kind(&entry.id.to_string())?.is_none() {
                *lost += 1;
                continue;
            }
            kept.push(entry);
        }
        Ok(Some(self.write_object(ObjectKind::Tree, &TreeObject::render(&kept))?))
    }
}
