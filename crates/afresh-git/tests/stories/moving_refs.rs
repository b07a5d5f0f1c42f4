//! Moving refs by compare-and-swap.

use std::fs;
use std::thread;
use std::time::Duration;

use afresh_core::ids::CommitId;
use afresh_git::ref_names::{RECEIPT_NOTES, run_branch_ref, salvage_prefix};
use afresh_git::{
    DEFAULT_LOCK_TIMEOUT, LockWaiting, RefError, RefExpectation, RefOutcome, RefUpdate, Repository,
};

use crate::scene::GitScene;

fn update(name: &str, new: Option<&CommitId>, old: RefExpectation) -> RefUpdate {
    RefUpdate { name: name.to_owned(), new: new.cloned(), old }
}

fn second_commit(scene: &GitScene) -> CommitId {
    scene.user("git commit-tree -p HEAD -m two HEAD^{tree}").trim().parse().unwrap()
}

/// R3.
#[test]
fn a_branch_moves_only_from_its_expected_commit() {
    let scene = GitScene::new();
    let repository = scene.repository();
    let (one, two) = (scene.base.clone(), second_commit(&scene));
    let branch = run_branch_ref("r1");
    let before = scene.user_files();
    let go = |new: Option<&CommitId>, old| {
        repository.update_refs(&[update(&branch, new, old)], DEFAULT_LOCK_TIMEOUT).unwrap()
    };
    assert_eq!(go(Some(&one), RefExpectation::Missing), RefOutcome::Done);
    let mismatch = RefOutcome::Mismatch { name: branch.clone(), now: Some(one.clone()) };
    assert_eq!(go(Some(&two), RefExpectation::Missing), mismatch);
    assert_eq!(go(Some(&one), RefExpectation::Is(two.clone())), mismatch);
    assert_eq!(go(Some(&two), RefExpectation::Is(one.clone())), RefOutcome::Done);
    assert_eq!(repository.read_ref(&branch).unwrap(), Some(two.clone()));
    let mismatch = RefOutcome::Mismatch { name: branch.clone(), now: Some(two.clone()) };
    assert_eq!(go(None, RefExpectation::Is(one)), mismatch);
    assert_eq!(go(None, RefExpectation::Missing), mismatch);
    assert_eq!(go(None, RefExpectation::Is(two)), RefOutcome::Done);
    assert_eq!(repository.read_ref(&branch).unwrap(), None);
    assert_eq!(go(None, RefExpectation::Missing), RefOutcome::Done);
    assert_eq!(go(None, RefExpectation::Any), RefOutcome::Done);
    assert_eq!(scene.user_files(), before, "R5");
}

/// R3.
#[test]
fn a_transaction_moves_all_refs_or_none() {
    let scene = GitScene::new();
    let repository = scene.repository();
    let (one, two) = (scene.base.clone(), second_commit(&scene));
    let prefix = salvage_prefix("r1");
    let names = [format!("{prefix}a"), format!("{prefix}b")];
    let both = |second: RefExpectation| {
        let updates = [
            update(&names[0], Some(&one), RefExpectation::Missing),
            update(&names[1], Some(&two), second),
        ];
        repository.update_refs(&updates, DEFAULT_LOCK_TIMEOUT).unwrap()
    };
    let mismatch = RefOutcome::Mismatch { name: names[1].clone(), now: None };
    assert_eq!(both(RefExpectation::Is(one.clone())), mismatch);
    assert!(repository.list_refs(&prefix).unwrap().is_empty());
    assert_eq!(both(RefExpectation::Missing), RefOutcome::Done);
    let listed: Vec<_> = repository.list_refs(&prefix).unwrap().into_iter().collect();
    assert_eq!(listed, [(names[0].clone(), one), (names[1].clone(), two)]);
}

/// F12: a lock that is held for a while is waited for, and not removed.
#[test]
fn a_lock_that_is_released_is_waited_for() {
    for lock in ["refs/heads/afresh/r1.lock", "packed-refs.lock"] {
        let scene = GitScene::new();
        let branch = run_branch_ref("r1");
        scene.user("git branch afresh/r1; git pack-refs --all");
        let path = scene.repository().common_dir().join(lock);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, "").unwrap();
        // Deleting needs both the ref's lock and the lock of the packed refs.
        let updates = [update(&branch, None, RefExpectation::Is(scene.base.clone()))];
        thread::scope(|scope| {
            scope.spawn(|| {
                thread::sleep(Duration::from_millis(1500));
                assert!(path.exists(), "{lock} was deleted by us");
                assert_eq!(scene.repository().read_ref(&branch).unwrap(), Some(scene.base.clone()));
                fs::remove_file(&path).unwrap();
            });
            let done = scene.repository().update_refs(&updates, DEFAULT_LOCK_TIMEOUT).unwrap();
            assert_eq!(done, RefOutcome::Done, "{lock}");
        });
    }
}

