//! Which formats are read, and how each is known by what is there.

use crate::folder::Folder;
use crate::native::Reading;

/// The formats, by the names that `--format` takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Format {
    Native,
}

/// What one fresh worker gets, where a format has both.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Unit {
    /// A plan file; its tasks are steps.
    #[default]
    Plan,
    /// Every task of a plan file.
    Task,
}

/// How to read.
#[derive(Debug, Clone, Copy, Default)]
pub struct Wishes {
    pub unit: Unit,
}

/// A reader: whether it knows what is there, and what that says.
///
/// Both are pure. `recognises` looks at paths, and at text only where paths do not tell.
#[derive(Debug, Clone, Copy)]
pub struct FolderFormat {
    pub format: Format,
    pub name: &'static str,
    pub recognises: fn(&dyn Folder) -> bool,
    pub read: fn(&dyn Folder, Wishes) -> Reading,
}
