//! From the arguments of a tool to a command of afresh, which is carried out here with its output captured.

use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::PoisonError;
use std::time::{Duration, Instant};

use afresh_app::context::AppContext;
use afresh_app::error::AppError;
use afresh_app::session::await_person::RunWait;
use clap::Parser;
use serde_json::Value;

use super::McpSession;
use super::answer::{SessionAnswer, clean_value};
use super::catalog::MAX_WAIT_SECONDS;
use super::server::CallSwitch;
use super::tool::{ArgumentKind, ArgumentPlace, FROM_LINE, SessionTool, ToolAction, ToolArgument};
use crate::cli::Cli;
use crate::commands;
use crate::error;
use crate::exit::Exit;
use crate::terminal::capture::{CapturedOutput, CapturedText};
use crate::terminal::output::Output;

const DEFAULT_WAIT_SECONDS: u64 = 30;

/// The answer of a tool; every way to fail is one for the caller.
pub(super) fn call(
    tool: &SessionTool,
    arguments: &Value,
    call: &CallSwitch,
    session: &McpSession,
) -> Result<SessionAnswer, AppError> {
    refuse_unknown(tool, arguments)?;
    let from_line = number(&FROM_LINE, arguments)?.unwrap_or(1);
    let words = |words: &[&str]| command_line(tool, words, arguments, session);
    match tool.action {
        ToolAction::Wait => wait(arguments, call, session),
        ToolAction::Document(command) => {
            let words = words(command)?;
            let ended = session.carry_out(&words, CommandForm::Json)?;
            let answer = SessionAnswer::from_document(&ended, &session.secrets);
            match answer {
                Some(answer) if from_line == 1 => Ok(answer),
                // What is too long is read as text, page by page.
                _ if tool.is_read_only() => {
                    let ended = session.carry_out(&words, CommandForm::Text)?;
                    Ok(SessionAnswer::from_text(&ended, from_line, &session.secrets))
                }
                _ => Ok(SessionAnswer::from_text(&ended, 1, &session.secrets)),
            }
        }
        ToolAction::Text(command) => {
            let ended = session.carry_out(&words(command)?, CommandForm::Text)?;
            Ok(SessionAnswer::from_text(&ended, from_line, &session.secrets))
        }
        ToolAction::Launch(command) => {
            let mut words = words(command)?;
            words.insert(session.options.len() + 1, "--detach".to_owned());
            let ended = session.launch(&words)?;
            Ok(SessionAnswer::from_launch(&ended, &session.secrets))
        }
    }
}

/// How a command prints.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CommandForm {
    Json,
    Text,
}

/// A command that was carried out.
#[derive(Debug)]
pub(super) struct EndedCommand {
    pub(super) exit: Exit,
    pub(super) printed: CapturedText,
}

impl McpSession {
    /// Carries out a command line of our own making.
    pub(super) fn carry_out(
        &self,
        words: &[String],
        form: CommandForm,
    ) -> Result<EndedCommand, AppError> {
        let arguments: Vec<String> =
            std::iter::once("afresh".to_owned()).chain(words.iter().cloned()).collect();
        let cli = Cli::try_parse_from(&arguments)
            .map_err(|refused| error::from_usage(&refused, &arguments))?;
        let captured = CapturedOutput::default();
        let output = Output::captured(form == CommandForm::Json, &captured);
        // A process in the background is started with them, and the holder of a lock is named by them.
        let mut environment = self.context.environment.clone();
        environment.arguments = arguments;
        let context = AppContext { environment, ..self.context.clone() };
        let _turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        let exit = commands::dispatch(&cli, &context, &output)?;
        Ok(EndedCommand { exit, printed: captured.take() })
    }

    /// Starts a command with `--detach`, in a process of its own that ends as soon as the run is driven: programs that
    /// end a session end every process below its servers, and what that process started is below it no longer.
    fn launch(&self, words: &[String]) -> Result<EndedCommand, AppError> {
        let _turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        let ended = Command::new(&self.context.environment.executable)
            .arg("--json")
            .args(words)
            .stdin(Stdio::null())
            .output()
            .map_err(|error| {
                AppError::machine("detach", "cannot start afresh in the background")
                    .cause(error.to_string())
            })?;
        let exit = ended.status.code().and_then(Exit::from_code).unwrap_or(Exit::Bug);
        let messages = String::from_utf8_lossy(&ended.stderr).into_owned();
        Ok(EndedCommand { exit, printed: CapturedText::new(ended.stdout, messages) })
    }

    /// A command with the options of every command.
    pub(super) fn words(&self, command: &[&str]) -> Vec<String> {
        self.options.iter().cloned().chain(command.iter().map(|word| (*word).to_owned())).collect()
    }
}

/// Options first, each with its value in one word, and everything else after `--`: no value can become an option.
fn command_line(
    tool: &SessionTool,
    command: &[&str],
    arguments: &Value,
    session: &McpSession,
) -> Result<Vec<String>, AppError> {
    let mut words = session.words(command);
    let mut positional = Vec::new();
    for argument in tool.arguments {
        let values = values(argument, arguments, session)?;
        match (argument.place, values.is_empty()) {
            (ArgumentPlace::Required, true) => {
                return Err(invalid(format!("`{}` is missing", argument.name)));
            }
            (ArgumentPlace::Required | ArgumentPlace::Positional, _) => positional.extend(values),
            (ArgumentPlace::Option(option), false) if argument.kind == ArgumentKind::Flag => {
                words.push(option.to_owned());
            }
            (ArgumentPlace::Option(option), _) => {
                words.extend(values.into_iter().map(|value| format!("{option}={value}")));
            }
            (ArgumentPlace::Ours, _) => {}
        }
    }
    if !positional.is_empty() {
        words.push("--".to_owned());
        words.extend(positional);
    }
    Ok(words)
}

