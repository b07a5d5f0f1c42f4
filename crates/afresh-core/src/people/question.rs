//! Questions that only a person can answer.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::hook::HookPoint;
use crate::ids::{CommitId, QuestionId, TaskId};
use crate::outcome::DecisionOption;
use crate::plan::{ModelTier, nearest};

#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
pub struct Question {
    pub id: QuestionId,
    pub task: TaskId,
    pub topic: QuestionTopic,
    pub text: String,
    pub options: Vec<DecisionOption>,
}

impl Question {
    pub fn offers(&self, key: &str) -> bool {
        self.options.iter().any(|option| option.key == key)
    }

    /// Whether it is one of the answers that the question offers. Then it has the meaning given there, whatever the
    /// word means elsewhere: a worker may offer to `skip` a header, or to `abort` a transaction.
    pub fn is_for_who_asked(&self, answer: &str) -> bool {
        self.topic == QuestionTopic::Decision && answer != "defer" && self.offers(answer)
    }
}

/// What the question is about; this decides what an answer means.
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum QuestionTopic {
    /// A worker stopped at a choice.
    Decision,
    /// A worker needs something done first.
    Action,
    /// The task's attempts are used up.
    Failed,
    /// An attempt ran out of time.
    Timeout,
    /// An attempt was running when afresh ended.
    Orphan,
    /// The user wants to be asked before every task.
    Start,
    /// The attempt changed files that can make other programs run code.
    Trust(Vec<String>),
    /// Another program moved the run's branch to this commit.
    Branch(CommitId),
    /// Reviewers want changes again and again, or there is no review.
    Review,
    /// Workers fail for a reason that is not about the task.
    Obstacle(ObstacleScope),
    /// Checks fail or prove nothing before any work.
    Base,
    /// A hook failed, so an action waits.
    Hook(HookPoint),
}

/// Which tasks an obstacle stops.
#[derive(
    Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, JsonSchema, Serialize, Deserialize,
)]
pub struct ObstacleScope {
    /// Those of this agent; none: all.
    pub agent: Option<String>,
    /// Those of this model size; none: all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tier: Option<ModelTier>,
}

impl QuestionTopic {
    /// The word that scripts see.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Decision | Self::Trust(_) | Self::Branch(_) | Self::Review => "needs-decision",
            Self::Action => "needs-action",
            Self::Failed => "failed",
            Self::Timeout => "timeout",
            Self::Orphan => "orphan",
            Self::Start => "start",
            Self::Obstacle(_) => "obstacle",
            Self::Base => "base",
            Self::Hook(_) => "hook",
        }
    }
}

/// How a person gives the next worker a hint: `clarify: use the second form`.
pub const CLARIFY: &str = "clarify:";
/// How a person answers a worker in words of their own: `say: neither, use the old one`.
pub const SAY: &str = "say:";

/// Why a typed answer is not taken (HU-07).
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AnswerRefusal {
    #[error("{0} cannot be answered with nothing")]
    Empty(QuestionId),
    #[error("{id} has {count} answers, so there is no number {number}")]
    NoSuchNumber { id: QuestionId, number: String, count: usize },
    #[error("{id} has no answer {answer:?}; did you mean {near:?}?")]
    NearMiss { id: QuestionId, answer: String, near: String },
    #[error("{id} takes one of: {keys}")]
    Unknown { id: QuestionId, keys: String },
    #[error("type `clarify: YOUR WORDS` to {0}")]
    NeedsWords(QuestionId),
}

/// The answers at a checkpoint where a person approves what was done.
pub(crate) const APPROVED: &str = "approved";
pub(crate) const REJECTED: &str = "rejected";

