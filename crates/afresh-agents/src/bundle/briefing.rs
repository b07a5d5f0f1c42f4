//! What all workers of a run get: the project, its conventions, the spec, and the prompt template.
//!
//! Read once when a run starts or resumes, so workers cannot change it. Finding the files is left to
//! the caller.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use afresh_core::ids::TaskId;
use afresh_formats::text::markdown::{FenceTracker, LineKind, lines};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::agent::definition::WorkerRole;
use crate::bundle::spec_section::ParsedSpec;
use crate::bundle::{FileChecksum, FileOrigin};
use crate::prompt::template::PromptTemplates;

/// The most characters of a project's description.
const MAX_DESCRIPTION_CHARS: usize = 1_200;
/// The most paragraphs of it.
const PARAGRAPHS: usize = 2;

#[derive(Debug, Clone, Default)]
pub struct Briefing {
    /// The plan's path for display.
    pub plan_file: String,
    /// The file of each task, if the plan has several.
    pub task_files: BTreeMap<TaskId, String>,
    pub project: Option<ProjectSummary>,
    /// The project's conventions.
    pub patterns: Option<ProjectDocument>,
    /// The project's rules files for agents, by their names.
    pub rules_files: Vec<ProjectDocument>,
    pub spec: Option<ParsedSpec>,
    /// The roles of agents that have one, by the names that tasks use.
    pub roles: BTreeMap<String, WorkerRole>,
    /// All files that were read for it, including the plan.
    pub sources: Vec<FileChecksum>,
    pub templates: PromptTemplates,
}

/// A file that was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProjectDocument {
    /// The path for display.
    pub path: String,
    pub text: String,
}

/// A short description of the project.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Project")]
pub struct ProjectSummary {
    pub name: String,
    /// The first two paragraphs of its description.
    pub description: String,
}

impl ProjectSummary {
    /// Reads `PROJECT.md` or `README.md`; `None` if it has no text.
    pub fn read(text: &str) -> Option<Self> {
        let mut fences = FenceTracker::default();
        let (mut name, mut paragraphs, mut open) = (None, Vec::<String>::new(), false);
        for line in lines(text) {
            let (words, is_text) = (line.text.trim(), fences.kind(&line) == LineKind::Text);
            if let Some(title) = words.strip_prefix("# ").filter(|_| is_text) {
                name = name.or(Some(title.trim().to_owned()));
            }
            if !is_text || !is_prose(words) {
                open = false;
                continue;
            }
            if let Some(last) = paragraphs.last_mut().filter(|_| open) {
                *last = format!("{last} {words}");
            } else if paragraphs.len() == PARAGRAPHS {
                break;
            } else {
                paragraphs.push(words.to_owned());
            }
            open = true;
        }
        let description = paragraphs.join("\n\n").chars().take(MAX_DESCRIPTION_CHARS).collect();
        let project = Self { name: name.unwrap_or_default(), description };
        (!project.name.is_empty() || !project.description.is_empty()).then_some(project)
    }
}

/// Whether the line is prose: not a heading, badge, table, markup or rule.
fn is_prose(line: &str) -> bool {
    let first = line.chars().next();
    first.is_some_and(|first| !matches!(first, '#' | '<' | '!' | '|'))
        && !line.starts_with("[![")
        && line.chars().any(char::is_alphanumeric)
}

impl FileChecksum {
    pub fn from_bytes(path: &str, bytes: &[u8]) -> Self {
        let sha256 = Sha256::digest(bytes).iter().fold(String::new(), |mut text, byte| {
            let _ = write!(text, "{byte:02x}");
            text
        });
        Self { path: path.to_owned(), sha256, from: FileOrigin::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// PR-02: the project's name and the first two paragraphs of its description.
    #[test]
    fn a_project_is_its_title_and_two_paragraphs() {
        let text = "# Greeter\n[![ci](x)](y)\n\nSays hello\nto people.\n\n## Use\n```\ncode\n```\n\
                    It is fast.\n\nNever told.\n";
        let project = ProjectSummary::read(text).expect("a project");
        assert_eq!(project.name, "Greeter");
        assert_eq!(project.description, "Says hello to people.\n\nIt is fast.");
        assert_eq!(ProjectSummary::read("\n\n```\ncode\n```\n"), None);
    }

    #[test]
    fn a_checksum_is_that_of_sha256sum() {
        let sum = FileChecksum::from_bytes("a", b"abc").sha256;
        assert_eq!(sum, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    }
}
