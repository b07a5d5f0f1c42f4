//! Reads the actions of a script.

use afresh_core::outcome::Deviation;
use afresh_core::usage::Usage;
use afresh_formats::text::node::{Node, TableEntry, Value};

use super::read::{MAX, ScriptReader};
use super::script::{ActionKind, HangMode, HostileOutput, ScriptedEnd};
use crate::stream::usage::micros;

/// The deepest nesting of `chance`.
const MAX_DEPTH: usize = 8;

pub(super) const USE_FIELDS: &[&str] =
    &["input", "output", "cache_read", "cache_write", "cost_usd"];
pub(super) const DEVIATION_FIELDS: &[&str] = &["rule", "description", "files"];
/// Every action: its key, and the other keys that it may have.
pub(super) const ACTIONS: &[(&str, &[&str])] = &[
    ("write", &["text"]),
    ("append", &["text"]),
    ("edit", &["find", "replace"]),
    ("delete", &[]),
    ("listed", &[]),
    ("run", &["may_fail"]),
    ("child", &[]),
    ("sleep", &[]),
    ("say", &[]),
    ("use", &[]),
    ("step", &[]),
    ("hostile", &[]),
    ("chance", &["do", "else"]),
    ("claim", &["deviations", "notes"]),
    ("ask", &["options", "context"]),
    ("need", &["instructions", "verification"]),
    ("fail", &["at", "retryable"]),
    ("approve", &[]),
    ("request_changes", &["issues"]),
    ("answer", &[]),
    ("exit", &[]),
    ("crash", &[]),
    ("hang", &[]),
];

impl ScriptReader<'_, '_> {
    /// Reads one action.
    pub(super) fn read_action(&mut self, node: &Node, depth: usize) -> Option<ActionKind> {
        let entries = self.0.entries(node);
        let names: Vec<&str> = ACTIONS.iter().map(|(name, _)| *name).collect();
        let named: Vec<&TableEntry> =
            entries.iter().filter(|entry| names.contains(&entry.key.as_str())).collect();
        let main = match named[..] {
            [main] => main,
            [] => {
                match entries.first() {
                    Some(entry) => self.0.unknown_key(entry, &names),
                    None => self
                        .0
                        .wrong_type(node, "an action such as { write = \"path\", text = \"…\" }"),
                }
                return None;
            }
            [first, second, ..] => {
                let message = format!("{:?} and {:?} are two actions", first.key, second.key);
                let hint = "put each into its own { … }".to_owned();
                self.0.problem(&second.key_span, message, Some(hint));
                return None;
            }
        };
        let (_, others) = ACTIONS.iter().find(|(name, _)| *name == main.key)?;
        for entry in entries {
            if entry.key != main.key && !others.contains(&entry.key.as_str()) {
                let known: Vec<&str> = [main.key.as_str()].iter().chain(*others).copied().collect();
                self.0.unknown_key(entry, &known);
            }
        }
        self.action_of(main, &ActFields { node, entries }, depth)
    }

    fn action_of(
        &mut self,
        main: &TableEntry,
        others: &ActFields<'_>,
        depth: usize,
    ) -> Option<ActionKind> {
        let value = &main.node;
        Some(match main.key.as_str() {
            "write" => {
                ActionKind::Write { path: self.path(value)?, text: self.needed(others, "text")? }
            }
            "append" => {
                ActionKind::Append { path: self.path(value)?, text: self.needed(others, "text")? }
            }
            "edit" => ActionKind::Edit {
                path: self.path(value)?,
                find: self.needed(others, "find")?,
                replace: self.needed(others, "replace")?,
            },
            "delete" => ActionKind::Delete { path: self.path(value)? },
            "listed" => ActionKind::Listed { text: self.0.text(value)? },
            "run" => ActionKind::Run {
                command: self.0.text(value)?,
                may_fail: self.flag(others, "may_fail").unwrap_or(false),
            },
            "child" => ActionKind::Child { command: self.0.text(value)? },
            "sleep" => ActionKind::Sleep(self.0.duration(value)?),
            "say" => ActionKind::Say(self.0.text(value)?),
            "use" => ActionKind::Use(self.used(value)),
            "step" => ActionKind::StepDone(self.count(value)?),
            "hostile" => ActionKind::Hostile(self.0.word(value, HostileOutput::WORDS)?),
            "chance" => self.chance(value, others, depth)?,
            _ => ActionKind::End(self.end(main, others)?),
        })
    }

    fn end(&mut self, main: &TableEntry, others: &ActFields<'_>) -> Option<ScriptedEnd> {
        let value = &main.node;
        Some(match main.key.as_str() {
            "claim" => ScriptedEnd::Claim {
                files: self.0.texts(value)?,
                deviations: self.deviations(others),
                notes: self.text(others, "notes"),
            },
            "ask" => ScriptedEnd::Ask {
                question: self.0.text(value)?,
                options: self.texts(others, "options"),
                context: self.text(others, "context").unwrap_or_default(),
            },
            "need" => ScriptedEnd::Need {
                action: self.0.text(value)?,
                instructions: self.texts(others, "instructions"),
                verification: self.text(others, "verification").unwrap_or_default(),
            },
            "fail" => ScriptedEnd::Fail {
                error: self.0.text(value)?,
                at: self.text(others, "at").unwrap_or_default(),
                retryable: self.flag(others, "retryable"),
            },
            "approve" => ScriptedEnd::Approve(self.0.text(value)?),
            "request_changes" => ScriptedEnd::RequestChanges {
                summary: self.0.text(value)?,
                issues: self.texts(others, "issues"),
            },
            "answer" => ScriptedEnd::Answer(self.0.text(value)?),
            "exit" => ScriptedEnd::Exit(u8::try_from(self.0.number(value, 0..=255)?).ok()?),
            "crash" => ScriptedEnd::Crash(i32::try_from(self.0.number(value, 1..=31)?).ok()?),
            "hang" => ScriptedEnd::Hang(self.hang(value)?),
            _ => return None,
        })
    }

