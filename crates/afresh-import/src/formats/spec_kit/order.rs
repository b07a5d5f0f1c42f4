//! The dependencies of each task: the order of the document, parallel tasks, and what is stated.
//!
//! Adjacent tasks marked `[P]` are a batch; every other task is a batch of its own, and a heading ends
//! a batch. A batch waits for the batch before it, and the first batch of a phase for the last ones of
//! the phases that it follows.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::phases::{SpecKitDocument, SpecKitPhase, TaskLine};
use super::stated;
use crate::prose::TaskMention;
use afresh_formats::text::markdown::lines_from;

/// The most dependencies of one plan.
const MAX_NEEDS: usize = 200_000;

/// Dependencies with their positions; without a position if they follow from the order.
pub(super) type SpecKitNeeds = Vec<(String, Option<Range<usize>>)>;

#[derive(Debug, Default)]
pub(super) struct SpecKitOrder {
    /// By phase and task.
    pub(super) needs: Vec<Vec<SpecKitNeeds>>,
    /// Tasks that need a later one of their phase, with the position.
    pub(super) backwards: Vec<(String, Range<usize>)>,
    /// Tasks that need themselves, with the position; this is ignored.
    pub(super) itself: Vec<(String, Range<usize>)>,
    pub(super) too_many: bool,
}

pub(super) fn read(text: &str, document: &SpecKitDocument<'_>) -> SpecKitOrder {
    let stated = DependencySection::read(text, document);
    let phases = &document.phases;
    let follows = follows(text, document);
    let mut order = SpecKitOrder { itself: stated.itself.clone(), ..SpecKitOrder::default() };
    let mut lasts: Vec<Vec<&str>> = Vec::new();
    let mut count = 0;
    for (at, phase) in phases.iter().enumerate() {
        let (sequence, backwards) = stated.sequence(phase);
        order.backwards.extend(backwards);
        let mut needs: Vec<SpecKitNeeds> = vec![Vec::new(); phase.tasks.len()];
        let mut before: Vec<&str> =
            follows[at].iter().flat_map(|other| lasts[*other].clone()).collect();
        for batch in batches(phase, &sequence) {
            for task in &batch {
                let own = stated.needs.get(phase.tasks[*task].name.as_str()).into_iter().flatten();
                let stated = own.map(|(need, place)| (need.clone(), Some(place.clone())));
                let implied = before.iter().map(|need| ((*need).to_owned(), None));
                count += before.len();
                if count > MAX_NEEDS {
                    order.too_many = true;
                    order.needs.resize_with(phases.len(), Vec::new);
                    for (needs, phase) in order.needs.iter_mut().zip(phases) {
                        needs.resize_with(phase.tasks.len(), Vec::new);
                    }
                    return order;
                }
                let mut seen = BTreeSet::new();
                needs[*task] =
                    stated.chain(implied).filter(|(need, _)| seen.insert(need.clone())).collect();
            }
            before = batch.iter().map(|task| phase.tasks[*task].name.as_str()).collect();
        }
        lasts.push(before);
        order.needs.push(needs);
    }
    order
}

/// The phases that each phase follows directly.
fn follows(text: &str, document: &SpecKitDocument<'_>) -> Vec<Vec<usize>> {
    let phases = &document.phases;
    let by_story: BTreeMap<u64, Vec<u64>> =
        stated::of_stories(text, &document.dependencies).into_iter().collect();
    let mut of_story: BTreeMap<u64, Vec<usize>> = BTreeMap::new();
    let mut follows = Vec::with_capacity(phases.len());
    // The last phase without a story, and those after it.
    let mut common: Option<usize> = None;
    for (at, phase) in phases.iter().enumerate() {
        let since = common.map_or(0, |common| common);
        let before: Vec<usize> = match phase.story.map(|story| (story, by_story.get(&story))) {
            Some((story, Some(others))) => {
                let named = others.iter().chain([&story]).filter_map(|other| of_story.get(other));
                common.into_iter().chain(named.flatten().copied()).collect()
            }
            Some((_, None)) => at.checked_sub(1).into_iter().collect(),
            None => (since..at).collect(),
        };
        match phase.story {
            Some(story) => of_story.entry(story).or_default().push(at),
            None => common = Some(at),
        }
        follows.push(before);
    }
    follows
}

/// The tasks of a phase in batches that may run in parallel.
fn batches(phase: &SpecKitPhase<'_>, sequence: &[usize]) -> Vec<Vec<usize>> {
    let mut batches: Vec<Vec<usize>> = Vec::new();
    let mut open = false;
    for at in sequence {
        let task = &phase.tasks[*at];
        match batches.last_mut().filter(|_| open && task.parallel && !task.after_heading) {
            Some(batch) => batch.push(*at),
            None => batches.push(vec![*at]),
        }
        open = task.parallel;
    }
    batches
}

/// The tasks by number, with their positions in the document.
struct TaskNumbers<'a> {
    by_number: BTreeMap<u64, Vec<(usize, &'a TaskLine<'a>)>>,
}

