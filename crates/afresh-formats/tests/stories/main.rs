//! Stories about the formats of plans and results: text in, a plan or located findings out.

mod bad_text;
mod drafts;
mod findings;
mod projects;
mod properties;
mod reading;
mod results;
mod writing;

use afresh_formats::native::read;
use afresh_formats::reading::PlanReading;

/// Reads a plan in TOML.
fn toml(text: &str) -> PlanReading {
    read("my.plan.toml", text.as_bytes())
}

/// Reads a plan in JSON.
fn json(text: &str) -> PlanReading {
    read("my.plan.json", text.as_bytes())
}

/// All findings as people read them.
fn rendered(reading: &PlanReading) -> String {
    reading.findings.iter().map(afresh_formats::Finding::render).collect()
}
