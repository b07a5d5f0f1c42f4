//! What a worker or a check tried and was refused, and limits that it reached. It is told to people;
//! nothing is decided by it.

use serde::{Deserialize, Serialize};

use crate::check::CheckResult;
use crate::event::Event;
use crate::ids::AttemptId;
use crate::rejection::Rejection;

/// Something that its room did not let happen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Denial {
    pub what: DeniedAction,
    /// What exactly, in a few words. It may hold names that the program chose: whoever shows it makes
    /// it printable.
    pub detail: String,
    pub times: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DeniedAction {
    /// A place on the network.
    Network,
    /// More space than it may take.
    Disk,
    Memory,
    Processes,
    /// Its clone was changed so that git would run something, or take another repository for it.
    Git,
    /// Its own output speaks of a refusal; nobody measured it.
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

/// How long the detail of a refusal may become.
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

/// A refusal, and who met it.
#[derive(Debug, Clone, Copy)]
pub struct DenialContext<'a> {
    /// None: the final checks of the run.
    pub attempt: Option<&'a AttemptId>,
    /// The command of a check; the worker itself otherwise.
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

/// The refusals that an event tells of. A pass that was seen before is not told again.
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

/// The checks that an event tells of. Those of a receipt are mostly told already, by the same commands.
fn results(event: &Event) -> (Option<&AttemptId>, &[CheckResult]) {
    match event {
        Event::RedSeen { attempt, results }
        | Event::ChecksPassed { attempt, results, .. }
        | Event::StepDone { attempt, results, .. } => (Some(attempt), results),
        Event::FinalChecked { results, .. } => (None, results),
        Event::AttemptRejected { attempt, reason, .. }
        | Event::StepRefused { attempt, reason, .. } => (Some(attempt), of_rejection(reason)),
        _ => (None, &[]),
    }
}

fn of_rejection(reason: &Rejection) -> &[CheckResult] {
    match reason {
        Rejection::ChecksFailed { results }
        | Rejection::NotRed { results }
        | Rejection::BrokenMerge { results } => results,
        _ => &[],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// R15: names are the program's own choice, and they are bounded.
    #[test]
    fn a_refusal_is_one_short_line() {
        let refusal = Denial::new(DeniedAction::Network, &"a".repeat(100_000), 3);
        let told = refusal.describe();
        assert!(told.starts_with("network: aaa") && told.ends_with("(3 times)"), "{told}");
        assert!(told.len() < 250);
        assert_eq!(Denial::new(DeniedAction::Git, "x", 0).describe(), "git: x");
    }
}
