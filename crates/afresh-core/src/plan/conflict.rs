//! Tasks that may write the same file although no dependency orders them.
//!
//! For people: why two tasks cannot run in parallel. The scheduler compares the patterns itself.

use std::collections::{BTreeMap, BTreeSet};

use super::Plan;
use super::TaskIndex;
use super::graph::reach::ReachWalk;
use super::graph::starts::PrefixIndex;
use crate::ids::TaskId;

/// More pairs than this are not helpful.
const MAX_CONFLICTS: usize = 10_000;
/// Of a file with more writers than this, only neighbours in wave order are compared: if all of those are ordered,
/// so are all others.
const MAX_WRITERS_COMPARED: usize = 50;
/// How often globs are compared with other files before the search stops.
const MAX_GLOB_COMPARISONS: usize = 2_000_000;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileConflict {
    pub tasks: (TaskId, TaskId),
    pub path: String,
}

pub(super) fn find(plan: &Plan) -> Vec<FileConflict> {
    let mut walk = ReachWalk::new(plan);
    let mut found = Vec::new();
    let mut seen = BTreeSet::new();
    for (a, b, path) in candidates(plan) {
        if found.len() >= MAX_CONFLICTS {
            break;
        }
        if seen.insert((a, b)) && !walk.is_ordered(a, b) {
            let tasks = (plan.task(a).id.clone(), plan.task(b).id.clone());
            found.push(FileConflict { tasks, path });
        }
    }
    found
}

/// Pairs that share a path, earlier task first. Plain paths are matched through a map; globs are compared with
/// paths that have the same start.
fn candidates(plan: &Plan) -> impl Iterator<Item = (TaskIndex, TaskIndex, String)> {
    let mut writers: BTreeMap<&str, BTreeSet<TaskIndex>> = BTreeMap::new();
    let mut globs = Vec::new();
    for (at, task) in plan.indices().zip(plan.tasks()) {
        for pattern in task.patterns() {
            match pattern.literal() {
                Some(path) => {
                    writers.entry(path).or_default().insert(at);
                }
                None => globs.push((at, pattern)),
            }
        }
    }
    let below = below_a_directory(&writers);
    let plain = writers.into_iter().flat_map(|(path, tasks)| {
        let mut tasks: Vec<TaskIndex> = tasks.into_iter().collect();
        let reach = if tasks.len() > MAX_WRITERS_COMPARED { 1 } else { tasks.len() };
        if reach == 1 {
            tasks.sort_by_key(|at| (plan.wave(*at), *at));
        }
        let mut pairs = Vec::new();
        for i in 0..tasks.len() {
            for j in i + 1..tasks.len().min(i + 1 + reach) {
                pairs.push((tasks[i].min(tasks[j]), tasks[i].max(tasks[j]), path.to_owned()));
            }
        }
        pairs
    });
    let starts = PrefixIndex::from_plan(plan);
    let mut comparisons = 0;
    let with_globs = globs.into_iter().flat_map(move |(at, glob)| {
        let mut met: BTreeMap<TaskIndex, &str> = BTreeMap::new();
        for (other, pattern) in starts.near(glob).filter(|(other, _)| *other != at) {
            comparisons += 1;
            if comparisons > MAX_GLOB_COMPARISONS {
                break;
            }
            if pattern.overlaps(glob) {
                met.entry(other).or_insert_with(|| pattern.literal().unwrap_or(glob.as_str()));
            }
        }
        met.into_iter().map(move |(other, path)| (at.min(other), at.max(other), path.to_owned()))
    });
    plain.chain(below).chain(with_globs)
}

/// A listed directory without a trailing slash covers everything below it: pairs the writers of such a directory
/// with those of the files.
fn below_a_directory(
    writers: &BTreeMap<&str, BTreeSet<TaskIndex>>,
) -> impl Iterator<Item = (TaskIndex, TaskIndex, String)> + use<> {
    let mut pairs = Vec::new();
    for (path, below) in writers {
        for (end, _) in path.match_indices('/') {
            for above in writers.get(&path[..end]).into_iter().flatten() {
                for at in below.iter().filter(|at| *at != above).take(MAX_WRITERS_COMPARED) {
                    pairs.push((*at.min(above), *at.max(above), (*path).to_owned()));
                }
            }
            if pairs.len() > MAX_CONFLICTS {
                return pairs.into_iter();
            }
        }
    }
    pairs.into_iter()
}
