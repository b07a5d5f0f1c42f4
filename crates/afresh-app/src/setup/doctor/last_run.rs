//! Whether the last run waits for a person.

use afresh_core::status::RunState;
use afresh_core::status::RunStatus;
use afresh_engine::RepoContext;

use crate::error::AppError;
use crate::session::runs::LastDriver;
use crate::setup::doctor::{DoctorLine, LineSink};
use crate::text::count;

pub(super) fn check_last_run(repository: &RepoContext, lines: &mut LineSink<'_>) {
    let found = match repository.find_run(|_| true) {
        Ok(Some(found)) => found,
        Ok(None) => return lines.push(DoctorLine::ok("last run", "none yet")),
        Err(error) => return lines.push(DoctorLine::failed("last run", &AppError::from(error))),
    };
    let status = RunStatus::from_run(&found.run);
    let driver = match LastDriver::find(repository) {
        Ok(driver) => driver,
        Err(error) => return lines.push(DoctorLine::failed("last run", &error)),
    };
    let is_driven = driver.holder_of(found.run.id()).is_some();
    let run = &status.run;
    lines.push(match (status.state, &status.halt) {
        (_, Some(halt)) => DoctorLine::warn(
            "last run",
            format!("{run} was halted by {}: {}", halt.by, halt.reason),
            "`afresh resume` continues it",
        ),
        (RunState::Running, None) if driver.left(&found.run) => DoctorLine::warn(
            "last run",
            format!("{run} was interrupted"),
            "`afresh run` continues it",
        ),
        (RunState::Running, None) if !is_driven => {
            DoctorLine::ok("last run", format!("{run} has tasks left; `afresh run` continues it"))
        }
        (state, None) => DoctorLine::ok("last run", format!("{run} is {}", state.word())),
    });
    if !status.questions.is_empty() {
        let text = format!("{} of {run} open", count(status.questions.len(), "question"));
        lines.push(DoctorLine::warn("questions", text, "`afresh questions` shows them"));
    }
}
