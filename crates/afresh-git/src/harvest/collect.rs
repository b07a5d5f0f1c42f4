//! Turns a worker's checkout into a tree and commits, one git process after the other.
//!
//! `harvest` decides whether a workspace may be harvested, and saves the result; `stage` decides
//! what goes into the index.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use afresh_core::commit::compose_subject;
use afresh_core::ids::{CommitId, TreeId};

use crate::git::command::{CommandError, GitCommand, GitOutput, lines};
use crate::git::error::FileError;
use crate::git::repository::parse_id;
use crate::harvest::prescan::{ScanMode, TreeScan, display_path, scan_tree};
use crate::harvest::stage::StagedFiles;
use crate::harvest::steps::{self, StepsUnusable};
use crate::harvest::worker_head::read_bytes;
use crate::harvest::{HarvestRejection, HarvestRequest};
use crate::objects::build;
use crate::objects::commit::NewCommit;
use crate::objects::diff;
use crate::objects::diff::change::{EntryMode, RawTreeChange};
use crate::objects::index::IndexFile;
use crate::objects::tree::tree_object_id;
use crate::workspace::keep::KeepPatterns;
use crate::workspace::lock::PreemptFlag;
use crate::workspace::pool::{PoolError, WorkspacePool};
use crate::workspace::remove::remove_file;
use crate::workspace::slot::{WorkspaceDir, copy_index};

/// A worker that is alive can make git wait, with a pipe in the place of a file.
const ALIVE_LIMIT: Duration = Duration::from_secs(120);
/// The most of a worker's own index that is read.
const MAX_INDEX_BYTES: u64 = 64 * 1024 * 1024;
/// How many links to other repositories are named.
const MAX_LINKS: usize = 5;
/// How often a harvest is tried while a garbage collection removes what it needs.
const PUBLISH_ROUNDS: u32 = 3;

/// Whether the worker may still change the checkout.
#[derive(Debug, Clone, Copy)]
pub(crate) enum WorkerPresence<'a> {
    Gone,
    /// Git is preempted when another call needs the workspace, and runs inside `through`, so that
    /// links that a worker swaps in cannot lead it elsewhere.
    Alive {
        preempt_flag: &'a PreemptFlag,
        through: &'a [String],
    },
}

/// The contents of the checkout, as git stores them.
#[derive(Debug)]
pub(crate) struct CollectedWork {
    pub(crate) tree: TreeId,
    /// Against the base.
    pub(crate) raw: Vec<RawTreeChange>,
    /// Against what our commits are built on, if that is not the base.
    above: Option<Vec<RawTreeChange>>,
    pub(crate) targets: BTreeMap<String, String>,
    pub(crate) notes: Vec<String>,
    pub(crate) rejection: Option<HarvestRejection>,
    /// Whether the checkout did not change while git read it.
    pub(crate) is_settled: bool,
}

/// The commits that were made.
#[derive(Debug, Default)]
pub(crate) struct CommitChain {
    /// `None` if nothing differs from the base.
    pub(crate) top: Option<CommitId>,
    pub(crate) new: Vec<CommitId>,
}

impl CollectedWork {
    /// After the tree was changed: it is compared with the base alone.
    pub(crate) fn forget_comparison(&mut self) {
        self.above = None;
    }
}

/// One harvest or snapshot in progress.
#[derive(Debug)]
pub(crate) struct WorkCollector<'a> {
    pub(crate) pool: &'a WorkspacePool,
    pub(crate) workspace: &'a WorkspaceDir,
    pub(crate) request: &'a HarvestRequest<'a>,
    worker: WorkerPresence<'a>,
    pub(crate) keep: KeepPatterns,
    pub(crate) index: PathBuf,
    pub(crate) excludes: PathBuf,
}

