//! Every code that a finding can have, and what it means: `afresh lint --explain CODE`.
//!
//! Most have an example, wrong and right; a test lints each of them.
//!
//! | module | codes about |
//! | --- | --- |
//! | `text` | files that cannot be read, and empty plans |
//! | `order` | ids, dependencies and waves |
//! | `files` | the files of tasks |
//! | `checks` | checks and criteria |
//! | `tasks` | tasks and their parts |
//! | `progress` | what is done and what is planned |
//! | `planning` | plans that were made from a specification |
//! | `artifacts` | artifacts of planning, and updates of plans |

mod artifacts;
mod checks;
mod files;
mod order;
mod planning;
mod progress;
mod tasks;
mod text;

/// One kind of finding.
#[derive(Debug, Clone, Copy)]
pub struct FindingCode {
    pub code: &'static str,
    /// One line.
    pub title: &'static str,
    /// Why it matters and what to do.
    pub text: &'static str,
    pub example: Option<CodeExample>,
}

/// A file that has the finding, and the fixed file.
#[derive(Debug, Clone, Copy)]
pub struct CodeExample {
    pub file: &'static str,
    pub wrong: &'static str,
    pub right: &'static str,
}

/// All codes, sorted.
pub fn all() -> Vec<&'static FindingCode> {
    let topics = [
        text::CODES,
        order::CODES,
        files::CODES,
        checks::CODES,
        tasks::CODES,
        progress::CODES,
        planning::CODES,
        artifacts::CODES,
    ];
    let mut codes: Vec<&FindingCode> = topics.into_iter().flatten().collect();
    codes.sort_by_key(|known| known.code);
    codes
}

pub fn explain(code: &str) -> Option<&'static FindingCode> {
    all().into_iter().find(|known| known.code == code)
}
