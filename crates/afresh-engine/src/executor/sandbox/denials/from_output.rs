//! Denials that a program's own output mentions.
//!
//! The kernel reports some denials only to the program itself: a file outside of the sandbox, a process that belongs
//! to another job. The program's output is the only evidence of these, and a program that wants to hide them can.

use std::collections::BTreeMap;

use afresh_core::denial::{Denial, DeniedAction};

/// The wording of the system's refusals.
const WORDS: &[&str] = &[
    "Read-only file system",
    "Permission denied",
    "Operation not permitted",
    "Network is unreachable",
    "name resolution",
    "Could not resolve host",
    "EROFS",
    "EACCES",
    "ENETUNREACH",
    "EAI_AGAIN",
];
/// How many different denials are reported.
const MOST: usize = 5;
/// How much of a line is reported, before and after the words.
const BEFORE: usize = 90;
const AFTER: usize = 60;

pub(crate) fn refusals(output: &[&str]) -> Vec<Denial> {
    let mut found: BTreeMap<String, u64> = BTreeMap::new();
    let mut order = Vec::new();
    for line in output.iter().flat_map(|text| text.lines()) {
        let Some(at) = WORDS.iter().filter_map(|words| line.find(words)).min() else { continue };
        let excerpt = around(line, at);
        let times = found.entry(excerpt.clone()).or_insert(0);
        *times += 1;
        if *times == 1 {
            order.push(excerpt);
        }
    }
    let told = order.into_iter().take(MOST);
    told.map(|excerpt| Denial::new(DeniedAction::Said, &excerpt, found[&excerpt])).collect()
}

/// The part of a line around the words. Lines of agents are JSON, with whole texts in them.
fn around(line: &str, at: usize) -> String {
    let (before, after) = line.split_at(at);
    let before = before.rsplit("\\n").next().unwrap_or_default();
    let start = before.chars().count().saturating_sub(BEFORE);
    let before: String = before.chars().skip(start).collect();
    let after = after.split("\\n").next().unwrap_or_default();
    let after: String = after.chars().take(AFTER).take_while(|c| *c != '"').collect();
    let before = before.rsplit('"').next().unwrap_or_default();
    format!("{before}{after}").trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_system_refused_is_found_in_lines_and_in_json() {
        let plain = "fine\nsh: 1: cannot create /etc/evil: Permission denied\nfine\n\
                     sh: 1: cannot create /etc/evil: Permission denied\n";
        let json = r#"{"type":"user","content":"ok\ntouch: cannot touch '/x': Read-only file system\nmore"}"#;
        let found: Vec<String> = refusals(&[plain, json]).iter().map(Denial::describe).collect();
        let expected = [
            "said: sh: 1: cannot create /etc/evil: Permission denied (2 times)",
            "said: touch: cannot touch '/x': Read-only file system",
        ];
        assert_eq!(found, expected);
        assert!(refusals(&["nothing\nof the kind"]).is_empty());
    }

    /// R15: whatever a program prints, few lines are reported.
    #[test]
    fn what_is_quoted_is_bounded() {
        let lines: Vec<String> = (0..10_000).map(|n| format!("{n}ä: Permission denied")).collect();
        let many = lines.join("\n");
        assert_eq!(refusals(&[&many]).len(), MOST);
        let long = format!("{}Permission denied{}", "ä".repeat(1 << 20), "ß".repeat(1 << 20));
        assert!(refusals(&[&long])[0].detail.chars().count() <= BEFORE + AFTER);
    }
}
