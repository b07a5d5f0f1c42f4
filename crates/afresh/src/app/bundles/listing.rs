//! The bundles of a run: task, attempt, size against the model's window, age.

use std::time::{Duration, SystemTime};

use afresh_agents::bundle::FileChecksum;
use afresh_agents::prompt::size;
use afresh_core::Run;
use afresh_core::estimate::DEFAULT_WINDOW;
use afresh_core::usage::ContextFill;
use afresh_engine::bundle::stored::{DependencyState, StoredBundle};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::app::session::briefing::TEMPLATE;
use crate::app::text::files;
use crate::app::text::moment;
use crate::reporters::plan_json::share;
use crate::terminal::output::{Output, Paint};

/// More than any bundle of ours.
const MAX_BYTES: usize = 16 * 1024 * 1024;

/// What is read of a bundle for it.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Told {
    window: Option<u64>,
    sources: Vec<FileChecksum>,
}

/// One bundle, as it is listed.
#[derive(Debug)]
struct Listed<'a> {
    kept: &'a StoredBundle,
    need: DependencyState,
    fill: ContextFill,
    /// The project's own template that it was rendered with, if it has one.
    template: Option<Template>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
struct Template {
    path: String,
    sha256: String,
}

pub(crate) fn print(run: Option<&Run>, kept: &[StoredBundle], output: &Output) {
    let listed: Vec<Listed<'_>> = kept.iter().map(|one| Listed::of(one, run)).collect();
    if output.json {
        let bundles: Vec<Value> = listed.iter().map(Listed::to_json).collect();
        output.document(&json!({"run": run.map(Run::id), "bundles": bundles}));
        return;
    }
    if listed.is_empty() {
        output.note("no bundles; `afresh bundle generate TASK` makes one");
    }
    let widest = listed.iter().map(|one| one.name().len()).max().unwrap_or(0);
    for one in &listed {
        output.data(&one.to_text(widest, output));
    }
}

impl<'a> Listed<'a> {
    fn of(kept: &'a StoredBundle, run: Option<&Run>) -> Self {
        let told: Told = files::read_bounded(&kept.bundle(), MAX_BYTES)
            .ok()
            .and_then(|bytes| serde_json::from_slice(&bytes).ok())
            .unwrap_or_default();
        let bytes = usize::try_from(kept.prompt_bytes).unwrap_or(usize::MAX);
        let own = told.sources.into_iter().find(|source| source.path == TEMPLATE);
        Self {
            kept,
            need: kept.need(run),
            fill: size::fill(bytes, told.window.unwrap_or(DEFAULT_WINDOW)),
            template: own.map(|FileChecksum { path, sha256, .. }| Template { path, sha256 }),
        }
    }

    fn name(&self) -> String {
        self.kept.attempt.to_string()
    }

    fn to_text(&self, widest: usize, output: &Output) -> String {
        let Self { fill, need, .. } = self;
        let age = self.kept.made_at.map_or(Duration::ZERO, since);
        let paint = if need.is_over() { Paint::Dim } else { Paint::Green };
        let state = output.paint_data(paint, &format!("{:<9}", need.word()));
        let template = self.template.as_ref().map_or_else(String::new, |own| {
            format!("  {} {}", own.path, own.sha256.get(..10).unwrap_or_default())
        });
        format!(
            "{:<widest$}  {state}  {} tokens, {} % of {}  {} ago{template}",
            self.name(),
            fill.used,
            fill.percent(),
            fill.window,
            moment::span(age),
        )
    }

    fn to_json(&self) -> Value {
        let made_at =
            self.kept.made_at.and_then(|at| at.duration_since(SystemTime::UNIX_EPOCH).ok());
        let made_at = made_at.and_then(|at| i64::try_from(at.as_millis()).ok()).map(moment::iso);
        json!({
            "task": self.kept.attempt.task, "attempt": self.kept.attempt.number,
            "state": self.need.word(), "tokens": self.fill.used, "window": self.fill.window,
            "context": share(self.fill.percent()), "made_at": made_at,
            "bundle": self.kept.bundle(), "prompt": self.kept.prompt(), "template": self.template,
        })
    }
}

fn since(moment: SystemTime) -> Duration {
    // A clock that went back makes nothing older.
    SystemTime::now().duration_since(moment).unwrap_or_default()
}
