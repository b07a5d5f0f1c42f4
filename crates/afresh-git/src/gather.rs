//! From a worker's checkout to a tree and commits, one git process after the other.
//!
//! Whether the slot may be harvested, and keeping the result, is `harvest`.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use afresh_core::ids::{CommitId, TreeId};

use crate::change::{self, Mode, RawChange};
use crate::command::{Call, CommandError, Finished, lines};
use crate::commit::NewCommit;
use crate::error::{Context, FileError};
use crate::harvest::{HarvestRequest, Refusal};
use crate::index::Index;
use crate::keep::Patterns;
use crate::listed::{Listed, nul_separated};
use crate::pool::{Pool, PoolError};
use crate::remove::remove_file;
use crate::repository::parse_id;
use crate::steps::{self, NoSteps};
use crate::survey::{Survey, survey, told};
use crate::workspace::{Workspace, copy_index};

/// Everything known after the commits are made.
#[derive(Debug)]
pub(crate) struct Gathered {
    pub(crate) tree: TreeId,
    pub(crate) raw: Vec<RawChange>,
    pub(crate) targets: BTreeMap<String, String>,
    pub(crate) commits: Vec<CommitId>,
    pub(crate) notes: Vec<String>,
    pub(crate) refusal: Option<Refusal>,
}

/// One harvest on its way.
#[derive(Debug)]
pub(crate) struct Harvester<'a> {
    pool: &'a Pool,
    workspace: &'a Workspace,
    request: &'a HarvestRequest<'a>,
    keep: Patterns,
    index: PathBuf,
    excludes: PathBuf,
}

impl<'a> Harvester<'a> {
    pub(crate) fn new(
        pool: &'a Pool,
        workspace: &'a Workspace,
        request: &'a HarvestRequest<'a>,
    ) -> Self {
        let (index, excludes) = (workspace.file("harvest.index"), workspace.file("excludes"));
        let keep = Patterns::new(request.keep);
        Self { pool, workspace, request, keep, index, excludes }
    }

    pub(crate) fn survey(&self) -> Result<Survey, FileError> {
        let aside = self.workspace.file("aside");
        survey(&self.workspace.tree(), &aside, &self.keep, self.request.limits.max_file_bytes)
    }

    pub(crate) fn gather(&self, survey: Survey) -> Result<Gathered, PoolError> {
        let Survey { mut notes, large, .. } = survey;
        self.start_index()?;
        self.write_excludes()?;
        notes.extend(self.add_all(&large)?);
        self.add_listed(&large)?;
        let too_large = self.first_unignored(&large)?;
        let tree = self.write_tree()?;
        let call = self.pool.shadow_git("see what changed")?;
        let raw = change::compare(call, self.request.base.as_str(), tree.as_str())?;
        let refusal = too_large.or_else(|| self.too_many(raw.len()));
        let targets = self.symlink_targets(&raw)?;
        let commits = if raw.is_empty() {
            Vec::new()
        } else {
            self.commit(&tree, &raw, refusal.is_none(), &mut notes)?
        };
        Ok(Gathered { tree, raw, targets, commits, notes, refusal })
    }

    /// Our own index of the base; a lock beside it is from a harvest that was killed.
    fn start_index(&self) -> Result<(), PoolError> {
        for stale in ["harvest.index.lock", "steps.index.lock", "index.lock"] {
            remove_file(&self.workspace.file(stale))?;
        }
        remove_file(&self.index)?;
        if self.workspace.index().is_file() {
            return Ok(copy_index(&self.workspace.index(), &self.index)?);
        }
        let call = self.git("list the files of the base")?;
        call.args(["read-tree", self.request.base.as_str()]).done()?;
        copy_index(&self.index, &self.workspace.index())?;
        Ok(())
    }

    /// What is ignored here besides what the tree itself ignores.
    fn write_excludes(&self) -> Result<(), FileError> {
        let users = self.pool.repository.common_dir().join("info/exclude");
        let mut text = fs::read(users).unwrap_or_default();
        text.push(b'\n');
        for line in Patterns::droppings().lines().chain(self.keep.lines()) {
            text.extend(line.as_bytes());
            text.push(b'\n');
        }
        fs::write(&self.excludes, text).context("write", &self.excludes)
    }

