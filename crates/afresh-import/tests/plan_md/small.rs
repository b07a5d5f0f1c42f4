//! Small plans, each about one thing.

use afresh_core::plan::TaskIndex;
use afresh_import::detect::WorkUnit;

use crate::{plan, read, rendered, shown, task};

/// B12: a plan without tasks is a task without steps; a file without anything is nothing to do.
#[test]
fn plans_without_tasks_are_reported() {
    insta::assert_snapshot!(rendered(&plan("")));
    insta::assert_snapshot!(rendered(&plan("---\nplan: 01\n---\n  \n")));
    let whole = plan("Write the manual.");
    assert_eq!(task(&whole, "01-01").instructions, "Phase: 01-a\n\nWrite the manual.");
}

/// B15: YAML that would expand is rejected.
#[test]
fn a_frontmatter_with_aliases_is_rejected() {
    let text = "---\nplan: &a [x]\ndepends_on: [*a, *a]\n---\n<task><name>x</name></task>";
    insta::assert_snapshot!(rendered(&plan(text)));
}

/// B16: nothing is expanded, and no file is read.
#[test]
fn entities_stay_as_they_are() {
    let text = "<!DOCTYPE a [<!ENTITY lol \"lol\"><!ENTITY x SYSTEM \"file:///etc/passwd\">]>\n<task><name>&lol;&x;</name><verify>test -f a</verify></task>";
    let reading = plan(text);
    assert_eq!(task(&reading, "01-01").steps[0].name, "&lol;&x;");
}

/// B17: a file that is cut off is an error with its line.
#[test]
fn an_unclosed_task_is_an_error() {
    insta::assert_snapshot!(rendered(&plan(
        "<tasks>\n<task type=\"auto\">\n<name>x</name>\n<verify>npm"
    )));
}

/// B18: line endings change neither the plan nor the positions.
#[test]
fn line_endings_make_no_difference() {
    let files = crate::fixture("gsd/shop");
    let strange = files.iter().map(|(path, text)| {
        let text = format!("\u{feff}{}", text.trim_end().replace('\n', "\r\n"));
        (path.clone(), text)
    });
    let (plain, strange) =
        (read(files.clone(), WorkUnit::Plan), read(strange.collect(), WorkUnit::Plan));
    assert_eq!(rendered(&plain), rendered(&strange));
    assert_eq!(shown(&plain), shown(&strange));
}

/// B19: bytes that are not text are located.
#[test]
fn bytes_that_are_not_text_are_located() {
    let folder =
        afresh_formats::folder::MemoryFolder::new([("01-01-PLAN.md", b"<task>\n\xff".to_vec())]);
    let reading = (crate::format("gsd").read)(&folder, &crate::options(WorkUnit::Plan));
    insta::assert_snapshot!(rendered(&reading));
}

/// B20: a misspelt tag or key never silently means that there is no check.
#[test]
fn misspelt_tags_and_keys_are_reported() {
    let text = "---\nplan: 01\ndepend_on: [01-02]\n---\n<task type=\"auto\">\n  <name>x</name>\n  <verfiy>npm test</verfiy>\n</task>";
    insta::assert_snapshot!(rendered(&plan(text)));
}

/// B21: an empty check does not count.
#[test]
fn a_plan_without_a_command_is_unchecked() {
    for verify in ["<verify></verify>", "<verify>  \n </verify>", "", "<verify>Looks good</verify>"]
    {
        let reading = plan(&format!("<task><name>x</name><files>a</files>{verify}</task>"));
        let plan = reading.plan.as_ref().expect("a plan");
        assert_eq!(plan.unchecked().count(), 1, "{verify}");
    }
}

/// Text of a plan in a generated check stays one shell word.
#[test]
fn text_in_a_generated_command_is_quoted() {
    let text = "---\nmust_haves:\n  artifacts:\n    - path: \"src/$(touch x)'.ts\"\n    - path: a/b.ts\n      contains: \"'; touch pwned; echo '\"\n---\n<task><name>x</name></task>";
    let reading = plan(text);
    let commands: Vec<&str> =
        task(&reading, "01-01").checks.iter().map(|c| c.command.as_str()).collect();
    assert_eq!(
        commands,
        ["test -f 'a/b.ts'", "grep -qF -e ''\\''; touch pwned; echo '\\''' 'a/b.ts'"]
    );
}

/// B01, B02, B04: paths outside of the repository are rejected with their position.
#[test]
fn paths_outside_of_the_repository_are_rejected() {
    let text = "---\nfiles_modified: [/etc/passwd, ok.ts]\n---\n<task><name>x</name>\n<files>../../etc/x, .git/hooks/post-commit</files></task>";
    insta::assert_snapshot!(rendered(&plan(text)));
}

/// B10: plans that need each other are shown as a cycle.
#[test]
fn plans_in_a_cycle_are_shown() {
    let member = |number: &str, needs: &str| {
        let path = format!(".planning/phases/01-a/01-{number}-PLAN.md");
        (path, format!("---\nwave: 1\ndepends_on: [{needs}]\n---\n<task><name>x</name></task>"))
    };
    let reading = read(vec![member("01", "02"), member("02", "01-01")], WorkUnit::Plan);
    assert!(reading.plan.is_none());
    insta::assert_snapshot!(rendered(&reading));
}

