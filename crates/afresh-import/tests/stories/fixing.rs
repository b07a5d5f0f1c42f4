//! Fixes: each is verified, and nothing else changes (BE-01).

use std::collections::BTreeMap;

use afresh_formats::Finding;
use afresh_formats::findings::fixes::{AppliedFixes, LintResult, apply_fixes};
use afresh_formats::folder::{MemoryFolder, PatchedFolder, PlanFolder};
use afresh_formats::lint::{self, LintSubject};
use afresh_import::detect::{ReadOptions, format_by_name};
use proptest::prelude::*;

fn lint_files(format: &str, folder: &dyn PlanFolder) -> LintResult {
    let reading = (format_by_name(format).expect("a format").read)(folder, &ReadOptions::default());
    let mut findings = reading.findings;
    if let Some(plan) = &reading.plan {
        let (places, reads) = (&reading.places, &reading.reads);
        let subject = LintSubject { plan, format, places, reads, repository: None };
        findings.extend(lint::lint_plan(folder, subject));
    }
    LintResult { plan: reading.plan, findings }
}

fn applied(format: &str, files: &BTreeMap<String, Vec<u8>>) -> AppliedFixes {
    let folder = MemoryFolder::new(files.clone());
    apply_fixes(&folder, files, &|folder| lint_files(format, folder))
}

/// The files with the fixes applied.
fn with(files: &BTreeMap<String, Vec<u8>>, applied: &AppliedFixes) -> BTreeMap<String, Vec<u8>> {
    let mut all = files.clone();
    all.extend(applied.files.clone());
    all
}

/// Fixes one file and returns it; fixing it again changes nothing.
#[track_caller]
fn fixes(format: &str, path: &str, text: &str, code: &str) -> String {
    let files = BTreeMap::from([(path.to_owned(), text.as_bytes().to_vec())]);
    let once = applied(format, &files);
    let codes: Vec<&str> = once.done.iter().map(|finding| finding.code.as_str()).collect();
    assert_eq!(codes, [code], "{:?}", once.refused);
    let after = with(&files, &once);
    let twice = applied(format, &after);
    assert!(twice.files.is_empty() && twice.done.is_empty(), "{:?}", twice.done);
    String::from_utf8(after[path].clone()).expect("text")
}

const PLAN: &str = ".planning/phases/01-a/01-01-PLAN.md";

fn plan(frontmatter: &str, tasks: &str) -> String {
    format!("---\nphase: 01-a\nplan: 01\n{frontmatter}---\n<tasks>\n{tasks}</tasks>\n")
}

const TASK: &str = "<task type=\"auto\">\n  <name>One</name>\n  <files>a.ts</files>\n  <action>Do it</action>\n  <verify>npm test</verify>\n  <done>It is</done>\n</task>\n";

/// BE-01: misspelt keys, waves, unclosed tags and quotes are fixed.
#[test]
fn safe_fixes_are_applied() {
    let text = plan("wave: 1\ndepend_on: []\nfiles_modified: [a.ts]\n", TASK);
    let fixed = fixes("gsd", PLAN, &text, "unknown-field");
    assert_eq!(fixed, text.replace("depend_on", "depends_on"));

    let text = plan("wave: 0\ndepends_on: []\n", TASK).replace('\n', "\r\n");
    let fixed = fixes("gsd", PLAN, &text, "wave-disagrees");
    assert_eq!(fixed, text.replace("wave: 0", "wave: 1"));

    let broken = "wave: 1\ndepends_on: []\nmust_haves:\n  key_links:\n    - from: a.ts\n      to: b.ts\n      pattern: \"x\\.y\"\n";
    let text = plan(broken, TASK);
    let fixed = fixes("gsd", PLAN, &text, "frontmatter-invalid");
    assert_eq!(fixed, text.replace("\"x\\.y\"", "'x\\.y'"));

    let open = TASK.replace("</task>\n", "") + TASK;
    let fixed = fixes("gsd", PLAN, &plan("wave: 1\n", &open), "unbalanced-task");
    assert_eq!(fixed, plan("wave: 1\n", &(TASK.to_owned() + TASK)));

    let misspelt = TASK.replace("verify", "verfiy");
    let fixed = fixes("gsd", PLAN, &plan("wave: 1\n", &misspelt), "unknown-tag");
    assert_eq!(fixed, plan("wave: 1\n", TASK));

    let asks = TASK.replace("type=\"auto\"", "type=\"checkpoint:human-verify\"");
    let text = plan("wave: 1\nautonomous: true\n", &(TASK.to_owned() + &asks));
    let fixed = fixes("gsd", PLAN, &text, "autonomous-checkpoint");
    assert_eq!(fixed, text.replace("autonomous: true", "autonomous: false"));
}

