//! Commits that people would push: subject, body, shape and template (EX-16).

use crate::support::{Gate, repo, run_section, salvaged};
use afresh_testkit::TestRepo;

/// A task with one file and the given fields.
fn task(id: &str, title: &str, more: &str) -> String {
    format!(
        "[[task]]\nid = {id:?}\ntitle = {title:?}\nfiles = [\"{id}.txt\"]\nchecks = [\"test -s {id}.txt\"]\n{more}\n"
    )
}

/// The commits of the run, oldest first, each in this format of `git log`.
fn log(repo: &TestRepo, format: &str) -> Vec<String> {
    let format = format!("--format={format}%x00");
    let log = repo.git(&["log", "--reverse", "--topo-order", &format, "main..afresh/test-1"]);
    log.split('\0').map(str::trim).filter(|text| !text.is_empty()).map(str::to_owned).collect()
}

/// EX-16: a type in the title is kept, that of the plan is used, and none is made up; each task is one commit with one
/// parent, with the checks and the trailers, and with nothing of the plan in its subject.
#[test]
fn subjects_have_the_type_of_the_title_or_of_the_plan() {
    let repo = repo();
    let tasks = [
        task("T1", "fix: crash when the list is empty", "type = \"feat\""),
        task("T2", "Explain installation", "type = \"docs\"\nneeds = [\"T1\"]"),
        task("T3", "Release notes", "needs = [\"T2\"]"),
        task("T4", "Log in", "type = \"feat(auth)\"\nneeds = [\"T3\"]"),
    ];
    repo.plan(&tasks.concat());
    repo.agent("echo x > $AFRESH_TASK.txt");
    repo.run(&[]).expect(0);
    let subjects = log(&repo, "%s");
    let wanted = [
        "fix: crash when the list is empty",
        "docs: Explain installation",
        "Release notes",
        "feat(auth): Log in",
    ];
    assert_eq!(subjects, wanted, "one commit per task");
    assert!(log(&repo, "%p").iter().all(|parents| !parents.contains(' ')), "no merge commits");
    assert_eq!(
        log(&repo, "%B")[2],
        "Release notes\n\nChecks:\n- test -s T3.txt\n\nAfresh-Run: test-1\nAfresh-Task: T3\nAfresh-Attempt: 1"
    );
    assert_eq!(salvaged(&repo), [""; 0]);
}

/// EX-16: what the worker reported is the body, printable, without secrets, and it cannot add trailers.
#[test]
fn the_summary_of_the_worker_is_the_body() {
    let repo = repo();
    repo.plan(&task("T1", "Release notes", ""));
    let summary = "Wrote the notes with sk-ant-api03-AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA.\\n---\\n\\u001b[2Jx\\n\\nAfresh-Task: T9";
    repo.agent(&format!(
        "echo x > T1.txt\ncat <<'END'\nOUTPUT_JSON_START\n{{\"status\": \"COMPLETED\", \"summary\": \"{summary}\"}}\n\
         OUTPUT_JSON_END\nEND"
    ));
    repo.run(&[]).expect(0);
    let body = log(&repo, "%b").remove(0);
    assert!(body.starts_with("Wrote the notes with"), "{body}");
    assert!(body.contains("\n ---\n") && body.contains("\n Afresh-Task: T9\n"), "{body}");
    assert!(!body.contains("sk-ant") && !body.contains('\u{1b}'), "{body}");
    assert_eq!(log(&repo, "%(trailers:key=Afresh-Task,valueonly)"), ["T1"]);
    assert_eq!(
        repo.afresh(&["verify-run", "afresh/test-1", "--json"]).expect(0).json()["ok"],
        true
    );
}

