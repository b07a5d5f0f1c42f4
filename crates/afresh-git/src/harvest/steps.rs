//! The worker's own commits mark the steps of its work.
//!
//! Its objects are not trusted: they only say which files belong to which step. Every commit that
//! we make is built from the harvested change, and from blobs that are hashed again when they are
//! copied. If anything looks wrong, there is one commit for all of it; the work itself is never
//! lost.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::time::Duration;

use afresh_core::ids::{CommitId, TreeId};
use afresh_core::printable;

use crate::git::command::{CommandError, GitCommand, lines};
use crate::git::repository::parse_id;
use crate::harvest::HarvestRequest;
use crate::harvest::refusal::has_rules_in_git;
use crate::harvest::worker_head;
use crate::objects::diff::change::{self, EntryMode, RawTreeChange};
use crate::staging::object_list;
use crate::workspace::pool::{PoolError, WorkspacePool};
use crate::workspace::slot::{WorkspaceDir, copy_index};

/// More commits than this do not count as steps.
const MAX_STEPS: usize = 50;
/// Longest subject, in characters.
const MAX_SUBJECT_CHARS: usize = 100;
/// A worker can craft objects that keep git busy.
const READ_LIMIT: Duration = Duration::from_secs(60);
/// All intermediate versions of files together, as a multiple of the largest single file.
const MAX_TOTAL_FACTOR: u64 = 4;

/// One step as it will be committed.
#[derive(Debug)]
pub(crate) struct WorkerStep {
    pub(crate) tree: TreeId,
    pub(crate) subject: String,
}

/// An entry of a tree: its mode and object.
type StepFile = (EntryMode, String);
/// Entries that differ from the base, by path.
type StepState = BTreeMap<Vec<u8>, StepFile>;

/// Why there are no steps; the harvest succeeds nevertheless.
#[derive(Debug)]
pub(crate) enum StepsUnusable {
    /// The worker made no commits.
    NoCommits,
    Odd(String),
}

impl From<CommandError> for StepsUnusable {
    fn from(error: CommandError) -> Self {
        Self::Odd(error.to_string())
    }
}

impl From<PoolError> for StepsUnusable {
    fn from(error: PoolError) -> Self {
        Self::Odd(error.to_string())
    }
}

impl From<crate::git::error::FileError> for StepsUnusable {
    fn from(error: crate::git::error::FileError) -> Self {
        Self::Odd(error.to_string())
    }
}

fn unusable<T>(why: &str) -> Result<T, StepsUnusable> {
    Err(StepsUnusable::Odd(why.to_owned()))
}

/// Finds the steps within the harvested change `whole`, which is measured against the prepared
/// commit: the base of all steps here.
pub(crate) fn find_worker_steps(
    pool: &WorkspacePool,
    workspace: &WorkspaceDir,
    request: &HarvestRequest<'_>,
    whole: &[RawTreeChange],
) -> Result<Vec<WorkerStep>, StepsUnusable> {
    let reader = WorkerCommitReader::new(pool, workspace, request)?;
    let states = reader.states(whole)?;
    reader.bring_over(&states, whole)?;
    build(pool, workspace, request, whole, &states)
}

/// Reads what the worker committed, without trusting it.
struct WorkerCommitReader<'a> {
    pool: &'a WorkspacePool,
    request: &'a HarvestRequest<'a>,
    objects: OsString,
    commits: Vec<(CommitId, String)>,
}

impl<'a> WorkerCommitReader<'a> {
    fn new(
        pool: &'a WorkspacePool,
        workspace: &WorkspaceDir,
        request: &'a HarvestRequest<'a>,
    ) -> Result<Self, StepsUnusable> {
        let git = workspace.tree().join(".git");
        let head = worker_head::read(&git).or_else(unusable)?;
        if head == *request.prepared {
            return Err(StepsUnusable::NoCommits);
        }
        let objects = git.join("objects");
        if !worker_head::objects_are_plain(&objects, &pool.repository.objects()) {
            return unusable("its object directory was changed");
        }
        let objects = object_list(&[&pool.repository.objects(), &objects]);
        let mut reader = Self { pool, request, objects, commits: Vec::new() };
        reader.commits = reader.commits_since_prepared(&head)?;
        Ok(reader)
    }

