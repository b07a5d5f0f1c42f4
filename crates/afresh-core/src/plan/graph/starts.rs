//! An index of a plan's file patterns by their fixed start: finds overlapping patterns without comparing all.
//!
//! Two patterns can only name the same file if the fixed start of one is a prefix of the other's.

use crate::pattern::FilePattern;
use crate::plan::{Plan, TaskIndex};

/// A pattern, and the position of the task that lists it.
pub(super) type PatternEntry<'a> = (TaskIndex, &'a FilePattern);

pub(in crate::plan) struct PrefixIndex<'a> {
    /// Sorted.
    all: Vec<(&'a str, PatternEntry<'a>)>,
}

impl<'a> PrefixIndex<'a> {
    pub(in crate::plan) fn from_plan(plan: &'a Plan) -> Self {
        let tasks = plan.indices().zip(plan.tasks());
        let listed = tasks.flat_map(|(at, task)| task.patterns().map(move |pattern| (at, pattern)));
        let mut all: Vec<_> =
            listed.map(|(at, pattern)| (pattern.fixed_start(), (at, pattern))).collect();
        all.sort_by_key(|(start, (at, _))| (*start, *at));
        Self { all }
    }

    /// Entries that may overlap with the pattern, including itself.
    pub(in crate::plan) fn near(
        &self,
        pattern: &'a FilePattern,
    ) -> impl Iterator<Item = PatternEntry<'a>> {
        let start = pattern.fixed_start();
        let shorter = start.char_indices().flat_map(move |(end, _)| self.exactly(&start[..end]));
        let longer = self.from(start).take_while(move |(other, _)| other.starts_with(start));
        shorter.chain(longer.map(|(_, listed)| *listed))
    }

    fn exactly(&self, start: &'a str) -> impl Iterator<Item = PatternEntry<'a>> {
        self.from(start).take_while(move |(other, _)| *other == start).map(|(_, listed)| *listed)
    }

    fn from(&self, start: &str) -> impl Iterator<Item = &(&'a str, PatternEntry<'a>)> {
        self.all[self.all.partition_point(|(other, _)| *other < start)..].iter()
    }
}
