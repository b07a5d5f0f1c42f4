//! Audits of specifications (AU-01 to AU-05).

use std::fmt::Write as _;

use afresh_planner::audit::metrics::AuditLimits;
use afresh_planner::audit::section::{ImplementationTasks, with_section};
use afresh_planner::audit::{
    AuditConfig, AuditVerdict, ExecutionMode, GroupSource, SpecAudit, audit,
};
use afresh_planner::discovery::MemoryFiles;
use afresh_planner::spec::Specification;

fn audited(text: &str, files: &[(&str, usize)]) -> SpecAudit {
    let repository =
        MemoryFiles::new(files.iter().map(|(path, lines)| (*path, "let a = 1;\n".repeat(*lines))));
    let config = AuditConfig { limits: AuditLimits::default(), window: 200_000 };
    audit(&Specification::from_text("spec.md", text.to_owned()), &repository, &config)
}

fn shown(audit: &SpecAudit) -> String {
    let mut text = String::new();
    for metric in &audit.metrics {
        let _ = writeln!(
            text,
            "{} {} of {}: {}",
            metric.name,
            metric.value,
            metric.threshold,
            metric.state.word()
        );
    }
    let _ = writeln!(text, "{} % {}", audit.estimate.percent(), audit.size_word());
    let _ = writeln!(text, "{} {} {:?}", audit.verdict.word(), audit.mode.word(), audit.source);
    for group in &audit.groups {
        let _ = writeln!(
            text,
            "{} needs {:?} ~{} %: {}",
            group.id,
            group.needs,
            group.percent,
            group.tasks.join("; ")
        );
    }
    let _ = writeln!(text, "{:?}", audit.waves);
    text
}

const SMALL: &str = "# Greeting\n\n## Requirements\n\n- `greet NAME` prints a greeting\n- Without a name it greets the world\n\n## Files to Create\n\n| File | Purpose |\n|---|---|\n| `src/greet.py` | the greeter |\n\n## Acceptance Criteria\n\n1. `greet Ann` prints Ann\n";

/// AU-01, AU-05: a small specification is left alone.
#[test]
fn a_small_specification_is_approved() {
    let audit = audited(SMALL, &[]);
    insta::assert_snapshot!(shown(&audit));
    assert_eq!((audit.verdict, audit.mode), (AuditVerdict::Approved, ExecutionMode::Single));
}

const LARGE: &str = "# Handlers\n\n## Requirements\n\n### R1: Types\n\nCreate `src/types.ts` with the interfaces.\n\n### R2: Partition handler\n\nCreate `src/partition-handler.ts`.\n\n### R3: Topic handler\n\nCreate `src/topic-handler.ts`.\n\n### R4: Query handler\n\nCreate `src/query-handler.ts`.\n\n### R5: Lock handler\n\nCreate `src/lock-handler.ts`.\n\n### R6: Counter handler\n\nCreate `src/counter-handler.ts`.\n\n### R7: Wire the handlers\n\nModify `src/server.ts` to register all of them.\n";

/// AU-02, AU-04: what exceeds a limit is divided: types first, independent parts apart, wiring last.
#[test]
fn a_large_specification_is_divided() {
    let audit = audited(LARGE, &[("src/server.ts", 4_858)]);
    insta::assert_snapshot!(shown(&audit));
    assert_eq!(
        (audit.verdict, audit.mode),
        (AuditVerdict::NeedsDecomposition, ExecutionMode::Orchestrated)
    );
}

/// AU-02: at a limit is a warning, above it is too much.
#[test]
fn a_limit_may_be_reached_and_not_exceeded() {
    let state = |files: usize| {
        let rows: String =
            (0..files).fold(String::new(), |rows, at| rows + &format!("- `src/{at}.ts`\n"));
        let audit = audited(&format!("# X\n\n## Files to Create\n\n{rows}"), &[]);
        (audit.metrics[0].state.word(), audit.verdict)
    };
    assert_eq!(state(4), ("ok", AuditVerdict::Approved));
    assert_eq!(state(5), ("warning", AuditVerdict::Approved));
    assert_eq!(state(6), ("exceeded", AuditVerdict::NeedsDecomposition));
}