    /// Adds all that is not ignored; says what git could not add.
    fn add_all(&self, large: &[(Vec<u8>, u64)]) -> Result<Vec<String>, PoolError> {
        let answer = self.try_add(large, AddWith::Attributes)?;
        if matches!(answer.code(), Some(0 | 1)) {
            return Ok(notes_of(&answer));
        }
        // Attributes can ask for a conversion that fails, and then git gives up on everything.
        if !self.pool.repository.program.can_ignore_attributes() {
            return Err(answer.failure().into());
        }
        let second = self.try_add(large, AddWith::NoAttributes)?;
        if !matches!(second.code(), Some(0 | 1)) {
            return Err(answer.failure().into());
        }
        let mut notes = vec![format!("attributes were not applied: {}", answer.complaint())];
        notes.extend(notes_of(&second));
        Ok(notes)
    }

    fn try_add(&self, large: &[(Vec<u8>, u64)], with: AddWith) -> Result<Finished, PoolError> {
        let mut call = self.git("gather the changes")?;
        if matches!(with, AddWith::NoAttributes) {
            call = call.env("GIT_ATTR_SOURCE", self.pool.repository.format.empty_tree());
        }
        call = call.args(["add", "--all", "--ignore-errors"]);
        if !large.is_empty() {
            let mut pathspecs = vec![b":(top)".to_vec()];
            pathspecs.extend(
                large.iter().map(|(path, _)| [b":(top,exclude,literal)", &path[..]].concat()),
            );
            call = call.args(["--pathspec-from-file=-", "--pathspec-file-nul"]);
            call = call.feed(nul_separated(&pathspecs));
        }
        Ok(call.run()?)
    }

    /// Adds listed paths that the project ignores.
    fn add_listed(&self, large: &[(Vec<u8>, u64)]) -> Result<(), PoolError> {
        if self.request.files.is_empty() {
            return Ok(());
        }
        let index = Index::load(&self.index, self.pool.repository.format);
        let listed = Listed::new(self.request.files, &self.workspace.tree(), index.as_ref());
        if listed.is_empty() {
            return Ok(());
        }
        let call = self.git("look for listed files that are ignored")?;
        let call =
            call.args(["ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--"]);
        let answer = call.args(&listed.pathspecs).done()?;
        let droppings = Patterns::droppings();
        let too_large = |path: &[u8]| large.iter().any(|(name, _)| name == path);
        let meant = |path: &&[u8]| listed.means(path, &droppings, &self.keep) && !too_large(path);
        let paths: Vec<Vec<u8>> = answer.fields().filter(meant).map(<[u8]>::to_owned).collect();
        if !paths.is_empty() {
            let call = self.git("add listed files that are ignored")?;
            let call = call.args(["update-index", "--add", "-z", "--stdin"]);
            call.feed(nul_separated(&paths)).done()?;
        }
        Ok(())
    }

    /// A file above the limit that would have been harvested.
    fn first_unignored(&self, large: &[(Vec<u8>, u64)]) -> Result<Option<Refusal>, PoolError> {
        if large.is_empty() {
            return Ok(None);
        }
        let call = self.git("see whether large files are ignored")?;
        let call = call.args(["ls-files", "-z", "--others", "--modified", "--exclude-standard"]);
        let answer = call.done()?;
        let listed = |path: &[u8]| self.request.files.iter().any(|file| file.as_bytes() == path);
        let counts = |path: &[u8]| listed(path) || answer.fields().any(|found| found == path);
        let first = large.iter().find(|(path, _)| counts(path));
        Ok(first.map(|(path, bytes)| Refusal::FileTooLarge {
            path: told(path),
            bytes: *bytes,
            limit: self.request.limits.max_file_bytes,
        }))
    }

    fn too_many(&self, count: usize) -> Option<Refusal> {
        let limit = self.request.limits.max_paths;
        (count > limit).then_some(Refusal::TooManyPaths { count, limit })
    }

