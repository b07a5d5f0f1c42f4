//! The table of the documents: per class, how many cases there are and how many are found.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use super::case::{clean_cases, planted_cases};
use super::found_by;

const START: &str = "<!-- planted defects: written by the tests, with AFRESH_UPDATE=1 -->\n";
const END: &str = "<!-- end of planted defects -->\n";

/// PL-16: the documents say what is found, and it stays true.
#[test]
fn the_table_of_the_documents_is_current() {
    let clean = clean_cases();
    let mut classes: BTreeMap<String, (usize, usize, Vec<String>)> = BTreeMap::new();
    for case in planted_cases() {
        let (all, found, codes) = classes.entry(case.class.clone()).or_default();
        *all += 1;
        *found += usize::from(found_by(&case, &clean));
        if !codes.contains(&case.finds) {
            codes.push(case.finds.clone());
        }
    }
    let alarms = clean.iter().filter(|case| {
        case.review()
            .findings
            .iter()
            .any(|finding| finding.severity > afresh_formats::Severity::Note)
    });
    let (all, found) =
        classes.values().fold((0, 0), |(all, found), (more, also, _)| (all + more, found + also));
    let mut text = String::new();
    let _ = writeln!(text, "| class | cases | found | finding |\n| --- | --- | --- | --- |");
    for (class, (cases, found, codes)) in &classes {
        let codes: Vec<String> = codes.iter().map(|code| format!("`{code}`")).collect();
        let _ = writeln!(text, "| {class} | {cases} | {found} | {} |", codes.join(", "));
    }
    let _ = writeln!(text, "| **all** | {all} | {found} | |");
    let _ =
        writeln!(text, "\nClean cases: {}, with false alarms: {}.", clean.len(), alarms.count());
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/planning.md");
    let document = fs::read_to_string(&path).expect("the document");
    let (front, rest) = document.split_once(START).expect("the start of the table");
    let (_, back) = rest.split_once(END).expect("the end of the table");
    let wanted = format!("{front}{START}{text}{END}{back}");
    if std::env::var_os("AFRESH_UPDATE").is_some() {
        fs::write(&path, &wanted).expect("written");
    }
    let current = fs::read_to_string(&path).expect("the document");
    assert!(current == wanted, "docs/planning.md is not current: run with AFRESH_UPDATE=1");
}
