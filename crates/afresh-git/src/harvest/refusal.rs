//! Finds changes that git itself refuses, in `git fsck` and when it checks what is pushed: names that some file system
//! takes for `.git`, settings of submodules that would run a program, attributes that cannot be parsed.
//!
//! Such work cannot land, because hosts would refuse the branch. It is saved under other names, so that the user's
//! repository stays one that git accepts.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use afresh_core::pattern::fold_name;

use crate::git::command::lines;
use crate::harvest::HarvestRejection;
use crate::harvest::collect::{CollectedWork, WorkCollector};
use crate::objects::diff::change::{EntryMode, RawTreeChange};
use crate::objects::id::ObjectId;
use crate::objects::index::IndexFile;
use crate::objects::loose::ObjectKind;
use crate::objects::path_text::render_path;
use crate::objects::tree::{TreeEntry, TreeObject};
use crate::staging::pinned_pack::PACK_OPTIONS;
use crate::workspace::pool::PoolError;
use crate::workspace::remove::remove_file;

/// How many paths are checked; the rest of such a change is refused with them.
const MAX_CHECKED: usize = 1000;

/// Whether git has rules for a file or directory of this name. NTFS knows `.gitmodules` as `GI7EBA~1` too, and takes a
/// backslash for a slash.
pub(crate) fn has_rules_in_git(path: &[u8]) -> bool {
    path.split(|byte| *byte == b'/').any(|name| {
        let name = String::from_utf8_lossy(name);
        let folded = fold_name(&name);
        let is_short_name = folded.starts_with("gi") && folded.contains('~');
        folded.starts_with(".git") || is_short_name || name.contains('\\')
    })
}

impl WorkCollector<'_> {
    /// Rejects work that git would refuse; its tree has other names for such files from then on.
    pub(crate) fn reject_what_git_refuses(
        &self,
        work: &mut CollectedWork,
    ) -> Result<(), PoolError> {
        let named: Vec<&RawTreeChange> = work
            .raw
            .iter()
            .filter(|one| one.new_mode != EntryMode::Absent && has_rules_in_git(&one.path))
            .collect();
        if named.is_empty() {
            return Ok(());
        }
        let Some(rejection) = self.find_refusal(&named)? else { return Ok(()) };
        self.rename_in_index(&named)?;
        let (tree, raw) = self.write_tree()?;
        work.tree = tree;
        work.raw = raw;
        work.forget_comparison();
        work.rejection.get_or_insert(rejection);
        Ok(())
    }

    /// Has git check nothing but these files: what the user's own history contains is not the worker's fault.
    fn find_refusal(
        &self,
        named: &[&RawTreeChange],
    ) -> Result<Option<HarvestRejection>, PoolError> {
        let mut objects = BTreeMap::new();
        for one in named.iter().take(MAX_CHECKED) {
            self.write_trees_above(one, &mut objects)?;
        }
        let base = self.workspace.file("checked");
        let repository = &self.pool.repository;
        let git = |doing| repository.stage_objects_of(repository.git(doing));
        let call = git("pack files that git has rules for")?;
        let call = call.args(["pack-objects"]).args(PACK_OPTIONS).args([base.as_os_str()]);
        let answer = call.stdin(lines(objects.keys().map(String::as_str))).run_checked()?;
        let pack = self.workspace.file(&format!("checked-{}.pack", answer.line()?));
        let call = git("check files that git has rules for")?;
        let index = self.workspace.file("checked.idx");
        let call = call.args(["index-pack", "--fsck-objects", "-o"]);
        let answer = call.args([index.as_path(), pack.as_path()]).run()?;
        remove_pack(&pack)?;
        remove_pack(&index)?;
        if answer.status.success() {
            return Ok(None);
        }
        let complaint = answer.complaint();
        let Some((path, reason)) = parse_refusal(&complaint, &objects) else {
            return Err(answer.failure().into());
        };
        Ok(Some(HarvestRejection::RefusedByGit { path: render_path(path), reason }))
    }

    /// Writes trees that contain one changed file and nothing else.
    fn write_trees_above(
        &self,
        change: &RawTreeChange,
        objects: &mut BTreeMap<String, Vec<u8>>,
    ) -> Result<(), PoolError> {
        let Some(mut id) = ObjectId::parse(&change.new_id) else { return Ok(()) };
        let mut mode = change.new_mode.bits();
        if change.new_mode != EntryMode::Gitlink {
            objects.insert(change.new_id.clone(), change.path.clone());
        }
        for name in change.path.rsplit(|byte| *byte == b'/') {
            let entry = TreeEntry { name: name.to_owned(), mode, id };
            let tree = TreeObject::render(&[entry]);
            id = self.pool.repository.write_object(ObjectKind::Tree, &tree)?;
            mode = EntryMode::Tree.bits();
            objects.insert(id.to_string(), change.path.clone());
        }
        Ok(())
    }

    /// Gives these files names in our index that git has no rules for.
    fn rename_in_index(&self, named: &[&RawTreeChange]) -> Result<(), PoolError> {
        let index = IndexFile::load(&self.index, self.pool.repository.format);
        let is_taken = |path: &[u8]| index.as_ref().is_some_and(|index| index.get(path).is_some());
        let zero = self.pool.repository.format.zero();
        let mut script = Vec::new();
        for one in named {
            script.extend(format!("0 {zero} 0\t").into_bytes());
            script.extend(&one.path);
            script.push(0);
        }
        for one in named {
            let mut path = escape_names(&one.path);
            while is_taken(&path) {
                path.push(b'%');
            }
            script.extend(format!("{:o} {} 0\t", one.new_mode.bits(), one.new_id).into_bytes());
            script.extend(path);
            script.push(0);
        }
        let call = self.git("rename files that git refuses")?;
        call.args(["update-index", "-z", "--index-info"]).stdin(script).run_checked()?;
        Ok(())
    }
}

