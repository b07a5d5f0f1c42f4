//! Names of functions and types in the texts of tasks.
//!
//! Absence is proved where a sentence says that a name exists: in a file whose text does not have it, and that no
//! task before changes; or, as an `existing` name, anywhere in a repository of which every source was read.

use std::collections::BTreeSet;

use afresh_core::plan::nearest;
use afresh_formats::text::markdown::{TextLine, code_spans};
use afresh_import::prose::paths;

use super::claims::{ExistenceClaim, claim_before};
use super::paths::is_source;
use super::tree::{PlannedPath, TaskTree};
use super::{GroundingState, PlanReference, ReferenceKind};
use crate::words::{has_words, sentences};

/// The most text that is searched for a name, in bytes.
const MAX_SEARCHED: u64 = 4 * 1024 * 1024;

pub(super) fn references(text: &str, view: &TaskTree<'_, '_>) -> Vec<PlanReference> {
    let mut found = Vec::new();
    for sentence in sentences(text) {
        let joined = sentence.replace('\n', " ");
        let line = TextLine { text: &joined, start: 0 };
        let named: Vec<&str> =
            paths(&line).iter().map(|path| path.text.trim_start_matches("./")).collect();
        let files: Vec<&str> =
            named.into_iter().filter(|path| view.state(path) == PlannedPath::Exists).collect();
        for span in code_spans(&line) {
            let Some(symbol) = symbol_of(span.text) else { continue };
            let claim = claim_before(joined[..span.start].trim_end_matches('`'));
            if let Some(state) = resolve(symbol, claim, &files, &joined, view) {
                let name = span.text.to_owned();
                found.push(PlanReference { kind: ReferenceKind::Symbol, name, state });
            }
        }
    }
    found
}

/// The last part of a name that looks like one: `load_config()`, `UserStore.find`, `Parser::new`.
fn symbol_of(span: &str) -> Option<&str> {
    let bare = span.split('(').next().unwrap_or(span);
    let last = bare.rsplit(['.', ':']).next().unwrap_or(bare);
    let is_name = |part: &str| {
        part.starts_with(|c: char| c.is_alphabetic() || c == '_')
            && part.chars().all(|c| c.is_alphanumeric() || c == '_')
    };
    if last.len() < 3 || !bare.split(['.', ':']).filter(|part| !part.is_empty()).all(is_name) {
        return None;
    }
    let is_call = span.len() > bare.len() && span.ends_with(')');
    let is_compound = last.contains('_')
        || bare.contains("::")
        || last.chars().skip(1).any(char::is_uppercase) && last.chars().any(char::is_lowercase);
    // `SOME_CONSTANT` is often an environment variable.
    let is_shouting = last.chars().all(|c| c.is_uppercase() || c == '_' || c.is_ascii_digit());
    ((is_call || is_compound) && !is_shouting).then_some(last)
}

fn resolve(
    symbol: &str,
    claim: ExistenceClaim,
    files: &[&str],
    sentence: &str,
    view: &TaskTree<'_, '_>,
) -> Option<GroundingState> {
    let is_called_existing = has_words(&sentence.to_lowercase(), "existing");
    let texts: Vec<(&str, String)> =
        files.iter().filter_map(|path| Some((*path, view.text(path)?))).collect();
    if texts.iter().any(|(_, text)| has_words(text, symbol)) {
        return Some(GroundingState::Verified);
    }
    if claim != ExistenceClaim::Exists || is_made(symbol, view) {
        return None;
    }
    if let [(path, text)] = texts.as_slice() {
        if !is_telling(text) {
            return Some(GroundingState::Uncheckable);
        }
        let is_changed = view
            .tasks()
            .any(|task| task.id != view.tree.task_id(view.task) && task.may_write(path));
        let is_defined_here = is_called_existing || names_place(sentence, symbol, path);
        if is_changed || !is_defined_here {
            return Some(GroundingState::Uncheckable);
        }
        let near = nearest(symbol, identifiers(text));
        let near = near.map(|near| format!("did you mean {near:?}? ")).unwrap_or_default();
        return Some(GroundingState::Missing { hint: format!("{near}{path} does not have it") });
    }
    if !is_called_existing {
        return None;
    }
    Some(match is_anywhere(symbol, view) {
        Some(false) => GroundingState::Missing {
            hint: "nothing of that name is in the repository; name what exists, or plan it"
                .to_owned(),
        },
        Some(true) => GroundingState::Verified,
        None => GroundingState::Uncheckable,
    })
}

/// Whether the name stands before its file: `` `load` in `src/a.py` ``, `` `load` from src/a.py ``, `` src/a.py's `load` ``.
fn names_place(sentence: &str, symbol: &str, path: &str) -> bool {
    let (Some(name), Some(file)) = (sentence.find(symbol), sentence.find(path)) else {
        return false;
    };
    if name < file {
        let between = sentence[name + symbol.len()..file].to_lowercase();
        let words: Vec<&str> =
            between.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
        words.len() <= 4
            && words.iter().any(|word| ["in", "from", "of", "at", "inside"].contains(word))
    } else {
        let between = &sentence[file + path.len()..name];
        between.trim_matches(['`', ' ']).trim() == "'s"
            || between.trim_matches(['`', ' ', ':']).is_empty()
    }
}

/// Whether a task up to this one says that it makes this name.
fn is_made(symbol: &str, view: &TaskTree<'_, '_>) -> bool {
    view.tasks().any(|task| {
        let steps = task.steps.iter().map(|step| step.instructions.as_str());
        std::iter::once(task.instructions.as_str()).chain(steps).any(|text| {
            text.match_indices(symbol).any(|(at, _)| {
                let start = text[..at].rfind(['.', '\n']).map_or(0, |start| start + 1);
                let is_own = task.id == view.tree.task_id(view.task);
                match claim_before(text[start..at].trim_end_matches('`')) {
                    ExistenceClaim::Made => true,
                    // Another task that speaks of it, and does not only use it, may make it.
                    ExistenceClaim::None => !is_own,
                    ExistenceClaim::Exists | ExistenceClaim::Excluded => false,
                }
            })
        })
    })
}

/// Whether any text of the repository has this name; none if not all of them can be read.
fn is_anywhere(symbol: &str, view: &TaskTree<'_, '_>) -> Option<bool> {
    let files = view.tree.repository.files();
    let total = files.iter().fold(0_u64, |sum, file| sum.saturating_add(file.bytes));
    if total > MAX_SEARCHED || files.is_empty() {
        return None;
    }
    let mut is_complete = true;
    for file in files {
        match view.text(&file.path) {
            Some(text) if has_words(&text, symbol) => return Some(true),
            Some(text) => {
                is_complete &= text.is_empty() || !is_source(&file.path) || is_telling(&text);
            }
            None => is_complete = false,
        }
    }
    is_complete.then_some(false)
}

/// Fewer names than any real code has.
const FEW_NAMES: usize = 4;

/// Whether a text is code that could have defined a name.
pub(super) fn is_telling(text: &str) -> bool {
    identifiers(text).collect::<BTreeSet<_>>().len() >= FEW_NAMES
}

fn identifiers(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(c.is_alphanumeric() || c == '_')).filter(|word| word.len() > 2)
}
