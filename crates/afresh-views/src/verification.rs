//! What `afresh verify-run` found, as a table and as JSON.

use afresh_app::git::ref_names::RECEIPT_NOTES;
use afresh_app::notes::verify::VerifiedHistory;
use afresh_app::proof::history::{CommitProblem, CommitRole, CommitVerdict, SignatureState};
use afresh_app::text::count;
use afresh_core::check::CheckExcuse;
use afresh_core::printable;
use serde::Serialize;

/// How many characters of a signer or key are shown.
const MAX_NAME_CHARS: usize = 80;
/// How many characters of a command or a reason are shown.
const MAX_DETAIL_CHARS: usize = 300;

/// What `afresh verify-run --json` prints.
#[derive(Debug, Serialize)]
pub struct VerificationJson {
    pub ok: bool,
    /// What was verified, as the user named it.
    pub r#ref: String,
    pub tip: String,
    /// The commit below the first one that was verified.
    pub base: Option<String>,
    pub run: Option<String>,
    pub commits: Vec<CommitJson>,
}

/// One commit, the oldest first.
#[derive(Debug, Serialize)]
pub struct CommitJson {
    pub commit: String,
    pub tree: String,
    pub task: Option<String>,
    /// The commit whose receipt covers it.
    pub covered_by: Option<String>,
    /// Whether that receipt has a good signature by a trusted key.
    pub signed: bool,
    pub signature: Option<SignatureJson>,
    /// A stable word for scripts.
    pub problem: Option<&'static str>,
    /// The same for people.
    pub detail: Option<String>,
    /// Checks of its receipt that did not simply pass.
    pub caveats: Vec<CaveatJson>,
}

/// A check that a merge landed with, although it did not simply pass.
#[derive(Debug, Serialize)]
pub struct CaveatJson {
    pub check: String,
    /// `flaky`, `quarantined`, `failed-before` or `only-measured`.
    pub kind: &'static str,
    /// The same for people.
    pub detail: String,
}

/// What the signature of a receipt is worth.
#[derive(Debug, Serialize)]
pub struct SignatureJson {
    /// `trusted`, `unknown-key`, `unsigned` or `bad`.
    pub state: &'static str,
    pub key: Option<String>,
    pub signer: Option<String>,
    /// Why it is not trusted.
    pub why: Option<String>,
}

/// Whether every commit is covered.
pub fn is_covered(history: &VerifiedHistory) -> bool {
    history.verdicts.iter().all(|verdict| verdict.problem.is_none())
}

pub fn to_json(history: &VerifiedHistory) -> VerificationJson {
    VerificationJson {
        ok: is_covered(history),
        r#ref: history.reference.clone(),
        tip: history.tip.to_string(),
        base: history.base.as_ref().map(ToString::to_string),
        run: history.run.as_ref().map(ToString::to_string),
        commits: history.verdicts.iter().map(commit_json).collect(),
    }
}

fn commit_json(verdict: &CommitVerdict) -> CommitJson {
    CommitJson {
        commit: verdict.commit.to_string(),
        tree: verdict.tree.to_string(),
        task: verdict.task.clone(),
        covered_by: verdict.covered_by.as_ref().map(ToString::to_string),
        signed: matches!(verdict.signature, Some(SignatureState::Trusted { .. })),
        signature: verdict.signature.as_ref().map(signature_json),
        problem: verdict.problem.as_ref().map(CommitProblem::code),
        detail: verdict.problem.as_ref().map(CommitProblem::describe),
        caveats: find_caveats(verdict).collect(),
    }
}

fn find_caveats(verdict: &CommitVerdict) -> impl Iterator<Item = CaveatJson> {
    let checks = verdict.receipt.iter().flat_map(|receipt| &receipt.receipt.checks);
    checks.filter_map(|result| {
        let (kind, detail) = match &result.excuse {
            Some(CheckExcuse::Quarantined(reason)) => {
                ("quarantined", format!("failed, and was in quarantine: {}", long_text(reason)))
            }
            Some(CheckExcuse::FailedBefore) if result.is_flaky() => (
                "flaky",
                "failed, as before the work; on the same tree it also failed otherwise".to_owned(),
            ),
            Some(CheckExcuse::FailedBefore) => {
                ("failed-before", "failed, as before the work".to_owned())
            }
            Some(CheckExcuse::OnlyMeasured) => {
                ("only-measured", "was measured, and decided nothing".to_owned())
            }
            None if result.is_flaky() => {
                ("flaky", "is flaky: it failed and passed on the same tree".to_owned())
            }
            None => return None,
        };
        Some(CaveatJson { check: long_text(&result.command), kind, detail })
    })
}

/// One line for each check that a merge landed with although it did not simply pass.
pub fn caveats(history: &VerifiedHistory) -> Vec<String> {
    let lines = history.verdicts.iter().flat_map(|verdict| {
        let commit = short_id(verdict.commit.as_str());
        let line = move |it: CaveatJson| format!("{commit}  `{}` {}", it.check, it.detail);
        find_caveats(verdict).map(line)
    });
    lines.collect()
}

