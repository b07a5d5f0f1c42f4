//! What a tab shows about a task.
//!
//! | module | what it holds |
//! | --- | --- |
//! | `transcript` | what a worker said and did |
//! | `change` | what an attempt changed |
//! | `plain_file` | prompts and results |
//! | `attempts` | every attempt, with its end |
//! | `checks` | every check, with its last result |

mod attempts;
mod change;
mod checks;
mod plain_file;
mod transcript;

use afresh_core::ids::{AttemptId, TaskId};
use afresh_dashboard::text::TextLine;

pub use attempts::attempts;
pub use change::change;
pub use checks::checks;
pub use plain_file::{prompt, result};
pub use transcript::transcript;

/// Longer documents are cut; the command that shows all of it is named.
const MAX_LINES: usize = 6_000;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum DocumentTab {
    #[default]
    Log,
    Diff,
    Prompt,
    Result,
    Attempts,
    Checks,
}

impl DocumentTab {
    pub const ALL: [Self; 6] =
        [Self::Log, Self::Diff, Self::Prompt, Self::Result, Self::Attempts, Self::Checks];

    pub fn word(self) -> &'static str {
        match self {
            Self::Log => "log",
            Self::Diff => "diff",
            Self::Prompt => "prompt",
            Self::Result => "result",
            Self::Attempts => "attempts",
            Self::Checks => "checks",
        }
    }

    /// Whether it shows one attempt; else the task as a whole.
    pub fn is_of_attempt(self) -> bool {
        !matches!(self, Self::Attempts | Self::Checks)
    }

    /// The next one, or the one before.
    #[must_use]
    pub fn next(self, step: isize) -> Self {
        let at = Self::ALL.iter().position(|tab| *tab == self).unwrap_or(0);
        let count = Self::ALL.len();
        Self::ALL[at.saturating_add_signed(count.cast_signed() + step) % count]
    }
}

/// What is asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DocumentRequest {
    pub task: TaskId,
    pub tab: DocumentTab,
    /// None: the last one, or what landed.
    pub attempt: Option<u32>,
}

impl DocumentRequest {
    /// The attempt that is named.
    pub fn attempt_id(&self) -> Option<AttemptId> {
        Some(AttemptId { task: self.task.clone(), number: self.attempt? })
    }
}

/// The text of a tab.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TaskDocument {
    pub lines: Vec<TextLine>,
    /// Long lines are broken; else they are cut, and the pane scrolls sideways.
    pub wraps: bool,
    /// Its end is shown, and what is added to it.
    pub follows: bool,
}

impl TaskDocument {
    /// One sentence instead of a text.
    pub fn note(text: &str) -> Self {
        Self { lines: vec![TextLine::new().dim(text)], wraps: true, follows: false }
    }
}

/// Lines of a text of any origin; a tab becomes four blanks.
fn lines_of(text: &str) -> impl Iterator<Item = String> {
    text.lines().map(|line| line.replace('\t', "    "))
}
