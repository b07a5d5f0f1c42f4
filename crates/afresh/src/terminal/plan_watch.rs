//! Notices that the plan was edited while its run is driven (ST-07). The run continues with the plan as it was read.

use std::thread;
use std::time::Duration;

use afresh_app::plan_source::PlanFile;
use afresh_app::plan_source::file_states::FileStates;

use crate::terminal::output::Output;

const INTERVAL: Duration = Duration::from_secs(1);

/// The files of a plan as they were when it was read.
#[derive(Debug)]
pub(crate) struct PlanWatch {
    shown: String,
    files: FileStates,
}

impl PlanWatch {
    pub(crate) fn new(file: &PlanFile) -> Self {
        Self { shown: file.shown.clone(), files: file.states.clone() }
    }

    /// Says it once per change, until the program ends.
    pub(crate) fn start(mut self, output: Output) {
        thread::spawn(move || {
            loop {
                thread::sleep(INTERVAL);
                if !self.files.take_changes().is_empty() {
                    output.note(&format!(
                        "note: {} has changed. This run continues with the plan as it was; to take up the change, \
                         halt it (Ctrl-C) or leave its questions (Ctrl-D), then `afresh run`",
                        self.shown
                    ));
                }
            }
        });
    }
}
