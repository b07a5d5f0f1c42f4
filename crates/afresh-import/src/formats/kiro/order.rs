//! The dependencies of each task: by the graph, or else in the order of the file.
//!
//! The graph wins where it reorders the file. What it leaves out, such as checkpoints, comes after
//! everything before it in the file and before everything after it, as far as the graph allows that.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::graph::{GraphName, GraphWave, KiroGraph};
use super::outline::KiroOutline;

/// The most dependencies of one plan.
const MAX_NEEDS: usize = 200_000;

/// What a task needs, with the place in the graph.
type TaskNeeds = Vec<(usize, Option<Range<usize>>)>;

#[derive(Debug, Default)]
pub(super) struct KiroOrder {
    /// By task, with the place in the graph.
    pub(super) needs: Vec<TaskNeeds>,
    /// Names in the graph that match no task.
    pub(super) unknown: Vec<GraphName>,
    pub(super) too_many: bool,
}

pub(super) fn read(outline: &KiroOutline<'_>, graph: &KiroGraph) -> KiroOrder {
    let mut order =
        KiroOrder { needs: vec![Vec::new(); outline.tasks.len()], ..KiroOrder::default() };
    if graph.is_empty() {
        in_sequence(outline, &mut order);
        return order;
    }
    let mut named: BTreeSet<usize> = BTreeSet::new();
    let mut found = |name: &GraphName, order: &mut KiroOrder| {
        let tasks = outline.find(&name.text);
        let is_parent = outline.parents.iter().any(|parent| parent.id == name.text);
        if tasks.is_empty() && !is_parent && order.unknown.len() < 100 {
            order.unknown.push(name.clone());
        }
        named.extend(tasks.iter().copied());
        tasks
    };
    let mut count = 0;
    let waves: Vec<Vec<(usize, Range<usize>)>> = graph
        .waves
        .iter()
        .map(|wave| {
            let tasks = wave.tasks.iter().flat_map(|name| {
                let at = name.at.clone();
                found(name, &mut order).into_iter().map(move |task| (task, at.clone()))
            });
            tasks.collect::<Vec<_>>()
        })
        .collect();
    let by_id: BTreeMap<&str, usize> = graph
        .waves
        .iter()
        .enumerate()
        .filter_map(|(at, wave)| Some((wave.id.as_deref()?, at)))
        .collect();
    for (at, wave) in graph.waves.iter().enumerate() {
        let before = wave_needs(wave, at, &by_id, |name| found(name, &mut order));
        let waited = before.waves.iter().filter(|wave| **wave != at).flat_map(|wave| &waves[*wave]);
        let waited: Vec<usize> = waited.map(|(task, _)| *task).chain(before.tasks).collect();
        for (task, place) in &waves[at] {
            for need in waited.iter().filter(|need| *need != task) {
                count += 1;
                if count <= MAX_NEEDS {
                    order.needs[*task].push((*need, Some(place.clone())));
                }
            }
        }
    }
    for name in &graph.tasks {
        found(name, &mut order);
    }
    for (first, next) in &graph.edges {
        let (firsts, nexts) = (found(first, &mut order), found(next, &mut order));
        for task in nexts {
            // A task that needs itself is a mistake, which the plan reports.
            let own = firsts.len() == 1 && first.text == next.text;
            for need in firsts.iter().filter(|need| **need != task || own) {
                count += 1;
                if count <= MAX_NEEDS {
                    order.needs[task].push((*need, Some(next.at.clone())));
                }
            }
        }
    }
    place_others(&named, &mut order, &mut count);
    order.too_many = count > MAX_NEEDS;
    order
}

/// What a wave waits for.
struct WaveNeeds {
    waves: Vec<usize>,
    tasks: Vec<usize>,
}

/// The waves and tasks that a wave names; the wave before it, if it names none or one that does not
/// exist.
fn wave_needs(
    wave: &GraphWave,
    at: usize,
    by_id: &BTreeMap<&str, usize>,
    mut find_tasks: impl FnMut(&GraphName) -> Vec<usize>,
) -> WaveNeeds {
    let mut needs = WaveNeeds { waves: Vec::new(), tasks: Vec::new() };
    let mut is_known = wave.needs.is_some();
    for name in wave.needs.iter().flatten() {
        if let Some(wave) = by_id.get(name.text.as_str()) {
            needs.waves.push(*wave);
            continue;
        }
        let tasks = find_tasks(name);
        is_known &= !tasks.is_empty();
        needs.tasks.extend(tasks);
    }
    if !is_known {
        needs.waves.extend(at.checked_sub(1));
    }
    needs
}

/// Each task after the one before it; neighbours marked `(P)` beside each other.
fn in_sequence(outline: &KiroOutline<'_>, order: &mut KiroOrder) {
    let mut before: Vec<usize> = Vec::new();
    let mut batch: Vec<usize> = Vec::new();
    let mut is_open = false;
    for (at, task) in outline.tasks.iter().enumerate() {
        if !(is_open && task.is_parallel) {
            before = std::mem::take(&mut batch);
        }
        order.needs[at].extend(before.iter().map(|need| (*need, None)));
        batch.push(at);
        is_open = task.is_parallel;
    }
}

/// Places the tasks that the graph leaves out.
fn place_others(named: &BTreeSet<usize>, order: &mut KiroOrder, count: &mut usize) {
    let levels = levels(&order.needs);
    // The last task that was placed here: it stands for everything before it.
    let mut barrier: Option<usize> = None;
    let mut since: Vec<usize> = Vec::new();
    let mut highest = 0;
    for at in 0..order.needs.len() {
        if named.contains(&at) {
            // Where the graph has reordered the file, it wins.
            if let Some(barrier) = barrier.filter(|_| levels[at] > highest) {
                order.needs[at].push((barrier, None));
                *count += 1;
            }
            since.push(at);
            continue;
        }
        let before = since.drain(..).chain(barrier).collect::<Vec<_>>();
        highest = before.iter().map(|task| levels[*task]).max().unwrap_or(0).max(highest);
        *count += before.len();
        order.needs[at] = before.into_iter().map(|need| (need, None)).collect();
        barrier = Some(at);
    }
}

/// The length of the longest chain before each task; tasks in a cycle count as 0.
fn levels(needs: &[TaskNeeds]) -> Vec<usize> {
    let mut open: Vec<usize> = needs.iter().map(Vec::len).collect();
    let mut dependents: Vec<Vec<usize>> = vec![Vec::new(); needs.len()];
    for (at, found) in needs.iter().enumerate() {
        for (need, _) in found {
            dependents[*need].push(at);
        }
    }
    let mut levels = vec![0; needs.len()];
    let mut ready: Vec<usize> = (0..needs.len()).filter(|at| open[*at] == 0).collect();
    while let Some(at) = ready.pop() {
        for next in &dependents[at] {
            levels[*next] = levels[*next].max(levels[at] + 1);
            open[*next] -= 1;
            if open[*next] == 0 {
                ready.push(*next);
            }
        }
    }
    levels
}
