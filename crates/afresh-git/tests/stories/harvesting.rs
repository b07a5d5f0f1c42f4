//! Harvest: turning what a worker left into a tree and commits.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;

use afresh_core::harvest::ChangeKind;
use afresh_git::ref_names::salvage_ref;
use afresh_git::{
    EntryMode, HarvestError, HarvestLimits, HarvestRejection, HarvestRequest, PrepareTarget,
    RefOutcome,
};

use crate::scene::{GitScene, WORK, owned};

fn paths(harvest: &afresh_git::WorkspaceHarvest) -> Vec<&str> {
    harvest.changes.iter().map(|change| change.path.as_str()).collect()
}

/// B26: every change is listed with its modes, so that its scope can be checked.
#[test]
fn changes_are_listed_with_kind_and_modes() {
    let scene = GitScene::new();
    let before = scene.user_files();
    scene.prepare();
    scene.work("echo two >>a.txt; rm src/main.rs; echo n >'new file'; chmod +x 'new file'; chmod -x run.sh; rm link; echo l >link");
    let harvest = scene.harvest();
    let changed: Vec<_> =
        harvest.changes.iter().map(|c| (c.path.as_str(), c.kind, c.old_mode, c.new_mode)).collect();
    assert_eq!(
        changed,
        [
            ("a.txt", ChangeKind::Modified, EntryMode::File, EntryMode::File),
            ("link", ChangeKind::Modified, EntryMode::Symlink, EntryMode::File),
            ("new file", ChangeKind::Created, EntryMode::Absent, EntryMode::Executable),
            ("run.sh", ChangeKind::Modified, EntryMode::Executable, EntryMode::File),
            ("src/main.rs", ChangeKind::Deleted, EntryMode::File, EntryMode::Absent),
        ]
    );
    let commit = harvest.commit.clone().unwrap();
    assert_eq!(harvest.steps.len(), 1);
    assert_eq!(scene.repository().commit_tree(&commit).unwrap(), harvest.tree);
    let output = scene.user(&format!("git log -1 --format='%P|%an <%ae>|%cn|%at %ct|%B' {commit}"));
    let base = &scene.base;
    assert_eq!(
        output.trim(),
        format!("{base}|Ann <ann@example>|Ann|1700000000 1700000000|feat(T1): all of it")
    );
    assert_eq!(harvest.notes, Vec::<String>::new());
    assert_eq!(scene.user_files(), before, "R5");
}

/// R16, R12: the work is under its ref when the call returns, and repeating the call changes
/// nothing.
#[test]
fn the_harvest_is_salvaged_and_can_be_repeated() {
    let scene = GitScene::new();
    scene.prepare();
    scene.work("echo two >>a.txt; git init -q n; echo x >n/x; git commit -qam step; echo y >y");
    let first = scene.harvest();
    assert_eq!(scene.salvaged(), first.commit);
    let second = scene.harvest();
    assert_eq!((second.commit, second.tree, second.steps), (first.commit, first.tree, first.steps));
    scene.prepare();
    assert!(scene.salvaged().is_some(), "cleaning the slot keeps the work");
    scene.user("git fsck --strict --no-dangling");
}

#[test]
fn no_change_makes_no_commit_and_no_ref() {
    let scene = GitScene::new();
    scene.prepare();
    scene.work("touch a.txt; echo x >x.log; mkdir -p target empty; echo x >target/x");
    let harvest = scene.harvest();
    assert_eq!((harvest.commit, harvest.steps.len(), harvest.changes.len()), (None, 0, 0));
    assert_eq!(harvest.tree, scene.repository().commit_tree(&scene.base).unwrap());
    assert_eq!(scene.salvaged(), None);
}

