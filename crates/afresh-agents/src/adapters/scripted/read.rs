//! Reads an [`AgentScript`] from text, with located findings.
//!
//! Strict: a misspelt key would silently do nothing, and a test that relies on it would prove nothing.

use afresh_formats::Finding;
use afresh_formats::findings::SourceText;
use afresh_formats::text::node::Node;
use afresh_formats::text::node_reader::NodeReader;

use super::script::{AgentScript, AttemptRange, ScriptAction, ScriptPart};

/// The largest script that is read, in bytes.
pub const MAX_SCRIPT_BYTES: usize = 8 * 1024 * 1024;

pub const SCRIPT_FIELDS: &[&str] = &["version", "seed", "task", "review"];
pub const PART_FIELDS: &[&str] = &["id", "attempt", "from_attempt", "do"];

/// The result of reading a script.
#[derive(Debug)]
pub struct ScriptReading {
    /// `None` if a finding is an error.
    pub script: Option<AgentScript>,
    pub findings: Vec<Finding>,
}

/// Reads a script from the bytes of a file.
pub fn read(file: &str, bytes: &[u8]) -> ScriptReading {
    let failed = |code, message: String| {
        let finding = Finding::for_file(file, code, message);
        ScriptReading { script: None, findings: vec![finding.with_hint(HINT)] }
    };
    if bytes.len() > MAX_SCRIPT_BYTES {
        return failed("too-large", format!("the script is larger than {MAX_SCRIPT_BYTES} bytes"));
    }
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text.strip_prefix('\u{feff}').unwrap_or(text),
        Err(error) => {
            return failed("not-utf8", format!("byte {} is not UTF-8", error.valid_up_to()));
        }
    };
    let source = SourceText::new(file, text);
    let root = match afresh_formats::text::toml::parse(&source) {
        Ok(root) => root,
        Err(finding) => {
            return ScriptReading { script: None, findings: vec![finding.with_hint(HINT)] };
        }
    };
    let mut reader = ScriptReader(NodeReader::new(&source, "script"));
    let script = reader.script(&root);
    let mut findings = reader.0.into_findings();
    if script.parts.is_empty() && findings.is_empty() {
        let finding = Finding::for_file(file, "script", "the script has no [[task]]");
        findings.push(finding.with_hint(HINT));
    }
    let script = Some(script).filter(|_| !findings.iter().any(Finding::is_error));
    ScriptReading { script, findings }
}

const HINT: &str = "`afresh schema script` describes the format";

/// The largest whole number in a script.
pub(super) const MAX: u64 = 1_000_000_000_000;

pub(super) struct ScriptReader<'a, 's>(pub(super) NodeReader<'a, 's>);

impl ScriptReader<'_, '_> {
    fn script(&mut self, root: &Node) -> AgentScript {
        let mut script = AgentScript { seed: 0, parts: Vec::new(), reviews: Vec::new() };
        for entry in self.0.entries(root) {
            match entry.key.as_str() {
                "version" => drop(self.0.number(&entry.node, 1..=1)),
                "seed" => script.seed = self.0.number(&entry.node, 0..=MAX).unwrap_or_default(),
                "task" => self.parts(&entry.node, "[[task]]", &mut script.parts),
                "review" => self.parts(&entry.node, "[[review]]", &mut script.reviews),
                _ => self.0.unknown_key(entry, SCRIPT_FIELDS),
            }
        }
        script
    }

    fn parts(&mut self, node: &Node, table: &str, parts: &mut Vec<ScriptPart>) {
        for item in self.0.list(node, &format!("{table} tables")) {
            let Some(part) = self.part(item) else { continue };
            if parts.iter().any(|earlier| earlier.covers(&part)) {
                let message = format!("never used: an earlier {table} matches all of its attempts");
                let hint =
                    "the first match is used; move this one up, or restrict the other by `attempt`";
                self.0.problem(&item.span, message, Some(hint.to_owned()));
            }
            parts.push(part);
        }
    }

    fn part(&mut self, node: &Node) -> Option<ScriptPart> {
        let (mut id, mut only, mut from, mut deeds) = (None, None, None, None);
        for entry in self.0.entries(node) {
            match entry.key.as_str() {
                "id" => id = self.0.text(&entry.node),
                "attempt" => only = self.count(&entry.node),
                "from_attempt" => from = self.count(&entry.node),
                "do" => deeds = Some(self.read_actions(&entry.node, 0)),
                _ => self.0.unknown_key(entry, PART_FIELDS),
            }
        }
        let attempts = match (only, from) {
            (Some(_), Some(_)) => {
                let message = "use either `attempt` or `from_attempt`, not both".to_owned();
                self.0.problem(&node.span, message, None);
                return None;
            }
            (Some(only), None) => AttemptRange::Only(only),
            (None, Some(from)) => AttemptRange::From(from),
            (None, None) => AttemptRange::All,
        };
        if id.is_none() {
            let hint = "id = \"T001\", or id = \"*\" for every task".to_owned();
            self.0.problem(&node.span, "`id` is missing".to_owned(), Some(hint));
        }
        if deeds.is_none() {
            let hint = "do = [ { write = \"a.txt\", text = \"hello\\n\" } ]".to_owned();
            self.0.problem(&node.span, "`do` is missing".to_owned(), Some(hint));
        }
        Some(ScriptPart {
            task: id.filter(|id| id != "*"),
            attempts,
            actions: deeds.unwrap_or_default(),
        })
    }

    pub(super) fn read_actions(&mut self, node: &Node, depth: usize) -> Vec<ScriptAction> {
        let mut deeds: Vec<ScriptAction> = Vec::new();
        for item in
            self.0.list(node, "a list of actions such as { write = \"path\", text = \"…\" }")
        {
            if deeds.last().is_some_and(ScriptAction::is_end) {
                let message = "never reached: the action before it ends the attempt".to_owned();
                self.0.problem(&item.span, message, None);
                break;
            }
            let line = self.0.line(&item.span);
            deeds.extend(self.read_action(item, depth).map(|act| ScriptAction { line, act }));
        }
        deeds
    }
}
