//! Which parts of a specification a prompt contains, format by format, and what it says about its position, related
//! tasks and the last attempt: one claim per test.

use crate::support::fixture::{holding, with_files};
use crate::support::repo;
use afresh_testkit::TestRepo;

/// The prompt that the first worker of a task would get.
#[track_caller]
fn prompt(repo: &TestRepo, task: &str) -> String {
    repo.afresh(&["bundle", "generate", task, "--plan", ".", "--prompt"]).expect(0).stdout
}

#[track_caller]
fn expect_contains(text: &str, expected: &[&str]) {
    for expected in expected {
        assert!(text.contains(expected), "{expected:?} is not in:\n{text}");
    }
}

#[track_caller]
fn expect_contains_once(text: &str, expected: &str) {
    assert_eq!(text.matches(expected).count(), 1, "{expected:?} in:\n{text}");
}

fn tasker(context: &str) -> TestRepo {
    let task = format!(
        r#"{{"id": "T001", "name": "codes", "phase": 2, "context": {context}, "behaviors": [],
        "files": [{{"path": "a.txt", "action": "create"}}], "dependencies": {{"tasks": []}},
        "acceptance_criteria": [{{"criterion": "the file is there", "verification": "test -s a.txt"}}]}}"#
    );
    let spec = "# Links\n\nShort ones.\n\n## Codes\n\nSeven characters.\n\n## Store\n\nA file.\n";
    let files = [(".tasker/tasks/T001.json", task), (".tasker/inputs/spec.md", spec.to_owned())];
    with_files(&files.map(|(path, text)| (path.to_owned(), text)), "T001: SUCCESS")
}

