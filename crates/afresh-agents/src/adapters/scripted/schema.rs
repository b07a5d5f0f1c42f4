//! The format of scripts as JSON Schema, for editors.
//!
//! The reader does not use these types, because it needs positions; a test keeps both in sync.

use schemars::JsonSchema;
use serde::Serialize;

/// What the workers of a run do instead of asking a model.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(title = "afresh script", deny_unknown_fields)]
pub struct ScriptSchema {
    /// The format's version.
    #[schemars(range(min = 1, max = 1))]
    pub version: Option<u32>,
    /// The random seed.
    pub seed: Option<u64>,
    #[schemars(length(min = 1))]
    pub task: Vec<PartEntry>,
    /// What reviewers of these tasks do; all others approve.
    pub review: Option<Vec<PartEntry>>,
}

/// What the workers of one task do. The first entry that matches task and attempt is used.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct PartEntry {
    /// A task of the plan, or "*" for every task.
    pub id: String,
    /// Only this attempt, counted from 1.
    #[schemars(range(min = 1))]
    pub attempt: Option<u32>,
    /// This attempt and all later ones.
    #[schemars(range(min = 1))]
    pub from_attempt: Option<u32>,
    /// The actions in order. `{task}`, `{attempt}`, `{step}` and `{answer}` are replaced in paths and texts.
    #[serde(rename = "do")]
    pub acts: Vec<ActEntry>,
}

/// One action.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
#[schemars(deny_unknown_fields)]
pub enum ActEntry {
    /// Writes a file.
    Write { write: String, text: String },
    /// Adds to the end of a file.
    Append { append: String, text: String },
    /// Replaces a text that occurs exactly once in a file.
    Edit { edit: String, find: String, replace: String },
    /// Deletes a file.
    Delete { delete: String },
    /// Writes this text to every file that the task lists without a glob.
    Listed { listed: String },
    /// Runs a shell command; if it fails, the attempt fails.
    Run { run: String, may_fail: Option<bool> },
    /// Starts a shell command in the background and leaves it running.
    Child { child: String },
    /// Waits: "200ms", "5s".
    Sleep { sleep: String },
    /// Prints a text.
    Say { say: String },
    /// Reports additional usage.
    Use {
        #[serde(rename = "use")]
        used: UseEntry,
    },
    /// Reports a step as done, counted from 1.
    Step {
        #[schemars(range(min = 1))]
        step: u32,
    },
    /// Prints hostile output.
    Hostile { hostile: HostileWord },
    /// With this probability one list of actions, else the other.
    Chance {
        #[schemars(range(min = 0, max = 1))]
        chance: f64,
        #[serde(rename = "do")]
        then: Vec<ActEntry>,
        #[serde(rename = "else")]
        otherwise: Option<Vec<ActEntry>>,
    },
    /// Ends with a claim that it is done and changed these files, true or not.
    Claim { claim: Vec<String>, deviations: Option<Vec<DeviationEntry>>, notes: Option<String> },
    /// Ends with a question; options are words, or "key: description".
    Ask { ask: String, options: Option<Vec<String>>, context: Option<String> },
    /// Ends with a request that a person does something.
    Need { need: String, instructions: Option<Vec<String>>, verification: Option<String> },
    /// Ends with a failure.
    Fail { fail: String, at: Option<String>, retryable: Option<bool> },
    /// A reviewer approves, with this summary.
    Approve { approve: String },
    /// A reviewer wants changes; an issue may start with `file:line: `.
    RequestChanges { request_changes: String, issues: Option<Vec<String>> },
    /// Ends with any final text.
    Answer { answer: String },
    /// Exits with this code and without a result.
    Exit {
        #[schemars(range(min = 0, max = 255))]
        exit: u8,
    },
    /// Ends itself by this signal.
    Crash {
        #[schemars(range(min = 1, max = 31))]
        crash: u8,
    },
    /// Never ends; "deaf" ignores signals.
    Hang { hang: HangEntry },
}

#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct UseEntry {
    pub input: Option<u64>,
    pub output: Option<u64>,
    pub cache_read: Option<u64>,
    pub cache_write: Option<u64>,
    pub cost_usd: Option<f64>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct DeviationEntry {
    #[schemars(range(min = 1, max = 5))]
    pub rule: Option<u8>,
    pub description: Option<String>,
    pub files: Option<Vec<String>>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum HostileWord {
    Escape,
    LongLine,
    Binary,
    Flood,
    Numbers,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum HangEntry {
    Plain(bool),
    Word(HangWord),
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum HangWord {
    Deaf,
}

/// The schema, as `afresh schema script` prints it.
pub fn script_schema() -> String {
    let schema = schemars::schema_for!(ScriptSchema);
    let mut text = serde_json::to_string_pretty(&schema).expect("a schema is JSON");
    text.push('\n');
    text
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use serde_json::Value;

    use super::*;
    use crate::adapters::scripted::read::{PART_FIELDS, SCRIPT_FIELDS};
    use crate::adapters::scripted::read_actions::{ACTIONS, DEVIATION_FIELDS, USE_FIELDS};
    use crate::adapters::scripted::script::HostileOutput;

    /// AG-02: the schema and the reader know the same keys.
    #[test]
    fn schema_and_reader_know_the_same_keys() {
        let schema: Value = serde_json::from_str(&script_schema()).expect("JSON");
        let keys = |at: &Value| -> BTreeSet<String> {
            at["properties"].as_object().expect("properties").keys().cloned().collect()
        };
        let known =
            |list: &[&str]| -> BTreeSet<String> { list.iter().map(|f| (*f).to_owned()).collect() };
        let defined = |name: &str| schema["$defs"][name].clone();
        assert_eq!(keys(&schema), known(SCRIPT_FIELDS));
        assert_eq!(keys(&defined("PartEntry")), known(PART_FIELDS));
        assert_eq!(keys(&defined("UseEntry")), known(USE_FIELDS));
        assert_eq!(keys(&defined("DeviationEntry")), known(DEVIATION_FIELDS));
        let acts: BTreeSet<BTreeSet<String>> =
            defined("ActEntry")["anyOf"].as_array().expect("acts").iter().map(keys).collect();
        let read: BTreeSet<BTreeSet<String>> =
            ACTIONS.iter().map(|(name, others)| known(&[&[*name], *others].concat())).collect();
        assert_eq!(acts, read);
        let words: Vec<&str> = HostileOutput::WORDS.iter().map(|(word, _)| *word).collect();
        assert_eq!(defined("HostileWord")["enum"], serde_json::json!(words));
    }
}
