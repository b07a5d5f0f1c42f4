//! `afresh scan [PATH]…`: finds secrets, and never prints them.

use afresh_app::secrets::{SecretFinding, SecretScan};
use afresh_core::ids::{CommitId, RunId};
use afresh_engine::RepoContext;
use afresh_engine::scan;
use serde_json::json;
use std::path::PathBuf;

use crate::exit::Exit;
use crate::terminal::output::{Output, count, safe};
use afresh_app::context::AppContext;
use afresh_app::error::AppError;

/// Find keys and other secrets in the repository, in runs, and in the files of afresh
///
/// Finds keys of well-known services by their format, private keys, and the values of variables in
/// your environment whose names mark them as secret. Secrets are never printed. A line with the words
/// `afresh:allow-secret` may contain an example.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Scan these files and directories only
    paths: Vec<PathBuf>,
}

pub(crate) fn scan(args: &Args, context: &AppContext, output: &Output) -> Result<Exit, AppError> {
    let mut scan = SecretScan::new(secrets(context));
    if args.paths.is_empty() {
        let place = context.repository()?;
        scan::checkout(&mut scan, &place.git);
        scan::history(&mut scan, &place.git, &bases(&place)?);
        scan::kept(&mut scan, &place.layout);
    } else {
        scan::paths(&mut scan, &context.directory()?, &args.paths);
    }
    print_findings(&scan, output);
    let unread = scan.scanned == 0 && !scan.skipped.is_empty();
    Ok(match (scan.findings.is_empty(), unread) {
        (true, true) => Exit::Usage,
        (true, false) => Exit::Done,
        (false, _) => Exit::Incomplete,
    })
}

/// A path is not a secret, whatever the name of its variable (`SSH_AUTH_SOCK`).
fn secrets(context: &AppContext) -> Vec<(String, String)> {
    let mut named = context.environment.named_secrets();
    named.retain(|(_, value)| !value.starts_with('/'));
    named
}

/// Every run with the commit that it started from.
fn bases(repository: &RepoContext) -> Result<Vec<(RunId, CommitId)>, AppError> {
    let runs = repository.all_runs()?.into_iter().map(|found| found.run);
    Ok(runs.map(|run| (run.id().clone(), run.base().clone())).collect())
}

fn print_findings(scan: &SecretScan, output: &Output) {
    let SecretScan { findings, allowed, scanned, skipped, .. } = scan;
    if output.json {
        let skipped: Vec<_> =
            skipped.iter().map(|(place, why)| json!({"place": place, "why": why})).collect();
        return output.document(&json!({
            "findings": findings,
            "allowed": allowed,
            "looked_at": scanned,
            "passed_over": skipped,
        }));
    }
    for SecretFinding { place, line, column, what, .. } in findings {
        output.data(&format!("{}:{line}:{column}: {what}", safe(place)));
    }
    for (place, why) in skipped {
        output.note(&format!("note: skipped {}: {}", safe(place), safe(why)));
    }
    let mut summary =
        format!("{} in {}", count(findings.len(), "secret"), count(*scanned, "place"));
    if *allowed > 0 {
        summary = format!("{summary}, {} marked as examples", count(*allowed, "line"));
    }
    output.note(&summary);
    if !findings.is_empty() {
        output.note("hint: replace keys that others could have read; afresh removes nothing here");
    }
}