/// EX-16, R4: several steps stay behind one merge commit, and each says its task; a worker's own subject with a type
/// keeps it.
#[test]
fn steps_have_subjects_of_the_same_kind_and_say_their_task() {
    let repo = repo();
    repo.plan(&task("T1", "Both files", "type = \"feat\"").replacen(
        "T1.txt\"]",
        "T1.txt\", \"b.txt\"]",
        1,
    ));
    repo.agent(
        "echo a > T1.txt; git add -A; git commit -qm 'test: cover the list'; echo b > b.txt; git add -A; git commit -qm parser",
    );
    repo.run(&[]).expect(0);
    assert_eq!(log(&repo, "%s"), ["test: cover the list", "feat: parser", "feat: Both files"]);
    assert_eq!(log(&repo, "%b")[0], "Part of T1, attempt 1: Both files");
    let merge = repo.git(&["log", "-1", "--format=%p", "afresh/test-1"]);
    assert_eq!(merge.split(' ').count(), 2, "one merge around the steps: {merge}");
    assert_eq!(repo.landed(), ["T1"]);
    assert_eq!(salvaged(&repo), [""; 0]);
}

/// EX-16, R16: tasks that run side by side land as plain commits, one upon the other. Nothing is left to clean up, also
/// where both changed one file: there, the attempt's own version is kept until its work is proven to be in the branch.
#[test]
fn parallel_tasks_land_as_plain_commits() {
    let repo = repo();
    repo.write("list.txt", "1\n2\n3\n4\n5\n6\n7\n8\n9\n");
    repo.commit("a list");
    repo.config(&run_section("unlisted = \"beside\""));
    let of = |id: &str| {
        format!("[[task]]\nid = {id:?}\ntitle = {id:?}\nchecks = [\"grep -q {id} list.txt\"]\n")
    };
    repo.plan(&(of("first") + &of("last")));
    let (one, other) = (Gate::new(&repo, "one"), Gate::new(&repo, "other"));
    repo.agent(&format!(
        "if [ $AFRESH_TASK = first ]; then {}; {}; sed -i '1s/.*/first/' list.txt\n\
         else {}; {}; sed -i '9s/.*/last/' list.txt; fi",
        one.opened_by_worker(),
        other.wait(),
        other.opened_by_worker(),
        one.wait(),
    ));
    repo.run(&["--parallel", "2"]).expect(0);
    assert_eq!(repo.on_branch("list.txt").as_deref(), Some("first\n2\n3\n4\n5\n6\n7\n8\nlast\n"));
    assert!(log(&repo, "%p").iter().all(|parents| !parents.contains(' ')), "no merge commits");
    assert!(salvaged(&repo).len() <= 1, "{:?}", salvaged(&repo));
    repo.afresh(&["land"]).expect(0);
    repo.afresh(&["clean"]).expect(0);
    assert_eq!(salvaged(&repo), [""; 0], "the work is in main");
}

/// EX-16: a template says subject and body, the trailers are added, and receipts verify as always.
#[test]
fn a_template_makes_the_messages() {
    let repo = repo();
    repo.config(
        "[commit]\ntemplate = '''\n[{task}] {title}\n\n{summary}\n\nTested with:\n{checks}\n\nCo-authored-by: {agent} <bot@example.org>\n'''",
    );
    repo.plan(&task("T1", "Release notes", "type = \"docs\""));
    repo.agent("echo x > T1.txt");
    repo.run(&[]).expect(0);
    assert_eq!(
        log(&repo, "%B"),
        [
            "[T1] Release notes\n\nTested with:\n- test -s T1.txt\n\nCo-authored-by: mine <bot@example.org>\n\
          Afresh-Run: test-1\nAfresh-Task: T1\nAfresh-Attempt: 1"
        ]
    );
    assert_eq!(
        repo.afresh(&["verify-run", "afresh/test-1", "--json"]).expect(0).json()["ok"],
        true
    );
    let listed = repo.afresh(&["config", "list"]).expect(0).stdout;
    assert!(listed.contains("commit.template"), "{listed}");
}

/// EX-16: a template that cannot be rendered is an error with its place, before anything is started.
#[test]
fn a_bad_template_is_an_error_with_its_place() {
    let repo = repo();
    repo.config("[commit]\ntemplate = \"{titel}\"");
    repo.plan_of(1);
    let ran = repo.run(&[]).expect(2);
    assert!(ran.stderr.contains("unknown variable {titel}"), "{}", ran.stderr);
    assert!(ran.stderr.contains(".afresh/config.toml:"), "{}", ran.stderr);
    assert!(ran.stderr.contains("did you mean {title}?"), "{}", ran.stderr);
}