/// PR-01: Tasker's tasks refer to the specification by line, and get that section.
#[test]
fn a_tasker_task_gets_the_section_that_it_refers_to() {
    let prompt = prompt(&tasker(r#"{"spec_ref": "line 7"}"#), "T001");
    expect_contains(&prompt, &["## From the specification\n\n## Codes\n\nSeven characters."]);
    assert!(!prompt.contains("A file.") && !prompt.contains("Short ones."), "{prompt}");
}

/// PR-01: or they quote it.
#[test]
fn a_tasker_task_gets_what_it_quotes() {
    let prompt = prompt(
        &tasker(r#"{"spec_ref": {"quote": "Seven characters.", "location": "Codes"}}"#),
        "T001",
    );
    expect_contains(&prompt, &["## From the specification\n\nSeven characters.\n(Codes)"]);
    assert!(!prompt.contains("A file."), "{prompt}");
}

/// PR-01: a Tasker task that refers to nothing gets all of it.
#[test]
fn a_tasker_task_without_a_reference_gets_the_whole_specification() {
    let prompt = prompt(&tasker("{}"), "T001");
    expect_contains(&prompt, &["## Specification\n\n# Links", "Seven characters.", "A file."]);
}

fn long_run(objective: &str) -> TestRepo {
    let plan = format!(
        "---\nplan: \"01\"\ntask_group: \"API\"\ndepends_on: []\n---\n<objective>\n{objective}\n</objective>\n<tasks>\n\
         <task type=\"auto\"><name>Write it</name><files>a.txt</files><action>1. Write.</action><verify>test -s a.txt</verify><done>There</done></task>\n</tasks>\n"
    );
    let files = [
        ("specs/login/.long-run/plans/01-PLAN.md", plan.as_str()),
        (
            "specs/login/spec.md",
            "# Login\n\n## FR-001 Sign in\n\nBy mail.\n\n## FR-002 Sign out\n\nBy button.\n",
        ),
        (
            "specs/login/planning/requirements.md",
            "# Requirements\n\n- FR-001: within a second\n\n## Others\n\nNone.\n",
        ),
    ];
    with_files(&files.map(|(path, text)| (path.to_owned(), text.to_owned())), "")
}

/// PR-01: long-run: by requirement id, of the specification and of the requirements beside it.
#[test]
fn a_long_run_plan_gets_what_its_requirement_ids_name() {
    let prompt = prompt(&long_run("Do FR-001."), "01");
    expect_contains(
        &prompt,
        &[
            "The parts for this task of specs/login/spec.md and specs/login/planning/requirements.md:",
            "## FR-001 Sign in\n\nBy mail.",
            "- FR-001: within a second",
        ],
    );
    assert!(!prompt.contains("By button.") && !prompt.contains("None."), "{prompt}");
}

/// PR-01: long-run: without a link, specification and requirements.
#[test]
fn a_long_run_plan_without_a_link_gets_specification_and_requirements() {
    let prompt = prompt(&long_run("Let people in."), "01");
    expect_contains(
        &prompt,
        &["All of specs/login/spec.md and", "By mail.", "By button.", "within a second"],
    );
}

/// PR-01: agent-os: specification and requirements, once each.
#[test]
fn an_agent_os_group_gets_specification_and_requirements() {
    let prompt = prompt(&holding("agent-os", ""), "2");
    expect_contains_once(&prompt, "People import racks and devices from CSV files.");
    expect_contains_once(&prompt, "A wrong row is reported with its number");
}

/// PR-01: spec-kit: a task of a story gets that story, once, and no other.
#[test]
fn a_spec_kit_task_gets_its_story() {
    let prompt = prompt(&holding("spec-kit", ""), "T011");
    expect_contains_once(&prompt, "A person puts photos into an album");
    assert!(!prompt.contains("whoever has it sees the album"), "{prompt}");
    expect_contains(&prompt, &["## Phase 3: User Story 1 - Make an album"]);
}

/// PR-01: spec-kit: a task of no story gets the whole specification, once.
#[test]
fn a_spec_kit_task_of_no_story_gets_the_whole_specification() {
    let prompt = prompt(&holding("spec-kit", ""), "T002");
    expect_contains_once(&prompt, "A person puts photos into an album");
    expect_contains_once(&prompt, "whoever has it sees the album");
}

/// PR-01: `SpecFlow`: the requirements and criteria of the group, by their ids.
#[test]
fn a_specflow_group_gets_its_own_requirements() {
    let prompt = prompt(&holding("specflow", ""), "G2a");
    expect_contains(&prompt, &["R2: Store", "A store that cannot be written is reported"]);
    assert!(!prompt.contains("R1:") && !prompt.contains("R3:"), "{prompt}");
}

/// PR-02: GSD: project with two paragraphs, phase number and name, task N of M, and the plan's own words.
#[test]
fn a_gsd_plan_names_its_project_and_its_phase() {
    let prompt = prompt(&holding("gsd/shop", ""), "02-01");
    expect_contains(
        &prompt,
        &[
            "## Project\nCorner Shop\n\nA small web shop for one corner shop",
            "A regular customer orders in under a minute.",
            "Phase: 02-accounts\n",
            "task 4 of 17 in .planning/phases/02-accounts/02-01-PLAN.md,",
            "<objective>\nLet a customer create an account.",
        ],
    );
}

/// PR-02: Tasker: the phase by number and name.
#[test]
fn a_tasker_task_names_its_phase() {
    expect_contains(&prompt(&tasker("{}"), "T001"), &["Phase: 2, steel thread\n"]);
}

/// PR-02: a task's own text is included unchanged, whatever characters it has.
#[test]
fn the_task_goes_in_verbatim() {
    let repo = repo();
    let own = "{{task}} <b>&amp;</b> `x` \t\"q\"\n\n    indented  \n{{! no comment }}";
    repo.plan(&format!(
        "[[task]]\nid = \"A\"\ntitle = \"t\"\ndo = '''{own}'''\nfiles = [\"a\"]\nchecks = [\"true\"]\n"
    ));
    let prompt = repo.afresh(&["bundle", "generate", "A", "--plan", "p.plan.toml", "--prompt"]);
    expect_contains(&prompt.expect(0).stdout, &[&format!("# Task A: t\n\n{own}\n")]);
}

/// PR-01: unfinished tasks are not reported as missing.
#[test]
fn pending_work_is_not_reported_as_given_up() {
    let prompt = prompt(&holding("spec-kit", ""), "T011");
    assert!(!prompt.contains("which a person gave up"), "{prompt}");
}

/// PR-01: files of dependencies are inlined, at most 12, 8 KiB each and 32 KiB in all.
#[test]
fn files_of_needed_tasks_are_inlined_and_bounded() {
    let repo = repo();
    repo.plan(
        "[[task]]\nid = \"A\"\ntitle = \"a\"\nfiles = [\"*.txt\"]\nchecks = [\"true\"]\n\
         [[task]]\nid = \"B\"\ntitle = \"b\"\nneeds = [\"A\"]\ncontext = \"full\"\nfiles = [\"B\"]\nchecks = [\"true\"]\n",
    );
    repo.agent(
        "[ $AFRESH_TASK = B ] && { echo x > B; exit; }\n\
         yes 'a long line' | head -c 20000 > 00.txt\n\
         for n in 01 02 03 04 05 06 07 08 09 10 11 12 13 14; do yes \"$n\" | head -c 3000 > $n.txt; done",
    );
    repo.run(&["--no-input"]).expect(0);
    let run = repo.status()["run"].as_str().expect("a run").to_owned();
    let file = repo.state().join("attempts").join(run).join("B.1/bundle.json");
    let bundle: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(file).expect("a bundle")).expect("JSON");
    let inlined = bundle["interfaces"].as_array().expect("files");
    let sizes: Vec<usize> =
        inlined.iter().map(|file| file["text"].as_str().expect("text").len()).collect();
    assert!(sizes.len() <= 12 && sizes.iter().sum::<usize>() <= 32 * 1024, "{sizes:?}");
    assert!(sizes.iter().all(|size| *size <= 8 * 1024) && sizes.len() > 8, "{sizes:?}");
    assert_eq!((&inlined[0]["path"], &inlined[0]["cut"]), (&"00.txt".into(), &true.into()));
    expect_contains(&repo.prompt("B", 1), &["00.txt (start of the file)\n```\na long line\n"]);
}

/// PR-07: a retry has attempt n of max, the failing command with its exit code and the end of its output, bounded; and
/// nothing of the previous worker's output.
#[test]
fn a_retry_has_the_failing_command_and_never_the_transcript() {
    let repo = repo();
    repo.plan(
        "[[task]]\nid = \"A\"\ntitle = \"a\"\nfiles = [\"a.txt\"]\n\
         checks = ['yes noise | head -c 50000; echo THE-END; grep -q good a.txt']\n",
    );
    repo.agent(
        "echo SECRET-THOUGHTS\n\
         [ $AFRESH_ATTEMPT = 1 ] && echo bad > a.txt || echo good > a.txt",
    );
    repo.run(&["--no-input"]).expect(0);
    let prompt = repo.prompt("A", 2);
    expect_contains(
        &prompt,
        &["This is attempt 2 (at most 3 count)", "grep -q good a.txt", "exit code 1", "THE-END"],
    );
    assert!(!prompt.contains("SECRET-THOUGHTS"), "{prompt}");
    assert!(prompt.len() < 12_000, "{}", prompt.len());
}

/// PR-07: files that were rejected are named.
#[test]
fn a_retry_names_the_files_that_were_rejected() {
    let repo = repo();
    repo.plan("[[task]]\nid = \"A\"\ntitle = \"a\"\nfiles = [\"a.txt\"]\nchecks = [\"true\"]\n");
    repo.agent("echo x > a.txt; [ $AFRESH_ATTEMPT != 1 ] || echo y > other.txt");
    repo.run(&["--no-input"]).expect(0);
    expect_contains(&repo.prompt("A", 2), &["- other.txt "]);
}

/// PR-08: every prompt explains how to log and how to note an issue, whatever its level and format.
#[test]
fn every_prompt_explains_logging_and_issues() {
    for (fixture, task) in [("agent-os", "2"), ("gsd/shop", "02-01"), ("specflow", "G2a")] {
        let prompt = prompt(&holding(fixture, ""), task);
        expect_contains(&prompt, &["`afresh log INFO WORD MESSAGE`", "`afresh issue TEXT`"]);
    }
}
