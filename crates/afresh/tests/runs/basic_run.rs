//! A plan without failures: plan → workers → checks → branch, and the prompt of the next worker.

use afresh_testkit::TestRepo;

fn repo() -> TestRepo {
    TestRepo::new(env!("CARGO_BIN_EXE_afresh"))
}

/// EX-01, EX-03, EX-05, R4, R5, R6: every task is on the branch once, and the user's checkout is unchanged.
#[test]
fn a_plan_runs_to_done_on_its_own_branch() {
    let repo = repo();
    repo.agent("echo \"by $AFRESH_TASK\" > $AFRESH_TASK.txt");
    repo.plan_of(5);
    repo.write("untracked.txt", "mine\n");
    repo.write("README.md", "changed, not committed\n");
    let before = repo.untouched();
    repo.run(&[]).expect(0);
    repo.untouched().expect_same_as(&before);
    repo.expect_no_survivors();
    let mut landed = repo.landed();
    landed.sort();
    assert_eq!(landed, ["T001", "T002", "T003", "T004", "T005"]);
    assert_eq!(repo.on_branch("T003.txt").as_deref(), Some("by T003\n"));
    // Landed work needs no salvage ref.
    assert_eq!(repo.git(&["for-each-ref", "refs/afresh/salvage"]), "");
    let status = repo.status();
    assert_eq!(status["state"], "done");
    // Each done task has a receipt: the command, its exit code, the tree, the files.
    let receipt = &status["tasks"][2]["receipt"];
    assert_eq!(receipt["checks"][0]["command"], "test -s T003.txt");
    assert_eq!(receipt["checks"][0]["exit_code"], 0);
    assert_eq!(receipt["created"][0], "T003.txt");
    // Of a batch, the tree of its last commit was checked.
    let own = status["tasks"][2]["commits"][0].as_str().expect("a commit");
    let commit = receipt["covered_by"].as_str().unwrap_or(own);
    assert_eq!(receipt["tree"], repo.git(&["rev-parse", &format!("{commit}^{{tree}}")]));
    // EX-09: completed tasks are not done again.
    repo.run(&[]).expect(0);
    assert_eq!(repo.landed().len(), 5);
}

/// EX-05, R4, RE-03: two tasks that pass alone and fail together. The branch never holds the broken state, and the
/// second one is retried with the failing output in its prompt.
#[test]
fn two_tasks_that_fail_together_never_break_the_branch() {
    let repo = repo();
    repo.write("a.txt", "old\n");
    repo.write("b.txt", "old\n");
    repo.commit("both old");
    let check = "! (grep -q new a.txt && grep -q new b.txt) || { echo BOTH-ARE-NEW; exit 7; }";
    repo.plan(&format!(
        "[[task]]\nid = \"A\"\ntitle = \"a\"\nfiles = [\"a.txt\", \"a2.txt\"]\nchecks = [{check:?}]\n\
         [[task]]\nid = \"B\"\ntitle = \"b\"\nfiles = [\"b.txt\", \"b2.txt\"]\nchecks = [{check:?}]\n"
    ));
    // Both start before either ends; the one that gets the failure restores its file.
    repo.agent(
        "f=$(echo $AFRESH_TASK | tr AB ab)\n\
         if grep -q 'exit code 7' \"$AFRESH_PROMPT\"; then echo told > ${f}2.txt; else echo new > $f.txt; sleep 1; fi",
    );
    repo.run(&["--parallel", "2"]).expect(0);
    let status = repo.status();
    assert_eq!(status["counts"]["done"], 2, "{status}");
    // The check passes on every first-parent commit.
    let branch = status["branch"].as_str().expect("a branch").to_owned();
    for commit in repo.git(&["rev-list", "--first-parent", &branch, "^main"]).lines() {
        let new = |file: &str| repo.git(&["show", &format!("{commit}:{file}")]) == "new";
        assert!(!(new("a.txt") && new("b.txt")), "{commit} is broken");
    }
    let second = if repo.landed()[1] == "A" { "A" } else { "B" };
    let prompt = repo.prompt(second, 2);
    assert!(prompt.contains("exit code 7") && prompt.contains("\nBOTH-ARE-NEW\n"), "{prompt}");
}