impl<'a> WorkCollector<'a> {
    pub(crate) fn new(
        pool: &'a WorkspacePool,
        workspace: &'a WorkspaceDir,
        request: &'a HarvestRequest<'a>,
        worker: WorkerPresence<'a>,
    ) -> Self {
        let (index, excludes) = match worker {
            WorkerPresence::Gone => ("harvest.index", "excludes"),
            WorkerPresence::Alive { .. } => ("snapshot.index", "snapshot.excludes"),
        };
        let (index, excludes) = (workspace.file(index), workspace.file(excludes));
        let keep = KeepPatterns::new(request.keep);
        Self { pool, workspace, request, worker, keep, index, excludes }
    }

    pub(crate) fn scan(&self) -> Result<TreeScan, FileError> {
        let aside = self.workspace.file("aside");
        let mode = match self.worker {
            WorkerPresence::Gone => ScanMode::Repair { aside: &aside },
            WorkerPresence::Alive { .. } => ScanMode::ReadOnly,
        };
        scan_tree(&self.workspace.tree(), mode, &self.keep, self.request.limits.max_file_bytes)
    }

    /// Commits what is in the checkout, and makes the commits part of the user's repository.
    ///
    /// Git does not write an object that the repository has, even if no ref reaches it. A garbage
    /// collection may remove it before it is published; then all of it is done again.
    pub(crate) fn collect_and_publish(
        &self,
        scan: &TreeScan,
    ) -> Result<(CollectedWork, CommitChain), PoolError> {
        let mut round = 1;
        loop {
            let found = self.try_to_publish(scan);
            match found {
                Err(PoolError::Git(
                    CommandError::Failed { .. } | CommandError::Unexpected { .. },
                )) if round < PUBLISH_ROUNDS => round += 1,
                other => return other,
            }
        }
    }

    fn try_to_publish(&self, scan: &TreeScan) -> Result<(CollectedWork, CommitChain), PoolError> {
        let mut work = self.collect(scan)?;
        self.reject_what_git_refuses(&mut work)?;
        let chain = self.commit(&mut work)?;
        if let Some(top) = &chain.top {
            self.pool.repository.publish(top)?;
        }
        Ok((work, chain))
    }

    pub(crate) fn collect(&self, scan: &TreeScan) -> Result<CollectedWork, PoolError> {
        self.start_index()?;
        self.write_excludes()?;
        let too_much = self.select_if_over_cap(scan)?;
        let added = match &too_much {
            Some(selection) => self.stage_selection(selection)?,
            None => self.stage_all(scan)?,
        };
        let listed = self.stage_listed(scan)?;
        let restored = self.stage_acceptance()?;
        let too_much = too_much.and_then(|it| it.rejection).or(listed);
        let too_large =
            too_much.map_or_else(|| self.find_unignored_oversized(scan), |it| Ok(Some(it)))?;
        let (tree, raw) = self.write_tree()?;
        let HarvestRequest { base, onto, .. } = self.request;
        let above = if onto == base { None } else { Some(self.compare(onto, &tree)?) };
        let rejection = too_large
            .or_else(|| self.check_path_count(raw.len()))
            .or_else(|| scan.refused.as_deref().map(HarvestRejection::refused_name))
            .or_else(|| self.check_completeness(&added));
        let targets = self.symlink_targets(&raw)?;
        let mut notes = scan.notes.clone();
        notes.extend(added.notes);
        notes.extend(restored);
        notes.extend(self.note_staged_links());
        let is_settled = added.is_whole && !raw.iter().any(RawTreeChange::is_new_gitlink);
        Ok(CollectedWork { tree, raw, above, targets, notes, rejection, is_settled })
    }

