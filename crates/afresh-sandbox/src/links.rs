//! Symbolic links on the way to a path.
//!
//! Rules name real paths. A program that is started by a path with links (`agents/claude/…`, `~/.local/bin/tool`)
//! needs those links too, wherever the sandbox replaces a directory by an empty one.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::fs;
use std::path::{Component, Path, PathBuf};

/// The kernel's own limit for one path.
const MAX_LINKS: usize = 40;

/// A link at its real location, and its text.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct PathLink {
    pub(crate) at: PathBuf,
    pub(crate) target: PathBuf,
}

/// All links that the kernel follows to reach `path`, in that order; empty if the path does not exist.
pub(crate) fn followed_links(path: &Path) -> Vec<PathLink> {
    let mut links = Vec::new();
    let mut reached = PathBuf::from("/");
    let mut ahead: VecDeque<OsString> = names(path);
    while let Some(name) = ahead.pop_front() {
        if name == ".." {
            reached.pop();
            continue;
        }
        let next = reached.join(&name);
        let Ok(found) = fs::symlink_metadata(&next) else { return Vec::new() };
        if !found.is_symlink() {
            reached = next;
            continue;
        }
        let Ok(target) = fs::read_link(&next) else { return Vec::new() };
        if links.len() == MAX_LINKS {
            return Vec::new();
        }
        if target.is_absolute() {
            reached = PathBuf::from("/");
        }
        let mut inserted = names(&target);
        inserted.append(&mut ahead);
        ahead = inserted;
        links.push(PathLink { at: next, target });
    }
    links
}

fn names(path: &Path) -> VecDeque<OsString> {
    let name = |part: Component<'_>| match part {
        Component::Normal(name) => Some(name.to_owned()),
        Component::ParentDir => Some("..".into()),
        Component::RootDir | Component::CurDir | Component::Prefix(_) => None,
    };
    path.components().filter_map(name).collect()
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    /// B22: relative and absolute links, links to links, and a directory that is a link.
    #[test]
    fn every_link_on_the_way_is_found() {
        let directory = tempfile::tempdir().expect("a directory");
        let directory = directory.path().canonicalize().expect("a path");
        fs::create_dir_all(directory.join("tool-1/bin")).expect("directories");
        fs::write(directory.join("tool-1/run.js"), "").expect("written");
        symlink("../run.js", directory.join("tool-1/bin/run")).expect("a link");
        symlink("tool-1", directory.join("tool")).expect("a link");
        symlink(directory.join("tool/bin/run"), directory.join("run")).expect("a link");
        let links = followed_links(&directory.join("run"));
        let at: Vec<&Path> = links.iter().map(|link| link.at.as_path()).collect();
        assert_eq!(
            at,
            [directory.join("run"), directory.join("tool"), directory.join("tool-1/bin/run")]
        );
        assert_eq!(links[2].target, Path::new("../run.js"));
        assert_eq!(followed_links(&directory.join("tool-1/run.js")), []);
        symlink("loop", directory.join("loop")).expect("a link");
        assert_eq!(followed_links(&directory.join("loop")), []);
        assert_eq!(followed_links(&directory.join("missing")), []);
    }
}
