//! What a tool is: a command with fixed options, its arguments, and what it does to the world.

use serde_json::{Map, Value, json};

/// One tool.
#[derive(Debug)]
pub(super) struct SessionTool {
    pub(super) name: &'static str,
    pub(super) title: &'static str,
    pub(super) description: &'static str,
    pub(super) action: ToolAction,
    pub(super) arguments: &'static [ToolArgument],
    pub(super) effect: ToolEffect,
}

/// What a tool does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ToolAction {
    /// Carries out this command; the answer is its JSON document.
    Document(&'static [&'static str]),
    /// The same; the answer is its text.
    Text(&'static [&'static str]),
    /// Starts this command in the background.
    Launch(&'static [&'static str]),
    /// Waits for the run.
    Wait,
}

/// What a call changes, for clients that ask before they call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ToolEffect {
    Reads,
    /// Adds to what the run does.
    Steers,
    /// Ends or leaves out work.
    Ends,
    /// Starts agents, which use the network and cost money.
    StartsAgents,
}

/// One argument of a tool.
#[derive(Debug)]
pub(super) struct ToolArgument {
    pub(super) name: &'static str,
    pub(super) description: &'static str,
    pub(super) kind: ArgumentKind,
    pub(super) place: ArgumentPlace,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ArgumentKind {
    Text,
    /// A path inside the repository.
    Path,
    Texts,
    Number {
        least: u64,
        most: u64,
    },
    Dollars,
    Flag,
}

/// Where an argument stands on the command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ArgumentPlace {
    /// Without it, there is nothing to call.
    Required,
    Positional,
    Option(&'static str),
    /// It is for us, not for the command.
    Ours,
}

/// The line at which the text of an answer starts.
pub(super) const FROM_LINE: ToolArgument = ToolArgument {
    name: "from_line",
    description: "Continue a long answer at this line; the answer says which",
    kind: ArgumentKind::Number { least: 1, most: 100_000_000 },
    place: ArgumentPlace::Ours,
};

impl SessionTool {
    pub(super) fn is_read_only(&self) -> bool {
        self.effect == ToolEffect::Reads
    }

    /// Its own arguments, and that for the next page of a long answer.
    pub(super) fn all_arguments(&self) -> impl Iterator<Item = &ToolArgument> {
        let is_paged = self.is_read_only() && self.action != ToolAction::Wait;
        self.arguments.iter().chain(is_paged.then_some(&FROM_LINE))
    }

    /// As clients list it.
    pub(super) fn to_json(&self) -> Value {
        let properties: Map<String, Value> =
            self.all_arguments().map(|it| (it.name.to_owned(), it.schema())).collect();
        let required: Vec<&str> = self
            .arguments
            .iter()
            .filter(|it| it.place == ArgumentPlace::Required)
            .map(|it| it.name)
            .collect();
        json!({
            "name": self.name,
            "title": self.title,
            "description": self.description,
            "inputSchema": {
                "type": "object",
                "properties": properties,
                "required": required,
                "additionalProperties": false,
            },
            "annotations": self.effect.annotations(self.title),
        })
    }
}

impl ToolEffect {
    fn annotations(self, title: &str) -> Value {
        json!({
            "title": title,
            "readOnlyHint": self == Self::Reads,
            "destructiveHint": self == Self::Ends,
            "idempotentHint": self == Self::Reads,
            "openWorldHint": self == Self::StartsAgents,
        })
    }
}

impl ToolArgument {
    fn schema(&self) -> Value {
        let mut schema = match self.kind {
            ArgumentKind::Text | ArgumentKind::Path => json!({"type": "string", "minLength": 1}),
            ArgumentKind::Texts => {
                json!({"type": "array", "items": {"type": "string", "minLength": 1}, "minItems": 1})
            }
            ArgumentKind::Number { least, most } => {
                json!({"type": "integer", "minimum": least, "maximum": most})
            }
            ArgumentKind::Dollars => json!({"type": "number", "minimum": 0}),
            ArgumentKind::Flag => json!({"type": "boolean"}),
        };
        schema["description"] = self.description.into();
        schema
    }
}
