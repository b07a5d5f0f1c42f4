//! An audit as text and JSON.

use std::fmt::Write as _;

use afresh_app::planner::audit::metrics::{MetricState, ScopeMetric};
use afresh_app::planner::audit::{AuditVerdict, ExecutionMode, GroupSource, SpecAudit};
use afresh_app::text::count;
use serde_json::{Value, json};

/// The document of `afresh audit --json`.
pub fn audit_json(audit: &SpecAudit) -> Value {
    let groups = audit.groups.iter().map(|group| {
        let share = fraction(group.percent);
        json!({"id": group.id, "tasks": group.tasks, "needs": group.needs, "est_context": share})
    });
    json!({
        "verdict": audit.verdict.word(),
        "mode": audit.mode.word(),
        "estimate": {"share": fraction(audit.estimate.percent()), "tokens": audit.estimate.tokens},
        "metrics": audit.metrics,
        "groups": groups.collect::<Vec<_>>(),
        "group_source": audit.source,
        "waves": audit.waves,
        "missing_files": audit.missing,
        "too_large": audit.too_large,
    })
}

fn fraction(percent: u64) -> f64 {
    f64::from(u32::try_from(percent).unwrap_or(u32::MAX)) / 100.0
}

/// What the audit found, for people. `name` is the specification as the user named it.
pub fn audit_text(audit: &SpecAudit, name: &str) -> String {
    let mut text = String::new();
    let widest = audit.metrics.iter().map(|metric| metric.name.len()).max().unwrap_or(0);
    for metric in &audit.metrics {
        let _ = writeln!(text, "  {}", metric_line(metric, widest));
    }
    let estimate = &audit.estimate;
    let share = estimate.percent();
    let (tokens, window) = (thousands(estimate.tokens), thousands(estimate.window));
    let size = audit.size_word();
    let _ = writeln!(
        text,
        "  {:<widest$}  ~{share} % of {window} tokens ({tokens}): {size}",
        "estimated context"
    );
    if !audit.missing.is_empty() {
        let missing = audit.missing.join(", ");
        let _ = writeln!(text, "\nwarning: files to change that do not exist here: {missing}");
    }
    let _ = writeln!(text, "\n{}", verdict_line(audit));
    for line in &audit.too_large {
        let _ = writeln!(text, "  {line}");
    }
    if !audit.groups.is_empty() {
        add_groups(&mut text, audit);
    }
    for hint in hints(audit, name) {
        let _ = writeln!(text, "hint: {hint}");
    }
    text
}

fn metric_line(metric: &ScopeMetric, widest: usize) -> String {
    let mark = match metric.state {
        MetricState::Ok => "ok",
        MetricState::Warning => "at the limit",
        MetricState::Exceeded => "exceeded",
    };
    let detail = metric.detail.as_deref().map(|detail| format!("  ({detail})")).unwrap_or_default();
    format!(
        "{:<widest$}  {:>5} of {:<5} {mark}{detail}",
        metric.name, metric.value, metric.threshold
    )
}

fn verdict_line(audit: &SpecAudit) -> String {
    let how = match (audit.mode, audit.groups.len()) {
        (ExecutionMode::Single, _) => "one worker does all of it".to_owned(),
        (ExecutionMode::Orchestrated, groups) => {
            let most = audit.waves.iter().map(Vec::len).max().unwrap_or(1);
            let (groups, waves) = (count(groups, "group"), count(audit.waves.len(), "wave"));
            format!("{groups} in {waves}, at most {most} side by side")
        }
    };
    match audit.verdict {
        AuditVerdict::NeedsSplit => {
            "needs-split: no division by rule fits a worker's context".to_owned()
        }
        verdict => format!("{}: mode {}, {how}", verdict.word(), audit.mode.word()),
    }
}

fn add_groups(text: &mut String, audit: &SpecAudit) {
    let origin = if audit.source == GroupSource::Written {
        "written in the specification"
    } else {
        "made by rule"
    };
    let _ = writeln!(text, "\nGroups ({origin}):");
    for (number, wave) in audit.waves.iter().enumerate() {
        let _ = writeln!(text, "  wave {}", number + 1);
        for group in audit.groups.iter().filter(|group| wave.contains(&group.id)) {
            let needs = if group.needs.is_empty() {
                String::new()
            } else {
                format!("  needs {}", group.needs.join(", "))
            };
            let share =
                if group.percent > 0 { format!("  ~{} %", group.percent) } else { String::new() };
            let _ = writeln!(text, "    {}{share}{needs}", group.id);
            for task in &group.tasks {
                let _ = writeln!(text, "      - {task}");
            }
        }
    }
}

fn hints(audit: &SpecAudit, name: &str) -> Vec<String> {
    match (audit.verdict, audit.source) {
        (AuditVerdict::NeedsSplit, _) => vec![
            "split the specification into several, each with its own files and criteria; or divide the large file first".to_owned(),
        ],
        (AuditVerdict::NeedsDecomposition, GroupSource::Generated) => {
            vec![format!("`afresh audit --write {name}` adds these groups to the specification, for you to edit")]
        }
        _ => Vec::new(),
    }
}

/// `200000` as `200,000`.
fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}
