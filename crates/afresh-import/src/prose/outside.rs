//! Paths outside of the repository in a task: they are ignored, with a warning.

use super::paths::paths_outside;
use crate::draft::DraftPlan;
use crate::plan_md::parse::remarks::PlanRemarks;
use afresh_formats::findings::Severity;
use afresh_formats::reading::SourceSpan;
use afresh_formats::text::markdown::TextLine;

const CODE: &str = "path-outside";
const HINT: &str = "use a path inside the repository, or let a person do it";

/// Adds warnings to a draft.
pub fn warn_about_outside(drafted: &mut DraftPlan, file: &str, line: &TextLine<'_>) {
    for path in paths_outside(line) {
        let found = drafted.find(&SourceSpan::new(file, path.range()), CODE, message(path.text));
        found.severity = Severity::Warning;
        found.hint = Some(HINT.to_owned());
    }
}

/// Adds warnings to a document.
pub fn remark_outside(remarks: &mut PlanRemarks, line: &TextLine<'_>) {
    for path in paths_outside(line) {
        remarks.warning(CODE, &path.range(), message(path.text), HINT);
    }
}

fn message(path: &str) -> String {
    format!("{path:?} is outside of the repository, so workers may not write it")
}
