//! What a person does: answers, retries a task, starts over, renames.

use crate::support::run_section;
use afresh_testkit::TestRepo;

fn repo() -> TestRepo {
    let repo = TestRepo::new(env!("CARGO_BIN_EXE_afresh"));
    repo.agent("echo x > $AFRESH_TASK.txt");
    repo
}

/// A worker's question ends the run with exit code 4; the answer reaches the next worker with its
/// meaning, not as a bare key.
#[test]
fn an_answer_reaches_the_next_worker_with_its_meaning() {
    let repo = repo();
    repo.plan_of(2);
    repo.agent(
        "if [ $AFRESH_TASK.$AFRESH_ATTEMPT = T001.1 ]; then\n\
           echo OUTPUT_JSON_START\n\
           echo '{\"status\":\"NEEDS_DECISION\",\"decision_needed\":\"Which colour?\",\"options\":[\"red\",\"dark blue\"]}'\n\
           echo OUTPUT_JSON_END\n\
         else echo x > $AFRESH_TASK.txt; fi",
    );
    repo.run(&[]).expect(4);
    assert_eq!(repo.state_of("T001"), "waiting");
    assert_eq!(repo.state_of("T002"), "done");
    let questions = repo.afresh(&["questions", "--json"]).expect(0).json();
    assert_eq!(questions[0]["id"], "Q1");
    assert_eq!(questions[0]["options"][1]["description"], "dark blue");
    repo.afresh(&["decide", "Q7", "1"]).expect(1);
    repo.afresh(&["decide", "Q1", "2"]).expect(0);
    repo.run(&[]).expect(0);
    let prompt = repo.prompt("T001", 2);
    assert!(prompt.contains("Which colour? → 2: dark blue"), "{prompt}");
}

/// HU-04: the command that answers an open question can be copied to a shell: its answers are beside it, since a shell
/// would take `retry|skip` for a pipe.
#[test]
fn the_command_that_answers_is_no_pipe() {
    let repo = repo();
    repo.plan_of(1);
    repo.agent("exit 1");
    let ran = repo.run(&["--no-input"]).expect(4).stderr;
    assert!(ran.contains("`afresh decide Q1 ANSWER` answers it: retry, skip"), "{ran}");
    let report = repo.afresh(&["report", "--json"]).expect(0).json();
    assert_eq!(report["next"][0]["command"], "afresh decide Q1 ANSWER");
    assert!(report["next"][0]["why"].as_str().is_some_and(|why| why.contains("retry, skip")));
    let refused = repo.afresh(&["decide", "Q1", "ANSWER"]).expect(1).stderr;
    assert!(refused.contains("retry"), "copied as it is, it lists the answers: {refused}");
}

/// HU-06: what waits for a person comes first, and of it what blocks the most; each with the command that answers it.
#[test]
fn what_waits_for_a_person_comes_first() {
    let repo = repo();
    let task = |id: &str, needs: &str| {
        format!(
            "[[task]]\nid = \"{id}\"\ntitle = \"it\"\nno_check = \"prose\"\nneeds = [{needs}]\n"
        )
    };
    repo.plan(&(task("A", "") + &task("B", "") + &task("C", "\"B\"")));
    repo.agent(
        "echo OUTPUT_JSON_START\n\
         echo '{\"status\":\"NEEDS_DECISION\",\"decision_needed\":\"which?\",\"options\":[\"x\"]}'\n\
         echo OUTPUT_JSON_END",
    );
    repo.run(&["--task", "A"]).expect(4);
    let ran = repo.run(&[]).expect(4);
    let is_before = |text: &str, first: &str, second: &str| {
        let place = |what: &str| text.find(what).unwrap_or_else(|| panic!("no {what:?} in {text}"));
        place(first) < place(second)
    };
    let (less, most) = ("Q1 (needs-decision) A", "Q2 (needs-decision) B");
    assert!(is_before(&ran.stderr, most, less), "{ran:?}");
    let status = repo.afresh(&["status"]).expect(0).stdout;
    assert!(is_before(&status, most, less) && is_before(&status, less, " waiting  A"), "{status}");
    assert!(is_before(&status, "→ afresh decide Q2 ANSWER", less), "{status}");
    let listed = repo.afresh(&["questions"]).expect(0).stdout;
    assert!(is_before(&listed, most, less), "{listed}");
    let page = std::fs::read_to_string(repo.root().join(".afresh/state/STATE.md")).expect("a page");
    assert!(is_before(&page, "- Q2 ", "- Q1 "), "{page}");
}

/// A skipped task is retried, and so is everything that it blocked.
#[test]
fn a_skipped_task_can_be_brought_back() {
    let repo = repo();
    repo.plan(
        "[[task]]\nid = \"A\"\ntitle = \"a\"\nfiles = [\"A.txt\"]\nchecks = [\"grep -q good A.txt\"]\n\
         [[task]]\nid = \"B\"\ntitle = \"b\"\nneeds = [\"A\"]\nfiles = [\"B.txt\"]\nchecks = [\"true\"]\n",
    );
    let ran = repo.run(&["--on-failure", "skip"]).expect(1);
    assert!(ran.stderr.contains("last output: "), "{}", ran.stderr);
    assert_eq!(repo.state_of("A"), "skipped");
    let refused = repo.afresh(&["task", "retry", "B"]).expect(1);
    assert!(refused.stderr.contains("has not failed"), "{}", refused.stderr);
    repo.afresh(&["task", "retry", "A"]).expect(0);
    repo.agent("echo good > $AFRESH_TASK.txt");
    repo.run(&[]).expect(0);
    assert_eq!(repo.landed(), ["A", "B"]);
    let refused = repo.afresh(&["task", "skip", "A"]).expect(1);
    assert!(refused.stderr.contains("is done"), "{}", refused.stderr);
    let refused = repo.afresh(&["task", "retry", "A"]).expect(1);
    assert!(refused.stderr.contains("`afresh task redo A` does it again"), "{refused:?}");
}

