//! Reads commits without any checkout.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

use afresh_core::ids::{CommitId, TreeId};

use crate::git::command::{CommandError, GitCommand};
use crate::git::repository::{Repository, parse_id};
use crate::harvest::paths;
use crate::objects::diff::change::{self, EntryMode, TreeChange};
use crate::objects::path_text::{parse_path, render_path};

/// One file of a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommittedFile {
    /// Bytes that are not UTF-8 are escaped, as in `caf\xe9.txt`.
    pub path: String,
    pub mode: EntryMode,
    /// Its content, as an object.
    pub id: String,
}

/// One file of a commit, and how large it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MeasuredFile {
    pub file: CommittedFile,
    pub bytes: u64,
}

/// One first-parent commit of a branch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FirstParentCommit {
    pub commit: CommitId,
    pub tree: TreeId,
    pub parents: Vec<CommitId>,
    /// The trailer lines of the message, one `Key: value` per line.
    pub trailers: String,
}

impl Repository {
    pub fn exists(&self, commit: &CommitId) -> Result<bool, CommandError> {
        Ok(self.object_kind(commit.as_str())?.as_deref() == Some("commit"))
    }

    /// A commit is its own ancestor.
    pub fn is_ancestor(&self, older: &CommitId, newer: &CommitId) -> Result<bool, CommandError> {
        if older == newer {
            return Ok(true);
        }
        let call = self.git(format!("check whether {older} is an ancestor of {newer}"));
        let verb = ["merge-base", "--is-ancestor"];
        let answer = call.args(verb).args([older.as_str(), newer.as_str()]).run()?;
        if answer.code() == Some(1) { Ok(false) } else { answer.success().map(|_| true) }
    }

    pub fn commit_tree(&self, commit: &CommitId) -> Result<TreeId, CommandError> {
        let found = self.read_object(commit.as_str())?.filter(|object| object.kind == "commit");
        let text = found.map(|object| String::from_utf8_lossy(&object.content).into_owned());
        let first = text.as_deref().and_then(|text| text.lines().next()?.strip_prefix("tree "));
        let odd = |detail| CommandError::Unexpected {
            doing: format!("find the tree of {commit}"),
            verb: "cat-file".to_owned(),
            detail,
        };
        parse_id(first.ok_or_else(|| odd("there is no such commit".to_owned()))?, odd)
    }

    /// When a commit was made, in seconds since 1970.
    pub fn committed_at(&self, commit: &CommitId) -> Result<u64, CommandError> {
        let found = self.read_object(commit.as_str())?.filter(|object| object.kind == "commit");
        let text = found.map(|object| String::from_utf8_lossy(&object.content).into_owned());
        let mut head =
            text.as_deref().unwrap_or_default().lines().take_while(|line| !line.is_empty());
        // `committer NAME <EMAIL> SECONDS ZONE`
        let line = head.find_map(|line| line.strip_prefix("committer "));
        let seconds = line.and_then(|line| line.rsplit(' ').nth(1)?.parse().ok());
        seconds.ok_or_else(|| CommandError::Unexpected {
            doing: format!("find the time of {commit}"),
            verb: "cat-file".to_owned(),
            detail: "there is no such commit, or it has no time".to_owned(),
        })
    }

    /// The first parent of a commit; none of a root commit, and none if there is no such commit.
    pub fn first_parent(&self, commit: &CommitId) -> Result<Option<CommitId>, CommandError> {
        let found = self.read_object(commit.as_str())?.filter(|object| object.kind == "commit");
        let text = found.map(|object| String::from_utf8_lossy(&object.content).into_owned());
        let mut head =
            text.as_deref().unwrap_or_default().lines().take_while(|line| !line.is_empty());
        let parent = head.find_map(|line| line.strip_prefix("parent "));
        Ok(parent.and_then(|id| id.parse().ok()))
    }

