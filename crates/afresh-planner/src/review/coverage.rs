//! Every statement has a task, and every task a statement (PL-15).

use std::collections::BTreeSet;

use afresh_core::plan::{PlanField, RequirementScope, nearest};

use super::PlanReview;
use crate::ledger::LedgerStatement;

pub(super) fn check(review: &mut PlanReview<'_>) {
    let ledger = review.subject.ledger;
    let mut served: BTreeSet<String> = BTreeSet::new();
    for (at, task) in review.tasks() {
        if task.requirements.is_empty() && !ledger.statements.is_empty() {
            let message = format!("{} serves no statement of the specification", task.id);
            let hint = "list the ids that it serves in `requirements`, or remove the task";
            review.report(at, PlanField::Id, "serves-nothing", message, hint);
        }
        for (item, id) in task.requirements.iter().enumerate() {
            let span = review
                .places(at)
                .map(|places| places.locate(None, PlanField::Requirements, item).clone());
            match ledger.find(id.as_str()) {
                None => {
                    let known = ledger.statements.iter().map(|statement| statement.id.as_str());
                    let hint = match nearest(id.as_str(), known) {
                        Some(near) => format!("did you mean {near:?}? The ids are in ledger.json"),
                        None => "the ids are in ledger.json".to_owned(),
                    };
                    let message = format!(
                        "{} serves {id}, which is no statement of the specification",
                        task.id
                    );
                    review.report_at(span.as_ref(), "unknown-statement", message, &hint);
                }
                Some(statement) if !statement.is_active() => {
                    let message =
                        format!("{} serves {id}, which {}", task.id, describe_scope(statement));
                    let hint = "leave it for later; a person changes the scope of a statement";
                    review.report_at(span.as_ref(), "leaks-scope", message, hint);
                }
                Some(statement) => {
                    served.insert(statement.id.as_str().to_owned());
                    // Who serves all of a statement serves its parts.
                    let parts = ledger
                        .statements
                        .iter()
                        .filter(|part| part.parent.as_ref() == Some(&statement.id));
                    served.extend(parts.map(|part| part.id.as_str().to_owned()));
                }
            }
        }
    }
    for statement in ledger.active().filter(|statement| !served.contains(statement.id.as_str())) {
        let message = format!("no task serves {}: {}", statement.id, shorten(&statement.quote));
        let hint = "name it in the `requirements` of the task that does it, or add a task";
        review.report_statement(
            &statement.file,
            statement.line,
            "uncovered-statement",
            message,
            hint,
        );
    }
}

fn describe_scope(statement: &LedgerStatement) -> String {
    let scope = match statement.scope {
        RequirementScope::OutOfScope => "is out of scope",
        RequirementScope::Active | RequirementScope::Deferred => "is deferred",
    };
    let reason = statement.reason.as_deref().map(|why| format!(" ({why})")).unwrap_or_default();
    format!("{scope}{reason}")
}

fn shorten(quote: &str) -> String {
    let short: String = quote.chars().take(100).collect();
    if short.len() < quote.len() { format!("{short}…") } else { short }
}
