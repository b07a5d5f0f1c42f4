//! The configuration file that `afresh init` writes: the choices, and other settings in comments.

use std::fmt::Write as _;

use afresh_agents::{AgentKind, ProgramAgent};

use crate::setup::init::agents::FoundAgent;

/// What goes into the file.
#[derive(Debug, Clone, Default)]
pub struct ConfigChoices {
    /// None: no agent was found or named.
    pub agent: Option<FoundAgent>,
    pub parallel: u16,
    pub setup: Vec<String>,
    pub keep: Vec<String>,
    pub checks: Vec<String>,
    /// Checks that were found and not chosen.
    pub more_checks: Vec<String>,
}

/// Who chose a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CheckOrigin {
    Named,
    Detected,
}

impl ConfigChoices {
    /// A check passed without executing a test, which proves nothing (TR-04): one that was only detected becomes a
    /// comment. Returns what to tell the user.
    pub fn judge_empty_check(&mut self, command: &str, origin: CheckOrigin) -> String {
        let fact = format!("`{command}` executed no test, so its pass proves nothing");
        if origin == CheckOrigin::Named {
            return format!("{fact}; it is in the file because you named it");
        }
        self.checks.retain(|check| check != command);
        self.more_checks.push(command.to_owned());
        format!("{fact}; it is in the file as a comment, for when there are tests")
    }
}

pub fn render(choices: &ConfigChoices) -> String {
    let mut text = String::from(
        "# How afresh runs plans in this repository.\n\
         # `afresh config list --origin` shows every value and where it comes from.\n\n[run]\n",
    );
    let agent_line = match &choices.agent {
        Some(agent) => format!("agent = {}", quoted(&agent.name)),
        None => "# agent = \"mine\"".to_owned(),
    };
    line(&mut text, &agent_line, "the default agent");
    line(&mut text, &format!("parallel = {}", choices.parallel), "workers at the same time");
    line(&mut text, "# attempts = 3", "fresh workers per task, then it has failed");
    line(&mut text, "# attempt_timeout = \"30m\"", "");
    line(&mut text, "# silence_timeout = \"10m\"", "without output");
    line(&mut text, "# scope = \"declared\"", "strict | declared | open: what a task may write");
    agent(&mut text, choices.agent.as_ref());
    workspace(&mut text, choices);
    checks(&mut text, choices);
    text
}

fn agent(text: &mut String, agent: Option<&FoundAgent>) {
    let Some(agent) = agent else {
        text.push_str(
            "\n# No agent was found. Any program works: it gets its prompt on standard input,\n\
             # works in the current directory, and exits with code 0.\n\
             # [agents.mine]\n# kind = \"command\"\n# command = [\"my-agent\", \"--non-interactive\"]\n",
        );
        return;
    };
    let _ = writeln!(text, "\n# {}: {}.\n[agents.{}]", agent.name, agent.remark(), agent.name);
    match &agent.kind {
        AgentKind::Program(agent) => program(text, agent),
        AgentKind::Command { command, .. } => own_command(text, command),
        // These are not chosen by name.
        AgentKind::Scripted { .. } | AgentKind::Acp(_) => {}
    }
}

fn program(text: &mut String, agent: &ProgramAgent) {
    line(
        text,
        &format!("kind = {}", quoted(agent.program.name())),
        "how it is started: docs/agents.md",
    );
    text.push_str("# The models of small, standard and large tasks; these are the defaults.\n");
    let models = &agent.models;
    let [small, standard, large] =
        [&models.small, &models.standard, &models.large].map(|name| quoted(name));
    let sizes = format!("small = {small}, standard = {standard}, large = {large}");
    let _ = writeln!(text, "# models = {{ {sizes} }}");
    text.push_str("# It gets its own keys and addresses, and the variables that `env` names.\n");
    text.push_str("# env = []\n");
}

fn own_command(text: &mut String, command: &[String]) {
    text.push_str("kind = \"command\"\n");
    let _ = writeln!(text, "command = {}", list(command));
    text.push_str("# It gets a small built-in list of variables, and those that `env` names.\n");
    text.push_str("env = []\n");
}

fn workspace(text: &mut String, choices: &ConfigChoices) {
    text.push_str("\n[workspace]\n");
    text.push_str("# Once per workspace, and again when a manifest or a lock file changes.\n");
    let _ = writeln!(text, "setup = {}", list(&choices.setup));
    text.push_str("# Ignored paths that are kept from one attempt to the next.\n");
    let _ = writeln!(text, "keep = {}", list(&choices.keep));
}

fn checks(text: &mut String, choices: &ConfigChoices) {
    text.push_str("\n[checks]\n# Run on every merge, in addition to a task's own checks.\n");
    let _ = writeln!(text, "always = {}", list(&choices.checks));
    if !choices.more_checks.is_empty() {
        text.push_str("# Also detected:\n");
        for command in &choices.more_checks {
            let _ = writeln!(text, "#   {}", quoted(command));
        }
    }
    line(text, "# timeout = \"10m\"", "");
}

/// A line with its remark in a column.
fn line(text: &mut String, setting: &str, remark: &str) {
    let _ = if remark.is_empty() {
        writeln!(text, "{setting}")
    } else {
        writeln!(text, "{setting:<32}# {remark}")
    };
}

fn list(texts: &[String]) -> String {
    let quoted: Vec<String> = texts.iter().map(|text| quoted(text)).collect();
    format!("[{}]", quoted.join(", "))
}

/// A text as TOML has it.
fn quoted(text: &str) -> String {
    toml_edit::Value::from(text).to_string()
}
