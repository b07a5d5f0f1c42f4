//! `afresh mcp`: the tools and resources of a person's agent session, over the Model Context Protocol.
//!
//! Each tool is a command of afresh with fixed options: its arguments are checked, and the command is carried out in
//! this process with its output captured. No tool runs a command of the caller's choosing.
//!
//! | module | what it holds |
//! | --- | --- |
//! | [`answer`] | what a client is sent: bounded, redacted, harmless |
//! | [`catalog`] | the tools |
//! | [`command`] | from the arguments of a tool to a command, and its output |
//! | [`methods`] | what can be asked |
//! | [`resources`] | what can be read |
//! | [`server`] | reading requests, answering them, stopping |
//! | [`tool`] | what a tool is, and its schema |

mod answer;
mod catalog;
mod command;
mod methods;
mod resources;
mod server;
mod tool;

use std::sync::Mutex;

use afresh_app::context::AppContext;
use afresh_app::error::AppError;

pub(crate) use server::serve;

/// What every request of a session needs.
#[derive(Debug)]
pub(crate) struct McpSession {
    context: AppContext,
    /// The options of every command: directory and configuration.
    options: Vec<String>,
    /// Values that are never sent.
    secrets: Vec<String>,
    /// One command at a time; waiting is none.
    turn: Mutex<()>,
}

impl McpSession {
    /// Refuses inside an attempt: a worker must not steer its own run.
    pub(crate) fn new(context: &AppContext) -> Result<Self, AppError> {
        let environment = &context.environment;
        if environment.text("AFRESH_ATTEMPT").is_some() || environment.result_file().is_some() {
            return Err(AppError::usage(
                "in-attempt",
                "`afresh mcp` is for people's sessions, and this is an attempt of a run",
            )
            .hint("workers report with `afresh mcp --attempt`, which afresh starts for them"));
        }
        let directory = context.directory()?;
        let mut options = vec!["-C".to_owned(), directory.display().to_string()];
        if let Some(file) = &context.config_file {
            options.extend(["--config".to_owned(), file.display().to_string()]);
        }
        let secrets = environment.secrets();
        let context = AppContext { directory, ..context.clone() };
        Ok(Self { context, options, secrets, turn: Mutex::default() })
    }
}
