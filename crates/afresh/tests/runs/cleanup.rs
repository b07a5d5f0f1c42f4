//! `afresh clean`: what is merged or saved is removed, everything else is kept and reported, nothing is lost.

use std::fs;
use std::os::unix::fs::symlink;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::Command;

use crate::support::strace::{strace_works, tampered};
use crate::support::{Driver, Gate, repo, run_section, salvaged};
use afresh_testkit::TestRepo;
use afresh_testkit::repo::finish;
use serde_json::Value;

/// The workspaces of the only repository in the cache.
fn slots(repo: &TestRepo) -> Vec<PathBuf> {
    let keys = fs::read_dir(repo.cache()).into_iter().flatten().flatten();
    let slots = keys.flat_map(|key| fs::read_dir(key.path()).into_iter().flatten().flatten());
    let is_slot = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.starts_with("work-") || name.starts_with("check-")
    };
    let mut slots: Vec<PathBuf> = slots.map(|slot| slot.path()).filter(is_slot).collect();
    slots.sort();
    slots
}

fn refs(repo: &TestRepo) -> String {
    repo.git(&["for-each-ref", "--format=%(refname) %(objectname)"])
}

#[track_caller]
fn clean(repo: &TestRepo, more: &[&str]) -> Value {
    let args: Vec<&str> = ["clean", "--json"].iter().chain(more).copied().collect();
    repo.afresh(&args).expect(0).json()
}

/// The entries of one kind in a list of the answer, as `name: why`.
fn entries(answer: &Value, list: &str, kind: &str) -> Vec<String> {
    let all = answer[list].as_array().expect("a list").iter();
    let text = |thing: &Value, key: &str| thing[key].as_str().unwrap_or_default().to_owned();
    all.filter(|thing| thing["kind"] == kind)
        .map(|thing| format!("{}: {}", text(thing, "name"), text(thing, "why")))
        .collect()
}

fn done_repo(tasks: usize) -> TestRepo {
    let repo = repo();
    repo.agent("echo \"by $AFRESH_TASK\" > $AFRESH_TASK.txt");
    repo.plan_of(tasks);
    repo.commit("a plan");
    repo.run(&[]).expect(0);
    repo
}

/// A run that was killed while its worker was running, with leftovers of all kinds.
fn killed_repo() -> TestRepo {
    let repo = repo();
    let gate = Gate::new(&repo, "wrote");
    repo.agent(&format!(
        "if [ $AFRESH_ATTEMPT = 1 ]; then\n\
         echo untracked >T001.txt; echo staged >staged.txt; git add staged.txt\n\
         echo changed >README.md; {}; sleep 600\nfi\necho \"by $AFRESH_TASK\" >T001.txt",
        gate.opened_by_worker()
    ));
    repo.plan_of(1);
    repo.commit("a plan");
    let driver = Driver::run(&repo, &["--probe", "off"]);
    repo.wait_until("the worker has written", || gate.is_open());
    driver.kill_9();
    repo
}

const WORK: &str = "refs/afresh/salvage/test-1/T001.1";

#[track_caller]
fn expect_work_is_saved(repo: &TestRepo, name: &str) {
    for (path, text) in
        [("T001.txt", "untracked"), ("staged.txt", "staged"), ("README.md", "changed")]
    {
        assert_eq!(repo.git(&["show", &format!("{name}:{path}")]), text, "R16: {path}");
    }
}