/// F12: a lock that stays is reported, and not removed.
#[test]
fn a_lock_that_stays_is_named_and_never_deleted() {
    let scene = GitScene::new();
    let branch = run_branch_ref("r1");
    let lock = scene.repository().common_dir().join("refs/heads/afresh/r1.lock");
    fs::create_dir_all(lock.parent().unwrap()).unwrap();
    fs::write(&lock, "").unwrap();
    let updates = [update(&branch, Some(&scene.base), RefExpectation::Missing)];
    let error = scene.repository().update_refs(&updates, Duration::from_millis(300)).unwrap_err();
    let RefError::Locked { lock: named, .. } = &error else { panic!("{error}") };
    assert_eq!(named, &lock);
    assert!(error.hint().unwrap().contains("r1.lock"));
    assert!(lock.exists());
    assert_eq!(scene.repository().read_ref(&branch).unwrap(), None);
}

/// R12, F12: a git process of ours that was killed leaves its lock, which holds what it was about to write. After the
/// next driver has taken over, the lock is removed; one with any other content may be another program's, and stays.
#[test]
fn a_lock_of_our_own_dead_git_is_removed_after_the_takeover() {
    let scene = GitScene::new();
    let (one, two) = (scene.base.clone(), second_commit(&scene));
    let make = "git commit-tree -p HEAD -m a -m 'Afresh-Run: r4' HEAD^{tree}";
    let landed = scene.user(make).trim().to_owned();
    let own = format!("{}T001", salvage_prefix("r1"));
    // The branch, and a commit that is not the one to be written; for our own refs every commit is ours.
    for (name, content, removed) in [
        (run_branch_ref("r1"), format!("{one}\n"), true),
        (run_branch_ref("r2"), "the user's".to_owned(), false),
        // The next driver may build its merge again, as another commit.
        (run_branch_ref("r4"), format!("{landed}\n"), true),
        (format!("{own}.1"), format!("{two}\n"), true),
        // A deletion.
        (format!("{own}.2"), String::new(), true),
        ("refs/heads/mine".to_owned(), format!("{one}\n"), false),
    ] {
        let lock = scene.repository().common_dir().join(format!("{name}.lock"));
        fs::create_dir_all(lock.parent().unwrap()).unwrap();
        fs::write(&lock, &content).unwrap();
        let minute_ago = std::time::SystemTime::now() - Duration::from_secs(60);
        fs::File::options().write(true).open(&lock).unwrap().set_modified(minute_ago).unwrap();
        let updates = [update(&name, Some(&one), RefExpectation::Missing)];
        let driver = Repository::discover(scene.repository().program(), &scene.root).unwrap();
        let go = || driver.update_refs(&updates, Duration::from_millis(100));
        assert!(matches!(go(), Err(RefError::Locked { .. })), "{name}: without taking over");
        driver.end_stale_git(Duration::from_secs(60)).unwrap();
        match go() {
            Ok(done) => assert_eq!((done, removed), (RefOutcome::Done, true), "{name}"),
            Err(error) => assert!(!removed && lock.exists(), "{name}: {error}"),
        }
    }
}

/// ST-02, F12: a lock on a branch of ours that no living process can hold is removed, whatever commit it names; one
/// that a process has open, or that git did not write, stays.
#[test]
fn a_lock_that_no_process_can_hold_is_removed() {
    let scene = GitScene::new();
    let two = second_commit(&scene);
    let branch = run_branch_ref("r1");
    let lock = scene.repository().common_dir().join(format!("{branch}.lock"));
    fs::create_dir_all(lock.parent().unwrap()).unwrap();
    let updates = [update(&branch, Some(&scene.base), RefExpectation::Any)];
    let stat = fs::read_to_string("/proc/stat").unwrap();
    let boot = stat.lines().find_map(|line| line.strip_prefix("btime ")).unwrap().trim();
    // No git process of this machine is that old.
    let early = std::time::SystemTime::UNIX_EPOCH + Duration::from_secs(boot.parse().unwrap());
    let early = early + Duration::from_secs(1);
    for (content, is_open, removed) in [
        (String::new(), false, true),
        (format!("{two}\n"), false, true),
        (two.as_str()[..17].to_owned(), false, true),
        (String::new(), true, false),
        ("the user's".to_owned(), false, false),
    ] {
        fs::write(&lock, &content).unwrap();
        let file = fs::File::options().write(true).open(&lock).unwrap();
        file.set_modified(early).unwrap();
        let held = is_open.then_some(file);
        let driver = Repository::discover(scene.repository().program(), &scene.root).unwrap();
        driver.end_stale_git(Duration::from_secs(60)).unwrap();
        let answer = driver.update_refs(&updates, Duration::from_millis(100));
        assert_eq!(answer.is_ok(), removed, "{content:?}, open: {is_open}: {answer:?}");
        assert_eq!(lock.exists(), !removed);
        drop(held);
    }
}