    /// Our own index of the prepared commit. A lock file beside it is from a harvest that was
    /// killed.
    fn start_index(&self) -> Result<(), PoolError> {
        let ours = match self.worker {
            WorkerPresence::Gone => {
                ["harvest.index.lock", "steps.index.lock", "index.lock"].as_slice()
            }
            WorkerPresence::Alive { .. } => &["snapshot.index.lock"],
        };
        for stale in ours {
            remove_file(&self.workspace.file(stale))?;
        }
        remove_file(&self.index)?;
        if self.workspace.index().is_file() {
            return Ok(copy_index(&self.workspace.index(), &self.index)?);
        }
        let call = self.git("list the files that were prepared")?;
        call.args(["read-tree", self.request.prepared.as_str()]).run_checked()?;
        if matches!(self.worker, WorkerPresence::Gone) {
            copy_index(&self.index, &self.workspace.index())?;
        }
        Ok(())
    }

    fn check_path_count(&self, count: usize) -> Option<HarvestRejection> {
        let limit = self.request.limits.max_paths;
        (count > limit).then_some(HarvestRejection::TooManyPaths { count, limit })
    }

    /// Names the repositories that the worker added to its own index, of which nothing is harvested: only files count.
    fn note_staged_links(&self) -> Option<String> {
        if !matches!(self.worker, WorkerPresence::Gone) {
            return None;
        }
        let format = self.pool.repository.format;
        let git = self.workspace.tree().join(".git");
        if !git.symlink_metadata().is_ok_and(|it| it.is_dir()) {
            return None;
        }
        let staged = IndexFile::parse(&read_bytes(&git.join("index"), MAX_INDEX_BYTES)?, format)?;
        let mut links =
            staged.entries().iter().filter(|it| it.mode == EntryMode::Gitlink).peekable();
        links.peek()?;
        let prepared = IndexFile::load(&self.workspace.index(), format).unwrap_or_default();
        let new = links.filter(|link| prepared.get(&link.path) != Some(EntryMode::Gitlink));
        let names: Vec<String> = new.map(|link| display_path(&link.path)).collect();
        let more = names.len().saturating_sub(MAX_LINKS);
        let shown = names.get(..names.len().min(MAX_LINKS)).filter(|shown| !shown.is_empty())?;
        let shown = shown.join(", ");
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        Some(format!("links to other repositories were not taken, only files are: {shown}{more}"))
    }

    /// A worker that is gone leaves nothing that is only missing for a moment.
    fn check_completeness(&self, staged: &StagedFiles) -> Option<HarvestRejection> {
        let complaint = staged.complaint.clone()?;
        let is_gone = matches!(self.worker, WorkerPresence::Gone);
        is_gone.then_some(HarvestRejection::Unreadable { complaint })
    }

    /// The tree of our index, and what it changes in the base.
    pub(crate) fn write_tree(&self) -> Result<(TreeId, Vec<RawTreeChange>), PoolError> {
        let repository = &self.pool.repository;
        let base = repository.tree_object_id_of(self.request.base)?;
        if let Some(index) = IndexFile::load_whole(&self.index, repository.format)
            && let Some(built) = build::build_tree(repository, &index, base)?
        {
            let tree =
                TreeId::new(built.tree.to_string()).expect("a digest in hexadecimal is an id");
            return Ok((tree, built.changes));
        }
        let answer = self.git("write the harvested tree")?.args(["write-tree"]).run_checked()?;
        let tree = parse_id(answer.line()?, |detail| answer.unexpected(detail))?;
        let raw = self.compare(self.request.base, &tree)?;
        Ok((tree, raw))
    }

    fn compare(&self, old: &CommitId, new: &TreeId) -> Result<Vec<RawTreeChange>, PoolError> {
        let mut repository = &self.pool.repository;
        let old = repository.tree_object_id_of(old)?;
        Ok(diff::diff_trees(repository, old, tree_object_id(new), &mut repository)?)
    }

    /// Where new and changed symlinks point, by object.
    fn symlink_targets(
        &self,
        raw: &[RawTreeChange],
    ) -> Result<BTreeMap<String, String>, PoolError> {
        let links = raw.iter().filter(|one| one.new_mode == EntryMode::Symlink);
        let mut ids = links.map(|one| one.new_id.as_str()).peekable();
        if ids.peek().is_none() {
            return Ok(BTreeMap::new());
        }
        let call = self.pool.shadow_git("read new symlinks")?.args(["cat-file", "--batch"]);
        let answer = call.stdin(lines(ids)).run_checked()?;
        parse_blobs(&answer).map_err(PoolError::from)
    }

