//! Preparing: making a workspace equal to a commit.

use std::fs;
use std::os::unix::fs::symlink;

use afresh_core::ids::{CommitId, WorkspaceSlot};
use afresh_git::{PrepareError, PrepareTarget, WorkspaceId};

use crate::scene::{CHECK, GitScene, WORK, checkout, owned, shell, snapshot};

/// What the user's git would check out.
fn expected(scene: &GitScene, commit: &str) -> std::collections::BTreeMap<String, String> {
    let dir = tempfile::tempdir().unwrap();
    let at = dir.path().display();
    scene.user(&format!(
        "mkdir {at}/t; GIT_INDEX_FILE={at}/i git --work-tree={at}/t read-tree --reset -u {commit}"
    ));
    checkout(&dir.path().join("t"))
}

#[test]
fn a_new_workspace_equals_the_commit_and_git_works_in_it() {
    let scene = GitScene::new();
    let before = scene.user_files();
    scene.prepare();
    assert_eq!(checkout(&scene.tree()), expected(&scene, scene.base.as_str()));
    assert_eq!(scene.work("git status --porcelain"), "");
    assert_eq!(scene.work("git rev-parse HEAD").trim(), scene.base.as_str());
    assert_eq!(scene.work("git remote; git branch --list"), "* (no branch)\n");
    scene.work("echo two >>a.txt; git commit -qam two; git log --oneline | grep -q base");
    assert_eq!(scene.work("git log -1 --format='%an <%ae>'").trim(), "U Q Ser <u@ser.example>");
    assert_eq!(scene.user_files(), before, "R5");
}

/// EX-06: whatever an attempt leaves, the next one finds nothing of it.
#[test]
fn preparing_removes_everything_of_the_last_attempt() {
    let mischief = [
        "echo two >>a.txt; echo new >new; mkdir d; echo x >d/x",
        "rm -rf src a.txt .gitignore",
        "rm -rf .git",
        "rm -rf .git; echo 'gitdir: /nowhere' >.git",
        "rm -rf .git; ln -s / .git",
        "git init -q nested; echo x >nested/x; git init -q src/deep; git init -q src",
        "echo x >ignored.log; mkdir target; echo x >target/x",
        "rm a.txt; mkdir a.txt; echo x >a.txt/x",
        "rm -rf src; echo file >src",
        "mkfifo pipe src/pipe; rm .gitignore; mkfifo .gitignore; mkfifo .gitattributes",
        "rm link; ln -s run.sh link; chmod -x run.sh; chmod 0600 a.txt",
        "chmod 000 a.txt; mkdir ro; echo x >ro/x; chmod 555 ro src; chmod 555 .",
        "mkdir -p closed/in; chmod 000 closed/in closed",
        "git rm -q --cached a.txt; git update-index --assume-unchanged run.sh; echo y >run.sh",
        "git checkout -q --orphan other; git commit -qm other",
        "printf 'two\\n' >a.txt; touch -d '2001-01-01' a.txt",
        "echo '* filter=evil text eol=crlf' >.gitattributes",
        "echo '*' >.gitignore; echo x >src/hidden",
    ];
    let scene = GitScene::new();
    scene.prepare();
    let clean = snapshot(&scene.tree());
    for script in mischief {
        scene.work(script);
        scene.prepare();
        let mut now = snapshot(&scene.tree());
        // The copied index records file times, and those files were written again.
        now.insert(".git/index".into(), clean[".git/index"].clone());
        assert_eq!(now, clean, "after {script}");
        assert_eq!(scene.work("git status --porcelain"), "", "after {script}");
    }
}

/// EX-06: a change of the same size with its old time restored is still undone.
#[test]
fn a_change_that_hides_its_time_is_undone_and_harvested() {
    let scene = GitScene::new();
    for round in 0..20 {
        scene.prepare();
        scene.work("touch -r a.txt stamp; printf 'two\\n' >a.txt; touch -r stamp a.txt; rm stamp");
        if round % 2 == 0 {
            let harvest = scene.harvest();
            assert_eq!(scene.show(&harvest.commit.unwrap(), "a.txt").as_deref(), Some("two\n"));
        }
    }
    scene.prepare();
    assert_eq!(fs::read_to_string(scene.tree().join("a.txt")).unwrap(), "one\n");
}

