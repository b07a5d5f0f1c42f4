//! What may land: EX-04 in its three modes, trust files, deletions, and steps.

use afresh_testkit::TestRepo;
use serde_json::Value;

fn repo() -> TestRepo {
    TestRepo::new(env!("CARGO_BIN_EXE_afresh"))
}

/// A repository with a file that no task lists, and the mode of `scope`.
fn in_mode(mode: &str) -> TestRepo {
    let repo = repo();
    repo.write("other.txt", "as it was\n");
    repo.config(&format!("[run]\nagent = \"mine\"\nattempts = 2\nscope = \"{mode}\"\n"));
    repo.commit("a file that no task lists");
    plan(&repo, "\"a.txt\"");
    repo
}

/// One task `T` with these files.
fn plan(repo: &TestRepo, files: &str) {
    repo.plan(&format!(
        "[[task]]\nid = \"T\"\ntitle = \"work\"\nfiles = [{files}]\nchecks = [\"test -s a.txt\"]\n"
    ));
}

/// A worker that writes `a.txt`, does more, and answers with these deviations.
fn worker(repo: &TestRepo, more: &str, deviations: &str) {
    repo.agent(&format!(
        "echo x > a.txt\n{more}\necho OUTPUT_JSON_START\n\
         echo '{{\"status\":\"COMPLETED\",\"deviations\":[{deviations}]}}'\necho OUTPUT_JSON_END"
    ));
}

fn deviation(description: &str, file: &str) -> String {
    let files = if file.is_empty() { String::new() } else { format!("\"{file}\"") };
    format!("{{\"rule\":1,\"description\":\"{description}\",\"files\":[{files}]}}")
}

#[track_caller]
fn run(repo: &TestRepo, code: i32) -> Value {
    let before = repo.untouched();
    repo.run(&["--on-failure", "skip"]).expect(code);
    repo.untouched().expect_same_as(&before);
    repo.expect_no_survivors();
    repo.status()
}

#[track_caller]
fn lands(repo: &TestRepo) -> Value {
    let status = run(repo, 0);
    assert_eq!(repo.landed(), ["T"]);
    status["tasks"][0].clone()
}

#[track_caller]
fn rejected(repo: &TestRepo, reason: &str) {
    let status = run(repo, 1);
    let error = status["tasks"][0]["error"].as_str().expect("an error");
    assert!(error.contains(reason), "{reason:?} is not in {error:?}");
    assert!(repo.prompt("T", 2).contains(reason), "the next worker did not get the reason");
    assert_eq!(repo.landed(), [""; 0]);
}

/// EX-04.
#[test]
fn strict_takes_listed_files_only() {
    let repo = in_mode("strict");
    worker(&repo, "echo y >> other.txt", &deviation("needed", "other.txt"));
    rejected(&repo, "other.txt is outside the task's files");
    let repo = in_mode("strict");
    worker(&repo, "", "");
    lands(&repo);
}

/// EX-04.
#[test]
fn declared_takes_what_was_declared_and_says_so() {
    let repo = in_mode("declared");
    worker(&repo, "echo y >> other.txt", &deviation("needed", "other.txt"));
    let task = lands(&repo);
    assert_eq!(repo.on_branch("other.txt").as_deref(), Some("as it was\ny\n"));
    let differences = task["differences"].to_string();
    assert!(differences.contains("other.txt is beyond the task's files, declared"), "{task}");
}

/// EX-04: a path named in the description counts as declared; a word that only looks like it does not.
#[test]
fn a_path_in_the_description_counts_as_declared() {
    let repo = in_mode("declared");
    worker(&repo, "echo y >> other.txt", &deviation("other.txt had a typo, fixed.", ""));
    lands(&repo);
    let repo = in_mode("declared");
    worker(&repo, "echo y >> other.txt", &deviation("another.txt had a typo", ""));
    rejected(&repo, "other.txt is outside the task's files and was not declared");
}