    /// The parents of a commit that must exist.
    pub fn parents(&self, commit: &CommitId) -> Result<Vec<CommitId>, CommandError> {
        let found = self.read_object(commit.as_str())?.filter(|object| object.kind == "commit");
        let found = found.ok_or_else(|| CommandError::Unexpected {
            doing: format!("find the parents of {commit}"),
            verb: "cat-file".to_owned(),
            detail: "there is no such commit".to_owned(),
        })?;
        let text = String::from_utf8_lossy(&found.content).into_owned();
        let head = text.lines().take_while(|line| !line.is_empty());
        let parents = head.filter_map(|line| line.strip_prefix("parent "));
        Ok(parents.filter_map(|id| id.parse().ok()).collect())
    }

    /// The content of a file, or the target of a symlink; `None` if the commit has no such file.
    pub fn show_file(
        &self,
        commit: &CommitId,
        path: &str,
    ) -> Result<Option<Vec<u8>>, CommandError> {
        // Git interprets `./x` and `../x` relative to a directory that does not exist here.
        if !paths::is_safe_relative_path(path) {
            return Ok(None);
        }
        let call = self.git(format!("read {path} of {commit}"));
        let path = parse_path(path).unwrap_or_else(|| path.as_bytes().to_owned());
        let name = [commit.as_str().as_bytes(), b":", path.as_slice(), b"\0"].concat();
        let answer = call.args(["cat-file", "--batch", "-z"]).stdin(name).run_checked()?;
        let Some(end) = answer.stdout.iter().position(|byte| *byte == b'\n') else {
            return Err(answer.unexpected("no header line"));
        };
        let header = String::from_utf8_lossy(&answer.stdout[..end]).into_owned();
        let [_, "blob", size] = header.split(' ').collect::<Vec<_>>()[..] else {
            return Ok(None);
        };
        let size: usize = size.parse().map_err(|_| answer.unexpected(header.clone()))?;
        let content = answer.stdout.get(end + 1..end + 1 + size);
        content.map(|bytes| Some(bytes.to_owned())).ok_or_else(|| answer.unexpected(header))
    }

    /// Those of the paths that a tree does not have.
    pub fn missing_paths(
        &self,
        tree: &TreeId,
        paths: &[String],
    ) -> Result<Vec<String>, CommandError> {
        let asked: Vec<&String> =
            paths.iter().filter(|path| paths::is_safe_relative_path(path)).collect();
        if asked.is_empty() {
            return Ok(Vec::new());
        }
        let call = self.git(format!("look for files in the tree {tree}"));
        let names: Vec<u8> = asked
            .iter()
            .flat_map(|path| {
                let path = parse_path(path).unwrap_or_else(|| path.as_bytes().to_owned());
                [tree.as_str().as_bytes(), b":", path.as_slice(), b"\0"].concat()
            })
            .collect();
        let verb = ["cat-file", "--batch-check=%(objecttype)", "-z"];
        let answer = call.args(verb).stdin(names).run_checked()?;
        let lines: Vec<&[u8]> = answer.stdout.split(|byte| *byte == b'\n').collect();
        // The answer for a missing path repeats it. Paths of plans hold no line ends.
        if lines.len() != asked.len() + 1 {
            return Err(answer.unexpected("not one line for each path"));
        }
        let exists = |line: &[u8]| [&b"blob"[..], b"tree", b"commit"].contains(&line);
        let missing = asked.into_iter().zip(&lines).filter(|(_, line)| !exists(line));
        Ok(missing.map(|(path, _)| path.clone()).collect())
    }

    /// The newest of these commits that is neither the base nor one of its ancestors.
    pub fn commit_outside(
        &self,
        base: &CommitId,
        commits: &[CommitId],
    ) -> Result<Option<CommitId>, CommandError> {
        if commits.is_empty() {
            return Ok(None);
        }
        let call = self.git(format!("look for earlier work in {base}"));
        let call = call.args(["rev-list", "--max-count=1"]);
        let call = call.args(commits.iter().map(CommitId::as_str));
        let answer = call.args(["--not", base.as_str(), "--"]).run_checked()?;
        let line = String::from_utf8_lossy(&answer.stdout).trim().to_owned();
        if line.is_empty() {
            return Ok(None);
        }
        parse_id(&line, |detail| answer.unexpected(detail)).map(Some)
    }

