//! beads: `.beads/issues.jsonl`, one issue per line.
//!
//! An issue is a task. An epic with children is replaced by them: issues that wait for it wait for the
//! children, and they wait for what it waits for. Closed issues are done. Criteria are prose.
//!
//! | module | what it holds |
//! | --- | --- |
//! | `issue` | one line |
//! | `links` | dependencies between issues |
//! | `trace` | acceptance criteria as requirements |

mod issue;
mod links;
mod trace;

use std::collections::BTreeSet;

use crate::detect::{PlanFormat, ReadOptions};
use crate::draft::document::JsonDocument;
use crate::draft::status;
use crate::draft::{DraftPlan, IdRule};
use afresh_formats::findings::Finding;
use afresh_formats::folder::PlanFolder;
use afresh_formats::reading::{PlanReading, only_text};
use afresh_formats::text::limits::too_many_tasks;
use afresh_formats::text::markdown::lines;
use issue::BeadsIssue;

pub const FORMAT: PlanFormat =
    PlanFormat { name: "beads", is_present, read, requirements: trace::add };

const EXPECTED: &str = "expected .beads/issues.jsonl with one issue per line";

const HINT: &str = "every line must be a JSON object with `id`, `title` and `status`; check for merge conflict markers";

/// The possible paths of the issues, from the project's root or from `.beads`; the newer name first.
const FILES: &[&str] =
    &[".beads/issues.jsonl", ".beads/beads.jsonl", "issues.jsonl", "beads.jsonl"];

fn is_present(folder: &dyn PlanFolder) -> bool {
    file(folder).is_some()
}

/// The file of issues. Only listed paths count: a part of a project does not hold the issues of the
/// whole.
fn file(folder: &dyn PlanFolder) -> Option<&'static str> {
    let there = |file: &&&str| folder.paths().iter().any(|path| path == *file);
    FILES.iter().find(there).copied()
}

fn read(folder: &dyn PlanFolder, options: &ReadOptions) -> PlanReading {
    let Some(file) = options.named_file().or_else(|| file(folder)) else {
        let message = "no issues here: nothing to do";
        let finding = Finding::for_file(".", "empty-plan", message);
        return PlanReading::failed(finding.with_hint(EXPECTED));
    };
    let text = match only_text(folder, file, HINT) {
        Ok(text) => text,
        Err(failed) => return failed,
    };
    let mut drafted =
        DraftPlan { name: "beads".to_owned(), id_rule: IdRule::Keys, ..DraftPlan::default() };
    let mut document = JsonDocument::new(file, &text, HINT);
    let mut issues: Vec<BeadsIssue> = Vec::new();
    let mut gone = BTreeSet::new();
    let mut conflicts = false;
    for line in lines(&text).filter(|line| !line.text.trim().is_empty()) {
        if let Some(node) = document.parse_part(&line.range()) {
            match issue::read(&mut document, &node) {
                Some(mut issue) => {
                    issue.task.fault = document.take_fault_of(&issue.standing);
                    issues.push(issue);
                }
                None => gone.extend(document.word(&node, "id").map(|id| id.text)),
            }
        }
        document.take_fault();
        conflicts |= is_conflict_marker(line.text);
        if let Some(finding) = too_many_tasks(file, issues.len()) {
            return PlanReading::failed(finding);
        }
    }
    let found = links::resolve(&mut document, issues, &gone);
    document.close(&mut drafted);
    // Between conflict markers every issue is there twice, so the file as a whole is not usable.
    if conflicts {
        drafted.contained = 0;
    }
    status::finish(folder, drafted, found, (file, EXPECTED))
}

fn is_conflict_marker(line: &str) -> bool {
    ["<<<<<<<", "=======", ">>>>>>>"].iter().any(|mark| line.starts_with(mark))
}
