//! The bundles of a run: task, attempt, size, share of the context window, age.

use afresh_agents::PromptRole;
use afresh_agents::bundle::FileChecksum;
use afresh_agents::prompt::size;
use afresh_core::Run;
use afresh_core::estimate::DEFAULT_WINDOW;
use afresh_core::usage::ContextFill;
use afresh_engine::bundle::stored::{DependencyState, StoredBundle};
use serde::{Deserialize, Serialize};

use crate::session::briefing::TEMPLATES;
use crate::text::files;

/// More than any bundle.
const MAX_BYTES: usize = 16 * 1024 * 1024;

/// The part of a bundle that the list needs.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct BundleHeader {
    window: Option<u64>,
    sources: Vec<FileChecksum>,
    /// Whether an earlier attempt was rejected.
    feedback: Option<serde::de::IgnoredAny>,
}

impl BundleHeader {
    /// The project's template that the prompt was rendered with. One for workers is also used for repairers.
    fn own_template(self) -> Option<FileChecksum> {
        let roles: &[PromptRole] = match self.feedback {
            Some(_) => &[PromptRole::Repairer, PromptRole::Worker],
            None => &[PromptRole::Worker],
        };
        let find = |role: &PromptRole| {
            let path = format!("{TEMPLATES}{}", role.file_name());
            self.sources.iter().find(|source| source.path == path).cloned()
        };
        roles.iter().find_map(find)
    }
}

/// One bundle, as it is listed.
#[derive(Debug)]
pub struct ListedBundle<'a> {
    pub kept: &'a StoredBundle,
    pub need: DependencyState,
    pub fill: ContextFill,
    /// The project's prompt template, if it was rendered with one.
    pub template: Option<UsedTemplate>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct UsedTemplate {
    pub path: String,
    pub sha256: String,
}

impl<'a> ListedBundle<'a> {
    pub fn read(kept: &'a StoredBundle, run: Option<&Run>) -> Self {
        let told: BundleHeader = files::read_bounded(&kept.bundle(), MAX_BYTES)
            .ok()
            .and_then(|bytes| serde_json::from_slice(&bytes).ok())
            .unwrap_or_default();
        let prompt = files::read_bounded(&kept.prompt(), MAX_BYTES).unwrap_or_default();
        let prompt = String::from_utf8_lossy(&prompt);
        Self {
            kept,
            need: kept.need(run),
            fill: size::context_fill(&prompt, told.window.unwrap_or(DEFAULT_WINDOW)),
            template: told
                .own_template()
                .map(|FileChecksum { path, sha256, .. }| UsedTemplate { path, sha256 }),
        }
    }

    pub fn name(&self) -> String {
        self.kept.attempt.to_string()
    }
}