/// EX-04.
#[test]
fn open_takes_everything_but_trust_files() {
    let repo = in_mode("open");
    worker(&repo, "echo y >> other.txt; echo z > new.txt", "");
    let task = lands(&repo);
    assert_eq!(repo.on_branch("new.txt").as_deref(), Some("z\n"));
    // It was not declared, and is not reported as declared.
    assert!(!task["differences"].to_string().contains("declared as"), "{task}");
    assert!(task["differences"].to_string().contains("new.txt is beyond"), "{task}");
    let repo = in_mode("open");
    worker(&repo, "echo y > AGENTS.md", &deviation("needed", "AGENTS.md"));
    rejected(&repo, "AGENTS.md tells agents, hooks or other tools what to do");
}

/// EX-04: a check that only reads a file says nothing about who may change it.
#[test]
fn a_declared_file_that_a_check_reads_lands_at_once() {
    let repo = in_mode("declared");
    repo.plan(
        "[[task]]\nid = \"T\"\ntitle = \"work\"\nfiles = [\"a.txt\"]\n\
         checks = [\"grep -q y other.txt\", \"test -s other.txt && cat other.txt | wc -l\"]\n",
    );
    worker(&repo, "echo y >> other.txt", &deviation("needed", "other.txt"));
    assert_eq!(lands(&repo)["attempts"], 1);
    assert_eq!(repo.on_branch("other.txt").as_deref(), Some("as it was\ny\n"));
}

/// EX-04: what a check executes, and what configures the program that it runs, is not for a worker to declare.
#[test]
fn declared_scripts_and_configuration_of_checks_do_not_land() {
    for (path, reason) in [
        ("ci.sh", "ci.sh is a test that the checks rest on"),
        ("Makefile", "Makefile configures the programs that the checks run"),
    ] {
        let repo = in_mode("declared");
        repo.write("ci.sh", "true\n");
        repo.write("Makefile", "test:\n\ttrue\n");
        repo.commit("checks");
        repo.plan(
            "[[task]]\nid = \"T\"\ntitle = \"work\"\nfiles = [\"a.txt\"]\n\
             checks = [\"test -s a.txt && cd . && timeout 5 sh -e ./ci.sh\", \"true || make test\"]\n",
        );
        worker(&repo, &format!("echo >> {path}"), &deviation("needed", path));
        rejected(&repo, reason);
    }
}

const PACKAGE: &str =
    "{\"name\":\"x\",\"scripts\":{\"test\":\"sh check.sh\"},\"dependencies\":{\"a\":\"1\"}}\n";

/// EX-04: a manifest is guarded by its content: dependencies are free, the commands of the tests are not.
#[test]
fn a_declared_change_of_a_manifest_lands_if_the_tests_stay_the_same() {
    let package = |replace: &str, by: &str| {
        let repo = in_mode("declared");
        repo.write("package.json", PACKAGE);
        repo.commit("a manifest");
        let text = PACKAGE.replace(replace, by);
        let write = format!("cat > package.json <<'END'\n{text}END");
        worker(&repo, &write, &deviation("needed", "package.json"));
        (repo, text)
    };
    let (repo, text) = package("\"a\":\"1\"", "\"a\":\"1\",\"b\":\"2\"");
    assert_eq!(lands(&repo)["attempts"], 1);
    assert_eq!(repo.on_branch("package.json"), Some(text));
    let (repo, _) = package("sh check.sh", "true");
    rejected(&repo, "package.json changes scripts.test, which the checks rest on");
    let (repo, _) = package("}}", "},");
    rejected(&repo, "package.json holds settings of test runners that could not be compared");
}

/// EX-04.
#[test]
fn an_unlisted_file_is_not_deleted_even_if_declared() {
    let repo = in_mode("declared");
    worker(&repo, "rm other.txt", &deviation("not needed any more", "other.txt"));
    rejected(&repo, "other.txt was deleted although it is outside the task's files");
    // A move is a deletion too.
    let repo = in_mode("declared");
    worker(&repo, "mv other.txt moved.txt", &deviation("other.txt is now moved.txt", ""));
    rejected(&repo, "other.txt was deleted");
}

/// EX-04.
#[test]
fn a_listed_file_may_be_deleted() {
    let repo = in_mode("declared");
    plan(&repo, "\"a.txt\", { path = \"other.txt\", action = \"delete\" }");
    worker(&repo, "rm other.txt", "");
    lands(&repo);
    assert_eq!(repo.on_branch("other.txt"), None);
}

