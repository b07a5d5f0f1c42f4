//! Acceptance files of a native plan: tests that another author wrote before the work. They are in a directory beside
//! the plan, and pinned with it.

use std::path::Path;

use afresh_core::plan::PlanField;
use afresh_formats::Finding;
use afresh_formats::reading::PlanReading;

use crate::text::files::read_bounded;

/// The directory beside the plan, with the paths that the files have in the repository.
pub(crate) const DIRECTORY: &str = "acceptance";
/// More than any test.
const MAX_BYTES: usize = 1024 * 1024;

/// Reads the files that tasks name. One that is missing is a fault of its task.
pub(super) fn read_files(reading: &mut PlanReading, plan: &Path) {
    let Some(tasks) = &mut reading.plan else { return };
    let directory = plan.with_file_name(DIRECTORY);
    let read = |path: &str| read_text(&directory, path);
    for (at, path) in tasks.read_acceptance_files(read) {
        let id = tasks.task(at).id.to_string();
        let place = reading.places.get(at.position());
        let span = place.map(|place| place.locate(None, PlanField::Acceptance, 0).clone());
        let message = format!("{id}: the acceptance file {path} cannot be read");
        let hint = format!("its content belongs into {DIRECTORY}/{path} beside the plan, as text");
        let file = span.map_or_else(|| ".".to_owned(), |span| span.file.to_string());
        reading.findings.push(
            Finding::for_file(&file, "missing-acceptance-file", message.clone()).with_hint(hint),
        );
        reading.blocked.insert(id, message);
    }
}

/// The text of a file below the directory; a link could lead anywhere.
fn read_text(directory: &Path, path: &str) -> Option<String> {
    let file = directory.join(path).canonicalize().ok()?;
    let inside = directory.canonicalize().ok()?;
    let bytes = read_bounded(&file, MAX_BYTES).ok().filter(|_| file.starts_with(inside))?;
    String::from_utf8(bytes).ok()
}
