//! `afresh bundle …`: what a worker is given.

use std::path::PathBuf;

use afresh_core::run::TaskStage;
use serde_json::{Value, json};

use crate::commands::planning::PlanArgs;
use crate::exit::Exit;
use crate::reporters::bundles;
use crate::terminal::completion;
use crate::terminal::output::Output;
use afresh_app::context::AppContext;
use afresh_app::error::AppError;
use afresh_app::session::runs::select;
use afresh_app::tasks::bundles::generate::{GeneratedBundle, open_parts};
use afresh_app::tasks::bundles::select::{BundleSelection, list_kept};
use afresh_app::tasks::bundles::subject::{BundleScope, BundleSubject};
use afresh_app::tasks::bundles::{cleanup, integrity, validate};

/// Make, check, list and remove bundles: what a worker is given
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    action: BundleAction,
}

#[derive(Debug, clap::Subcommand)]
enum BundleAction {
    /// Make the bundle for the next worker of a task, and print its path
    Generate {
        /// The task
        #[arg(add = completion::tasks())]
        task: String,
        #[command(flatten)]
        of: ScopeArgs,
        /// Print the bundle instead, and write nothing
        #[arg(long, conflicts_with = "prompt")]
        stdout: bool,
        /// Print the prompt instead, and write nothing
        #[arg(long)]
        prompt: bool,
    },
    /// Make a bundle for every task that is ready
    GenerateReady {
        #[command(flatten)]
        of: ScopeArgs,
    },
    /// Check that bundles fit their schema (`afresh schema bundle`)
    Validate {
        #[command(flatten)]
        which: SelectionArgs,
    },
    /// Check that the files that bundles were made from are unchanged
    ValidateIntegrity {
        #[command(flatten)]
        which: SelectionArgs,
    },
    /// List the bundles of a run: state, tokens, share of the context window, age
    List {
        /// Use this run instead of the last one
        #[arg(long, value_name = "RUN", add = completion::runs())]
        run: Option<String>,
    },
    /// Remove the bundles of finished attempts and those made by `generate`
    Clean {
        /// Use this run instead of the last one
        #[arg(long, value_name = "RUN", add = completion::runs())]
        run: Option<String>,
    },
}

/// The run or plan that bundles are made for.
#[derive(Debug, clap::Args)]
struct ScopeArgs {
    /// Use this run instead of the last one
    #[arg(long, value_name = "RUN", add = completion::runs(), conflicts_with = "plan")]
    run: Option<String>,
    /// Use this plan, which needs no run
    #[arg(long, value_name = "PLAN")]
    plan: Option<PathBuf>,
    #[command(flatten)]
    how: PlanArgs,
}

impl ScopeArgs {
    fn find(&self, context: &AppContext, output: &Output) -> Result<BundleSubject, AppError> {
        let (run, plan, how) = (self.run.clone(), self.plan.clone(), self.how.options());
        output.with_notices(|notices| BundleScope { run, plan, how }.find(context, notices))
    }
}

/// Which bundles are meant.
#[derive(Debug, clap::Args)]
struct SelectionArgs {
    /// A bundle file, or a task, whose last bundle is used; without it, all bundles of the run
    #[arg(value_name = "FILE|TASK", add = completion::tasks())]
    names: Vec<String>,
    /// Use this run instead of the last one
    #[arg(long, value_name = "RUN", add = completion::runs())]
    run: Option<String>,
}

impl SelectionArgs {
    fn selection(&self) -> BundleSelection {
        BundleSelection { names: self.names.clone(), run: self.run.clone() }
    }
}

pub(crate) fn bundle(args: &Args, context: &AppContext, output: &Output) -> Result<Exit, AppError> {
    match &args.action {
        BundleAction::Generate { task, of, stdout, prompt } => {
            let subject = of.find(context, output)?;
            generate(&subject, task, BundleOutput::from_flags(*stdout, *prompt), output)
        }
        BundleAction::GenerateReady { of } => generate_ready(&of.find(context, output)?, output),
        BundleAction::Validate { which } => validate_schema(&which.selection(), context, output),
        BundleAction::ValidateIntegrity { which } => {
            validate_integrity(&which.selection(), context, output)
        }
        BundleAction::List { run } => list(run.as_deref(), context, output),
        BundleAction::Clean { run } => clean(run.as_deref(), context, output),
    }
}

