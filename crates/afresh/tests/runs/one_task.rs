//! Commands about one task: `diff`, `task show`.

use crate::support::{Driver, Gate, repo, run_section, salvaged};

/// HU-08: `afresh diff` shows what landed, one attempt, or two compared, also after cleaning; scripts get counts.
/// `afresh task show` has the state, the checks, the attempts and what to type next.
#[test]
fn a_task_is_shown_with_its_attempts_and_what_each_changed() {
    let repo = repo();
    repo.plan(
        "[[task]]\nid = \"A\"\ntitle = \"a\"\nfiles = [\"a.txt\", \"b.bin\"]\nchecks = [\"grep -q good a.txt\"]\n\
         [[task]]\nid = \"B\"\ntitle = \"b\"\nfiles = [\"b.txt\"]\nchecks = [\"false\"]\nneeds = [\"A\"]\n\
         [[task]]\nid = \"C\"\ntitle = \"c\"\nfiles = [\"c.txt\"]\nchecks = [\"test -s c.txt\"]\nneeds = [\"B\"]\n",
    );
    repo.agent(
        "case $AFRESH_TASK.$AFRESH_ATTEMPT in A.1) echo bad >a.txt;; \
         A.*) printf 'good\\n\\033[2Jx\\n' >a.txt; printf 'x\\0y' >b.bin;; *) echo b >b.txt;; esac",
    );
    repo.config(&run_section("attempts = 2"));
    repo.afresh(&["diff", "A"]).expect(2);
    repo.run(&["--no-input"]).expect(4);
    let landed = repo.afresh(&["diff", "A"]).expect(0).stdout;
    // A pipe gets the exact bytes.
    assert!(landed.contains("+good\n+\x1b[2Jx\n"), "{landed}");
    let first = repo.afresh(&["diff", "A.1"]).expect(0).stdout;
    assert!(first.contains("+++ b/a.txt\n") && first.contains("+bad\n"), "{first}");
    let between = repo.afresh(&["diff", "A.1", "A.2"]).expect(0).stdout;
    assert!(between.contains("-bad\n+good\n"), "{between}");
    assert_eq!(repo.afresh(&["diff", "A", "--name-only"]).expect(0).stdout, "a.txt\nb.bin\n");
    let stat = repo.afresh(&["diff", "A.2", "--stat"]).expect(0).stdout;
    assert!(stat.contains("2 files changed, 2 insertions(+)"), "{stat}");
    // Not merged: the last attempt, compared with what it started from.
    let failed = repo.afresh(&["diff", "B", "--json"]).expect(0).json();
    assert_eq!((&failed["kind"], &failed["attempt"]), (&"attempt".into(), &"B.2".into()));
    assert_eq!(failed["files"][0]["action"], "created");
    assert_eq!((&failed["added"], &failed["files"][0]["path"]), (&1.into(), &"b.txt".into()));
    let merged = repo.afresh(&["diff", "A", "--json"]).expect(0).json();
    assert_eq!((&merged["kind"], &merged["added"]), (&"merge".into(), &2.into()));
    assert_eq!(merged["files"][1]["binary"], true, "{merged}");
    let same = repo.afresh(&["diff", "B.1", "B.2"]).expect(0);
    assert!(same.stdout.is_empty() && same.stderr.contains("left the same files"), "{same:?}");

    let shown = repo.afresh(&["task", "show", "B"]).expect(0).stdout;
    for fact in [
        "B b\n",
        "state     failed:",
        "needs     A (done)",
        "needed by C (blocked)",
        "files     b.txt",
        "false: failed for B.2 in",
        "B.1: rejected, ",
        "/B.2\n",
        "afresh decide Q1 ANSWER",
        "afresh diff B\n",
    ] {
        assert!(shown.contains(fact), "{fact:?} is not in:\n{shown}");
    }
    let details = repo.afresh(&["task", "show", "A", "--json"]).expect(0).json();
    assert_eq!(details["checks"][0]["last"]["passed"], true, "{details}");
    assert_eq!(details["attempts"].as_array().map(Vec::len), Some(2), "{details}");
    let waiting = repo.afresh(&["task", "show", "C", "--json"]).expect(0).json();
    assert_eq!(
        (&waiting["state"], &waiting["checks"][0]["last"]),
        (&"blocked".into(), &serde_json::Value::Null)
    );
    repo.afresh(&["task", "show", "nope"]).expect(2);

    let none = repo.afresh(&["diff", "C"]).expect(1).stderr;
    assert!(none.contains("C has no saved work yet") && none.contains("hint:"), "{none}");
    let none = repo.afresh(&["diff", "A.7"]).expect(2).stderr;
    assert!(none.contains("its attempts are numbered 1 to 2"), "{none}");
    repo.afresh(&["diff", "A", "A.1"]).expect(2);

    repo.afresh(&["clean"]).expect(0);
    assert!(salvaged(&repo).iter().any(|name| name.ends_with("/B.2")), "{:?}", salvaged(&repo));
    assert_eq!(repo.afresh(&["diff", "A"]).expect(0).stdout, landed);
    let failed = repo.afresh(&["diff", "B.2"]).expect(0).stdout;
    assert!(failed.contains("+b\n"), "{failed}");
}