    fn hang(&mut self, node: &Node) -> Option<HangMode> {
        match &node.value {
            Value::Bool(true) => Some(HangMode::Plain),
            Value::Text(word) if word == "deaf" => Some(HangMode::Deaf),
            _ => {
                self.0.wrong_type(node, "true, or \"deaf\" to ignore signals");
                None
            }
        }
    }

    fn chance(&mut self, node: &Node, others: &ActFields<'_>, depth: usize) -> Option<ActionKind> {
        let of = self.0.fraction(node, 0.0..=1.0)?;
        if depth >= MAX_DEPTH {
            let message = format!("`chance` is nested deeper than {MAX_DEPTH} levels");
            self.0.problem(&node.span, message, None);
            return None;
        }
        let Some(then) = others.get("do") else {
            self.missing(others, "do");
            return None;
        };
        let then = self.read_actions(then, depth + 1);
        let otherwise =
            others.get("else").map(|node| self.read_actions(node, depth + 1)).unwrap_or_default();
        Some(ActionKind::Chance { of, then, otherwise })
    }

    fn used(&mut self, node: &Node) -> Usage {
        let mut usage = Usage::default();
        for entry in self.0.entries(node) {
            let value = &entry.node;
            let count = |it: &mut Self| it.0.number(value, 0..=MAX).unwrap_or_default();
            match entry.key.as_str() {
                "input" => usage.input = count(self),
                "output" => usage.output = count(self),
                "cache_read" => usage.cache_read = count(self),
                "cache_write" => usage.cache_write = count(self),
                "cost_usd" => {
                    usage.cost_micros = self.0.fraction(value, 0.0..=1e6).and_then(micros);
                }
                _ => self.0.unknown_key(entry, USE_FIELDS),
            }
        }
        usage
    }

    fn deviations(&mut self, others: &ActFields<'_>) -> Vec<Deviation> {
        let Some(node) = others.get("deviations") else { return Vec::new() };
        let items = self.0.list(node, "a list of { description = \"why\", files = [\"…\"] }");
        items.iter().map(|item| self.deviation(item)).collect()
    }

    fn deviation(&mut self, node: &Node) -> Deviation {
        let mut deviation = Deviation { rule: 3, description: String::new(), files: Vec::new() };
        for entry in self.0.entries(node) {
            let value = &entry.node;
            match entry.key.as_str() {
                "rule" => {
                    let rule = self.0.number(value, 1..=5).and_then(|rule| rule.try_into().ok());
                    deviation.rule = rule.unwrap_or_default();
                }
                "description" => deviation.description = self.0.text(value).unwrap_or_default(),
                "files" => deviation.files = self.0.texts(value).unwrap_or_default(),
                _ => self.0.unknown_key(entry, DEVIATION_FIELDS),
            }
        }
        deviation
    }

    /// A path inside the workspace. A mistake in a script must not write elsewhere; `run` can do so on
    /// purpose.
    fn path(&mut self, node: &Node) -> Option<String> {
        let path = self.0.text(node)?;
        let inside = !path.is_empty()
            && !path.starts_with('/')
            && !path.contains('\0')
            && path.split('/').all(|part| part != "..");
        if !inside {
            let message = format!("{path:?} is not a path inside the workspace");
            let hint = "use `run` to write outside of the workspace".to_owned();
            self.0.problem(&node.span, message, Some(hint));
            return None;
        }
        Some(path)
    }

    pub(super) fn count(&mut self, node: &Node) -> Option<u32> {
        self.0.number(node, 1..=1_000_000).and_then(|number| u32::try_from(number).ok())
    }

    fn needed(&mut self, others: &ActFields<'_>, key: &str) -> Option<String> {
        if others.get(key).is_none() {
            self.missing(others, key);
        }
        self.text(others, key)
    }

    fn missing(&mut self, others: &ActFields<'_>, key: &str) {
        self.0.problem(&others.node.span, format!("`{key}` is missing"), None);
    }

    fn text(&mut self, others: &ActFields<'_>, key: &str) -> Option<String> {
        others.get(key).and_then(|node| self.0.text(node))
    }

    fn texts(&mut self, others: &ActFields<'_>, key: &str) -> Vec<String> {
        others.get(key).and_then(|node| self.0.texts(node)).unwrap_or_default()
    }

    fn flag(&mut self, others: &ActFields<'_>, key: &str) -> Option<bool> {
        others.get(key).and_then(|node| self.0.flag(node))
    }
}

/// The other keys of an action.
struct ActFields<'n> {
    node: &'n Node,
    entries: &'n [TableEntry],
}

impl<'n> ActFields<'n> {
    fn get(&self, key: &str) -> Option<&'n Node> {
        self.entries.iter().find(|entry| entry.key == key).map(|entry| &entry.node)
    }
}
