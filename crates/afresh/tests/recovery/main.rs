//! Crashes, locks, and other programs in the same repository.
//!
//! | module | what it tests |
//! | --- | --- |
//! | [`concurrent_changes`] | the user changes the repository during a run |
//! | [`disturbed_run`] | kills, halts, answers, edits, rewinds and retries, all in one run |
//! | [`faults`] | single writes and syncs that fail |
//! | [`file_systems`] | file systems without what a run needs |
//! | [`garbage_collection`] | `git gc --prune=now` during a run; refs whose objects are gone |
//! | [`git_locks`] | locks of git that others hold or left |
//! | [`git_program`] | git that is missing, old or broken |
//! | [`journal`] | damage to the journal |
//! | [`kill`] | kill -9 of the driver at random moments |
//! | [`kill_sweep`] | kill -9 of the driver at chosen places |
//! | [`many_calls`] | many commands at the same time |
//! | [`one_driver`] | two drivers for one repository |
//! | [`orphans`] | a git of ours that outlives its driver |
//! | [`processes`] | open files and signals of workers and checks |
//! | [`repositories`] | unusual repositories: partial clones, refs in the way, odd names, changed plans |
//! | [`resuming`] | conversations that continue after a crash |
//! | [`second_halt`] | the second halt request is bounded |
//! | [`shared_workspaces`] | two runs with the same workspaces |
//! | [`vanished_state`] | the journal or the state directory is taken away |

#[path = "../support/mod.rs"]
mod support;

mod concurrent_changes;
mod disturbed_run;
mod faults;
mod file_systems;
mod full_disk;
mod garbage_collection;
mod git_locks;
mod git_program;
mod journal;
mod kill;
mod kill_sweep;
mod many_calls;
mod one_driver;
mod orphans;
mod processes;
mod repositories;
mod resuming;
mod second_halt;
mod shared_workspaces;
mod vanished_state;
