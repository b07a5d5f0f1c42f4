//! Whether a bundle is what its schema says.

use std::path::Path;

use afresh_agents::Bundle;
use afresh_formats::findings::not_utf8;
use afresh_formats::text::limits::MAX_TEXT_BYTES;
use afresh_formats::{Finding, conform};
use serde_json::{Value, json};

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

/// Everything that is wrong with a bundle. An error: it cannot be read.
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
    let schema: Value = serde_json::from_str(&Bundle::schema())
        .map_err(|error| Failure::new(Exit::Bug, "schema", error.to_string()))?;
    let findings = conform::check(&shown, &text, &schema, CODE);
    if !findings.is_empty() {
        return Ok(findings);
    }
    // A schema does not say everything: what an id looks like, for one.
    Ok(match serde_json::from_str::<Bundle>(&text) {
        Ok(_) => Vec::new(),
        Err(error) => vec![Finding::of_file(&shown, CODE, error.to_string())],
    })
}
