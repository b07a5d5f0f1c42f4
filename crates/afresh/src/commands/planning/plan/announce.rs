//! What is said before planning starts.

use crate::terminal::output::{Output, count};
use crate::terminal::prompt::UserPrompt;
use afresh_app::planner::discovery::ProjectFacts;
use afresh_app::planner::discovery::facts::ProjectState;
use afresh_app::planner::stages::{PlanningRoute, PlanningStage};
use afresh_app::planning::subject::PlanningSubject;

/// How many languages and commands are named.
const MAX_SHOWN: usize = 3;

pub(super) fn announce(
    subject: &PlanningSubject,
    facts: &ProjectFacts,
    stages: &[PlanningStage],
    is_single: bool,
    output: &Output,
) {
    let PlanningSubject { found, audit, ledger, home, .. } = subject;
    let active = ledger.active().count();
    let left = ledger.statements.len() - active;
    output.note(&format!(
        "plan {}: {} in {}, ~{} % of a context ({}), {}",
        home.name,
        count(active, "statement"),
        found.shown,
        audit.estimate.percent(),
        audit.size_word(),
        audit.verdict.word(),
    ));
    if left > 0 {
        output.note(&format!("  {} deferred or out of scope", count(left, "statement")));
    }
    output.note(&format!("  {}", describe_project(facts)));
    let how = if is_single {
        "mode single: one worker does all of it; no planner".to_owned()
    } else {
        describe_stages(subject, stages)
    };
    output.note(&format!("  {how}; files: {}", home.inside()));
}

/// What was found out about the repository, in a line; `afresh discover` shows all of it.
fn describe_project(facts: &ProjectFacts) -> String {
    if facts.state == ProjectState::New {
        return "a new project: there are no patterns to follow".to_owned();
    }
    let languages: Vec<&str> =
        facts.languages.iter().take(MAX_SHOWN).map(|language| language.name.as_str()).collect();
    let commands = facts.packages.iter().flat_map(|package| &package.commands.test);
    let commands: Vec<String> =
        commands.take(MAX_SHOWN).map(|command| format!("`{}`", command.command)).collect();
    let languages =
        if languages.is_empty() { String::new() } else { format!(", {}", languages.join(", ")) };
    let tests = if commands.is_empty() {
        "no test command found".to_owned()
    } else {
        format!("tests: {}", commands.join(", "))
    };
    format!(
        "an existing project: {}{languages}; {tests}",
        count(usize::try_from(facts.files).unwrap_or(usize::MAX), "file")
    )
}

fn describe_stages(subject: &PlanningSubject, stages: &[PlanningStage]) -> String {
    let authored = stages.contains(&PlanningStage::Acceptance);
    match subject.route {
        PlanningRoute::Staged => {
            let words: Vec<&str> = stages.iter().map(|stage| stage.word()).collect();
            let word = if words.len() == 1 { "stage" } else { "stages" };
            format!(
                "{word} {}, a fresh agent for each; afresh validates every artifact",
                words.join(", ")
            )
        }
        _ if !stages.contains(&PlanningStage::Plan) && authored => {
            "another agent writes acceptance tests before the code".to_owned()
        }
        _ if authored => {
            "one planner writes the whole plan, another agent writes acceptance tests before the \
                          code, and afresh validates both"
                .to_owned()
        }
        _ => "one planner writes the whole plan, and afresh validates it".to_owned(),
    }
}

/// Whether the user agrees; without a terminal, nobody is asked.
pub(crate) fn confirm(question: &str, output: &Output) -> bool {
    UserPrompt::there(output).is_none_or(|person| person.agrees(question))
}
