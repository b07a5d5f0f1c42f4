//! Continues an interrupted attempt: the same workspace, the same files, the same conversation (AG-08).

use afresh_agents::Agent;
use afresh_agents::bundle::InterruptedWork;
use afresh_core::Run;
use afresh_core::harvest::{Change, ChangeKind};
use afresh_core::interruption::AttemptResumption;
use afresh_core::plan::TaskIndex;
use afresh_core::usage::Usage;
use afresh_git::WorkspaceId;

use crate::executor::ExecutorContext;
use crate::executor::causes::describe;

/// The conversation that an attempt continues.
pub(crate) struct SessionResume {
    resumption: AttemptResumption,
    /// What its earlier attempts used, as far as reported.
    used: Usage,
}

impl SessionResume {
    pub(crate) fn new(run: &Run, at: TaskIndex, resumption: AttemptResumption) -> Self {
        let state = run.task(at);
        let before = state.conversation(resumption.of);
        let used = before.filter_map(|number| state.records.usages.get(&number));
        let used = used.fold(Usage::default(), |sum, usage| sum.plus(usage));
        Self { resumption, used }
    }

    pub(crate) fn session(&self) -> &str {
        &self.resumption.conversation.session
    }

    /// The number of the attempt that it continues.
    pub(crate) fn attempt_number(&self) -> u32 {
        self.resumption.of
    }

    /// Restores its files; fails if a fresh worker has to take over.
    pub(crate) fn put_back(
        &self,
        shared: &ExecutorContext,
        place: WorkspaceId,
    ) -> Result<(), String> {
        let tree = &self.resumption.tree;
        shared.pool.restore_files(place, tree).map_err(|error| describe(&error))
    }

    /// Why this agent cannot continue the conversation.
    pub(crate) fn refusal(&self, agent: &Agent) -> Option<String> {
        let of = &self.resumption.conversation.agent;
        if agent.name != *of {
            return Some(format!(
                "its conversation was with {of}, and the agent is {} now",
                agent.name
            ));
        }
        (!agent.can_resume()).then(|| format!("{of} takes no conversation up again"))
    }

    /// What the earlier attempts of the conversation used.
    pub(crate) fn used_before(&self) -> Usage {
        self.used
    }
}

/// What the task's last interrupted attempt left.
pub(crate) fn left(run: &Run, at: TaskIndex) -> Option<InterruptedWork> {
    let state = run.task(at);
    let left = state.session.interrupted.as_ref()?;
    let why = state.last.rejection.as_ref().map(afresh_core::rejection::Rejection::describe);
    Some(InterruptedWork {
        attempt: left.attempt.clone(),
        why: why.unwrap_or_default(),
        commit: left.harvest.commit.clone(),
        changes: left.harvest.changes.iter().map(line).collect(),
    })
}

fn line(change: &Change) -> String {
    let letter = match change.kind {
        ChangeKind::Created => 'A',
        ChangeKind::Modified => 'M',
        ChangeKind::Deleted => 'D',
    };
    format!("{letter} {}", change.path)
}
