//! Missing parts of a PLAN.md and its tasks.
//!
//! They do not prevent a run: a worker gets what exists.

use std::ops::Range;

use crate::plan_md::parse::document::PlanDocument;
use crate::plan_md::parse::remarks::PlanRemarks;
use crate::plan_md::parse::tags::OpeningTag;
use crate::prose::vague;
use afresh_formats::findings::Finding;
use afresh_formats::text::markdown::lines::lines_from;

/// Keys that GSD's own plan check requires; without the first two, order and files are unknown.
const KEYS: [&str; 8] =
    ["depends_on", "files_modified", "phase", "plan", "type", "wave", "autonomous", "must_haves"];

/// Reports missing parts of a task.
pub(super) fn remark(opening: &OpeningTag, has: &dyn Fn(&str) -> bool, remarks: &mut PlanRemarks) {
    let named = has("name") || opening.attribute("name").is_some();
    let ways = ["action", "implementation", "behavior", "description", "steps", "instructions"];
    let instructed = ways.iter().any(|part| has(part));
    let files = has("files") || has("file");
    let wanted = [
        ("name", named),
        ("action", instructed),
        ("files", files),
        ("verify", has("verify")),
        ("done", has("done")),
    ];
    let missing: Vec<String> =
        wanted.iter().filter(|(_, there)| !there).map(|(part, _)| format!("<{part}>")).collect();
    if missing.is_empty() {
        return;
    }
    let message = format!("this task has no {}", missing.join(", "));
    let hint = "a task has <name>, <files>, <action>, <verify> and <done>";
    if named && instructed {
        remarks.note("task-incomplete", &opening.at, message, hint);
    } else {
        remarks.warning("task-incomplete", &opening.at, message, hint);
    }
}

/// Reports missing keys in the frontmatter of a GSD plan.
pub fn remark_on_keys(document: &mut PlanDocument) {
    let keys = &document.fields.keys;
    let missing: Vec<&str> = KEYS.into_iter().filter(|key| !keys.contains(*key)).collect();
    let unread = document.yaml_finding.as_ref().is_some_and(Finding::is_error);
    // A plan without tasks has a finding of its own.
    if missing.is_empty() || unread || document.items.is_empty() {
        return;
    }
    let message = format!("the frontmatter has no {}", missing.join(", "));
    if keys.contains(KEYS[0]) && keys.contains(KEYS[1]) {
        let hint = "GSD's own plan check requires it";
        document.remarks.note("frontmatter-incomplete", &(0..0), message, hint);
    } else {
        let hint =
            "order and files follow from `depends_on` and `files_modified`; write [] for none";
        document.remarks.warning("frontmatter-incomplete", &(0..0), message, hint);
    }
}

/// Reports a long action without numbered steps, which long-run requires.
pub fn remark_on_steps(document: &mut PlanDocument) {
    for item in document.items.iter().filter(|item| !item.is_done) {
        let Some(at) = &item.action else { continue };
        let lines: Vec<&str> =
            document.text[at.clone()].lines().map(str::trim).filter(|l| !l.is_empty()).collect();
        let numbered = lines.iter().any(|line| line.starts_with(|c: char| c.is_ascii_digit()));
        if lines.len() > 2 && !numbered {
            let message = "this action has no numbered steps".to_owned();
            let hint = "write `1. …`, `2. …`, so that a worker can report how far it got";
            let start = at.start..at.start + lines[0].len();
            document.remarks.note("action-not-numbered", &start, message, hint);
        }
    }
}

/// Reports a `<done>` that is too vague to verify.
pub(super) fn vague_done(text: &str, part: &Range<usize>, remarks: &mut PlanRemarks) {
    for line in lines_from(&text[part.clone()], part.start) {
        if let Some(words) = vague(&line) {
            let message = format!("{:?} is too vague to verify", words.text);
            let hint = "name a value, a status, a file or a time";
            remarks.note("vague-criterion", &words.range(), message, hint);
            return;
        }
    }
}
