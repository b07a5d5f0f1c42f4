//! `afresh verify-run [REF]`: checks the receipts of a branch against its history.

use afresh_app::config::policy::sandbox;
use afresh_app::git::Repository;
use afresh_app::notes::signing::tools::SigningTools;
use afresh_app::notes::signing::verifier::SignatureVerifier;
use afresh_app::notes::verify::{self, VerifiedHistory, VerifyError, VerifyRequest};
use afresh_app::process::Containment;
use afresh_app::proof::history::SignaturePolicy;
use afresh_app::session::probe::ProbeOptions;
use afresh_app::session::probe::rerun::PreparedRerun;
use afresh_views::verification;

use crate::commands::running::run_args::possible_values;
use crate::exit::Exit;
use crate::terminal::output::{Output, count, safe};
use afresh_app::config;
use afresh_app::context::AppContext;
use afresh_app::error::{AppError, ErrorClass};

/// Check that every commit of a run has a receipt for exactly its tree
///
/// Reads the git notes under `refs/notes/afresh`; needs neither the journal nor a network. Exits with 0 if every
/// first-parent commit is covered, and with 1 if one is not: its note is missing, was moved from another commit, is
/// forged, or afresh did not make the commit.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Branch, tag or commit; by default `HEAD`, or the newest branch of a run if `HEAD` has no commit of a run
    #[arg(value_name = "REF")]
    reference: Option<String>,
    /// Verify everything after this commit; by default, the newest run from its base on
    #[arg(long, value_name = "COMMIT")]
    base: Option<String>,
    /// Accept only receipts with a good signature by a key that your git trusts
    #[arg(long)]
    require_signed: bool,
    /// Run the checks of every receipt again, sandboxed, on the commit that it is about
    ///
    /// On the last commit, the checks of every merge (`checks.always`) of the configuration here run too.
    #[arg(long)]
    rerun: bool,
    /// With --rerun: sandbox for the checks
    #[arg(long, value_name = "LEVEL", value_parser = possible_values(sandbox::WORDS), requires = "rerun")]
    sandbox: Option<String>,
    /// With --rerun: let checks use the network
    #[arg(long, requires = "rerun")]
    check_network: bool,
}

pub(crate) fn verify_run(
    args: &Args,
    context: &AppContext,
    output: &Output,
) -> Result<Exit, AppError> {
    // Only git is needed, so that it works in a clone that afresh has never run in.
    let repository = Repository::discover(&context.git()?, &context.directory()?)?;
    let tools = SigningTools {
        exe: context.environment.executable.clone(),
        containment: context.environment.containment().unwrap_or(Containment::Auto),
        environment: context.environment.all(),
        registry: None,
        job_prefix: String::new(),
    };
    let config = repository.signing_config().map_err(AppError::git)?;
    let request = VerifyRequest {
        reference: args.reference.as_deref(),
        base: args.base.as_deref(),
        policy: if args.require_signed {
            SignaturePolicy::Required
        } else {
            SignaturePolicy::Optional
        },
    };
    let verifier = SignatureVerifier::new(config, tools);
    let mut history = verify::verify(&repository, &request, &verifier).map_err(failed)?;
    if args.rerun {
        run_again(args, &mut history, context, output)?;
    }
    if output.json {
        output.document(&verification::to_json(&history));
    } else {
        for line in verification::table(&history) {
            output.data(&line);
        }
        for line in verification::caveats(&history) {
            output.data(&line);
        }
        let remote = repository.push_remote(None).ok().flatten();
        let summary = verification::summary(&history, remote.as_deref());
        for line in summary {
            output.note(&line);
        }
    }
    Ok(if verification::is_covered(&history) { Exit::Done } else { Exit::Incomplete })
}

fn run_again(
    args: &Args,
    history: &mut VerifiedHistory,
    context: &AppContext,
    output: &Output,
) -> Result<(), AppError> {
    let repository = context.repository()?;
    let config = config::load(&context.directory()?, context.config_file.as_deref())?;
    let options = ProbeOptions {
        sandbox: args.sandbox.clone(),
        check_network: args.check_network,
        ..ProbeOptions::default()
    };
    let prepared = output.with_notices(|notices| {
        PreparedRerun::prepare(context, &repository, &config, &options, notices)
    })?;
    let notices = prepared.run(&mut history.verdicts, &|verdict, checks| {
        let (commit, task) = (&verdict.commit.as_str()[..10], verdict.task.as_deref());
        let task = task.unwrap_or("a commit");
        output.note(&format!("running {} of {task} ({commit}) again", count(checks, "check")));
    });
    output.notices(notices);
    Ok(())
}

fn failed(error: VerifyError) -> AppError {
    let (class, kind) = match &error {
        VerifyError::UnknownCommit { .. } => (ErrorClass::Usage, "unknown-commit"),
        VerifyError::Unborn => (ErrorClass::Usage, "unborn"),
        VerifyError::NoRun { .. } => (ErrorClass::Usage, "no-run"),
        VerifyError::Nothing { .. } => (ErrorClass::Usage, "nothing-to-verify"),
        VerifyError::Shallow { .. } => (ErrorClass::Usage, "shallow"),
        VerifyError::TooLong { .. } => (ErrorClass::Usage, "too-long"),
        VerifyError::Notes(_) => (ErrorClass::Usage, "notes"),
        VerifyError::Git(_) | VerifyError::Ref(_) => return AppError::git(error),
    };
    let failure =
        AppError::new(class, kind, "cannot verify the run").cause(safe(&error.to_string()));
    match error.hint() {
        Some(hint) => failure.hint(hint),
        None => failure,
    }
}
