//! The order of a checklist: as its tasks state it, or else that of the file.

use std::collections::{BTreeMap, BTreeSet};

use super::ChecklistRow;
use super::label;
use super::outline::plain_words;
use super::stated_needs::{NameClarity, StatedName, StatedNeeds};
use crate::box_lists::tasks::warn;
use crate::draft::DraftPlan;
use crate::draft::status::ImportedTask;
use afresh_formats::reading::SourceSpan;

/// The shortest start of a title that names its task.
const MIN_TITLE_CHARS: usize = 8;

/// A task that another one waits for.
type RowNeed = (usize, SourceSpan);

/// Adds the dependencies. A task that states none waits for everything before it.
pub(super) fn link_rows(
    file: &str,
    drafted: &mut DraftPlan,
    rows: Vec<ChecklistRow>,
) -> Vec<ImportedTask> {
    let names = RowNames::new(&rows);
    let stated: Vec<Option<Vec<RowNeed>>> = rows
        .iter()
        .enumerate()
        .map(|(at, row)| resolve(file, drafted, &names, at, row.needs.as_ref()?))
        .collect();
    let mut needs: Vec<Vec<RowNeed>> = vec![Vec::new(); rows.len()];
    // Tasks that nothing waits for yet.
    let mut ends: BTreeSet<usize> = BTreeSet::new();
    for at in in_order(&stated) {
        if let Some(own) = &stated[at] {
            for (need, _) in own {
                ends.remove(need);
            }
            needs[at].clone_from(own);
        } else {
            let before = std::mem::take(&mut ends).into_iter();
            needs[at] = before.map(|end| (end, rows[end].task.places.whole.clone())).collect();
        }
        ends.insert(at);
    }
    let ids: Vec<String> = rows.iter().map(|row| row.task.draft.id.clone()).collect();
    let link = |(row, needs): (ChecklistRow, Vec<RowNeed>)| {
        let needs = needs.into_iter().map(|(need, span)| (ids[need].clone(), span)).collect();
        ImportedTask { task: row.task, needs, standing: row.standing }
    };
    rows.into_iter().zip(needs).map(link).collect()
}

/// The stated dependencies of a task; none if the order of the file decides.
fn resolve(
    file: &str,
    drafted: &mut DraftPlan,
    names: &RowNames,
    at: usize,
    stated: &StatedNeeds,
) -> Option<Vec<RowNeed>> {
    if stated.all_before {
        return None;
    }
    let mut found: Vec<RowNeed> = Vec::new();
    let mut is_stated = stated.nothing;
    for name in &stated.names {
        let span = SourceSpan::new(file, name.at.clone());
        match names.find(name, at) {
            Some(need) if need == at => {}
            Some(need) => {
                is_stated = true;
                if found.iter().all(|(known, _)| *known != need) {
                    found.push((need, span));
                }
            }
            None if name.clarity == NameClarity::Clear => {
                let shown: String = name.text.chars().take(40).collect();
                let message = format!("{shown:?} matches no task, so the dependency is ignored");
                let hint = "write the label or the title of a task of this file";
                warn(drafted, &span, "unresolved-dependency", message, hint);
            }
            None => {}
        }
    }
    is_stated.then_some(found)
}

/// The tasks so that each comes after what it waits for, otherwise as in the file. Tasks in a circle come last, and
/// are reported with the plan.
fn in_order(stated: &[Option<Vec<RowNeed>>]) -> Vec<usize> {
    let mut dependents: Vec<Vec<usize>> = vec![Vec::new(); stated.len()];
    let mut open: Vec<usize> = vec![0; stated.len()];
    for (at, needs) in stated.iter().enumerate() {
        for (need, _) in needs.iter().flatten() {
            dependents[*need].push(at);
            open[at] += 1;
        }
    }
    let mut ready: BTreeSet<usize> = (0..stated.len()).filter(|at| open[*at] == 0).collect();
    let mut order = Vec::with_capacity(stated.len());
    while let Some(at) = ready.pop_first() {
        order.push(at);
        for dependent in &dependents[at] {
            open[*dependent] -= 1;
            if open[*dependent] == 0 {
                ready.insert(*dependent);
            }
        }
    }
    order.extend((0..stated.len()).filter(|at| open[*at] > 0));
    order
}

/// What tasks are called.
struct RowNames {
    by_id: BTreeMap<String, Vec<usize>>,
    /// By the number in the id: `task-1`, `T001`, `1.` are all 1.
    by_number: BTreeMap<u64, Vec<usize>>,
    /// Letters and digits of the titles.
    titles: Vec<String>,
}

impl RowNames {
    fn new(rows: &[ChecklistRow]) -> Self {
        let mut names =
            Self { by_id: BTreeMap::new(), by_number: BTreeMap::new(), titles: Vec::new() };
        for (at, row) in rows.iter().enumerate() {
            let id = row.task.draft.id.to_lowercase();
            if let Some(number) = number_of(&id) {
                names.by_number.entry(number).or_default().push(at);
            }
            names.by_id.entry(id).or_default().push(at);
            // A remark in brackets is not part of the name.
            let title = &row.task.draft.title;
            let name = title.split(" (").next().filter(|name| !name.trim().is_empty());
            names.titles.push(plain_words(name.unwrap_or(title)));
        }
        names
    }

    /// The task that a name means, for the task at `from`.
    fn find(&self, name: &StatedName, from: usize) -> Option<usize> {
        let bare = name.text.trim().trim_start_matches(['#', ' ']);
        // Of several with one id, the last one before is meant.
        let nearest = |found: &Vec<usize>| {
            let before = found.iter().rev().find(|at| **at < from);
            before.or(found.iter().find(|at| **at != from)).or(found.first()).copied()
        };
        let labelled = label::find(bare).map(|label| label.id.to_lowercase());
        let ids = [Some(bare.to_lowercase()), labelled.clone()];
        let by_id = ids.into_iter().flatten().find_map(|id| self.by_id.get(&id));
        let number = labelled.as_deref().and_then(number_of).or_else(|| bare.parse().ok());
        let by_number = || number.and_then(|number| self.by_number.get(&number));
        if let Some(found) = by_id.or_else(by_number) {
            return nearest(found);
        }
        // Where no task has a number, the place in the list is meant.
        let place = number.and_then(|number| usize::try_from(number).ok()?.checked_sub(1));
        let place = place.filter(|at| self.by_number.is_empty() && *at < self.titles.len());
        place.or_else(|| self.find_title(bare))
    }

    fn find_title(&self, name: &str) -> Option<usize> {
        let words = plain_words(name);
        let exact = self.titles.iter().position(|title| *title == words && !words.is_empty());
        let is_long = words.chars().count() >= MIN_TITLE_CHARS;
        let mut starts = self.titles.iter().enumerate().filter(|(_, title)| {
            is_long && (title.starts_with(&words) || (title.len() > 7 && words.starts_with(*title)))
        });
        let only = starts.next().filter(|_| starts.next().is_none());
        exact.or(only.map(|(at, _)| at))
    }
}

/// The number of `task-1`, `t001`, `1`; an id such as `1.2` has none.
fn number_of(id: &str) -> Option<u64> {
    let digits = id.trim_start_matches(|c: char| c.is_ascii_alphabetic() || c == '-');
    let front = id.len() - digits.len();
    let plain = front == 0 || id.starts_with("task") || front <= 2;
    digits.parse().ok().filter(|_| plain)
}
