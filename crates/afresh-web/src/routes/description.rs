//! The `OpenAPI` document: what can be asked, and what comes back.

use afresh_app::logs::folded::FoldedTranscript;
use afresh_app::logs::needs::RunNeeds;
use afresh_app::session::runs::RunEntry;
use afresh_app::session::view_command::AcceptedCommand;
use afresh_app::tasks::attempt_diff::AttemptDiff;
use afresh_app::tasks::details::TaskDetails;
use afresh_app::tasks::tell::SentComment;
use afresh_core::status::trace::RequirementTrace;
use afresh_dashboard::Dashboard;
use afresh_engine::reports::run_report::RunReport;
use axum::Json;
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, SchemaGenerator};
use serde_json::{Map, Value, json};

use super::actions::{AnswerRequest, HaltBody, TaskRequest, TellRequest};
use super::runs::PlanFindings;
use crate::feed::{RunMoment, RunMoments, ViewUpdate};

pub(super) async fn document() -> Json<Value> {
    Json(openapi())
}

/// One thing that can be asked.
struct Operation {
    method: &'static str,
    path: &'static str,
    summary: &'static str,
    body: Option<Value>,
    answer: AnswerKind,
}

enum AnswerKind {
    Json(Value),
    /// Server-sent events with this as data.
    Stream(Value),
    Text(&'static str),
}

pub(crate) fn openapi() -> Value {
    let settings = SchemaSettings::draft2020_12()
        .with(|settings| settings.definitions_path = "/components/schemas".into());
    let mut generator = settings.into_generator();
    let mut paths: Map<String, Value> = Map::new();
    for operation in operations(&mut generator) {
        let entry = paths.entry(operation.path).or_insert_with(|| json!({}));
        entry[operation.method] = describe(&operation);
    }
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "afresh serve",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "Runs of one repository, on this machine. Every request needs the token as \
                            `Authorization: Bearer TOKEN`.",
        },
        "security": [{"token": []}],
        "paths": paths,
        "components": {
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
            "schemas": generator.take_definitions(true),
        },
    })
}

fn schema<T: JsonSchema>(generator: &mut SchemaGenerator) -> Value {
    generator.subschema_for::<T>().to_value()
}

fn operations(generator: &mut SchemaGenerator) -> Vec<Operation> {
    let mut operations = run_operations(generator);
    operations.extend(task_operations(generator));
    operations.extend(action_operations(generator));
    operations
}

fn get(path: &'static str, summary: &'static str, answer: AnswerKind) -> Operation {
    Operation { method: "get", path, summary, body: None, answer }
}

fn post(path: &'static str, summary: &'static str, body: Value, answer: Value) -> Operation {
    Operation { method: "post", path, summary, body: Some(body), answer: AnswerKind::Json(answer) }
}

fn run_operations(generator: &mut SchemaGenerator) -> Vec<Operation> {
    vec![
        get("/api/openapi.json", "This document", AnswerKind::Json(json!({"type": "object"}))),
        get(
            "/api/needs-you",
            "What waits for a person, of every run",
            AnswerKind::Json(schema::<Vec<RunNeeds>>(generator)),
        ),
        get(
            "/api/runs",
            "Every run, newest first",
            AnswerKind::Json(schema::<Vec<RunEntry>>(generator)),
        ),
        get(
            "/api/runs/{run}",
            "Everything about a run",
            AnswerKind::Json(schema::<Dashboard>(generator)),
        ),
        get(
            "/api/runs/{run}/updates",
            "What changes, as it changes; Last-Event-ID continues a stream",
            AnswerKind::Stream(schema::<ViewUpdate>(generator)),
        ),
        get(
            "/api/runs/{run}/pictures/{picture}",
            "graph.svg, timeline.svg, contexts.svg, burn-up.svg or retries.svg; `at` draws it as it was after a record",
            AnswerKind::Text("image/svg+xml"),
        ),
        get(
            "/api/runs/{run}/moments",
            "When each record was written",
            AnswerKind::Json(schema::<RunMoments>(generator)),
        ),
        get(
            "/api/runs/{run}/moments/{seq}",
            "The run as it was after a record",
            AnswerKind::Json(schema::<RunMoment>(generator)),
        ),
        get(
            "/api/runs/{run}/trace",
            "Which requirement is proved by what",
            AnswerKind::Json(schema::<RequirementTrace>(generator)),
        ),
        get(
            "/api/runs/{run}/report",
            "The report",
            AnswerKind::Json(schema::<RunReport>(generator)),
        ),
        get(
            "/api/runs/{run}/findings",
            "What is wrong with the plan's files as they are now",
            AnswerKind::Json(schema::<PlanFindings>(generator)),
        ),
    ]
}