/// EX-09: `--task` runs one task; if it cannot, it reports what it waits for. `--new` starts over from
/// the current commit.
#[test]
fn one_task_alone_and_a_new_run() {
    let repo = repo();
    repo.plan(
        "[[task]]\nid = \"A\"\ntitle = \"a\"\nfiles = [\"A.txt\"]\nchecks = [\"true\"]\n\
         [[task]]\nid = \"B\"\ntitle = \"b\"\nneeds = [\"A\"]\nfiles = [\"B.txt\"]\nchecks = [\"true\"]\n",
    );
    let waits = repo.run(&["--task", "B"]).expect(1);
    assert!(waits.stderr.contains("B waits for A"), "{}", waits.stderr);
    repo.run(&["--task", "A"]).expect(0);
    assert_eq!(repo.landed(), ["A"]);
    repo.run(&[]).expect(0);
    assert_eq!(repo.landed(), ["A", "B"]);
    repo.commit("something new");
    repo.run(&["--new"]).expect(0);
    let status = repo.status();
    assert_eq!(status["run"], "test-2");
    assert_eq!(status["base"], repo.git(&["rev-parse", "main"]));
}

/// A new title does not cause new work; new instructions do.
#[test]
fn a_plan_that_only_says_it_better_is_not_run_again() {
    let repo = repo();
    let plan = |title: &str, instructions: &str| {
        repo.plan(&format!(
            "[[task]]\nid = \"A\"\ntitle = \"{title}\"\ndo = \"{instructions}\"\nfiles = [\"A.txt\"]\nchecks = [\"true\"]\n"
        ));
    };
    plan("a", "write it");
    repo.agent("date +%s%N > $AFRESH_TASK.txt");
    repo.run(&[]).expect(0);
    plan("a better title", "write it");
    repo.run(&[]).expect(0);
    assert_eq!(repo.status()["tasks"][0]["attempts"], 1);
    plan("a better title", "write it differently");
    repo.run(&[]).expect(0);
    assert_eq!(repo.status()["tasks"][0]["attempts"], 2);
}

/// ST-06: scripts can list the tasks that could start now.
#[test]
fn the_tasks_that_are_ready_are_listed() {
    let repo = repo();
    repo.plan(
        "[[task]]\nid = \"A\"\ntitle = \"a\"\nfiles = [\"a\"]\nchecks = [\"test -s a\"]\n\
         [[task]]\nid = \"B\"\ntitle = \"b\"\nneeds = [\"A\"]\nfiles = [\"b\"]\nchecks = [\"test -s b\"]\n\
         [[task]]\nid = \"C\"\ntitle = \"c\"\nneeds = [\"B\"]\nfiles = [\"c\"]\nchecks = [\"test -s c\"]\n",
    );
    repo.agent("echo x > $(echo $AFRESH_TASK | tr ABC abc)");
    repo.afresh(&["task", "ready"]).expect(2);
    repo.run(&["--task", "A"]).expect(0);
    assert_eq!(repo.afresh(&["task", "ready"]).expect(0).stdout, "B\n");
    let ready = repo.afresh(&["task", "ready", "--json"]).expect(0).json();
    assert_eq!(ready, serde_json::json!({"run": "test-1", "tasks": ["B"]}));
    repo.run(&[]).expect(0);
    assert_eq!(repo.afresh(&["task", "ready"]).expect(0).stdout, "");
}

/// EX-10: a checkpoint is answered, not merged.
#[test]
fn a_checkpoint_does_not_count_as_merged() {
    let repo = repo();
    repo.plan(
        "[[task]]\nid = \"A\"\ntitle = \"a\"\nfiles = [\"a.txt\"]\nchecks = [\"test -s a.txt\"]\n\
         [[task]]\nid = \"C\"\ntitle = \"look\"\nneeds = [\"A\"]\n\
         [task.checkpoint]\nkind = \"verify\"\ntext = \"Is it fine?\"\n",
    );
    repo.agent("echo x > a.txt");
    let asked = repo.run(&["--no-input"]).expect(4);
    assert!(asked.stderr.contains("1/2 tasks: 1 merged"), "{asked:?}");
    repo.afresh(&["decide", "Q1", "1"]).expect(0);
    let ran = repo.run(&["--no-input"]).expect(0);
    assert!(ran.stderr.contains("2/2 tasks: 1 merged, 1 checkpoint answered"), "{ran:?}");
}

/// HU-01: the end of an output is set apart from the sentence about it, wherever both are shown.
#[test]
fn an_output_is_set_apart_from_the_sentence_before_it() {
    let repo = repo();
    repo.config(&run_section("attempts = 1"));
    repo.commit("config");
    repo.plan("[[task]]\nid = \"A\"\ntitle = \"a\"\nfiles = [\"a.txt\"]\nchecks = [\"sh t.sh\"]\n");
    repo.agent("echo x > a.txt");
    repo.write("t.sh", "echo wanted g; exit 3\n");
    repo.commit("a check");
    let ran = repo.run(&["--no-input"]).expect(4);
    let mut shown = vec![ran.stderr];
    for command in ["status", "questions", "report", "logs"] {
        shown.push(repo.afresh(&[command]).expect(0).stdout);
    }
    for text in shown {
        assert!(text.contains("wanted g"), "{text}");
        assert!(!text.contains("exit code 3 wanted g"), "{text}");
    }
}