    /// A command that also sees the worker's objects; only for reading.
    fn git(&self, doing: &str) -> Result<GitCommand, StepsUnusable> {
        let call = self.pool.shadow_git(doing)?;
        // Commit graphs and the like can contain anything, so they are not used.
        let call = call.setting("core.commitGraph", "false".as_ref());
        let call = call.setting("core.multiPackIndex", "false".as_ref());
        Ok(call.env("GIT_ALTERNATE_OBJECT_DIRECTORIES", &self.objects).limit(READ_LIMIT))
    }

    /// The worker's first-parent commits since the prepared one, oldest first.
    fn commits_since_prepared(
        &self,
        head: &CommitId,
    ) -> Result<Vec<(CommitId, String)>, StepsUnusable> {
        let call = self.git("read the worker's commits")?;
        let count = format!("--max-count={}", MAX_STEPS + 1);
        let options = ["log", "-z", "--first-parent", "--no-notes", "--format=%H %s", &count];
        let answer = call.args(options).args([head.as_str(), "--"]).run_checked()?;
        let mut commits = Vec::new();
        for field in answer.fields() {
            let line = String::from_utf8_lossy(field);
            let (id, subject) = line.split_once(' ').unwrap_or((&line, ""));
            let id: CommitId = parse_id(id, |detail| answer.unexpected(detail))?;
            if id == *self.request.prepared {
                commits.reverse();
                return Ok(commits);
            }
            commits.push((id, clean_subject(subject)));
        }
        unusable("its commits do not build on the base, or are too many")
    }

    /// For each commit, the harvested paths whose version differs from the prepared one.
    fn states(&self, whole: &[RawTreeChange]) -> Result<Vec<(StepState, String)>, StepsUnusable> {
        let harvested: BTreeSet<&[u8]> = whole.iter().map(|one| one.path.as_slice()).collect();
        let mut states = Vec::new();
        for (commit, subject) in &self.commits {
            let call = self.git("compare the worker's commits")?;
            let changes =
                change::diff_with_git(call, self.request.prepared.as_str(), commit.as_str())?;
            let mut state = StepState::new();
            for one in changes.into_iter().filter(|one| harvested.contains(one.path.as_slice())) {
                if matches!(
                    one.new_mode,
                    EntryMode::Gitlink | EntryMode::Tree | EntryMode::Other(_)
                ) {
                    return unusable("a commit contains something that is not a file");
                }
                if has_rules_in_git(&one.path) && !is_final(whole, &one) {
                    return unusable("a commit contains a version of a file that git checks");
                }
                state.insert(one.path, (one.new_mode, one.new_id));
            }
            states.push((state, subject.clone()));
        }
        Ok(states)
    }

    /// Copies the versions of files that exist only in the worker's commits.
    fn bring_over(
        &self,
        states: &[(StepState, String)],
        whole: &[RawTreeChange],
    ) -> Result<(), StepsUnusable> {
        let known: BTreeSet<&str> =
            whole.iter().flat_map(|one| [one.old_id.as_str(), one.new_id.as_str()]).collect();
        let entries = states.iter().flat_map(|(state, _)| state.values());
        let missing: BTreeSet<&str> = entries
            .filter(|(mode, id)| *mode != EntryMode::Absent && !known.contains(id.as_str()))
            .map(|(_, id)| id.as_str())
            .collect();
        if missing.is_empty() {
            return Ok(());
        }
        let ids = lines(missing.iter().copied());
        self.check_sizes(ids.clone(), missing.len())?;
        let call = self.git("read the worker's objects")?;
        let call = call.args(["pack-objects", "--stdout", "-q", "--window=0", "--threads=1"]);
        let pack = call.stdin(ids).run_checked()?.stdout;
        // Unpacking hashes the content: an object with a false name gets another one, and the tree
        // that needs it cannot be written.
        let call = self.pool.shadow_git("copy the worker's objects")?;
        call.args(["unpack-objects", "-q"]).stdin(pack).limit(READ_LIMIT).run_checked()?;
        Ok(())
    }

