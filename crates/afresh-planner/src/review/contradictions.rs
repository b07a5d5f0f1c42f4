//! Statements of the specification that cannot both be met: no plan is right for both.

use super::PlanReview;
use crate::ledger::conflicts::{ConflictKind, StatementConflict};

pub(super) fn check(review: &mut PlanReview<'_>) {
    let ledger = review.subject.ledger;
    for StatementConflict { first, second, kind } in ledger.conflicts() {
        let (Some(one), Some(other)) = (ledger.find(first.as_str()), ledger.find(second.as_str()))
        else {
            continue;
        };
        let (code, message) = match kind {
            ConflictKind::SameId(id) => (
                "duplicate-statement",
                format!("two statements are named {id} (the first is at line {})", one.line),
            ),
            ConflictKind::Numbers(a, b) => {
                let message =
                    format!("{second} says {b:?}, and {first} at line {} says {a:?}", one.line);
                ("contradicting-statements", message)
            }
            ConflictKind::Opposites => {
                let message = format!("{second} and {first} at line {} are opposites", one.line);
                ("contradicting-statements", message)
            }
        };
        let hint = "do not choose: report NEEDS_DECISION; a person corrects the specification";
        review.report_statement(&other.file, other.line, code, message, hint);
    }
}
