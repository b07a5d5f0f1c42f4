//! A tree object: the entries of one directory, as git stores them.

use afresh_core::ids::{CommitId, TreeId};

use crate::git::command::CommandError;
use crate::git::repository::{ObjectFormat, Repository};
use crate::objects::id::ObjectId;

const TYPE: u32 = 0o170_000;
const DIRECTORY: u32 = 0o040_000;
const REGULAR: u32 = 0o100_000;

/// One entry of a directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TreeEntry {
    pub(crate) name: Vec<u8>,
    /// As git interprets it; what is stored may be an older spelling.
    pub(crate) mode: u32,
    pub(crate) id: ObjectId,
}

impl TreeEntry {
    pub(crate) fn is_tree(&self) -> bool {
        self.mode & TYPE == DIRECTORY
    }

    pub(crate) fn is_file(&self) -> bool {
        self.mode & TYPE == REGULAR
    }

    /// Git sorts a directory as if its name ended with a slash.
    pub(crate) fn key(&self) -> Vec<u8> {
        sort_key(&self.name, self.is_tree())
    }
}

pub(crate) fn sort_key(name: &[u8], is_tree: bool) -> Vec<u8> {
    let mut key = name.to_owned();
    if is_tree {
        key.push(b'/');
    }
    key
}

/// The entries of a directory, and whether they are written as git writes them today.
#[derive(Debug, Clone, Default)]
pub(crate) struct TreeObject {
    pub(crate) entries: Vec<TreeEntry>,
    pub(crate) is_canonical: bool,
}

impl TreeObject {
    pub(crate) fn parse(content: &[u8], format: ObjectFormat) -> Option<Self> {
        let mut tree = Self { entries: Vec::new(), is_canonical: true };
        let mut rest = content;
        while !rest.is_empty() {
            let space = rest.iter().position(|byte| *byte == b' ')?;
            let stored = std::str::from_utf8(&rest[..space]).ok()?;
            let bits = u32::from_str_radix(stored, 8).ok()?;
            rest = &rest[space + 1..];
            let end = rest.iter().position(|byte| *byte == 0)?;
            let name = rest[..end].to_owned();
            let id = rest.get(end + 1..end + 1 + format.id_bytes())?;
            rest = &rest[end + 1 + format.id_bytes()..];
            let mode = canonical(bits);
            tree.is_canonical &= format!("{mode:o}") == stored && !name.is_empty();
            tree.entries.push(TreeEntry { name, mode, id: ObjectId::new(id) });
        }
        let sorted = tree.entries.is_sorted_by(|a, b| a.key() < b.key());
        tree.is_canonical &= sorted;
        Some(tree)
    }

    /// The tree as an object; the entries must be in git's order.
    pub(crate) fn render(entries: &[TreeEntry]) -> Vec<u8> {
        let mut content = Vec::new();
        for entry in entries {
            content.extend(format!("{:o} ", entry.mode).into_bytes());
            content.extend(&entry.name);
            content.push(0);
            content.extend(entry.id.as_bytes());
        }
        content
    }
}

/// The same id, as bytes.
pub(crate) fn tree_object_id(id: &TreeId) -> ObjectId {
    ObjectId::parse(id.as_str()).expect("an id is a digest in hexadecimal")
}

impl Repository {
    pub(crate) fn tree_object_id_of(&self, commit: &CommitId) -> Result<ObjectId, CommandError> {
        self.commit_tree(commit).map(|tree| tree_object_id(&tree))
    }

    /// The entries of a tree that must exist.
    pub(crate) fn read_tree(&self, id: ObjectId) -> Result<TreeObject, CommandError> {
        let id = id.to_string();
        // Git has the empty tree without storing it.
        if id == self.format.empty_tree() {
            return Ok(TreeObject { entries: Vec::new(), is_canonical: true });
        }
        let found = self.read_object(&id)?.filter(|object| object.kind == "tree");
        let tree = found.and_then(|object| TreeObject::parse(&object.content, self.format));
        tree.ok_or_else(|| CommandError::Unexpected {
            doing: format!("read the tree {id}"),
            verb: "cat-file".to_owned(),
            detail: "it is missing or damaged".to_owned(),
        })
    }
}

/// The mode as git interprets what it finds in a tree.
fn canonical(bits: u32) -> u32 {
    match bits & TYPE {
        0o100_000 if bits & 0o100 == 0 => 0o100_644,
        0o100_000 => 0o100_755,
        0o120_000 => 0o120_000,
        DIRECTORY => DIRECTORY,
        _ => 0o160_000,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tree_is_parsed_as_it_was_rendered() {
        let entry = |name: &str, mode, digit: &str| TreeEntry {
            name: name.as_bytes().to_owned(),
            mode,
            id: ObjectId::parse(&digit.repeat(40)).unwrap(),
        };
        let entries = vec![
            entry("a.b", 0o100_644, "1"),
            entry("a", DIRECTORY, "f"),
            entry("b", 0o120_000, "0"),
        ];
        let content = TreeObject::render(&entries);
        let tree = TreeObject::parse(&content, ObjectFormat::Sha1).unwrap();
        assert!(tree.is_canonical);
        assert_eq!(tree.entries, entries);
        for end in 1..content.len() {
            let cut = TreeObject::parse(&content[..end], ObjectFormat::Sha1);
            assert!(cut.is_none_or(|cut| cut.entries.len() < 3), "{end} bytes");
        }
    }

    #[test]
    fn old_spellings_of_modes_are_recognised() {
        let mut content = b"100664 x\0".to_vec();
        content.extend([0; 20]);
        let tree = TreeObject::parse(&content, ObjectFormat::Sha1).unwrap();
        assert_eq!((tree.entries[0].mode, tree.is_canonical), (0o100_644, false));
    }
}
