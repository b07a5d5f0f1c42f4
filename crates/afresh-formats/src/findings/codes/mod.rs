//! Every code that a finding can have, and what it means: `afresh lint --explain CODE`.
//!
//! Most have an example, wrong and right; a test reads each of them.
//!
//! | module | codes about |
//! | --- | --- |
//! | `text` | text that cannot be read, and plans that are none |
//! | `order` | ids, dependencies and waves |
//! | `files` | the files of tasks |
//! | `checks` | checks and criteria |
//! | `tasks` | tasks, and what they are made of |
//! | `progress` | what is done, and what is planned |

mod checks;
mod files;
mod order;
mod progress;
mod tasks;
mod text;

/// One kind of finding.
#[derive(Debug, Clone, Copy)]
pub struct FindingCode {
    pub code: &'static str,
    /// What it says in a line.
    pub title: &'static str,
    /// Why it matters, and what to do.
    pub text: &'static str,
    pub example: Option<CodeExample>,
}

/// A file that has the finding, and the same without it.
#[derive(Debug, Clone, Copy)]
pub struct CodeExample {
    pub file: &'static str,
    pub wrong: &'static str,
    pub right: &'static str,
}

/// All of them, by their names.
pub fn all() -> Vec<&'static FindingCode> {
    let topics =
        [text::CODES, order::CODES, files::CODES, checks::CODES, tasks::CODES, progress::CODES];
    let mut codes: Vec<&FindingCode> = topics.into_iter().flatten().collect();
    codes.sort_by_key(|known| known.code);
    codes
}

pub fn explain(code: &str) -> Option<&'static FindingCode> {
    all().into_iter().find(|known| known.code == code)
}