/// EX-04: a file of an unfinished task belongs to that task.
#[test]
fn a_file_of_an_unfinished_task_is_not_taken() {
    let repo = in_mode("declared");
    repo.plan(
        "[[task]]\nid = \"T\"\ntitle = \"work\"\nfiles = [\"a.txt\"]\nchecks = [\"true\"]\n\
         [[task]]\nid = \"U\"\ntitle = \"later\"\nneeds = [\"T\"]\nfiles = [\"other.txt\"]\nchecks = [\"true\"]\n",
    );
    worker(&repo, "echo y >> other.txt", &deviation("needed", "other.txt"));
    rejected(&repo, "other.txt belongs to task U, which is not finished");
}

/// EX-04: without a list any file may change, under the same guards.
#[test]
fn a_task_without_files_has_the_same_guards() {
    let repo = in_mode("declared");
    plan(&repo, "");
    worker(&repo, "echo y >> other.txt; echo z > new.txt", "");
    lands(&repo);
    for (more, reason) in [
        ("rm other.txt", "other.txt was deleted"),
        ("mkdir -p .claude; echo '{}' > .claude/settings.json", "tells agents, hooks"),
    ] {
        let repo = in_mode("declared");
        plan(&repo, "");
        worker(&repo, more, "");
        rejected(&repo, reason);
    }
}

const TRUST: &[&str] = &[
    ".claude/settings.json",
    ".claude/commands/deep/x.md",
    "AGENTS.md",
    "sub/AGENTS.md",
    "CLAUDE.md",
    ".github/workflows/ci.yml",
    ".mcp.json",
    ".gitattributes",
    ".gitmodules",
    ".vscode/tasks.json",
    ".husky/pre-commit",
    ".envrc",
    ".codex/config.toml",
    ".gemini/settings.json",
    ".cursor/rules/x.mdc",
    ".idea/workspace.xml",
    ".windsurf/rules/x.md",
    ".gitlab-ci.yml",
    ".cargo/config.toml",
    "sub/.npmrc",
    "opencode.json",
];

/// EX-04: one worker violates all guards at once: each violation is reported to the next.
#[test]
fn files_that_hand_trust_are_rejected_where_they_are_not_listed() {
    let repo = in_mode("declared");
    let write = |path: &&str| format!("mkdir -p $(dirname {path}); echo x > {path}");
    let all: Vec<String> = TRUST.iter().map(write).collect();
    let declared: Vec<String> = TRUST.iter().map(|path| deviation("needed", path)).collect();
    worker(&repo, &all.join("\n"), &declared.join(","));
    rejected(&repo, "tells agents, hooks or other tools what to do");
    let prompt = repo.prompt("T", 2);
    for path in TRUST {
        assert!(prompt.contains(&format!("- {path} tells agents")), "{path} is not in {prompt}");
    }
}

/// EX-04: being listed is not enough: a person must allow it, and until then nothing lands.
#[test]
fn files_that_hand_trust_are_asked_about_where_they_are_listed() {
    for path in
        [".claude/settings.json", "AGENTS.md", ".github/workflows/ci.yml", ".afresh/config.toml"]
    {
        let repo = in_mode("declared");
        plan(&repo, &format!("\"a.txt\", \"{path}\""));
        worker(&repo, &format!("mkdir -p $(dirname {path}); echo x > {path}"), "");
        let status = run(&repo, 4);
        assert_eq!(
            (&status["state"], &status["tasks"][0]["state"]),
            (&"waiting".into(), &"waiting".into())
        );
        let question = &status["questions"][0];
        assert_eq!((&question["task"], &question["kind"]), (&"T".into(), &"needs-decision".into()));
        assert!(question["text"].as_str().is_some_and(|text| text.contains(path)), "{question}");
        assert_eq!(repo.landed(), [""; 0]);
        // A second run still waits; the work is neither lost nor done again.
        assert_eq!(run(&repo, 4)["tasks"][0]["attempts"], 1);
    }
}

/// EX-04, RE-03: once a person allowed it, the same work is checked and lands; the differences between report and facts
/// are still recorded.
#[test]
fn a_person_can_allow_a_file_that_hands_trust() {
    let repo = in_mode("declared");
    plan(&repo, "\"a.txt\", \"AGENTS.md\"");
    worker(&repo, "echo x > AGENTS.md; echo y >> other.txt", &deviation("needed", "other.txt"));
    run(&repo, 4);
    repo.afresh(&["decide", "Q1", "accept"]).expect(0);
    let task = lands(&repo);
    assert_eq!(task["attempts"], 1);
    assert_eq!(repo.on_branch("AGENTS.md").as_deref(), Some("x\n"));
    assert!(task["differences"].to_string().contains("other.txt is beyond"), "{task}");
}

