//! From a worker's checkout to a tree and commits, one git process after the other.
//!
//! Whether the slot may be harvested, and keeping the result, is `harvest`; what goes into the index
//! is `adding`.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use afresh_core::ids::{CommitId, TreeId};

use crate::git::command::{Call, CommandError, Finished, lines};
use crate::git::error::FileError;
use crate::git::repository::parse_id;
use crate::harvest::prescan::{Manner, Survey, survey, told};
use crate::harvest::steps::{self, NoSteps};
use crate::harvest::{HarvestRequest, Refusal};
use crate::objects::build;
use crate::objects::change::{Mode, RawChange};
use crate::objects::commit::NewCommit;
use crate::objects::diff;
use crate::objects::index::Index;
use crate::objects::tree::tree_name;
use crate::workspace::keep::Patterns;
use crate::workspace::lock::GiveWay;
use crate::workspace::pool::{Pool, PoolError};
use crate::workspace::remove::remove_file;
use crate::workspace::slot::{Workspace, copy_index};

/// A worker that is alive can make git wait, with a pipe where a file was.
const ALIVE_LIMIT: Duration = Duration::from_secs(120);

/// Whose checkout is looked at.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Worker<'a> {
    Gone,
    /// Git is ended when somebody else needs the slot, and started through what keeps it from being
    /// led elsewhere by links that come and go.
    Alive {
        give_way: &'a GiveWay,
        through: &'a [String],
    },
}

/// What is in the checkout, as git stores it.
#[derive(Debug)]
pub(crate) struct Gathered {
    pub(crate) tree: TreeId,
    /// Against the base.
    pub(crate) raw: Vec<RawChange>,
    /// Against what our commits are put on, where that is not the base.
    above: Option<Vec<RawChange>>,
    pub(crate) targets: BTreeMap<String, String>,
    pub(crate) notes: Vec<String>,
    pub(crate) refusal: Option<Refusal>,
    /// Whether git saw a checkout that held still.
    pub(crate) is_settled: bool,
}

/// The commits that were made of it.
#[derive(Debug, Default)]
pub(crate) struct Chain {
    /// `None` where nothing differs from the base.
    pub(crate) top: Option<CommitId>,
    pub(crate) new: Vec<CommitId>,
}

/// One harvest on its way.
#[derive(Debug)]
pub(crate) struct Harvester<'a> {
    pub(crate) pool: &'a Pool,
    pub(crate) workspace: &'a Workspace,
    pub(crate) request: &'a HarvestRequest<'a>,
    worker: Worker<'a>,
    pub(crate) keep: Patterns,
    pub(crate) index: PathBuf,
    pub(crate) excludes: PathBuf,
}

impl<'a> Harvester<'a> {
    pub(crate) fn new(
        pool: &'a Pool,
        workspace: &'a Workspace,
        request: &'a HarvestRequest<'a>,
        worker: Worker<'a>,
    ) -> Self {
        let (index, excludes) = match worker {
            Worker::Gone => ("harvest.index", "excludes"),
            Worker::Alive { .. } => ("snapshot.index", "snapshot.excludes"),
        };
        let (index, excludes) = (workspace.file(index), workspace.file(excludes));
        let keep = Patterns::new(request.keep);
        Self { pool, workspace, request, worker, keep, index, excludes }
    }

    pub(crate) fn survey(&self) -> Result<Survey, FileError> {
        let aside = self.workspace.file("aside");
        let manner = match self.worker {
            Worker::Gone => Manner::PutRight { aside: &aside },
            Worker::Alive { .. } => Manner::OnlyLook,
        };
        survey(&self.workspace.tree(), manner, &self.keep, self.request.limits.max_file_bytes)
    }

    pub(crate) fn gather(&self, mut survey: Survey) -> Result<Gathered, PoolError> {
        self.start_index()?;
        self.write_excludes()?;
        let too_much = self.too_much(&survey)?;
        let added = match &too_much {
            Some(fitting) => self.add_fitting(fitting)?,
            None => self.add_all(&survey)?,
        };
        let listed = self.add_listed(&survey)?;
        let too_much = too_much.and_then(|it| it.refusal).or(listed);
        let too_large =
            too_much.map_or_else(|| self.first_unignored(&survey), |it| Ok(Some(it)))?;
        let (tree, raw) = self.write_tree()?;
        let HarvestRequest { base, onto, .. } = self.request;
        let above = if onto == base { None } else { Some(self.compare(onto, &tree)?) };
        let refusal = too_large.or_else(|| self.too_many(raw.len()));
        let targets = self.symlink_targets(&raw)?;
        let mut notes = std::mem::take(&mut survey.notes);
        notes.extend(added.notes);
        let is_settled = added.is_whole && !raw.iter().any(RawChange::is_new_gitlink);
        Ok(Gathered { tree, raw, above, targets, notes, refusal, is_settled })
    }

