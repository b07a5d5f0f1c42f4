//! What must hold for any bytes: no panic, and a result or located problems of limited size.

use std::collections::BTreeMap;

use afresh_checks::{
    ProbeFacts, classify, fingerprint, read_report_file, read_test_reports, report_files,
    unexecuted_tests,
};
use afresh_core::Plan;
use afresh_core::check::CheckEnd;
use afresh_core::outcome::Outcome;
use afresh_core::plan::{Check, FileDraft, PlanDraft, TaskDraft};
use afresh_core::printable::is_unprintable;
use afresh_core::probe::CheckClass;
use afresh_formats::findings::fixes;
use afresh_formats::folder::{MemoryFolder, PlanFolder, as_text};
use afresh_formats::lint::{self, LintSubject};
use afresh_formats::native::PlanSyntax;
use afresh_formats::project::{self, FileListing};
use afresh_formats::reading::PlanReading;
use afresh_formats::result::{self, ResultContext};
use afresh_formats::{Finding, native};
use afresh_import::detect::{PlanFormat, ReadOptions, WorkUnit};
use afresh_import::draft::DraftPlan;
use afresh_import::plan_md::checkpoint_json;

/// The most findings of one plan; each reader and each file has a limit of its own.
const MAX_FINDINGS: usize = 4_000;
/// The most text in all tasks of a plan together, in bytes.
const MAX_PLAN_TEXT: usize = 32 * 1024 * 1024;
/// The longest message, in characters.
const MAX_MESSAGE_CHARS: usize = 20_000;

/// Any text is a result with limited parts, or none.
pub(super) fn result(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let asked = ResultContext { task: "T001", names: vec!["Add login"], prompt: "the prompt" };
    for outcome in [result::read(&text, &asked), result::read_file(&text, &text, &asked)] {
        if let Outcome::Unintelligible { reason, excerpt } = &outcome {
            assert!(!reason.is_empty() && excerpt.chars().count() <= 500, "{outcome:?}");
        }
        if let Some(claim) = outcome.claim() {
            assert!(claim.files.len() <= 2_000 && claim.criteria.len() <= 2_000);
        }
    }
}

/// Any bytes are a request whose target parses to the same again, the start of a request, or none.
pub(super) fn proxy_head(bytes: &[u8]) {
    let Ok(head) = afresh_proxy::parse_head(bytes) else { return };
    let Some(head) = head else {
        assert!(bytes.len() < afresh_proxy::MAX_HEAD_BYTES);
        return;
    };
    assert!(head.bytes <= bytes.len() && bytes[..head.bytes].ends_with(b"\r\n\r\n"));
    let target = head.request.target();
    let shown = target.to_string();
    assert!(shown.len() < 300 && shown.bytes().all(|byte| byte.is_ascii_graphic()), "{shown:?}");
    assert_eq!(shown.parse::<afresh_proxy::ProxyTarget>().as_ref(), Ok(target));
}

/// The first line is a command, the rest what it printed: it is classified, and no failure is called a pass.
pub(super) fn check_output(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let (command, output) = text.split_once('\n').unwrap_or((&text, ""));
    let check = Check::from_command(command);
    let mut reports = read_test_reports(command, output);
    reports.extend(read_report_file(output));
    let plan = planned_files();
    for code in [0, 1, 2, 5, 101, 127] {
        let facts = ProbeFacts {
            check: &check,
            end: &CheckEnd::Exited(code),
            output,
            reports: &reports,
            is_flaky: false,
            syntax_error: None,
        };
        let found = classify(&facts, &plan);
        assert!(
            found.detail.chars().count() <= 301 && !found.detail.chars().any(is_unprintable),
            "{found:?}"
        );
        assert!(
            code == 0 || !matches!(found.class, CheckClass::Vacuous | CheckClass::Guard),
            "{found:?}"
        );
    }
    let changed =
        ["tests/test_a.py", "src/a.test.ts", "tests/it.rs", "a/b_test.go"].map(str::to_owned);
    assert!(unexecuted_tests(command, &reports, &changed).len() <= changed.len());
    assert!(
        report_files(command).iter().all(|path| !path.starts_with('/') && !path.contains(".."))
    );
    assert_eq!(fingerprint(command, output), fingerprint(command, &format!("{output}\n")));
}

/// A plan that declares files of every kind.
fn planned_files() -> Plan {
    let paths = [
        "src/a.py",
        "tests/test_a.py",
        "src/**/*.ts",
        "package.json",
        "Cargo.toml",
        "docs/",
        "cmd/a/main.go",
    ];
    let files = paths.map(|path| FileDraft { path: path.to_owned(), action: None }).to_vec();
    let task = TaskDraft {
        id: "T1".to_owned(),
        title: "T1".to_owned(),
        instructions: "Do it.".to_owned(),
        files,
        no_check: Some("none".to_owned()),
        ..TaskDraft::default()
    };
    Plan::new(PlanDraft { tasks: vec![task], ..PlanDraft::default() }).expect("a plan")
}

