//! Tasks and dependencies, laid out in columns by wave. All coordinates are whole numbers, so every machine draws the
//! same picture.

use std::collections::{BTreeMap, BTreeSet};

use afresh_core::ids::TaskId;
use afresh_core::plan::{Plan, TaskIndex};
use afresh_core::status::{RunStatus, TaskPhase};
use schemars::JsonSchema;
use serde::Serialize;

use super::timeline::CriticalPath;

pub const NODE_WIDTH: u32 = 168;
pub const NODE_HEIGHT: u32 = 40;
const COLUMN_GAP: u32 = 56;
/// Between columns of one wave, which no edge crosses.
const NARROW_GAP: u32 = 16;
const ROW_GAP: u32 = 14;
const MARGIN: u32 = 12;
/// A wave with more tasks gets several columns.
const MAX_ROWS: usize = 24;
/// Larger plans keep edges that others imply: finding them takes memory that grows with the square.
const MAX_REDUCED_TASKS: usize = 4_000;
const SWEEPS: usize = 4;

#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize)]
pub struct TaskGraph {
    pub width: u32,
    pub height: u32,
    pub nodes: Vec<GraphNode>,
    /// Without those that follow from others.
    pub edges: Vec<GraphEdge>,
}

#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize)]
pub struct GraphNode {
    pub task: TaskId,
    pub title: String,
    pub state: TaskPhase,
    pub wave: u32,
    pub is_critical: bool,
    pub x: u32,
    pub y: u32,
}

#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize)]
pub struct GraphEdge {
    pub from: TaskId,
    pub to: TaskId,
    pub is_critical: bool,
    /// From the right side of one node to the left side of the other.
    pub points: [u32; 4],
}

impl TaskGraph {
    pub(crate) fn new(plan: &Plan, status: &RunStatus, path: &CriticalPath) -> Self {
        let states: Vec<TaskPhase> = status.tasks.iter().map(|task| task.state).collect();
        Self::lay_out(plan, &states, path)
    }

    /// Of a plan that no run has: nothing of it has begun.
    pub fn from_plan(plan: &Plan) -> Self {
        let states = vec![TaskPhase::Pending; plan.len()];
        let tasks = plan.critical_path().into_iter().map(|at| plan.task(at).id.clone());
        let path = CriticalPath { tasks: tasks.collect(), is_measured: false };
        Self::lay_out(plan, &states, &path)
    }

    fn lay_out(plan: &Plan, states: &[TaskPhase], path: &CriticalPath) -> Self {
        let edges = necessary_edges(plan);
        let layers = order_layers(plan, &edges);
        let places = place(plan, &layers);
        let on_path: BTreeSet<&TaskId> = path.tasks.iter().collect();
        let next_on_path: BTreeSet<(&TaskId, &TaskId)> =
            path.tasks.iter().zip(path.tasks.iter().skip(1)).collect();
        let node = |at: TaskIndex| {
            let task = plan.task(at);
            let (x, y) = places[at.position()];
            GraphNode {
                task: task.id.clone(),
                title: task.title.clone(),
                state: states[at.position()],
                wave: plan.wave(at),
                is_critical: on_path.contains(&task.id),
                x,
                y,
            }
        };
        let edge = |(from, to): &(TaskIndex, TaskIndex)| {
            let (x1, y1) = places[from.position()];
            let (x2, y2) = places[to.position()];
            let (from, to) = (&plan.task(*from).id, &plan.task(*to).id);
            GraphEdge {
                is_critical: next_on_path.contains(&(from, to)),
                from: from.clone(),
                to: to.clone(),
                points: [x1 + NODE_WIDTH, y1 + NODE_HEIGHT / 2, x2, y2 + NODE_HEIGHT / 2],
            }
        };
        let right = places.iter().map(|(x, _)| x + NODE_WIDTH).max().unwrap_or(0);
        let bottom = places.iter().map(|(_, y)| y + NODE_HEIGHT).max().unwrap_or(0);
        Self {
            width: right + MARGIN,
            height: bottom + MARGIN,
            nodes: plan.indices().map(node).collect(),
            edges: edges.iter().map(edge).collect(),
        }
    }
}

