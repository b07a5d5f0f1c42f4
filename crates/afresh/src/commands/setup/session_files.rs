//! `afresh init --claude` and its siblings: what people's agent sessions need, shown, written and taken away.

use std::path::Path;

use afresh_app::agents::which;
use afresh_app::context::AppContext;
use afresh_app::error::AppError;
use afresh_app::setup::init::sessions::changes::SessionFileAction;
use afresh_app::setup::init::sessions::programs::UserDirectories;
use afresh_app::setup::init::sessions::{
    InstallScope, SessionFileChange, SessionProgram, SessionSetup, SetupDirection,
};
use serde_json::json;

use crate::commands::setup::write_config::WriteConsent;
use crate::exit::Exit;
use crate::terminal::output::{Output, count};
use crate::terminal::prompt::UserPrompt;

/// For which agent programs, and where.
#[derive(Debug, clap::Args)]
#[expect(clippy::struct_excessive_bools, reason = "one per flag")]
pub(super) struct SessionArgs {
    /// Install the tools of `afresh mcp` and commands that call them for your sessions in Claude Code, and nothing else
    #[arg(long, conflicts_with_all = ["agent", "check", "no_check", "force"])]
    claude: bool,
    /// The same for Codex
    #[arg(long, conflicts_with_all = ["agent", "check", "no_check", "force"])]
    codex: bool,
    /// The same for Gemini CLI
    #[arg(long, conflicts_with_all = ["agent", "check", "no_check", "force"])]
    gemini: bool,
    /// The same for opencode
    #[arg(long, conflicts_with_all = ["agent", "check", "no_check", "force"])]
    opencode: bool,
    /// Install it for you, in every project, instead of into this one
    #[arg(long)]
    user: bool,
    /// Take away exactly what was installed
    #[arg(long)]
    remove: bool,
}

impl SessionArgs {
    fn programs(&self) -> Vec<SessionProgram> {
        let is_wanted = |program: &SessionProgram| match program {
            SessionProgram::Claude => self.claude,
            SessionProgram::Codex => self.codex,
            SessionProgram::Gemini => self.gemini,
            SessionProgram::Opencode => self.opencode,
        };
        SessionProgram::ALL.into_iter().filter(is_wanted).collect()
    }

    /// None if no program was named: then the configuration is meant.
    pub(super) fn setup(
        &self,
        root: &Path,
        context: &AppContext,
    ) -> Result<Option<SessionSetup>, AppError> {
        let programs = self.programs();
        if programs.is_empty() {
            return match (self.user, self.remove) {
                (false, false) => Ok(None),
                _ => Err(AppError::usage("usage", "`--user` and `--remove` need a program")
                    .hint("name at least one of --claude, --codex, --gemini, --opencode")),
            };
        }
        let scope = if self.user {
            InstallScope::User(UserDirectories::find(&context.environment).ok_or_else(|| {
                AppError::usage("home", "there is no home directory to install into")
                    .hint("set HOME")
            })?)
        } else {
            InstallScope::Project(root.to_owned())
        };
        let direction = if self.remove { SetupDirection::Remove } else { SetupDirection::Install };
        let secrets = context.environment.secrets();
        Ok(Some(SessionSetup { programs, scope, direction, secrets }))
    }
}

/// Shows every file before anything is written.
pub(super) fn change_files(
    setup: &SessionSetup,
    consent: WriteConsent,
    context: &AppContext,
    output: &Output,
) -> Result<Exit, AppError> {
    let changes = setup.find_changes();
    if !output.json {
        for change in &changes {
            show(change, output);
        }
    }
    let edits: Vec<&SessionFileChange> = changes.iter().filter(|change| change.is_edit()).collect();
    let is_agreed = !edits.is_empty() && agrees(edits.len(), consent, output)?;
    if is_agreed {
        edits.iter().try_for_each(|change| change.apply())?;
    }
    let left = changes.iter().any(|change| change.action == SessionFileAction::Leave);
    if output.json {
        output.document(&json!({"files": changes, "written": is_agreed}));
    } else if is_agreed {
        output.note(&format!("changed {}", count(edits.len(), "file")));
        if setup.direction == SetupDirection::Install {
            advise(setup, context, output);
        }
    } else if edits.is_empty() && !left {
        output.note("everything is as it should be");
    }
    Ok(if left { Exit::Incomplete } else { Exit::Done })
}

fn show(change: &SessionFileChange, output: &Output) {
    let path = change.path.display();
    match change.action {
        SessionFileAction::Create => {
            output.note(&format!("create {path}"));
            output.data(change.text.as_deref().unwrap_or_default().trim_end());
        }
        SessionFileAction::Change => {
            output.note(&format!("change {path}"));
            output.data(change.diff.as_deref().unwrap_or_default().trim_end());
        }
        SessionFileAction::Delete => output.note(&format!("delete {path}")),
        SessionFileAction::Same => {}
        SessionFileAction::Leave => {
            let reason = change.reason.as_deref().unwrap_or_default();
            output.message(&format!("warning: {path} is left alone: {reason}"));
            if let Some(hint) = &change.hint {
                output.message(&format!("  hint: {hint}"));
            }
        }
    }
}

fn agrees(files: usize, consent: WriteConsent, output: &Output) -> Result<bool, AppError> {
    if consent.dry_run {
        return Ok(false);
    }
    if consent.yes {
        return Ok(true);
    }
    let asker = UserPrompt::there(output).ok_or_else(|| {
        let message = "nothing was changed, because there is no terminal to ask in";
        AppError::usage("needs-yes", message)
            .hint("`--yes` changes the files, `--dry-run` only shows them")
    })?;
    let agreed = asker.agrees(&format!("Change {}?", count(files, "file")));
    if !agreed {
        output.note("nothing was changed");
    }
    Ok(agreed)
}

/// What is left to do.
fn advise(setup: &SessionSetup, context: &AppContext, output: &Output) {
    for program in &setup.programs {
        output.note(&format!("in {}, type {}", program.name(), program.invocations()));
    }
    if which::find("afresh", &context.environment.search_path()).is_err() {
        output.note("note: the entries start `afresh`, which is not on your PATH");
    }
    if matches!(setup.scope, InstallScope::Project(_)) {
        output.note(
            "Next: restart the program in this directory; it asks whether you trust the project's servers. Commit the \
             files if your team wants them too",
        );
    } else {
        output.note("Next: restart the program");
    }
    if setup.programs.contains(&SessionProgram::Claude) {
        output.note(
            "for a status line in Claude Code, add to its settings: \
             \"statusLine\": {\"type\": \"command\", \"command\": \"afresh statusline\"}",
        );
    }
}
