//! What a run is, and what happens next.
//!
//! The core is pure: no files, no clock, no processes, no threads, no hash maps. Time and every
//! fact about the world come in as an [`Input`]; [`decide()`] answers with [`Event`]s (what is now
//! true, for the journal) and [`Effect`]s (what we ask of the world). A [`Run`] changes through
//! [`Run::apply`] alone, so the journal applied to an empty run is the run.
//!
//! | module | idea |
//! | --- | --- |
//! | [`ids`], [`time`], [`pattern`] | names, moments, file patterns: checked once, then trusted |
//! | [`printable`] | text of others, made safe to show |
//! | [`plan`] | tasks and their order; everything that is wrong with a plan, at once |
//! | [`estimate`] | how much of a worker's context a task will fill |
//! | [`settings`], [`usage`] | how to run it; what it costs and may cost |
//! | [`outcome`], [`harvest`], [`check`] | what a worker said; what it really changed; what our checks found |
//! | [`process`] | how supervised programs end, and resource limits |
//! | [`model_error`] | what went wrong between an agent program and its model |
//! | [`rejection`] | why an attempt came to nothing |
//! | [`interruption`] | work that was cut off, and taking it up again |
//! | [`step`] | finished pieces of a task, and where a fresh worker goes on |
//! | [`scope`] | may this change land? |
//! | [`input`], [`event`], [`effect`] | the three vocabularies |
//! | [`run`] | the state, and `apply` |
//! | [`decide`](mod@decide) | the policy |
//! | [`status`] | the state as a table for people and scripts |

pub mod check;
pub mod decide;
pub mod effect;
pub mod estimate;
pub mod event;
pub mod harvest;
pub mod ids;
pub mod input;
pub mod interruption;
pub mod model_error;
pub mod outcome;
pub mod pattern;
pub mod plan;
pub mod printable;
pub mod process;
pub mod question;
pub mod refusal;
pub mod rejection;
pub mod run;
pub mod scope;
pub mod settings;
pub mod status;
pub mod step;
pub mod time;
pub mod usage;

pub use decide::{Reaction, decide};
pub use effect::Effect;
pub use event::Event;
pub use input::Input;
pub use plan::Plan;
pub use run::Run;
