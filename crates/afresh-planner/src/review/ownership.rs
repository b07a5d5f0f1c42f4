//! Files that the specification names, and that no task writes; files that a task creates and takes for existing.

use afresh_core::plan::{FileAction, PlanField, Task};
use afresh_formats::text::markdown::{TextLine, code_spans, lines};
use afresh_import::prose::paths;
use afresh_import::requirements::leading_id;

use super::PlanReview;
use super::grounding::tree::{PlannedTree, scopes};
use crate::spec::files::{SpecFile, files};
use crate::spec::{OutlineSection, Specification, outline};

pub(super) fn check(review: &mut PlanReview<'_>) {
    check_spec_files(review);
    check_expected(review);
}

/// Every file that the specification says to create, change or delete is listed by a task.
fn check_spec_files(review: &mut PlanReview<'_>) {
    let ledger = review.subject.ledger;
    let Some(file) = ledger.statements.first().map(|statement| statement.file.clone()) else {
        return;
    };
    let Some(Ok(text)) = review.subject.folder.text(&file) else { return };
    // A single task may write what the specification names without listing it.
    if review.plan.tasks().iter().any(|task| !task.lists_files()) {
        return;
    }
    let spec = Specification::from_text(&file, text.clone());
    let sections = outline(&text);
    let repository = review.subject.repository;
    let named = files(&spec, |path| repository.bytes_of(path).is_some());
    for named in &named {
        if review.plan.tasks().iter().any(|task| task.may_write(&named.path)) {
            continue;
        }
        let exists = repository.bytes_of(&named.path).is_some();
        let section_at = |at: usize| {
            let last = sections.partition_point(|section| section.at.start <= at);
            &sections[last.saturating_sub(1)]
        };
        let place = named.places.iter().find(|place| {
            is_order(&text[place.at.clone()], named, section_at(place.at.start), exists)
        });
        let Some(place) = place else { continue };
        let line = text[..place.at.start].matches('\n').count() + 1;
        if is_left_out(review, section_at(place.at.start), line) {
            continue;
        }
        let message = format!("no task writes {:?}, which the specification names", named.path);
        let hint = "list it in `files` of the task that writes it";
        review.report_statement(&file, line, "unowned-file", message, hint);
    }
}

/// Verbs that order something at the start of a line.
const ORDERS: &[&str] = &[
    "create",
    "add",
    "modify",
    "update",
    "change",
    "edit",
    "extend",
    "delete",
    "remove",
    "write",
    "rewrite",
    "refactor",
    "new",
    "implement",
    "generate",
];

/// Whether a line orders something to be done with its file: below a heading about files, in a table, or by its first word.
fn is_order(line: &str, file: &SpecFile, section: &OutlineSection<'_>, exists: bool) -> bool {
    let is_listed = {
        let heading = section.heading.to_lowercase();
        heading.contains("file")
            && ["create", "modify", "change", "new", "add", "delete", "edit", "update"]
                .iter()
                .any(|word| heading.contains(word))
    };
    let lower = line.to_lowercase();
    let bare =
        TextLine { text: line, start: 0 }.without_bullet().text.trim_start_matches(['*', '[', '(']);
    // An id may come first.
    let bare = leading_id(bare).map_or(bare, |end| &bare[end..]).to_lowercase();
    let mut words = bare.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let is_first = words.next().is_some_and(|word| ORDERS.contains(&word));
    let is_cell = lower.trim_start().starts_with('|')
        && lower.split('|').any(|cell| ORDERS.contains(&cell.trim().trim_matches(['*', '`'])));
    let is_demanded = [
        "must create",
        "shall create",
        "must add",
        "should create",
        "must modify",
        "must be added to",
        "must be created in",
    ]
    .iter()
    .any(|words| lower.contains(words));
    let is_near = lower.contains(&file.path.to_lowercase());
    // A program may create files, too: outside of a list, a bare name or a directory may be one of those.
    let has_ending = file.path.rsplit('/').next().is_some_and(|name| name.contains('.'));
    let is_ours = has_ending
        && !file.path.contains(['*', '{'])
        && (file.path.contains('/') || is_listed || exists);
    is_near
        && is_ours
        && !is_source(&lower, &file.path.to_lowercase())
        && (is_listed || is_first || is_cell || is_demanded)
}

/// `Add a check like in src/a.py`: the file is where something comes from.
fn is_source(line: &str, path: &str) -> bool {
    let Some(at) = line.find(path) else { return false };
    let before = line[..at].split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let near: Vec<&str> = before.collect::<Vec<_>>().into_iter().rev().take(2).collect();
    near.iter().any(|word| {
        ["like", "from", "see", "using", "uses", "use", "via", "with", "as", "by"].contains(word)
    })
}

/// Whether the place belongs to statements that are deferred or out of scope.
fn is_left_out(review: &PlanReview<'_>, section: &OutlineSection<'_>, line: usize) -> bool {
    let mut names: Vec<&str> = section.above.clone();
    names.push(section.heading);
    review.subject.ledger.statements.iter().any(|statement| {
        let is_inside = statement
            .section
            .iter()
            .map(String::as_str)
            .eq(names.iter().copied().filter(|name| !name.is_empty()));
        !statement.is_active() && (statement.line == line || (is_inside && section.phase.is_some()))
    })
}

/// Words that say that a file exists, directly before it.
const EXPECTING: &[&str] = &[
    "existing", "extend", "modify", "update", "refactor", "edit", "change", "current", "rename",
    "fix",
];

/// A task that creates a file and whose text takes it for existing.
fn check_expected(review: &mut PlanReview<'_>) {
    let tree = PlannedTree::new(review.plan, review.subject.repository);
    for (at, task) in review.tasks() {
        let created = scopes(task).filter(|scope| scope.action == Some(FileAction::Create));
        for path in created.filter_map(|scope| scope.pattern.literal()) {
            if tree.exists(path) || !expects(task, path) {
                continue;
            }
            let message =
                format!("{} creates {path:?}, and its text takes it for existing", task.id);
            let hint =
                "use action = \"modify\" and need the task that creates it, or reword the text";
            review.report(at, PlanField::Files, "contradicting-actions", message, hint);
        }
    }
}

fn expects(task: &Task, path: &str) -> bool {
    let steps = task.steps.iter().map(|step| step.instructions.as_str());
    std::iter::once(task.instructions.as_str()).chain(steps).any(|text| {
        lines(text).any(|line| {
            let named = paths(&line);
            let name = path.rsplit('/').next().unwrap_or(path);
            let is_meant = |found: &str| found.trim_start_matches("./") == path || found == name;
            let spans = code_spans(&line);
            let mut starts = named
                .iter()
                .chain(&spans)
                .filter(|found| is_meant(found.text))
                .map(|found| found.start - line.start);
            starts.any(|start| {
                let before = line.text[..start].to_lowercase();
                let clause = before.rsplit(['.', ';', ',', ':']).next().unwrap_or(&before);
                let words: Vec<&str> = clause
                    .split(|c: char| !c.is_alphanumeric())
                    .filter(|word| !word.is_empty())
                    .collect();
                let near = words.iter().rev().take_while(|word| {
                    !matches!(**word, "and" | "or" | "in" | "with" | "by" | "to" | "from" | "like")
                });
                near.take(3).any(|word| EXPECTING.contains(word))
            })
        })
    })
}
