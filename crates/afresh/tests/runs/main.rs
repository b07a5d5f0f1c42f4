//! Runs from start to end: scheduling, checks, merges, questions, budgets, landing.
//!
//! | module | what it tests |
//! | --- | --- |
//! | [`basic_run`] | a plan without trouble |
//! | [`budgets`] | limits on tokens and cost |
//! | [`by_hand`] | `afresh task start`, `complete` and `fail` |
//! | [`checks`] | checks that hang, prove nothing, or see too much |
//! | [`cleanup`] | `afresh clean` |
//! | [`commits`] | the commits that a run leaves on its branch |
//! | [`comments`] | `afresh tell` |
//! | [`contests`] | several agents for one task |
//! | [`control_commands`] | commands from other terminals |
//! | [`detaching`] | `run --detach` and `attach` |
//! | [`gates`] | what must hold before a worker starts and before its work lands |
//! | [`halting`] | `afresh halt` and `afresh resume` |
//! | [`hooks`] | commands of the user before and after steps |
//! | [`landing`] | `afresh land` |
//! | [`measuring`] | checks that are measured before they are believed |
//! | [`no_repository`] | directories without a repository or a commit |
//! | [`one_task`] | commands about one task |
//! | [`pull_requests`] | `afresh land --pr` |
//! | [`questions`] | answers, retries, new runs |
//! | [`replaying`] | `afresh replay` |
//! | [`rewinding`] | continuing an interrupted wave |
//! | [`scope`] | changes outside the files of a task |
//! | [`scripts`] | checkpoints, `halt --check`, `statusline` |
//! | [`several_runs`] | `afresh runs`, `resume RUN`, `abort RUN`, and the options that a run keeps |
//! | [`usage`] | tokens and cost by task, wave and run |

#[path = "../support/mod.rs"]
mod support;

mod baseline;
mod basic_run;
mod batches;
mod budgets;
mod by_hand;
mod checks;
mod cleanup;
mod comments;
mod commits;
mod contests;
mod control_commands;
mod detaching;
mod gates;
mod halting;
mod hooks;
mod landing;
mod measuring;
mod no_repository;
mod one_task;
mod pull_requests;
mod questions;
mod replaying;
mod reviewing;
mod rewinding;
mod scope;
mod scripts;
mod several_runs;
mod usage;
