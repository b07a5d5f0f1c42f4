//! `afresh lint [PATH]`: mistakes in a plan of any format; needs no agent.

use afresh_app::formats::findings::codes::{self, FindingCode};
use afresh_app::formats::folder::PlanFolder;
use afresh_app::formats::lint;
use afresh_app::formats::reading::PlanReading;
use afresh_app::formats::{Finding, Severity};
use serde_json::json;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::commands::planning::PlanArgs;
use crate::commands::planning::probe::{self, ProbeArgs, ProbedPlan};
use crate::exit::Exit;
use crate::terminal::output::{Output, count};
use afresh_app::config;
use afresh_app::context::AppContext;
use afresh_app::error::AppError;
use afresh_app::plan_source::fixes;
use afresh_app::plan_source::fixes::PlanFixes;
use afresh_app::plan_source::{self, FoundPlan};
use afresh_app::text::measured_base;
use afresh_views::sarif;

/// Find mistakes in a plan of any format, before any agent is started
#[expect(clippy::struct_excessive_bools, reason = "each is an option of the command line")]
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// A plan file, or a directory that contains one
    #[arg(default_value = ".")]
    pub(super) path: PathBuf,
    #[command(flatten)]
    pub(super) how: PlanArgs,
    /// Print SARIF, for code hosts and editors
    #[arg(long, conflicts_with = "json")]
    pub(super) sarif: bool,
    /// Apply safe fixes, then lint again
    #[arg(long)]
    pub(super) fix: bool,
    /// With --fix: show the changes, and write nothing
    #[arg(long, requires = "fix")]
    pub(super) dry_run: bool,
    /// Run every check once on the current commit, before any work, and report what each is worth
    #[arg(long)]
    pub(super) probe: bool,
    #[command(flatten)]
    pub(super) probing: ProbeArgs,
    /// Explain a finding's code; without a code, list all codes
    #[arg(long, value_name = "CODE", num_args = 0..=1, default_missing_value = "")]
    pub(super) explain: Option<String>,
}

pub(crate) fn lint(args: &Args, context: &AppContext, output: &Output) -> Result<Exit, AppError> {
    if let Some(code) = &args.explain {
        return explain(code, output);
    }
    let directory = context.directory()?;
    let mut found = plan_source::read(&directory, &args.path, &args.how.options())?;
    let (format, repository) = (found.format, repository_around(&found.path, context));
    let look = |folder: &dyn PlanFolder, reading: &PlanReading| {
        lint::all_findings(folder, format, reading, repository.as_ref())
    };
    let fixed = match (args.fix, args.dry_run) {
        (false, _) => None,
        (true, dry_run) => Some(fixes::apply_fixes(&found, dry_run, &look)?),
    };
    if fixed.as_ref().is_some_and(PlanFixes::has_written) {
        found = plan_source::read(&directory, &args.path, &args.how.options())?;
    }
    let mut findings = found.for_caller(look(found.folder.as_ref(), &found.reading));
    let in_config = ConfigFindings::collect(&found.base, context)?;
    let is_usable = !in_config.findings.iter().any(Finding::is_error);
    let probed = match (args.probe && is_usable, &found.reading.plan) {
        (true, Some(plan)) => Some(probe::run(&args.probing, &found, plan, context, output)?),
        _ => None,
    };
    findings.extend(in_config.findings);
    if let Some(probed) = &probed {
        findings.extend(probed.findings.iter().cloned());
    }
    findings.sort_by(|a, b| (&a.file, a.line, a.column).cmp(&(&b.file, b.line, b.column)));
    let fixed = fixed.as_ref();
    print(args, &found, &findings, &in_config.file, (fixed, probed.as_ref()), output);
    if args.probe && !is_usable {
        output.note("the checks were not run: correct the configuration first");
    }
    Ok(verdict(&found, &findings))
}

/// A plan is run with a configuration, so what is wrong with that is reported too.
struct ConfigFindings {
    file: String,
    findings: Vec<Finding>,
}

impl ConfigFindings {
    fn collect(base: &Path, context: &AppContext) -> Result<Self, AppError> {
        match config::load(base, context.config_file.as_deref()) {
            Ok(config) => Ok(Self { file: config.shown, findings: config.warnings }),
            Err(failure) => match failure.findings.first() {
                Some(first) => Ok(Self { file: first.file.clone(), findings: failure.findings }),
                None => Err(failure),
            },
        }
    }
}

/// 2 where nothing could be read, 1 where something was found, 0 where all is well; notes need no fix.
fn verdict(found: &FoundPlan, findings: &[Finding]) -> Exit {
    let unreadable = found.reading.plan.is_none() && found.reading.places.is_empty();
    match findings.iter().all(|finding| finding.severity == Severity::Note) {
        true => Exit::Done,
        false if unreadable => Exit::Usage,
        false => Exit::Incomplete,
    }
}

/// The files of the repository around a plan, relative to its root.
fn repository_around(path: &Path, context: &AppContext) -> Option<BTreeSet<String>> {
    let root = path.ancestors().find(|place| place.join(".git").exists())?;
    let program = context.git().ok()?;
    let repository = afresh_app::git::Repository::discover(&program, root).ok()?;
    let head = repository.head().ok()??;
    let files = repository.list_files(&head).ok()?;
    Some(files.into_iter().map(|file| file.path).collect())
}

