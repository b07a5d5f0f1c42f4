//! Sends commands to the run, away from the screen: a driver may take seconds to answer.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;

use afresh_app::context::AppContext;
use afresh_app::error::AppError;
use afresh_app::session::view_command::ActingView;
use afresh_app::tasks::tell::{CommentRequest, tell_task};
use afresh_core::ids::RunId;
use afresh_tui::{ScreenAction, ScreenInput};

use super::WatchEvent;
use crate::commands::running::drive;
use crate::commands::tasks::tell;

/// One command after the other.
#[derive(Debug)]
pub(super) struct ViewSender {
    commands: Sender<ScreenAction>,
    thread: JoinHandle<()>,
}

impl ViewSender {
    pub(super) fn start(context: AppContext, run: RunId, events: Sender<WatchEvent>) -> Self {
        let (commands, wanted) = channel();
        let thread = std::thread::spawn(move || send_all(&wanted, &context, &run, &events));
        Self { commands, thread }
    }

    pub(super) fn send(&self, command: ScreenAction) {
        // The other side ends only after us.
        let _ = self.commands.send(command);
    }

    /// Waits until everything is sent.
    pub(super) fn finish(self) {
        drop(self.commands);
        let _ = self.thread.join();
    }
}

fn send_all(
    wanted: &Receiver<ScreenAction>,
    context: &AppContext,
    run: &RunId,
    events: &Sender<WatchEvent>,
) {
    for command in wanted {
        let input = match carry_out(command, context, run) {
            Ok(said) => ScreenInput::Sent(said),
            Err(error) => ScreenInput::Failed(describe(&error)),
        };
        let _ = events.send(WatchEvent::Input(input));
    }
}

fn carry_out(action: ScreenAction, context: &AppContext, run: &RunId) -> Result<String, AppError> {
    let open_reporters = &drive::open_file_reporters;
    match action {
        ScreenAction::Send { command, echo } => {
            let view = ActingView { context, open_reporters, place: "in the terminal" };
            let accepted = view.send(run.as_str(), command)?;
            let later = format!(" · nothing drives the run: `afresh resume {run}` continues it");
            Ok(format!("✓ {echo}{}", if accepted.driven { "" } else { &later }))
        }
        ScreenAction::Tell { task, text } => {
            let request = CommentRequest { task: task.as_str(), text: &text, on: None };
            let sent = tell_task(context, open_reporters, Some(run.as_str()), request)?;
            Ok(format!("✓ {}", tell::describe(&sent)))
        }
        _ => Ok(String::new()),
    }
}

/// On one line.
fn describe(error: &AppError) -> String {
    let hint = error.hint.as_deref().map(|hint| format!(" · {hint}")).unwrap_or_default();
    format!("✗ {}{hint}", error.message)
}
