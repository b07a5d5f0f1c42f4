//! Reminders of what is underway while nothing happens.

use std::cell::RefCell;
use std::rc::Rc;

use afresh_core::Run;
use afresh_core::input::RunOpening;
use afresh_core::time::Timestamp;
use afresh_engine::reports::quiet::QuietWatch;
use afresh_engine::{RecordedEvent, Reporter};

use crate::support::{ScriptedHost, WorkerScript};

/// Shows nothing but reminders.
#[derive(Clone, Default)]
struct QuietReporter {
    watch: Rc<RefCell<QuietWatch>>,
    lines: Rc<RefCell<Vec<String>>>,
}

impl Reporter for QuietReporter {
    fn event_recorded(&mut self, _recorded: &RecordedEvent<'_>) {}

    fn time_passed(&mut self, run: &Run, now: Timestamp) {
        for work in self.watch.borrow_mut().take_reminder(run, now) {
            let who = work.attempt.map_or_else(|| "-".to_owned(), |attempt| attempt.to_string());
            let (word, seconds) = (work.activity.word(), work.lasting.as_secs());
            self.lines.borrow_mut().push(format!("{who} {word} {seconds} s {}", work.tokens));
        }
    }
}

/// What is shown while workers take so long, in seconds; the end of each wakes the driver.
fn reminders(plan: &str, workers: &[(&str, u64)]) -> Vec<String> {
    let reporter = QuietReporter::default();
    let mut host = ScriptedHost::of_plan(plan);
    for (attempt, seconds) in workers {
        let worker = WorkerScript { millis: seconds * 1_000, tokens: 7, ..WorkerScript::done() };
        host = host.worker(attempt, worker);
    }
    let driven = host.drive_with(RunOpening::default(), vec![Box::new(reporter.clone())]);
    driven.succeeds();
    reporter.lines.borrow().clone()
}

/// D7: a reader of a log sees after a minute that silent workers are alive, and then every five minutes.
#[test]
fn silent_workers_are_mentioned_now_and_then() {
    let brief = reminders("A: a\nB: b", &[("A.1", 30), ("B.1", 50)]);
    assert!(brief.is_empty(), "{brief:?}");
    let long = reminders("A: a\nB: b\nC: c", &[("A.1", 61), ("B.1", 300), ("C.1", 400)]);
    let wanted = [
        "A.1 running 60 s 7",
        "B.1 running 60 s 7",
        "C.1 running 60 s 7",
        // After 300 seconds, the last reminder was less than five minutes ago.
        "C.1 running 399 s 7",
    ];
    assert_eq!(long, wanted);
}
