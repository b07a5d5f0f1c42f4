//! Whether a change may land (EX-04, B03, B26, B27, B28), as a table: one row per change, one column per mode.

use afresh_core::harvest::{Change, ChangeKind, EntryKind, SettingsChange};
use afresh_core::outcome::Deviation;
use afresh_core::plan::TaskIndex;
use afresh_core::run::settings::ScopeMode;
use afresh_core::scope::TaskScope;

use crate::support::{changed, plan_of};

fn entry(path: &str, now: EntryKind) -> Change {
    Change::new(path, ChangeKind::Created, now)
}

fn link(path: &str, target: &str) -> Change {
    entry(path, EntryKind::Symlink(target.to_owned()))
}

/// The verdict on one change: `lands`, `beyond`, `ask`, or why not.
fn verdict(plan: &str, mode: ScopeMode, change: &Change) -> String {
    let plan = plan_of(plan);
    let deviations = [
        Deviation {
            rule: 3,
            description: "src/named.rs needed it".to_owned(),
            files: vec!["./src/declared.rs".to_owned(), "AGENTS.md".to_owned()],
        },
        Deviation {
            rule: 1,
            description: String::new(),
            files: [
                "tests/t.py",
                "old.rs",
                "theirs.rs",
                "src/read.rs",
                "Makefile",
                "package.json",
                "other/Makefile",
            ]
            .map(ToOwned::to_owned)
            .to_vec(),
        },
    ];
    let scope = TaskScope {
        mode,
        task: plan.task(TaskIndex::new(0)),
        deviations: &deviations,
        unfinished: vec![plan.task(TaskIndex::new(1))],
        always: &["sh scripts/ci.sh && grep -q x src/read.rs && make test".to_owned()],
        pinned: &["my.plan.toml".to_owned()],
    };
    let judgement = scope.check_changes(std::slice::from_ref(change));
    if let Some(violation) = judgement.violations.first() {
        let why = format!("{:?}", violation.why);
        return why.split(['(', ' ']).next().unwrap_or_default().to_owned();
    }
    match (judgement.ask.is_empty(), judgement.beyond.is_empty()) {
        (false, _) => "ask".to_owned(),
        (true, false) => "beyond".to_owned(),
        (true, true) => "lands".to_owned(),
    }
}

/// A manifest whose settings of test runners changed so.
fn manifest(settings: SettingsChange) -> Change {
    Change { settings, ..changed("package.json", ChangeKind::Modified) }
}

/// A new manifest with settings of a test runner.
fn new_manifest() -> Change {
    let settings = SettingsChange::Changed(vec!["tool:pytest".to_owned()]);
    Change { settings, ..changed("setup.cfg", ChangeKind::Created) }
}

fn table(plan: &str) -> String {
    use ChangeKind::{Created, Deleted, Modified};
    let rows = [
        ("listed", changed("src/mine.rs", Modified)),
        ("listed, deleted", changed("src/mine.rs", Deleted)),
        ("listed test", changed("tests/mine.py", Modified)),
        ("undeclared", changed("src/other.rs", Modified)),
        ("declared", changed("src/declared.rs", Modified)),
        ("named in prose", changed("src/named.rs", Created)),
        ("declared, deleted", changed("old.rs", Deleted)),
        ("declared, another's", changed("theirs.rs", Modified)),
        ("declared test", changed("tests/t.py", Modified)),
        ("new undeclared test", changed("tests/new.py", Created)),
        ("executed by a check", changed("scripts/ci.sh", Modified)),
        ("read by a check", changed("src/read.rs", Modified)),
        ("configures a check", changed("Makefile", Modified)),
        ("new configuration", changed("Makefile", Created)),
        ("new, undeclared", changed("GNUmakefile", Created)),
        ("new manifest", new_manifest()),
        ("another's Makefile", changed("other/Makefile", Modified)),
        ("manifest, same tests", manifest(SettingsChange::Same)),
        ("manifest, other tests", manifest(SettingsChange::Changed(vec!["x".to_owned()]))),
        ("manifest, unreadable", manifest(SettingsChange::Unknown)),
        ("trust, declared", changed("AGENTS.md", Modified)),
        ("trust, listed", changed(".github/workflows/ci.yml", Modified)),
        ("trust, other case", changed("sub/.Claude/x", Created)),
        ("the plan itself", changed("my.plan.toml", Modified)),
        ("listed link inside", link("src/mine.rs", "../lib.rs")),
        ("listed link outside", link("src/mine.rs", "../../etc/passwd")),
        ("listed link absolute", link("src/mine.rs", "/etc/passwd")),
        ("listed link to .git", link("src/mine.rs", "../.git/config")),
        ("listed repository", entry("src/mine.rs", EntryKind::Gitlink)),
        ("bad path", changed("src/a\\b", Created)),
    ];
    let mut lines = vec![format!("{:23}{:16}{:16}{:16}", "", "strict", "declared", "open")];
    for (name, change) in rows {
        let cells = [ScopeMode::Strict, ScopeMode::Declared, ScopeMode::Open]
            .map(|mode| format!("{:16}", verdict(plan, mode, &change)));
        lines.push(format!("{name:23}{}", cells.concat()));
    }
    lines.iter().map(|line| line.trim_end()).collect::<Vec<_>>().join("\n")
}