/// EX-06: the same within one second of the clock, harvested later: git must notice that it has to
/// check.
#[test]
fn a_change_in_the_second_of_the_checkout_is_harvested_later() {
    let scene = GitScene::new();
    scene.prepare();
    // Any moment would do; the beginning of a second makes a failure certain.
    while std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .unwrap()
        .subsec_millis()
        > 300
    {
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    scene.work("echo x >a.txt");
    scene.prepare();
    scene.work("touch -r a.txt ../stamp; printf 'two\\n' >a.txt; touch -r ../stamp a.txt");
    std::thread::sleep(std::time::Duration::from_millis(1100));
    let harvest = scene.harvest();
    assert_eq!(harvest.changes.len(), 1);
}

#[test]
fn a_workspace_can_go_from_any_commit_to_any_other() {
    let scene = GitScene::new();
    scene.user(
        "rm -rf src a.txt; mkdir a.txt; echo x >a.txt/y; echo f >src; rm link; echo l >link; \
         printf '*.tmp\\n' >.gitignore; git add -A; git commit -qm turned",
    );
    let turned = scene.repository().head().unwrap().unwrap();
    for commit in [&scene.base, &turned, &scene.base, &turned] {
        scene.pool.prepare(WORK, PrepareTarget::Commit(commit), &[]).unwrap();
        assert_eq!(checkout(&scene.tree()), expected(&scene, commit.as_str()));
        scene.work("echo x >left; rm -f link; git status --porcelain | grep -q left");
    }
}

#[test]
fn kept_paths_stay_unless_they_were_turned_into_symlinks() {
    let scene = GitScene::new();
    scene.prepare_keeping(&["target/"]);
    scene.work("mkdir -p target/debug src/target; echo warm >target/debug/x; echo w >src/target/y");
    scene.work("mkdir -p target/git/.git; echo mine >target/git/.git/HEAD; echo x >other");
    scene.prepare_keeping(&["target/"]);
    let read = |path: &str| fs::read_to_string(scene.tree().join(path)).ok();
    assert_eq!(read("target/debug/x").as_deref(), Some("warm\n"));
    assert_eq!(read("src/target/y").as_deref(), Some("w\n"));
    assert_eq!(read("target/git/.git/HEAD").as_deref(), Some("mine\n"), "a cache is left whole");
    assert_eq!(read("other"), None);
    let outside = scene.dir.path().join("outside");
    fs::create_dir(&outside).unwrap();
    scene.work(&format!("rm -rf target; ln -s {} target", outside.display()));
    scene.prepare_keeping(&["target/", "target"]);
    assert!(scene.tree().join("target").symlink_metadata().is_err());
    scene.prepare();
    assert_eq!(read("src/target/y"), None);
}

/// Symlinks to the outside are removed, and their targets are not changed.
#[test]
fn preparing_changes_nothing_outside_the_workspace() {
    let scene = GitScene::new();
    let outside = scene.dir.path().join("outside");
    fs::create_dir_all(outside.join("src")).unwrap();
    fs::write(outside.join("src/main.rs"), "precious").unwrap();
    fs::write(outside.join("file"), "precious").unwrap();
    let before = snapshot(&outside);
    let out = outside.display();
    for script in [
        format!("rm -rf src; ln -s {out}/src src"),
        format!("rm a.txt; ln -s {out}/file a.txt; ln -s {out} new"),
        format!("rm a.txt; ln {out}/file a.txt"),
        format!("rm -rf .git; ln -s {out} .git"),
        format!("rm -rf .git; mkdir .git; ln -s {out} .git/objects; ln -s {out}/file .git/index"),
    ] {
        scene.prepare();
        scene.work(&script);
        let _ = scene.try_harvest();
        assert_eq!(snapshot(&outside), before, "harvest after {script}");
        scene.prepare();
        assert_eq!(snapshot(&outside), before, "prepare after {script}");
    }
    // A directory that was moved away and linked back keeps the times that git relies on.
    let moved = scene.dir.path().join("moved");
    scene.work(&format!("mv src {m}; ln -s {m} src", m = moved.display()));
    scene.prepare();
    assert!(scene.tree().join("src").symlink_metadata().unwrap().is_dir());
    assert!(scene.tree().join("src/main.rs").is_file());
    assert!(moved.join("main.rs").is_file());
}

/// F14: a workspace that the user deleted, replaced or damaged is made again.
#[test]
fn a_missing_or_damaged_workspace_is_made_again() {
    let scene = GitScene::new();
    scene.prepare();
    let clean = checkout(&scene.tree());
    let slot = scene.tree().parent().unwrap().to_owned();
    let pool = scene.pool.directory().to_owned();
    let elsewhere = scene.dir.path().join("elsewhere");
    fs::create_dir(&elsewhere).unwrap();
    fs::write(elsewhere.join("precious"), "x").unwrap();
    let at = slot.display();
    let damage = [
        format!("rm -rf '{at}'"),
        format!("rm -rf '{at}/tree'"),
        format!("rm -rf '{at}/tree'; ln -s '{}' '{at}/tree'", elsewhere.display()),
        format!("rm -rf '{at}'; ln -s '{}' '{at}'", elsewhere.display()),
        format!("rm -rf '{at}/tree'; echo file >'{at}/tree'"),
        format!("echo garbage >'{at}/index'"),
        format!(": >'{at}/index'"),
        format!("rm '{at}/index'"),
        format!("rm '{at}/index'; ln -s /etc/passwd '{at}/index'"),
        format!("head -c 100 '{at}/index' >'{at}/i'; mv '{at}/i' '{at}/index'"),
        format!("dd if=/dev/zero of='{at}/index' bs=1 seek=80 count=9 conv=notrunc 2>/dev/null"),
        format!(": >'{at}/index.lock'; mkdir -p '{at}/aside/0'; : >'{at}/harvest.index.lock'"),
        format!("rm -rf '{}'", pool.display()),
        format!("rm '{}/shadow.git/config'", pool.display()),
    ];
    for script in damage {
        scene.user(&script);
        scene.prepare();
        assert_eq!(checkout(&scene.tree()), clean, "after {script}");
        assert_eq!(scene.work("git status --porcelain"), "", "after {script}");
        scene.work("echo two >>a.txt");
        assert_eq!(scene.harvest().changes.len(), 1, "after {script}");
    }
    assert_eq!(snapshot(&elsewhere).len(), 1);
}

#[test]
fn a_missing_commit_is_reported_and_caches_stay() {
    let scene = GitScene::new();
    scene.prepare_keeping(&["target/"]);
    scene.work("mkdir target; echo warm >target/x");
    let unknown = CommitId::new("1".repeat(40)).unwrap();
    let keep = owned(&["target/"]);
    let error = scene.pool.prepare(WORK, PrepareTarget::Commit(&unknown), &keep).unwrap_err();
    assert!(matches!(error, PrepareError::MissingObject { .. }), "{error}");
    assert!(scene.tree().join("target/x").exists());
}

/// R4 relies on this: a check sees exactly the tree, and git in it compares with the base.
#[test]
fn a_check_workspace_can_hold_a_tree_without_a_commit() {
    let scene = GitScene::new();
    scene.prepare();
    scene.work("echo two >>a.txt; echo n >new");
    let tree = scene.harvest().tree;
    let target = PrepareTarget::Tree { tree: &tree, head: &scene.base };
    scene.pool.prepare(CHECK, target, &[]).unwrap();
    let at = scene.pool.tree(CHECK);
    assert_eq!(checkout(&at), checkout(&scene.tree()));
    let status = shell(&at, &scene.home(), "git diff --exit-code; git diff --cached --name-only");
    assert_eq!(status, "a.txt\nnew\n");
}

#[test]
fn a_tree_deeper_than_the_longest_path_is_removed() {
    let scene = GitScene::new();
    scene.prepare();
    // 300 directories with names of 200 characters: 60,000 characters in all.
    scene.work(
        "n=$(printf 'd%.0s' $(seq 200)); i=0; while [ $i -lt 300 ]; do mkdir $n; cd -P ./$n || break; \
         i=$((i+1)); done; : >leaf",
    );
    let harvest = scene.harvest();
    assert!(harvest.notes.iter().any(|note| note.contains("too deep")), "{:?}", harvest.notes);
    scene.prepare();
    assert_eq!(checkout(&scene.tree()), expected(&scene, scene.base.as_str()));
}

#[test]
fn workspaces_are_prepared_and_harvested_in_parallel() {
    let scene = GitScene::new();
    std::thread::scope(|scope| {
        for slot in 1..=4 {
            let scene = &scene;
            scope.spawn(move || {
                let workspace = WorkspaceId::Work(WorkspaceSlot(slot));
                for _ in 0..5 {
                    scene.pool.prepare(workspace, PrepareTarget::Commit(&scene.base), &[]).unwrap();
                    let tree = scene.pool.tree(workspace);
                    fs::write(tree.join("a.txt"), format!("by {slot}")).unwrap();
                    let name = format!("refs/afresh/salvage/run/T{slot}.1");
                    let request =
                        afresh_git::HarvestRequest { salvage: &name, ..scene.request(&[]) };
                    let harvest = scene.pool.harvest(workspace, &request).unwrap();
                    let text = scene.show(&harvest.commit.unwrap(), "a.txt");
                    assert_eq!(text, Some(format!("by {slot}")));
                }
            });
        }
    });
}

#[test]
fn a_sha256_repository_works_the_same() {
    let scene = GitScene::with_format("echo one >a.txt; ln -s a.txt l", "sha256");
    scene.prepare();
    assert_eq!(scene.work("git status --porcelain"), "");
    scene.work("echo two >>a.txt; git commit -qam two; echo x >x; echo three >>a.txt");
    let harvest = scene.harvest();
    assert_eq!((harvest.changes.len(), harvest.steps.len()), (2, 2), "{:?}", harvest.notes);
    scene.prepare();
    assert_eq!(checkout(&scene.tree()), expected(&scene, scene.base.as_str()));
}

#[test]
fn a_discarded_workspace_can_be_prepared_again() {
    let scene = GitScene::new();
    scene.prepare();
    scene.work("mkdir -p a/b; chmod 000 a");
    scene.pool.discard(WORK).unwrap();
    assert!(!scene.tree().parent().unwrap().exists());
    scene.pool.discard(WORK).unwrap();
    symlink(scene.dir.path(), scene.tree().parent().unwrap()).unwrap();
    scene.pool.discard(WORK).unwrap();
    assert!(scene.root.exists());
    scene.prepare();
}
