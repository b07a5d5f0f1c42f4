//! Draws attention to a terminal that nobody looks at: bell, title and desktop notification, by escape codes.
//!
//! At questions that a person has to answer, and at the end of a run. Only on a terminal; `[notify] terminal = "off"`
//! turns it off.

use std::io::{IsTerminal, Write};

use afresh_app::config::TerminalNotify;
use afresh_app::dashboard::data::progress::RunProgress;
use afresh_core::printable;
use afresh_core::status::run_state;
use afresh_core::{Event, Run};
use afresh_engine::{RecordedEvent, Reporter};

use crate::terminal::output::Output;

/// Longer texts do not fit into a title.
const MAX_CHARS: usize = 120;

/// What the terminal understands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum AttentionCodes {
    /// Bell, title, and both usual codes for a desktop notification.
    All,
    /// Consoles print what they do not understand.
    Bell,
}

/// Calls the person at a terminal.
#[derive(Debug)]
pub(crate) struct AttentionReporter {
    codes: AttentionCodes,
}

impl AttentionReporter {
    /// None where there is no terminal, or where the user does not want it.
    pub(crate) fn at_terminal(
        notify: TerminalNotify,
        output: &Output,
        term: Option<&str>,
    ) -> Option<Self> {
        let is_wanted = notify == TerminalNotify::Auto && !output.json && !output.is_quiet();
        let codes = match term {
            None | Some("dumb" | "linux" | "vt100" | "vt220") => AttentionCodes::Bell,
            Some(_) => AttentionCodes::All,
        };
        (is_wanted && std::io::stderr().is_terminal()).then_some(Self { codes })
    }

    fn call(&self, text: &str) {
        write_codes(&render(self.codes, text));
    }
}

impl Reporter for AttentionReporter {
    fn event_recorded(&mut self, seen: &RecordedEvent<'_>) {
        // A policy may have answered it at once.
        if let Event::QuestionAsked { question } = seen.event
            && seen.run.question(question.id).is_some()
        {
            // Its text may be a worker's, which is to set no title (B35).
            self.call(&format!("{} waits for your answer", question.id));
        }
    }

    fn drive_ended(&mut self, run: &Run) {
        self.call(&format!("run {} is {}", run.id(), run_state(run).word()));
    }
}

/// Progress in the terminal's title and in the taskbar.
#[derive(Debug)]
pub(crate) struct TaskbarProgress {
    shown: String,
}

impl TaskbarProgress {
    /// None where the terminal would print the codes.
    pub(crate) fn at_terminal(
        notify: TerminalNotify,
        output: &Output,
        term: Option<&str>,
    ) -> Option<Self> {
        let attention = AttentionReporter::at_terminal(notify, output, term)?;
        (attention.codes == AttentionCodes::All).then(|| Self { shown: String::new() })
    }

    pub(crate) fn show(&mut self, run: &Run, progress: &RunProgress) {
        let RunProgress { done, total, .. } = *progress;
        let percent = (done * 100).checked_div(total).unwrap_or(0);
        // Paused while a person has to answer.
        let state = if run.questions().next().is_some() { 4 } else { 1 };
        let codes =
            format!("\x1b]9;4;{state};{percent}\x07\x1b]2;afresh: {done}/{total} {}\x07", run.id());
        if codes != self.shown {
            write_codes(&codes);
            self.shown = codes;
        }
    }

    pub(crate) fn clear(&mut self) {
        write_codes("\x1b]9;4;0;0\x07");
        self.shown.clear();
    }
}

fn write_codes(codes: &str) {
    // A terminal that is gone hears nothing.
    let mut terminal = std::io::stderr().lock();
    let _ = terminal.write_all(codes.as_bytes());
    let _ = terminal.flush();
}

/// The codes with the text in them, which cannot end a code or begin another one.
fn render(codes: AttentionCodes, text: &str) -> String {
    if codes == AttentionCodes::Bell {
        return "\x07".to_owned();
    }
    let text: String = printable::line(text).replace(';', ",").chars().take(MAX_CHARS).collect();
    format!(
        "\x1b]2;afresh: {text}\x07\x1b]9;afresh: {text}\x07\x1b]777;notify;afresh;{text}\x07\x07"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// BE-11, B35: the text cannot leave its place.
    #[test]
    fn a_text_cannot_end_its_code() {
        let rendered = render(AttentionCodes::All, "a\x07\x1b]0;evil\x07;b\u{9c}");
        assert_eq!(rendered.matches('\x1b').count(), 3);
        assert_eq!(rendered.matches('\x07').count(), 4);
        assert!(!rendered.contains('\u{9c}') && !rendered.contains("]0;"), "{rendered:?}");
        assert!(render(AttentionCodes::All, &"x".repeat(9_000)).len() < 600);
        assert_eq!(render(AttentionCodes::Bell, "text"), "\x07");
    }
}
