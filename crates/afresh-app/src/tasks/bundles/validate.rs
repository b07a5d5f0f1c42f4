//! Checks that a bundle can be deserialised.

use std::path::Path;

use afresh_agents::Bundle;
use afresh_formats::Finding;
use afresh_formats::findings::{SourceText, not_utf8};
use afresh_formats::text::limits::MAX_TEXT_BYTES;

use crate::error::AppError;
use crate::tasks::bundles::select::SelectedBundle;
use crate::text::files;

const CODE: &str = "bundle";

/// Everything that is wrong with these bundles.
pub fn check(bundles: &[SelectedBundle]) -> Result<Vec<Finding>, AppError> {
    let mut found = Vec::new();
    for one in bundles {
        found.extend(check_file(&one.file, &one.name)?);
    }
    Ok(found)
}

/// Fails where the file cannot be read.
fn check_file(file: &Path, name: &str) -> Result<Vec<Finding>, AppError> {
    let bytes = files::read_bounded(file, MAX_TEXT_BYTES).map_err(|error| {
        AppError::usage("bundle", format!("cannot read the bundle {name}"))
            .cause(error.to_string())
            .in_file(file.display().to_string())
            .hint("`afresh bundle list` lists all bundles")
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
