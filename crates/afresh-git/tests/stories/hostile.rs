//! B31: no program that a worker planted runs while we prepare, harvest and merge.

use std::fs;
use std::path::Path;

use afresh_git::{HarvestError, HarvestRejection, MergeRequest, PrepareTarget};

use crate::scene::{CHECK, GitScene, try_shell};

/// Settings that make git run a program; each of them creates a canary file.
fn evil_config(canary: &Path) -> String {
    let touch = format!("touch {}", canary.display());
    format!(
        "[core]\n\trepositoryformatversion = 0\n\tfsmonitor = \"{touch} ; false\"\n\thooksPath = /\n\
         \tsshCommand = {touch}\n\teditor = {touch}\n\tpager = {touch}\n\tworktree = /\n\
         \talternateRefsCommand = {touch}\n\tattributesFile = {0}.attributes\n\
         [filter \"evil\"]\n\tclean = \"{touch}; cat\"\n\tsmudge = \"{touch}; cat\"\n\
         \tprocess = \"{touch}\"\n\trequired = true\n\
         [diff \"evil\"]\n\ttextconv = {touch}\n\tcommand = {touch}\n\
         [diff]\n\texternal = {touch}\n\
         [merge \"evil\"]\n\tdriver = {touch}\n\
         [submodule]\n\trecurse = true\n[include]\n\tpath = {0}.config\n",
        canary.display()
    )
}

/// B31.
#[test]
fn nothing_that_a_worker_plants_is_run_by_our_git() {
    let attributes = "echo '* filter=evil diff=evil merge=evil' | tee .gitattributes src/.gitattributes >/dev/null";
    // $E holds the settings, $H is an executable hook.
    let plants = [
        "cp $E .git/config",
        "cp $E .git/config; mkdir -p .git/hooks; for h in post-index-change pre-commit post-checkout reference-transaction fsmonitor-watchman; do cp $H .git/hooks/$h; done",
        "rm -rf .git; mkdir -p evil/objects evil/refs; cp $E evil/config; echo 'ref: refs/heads/x' >evil/HEAD; echo 'gitdir: evil' >.git",
        "mkdir -p evil/objects evil/refs; cp $E evil/config; echo 'ref: refs/heads/x' >evil/HEAD; echo ../evil >.git/commondir",
        "rm -rf .git; mkdir -p objects refs; cp $E config; echo 'ref: refs/heads/x' >HEAD",
        "git init -q src; cp $E src/.git/config; git init -q sub; cp $E sub/.git/config",
        "mkdir -p target; git init -q target/dep; cp $E target/dep/.git/config",
        "printf '[submodule \"s\"]\\npath=src\\nurl=x\\nupdate=!touch x\\n' >.gitmodules; git init -q src; cp $E src/.git/config",
        "cp $E .gitconfig; cp $E .git/config.worktree; git config extensions.worktreeConfig true",
        "mkdir -p .git/info; echo '* filter=evil' >.git/info/attributes; cp $E .git/config",
        "cp $E .git/config; echo two >>a.txt; git -c core.fsmonitor= -c filter.evil.required=false -c filter.evil.process= -c filter.evil.clean= -c diff.external= -c core.hooksPath= --work-tree=. commit -qam two",
    ];
    let scene = GitScene::new();
    let canary = scene.dir.path().join("canary");
    let (config, hook) = (scene.dir.path().join("evil.config"), scene.dir.path().join("hook"));
    fs::write(&config, evil_config(&canary)).unwrap();
    fs::write(&hook, format!("#!/bin/sh\ntouch {}\n", canary.display())).unwrap();
    let executable = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    fs::set_permissions(&hook, executable).unwrap();
    let before = scene.user_files();
    for plant in plants {
        scene.prepare();
        let names = format!("E={}; H={};", config.display(), hook.display());
        scene.work(&format!("{names} {plant}; {attributes}; echo changed >>src/main.rs"));
        // Planting may itself have triggered the trap.
        let _ = fs::remove_file(&canary);
        let harvest = scene.try_harvest();
        assert!(!canary.exists(), "harvest ran something after {plant}");
        let harvest = match harvest {
            Err(HarvestError::Rejected { .. }) if plant.contains("update=!") => continue,
            other => other.unwrap(),
        };
        let commit = harvest.commit.unwrap();
        let target = PrepareTarget::Tree { tree: &harvest.tree, head: &commit };
        scene.pool.prepare(CHECK, target, &[]).unwrap();
        let merge = MergeRequest {
            base: &scene.base,
            onto: &commit,
            theirs: &commit,
            theirs_tree: &harvest.tree,
        };
        scene.pool.merge(&merge).unwrap();
        scene.repository().diff(&scene.base, &commit).unwrap();
        scene.prepare();
        assert!(!canary.exists(), "prepare or merge ran something after {plant}");
    }
    assert_eq!(scene.user_files(), before, "R5");
}