    /// Every file of a commit, in git's order.
    pub fn list_files(&self, commit: &CommitId) -> Result<Vec<CommittedFile>, CommandError> {
        let call = self.git(format!("list the files of {commit}"));
        let answer =
            call.args(["ls-tree", "-r", "-z", "--full-tree", commit.as_str()]).run_checked()?;
        let parse = |field: &[u8]| {
            let tab = field.iter().position(|byte| *byte == b'\t')?;
            let header = std::str::from_utf8(&field[..tab]).ok()?;
            let mut parts = header.split(' ');
            let mode = EntryMode::parse(parts.next()?)?;
            let id = parts.nth(1)?.to_owned();
            Some(CommittedFile { path: render_path(&field[tab + 1..]), mode, id })
        };
        let odd = |field| answer.unexpected(String::from_utf8_lossy(field));
        answer.fields().map(|field| parse(field).ok_or_else(|| odd(field))).collect()
    }

    /// Every file of a commit with its size, in git's order; without submodules, which have none.
    pub fn measure_files(&self, commit: &CommitId) -> Result<Vec<MeasuredFile>, CommandError> {
        let call = self.git(format!("measure the files of {commit}"));
        let verb = ["ls-tree", "-r", "-l", "-z", "--full-tree"];
        let answer = call.args(verb).args([commit.as_str()]).run_checked()?;
        let parse = |field: &[u8]| {
            let tab = field.iter().position(|byte| *byte == b'\t')?;
            let header = std::str::from_utf8(&field[..tab]).ok()?;
            let [mode, _, id, size] = header.split_whitespace().collect::<Vec<_>>()[..] else {
                return None;
            };
            let (path, id) = (render_path(&field[tab + 1..]), id.to_owned());
            let file = CommittedFile { path, mode: EntryMode::parse(mode)?, id };
            // `-` stands for the size of a submodule.
            Some(size.parse().ok().map(|bytes| MeasuredFile { file, bytes }))
        };
        let odd = |field| answer.unexpected(String::from_utf8_lossy(field));
        let parsed = answer.fields().map(|field| parse(field).ok_or_else(|| odd(field)));
        parsed.filter_map(Result::transpose).collect()
    }

    /// The files of the user's checkout that git tracks, and those that are new and not ignored,
    /// relative to its root. None in a bare repository.
    pub fn checkout_files(&self) -> Result<Vec<PathBuf>, CommandError> {
        let Some(root) = self.root() else { return Ok(Vec::new()) };
        let call = self
            .mark_as_ours(GitCommand::scrubbed(&self.program, "list the files of your checkout"));
        let call = call.env("GIT_DIR", &self.git_dir).env("GIT_WORK_TREE", root).directory(root);
        let verb = ["ls-files", "-z", "--cached", "--others", "--exclude-standard", "--full-name"];
        let answer = call.args(verb).run_checked()?;
        let mut files: Vec<PathBuf> =
            answer.fields().map(|field| PathBuf::from(OsStr::from_bytes(field))).collect();
        // Unmerged paths are listed once for each side.
        files.sort();
        files.dedup();
        Ok(files)
    }

    /// The mode of each path and of everything on the way to it; missing paths are left out.
    ///
    /// A symlink on the way is reported as one: a path through it leaves the tree (B03).
    pub fn entry_modes(
        &self,
        commit: &CommitId,
        paths: &[String],
    ) -> Result<BTreeMap<String, EntryMode>, CommandError> {
        let wanted: std::collections::BTreeSet<&str> =
            paths.iter().flat_map(|path| with_parents(path)).collect();
        let mut modes = BTreeMap::new();
        for file in self.list_files(commit)? {
            for path in with_parents(&file.path).filter(|path| wanted.contains(path)) {
                let mode = if path == file.path { file.mode } else { EntryMode::Tree };
                modes.insert(path.to_owned(), mode);
            }
        }
        Ok(modes)
    }

