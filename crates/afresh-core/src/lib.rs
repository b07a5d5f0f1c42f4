//! What a run is, and what happens next.
//!
//! The core is pure: no files, no clock, no processes, no threads, no hash maps. Time and every fact from
//! outside come in as an [`Input`]; [`decide()`] answers with [`Event`]s (what is now true, for the journal)
//! and [`Effect`]s (what the executor must do). A [`Run`] changes through [`Run::apply`] alone, so the journal
//! applied to an empty run is the run.
//!
//! | module | what it holds |
//! | --- | --- |
//! | [`input`], [`event`], [`effect`] | the three vocabularies: what happened, what is now true, what to do |
//! | [`run`] | the state of a run, `apply`, and the settings of a run |
//! | [`decide`](mod@decide) | the policy: scheduler, retries, checks, merge queue, questions, halts, recovery |
//! | [`plan`] | tasks and their order, file patterns, context estimates; every problem of a plan at once |
//! | [`commit`] | the messages of commits |
//! | [`attempt`] | what a worker reported, what it changed, what our checks found, and why work is rejected |
//! | [`people`] | what people are asked, tell workers, and run at certain points |
//! | [`status`] | the state as a table for people and scripts |
//! | [`ids`], [`time`] | names and moments: checked once, then trusted |
//! | [`printable`] | text from outside, made safe to show |

pub mod attempt;
pub mod commit;
pub mod decide;
pub mod effect;
pub mod event;
pub mod ids;
pub mod input;
pub mod people;
pub mod plan;
pub mod printable;
pub mod run;
pub mod status;
pub mod time;

pub use attempt::outcome::{model_error, process};
pub use attempt::{
    check, check_files, denial, harvest, interruption, outcome, probe, rejection, review, scope,
    step, usage,
};
pub use decide::{Reaction, decide};
pub use effect::Effect;
pub use event::Event;
pub use input::Input;
pub use people::{comment, hook, question};
pub use plan::{Plan, estimate, pattern};
pub use run::Run;