/// B31: the traps work: an ordinary git in such a tree does run them.
#[test]
fn the_traps_work_with_an_ordinary_git() {
    let scene = GitScene::new();
    let canary = scene.dir.path().join("canary");
    scene.prepare();
    fs::write(
        scene.tree().join(".git/config"),
        format!(
            "[core]\n\trepositoryformatversion = 0\n\tfsmonitor = \"touch {} ; false\"\n",
            canary.display()
        ),
    )
    .unwrap();
    try_shell(&scene.tree(), &scene.home(), "git status");
    assert!(canary.exists());
}

/// B31: the user's own filters run only in the user's checkout.
#[test]
fn the_users_configured_filters_do_not_run() {
    let scene = GitScene::with("echo '*.txt filter=mine' >.gitattributes; echo one >a.txt");
    let canary = scene.dir.path().join("canary");
    let touch = format!("touch {}; cat", canary.display());
    scene.user(&format!("git config filter.mine.smudge '{touch}'; git config filter.mine.clean '{touch}'; git config core.fsmonitor '{touch}'"));
    let _ = fs::remove_file(&canary);
    scene.prepare();
    scene.work("echo two >>a.txt");
    scene.harvest();
    assert!(!canary.exists());
}

/// B04, R16: git refuses some names and contents, and so do hosts that check what is pushed. Such work is rejected with
/// git's reason, and saved under other names, so that the user's repository stays whole.
#[test]
fn work_that_git_refuses_is_rejected_and_saved_under_other_names() {
    for (script, reason) in [
        ("n=.g$(printf '\\342\\200\\214')it; mkdir $n; echo mine >$n/config", "hasDotgit"),
        ("mkdir -p sub/.git:x; echo mine >sub/.git:x/y", "hasDotgit"),
        ("mkdir GIT~1; echo mine >GIT~1/y", "hasDotgit"),
        ("echo mine >'a\\.git\\x'", "hasDotgit"),
        ("mkdir -p a/.GIT; echo mine >a/.GIT/y", "no index takes this name"),
        ("ln -s mine .gitmodules", "no index takes this name"),
        ("mkdir .gitmodules; echo mine >.gitmodules/y", "gitmodulesBlob"),
        ("mkdir -p d/.gitattributes; echo mine >d/.gitattributes/y", "gitattributesBlob"),
        ("printf '[submodule \"a\"]\\npath=mine\\nurl=-x\\n' >.gitmodules", "gitmodulesUrl"),
        ("{ echo mine; head -c 3000 /dev/zero | tr '\\0' a; } >.gitattributes", "LineLength"),
    ] {
        let scene = GitScene::new();
        scene.prepare();
        scene.lease();
        scene.work(&format!("{script}; echo more >more.txt"));
        let error = scene.try_harvest().unwrap_err();
        let HarvestError::Rejected { rejection, salvaged: Some(saved), .. } = &error else {
            panic!("{script}: {error}")
        };
        let is_named = matches!(
            rejection,
            HarvestRejection::RefusedByGit { reason: found, .. } if found.contains(reason)
        );
        assert!(is_named, "{script}: {error}");
        assert_eq!(scene.user(&format!("git show {saved}:more.txt")).trim(), "more");
        let names = scene.user(&format!("git diff --name-only HEAD {saved}"));
        let name = names.lines().find(|name| name.contains('%')).expect(&names);
        let text = scene.user(&format!("git show '{saved}:{name}'"));
        assert!(text.contains("mine"), "{script}: saved as {name}: {text}");
        scene.user("git fsck --strict --no-dangling");
    }
}

