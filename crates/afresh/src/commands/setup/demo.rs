//! `afresh demo`: a whole run in a scratch repository, without a key or a network.

use afresh_agents::AgentProgram;
use afresh_app::store::write_atomically;
use afresh_core::run::DriveState;
use afresh_core::run::settings::OnDecision;
use afresh_engine::RepoContext;
use afresh_engine::reports::run_report::RunReport;
use std::collections::BTreeMap;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::commands::planning::plan::outcome::PlannedSpec;
use crate::commands::planning::plan::request::SpecRequest;
use crate::commands::running::drive::{Interaction, drive};
use crate::demo::{self, DemoScript, ScratchRepo, ScriptedModel};
use crate::exit::Exit;
use crate::reporters::summary;
use crate::terminal::output::{Output, Paint};
use crate::terminal::questions::{TerminalRole, TerminalUser};
use afresh_app::agents::which;
use afresh_app::config;
use afresh_app::context::AppContext;
use afresh_app::error::AppError;
use afresh_app::plan_source;
use afresh_app::plan_source::PlanReadOptions;
use afresh_app::planner::stages::PlanningRoute;
use afresh_app::session::open::RunRequest;
use afresh_app::session::{RunOptions, Session};
use afresh_app::text::report_page;

const CONFIG: &str = ".afresh/config.toml";
/// The configuration of the built-in workers.
const SCRIPTED: &str = include_str!("../../demo/project/config.toml");

/// How long a worker pretends to think.
const PAUSE: Duration = Duration::from_millis(240);
const SLOW_PAUSE: Duration = Duration::from_secs(3);

/// Watch a whole run in a scratch repository; no key, no network
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Keep the scratch repository
    #[arg(long)]
    keep: bool,
    /// Run slowly enough to watch
    #[arg(long)]
    slow: bool,
    /// The seed that decides which workers fail
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Never ask in this terminal; use the first answer
    #[arg(long)]
    no_input: bool,
    /// Use a real agent program with a scripted model, so that it needs no key and costs nothing
    #[arg(long, value_name = "NAME", value_parser = agent_words(), conflicts_with_all = ["slow", "seed"])]
    agent: Option<String>,
}

fn agent_words() -> clap::builder::PossibleValuesParser {
    clap::builder::PossibleValuesParser::new(AgentProgram::ALL.iter().map(|program| program.name()))
}

pub(crate) fn demo(args: &Args, context: &AppContext, output: &Output) -> Result<Exit, AppError> {
    // Messages are for people, whatever scripts want on standard output.
    let people = output.for_people();
    let git = context.git()?;
    let program = args.agent.as_deref().and_then(AgentProgram::from_name);
    let played = program.map(ScriptedModel::by).transpose()?;
    let mut scratch = ScratchRepo::new(&under(program, context)?, args.keep)?;
    match &played {
        Some(played) => scratch.fill(&[(CONFIG, &played.config())])?,
        None => scratch.fill(&[(CONFIG, SCRIPTED), (".afresh/script.toml", &direction(args))])?,
    }
    introduce(program, &scratch, &people);
    let repository = scratch.repository();
    let place = RepoContext::find(&git, &repository, None, scratch.cache())?;
    let config = config::load(&repository, None)?;
    let asks = !args.no_input && TerminalUser::at_terminal(output, TerminalRole::Driver).is_some();
    let variables = match &played {
        Some(played) => played.variables(&scratch.home()?),
        None => BTreeMap::new(),
    };
    let hosts = played.as_ref().and_then(ScriptedModel::host).into_iter().collect();
    let interaction = Interaction::from_no_input(!asks);
    // Without a person the first answer counts.
    let on_decision = (!asks).then_some(OnDecision::First);
    let options = RunOptions { on_decision, variables, hosts, ..RunOptions::default() };
    // As if it were started in the scratch repository, with a cache of its own.
    let context = &context.moved_to(&repository, &scratch.cache());
    let planned = plan_spec(&options, interaction, context, &people)
        .inspect_err(|_| scratch.keep_directory())?;
    let file = match planned {
        PlannedSpec::Ready(planned) => {
            plan_source::load(&repository, &planned.path, &PlanReadOptions::default())?
        }
        PlannedSpec::Ended(exit) => return Ok(unplanned(&mut scratch, exit, &people)),
    };
    let session = Session { context, options: &options };
    let prepared =
        people.with_notices(|notices| session.prepare(place.clone(), file, config, notices))?;
    let ended = drive(prepared, &RunRequest::default(), interaction, context, &people)
        .inspect_err(|_| scratch.keep_directory())?;
    summary::print_outcome(&ended, &people);
    if ended.standing != (DriveState::Finished { ok: true }) {
        return Ok(unfinished(&mut scratch, ended.standing, &people));
    }
    let report = report_of(&place)?;
    demo::print_outcome(&report, &people);
    hand_over(&report, &scratch, output)?;
    demo::try_next(scratch.is_kept().then_some(repository.as_path()), &our_name(context), &people);
    Ok(Exit::Done)
}

