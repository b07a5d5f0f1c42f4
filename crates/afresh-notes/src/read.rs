//! The notes of a run, as they are.

use afresh_core::ids::CommitId;
use afresh_git::ref_names::RECEIPT_NOTES;
use afresh_git::{NoteContent, NotesReader, RefError, Repository};
use afresh_proof::MAX_NOTE_BYTES;

/// The notes of the first-parent commits after `base`, the oldest first; commits without a note have none.
pub fn read_notes(
    repository: &Repository,
    base: &CommitId,
    tip: &CommitId,
) -> Result<Vec<Vec<u8>>, RefError> {
    let Some(notes) = repository.read_ref(RECEIPT_NOTES)? else { return Ok(Vec::new()) };
    let mut reader = NotesReader::open(repository, &notes)?;
    let mut found = Vec::new();
    for it in repository.first_parents(tip, Some(base))?.iter().rev() {
        if let NoteContent::Text(text) = reader.read(&it.commit, MAX_NOTE_BYTES)? {
            found.push(text);
        }
    }
    Ok(found)
}