    /// First-parent commits from `from` down to `until`, without it (all if `None`), newest first.
    pub fn first_parents(
        &self,
        from: &CommitId,
        until: Option<&CommitId>,
    ) -> Result<Vec<FirstParentCommit>, CommandError> {
        self.log_first_parents(from, until, &[])
    }

    /// The same, but not more than `limit`.
    pub fn first_parents_at_most(
        &self,
        from: &CommitId,
        until: Option<&CommitId>,
        limit: usize,
    ) -> Result<Vec<FirstParentCommit>, CommandError> {
        self.log_first_parents(from, until, &[&format!("--max-count={limit}")])
    }

    fn log_first_parents(
        &self,
        from: &CommitId,
        until: Option<&CommitId>,
        options: &[&str],
    ) -> Result<Vec<FirstParentCommit>, CommandError> {
        let call = self.git(format!("read the history of {from}"));
        let format = "--format=%H%n%T%n%P%n%(trailers:only=true,unfold=true)";
        let mut call = call.args(["log", "-z", "--first-parent", "--no-notes", format]);
        call = call.args(options).args([from.as_str()]);
        if let Some(until) = until {
            call = call.args([format!("^{until}")]);
        }
        let answer = call.args(["--"]).run_checked()?;
        let parse = |field: &[u8]| {
            let text = String::from_utf8_lossy(field).into_owned();
            let mut lines = text.splitn(4, '\n');
            let commit = lines.next()?.parse().ok()?;
            let tree = lines.next()?.parse().ok()?;
            let parents =
                lines.next()?.split_whitespace().map(str::parse).collect::<Result<_, _>>();
            let trailers = lines.next().unwrap_or_default().trim().to_owned();
            Some(FirstParentCommit { commit, tree, parents: parents.ok()?, trailers })
        };
        let odd = |field| answer.unexpected(String::from_utf8_lossy(field));
        answer.fields().map(|field| parse(field).ok_or_else(|| odd(field))).collect()
    }

    /// What differs between two commits. Symlink targets are not read.
    pub fn diff(&self, old: &CommitId, new: &CommitId) -> Result<Vec<TreeChange>, CommandError> {
        let raw = change::diff_with_git(
            self.git(format!("compare {old} and {new}")),
            old.as_str(),
            new.as_str(),
        )?;
        Ok(raw.into_iter().map(|one| one.into_change(&BTreeMap::new())).collect())
    }

    /// What differs between a commit and a tree, as a patch.
    pub fn diff_text(&self, old: &CommitId, new: &TreeId) -> Result<Vec<u8>, CommandError> {
        let call = self.git(format!("compare {old} and {new}"));
        let options = ["-p", "-r", "--full-index", "--no-renames", "--no-color"];
        let plain = ["--no-ext-diff", "--no-textconv", "--src-prefix=a/", "--dst-prefix=b/"];
        let call = call.args(["diff-tree"]).args(options).args(plain);
        Ok(call.args([old.as_str(), new.as_str()]).run_checked()?.stdout)
    }

    /// The paths that differ between two commits.
    pub fn diff_names(&self, old: &CommitId, new: &CommitId) -> Result<Vec<String>, CommandError> {
        Ok(self.diff(old, new)?.into_iter().map(|change| change.path).collect())
    }
}

/// `a/b/c` gives `a`, `a/b`, `a/b/c`.
fn with_parents(path: &str) -> impl Iterator<Item = &str> {
    let slashes = path.match_indices('/').map(|(at, _)| at);
    slashes.chain([path.len()]).map(|end| &path[..end])
}