fn task_operations(generator: &mut SchemaGenerator) -> Vec<Operation> {
    vec![
        get(
            "/api/runs/{run}/tasks/{task}",
            "One task with its attempts, checks and comments",
            AnswerKind::Json(schema::<TaskDetails>(generator)),
        ),
        get(
            "/api/runs/{run}/attempts/{attempt}/transcript",
            "What the worker's program reported, from byte `from` on",
            AnswerKind::Json(schema::<FoldedTranscript>(generator)),
        ),
        get(
            "/api/runs/{run}/attempts/{attempt}/diff",
            "What an attempt changed, or what a task landed; null as long as its worker has saved nothing",
            AnswerKind::Json(schema::<Option<AttemptDiff>>(generator)),
        ),
        get(
            "/api/runs/{run}/attempts/{attempt}/files/{file}",
            "prompt, stderr or result",
            AnswerKind::Text("text/plain"),
        ),
    ]
}

fn action_operations(generator: &mut SchemaGenerator) -> Vec<Operation> {
    let accepted = schema::<AcceptedCommand>(generator);
    vec![
        post(
            "/api/runs/{run}/answer",
            "Answer a question",
            schema::<AnswerRequest>(generator),
            accepted.clone(),
        ),
        post(
            "/api/runs/{run}/tell",
            "Comment on a task",
            schema::<TellRequest>(generator),
            schema::<SentComment>(generator),
        ),
        post(
            "/api/runs/{run}/retry",
            "Retry a task",
            schema::<TaskRequest>(generator),
            accepted.clone(),
        ),
        post(
            "/api/runs/{run}/skip",
            "Skip a task",
            schema::<TaskRequest>(generator),
            accepted.clone(),
        ),
        post(
            "/api/runs/{run}/halt",
            "Halt the run",
            schema::<HaltBody>(generator),
            accepted.clone(),
        ),
        post("/api/runs/{run}/clear-halt", "Clear the halt", json!({"type": "object"}), accepted),
    ]
}

fn describe(operation: &Operation) -> Value {
    let names =
        operation.path.split('/').filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'));
    let parameters: Vec<Value> = names
        .map(|name| json!({"name": name, "in": "path", "required": true, "schema": {"type": "string"}}))
        .collect();
    let content = match &operation.answer {
        AnswerKind::Json(schema) => json!({"application/json": {"schema": schema}}),
        AnswerKind::Stream(schema) => json!({"text/event-stream": {"schema": schema}}),
        AnswerKind::Text(media_type) => {
            let mut content = Map::new();
            content.insert((*media_type).to_owned(), json!({"schema": {"type": "string"}}));
            Value::Object(content)
        }
    };
    let mut described = json!({
        "summary": operation.summary,
        "parameters": parameters,
        "responses": {
            "200": {"description": "done", "content": content},
            "401": {"description": "the token is missing or wrong"},
            "403": {"description": "a foreign Host or Origin"},
        },
    });
    if let Some(body) = &operation.body {
        described["requestBody"] =
            json!({"required": true, "content": {"application/json": {"schema": body}}});
    }
    described
}
