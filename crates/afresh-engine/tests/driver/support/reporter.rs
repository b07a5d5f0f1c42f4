//! A reporter that records its calls.

use std::cell::RefCell;
use std::rc::Rc;

use afresh_core::Run;
use afresh_engine::{RecordedEvent, Reporter};

use super::event_line;

/// One call of the driver.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ReporterCall {
    Event { seq: u64, wall_ms: i64, line: String },
    Waiting { questions: usize },
    Ended,
    Refused(String),
}

#[derive(Clone, Default)]
pub(crate) struct SharedReporter(Rc<RefCell<Vec<ReporterCall>>>);

impl SharedReporter {
    pub(crate) fn boxed(&self) -> Box<dyn Reporter> {
        Box::new(self.clone())
    }

    pub(crate) fn calls(&self) -> Vec<ReporterCall> {
        self.0.borrow().clone()
    }
}

impl Reporter for SharedReporter {
    fn event_recorded(&mut self, recorded: &RecordedEvent<'_>) {
        let (seq, wall_ms, line) = (recorded.seq, recorded.wall_ms, event_line(recorded.event));
        self.0.borrow_mut().push(ReporterCall::Event { seq, wall_ms, line });
    }

    fn waiting_for_answers(&mut self, run: &Run) {
        self.0.borrow_mut().push(ReporterCall::Waiting { questions: run.questions().count() });
    }

    fn drive_ended(&mut self, _run: &Run) {
        self.0.borrow_mut().push(ReporterCall::Ended);
    }

    fn command_refused(&mut self, why: &str) {
        self.0.borrow_mut().push(ReporterCall::Refused(why.to_owned()));
    }
}
