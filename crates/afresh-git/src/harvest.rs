//! Turning what a worker left in its slot into a tree and commits of ours.
//!
//! The worker's `.git` is never used by a git of ours; its answer is never asked. Whether the
//! changes may be accepted is the caller's to judge: here they are measured and put in safety.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use afresh_core::ids::{CommitId, TreeId};

use crate::change::{self, Change, Mode, RawChange};
use crate::command::{Call, CommandError, Finished, lines};
use crate::commit::NewCommit;
use crate::error::{Context, FileError};
use crate::identity::Signature;
use crate::index::Index;
use crate::keep::Patterns;
use crate::listed::{Listed, nul_separated};
use crate::pool::{Place, Pool, PoolError};
use crate::refs::{DEFAULT_PATIENCE, Expect, RefError, RefUpdate};
use crate::remove::remove_file;
use crate::repository::parse_id;
use crate::steps::{self, NoSteps};
use crate::survey::{Survey, survey, told};
use crate::workspace::{Workspace, copy_index};

/// What to harvest and how to sign it; the same request on the same tree gives the same commits.
#[derive(Debug, Clone, Copy)]
pub struct HarvestRequest<'a> {
    /// What the slot was prepared as.
    pub base: &'a CommitId,
    /// Paths, directories or globs that are harvested even where they are ignored.
    pub files: &'a [String],
    /// The patterns that the slot was prepared with; never harvested.
    pub keep: &'a [String],
    /// Of the commit on top.
    pub message: &'a str,
    /// Put before the subject of each step, such as `feat(T007): `.
    pub step_prefix: &'a str,
    pub signature: &'a Signature,
    /// The full name of the ref that keeps the work, under `refs/afresh/salvage/`.
    pub salvage: &'a str,
    pub limits: HarvestLimits,
}

/// Where a harvest is refused instead of being made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HarvestLimits {
    pub max_paths: usize,
    pub max_file_bytes: u64,
}

impl Default for HarvestLimits {
    fn default() -> Self {
        Self { max_paths: 20_000, max_file_bytes: 100 * 1024 * 1024 }
    }
}

/// What a worker left, measured.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Harvest {
    pub tree: TreeId,
    /// The top of our commits, kept under the salvage ref; `None` if nothing changed.
    pub commit: Option<CommitId>,
    /// In git's order.
    pub changes: Vec<Change>,
    /// Our commits above the base, oldest first; the last one is `commit`.
    pub steps: Vec<CommitId>,
    /// What a reader of the report should know.
    pub notes: Vec<String>,
}

/// Why work is not taken, although what could be is kept under the salvage ref.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    #[error("{count} paths changed, and at most {limit} are allowed")]
    TooManyPaths { count: usize, limit: usize },
    #[error("{path} has {bytes} bytes, and at most {limit} are allowed; it was not kept")]
    FileTooLarge { path: String, bytes: u64, limit: u64 },
    #[error("the name of {path} is not UTF-8")]
    NotUtf8 { path: String },
}

/// Why there is no harvest.
#[derive(Debug, thiserror::Error)]
pub enum HarvestError {
    #[error("cannot harvest {place}: it is not prepared as {base}, but as {found}")]
    NotPrepared { place: Place, base: CommitId, found: String },
    #[error("cannot harvest {place}: its checkout {} is gone", tree.display())]
    Gone { place: Place, tree: PathBuf },
    #[error("cannot harvest {place}: {refusal}")]
    Refused { place: Place, refusal: Refusal, salvaged: Option<CommitId> },
    #[error("cannot harvest {place}")]
    Pool { place: Place, source: PoolError },
    #[error("cannot keep the harvest of {place}")]
    Ref { place: Place, source: RefError },
}

impl HarvestError {
    /// Full disk or exhausted quota: the run can pause and go on later.
    pub fn is_out_of_space(&self) -> bool {
        match self {
            Self::Pool { source, .. } => source.is_out_of_space(),
            Self::Ref { source: RefError::Git(error), .. } => error.is_out_of_space(),
            _ => false,
        }
    }
}

