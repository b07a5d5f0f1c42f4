//! Notes: texts that git keeps beside commits, in a tree whose paths are the ids of the commits.
//!
//! Git splits an id into directories of two digits where there are many notes, and reads any such splitting, even a
//! mixed one. So do we. A new note goes where the directories lead, and into a directory of its own where there is
//! none: one more note changes two small trees, however many notes there are.
//!
//! This module reads notes and writes changed ones. Which ref has them, and moving it, is the caller's responsibility.
//!
//! | module | what it holds |
//! | --- | --- |
//! | `read` | reading the notes of many commits |
//! | `path` | where the note of a commit is in the tree |
//! | `write` | writing notes with one more text |

mod path;
pub(crate) mod read;
pub(crate) mod write;
