//! `JUnit` XML, from any runner that writes it.
//!
//! The text is not trusted: it is read in one pass, nothing is expanded or fetched, and nothing is kept but the counts
//! and the names of tests that failed.

use std::collections::BTreeSet;

use super::{TestReport, TestRunner, relative_path};
use crate::text::test_name;

/// Counts the elements `testcase` that were executed.
pub(super) fn read_junit(text: &str) -> Option<TestReport> {
    let start = text.find("<testsuite")?;
    let mut reader = JunitReader::default();
    let mut rest = &text[start..];
    while let Some(at) = rest.find('<') {
        rest = &rest[at..];
        let Some(length) = reader.read_markup(rest) else { break };
        rest = &rest[length..];
    }
    reader.end_case();
    Some(TestReport {
        listed: reader.listed,
        ..TestReport::new(TestRunner::Junit, reader.executed, reader.failed)
    })
}

#[derive(Debug, Default)]
struct JunitReader {
    executed: u64,
    failed: BTreeSet<String>,
    listed: BTreeSet<String>,
    suite: String,
    suite_file: String,
    case: Option<JunitCase>,
}

#[derive(Debug, Default)]
struct JunitCase {
    class: String,
    name: String,
    file: String,
    is_skipped: bool,
    has_failed: bool,
    /// The file with the test could not be loaded.
    is_unloaded: bool,
}

impl JunitReader {
    /// Reads what starts with `<`, and returns its length; none if it does not end.
    fn read_markup(&mut self, rest: &str) -> Option<usize> {
        for (open, close) in [("<!--", "-->"), ("<![CDATA[", "]]>"), ("<?", "?>")] {
            if let Some(inside) = rest.strip_prefix(open) {
                return inside.find(close).map(|at| open.len() + at + close.len());
            }
        }
        if rest.starts_with("</") {
            let end = rest.find('>')?;
            match rest[2..end].trim_end() {
                "testcase" => self.end_case(),
                "testsuite" => self.suite.clear(),
                _ => {}
            }
            return Some(end + 1);
        }
        let end = tag_end(rest)?;
        let inside = rest[1..end].trim_end();
        let name_end = inside.find(|c: char| c.is_whitespace() || c == '/').unwrap_or(inside.len());
        let (name, attributes) = inside.split_at(name_end);
        self.start_element(name, attributes);
        if name == "testcase" && attributes.ends_with('/') {
            self.end_case();
        }
        Some(end + 1)
    }

    fn start_element(&mut self, name: &str, attributes: &str) {
        match (name, &mut self.case) {
            ("testsuite", _) => {
                self.suite = read_attribute(attributes, "name").unwrap_or_default();
                self.suite_file = read_attribute(attributes, "file").unwrap_or_default();
            }
            ("testcase", _) => {
                self.end_case();
                let attribute = |name| read_attribute(attributes, name);
                let skipped = ["notrun", "skipped", "suppressed", "disabled"];
                let status = attribute("status").or(attribute("result")).unwrap_or_default();
                self.case = Some(JunitCase {
                    class: attribute("classname").unwrap_or_default(),
                    name: attribute("name").unwrap_or_default(),
                    file: attribute("file").unwrap_or_default(),
                    is_skipped: skipped.contains(&status.as_str()),
                    ..JunitCase::default()
                });
            }
            ("skipped" | "disabled", Some(case)) => case.is_skipped = true,
            ("failure" | "error", Some(case)) => {
                case.has_failed = true;
                let message = read_attribute(attributes, "message").unwrap_or_default();
                case.is_unloaded |= message == "collection failure";
            }
            _ => {}
        }
    }

    fn end_case(&mut self) {
        let Some(case) = self.case.take() else { return };
        if case.is_skipped && !case.has_failed {
            return;
        }
        let has_class = !case.class.is_empty() || case.is_unloaded;
        let class = if has_class { &case.class } else { &self.suite };
        if case.has_failed {
            let name = format!("{} {}", relative_path(class), case.name);
            self.failed.insert(test_name(&name));
        }
        if case.is_unloaded {
            return;
        }
        self.executed += 1;
        let places = [&case.file, &self.suite_file, &case.class, &self.suite];
        self.listed.extend(places.into_iter().filter(|place| !place.is_empty()).cloned());
    }
}

/// The position of the `>` that ends the tag at the start; one in quotes does not.
fn tag_end(text: &str) -> Option<usize> {
    let mut quote = None;
    for (at, byte) in text.bytes().enumerate() {
        match (quote, byte) {
            (None, b'>') => return Some(at),
            (None, b'"' | b'\'') => quote = Some(byte),
            (Some(open), _) if open == byte => quote = None,
            _ => {}
        }
    }
    None
}

fn read_attribute(attributes: &str, name: &str) -> Option<String> {
    let mut rest = attributes;
    while let Some((before, after)) = rest.split_once('=') {
        let value = after.trim_start();
        let quote = value.chars().next().filter(|c| matches!(c, '"' | '\''))?;
        let (value, after) = value[1..].split_once(quote)?;
        if before.trim() == name {
            return Some(unescape(value));
        }
        rest = after;
    }
    None
}

/// The five entities that XML knows; all others stay as they are.
fn unescape(value: &str) -> String {
    if !value.contains('&') {
        return value.to_owned();
    }
    let mut text = value.to_owned();
    for (entity, plain) in [
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&quot;", "\""),
        ("&apos;", "'"),
        ("&#39;", "'"),
        ("&amp;", "&"),
    ] {
        text = text.replace(entity, plain);
    }
    text
}