    /// Makes the step commits and the commit on top of them, if anything changed.
    fn commit(&self, work: &mut CollectedWork) -> Result<CommitChain, PoolError> {
        if work.raw.is_empty() {
            return Ok(CommitChain::default());
        }
        let onto = self.request.onto;
        if work.above.as_ref().is_some_and(Vec::is_empty) {
            return Ok(CommitChain { top: Some(onto.clone()), new: Vec::new() });
        }
        let mut new: Vec<CommitId> = Vec::new();
        let mut last = None;
        let steps = self.steps(work);
        for step in &steps {
            let parent = new.last().unwrap_or(onto);
            new.push(self.commit_on(parent, &step.tree, &self.step_message(&step.subject))?);
            last = Some(&step.tree);
        }
        if last != Some(&work.tree) {
            let parent = new.last().unwrap_or(onto);
            new.push(self.commit_on(parent, &work.tree, self.request.message)?);
        }
        Ok(CommitChain { top: new.last().cloned(), new })
    }

    fn step_message(&self, subject: &str) -> String {
        let HarvestRequest { label, step_body, .. } = self.request;
        let subject = compose_subject(subject, *label);
        if step_body.is_empty() { subject } else { format!("{subject}\n\n{step_body}") }
    }

    /// The worker's own commits, unless its steps were recorded while it worked.
    fn steps(&self, work: &mut CollectedWork) -> Vec<steps::WorkerStep> {
        let marked = self.request.onto != self.request.prepared;
        if marked || work.rejection.is_some() || matches!(self.worker, WorkerPresence::Alive { .. })
        {
            return Vec::new();
        }
        let whole = work.above.as_ref().unwrap_or(&work.raw);
        steps::find_worker_steps(self.pool, self.workspace, self.request, whole).unwrap_or_else(
            |why| {
                if let StepsUnusable::Odd(why) = why {
                    work.notes.push(format!("the worker's own commits were not used: {why}"));
                }
                Vec::new()
            },
        )
    }

    fn commit_on(
        &self,
        parent: &CommitId,
        tree: &TreeId,
        message: &str,
    ) -> Result<CommitId, PoolError> {
        self.pool.repository.commit(&NewCommit {
            tree,
            parents: std::slice::from_ref(parent),
            message,
            signature: self.request.signature,
        })
    }

    pub(crate) fn git(&self, doing: &str) -> Result<GitCommand, FileError> {
        let call = self.pool.tree_git(doing, self.workspace, &self.index)?;
        let call = call.setting("core.excludesFile", self.excludes.as_os_str());
        // Only the index is written, and what git would refuse is found and saved.
        let call = call.setting("core.protectNTFS", "false".as_ref());
        let call = call.setting("core.protectHFS", "false".as_ref());
        Ok(match self.worker {
            WorkerPresence::Gone => call,
            WorkerPresence::Alive { preempt_flag, through } => {
                call.limit(ALIVE_LIMIT).preempted_by(preempt_flag).wrapped_in(through)
            }
        })
    }

    pub(crate) fn remove_scratch_files(&self) -> Result<(), FileError> {
        remove_file(&self.index)?;
        remove_file(&self.excludes)?;
        match self.worker {
            WorkerPresence::Gone => remove_file(&self.workspace.file("steps.index")),
            WorkerPresence::Alive { .. } => Ok(()),
        }
    }
}

/// Parses repeated `<id> blob <size> LF <content> LF`.
fn parse_blobs(answer: &GitOutput) -> Result<BTreeMap<String, String>, CommandError> {
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
        blobs.insert(id.to_owned(), display_path(content));
        rest = rest.get(end + size + 2..).unwrap_or_default();
    }
    Ok(blobs)
}