/// From the specification to a plan.
fn plan_spec(
    options: &RunOptions,
    interaction: Interaction,
    context: &AppContext,
    output: &Output,
) -> Result<PlannedSpec, AppError> {
    let route = Some(PlanningRoute::Quick);
    let asked = SpecRequest::new(Path::new("todo.md"), options, interaction);
    let request = SpecRequest { yes: true, route, ..asked };
    request.make_plan(context, output)
}

/// Halted before there was a plan, or no plan was found.
fn unplanned(scratch: &mut ScratchRepo, exit: Exit, output: &Output) -> Exit {
    if exit == Exit::Halted {
        output.note("  halted; the demo starts over each time");
    } else {
        scratch.keep_directory();
    }
    exit
}

/// What the built-in workers do.
fn direction(args: &Args) -> String {
    let pause = if args.slow { SLOW_PAUSE } else { PAUSE };
    DemoScript { seed: args.seed, pause }.script()
}

/// Where the scratch repository goes: some programs refuse to work in world-writable directories, such
/// as the usual one for temporary files.
fn under(program: Option<AgentProgram>, context: &AppContext) -> Result<PathBuf, AppError> {
    let Some(cache) = context.environment.cache_directory().filter(|_| program.is_some()) else {
        return Ok(std::env::temp_dir());
    };
    let place = cache.join("demo");
    std::fs::create_dir_all(&place)
        .map_err(|error| AppError::cannot_write("scratch", &place, error))?;
    Ok(place)
}

/// How to call us: by name, where a shell finds that.
fn our_name(context: &AppContext) -> String {
    match which::find("afresh", &context.environment.search_path()) {
        Err(_) => context.environment.executable.display().to_string(),
        Ok(_) => "afresh".to_owned(),
    }
}

fn introduce(program: Option<AgentProgram>, scratch: &ScratchRepo, output: &Output) {
    let title = output.paint(Paint::Cyan, "afresh demo");
    output.note(&format!(
        "{title}: a to-do list for the shell, from a specification to merged commits."
    ));
    match program {
        None => {
            output.note("  The agents follow a script; no model is called, and tokens and dollars are invented.");
            output
                .note("  git, private clones, checks and merges are real. Some agents misbehave: the planner");
            output.note(
                "  forgets a requirement, one worker makes a mistake, one lies, two change the same\n  line, one asks a question.",
            );
        }
        Some(program) => {
            let name = program.name();
            output.note(&format!(
                "  Every worker is a real {name} process; its model is a local server that follows"
            ));
            output.note("  a script: it costs nothing, and tokens and dollars are invented. git, private clones,");
            output.note("  checks and merges are real. Two workers change the same line.");
        }
    }
    if scratch.is_kept() {
        output.note(&format!("  Scratch repository: {}", scratch.repository().display()));
    }
    output.note("");
}

/// Halted, or failed: the scratch repository is kept for inspection.
fn unfinished(scratch: &mut ScratchRepo, standing: DriveState, output: &Output) -> Exit {
    if standing == DriveState::Halted {
        output.note("  halted; the demo starts over each time");
    } else {
        scratch.keep_directory();
        let place = scratch.repository();
        output.note(&format!("  inspect it in {}; a demo a day later removes it", place.display()));
    }
    standing.into()
}

fn report_of(repository: &RepoContext) -> Result<RunReport, AppError> {
    let found = afresh_app::session::runs::select::find_run(repository, None)?;
    let around = afresh_app::session::runs::report_context(repository, &found.run)?;
    RunReport::from_run(&found, around).map_err(AppError::journal)
}

/// The report: on standard output, or as a file where standard output is a terminal.
fn hand_over(report: &RunReport, scratch: &ScratchRepo, output: &Output) -> Result<(), AppError> {
    if output.json {
        output.document(report);
        return Ok(());
    }
    let page = report_page::render(report);
    let terminal = std::io::stdout().is_terminal();
    if terminal || scratch.is_kept() {
        let file = report_file(scratch);
        write_atomically(&file, page.as_bytes())
            .map_err(|error| AppError::cannot_write("report", &file, error))?;
        output.note(&format!("  Report: {}", file.display()));
    }
    if !terminal {
        output.data(page.trim_end());
    }
    Ok(())
}

/// In the scratch directory if that is kept, else next to it.
fn report_file(scratch: &ScratchRepo) -> PathBuf {
    let directory = scratch.repository().parent().map(Path::to_owned).unwrap_or_default();
    if scratch.is_kept() { directory.join("report.md") } else { directory.with_extension("md") }
}