/// Dependencies without those that others imply.
fn necessary_edges(plan: &Plan) -> Vec<(TaskIndex, TaskIndex)> {
    let all = plan.indices().flat_map(|to| plan.needs(to).iter().map(move |from| (*from, to)));
    if plan.len() > MAX_REDUCED_TASKS {
        return all.collect();
    }
    let words = plan.len().div_ceil(64);
    let mut ancestors = vec![vec![0_u64; words]; plan.len()];
    for at in plan.waves().into_iter().flatten() {
        for need in plan.needs(at) {
            let above = ancestors[need.position()].clone();
            let own = &mut ancestors[at.position()];
            own.iter_mut().zip(above).for_each(|(own, above)| *own |= above);
            own[need.position() / 64] |= 1 << (need.position() % 64);
        }
    }
    let has = |at: TaskIndex, above: TaskIndex| {
        ancestors[at.position()][above.position() / 64] >> (above.position() % 64) & 1 == 1
    };
    all.filter(|(from, to)| !plan.needs(*to).iter().any(|other| has(*other, *from))).collect()
}

/// The tasks of each wave, ordered so that edges cross little: each task goes where its neighbours are.
fn order_layers(plan: &Plan, edges: &[(TaskIndex, TaskIndex)]) -> Vec<Vec<TaskIndex>> {
    let mut layers = plan.waves();
    let mut before: BTreeMap<TaskIndex, Vec<TaskIndex>> = BTreeMap::new();
    let mut after: BTreeMap<TaskIndex, Vec<TaskIndex>> = BTreeMap::new();
    for (from, to) in edges {
        before.entry(*to).or_default().push(*from);
        after.entry(*from).or_default().push(*to);
    }
    let mut rank = vec![0_u64; plan.len()];
    rank_layers(&layers, &mut rank);
    for sweep in 0..SWEEPS {
        let neighbours = if sweep % 2 == 0 { &before } else { &after };
        let count = layers.len();
        for step in 0..count {
            let layer = if sweep % 2 == 0 { step } else { count - 1 - step };
            let key = |at: &TaskIndex| {
                let near = neighbours.get(at).map(Vec::as_slice).unwrap_or_default();
                let sum: u64 = near.iter().map(|other| rank[other.position()]).sum();
                let number = u64::try_from(near.len()).unwrap_or(1);
                (sum.checked_div(number).unwrap_or(rank[at.position()]), rank[at.position()])
            };
            let mut sorted = layers[layer].clone();
            sorted.sort_by_key(key);
            layers[layer] = sorted;
            rank_layers(&layers[layer..=layer], &mut rank);
        }
    }
    layers
}

/// Positions within a wave, stretched so that waves of different size compare.
fn rank_layers(layers: &[Vec<TaskIndex>], rank: &mut [u64]) {
    const SCALE: u64 = 1 << 20;
    for layer in layers {
        let size = u64::try_from(layer.len()).unwrap_or(1);
        for (row, at) in (0_u64..).zip(layer) {
            rank[at.position()] = (2 * row + 1) * SCALE / (2 * size);
        }
    }
}

fn place(plan: &Plan, layers: &[Vec<TaskIndex>]) -> Vec<(u32, u32)> {
    let rows_of = |layer: &Vec<TaskIndex>| {
        let columns = layer.len().div_ceil(MAX_ROWS).max(1);
        layer.len().div_ceil(columns).max(1)
    };
    let most = layers.iter().map(rows_of).max().unwrap_or(0);
    let size = |rows: usize| u32::try_from(rows).unwrap_or(0) * (NODE_HEIGHT + ROW_GAP);
    let mut places = vec![(0, 0); plan.len()];
    let mut x = MARGIN;
    for layer in layers {
        let rows = rows_of(layer);
        let top = MARGIN + (size(most) - size(rows)) / 2;
        for column in layer.chunks(rows) {
            for (row, at) in column.iter().enumerate() {
                places[at.position()] = (x, top + size(row));
            }
            x += NODE_WIDTH + NARROW_GAP;
        }
        x += COLUMN_GAP - NARROW_GAP;
    }
    places
}