impl Question {
    /// What a typed answer means. With listed answers, nothing is taken that could be a slip (HU-07).
    pub fn interpret(&self, typed: &str) -> Result<String, AnswerRefusal> {
        let (id, typed) = (self.id, typed.trim());
        if typed.is_empty() {
            return Err(AnswerRefusal::Empty(id));
        }
        if let Some(key) = self.key_of(typed) {
            let needs_words = key == "clarify" && !self.is_for_who_asked(key);
            return if needs_words {
                Err(AnswerRefusal::NeedsWords(id))
            } else {
                Ok(key.to_owned())
            };
        }
        let clarifies = typed.strip_prefix(CLARIFY).is_some_and(|words| !words.trim().is_empty());
        let is_open = self.topic == QuestionTopic::Decision;
        if typed == CLARIFY && self.offers("clarify") {
            return Err(AnswerRefusal::NeedsWords(id));
        }
        if clarifies && (is_open || self.offers("clarify")) {
            return Ok(typed.to_owned());
        }
        if let Some(words) = typed.strip_prefix(SAY).filter(|_| is_open) {
            let words = words.trim();
            return if words.is_empty() {
                Err(AnswerRefusal::Empty(id))
            } else {
                Ok(words.to_owned())
            };
        }
        if !typed.contains(|c: char| !c.is_ascii_digit()) {
            let (number, count) = (typed.to_owned(), self.options.len());
            return Err(AnswerRefusal::NoSuchNumber { id, number, count });
        }
        // A worker that lists no answers wants to hear one.
        if is_open && typed != "?" && self.options.iter().all(|option| option.key == "defer") {
            return Ok(typed.to_owned());
        }
        let keys = || self.options.iter().map(|option| option.key.as_str());
        if let Some(near) = nearest(typed, keys()) {
            return Err(AnswerRefusal::NearMiss {
                id,
                answer: typed.to_owned(),
                near: near.to_owned(),
            });
        }
        Err(AnswerRefusal::Unknown { id, keys: self.list_keys() })
    }

    /// The answer that is named exactly, by its number, or by a usual word for it.
    fn key_of(&self, typed: &str) -> Option<&str> {
        if let Some(option) = self.options.iter().find(|option| option.key == typed) {
            return Some(&option.key);
        }
        let number = typed.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
        if let Some(option) = number.and_then(|at| self.options.get(at)) {
            return Some(&option.key);
        }
        // Workers that list plain texts get numbers as keys: then the text itself is the word for it.
        let names: [fn(&DecisionOption) -> &str; 2] =
            [|option| &option.key, |option| option.description.trim()];
        for name in names {
            let mut like =
                self.options.iter().filter(|option| name(option).eq_ignore_ascii_case(typed));
            if let (Some(option), None) = (like.next(), like.next()) {
                return Some(&option.key);
            }
        }
        match typed {
            "abort" => Some("abort"),
            // A retry continues after the last finished step.
            "resume" if self.offers("retry") => Some("retry"),
            "y" | "yes" if self.topic == QuestionTopic::Start => Some("start"),
            "n" | "no" if self.topic == QuestionTopic::Start => Some("skip"),
            "y" | "yes" | "ok" | "approve" if self.offers(REJECTED) => Some(APPROVED),
            "n" | "no" | "reject" if self.offers(REJECTED) => Some(REJECTED),
            _ => None,
        }
    }

    /// Everything that can be typed.
    fn list_keys(&self) -> String {
        let keys: Vec<&str> = self.options.iter().map(|option| option.key.as_str()).collect();
        let keys = keys.join(", ");
        if self.topic == QuestionTopic::Decision {
            return format!("{keys}; or your own words: `{SAY} YOUR WORDS`");
        }
        keys.replace("clarify", "clarify: YOUR WORDS")
    }
}