/// BE-07, R5, R16: before a run has landed, its work stays; after that everything is removed, the user's files are
/// unchanged, and the run is still known as done.
#[test]
fn what_has_landed_goes_and_what_has_not_stays() {
    let repo = done_repo(2);
    let (before, at_first, were) = (repo.untouched(), refs(&repo), slots(&repo));
    let answer = clean(&repo, &["--dry-run"]);
    assert_eq!(answer["dry_run"], true);
    assert_eq!(refs(&repo), at_first);
    assert_eq!(slots(&repo), were, "a dry run changes nothing");
    let answer = clean(&repo, &[]);
    assert_eq!(entries(&answer, "removed", "workspace").len(), were.len(), "{answer:#}");
    assert!(answer["freed_bytes"].as_u64().is_some_and(|bytes| bytes > 10_000), "{answer:#}");
    assert_eq!(entries(&answer, "kept", "branch"), ["afresh/test-1: it has not landed"]);
    assert_eq!((slots(&repo).len(), refs(&repo)), (0, at_first));
    repo.untouched().expect_same_as(&before);

    repo.afresh(&["land"]).expect(0);
    let landed = repo.untouched();
    let answer = clean(&repo, &[]);
    assert_eq!(entries(&answer, "removed", "branch").len(), 2, "{answer:#}");
    // TR-06: receipts stay.
    let left = repo.git(&["for-each-ref", "--format=%(refname)"]);
    assert_eq!(left, "refs/heads/main\nrefs/notes/afresh");
    repo.untouched().expect_same_as(&landed);
    // Nothing is left to do, and everything is still known.
    assert_eq!(clean(&repo, &[])["removed"], Value::Array(vec![]));
    repo.run(&[]).expect(0);
    assert_eq!(repo.status()["state"], "done");
    assert_eq!(repo.status()["has_branch"], false);
    let status = repo.afresh(&["status"]).expect(0).stdout;
    assert!(status.contains("branch afresh/test-1 was removed"), "{status}");
    repo.afresh(&["land"]).expect(0);
    repo.expect_no_survivors();
}

/// BE-07: workspaces that were removed are created again when they are needed.
#[test]
fn the_next_run_makes_what_it_needs_again() {
    let repo = done_repo(1);
    clean(&repo, &[]);
    repo.write(
        "p.plan.toml",
        &fs::read_to_string(repo.root().join("p.plan.toml"))
            .expect("a plan")
            .replace("T001", "T009"),
    );
    repo.run(&[]).expect(0);
    assert_eq!(repo.on_branch("T009.txt").as_deref(), Some("by T009\n"));
}

/// R16: rejected work is in no branch: it is kept until the user discards it.
#[test]
fn rejected_work_stays_until_it_is_discarded() {
    let repo = repo();
    repo.config(&run_section("attempts = 1"));
    repo.agent("echo \"by $AFRESH_TASK\" > $AFRESH_TASK.txt; [ $AFRESH_TASK = T001 ]");
    repo.plan_of(2);
    repo.commit("a plan");
    repo.run(&["--on-failure", "skip"]).expect(1);
    repo.afresh(&["land", "--partial"]).expect(0);
    let answer = clean(&repo, &[]);
    let salvage = "refs/afresh/salvage/test-1/T002.1";
    let lines = entries(&answer, "kept", "saved-work");
    assert_eq!(lines, [format!("{salvage}: work of T002.1 of run test-1, in no branch of yours")]);
    assert_eq!(salvaged(&repo), [salvage]);
    for (wish, message) in [("test-9", "nothing is kept"), ("test-1/T009.1", "nothing is kept")] {
        let ran = repo.afresh(&["clean", "--discard", wish]).expect(2);
        assert!(ran.stderr.contains(message) && ran.stderr.contains("hint:"), "{}", ran.stderr);
    }
    assert_eq!(salvaged(&repo), [salvage]);
    let id = repo.git(&["rev-parse", salvage]);
    let ran = repo.afresh(&["clean", "--discard", "test-1/T002.1"]).expect(0);
    assert!(ran.stdout.contains(&id), "how to get it back: {}", ran.stdout);
    assert_eq!(salvaged(&repo), Vec::<String>::new());
}

/// R16, R12: the workspace of a killed run is kept, so that the run can continue in it. With `--unfinished`,
/// its contents are saved before it is removed, and the run still continues.
#[test]
fn a_killed_runs_workspace_is_saved_before_it_goes() {
    let repo = killed_repo();
    let before = repo.untouched();
    let answer = clean(&repo, &[]);
    assert_eq!(
        entries(&answer, "kept", "workspace"),
        ["work-1: T001.1 of run test-1 is not finished"],
        "{answer:#}"
    );
    assert_eq!(entries(&answer, "kept", "run"), ["test-1: it is not finished (2 refs)"]);
    assert_eq!(slots(&repo).len(), 1);
    let ran = repo.afresh(&["clean", "--discard", "test-1"]).expect(2);
    assert!(ran.stderr.contains("not finished"), "{}", ran.stderr);

    let answer = clean(&repo, &["--unfinished"]);
    let removed = answer["removed"].as_array().expect("a list");
    let slot = removed.iter().find(|thing| thing["kind"] == "workspace").expect("a workspace");
    assert_eq!(slot["saved"]["ref"], WORK, "{answer:#}");
    assert_eq!(slots(&repo).len(), 0);
    expect_work_is_saved(&repo, WORK);
    repo.untouched().expect_same_as(&before);
    repo.expect_no_survivors();
    repo.run(&[]).expect(0);
    assert_eq!(repo.on_branch("T001.txt").as_deref(), Some("by T001\n"));
    expect_work_is_saved(&repo, WORK);
}

