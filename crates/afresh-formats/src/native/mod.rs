//! The program's own plan format: `*.plan.toml`, or the same data as `*.plan.json`.
//!
//! A reading never stops at the first problem: everything that is wrong is reported at once, each
//! with its place. A field that is nearly a known one is an error, because a misspelt `checks` must
//! not silently mean "no checks" (B20); any other unknown field is kept and warned about (FO-06).
//!
//! | module | idea |
//! | --- | --- |
//! | `fields` | what a plan, a task, a step, a file and a check are made of |
//! | `reader` | findings, places, and the plain values that fields hold |

mod fields;
mod reader;

use std::collections::BTreeMap;

use afresh_core::Plan;

use crate::finding::{Finding, Source, not_utf8};
use crate::{json, toml};
pub use fields::{CHECK_FIELDS, FILE_FIELDS, PLAN_FIELDS, STEP_FIELDS, TASK_FIELDS};
use reader::Reader;

/// The largest plan file that is read, in bytes.
pub const MAX_PLAN_BYTES: usize = 64 * 1024 * 1024;

const FORMAT_HELP: &str = "`afresh schema plan` describes the format";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Syntax {
    Toml,
    Json,
}

impl Syntax {
    /// By the file's name; TOML unless it says JSON.
    pub fn of(file: &str) -> Self {
        let extension = file.rsplit('.').next().unwrap_or_default();
        if extension.eq_ignore_ascii_case("json") { Self::Json } else { Self::Toml }
    }
}

/// What came of reading a file.
#[derive(Debug)]
pub struct Reading {
    /// None where a finding is an error.
    pub plan: Option<Plan>,
    pub findings: Vec<Finding>,
    /// The directory whose repository the plan is for, relative to the plan's file (EX-12).
    pub target: Option<String>,
    /// Fields that we do not know, by their path, as they were written (FO-06).
    pub unknown: BTreeMap<String, String>,
}

/// Reads a plan from the bytes of a file.
pub fn read(file: &str, bytes: &[u8]) -> Reading {
    let failed = |finding| Reading {
        plan: None,
        findings: vec![finding],
        target: None,
        unknown: BTreeMap::new(),
    };
    if bytes.len() > MAX_PLAN_BYTES {
        let message =
            format!("the file has {} bytes; at most {MAX_PLAN_BYTES} are read", bytes.len());
        let finding = Finding::of_file(file, "too-large", message);
        return failed(finding.with_help("split it into several plans"));
    }
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text.strip_prefix('\u{feff}').unwrap_or(text),
        Err(error) => return failed(not_utf8(file, bytes, error.valid_up_to())),
    };
    // A text of several lines must not hand carriage returns to a shell (B18).
    let text = text.replace("\r\n", "\n");
    let source = Source::new(file, &text);
    if text.trim().is_empty() {
        let finding = Finding::of_file(file, "empty-plan", "the plan is empty: nothing to do")
            .with_help("add a [[task]] with an id, a title and a check");
        return failed(finding);
    }
    let parsed = match Syntax::of(file) {
        Syntax::Toml => toml::parse(&source),
        Syntax::Json => json::parse(&source),
    };
    match parsed {
        Ok(root) => Reader::new(&source).read(&root),
        Err(finding) => failed(finding.with_help(FORMAT_HELP)),
    }
}
