//! Removing bundles that nobody needs, and saying which are kept.

use afresh_core::Run;
use afresh_engine::bundle::stored::{DependencyState, StoredBundle};
use serde_json::{Value, json};

use crate::app::error::Failure;
use crate::exit::Exit;
use crate::terminal::output::{Output, count};

/// `run` was read after the bundles were listed: whoever is at work is known to be.
pub(crate) fn clean(
    run: Option<&Run>,
    kept: &[StoredBundle],
    output: &Output,
) -> Result<Exit, Failure> {
    let (over, needed): (Vec<&StoredBundle>, Vec<&StoredBundle>) =
        kept.iter().partition(|one| one.need(run).is_over());
    for one in &over {
        one.remove().map_err(|error| {
            let file = one.bundle().display().to_string();
            Failure::usage("bundle", format!("cannot remove {file}")).cause(error.to_string())
        })?;
    }
    if output.json {
        let removed: Vec<String> = over.iter().map(|one| one.attempt.to_string()).collect();
        let kept: Vec<Value> = needed
            .iter()
            .map(|one| json!({"bundle": one.attempt.to_string(), "why": one.need(run).word()}))
            .collect();
        output.document(&json!({"run": run.map(Run::id), "removed": removed, "kept": kept}));
        return Ok(Exit::Done);
    }
    output.data(&format!("removed {}", count(over.len(), "bundle")));
    for one in needed {
        output.data(&format!("kept {}: {}", one.attempt, why(one.need(run))));
    }
    Ok(Exit::Done)
}

fn why(need: DependencyState) -> &'static str {
    match need {
        DependencyState::Running => "its worker, or what it did, is not at its end",
        DependencyState::Asked => "a person is asked about its task",
        DependencyState::Over | DependencyState::Looking => "nobody needs it",
    }
}
