//! Redacts secrets in inputs before anything is decided from them, so that neither the journal nor
//! anything made from it holds one (B36).
//!
//! What programs print is redacted on its way to disk already. This covers the other ways in: notes,
//! results, people's answers, git's error messages.

use afresh_core::Input;
use afresh_core::harvest::Harvest;
use afresh_core::input::MergeBuild;
use afresh_core::outcome::SpawnFailure;
use afresh_secrets::{redact, redact_value};
use serde::Serialize;
use serde::de::DeserializeOwned;

const IN_A_PATH: &str = "a path in it holds a secret";

#[derive(Debug)]
pub(crate) struct InputRedactor {
    secrets: Vec<String>,
}

impl InputRedactor {
    pub(crate) fn new(secrets: Vec<String>) -> Self {
        Self { secrets }
    }

    /// The same input without secrets.
    pub(crate) fn redact(&self, input: Input) -> Input {
        match input {
            Input::WorkerLogged { attempt, level, event, message } => Input::WorkerLogged {
                attempt,
                level,
                event: self.text(&event),
                message: self.text(&message),
            },
            Input::StepClaimed { attempt, step, deviations } => {
                Input::StepClaimed { attempt, step, deviations: self.value(deviations) }
            }
            Input::AttemptEnded(attempt, end) => Input::AttemptEnded(attempt, self.value(end)),
            Input::Identified(attempt, identity) => {
                Input::Identified(attempt, self.value(identity))
            }
            Input::SpawnFailed(attempt, failure) => {
                let failure: SpawnFailure = self.value(failure);
                Input::SpawnFailed(attempt, failure)
            }
            Input::CannotResume(attempt, why) => Input::CannotResume(attempt, self.text(&why)),
            Input::Harvested(attempt, harvest) => Input::Harvested(attempt, self.harvest(harvest)),
            Input::ReviewEnded(review, end) => Input::ReviewEnded(review, self.value(end)),
            Input::StepSaved { attempt, step, saved } => {
                Input::StepSaved { attempt, step, saved: self.harvest(saved) }
            }
            Input::BatchBuilt(batch, builds) => {
                let redacted = |(attempt, build)| (attempt, self.build(build));
                Input::BatchBuilt(batch, builds.into_iter().map(redacted).collect())
            }
            Input::HookFailed(failure) => Input::HookFailed(self.value(failure)),
            Input::NoteWarned(attempt, problem) => Input::NoteWarned(attempt, self.value(problem)),
            Input::Answered { question, answer, by } => {
                Input::Answered { question, answer: self.text(&answer), by }
            }
            Input::AbortAsked { reason, by } => {
                Input::AbortAsked { reason: self.text(&reason), by }
            }
            Input::HaltAsked { now, reason, by } => {
                Input::HaltAsked { now, reason: self.text(&reason), by }
            }
            Input::SkipAsked { task, reason } => {
                Input::SkipAsked { task, reason: self.text(&reason) }
            }
            Input::Commented { task, text, by, on } => {
                Input::Commented { task, text: self.text(&text), by, on: self.value(on) }
            }
            Input::HandedIn { task, outcome, duration_ms } => {
                Input::HandedIn { task, outcome: self.value(outcome), duration_ms }
            }
            // These hold no free text, or it was redacted where it was printed.
            other @ (Input::Opened(_)
            | Input::Spawned(_)
            | Input::PromptMeasured(..)
            | Input::UsageSeen(..)
            | Input::ContextSeen(..)
            | Input::ReviewUsageSeen(..)
            | Input::Checked(_)
            | Input::Probed(_)
            | Input::MovedBack(..)
            | Input::BranchMoved(..)
            | Input::HaltCleared
            | Input::DiskFull(_)
            | Input::RetryAsked(_)
            | Input::StartByHand(_)
            | Input::CommentRead(..)
            | Input::IgnoreAsked(_)
            | Input::RewindAsked { .. }
            | Input::Woke) => other,
        }
    }

    fn build(&self, build: MergeBuild) -> MergeBuild {
        match build {
            MergeBuild::Conflict { paths, detail } => {
                MergeBuild::Conflict { paths, detail: self.text(&detail) }
            }
            other => other,
        }
    }

    fn text(&self, text: &str) -> String {
        redact(text, &self.secrets)
    }

    /// Redacts all texts in a serialisable value.
    fn value<T: Serialize + DeserializeOwned>(&self, value: T) -> T {
        redact_value(value, &self.secrets)
    }