/// B03: a symlink that leaves the tree is reported with its target, which is not changed.
#[test]
fn a_symlink_that_leaves_the_tree_is_visible_and_its_target_untouched() {
    let scene = GitScene::new();
    let outside = scene.dir.path().join("outside");
    fs::create_dir(&outside).unwrap();
    fs::write(outside.join("secret"), "precious").unwrap();
    scene.prepare();
    scene.work(&format!(
        "ln -s {} out; rm -rf src; ln -s ../../.. src; ln -sf b link",
        outside.display()
    ));
    let files = owned(&["out/secret", "src/x"]);
    let harvest = scene.pool.harvest(WORK, &scene.request(&files)).unwrap();
    let links: Vec<_> = harvest
        .changes
        .iter()
        .filter(|c| c.new_mode == EntryMode::Symlink)
        .map(|c| (c.path.as_str(), c.symlink_target.clone().unwrap()))
        .collect();
    let target = outside.display().to_string();
    assert_eq!(links, [("link", "b".into()), ("out", target), ("src", "../../..".into())]);
    assert!(!paths(&harvest).contains(&"out/secret"));
    assert_eq!(fs::read_to_string(outside.join("secret")).unwrap(), "precious");
}

/// EX-07: of what a worker left, only tool artefacts, kept paths and ignored files stay uncommitted.
#[test]
fn tool_artefacts_kept_paths_and_ignored_files_are_not_harvested() {
    let scene = GitScene::new();
    scene.user("mkdir -p .git/info; echo private.txt >>.git/info/exclude");
    scene.prepare();
    scene.work(
        "mkdir -p __pycache__ src/__pycache__ .pytest_cache node_modules/x; \
         for f in __pycache__/a src/__pycache__/b c.pyc .pytest_cache/d .aider.chat .DS_Store \
         node_modules/x/y z.log private.txt; do echo x >$f; done; echo real >real",
    );
    let keep = owned(&["node_modules/"]);
    let request = HarvestRequest { keep: &keep, ..scene.request(&[]) };
    let harvest = scene.pool.harvest(WORK, &request).unwrap();
    assert_eq!(paths(&harvest), ["real"]);
    assert!(scene.tree().join("node_modules/x/y").exists());
}

/// A listed path is harvested even if the project ignores it.
#[test]
fn listed_paths_are_harvested_even_if_ignored() {
    let scene = GitScene::new();
    scene.prepare();
    scene.work(
        "mkdir -p target gen/__pycache__ 'odd[1]'; for f in keep.log target/x gen/a.log \
         gen/__pycache__/b.log c.pyc other.log 'odd[1]/y.log' ':(top)z.log'; do echo x >\"$f\"; done",
    );
    let files = owned(&[
        "keep.log",
        "target/x",
        "gen/**",
        "c.pyc",
        "**/*.log",
        "missing.log",
        "nothing/**",
        "../escape",
        "/etc/passwd",
        ".git/config",
        "odd[1]/y.log",
        ":(top)z.log",
        "a.txt",
    ]);
    let harvest = scene.pool.harvest(WORK, &scene.request(&files)).unwrap();
    assert_eq!(
        paths(&harvest),
        [":(top)z.log", "c.pyc", "gen/a.log", "keep.log", "odd[1]/y.log", "target/x"]
    );
}

#[test]
fn nested_repositories_are_harvested_as_ordinary_files() {
    let scene = GitScene::new();
    scene.prepare();
    scene.work(
        "git init -q n; cd n; echo x >x; git add x; git commit -qm x; cd ..; \
         git init -q src; git init -q empty; git init -q --bare bare.git; \
         mkdir w; echo 'gitdir: ../.git' >w/.git; echo y >w/y; chmod 555 w n",
    );
    let harvest = scene.harvest();
    let changed = paths(&harvest);
    assert!(changed.contains(&"n/x") && changed.contains(&"w/y"), "{changed:?}");
    assert!(changed.contains(&"bare.git/config"), "an embedded bare repository is only files");
    assert!(harvest.changes.iter().all(|change| change.new_mode != EntryMode::Gitlink));
    assert!(
        harvest.notes.iter().any(|note| note.contains("repository in n ")),
        "{:?}",
        harvest.notes
    );
}

