//! Files outside of the repository that a sentence names as a task's own: they are left out, and told.

use super::paths::paths_outside;
use crate::draft::DraftPlan;
use crate::plan_md::parse::remarks::PlanRemarks;
use afresh_formats::findings::Severity;
use afresh_formats::reading::SourceSpan;
use afresh_formats::text::markdown::TextLine;

const CODE: &str = "path-outside";
const HELP: &str = "name a path below the repository's root, or leave it to a person";

/// Tells of them in a plan that is being put together.
pub fn warn_of_outside(drafted: &mut DraftPlan, file: &str, line: &TextLine<'_>) {
    for path in paths_outside(line) {
        let found = drafted.find(&SourceSpan::new(file, path.range()), CODE, message(path.text));
        found.severity = Severity::Warning;
        found.hint = Some(HELP.to_owned());
    }
}

/// Tells of them in one document.
pub fn remark_outside(remarks: &mut PlanRemarks, line: &TextLine<'_>) {
    for path in paths_outside(line) {
        remarks.warning(CODE, &path.range(), message(path.text), HELP);
    }
}

fn message(path: &str) -> String {
    format!("{path:?} is not in the repository, so no worker may write it")
}
