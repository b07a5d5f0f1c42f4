//! Snapshots: a commit of what a worker has so far, while it continues.

use std::fs;
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};
use std::thread;

use afresh_git::ref_names::{salvage_ref, step_ref};
use afresh_git::{
    CommandError, EntryMode, GitEnv, GitProgram, HarvestError, HarvestRejection, PoolError,
    Repository, SnapshotRequest, WorkspacePool,
};

use crate::scene::{GitScene, WORK, snapshot, variables, write_script};

fn paths(harvest: &afresh_git::WorkspaceHarvest) -> Vec<&str> {
    harvest.changes.iter().map(|change| change.path.as_str()).collect()
}

/// The same pool with a git that runs `trick` before it stages for a snapshot.
fn with_trick(scene: &GitScene, trick: &str) -> WorkspacePool {
    let bin = scene.dir.path().join("bin");
    fs::create_dir_all(&bin).unwrap();
    let git = scene.repository().program().path().display().to_string();
    let script = format!(
        "#!/bin/sh\ncase \"$GIT_INDEX_FILE $*\" in *snapshot.index*' add '*) {trick};; esac\n\
         exec {git} \"$@\"\n"
    );
    write_script(&bin.join("git"), &script);
    let mut vars = variables(&scene.home());
    let mut path = bin.into_os_string();
    path.push(":");
    path.push(&vars[0].1);
    vars[0].1 = path;
    let program = GitProgram::find(GitEnv::from_vars(vars)).unwrap();
    let repository = Repository::discover(&program, &scene.root).unwrap();
    WorkspacePool::open(repository, &scene.dir.path().join("cache")).unwrap()
}

/// EX-04, R16: the step is one commit on top of the last one, and is saved when the call returns.
#[test]
fn a_finished_step_is_one_commit_under_its_own_ref() {
    let scene = GitScene::new();
    let before = scene.user_files();
    scene.prepare();
    scene.lease();
    scene.work("echo two >>a.txt; git commit -qam mine; echo x >x; echo y >y.log");
    let first = scene.snapshot(&scene.base, 1);
    assert_eq!(paths(&first), ["a.txt", "x"]);
    let one = first.commit.clone().unwrap();
    assert_eq!(first.steps, std::slice::from_ref(&one));
    assert_eq!(scene.step(1), Some(one.clone()));
    let output = scene.user(&format!("git log -1 --format='%P|%an|%at|%s' {one}"));
    assert_eq!(output.trim(), format!("{}|Ann|1700000000|feat(T1): a step", scene.base));
    scene.work("echo z >z");
    let second = scene.snapshot(&one, 2);
    assert_eq!(paths(&second), ["a.txt", "x", "z"], "measured from the base");
    let two = second.commit.unwrap();
    assert_eq!(scene.repository().diff_names(&one, &two).unwrap(), ["z"]);
    assert_eq!((scene.step(1), scene.step(2)), (Some(one), Some(two)));
    assert_eq!(scene.salvaged(), None, "the attempt's own work is still to be harvested");
    assert_eq!(scene.user_files(), before, "R5");
}

#[test]
fn a_step_that_changed_nothing_makes_no_commit() {
    let scene = GitScene::new();
    scene.prepare();
    scene.lease();
    let nothing = scene.snapshot(&scene.base, 1);
    assert_eq!((nothing.commit, nothing.steps.len(), scene.step(1)), (None, 0, None));
    scene.work("echo x >x");
    let one = scene.snapshot(&scene.base, 1).commit.unwrap();
    let same = scene.snapshot(&one, 2);
    assert_eq!((same.commit.as_ref(), same.steps.len()), (Some(&one), 0));
    assert_eq!(paths(&same), ["x"]);
    assert_eq!(scene.step(2), Some(one), "what is answered is kept under the name that was given");
}

/// The worker's files are not changed, and what git cannot read is left out.
#[test]
fn a_snapshot_changes_nothing_in_the_checkout() {
    let scene = GitScene::new();
    scene.prepare();
    scene.lease();
    scene.work(
        "git init -q n; cd n; echo x >x; git add x; git commit -qm x; cd ..; \
         git init -q empty; mkdir w; echo 'gitdir: ../.git' >w/.git; echo y >w/y; \
         mkfifo pipe; rm a.txt; mkfifo a.txt; echo r >r; chmod 000 r; mkdir c; echo in >c/in; \
         chmod 555 c; echo 'n.log' >>.gitignore; echo l >n.log; echo last >z; \
         git add z; git commit -qm mine",
    );
    let slot = scene.tree().parent().unwrap().to_owned();
    let before = snapshot(&slot);
    let files = [String::from("n.log"), String::from("n"), String::from("pipe")];
    let name = step_ref("run", "T1.1", 1);
    let request = SnapshotRequest { files: &files, ..scene.snapshot_request(&scene.base, &name) };
    let taken = scene.pool.snapshot(WORK, &request).unwrap();
    let mut after = snapshot(&slot);
    after.retain(|path, _| !path.starts_with("snapshot."));
    assert_eq!(after, before);
    let changed = paths(&taken);
    assert!(
        changed.contains(&"z") && changed.contains(&"c/in") && changed.contains(&"n.log"),
        "{changed:?}"
    );
    assert!(
        !changed.iter().any(|path| path.starts_with("n/") || path.starts_with("w/")),
        "{changed:?}"
    );
    assert!(!changed.contains(&"a.txt"), "a pipe in a file's place is left out: {changed:?}");
    assert!(taken.changes.iter().all(|change| change.new_mode != EntryMode::Gitlink));
    for left_out in ["n", "w", "empty", "pipe", "a.txt"] {
        let note = format!("{left_out} was left out");
        assert!(taken.notes.iter().any(|text| text.starts_with(&note)), "{:?}", taken.notes);
    }
    scene.work("git fsck --no-dangling");
}

