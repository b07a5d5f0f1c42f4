//! Answers, comments, confirmations, help.

use afresh_app::session::view_command::ViewCommand;
use afresh_core::ids::TaskId;
use afresh_core::question::{CLARIFY, Question, QuestionTopic, SAY};

use crate::input::ScreenKey;
use crate::typed_text::TypedText;

/// What is open on top of the view.
#[derive(Debug, Clone, PartialEq)]
pub enum Dialog {
    Answer(AnswerDialog),
    Tell(TellDialog),
    Confirm(Confirmation),
    Help,
}

/// A question that is being answered.
#[derive(Debug, Clone, PartialEq)]
pub struct AnswerDialog {
    pub question: Question,
    pub text: TypedText,
    pub mode: AnswerMode,
    /// Why what was typed is no answer.
    pub refusal: Option<String>,
    /// The first line of the question that is shown.
    pub top: usize,
}

/// What is typed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AnswerMode {
    /// A number or a word of the list.
    Listed,
    OwnWords,
}

/// A comment that is being typed.
#[derive(Debug, Clone, PartialEq)]
pub struct TellDialog {
    pub task: TaskId,
    pub text: TypedText,
}

/// Something that would change the run.
#[derive(Debug, Clone, PartialEq)]
pub struct Confirmation {
    pub title: String,
    pub about: String,
    pub choices: Vec<ConfirmChoice>,
}

/// A key that goes ahead; every other one does not.
#[derive(Debug, Clone, PartialEq)]
pub struct ConfirmChoice {
    pub key: char,
    pub label: String,
    pub command: ViewCommand,
}

/// What a key in a dialog amounts to.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum DialogStep {
    /// The dialog stays open.
    Stay,
    Close,
    /// Closes it too; the text says what was understood.
    Send {
        command: ViewCommand,
        echo: String,
    },
    Tell {
        task: TaskId,
        text: String,
    },
}

impl Dialog {
    pub(crate) fn press(&mut self, key: ScreenKey) -> DialogStep {
        if key == ScreenKey::Escape {
            return DialogStep::Close;
        }
        match self {
            Self::Answer(answer) => answer.press(key),
            Self::Tell(tell) => tell.press(key),
            Self::Confirm(confirmation) => confirmation.press(key),
            Self::Help => DialogStep::Close,
        }
    }

    pub(crate) fn paste(&mut self, text: &str) {
        match self {
            Self::Answer(answer) => answer.text.insert(text),
            Self::Tell(tell) => tell.text.insert(text),
            Self::Confirm(_) | Self::Help => {}
        }
    }
}

impl AnswerDialog {
    pub(crate) fn new(question: Question, mode: AnswerMode) -> Self {
        let mode = if words_prefix(&question).is_some() { mode } else { AnswerMode::Listed };
        Self { question, text: TypedText::default(), mode, refusal: None, top: 0 }
    }

    /// Whether an answer in one's own words is possible.
    pub fn takes_words(&self) -> bool {
        words_prefix(&self.question).is_some()
    }

    fn press(&mut self, key: ScreenKey) -> DialogStep {
        match key {
            ScreenKey::Enter => return self.enter(),
            ScreenKey::Tab | ScreenKey::BackTab => self.switch_mode(),
            ScreenKey::Up => self.top = self.top.saturating_sub(1),
            ScreenKey::Down => self.top += 1,
            ScreenKey::PageUp => self.top = self.top.saturating_sub(5),
            ScreenKey::PageDown => self.top += 5,
            key => {
                self.text.edit(key);
            }
        }
        DialogStep::Stay
    }

    fn switch_mode(&mut self) {
        self.mode = match self.mode {
            AnswerMode::OwnWords => AnswerMode::Listed,
            AnswerMode::Listed if self.takes_words() => AnswerMode::OwnWords,
            AnswerMode::Listed => {
                let why = format!("{} takes one of the listed answers", self.question.id);
                self.refusal = Some(why);
                return;
            }
        };
        self.refusal = None;
    }

    fn enter(&mut self) -> DialogStep {
        let typed = self.text.text();
        if typed.trim() == "?" {
            self.text.clear();
            (self.refusal, self.top) = (None, 0);
            return DialogStep::Stay;
        }
        let prefix = match self.mode {
            AnswerMode::OwnWords => words_prefix(&self.question).unwrap_or_default(),
            AnswerMode::Listed => "",
        };
        let answer = format!("{prefix} {}", typed.trim()).trim().to_owned();
        match self.question.interpret(&answer) {
            Ok(understood) => DialogStep::Send {
                command: ViewCommand::Answer { question: self.question.id.to_string(), answer },
                echo: self.echo(&understood),
            },
            Err(refusal) => {
                self.refusal = Some(refusal.to_string());
                DialogStep::Stay
            }
        }
    }

    /// What was understood.
    fn echo(&self, understood: &str) -> String {
        let id = self.question.id;
        let chosen = self.question.options.iter().find(|option| option.key == understood);
        match chosen {
            Some(option) if !option.description.trim().is_empty() => {
                format!("{id}: {}: {}", option.key, option.description)
            }
            _ => format!("{id}: {understood}"),
        }
    }
}

/// What words of one's own start with, if the question takes any.
fn words_prefix(question: &Question) -> Option<&'static str> {
    if question.topic == QuestionTopic::Decision {
        Some(SAY)
    } else if question.offers("clarify") {
        Some(CLARIFY)
    } else {
        None
    }
}

impl TellDialog {
    fn press(&mut self, key: ScreenKey) -> DialogStep {
        if key != ScreenKey::Enter {
            self.text.edit(key);
            return DialogStep::Stay;
        }
        let text = self.text.text().trim().to_owned();
        if text.is_empty() {
            return DialogStep::Close;
        }
        DialogStep::Tell { task: self.task.clone(), text }
    }
}

impl Confirmation {
    fn press(&self, key: ScreenKey) -> DialogStep {
        let ScreenKey::Char(typed) = key else { return DialogStep::Stay };
        match self.choices.iter().find(|choice| choice.key == typed) {
            Some(choice) => {
                let (command, echo) = (choice.command.clone(), choice.label.clone());
                DialogStep::Send { command, echo }
            }
            // A slip on the keyboard changes nothing.
            None => DialogStep::Close,
        }
    }
}
