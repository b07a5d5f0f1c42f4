//! Reports of mutation tests: how many deliberate faults the tests noticed (TR-07).
//!
//! Two shapes are read: the report schema of Stryker, which several tools write, and `outcomes.json` of cargo-mutants.
//! A mutant that could not be built, or was left out, says nothing about the tests.

use std::collections::BTreeMap;

use afresh_core::check::MutationTally;
use serde::Deserialize;

use crate::text::detail_line;

/// How many mutants that nothing noticed are named.
const MAX_UNNOTICED: usize = 20;

/// The report schema of Stryker.
#[derive(Debug, Deserialize)]
struct StrykerReport {
    files: BTreeMap<String, StrykerFile>,
}

#[derive(Debug, Deserialize)]
struct StrykerFile {
    mutants: Vec<StrykerMutant>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct StrykerMutant {
    status: String,
    #[serde(default)]
    mutator_name: String,
    #[serde(default)]
    location: Option<StrykerLocation>,
}

#[derive(Debug, Deserialize)]
struct StrykerLocation {
    start: StrykerPosition,
}

#[derive(Debug, Deserialize)]
struct StrykerPosition {
    line: u64,
}

/// `outcomes.json` of cargo-mutants.
#[derive(Debug, Deserialize)]
struct CargoReport {
    outcomes: Vec<CargoOutcome>,
}

#[derive(Debug, Deserialize)]
struct CargoOutcome {
    summary: String,
    /// `"Baseline"`, or an object that describes the mutant.
    scenario: serde_json::Value,
}

/// What a report adds up to; none if it is of neither kind.
pub fn read_mutation_report(json: &[u8], required_percent: Option<u8>) -> Option<MutationTally> {
    let mut tally =
        MutationTally { noticed: 0, tested: 0, required_percent, unnoticed: Vec::new() };
    if let Ok(report) = serde_json::from_slice::<StrykerReport>(json) {
        for (path, file) in report.files {
            for mutant in file.mutants {
                let line = mutant.location.as_ref().map_or(0, |location| location.start.line);
                let noticed = match mutant.status.as_str() {
                    "Killed" | "Timeout" => true,
                    "Survived" | "NoCoverage" => false,
                    _ => continue,
                };
                tally.add(noticed, || format!("{path}:{line} {}", mutant.mutator_name));
            }
        }
        return Some(tally);
    }
    let report: CargoReport = serde_json::from_slice(json).ok()?;
    for outcome in report.outcomes {
        let noticed = match outcome.summary.as_str() {
            "CaughtMutant" | "Timeout" => true,
            "MissedMutant" => false,
            _ => continue,
        };
        tally.add(noticed, || name_cargo_mutant(&outcome.scenario));
    }
    Some(tally)
}

/// `src/lib.rs:3: replace add -> u32 with 0`.
fn name_cargo_mutant(scenario: &serde_json::Value) -> String {
    let mutant = &scenario["Mutant"];
    let text = |value: &serde_json::Value| value.as_str().unwrap_or_default().to_owned();
    let line = mutant["span"]["start"]["line"].as_u64().unwrap_or(0);
    format!("{}:{line} {}", text(&mutant["file"]), text(&mutant["name"]))
}

trait AddMutant {
    fn add(&mut self, noticed: bool, name: impl FnOnce() -> String);
}

impl AddMutant for MutationTally {
    fn add(&mut self, noticed: bool, name: impl FnOnce() -> String) {
        self.tested += 1;
        self.noticed += u64::from(noticed);
        if !noticed && self.unnoticed.len() < MAX_UNNOTICED {
            self.unnoticed.push(detail_line(&name()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// TR-07: what tests noticed, what they did not, and what says nothing.
    #[test]
    fn a_report_of_stryker_is_added_up() {
        let report = br#"{"schemaVersion": "1.0", "thresholds": {"high": 80, "low": 60}, "files": {"src/a.js": {
            "language": "javascript", "source": "x", "mutants": [
            {"id": "1", "mutatorName": "Arithmetic", "status": "Killed", "location": {"start": {"line": 3, "column": 1}, "end": {"line": 3, "column": 2}}},
            {"id": "2", "mutatorName": "Boolean", "status": "Survived", "location": {"start": {"line": 7, "column": 1}, "end": {"line": 7, "column": 2}}},
            {"id": "3", "mutatorName": "Block", "status": "NoCoverage"},
            {"id": "4", "mutatorName": "Block", "status": "CompileError"},
            {"id": "5", "mutatorName": "Block", "status": "Timeout"}]}}}"#;
        let tally = read_mutation_report(report, Some(60)).expect("a report");
        assert_eq!((tally.noticed, tally.tested), (2, 4));
        assert_eq!(tally.unnoticed, ["src/a.js:7 Boolean", "src/a.js:0 Block"]);
        assert!(!tally.is_enough());
        assert!(MutationTally { required_percent: Some(50), ..tally }.is_enough());
    }

    /// TR-07.
    #[test]
    fn a_report_of_cargo_mutants_is_added_up() {
        let report = br#"{"outcomes": [
            {"scenario": "Baseline", "summary": "Success"},
            {"scenario": {"Mutant": {"file": "src/lib.rs", "name": "replace add with 0", "span": {"start": {"line": 3}}}}, "summary": "MissedMutant"},
            {"scenario": {"Mutant": {"file": "src/lib.rs", "name": "x"}}, "summary": "CaughtMutant"},
            {"scenario": {"Mutant": {"file": "src/lib.rs", "name": "y"}}, "summary": "Unviable"}],
            "total_mutants": 3, "missed": 1, "caught": 1, "timeout": 0, "unviable": 1, "success": 0}"#;
        let tally = read_mutation_report(report, None).expect("a report");
        assert_eq!((tally.noticed, tally.tested), (1, 2));
        assert_eq!(tally.unnoticed, ["src/lib.rs:3 replace add with 0"]);
        assert!(tally.is_enough(), "nothing is required");
    }

    #[test]
    fn anything_else_is_no_report() {
        for other in ["", "[]", "{}", "{\"files\": 3}", "\u{0}"] {
            assert_eq!(read_mutation_report(other.as_bytes(), None), None, "{other}");
        }
    }
}
