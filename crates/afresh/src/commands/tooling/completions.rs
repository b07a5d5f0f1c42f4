//! `afresh completions SHELL`: the script that makes a shell complete commands, tasks, runs and
//! questions.

use clap_complete::env::Shells;

use crate::exit::Exit;
use crate::terminal::completion::VARIABLE;
use crate::terminal::output::Output;
use afresh_app::error::AppError;

/// Print a shell's completion script
#[derive(Debug, clap::Args)]
#[command(after_help = "bash:  eval \"$(afresh completions bash)\"    in ~/.bashrc\n\
zsh:   eval \"$(afresh completions zsh)\"     in ~/.zshrc\n\
fish:  afresh completions fish | source     in ~/.config/fish/config.fish")]
pub(crate) struct Args {
    /// The shell
    #[arg(value_parser = ["bash", "zsh", "fish", "elvish", "powershell"])]
    shell: String,
}

pub(crate) fn completions(args: &Args, output: &Output) -> Result<Exit, AppError> {
    let shells = Shells::builtins();
    let shell = shells
        .completer(&args.shell)
        .ok_or_else(|| AppError::usage("shell", format!("unknown shell {:?}", args.shell)))?;
    let mut script = Vec::new();
    shell
        .write_registration(VARIABLE, "afresh", "afresh", "afresh", &mut script)
        .map_err(|error| AppError::bug("completions", error.to_string()))?;
    output.data(String::from_utf8_lossy(&script).trim_end());
    Ok(Exit::Done)
}
