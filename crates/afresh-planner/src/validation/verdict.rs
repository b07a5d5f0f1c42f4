//! The verdict on a plan: it speaks of every task, and what blocks has a rule and a place (PL-07, PL-21).

use afresh_core::Plan;
use afresh_formats::Finding;

use super::ArtifactSubject;
use crate::artifacts::{LocatedJson, PlanVerdict, VerdictWord};

pub(super) fn check(
    subject: &ArtifactSubject<'_>,
    plan: &Plan,
    verdict: &PlanVerdict,
    json: &LocatedJson,
) -> Vec<Finding> {
    let mut findings = Vec::new();
    let is_task = |id: &str| plan.tasks().iter().any(|task| task.id.as_str() == id);
    for task in plan.tasks() {
        if !verdict.tasks.iter().any(|it| it.task == task.id.as_str()) {
            let message = format!("there is no evidence about {}", task.id);
            let finding = json.finding(&["tasks".into()], "no-evidence", message);
            findings.push(finding.with_hint("say for every task what you compared with what"));
        }
    }
    for (at, evidence) in verdict.tasks.iter().enumerate() {
        if !is_task(&evidence.task) {
            let message = format!("{} is no task", evidence.task);
            let finding = json.finding(&["tasks".into(), at.into()], "unknown-task", message);
            findings.push(finding.with_hint("the tasks are in the directory tasks"));
        }
    }
    let ledger = subject.refined_ledger();
    for (at, issue) in verdict.issues.iter().enumerate() {
        if !is_task(&issue.place) && ledger.find(&issue.place).is_none() {
            let message = format!("{:?} is neither a task nor a statement", issue.place);
            let path = ["issues".into(), at.into(), "place".into()];
            let finding = json.finding(&path, "issue-without-place", message);
            findings.push(finding.with_hint("name the task or the statement that it is about"));
        }
    }
    let blockers = verdict.blockers().count();
    let wrong = match verdict.verdict {
        VerdictWord::Blocked if blockers == 0 => {
            Some("BLOCKED needs an issue with severity \"blocker\"")
        }
        VerdictWord::Ready if !verdict.issues.is_empty() => {
            Some("READY has no issues; with notes alone it is READY_WITH_NOTES")
        }
        VerdictWord::ReadyWithNotes if blockers > 0 => Some("a verdict with blockers is BLOCKED"),
        _ => None,
    };
    if let Some(message) = wrong {
        let finding =
            json.finding(&["verdict".into()], "verdict-unlike-issues", message.to_owned());
        findings.push(finding.with_hint("only an issue with a rule and a place blocks"));
    }
    findings
}