/// BE-01: JSON that other parsers accept, and keys of other formats.
#[test]
fn json_is_fixed() {
    let task = r#"{"id": "T001", "name": "a", "phase": 1, "files": [{"path": "a.py", "action": "create"}], "dependancies": {"tasks": []}, "acceptance_criteria": [{"criterion": "c", "verification": "pytest"}]}"#;
    let fixed = fixes("tasker", ".tasker/tasks/T001.json", task, "unknown-field");
    assert_eq!(fixed, task.replace("dependancies", "dependencies"));
    let tasks = "{\"tasks\": [{\"id\": 1, \"title\": \"a\", \"status\": \"pending\", \"dependencies\": [],},]}";
    let path = ".taskmaster/tasks/tasks.json".to_owned();
    let files = BTreeMap::from([(path.clone(), tasks.as_bytes().to_vec())]);
    let once = applied("task-master", &files);
    assert_eq!(once.done.len(), 2, "{once:?}");
    assert_eq!(with(&files, &once)[&path], tasks.replace(",}", "}").replace(",]", "]").as_bytes());
}

/// BE-01: a fix that would cause another finding is refused, and the file is unchanged.
#[test]
fn a_fix_that_causes_another_finding_is_refused() {
    let text = plan("wave: 1\ndepend_on: [\"99-99\"]\n", TASK);
    let files = BTreeMap::from([(PLAN.to_owned(), text.into_bytes())]);
    let applied = applied("gsd", &files);
    assert!(applied.files.is_empty() && applied.done.is_empty(), "{applied:?}");
    assert_eq!(applied.refused.len(), 1);
}

/// Combinations of mistakes, and the file without them.
fn mistakes() -> impl Strategy<Value = (String, String)> {
    let keys = prop::sample::subsequence(
        vec![
            ("depends_on: []", "depend_on: []"),
            ("files_modified: [a.ts, b.ts]", "file_modified: [a.ts, b.ts]"),
            ("autonomous: false", "autonomos: false"),
            ("note: 'a: b: c'", "note: a: b: c"),
            ("pattern: '\\d+\\.ts'", "pattern: \"\\d+\\.ts\""),
        ],
        0..=5,
    );
    let tasks = prop::collection::vec(0..3_u8, 1..4);
    (keys, tasks, any::<bool>()).prop_map(|(keys, tasks, windows)| {
        let join =
            |lines: Vec<&str>| lines.into_iter().flat_map(|line| [line, "\n"]).collect::<String>();
        let right = join(keys.iter().map(|(right, _)| *right).collect());
        let wrong = join(keys.iter().map(|(_, wrong)| *wrong).collect());
        let (mut good, mut bad) = (String::new(), String::new());
        for kind in tasks {
            good.push_str(TASK);
            bad.push_str(&match kind {
                0 => TASK.to_owned(),
                1 => TASK.replace("</task>\n", ""),
                _ => TASK.replace("action", "acton"),
            });
        }
        let (good, bad) = (plan(&right, &good), plan(&wrong, &bad));
        if windows { (good.replace('\n', "\r\n"), bad.replace('\n', "\r\n")) } else { (good, bad) }
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    /// BE-01: after fixing, those findings are gone, none is new, everything else is unchanged, and fixing
    /// again changes nothing.
    #[test]
    fn fixes_remove_mistakes_and_nothing_else((right, wrong) in mistakes()) {
        let files = BTreeMap::from([(PLAN.to_owned(), wrong.into_bytes())]);
        let once = applied("gsd", &files);
        let after = with(&files, &once);
        prop_assert_eq!(String::from_utf8_lossy(&after[PLAN]), right);
        let folder = MemoryFolder::new(files.clone());
        let now = lint_files("gsd", &PatchedFolder::new(&folder, after.clone()));
        prop_assert!(now.plan.is_some());
        prop_assert!(!now.findings.iter().any(|finding: &Finding| finding.fix.is_some()));
        prop_assert!(applied("gsd", &after).files.is_empty());
    }
}
