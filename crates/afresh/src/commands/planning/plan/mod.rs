//! `afresh plan SPEC`: from a specification to a plan.
//!
//! | module | what it holds |
//! | --- | --- |
//! | [`request`] | the whole way from a specification to a plan; also for `afresh run SPEC` |
//! | `validate` | `afresh plan validate` |

pub(crate) mod request;
mod validate;

use std::path::{Path, PathBuf};

use serde_json::json;

use crate::commands::running::run_args::RunArgs;
use crate::exit::Exit;
use crate::terminal::output::Output;
use afresh_app::context::AppContext;
use afresh_app::error::AppError;
use afresh_app::planning::checkout::CheckoutFiles;
use afresh_app::planning::specification;
use request::{ModeChoice, PlannedSpec, SpecRequest};

/// Make a plan from a specification
///
/// Audits the specification, cuts it into statements, looks at the repository, and lets a fresh agent write a plan that
/// serves every statement. The plan is validated by afresh before it is shown: coverage, paths, order, sizes, and each
/// check is run on the current code. The files are in .afresh/plans/NAME.
#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
#[expect(clippy::struct_excessive_bools, reason = "each is an option of the command line")]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Option<PlanCommand>,
    /// A Markdown file, a directory of a specification tool, or - for standard input; without it, the specifications in
    /// this repository are listed
    spec: Option<PathBuf>,
    /// The name of the plan's directory; by default, that of the specification
    #[arg(long)]
    name: Option<String>,
    /// What to build it with, in your words; every planning prompt has it
    #[arg(long, value_name = "TEXT")]
    stack: Option<String>,
    /// Plan every phase of the specification, not only the first
    #[arg(long)]
    all_phases: bool,
    /// Replace the stored specification with the given one, if it changed
    #[arg(long)]
    update: bool,
    /// Plan once more from the beginning, even if this specification was planned before
    #[arg(long)]
    new: bool,
    /// Do not ask before planning starts
    #[arg(long, short)]
    yes: bool,
    #[command(flatten)]
    options: RunArgs,
}

#[derive(Debug, clap::Subcommand)]
enum PlanCommand {
    Validate(validate::Args),
}

pub(crate) fn plan(args: &Args, context: &AppContext, output: &Output) -> Result<Exit, AppError> {
    if let Some(PlanCommand::Validate(args)) = &args.command {
        return validate::validate(args, context, output);
    }
    let Some(spec) = &args.spec else {
        let files = CheckoutFiles::list(context.git().ok().as_ref(), &context.directory()?);
        return list_candidates(files.root(), output);
    };
    let request = SpecRequest {
        spec,
        name: args.name.as_deref(),
        stack: args.stack.as_deref(),
        all_phases: args.all_phases,
        update: args.update,
        new: args.new,
        yes: args.yes,
        mode: ModeChoice::Planned,
        options: &args.options,
    };
    match request.make_plan(context, output)? {
        PlannedSpec::Ended(exit) => Ok(exit),
        PlannedSpec::Ready(planned) => Ok(planned.print(output)),
    }
}

fn list_candidates(root: &Path, output: &Output) -> Result<Exit, AppError> {
    let found = specification::candidates(root);
    if output.json {
        let specs =
            found.iter().map(|it| json!({"path": it.path, "kind": it.kind, "name": it.name}));
        output.document(&json!({"specifications": specs.collect::<Vec<_>>()}));
    } else if found.is_empty() {
        return Err(AppError::usage("spec", "no specification was found here")
            .hint("name a Markdown file: `afresh plan SPEC.md`"));
    } else {
        output.prose("Specifications here:");
        for it in &found {
            output.prose(&format!("  {:<40} {}", it.path, it.kind.word()));
        }
        output.prose("\n`afresh plan SPEC` plans one of them.");
    }
    Ok(Exit::Done)
}