/// What was left out of a harvest, because only files count, is said.
#[test]
fn links_to_repositories_that_are_not_taken_are_noted() {
    let scene = GitScene::new();
    scene.prepare();
    scene.work(
        "git init -q empty; echo x >new.txt; \
         git update-index --add --cacheinfo 160000,$(git rev-parse HEAD),only/in-index",
    );
    let harvest = scene.harvest();
    assert_eq!(paths(&harvest), ["new.txt"]);
    let mut notes = harvest.notes.clone();
    notes.sort();
    assert_eq!(
        notes,
        [
            "links to other repositories were not taken, only files are: only/in-index",
            "the repository in empty has no files, so nothing of it was taken",
        ]
    );
}

#[test]
fn pipes_and_unreadable_files_do_not_stop_a_harvest() {
    let scene = GitScene::new();
    scene.prepare();
    scene.work(
        "mkfifo pipe src/.gitignore; rm a.txt; mkfifo a.txt; echo r >r; chmod 000 r; mkdir c; \
         echo in >c/in; chmod 000 c; echo last >z",
    );
    let harvest = scene.harvest();
    let changed = paths(&harvest);
    for path in ["a.txt", "c/in", "r", "z"] {
        assert!(changed.contains(&path), "{path} in {changed:?}");
    }
    assert!(harvest.notes.iter().any(|note| note.contains("pipe")), "{:?}", harvest.notes);
}

/// R16: attributes that make git fail do not cost the work.
#[test]
fn attributes_that_break_git_are_ignored_with_a_note() {
    let scene = GitScene::new();
    scene.prepare();
    scene.work("echo '* working-tree-encoding=UTF-16' >.gitattributes; printf 'odd' >odd");
    let harvest = scene.harvest();
    assert!(paths(&harvest).contains(&"odd"), "{:?}", harvest.notes);
    assert!(harvest.notes.iter().any(|note| note.contains("attributes")), "{:?}", harvest.notes);
}

#[test]
fn too_many_paths_are_rejected_but_saved() {
    let scene = GitScene::new();
    scene.prepare();
    scene.work("for i in 1 2 3 4; do echo $i >f$i; done");
    let limits = HarvestLimits { max_paths: 3, ..HarvestLimits::default() };
    let request = HarvestRequest { limits, ..scene.request(&[]) };
    let error = scene.pool.harvest(WORK, &request).unwrap_err();
    let HarvestError::Rejected { rejection, salvaged, .. } = error else { panic!("{error}") };
    assert_eq!(rejection, HarvestRejection::TooManyPaths { count: 4, limit: 3 });
    assert_eq!(salvaged, scene.salvaged());
    assert_eq!(scene.show(&salvaged.unwrap(), "f4").as_deref(), Some("4\n"));
}

/// R15, R16: a huge file is not saved; the rest of the work is.
#[test]
fn a_file_that_is_too_large_is_rejected_and_the_rest_saved() {
    let scene = GitScene::new();
    scene.prepare();
    scene.work("head -c 3000 /dev/zero >'big one'; head -c 3000 /dev/zero >big.log; echo s >small");
    let limits = HarvestLimits { max_file_bytes: 2000, ..HarvestLimits::default() };
    let request = HarvestRequest { limits, ..scene.request(&[]) };
    let error = scene.pool.harvest(WORK, &request).unwrap_err();
    let HarvestError::Rejected { rejection, salvaged, .. } = error else { panic!("{error}") };
    assert_eq!(
        rejection,
        HarvestRejection::FileTooLarge { path: "big one".into(), bytes: 3000, limit: 2000 }
    );
    let salvaged = salvaged.unwrap();
    assert_eq!(scene.show(&salvaged, "small").as_deref(), Some("s\n"));
    assert_eq!(scene.show(&salvaged, "big one"), None);
    // An ignored one does not count, unless it is listed.
    scene.work("rm 'big one'");
    assert_eq!(paths(&scene.pool.harvest(WORK, &request).unwrap()), ["small"]);
    let files = owned(&["big.log"]);
    let request = HarvestRequest { limits, ..scene.request(&files) };
    assert!(matches!(
        scene.pool.harvest(WORK, &request),
        Err(HarvestError::Rejected { rejection: HarvestRejection::FileTooLarge { .. }, .. })
    ));
}

