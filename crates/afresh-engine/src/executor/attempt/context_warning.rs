//! Warns a worker that its context is filling up (AG-07).
//!
//! The notice waits in the attempt's directory, and our next answer to the worker includes it.

use afresh_core::Run;
use afresh_core::ids::AttemptId;
use afresh_core::usage::ContextFill;

use crate::executor::ExecutorContext;
use crate::mailbox::Mailbox;

/// A worker that cannot be warned is stopped at the hard limit all the same.
pub(crate) fn leave(shared: &ExecutorContext, run: &Run, attempt: &AttemptId, fill: ContextFill) {
    let at = run.plan().index_of(&attempt.task);
    let steps = at.map_or(0, |at| run.plan().task(at).steps.len());
    let text = notice(fill, run.settings().context.hard, steps);
    let mailbox = Mailbox::for_attempt(shared.layout.worker(run.id(), attempt));
    let _ = mailbox.notify(&text);
}

fn notice(fill: ContextFill, hard: u8, steps: usize) -> String {
    let keep = if steps > 0 {
        "Mark every step that is finished with `step_done` at once: only finished steps are kept."
    } else {
        "What is not reported by then is not taken over."
    };
    format!(
        "Note from afresh: {} % of your context is full, and at {hard} % you are stopped. Read no more \
         than you need, finish what you are at, and report with `report_result`. {keep} If all of it \
         cannot be done, report `PARTIAL` and say what is left.",
        fill.percent()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// AG-07.
    #[test]
    fn the_notice_says_how_much_is_left_and_what_to_do() {
        let fill = ContextFill { used: 101_000, window: 200_000 };
        let text = notice(fill, 70, 3);
        assert!(text.contains("50 % of your context is full, and at 70 %"), "{text}");
        assert!(text.contains("step_done") && text.contains("report_result"), "{text}");
        assert!(!notice(fill, 70, 0).contains("step_done"));
    }
}