impl<'a> TaskNumbers<'a> {
    fn new(document: &'a SpecKitDocument<'a>) -> Self {
        let mut by_number: BTreeMap<u64, Vec<(usize, &TaskLine<'a>)>> = BTreeMap::new();
        let tasks = document.phases.iter().flat_map(|phase| &phase.tasks);
        for (at, task) in tasks.enumerate() {
            if let Some(number) = task.number {
                by_number.entry(number).or_default().push((at, task));
            }
        }
        Self { by_number }
    }

    /// The tasks that a name means, for a task at this position. Of several with the same id it is
    /// the last one before; `T012` without such a task means `T012-A` and `T012-B`.
    fn find(&self, found: &TaskMention<'a>, at: usize) -> Vec<&'a str> {
        let span = found.number..=found.through.unwrap_or(found.number);
        let covered = self.by_number.range(span).flat_map(|(_, tasks)| tasks);
        if found.through.is_some() {
            return covered.map(|(_, task)| task.name.as_str()).collect();
        }
        let covered: Vec<&(usize, &TaskLine<'a>)> = covered.collect();
        let exact = || {
            let same = |(_, task): &&&(usize, &TaskLine<'a>)| {
                task.name.eq_ignore_ascii_case(found.id.text)
                    || task.id.text.eq_ignore_ascii_case(found.id.text)
            };
            covered.iter().filter(same)
        };
        let before = exact().rfind(|(place, _)| *place < at && at != usize::MAX);
        if let Some((_, task)) = before.or_else(|| exact().next()) {
            return vec![task.name.as_str()];
        }
        let bare = found.id.text.ends_with(|c: char| c.is_ascii_digit());
        let parts = covered.iter().filter(|_| bare).map(|(_, task)| task.name.as_str());
        parts.collect()
    }
}

/// Stated dependencies, by the task that needs them.
struct DependencySection<'a> {
    needs: BTreeMap<&'a str, Vec<(String, Range<usize>)>>,
    itself: Vec<(String, Range<usize>)>,
}

impl<'a> DependencySection<'a> {
    fn read(text: &'a str, document: &'a SpecKitDocument<'a>) -> Self {
        let names = TaskNumbers::new(document);
        let tasks = || document.phases.iter().flat_map(|phase| &phase.tasks);
        let mut stated = Self { needs: BTreeMap::new(), itself: Vec::new() };
        let mut count = 0;
        let mut add = |next: &'a str, needs: &[&str], place: Range<usize>| {
            count += needs.len();
            if needs == [next] {
                stated.itself.push((next.to_owned(), place));
            } else if count <= MAX_NEEDS {
                let all = stated.needs.entry(next).or_default();
                let others = needs.iter().filter(|need| **need != next);
                all.extend(others.map(|need| ((*need).to_owned(), place.clone())));
            }
        };
        for (at, task) in tasks().enumerate() {
            for found in stated::needs(&task.text) {
                let mut needs = names.find(&found, at);
                if needs.is_empty() {
                    needs.push(found.id.text);
                }
                add(task.name.as_str(), &needs, found.id.range());
            }
        }
        for section in &document.dependencies {
            for line in lines_from(&text[section.clone()], section.start) {
                for (first, next) in stated::pairs(&line) {
                    let later: Vec<&str> =
                        next.iter().flat_map(|next| names.find(next, usize::MAX)).collect();
                    for found in &first {
                        let needs = names.find(found, usize::MAX);
                        // "T063 alone, T064-T066 after T063" is about the others.
                        let is_about = |task: &&&str| later.len() == 1 || needs != [**task];
                        for task in later.iter().filter(is_about) {
                            add(task, &needs, found.id.range());
                        }
                    }
                }
            }
        }
        stated
    }

    /// The order of a phase's tasks: as in the document, but after their stated dependencies.
    fn sequence(&self, phase: &SpecKitPhase<'_>) -> (Vec<usize>, Vec<(String, Range<usize>)>) {
        let position: BTreeMap<&str, usize> =
            phase.tasks.iter().enumerate().map(|(at, task)| (task.name.as_str(), at)).collect();
        let mut waits: Vec<usize> = vec![0; phase.tasks.len()];
        let mut waiting: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        let mut backwards = Vec::new();
        for (at, task) in phase.tasks.iter().enumerate() {
            for (need, place) in self.needs.get(task.name.as_str()).into_iter().flatten() {
                if let Some(later) = position.get(need.as_str()).filter(|later| **later > at) {
                    backwards.push((task.name.clone(), place.clone()));
                    waits[at] += 1;
                    waiting.entry(*later).or_default().push(at);
                }
            }
        }
        let mut sequence = Vec::with_capacity(phase.tasks.len());
        let mut ready: Vec<usize> = Vec::new();
        for at in 0..phase.tasks.len() {
            if waits[at] == 0 {
                ready.push(at);
            }
            while let Some(placed) = ready.pop() {
                sequence.push(placed);
                for freed in waiting.remove(&placed).unwrap_or_default() {
                    waits[freed] -= 1;
                    if waits[freed] == 0 && freed < at {
                        ready.push(freed);
                    }
                }
            }
        }
        // Tasks in a cycle; the plan reports it.
        let placed: BTreeSet<usize> = sequence.iter().copied().collect();
        sequence.extend((0..phase.tasks.len()).filter(|at| !placed.contains(at)));
        (sequence, backwards)
    }
}
