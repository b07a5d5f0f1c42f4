//! `## CHECKPOINT REACHED`: how GSD's executors stop for a person.
//!
//! ```text
//! ## CHECKPOINT REACHED
//! **Type:** decision
//! **Progress:** 1/3 tasks complete
//! ### Current Task
//! **Task 2:** Choose the store
//! ### Checkpoint Details
//! | Option | Pros | Cons |
//! ### Awaiting
//! Select: sqlite | files
//! ```
//! A verification and a decision become a question, an action becomes a request for action.

use afresh_core::outcome::{ActionRequest, DecisionOption, DecisionRequest, Outcome};

use super::NoResult;
use super::fields::bounded;
use crate::text::markdown::{Heading, headings, lines};

/// The most options that are read.
const MAX_OPTIONS: usize = 50;

pub(super) fn read(block: &str) -> Result<Outcome, NoResult> {
    let Some(kind) = labelled(block, "Type") else {
        return Err(NoResult::Broken("CHECKPOINT REACHED without a `**Type:**`".to_owned()));
    };
    let kind = kind.to_ascii_lowercase();
    if kind.contains(['|', '[', '{']) {
        return Err(NoResult::Template);
    }
    let parts = CheckpointSections { block, headings: headings(block) };
    let current = parts.under("Current Task");
    let (details, awaiting) = (parts.under("Checkpoint Details"), parts.under("Awaiting"));
    let blocked_at = one_line(&current);
    match kind.rsplit(':').next().map(str::trim) {
        Some("human-action" | "action") => Ok(Outcome::NeedsAction(ActionRequest {
            blocked_at,
            needed: first_of(&[&awaiting, &details, "a person must do something"]),
            instructions: lines(&details)
                .map(|line| item(line.text))
                .filter(|l| !l.is_empty())
                .collect(),
            verification: String::new(),
        })),
        Some("decision" | "human-verify" | "verify") => {
            let question = labelled(&details, "Decision needed").unwrap_or_else(|| {
                first_of(&[&awaiting, &details, "a person must check the work"])
            });
            let mut options = options(&details, &awaiting);
            if options.is_empty() && !kind.ends_with("decision") {
                options.push(DecisionOption::new("approved", "approve and continue"));
            }
            let context = bounded(details.trim());
            Ok(Outcome::NeedsDecision(DecisionRequest { blocked_at, question, options, context }))
        }
        _ => Err(NoResult::Broken(format!("CHECKPOINT REACHED of an unknown type {kind:?}"))),
    }
}

struct CheckpointSections<'a> {
    block: &'a str,
    headings: Vec<Heading<'a>>,
}

impl CheckpointSections<'_> {
    fn under(&self, title: &str) -> String {
        let found = self.headings.iter().find(|heading| heading.text.eq_ignore_ascii_case(title));
        found.map_or_else(String::new, |heading| self.block[heading.body.clone()].trim().to_owned())
    }
}

/// The value of `**Label:** value`.
fn labelled(text: &str, label: &str) -> Option<String> {
    let value = |line: &str| {
        let (name, value) = line.trim().trim_start_matches("- ").split_once(':')?;
        let named = name.trim_matches('*').trim().eq_ignore_ascii_case(label);
        let value = value.trim().trim_start_matches("**").trim();
        (named && !value.is_empty()).then(|| bounded(value))
    };
    lines(text).find_map(|line| value(line.text))
}

/// The rows of a table whose first column is `Option`, or else the choices after `Select:`.
fn options(details: &str, awaiting: &str) -> Vec<DecisionOption> {
    let mut found = Vec::new();
    let mut in_table = false;
    for line in lines(details) {
        let row = line.text.trim();
        let Some(cells) = row.strip_prefix('|').map(|row| row.trim_end_matches('|').split('|'))
        else {
            in_table = false;
            continue;
        };
        let cells: Vec<&str> = cells.map(|cell| cell.trim().trim_matches(['`', '*'])).collect();
        let ruled = cells.iter().all(|cell| cell.chars().all(|c| matches!(c, '-' | ':')));
        match cells.split_first() {
            Some((first, _)) if first.eq_ignore_ascii_case("option") => in_table = true,
            Some((key, rest)) if in_table && !ruled => {
                found.push(DecisionOption::new(key, &bounded(&rest.join("; "))));
            }
            _ => {}
        }
    }
    if found.is_empty()
        && let Some(keys) = labelled(awaiting, "Select")
    {
        let keys = keys.trim_matches(['[', ']']).split(['|', ',']).map(str::trim);
        found.extend(keys.filter(|key| !key.is_empty()).map(|key| DecisionOption::new(key, "")));
    }
    found.truncate(MAX_OPTIONS);
    found
}

/// `1. Do it` and `- Do it` as `Do it`.
fn item(line: &str) -> String {
    let line = line.trim().trim_start_matches("- ");
    let digits = line.trim_start_matches(|c: char| c.is_ascii_digit());
    bounded(digits.strip_prefix(". ").unwrap_or(line).trim())
}

fn one_line(text: &str) -> String {
    bounded(text.lines().next().unwrap_or_default().replace("**", "").trim())
}

fn first_of(texts: &[&str]) -> String {
    let found = texts.iter().map(|text| text.trim()).find(|text| !text.is_empty());
    bounded(found.unwrap_or_default())
}