fn print(
    args: &Args,
    found: &FoundPlan,
    findings: &[Finding],
    config: &str,
    (fixed, probed): (Option<&PlanFixes>, Option<&ProbedPlan>),
    output: &Output,
) {
    let of = |severity| findings.iter().filter(|finding| finding.severity == severity).count();
    let errors = of(Severity::Error);
    let warnings = of(Severity::Warning);
    let notes = of(Severity::Note);
    if args.sarif {
        return output.document(&sarif::document(findings));
    }
    if output.json {
        let mut document = json!({
            "format": found.format,
            "findings": findings,
            "errors": errors,
            "warnings": warnings,
            "notes": notes,
            "blocked": found.reading.blocked,
        });
        if let Some(fixed) = fixed {
            document["mended"] = fixes_json(fixed);
        }
        if let Some(probed) = probed {
            document["probe"] = json!(probed.entries);
        }
        return output.document(&document);
    }
    if let Some(fixed) = fixed {
        print_fixes(fixed, output);
    }
    for finding in findings {
        output.finding(finding);
    }
    if let Some(probed) = probed {
        output.note(&measured_base::summarize(&probed.always, &probed.checks));
    }
    let tasks = found.reading.places.len();
    let what = format!("{} ({}, {})", found.shown, found.format, count(tasks, "task"));
    let (in_config, in_plan): (Vec<_>, Vec<_>) =
        findings.iter().partition(|finding| finding.file == config);
    if let Some(first) = in_config.first() {
        output.note(&format!("{}: {}", first.file, count_findings(&in_config)));
    }
    output.note(&format!("{what}: {}", count_findings(&in_plan)));
}

/// `2 errors, 1 warning`.
fn count_findings(findings: &[&Finding]) -> String {
    let of = |severity| findings.iter().filter(|finding| finding.severity == severity).count();
    let (errors, warnings) = (of(Severity::Error), of(Severity::Warning));
    let counted = match (errors, warnings) {
        (0, 0) => "no problems".to_owned(),
        _ => format!("{}, {}", count(errors, "error"), count(warnings, "warning")),
    };
    match of(Severity::Note) {
        0 => counted,
        notes => format!("{counted}, {}", count(notes, "note")),
    }
}

fn fixes_json(fixes: &PlanFixes) -> serde_json::Value {
    let places = |findings: &[Finding]| -> Vec<serde_json::Value> {
        let place = |f: &Finding| json!({"code": f.code, "file": f.file, "line": f.line, "column": f.column});
        findings.iter().map(place).collect()
    };
    json!({
        "written": fixes.has_written(),
        "done": places(&fixes.done),
        "refused": places(&fixes.refused),
        "diffs": fixes.diffs,
    })
}

/// The diff is data.
fn print_fixes(fixes: &PlanFixes, output: &Output) {
    for (file, diff) in &fixes.diffs {
        let fixed = fixes.done.iter().filter(|finding| finding.file == *file).count();
        let places = count(fixed, "place");
        if fixes.dry_run {
            output.data(diff.trim_end());
            output.note(&format!("would fix {file}: {places}"));
        } else {
            output.note(&format!("fixed {file}: {places}"));
        }
    }
    for finding in &fixes.refused {
        let Finding { file, line, code, .. } = finding;
        output.note(&format!("not fixed, because the fix changes more: {file}:{line} ({code})"));
    }
}

fn explain(code: &str, output: &Output) -> Result<Exit, AppError> {
    let shown: Vec<&FindingCode> = match code {
        "" => codes::all(),
        code => vec![codes::explain(code).ok_or_else(|| unknown(code))?],
    };
    if output.json {
        let documents: Vec<_> = shown
            .iter()
            .map(|known| {
                let example = known.example.map(|example| {
                    json!({"file": example.file, "wrong": example.wrong, "right": example.right})
                });
                json!({"code": known.code, "title": known.title, "text": known.text, "example": example})
            })
            .collect();
        output.document(&documents);
        return Ok(Exit::Done);
    }
    let alone = shown.len() == 1;
    for known in shown {
        output.prose(&format!("{}: {}\n  {}", known.code, known.title, known.text));
        // A list of all is for finding one.
        if let Some(example) = known.example.filter(|_| alone) {
            for (what, text) in [("wrong", example.wrong), ("right", example.right)] {
                let lines = text.trim_end().replace('\n', "\n    ");
                output.data(&format!("\n{what}, in {}:\n    {lines}", example.file));
            }
        }
    }
    Ok(Exit::Done)
}

fn unknown(code: &str) -> AppError {
    let near = afresh_core::plan::nearest(code, codes::all().iter().map(|known| known.code));
    let failure = AppError::usage("code", format!("there is no code {code:?}"));
    match near {
        Some(near) => failure.hint(format!("did you mean {near:?}?")),
        None => failure.hint("`afresh lint --explain` lists them"),
    }
}
