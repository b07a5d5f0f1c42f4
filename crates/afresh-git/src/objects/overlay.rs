//! A tree with some files replaced, without a checkout and without git.

use std::collections::BTreeMap;

use afresh_core::ids::TreeId;

use crate::git::command::CommandError;
use crate::git::repository::Repository;
use crate::objects::id::ObjectId;
use crate::objects::loose::ObjectKind;
use crate::objects::tree::{TreeEntry, TreeObject, sort_key, tree_object_id};
use crate::workspace::pool::PoolError;

const REGULAR_FILE: u32 = 0o100_644;
const DIRECTORY: u32 = 0o040_000;

/// Which part of a tree is listed.
#[derive(Debug, Clone, Copy)]
pub struct TreeSelection<'a> {
    /// Where the listing starts, without a slash at its end; empty: at the root.
    pub directory: &'a str,
    /// Whether a directory of this name is searched.
    pub searches: fn(&str) -> bool,
    /// Whether a file of this name is listed.
    pub lists: fn(&str) -> bool,
    /// How deep directories are searched.
    pub max_depth: usize,
    /// How many files are listed.
    pub max_files: usize,
}

impl Repository {
    /// The regular files of a part of a tree, with their objects, by path from the start of the listing. Links,
    /// submodules and names that are not UTF-8 are left out.
    pub fn list_tree_files(
        &self,
        tree: &TreeId,
        selection: &TreeSelection<'_>,
    ) -> Result<BTreeMap<String, String>, CommandError> {
        let mut found = BTreeMap::new();
        let Some(start) = self.find_directory(tree_object_id(tree), selection.directory)? else {
            return Ok(found);
        };
        let mut open = vec![(start, String::new(), 0)];
        while let Some((id, front, depth)) = open.pop() {
            for entry in self.read_tree(id)?.entries {
                let Ok(name) = String::from_utf8(entry.name.clone()) else { continue };
                if found.len() >= selection.max_files {
                    return Ok(found);
                }
                if entry.is_file() && (selection.lists)(&name) {
                    found.insert(format!("{front}{name}"), entry.id.to_string());
                } else if entry.is_tree()
                    && depth < selection.max_depth
                    && (selection.searches)(&name)
                {
                    open.push((entry.id, format!("{front}{name}/"), depth + 1));
                }
            }
        }
        Ok(found)
    }

    fn find_directory(
        &self,
        root: ObjectId,
        directory: &str,
    ) -> Result<Option<ObjectId>, CommandError> {
        let mut at = root;
        for part in directory.split('/').filter(|part| !part.is_empty()) {
            let entries = self.read_tree(at)?.entries;
            let own = entries.into_iter().find(|entry| entry.name == part.as_bytes());
            let Some(own) = own.filter(TreeEntry::is_tree) else { return Ok(None) };
            at = own.id;
        }
        Ok(Some(at))
    }

    /// Stages a tree that has these files in addition to, or in place of, those of another one; all else, also the
    /// modes of files, stays. `None` if something that is no regular file is in the way.
    pub fn overlay_tree(
        &self,
        tree: &TreeId,
        files: &BTreeMap<String, Vec<u8>>,
    ) -> Result<Option<TreeId>, PoolError> {
        let files: Vec<(&str, &[u8])> =
            files.iter().map(|(path, bytes)| (path.as_str(), bytes.as_slice())).collect();
        let new = self.overlay(Some(tree_object_id(tree)), &files)?;
        Ok(new.map(|id| TreeId::new(id.to_string()).expect("a digest in hexadecimal is an id")))
    }

    fn overlay(
        &self,
        tree: Option<ObjectId>,
        files: &[(&str, &[u8])],
    ) -> Result<Option<ObjectId>, PoolError> {
        let old = tree.map_or(Ok(TreeObject::default()), |id| self.read_tree(id))?;
        let mut entries: BTreeMap<Vec<u8>, TreeEntry> =
            old.entries.into_iter().map(|entry| (entry.name.clone(), entry)).collect();
        let mut below: BTreeMap<&str, Vec<(&str, &[u8])>> = BTreeMap::new();
        for (path, bytes) in files {
            if let Some((directory, rest)) = path.split_once('/') {
                below.entry(directory).or_default().push((rest, bytes));
                continue;
            }
            let known = entries.get(path.as_bytes());
            if known.is_some_and(|known| !known.is_file()) {
                return Ok(None);
            }
            let mode = known.map_or(REGULAR_FILE, |known| known.mode);
            let id = self.write_object(ObjectKind::Blob, bytes)?;
            let name = path.as_bytes().to_owned();
            entries.insert(name.clone(), TreeEntry { name, mode, id });
        }
        for (directory, inside) in below {
            let known = entries.get(directory.as_bytes());
            if known.is_some_and(|known| !known.is_tree()) {
                return Ok(None);
            }
            let Some(id) = self.overlay(known.map(|known| known.id), &inside)? else {
                return Ok(None);
            };
            let name = directory.as_bytes().to_owned();
            entries.insert(name.clone(), TreeEntry { name, mode: DIRECTORY, id });
        }
        let mut entries: Vec<TreeEntry> = entries.into_values().collect();
        entries.sort_by_cached_key(|entry| sort_key(&entry.name, entry.is_tree()));
        Ok(Some(self.write_object(ObjectKind::Tree, &TreeObject::render(&entries))?))
    }
}