/// R16: a snapshot is not the harvest; what comes after it is saved as well.
#[test]
fn a_workspace_still_counts_as_unsaved_after_a_snapshot() {
    let scene = GitScene::new();
    scene.prepare();
    scene.lease();
    scene.work("echo x >x");
    scene.snapshot(&scene.base, 1);
    scene.work("echo later >later");
    scene.prepare();
    let saved = scene.salvaged().expect("saved before the slot was emptied");
    assert_eq!(scene.show(&saved, "later").as_deref(), Some("later\n"));
}

/// R2: a late request of an attempt that has lost its lease gets nothing of the next one's work.
#[test]
fn a_snapshot_is_taken_only_for_the_holder_of_the_lease() {
    let scene = GitScene::new();
    scene.prepare();
    let late = |scene: &GitScene| {
        let name = step_ref("run", "T1.1", 1);
        let error = scene.pool.snapshot(WORK, &scene.snapshot_request(&scene.base, &name));
        assert!(matches!(error, Err(HarvestError::Foreign { .. })), "{error:?}");
        assert_eq!(scene.step(1), None);
    };
    late(&scene);
    scene.pool.acquire_lease(WORK, &salvage_ref("run", "T2.1")).unwrap().mark_unsaved(&[]).unwrap();
    scene.work("echo other >other");
    late(&scene);
}

/// Git would block on a pipe in the place of a file that it reads its rules from.
#[test]
fn a_pipe_that_git_would_read_rejects_the_snapshot() {
    let scene = GitScene::new();
    for name in ["src/.gitignore", ".gitattributes"] {
        scene.prepare();
        scene.lease();
        scene.work(&format!("mkfifo {name}"));
        let kept = step_ref("run", "T1.1", 1);
        let error = scene.pool.snapshot(WORK, &scene.snapshot_request(&scene.base, &kept));
        let Err(HarvestError::Rejected { rejection, salvaged, .. }) = error else {
            panic!("{error:?}")
        };
        assert_eq!(rejection, HarvestRejection::Endless { path: name.to_owned() });
        assert_eq!(salvaged, None);
        scene.work(&format!("rm {name}"));
    }
}

/// A repository that appears after the scan is found by the retry.
#[test]
fn files_that_change_meanwhile_are_read_again() {
    let scene = GitScene::new();
    let once = scene.dir.path().join("once");
    for appears in ["git init -q n", "git init -q n; cd n; git commit -q --allow-empty -m n"] {
        let _ = fs::remove_file(&once);
        let environment = "env -u GIT_DIR -u GIT_WORK_TREE -u GIT_INDEX_FILE \
                           -u GIT_OBJECT_DIRECTORY GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a \
                           GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a";
        let once = once.display();
        let trick =
            format!("[ -e '{once}' ] || {{ : >'{once}'; {environment} sh -ec '{appears}'; }}");
        let pool = with_trick(&scene, &trick);
        scene.prepare();
        scene.lease();
        scene.work("echo x >x");
        let name = step_ref("run", "T1.1", 1);
        let taken = pool.snapshot(WORK, &scene.snapshot_request(&scene.base, &name)).unwrap();
        assert_eq!(paths(&taken), ["x"]);
        assert_eq!(taken.notes, ["n was left out because it is a nested repository"]);
    }
}

/// A worker that writes and removes files all the time does not make snapshots fail.
#[test]
fn snapshots_of_a_busy_checkout_succeed() {
    let scene = GitScene::new();
    scene.prepare();
    scene.lease();
    let busy = "while :; do mkdir -p d; echo $$ >d/a; echo $$ >d/b; mv d/a c; rm -rf d c; done";
    let mut command = Command::new("/bin/sh");
    command.args(["-c", busy]).current_dir(scene.tree()).process_group(0);
    let mut worker = command.stdin(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    scene.work("echo steady >steady");
    let name = step_ref("run", "T1.1", 1);
    let taken: Vec<_> = (0..20)
        .map(|_| scene.pool.snapshot(WORK, &scene.snapshot_request(&scene.base, &name)))
        .collect();
    worker.kill().unwrap();
    worker.wait().unwrap();
    for one in taken {
        let one = one.unwrap();
        assert_eq!(scene.show(&one.commit.unwrap(), "steady").as_deref(), Some("steady\n"));
    }
}

/// R7: a snapshot that hangs blocks neither a harvest nor a preparation.
#[test]
fn a_hanging_snapshot_is_preempted_by_a_harvest() {
    let scene = GitScene::new();
    let started = scene.dir.path().join("started");
    let trick = format!(": >'{}'; exec sleep 1000", started.display());
    let pool = with_trick(&scene, &trick);
    scene.prepare();
    scene.lease();
    scene.work("echo x >x");
    thread::scope(|scope| {
        let name = step_ref("run", "T1.1", 1);
        let stuck = scope.spawn({
            let (scene, pool) = (&scene, &pool);
            move || pool.snapshot(WORK, &scene.snapshot_request(&scene.base, &name))
        });
        while !started.exists() {
            thread::yield_now();
        }
        let harvest = pool.harvest(WORK, &scene.request(&[])).unwrap();
        assert_eq!(paths(&harvest), ["x"]);
        let ended = stuck.join().unwrap();
        let gave_way = matches!(
            &ended,
            Err(HarvestError::Pool { source: PoolError::Git(CommandError::Preempted { .. }), .. })
        );
        assert!(gave_way, "{ended:?}");
    });
    assert_eq!(scene.step(1), None);
}