fn member(phase: &str, number: &str) -> (String, String) {
    let path = format!(".planning/phases/{phase}-x/{phase}-{number}-PLAN.md");
    (path, "<task><name>x</name><verify>make test</verify></task>".to_owned())
}

/// FO-02: a plan with a summary is done, unless the summary says otherwise.
#[test]
fn a_plan_with_a_summary_is_done() {
    let done = |status: &str| {
        let summary = format!("---\nphase: 01\n{status}\n---\n# Summary\n");
        let path = ".planning/phases/01-x/01-01-SUMMARY.md".to_owned();
        let reading = read(vec![member("01", "01"), (path, summary)], WorkUnit::Plan);
        task(&reading, "01-01").done_before.is_some()
    };
    for status in ["", "status: complete", "status: passed", "completed: 2026-01-01"] {
        assert!(done(status), "{status}");
    }
    for word in ["blocked", "halted", "Failed", "partial", "in_progress", "\"in progress\""] {
        assert!(!done(&format!("status: {word}")), "{word}");
    }
}

/// FO-02: without a roadmap, phases run in the order of their numbers.
#[test]
fn phases_run_one_after_the_other() {
    let files = vec![member("2", "1"), member("10", "1"), member("2.1", "1"), member("2", "2")];
    let reading = read(files, WorkUnit::Plan);
    let needs = |id: &str| -> Vec<String> {
        task(&reading, id).needs.iter().map(ToString::to_string).collect()
    };
    assert_eq!(needs("2-1"), Vec::<String>::new());
    assert_eq!(needs("2.1-1"), ["2-1", "2-2"]);
    assert_eq!(needs("10-1"), ["2.1-1"]);
}

/// FO-06: an additional file that cannot be read is reported with the consequence.
#[test]
fn an_unreadable_additional_file_is_reported() {
    let task = b"<task><name>x</name><verify>make test</verify></task>".to_vec();
    for (format, plan, beside) in [
        ("gsd", ".planning/phases/01-x/01-01-PLAN.md", ".planning/phases/01-x/01-01-SUMMARY.md"),
        ("gsd", ".planning/phases/01-x/01-01-PLAN.md", ".planning/ROADMAP.md"),
        ("gsd", ".planning/phases/01-x/01-01-PLAN.md", ".planning/PROJECT.md"),
        ("long-run", ".long-run/plans/01-PLAN.md", ".long-run/plans/01-CHECKPOINT.json"),
        ("long-run", ".long-run/plans/01-PLAN.md", ".long-run/summaries/01-SUMMARY.md"),
        ("long-run", ".long-run/plans/01-PLAN.md", "tasks.md"),
    ] {
        let files = [(plan, task.clone()), (beside, b"caf\xe9".to_vec())];
        let folder = afresh_formats::folder::MemoryFolder::new(files);
        let reading = (crate::format(format).read)(&folder, &crate::options(WorkUnit::Plan));
        let found = reading.findings.iter().find(|found| found.file == beside);
        let found = found.unwrap_or_else(|| panic!("{beside} is passed over"));
        assert_eq!((found.code.as_str(), found.is_error()), ("not-utf8", false));
        let plan = reading.plan.expect("a plan");
        assert!(plan.task(TaskIndex::new(0)).done_before.is_none(), "{beside}");
    }
}

/// FO-02: all layouts of plans in one project.
#[test]
fn plans_of_all_layouts_are_read_together() {
    let task = "<task><name>x</name><verify>make test</verify></task>".to_owned();
    let quick = "---\ntype: quick\n---\nMend the login.".to_owned();
    let at = |path: &str| (format!(".planning/{path}"), task.clone());
    let reading = read(
        vec![
            at("milestones/v1.0-phases/01-old/01-01-PLAN.md"),
            at("phases/ABC-01-setup/ABC-01-01-PLAN.md"),
            at("phases/02-api/02-01-auth-flow-PLAN.md"),
            at("phases/02.1-fix/02.1-01-PLAN.md"),
            at("phases/03-web/plans/PLAN-01.md"),
            at("phases/04-docs/PLAN.md"),
            (".planning/quick/007-login/007-PLAN.md".to_owned(), quick),
            at("phases/02-api/02-01-auth-flow-PLAN-REVIEW.md"),
        ],
        WorkUnit::Plan,
    );
    let plan = reading.plan.as_ref().unwrap_or_else(|| panic!("{}", rendered(&reading)));
    let ids: Vec<&str> = plan.tasks().iter().map(|task| task.id.as_str()).collect();
    let all = ["v1.0-01-01", "01-01", "02-01", "02.1-01", "03-01", "04-docs", "quick-007"];
    assert_eq!(ids, all);
    // An archived milestone is done; phases run in order; quick plans wait for nothing.
    assert!(plan.task(TaskIndex::new(0)).done_before.is_some());
    let position = |need: &TaskIndex| need.position();
    let needs = |at: TaskIndex| plan.needs(at).iter().map(position).collect::<Vec<usize>>();
    let needs: Vec<Vec<usize>> = plan.indices().map(needs).collect();
    assert_eq!(needs, [vec![], vec![], vec![1], vec![2], vec![3], vec![4], vec![]]);
}
