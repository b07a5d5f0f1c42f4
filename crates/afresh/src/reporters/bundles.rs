//! Bundles as text and as JSON, for `afresh bundle`.

use std::path::Path;
use std::time::{Duration, SystemTime};

use afresh_agents::bundle::FileOrigin;
use afresh_app::formats::Finding;
use afresh_core::Run;
use afresh_engine::bundle::rendered::{BUNDLE, PROMPT};
use afresh_engine::bundle::stored::{DependencyState, StoredBundle};
use serde_json::{Value, json};

use crate::terminal::output::{Output, Paint, count, safe};
use afresh_app::tasks::bundles::cleanup::BundleCleanup;
use afresh_app::tasks::bundles::generate::GeneratedBundle;
use afresh_app::tasks::bundles::integrity::{BundleIntegrity, SourceState};
use afresh_app::tasks::bundles::listing::ListedBundle;
use afresh_app::tasks::bundles::select::SelectedBundle;
use afresh_app::text::time;
use afresh_views::plan::json::share;

pub(crate) fn generated_json(generated: &GeneratedBundle, directory: &Path) -> Value {
    json!({
        "task": generated.task, "attempt": generated.attempt,
        "bundle": directory.join(BUNDLE), "prompt": directory.join(PROMPT),
        "tokens": generated.made.fill.used, "window": generated.made.fill.window,
        "context": share(generated.made.fill.percent()), "fits": generated.fits(),
    })
}

pub(crate) fn print_generated(generated: &GeneratedBundle, directory: &Path, output: &Output) {
    let fill = generated.made.fill;
    output.data(&directory.join(BUNDLE).display().to_string());
    output.note(&format!(
        "{}.{}: {} tokens, {} % of {}",
        generated.task,
        generated.attempt,
        fill.used,
        fill.percent(),
        fill.window
    ));
}

pub(crate) fn print_findings(bundles: &[SelectedBundle], findings: &[Finding], output: &Output) {
    if output.json {
        let names: Vec<&str> = bundles.iter().map(|one| one.name.as_str()).collect();
        output.document(&json!({"bundles": names, "findings": findings}));
        return;
    }
    for finding in findings {
        output.finding(finding);
    }
    let wrong = count(findings.len(), "finding");
    output.note(&format!("{}: {wrong}", count(bundles.len(), "bundle")));
}

pub(crate) fn print_integrity(bundles: &[BundleIntegrity], output: &Output) {
    if output.json {
        output.document(&json!({"bundles": bundles}));
        return;
    }
    for one in bundles {
        let name = safe(&one.bundle);
        if one.ok {
            output.prose(&format!("{name}: {} unchanged", count(one.sources.len(), "file")));
        }
        for source in one.sources.iter().filter(|source| source.state != SourceState::Same) {
            let place = match source.from {
                FileOrigin::Checkout => "",
                FileOrigin::Branch => " on the run's branch",
            };
            let what = match source.state {
                SourceState::Missing => "is missing",
                SourceState::Same | SourceState::Changed => "has changed since",
            };
            output.prose(&format!("{name}: {}{place} {what}", safe(&source.path)));
        }
    }
}

pub(crate) fn print_list(run: Option<&Run>, kept: &[StoredBundle], output: &Output) {
    let listed: Vec<ListedBundle<'_>> =
        kept.iter().map(|one| ListedBundle::read(one, run)).collect();
    if output.json {
        let bundles: Vec<Value> = listed.iter().map(listed_json).collect();
        output.document(&json!({"run": run.map(Run::id), "bundles": bundles}));
        return;
    }
    if listed.is_empty() {
        output.note("no bundles; `afresh bundle generate TASK` makes one");
    }
    let widest = listed.iter().map(|one| one.name().len()).max().unwrap_or(0);
    for one in &listed {
        output.prose(&listed_text(one, widest, output));
    }
}

fn listed_text(one: &ListedBundle<'_>, widest: usize, output: &Output) -> String {
    let ListedBundle { fill, need, .. } = one;
    let age = one.kept.made_at.map_or(Duration::ZERO, elapsed_since);
    let paint = if need.is_over() { Paint::Dim } else { Paint::Green };
    let state = output.paint_data(paint, &format!("{:<9}", need.word()));
    let template = one.template.as_ref().map_or_else(String::new, |own| {
        format!("  {} {}", own.path, own.sha256.get(..10).unwrap_or_default())
    });
    format!(
        "{:<widest$}  {state}  {} tokens, {} % of {}  {} ago{template}",
        one.name(),
        fill.used,
        fill.percent(),
        fill.window,
        time::format_duration(age),
    )
}

fn listed_json(one: &ListedBundle<'_>) -> Value {
    let made_at = one.kept.made_at.and_then(|at| at.duration_since(SystemTime::UNIX_EPOCH).ok());
    let made_at = made_at.and_then(|at| i64::try_from(at.as_millis()).ok()).map(time::format_utc);
    json!({
        "task": one.kept.attempt.task, "attempt": one.kept.attempt.number,
        "state": one.need.word(), "tokens": one.fill.used, "window": one.fill.window,
        "context": share(one.fill.percent()), "made_at": made_at,
        "bundle": one.kept.bundle(), "prompt": one.kept.prompt(), "template": one.template,
    })
}

pub(crate) fn print_cleanup(run: Option<&Run>, cleanup: &BundleCleanup<'_>, output: &Output) {
    if output.json {
        let removed: Vec<String> =
            cleanup.removed.iter().map(|one| one.attempt.to_string()).collect();
        let kept: Vec<Value> = cleanup
            .kept
            .iter()
            .map(|(one, need)| json!({"bundle": one.attempt.to_string(), "why": need.word()}))
            .collect();
        output.document(&json!({"run": run.map(Run::id), "removed": removed, "kept": kept}));
        return;
    }
    output.data(&format!("removed {}", count(cleanup.removed.len(), "bundle")));
    for (one, need) in &cleanup.kept {
        output.prose(&format!("kept {}: {}", one.attempt, reason(*need)));
    }
}

fn reason(need: DependencyState) -> &'static str {
    match need {
        DependencyState::Running => "its attempt is not finished",
        DependencyState::Asked => "a question about its task is open",
        DependencyState::Over | DependencyState::Looking => "it is no longer needed",
    }
}

/// A clock that was set back makes nothing older.
fn elapsed_since(moment: SystemTime) -> Duration {
    SystemTime::now().duration_since(moment).unwrap_or_default()
}
