//! `must_haves`: what has to be there at the end, as commands that any shell can run.
//!
//! Truths are for the worker to read. Artifacts (a file, how long, what it holds) and key links (a
//! pattern in one of two files) become checks, with everything quoted.

use std::ops::Range;

use afresh_core::pattern::check_path;
use afresh_core::plan::CheckDraft;

use crate::plan_md::checks::regex::for_grep;
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
    let unclear: Vec<&Node> =
        items(node, "key_links").iter().filter(|link| found.key_link(link).is_none()).collect();
    if let Some(first) = unclear.first() {
        let message = format!("{} of the key links cannot be checked by a command", unclear.len());
        let help = "`from` is a file, and `pattern` an expression without look-around or \\b";
        remarks.warning("must-have-unclear", &first.span, message, help);
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
            let help = "write its path from the root of the repository, without blanks or globs";
            return remarks.warning("must-have-unclear", &item.span, message, help);
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

    /// A check, where the link can be looked for.
    fn key_link(&mut self, item: &Node) -> Option<()> {
        let file = |key| get(item, key).and_then(word).filter(|path| is_file(path));
        let from = file("from").filter(|path| !path.ends_with('/'))?;
        let pattern = for_grep(&get(item, "pattern").and_then(word)?)?;
        // As in the format's own tool: the pattern may stand at either end.
        let to = file("to").filter(|path| path.contains('.') && !path.ends_with('/'));
        let both = to.as_deref().map(|to| format!(" {}", quoted(to))).unwrap_or_default();
        let command = format!("grep -qsE -e {} {}{both}", quoted(&pattern), quoted(&from));
        let target = get(item, "to").and_then(word).unwrap_or_default();
        self.add(item, format!("{from} is linked to {target}"), command);
        Some(())
    }

    fn add(&mut self, item: &Node, name: String, command: String) {
        let check = CheckDraft { name: Some(name), command, red_first: false };
        self.checks.push((check, item.span.clone()));
    }
}

/// The texts under a key that can be looked for in one line.
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