/// F12: a lock that was made after the takeover belongs to somebody who may be alive.
#[test]
fn a_lock_that_is_younger_than_the_takeover_stays() {
    let scene = GitScene::new();
    let branch = run_branch_ref("r1");
    scene.repository().end_stale_git(Duration::from_secs(60)).unwrap();
    let lock = scene.repository().common_dir().join(format!("{branch}.lock"));
    fs::create_dir_all(lock.parent().unwrap()).unwrap();
    fs::write(&lock, format!("{}\n", scene.base)).unwrap();
    let updates = [update(&branch, Some(&scene.base), RefExpectation::Missing)];
    let answer = scene.repository().update_refs(&updates, Duration::from_millis(1500));
    assert!(matches!(answer, Err(RefError::Locked { .. })), "{answer:?}");
    assert!(lock.exists());
}

/// F12: a lock from before the machine was started is nobody's.
#[test]
fn a_lock_that_is_older_than_the_machines_start_is_removed() {
    let scene = GitScene::new();
    let branch = run_branch_ref("r1");
    let lock = scene.repository().common_dir().join(format!("{branch}.lock"));
    fs::create_dir_all(lock.parent().unwrap()).unwrap();
    let file = fs::File::create(&lock).unwrap();
    file.set_modified(std::time::SystemTime::UNIX_EPOCH + Duration::from_secs(1)).unwrap();
    scene.repository().end_stale_git(Duration::from_secs(60)).unwrap();
    let updates = [update(&branch, Some(&scene.base), RefExpectation::Missing)];
    let done = scene.repository().update_refs(&updates, Duration::from_millis(100)).unwrap();
    assert_eq!(done, RefOutcome::Done);
}

/// TR-06: no merge waits long for a lock of the notes, whatever it waits for other locks.
#[test]
fn a_lock_of_the_notes_is_waited_for_only_shortly() {
    let scene = GitScene::new();
    let lock = scene.repository().common_dir().join(format!("{RECEIPT_NOTES}.lock"));
    fs::create_dir_all(lock.parent().unwrap()).unwrap();
    fs::write(&lock, "").unwrap();
    let updates = [
        update(&run_branch_ref("r1"), Some(&scene.base), RefExpectation::Missing),
        update(RECEIPT_NOTES, Some(&scene.base), RefExpectation::Missing),
    ];
    // Without the limit of the notes, this would take ten minutes.
    let error = scene.repository().update_refs(&updates, Duration::from_secs(600)).unwrap_err();
    let RefError::Locked { lock: named, waited, .. } = &error else { panic!("{error}") };
    assert_eq!(*named, lock);
    assert!(*waited < Duration::from_secs(300), "{waited:?}");
    assert!(lock.exists());
}

/// F12, TR-06: the user's git may fetch notes of other runs, so a lock of the notes that may be held stays, even if a
/// run made the commit in it.
#[test]
fn a_lock_of_the_notes_that_is_held_stays() {
    let scene = GitScene::new();
    let make = "git commit-tree -p HEAD -m a -m 'Afresh-Run: r4' HEAD^{tree}";
    let fetched = scene.user(make).trim().to_owned();
    let lock = scene.repository().common_dir().join(format!("{RECEIPT_NOTES}.lock"));
    fs::create_dir_all(lock.parent().unwrap()).unwrap();
    fs::write(&lock, format!("{fetched}\n")).unwrap();
    let held = fs::File::options().write(true).open(&lock).unwrap();
    let minute_ago = std::time::SystemTime::now() - Duration::from_secs(60);
    held.set_modified(minute_ago).unwrap();
    scene.repository().end_stale_git(Duration::from_secs(60)).unwrap();
    let updates = [update(RECEIPT_NOTES, Some(&scene.base), RefExpectation::Missing)];
    let answer = scene.repository().update_refs(&updates, Duration::from_millis(100));
    assert!(matches!(answer, Err(RefError::Locked { .. })), "{answer:?}");
    assert!(lock.exists());
    drop(held);
}

