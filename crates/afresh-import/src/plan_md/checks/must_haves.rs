//! `must_haves`: what must exist at the end, as commands that any shell can run.
//!
//! Truths are for the worker to read. Artifacts (a file, its length, its contents) and key links (a
//! text in one of two files) become checks, with everything quoted. A key link whose pattern is a
//! regular expression of JavaScript is not run: translated for `grep`, it could mean something
//! else. The worker reads it among the truths, and a finding says so.

use std::ops::Range;

use afresh_core::pattern::check_path;
use afresh_core::plan::CheckDraft;

use crate::plan_md::parse::remarks::PlanRemarks;
use afresh_formats::text::node::{Node, Value};
use afresh_formats::text::yaml::values::{get, list_words, word};

#[derive(Debug, Clone, Default)]
pub struct MustHaves {
    pub truths: Vec<String>,
    pub checks: Vec<(CheckDraft, Range<usize>)>,
}

pub fn read(node: &Node, remarks: &mut PlanRemarks) -> MustHaves {
    let truths = get(node, "truths").map(list_words).unwrap_or_default();
    let truths = truths.into_iter().map(|truth| truth.text).collect();
    let mut found = MustHaves { truths, checks: Vec::new() };
    for item in items(node, "artifacts") {
        found.artifact(item, remarks);
    }
    let not_run: Vec<&Node> =
        items(node, "key_links").iter().filter(|link| found.key_link(link).is_none()).collect();
    if let Some(first) = not_run.first() {
        found.truths.extend(not_run.iter().filter_map(|link| describe_link(link)));
        let (count, verb) = (not_run.len(), if not_run.len() == 1 { "is" } else { "are" });
        let message = format!(
            "{count} of the key links {verb} not run as a check: a pattern that is a regular \
             expression, or no file in `from`; the worker only reads it"
        );
        let hint = "write `pattern` as plain text, or put a `grep` command into <verify>";
        remarks.warning("must-have-unclear", &first.span, message, hint);
    }
    found
}

fn items<'n>(node: &'n Node, key: &str) -> &'n [Node] {
    match get(node, key).map(|node| &node.value) {
        Some(Value::List(items)) => items,
        _ => &[],
    }
}

impl MustHaves {
    fn artifact(&mut self, item: &Node, remarks: &mut PlanRemarks) {
        let named = word(item).or_else(|| get(item, "path").and_then(word));
        let Some(path) = named.filter(|path| is_file(path)) else {
            let message = "this artifact names no file, so it is not checked".to_owned();
            let hint = "write its path from the root of the repository, without blanks or globs";
            return remarks.warning("must-have-unclear", &item.span, message, hint);
        };
        let file = quoted(path.trim_end_matches('/'));
        let kind = if path.ends_with('/') { "-d" } else { "-f" };
        self.add(item, format!("{path} exists"), format!("test {kind} {file}"));
        let least =
            get(item, "min_lines").and_then(word).and_then(|lines| lines.parse::<u32>().ok());
        if let Some(least) = least.filter(|least| *least > 0) {
            let command = format!("test \"$(grep -c '' {file})\" -ge {least}");
            self.add(item, format!("{path} has at least {least} lines"), command);
        }
        for text in ["contains", "exports"].iter().flat_map(|key| texts(item, key)) {
            let command = format!("grep -qF -e {} {file}", quoted(&text));
            self.add(item, format!("{path} contains {text:?}"), command);
        }
    }

    /// Adds a check, where the link is a plain text in a file.
    fn key_link(&mut self, item: &Node) -> Option<()> {
        let file = |key| get(item, key).and_then(word).filter(|path| is_file(path));
        let from = file("from").filter(|path| !path.ends_with('/'))?;
        let pattern = plain_text(&get(item, "pattern").and_then(word)?)?;
        // As in the format's own tool: the pattern may stand at either end.
        let to = file("to").filter(|path| path.contains('.') && !path.ends_with('/'));
        let both = to.as_deref().map(|to| format!(" {}", quoted(to))).unwrap_or_default();
        let command = format!("grep -qsF -e {} {}{both}", quoted(&pattern), quoted(&from));
        let target = get(item, "to").and_then(word).unwrap_or_default();
        self.add(item, format!("{from} is linked to {target}"), command);
        Some(())
    }

    fn add(&mut self, item: &Node, name: String, command: String) {
        let check = CheckDraft { name: Some(name), command, ..CheckDraft::default() };
        self.checks.push((check, item.span.clone()));
    }
}

/// A key link as a sentence for the worker.
fn describe_link(item: &Node) -> Option<String> {
    let part = |key| get(item, key).and_then(word);
    let (from, to) = (part("from")?, part("to").unwrap_or_default());
    let how = part("via").or_else(|| part("pattern")).map(|how| format!(" ({how})"));
    Some(format!("{from} is linked to {to}{}", how.unwrap_or_default()))
}

/// The text that a regular expression matches, where it is one text: `db\.user` is `db.user`.
fn plain_text(pattern: &str) -> Option<String> {
    let mut text = String::new();
    let mut rest = pattern.chars();
    while let Some(c) = rest.next() {
        match c {
            '\\' => text.push(rest.next().filter(char::is_ascii_punctuation)?),
            '\n' | '\0' => return None,
            _ if ".*+?()[]{}|^$".contains(c) => return None,
            _ => text.push(c),
        }
    }
    (!text.is_empty()).then_some(text)
}

/// The texts under a key that can be searched for in one line.
fn texts(item: &Node, key: &str) -> Vec<String> {
    let Some(node) = get(item, key) else { return Vec::new() };
    let all = match &node.value {
        Value::List(items) => items.iter().filter_map(word).collect(),
        // Not split by commas: a text may hold them.
        _ => word(node).into_iter().collect::<Vec<_>>(),
    };
    all.into_iter().filter(|text| !text.trim().is_empty() && !text.contains(['\n', '\0'])).collect()
}

/// One plain path of the repository.
fn is_file(path: &str) -> bool {
    let plain = !path.contains(char::is_whitespace) && !path.contains(['*', '?', '`']);
    plain && path.contains(['/', '.']) && check_path(path).is_ok()
}

/// For a shell: one word, whatever is in it.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_that_matches_one_text_is_that_text() {
        for (pattern, text) in [
            ("useState", "useState"),
            ("db\\.user", "db.user"),
            ("\\/api\\/auth\\(", "/api/auth("),
            ("import \"a\\-b\"", "import \"a-b\""),
        ] {
            assert_eq!(plain_text(pattern).as_deref(), Some(text), "{pattern}");
        }
    }

    #[test]
    fn a_regular_expression_is_not_taken_as_text() {
        let expressions = [
            "",
            "fetch.*api",
            "\\bword\\b",
            "a(?=b)",
            "a|b",
            "[ab]",
            "^a",
            "a$",
            "a\\",
            "\\d",
            "a{2}",
        ];
        for pattern in expressions {
            assert_eq!(plain_text(pattern), None, "{pattern}");
        }
    }
}
