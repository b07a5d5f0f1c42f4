//! Checks that a bundle is one: it is deserialised as a worker would.

use std::path::Path;

use afresh_agents::Bundle;
use afresh_formats::Finding;
use afresh_formats::findings::{SourceText, not_utf8};
use afresh_formats::text::limits::MAX_TEXT_BYTES;
use serde_json::json;

use crate::app::bundles::chosen::Chosen;
use crate::app::error::Failure;
use crate::app::text::files;
use crate::exit::Exit;
use crate::terminal::output::{Output, count};

const CODE: &str = "bundle";

pub(crate) fn print(chosen: &[Chosen], output: &Output) -> Result<Exit, Failure> {
    let mut found: Vec<Finding> = Vec::new();
    for one in chosen {
        found.extend(check(&one.file, &one.name)?);
    }
    if output.json {
        let names: Vec<&str> = chosen.iter().map(|one| one.name.as_str()).collect();
        output.document(&json!({"bundles": names, "findings": found}));
    } else {
        for finding in &found {
            output.data(finding.render().trim_end());
        }
        let wrong = count(found.len(), "finding");
        output.note(&format!("{}: {wrong}", count(chosen.len(), "bundle")));
    }
    Ok(if found.is_empty() { Exit::Done } else { Exit::Incomplete })
}

/// What is wrong with a bundle. Fails where its file cannot be read.
fn check(file: &Path, name: &str) -> Result<Vec<Finding>, Failure> {
    let bytes = files::read_bounded(file, MAX_TEXT_BYTES).map_err(|error| {
        Failure::usage("bundle", format!("cannot read the bundle {name}"))
            .cause(error.to_string())
            .about(file.display().to_string())
            .help("`afresh bundle list` shows which there are")
    })?;
    let shown = file.display().to_string();
    let text = match String::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => {
            let at = error.utf8_error().valid_up_to();
            return Ok(vec![not_utf8(&shown, error.as_bytes(), at)]);
        }
    };
    Ok(match serde_json::from_str::<Bundle>(&text) {
        Ok(_) => Vec::new(),
        Err(error) => vec![locate_error(&shown, &text, &error)],
    })
}

/// The error at its place. `serde_json` stops at the first one.
fn locate_error(file: &str, text: &str, error: &serde_json::Error) -> Finding {
    let before: usize =
        text.split_inclusive('\n').take(error.line().saturating_sub(1)).map(str::len).sum();
    let at = before + error.column().saturating_sub(1);
    // The place is part of the finding, so the message does not repeat it.
    let message = error.to_string();
    let message = message.split(" at line ").next().unwrap_or_default();
    let hint = "`afresh schema bundle` prints what a bundle may contain";
    SourceText::new(file, text).finding(CODE, &(at..at + 1), message).with_hint(hint)
}
