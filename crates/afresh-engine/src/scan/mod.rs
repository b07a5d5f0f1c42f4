//! Looking for secrets on demand (B36): in files, in what runs added to the repository, in what
//! afresh keeps. It reads, and changes nothing.
//!
//! Which values are secret is for the caller to say; no finding holds one.

mod files;
mod history;
mod kept;

use afresh_process::{SpotKind, Spotter};
use serde::Serialize;

use crate::secret_lines::placed_anew;

pub use files::{checkout, paths};
pub use history::history;
pub use kept::kept;

/// Larger files are passed over, and told.
const MAX_BYTES: u64 = 64 * 1024 * 1024;

/// One place that holds a secret.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Finding {
    /// A file, a ref with a path, a record of the journal.
    pub place: String,
    pub source: Source,
    /// Counted from 1.
    pub line: u64,
    /// In bytes, counted from 1.
    pub column: u64,
    /// What it looks like, or the variable that holds it.
    pub what: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Source {
    /// A file of the checkout, or one that was named.
    File,
    /// What a run added to its branch.
    Branch,
    /// Work that did not land and is kept.
    Salvage,
    Journal,
    /// Prompts, logs and transcripts.
    State,
}

/// A look around, while it goes on.
#[derive(Debug)]
pub struct Scan {
    spotter: Spotter,
    /// The variables whose values are looked for.
    names: Vec<String>,
    pub findings: Vec<Finding>,
    /// Examples that were marked as such.
    pub allowed: usize,
    /// How many files, versions of files and records were read.
    pub looked_at: usize,
    /// What could not be read, and why.
    pub passed_over: Vec<(String, String)>,
}

impl Scan {
    /// `secrets` are variables with their values.
    pub fn new(secrets: Vec<(String, String)>) -> Self {
        let (names, values): (Vec<String>, Vec<String>) = secrets.into_iter().unzip();
        Self {
            spotter: Spotter::new(&values),
            names,
            findings: Vec::new(),
            allowed: 0,
            looked_at: 0,
            passed_over: Vec::new(),
        }
    }

    /// `before` is what the same place held earlier: lines of it are not told again.
    fn look(&mut self, source: Source, place: &str, text: &[u8], before: Option<&[u8]>) {
        self.looked_at += 1;
        let spots = self.spotter.spots(text);
        if spots.is_empty() {
            return;
        }
        for spot in placed_anew(text, before, &spots) {
            if spot.is_allowed() {
                self.allowed += 1;
            } else {
                self.findings.push(Finding {
                    place: place.to_owned(),
                    source,
                    line: spot.line,
                    column: spot.column,
                    what: self.what(spot.kind),
                });
            }
        }
    }

    fn what(&self, kind: SpotKind) -> String {
        match kind {
            SpotKind::Shape(name) => name.to_owned(),
            SpotKind::Value(at) => format!("the value of {}", self.names[at]),
        }
    }

    fn pass_over(&mut self, place: String, why: impl Into<String>) {
        self.passed_over.push((place, why.into()));
    }
}
