//! The format of scripts as JSON Schema, for editors.
//!
//! The reader does not use these types, because it has to know places; a test keeps both alike.

use schemars::JsonSchema;
use serde::Serialize;

/// What the workers of a run do, instead of a model.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(title = "afresh script", deny_unknown_fields)]
pub struct ScriptSchema {
    /// The format's version.
    #[schemars(range(min = 1, max = 1))]
    pub version: Option<u32>,
    /// Decides everything that is left to chance.
    pub seed: Option<u64>,
    #[schemars(length(min = 1))]
    pub task: Vec<PartEntry>,
}

/// What the workers of one task do. The first entry that fits task and attempt is played.
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
    /// In this order. `{task}`, `{attempt}`, `{step}` and `{answer}` stand for themselves in paths and texts.
    #[serde(rename = "do")]
    pub acts: Vec<ActEntry>,
}

/// One thing to do.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
#[schemars(deny_unknown_fields)]
pub enum ActEntry {
    /// Writes a file.
    Write { write: String, text: String },
    /// Adds to the end of a file.
    Append { append: String, text: String },
    /// Replaces a text that stands in a file exactly once.
    Edit { edit: String, find: String, replace: String },
    /// Deletes a file.
    Delete { delete: String },
    /// Writes this text to every file that the task lists without a glob.
    Listed { listed: String },
    /// Runs a shell command; if it fails, the attempt fails.
    Run { run: String, may_fail: Option<bool> },
    /// Starts a shell command and leaves it behind.
    Child { child: String },
    /// Waits: "200ms", "5s".
    Sleep { sleep: String },
    /// Says something.
    Say { say: String },
    /// Reports use: this much more.
    Use {
        #[serde(rename = "use")]
        used: UseEntry,
    },
    /// Reports a step as done, counted from 1.
    Step {
        #[schemars(range(min = 1))]
        step: u32,
    },
    /// Prints what a careless reader would stumble over.
    Hostile { hostile: HostileWord },
    /// With this probability one, else the other.
    Chance {
        #[schemars(range(min = 0, max = 1))]
        chance: f64,
        #[serde(rename = "do")]
        then: Vec<ActEntry>,
        #[serde(rename = "else")]
        otherwise: Option<Vec<ActEntry>>,
    },
    /// Ends: says that it is done and changed these files, true or not.
    Claim { claim: Vec<String>, deviations: Option<Vec<DeviationEntry>>, notes: Option<String> },
    /// Ends with a question; options are words, or "key: what it means".
    Ask { ask: String, options: Option<Vec<String>>, context: Option<String> },
    /// Ends: a person must do something.
    Need { need: String, instructions: Option<Vec<String>>, verification: Option<String> },
    /// Ends: gives up.
    Fail { fail: String, at: Option<String>, retryable: Option<bool> },
    /// Ends with any final text at all.
    Answer { answer: String },
    /// Ends with this code and without an answer.
    Exit {
        #[schemars(range(min = 0, max = 255))]
        exit: u8,
    },
    /// Ends by this signal.
    Crash {
        #[schemars(range(min = 1, max = 31))]
        crash: u8,
    },
    /// Never ends; "deaf" does not listen when it is asked to end.
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
pub fn script() -> String {
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
    use crate::adapters::scripted::acts::{ACTS, DEVIATION_FIELDS, USE_FIELDS};
    use crate::adapters::scripted::read::{PART_FIELDS, SCRIPT_FIELDS};
    use crate::adapters::scripted::script::HostileOutput;

    /// AG-02: the schema and the reader know the same keys.
    #[test]
    fn schema_and_reader_know_the_same_keys() {
        let schema: Value = serde_json::from_str(&script()).expect("JSON");
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
            ACTS.iter().map(|(name, others)| known(&[&[*name], *others].concat())).collect();
        assert_eq!(acts, read);
        let words: Vec<&str> = HostileOutput::WORDS.iter().map(|(word, _)| *word).collect();
        assert_eq!(defined("HostileWord")["enum"], serde_json::json!(words));
    }
}
