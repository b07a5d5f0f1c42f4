//! Reads the notes of many commits.

use afresh_core::ids::CommitId;

use super::path::DirectoryCache;
use crate::git::command::CommandError;
use crate::git::repository::Repository;
use crate::objects::id::ObjectId;

/// The note of a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NoteContent {
    Missing,
    /// It has more bytes than the caller reads.
    TooLarge,
    Text(Vec<u8>),
}

/// The notes of one commit of a notes ref.
#[derive(Debug)]
pub struct NotesReader<'a> {
    repository: &'a Repository,
    root: ObjectId,
    directories: DirectoryCache,
}

impl<'a> NotesReader<'a> {
    /// Opens the notes that this commit of a notes ref has.
    pub fn open(repository: &'a Repository, tip: &CommitId) -> Result<Self, CommandError> {
        let root = repository.tree_object_id_of(tip)?;
        Ok(Self { repository, root, directories: DirectoryCache::default() })
    }

    /// The note of a commit. Several of the same commit are one text, as git itself shows them.
    pub fn read(
        &mut self,
        commit: &CommitId,
        max_bytes: usize,
    ) -> Result<NoteContent, CommandError> {
        let path = self.directories.find(self.repository, self.root, commit.as_str())?;
        read_leaves(self.repository, &path.leaves(), max_bytes)
    }
}

pub(super) fn read_leaves(
    repository: &Repository,
    leaves: &[(usize, ObjectId)],
    max_bytes: usize,
) -> Result<NoteContent, CommandError> {
    if leaves.is_empty() {
        return Ok(NoteContent::Missing);
    }
    let mut text: Vec<u8> = Vec::new();
    for (_, id) in leaves {
        let id = id.to_string();
        let Some(blob) = repository.blob(&id, max_bytes)? else {
            return match repository.object_kind(&id)? {
                Some(_) => Ok(NoteContent::TooLarge),
                None => Err(missing(&id)),
            };
        };
        if !text.is_empty() && !text.ends_with(b"\n") {
            text.push(b'\n');
        }
        text.extend(blob);
        if text.len() > max_bytes {
            return Ok(NoteContent::TooLarge);
        }
    }
    Ok(NoteContent::Text(text))
}

fn missing(id: &str) -> CommandError {
    CommandError::Unexpected {
        doing: "read a note".to_owned(),
        verb: "cat-file".to_owned(),
        detail: format!("the blob {id} is missing"),
    }
}