/// An answer that was given.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AnsweredQuestion {
    pub text: String,
    pub answer: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn question(topic: QuestionTopic, keys: &[&str]) -> Question {
        let options = keys.iter().map(|key| DecisionOption::new(key, "that")).collect();
        let (id, task) = (QuestionId(4), TaskId::new("T").expect("an id"));
        Question { id, task, topic, text: "which?".to_owned(), options }
    }

    /// HU-07.
    #[test]
    fn an_answer_is_a_key_a_number_or_words_with_a_key_of_their_own() {
        let question = question(QuestionTopic::Decision, &["ascii", "unicode", "defer"]);
        let read = |typed: &str| question.interpret(typed).map_err(|refusal| refusal.to_string());
        assert_eq!(read(" unicode "), Ok("unicode".to_owned()));
        assert_eq!(read("Unicode"), Ok("unicode".to_owned()));
        assert_eq!(read("2"), Ok("unicode".to_owned()));
        assert_eq!(read("abort"), Ok("abort".to_owned()));
        assert_eq!(read("say: neither of them"), Ok("neither of them".to_owned()));
        assert_eq!(read("clarify: the old one"), Ok("clarify: the old one".to_owned()));
        let refused = |text: &str| Err(text.to_owned());
        assert_eq!(
            read("unicod"),
            refused("Q4 has no answer \"unicod\"; did you mean \"unicode\"?")
        );
        assert_eq!(read("5"), refused("Q4 has 3 answers, so there is no number 5"));
        assert_eq!(read("0"), refused("Q4 has 3 answers, so there is no number 0"));
        let listed = "Q4 takes one of: ascii, unicode, defer; or your own words: `say: YOUR WORDS`";
        for typed in ["?", "git status", "neither of them", "afresh status", "y"] {
            assert_eq!(read(typed), refused(listed), "{typed}");
        }
        assert_eq!(read(""), refused("Q4 cannot be answered with nothing"));
        assert_eq!(read("say: "), refused("Q4 cannot be answered with nothing"));
    }

    /// HU-07: a worker that lists plain texts can be answered with one of them.
    #[test]
    fn an_answer_may_be_the_text_of_an_option() {
        let mut question = question(QuestionTopic::Decision, &["1", "2"]);
        question.options[0].description = "red".to_owned();
        question.options[1].description = "dark blue".to_owned();
        assert_eq!(question.interpret("Red"), Ok("1".to_owned()));
        assert_eq!(question.interpret("dark blue"), Ok("2".to_owned()));
        assert!(question.interpret("blue").is_err());
    }

    /// HU-07: where a worker lists no answers, any words are one.
    #[test]
    fn a_question_without_listed_answers_takes_any_words() {
        let question = question(QuestionTopic::Decision, &["defer"]);
        assert_eq!(question.interpret("use the old one"), Ok("use the old one".to_owned()));
        assert!(question.interpret("?").is_err());
        assert!(question.interpret("7").is_err());
    }

    /// HU-07: the name of an answer comes before its place in the list.
    #[test]
    fn a_number_that_names_an_answer_is_that_answer() {
        let question = question(QuestionTopic::Decision, &["2", "1", "c"]);
        assert_eq!(
            ["1", "2", "3"].map(|typed| question.interpret(typed).ok()),
            ["1", "2", "c"].map(|key| Some(key.to_owned()))
        );
    }

    /// HU-07.
    #[test]
    fn yes_starts_a_task_no_skips_it_and_resume_retries_one() {
        let start = question(QuestionTopic::Start, &["start", "all", "skip"]);
        assert_eq!(start.interpret("y"), Ok("start".to_owned()));
        assert_eq!(start.interpret("n"), Ok("skip".to_owned()));
        assert_eq!(
            start.interpret("never").unwrap_err().to_string(),
            "Q4 takes one of: start, all, skip"
        );
        let failed = question(QuestionTopic::Failed, &["retry", "skip", "clarify"]);
        assert_eq!(failed.interpret("resume"), Ok("retry".to_owned()));
        assert_eq!(failed.interpret("clarify"), Err(AnswerRefusal::NeedsWords(QuestionId(4))));
        assert_eq!(failed.interpret("3"), Err(AnswerRefusal::NeedsWords(QuestionId(4))));
        assert_eq!(failed.interpret("clarify: b"), Ok("clarify: b".to_owned()));
        assert!(failed.interpret("say: b").is_err());
    }
}
