//! Tests that were written before the work, by an author who does not write the code (PL-17).

use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AcceptanceSet {
    pub version: String,
    pub scenarios: Vec<AcceptanceScenario>,
    #[serde(default)]
    pub untestable: Vec<UntestableStatement>,
}

/// Requirement, scenario, test.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AcceptanceScenario {
    pub id: String,
    /// The task that makes it pass.
    pub task: String,
    pub statements: Vec<String>,
    /// Given, when, then.
    pub scenario: String,
    /// The files of the test.
    pub files: Vec<String>,
    pub command: String,
    /// It shows that the whole steel thread works.
    #[serde(default)]
    pub end_to_end: bool,
}

/// A statement that no command can test.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UntestableStatement {
    pub statement: String,
    pub reason: String,
}

impl AcceptanceSet {
    /// The files of all tests, each once.
    pub fn files(&self) -> Vec<&str> {
        let mut files: Vec<&str> = self
            .scenarios
            .iter()
            .flat_map(|scenario| &scenario.files)
            .map(String::as_str)
            .collect();
        files.sort_unstable();
        files.dedup();
        files
    }
}
