//! Dependencies of tasks, from the files that they read and write.
//!
//! In a slice, a task waits for the last one before it that writes a file which it reads or writes. If
//! a task does not list what it writes, it waits for all before it, and all after it wait for it.

use std::collections::{BTreeMap, BTreeSet};

/// The files that a task reads and writes.
#[derive(Debug, Default, Clone)]
pub(super) struct TaskFileFlow {
    pub(super) inputs: Vec<String>,
    pub(super) outputs: Vec<String>,
}

/// The indexes of the tasks that each one needs, within a slice.
pub(super) fn within(flows: &[TaskFileFlow]) -> Vec<Vec<usize>> {
    let mut needs: Vec<Vec<usize>> = Vec::with_capacity(flows.len());
    let mut writer: BTreeMap<&str, usize> = BTreeMap::new();
    // The last task that everything after it waits for, and those since.
    let mut barrier: Option<usize> = None;
    let mut since: Vec<usize> = Vec::new();
    for (at, flow) in flows.iter().enumerate() {
        if flow.outputs.is_empty() {
            needs.push(if since.is_empty() {
                barrier.into_iter().collect()
            } else {
                since.clone()
            });
            (barrier, since) = (Some(at), Vec::new());
            writer.clear();
            continue;
        }
        let touched = flow.inputs.iter().chain(&flow.outputs);
        let writers = touched.filter_map(|path| writer.get(path.as_str()).copied());
        let all: BTreeSet<usize> = writers.chain(barrier).collect();
        needs.push(all.into_iter().collect());
        writer.extend(flow.outputs.iter().map(|path| (path.as_str(), at)));
        since.push(at);
    }
    needs
}

/// The indexes that no other task needs.
pub(super) fn lasts(needs: &[Vec<usize>]) -> Vec<usize> {
    let needed: BTreeSet<usize> = needs.iter().flatten().copied().collect();
    (0..needs.len()).filter(|at| !needed.contains(at)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flow(inputs: &[&str], outputs: &[&str]) -> TaskFileFlow {
        let owned = |paths: &[&str]| paths.iter().map(|path| (*path).to_owned()).collect();
        TaskFileFlow { inputs: owned(inputs), outputs: owned(outputs) }
    }

    #[test]
    fn a_task_waits_for_the_writer_of_what_it_reads() {
        let flows =
            [flow(&["z"], &["a"]), flow(&[], &["b"]), flow(&["a", "b"], &["c"]), flow(&[], &["a"])];
        let needs = within(&flows);
        assert_eq!(needs, [vec![], vec![], vec![0, 1], vec![0]]);
        assert_eq!(lasts(&needs), [2, 3]);
    }

    #[test]
    fn a_task_without_files_orders_all_others() {
        let flows = [flow(&[], &["a"]), flow(&[], &["b"]), flow(&[], &[]), flow(&["a"], &["c"])];
        assert_eq!(within(&flows), [vec![], vec![], vec![0, 1], vec![2]]);
    }
}
