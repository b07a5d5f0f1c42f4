//! Git processes that outlive the driver which started them (R6).
#![cfg(target_os = "linux")]

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use crate::scene::{GitScene, variables, write_script};

/// Runs a script in the background, marked as one of our git processes; its parent exits at once.
fn leave_behind(scene: &GitScene, mark: &OsStr, script: &str) {
    let mut command = Command::new("/bin/sh");
    command.args(["-c", &format!("({script}) >/dev/null 2>&1 &")]);
    command.env_clear().envs(variables(&scene.home())).env("AFRESH_GIT", mark);
    assert!(command.status().unwrap().success());
}

fn await_file(path: &Path) {
    for _ in 0..3000 {
        if path.exists() {
            return;
        }
        thread::sleep(Duration::from_millis(20));
    }
    panic!("{} never came", path.display());
}

fn in_scene(scene: &GitScene, name: &str) -> PathBuf {
    scene.dir.path().join(name)
}

/// R6: a git process that is still running is waited for.
#[test]
fn git_processes_of_a_killed_driver_are_waited_for() {
    let scene = GitScene::new();
    let (up, done) = (in_scene(&scene, "up"), in_scene(&scene, "done"));
    let script = format!(": >{}; sleep 1; : >{}", up.display(), done.display());
    leave_behind(&scene, scene.repository().common_dir().as_os_str(), &script);
    await_file(&up);
    scene.repository().end_stale_git(Duration::from_secs(120)).unwrap();
    assert!(done.exists(), "it was not let finish");
}

/// R6, F12: one that does not exit is killed; its lock below our refs is removed, and no other.
#[test]
fn a_stale_git_process_is_killed_and_its_lock_removed() {
    let scene = GitScene::new();
    let git = scene.repository().common_dir().to_owned();
    let users = git.join("refs/heads/main.lock");
    fs::write(&users, "").unwrap();
    fs::create_dir_all(git.join("refs/afresh/salvage/r")).unwrap();
    let ours = git.join("refs/afresh/salvage/r/T.1.lock");
    let (up, alive) = (in_scene(&scene, "up"), in_scene(&scene, "alive"));
    let script = format!(
        "trap '' TERM; cd '{}'; : >refs/afresh/salvage/r/T.1.lock; : >'{}'\n\
         while :; do : >'{}'; sleep 0.02; done",
        git.display(),
        up.display(),
        alive.display()
    );
    leave_behind(&scene, git.as_os_str(), &script);
    await_file(&up);
    scene.repository().end_stale_git(Duration::from_millis(200)).unwrap();
    let _ = fs::remove_file(&alive);
    thread::sleep(Duration::from_millis(300));
    assert!(!alive.exists(), "it lives on");
    assert!(!ours.exists(), "its lock is left");
    assert!(users.exists(), "the user's lock was removed");
}

fn stranger(mark: &OsStr) -> Child {
    Command::new("sleep").arg("600").env("AFRESH_GIT", mark).stdin(Stdio::null()).spawn().unwrap()
}

/// Neither our own children nor those of another repository are killed or waited for.
#[test]
fn unrelated_git_processes_are_left_alone() {
    let scene = GitScene::new();
    let git = scene.repository().common_dir().to_owned();
    let mut children = [stranger(git.as_os_str())];
    let up = in_scene(&scene, "up");
    let gate = in_scene(&scene, "gate");
    let script = format!(
        ": >'{}'; n=0; while [ ! -e '{}' ] && [ $n -lt 3000 ]; do n=$((n+1)); sleep 0.02; done; \
         : >'{}.seen'",
        up.display(),
        gate.display(),
        gate.display()
    );
    leave_behind(&scene, git.join("modules/x").as_os_str(), &script);
    await_file(&up);
    scene.repository().end_stale_git(Duration::ZERO).unwrap();
    assert!(children[0].try_wait().unwrap().is_none(), "our own child was ended");
    fs::write(&gate, "").unwrap();
    await_file(&in_scene(&scene, "gate.seen"));
    for child in &mut children {
        child.kill().unwrap();
        child.wait().unwrap();
    }
}

/// R6: every git process that writes workspaces or refs carries the mark.
#[test]
fn our_git_processes_are_marked() {
    let mut scene = GitScene::new();
    let (bin, record) = (in_scene(&scene, "bin"), in_scene(&scene, "seen"));
    fs::create_dir(&bin).unwrap();
    let path = std::env::var("PATH").unwrap();
    write_script(
        &bin.join("git"),
        &format!(
            "#!/bin/sh\nPATH='{path}'\n\
             for word in \"$@\"; do case \"$word\" in\n\
             read-tree|add|update-index|write-tree|commit-tree|update-ref|merge-tree|hash-object)\n\
             echo \"$word $AFRESH_GIT\" >>'{}';; esac; done\nexec git \"$@\"\n",
            record.display()
        ),
    );
    let mut vars = variables(&scene.home());
    vars[0].1 = format!("{}:{path}", bin.display()).into();
    let program = afresh_git::GitProgram::find(afresh_git::GitEnv::from_vars(vars)).unwrap();
    let repository = afresh_git::Repository::discover(&program, &scene.root).unwrap();
    let git = repository.common_dir().to_owned();
    scene.pool = afresh_git::WorkspacePool::open(repository, &in_scene(&scene, "cache")).unwrap();
    scene.prepare();
    scene.work("echo two >>a.txt; git commit -qam step; echo y >y");
    scene.harvest();
    let recorded = fs::read_to_string(record).unwrap();
    for verb in ["read-tree", "add", "write-tree", "update-ref"] {
        assert!(recorded.lines().any(|line| line.starts_with(verb)), "no {verb} in {recorded}");
    }
    for line in recorded.lines() {
        assert!(line.ends_with(&format!(" {}", git.display())), "{line}");
    }
}
