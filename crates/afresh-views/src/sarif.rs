//! Findings as SARIF 2.1.0, for code hosts and editors.

use std::collections::BTreeSet;

use afresh_app::formats::Finding;
use afresh_app::formats::findings::codes;
use serde_json::{Value, json};

pub fn document(findings: &[Finding]) -> Value {
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
            // The default would be UTF-16 code units.
            "columnKind": "unicodeCodePoints",
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
    let place = (finding.line, finding.column, finding.excerpt.width);
    let related: Vec<Value> = finding
        .related
        .iter()
        .map(|other| {
            let place = (other.line, other.column, other.excerpt.width);
            let mut location = location(&other.file, place);
            location["message"] = json!({"text": other.message});
            location
        })
        .collect();
    let message = match &finding.hint {
        Some(help) => format!("{}\n{help}", finding.message),
        None => finding.message.clone(),
    };
    let mut result = json!({
        "ruleId": finding.code,
        "level": finding.severity.word(),
        "message": {"text": message},
        "locations": [location(&finding.file, place)],
    });
    if !related.is_empty() {
        result["relatedLocations"] = json!(related);
    }
    result
}

/// A place: line and column, and how many characters are meant.
fn location(file: &str, (line, column, width): (usize, usize, usize)) -> Value {
    let mut place = json!({"artifactLocation": {"uri": uri(file)}});
    if line > 0 {
        place["region"] =
            json!({"startLine": line, "startColumn": column, "endColumn": column + width});
    }
    json!({"physicalLocation": place})
}

/// A relative path as a URI, percent-encoded.
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
