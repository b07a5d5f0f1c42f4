//! Statements of specifications (PL-15).

use afresh_planner::ledger::changes::LedgerChanges;
use afresh_planner::ledger::{Ledger, PhaseFilter, cut};
use afresh_planner::spec::Specification;

fn ledger(text: &str) -> Ledger {
    cut(&Specification::from_text("spec.md", text.to_owned()), PhaseFilter::First)
}

fn shown(ledger: &Ledger) -> String {
    let lines = ledger.statements.iter().map(|it| {
        let reason = it.reason.as_deref().map(|why| format!(" ({why})")).unwrap_or_default();
        format!("{} {:?} {:?} {}: {}{reason}", it.id, it.kind, it.scope, it.line, it.quote)
    });
    lines.collect::<Vec<_>>().join("\n")
}

const PLAIN: &str = "# Notes service

A small service that keeps notes. It must not lose one.

## Background

People use paper today.

## Notes

- A note has a title and a text.
- Notes are listed, newest first.
  - At most 50 a page.

Titles should be at most 80 characters. The rest is up to you.

## Export

The whole list goes to one file.

## API

| Method | Path | Result |
|---|---|---|
| GET | /notes | all notes |
| POST | /notes | the new note |

```
- not a statement
```

## Acceptance Criteria

1. `notes list` prints every note
2. An empty title is refused

## Out of scope

- Accounts

## Open questions

- Which database?
";

/// PL-15: every list item, row, demand and silent section of a plain specification is a statement.
#[test]
fn a_plain_specification_is_cut_into_statements() {
    insta::assert_snapshot!(shown(&ledger(PLAIN)));
}

/// PL-15: ids of the specification are kept, and what has an id is one statement with its criteria.
#[test]
fn ids_of_a_specification_are_kept() {
    let text = "# X\n\n## Requirements\n\n- **FR-001**: The system MUST log in users.\n  It does so by mail.\n- **FR-002**: It MUST log out.\n\n### Requirement 3: Sessions\n\n#### Acceptance Criteria\n\n1. WHEN idle THEN it ends\n2. WHEN used THEN it stays\n\n## Notes on style\n\n- Use plain words\n";
    insta::assert_snapshot!(shown(&ledger(text)));
}

/// PL-15: requirements of `OpenSpec` are headings, and so are their scenarios.
#[test]
fn headings_can_be_statements() {
    let text = "## ADDED Requirements\n\n### Requirement: Session expiry\nThe system SHALL end idle sessions.\n\n#### Scenario: Idle for an hour\n- **WHEN** nothing happens\n- **THEN** it ends\n\n### Requirement: Logout\nUsers SHALL be able to leave.\n";
    insta::assert_snapshot!(shown(&ledger(text)));
}

/// PL-04: only the first phase is planned; what is left for later is recorded with its heading.
#[test]
fn later_phases_are_deferred() {
    let text = "# X\n\n## Requirements\n\n### Phase 1: Core\n\n- Parse\n- Print\n\n### Phase 2: Network\n\n- Serve\n\n## General\n\n- Be fast\n";
    let ledger = ledger(text);
    insta::assert_snapshot!(shown(&ledger));
}

/// PL-19: ids stay through edits, and an edit is told from an addition.
#[test]
fn statements_keep_their_ids_through_edits() {
    let before = ledger(PLAIN);
    let edited = PLAIN
        .replace(
            "- A note has a title and a text.\n",
            "- Notes can be pinned.\n- A note has a title and a text.\n",
        )
        .replace("Notes are listed, newest first.", "Notes are listed, oldest first.")
        .replace("| POST | /notes | the new note |\n", "");
    let mut now = ledger(&edited);
    now.keep_ids_of(&before);
    let changes = LedgerChanges::between(&before, &now);
    let quote =
        |ledger: &Ledger, id: &str| ledger.find(id).map(|it| it.quote.clone()).unwrap_or_default();
    let ids = |ids: &[afresh_core::plan::RequirementId]| -> Vec<String> {
        ids.iter().map(ToString::to_string).collect()
    };
    assert_eq!(ids(&changes.added).len(), 1);
    assert_eq!(quote(&now, &ids(&changes.added)[0]), "Notes can be pinned.");
    assert_eq!(ids(&changes.changed).len(), 1);
    assert!(quote(&now, &ids(&changes.changed)[0]).starts_with("Notes are listed, oldest first."));
    assert!(quote(&before, &ids(&changes.dropped)[0]).contains("POST"));
    assert_eq!(changes.kept.len(), before.statements.len() - 2);
}

/// PL-15, B11: a document without structure, an empty one and a huge list are all cut.
#[test]
fn odd_documents_are_cut() {
    assert_eq!(ledger("").statements.len(), 0);
    assert_eq!(ledger("Write a parser. It must be fast.").statements.len(), 1);
    let many = format!("## A\n\n{}", "- item\n".repeat(20_000));
    assert_eq!(ledger(&many).statements.len(), 5_000);
}

/// PL-15: a fence that is longer than those inside it holds an example whole.
#[test]
fn an_example_in_a_longer_fence_states_nothing() {
    let text = "## Requirements\n\n- It must write this:\n\n````markdown\n```sh\nx\n```\n## Requirements\n- It must \
                not count\n````\n\n- It must end with code 0\n";
    let spec = Specification::from_text("spec.md", text.to_owned());
    assert_eq!(cut(&spec, PhaseFilter::First).statements.len(), 2);
}