/// EX-04.
#[test]
fn a_person_can_refuse_a_file_that_hands_trust() {
    let repo = in_mode("declared");
    plan(&repo, "\"a.txt\", \"AGENTS.md\"");
    repo.agent("echo x > a.txt; if [ $AFRESH_ATTEMPT = 1 ]; then echo x > AGENTS.md; fi");
    run(&repo, 4);
    repo.afresh(&["decide", "Q1", "reject"]).expect(0);
    assert_eq!(lands(&repo)["attempts"], 2);
    assert_eq!(repo.on_branch("AGENTS.md"), None);
    assert!(repo.prompt("T", 2).contains("AGENTS.md"));
}

/// EX-04: the worker's own commits mark the steps; they are behind the second parent of the one first-parent commit,
/// with our names and only with what is in scope.
#[test]
fn a_workers_commits_become_the_steps_of_its_task() {
    let repo = repo();
    plan(&repo, "\"a.txt\", \"b.txt\", \"c.txt\"");
    repo.agent(
        "export GIT_AUTHOR_NAME=Nobody GIT_AUTHOR_EMAIL=n@example.org GIT_COMMITTER_NAME=Nobody GIT_COMMITTER_EMAIL=n@example.org\n\
         echo 1 > a.txt; git add a.txt; git commit -q -m 'the parser'\n\
         echo 2 > b.txt; git add b.txt; git commit -q -m 'the help text'\n\
         echo 3 > c.txt",
    );
    let status = run(&repo, 0);
    let branch = status["branch"].as_str().expect("a branch").to_owned();
    assert_eq!(repo.landed(), ["T"]);
    let steps = repo.git(&["log", "--reverse", "--format=%s|%an", &format!("main..{branch}^2")]);
    assert_eq!(
        steps.lines().collect::<Vec<_>>(),
        ["the parser|Test", "the help text|Test", "work|Test"]
    );
    let files = |commit: &str| repo.git(&["diff", "--name-only", &format!("{commit}~1"), commit]);
    assert_eq!(files(&format!("{branch}^2~2")), "a.txt");
    assert_eq!(files(&format!("{branch}^2~1")), "b.txt");
    assert_eq!(files(&format!("{branch}^2")), "c.txt");
    assert_eq!(
        repo.git(&["rev-list", "--count", "--first-parent", &format!("main..{branch}")]),
        "1"
    );
    let tree = |commit: &str| repo.git(&["rev-parse", &format!("{commit}^{{tree}}")]);
    assert_eq!(tree(&branch), tree(&format!("{branch}^2")));
}

/// EX-04: new configuration of a test runner can leave tests out, so a declaration is not enough.
#[test]
fn new_configuration_of_a_runner_has_to_be_listed() {
    for (path, text) in [
        ("setup.cfg", "[tool:pytest]\naddopts = --ignore=tests"),
        ("pytest.ini", "[pytest]\naddopts = --ignore=tests"),
        ("conftest.py", "collect_ignore = [1]"),
    ] {
        let repo = in_mode("declared");
        let with = |files: &str| {
            repo.plan(&format!(
                "[[task]]\nid = \"T\"\ntitle = \"work\"\nfiles = [{files}]\n\
                 checks = [\"test -s a.txt\", \"pytest --version || true\"]\n"
            ));
            worker(&repo, &format!("printf '{text}\\n' > {path}"), &deviation("needed", path));
        };
        with("\"a.txt\"");
        rejected(&repo, &format!("{path} is a new file that configures"));
        with(&format!("\"a.txt\", \"{path}\""));
        repo.run(&["--new"]).expect(0);
    }
    // What says nothing to a runner is an ordinary file.
    let repo = in_mode("declared");
    worker(
        &repo,
        "printf '[metadata]\\nname = x\\n' > setup.cfg",
        &deviation("needed", "setup.cfg"),
    );
    run(&repo, 0);
}