/// B04: files with rules that keep to them are ordinary work, also where the user's history has such files that git
/// would refuse.
#[test]
fn files_that_git_checks_and_accepts_are_ordinary_work() {
    let scene =
        GitScene::with("echo one >a.txt; { head -c 3000 /dev/zero | tr '\\0' a; } >.gitattributes");
    scene.prepare();
    scene.work("echo 'target/' >.gitignore; mkdir .github; echo x >.github/ci.yml; git add -A; git commit -qm one; printf '[submodule \"a\"]\\npath=x\\nurl=./y\\n' >.gitmodules; git add -A; git commit -qm two");
    let harvest = scene.harvest();
    assert_eq!(harvest.changes.len(), 3, "{:?}", harvest.changes);
    assert_eq!(harvest.steps.len(), 2, "{:?}", harvest.notes);
}

/// EX-06: a worker cannot affect the next one through its own clone.
#[test]
fn hooks_and_settings_of_the_last_worker_are_removed() {
    let scene = GitScene::new();
    scene.prepare();
    scene.work("mkdir -p .git/hooks; echo 'exit 1' >.git/hooks/pre-commit; chmod +x .git/hooks/pre-commit; git config core.bare true; git config user.name Eve; echo junk >.git/shallow");
    scene.prepare();
    scene.work("echo two >>a.txt; git commit -qam two");
    assert_eq!(scene.work("git log -1 --format=%an").trim(), "U Q Ser");
}

/// R16, B31: no tree is made of an index that names a missing object, so the user's repository
/// stays intact.
#[test]
fn a_forged_index_damages_nothing() {
    let scene = GitScene::new();
    scene.prepare();
    let bytes_of = |digits: &str| -> Vec<u8> {
        let pairs = digits.as_bytes().chunks(2).map(|two| std::str::from_utf8(two).unwrap());
        pairs.map(|two| u8::from_str_radix(two, 16).unwrap()).collect()
    };
    let id = bytes_of(scene.user("git rev-parse HEAD:a.txt").trim());
    let index = scene.tree().join("../index");
    let mut bytes = fs::read(&index).unwrap();
    let at = bytes.windows(20).position(|window| window == id).unwrap();
    bytes[at..at + 20].fill(0x11);
    bytes.truncate(bytes.len() - 20);
    fs::write(&index, &bytes).unwrap();
    // With a correct checksum, so that only the object is wrong.
    bytes.extend(bytes_of(&scene.work("sha1sum <../index")[..40]));
    fs::write(&index, &bytes).unwrap();
    // Git checks again all files that are not older than the index.
    let later = std::time::SystemTime::now() + std::time::Duration::from_secs(60);
    fs::File::options().write(true).open(&index).unwrap().set_modified(later).unwrap();
    scene.work("echo y >y");
    let error = scene.try_harvest().unwrap_err().to_string();
    assert!(error.contains("cannot read the work in"), "{error}");
    assert_eq!(scene.salvaged(), None);
    scene.user("git fsck --strict --no-dangling");
}

/// B03, R7: pipes and links in a worker's own `.git` neither block a harvest nor lead it elsewhere.
#[test]
fn pipes_and_links_in_a_workers_git_block_nothing() {
    let scene = GitScene::new();
    let elsewhere = scene.home().join("elsewhere");
    fs::create_dir_all(&elsewhere).unwrap();
    let away = elsewhere.display();
    for script in [
        "rm .git/objects/info/alternates; mkfifo .git/objects/info/alternates".to_owned(),
        "rm .git/HEAD; mkfifo .git/HEAD".to_owned(),
        "git update-ref -d HEAD; rm -f .git/packed-refs; mkfifo .git/packed-refs".to_owned(),
        format!("mv .git/objects/info '{away}/info'; ln -s '{away}/info' .git/objects/info"),
        format!(
            "rm .git/objects/info/alternates; ln -s /dev/zero .git/objects/info/alternates; ls '{away}'"
        ),
        "ln -s /dev/zero .gitignore2; mkfifo pipe; ln -s pipe to-pipe".to_owned(),
    ] {
        scene.prepare();
        scene.lease();
        scene
            .work(&format!("echo work >work.txt; git add work.txt; git commit -qm work; {script}"));
        let harvest = scene.harvest();
        assert!(harvest.changes.iter().any(|change| change.path == "work.txt"), "{script}");
        let _ = fs::remove_dir_all(elsewhere.join("info"));
    }
}
