//! What a worker or a check tried and was denied, and limits that it reached. People see these; no decision depends
//! on them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::check::CheckResult;
use crate::event::Event;
use crate::ids::AttemptId;
use crate::rejection::Rejection;

/// Something that the sandbox or a limit prevented.
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
pub struct Denial {
    pub what: DeniedAction,
    /// What exactly, in a few words. It may hold names that the program chose, so it is made printable before it is
    /// shown.
    pub detail: String,
    pub times: u64,
}

#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, JsonSchema, Serialize, Deserialize,
)]
#[serde(rename_all = "kebab-case")]
pub enum DeniedAction {
    /// A network address.
    Network,
    /// More disk space than its limit.
    Disk,
    Memory,
    Processes,
    /// Its clone was changed so that git would run a program, or use another repository in its place.
    Git,
    /// Its own output mentions a denial, which we did not measure.
    Said,
}

impl DeniedAction {
    /// The word that people and scripts see.
    pub fn word(self) -> &'static str {
        match self {
            Self::Network => "network",
            Self::Disk => "disk",
            Self::Memory => "memory",
            Self::Processes => "processes",
            Self::Git => "git",
            Self::Said => "said",
        }
    }
}

/// The longest detail of a denial.
const LONGEST: usize = 200;

impl Denial {
    pub fn new(what: DeniedAction, detail: &str, times: u64) -> Self {
        Self { what, detail: detail.chars().take(LONGEST).collect(), times: times.max(1) }
    }

    /// One line for people.
    pub fn describe(&self) -> String {
        let Self { what, detail, times } = self;
        match times {
            0 | 1 => format!("{}: {detail}", what.word()),
            times => format!("{}: {detail} ({times} times)", what.word()),
        }
    }
}

/// A denial, and what was denied: a worker or a check.
#[derive(Debug, Clone, Copy)]
pub struct DenialContext<'a> {
    /// None for the final checks of the run.
    pub attempt: Option<&'a AttemptId>,
    /// The command of a check; none for the worker itself.
    pub check: Option<&'a str>,
    pub refusal: &'a Denial,
}

impl DenialContext<'_> {
    /// One line for people.
    pub fn describe(&self) -> String {
        match self.check {
            Some(command) => format!("{} (check `{command}`)", self.refusal.describe()),
            None => self.refusal.describe(),
        }
    }
}

/// The denials in an event. A reused pass is not reported again.
pub fn met(event: &Event) -> Vec<DenialContext<'_>> {
    if let Event::AttemptEnded { attempt, end } = event {
        let worker = |refusal| DenialContext { attempt: Some(attempt), check: None, refusal };
        return end.refusals.iter().map(worker).collect();
    }
    let (attempt, results) = results(event);
    let fresh = results.iter().filter(|result| !result.reused);
    fresh
        .flat_map(|result| {
            let check = Some(result.command.as_str());
            result.refusals.iter().map(move |refusal| DenialContext { attempt, check, refusal })
        })
        .collect()
}

/// The check results in an event. Those of a receipt were mostly reported already, for the same commands.
fn results(event: &Event) -> (Option<&AttemptId>, &[CheckResult]) {
    match event {
        Event::RedSeen { attempt, results }
        | Event::ChecksPassed { attempt, results, .. }
        | Event::StepDone { attempt, results, .. } => (Some(attempt), results),
        // What failed is reported with the rejection that follows.
        Event::FinalChecked { results, .. } | Event::BatchPassed { results, .. } => (None, results),
        Event::AttemptRejected { attempt, reason, .. }
        | Event::StepRefused { attempt, reason, .. } => (Some(attempt), of_rejection(reason)),
        _ => (None, &[]),
    }
}

fn of_rejection(reason: &Rejection) -> &[CheckResult] {
    match reason {
        Rejection::ChecksFailed { results }
        | Rejection::NotRed { results }
        | Rejection::BrokenMerge { results, .. } => results,
        _ => &[],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// R15: the program chooses these names, and they are bounded.
    #[test]
    fn a_refusal_is_one_short_line() {
        let refusal = Denial::new(DeniedAction::Network, &"a".repeat(100_000), 3);
        let description = refusal.describe();
        assert!(
            description.starts_with("network: aaa") && description.ends_with("(3 times)"),
            "{description}"
        );
        assert!(description.len() < 250);
        assert_eq!(Denial::new(DeniedAction::Git, "x", 0).describe(), "git: x");
    }
}