/// F12, R7: an impatient update does not wait for a lock, not even if the wait has begun; the lock
/// is reported, and stays.
#[test]
fn an_impatient_update_does_not_wait_for_a_lock() {
    let scene = GitScene::new();
    let branch = run_branch_ref("r1");
    let lock = scene.repository().common_dir().join("refs/heads/afresh/r1.lock");
    fs::create_dir_all(lock.parent().unwrap()).unwrap();
    fs::write(&lock, "").unwrap();
    let updates = [update(&branch, Some(&scene.base), RefExpectation::Missing)];
    let forever = Duration::from_secs(3600);
    let expect_locked = || {
        let error = scene.repository().update_refs(&updates, forever).unwrap_err();
        assert!(
            matches!(&error, RefError::Locked { lock: named, .. } if *named == lock),
            "{error}"
        );
    };
    thread::scope(|scope| {
        scope.spawn(|| {
            thread::sleep(Duration::from_millis(300));
            scene.repository().clone().set_lock_waiting(LockWaiting::FailFast);
        });
        expect_locked();
    });
    expect_locked();
    fs::remove_file(&lock).unwrap();
    let moved = scene.repository().update_refs(&updates, forever).unwrap();
    assert_eq!(moved, RefOutcome::Done, "what is not locked moves all the same");
}

/// F12, F13: the user's own locks on index and HEAD do not affect us.
#[test]
fn the_users_index_and_head_locks_do_not_stop_an_attempt() {
    let scene = GitScene::new();
    for lock in ["index.lock", "HEAD.lock"] {
        fs::write(scene.repository().common_dir().join(lock), "").unwrap();
    }
    scene.prepare();
    scene.work("echo two >>a.txt");
    let harvest = scene.harvest();
    assert_eq!(scene.salvaged(), harvest.commit);
    for lock in ["index.lock", "HEAD.lock"] {
        assert!(scene.repository().common_dir().join(lock).exists(), "{lock} was deleted");
    }
}

/// F13: the user commits and checks out other branches; our branch is not affected.
#[test]
fn an_outsider_who_moves_the_branch_is_noticed() {
    let scene = GitScene::new();
    let branch = run_branch_ref("r1");
    let first = [update(&branch, Some(&scene.base), RefExpectation::Missing)];
    assert_eq!(
        scene.repository().update_refs(&first, DEFAULT_LOCK_TIMEOUT).unwrap(),
        RefOutcome::Done
    );
    scene.user(
        "git checkout -q afresh/r1; echo x >x; git add x; git commit -qm x; git checkout -q main",
    );
    let theirs = scene.repository().read_ref(&branch).unwrap().unwrap();
    let two = second_commit(&scene);
    let second = [update(&branch, Some(&two), RefExpectation::Is(scene.base.clone()))];
    assert_eq!(
        scene.repository().update_refs(&second, DEFAULT_LOCK_TIMEOUT).unwrap(),
        RefOutcome::Mismatch { name: branch, now: Some(theirs) }
    );
}

/// R5, B31: the user's hooks do not run.
#[test]
fn the_reference_transaction_hook_does_not_run() {
    let scene = GitScene::new();
    let canary = scene.dir.path().join("canary");
    let script = format!(
        "mkdir -p .git/hooks; for h in reference-transaction post-checkout post-index-change; do \
         printf '#!/bin/sh\\ntouch {}\\n' >.git/hooks/$h; chmod +x .git/hooks/$h; done",
        canary.display()
    );
    scene.user(&script);
    scene.prepare();
    scene.work("echo two >>a.txt");
    scene.harvest();
    let updates = [update(&run_branch_ref("r1"), Some(&scene.base), RefExpectation::Missing)];
    assert_eq!(
        scene.repository().update_refs(&updates, DEFAULT_LOCK_TIMEOUT).unwrap(),
        RefOutcome::Done
    );
    assert!(!canary.exists());
}

/// A repository with reftables works the same.
#[test]
fn refs_in_reftables_move_as_well() {
    let scene = GitScene::new();
    let converted =
        scene.user("git init -q --ref-format=reftable ../t 2>/dev/null && echo yes || true");
    if !converted.contains("yes") {
        return; // This git does not know tables yet.
    }
    let root = scene.root.parent().unwrap().join("t");
    crate::scene::shell(&root, &scene.home(), "git commit -q --allow-empty -m base");
    let repository = afresh_git::Repository::discover(scene.repository().program(), &root).unwrap();
    let base = repository.head().unwrap().unwrap();
    let updates = [update(&run_branch_ref("r1"), Some(&base), RefExpectation::Missing)];
    assert_eq!(repository.update_refs(&updates, DEFAULT_LOCK_TIMEOUT).unwrap(), RefOutcome::Done);
    assert_eq!(repository.read_ref(&run_branch_ref("r1")).unwrap(), Some(base));
    let lock = repository.common_dir().join("reftable/tables.list.lock");
    fs::write(&lock, "").unwrap();
    let updates = [update(&run_branch_ref("r1"), None, RefExpectation::Any)];
    let error = repository.update_refs(&updates, Duration::from_millis(200)).unwrap_err();
    assert!(matches!(error, RefError::Locked { .. }), "{error}");
    assert!(lock.exists());
}
