//! `afresh agent scripted SCRIPT`: the built-in scripted agent. afresh starts it; a person can, to try a
//! script.
//! `afresh agent acp -- COMMAND`: the client for agents that speak the Agent Client Protocol.

use afresh_agents::Bundle;
use afresh_agents::adapters::acp::SessionParams;
use afresh_agents::adapters::scripted::AgentScript;
use afresh_agents::adapters::scripted::script::{ActionKind, ScriptAction, ScriptedEnd};
use std::io::{Read as _, stdin, stdout};

use crate::exit::Exit;
use crate::in_attempt::acp::{SessionOutcome, converse, die_by};
use crate::in_attempt::scripted::{OutputMode, ScriptPlayer};
use crate::terminal::output::{Output, safe};
use afresh_app::config::script;
use afresh_app::context::AppContext;
use afresh_app::error::AppError;

/// Built-in agents
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    agent: BuiltInAgent,
}

#[derive(Debug, clap::Subcommand)]
enum BuiltInAgent {
    Scripted(ScriptedArgs),
    Acp(AcpArgs),
}

/// Hand the prompt on standard input to an agent that speaks the Agent Client Protocol, in the current
/// directory; every message becomes a line of JSON
#[derive(Debug, clap::Args)]
struct AcpArgs {
    /// The model to use; by default, the agent decides
    #[arg(long, value_name = "NAME")]
    model: Option<String>,
    /// Continue this session
    #[arg(long, value_name = "ID")]
    session: Option<String>,
    /// The agent's command line
    #[arg(last = true, required = true)]
    command: Vec<String>,
}

/// Do what a script says for one attempt of one task, in the current directory
#[derive(Debug, clap::Args)]
struct ScriptedArgs {
    /// The script's file
    script: String,
    /// The task to play; inside an attempt, its own
    #[arg(long, value_name = "ID")]
    task: Option<String>,
    /// The attempt to play; inside an attempt, its own
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    attempt: Option<u32>,
    /// Play a reviewer of that attempt
    #[arg(long)]
    review: bool,
    /// Use this seed instead of the script's
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// Print the actions, and do nothing
    #[arg(long)]
    dry_run: bool,
}

pub(crate) fn agent(args: &Args, context: &AppContext, output: &Output) -> Result<Exit, AppError> {
    match &args.agent {
        BuiltInAgent::Scripted(args) => {
            let code = scripted(args, context, output)?;
            // The script chooses its exit code; it is none of afresh's own.
            std::process::exit(code.into());
        }
        BuiltInAgent::Acp(args) => acp(args, context),
    }
}

fn acp(args: &AcpArgs, context: &AppContext) -> Result<Exit, AppError> {
    let failed = |error: std::io::Error| AppError::machine("acp", error.to_string());
    let directory = context.directory()?;
    std::env::set_current_dir(&directory).map_err(failed)?;
    let mut prompt = String::new();
    stdin().lock().read_to_string(&mut prompt).map_err(failed)?;
    let us = std::env::current_exe().map_err(failed)?.to_string_lossy().into_owned();
    let opening = SessionParams {
        cwd: directory.to_string_lossy().into_owned(),
        prompt,
        model: args.model.clone(),
        resumes: args.session.clone(),
        tools: vec![us, "mcp".to_owned(), "--attempt".to_owned()],
        tools_env: context.environment.attempt_variables(),
    };
    Ok(match converse(&args.command, opening, stdout().lock()) {
        SessionOutcome::Answered => Exit::Done,
        SessionOutcome::NotAnswered => Exit::Incomplete,
        SessionOutcome::Killed(signal) => {
            die_by(signal);
            Exit::Incomplete
        }
    })
}

