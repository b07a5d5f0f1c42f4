//! beads: `.beads/issues.jsonl`, one issue a line.
//!
//! An issue is a task. An epic with children is only their sum: whoever waits for it waits for
//! them, and they wait for whatever it waits for. Closed is done. Criteria are prose.
//!
//! | module | idea |
//! | --- | --- |
//! | `issue` | one line |
//! | `links` | what issues are to each other |

mod issue;
mod links;

use std::collections::BTreeSet;

use crate::detect::{PlanFormat, ReadOptions};
use crate::draft::DraftPlan;
use crate::draft::document::JsonDocument;
use crate::draft::status;
use afresh_formats::findings::Finding;
use afresh_formats::folder::PlanFolder;
use afresh_formats::reading::{PlanReading, only_text};
use afresh_formats::text::limits::too_many_tasks;
use afresh_formats::text::markdown::lines;
use issue::BeadsIssue;

pub const FORMAT: PlanFormat = PlanFormat { name: "beads", recognises, read };

const EXPECTED: &str = "expected is .beads/issues.jsonl with an issue in every line";

const HELP: &str = "every line is one JSON object with `id`, `title` and `status`; is this left over from a merge?";

/// Where the issues may be, seen from the project's root or from `.beads`; the newer name first.
const FILES: &[&str] =
    &[".beads/issues.jsonl", ".beads/beads.jsonl", "issues.jsonl", "beads.jsonl"];

fn recognises(folder: &dyn PlanFolder) -> bool {
    file(folder).is_some()
}

fn file(folder: &dyn PlanFolder) -> Option<&'static str> {
    let there = |file: &&&str| folder.holds(file);
    FILES.iter().find(there).copied()
}

fn read(folder: &dyn PlanFolder, wishes: &ReadOptions) -> PlanReading {
    let Some(file) = wishes.only.as_deref().or_else(|| file(folder)) else {
        let message = "there are no issues here: nothing to do";
        let finding = Finding::for_file(".", "empty-plan", message);
        return PlanReading::failed(finding.with_hint(EXPECTED));
    };
    let text = match only_text(folder, file, HELP) {
        Ok(text) => text,
        Err(failed) => return failed,
    };
    let mut drafted = DraftPlan { name: "beads".to_owned(), ..DraftPlan::default() };
    let mut document = JsonDocument::new(file, &text, HELP);
    let mut issues: Vec<BeadsIssue> = Vec::new();
    let mut gone = BTreeSet::new();
    for line in lines(&text).filter(|line| !line.text.trim().is_empty()) {
        if let Some(node) = document.parse_part(&line.range()) {
            match issue::read(&mut document, &node) {
                Some(issue) => issues.push(issue),
                None => gone.extend(document.word(&node, "id").map(|id| id.text)),
            }
        }
        if let Some(finding) = too_many_tasks(file, issues.len()) {
            return PlanReading::failed(finding);
        }
    }
    let found = links::resolve(&mut document, issues, &gone);
    document.close(&mut drafted);
    status::finish(folder, drafted, found, (file, EXPECTED))
}
