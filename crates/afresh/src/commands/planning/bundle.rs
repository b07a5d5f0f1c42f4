//! `afresh bundle …`: what a worker is given.

use afresh_core::Run;
use afresh_core::ids::RunId;
use afresh_core::run::TaskStage;
use afresh_engine::RepoContext;
use afresh_engine::bundle::rendered::BUNDLE;
use afresh_engine::bundle::stored::StoredBundle;
use serde_json::{Value, json};

use crate::app::bundles::chosen::Which;
use crate::app::bundles::generate::{Generated, note_what_is_open};
use crate::app::bundles::subject::{Of, Subject};
use crate::app::bundles::{cleaning, integrity, listing, validate};
use crate::app::error::Failure;
use crate::app::plan_source::prospect;
use crate::app::session::select_run;
use crate::app::session::workplace;
use crate::cli::Common;
use crate::exit::Exit;
use crate::terminal::completion;
use crate::terminal::output::Output;

/// Make, check, list and remove bundles: what a worker is given
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    change: Change,
}

#[derive(Debug, clap::Subcommand)]
enum Change {
    /// Make what the next worker of a task would be given, and print where it is
    Generate {
        /// The task
        #[arg(add = completion::tasks())]
        task: String,
        #[command(flatten)]
        of: Of,
        /// Print the bundle instead, and write nothing
        #[arg(long, conflicts_with = "prompt")]
        stdout: bool,
        /// Print the prompt instead, and write nothing
        #[arg(long)]
        prompt: bool,
    },
    /// The same for every task that is ready
    GenerateReady {
        #[command(flatten)]
        of: Of,
    },
    /// See whether bundles are what `afresh schema bundle` says
    Validate {
        #[command(flatten)]
        which: Which,
    },
    /// See whether the files that bundles were made from are still the same
    ValidateIntegrity {
        #[command(flatten)]
        which: Which,
    },
    /// List the bundles of a run: state, tokens against the model's window, age
    List {
        /// Another run than the last one
        #[arg(long, value_name = "RUN", add = completion::runs())]
        run: Option<String>,
    },
    /// Remove the bundles of attempts that are over, and those that were made to be looked at
    Clean {
        /// Another run than the last one
        #[arg(long, value_name = "RUN", add = completion::runs())]
        run: Option<String>,
    },
}

pub(crate) fn bundle(args: &Args, common: &Common, output: &Output) -> Result<Exit, Failure> {
    match &args.change {
        Change::Generate { task, of, stdout, prompt } => {
            let subject = of.find(common, output)?;
            generate(&subject, task, Print::of(*stdout, *prompt), output)
        }
        Change::GenerateReady { of } => generate_ready(&of.find(common, output)?, output),
        Change::Validate { which } => validate::print(&which.find(common)?, output),
        Change::ValidateIntegrity { which } => {
            let place = workplace::find(common)?;
            let run = which.run(&place)?;
            integrity::print(&place, run.as_ref(), &which.find(common)?, output)
        }
        Change::List { run } => list(run.as_deref(), common, output),
        Change::Clean { run } => clean(run.as_deref(), common, output),
    }
}

/// What is printed of a bundle that was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Print {
    Path,
    Bundle,
    Prompt,
}

impl Print {
    fn of(stdout: bool, prompt: bool) -> Self {
        match (stdout, prompt) {
            (true, _) => Self::Bundle,
            (_, true) => Self::Prompt,
            _ => Self::Path,
        }
    }
}

fn generate(subject: &Subject, task: &str, print: Print, output: &Output) -> Result<Exit, Failure> {
    let id = select_run::task(&subject.run, task)?;
    let at = subject.run.plan().position(&id).expect("it is a task of the plan");
    let generated = Generated::of(subject, at)?;
    note_what_is_open(subject, at, output);
    match (print, output.json) {
        (Print::Bundle, _) => output.data(&generated.made.bundle),
        (Print::Prompt, true) => output.document(&json!({"prompt": generated.made.prompt})),
        (Print::Prompt, false) => output.data(generated.made.prompt.trim_end()),
        (Print::Path, true) => output.document(&generated.to_json(&generated.save(subject)?)),
        (Print::Path, false) => print_path(&generated, subject, output)?,
    }
    Ok(generated.exit(output))
}

fn generate_ready(subject: &Subject, output: &Output) -> Result<Exit, Failure> {
    let run = &subject.run;
    let ready = (0..run.plan().len())
        .filter(|at| run.task(*at).stage == TaskStage::Idle && run.is_ready(*at))
        .filter(|at| run.plan().task(*at).checkpoint.is_none());
    let (mut made, mut exit): (Vec<Value>, _) = (Vec::new(), Exit::Done);
    for at in ready {
        let generated = Generated::of(subject, at)?;
        if output.json {
            made.push(generated.to_json(&generated.save(subject)?));
        } else {
            print_path(&generated, subject, output)?;
        }
        if generated.exit(output) != Exit::Done {
            exit = Exit::Incomplete;
        }
    }
    if output.json {
        output.document(&json!({"run": run.id(), "bundles": made}));
    }
    Ok(exit)
}

fn print_path(generated: &Generated, subject: &Subject, output: &Output) -> Result<(), Failure> {
    let directory = generated.save(subject)?;
    let fill = generated.made.fill;
    output.data(&directory.join(BUNDLE).display().to_string());
    output.note(&format!(
        "{}.{}: {} tokens, {} % of {}",
        generated.task,
        generated.attempt,
        fill.used,
        fill.percent(),
        fill.window
    ));
    Ok(())
}

fn list(named: Option<&str>, common: &Common, output: &Output) -> Result<Exit, Failure> {
    let place = workplace::find(common)?;
    let (run, kept) = there(&place, named)?;
    listing::print(run.as_ref(), &kept, output);
    Ok(Exit::Done)
}

fn clean(named: Option<&str>, common: &Common, output: &Output) -> Result<Exit, Failure> {
    let place = workplace::find(common)?;
    let (run, kept) = there(&place, named)?;
    cleaning::clean(run.as_ref(), &kept, output)
}

/// The bundles of a run, and those of plans that nobody has started. The run is as it was after the
/// bundles were listed, so that whoever had one is known to be at work.
fn there(
    place: &RepoContext,
    named: Option<&str>,
) -> Result<(Option<Run>, Vec<StoredBundle>), Failure> {
    let of_plans = RunId::new(prospect::NAME).expect("a word is an id");
    let mut kept = StoredBundle::list(&place.layout, &of_plans);
    let found = match named {
        Some(id) => Some(select_run::find(place, Some(id))?),
        None => place.find_run(|_| true)?,
    };
    let Some(mut found) = found else { return Ok((None, kept)) };
    kept.extend(StoredBundle::list(&place.layout, found.run.id()));
    found.catch_up(place)?;
    Ok((Some(found.run), kept))
}
