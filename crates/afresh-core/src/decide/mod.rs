//! What happens next: the policy of a run.
//!
//! [`decide`] takes one input and returns what is now true (events) and what the executor must do (effects). It
//! applies each event as it decides it, so that the next decision of the same turn sees it; the caller must
//! have the events on disk before it performs the effects.
//!
//! | module | what it decides |
//! | --- | --- |
//! | `scheduler` | which tasks start, from where, with what budget reserved |
//! | `attempt` | one attempt, from its start to the verdict and the retry |
//! | `by_hand` | attempts that people make themselves, or with agents of their own |
//! | `base` | what checks show before any work, and what follows from that |
//! | `contest` | which agent tries next, and whose work lands, where several compete |
//! | `checking` | rounds of checks, and the final checks of a run |
//! | `reviewing` | who looks at work whose checks passed, and what follows |
//! | `merging` | the merge queue: batches of merges, and the move of the branch |
//! | `budget` | which workers continue near a limit |
//! | `people` | questions and answers, commands of people, hooks that fail |
//! | `obstacles` | what stops every task, and is asked once |
//! | `halting`, `recovery`, `rewinding` | stopping, opening a run again, moving the branch back |

mod attempt;
mod base;
mod budget;
mod by_hand;
mod checking;
mod contest;
mod halting;
mod merging;
mod obstacles;
mod people;
mod recovery;
mod reviewing;
mod rewinding;
mod scheduler;

use self::halting::HaltMode;
use crate::effect::Effect;
use crate::event::Event;
use crate::ids::{AttemptId, TaskId};
use crate::input::Input;
use crate::plan::TaskIndex;
use crate::run::{Run, TaskStage};
use crate::time::Timestamp;

/// The answer to an input.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Reaction {
    pub events: Vec<Event>,
    pub effects: Vec<Effect>,
    /// Why a person's command cannot be carried out; nothing has changed then.
    pub refusal: Option<String>,
}

/// Decides what follows from `input`, and applies it to `run`.
pub fn decide(run: &mut Run, now: Timestamp, input: &Input) -> Reaction {
    let mut turn = Decider { run, now, reaction: Reaction::default() };
    match input {
        Input::Opened(opening) => turn.open(opening),
        Input::Spawned(attempt) => turn.spawned(attempt),
        Input::PromptMeasured(attempt, fill) => turn.prompt_measured(attempt, *fill),
        Input::SpawnFailed(attempt, failure) => turn.spawn_failed(attempt, failure),
        Input::CannotResume(attempt, why) => turn.cannot_resume(attempt, why),
        Input::UsageSeen(attempt, usage) => turn.usage_seen(attempt, usage),
        Input::Identified(attempt, identity) => turn.identified(attempt, identity),
        Input::ContextSeen(attempt, fill) => turn.context_seen(attempt, *fill),
        Input::WorkerLogged { attempt, level, event, message } => {
            turn.worker_logged(attempt, *level, event, message);
        }
        Input::StepClaimed { attempt, step, deviations } => {
            turn.step_claimed(attempt, *step, deviations);
        }
        Input::StepSaved { attempt, step, saved } => turn.step_saved(attempt, *step, saved),
        Input::AttemptEnded(attempt, end) => turn.attempt_ended(attempt, end),
        Input::Harvested(attempt, harvest) => turn.harvested(attempt, harvest),
        Input::Checked(report) => turn.checked(report),
        Input::Probed(report) => turn.probed(report),
        Input::ReviewUsageSeen(review, usage) => turn.review_usage_seen(review, usage),
        Input::ReviewEnded(review, end) => turn.review_ended(review, end),
        Input::BatchBuilt(batch, builds) => turn.batch_built(*batch, builds),
        Input::MovedBack(to, moved) => turn.moved_back(to, moved),
        Input::BranchMoved(attempt, to, moved) => turn.branch_moved(attempt, to, moved),
        Input::HookFailed(failure) => turn.hook_failed(failure),
        Input::NoteWarned(attempt, problem) => turn.note_warned(attempt, problem),
        Input::Answered { question, answer, by } => turn.answered(*question, answer, by),
        Input::AbortAsked { reason, by } => turn.end_for_good(reason, by),
        Input::HaltAsked { now, reason, by } => turn.halt_asked(HaltMode::when(*now), reason, by),
        Input::HaltCleared => turn.clear_halt(),
        Input::SkipAsked { task, reason } => turn.skip(task, reason),
        Input::DiskFull(place) => turn.halt_for_full_disk(place),
        Input::RetryAsked(task) => turn.retry(task),
        Input::StartByHand(start) => turn.start_by_hand(start),
        Input::HandedIn { task, outcome, duration_ms } => {
            turn.handed_in(task, outcome, *duration_ms);
        }
        Input::Commented { task, text, by, on } => turn.comment(task, text, by, on.as_ref()),
        Input::CommentRead(attempt, comment) => turn.comment_read(attempt, *comment),
        Input::IgnoreAsked(task) => turn.ignore(task),
        Input::RewindAsked { target, by } => turn.rewind_asked(target, by),
        Input::Woke => {}
    }
    turn.continue_run();
    turn.reaction
}

/// One call of `decide`.
struct Decider<'a> {
    run: &'a mut Run,
    now: Timestamp,
    reaction: Reaction,
}

impl Decider<'_> {
    fn record(&mut self, event: Event) {
        self.run.apply(&event).expect("decided events fit the stage of their task");
        self.reaction.events.push(event);
    }

    fn request(&mut self, effect: Effect) {
        self.reaction.effects.push(effect);
    }

    fn refuse(&mut self, why: impl Into<String>) {
        self.reaction.refusal = Some(why.into());
    }

    /// What follows from the new state, whatever led to it.
    fn continue_run(&mut self) {
        if self.run.is_ended_for_good() {
            self.end_attempts_by_hand();
        }
        if self.run.rewind().is_some() {
            return self.rewind_when_quiet();
        }
        self.settle_contests_without_budget();
        self.advance_merges();
        self.start_reviews();
        self.measure_base();
        self.start_ready_tasks();
        self.start_final_checks();
    }

    /// The stage of the task, if this attempt is its current one. A process from before a restart, or a repeated
    /// report, must change nothing (R2).
    fn stage_of(&self, attempt: &AttemptId) -> Option<&TaskStage> {
        let state = self.run.state_of(&attempt.task)?;
        (state.attempt() == Some(attempt)).then_some(&state.stage)
    }

    fn index(&self, task: &TaskId) -> TaskIndex {
        self.run.plan().index_of(task).expect("events name tasks of this plan")
    }
}