/// R16: the state directory is gone, and with it everything that is known about the run; the work of its workers is
/// saved all the same.
#[test]
fn work_of_a_forgotten_run_is_saved_before_its_workspace_goes() {
    let repo = killed_repo();
    fs::remove_dir_all(repo.state()).expect("removed");
    // The state may be put back, so nothing is cleaned before the user starts over.
    let refused = repo.afresh(&["clean"]).expect(2);
    assert!(refused.stderr.contains("is gone"), "{refused:?}");
    assert_eq!(slots(&repo).len(), 1);
    assert!(!repo.state().exists(), "nothing is made");
    repo.agent("echo \"by $AFRESH_TASK\" > $AFRESH_TASK.txt");
    repo.run(&["--new"]).expect(0);
    expect_work_is_saved(&repo, WORK);
    let answer = clean(&repo, &[]);
    assert_eq!(answer["failed"], Value::Array(vec![]), "{answer:#}");
    expect_work_is_saved(&repo, WORK);
    // It is in no branch, so the next cleanup still keeps it.
    clean(&repo, &[]);
    expect_work_is_saved(&repo, WORK);
}

/// R16, R5: if the work cannot be saved, it stays where it is, and the exit code reports that.
#[test]
fn what_cannot_be_saved_stays() {
    let repo = killed_repo();
    let refs_of_ours = repo.root().join(".git/refs/afresh/salvage");
    fs::create_dir_all(refs_of_ours.parent().expect("a parent")).expect("directories");
    fs::write(&refs_of_ours, "in the way").expect("written");
    let answer = repo.afresh(&["clean", "--unfinished", "--json"]);
    assert_eq!(answer.code, Some(1), "{answer:?}");
    let failed = &answer.json()["failed"];
    assert_eq!(failed[0]["name"], "work-1", "{failed:#}");
    let tree = slots(&repo)[0].join("tree");
    assert_eq!(fs::read_to_string(tree.join("staged.txt")).expect("still there"), "staged\n");
    fs::remove_file(&refs_of_ours).expect("removed");
    clean(&repo, &["--unfinished"]);
    expect_work_is_saved(&repo, WORK);
}

/// R16, B03: what a killed worker left as an ordinary user (closed directories, links to the home directory) is saved
/// and removed, and the home directory is unchanged.
#[test]
fn an_ordinary_users_closed_files_and_links_are_saved_and_not_followed() {
    let repo = killed_repo();
    let tree = slots(&repo)[0].join("tree");
    let home = repo.path().join("home");
    fs::write(home.join("precious"), "mine").expect("written");
    symlink(&home, tree.join("to-home")).expect("a link");
    fs::create_dir(tree.join("closed")).expect("a directory");
    fs::write(tree.join("closed/shut.txt"), "shut\n").expect("written");
    let close = "chmod 000 closed/shut.txt closed";
    assert!(
        Command::new("sh").args(["-c", close]).current_dir(&tree).status().expect("sh").success()
    );
    let mut command = repo.command(&["clean", "--unfinished", "--json"]);
    if nix::unistd::geteuid().is_root() {
        let mut chown = Command::new("chown");
        assert!(
            chown.arg("-hR").arg("65534:65534").arg(repo.path()).status().expect("chown").success()
        );
        command.uid(65534).gid(65534);
        let mut probe = Command::new(command.get_program());
        if !probe
            .arg("--version")
            .uid(65534)
            .gid(65534)
            .output()
            .is_ok_and(|out| out.status.success())
        {
            // The program is in a directory that an ordinary user cannot access.
            return;
        }
    }
    let answer = finish(command).expect(0).json();
    assert_eq!(answer["failed"], Value::Array(vec![]), "{answer:#}");
    assert!(!tree.exists());
    assert_eq!(fs::read_to_string(home.join("precious")).expect("there"), "mine");
    let show = |path: &str| {
        let git = ["-c", "safe.directory=*", "show", &format!("{WORK}:{path}")];
        repo.git(&git)
    };
    assert_eq!(show("closed/shut.txt"), "shut");
    assert_eq!(show("to-home"), home.display().to_string());
}