/// R15, R16, BE-07: saved work does not fill the repository: small files first, as much as fits.
#[test]
fn above_the_size_cap_small_files_are_saved() {
    let scene = GitScene::new();
    scene.prepare();
    scene.work("for i in 1 2 3 4; do head -c 900 /dev/zero >large$i; done; echo s >small; head -c 9000 /dev/zero >big.log");
    let limits = HarvestLimits { max_total_bytes: 2000, ..HarvestLimits::default() };
    let request = HarvestRequest { limits, ..scene.request(&[]) };
    let error = scene.pool.harvest(WORK, &request).unwrap_err();
    let HarvestError::Rejected { rejection, salvaged, .. } = error else { panic!("{error}") };
    assert_eq!(rejection, HarvestRejection::TooManyBytes { bytes: 3602, limit: 2000 });
    let salvaged = salvaged.unwrap();
    assert_eq!(scene.show(&salvaged, "small").as_deref(), Some("s\n"));
    assert!(scene.show(&salvaged, "large1").is_some() && scene.show(&salvaged, "large4").is_none());
    // Ignored files use no space, unless they are listed.
    scene.work("rm large*");
    assert_eq!(paths(&scene.pool.harvest(WORK, &request).unwrap()), ["small"]);
    let files = owned(&["big.log"]);
    let request = HarvestRequest { limits, ..scene.request(&files) };
    let error = scene.pool.harvest(WORK, &request).unwrap_err();
    assert!(error.to_string().contains("at most 2000 are saved"), "{error}");
}

#[test]
fn a_name_that_is_not_utf8_is_rejected_but_saved() {
    let scene = GitScene::new();
    scene.prepare();
    let name = OsStr::from_bytes(b"odd\xff");
    if fs::write(scene.tree().join(name), "x").is_err() {
        return; // This file system knows only UTF-8.
    }
    let error = scene.try_harvest().unwrap_err();
    assert!(error.to_string().contains("odd\\xff"), "{error}");
    assert!(scene.salvaged().is_some());
}

/// F14: a deleted checkout is not mistaken for a worker that deleted every file.
#[test]
fn a_deleted_checkout_cannot_be_harvested() {
    let scene = GitScene::new();
    for script in
        ["rm -rf tree", "rm -rf tree; mkdir tree", "rm -rf tree; ln -s / tree", "rm prepared"]
    {
        scene.prepare();
        scene.work(&format!("cd ..; {script}"));
        let error = scene.try_harvest().unwrap_err();
        assert!(matches!(error, HarvestError::Gone { .. }), "after {script}: {error}");
    }
    scene.prepare();
    scene.work("rm -rf src a.txt link run.sh .gitignore");
    assert_eq!(scene.harvest().changes.len(), 5);
}

#[test]
fn a_workspace_prepared_as_another_commit_is_not_harvested() {
    let scene = GitScene::new();
    scene.user("echo two >>a.txt; git commit -qam two");
    let two = scene.repository().head().unwrap().unwrap();
    scene.pool.prepare(WORK, PrepareTarget::Commit(&two), &[]).unwrap();
    let error = scene.try_harvest().unwrap_err();
    assert!(matches!(error, HarvestError::NotPrepared { .. }), "{error}");
}

