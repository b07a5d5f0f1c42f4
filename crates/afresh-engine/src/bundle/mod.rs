//! Builds a worker's bundle from what the run knows and from the files that the worker starts with.
//!
//! `afresh-agents` renders it for the agent. Workers and `afresh bundle` use the same function, so both get the
//! same bundle.
//!
//! | module | idea |
//! | --- | --- |
//! | [`tree`] | the files that a worker will find |
//! | [`related_tests`] | existing tests that touch the files of a task |
//! | [`rendered`] | bundle and prompt as they go to disk: redacted and measured |
//! | [`stored`] | the bundles that are on disk |

pub mod related_tests;
pub mod rendered;
pub mod stored;
pub mod tree;

use std::collections::BTreeSet;

use afresh_agents::bundle::spec_section::{self, SpecPart};
use afresh_agents::bundle::{
    FileChecksum, FileOrigin, FinishedTask, InlinedFile, PlanPosition, RepeatedCheckFailure,
    ReportChannel,
};
use afresh_agents::{Briefing, Bundle};
use afresh_core::Run;
use afresh_core::comment::TaskComment;
use afresh_core::ids::{AttemptId, TaskId};
use afresh_core::plan::{ContextLevel, Task, TaskIndex};
use afresh_core::question::AnsweredQuestion;
use afresh_core::run::{TaskStage, TaskState};
use afresh_core::step::StartPoint;

pub use rendered::RenderedBundle;
pub use tree::SourceTree;

use crate::executor::attempt::resume;

/// How many files of dependencies are inlined, and how many bytes of each file and in total.
const MAX_FILES: usize = 12;
const MAX_FILE_BYTES: usize = 8 * 1024;
const MAX_BYTES: usize = 32 * 1024;
/// How many of the most recently landed tasks are listed.
const RECENT: usize = 5;

/// A file that a dependency made no longer exists, and no task deleted it.
#[derive(Debug, thiserror::Error)]
#[error("{path} of task {task}, which this task needs, is missing from the branch")]
pub struct MissingSource {
    path: String,
    task: TaskId,
}

impl MissingSource {
    /// The hint for the user.
    pub const ADVICE: &str =
        "bring the file back on the run's branch, or do the task that made it anew";
}

/// What the next worker of a task would be given, with the files of `tree`.
pub fn next(
    run: &Run,
    at: TaskIndex,
    briefing: &Briefing,
    tree: &dyn SourceTree,
) -> Result<Bundle, MissingSource> {
    let ground = run.next_start_point(at);
    let known = planned(run, at, &ground, briefing);
    finished(&known, &ground, &deleted_files(run, at), tree)
}

/// The bundle as far as it is known before the worker starts.
pub(crate) fn planned(
    run: &Run,
    at: TaskIndex,
    ground: &StartPoint,
    briefing: &Briefing,
) -> Bundle {
    let number = run.task(at).retries.last_number + 1;
    let attempt = AttemptId { task: run.plan().task(at).id.clone(), number };
    let fresh = bundle(run, at, &attempt, ground, briefing);
    let mut known = Bundle { resumes_session: false, ..fresh };
    if !run.steps_hold(at) {
        known.first_step = 1;
    }
    known
}

/// What the run knows.
pub(crate) fn bundle(
    run: &Run,
    at: TaskIndex,
    attempt: &AttemptId,
    ground: &StartPoint,
    briefing: &Briefing,
) -> Bundle {
    let (plan, state, settings) = (run.plan(), run.task(at), run.settings());
    let agent = run.named_agent(at).map(str::to_owned);
    let task = Task { agent, contest: None, ..plan.task(at).clone() };
    let context = task.context.unwrap_or(ContextLevel::Standard);
    let (described, full) = (context != ContextLevel::Minimal, context == ContextLevel::Full);
    let detail = if full { ReceiptDetail::Full } else { ReceiptDetail::FilesOnly };
    let needs = plan.needs(at);
    Bundle {
        version: 2,
        run: run.id().clone(),
        plan: plan.name.clone(),
        attempt: attempt.clone(),
        attempts_allowed: settings.attempts,
        base: ground.base.clone(),
        target: String::new(),
        role: task.agent.as_ref().and_then(|agent| briefing.roles.get(agent)).cloned(),
        task,
        context,
        first_step: state.steps_done() as usize + 1,
        without: needs
            .iter()
            .filter(|need| !run.task(**need).is_done() && run.task(**need).is_met())
            .map(|need| plan.task(*need).id.clone())
            .collect(),
        always: settings.always.clone(),
        feedback: state.last.feedback.clone(),
        repeated_failure: repeated_failure(state),
        left: resume::left(run, at),
        resumes_session: state.stage.work().is_some_and(|work| work.resumes.is_some()),
        answers: answers(run, at),
        comments: comments(state, attempt),
        position: described.then(|| position(run, at, briefing)),
        project: briefing.project.clone().filter(|_| described),
        patterns: briefing
            .patterns
            .as_ref()
            .filter(|_| described)
            .map(|patterns| patterns.text.clone()),
        spec: briefing
            .spec
            .as_ref()
            .filter(|_| described)
            .map(|spec| SpecPart::for_task(spec, plan.task(at))),
        built_on: if described {
            needs.iter().filter_map(|need| finished_task(run, *need, detail)).collect()
        } else {
            Vec::new()
        },
        interfaces: Vec::new(),
        tests: Vec::new(),
        recent: if full { recent(run, at) } else { Vec::new() },
        sources: briefing.sources.clone(),
        window: None,
        reports_by: ReportChannel::default(),
        surroundings: Vec::new(),
        project_rules: None,
        review: None,
    }
}