/// R8, BE-07: while a run is active, nothing is touched, and its process is named; exit 5.
#[test]
fn a_run_that_is_being_driven_is_left_alone() {
    let repo = repo();
    let gate = Gate::new(&repo, "go");
    repo.agent(&format!("{}; echo x > $AFRESH_TASK.txt", gate.wait()));
    repo.plan_of(1);
    let mut driver = Driver::run(&repo, &[]);
    driver.await_stderr("start T001.1");
    for more in [&["clean"][..], &["clean", "--dry-run"], &["clean", "--unfinished"]] {
        let ran = repo.afresh(more).expect(5);
        let pid = format!("pid {}", driver.pid());
        assert!(ran.stderr.contains(&pid), "{}", ran.stderr);
    }
    gate.open();
    driver.end().expect(0);
}

/// R16: with a linear history the landed commit differs from the attempt's; the attempt's ref is removed only because
/// everything that it changed is in the commit that landed for it.
#[test]
fn work_that_landed_as_another_commit_goes() {
    let repo = repo();
    repo.config(&run_section("history = \"linear\""));
    repo.agent("echo \"by $AFRESH_TASK\" > $AFRESH_TASK.txt");
    repo.plan_of(2);
    repo.commit("a plan");
    repo.run(&[]).expect(0);
    assert_eq!(salvaged(&repo).len(), 2, "a linear history reaches none of them");
    clean(&repo, &[]);
    assert_eq!(salvaged(&repo).len(), 2, "not landed yet");
    repo.afresh(&["land"]).expect(0);
    // The user continues to work in the same files.
    repo.write("T001.txt", "mine\n");
    repo.commit("changed since");
    let answer = clean(&repo, &[]);
    assert_eq!(salvaged(&repo), Vec::<String>::new(), "{answer:#}");
    assert!(entries(&answer, "removed", "saved-work")[0].contains("landed as"), "{answer:#}");
}

/// R5, R16: work that was merged by a squash is removed, because every change of it is there; a branch that the user
/// made belongs to the user, whatever its name is.
#[test]
fn the_users_branches_stay_whatever_they_are_called() {
    let repo = done_repo(1);
    repo.git(&["branch", "afresh/mine", "main"]);
    repo.git(&["merge", "--squash", "-q", "afresh/test-1"]);
    repo.commit("squashed");
    let answer = clean(&repo, &[]);
    let why = entries(&answer, "removed", "branch");
    assert!(why.iter().any(|line| line.contains("everything it changed is in main")), "{why:?}");
    let left = repo.git(&["for-each-ref", "--format=%(refname:short)"]);
    assert_eq!(left.lines().collect::<Vec<_>>(), ["afresh/mine", "main", "notes/afresh"]);
}

/// BE-07: transcripts are removed by age or number, and those of an unfinished run never.
#[test]
fn transcripts_go_by_age_or_number_alone() {
    let repo = done_repo(1);
    let attempts = repo.state().join("attempts");
    let kept = clean(&repo, &["--older-than", "30d"]);
    assert_eq!(entries(&kept, "kept", "transcripts").len(), 1, "{kept:#}");
    clean(&repo, &["--keep-runs", "1"]);
    assert!(attempts.join("test-1").exists());
    repo.afresh(&["clean", "--older-than", "soon"]).expect(2);
    clean(&repo, &["--older-than", "0s"]);
    assert!(!attempts.join("test-1").exists());
    repo.afresh(&["status"]).expect(0);
    repo.afresh(&["report"]).expect(0);
    let unfinished = killed_repo();
    clean(&unfinished, &["--older-than", "0s", "--keep-runs", "0"]);
    assert!(unfinished.state().join("attempts/test-1").exists());
}

