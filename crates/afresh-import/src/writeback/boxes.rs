//! Check boxes: that of a finished task, and those of its steps.

use std::ops::Range;

use afresh_formats::folder::PlanFolder as _;
use afresh_formats::reading::SourceSpan;
use afresh_formats::text::markdown::{CheckBox, check_boxes, headings};

use super::edits::{EditedFolder, PlanEdits};
use super::{PlanProgress, TaskMark, WritebackProblem};
use crate::box_lists::boxes::{BoxList, is_about_criteria};
use crate::formats::kiro;

/// Ticks the boxes of the task.
pub(super) fn tick_task(
    progress: &PlanProgress<'_>,
    edits: &mut PlanEdits,
) -> Result<TaskMark, WritebackProblem> {
    let place = progress.place();
    let text = progress.text(&place.file)?;
    for mark in own_marks(&text, place, &progress.other_places(&place.file)) {
        edits.replace(&place.file, mark, "x");
    }
    Ok(TaskMark::Task)
}

/// Kiro: also the boxes of its parents, once everything below them that is needed is done.
pub(super) fn tick_kiro_task(
    progress: &PlanProgress<'_>,
    edits: &mut PlanEdits,
) -> Result<TaskMark, WritebackProblem> {
    tick_task(progress, edits)?;
    let file = &*progress.place().file;
    let text = progress.text(file)?;
    let ticked = EditedFolder::new(progress.folder, edits).text(file);
    let Some(Ok(ticked)) = ticked else { return Ok(TaskMark::Task) };
    // A mark of one character replaces another, so that places stay.
    if ticked.len() == text.len() {
        tick_at(&text, &kiro::finished_parents(&ticked), file, edits);
    }
    Ok(TaskMark::Task)
}

/// The marks of the open boxes that belong to the task at `place`, and to no other task.
fn own_marks(text: &str, place: &SourceSpan, others: &[Range<usize>]) -> Vec<Range<usize>> {
    let marks = check_boxes(text);
    let ranges = box_ranges(text, &place.range);
    let is_own = |found: &&CheckBox<'_>| {
        let in_it = ranges.iter().any(|range| range.contains(&found.at.start));
        let of_other = others.iter().any(|other| found.at.contains(&other.start));
        !found.ticked && !found.is_optional && in_it && !of_other
    };
    marks.iter().filter(is_own).map(|found| found.mark.clone()).collect()
}

/// Where the boxes of a task are: its own box with those below it, or the section of its heading without criteria.
fn box_ranges(text: &str, place: &Range<usize>) -> Vec<Range<usize>> {
    let list = BoxList::read(text);
    let own = list.boxes.iter().position(|one| {
        let range = one.text.range();
        range.contains(&place.start) || range.start == place.start
    });
    if let Some(at) = own {
        let nested = list.nested(at).iter().map(|one| one.text.start..one.text.start + 1);
        let start = list.boxes[at].text.start;
        return std::iter::once(start..start + 1).chain(nested).collect();
    }
    let all = headings(text);
    let Some(own) = all
        .iter()
        .find(|one| one.at.start <= place.start && place.start < one.body.start.max(one.at.end))
    else {
        return Vec::new();
    };
    let within = |one: &&afresh_formats::text::markdown::Heading<'_>| {
        own.body.contains(&one.at.start) && is_about_criteria(one.text)
    };
    let criteria: Vec<Range<usize>> =
        all.iter().filter(within).map(|one| one.body.clone()).collect();
    let in_body = list.boxes.iter().map(|one| one.text.start).filter(|at| own.body.contains(at));
    in_body
        .filter(|at| !criteria.iter().any(|range| range.contains(at)))
        .map(|at| at..at + 1)
        .collect()
}

/// Ticks the open boxes whose text is at one of these places.
pub(super) fn tick_at(text: &str, places: &[Range<usize>], file: &str, edits: &mut PlanEdits) {
    for found in check_boxes(text) {
        if !found.ticked && places.iter().any(|place| place.contains(&found.at.start)) {
            edits.replace(file, found.mark, "x");
        }
    }
}
