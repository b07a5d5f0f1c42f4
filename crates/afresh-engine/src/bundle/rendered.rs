//! Bundle and prompt as they go to disk: secrets are redacted, and the size is known.

use std::path::Path;

use afresh_agents::prompt::size::{self, PromptTooLarge};
use afresh_agents::{Bundle, prompt};
use afresh_core::Run;
use afresh_core::plan::{ContextLevel, ModelTier, TaskIndex};
use afresh_core::usage::ContextFill;
use afresh_secrets::redact;

use crate::bundle::planned;
use crate::execution_config::WorkerConfig;

/// The file names inside the bundle's directory.
pub const BUNDLE: &str = "bundle.json";
pub const PROMPT: &str = "prompt.md";

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RenderedBundle {
    /// As JSON.
    pub bundle: String,
    pub prompt: String,
    /// How much of the model's context the prompt fills.
    pub fill: ContextFill,
}

impl RenderedBundle {
    /// Renders bundle and prompt without secrets, wherever those came from (B36).
    pub fn render(
        mut bundle: Bundle,
        workers: &WorkerConfig,
        tier: ModelTier,
    ) -> Result<Self, serde_json::Error> {
        add_agent(&mut bundle, workers);
        Self::render_as_is(bundle, workers, tier)
    }

    /// The same for an attempt by hand: no agent of ours gets it, and no sandbox of ours is around it (ST-06).
    pub(crate) fn render_by_hand(
        bundle: Bundle,
        workers: &WorkerConfig,
        tier: ModelTier,
    ) -> Result<Self, serde_json::Error> {
        Self::render_as_is(bundle, workers, tier)
    }

    fn render_as_is(
        mut bundle: Bundle,
        workers: &WorkerConfig,
        tier: ModelTier,
    ) -> Result<Self, serde_json::Error> {
        let window = workers.window(bundle.task.agent.as_deref(), tier);
        bundle.window = Some(window);
        let secrets = workers.secrets();
        let rendered = if bundle.resumes_session {
            prompt::resumed_prompt(&bundle)
        } else {
            prompt::render(&bundle, &workers.briefing.templates)
        };
        let prompt = redact(&rendered, &secrets);
        let fill = size::context_fill(&prompt, window);
        Ok(Self { bundle: redact(&serde_json::to_string_pretty(&bundle)?, &secrets), prompt, fill })
    }

    pub fn save(&self, directory: &Path) -> std::io::Result<()> {
        std::fs::create_dir_all(directory)?;
        std::fs::write(directory.join(PROMPT), &self.prompt)?;
        std::fs::write(directory.join(BUNDLE), &self.bundle)
    }
}

/// Adds what depends on the agent that gets the task.
fn add_agent(bundle: &mut Bundle, workers: &WorkerConfig) {
    let Some(agent) = workers.agent_for(bundle.task.agent.as_deref()) else { return };
    bundle.reports_by = agent.report_channel();
    bundle.surroundings = workers.surroundings.describe(&agent.name);
    if bundle.context != ContextLevel::Minimal {
        bundle.project_rules = agent.project_rules(&workers.briefing.rules_files);
    }
}

/// The minimum size of a task's next prompt. What other tasks leave for it, and how its own attempts end, is
/// not known yet.
pub fn least(run: &Run, at: TaskIndex, workers: &WorkerConfig) -> ContextFill {
    let mut bundle = planned(run, at, &run.next_start_point(at), &workers.briefing);
    add_agent(&mut bundle, workers);
    let window = workers.window(bundle.task.agent.as_deref(), run.tier_of(at));
    size::context_fill(&prompt::render(&bundle, &workers.briefing.templates), window)
}

/// Fails if a worker would start with a full context (PR-06).
pub fn fits(run: &Run, fill: ContextFill) -> Result<(), PromptTooLarge> {
    size::check_fits(fill, run.settings().context.hard)
}
