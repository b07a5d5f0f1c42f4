//! `afresh init`: writes `.afresh/config.toml`, after showing it.

use std::fs;
use std::path::{Path, PathBuf};

use afresh_app::formats::project::{self, CheckKind, FileListing, ProjectStack};
use serde_json::json;

use crate::commands::setup::session_files::{self, SessionArgs};
use crate::commands::setup::write_config::{ConfigWriter, WriteConsent};
use crate::exit::Exit;
use crate::terminal::output::{Output, safe};
use crate::terminal::prompt::UserPrompt;
use afresh_app::agents::programs;
use afresh_app::context::AppContext;
use afresh_app::error::AppError;
use afresh_app::setup::init::agents::{self, FoundAgent};
use afresh_app::setup::init::files;
use afresh_app::setup::init::template::{self, CheckOrigin, ConfigChoices};
use afresh_app::setup::init::trial::{self, TriedCommand};

/// Write a configuration for this repository, or what your own agent sessions need
///
/// With --claude, --codex, --gemini or --opencode, the configuration stays as it is: the tools of `afresh mcp`, and
/// commands that call them, are installed for sessions in these programs. Everything else in their files stays byte for
/// byte, and --remove takes exactly that away.
#[derive(Debug, clap::Args)]
#[expect(clippy::struct_excessive_bools, reason = "one per flag")]
pub(crate) struct Args {
    /// The agent: claude, codex, gemini, opencode, or any command line
    #[arg(long, value_name = "NAME")]
    agent: Option<String>,
    /// Run this check on every merge instead of the detected ones; may be repeated
    #[arg(long, value_name = "COMMAND")]
    check: Vec<String>,
    /// Run no check on every merge
    #[arg(long, conflicts_with = "check")]
    no_check: bool,
    /// How many workers run at the same time
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u16).range(1..=1000))]
    parallel: u16,
    /// Do not run the proposed commands once in a clean clone
    #[arg(long)]
    no_try: bool,
    /// Write without asking
    #[arg(short, long)]
    yes: bool,
    /// Show the file, and exit
    #[arg(long)]
    dry_run: bool,
    /// Replace an existing configuration
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    sessions: SessionArgs,
}

pub(crate) fn init(args: &Args, context: &AppContext, output: &Output) -> Result<Exit, AppError> {
    let root = root(&context.directory()?);
    let consent = WriteConsent { yes: args.yes, dry_run: args.dry_run, force: args.force };
    if let Some(setup) = args.sessions.setup(&root, context)? {
        return session_files::change_files(&setup, consent, context, output);
    }
    let target = match &context.config_file {
        Some(file) => context.directory()?.join(file),
        None => root.join(".afresh/config.toml"),
    };
    let found = DetectedProject::in_repository(&root, context);
    if !output.json {
        found.print_detected(args.agent.as_deref(), output);
    }
    let asker = UserPrompt::there(output).filter(|_| !args.yes && !args.dry_run);
    let mut choices = choices(args, &found, asker.as_ref());
    if let Some(note) = choices
        .agent
        .as_ref()
        .and_then(|agent| agents::describe_missing(agent, &root, &context.environment))
    {
        output.note(&format!("note: {note}"));
    }
    let tried = try_commands(args, &root, &choices, context, output);
    let origin = if args.check.is_empty() { CheckOrigin::Detected } else { CheckOrigin::Named };
    for it in tried.iter().filter(|it| it.passed_without_a_test()) {
        output.note(&format!("note: {}", safe(&choices.judge_empty_check(&it.command, origin))));
    }
    let text = template::render(&choices);
    let before = fs::read_to_string(&target).ok();
    let mut writing = ConfigWriter { output, consent, target, text, before, asker, written: false };
    if !output.json {
        writing.show();
    }
    let outcome = writing.write();
    if output.json && outcome.is_ok() {
        output.document(&json!({
            "file": writing.target, "text": writing.text, "written": writing.written,
            "agents": found.agents, "stacks": found.stacks, "tried": tried,
        }));
    }
    outcome?;
    if writing.written {
        advise(&choices, &found, &root, output);
    }
    Ok(Exit::Done)
}

/// Shows what the chosen commands do before they judge any work.
fn try_commands(
    args: &Args,
    root: &Path,
    choices: &ConfigChoices,
    context: &AppContext,
    output: &Output,
) -> Vec<TriedCommand> {
    if args.no_try || args.dry_run || choices.checks.is_empty() {
        return Vec::new();
    }
    let announce =
        |command: &str| output.note(&format!("trying `{}` in a clean clone", safe(command)));
    let environment = &context.environment;
    let tried = trial::try_commands(root, &choices.setup, &choices.checks, environment, announce);
    let tried = match tried {
        Ok(tried) => tried,
        Err(why) => {
            output.note(&format!("note: the commands were not tried: {}", safe(&why)));
            return Vec::new();
        }
    };
    for it in &tried {
        output.note(&format!("  `{}`: {} after {:.1} s", safe(&it.command), it.ended, it.seconds));
        it.last_lines.iter().for_each(|line| output.note(&format!("    {}", safe(line))));
    }
    if tried.iter().any(|it| !it.passed) {
        output.note(
            "note: not everything passed. A check must pass on every merge: correct the command in the file, or \
             repair the project first",
        );
    }
    tried
}

