//! The demo with a real agent program and a scripted model: no key, no cost.
//!
//! The program gets a home directory of its own, so that nothing of the user's is read or written.

use afresh_agents::AgentProgram;
use afresh_app::proxy::HostPattern;
use afresh_model::{ModelClient, ModelScript, ModelServer, ModelStep};
use serde_json::json;
use std::collections::BTreeMap;
use std::path::Path;

use crate::demo::roles;
use afresh_app::error::AppError;

/// A model server for one program; it ends when this is dropped.
#[derive(Debug)]
pub(crate) struct ScriptedModel {
    server: ModelServer,
    program: AgentProgram,
}

const SCRIPT: &str = "todo";

impl ScriptedModel {
    pub(crate) fn by(program: AgentProgram) -> Result<Self, AppError> {
        let server = ModelServer::start().map_err(|error| {
            AppError::machine("model", "cannot listen on the loopback interface")
                .cause(error.to_string())
                .hint("the scripted model needs a port on 127.0.0.1")
        })?;
        server.add(SCRIPT, script());
        Ok(Self { server, program })
    }

    fn client(&self) -> Option<ModelClient> {
        ModelClient::new(self.program.name(), &self.server.url(SCRIPT))
    }

    /// The configuration of the demo's repository.
    pub(crate) fn config(&self) -> String {
        let table = self.client().map(|client| client.config_table()).unwrap_or_default();
        format!(
            "[run]\nagent = \"{}\"\nparallel = 2\n\n[plan]\nacceptance = \"plan\"\n\n{table}",
            self.program.name()
        )
    }

    /// Where the model is.
    pub(crate) fn host(&self) -> Option<HostPattern> {
        HostPattern::from_url(&self.server.url(SCRIPT))
    }

    /// Variables that replace the user's in the environment of workers.
    pub(crate) fn variables(&self, home: &Path) -> BTreeMap<String, String> {
        let own = self.client().map(|client| client.variables).unwrap_or_default();
        let own = own.into_iter().map(|(name, value)| (name.to_owned(), value));
        own.chain([("HOME".to_owned(), home.to_string_lossy().into_owned())]).collect()
    }
}

/// What the model does in each task: the correct work, and the report.
fn script() -> ModelScript {
    let good = roles::good_files().chain([("plan", roles::PLAN_PATH, roles::PLAN)]);
    let script = good.fold(ModelScript::default(), |script, (task, path, text)| {
        let report = json!({"status": "COMPLETED", "files_modified": [path]});
        script.when(&beginning(task), conversation([ModelStep::write(path, text)], report))
    });
    roles::COMMANDS.iter().fold(script, |script, (name, filter)| {
        let file = format!("lib/{name}.sh");
        let report = json!({
            "status": "COMPLETED", "files_modified": [file, "todo.sh"],
            "deviations": [{
                "rule": 3, "description": roles::WHY_THE_PROGRAM, "files": ["todo.sh"],
            }],
        });
        // A new line in the program itself, so that the second task conflicts with the first.
        let add = format!("s|^{}|{}\\n&|", roles::ABOVE, roles::command_line(name));
        let steps = [
            ModelStep::write(&file, &roles::command_function(name, filter)),
            ModelStep::shell(&format!("sed -i '{add}' todo.sh")),
        ];
        script.when(&beginning(name), conversation(steps, report))
    })
}

/// How the prompt of a task begins.
fn beginning(task: &str) -> String {
    format!("# Task {task}: ")
}

fn conversation(
    steps: impl IntoIterator<Item = ModelStep>,
    report: serde_json::Value,
) -> impl Iterator<Item = ModelStep> {
    let end = [ModelStep::tool("report_result", report), ModelStep::text("That is all.")];
    steps.into_iter().chain(end)
}
