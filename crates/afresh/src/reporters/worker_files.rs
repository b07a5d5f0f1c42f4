//! The files about running workers of a plan of long-run, kept current in the state directory.

use std::fs;
use std::path::PathBuf;

use afresh_core::{Event, Run};
use afresh_engine::{RecordedEvent, Reporter};
use afresh_views::worker_files::{self, CHECKPOINT_END, CURRENT_AGENT};

#[derive(Debug)]
pub(crate) struct WorkerFilesReporter {
    directory: PathBuf,
}

impl WorkerFilesReporter {
    pub(crate) fn new(directory: PathBuf) -> Self {
        Self { directory }
    }

    /// The journal has everything, so a file that cannot be written is no error.
    fn write(&self, run: &Run) {
        let files = worker_files::render(run);
        let _ = fs::create_dir_all(&self.directory);
        for (name, text) in &files {
            let (file, draft) = (self.directory.join(name), self.directory.join("new"));
            let _ = fs::write(&draft, text).and_then(|()| fs::rename(&draft, &file));
        }
        for entry in fs::read_dir(&self.directory).into_iter().flatten().flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            let comes_and_goes = name == CURRENT_AGENT || name.ends_with(CHECKPOINT_END);
            if comes_and_goes && !files.contains_key(&name) {
                let _ = fs::remove_file(entry.path());
            }
        }
    }
}

/// Whether a run is one of a plan whose users look for these files.
fn is_wanted(run: &Run) -> bool {
    run.settings().writeback.as_ref().is_some_and(|target| target.format == "long-run")
}

impl Reporter for WorkerFilesReporter {
    fn event_recorded(&mut self, seen: &RecordedEvent<'_>) {
        let is_about_workers = matches!(
            seen.event,
            Event::AttemptSpawned { .. }
                | Event::AttemptIdentified { .. }
                | Event::AttemptEnded { .. }
                | Event::AttemptRejected { .. }
                | Event::StepDone { .. }
                | Event::Merged { .. }
        );
        if is_about_workers && is_wanted(seen.run) {
            self.write(seen.run);
        }
    }

    fn drive_ended(&mut self, run: &Run) {
        if is_wanted(run) {
            self.write(run);
        }
    }
}
