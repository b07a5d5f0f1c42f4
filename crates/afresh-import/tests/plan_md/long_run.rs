//! long-run's plans next to their spec.

use afresh_import::detect::WorkUnit;

use crate::{fixture, read, rendered, shown, task};

const SPEC: &str = "agent-os/specs/2026-01-10-invoices/";

/// FO-01: numbered plans with steps, the spec, checked boxes and summaries.
#[test]
fn plans_next_to_a_spec_are_a_plan() {
    let reading = read(fixture("long-run/app"), WorkUnit::Plan);
    insta::assert_snapshot!(shown(&reading) + &rendered(&reading));
}

/// FO-01, AG-04: the worker gets constraints and context; the subagent becomes the task's agent.
#[test]
fn constraints_reach_the_worker() {
    let reading = read(fixture("long-run/app"), WorkUnit::Plan);
    assert!(task(&reading, "02").instructions.contains("- No new gems"));
    assert_eq!(task(&reading, "02").agent.as_deref(), Some("rails-dev"));
    assert!(reading.unknown.is_empty(), "{:?}", reading.unknown);
}

/// FO-01: the folder may be the spec's, or `.long-run` itself.
#[test]
fn a_spec_can_be_entered_anywhere() {
    let below = |prefix: &str| {
        let files = fixture("long-run/app").into_iter();
        let inside =
            files.filter_map(|(path, text)| Some((path.strip_prefix(prefix)?.to_owned(), text)));
        read(inside.collect(), WorkUnit::Plan).plan.expect("a plan")
    };
    let spec = below(SPEC);
    assert_eq!((spec.len(), spec.spec.as_deref()), (4, Some("spec.md")));
    assert_eq!(below(&format!("{SPEC}.long-run/")).len(), 4);
}

/// FO-01: of two specs one must be named.
#[test]
fn two_specs_are_not_mixed() {
    let mut files = fixture("long-run/app");
    let other: Vec<_> = files
        .iter()
        .map(|(path, text)| (path.replace("2026-01-10-invoices", "other"), text.clone()))
        .collect();
    files.extend(other);
    insta::assert_snapshot!(rendered(&read(files, WorkUnit::Plan)));
}
