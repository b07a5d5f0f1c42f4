//! `afresh lint --fix`, on disk: what is shown, what is written, and what is left alone (BE-01).

use std::fs;
use std::os::unix::fs::symlink;

use afresh_testkit::TestRepo;

const PLAN: &str = ".planning/phases/01-a/01-01-PLAN.md";
const WRONG: &str = "---\r\nphase: 01-a\r\nplan: 01\nwave: 0\r\ndepend_on: []\nnote: a: b\n---\n<task type=\"auto\">\n<name>One</name>\n<files>a.ts</files>\n<action>Do</action>\n<verify>npm test</verify>\n<done>It is</done>\n</task>\n";

fn repo() -> TestRepo {
    let repo = TestRepo::new(env!("CARGO_BIN_EXE_afresh"));
    repo.write(PLAN, WRONG);
    repo
}

fn text(repo: &TestRepo) -> String {
    fs::read_to_string(repo.root().join(PLAN)).expect("the plan")
}

fn right() -> String {
    let quoted = WRONG.replace("note: a: b", "note: 'a: b'");
    quoted.replace("wave: 0", "wave: 1").replace("depend_on", "depends_on")
}

/// BE-01: the dry run shows what would change, as a diff, and writes nothing.
#[test]
fn a_dry_run_shows_a_diff_and_writes_nothing() {
    let repo = repo();
    let ran = repo.afresh(&["lint", ".", "--fix", "--dry-run"]).expect(1);
    assert!(ran.stdout.contains("-wave: 0") && ran.stdout.contains("+wave: 1"), "{}", ran.stdout);
    assert!(ran.stderr.contains(&format!("would fix {PLAN}: 3 places")), "{}", ran.stderr);
    assert_eq!(text(&repo), WRONG);
    let json = repo.afresh(&["lint", ".", "--fix", "--dry-run", "--json"]).expect(1).json();
    assert_eq!(json["mended"]["written"], false);
    assert_eq!(json["mended"]["done"].as_array().map(Vec::len), Some(3), "{json}");
    assert!(json["mended"]["diffs"][PLAN].as_str().is_some_and(|diff| diff.contains("+wave: 1")));
    repo.afresh(&["lint", ".", "--dry-run"]).expect(2);
}

/// BE-01: all other bytes stay, including line breaks of either kind; a second time changes nothing.
#[test]
fn fix_changes_only_what_it_mends() {
    let repo = repo();
    let ran = repo.afresh(&["lint", ".", "--fix"]);
    assert!(ran.stderr.contains(&format!("fixed {PLAN}: 3 places")), "{ran:?}");
    assert_eq!(text(&repo), right());
    let again = repo.afresh(&["lint", ".", "--fix"]);
    assert!(!again.stderr.contains("fixed"), "{}", again.stderr);
    assert_eq!(text(&repo), right());
}

/// BE-01: a plan behind a link is not written through it.
#[test]
fn fix_writes_through_no_link() {
    let repo = TestRepo::new(env!("CARGO_BIN_EXE_afresh"));
    let outside = repo.path().join("outside.plan.toml");
    let plan =
        "version = 1\n[[task]]\nid = \"A\"\ntitle = \"a\"\nfiles = [\"a\"]\nchekcs = [\"true\"]\n";
    fs::write(&outside, plan).expect("written");
    symlink(&outside, repo.root().join("p.plan.toml")).expect("a link");
    let ran = repo.afresh(&["lint", "p.plan.toml", "--fix"]).expect(2);
    assert!(ran.stderr.contains("through a symbolic link"), "{}", ran.stderr);
    assert_eq!(fs::read_to_string(&outside).expect("the plan"), plan);
}

/// BE-01: a fix that would cause another problem is not applied, and that is reported.
#[test]
fn a_fix_that_is_not_safe_is_reported() {
    let repo = TestRepo::new(env!("CARGO_BIN_EXE_afresh"));
    let wrong = WRONG.replace("depend_on: []", "depend_on: [\"99-99\"]");
    repo.write(PLAN, &wrong);
    let ran = repo.afresh(&["lint", ".", "--fix"]).expect(1);
    assert!(ran.stderr.contains("not fixed, because the fix changes more"), "{}", ran.stderr);
    assert!(text(&repo).contains("depend_on: [\"99-99\"]"));
    assert!(text(&repo).contains("wave: 1"), "the others are mended");
}
