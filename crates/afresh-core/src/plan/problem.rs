//! What is wrong with a plan, and where.

use std::fmt;

/// One problem. `Display` is the message, without the place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlanProblem {
    pub kind: ProblemKind,
    pub place: ProblemLocation,
    /// A related place.
    pub related: Option<ProblemLocation>,
    pub message: String,
    pub hint: Option<String>,
}

impl PlanProblem {
    pub fn new(kind: ProblemKind, place: ProblemLocation, message: impl Into<String>) -> Self {
        Self { kind, place, related: None, message: message.into(), hint: None }
    }

    #[must_use]
    pub fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

impl PlanProblem {
    #[must_use]
    pub fn related_to(mut self, place: ProblemLocation) -> Self {
        self.related = Some(place);
        self
    }
}

impl fmt::Display for PlanProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

/// The classes of problems, as scripts see them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ProblemKind {
    Empty,
    TooLarge,
    BadId,
    DuplicateId,
    UnknownNeed,
    Cycle,
    BadPath,
    BadCheck,
    MissingTitle,
    BadAgents,
}

impl ProblemKind {
    pub fn code(self) -> &'static str {
        match self {
            Self::Empty => "empty-plan",
            Self::TooLarge => "too-large",
            Self::BadId => "bad-id",
            Self::DuplicateId => "duplicate-id",
            Self::UnknownNeed => "unknown-dependency",
            Self::Cycle => "cycle",
            Self::BadPath => "bad-path",
            Self::BadCheck => "bad-check",
            Self::MissingTitle => "missing-title",
            Self::BadAgents => "bad-agents",
        }
    }
}

/// Which part of the draft a problem is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct ProblemLocation {
    /// The task's position; none for the plan as a whole.
    pub task: Option<usize>,
    pub step: Option<usize>,
    pub field: PlanField,
    /// Which item of the field, if it is a list.
    pub item: usize,
}

impl ProblemLocation {
    pub fn plan() -> Self {
        Self { task: None, step: None, field: PlanField::Whole, item: 0 }
    }

    pub fn task(task: usize, field: PlanField) -> Self {
        Self { task: Some(task), step: None, field, item: 0 }
    }

    #[must_use]
    pub fn item(mut self, item: usize) -> Self {
        self.item = item;
        self
    }

    #[must_use]
    pub fn in_step(mut self, step: Option<usize>) -> Self {
        self.step = step;
        self
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum PlanField {
    Whole,
    Id,
    Title,
    Needs,
    Files,
    Checks,
    NoCheck,
    Requirements,
    Acceptance,
    AttemptsBy,
}