/// The root of the checkout around a directory; without git, the directory itself.
fn root(directory: &Path) -> PathBuf {
    let above = directory.ancestors().find(|place| place.join(".git").exists());
    above.unwrap_or(directory).to_owned()
}

/// What was detected in the repository.
struct DetectedProject {
    listing: FileListing,
    stacks: Vec<ProjectStack>,
    /// Installed agents.
    agents: Vec<&'static str>,
}

impl DetectedProject {
    fn in_repository(root: &Path, context: &AppContext) -> Self {
        let listing = files::list(root);
        let agents = agents::names()
            .filter(|name| programs::find(name, &context.environment).is_ok())
            .collect();
        Self { stacks: project::discover(&listing), listing, agents }
    }

    fn print_detected(&self, wanted: Option<&str>, output: &Output) {
        for stack in &self.stacks {
            output.note(&format!("found {} ({})", stack.name, stack.file));
        }
        match self.agents.as_slice() {
            [] if wanted.is_some() => {}
            [] => output.note("found no agent: `afresh agents install NAME` installs one"),
            agents => output.note(&format!("found agents: {}", agents.join(", "))),
        }
    }

    fn commands(&self, wanted: impl Fn(&ProjectStack, CheckKind) -> bool) -> Vec<String> {
        let checks =
            self.stacks.iter().flat_map(|stack| stack.checks.iter().map(move |c| (stack, c)));
        let chosen = checks.filter(|(stack, check)| wanted(stack, check.kind));
        chosen.map(|(_, check)| check.command.clone()).collect()
    }
}

/// The tests of a stack; where there are none, its build.
fn proves(stack: &ProjectStack, kind: CheckKind) -> bool {
    let tested = stack.checks.iter().any(|check| check.kind == CheckKind::Test);
    kind == if tested { CheckKind::Test } else { CheckKind::Build }
}

fn choices(args: &Args, found: &DetectedProject, asker: Option<&UserPrompt>) -> ConfigChoices {
    let agent = agent(args, found, asker);
    let proposed = found.commands(proves);
    let checks = match (&args.check[..], args.no_check, asker) {
        ([], true, _) => Vec::new(),
        ([], false, Some(asker)) => ask_checks(asker, proposed),
        ([], false, None) => proposed,
        (given, ..) => given.to_vec(),
    };
    let all = found.commands(|_, _| true);
    let mut choices = ConfigChoices {
        agent,
        parallel: args.parallel,
        more_checks: all.into_iter().filter(|command| !checks.contains(command)).collect(),
        checks,
        ..ConfigChoices::default()
    };
    for stack in &found.stacks {
        choices.setup.extend(stack.setup.iter().cloned());
        for path in &stack.keep {
            if !choices.keep.contains(path) {
                choices.keep.push(path.clone());
            }
        }
    }
    choices
}

fn agent(args: &Args, found: &DetectedProject, asker: Option<&UserPrompt>) -> Option<FoundAgent> {
    if let Some(named) = &args.agent {
        return agents::named(named);
    }
    let first = found.agents.first();
    // With a single installed agent there is nothing to ask.
    let answer = match (asker, found.agents.len()) {
        (Some(asker), 0) => ask_agent(asker, "Which command starts your agent?", "none"),
        (Some(asker), 2..) => {
            let question = format!("Which agent ({})?", found.agents.join(", "));
            ask_agent(asker, &question, first.copied().unwrap_or_default())
        }
        _ => first.map(|name| (*name).to_owned()),
    };
    answer.and_then(|name| agents::named(&name))
}

/// The agent's name or command; none if the user has none.
fn ask_agent(asker: &UserPrompt, question: &str, default: &str) -> Option<String> {
    loop {
        let answer = asker.ask(question, default)?;
        match answer.to_lowercase().as_str() {
            _ if is_none(&answer) => return None,
            "y" | "yes" if default == "none" => {}
            "y" | "yes" => return Some(default.to_owned()),
            _ => return Some(answer),
        }
    }
}

/// No agent and no check has such a name.
fn is_none(answer: &str) -> bool {
    matches!(answer.to_lowercase().as_str(), "none" | "n" | "no" | "-")
}

fn ask_checks(asker: &UserPrompt, proposed: Vec<String>) -> Vec<String> {
    let default = if proposed.is_empty() { "none".to_owned() } else { proposed.join(" && ") };
    match asker.ask("Which command must pass on every merge (`none` for no check)?", &default) {
        Some(answer) if answer == default => proposed,
        Some(answer) if is_none(&answer) => Vec::new(),
        Some(answer) if matches!(answer.to_lowercase().as_str(), "y" | "yes") => proposed,
        Some(answer) => vec![answer],
        None => proposed,
    }
}

/// What is left to do.
fn advise(choices: &ConfigChoices, found: &DetectedProject, root: &Path, output: &Output) {
    let open = project::not_ignored(&found.listing, &choices.keep);
    if !open.is_empty() {
        output.note(&format!(
            "note: git does not ignore {}; add it to .gitignore, or it counts as a change by workers",
            open.join(", ")
        ));
    }
    output.note(if root.join(".git").exists() {
        "Next: check your setup with `afresh doctor`, then commit this file"
    } else {
        "Next: there is no git repository here, and a run needs one: `git init` and commit your files, or \
         `afresh run --init-git PLAN`; `afresh doctor` checks your setup"
    });
}
