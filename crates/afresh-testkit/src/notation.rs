//! A short notation for plans, ids and states, so that a test reads like a story.
//!
//! The tests of `afresh-core` include this file by its path: a dependency on this crate would build the engine before
//! the tests of the core.

use afresh_core::check::{CheckEnd, CheckResult};
use afresh_core::ids::{AttemptId, CommitId, TaskId, TreeId};
use afresh_core::plan::{
    Check, CheckDraft, ContestRule, FileDraft, PlanDraft, TaskDraft, TierChoice,
};
use afresh_core::status::RunStatus;

/// A plan with a line for each task: `ID ! TIER ? RULE AGENTS < NEEDS: FILES`, as in `B < A: b.txt` or
/// `C ? cheapest one two: c.txt`.
pub fn draft_of(text: &str) -> PlanDraft {
    let tasks = text.lines().map(str::trim).filter(|line| !line.is_empty()).map(task_draft);
    PlanDraft { name: "story".to_owned(), spec: None, tasks: tasks.collect() }
}

fn task_draft(line: &str) -> TaskDraft {
    let (head, files) = line.split_once(':').unwrap_or((line, ""));
    let (id, needs) = head.split_once('<').unwrap_or((head, ""));
    let (id, contest) = id.split_once('?').unwrap_or((id, ""));
    let mut contest = contest.split_whitespace();
    let rule = contest.next();
    let (id, tier) = id.trim().split_once('!').unwrap_or((id.trim(), ""));
    let id = id.trim().to_owned();
    TaskDraft {
        title: format!("task {id}"),
        needs: needs.split_whitespace().map(str::to_owned).collect(),
        files: files.split_whitespace().map(file).collect(),
        checks: vec![check(&format!("test {id}"))],
        id,
        tier: known_tier(tier.trim()),
        land: rule.and_then(known_rule),
        attempts_by: contest.map(str::to_owned).collect(),
        ..TaskDraft::default()
    }
}

fn known_tier(word: &str) -> Option<TierChoice> {
    TierChoice::WORDS.iter().find(|(known, _)| *known == word).map(|(_, tier)| *tier)
}

fn known_rule(word: &str) -> Option<ContestRule> {
    ContestRule::WORDS.iter().find(|(known, _)| *known == word).map(|(_, rule)| *rule)
}

pub fn file(path: &str) -> FileDraft {
    FileDraft { path: path.to_owned(), action: None }
}

pub fn check(command: &str) -> CheckDraft {
    CheckDraft { name: None, command: command.to_owned(), ..CheckDraft::default() }
}

pub fn check_result(command: &str, code: i32) -> CheckResult {
    CheckResult {
        duration_ms: 1,
        ..CheckResult::new(&Check::from_command(command), CheckEnd::Exited(code))
    }
}

/// `A done, B ready`: every task with its state.
pub fn task_states(status: &RunStatus) -> String {
    let states = status.tasks.iter().map(|task| format!("{} {}", task.id, task.state));
    states.collect::<Vec<_>>().join(", ")
}

/// The error of a task; empty if it has none.
pub fn task_error(status: &RunStatus, task: &str) -> String {
    let found = status.tasks.iter().find(|other| other.id.as_str() == task);
    found.expect("a task of the plan").error.clone().unwrap_or_default()
}

pub fn task_id(text: &str) -> TaskId {
    TaskId::new(text).expect("an id")
}

/// `A.1`.
pub fn attempt_id(text: &str) -> AttemptId {
    let (task, number) = text.rsplit_once('.').expect("an attempt is TASK.NUMBER");
    AttemptId { task: task_id(task), number: number.parse().expect("a number") }
}

pub fn commit(name: impl AsRef<str>) -> CommitId {
    CommitId::new(object_id(name.as_ref())).expect("an object id")
}

pub fn tree(name: impl AsRef<str>) -> TreeId {
    TreeId::new(object_id(name.as_ref())).expect("an object id")
}

/// An object id from which [`object_name`] reads the name.
fn object_id(name: &str) -> String {
    let hex = name.bytes().fold(String::new(), |hex, byte| format!("{hex}{byte:02x}"));
    format!("{hex:0<40}")
}

/// The name behind an object id.
pub fn object_name(id: &str) -> String {
    let bytes = id.as_bytes().chunks(2).map(|pair| {
        let pair = std::str::from_utf8(pair).expect("digits");
        u8::from_str_radix(pair, 16).expect("digits")
    });
    String::from_utf8_lossy(&bytes.take_while(|byte| *byte != 0).collect::<Vec<u8>>()).into_owned()
}