impl Pool {
    /// Harvests a slot that was prepared with `Target::Commit(request.base)`.
    ///
    /// No process of the worker may be alive. The work is durable under the salvage ref when this
    /// returns, also when it is refused. Repeating the call gives the same commits.
    pub fn harvest(
        &self,
        place: Place,
        request: &HarvestRequest<'_>,
    ) -> Result<Harvest, HarvestError> {
        let workspace = self.workspace(place);
        let base = request.base;
        let gone = || HarvestError::Gone { place, tree: workspace.tree() };
        let found = workspace.prepared().ok_or_else(gone)?;
        if found != base.as_str() {
            return Err(HarvestError::NotPrepared { place, base: base.clone(), found });
        }
        if !workspace.tree().symlink_metadata().is_ok_and(|tree| tree.is_dir()) {
            return Err(gone());
        }
        let harvester = Harvester::new(self, &workspace, request);
        let failed = |source| HarvestError::Pool { place, source };
        let survey = harvester.survey().map_err(|e| failed(e.into()))?;
        // A worker that deletes every file still leaves the `.git` that we gave it.
        if survey.is_empty {
            return Err(gone());
        }
        let gathered = harvester.gather(survey).map_err(failed)?;
        self.keep_safe(place, request, &gathered)?;
        harvester.forget_scratch().map_err(|e| failed(e.into()))?;
        gathered.into_harvest(place)
    }

    /// Puts the work under its salvage ref, before anything rests on it.
    fn keep_safe(
        &self,
        place: Place,
        request: &HarvestRequest<'_>,
        gathered: &Gathered,
    ) -> Result<(), HarvestError> {
        let Some(commit) = gathered.commits.last() else { return Ok(()) };
        let name = request.salvage.to_owned();
        let update = RefUpdate { name, new: Some(commit.clone()), old: Expect::Any };
        let moved = self.repository.update_refs(&[update], DEFAULT_PATIENCE);
        // With nothing expected of the ref there is nothing to mismatch.
        moved.map(|_| ()).map_err(|source| HarvestError::Ref { place, source })
    }
}

/// Everything known after the commits are made.
#[derive(Debug)]
struct Gathered {
    tree: TreeId,
    raw: Vec<RawChange>,
    targets: BTreeMap<String, String>,
    commits: Vec<CommitId>,
    notes: Vec<String>,
    refusal: Option<Refusal>,
}

impl Gathered {
    fn into_harvest(self, place: Place) -> Result<Harvest, HarvestError> {
        let salvaged = self.commits.last().cloned();
        let refused =
            |refusal| HarvestError::Refused { place, refusal, salvaged: salvaged.clone() };
        if let Some(refusal) = self.refusal {
            return Err(refused(refusal));
        }
        let changes: Result<Vec<Change>, Vec<u8>> =
            self.raw.into_iter().map(|one| one.into_change(&self.targets)).collect();
        let changes = changes
            .map_err(|path| refused(Refusal::NotUtf8 { path: path.escape_ascii().to_string() }))?;
        let (commit, steps) = (self.commits.last().cloned(), self.commits);
        Ok(Harvest { tree: self.tree, commit, changes, steps, notes: self.notes })
    }
}

/// One harvest on its way.
struct Harvester<'a> {
    pool: &'a Pool,
    workspace: &'a Workspace,
    request: &'a HarvestRequest<'a>,
    keep: Patterns,
    index: PathBuf,
    excludes: PathBuf,
}

impl<'a> Harvester<'a> {
    fn new(pool: &'a Pool, workspace: &'a Workspace, request: &'a HarvestRequest<'a>) -> Self {
        let (index, excludes) = (workspace.file("harvest.index"), workspace.file("excludes"));
        let keep = Patterns::new(request.keep);
        Self { pool, workspace, request, keep, index, excludes }
    }

    fn survey(&self) -> Result<Survey, FileError> {
        let aside = self.workspace.file("aside");
        survey(&self.workspace.tree(), &aside, &self.keep, self.request.limits.max_file_bytes)
    }

    fn gather(&self, survey: Survey) -> Result<Gathered, PoolError> {
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

    fn forget_scratch(&self) -> Result<(), FileError> {
        let steps = self.workspace.file("steps.index");
        [&self.index, &self.excludes, &steps]
            .into_iter()
            .try_for_each(|path: &PathBuf| remove_file(Path::new(path)))
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
