//! The program's own plan format: `*.plan.toml`, or the same data as `*.plan.json`.
//!
//! A reading never stops at the first problem: everything that is wrong is reported at once, each
//! with its place. A field that is nearly a known one is an error, because a misspelt `checks` must
//! not silently mean "no checks" (B20); any other unknown field is kept and warned about (FO-06).
//!
//! | module | idea |
//! | --- | --- |
//! | `fields` | what a plan, a task, a step, a file and a check are made of |
//! | `checkpoint` | what a task says instead of work: ask a person, or that it was done before |
//! | `reader` | findings, places, and the plain values that fields hold |
//! | `entries`, `page` | a plan as the entries of a file; those as TOML that a person can read |

mod checkpoint;
mod entries;
mod fields;
mod page;
mod reader;
pub mod schema;

use afresh_core::Plan;

use crate::findings::{Finding, SourceText, not_utf8};
use crate::reading::PlanReading;
use crate::text::json;
use crate::text::limits;
use crate::text::toml;
pub use checkpoint::{CHECKPOINT_FIELDS, OPTION_FIELDS};
pub use fields::{CHECK_FIELDS, FILE_FIELDS, PLAN_FIELDS, STEP_FIELDS, TASK_FIELDS};
use reader::NativePlanReader;

const FORMAT_HELP: &str = "`afresh schema plan` describes the format";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlanSyntax {
    Toml,
    Json,
}

impl PlanSyntax {
    /// By the file's name; TOML unless it says JSON.
    pub fn of(file: &str) -> Self {
        let extension = file.rsplit('.').next().unwrap_or_default();
        if extension.eq_ignore_ascii_case("json") { Self::Json } else { Self::Toml }
    }
}

/// The text of a file that says this plan, and for which directory it is, as [`PlanReading::target`]
/// has it. Reading it gives the same plan again.
pub fn render(plan: &Plan, target: Option<&str>, syntax: PlanSyntax) -> String {
    let file = entries::plan_entries(plan, target);
    match syntax {
        PlanSyntax::Toml => page::render(&file),
        PlanSyntax::Json => {
            let mut text = serde_json::to_string_pretty(&file).expect("entries are JSON");
            text.push('\n');
            text
        }
    }
}

/// Reads a plan from the bytes of a file.
pub fn read(file: &str, bytes: &[u8]) -> PlanReading {
    // Whatever the file is called, it is data.
    if bytes.len() > limits::MAX_DATA_BYTES {
        return PlanReading::failed(limits::too_large(file));
    }
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text.strip_prefix('\u{feff}').unwrap_or(text),
        Err(error) => return PlanReading::failed(not_utf8(file, bytes, error.valid_up_to())),
    };
    // A text of several lines must not hand carriage returns to a shell (B18).
    let text = text.replace("\r\n", "\n");
    let source = SourceText::new(file, &text);
    if text.trim().is_empty() {
        let finding = Finding::of_file(file, "empty-plan", "the plan is empty: nothing to do")
            .with_hint("add a [[task]] with an id, a title and a check");
        return PlanReading::failed(finding);
    }
    let parsed = match PlanSyntax::of(file) {
        PlanSyntax::Toml => toml::parse(&source),
        PlanSyntax::Json => json::parse(&source),
    };
    match parsed {
        Ok(root) => NativePlanReader::new(&source).read(&root),
        Err(finding) => PlanReading::failed(finding.with_hint(FORMAT_HELP)),
    }
}
