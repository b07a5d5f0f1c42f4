//! A script as data, and which part of it an attempt plays.

use std::time::Duration;

use afresh_core::outcome::Deviation;
use afresh_core::usage::Usage;

use super::script_rng::ScriptRng;

#[derive(Debug, Clone, PartialEq)]
pub struct AgentScript {
    /// The random seed, combined with task and attempt.
    pub seed: u64,
    pub parts: Vec<ScriptPart>,
    /// What reviewers do; one that no part is about approves.
    pub reviews: Vec<ScriptPart>,
}

/// The actions for the workers of one task, or of every task.
#[derive(Debug, Clone, PartialEq)]
pub struct ScriptPart {
    /// `None` for any task.
    pub task: Option<String>,
    pub attempts: AttemptRange,
    pub actions: Vec<ScriptAction>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AttemptRange {
    All,
    Only(u32),
    From(u32),
}

/// One action and its line in the script.
#[derive(Debug, Clone, PartialEq)]
pub struct ScriptAction {
    pub line: usize,
    pub act: ActionKind,
}

#[derive(Debug, Clone, PartialEq)]
pub enum ActionKind {
    Write {
        path: String,
        text: String,
    },
    Append {
        path: String,
        text: String,
    },
    Edit {
        path: String,
        find: String,
        replace: String,
    },
    Delete {
        path: String,
    },
    /// Writes every file that the task lists.
    Listed {
        text: String,
    },
    Run {
        command: String,
        may_fail: bool,
    },
    /// Starts a command and does not wait for it.
    Child {
        command: String,
    },
    Sleep(Duration),
    Say(String),
    /// Adds to the total usage and reports it.
    Use(Usage),
    StepDone(u32),
    Hostile(HostileOutput),
    Chance {
        of: f64,
        then: Vec<ScriptAction>,
        otherwise: Vec<ScriptAction>,
    },
    /// Ends the attempt.
    End(ScriptedEnd),
}

/// How an attempt ends.
#[derive(Debug, Clone, PartialEq)]
pub enum ScriptedEnd {
    /// Claims that it is done, true or not.
    Claim {
        files: Vec<String>,
        deviations: Vec<Deviation>,
        notes: Option<String>,
    },
    Ask {
        question: String,
        options: Vec<String>,
        context: String,
    },
    Need {
        action: String,
        instructions: Vec<String>,
        verification: String,
    },
    Fail {
        error: String,
        at: String,
        retryable: Option<bool>,
    },
    /// Approves what it reviews.
    Approve(String),
    /// Wants it changed; an issue may start with `file:line: `.
    RequestChanges {
        summary: String,
        issues: Vec<String>,
    },
    /// Any final text.
    Answer(String),
    /// Exits without a result.
    Exit(u8),
    /// By a signal.
    Crash(i32),
    Hang(HangMode),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HangMode {
    /// Ends on a signal.
    Plain,
    /// Ignores signals.
    Deaf,
}

/// Hostile output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HostileOutput {
    /// Clears the screen, sets the title, writes to the clipboard.
    Escape,
    /// One line of eight megabytes.
    LongLine,
    /// Bytes that are not text.
    Binary,
    /// A hundred thousand lines.
    Flood,
    /// Reports with absurd usage.
    Numbers,
}

impl HostileOutput {
    pub const WORDS: &'static [(&'static str, Self)] = &[
        ("escape", Self::Escape),
        ("long-line", Self::LongLine),
        ("binary", Self::Binary),
        ("flood", Self::Flood),
        ("numbers", Self::Numbers),
    ];
}

impl AttemptRange {
    pub fn matches_attempt(self, attempt: u32) -> bool {
        match self {
            Self::All => true,
            Self::Only(only) => attempt == only,
            Self::From(first) => attempt >= first,
        }
    }

    /// Whether it matches everything that `other` matches.
    pub(super) fn covers_range(self, other: Self) -> bool {
        match (self, other) {
            (Self::All, _) => true,
            (Self::Only(own), Self::Only(other)) => own == other,
            (Self::From(first), Self::Only(other) | Self::From(other)) => other >= first,
            (Self::From(first), Self::All) => first <= 1,
            (Self::Only(_), _) => false,
        }
    }
}

impl ScriptPart {
    fn matches(&self, task: &str, attempt: u32) -> bool {
        self.task.as_deref().is_none_or(|own| own == task) && self.attempts.matches_attempt(attempt)
    }

    /// Whether it matches everything that `other` matches.
    pub(super) fn covers(&self, other: &Self) -> bool {
        (self.task.is_none() || self.task == other.task)
            && self.attempts.covers_range(other.attempts)
    }
}

impl AgentScript {
    /// The actions of an attempt, with every chance decided, or `None` if no part matches. The first
    /// match is used.
    pub fn actions_for(&self, task: &str, attempt: u32) -> Option<Vec<ScriptAction>> {
        self.decided(&self.parts, task, attempt)
    }

    /// The actions of a reviewer of an attempt.
    pub fn review_actions_for(&self, task: &str, attempt: u32) -> Vec<ScriptAction> {
        let approval = ActionKind::End(ScriptedEnd::Approve("approved by the script".to_owned()));
        self.decided(&self.reviews, task, attempt)
            .unwrap_or_else(|| vec![ScriptAction { line: 0, act: approval }])
    }

    fn decided(&self, parts: &[ScriptPart], task: &str, attempt: u32) -> Option<Vec<ScriptAction>> {
        let part = parts.iter().find(|part| part.matches(task, attempt))?;
        let mut dice = ScriptRng::new(self.seed, task, attempt);
        let mut deeds = Vec::new();
        decide_chances(&part.actions, &mut dice, &mut deeds);
        Some(deeds)
    }

    /// Tasks that the script names.
    pub fn tasks(&self) -> impl Iterator<Item = &str> {
        self.parts.iter().filter_map(|part| part.task.as_deref())
    }
}

/// Decides every chance, and drops actions after an end.
fn decide_chances(deeds: &[ScriptAction], dice: &mut ScriptRng, into: &mut Vec<ScriptAction>) {
    for deed in deeds {
        if let ActionKind::Chance { of, then, otherwise } = &deed.act {
            let taken = if dice.happens(*of) { then } else { otherwise };
            decide_chances(taken, dice, into);
        } else {
            into.push(deed.clone());
        }
        if into.last().is_some_and(ScriptAction::is_end) {
            return;
        }
    }
}

impl ScriptAction {
    pub fn is_end(&self) -> bool {
        matches!(self.act, ActionKind::End(_))
    }
}