/// HU-08, R5: `afresh open` copies what a worker has written so far, or what an attempt left, into a clone of its own;
/// nothing that is done there reaches the worker, the run or the user's checkout.
#[test]
fn a_workspace_is_opened_as_a_copy() {
    let repo = repo();
    repo.plan_of(1);
    let (written, go) = (Gate::new(&repo, "written"), Gate::new(&repo, "go"));
    repo.agent(&format!(
        "echo half > T001.txt; ln -s /etc/passwd link; git config core.fsmonitor 'touch {}'\n{}\n{}\nrm link; echo whole > T001.txt",
        repo.path().join("caught").display(),
        written.opened_by_worker(),
        go.wait()
    ));
    let before = repo.untouched();
    let driver = Driver::run(&repo, &[]);
    repo.wait_until("the worker has written", || written.is_open());
    let live = repo.afresh(&["open", "T001", "--json"]).expect(0).json();
    assert_eq!(live["at_work"], true, "{live}");
    let copy = std::path::PathBuf::from(live["directory"].as_str().expect("a directory"));
    let text =
        |path: &std::path::Path| std::fs::read_to_string(path.join("T001.txt")).expect("a file");
    assert_eq!(text(&copy), "half\n");
    assert!(copy.join("link").is_symlink() && copy.join("README.md").exists());
    // What the worker configured for its own git is not in the copy.
    let in_copy = |script: &str| {
        let mut command = std::process::Command::new("sh");
        command.args(["-c", script]).current_dir(&copy).stdin(std::process::Stdio::null());
        afresh_testkit::repo::finish(command).expect(0)
    };
    assert!(in_copy("git status --porcelain").stdout.contains("T001.txt"));
    assert!(!repo.path().join("caught").exists());
    in_copy("echo mine > T001.txt; git add -A; git -c user.name=a -c user.email=b commit -qm mine");
    go.open();
    driver.end().expect(0);
    assert_eq!(repo.on_branch("T001.txt").as_deref(), Some("whole\n"));
    let ran = repo.afresh(&["open", "T001.1", "--", "cat", "T001.txt"]).expect(0);
    assert!(ran.stdout == "whole\n" && ran.stderr.contains("the copy stays in"), "{ran:?}");
    repo.afresh(&["open", "T001", "--", "false"]).expect(1);
    let printed = repo.afresh(&["open", "T001"]).expect(0).stdout;
    assert_eq!(text(std::path::Path::new(printed.trim_end())), "whole\n");
    assert_eq!(text(&copy), "mine\n");
    repo.untouched().expect_same_as(&before);
    let none = repo.afresh(&["open", "T009"]).expect(2);
    assert!(none.stderr.contains("has no task"), "{none:?}");
}