/// What is printed of a bundle that was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum BundleOutput {
    Path,
    Bundle,
    Prompt,
}

impl BundleOutput {
    fn from_flags(stdout: bool, prompt: bool) -> Self {
        match (stdout, prompt) {
            (true, _) => Self::Bundle,
            (_, true) => Self::Prompt,
            _ => Self::Path,
        }
    }
}

fn generate(
    subject: &BundleSubject,
    task: &str,
    print: BundleOutput,
    output: &Output,
) -> Result<Exit, AppError> {
    let id = select::find_task(&subject.run, task)?;
    let at = subject.run.plan().index_of(&id).expect("it is a task of the plan");
    let generated = GeneratedBundle::make(subject, at)?;
    output.notices(open_parts(subject, at));
    match (print, output.json) {
        (BundleOutput::Bundle, _) => output.data(&generated.made.bundle),
        (BundleOutput::Prompt, true) => output.document(&json!({"prompt": generated.made.prompt})),
        (BundleOutput::Prompt, false) => output.data(generated.made.prompt.trim_end()),
        (BundleOutput::Path, true) => {
            output.document(&bundles::generated_json(&generated, &generated.save(subject)?));
        }
        (BundleOutput::Path, false) => {
            bundles::print_generated(&generated, &generated.save(subject)?, output);
        }
    }
    Ok(warn_if_too_large(&generated, output))
}

fn generate_ready(subject: &BundleSubject, output: &Output) -> Result<Exit, AppError> {
    let run = &subject.run;
    let ready = run
        .plan()
        .indices()
        .filter(|at| run.task(*at).stage == TaskStage::Idle && run.is_ready(*at))
        .filter(|at| run.plan().task(*at).checkpoint.is_none());
    let (mut made, mut exit): (Vec<Value>, _) = (Vec::new(), Exit::Done);
    for at in ready {
        let generated = GeneratedBundle::make(subject, at)?;
        let directory = generated.save(subject)?;
        if output.json {
            made.push(bundles::generated_json(&generated, &directory));
        } else {
            bundles::print_generated(&generated, &directory, output);
        }
        if warn_if_too_large(&generated, output) != Exit::Done {
            exit = Exit::Incomplete;
        }
    }
    if output.json {
        output.document(&json!({"run": run.id(), "bundles": made}));
    }
    Ok(exit)
}

fn warn_if_too_large(generated: &GeneratedBundle, output: &Output) -> Exit {
    output.notices(generated.warning());
    if generated.fits() { Exit::Done } else { Exit::Incomplete }
}

fn validate_schema(
    selection: &BundleSelection,
    context: &AppContext,
    output: &Output,
) -> Result<Exit, AppError> {
    let selected = selection.find(context)?;
    let findings = validate::check(&selected)?;
    bundles::print_findings(&selected, &findings, output);
    Ok(if findings.is_empty() { Exit::Done } else { Exit::Incomplete })
}

fn validate_integrity(
    selection: &BundleSelection,
    context: &AppContext,
    output: &Output,
) -> Result<Exit, AppError> {
    let repository = context.repository()?;
    let run = selection.run(&repository)?;
    let checked = integrity::check(&repository, run.as_ref(), &selection.find(context)?)?;
    bundles::print_integrity(&checked, output);
    Ok(if checked.iter().all(|one| one.ok) { Exit::Done } else { Exit::Incomplete })
}

fn list(run: Option<&str>, context: &AppContext, output: &Output) -> Result<Exit, AppError> {
    let repository = context.repository()?;
    let (run, kept) = list_kept(&repository, run)?;
    bundles::print_list(run.as_ref(), &kept, output);
    Ok(Exit::Done)
}

fn clean(run: Option<&str>, context: &AppContext, output: &Output) -> Result<Exit, AppError> {
    let repository = context.repository()?;
    let (run, kept) = list_kept(&repository, run)?;
    let cleanup = cleanup::remove_unneeded(run.as_ref(), &kept)?;
    bundles::print_cleanup(run.as_ref(), &cleanup, output);
    Ok(Exit::Done)
}
