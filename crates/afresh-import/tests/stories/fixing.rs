//! Mending: what is proposed is proved, and nothing else changes (BE-01).

use std::collections::BTreeMap;

use afresh_formats::Finding;
use afresh_formats::findings::fixes::{AppliedFixes, LintResult, apply_fixes};
use afresh_formats::folder::{MemoryFolder, PatchedFolder, PlanFolder};
use afresh_formats::lint::{self, LintSubject};
use afresh_import::detect::{ReadOptions, format_by_name};
use proptest::prelude::*;

fn look(format: &str, folder: &dyn PlanFolder) -> LintResult {
    let reading = (format_by_name(format).expect("a format").read)(folder, &ReadOptions::default());
    let mut findings = reading.findings;
    if let Some(plan) = &reading.plan {
        let (places, reads) = (&reading.places, &reading.reads);
        let subject = LintSubject { plan, format, places, reads, repository: None };
        findings.extend(lint::lint_plan(folder, subject));
    }
    LintResult { plan: reading.plan, findings }
}

fn mended(format: &str, files: &BTreeMap<String, Vec<u8>>) -> AppliedFixes {
    let folder = MemoryFolder::new(files.clone());
    apply_fixes(&folder, files, &|folder| look(format, folder))
}

/// The files with what was mended.
fn with(files: &BTreeMap<String, Vec<u8>>, mended: &AppliedFixes) -> BTreeMap<String, Vec<u8>> {
    let mut all = files.clone();
    all.extend(mended.files.clone());
    all
}

/// Mends one file, and says what it is then; twice is the same as once.
#[track_caller]
fn fixes(format: &str, path: &str, text: &str, code: &str) -> String {
    let files = BTreeMap::from([(path.to_owned(), text.as_bytes().to_vec())]);
    let once = mended(format, &files);
    let codes: Vec<&str> = once.done.iter().map(|finding| finding.code.as_str()).collect();
    assert_eq!(codes, [code], "{:?}", once.refused);
    let after = with(&files, &once);
    let twice = mended(format, &after);
    assert!(twice.files.is_empty() && twice.done.is_empty(), "{:?}", twice.done);
    String::from_utf8(after[path].clone()).expect("text")
}

const PLAN: &str = ".planning/phases/01-a/01-01-PLAN.md";

fn plan(frontmatter: &str, tasks: &str) -> String {
    format!("---\nphase: 01-a\nplan: 01\n{frontmatter}---\n<tasks>\n{tasks}</tasks>\n")
}

const TASK: &str = "<task type=\"auto\">\n  <name>One</name>\n  <files>a.ts</files>\n  <action>Do it</action>\n  <verify>npm test</verify>\n  <done>It is</done>\n</task>\n";

/// BE-01: a misspelt key, a wave, an open tag, quotes: each in every line around it.
#[test]
fn what_is_safe_is_mended() {
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

/// BE-01: JSON that other readers let pass, and keys of other formats.
#[test]
fn json_is_mended() {
    let task = r#"{"id": "T001", "name": "a", "phase": 1, "files": [{"path": "a.py", "action": "create"}], "dependancies": {"tasks": []}, "acceptance_criteria": [{"criterion": "c", "verification": "pytest"}]}"#;
    let fixed = fixes("tasker", ".tasker/tasks/T001.json", task, "unknown-field");
    assert_eq!(fixed, task.replace("dependancies", "dependencies"));
    let tasks = "{\"tasks\": [{\"id\": 1, \"title\": \"a\", \"status\": \"pending\", \"dependencies\": [],},]}";
    let path = ".taskmaster/tasks/tasks.json".to_owned();
    let files = BTreeMap::from([(path.clone(), tasks.as_bytes().to_vec())]);
    let once = mended("task-master", &files);
    assert_eq!(once.done.len(), 2, "{once:?}");
    assert_eq!(with(&files, &once)[&path], tasks.replace(",}", "}").replace(",]", "]").as_bytes());
}

/// BE-01: a fix that would bring something else is refused, and the file stays as it is.
#[test]
fn a_fix_that_brings_something_else_is_refused() {
    let text = plan("wave: 1\ndepend_on: [\"99-99\"]\n", TASK);
    let files = BTreeMap::from([(PLAN.to_owned(), text.into_bytes())]);
    let mended = mended("gsd", &files);
    assert!(mended.files.is_empty() && mended.done.is_empty(), "{mended:?}");
    assert_eq!(mended.refused.len(), 1);
}

/// Everything that a mistake can be made of, and what the file is without it.
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

    /// BE-01: after mending, none of those findings is there, no new one is, all that was right is
    /// as it was, and mending again changes nothing.
    #[test]
    fn mending_removes_mistakes_and_nothing_else((right, wrong) in mistakes()) {
        let files = BTreeMap::from([(PLAN.to_owned(), wrong.into_bytes())]);
        let once = mended("gsd", &files);
        let after = with(&files, &once);
        prop_assert_eq!(String::from_utf8_lossy(&after[PLAN]), right);
        let folder = MemoryFolder::new(files.clone());
        let now = look("gsd", &PatchedFolder::new(&folder, after.clone()));
        prop_assert!(now.plan.is_some());
        prop_assert!(!now.findings.iter().any(|finding: &Finding| finding.fix.is_some()));
        prop_assert!(mended("gsd", &after).files.is_empty());
    }
}
