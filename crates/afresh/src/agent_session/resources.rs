//! What can be read: the report, the page of the run's state, the plan, tasks and transcripts.

use afresh_agents::json_rpc;
use afresh_app::error::AppError;
use afresh_app::session::runs::select;
use afresh_app::text::files::read_bounded;
use serde_json::{Value, json};

use super::McpSession;
use super::answer::{clean, page};
use super::command::CommandForm;

/// More than a page of the run's state ever has.
const MAX_STATE_BYTES: usize = 4 * 1024 * 1024;
/// Tasks in the list; all of them can be read.
const MAX_LISTED_TASKS: usize = 100;
const NOT_FOUND: i64 = -32002;

/// A kind of resource.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ResourceKind {
    Report,
    State,
    Plan,
    Task,
    Transcript,
}

impl ResourceKind {
    const ALL: [Self; 5] = [Self::Report, Self::State, Self::Plan, Self::Task, Self::Transcript];

    fn prefix(self) -> &'static str {
        match self {
            Self::Report => "afresh://report",
            Self::State => "afresh://state",
            Self::Plan => "afresh://plan",
            Self::Task => "afresh://tasks/",
            Self::Transcript => "afresh://transcripts/",
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Report => "report",
            Self::State => "state",
            Self::Plan => "plan",
            Self::Task => "task",
            Self::Transcript => "transcript",
        }
    }

    fn description(self) -> &'static str {
        match self {
            Self::Report => "The summary of the last run",
            Self::State => "STATE.md: the state of the last run on one page",
            Self::Plan => "What would run: waves, files, critical path",
            Self::Task => "Everything about a task: state, checks, attempts, what to do next",
            Self::Transcript => "What the attempts of a task, or one attempt (T002.1), printed",
        }
    }

    fn is_template(self) -> bool {
        matches!(self, Self::Task | Self::Transcript)
    }

    fn mime_type(self) -> &'static str {
        match self {
            Self::Report | Self::State => "text/markdown",
            Self::Plan | Self::Task | Self::Transcript => "text/plain",
        }
    }

    /// The kind that an address names, and the task in it.
    fn from_uri(uri: &str) -> Option<(Self, &str)> {
        let rest = |kind: Self| Some((kind, uri.strip_prefix(kind.prefix())?));
        let fits = |(kind, rest): &(Self, &str)| kind.is_template() != rest.is_empty();
        Self::ALL.into_iter().filter_map(rest).find(fits)
    }

    fn to_json(self) -> Value {
        let (name, description) = (self.name(), self.description());
        let mut listed =
            json!({"name": name, "description": description, "mimeType": self.mime_type()});
        let address = self.prefix();
        if self.is_template() {
            listed["uriTemplate"] = format!("{address}{{task}}").into();
        } else {
            listed["uri"] = address.into();
        }
        listed
    }
}

pub(super) fn templates() -> Vec<Value> {
    let kinds = ResourceKind::ALL.into_iter().filter(|kind| kind.is_template());
    kinds.map(ResourceKind::to_json).collect()
}

/// Those that have one address, and the tasks of the last run.
pub(super) fn list(session: &McpSession) -> Vec<Value> {
    let single = ResourceKind::ALL.into_iter().filter(|kind| !kind.is_template());
    let mut listed: Vec<Value> = single.map(ResourceKind::to_json).collect();
    // Without a run there are no tasks, and no error.
    listed.extend(list_tasks(session).unwrap_or_default());
    listed
}

fn list_tasks(session: &McpSession) -> Result<Vec<Value>, AppError> {
    let repository = session.context.repository()?;
    let Some(found) = select::find_optional_run(&repository, None)? else {
        return Ok(Vec::new());
    };
    let kind = ResourceKind::Task;
    let tasks = found.run.plan().tasks().iter().take(MAX_LISTED_TASKS);
    Ok(tasks
        .map(|task| {
            let uri = format!("{}{}", kind.prefix(), task.id);
            let title = clean(&task.title, &session.secrets);
            json!({"uri": uri, "name": task.id, "title": title, "mimeType": kind.mime_type()})
        })
        .collect())
}

pub(super) fn read(id: &Value, params: &Value, session: &McpSession) -> Value {
    let uri = params.get("uri").and_then(Value::as_str).unwrap_or_default();
    let Some((kind, task)) = ResourceKind::from_uri(uri) else {
        return json_rpc::failed(id, NOT_FOUND, &format!("there is no resource {uri:?}"));
    };
    match read_text(kind, task, session) {
        Ok(text) => {
            let text = page(&clean(&text, &session.secrets), 1);
            let content = json!([{"uri": uri, "mimeType": kind.mime_type(), "text": text}]);
            json_rpc::succeeded(id, &json!({"contents": content}))
        }
        Err(error) => {
            let text = clean(&crate::error::to_text(&error, usize::MAX), &session.secrets);
            json_rpc::failed(id, NOT_FOUND, text.trim_end())
        }
    }
}

fn read_text(kind: ResourceKind, task: &str, session: &McpSession) -> Result<String, AppError> {
    let command: &[&str] = match kind {
        ResourceKind::State => return read_state(session),
        ResourceKind::Report => &["report"],
        ResourceKind::Plan => &["show"],
        ResourceKind::Task => &["task", "show", "--", task],
        ResourceKind::Transcript => &["logs", "--", task],
    };
    let ended = session.carry_out(&session.words(command), CommandForm::Text)?;
    let (data, messages) = (ended.printed.data(), ended.printed.messages());
    Ok(if data.trim().is_empty() { messages.to_owned() } else { data })
}

fn read_state(session: &McpSession) -> Result<String, AppError> {
    let file = session.context.repository()?.layout.state_page();
    let bytes = read_bounded(&file, MAX_STATE_BYTES).map_err(|error| {
        AppError::usage("state", format!("there is no {}", file.display()))
            .cause(error.to_string())
            .hint("a run writes it; the tool `run` starts one")
    })?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
