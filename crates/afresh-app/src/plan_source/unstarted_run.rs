//! A run that has not been started: what bundles and sizes of a plan are computed from.

use afresh_core::ids::{CommitId, RunId};
use afresh_core::run::settings::Settings;
use afresh_core::{Event, Plan, Run};

/// Its id; started runs have a number in theirs.
pub const NAME: &str = "plan";

/// A run in a repository without a commit, or where the commit does not matter.
pub fn without_commit(plan: &Plan, settings: &Settings) -> Run {
    at_commit(plan, settings, CommitId::new("0".repeat(40)).expect("forty digits are an id"))
}

pub fn at_commit(plan: &Plan, settings: &Settings, base: CommitId) -> Run {
    let event = Event::RunStarted {
        run: RunId::new(NAME).expect("a word is an id"),
        branch: String::new(),
        base,
        plan: Box::new(plan.clone()),
        settings: Box::new(settings.clone()),
    };
    Run::start(&event).expect("this event starts a run")
}
