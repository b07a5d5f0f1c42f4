//! Which run was driven last: the one that commands without a name are about.

use std::collections::{BTreeMap, BTreeSet};

use afresh_store::JournalRecord;

const ABORTED: &str = "aborted";
/// What a session records only if it works on its run, or if a person does.
const WORK: [&str; 4] =
    ["attempt-starting", "question-answered", "final-checks-started", "rewind-intended"];

/// The ids of all runs, the one that was driven last first.
///
/// To end an older run does not make it the last one: neither the turn that ends it counts, nor a session that only
/// saved what its attempts had left.
pub(super) fn order_runs(records: &[JournalRecord]) -> Vec<&str> {
    let endings = RunEndings::find(records);
    let mut runs: Vec<&str> = Vec::new();
    for record in records.iter().rev().filter(|record| !endings.contain(record)) {
        if !runs.contains(&record.run.as_str()) {
            runs.push(&record.run);
        }
    }
    runs
}

/// The turns and sessions that ended runs.
#[derive(Debug, Default)]
struct RunEndings<'a> {
    /// Run, session, and the times of the turn.
    turns: BTreeSet<(&'a str, u64, u64, i64)>,
    sessions: BTreeSet<(&'a str, u64)>,
}

impl<'a> RunEndings<'a> {
    fn find(records: &'a [JournalRecord]) -> Self {
        let mut found = Self::default();
        let mut worked: BTreeMap<(&str, u64), bool> = BTreeMap::new();
        for record in records {
            let session = (record.run.as_str(), record.epoch);
            *worked.entry(session).or_default() |= WORK.contains(&record.kind.as_str());
            if record.kind == ABORTED {
                found.turns.insert((&record.run, record.epoch, record.at_ms, record.wall_ms));
                found.sessions.insert(session);
            }
        }
        // The session before the first one is the start of the run.
        found.sessions.retain(|session| session.1 > 0 && !worked[session]);
        found
    }

    fn contain(&self, record: &JournalRecord) -> bool {
        let JournalRecord { run, epoch, at_ms, wall_ms, .. } = record;
        self.sessions.contains(&(run.as_str(), *epoch))
            || self.turns.contains(&(run.as_str(), *epoch, *at_ms, *wall_ms))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each record as run, session, turn and kind.
    fn records(told: &[(&str, u64, u64, &str)]) -> Vec<JournalRecord> {
        let record = |(seq, (run, epoch, turn, kind)): (u64, &(&str, u64, u64, &str))| {
            let (run, kind) = ((*run).to_owned(), (*kind).to_owned());
            let body = String::new();
            JournalRecord { seq, run, epoch: *epoch, at_ms: *turn, wall_ms: 0, kind, body }
        };
        (1..).zip(told).map(record).collect()
    }

    const OLD_THEN_NEW: [(&str, u64, u64, &str); 6] = [
        ("old", 0, 0, "run-started"),
        ("old", 1, 1, "opened"),
        ("old", 1, 2, "attempt-starting"),
        ("new", 0, 0, "run-started"),
        ("new", 1, 1, "opened"),
        ("new", 1, 2, "attempt-starting"),
    ];

    fn order_after(more: &[(&str, u64, u64, &str)]) -> Vec<String> {
        let told: Vec<_> = OLD_THEN_NEW.iter().chain(more).copied().collect();
        order_runs(&records(&told)).into_iter().map(str::to_owned).collect()
    }

    /// HU-08: the session that ends an interrupted run is opened, saves work, and aborts.
    #[test]
    fn ending_an_older_run_does_not_make_it_the_last_one() {
        let by_command = [("old", 1, 9, "question-asked"), ("old", 1, 9, "aborted")];
        assert_eq!(order_after(&by_command), ["new", "old"]);
        let interrupted = [
            ("old", 2, 9, "opened"),
            ("old", 2, 9, "attempt-ended"),
            ("old", 2, 10, "attempt-harvested"),
            ("old", 2, 11, "aborted"),
            ("old", 2, 12, "attempt-rejected"),
        ];
        assert_eq!(order_after(&interrupted), ["new", "old"]);
    }

    #[test]
    fn a_run_that_was_worked_on_and_then_ended_is_the_last_one() {
        let resumed = [
            ("old", 2, 9, "opened"),
            ("old", 2, 10, "attempt-starting"),
            ("old", 2, 11, "aborted"),
        ];
        assert_eq!(order_after(&resumed), ["old", "new"]);
        let answered = [
            ("old", 2, 9, "opened"),
            ("old", 2, 10, "question-answered"),
            ("old", 2, 10, "aborted"),
        ];
        assert_eq!(order_after(&answered), ["old", "new"]);
    }
}
