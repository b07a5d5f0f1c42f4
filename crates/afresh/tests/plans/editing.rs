//! `afresh task add` and `afresh task edit`.

use std::fs;

use crate::support::{Driver, gated, repo};
use afresh_testkit::TestRepo;

const PLAN: &str = "# ours\nversion = 1\nname = \"demo\"\n\n[[task]] # the only one\nid = \"A\"\ntitle = \"a\"\n\
    files = [\"a.txt\"]\nchecks = [\"test -s a.txt\"]\n# the end\n";

fn with_plan() -> TestRepo {
    let repo = repo();
    repo.write("p.plan.toml", PLAN);
    repo.agent("echo x > a.txt; [ $AFRESH_TASK = A ] || echo x > b.txt");
    repo
}

fn plan(repo: &TestRepo) -> String {
    fs::read_to_string(repo.root().join("p.plan.toml")).expect("the plan")
}

/// HU-08, ST-07: a task is added to the plan's file, whose comments and layout stay; `run` takes it up, and what is
/// done stays done.
#[test]
fn an_added_task_is_taken_up_by_the_next_run() {
    let repo = with_plan();
    repo.run(&[]).expect(0);
    let add = [
        "task",
        "add",
        "B",
        "--title",
        "b",
        "--needs",
        "A",
        "--file",
        "b.txt",
        "--check",
        "test -s b.txt",
    ];
    let dry = repo.afresh(&[&add[..], &["--dry-run"]].concat()).expect(0);
    assert!(dry.stdout.contains("+id = \"B\"\n") && plan(&repo) == PLAN, "{dry:?}");
    let added = repo.afresh(&add).expect(0);
    assert!(added.stderr.contains("`afresh run p.plan.toml` takes up the change"), "{added:?}");
    let new = "\n[[task]]\nid = \"B\"\ntitle = \"b\"\nneeds = [\"A\"]\nfiles = [\"b.txt\"]\nchecks = [\"test -s b.txt\"]\n";
    assert_eq!(plan(&repo), PLAN.replace("# the end\n", &format!("{new}# the end\n")));
    let again = repo.afresh(&add).expect(2);
    assert!(again.stderr.contains("has a task B already"), "{again:?}");
    repo.run(&[]).expect(0);
    assert_eq!(repo.landed(), ["A", "B"]);
    let report =
        repo.afresh(&["task", "edit", "A", "--do", "other words", "--json"]).expect(0).json();
    assert_eq!(
        (&report["written"], &report["done_again"]),
        (&true.into(), &true.into()),
        "{report}"
    );
    assert_eq!(report["run"], "demo-1", "{report}");
}

/// HU-08: what would not be a plan is not written, and every problem is reported; a slip in an id is pointed out.
#[test]
fn a_change_that_breaks_the_plan_is_refused() {
    let repo = with_plan();
    let broken = repo.afresh(&["task", "edit", "A", "--needs", "X", "--tier", "huge"]).expect(2);
    assert!(
        broken.stderr.contains("stays as it is") && broken.stderr.contains("huge"),
        "{broken:?}"
    );
    let slip = repo.afresh(&["task", "edit", "AA", "--title", "b"]).expect(2);
    assert!(slip.stderr.contains("did you mean \"A\"?"), "{slip:?}");
    let nothing = repo.afresh(&["task", "edit", "A"]).expect(2);
    assert!(nothing.stderr.contains("nothing to change about A"), "{nothing:?}");
    let same = repo.afresh(&["task", "edit", "A", "--title", "a"]).expect(0);
    assert!(same.stderr.contains("says so already"), "{same:?}");
    assert_eq!(plan(&repo), PLAN);
}

/// HU-08: the files of other formats are not changed.
#[test]
fn plans_of_other_formats_are_refused_with_a_way_out() {
    let repo = repo();
    repo.write("tasks.md", "# Tasks\n\n- [ ] T001 Write a.txt\n- [ ] T002 Write b.txt\n");
    let add = ["task", "add", "B", "--title", "b", "--no-check", "prose", "--plan"];
    let refused = repo.afresh(&[&add[..], &["tasks.md"]].concat()).expect(2);
    assert!(refused.stderr.contains("afresh import tasks.md"), "{refused:?}");
}

/// HU-08: a plan in JSON is changed too, and keeps its layout.
#[test]
fn a_plan_in_json_is_changed() {
    let repo = repo();
    let plan = "{\n  \"version\": 1,\n  \"task\": [\n    {\"id\": \"A\", \"title\": \"a\", \"no_check\": \"prose\"}\n  ]\n}\n";
    repo.write("p.plan.json", plan);
    let of_plan = ["--plan", "p.plan.json"];
    let add = ["task", "add", "B", "--title", "b", "--no-check", "prose"];
    repo.afresh(&[&add[..], &of_plan].concat()).expect(0);
    let edit = ["task", "edit", "A", "--title", "first"];
    repo.afresh(&[&edit[..], &of_plan].concat()).expect(0);
    let first = plan.replace("\"title\": \"a\"", "\"title\": \"first\"");
    let both = first.replace(
        "}\n  ]",
        "},\n    {\"id\": \"B\", \"title\": \"b\", \"no_check\": \"prose\"}\n  ]",
    );
    assert_eq!(fs::read_to_string(repo.root().join("p.plan.json")).expect("the plan"), both);
}

/// HU-08: scripts that change a plan at the same time lose nothing.
#[test]
fn tasks_that_are_added_at_the_same_time_are_all_there() {
    let repo = with_plan();
    let add = |number: usize| {
        let (id, title) = (format!("N{number}"), "n");
        repo.spawn(&[
            "task",
            "add",
            &id,
            "--title",
            title,
            "--no-check",
            "prose",
            "--plan",
            "p.plan.toml",
        ])
    };
    let mut started: Vec<_> = (0..12).map(add).collect();
    for child in &mut started {
        assert!(child.wait().expect("ended").success());
    }
    let shown = repo.afresh(&["show", "p.plan.toml", "--json"]).expect(0).json();
    assert_eq!(shown["tasks"].as_array().map(Vec::len), Some(13), "{shown}");
}

/// ST-07: a run that is driven continues with the plan as it was, and the command says how the change is taken up.
#[test]
fn a_driven_run_is_said_to_continue_with_the_plan_as_it_was() {
    let (repo, gate) = gated(1);
    let driver = Driver::run(&repo, &[]);
    repo.wait_until("the run is driven", || !repo.status()["driver"].is_null());
    let changed = repo.afresh(&["task", "edit", "T001", "--title", "better"]).expect(0);
    assert!(
        changed.stderr.contains("continues with the plan as it was; `afresh halt`"),
        "{changed:?}"
    );
    gate.open();
    driver.end().expect(0);
}
