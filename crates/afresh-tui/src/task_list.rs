//! Tasks by wave, filtered.

use std::collections::BTreeMap;

use afresh_core::ids::TaskId;
use afresh_core::status::TaskPhase;
use afresh_dashboard::data::task_rows::TaskRow;

/// A row of the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ListRow {
    Wave {
        number: u32,
        done: usize,
        of: usize,
    },
    /// The position of the task in the plan.
    Task(usize),
}

/// The rows that are shown.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ListedTasks {
    pub rows: Vec<ListRow>,
    /// How many tasks there are, and how many of them are shown.
    pub of: usize,
    pub shown: usize,
}

impl ListedTasks {
    /// Those whose id, title, state or agent has every word of the filter.
    pub fn new(tasks: &[TaskRow], filter: &str) -> Self {
        let words: Vec<String> = filter.split_whitespace().map(str::to_lowercase).collect();
        let mut waves: BTreeMap<u32, (usize, Vec<usize>)> = BTreeMap::new();
        for (at, task) in tasks.iter().enumerate() {
            if matches(task, &words) {
                let (done, members) = waves.entry(task.wave).or_default();
                *done += usize::from(task.state == TaskPhase::Done);
                members.push(at);
            }
        }
        let shown = waves.values().map(|(_, members)| members.len()).sum();
        let rows = waves.into_iter().flat_map(|(number, (done, members))| {
            let head = ListRow::Wave { number, done, of: members.len() };
            std::iter::once(head).chain(members.into_iter().map(ListRow::Task))
        });
        Self { rows: rows.collect(), of: tasks.len(), shown }
    }

    /// The tasks in the order of the list.
    pub fn tasks(&self) -> impl DoubleEndedIterator<Item = usize> + Clone {
        self.rows.iter().filter_map(|row| match row {
            ListRow::Task(at) => Some(*at),
            ListRow::Wave { .. } => None,
        })
    }

    /// The row of this task.
    pub fn row_of(&self, tasks: &[TaskRow], id: &TaskId) -> Option<usize> {
        self.rows.iter().position(|row| matches!(row, ListRow::Task(at) if tasks[*at].id == *id))
    }
}

fn matches(task: &TaskRow, words: &[String]) -> bool {
    let within = |text: &str, word: &str| text.to_lowercase().contains(word);
    words.iter().all(|word| {
        within(task.id.as_str(), word)
            || within(&task.title, word)
            || task.state.word().contains(word.as_str())
            || task.agent.as_deref().is_some_and(|agent| within(agent, word))
    })
}