fn scripted(args: &ScriptedArgs, context: &AppContext, output: &Output) -> Result<u8, AppError> {
    let directory = context.directory()?;
    let loaded = script::load_or_fail(&directory, &args.script)?;
    for warning in &loaded.warnings {
        output.note_finding(warning);
    }
    let mut script = loaded.script;
    script.seed = args.seed.unwrap_or(script.seed);
    let inside = context.environment.attempt();
    let known = inside.as_ref();
    let task = args.task.clone().or_else(|| known.map(|attempt| attempt.task.clone()));
    let task = task.ok_or_else(|| which_task(&script))?;
    let attempt = args.attempt.or_else(|| known.map(|attempt| attempt.number)).unwrap_or(1);
    let bundle = known.and_then(|attempt| attempt.bundle.as_deref()).map(bundle).transpose()?;
    let reviews = args.review || bundle.as_ref().is_some_and(|bundle| bundle.review.is_some());
    let deeds = if reviews {
        Some(script.review_actions_for(&task, attempt))
    } else {
        script.actions_for(&task, attempt)
    };
    if args.dry_run {
        for deed in &deeds.ok_or_else(|| no_part(&task, attempt))? {
            output.data(&described(deed));
        }
        return Ok(0);
    }
    std::env::set_current_dir(&directory)
        .map_err(|error| AppError::machine("directory", error.to_string()))?;
    let deeds = deeds.unwrap_or_else(|| vec![gives_up(&no_part(&task, attempt))]);
    Ok(ScriptPlayer::new(task, attempt, bundle, OutputMode::for_stdout()).play(&deeds))
}

fn which_task(script: &AgentScript) -> AppError {
    let tasks: Vec<&str> = script.tasks().collect();
    let help = if tasks.is_empty() { "any id works".to_owned() } else { tasks.join(", ") };
    AppError::usage("task", "which task should the script play?").hint(format!("--task ID: {help}"))
}

fn no_part(task: &str, attempt: u32) -> AppError {
    AppError::usage(
        "script",
        format!("the script has no part for attempt {attempt} of task {task}"),
    )
    .hint("a [[task]] with id = \"*\" fits every task")
}

/// A worker without a part reports that; a retry would not help.
fn gives_up(failure: &AppError) -> ScriptAction {
    let error = failure.message.clone();
    let end = ScriptedEnd::Fail { error, at: String::new(), retryable: Some(false) };
    ScriptAction { line: 0, act: ActionKind::End(end) }
}

fn bundle(file: &std::path::Path) -> Result<Bundle, AppError> {
    let unreadable = |error: String| {
        AppError::usage("bundle", format!("cannot read the bundle {}", file.display())).cause(error)
    };
    let bytes = std::fs::read(file).map_err(|error| unreadable(error.to_string()))?;
    serde_json::from_slice(&bytes).map_err(|error| unreadable(error.to_string()))
}

/// One action, in one line.
fn described(deed: &ScriptAction) -> String {
    let text = match &deed.act {
        ActionKind::Write { path, text } => format!("write {path} ({} bytes)", text.len()),
        ActionKind::Append { path, text } => format!("append to {path} ({} bytes)", text.len()),
        ActionKind::Edit { path, .. } => format!("edit {path}"),
        ActionKind::Delete { path } => format!("delete {path}"),
        ActionKind::Listed { .. } => "write every listed file".to_owned(),
        ActionKind::Run { command, .. } => format!("run {command}"),
        ActionKind::Child { command } => format!("leave behind {command}"),
        ActionKind::Sleep(span) => format!("sleep {span:?}"),
        ActionKind::Say(text) => format!("say {text}"),
        ActionKind::Use(usage) => format!("use {} tokens", usage.tokens()),
        ActionKind::StepDone(number) => format!("step {number} is done"),
        ActionKind::Hostile(kind) => format!("print hostile output: {kind:?}"),
        ActionKind::Chance { .. } => unreachable!("chances are settled"),
        ActionKind::End(end) => ending(end),
    };
    format!("{:>4}  {}", deed.line, safe(&text))
}

fn ending(end: &ScriptedEnd) -> String {
    match end {
        ScriptedEnd::Claim { files, .. } => format!("say that it is done: {}", files.join(", ")),
        ScriptedEnd::Ask { question, .. } => format!("ask {question}"),
        ScriptedEnd::Need { action, .. } => format!("need {action}"),
        ScriptedEnd::Fail { error, .. } => format!("give up: {error}"),
        ScriptedEnd::Approve(summary) => format!("approve: {summary}"),
        ScriptedEnd::RequestChanges { summary, .. } => format!("request changes: {summary}"),
        ScriptedEnd::Answer(text) => format!("answer {text}"),
        ScriptedEnd::Exit(code) => format!("end with code {code}, without an answer"),
        ScriptedEnd::Crash(signal) => format!("end by signal {signal}"),
        ScriptedEnd::Hang(_) => "hang".to_owned(),
    }
}
