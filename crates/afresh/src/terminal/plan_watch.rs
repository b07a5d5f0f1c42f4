//! Notices that the plan was edited while its run is driven (ST-07). The run continues with the plan as it was read.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::thread;
use std::time::{Duration, SystemTime};

use afresh_app::plan_source::PlanFile;

use crate::terminal::output::Output;

const INTERVAL: Duration = Duration::from_secs(1);

/// The files of a plan as they were when it was read.
#[derive(Debug)]
pub(crate) struct PlanWatch {
    shown: String,
    files: BTreeMap<PathBuf, FileState>,
}

/// What a change of a file changes.
#[derive(Debug, Clone, PartialEq, Eq)]
struct FileState {
    modified: Option<SystemTime>,
    content: Option<Vec<u8>>,
}

impl FileState {
    fn read(path: &PathBuf) -> Self {
        let modified = fs::metadata(path).and_then(|found| found.modified()).ok();
        Self { modified, content: fs::read(path).ok() }
    }

    /// The state now, if the content differs. Only a file with another time is read.
    fn changed(&mut self, path: &PathBuf) -> bool {
        let modified = fs::metadata(path).and_then(|found| found.modified()).ok();
        if modified == self.modified {
            return false;
        }
        let before = std::mem::replace(self, Self::read(path));
        before.content != self.content
    }
}

impl PlanWatch {
    pub(crate) fn new(file: &PlanFile) -> Self {
        let paths = file.files.iter().chain(std::iter::once(&file.path));
        let files = paths.filter(|path| path.is_file());
        let files = files.map(|path| (path.clone(), FileState::read(path))).collect();
        Self { shown: file.shown.clone(), files }
    }

    /// Says it once per change, until the program ends.
    pub(crate) fn start(mut self, output: Output) {
        thread::spawn(move || {
            loop {
                thread::sleep(INTERVAL);
                let changed = self.files.iter_mut().filter(|(path, _)| path.exists());
                if changed.filter_map(|(path, state)| state.changed(path).then_some(())).count() > 0
                {
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
