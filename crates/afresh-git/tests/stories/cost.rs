//! How many git processes, and how much time, one attempt costs.

use std::fs;
use std::time::Instant;

use afresh_git::{GitEnv, GitProgram, PrepareTarget, Repository, WorkspacePool};

use crate::scene::{GitScene, WORK, owned, variables, write_script};

const HUNDRED_FILES: &str = "for d in 0 1 2 3 4 5 6 7 8 9; do mkdir d$d; for f in 0 1 2 3 4 5 6 7 8 9; do \
                             echo $d$f >d$d/f$f; done; done; echo '*.log' >.gitignore";

/// A change of two files is prepared and harvested with four git processes, and one that keeps
/// running.
#[test]
fn an_attempt_takes_few_git_processes() {
    let scene = GitScene::with(HUNDRED_FILES);
    let bin = scene.dir.path().join("bin");
    let count = scene.dir.path().join("count");
    fs::create_dir(&bin).unwrap();
    let git = scene.repository().program().path().display().to_string();
    let script = format!("#!/bin/sh\necho \"$@\" >>{}\nexec {git} \"$@\"\n", count.display());
    write_script(&bin.join("git"), &script);
    let mut vars = variables(&scene.home());
    vars[0].1 = bin.into();
    let program = GitProgram::find(GitEnv::from_vars(vars)).unwrap();
    let repository = Repository::discover(&program, &scene.root).unwrap();
    let pool = WorkspacePool::open(repository, &scene.dir.path().join("cache")).unwrap();
    let files = owned(&["d1/f1", "d2/new"]);
    for _ in 0..2 {
        fs::write(&count, "").unwrap();
        pool.prepare(WORK, PrepareTarget::Commit(&scene.base), &[]).unwrap();
        fs::write(pool.tree(WORK).join("d1/f1"), "changed").unwrap();
        fs::write(pool.tree(WORK).join("d2/new"), "new").unwrap();
        let harvest = pool.harvest(WORK, &scene.request(&files)).unwrap();
        assert_eq!(harvest.changes.len(), 2);
        let calls = fs::read_to_string(&count).unwrap();
        assert!(calls.lines().count() <= 5, "{} calls:\n{calls}", calls.lines().count());
    }
}

/// `cargo test --release -- --ignored --nocapture cost` prints the times of this machine.
#[test]
#[ignore = "a measurement, not a fact"]
fn cost_of_prepare_and_harvest() {
    use nix::sys::resource::{UsageWho, getrusage};
    let scene = GitScene::with(HUNDRED_FILES);
    scene.prepare();
    let cpu = || {
        let mut total = 0;
        for usage_of in [UsageWho::RUSAGE_CHILDREN, UsageWho::RUSAGE_SELF] {
            let used = getrusage(usage_of).unwrap();
            for time in [used.user_time(), used.system_time()] {
                total += time.tv_sec() * 1_000_000 + time.tv_usec();
            }
        }
        total
    };
    let rounds: u128 = 100;
    let (started, before) = (Instant::now(), cpu());
    for round in 0..rounds {
        scene.prepare();
        fs::write(scene.tree().join("d1/f1"), format!("changed {round}")).unwrap();
        scene.harvest();
    }
    let wall = started.elapsed().as_micros() / rounds;
    println!("per attempt: {wall} µs wall, {} µs CPU", (cpu() - before) / 100);
}