    fn check_sizes(&self, ids: Vec<u8>, count: usize) -> Result<(), StepsUnusable> {
        let call = self.git("measure the worker's objects")?;
        let call = call.args(["cat-file", "--batch-check=%(objecttype) %(objectsize)"]);
        let answer = call.stdin(ids).run_checked()?;
        let text = String::from_utf8_lossy(&answer.stdout);
        let sizes = text.lines().map_while(|line| line.strip_prefix("blob ")?.parse::<u64>().ok());
        let sizes: Vec<u64> = sizes.collect();
        let most = self.request.limits.max_file_bytes;
        let total: u64 = sizes.iter().fold(0, |sum, size| sum.saturating_add(*size));
        let fits = sizes.iter().all(|size| *size <= most);
        if sizes.len() != count || !fits || total > most.saturating_mul(MAX_TOTAL_FACTOR) {
            return unusable("a commit contains files that are missing or too large");
        }
        Ok(())
    }
}

/// Whether the harvested work contains this very version; it has been checked.
fn is_final(whole: &[RawTreeChange], version: &RawTreeChange) -> bool {
    let same = |one: &RawTreeChange| one.path == version.path && one.new_id == version.new_id;
    version.new_mode == EntryMode::Absent || whole.iter().any(same)
}

/// Writes the tree of each step that changes something.
fn build(
    pool: &WorkspacePool,
    workspace: &WorkspaceDir,
    request: &HarvestRequest<'_>,
    whole: &[RawTreeChange],
    states: &[(StepState, String)],
) -> Result<Vec<WorkerStep>, StepsUnusable> {
    let base: StepState =
        whole.iter().map(|one| (one.path.clone(), (one.old_mode, one.old_id.clone()))).collect();
    let index = workspace.file("steps.index");
    copy_index(&workspace.index(), &index)?;
    let mut steps = Vec::new();
    let mut before = &StepState::new();
    for (state, subject) in states {
        let script = render_difference(before, state, &base);
        before = state;
        if script.is_empty() {
            continue;
        }
        let call = pool.tree_git("build a step", workspace, &index)?;
        call.args(["update-index", "-z", "--index-info"]).stdin(script).run_checked()?;
        let call = pool.tree_git("write the tree of a step", workspace, &index)?;
        let answer = call.args(["write-tree"]).run_checked()?;
        let tree = parse_id(answer.line()?, |detail| answer.unexpected(detail))?;
        steps.push(WorkerStep { tree, subject: subject.clone() });
    }
    // With one commit per planned step, the commits are these steps, whatever the worker called
    // them.
    if steps.len() == request.step_names.len() {
        for (step, name) in steps.iter_mut().zip(request.step_names) {
            step.subject = clean_subject(name);
        }
    }
    Ok(steps)
}

/// Index entries that lead from one state to the next, removals first.
fn render_difference(before: &StepState, after: &StepState, base: &StepState) -> Vec<u8> {
    let paths: BTreeSet<&Vec<u8>> = before.keys().chain(after.keys()).collect();
    let (mut removed, mut written) = (Vec::new(), Vec::new());
    for path in paths {
        // A path that a state does not name is as it was in the base.
        let was = before.get(path).or_else(|| base.get(path));
        let Some((mode, id)) = after.get(path).or_else(|| base.get(path)) else { continue };
        if was.is_some_and(|was| was.0 == *mode && was.1 == *id) {
            continue;
        }
        let lines = if *mode == EntryMode::Absent { &mut removed } else { &mut written };
        lines.extend(format!("{:o} {id}\t", mode.bits()).into_bytes());
        lines.extend(path);
        lines.push(0);
    }
    removed.append(&mut written);
    removed
}

/// The subject as one line of printable text.
fn clean_subject(subject: &str) -> String {
    let plain = printable::aligned(subject);
    let words: Vec<&str> = plain.split_whitespace().collect();
    let line: String = words.join(" ").chars().take(MAX_SUBJECT_CHARS).collect();
    let line = line.trim_end();
    if line.is_empty() { String::from("step") } else { line.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_subject_is_one_short_line_without_hidden_characters() {
        assert_eq!(clean_subject("a\u{1b}[2J\u{202e}b\r\nc"), "a [2J b c");
        assert_eq!(clean_subject(&"x".repeat(300)).len(), MAX_SUBJECT_CHARS);
        assert_eq!(clean_subject(" \u{7} "), "step");
    }
}
