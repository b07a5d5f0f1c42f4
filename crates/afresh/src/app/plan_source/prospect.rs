//! A run that nobody has started: what would be, as far as a plan tells.

use afresh_core::ids::{CommitId, RunId};
use afresh_core::settings::Settings;
use afresh_core::{Event, Plan, Run};

/// What it is called; no run that was started is called so, because those have a number.
pub(crate) const NAME: &str = "plan";

/// The same from no commit at all.
pub(crate) fn of(plan: &Plan, settings: &Settings) -> Run {
    from(plan, settings, CommitId::new("0".repeat(40)).expect("forty digits are an id"))
}

pub(crate) fn from(plan: &Plan, settings: &Settings, base: CommitId) -> Run {
    let event = Event::RunStarted {
        run: RunId::new(NAME).expect("a word is an id"),
        branch: String::new(),
        base,
        plan: Box::new(plan.clone()),
        settings: Box::new(settings.clone()),
    };
    Run::start(&event).expect("this event starts a run")
}