    fn write_tree(&self) -> Result<TreeId, PoolError> {
        let answer = self.git("write the harvested tree")?.args(["write-tree"]).done()?;
        Ok(parse_id(answer.line()?, |detail| answer.unexpected(detail))?)
    }

    /// Where new and changed symlinks point, by object.
    fn symlink_targets(&self, raw: &[RawChange]) -> Result<BTreeMap<String, String>, PoolError> {
        let links = raw.iter().filter(|one| one.new_mode == Mode::Symlink);
        let mut ids = links.map(|one| one.new_id.as_str()).peekable();
        if ids.peek().is_none() {
            return Ok(BTreeMap::new());
        }
        let call = self.pool.shadow_git("read new symlinks")?.args(["cat-file", "--batch"]);
        let answer = call.feed(lines(ids)).done()?;
        parse_blobs(&answer).map_err(PoolError::from)
    }

    /// Makes the steps and the commit on top of them.
    fn commit(
        &self,
        tree: &TreeId,
        raw: &[RawChange],
        with_steps: bool,
        notes: &mut Vec<String>,
    ) -> Result<Vec<CommitId>, PoolError> {
        let found = if with_steps {
            steps::find(self.pool, self.workspace, self.request, raw)
        } else {
            Err(NoSteps::NoCommits)
        };
        let steps = found.unwrap_or_else(|why| {
            if let NoSteps::Odd(why) = why {
                notes.push(format!("the worker's own commits were not used: {why}"));
            }
            Vec::new()
        });
        let mut commits = Vec::new();
        let mut parent = self.request.base.clone();
        let mut last = None;
        for step in &steps {
            parent = self.commit_on(&parent, &step.tree, &step.subject)?;
            commits.push(parent.clone());
            last = Some(&step.tree);
        }
        if last != Some(tree) {
            commits.push(self.commit_on(&parent, tree, self.request.message)?);
        }
        Ok(commits)
    }

    fn commit_on(
        &self,
        parent: &CommitId,
        tree: &TreeId,
        message: &str,
    ) -> Result<CommitId, CommandError> {
        self.pool.repository.commit(&NewCommit {
            tree,
            parents: std::slice::from_ref(parent),
            message,
            signature: self.request.signature,
        })
    }

    fn git(&self, doing: &str) -> Result<Call, FileError> {
        let call = self.pool.tree_git(doing, self.workspace, &self.index)?;
        Ok(call.setting("core.excludesFile", self.excludes.as_os_str()))
    }

    pub(crate) fn forget_scratch(&self) -> Result<(), FileError> {
        let steps = self.workspace.file("steps.index");
        for scratch in [&self.index, &self.excludes, &steps] {
            remove_file(scratch)?;
        }
        Ok(())
    }
}

/// Whether git looks at `.gitattributes` while it adds.
#[derive(Debug, Clone, Copy)]
enum AddWith {
    Attributes,
    NoAttributes,
}

/// What git could not add; its exit says whether there was anything.
fn notes_of(answer: &Finished) -> Vec<String> {
    if answer.status.success() {
        return Vec::new();
    }
    vec![format!("not everything could be harvested: {}", answer.complaint())]
}

/// Reads `<id> blob <size> LF <content> LF` again and again.
fn parse_blobs(answer: &Finished) -> Result<BTreeMap<String, String>, CommandError> {
    let mut blobs = BTreeMap::new();
    let mut rest = answer.stdout.as_slice();
    while let Some(end) = rest.iter().position(|byte| *byte == b'\n') {
        let header = String::from_utf8_lossy(&rest[..end]).into_owned();
        let odd = || answer.unexpected(header.clone());
        let [id, "blob", size] = header.split(' ').collect::<Vec<_>>()[..] else {
            return Err(odd());
        };
        let size: usize = size.parse().map_err(|_| odd())?;
        let content = rest.get(end + 1..end + 1 + size).ok_or_else(odd)?;
        blobs.insert(id.to_owned(), told(content));
        rest = rest.get(end + size + 2..).unwrap_or_default();
    }
    Ok(blobs)
}