/// EX-01: six tasks that append to one file never run at once; all land, none is lost.
#[test]
fn six_tasks_append_to_one_file_and_none_is_lost() {
    let repo = repo();
    repo.write("list.txt", "");
    repo.commit("an empty list");
    let task = |n: usize| {
        format!(
            "[[task]]\nid = \"T{n}\"\ntitle = \"append {n}\"\nfiles = [\"list.txt\"]\n\
             checks = [\"grep -qx T{n} list.txt\"]\n"
        )
    };
    let tasks: Vec<String> = (1..=6).map(task).collect();
    repo.plan(&tasks.concat());
    repo.agent("echo $AFRESH_TASK >> list.txt");
    repo.run(&["--parallel", "6"]).expect(0);
    let list = repo.on_branch("list.txt").expect("the list");
    let mut lines: Vec<&str> = list.lines().collect();
    lines.sort_unstable();
    assert_eq!(lines, ["T1", "T2", "T3", "T4", "T5", "T6"]);
    assert_eq!(repo.landed().len(), 6);
}

/// EX-04, EX-05: six tasks that each declare a deviation on one shared file conflict, and all land.
#[test]
fn six_declared_deviations_on_one_file_all_land() {
    let repo = repo();
    repo.write("shared.txt", "top\n");
    repo.commit("shared");
    repo.plan_of(6);
    repo.agent(
        "echo x > $AFRESH_TASK.txt; echo $AFRESH_TASK >> shared.txt; sleep 0.3\n\
         echo OUTPUT_JSON_START\n\
         echo '{\"status\":\"COMPLETED\",\"deviations\":[{\"rule\":3,\"description\":\"needed\",\"files\":[\"shared.txt\"]}]}'\n\
         echo OUTPUT_JSON_END",
    );
    repo.run(&["--parallel", "6"]).expect(0);
    let shared = repo.on_branch("shared.txt").expect("shared");
    let mut lines: Vec<&str> = shared.lines().skip(1).collect();
    lines.sort_unstable();
    assert_eq!(lines, ["T001", "T002", "T003", "T004", "T005", "T006"]);
    assert_eq!(repo.landed().len(), 6);
}

/// EX-06, ST-01: a failed task leaves nothing behind; its dependents are blocked, transitively and with the cause; all
/// others continue.
#[test]
fn a_failed_task_blocks_only_what_needs_it() {
    let repo = repo();
    repo.plan(
        "[[task]]\nid = \"bad\"\ntitle = \"bad\"\nfiles = [\"bad.txt\"]\nchecks = [\"false\"]\n\
         [[task]]\nid = \"next\"\ntitle = \"next\"\nneeds = [\"bad\"]\nfiles = [\"next.txt\"]\nchecks = [\"true\"]\n\
         [[task]]\nid = \"last\"\ntitle = \"last\"\nneeds = [\"next\"]\nfiles = [\"last.txt\"]\nchecks = [\"true\"]\n\
         [[task]]\nid = \"good\"\ntitle = \"good\"\nfiles = [\"good.txt\"]\nchecks = [\"true\"]\n",
    );
    repo.agent("echo x > $AFRESH_TASK.txt");
    // Without a person and without a policy the run waits for an answer.
    repo.run(&[]).expect(4);
    assert_eq!(repo.state_of("bad"), "failed");
    assert_eq!(repo.state_of("next"), "blocked");
    assert_eq!(repo.state_of("last"), "blocked");
    assert_eq!(repo.state_of("good"), "done");
    assert_eq!(repo.landed(), ["good"]);
    assert_eq!(repo.on_branch("bad.txt"), None);
    // R16: the work of the failed attempts is kept.
    let salvage = repo.git(&["for-each-ref", "--format=%(refname)", "refs/afresh/salvage"]);
    assert_eq!(salvage.lines().filter(|name| name.contains("/bad.")).count(), 3, "{salvage}");
    // A policy answers the question that already waits.
    repo.run(&["--on-failure", "skip"]).expect(1);
    assert_eq!(repo.state_of("bad"), "skipped");
    assert_eq!(repo.state_of("last"), "blocked");
}

/// EX-04: a worker that commits after each planned step names the task's steps, on the second parent; the first-parent
/// line still has one commit per task.
#[test]
fn commits_of_a_worker_are_the_steps_of_the_plan() {
    let repo = repo();
    repo.plan(
        "[[task]]\nid = \"T1\"\ntitle = \"both\"\nchecks = [\"test -s a.txt\", \"test -s b.txt\"]\n\
         steps = [ { name = \"parser\", files = [\"a.txt\"] }, { name = \"help text\", files = [\"b.txt\"] } ]\n",
    );
    repo.agent(
        "echo a > a.txt; git add -A; git commit -qm 'wip'; echo b > b.txt; git add -A; git commit -qm 'more wip'",
    );
    repo.run(&[]).expect(0);
    let branch = repo.status()["branch"].as_str().expect("a branch").to_owned();
    let steps = repo.git(&["log", "--reverse", "--format=%s", &format!("{branch}^1..{branch}^2")]);
    assert_eq!(steps, "parser\nhelp text");
    assert_eq!(repo.landed(), ["T1"]);
}
