//! `JUnit` XML, from any runner that prints it.

use std::collections::BTreeSet;

use super::{TestReport, TestRunner};

/// Counts `<testcase …>` elements; a `<skipped` inside means that it was not executed.
pub(super) fn read_junit(output: &str) -> Option<TestReport> {
    if !output.contains("<testsuite") {
        return None;
    }
    let mut executed = 0;
    let mut failed = BTreeSet::new();
    for case in output.split("<testcase").skip(1) {
        let Some((attributes, content)) = split_tag(case) else { continue };
        let inside = if attributes.ends_with('/') {
            ""
        } else {
            content.split("</testcase>").next().unwrap_or_default()
        };
        if inside.contains("<skipped") {
            continue;
        }
        executed += 1;
        if inside.contains("<failure") || inside.contains("<error") {
            let name = read_attribute(attributes, "name").unwrap_or_default();
            let class = read_attribute(attributes, "classname").unwrap_or_default();
            failed.insert(format!("{class} {name}").trim().to_owned());
        }
    }
    Some(TestReport::new(TestRunner::Junit, executed, failed))
}

/// The attributes of a tag, and what follows it. A `>` in quotes does not end it.
fn split_tag(text: &str) -> Option<(&str, &str)> {
    let mut quote = None;
    for (at, c) in text.char_indices() {
        match (quote, c) {
            (None, '>') => return Some((text[..at].trim_end(), &text[at + 1..])),
            (None, '"' | '\'') => quote = Some(c),
            (Some(open), _) if open == c => quote = None,
            _ => {}
        }
    }
    None
}

fn read_attribute<'a>(attributes: &'a str, name: &str) -> Option<&'a str> {
    for (at, _) in attributes.match_indices(name) {
        let is_start = attributes[..at].ends_with(char::is_whitespace);
        let Some(value) = attributes[at + name.len()..].strip_prefix('=') else { continue };
        let Some(quote) = value.chars().next().filter(|c| matches!(c, '"' | '\'')) else {
            continue;
        };
        if is_start {
            return value[1..].split(quote).next();
        }
    }
    None
}