fn signature_json(state: &SignatureState) -> SignatureJson {
    let text = |text: &String| Some(short_text(text));
    let none = SignatureJson { state: "unsigned", key: None, signer: None, why: None };
    match state {
        SignatureState::Bad { why } => SignatureJson { state: "bad", why: text(why), ..none },
        SignatureState::Unsigned => none,
        SignatureState::UnknownKey { key, why } => {
            SignatureJson { state: "unknown-key", key: text(key), why: text(why), ..none }
        }
        SignatureState::Trusted { key, signer } => {
            SignatureJson { state: "trusted", key: text(key), signer: text(signer), ..none }
        }
    }
}

/// One line per commit, below a header.
pub fn table(history: &VerifiedHistory) -> Vec<String> {
    let header = ["commit", "task", "covered by", "signed", "problem"];
    let mut rows = vec![header.map(str::to_owned)];
    rows.extend(history.verdicts.iter().map(row));
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max();
    let widths: Vec<usize> = (0..header.len()).map(|column| width(column).unwrap_or(0)).collect();
    let line = |row: &[String; 5]| {
        let cells = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:width$}"));
        cells.collect::<Vec<_>>().join("  ").trim_end().to_owned()
    };
    rows.iter().map(line).collect()
}

fn row(verdict: &CommitVerdict) -> [String; 5] {
    let covered_by = match &verdict.covered_by {
        Some(by) if *by == verdict.commit => "itself".to_owned(),
        Some(by) => short_id(by.as_str()),
        None => "-".to_owned(),
    };
    let task = match verdict.role {
        CommitRole::LandMerge => "(land)".to_owned(),
        CommitRole::Squash => "(squash)".to_owned(),
        _ => verdict.task.clone().unwrap_or_else(|| "-".to_owned()),
    };
    let signed = match &verdict.signature {
        None => "-".to_owned(),
        Some(SignatureState::Unsigned) => "unsigned".to_owned(),
        Some(SignatureState::Bad { .. }) => "bad".to_owned(),
        Some(SignatureState::UnknownKey { key, .. }) => {
            format!("unknown key {}", short_text(key))
        }
        Some(SignatureState::Trusted { signer, .. }) => short_text(signer),
    };
    let problem = verdict.problem.as_ref().map_or_else(|| "-".to_owned(), CommitProblem::describe);
    [short_id(verdict.commit.as_str()), task, covered_by, signed, problem]
}

/// The last lines: how many are covered, and what to do about the others.
pub fn summary(history: &VerifiedHistory, remote: Option<&str>) -> Vec<String> {
    let verdicts = &history.verdicts;
    let covered = verdicts.iter().filter(|verdict| verdict.problem.is_none()).count();
    let trusted =
        |it: &&CommitVerdict| matches!(it.signature, Some(SignatureState::Trusted { .. }));
    let signed = verdicts.iter().filter(trusted).count();
    let mut lines = vec![format!(
        "{covered} of {} in {} covered by receipts, {signed} of them signed by a trusted key",
        count(verdicts.len(), "commit"),
        printable::line(&history.reference),
    )];
    let has = |wanted: fn(&CommitProblem) -> bool| {
        verdicts.iter().filter_map(|verdict| verdict.problem.as_ref()).any(wanted)
    };
    let is_missing = |problem: &CommitProblem| {
        matches!(problem, CommitProblem::MissingNote | CommitProblem::OtherCoveringTree(_))
    };
    if has(is_missing) {
        let remote = remote.unwrap_or("origin");
        let reason =
            if history.has_notes { "notes are missing" } else { "this clone has no notes" };
        lines.push(format!(
            "hint: {reason}; fetch them: `git fetch {remote} {RECEIPT_NOTES}:{RECEIPT_NOTES}`"
        ));
    }
    let merge = verdicts.iter().find(|it| it.problem == Some(CommitProblem::UncheckedMerge));
    if let Some(merge) = merge {
        lines.push(format!(
            "hint: `afresh verify-run {}^2` verifies the run without the merge of `afresh land`",
            short_id(merge.commit.as_str())
        ));
    }
    let squashed = verdicts.iter().find_map(|it| match &it.problem {
        Some(CommitProblem::UncheckedSquash(tip)) => Some(tip),
        _ => None,
    });
    if let Some(tip) = squashed {
        lines.push(format!(
            "hint: `afresh verify-run {}` verifies the commits that were squashed, where they still exist",
            short_id(tip)
        ));
    }
    if has(|problem| matches!(problem, CommitProblem::UntrustedKey(_))) {
        lines.push(
            "hint: add keys that you trust to the file of `gpg.ssh.allowedSignersFile`, or sign them with gpg"
                .to_owned(),
        );
    }
    lines
}

fn short_id(id: &str) -> String {
    id[..id.len().min(10)].to_owned()
}

/// A command or a reason, which come from notes.
fn long_text(text: &str) -> String {
    printable::line(&text.chars().take(MAX_DETAIL_CHARS).collect::<String>())
}

/// Names in it come from keys and from programs.
fn short_text(text: &str) -> String {
    printable::line(&text.chars().take(MAX_NAME_CHARS).collect::<String>())
}