/// AU-02: a part that no worker can hold has to be split by a person.
#[test]
fn a_part_that_fits_no_worker_needs_a_split() {
    let text = "# X\n\n## Requirements\n\n- R1: Modify `src/huge.ts` to be faster\n";
    let audit = audited(text, &[("src/huge.ts", 60_000)]);
    assert_eq!(audit.verdict, AuditVerdict::NeedsSplit);
    assert!(audit.too_large[0].contains("src/huge.ts"), "{:?}", audit.too_large);
}

/// AU-03: the estimate follows the sizes of files, the length of the text and the number of requirements.
#[test]
fn the_estimate_is_computed_from_what_is_there() {
    let tokens = |text: &str, lines: usize| audited(text, &[("src/a.ts", lines)]).estimate.tokens;
    let text = "# X\n\n## Requirements\n\n- R1: Modify `src/a.ts`\n";
    assert!(tokens(text, 2_000) > tokens(text, 100) + 4_000);
    assert!(tokens(&format!("{text}- R2: And more\n"), 100) > tokens(text, 100) + 500);
    assert!(tokens(&format!("{text}\n{}", "word ".repeat(1_000)), 100) > tokens(text, 100) + 900);
}

/// AU-04: a generated section is marked, read back, and replaced; one that a person wrote stays and wins.
#[test]
fn a_written_section_wins_over_a_generated_one() {
    let files = [("src/server.ts", 4_858)];
    let audit = audited(LARGE, &files);
    let spec = |text: &str| Specification::from_text("spec.md", text.to_owned());
    let once = with_section(LARGE, None, &audit.groups).expect("a section");
    insta::assert_snapshot!(&once[LARGE.len()..]);
    let found = ImplementationTasks::find(&spec(&once)).expect("found");
    assert!(found.is_generated);
    let ids: Vec<&str> = found.groups.iter().map(|group| group.id.as_str()).collect();
    assert_eq!(ids, audit.groups.iter().map(|group| group.id.as_str()).collect::<Vec<_>>());
    assert_eq!(with_section(&once, Some(&found), &audit.groups).as_deref(), Some(once.as_str()));
    let written = format!(
        "{LARGE}\n## Implementation Tasks\n\n### Task Groups\n\n| Group | Tasks | Dependencies |\n|---|---|---|\n| G1 | All handlers | — |\n| G2 | The server | G1 |\n"
    );
    let own = ImplementationTasks::find(&spec(&written)).expect("found");
    assert_eq!(with_section(&written, Some(&own), &audit.groups), None);
    let again = audited(&written, &files);
    assert_eq!((again.source, again.groups.len()), (GroupSource::Written, 2));
    assert_eq!(
        again.mode,
        ExecutionMode::Single,
        "two groups in a row, and small enough for one worker"
    );
}

/// AU-05: a single part never becomes several workers.
#[test]
fn a_single_task_is_never_divided() {
    let text = "# X\n\n## Requirements\n\n- R1: Modify `src/a.ts`\n";
    let audit = audited(text, &[("src/a.ts", 1_500)]);
    assert_eq!(audit.mode, ExecutionMode::Single);
}

/// AU-01, B11: an empty text and a huge one are measured, in time.
#[test]
fn odd_specifications_are_measured() {
    assert_eq!(audited("", &[]).verdict, AuditVerdict::Approved);
    let huge: String = (0..3_000)
        .fold(String::new(), |text, at| text + &format!("- R{at}: Create `src/{at}.ts`\n"));
    let audit = audited(&format!("## Requirements\n\n{huge}"), &[]);
    assert!(audit.groups.len() > 100);
}
