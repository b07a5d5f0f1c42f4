//! Shell and reporting tools, under each program's names.

use serde_json::{Map, Value, json};

use crate::conversation::{BoundToolCall, ModelRequest, OfferedTool};
use crate::script::ScriptedCall;

/// The names of the programs' shell tools.
const SHELLS: &[&str] = &["Bash", "bash", "exec_command", "run_shell_command", "shell"];
/// The names of their command argument.
const COMMANDS: &[&str] = &["command", "cmd"];

/// The call with this program's names; if the program has no such tool, an explanation in text.
pub(crate) fn bind(
    call: &ScriptedCall,
    request: &ModelRequest,
    id: String,
) -> Result<BoundToolCall, String> {
    match call {
        ScriptedCall::Shell(command) => shell(command, request, id),
        ScriptedCall::Write { path, content } => write(path, content, request, id),
        ScriptedCall::Tool { name, input } => tool(name, input, request, id),
    }
}

/// One program rejects commands that seem to contain substitutions, even if only a file's text
/// does; its own file tool accepts relative paths.
fn write(
    path: &str,
    content: &str,
    request: &ModelRequest,
    id: String,
) -> Result<BoundToolCall, String> {
    let own = request.tools.iter().find(|tool| tool.name == "write_file");
    match own {
        Some(tool) => Ok(bound(tool, json!({"file_path": path, "content": content}), id)),
        None => shell(&written(path, content), request, id),
    }
}

/// Files are written by the shell: every program has one, and relative paths work there.
fn written(path: &str, content: &str) -> String {
    let quote = |text: &str| format!("'{}'", text.replace('\'', r"'\''"));
    let directory = path.rsplit_once('/').map(|(directory, _)| directory);
    let made = directory.map(|directory| format!("mkdir -p {} && ", quote(directory)));
    let end = (0..1_000).map(|n| format!("END_OF_FILE_{n}"));
    let end = end.into_iter().find(|end| !content.contains(end.as_str())).unwrap_or_default();
    let newline = if content.is_empty() || content.ends_with('\n') { "" } else { "\n" };
    let made = made.unwrap_or_default();
    format!("{made}cat > {} <<'{end}'\n{content}{newline}{end}", quote(path))
}

fn shell(command: &str, request: &ModelRequest, id: String) -> Result<BoundToolCall, String> {
    let tool = SHELLS.iter().find_map(|name| request.tools.iter().find(|tool| tool.name == *name));
    let tool = tool.ok_or("there is no shell")?;
    let argument = COMMANDS.iter().find(|name| tool.arguments.iter().any(|known| known == *name));
    let argument = argument.copied().unwrap_or("command");
    let mut input = Map::new();
    let command =
        if tool.name == "shell" { json!(["bash", "-lc", command]) } else { Value::from(command) };
    input.insert(argument.to_owned(), command);
    if tool.arguments.iter().any(|known| known == "description") {
        input.insert("description".to_owned(), Value::from("as the script says"));
    }
    Ok(bound(tool, Value::Object(input), id))
}

fn tool(
    name: &str,
    input: &Value,
    request: &ModelRequest,
    id: String,
) -> Result<BoundToolCall, String> {
    let tool = request.tools.iter().find(|tool| tool.name.ends_with(name));
    tool.map(|tool| bound(tool, input.clone(), id))
        .ok_or_else(|| format!("there is no tool {name}"))
}

fn bound(tool: &OfferedTool, input: Value, id: String) -> BoundToolCall {
    BoundToolCall { id, name: tool.name.clone(), namespace: tool.namespace.clone(), input }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(name: &str, arguments: &[&str]) -> ModelRequest {
        let arguments = arguments.iter().map(|name| (*name).to_owned()).collect();
        ModelRequest {
            model: "m".to_owned(),
            turns: 0,
            first_words: String::new(),
            tools: vec![OfferedTool { name: name.to_owned(), namespace: None, arguments }],
            stream: false,
        }
    }

    #[test]
    fn the_shell_is_found_under_each_programs_name() {
        let call = ScriptedCall::Shell("ls".to_owned());
        let bash = bind(&call, &request("Bash", &["command", "description"]), "1".into());
        assert_eq!(bash.expect("bound").input["command"], "ls");
        let codex = bind(&call, &request("exec_command", &["cmd", "workdir"]), "1".into());
        assert_eq!(codex.expect("bound").input, json!({"cmd": "ls"}));
        assert!(bind(&call, &request("read_file", &[]), "1".into()).is_err());
    }

    #[test]
    fn a_tool_servers_tool_is_found_by_the_end_of_its_name() {
        let call = ScriptedCall::Tool { name: "report_result".to_owned(), input: json!({"a": 1}) };
        let bound = bind(&call, &request("mcp__afresh__report_result", &[]), "1".into());
        assert_eq!(bound.expect("bound").name, "mcp__afresh__report_result");
    }
}