/// EX-04, B03, B26, B27, B28.
#[test]
fn what_may_land_by_mode() {
    let plan = "A: src/mine.rs tests/mine.py .github/workflows/ci.yml\nB: theirs.rs";
    insta::assert_snapshot!(table(plan), @"
                           strict          declared        open
    listed                 lands           lands           lands
    listed, deleted        lands           lands           lands
    listed test            lands           lands           lands
    undeclared             Unlisted        Undeclared      beyond
    declared               Unlisted        beyond          beyond
    named in prose         Unlisted        beyond          beyond
    declared, deleted      Unlisted        Deletion        beyond
    declared, another's    Unlisted        ClaimedBy       beyond
    declared test          Unlisted        Test            beyond
    new undeclared test    Unlisted        Undeclared      beyond
    executed by a check    Unlisted        Test            beyond
    read by a check        Unlisted        beyond          beyond
    configures a check     Unlisted        CheckConfig     beyond
    new configuration      Unlisted        NewCheckConfig  beyond
    new, undeclared        Unlisted        NewCheckConfig  beyond
    new manifest           Unlisted        NewCheckConfig  beyond
    another's Makefile     Unlisted        beyond          beyond
    manifest, same tests   Unlisted        beyond          beyond
    manifest, other tests  Unlisted        RunnerSettings  beyond
    manifest, unreadable   Unlisted        RunnerSettings  beyond
    trust, declared        Trust           Trust           Trust
    trust, listed          ask             ask             ask
    trust, other case      Trust           Trust           Trust
    the plan itself        Pinned          Pinned          Pinned
    listed link inside     lands           lands           lands
    listed link outside    LeavesTree      LeavesTree      LeavesTree
    listed link absolute   LeavesTree      LeavesTree      LeavesTree
    listed link to .git    LeavesTree      LeavesTree      LeavesTree
    listed repository      Gitlink         Gitlink         Gitlink
    bad path               BadPath         BadPath         BadPath
    ");
}

/// EX-04: without a file list, a task may change any file under the same guards.
#[test]
fn a_task_without_files_has_the_same_guards() {
    insta::assert_snapshot!(table("A:\nB: theirs.rs"), @"
                           strict          declared        open
    listed                 lands           lands           lands
    listed, deleted        Deletion        Deletion        lands
    listed test            Test            Test            lands
    undeclared             lands           lands           lands
    declared               lands           lands           lands
    named in prose         lands           lands           lands
    declared, deleted      Deletion        Deletion        lands
    declared, another's    ClaimedBy       ClaimedBy       lands
    declared test          Test            Test            lands
    new undeclared test    lands           lands           lands
    executed by a check    Test            Test            lands
    read by a check        lands           lands           lands
    configures a check     CheckConfig     CheckConfig     lands
    new configuration      lands           lands           lands
    new, undeclared        NewCheckConfig  NewCheckConfig  lands
    new manifest           NewCheckConfig  NewCheckConfig  lands
    another's Makefile     lands           lands           lands
    manifest, same tests   lands           lands           lands
    manifest, other tests  RunnerSettings  RunnerSettings  lands
    manifest, unreadable   RunnerSettings  RunnerSettings  lands
    trust, declared        Trust           Trust           Trust
    trust, listed          Trust           Trust           Trust
    trust, other case      Trust           Trust           Trust
    the plan itself        Pinned          Pinned          Pinned
    listed link inside     lands           lands           lands
    listed link outside    LeavesTree      LeavesTree      LeavesTree
    listed link absolute   LeavesTree      LeavesTree      LeavesTree
    listed link to .git    LeavesTree      LeavesTree      LeavesTree
    listed repository      Gitlink         Gitlink         Gitlink
    bad path               BadPath         BadPath         BadPath
    ");
}
