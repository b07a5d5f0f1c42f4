//! The bundles of a run: task, attempt, size, share of the context window, age.

use afresh_agents::bundle::FileChecksum;
use afresh_agents::prompt::size;
use afresh_core::Run;
use afresh_core::estimate::DEFAULT_WINDOW;
use afresh_core::usage::ContextFill;
use afresh_engine::bundle::stored::{DependencyState, StoredBundle};
use serde::{Deserialize, Serialize};

use crate::session::briefing::TEMPLATE;
use crate::text::files;

/// More than any bundle.
const MAX_BYTES: usize = 16 * 1024 * 1024;

/// The part of a bundle that the list needs.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct BundleHeader {
    window: Option<u64>,
    sources: Vec<FileChecksum>,
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
        let own = told.sources.into_iter().find(|source| source.path == TEMPLATE);
        Self {
            kept,
            need: kept.need(run),
            fill: size::context_fill(&prompt, told.window.unwrap_or(DEFAULT_WINDOW)),
            template: own.map(|FileChecksum { path, sha256, .. }| UsedTemplate { path, sha256 }),
        }
    }

    pub fn name(&self) -> String {
        self.kept.attempt.to_string()
    }
}