    /// Rejects work whose paths hold a secret: a redacted path would name another file.
    fn harvest(&self, harvest: Result<Harvest, String>) -> Result<Harvest, String> {
        let harvest = harvest.map_err(|why| self.text(&why))?;
        let clean = |path: &str| self.text(path) == *path;
        if harvest.changes.iter().all(|change| clean(&change.path)) {
            return Ok(self.value(harvest));
        }
        Err(IN_A_PATH.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use afresh_core::comment::CommentedPart;
    use afresh_core::event::LogLevel;
    use afresh_core::harvest::{Change, ChangeKind, EntryKind};
    use afresh_core::ids::{AttemptId, QuestionId, TaskId, TreeId};
    use afresh_core::input::{AgentIdentity, AttemptEnd};
    use afresh_core::outcome::{DecisionRequest, Deviation, Outcome};
    use afresh_core::process::ProcessEnd;
    use afresh_core::review::{Review, ReviewEnd, ReviewId, ReviewOutcome, ReviewVerdict};
    use afresh_core::run::merge_queue::BatchId;
    use afresh_core::usage::Usage;

    use super::*;

    /// B36: an answer with a key in it keeps its meaning when the key is redacted.
    #[test]
    fn an_answer_is_the_same_without_its_secret() {
        let secret = "with \"quotes\" and\nlines";
        let redactor = InputRedactor::new(vec![secret.to_owned()]);
        let attempt = AttemptId { task: TaskId::new("T1").expect("an id"), number: 1 };
        let asked = |question: &str| {
            let decision =
                DecisionRequest { question: question.to_owned(), ..DecisionRequest::default() };
            let outcome = Outcome::NeedsDecision(decision);
            let end = AttemptEnd::new(ProcessEnd::Exited(0), outcome, Usage::default(), 1);
            Input::AttemptEnded(attempt.clone(), Box::new(end))
        };
        let redacted = redactor.redact(asked(&format!("is {secret} right?")));
        assert_eq!(redacted, asked("is [masked] right?"));
        assert_eq!(redactor.redact(asked("which?")), asked("which?"));
    }

    const SECRET: &str = "hunter2-hunter2";

    fn attempt() -> AttemptId {
        AttemptId { task: TaskId::new("T1").expect("an id"), number: 1 }
    }

    fn redacted(input: Input) -> String {
        format!("{:?}", InputRedactor::new(vec![SECRET.to_owned()]).redact(input))
    }

    fn harvest(path: &str, note: &str) -> Harvest {
        let change = Change::new(path, ChangeKind::Created, EntryKind::File);
        Harvest {
            tree: TreeId::new("1".repeat(40)).expect("an object id"),
            commit: None,
            changes: vec![change],
            notes: vec![note.to_owned()],
            leaks: vec![],
            missing: vec![],
        }
    }

    /// B36: every way in by which free text reaches the journal.
    #[test]
    fn no_input_with_free_text_keeps_a_secret() {
        let words = || format!("it is {SECRET}");
        let deviation = Deviation { rule: 1, description: words(), files: vec![] };
        let identity = AgentIdentity { session: Some(words()), ..AgentIdentity::default() };
        let failure = SpawnFailure {
            message: words(),
            hint: Some(words()),
            output: words(),
            ..SpawnFailure::default()
        };
        let conflict = MergeBuild::Conflict { paths: vec![], detail: words() };
        let inputs = [
            Input::WorkerLogged {
                attempt: attempt(),
                level: LogLevel::Info,
                event: words(),
                message: words(),
            },
            Input::StepClaimed { attempt: attempt(), step: 1, deviations: vec![deviation] },
            Input::Identified(attempt(), identity),
            Input::SpawnFailed(attempt(), failure),
            Input::CannotResume(attempt(), words()),
            Input::Harvested(attempt(), Err(words())),
            Input::Harvested(attempt(), Ok(harvest("a.txt", &words()))),
            Input::StepSaved { attempt: attempt(), step: 1, saved: Err(words()) },
            Input::BatchBuilt(BatchId(1), vec![(attempt(), conflict)]),
            Input::Answered { question: QuestionId(1), answer: words(), by: String::new() },
            Input::HaltAsked { now: false, reason: words(), by: String::new() },
            Input::ReviewEnded(
                ReviewId { attempt: attempt(), number: 1 },
                Box::new(ReviewEnd::unused(ReviewOutcome::Given(Review {
                    verdict: ReviewVerdict::Approved,
                    summary: words(),
                    issues: vec![],
                }))),
            ),
            Input::AbortAsked { reason: words(), by: String::new() },
            Input::SkipAsked { task: attempt().task, reason: words() },
            Input::Commented { task: attempt().task, text: words(), by: String::new(), on: None },
            Input::Commented {
                task: attempt().task,
                text: "shorter".to_owned(),
                by: String::new(),
                on: Some(CommentedPart {
                    attempt: 1,
                    path: "a.txt".to_owned(),
                    lines: None,
                    quoted: vec![words()],
                }),
            },
        ];
        for input in inputs {
            let text = redacted(input);
            assert!(!text.contains("hunter2") && text.contains("it is "), "{text}");
        }
    }

    /// B36: a redacted path would name another file, so the work is not accepted at all.
    #[test]
    fn work_with_a_secret_in_a_path_is_refused_whole() {
        let input = Input::Harvested(attempt(), Ok(harvest(&format!("src/{SECRET}.rs"), "")));
        let redactor = InputRedactor::new(vec![SECRET.to_owned()]);
        let refused = Input::Harvested(attempt(), Err(IN_A_PATH.to_owned()));
        assert_eq!(redactor.redact(input), refused);
    }

    #[test]
    fn without_secrets_nothing_changes() {
        let input = Input::Harvested(attempt(), Ok(harvest("a.txt", "a note")));
        assert_eq!(InputRedactor::new(vec![]).redact(input.clone()), input);
    }

    #[test]
    fn inputs_without_free_text_pass_unchanged() {
        let redactor = InputRedactor::new(vec![SECRET.to_owned()]);
        for input in [Input::Woke, Input::HaltCleared, Input::Spawned(attempt())] {
            assert_eq!(redactor.redact(input.clone()), input);
        }
    }
}
