//! Shell completion: tasks, requirements, runs and questions of the current repository.
//!
//! A shell starts this program while the user types, with [`VARIABLE`] set. Nothing is written, and on
//! an error there is simply nothing to complete.

use afresh_core::status::RunStatus;
use afresh_engine::RepoContext;
use afresh_engine::session::RecordedRun;
use clap::CommandFactory;
use clap_complete::engine::{ArgValueCandidates, CompletionCandidate};
use clap_complete::env::CompleteEnv;
use std::ffi::OsString;
use std::path::PathBuf;

use crate::cli::Cli;
use crate::terminal::output::safe;
use afresh_app::context::AppContext;
use afresh_app::session::runs::select;

/// Set by the scripts that `afresh completions` prints.
pub(crate) const VARIABLE: &str = "AFRESH_COMPLETE";

/// Answers a shell that asks for completions; false if none does.
pub(crate) fn answered_a_shell() -> bool {
    let arguments: Vec<OsString> = std::env::args_os().collect();
    let here = std::env::current_dir().ok();
    let asked = CompleteEnv::with_factory(Cli::command).var(VARIABLE).bin("afresh");
    // An error message would disturb the line that the user types.
    asked.try_complete(arguments, here.as_deref()).unwrap_or(true)
}

/// The tasks of the last run.
pub(crate) fn tasks() -> ArgValueCandidates {
    ArgValueCandidates::new(|| {
        let found = last_run();
        let tasks = found.iter().flat_map(|found| found.run.plan().tasks());
        tasks.map(|task| candidate(task.id.as_str(), &task.title)).collect()
    })
}

/// The requirements of the last run's plan.
pub(crate) fn requirements() -> ArgValueCandidates {
    ArgValueCandidates::new(|| {
        let found = last_run();
        let all = found.iter().flat_map(|found| found.run.plan().requirements());
        all.map(|one| candidate(one.id.as_str(), &one.text)).collect()
    })
}

pub(crate) fn runs() -> ArgValueCandidates {
    ArgValueCandidates::new(|| {
        let ids = place().and_then(|place| select::run_ids(&place).ok()).unwrap_or_default();
        ids.into_iter().map(CompletionCandidate::new).collect()
    })
}

/// The questions that wait.
pub(crate) fn questions() -> ArgValueCandidates {
    ArgValueCandidates::new(|| {
        let open =
            last_run().map(|found| RunStatus::from_run(&found.run).questions).unwrap_or_default();
        open.iter().map(|question| candidate(&question.id, &question.text)).collect()
    })
}

fn candidate(value: &str, help: &str) -> CompletionCandidate {
    CompletionCandidate::new(value).help(Some(safe(help).into()))
}

fn last_run() -> Option<RecordedRun> {
    place()?.find_run(|_| true).ok()?
}

fn place() -> Option<RepoContext> {
    let context = AppContext {
        directory: PathBuf::from("."),
        config_file: None,
        environment: crate::env::read(),
    };
    context.repository().ok()
}
