//! The native plan format: `*.plan.toml`, or the same data as `*.plan.json`.
//!
//! Reading does not stop at the first problem: everything that is wrong is reported at once, with its
//! position. A field that resembles a known one is an error, because a misspelt `checks` must not
//! silently mean "no checks" (B20); any other unknown field is kept, with a warning (FO-06).
//!
//! | module | what it holds |
//! | --- | --- |
//! | `fields` | the fields of a plan, a task, a step, a file and a check |
//! | `checkpoint` | tasks that ask a person, or that were done before |
//! | `reader` | collects findings and positions, reads plain values |
//! | `entries`, `toml_writer` | a plan as the entries of a file; those as readable TOML |
//! | [`edit`], [`edit_json`] | adding and changing tasks in the text of a plan in TOML or in JSON |
//! | [`schema`] | the format as JSON Schema |

mod checkpoint;
pub mod edit;
pub mod edit_json;
mod entries;
mod fields;
mod reader;
pub mod schema;
mod toml_writer;

use afresh_core::Plan;

use crate::findings::{Finding, SourceText, not_utf8, wide_encoding};
use crate::reading::PlanReading;
use crate::text::json;
use crate::text::limits;
use crate::text::toml;
pub use checkpoint::{CHECKPOINT_FIELDS, OPTION_FIELDS};
pub use fields::{CHECK_FIELDS, FILE_FIELDS, PLAN_FIELDS, STEP_FIELDS, TASK_FIELDS};
use reader::NativePlanReader;

const FORMAT_HINT: &str = "`afresh schema plan` describes the format";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlanSyntax {
    Toml,
    Json,
}

impl PlanSyntax {
    /// By the file's extension; TOML unless that is `json`.
    pub fn from_file_name(file: &str) -> Self {
        let extension = file.rsplit('.').next().unwrap_or_default();
        if extension.eq_ignore_ascii_case("json") { Self::Json } else { Self::Toml }
    }
}

/// Renders a plan as text. Reading that text gives the same plan and [`PlanReading::target`].
pub fn render(plan: &Plan, target: Option<&str>, syntax: PlanSyntax) -> String {
    let file = entries::plan_entries(plan, target);
    match syntax {
        PlanSyntax::Toml => crate::native::toml_writer::render(&file),
        PlanSyntax::Json => {
            let mut text = serde_json::to_string_pretty(&file).expect("entries are JSON");
            text.push('\n');
            text
        }
    }
}

/// Reads a plan from the bytes of a file.
pub fn read(file: &str, bytes: &[u8]) -> PlanReading {
    // The limit for data applies, whatever the file is called.
    if bytes.len() > limits::MAX_DATA_BYTES {
        return PlanReading::failed(limits::too_large(file));
    }
    if let Some(finding) = wide_encoding(file, bytes) {
        return PlanReading::failed(finding);
    }
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text.strip_prefix('\u{feff}').unwrap_or(text),
        Err(error) => return PlanReading::failed(not_utf8(file, bytes, error.valid_up_to())),
    };
    // A string of several lines must not pass carriage returns to a shell (B18).
    let text = text.replace("\r\n", "\n");
    let source = SourceText::new(file, &text);
    if text.trim().is_empty() {
        let finding = Finding::for_file(file, "empty-plan", "the plan is empty: nothing to do")
            .with_hint("add a task with an id, a title and a check");
        return PlanReading::failed(finding);
    }
    let parsed = match PlanSyntax::from_file_name(file) {
        PlanSyntax::Toml => toml::parse(&source),
        PlanSyntax::Json => json::parse(&source),
    };
    match parsed {
        Ok(root) => NativePlanReader::new(&source).read(&root),
        Err(finding) => PlanReading::failed(finding.with_hint(FORMAT_HINT)),
    }
}