fn remove_pack(pack: &Path) -> Result<(), PoolError> {
    for extension in ["pack", "idx", "rev"] {
        remove_file(&pack.with_extension(extension))?;
    }
    Ok(())
}

/// The path and the reason in `error: object <id>: gitmodulesUrl: disallowed submodule url: -x`.
fn parse_refusal<'a>(
    complaint: &str,
    objects: &'a BTreeMap<String, Vec<u8>>,
) -> Option<(&'a [u8], String)> {
    complaint.lines().find_map(|line| {
        let (_, rest) = line.split_once("error: object ")?;
        let (id, reason) = rest.split_once(": ")?;
        Some((objects.get(id)?.as_slice(), reason.trim().to_owned()))
    })
}

/// The path with each name that git has rules for escaped as in a URL, its dot too.
pub(crate) fn escape_names(path: &[u8]) -> Vec<u8> {
    let escape = |name: &[u8]| {
        let mut text = String::new();
        for byte in name {
            if byte.is_ascii_alphanumeric() {
                text.push(char::from(*byte));
            } else {
                // Writing to a String cannot fail.
                let _ = write!(text, "%{byte:02X}");
            }
        }
        text.into_bytes()
    };
    let names = path.split(|byte| *byte == b'/');
    let names: Vec<Vec<u8>> = names
        .map(|name| if has_rules_in_git(name) { escape(name) } else { name.to_owned() })
        .collect();
    names.join(&b'/')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_git_has_rules_for_are_recognised_and_escaped() {
        for (name, escaped) in [
            (".gitmodules", "%2Egitmodules"),
            ("a/.GitModules ", "a/%2EGitModules%20"),
            (".g\u{200c}it/x", "%2Eg%E2%80%8Cit/x"),
            ("git~1", "git%7E1"),
            ("a\\.git\\x", "a%5C%2Egit%5Cx"),
        ] {
            assert!(has_rules_in_git(name.as_bytes()), "{name}");
            assert_eq!(String::from_utf8_lossy(&escape_names(name.as_bytes())), escaped);
        }
        for plain in ["a.txt", "src/lib.rs", ".github/x", "legit"] {
            let has_rules = has_rules_in_git(plain.as_bytes());
            assert_eq!(has_rules, plain.starts_with(".git"), "{plain}");
        }
    }
}
