//! Findings as SARIF 2.1.0, for code hosts and editors.

use std::collections::BTreeSet;

use afresh_formats::{Finding, codes};
use serde_json::{Value, json};

use crate::commands::lint::level;

pub(crate) fn document(findings: &[Finding]) -> Value {
    let used: BTreeSet<&str> = findings.iter().map(|finding| finding.code.as_str()).collect();
    let rules: Vec<Value> = used.iter().map(|code| rule(code)).collect();
    let results: Vec<Value> = findings.iter().map(result).collect();
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {
                "name": "afresh",
                "version": env!("CARGO_PKG_VERSION"),
                "rules": rules,
            }},
            "results": results,
        }],
    })
}

fn rule(code: &str) -> Value {
    let known = codes::explain(code);
    json!({
        "id": code,
        "shortDescription": {"text": known.map_or(code, |known| known.title)},
        "fullDescription": {"text": known.map_or("", |known| known.text)},
    })
}

fn result(finding: &Finding) -> Value {
    let mut location = json!({"artifactLocation": {"uri": uri(&finding.file)}});
    if finding.line > 0 {
        location["region"] = json!({"startLine": finding.line, "startColumn": finding.column});
    }
    let message = match &finding.help {
        Some(help) => format!("{}\n{help}", finding.message),
        None => finding.message.clone(),
    };
    json!({
        "ruleId": finding.code,
        "level": level(finding.severity),
        "message": {"text": message},
        "locations": [{"physicalLocation": location}],
    })
}

/// A relative path as a URI: what is not plain is written as a number.
fn uri(path: &str) -> String {
    let plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"-._~/".contains(byte);
    path.bytes().fold(String::new(), |text, byte| {
        if plain(&byte) {
            text + &char::from(byte).to_string()
        } else {
            format!("{text}%{byte:02X}")
        }
    })
}
