//! What changes the run, from the key to the dialog that asks for it.

use afresh_app::session::view_command::ViewCommand;
use afresh_core::status::{RunState, TaskPhase};
use afresh_dashboard::data::needs_you::NeedsYou;
use afresh_dashboard::text::TextRole;

use crate::dialog::{AnswerDialog, AnswerMode, ConfirmChoice, Confirmation, Dialog, TellDialog};
use crate::screen::{ScreenFocus, WatchScreen};
use crate::typed_text::TypedText;

impl WatchScreen {
    pub(crate) fn answer(&mut self, mode: AnswerMode) {
        let Some(need) = self.need_in_question() else {
            self.say(TextRole::Dim, "nothing waits for an answer");
            return;
        };
        let Some(asked) = need.question.clone() else {
            let text = format!("`{}`", need.command);
            self.say(TextRole::Warning, &text);
            return;
        };
        let mut open = self.data.iter().flat_map(|data| &data.questions);
        if let Some(question) = open.find(|question| question.id.to_string() == asked).cloned() {
            self.select(question.task.clone());
            self.dialog = Some(Dialog::Answer(AnswerDialog::new(question, mode)));
        }
    }

    /// What is chosen in the list of needs, else what the selected task waits for, else the first question.
    fn need_in_question(&self) -> Option<&NeedsYou> {
        let chosen = self.needs().get(self.need).filter(|_| self.focus == ScreenFocus::NeedsYou);
        let of_task = || {
            let selected = self.selected.as_ref();
            self.needs()
                .iter()
                .find(|need| need.question.is_some() && need.task.as_ref() == selected)
        };
        let first = || self.needs().iter().find(|need| need.question.is_some());
        chosen.or_else(of_task).or_else(first).or_else(|| self.needs().first())
    }

    pub(crate) fn confirm_retry(&mut self) {
        let Some(task) = self.selected_task() else { return };
        let id = task.id.to_string();
        if task.state == TaskPhase::Done {
            self.say(
                TextRole::Warning,
                &format!("{id} is done; `afresh task redo {id}` does it again"),
            );
            return;
        }
        let confirmation = Confirmation {
            title: format!("Retry {id}?"),
            about: task.title.clone(),
            choices: vec![ConfirmChoice {
                key: 'y',
                label: format!("give {id} fresh workers"),
                command: ViewCommand::Retry { task: id },
            }],
        };
        self.dialog = Some(Dialog::Confirm(confirmation));
    }

    pub(crate) fn confirm_skip(&mut self) {
        let Some(task) = self.selected_task() else { return };
        let id = task.id.to_string();
        if task.state == TaskPhase::Done {
            self.say(TextRole::Warning, &format!("{id} is done; nothing is left to skip"));
            return;
        }
        let confirmation = Confirmation {
            title: format!("Skip {id}?"),
            about: format!("{}: what depends on it is blocked", task.title),
            choices: vec![ConfirmChoice {
                key: 'y',
                label: format!("skip {id}"),
                command: ViewCommand::Skip { task: id, reason: String::new() },
            }],
        };
        self.dialog = Some(Dialog::Confirm(confirmation));
    }

    pub(crate) fn tell(&mut self) {
        let Some(task) = self.selected_task().map(|task| task.id.clone()) else { return };
        self.dialog = Some(Dialog::Tell(TellDialog { task, text: TypedText::default() }));
    }

    pub(crate) fn confirm_halt(&mut self) {
        let Some(data) = &self.data else { return };
        if matches!(data.state, RunState::Done | RunState::Failed) && !data.is_driven {
            self.say(TextRole::Warning, "the run has ended; there is nothing to halt");
            return;
        }
        let is_halted = data.overview.needs_you.iter().any(|need| need.kind == "halted");
        let choice =
            |key, label: &str, command| ConfirmChoice { key, label: label.to_owned(), command };
        let halt = |now| ViewCommand::Halt { now, reason: String::new() };
        let now = "end running attempts now; their finished steps are kept";
        let (title, choices) = if is_halted {
            let clear = choice('c', "clear the halt", ViewCommand::ClearHalt);
            ("The run is halted", vec![clear, choice('x', now, halt(true))])
        } else {
            let gently = "halt: running attempts finish, nothing new starts";
            let gently = choice('y', gently, halt(false));
            ("Halt the run?", vec![gently, choice('x', now, halt(true))])
        };
        let about = format!("run {}", data.run);
        self.dialog =
            Some(Dialog::Confirm(Confirmation { title: title.to_owned(), about, choices }));
    }
}