/// The values of an argument as words; none where it is missing, and of a flag that is not set.
fn values(
    argument: &ToolArgument,
    arguments: &Value,
    session: &McpSession,
) -> Result<Vec<String>, AppError> {
    let Some(given) = arguments.get(argument.name).filter(|given| !given.is_null()) else {
        return Ok(Vec::new());
    };
    let name = argument.name;
    match argument.kind {
        ArgumentKind::Text => Ok(vec![text(name, given)?]),
        ArgumentKind::Path => {
            let path = text(name, given)?;
            check_inside(&path, &session.context)?;
            Ok(vec![path])
        }
        ArgumentKind::Texts => {
            let list =
                given.as_array().ok_or_else(|| invalid(format!("`{name}` must be a list")))?;
            list.iter().map(|item| text(name, item)).collect()
        }
        ArgumentKind::Number { .. } => {
            Ok(number(argument, arguments)?.iter().map(u64::to_string).collect())
        }
        ArgumentKind::Dollars => match given.as_f64() {
            Some(dollars) => Ok(vec![dollars.to_string()]),
            None => Err(invalid(format!("`{name}` must be a number"))),
        },
        ArgumentKind::Flag => match given.as_bool() {
            Some(true) => Ok(vec![String::new()]),
            Some(false) => Ok(Vec::new()),
            None => Err(invalid(format!("`{name}` must be true or false"))),
        },
    }
}

/// Standard input is the client's, so that no command may read it.
fn text(name: &str, given: &Value) -> Result<String, AppError> {
    match given.as_str().map(str::trim) {
        None => Err(invalid(format!("`{name}` must be a text"))),
        Some("" | "-") => Err(invalid(format!("`{name}` is empty"))),
        Some(text) if text.contains('\0') => Err(invalid(format!("`{name}` has a NUL character"))),
        Some(text) => Ok(text.to_owned()),
    }
}

fn number(argument: &ToolArgument, arguments: &Value) -> Result<Option<u64>, AppError> {
    let Some(given) = arguments.get(argument.name).filter(|given| !given.is_null()) else {
        return Ok(None);
    };
    let ArgumentKind::Number { least, most } = argument.kind else { return Ok(None) };
    let valid = given.as_u64().filter(|number| (least..=most).contains(number));
    valid.map(Some).ok_or_else(|| {
        invalid(format!("`{}` must be a whole number from {least} to {most}", argument.name))
    })
}

/// A session is about one repository.
fn check_inside(path: &str, context: &AppContext) -> Result<(), AppError> {
    let directory = context.directory()?;
    let root = directory.ancestors().find(|place| place.join(".git").exists());
    let root = root.unwrap_or(&directory);
    let named = directory.join(Path::new(path));
    // What does not exist is reported by the command.
    let resolved = named.canonicalize().unwrap_or_else(|_| named.clone());
    let climbs = named.components().any(|part| part == std::path::Component::ParentDir);
    if resolved.starts_with(root) && (resolved != named || !climbs) {
        return Ok(());
    }
    Err(invalid(format!("{path} is outside of this repository"))
        .hint(format!("this session is about {}", root.display())))
}

fn refuse_unknown(tool: &SessionTool, arguments: &Value) -> Result<(), AppError> {
    let Some(given) = arguments.as_object() else {
        return Err(invalid("the arguments must be an object".to_owned()));
    };
    let known: Vec<&str> = tool.all_arguments().map(|argument| argument.name).collect();
    match given.keys().find(|name| !known.contains(&name.as_str())) {
        Some(name) => Err(invalid(format!("{} has no argument {name:?}", tool.name))
            .hint(format!("its arguments are: {}", known.join(", ")))),
        None => Ok(()),
    }
}

fn wait(
    arguments: &Value,
    call: &CallSwitch,
    session: &McpSession,
) -> Result<SessionAnswer, AppError> {
    let run = arguments.get("run").filter(|run| !run.is_null());
    let run = run.map(|run| text("run", run)).transpose()?;
    let seconds = match arguments.get("seconds").filter(|given| !given.is_null()) {
        None => DEFAULT_WAIT_SECONDS,
        Some(given) => {
            given.as_u64().filter(|seconds| *seconds <= MAX_WAIT_SECONDS).ok_or_else(|| {
                invalid(format!("`seconds` must be a whole number from 0 to {MAX_WAIT_SECONDS}"))
            })?
        }
    };
    let wait = RunWait {
        run: run.as_deref(),
        until: Instant::now() + Duration::from_secs(seconds),
        is_cancelled: &|| call.is_cancelled(),
    };
    let report = wait.wait(&session.context)?;
    let report =
        serde_json::to_value(&report).map_err(|error| AppError::bug("wait", error.to_string()))?;
    Ok(SessionAnswer::from_value(clean_value(report, &session.secrets)))
}

fn invalid(message: String) -> AppError {
    AppError::usage("arguments", message)
}
