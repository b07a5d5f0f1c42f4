//! `afresh lint [PATH]`: what is wrong with a plan, of any format; needs no agent.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use afresh_formats::codes::{self, CODES, Code};
use afresh_formats::finding::Fix;
use afresh_formats::lint::{self, Subject};
use afresh_formats::{Finding, Severity, fixing};
use serde_json::json;

use crate::cli::Common;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::{Output, count};
use crate::plan_file::{self, Found, How};
use crate::{sarif, workplace};

/// Find what is wrong with a plan of any format, before any agent is started
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// A plan file, or a directory that holds one
    #[arg(default_value = ".")]
    path: PathBuf,
    #[command(flatten)]
    how: How,
    /// Print SARIF, for code hosts and editors
    #[arg(long, conflicts_with = "json")]
    sarif: bool,
    /// Mend what is safe to mend, and look again
    #[arg(long)]
    fix: bool,
    /// Say what a code means, and what to do about it; without a code, list them all
    #[arg(long, value_name = "CODE", num_args = 0..=1, default_missing_value = "")]
    explain: Option<String>,
}

pub(crate) fn lint(args: &Args, common: &Common, output: &Output) -> Result<Exit, Failure> {
    if let Some(code) = &args.explain {
        return explain(code, output);
    }
    let directory = workplace::directory(common)?;
    let mut found = plan_file::read(&directory, &args.path, &args.how)?;
    if args.fix && mend(&found, output)? {
        found = plan_file::read(&directory, &args.path, &args.how)?;
    }
    let findings = everything(&found);
    print(args, &found, &findings, output);
    Ok(verdict(&found, &findings))
}

/// 2 where nothing could be read, 1 where something was found, 0 where all is well; notes are
/// good to know, and nothing to mend.
fn verdict(found: &Found, findings: &[Finding]) -> Exit {
    let unreadable = found.reading.plan.is_none() && found.reading.places.is_empty();
    match findings.iter().all(|finding| finding.severity == Severity::Note) {
        true => Exit::Done,
        false if unreadable => Exit::Usage,
        false => Exit::Incomplete,
    }
}

/// What the reader found, and what is worth knowing about what it read.
fn everything(found: &Found) -> Vec<Finding> {
    let mut findings = found.reading.findings.clone();
    if let Some(plan) = &found.reading.plan {
        let repository = repository_around(&found.path);
        let places = &found.reading.places;
        let (format, reads) = (found.format, &found.reading.reads);
        let repository = repository.as_ref();
        let subject = Subject { plan, format, places, reads, repository };
        findings.extend(lint::look(found.folder.as_ref(), subject));
    }
    findings.sort_by(|a, b| (&a.file, a.line, a.column).cmp(&(&b.file, b.line, b.column)));
    findings
}

/// The files of the repository around a plan, relative to its root.
fn repository_around(path: &Path) -> Option<BTreeSet<String>> {
    let root = path.ancestors().find(|place| place.join(".git").exists())?;
    let program = workplace::git().ok()?;
    let repository = afresh_git::Repository::discover(&program, root).ok()?;
    let head = repository.head().ok()??;
    let files = repository.list_files(&head).ok()?;
    Some(files.into_iter().map(|file| file.path).collect())
}

fn print(args: &Args, found: &Found, findings: &[Finding], output: &Output) {
    let of = |severity| findings.iter().filter(|finding| finding.severity == severity).count();
    let errors = of(Severity::Error);
    let warnings = of(Severity::Warning);
    let notes = of(Severity::Note);
    if args.sarif {
        return output.document(&sarif::document(findings));
    }
    if output.json {
        return output.document(&json!({
            "format": found.format,
            "findings": findings,
            "errors": errors,
            "warnings": warnings,
            "notes": notes,
        }));
    }
    for finding in findings {
        output.data(finding.render().trim_end());
    }
    let tasks = found.reading.places.len();
    let what = format!("{} ({}, {})", found.shown, found.format, count(tasks, "task"));
    let mut counted = match (errors, warnings) {
        (0, 0) => "nothing to complain about".to_owned(),
        _ => format!("{}, {}", count(errors, "error"), count(warnings, "warning")),
    };
    if notes > 0 {
        counted = format!("{counted}, {}", count(notes, "note"));
    }
    output.note(&format!("{what}: {counted}"));
}

/// Writes what can be mended safely; says whether anything was.
fn mend(found: &Found, output: &Output) -> Result<bool, Failure> {
    let mut by_file: BTreeMap<&str, Vec<Fix>> = BTreeMap::new();
    for finding in &found.reading.findings {
        if let Some(fix) = &finding.fix {
            by_file.entry(&finding.file).or_default().push(fix.clone());
        }
    }
    for (file, fixes) in &by_file {
        let path = found.base.join(file);
        let failed = |error: &dyn std::fmt::Display| {
            Failure::usage("fix", format!("cannot mend {file}")).cause(error.to_string())
        };
        let bytes = std::fs::read(&path).map_err(|error| failed(&error))?;
        let Some(fixed) = fixing::apply(&bytes, fixes) else { continue };
        afresh_store::write_atomically(&path, &fixed).map_err(|error| failed(&error))?;
        output.note(&format!("mended {file}: {}", count(fixes.len(), "place")));
    }
    Ok(!by_file.is_empty())
}

fn explain(code: &str, output: &Output) -> Result<Exit, Failure> {
    let shown: Vec<&Code> = match code {
        "" => CODES.iter().collect(),
        code => vec![codes::explain(code).ok_or_else(|| unknown(code))?],
    };
    if output.json {
        let documents: Vec<_> = shown
            .iter()
            .map(|known| json!({"code": known.code, "title": known.title, "text": known.text}))
            .collect();
        output.document(&documents);
        return Ok(Exit::Done);
    }
    for known in shown {
        output.data(&format!("{}: {}\n  {}", known.code, known.title, known.text));
    }
    Ok(Exit::Done)
}

fn unknown(code: &str) -> Failure {
    let near = afresh_core::plan::nearest(code, CODES.iter().map(|known| known.code));
    let failure = Failure::usage("code", format!("there is no code {code:?}"));
    match near {
        Some(near) => failure.help(format!("did you mean {near:?}?")),
        None => failure.help("`afresh lint --explain` lists them"),
    }
}
