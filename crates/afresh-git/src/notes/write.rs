//! Writes notes with one more text.

use afresh_core::ids::{CommitId, TreeId};

use super::path::{DirectoryCache, NotePath, NotesDirectory};
use super::read::{NoteContent, read_leaves};
use crate::git::command::CommandError;
use crate::git::identity::CommitSignature;
use crate::git::repository::Repository;
use crate::objects::commit::{NewCommit, render};
use crate::objects::diff::change::EntryMode;
use crate::objects::id::ObjectId;
use crate::objects::loose::ObjectKind;
use crate::objects::tree::{TreeEntry, TreeObject};
use crate::staging::small_pack::NewObjects;
use crate::workspace::pool::PoolError;

/// A directory with more entries gets directories below.
const MAX_ENTRIES: usize = 256;

/// A note to write.
#[derive(Debug, Clone, Copy)]
pub struct NewNote<'a> {
    /// The commit that the notes ref has now.
    pub tip: Option<&'a CommitId>,
    /// The commit that the note is about.
    pub about: &'a CommitId,
    /// An existing note with more bytes stays as it is.
    pub max_bytes: usize,
    pub message: &'a str,
    pub signature: &'a CommitSignature,
}

/// What became of a note.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WrittenNote {
    /// The commit that the notes ref can move to.
    Changed(CommitId),
    /// The notes have it already.
    Unchanged,
    /// The existing note is too large to add to.
    TooLarge,
}

impl Repository {
    /// Writes a commit for a notes ref, durably; no ref points to it yet. `change` gets the note as it is, and returns
    /// the new one, or none if nothing is missing. The same input gives the same commit.
    pub fn write_note(
        &self,
        new: &NewNote<'_>,
        change: impl FnOnce(Option<&[u8]>) -> Option<Vec<u8>>,
    ) -> Result<WrittenNote, PoolError> {
        let root = match new.tip {
            Some(tip) => self.tree_object_id_of(tip)?,
            None => ObjectId::parse(self.format.empty_tree()).expect("it is an id"),
        };
        let path = DirectoryCache::default().find(self, root, new.about.as_str())?;
        let leaves = path.leaves();
        let changed = match read_leaves(self, &leaves, new.max_bytes)? {
            NoteContent::TooLarge => return Ok(WrittenNote::TooLarge),
            NoteContent::Missing => change(None),
            NoteContent::Text(text) => change(Some(&text)),
        };
        let Some(text) = changed else { return Ok(WrittenNote::Unchanged) };
        let mut objects = NewObjects::new(self);
        let blob = objects.add(ObjectKind::Blob, text);
        let tree = add_directories(&mut objects, &path, &leaves, blob)?;
        let tree = TreeId::new(tree.to_string()).expect("a digest in hexadecimal is an id");
        let parents: Vec<CommitId> = new.tip.cloned().into_iter().collect();
        let NewNote { message, signature, .. } = *new;
        let commit = render(&NewCommit { tree: &tree, parents: &parents, message, signature });
        let commit = objects.add(ObjectKind::Commit, commit);
        let commit = CommitId::new(commit.to_string()).expect("a digest in hexadecimal is an id");
        objects.publish(&commit)?;
        Ok(WrittenNote::Changed(commit))
    }
}

/// Adds the directories that change, from the deepest to the root; returns the root.
fn add_directories(
    objects: &mut NewObjects<'_>,
    path: &NotePath,
    leaves: &[(usize, ObjectId)],
    blob: ObjectId,
) -> Result<ObjectId, CommandError> {
    let bottom = path.directories.len() - 1;
    let leaf = |depth: usize| file_entry(path.leaf_name(depth), blob);
    let mut below: Option<ObjectId> = None;
    // The deepest of several notes stays, with the texts of all.
    let kept = match leaves.last() {
        Some((depth, _)) => Some(*depth),
        None if !path.has_room(bottom) => {
            below = Some(add_directory(objects, [leaf(bottom + 1)].iter()));
            None
        }
        None => Some(bottom),
    };
    for (depth, old) in path.directories.iter().enumerate().rev() {
        // Directories below the note stay as they are.
        if below.is_none() && kept != Some(depth) {
            continue;
        }
        let mut entries = NotesDirectory::clone(old);
        if leaves.iter().any(|(at, _)| *at == depth) {
            entries.remove(path.leaf_name(depth));
        }
        let added = match below {
            Some(id) if kept != Some(depth) => directory_entry(path.directory_name(depth), id),
            _ => leaf(depth),
        };
        if entries.get(&added.name).is_some_and(|other| other.is_tree() != added.is_tree()) {
            return Err(in_the_way(&added.name));
        }
        entries.insert(added.name.clone(), added);
        below = Some(add_directory(objects, entries.values()));
    }
    Ok(below.expect("a path has at least its root"))
}

fn add_directory<'a>(
    objects: &mut NewObjects<'_>,
    entries: impl Iterator<Item = &'a TreeEntry>,
) -> ObjectId {
    let mut entries: Vec<TreeEntry> = entries.cloned().collect();
    entries.sort_by_cached_key(TreeEntry::key);
    objects.add(ObjectKind::Tree, TreeObject::render(&entries))
}

impl NotePath {
    /// Whether a new note goes into the directory at this depth itself. The root has only directories, unless
    /// something else has the name.
    fn has_room(&self, depth: usize) -> bool {
        let directory = &self.directories[depth];
        let is_taken = directory.contains_key(self.directory_name(depth));
        let is_small = depth > 0 && directory.len() < MAX_ENTRIES;
        is_small || is_taken || !self.can_go_below(depth)
    }
}

fn file_entry(name: &[u8], id: ObjectId) -> TreeEntry {
    TreeEntry { name: name.to_owned(), mode: EntryMode::File.bits(), id }
}

fn directory_entry(name: &[u8], id: ObjectId) -> TreeEntry {
    TreeEntry { name: name.to_owned(), mode: EntryMode::Tree.bits(), id }
}

fn in_the_way(name: &[u8]) -> CommandError {
    CommandError::Unexpected {
        doing: "write a note".to_owned(),
        verb: "cat-file".to_owned(),
        detail: format!("{} is in the way in the notes", String::from_utf8_lossy(name)),
    }
}