/// BE-07, R16: workspaces of a missing repository are removed, from any directory; unsaved work in them stays, and its
/// path is reported.
#[test]
fn workspaces_of_a_repository_that_is_gone_go_unless_they_hold_work() {
    for unsaved in [false, true] {
        let repo = if unsaved { killed_repo() } else { done_repo(1) };
        let there = repo.command(&["clean", "--gone", "--json"]);
        let answer = finish(there).expect(0).json();
        assert_eq!(answer["removed"], Value::Array(vec![]), "it is not gone");
        fs::rename(repo.root(), repo.path().join("moved")).expect("moved");
        let mut command = repo.command(&["clean", "--gone", "--json"]);
        command.current_dir(repo.path());
        let answer = finish(command).expect(0).json();
        let list = if unsaved { "kept" } else { "removed" };
        let lines = entries(&answer, list, "repository");
        assert_eq!(lines.len(), 1, "{answer:#}");
        assert!(lines[0].starts_with(&repo.root().display().to_string()), "{lines:?}");
        assert_eq!(slots(&repo).is_empty(), !unsaved);
        if unsaved {
            let tree = slots(&repo)[0].join("tree").display().to_string();
            assert!(lines[0].contains(&tree), "{lines:?}");
        }
    }
}

/// R12, R16: if cleanup is killed at any moment, nothing is lost, and the next one does the rest.
#[test]
fn a_kill_while_cleaning_loses_nothing() {
    if !strace_works() {
        return;
    }
    let mut killed = 0;
    for number in (1..400).step_by(3) {
        let repo = killed_repo();
        let before = repo.untouched();
        let plain = repo.command(&["clean", "--unfinished"]);
        let calls = "vfork,clone3,fsync,ftruncate,unlink,rmdir,rename";
        let command = tampered(&plain, calls, &format!("signal=KILL:when={number}"));
        let first = Driver::start_command(&repo, command).end();
        let slot = slots(&repo).first().map(|slot| slot.join("tree/staged.txt"));
        if !slot.is_some_and(|file| file.exists()) {
            expect_work_is_saved(&repo, WORK);
        }
        clean(&repo, &["--unfinished"]);
        assert_eq!(slots(&repo).len(), 0, "at call {number}");
        expect_work_is_saved(&repo, WORK);
        repo.untouched().expect_same_as(&before);
        if first.code == Some(0) {
            break;
        }
        assert_eq!(first.code, None, "at call {number}: {first:?}");
        killed += 1;
    }
    assert!(killed > 5, "only {killed} places were seen");
}

/// BE-07, HU-08: copies that `afresh open` made stay until they are asked for; messages of runs in the background go;
/// those of other repositories stay.
#[test]
fn copies_go_if_asked_for_and_messages_of_the_background_go() {
    let (repo, other) = (done_repo(1), done_repo(1));
    let share = |args: &[&str]| {
        let mut command = other.command(args);
        command.env("AFRESH_CACHE", repo.cache());
        finish(command).expect(0)
    };
    let open = |opened: &Value| PathBuf::from(opened["directory"].as_str().expect("a directory"));
    let copy = open(&repo.afresh(&["open", "T001", "--print", "--json"]).expect(0).json());
    let foreign = open(&share(&["open", "T001", "--print", "--json"]).json());
    repo.run(&["--new", "--detach"]).expect(0);
    repo.afresh(&["attach"]);
    let messages = || fs::read_dir(repo.cache().join("detached")).expect("messages").count();
    repo.wait_until("the run in the background has ended", || repo.status()["driver"].is_null());
    share(&["run", "p.plan.toml", "--new", "--detach"]);
    assert_eq!(messages(), 4);

    let answer = clean(&repo, &[]);
    assert_eq!(messages(), 2, "{answer}");
    let kept = entries(&answer, "kept", "copy");
    assert_eq!(kept.len(), 1, "{answer}");
    assert!(kept[0].contains("test-1-T001") && copy.join("T001.txt").exists(), "{kept:?}");

    let answer = clean(&repo, &["--opened"]);
    assert_eq!(entries(&answer, "removed", "copy").len(), 1, "{answer}");
    assert!(!copy.exists() && foreign.join("T001.txt").exists(), "{answer}");
}
