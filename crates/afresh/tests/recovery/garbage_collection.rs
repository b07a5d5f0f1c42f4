//! Garbage collections of the user's during a run, and refs whose objects are gone.

use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use afresh_testkit::TestRepo;

use crate::support::git::lose_object;
use crate::support::{WORKER, expect_landed_once, repo, run_section, salvaged};

fn prepared() -> TestRepo {
    let repo = repo();
    repo.config(&run_section("parallel = 2"));
    repo.commit("config");
    repo.plan_of(4);
    repo.agent(WORKER);
    repo
}

fn branch(repo: &TestRepo) -> String {
    repo.status()["branch"].as_str().expect("a branch").to_owned()
}

/// No ref is dead, and the user's own garbage collection works.
#[track_caller]
fn expect_whole(repo: &TestRepo) {
    repo.git(&["fsck", "--strict", "--no-dangling"]);
    repo.git(&["gc", "-q", "--prune=now"]);
    repo.git(&["fsck", "--strict", "--no-dangling"]);
}

/// R1, R3, R16: the user's garbage collections run without a break beside a run.
#[test]
fn garbage_collections_without_a_break_take_nothing_of_a_run() {
    for rounds in [&[["gc", "-q", "--prune=now"]][..], &[["gc", "-q", ""], ["repack", "-adq", ""]]]
    {
        let repo = prepared();
        let is_over = AtomicBool::new(false);
        let ended = thread::scope(|scope| {
            scope.spawn(|| {
                while !is_over.load(Ordering::Relaxed) {
                    for arguments in rounds {
                        let arguments = arguments.iter().filter(|argument| !argument.is_empty());
                        // It may find a pack or a ref replaced meanwhile, and give up.
                        let _ =
                            Command::new("git").args(arguments).current_dir(repo.root()).output();
                    }
                }
            });
            let ended = repo.run(&[]);
            is_over.store(true, Ordering::Relaxed);
            ended
        });
        ended.expect(0);
        expect_landed_once(&repo, 4);
        expect_whole(&repo);
    }
}

/// R16: another program has removed objects that refs of ours reach. The next run says so, does the
/// lost work again, and the user's garbage collection works again.
#[test]
fn work_whose_objects_are_gone_is_done_again() {
    let repo = prepared();
    repo.run(&[]).expect(0);
    let tip = repo.git(&["rev-parse", &branch(&repo)]);
    for lost in [tip.clone(), repo.git(&["rev-parse", &format!("{}~1", branch(&repo))])] {
        lose_object(&repo, &lost);
    }
    std::fs::remove_dir_all(repo.root().join(".git/objects/afresh")).expect("staged objects");
    let fails = repo.try_git(&["gc", "-q", "--prune=now"]);
    assert!(!fails.status.success(), "git gc fails on a dead ref");
    let again = repo.run(&[]).expect(0);
    assert!(again.stderr.contains("the objects of work that had landed"), "{}", again.stderr);
    assert!(again.stderr.contains(&tip), "{}", again.stderr);
    expect_landed_once(&repo, 4);
    expect_whole(&repo);
}

/// The staged objects of the last session are still there: nothing has to be done again.
#[test]
fn objects_that_another_program_removed_are_restored() {
    let repo = prepared();
    repo.run(&[]).expect(0);
    let tip = repo.git(&["rev-parse", &branch(&repo)]);
    for entry in std::fs::read_dir(repo.root().join(".git/objects/pack")).expect("packs").flatten()
    {
        std::fs::remove_file(entry.path()).expect("removed");
    }
    let again = repo.run(&[]).expect(0);
    assert!(again.stderr.contains("were restored"), "{}", again.stderr);
    assert_eq!(repo.git(&["rev-parse", &branch(&repo)]), tip);
    expect_whole(&repo);
}

/// R16: some objects of saved work are gone, and its workspace too. What is left stays saved, and the user's garbage
/// collection works again.
#[test]
fn what_is_left_of_saved_work_stays_saved() {
    let repo = repo();
    repo.config(&run_section("attempts = 1"));
    repo.commit("config");
    repo.plan_of(1);
    repo.agent("mkdir more; echo kept > T001.txt; echo gone > more/lost.txt; exit 1");
    repo.run(&["--no-input"]);
    let salvage = salvaged(&repo).first().expect("saved work").clone();
    lose_object(&repo, &repo.git(&["rev-parse", &format!("{salvage}:more/lost.txt")]));
    std::fs::remove_dir_all(repo.root().join(".git/objects/afresh")).expect("staged objects");
    std::fs::remove_dir_all(repo.cache()).expect("workspaces");
    let again = repo.run(&["--no-input"]);
    assert!(again.stderr.contains("what is left of it is saved as"), "{}", again.stderr);
    assert_eq!(repo.git(&["show", &format!("{salvage}:T001.txt")]), "kept");
    expect_whole(&repo);
}