    /// Our own index of what was prepared; a lock beside it is from a harvest that was killed.
    fn start_index(&self) -> Result<(), PoolError> {
        let ours = match self.worker {
            Worker::Gone => ["harvest.index.lock", "steps.index.lock", "index.lock"].as_slice(),
            Worker::Alive { .. } => &["snapshot.index.lock"],
        };
        for stale in ours {
            remove_file(&self.workspace.file(stale))?;
        }
        remove_file(&self.index)?;
        if self.workspace.index().is_file() {
            return Ok(copy_index(&self.workspace.index(), &self.index)?);
        }
        let call = self.git("list the files that were prepared")?;
        call.args(["read-tree", self.request.prepared.as_str()]).done()?;
        if matches!(self.worker, Worker::Gone) {
            copy_index(&self.index, &self.workspace.index())?;
        }
        Ok(())
    }

    fn too_many(&self, count: usize) -> Option<Refusal> {
        let limit = self.request.limits.max_paths;
        (count > limit).then_some(Refusal::TooManyPaths { count, limit })
    }

    /// The tree of our index, and what it changes in the base.
    fn write_tree(&self) -> Result<(TreeId, Vec<RawChange>), PoolError> {
        let repository = &self.pool.repository;
        let base = repository.tree_name_of(self.request.base)?;
        if let Some(index) = Index::load_whole(&self.index, repository.format)
            && let Some(built) = build::build(repository, &index, base)?
        {
            let tree =
                TreeId::new(built.tree.to_string()).expect("a digest in hexadecimal is an id");
            return Ok((tree, built.changes));
        }
        let answer = self.git("write the harvested tree")?.args(["write-tree"]).done()?;
        let tree = parse_id(answer.line()?, |detail| answer.unexpected(detail))?;
        let raw = self.compare(self.request.base, &tree)?;
        Ok((tree, raw))
    }

    fn compare(&self, old: &CommitId, new: &TreeId) -> Result<Vec<RawChange>, PoolError> {
        let mut repository = &self.pool.repository;
        let old = repository.tree_name_of(old)?;
        Ok(diff::compare(repository, old, tree_name(new), &mut repository)?)
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

    /// Makes the steps and the commit on top of them, as far as anything changed.
    pub(crate) fn commit(&self, gathered: &mut Gathered) -> Result<Chain, PoolError> {
        if gathered.raw.is_empty() {
            return Ok(Chain::default());
        }
        let onto = self.request.onto;
        if gathered.above.as_ref().is_some_and(Vec::is_empty) {
            return Ok(Chain { top: Some(onto.clone()), new: Vec::new() });
        }
        let mut new: Vec<CommitId> = Vec::new();
        let mut last = None;
        let steps = self.steps(gathered);
        for step in &steps {
            let parent = new.last().unwrap_or(onto);
            new.push(self.commit_on(parent, &step.tree, &step.subject)?);
            last = Some(&step.tree);
        }
        if last != Some(&gathered.tree) {
            let parent = new.last().unwrap_or(onto);
            new.push(self.commit_on(parent, &gathered.tree, self.request.message)?);
        }
        Ok(Chain { top: new.last().cloned(), new })
    }

    /// The worker's own commits, unless its steps were marked while it worked.
    fn steps(&self, gathered: &mut Gathered) -> Vec<steps::Step> {
        let marked = self.request.onto != self.request.prepared;
        if marked || gathered.refusal.is_some() || matches!(self.worker, Worker::Alive { .. }) {
            return Vec::new();
        }
        let whole = gathered.above.as_ref().unwrap_or(&gathered.raw);
        steps::find(self.pool, self.workspace, self.request, whole).unwrap_or_else(|why| {
            if let NoSteps::Odd(why) = why {
                gathered.notes.push(format!("the worker's own commits were not used: {why}"));
            }
            Vec::new()
        })
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

    pub(crate) fn git(&self, doing: &str) -> Result<Call, FileError> {
        let call = self.pool.tree_git(doing, self.workspace, &self.index)?;
        let call = call.setting("core.excludesFile", self.excludes.as_os_str());
        Ok(match self.worker {
            Worker::Gone => call,
            Worker::Alive { give_way, through } => {
                call.limit(ALIVE_LIMIT).give_way(give_way).through(through)
            }
        })
    }

    pub(crate) fn forget_scratch(&self) -> Result<(), FileError> {
        remove_file(&self.index)?;
        remove_file(&self.excludes)?;
        match self.worker {
            Worker::Gone => remove_file(&self.workspace.file("steps.index")),
            Worker::Alive { .. } => Ok(()),
        }
    }
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
