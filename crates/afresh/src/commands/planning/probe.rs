//! `afresh probe [PLAN]` and `afresh lint --probe`: what each check shows before any work.

use std::io::IsTerminal as _;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use afresh_app::config;
use afresh_app::config::policy::sandbox;
use afresh_app::context::AppContext;
use afresh_app::error::AppError;
use afresh_app::formats::Finding;
use afresh_app::formats::text::duration;
use afresh_app::plan_source::FoundPlan;
use afresh_app::session::probe::{PreparedProbe, ProbeOptions, findings};
use afresh_app::text::time;
use afresh_core::Plan;
use afresh_core::probe::{CheckClass, ProbedCheck};
use afresh_views::probe_json::{self, ProbeEntry};

use crate::commands::planning::{PlanArgs, lint};
use crate::commands::running::run_args::possible_values;
use crate::exit::Exit;
use crate::terminal::output::{Output, count, safe};

/// How checks are run before any work.
#[derive(Debug, Clone, Default, clap::Args)]
pub(crate) struct ProbeArgs {
    /// With --probe: run failed checks again up to N times, to find flaky ones
    #[arg(long, value_name = "N", default_value_t = 0)]
    rerun: u32,
    /// With --probe: run every check, also those whose result is remembered
    #[arg(long)]
    fresh: bool,
    /// With --probe: the time limit of all checks together, such as 90s or 10m
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    limit: Option<Duration>,
    /// With --probe: sandbox for the checks
    #[arg(long, value_name = "LEVEL", value_parser = possible_values(sandbox::WORDS))]
    sandbox: Option<String>,
    /// With --probe: let checks use the network
    #[arg(long)]
    check_network: bool,
}

fn parse_duration(text: &str) -> Result<Duration, String> {
    duration::parse(text).ok_or_else(|| {
        if text.parse::<u64>().is_ok() {
            return format!("it has no unit: {text}s is {text} seconds, {text}m is {text} minutes");
        }
        "expected a time such as 90s or 10m".to_owned()
    })
}

impl ProbeArgs {
    pub(super) fn options(&self) -> ProbeOptions {
        ProbeOptions {
            sandbox: self.sandbox.clone(),
            check_network: self.check_network,
            reruns: self.rerun,
            fresh: self.fresh,
            limit: self.limit,
        }
    }
}

/// Run every check of a plan once, before any work: the same as `afresh lint --probe`
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// A plan file, or a directory that contains one
    #[arg(default_value = ".")]
    path: PathBuf,
    #[command(flatten)]
    how: PlanArgs,
    /// Print SARIF, for code hosts and editors
    #[arg(long, conflicts_with = "json")]
    sarif: bool,
    #[command(flatten)]
    probing: ProbeArgs,
}

pub(crate) fn probe(args: &Args, context: &AppContext, output: &Output) -> Result<Exit, AppError> {
    let args = lint::Args {
        path: args.path.clone(),
        how: args.how.clone(),
        sarif: args.sarif,
        probing: args.probing.clone(),
        probe: true,
        fix: false,
        dry_run: false,
        explain: None,
    };
    lint::lint(&args, context, output)
}

/// What the probe of a plan has shown.
pub(super) struct ProbedPlan {
    pub(super) findings: Vec<Finding>,
    pub(super) checks: Vec<ProbedCheck>,
    /// The commands of the checks of every merge.
    pub(super) always: Vec<String>,
    /// One entry for each check of each task, as scripts get it.
    pub(super) entries: Vec<ProbeEntry>,
}

/// Runs the checks of a plan, and says what each is worth.
pub(super) fn run(
    args: &ProbeArgs,
    found: &FoundPlan,
    plan: &Plan,
    context: &AppContext,
    output: &Output,
) -> Result<ProbedPlan, AppError> {
    let repository = context.repository_around(&found.base)?;
    let config = config::load(&found.base, context.config_file.as_deref())?;
    let options = args.options();
    let prepared = output.with_notices(|notices| {
        PreparedProbe::for_plan(context, &repository, plan, &config, &options, notices)
    })?;
    let progress = ProbeProgress::new(prepared.count(), &config.settings.always, output);
    let checks = prepared.run(plan, &|probed| progress.add(probed));
    let own = findings::plan_findings(plan, &found.reading.places, &checks, found.folder.as_ref());
    let mut all = found.for_caller(own);
    all.extend(findings::baseline_findings(&config, &checks));
    let entries = probe_json::entries(plan, &checks);
    let always = config.settings.always.clone();
    Ok(ProbedPlan { findings: all, checks, always, entries })
}

/// A line for each check as it ends, where a person is watching.
pub(crate) struct ProbeProgress<'a> {
    total: usize,
    ended: AtomicUsize,
    /// The checks of every merge, which should pass.
    always: &'a [String],
    output: Option<&'a Output>,
}

impl<'a> ProbeProgress<'a> {
    pub(crate) fn new(total: usize, always: &'a [String], output: &'a Output) -> Self {
        let is_watched = std::io::stderr().is_terminal() && !output.json;
        if is_watched {
            output.note(&format!("running {} before any work", count(total, "check")));
        }
        let output = is_watched.then_some(output);
        Self { total, ended: AtomicUsize::new(0), always, output }
    }

    pub(crate) fn add(&self, probed: &ProbedCheck) {
        let ended = self.ended.fetch_add(1, Ordering::Relaxed) + 1;
        let Some(output) = self.output else { return };
        let took = time::format_duration(Duration::from_millis(probed.result.duration_ms));
        let is_always = self.always.iter().any(|command| command == probed.command());
        let class = if is_always && probed.result.passed() && probed.class == CheckClass::Vacuous {
            "passes".to_owned()
        } else {
            probed.class.to_string()
        };
        let total = self.total;
        let line = format!("  {ended:>3}/{total} {class:<10} {took:>8}  {}", probed.command());
        output.note(&safe(&line));
    }
}