/// Adds the files of the workspace. Fails if a file that the task builds on is missing and no later task
/// deleted it.
pub(crate) fn finished(
    bundle: &Bundle,
    ground: &StartPoint,
    gone: &BTreeSet<String>,
    tree: &dyn SourceTree,
) -> Result<Bundle, MissingSource> {
    let mut bundle = Bundle { target: tree.directory(), ..bundle.clone() };
    // If the workspace holds finished steps or interrupted work, those may have moved or deleted any file.
    if ground.prepared == ground.base && !bundle.resumes_session {
        for need in &mut bundle.built_on {
            let is_there = |path: &String| tree.has(path);
            let mut paths = need.created.iter().chain(&need.modified);
            if let Some(path) = paths.find(|path| !is_there(path) && !gone.contains(*path)) {
                return Err(MissingSource { path: path.clone(), task: need.task.clone() });
            }
            need.created.retain(is_there);
            need.modified.retain(is_there);
        }
    }
    if bundle.context == ContextLevel::Full {
        inline(&mut bundle, tree);
    }
    Ok(bundle)
}

/// Files that tasks deleted or moved away: they no longer count as any task's files.
pub(crate) fn deleted_files(run: &Run, at: TaskIndex) -> BTreeSet<String> {
    if run.plan().needs(at).is_empty() {
        return BTreeSet::new();
    }
    let deleted = run.tasks().filter_map(|(_, state)| match &state.stage {
        TaskStage::Done { receipt, .. } => Some(&receipt.deleted),
        _ => None,
    });
    deleted.flatten().cloned().collect()
}

/// How often in a row the task failed in the same way.
fn repeated_failure(state: &TaskState) -> Option<RepeatedCheckFailure> {
    let fingerprint = state.retries.failure.clone()?;
    Some(RepeatedCheckFailure { fingerprint, attempts: state.retries.same_failures })
}

/// Inlines the files that dependencies made, as far as the limits allow.
fn inline(bundle: &mut Bundle, tree: &dyn SourceTree) {
    let paths = bundle.built_on.iter().flat_map(|need| need.created.iter().chain(&need.modified));
    let mut room = MAX_BYTES;
    for path in paths {
        if bundle.interfaces.len() == MAX_FILES || room == 0 {
            break;
        }
        if bundle.interfaces.iter().any(|known| known.path == *path) {
            continue;
        }
        let Some(whole) = tree.text(path) else { continue };
        let (text, cut) = spec_section::cut_at_line(&whole, MAX_FILE_BYTES.min(room));
        room = room.saturating_sub(text.len());
        let sum = FileChecksum::from_bytes(path, whole.as_bytes());
        bundle.sources.push(FileChecksum { from: FileOrigin::Branch, ..sum });
        bundle.interfaces.push(InlinedFile { path: path.clone(), text: text.to_owned(), cut });
    }
}

fn position(run: &Run, at: TaskIndex, briefing: &Briefing) -> PlanPosition {
    let plan = run.plan();
    let own_file = briefing.task_files.get(&plan.task(at).id);
    PlanPosition {
        plan_file: own_file.unwrap_or(&briefing.plan_file).clone(),
        task: at.position() + 1,
        of_tasks: plan.len(),
        wave: plan.wave(at),
        of_waves: plan.wave_count(),
    }
}

/// How much of a finished task a bundle includes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ReceiptDetail {
    FilesOnly,
    /// Also its deviations and notes.
    Full,
}

/// What a task left; none if afresh did not complete it.
fn finished_task(run: &Run, at: TaskIndex, detail: ReceiptDetail) -> Option<FinishedTask> {
    let TaskStage::Done { commit, receipt, .. } = &run.task(at).stage else { return None };
    let full = detail == ReceiptDetail::Full;
    let task = run.plan().task(at);
    Some(FinishedTask {
        task: task.id.clone(),
        title: task.title.clone(),
        commit: commit.clone(),
        created: receipt.created.clone(),
        modified: receipt.modified.clone(),
        deleted: receipt.deleted.clone(),
        deviations: if full { receipt.deviations.clone() } else { Vec::new() },
        notes: receipt.notes.clone().filter(|_| full),
    })
}

/// The most recently landed tasks, without this task's dependencies.
fn recent(run: &Run, at: TaskIndex) -> Vec<FinishedTask> {
    let needs = run.plan().needs(at);
    let others = run.plan().indices().rev().filter(|other| !needs.contains(other));
    others
        .filter_map(|other| finished_task(run, other, ReceiptDetail::FilesOnly))
        .take(RECENT)
        .collect()
}

/// What the prompt of this attempt has: all comments for a fresh worker, the unknown ones for a conversation that
/// continues. A later comment reaches a worker another way.
fn comments(state: &TaskState, attempt: &AttemptId) -> Vec<TaskComment> {
    let is_started = state.attempt() == Some(attempt);
    let kept = state.people.comments.iter();
    let own = kept.filter(|it| !is_started || it.read_by.contains(&attempt.number));
    own.map(|it| it.comment.clone()).collect()
}

/// What people decided for this task: at the checkpoints that it depends on, and when its workers asked.
fn answers(run: &Run, at: TaskIndex) -> Vec<AnsweredQuestion> {
    let is_checkpoint = |need: &&TaskIndex| run.plan().task(**need).checkpoint.is_some();
    let before = run.plan().needs(at).iter().filter(is_checkpoint);
    let before = before.flat_map(|need| &run.task(*need).people.answers);
    before.chain(&run.task(at).people.answers).cloned().collect()
}