/// Any checkpoint gives the progress of a plan, never more than all of it, or problems.
pub(super) fn checkpoint(file: &str, bytes: &[u8]) {
    let Ok(text) = as_text(file, bytes) else { return };
    let mut drafted = DraftPlan::default();
    let progress = checkpoint_json::read(file, &text, &mut drafted);
    assert!(progress.is_some() || !drafted.findings.is_empty());
    if let Some((done, total)) = progress.and_then(|p| Some((p.done, p.total?))) {
        assert!(done <= total);
    }
    located(&drafted.findings, &[(file.to_owned(), bytes.to_vec())]);
}

/// Whatever a repository contains, no command has a line or a substitution from a file.
pub(super) fn project(files: &[(String, Vec<u8>)]) {
    let text = |(path, bytes): &(String, Vec<u8>)| {
        (path.clone(), String::from_utf8_lossy(bytes).into_owned())
    };
    let texts: BTreeMap<String, String> = files.iter().map(text).collect();
    let listing = FileListing { paths: texts.keys().cloned().collect(), texts };
    for stack in project::discover(&listing) {
        let commands = stack.setup.iter().chain(stack.checks.iter().map(|check| &check.command));
        for command in commands.chain(&stack.keep) {
            assert!(!command.contains(['`', '\n', '\0', '\x1b']), "{command:?}");
        }
    }
}

/// Any file of the native format is a plan or located problems.
pub(super) fn native(file: &str, bytes: &[u8]) {
    let files = [(file.to_owned(), bytes.to_vec())];
    read_well("native", &MemoryFolder::new(files.clone()), &native::read(file, bytes), &files);
}

/// Any files are a plan of a format or located problems, with any options.
pub(super) fn plan(format: &PlanFormat, files: &[(String, Vec<u8>)]) {
    let folder = MemoryFolder::new(files.iter().cloned());
    let _ = (format.is_present)(&folder);
    let only = files.first().map(|(path, _)| path.clone());
    for wishes in [
        ReadOptions::default(),
        ReadOptions { unit: WorkUnit::Task, only: None },
        ReadOptions { unit: WorkUnit::Plan, only },
    ] {
        read_well(format.name, &folder, &format.read_traced(&folder, &wishes), files);
    }
}

fn read_well(
    format: &str,
    folder: &dyn PlanFolder,
    reading: &PlanReading,
    files: &[(String, Vec<u8>)],
) {
    let wrong = reading.findings.iter().any(Finding::is_error);
    assert!(reading.plan.is_some() || wrong, "{:?}", reading.findings);
    assert!(wrong || reading.blocked.is_empty(), "{:?}", reading.blocked);
    located(&reading.findings, files);
    let Some(plan) = &reading.plan else { return };
    assert_eq!(reading.places.len(), plan.len(), "a place for every task");
    bounded(plan);
    let repository = folder.paths().iter().cloned().collect();
    let subject = LintSubject {
        plan,
        format,
        places: &reading.places,
        reads: &reading.reads,
        repository: Some(&repository),
    };
    located(&lint::lint_plan(folder, subject), files);
    for (file, syntax) in [("p.plan.toml", PlanSyntax::Toml), ("p.plan.json", PlanSyntax::Json)] {
        let text = native::render(plan, reading.target.as_deref(), syntax);
        let again = native::read(file, text.as_bytes());
        // What requirements say is in the documents that state them; a plan file only names them.
        let bare = plan.clone().with_requirements(Vec::new(), []);
        assert_eq!(again.plan.as_ref(), Some(&bare), "{:?}\n{text}", again.findings);
    }
}

/// Every finding has a valid position and a hint, and can be rendered; its fix can be applied.
fn located(findings: &[Finding], files: &[(String, Vec<u8>)]) {
    assert!(findings.len() <= MAX_FINDINGS, "{} findings", findings.len());
    for finding in findings {
        // Of two files with the same name the last one counts.
        let content = files.iter().rev().find(|(path, _)| *path == finding.file);
        let lines = content.map_or(0, |(_, text)| text.split(|byte| *byte == b'\n').count());
        assert!(finding.line <= lines && finding.hint.is_some(), "{finding:?}");
        assert!(finding.render().chars().count() <= MAX_MESSAGE_CHARS, "{finding:?}");
        if let (Some(fix), Some((_, bytes))) = (&finding.fix, content) {
            assert!(fixes::apply_edits(bytes, &fix.edits).is_some(), "{finding:?}");
        }
    }
}

/// The texts of a plan are not larger than the input allows.
fn bounded(plan: &Plan) {
    let text = |task: &afresh_core::plan::Task| {
        let steps: usize = task.steps.iter().map(|step| step.instructions.len()).sum();
        task.title.len() + task.instructions.len() + steps
    };
    let all: usize = plan.tasks().iter().map(text).sum();
    assert!(all <= MAX_PLAN_TEXT, "{all} bytes of text");
}