/// F13: the user may commit, switch and stash while an attempt runs.
#[test]
fn a_harvest_does_not_disturb_the_user() {
    let scene = GitScene::new();
    scene.prepare();
    scene.work("echo worker >>a.txt");
    scene.user("echo mine >>a.txt; git commit -qam mine; git checkout -q -b other; echo wip >>a.txt; git stash -q; echo dirty >a.txt");
    let before = scene.user_files();
    let harvest = scene.harvest();
    assert_eq!(scene.show(&harvest.commit.unwrap(), "a.txt").as_deref(), Some("one\nworker\n"));
    scene.prepare();
    assert_eq!(scene.user_files(), before, "R5");
    let update = afresh_git::RefUpdate {
        name: afresh_git::ref_names::run_branch_ref("r"),
        new: Some(scene.base.clone()),
        old: afresh_git::RefExpectation::Missing,
    };
    let moved =
        scene.repository().update_refs(&[update], afresh_git::DEFAULT_LOCK_TIMEOUT).unwrap();
    assert_eq!(moved, RefOutcome::Done);
    assert_eq!(scene.user_files(), before, "R5");
}

/// R16: the objects survive the user's own garbage collection, because a ref points to them.
#[test]
fn salvaged_work_survives_the_users_gc() {
    let scene = GitScene::new();
    scene.prepare();
    scene.work("echo two >>a.txt");
    let commit = scene.harvest().commit.unwrap();
    scene.user("git gc -q --prune=now");
    assert_eq!(scene.show(&commit, "a.txt").as_deref(), Some("one\ntwo\n"));
    scene.prepare();
    assert_eq!(scene.harvest().commit, None);
}

#[test]
fn a_submodule_of_the_project_is_not_changed() {
    let scene = GitScene::new();
    let base = scene.base.clone();
    scene.user(&format!("printf '[submodule \"s\"]\\n\\tpath = sub\\n\\turl = ./x\\n\\tignore = all\\n' >.gitmodules; git update-index --add --cacheinfo 160000,{base},sub; git add .gitmodules; git commit -qm sub; mkdir sub"));
    let with_sub = scene.repository().head().unwrap().unwrap();
    scene.pool.prepare(WORK, PrepareTarget::Commit(&with_sub), &[]).unwrap();
    scene.work("git init -q sub; cd sub; echo x >x; git add x; git commit -qm x");
    let request = HarvestRequest {
        base: &with_sub,
        prepared: &with_sub,
        onto: &with_sub,
        ..scene.request(&[])
    };
    let harvest = scene.pool.harvest(WORK, &request).unwrap();
    assert_eq!(harvest.changes, [], "{harvest:?}");
    scene.pool.prepare(WORK, PrepareTarget::Commit(&with_sub), &[]).unwrap();
    assert_eq!(fs::read_dir(scene.tree().join("sub")).unwrap().count(), 0);
    // A worker that changes it is noticed, although `.gitmodules` says to ignore it.
    scene.work(&format!("git update-index --cacheinfo 160000,{with_sub},sub; git commit -qm moved; rm -r sub; echo f >sub"));
    let harvest = scene.pool.harvest(WORK, &request).unwrap();
    assert_eq!(harvest.changes.len(), 1);
    assert_eq!(
        (harvest.changes[0].old_mode, harvest.changes[0].new_mode),
        (EntryMode::Gitlink, EntryMode::File)
    );
}

/// R16: unharvested work is saved before the workspace is given to any other attempt.
#[test]
fn unharvested_work_is_saved_before_the_workspace_is_reused() {
    let scene = GitScene::new();
    scene.prepare();
    let name = salvage_ref("run-1", "T001.1");
    scene
        .pool
        .acquire_lease(WORK, &name)
        .unwrap()
        .mark_unsaved(&["ignored.log".to_owned()])
        .unwrap();
    scene.work("echo precious >new.txt; echo '*.log' >.gitignore; echo too >ignored.log");
    scene.prepare();
    let saved = scene.repository().read_ref(&name).unwrap().expect("a salvage ref");
    let file = |path: &str| scene.repository().show_file(&saved, path).unwrap();
    assert_eq!(file("new.txt").as_deref(), Some(&b"precious\n"[..]));
    assert_eq!(file("ignored.log").as_deref(), Some(&b"too\n"[..]));
    // Saved once: the next preparation has nothing to save.
    scene.work("echo later >other.txt");
    scene.prepare();
    assert_eq!(scene.repository().read_ref(&name).unwrap(), Some(saved));
}
