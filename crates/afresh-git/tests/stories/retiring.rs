//! Retiring workspaces: nothing unsaved is removed, and nothing outside is changed (R16).

use std::fs;
use std::os::unix::fs::symlink;

use afresh_git::ref_names::salvage_ref;
use afresh_git::{
    MergeEvidence, RefUpdate, RetireError, RetireOutcome, WorkspaceId, WorkspacePool,
    find_abandoned_pools,
};

use crate::scene::{GitScene, WORK};

fn slot(scene: &GitScene) -> std::path::PathBuf {
    scene.pool.directory().join("work-1")
}

fn retire(scene: &GitScene) -> Result<RetireOutcome, RetireError> {
    scene.pool.retire(WORK, &[])
}

/// Prepares, leases, runs this as a worker, and retires the workspace; returns what was saved.
fn saved_after(scene: &GitScene, script: &str) -> afresh_core::ids::CommitId {
    scene.prepare();
    scene.lease();
    scene.work(script);
    let Ok(RetireOutcome::Saved { name, commit }) = retire(scene) else {
        panic!("not saved: {script}")
    };
    assert!(name.starts_with("refs/afresh/salvage/run/T1.1"), "{name}");
    assert_eq!(scene.repository().read_ref(&name).unwrap(), Some(commit.clone()), "{script}");
    assert!(!slot(scene).exists(), "{script}");
    commit
}

/// R16: whatever state a killed worker left its files in, they are saved before the workspace is
/// removed.
#[test]
fn everything_a_worker_left_is_saved_before_its_workspace_is_removed() {
    let scene = GitScene::new();
    for (script, path, text) in [
        ("echo new >new.txt", "new.txt", "new\n"),
        ("echo changed >a.txt", "a.txt", "changed\n"),
        ("echo staged >staged.txt; git add staged.txt", "staged.txt", "staged\n"),
        ("echo s >s.txt; git add s.txt; echo later >s.txt", "s.txt", "later\n"),
        (
            "git checkout -q --detach; echo own >own.txt; git add .; git commit -q -m own",
            "own.txt",
            "own\n",
        ),
        (
            "git init -q nested; cd nested; echo in >in.txt; git add .; git commit -q -m in",
            "nested/in.txt",
            "in\n",
        ),
        ("mkdir d; echo shut >d/shut; chmod 000 d/shut; chmod 000 d", "d/shut", "shut\n"),
        ("rm -r .git; echo bare >bare.txt", "bare.txt", "bare\n"),
        ("printf 'x' >\"$(printf 'line\\nbreak')\"", "line\nbreak", "x"),
        ("printf 'y' >\"$(printf 'odd\\377')\"; echo beside >beside", "beside", "beside\n"),
    ] {
        let commit = saved_after(&scene, script);
        assert_eq!(scene.show(&commit, path).as_deref(), Some(text), "{script}");
    }
    let names = scene.user("git for-each-ref --format='%(refname)' refs/afresh | while read r; do git -c core.quotePath=false ls-tree -r --name-only -z $r | tr '\\0' '\\n'; done | grep -c odd");
    assert_eq!(names.trim(), "1", "the name that is not UTF-8 is kept, too");
    assert_eq!(fs::read_dir(scene.pool.directory().join("owners")).unwrap().count(), 0);
}

/// R16: a workspace that was saved already, or never leased, needs no ref and is removed.
#[test]
fn a_workspace_without_unsaved_work_is_removed() {
    let scene = GitScene::new();
    scene.prepare();
    scene.lease();
    scene.work("echo done >done.txt");
    scene.harvest();
    let before = scene.repository().list_refs("refs/afresh/").unwrap();
    assert_eq!(retire(&scene).unwrap(), RetireOutcome::Empty);
    assert_eq!(scene.repository().list_refs("refs/afresh/").unwrap(), before);
    assert!(!slot(&scene).exists());
    // It is removed, and asking again changes nothing.
    assert_eq!(scene.pool.list_workspaces().unwrap(), Vec::<WorkspaceId>::new());
    assert_eq!(retire(&scene).unwrap(), RetireOutcome::Empty);
    // The next worker gets a new one.
    scene.prepare();
    assert_eq!(scene.pool.list_workspaces().unwrap(), [WORK]);
}

/// R16: what cannot be saved completely stays, however often retiring is tried.
#[test]
fn a_workspace_that_cannot_be_saved_completely_stays() {
    let scene = GitScene::new();
    scene.prepare();
    scene.lease();
    scene.work("truncate -s 101M huge.bin; echo small >small.txt");
    for _ in 0..2 {
        let error = retire(&scene).unwrap_err();
        assert!(matches!(error, RetireError::Unsaved { .. }), "{error}");
        assert!(slot(&scene).join("tree/huge.bin").exists());
    }
    scene.work("rm huge.bin");
    let Ok(RetireOutcome::Saved { commit, .. }) = retire(&scene) else { panic!("not saved") };
    assert_eq!(scene.show(&commit, "small.txt").as_deref(), Some("small\n"));

    // The base of this work is unknown.
    scene.prepare();
    scene.lease();
    scene.work("echo lost >lost.txt; rm ../prepared");
    let error = retire(&scene).unwrap_err();
    assert!(matches!(error, RetireError::UnknownBase(_)), "{error}");
    assert!(slot(&scene).join("tree/lost.txt").exists());
}

/// R16: a link replaced the lease records: their content is unknown, so everything is saved.
#[test]
fn work_is_saved_even_if_the_lease_records_are_links() {
    let scene = GitScene::new();
    scene.prepare();
    scene.lease();
    scene.work("echo kept >kept; cd ../..; rm -r owners; ln -s \"$HOME\" owners");
    let home = crate::scene::snapshot(&scene.home());
    let Ok(RetireOutcome::Saved { commit, .. }) = retire(&scene) else { panic!("not saved") };
    assert_eq!(scene.show(&commit, "kept").as_deref(), Some("kept\n"));
    assert_eq!(crate::scene::snapshot(&scene.home()), home);
}

/// B03, R5: links that a worker left are not followed: not inside of a checkout, nor as the
/// checkout, the workspace or a record.
#[test]
fn links_in_a_workspace_are_not_followed_when_it_is_removed() {
    let scene = GitScene::new();
    let precious = scene.home().join("precious");
    fs::create_dir_all(precious.join("tree/nested/.git")).unwrap();
    fs::write(precious.join("tree/nested/.git/HEAD"), "mine").unwrap();
    for note in ["work-1", "work-1.unsaved"] {
        fs::write(precious.join(note), "mine").unwrap();
    }
    let before = crate::scene::snapshot(&precious);
    let link = precious.display();
    for script in [
        format!("ln -s '{link}' away; ln -s '{link}' src/away; ln -s loop loop"),
        format!("cd ..; rm -rf tree; ln -s '{link}' tree"),
        format!("cd ../..; cp work-1/prepared '{link}/'; rm -rf work-1; ln -s '{link}' work-1"),
        format!("cd ../../owners; rm work-1; ln -s '{link}/note' work-1"),
        format!("cd ../..; rm -rf owners; ln -s '{link}' owners"),
    ] {
        scene.prepare();
        scene.lease();
        scene.work(&script);
        // The workspace may be removed or stay; the target of the link stays.
        let _ = retire(&scene);
        let _ = fs::remove_file(precious.join("prepared"));
        assert_eq!(crate::scene::snapshot(&precious), before, "{script}");
        scene.prepare();
        retire(&scene).unwrap();
    }
    let salvage = scene.salvaged().unwrap();
    assert_eq!(scene.show(&salvage, "away"), Some(link.to_string()), "the link itself is saved");
}

/// B03, R5: a link in the place of the repository's pool: nothing is done there.
#[test]
fn a_cache_directory_that_is_a_link_is_rejected() {
    let scene = GitScene::new();
    let elsewhere = scene.home().join("elsewhere");
    fs::create_dir_all(elsewhere.join("work-1/tree")).unwrap();
    fs::write(elsewhere.join("work-1/tree/mine"), "mine").unwrap();
    let directory = scene.pool.directory().to_owned();
    fs::remove_dir_all(&directory).unwrap();
    symlink(&elsewhere, &directory).unwrap();
    let cache = directory.parent().unwrap();
    for opened in [
        WorkspacePool::find(scene.repository().clone(), cache).map(|_| ()),
        WorkspacePool::open(scene.repository().clone(), cache).map(|_| ()),
    ] {
        let error = opened.unwrap_err();
        assert!(error.to_string().contains("not a real directory"), "{error}");
    }
    assert!(elsewhere.join("work-1/tree/mine").exists());
}

/// R16: workspaces are removed for a repository only if it no longer exists, and a forged record
/// cannot name another.
#[test]
fn workspaces_of_a_missing_repository_are_found() {
    let scene = GitScene::new();
    scene.prepare();
    scene.lease();
    let cache = scene.pool.directory().parent().unwrap().to_owned();
    assert_eq!(find_abandoned_pools(&cache).unwrap(), [], "it is there");
    let note = scene.pool.directory().join("repository");
    let honest = fs::read(&note).unwrap();
    fs::write(&note, "/no/such/repository/.git").unwrap();
    assert_eq!(find_abandoned_pools(&cache).unwrap(), [], "the note lies");
    fs::write(&note, honest).unwrap();
    fs::rename(&scene.root, scene.dir.path().join("moved")).unwrap();
    let found = find_abandoned_pools(&cache).unwrap();
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].unsaved, ["work-1"]);
    found[0].remove().unwrap();
    assert_eq!(find_abandoned_pools(&cache).unwrap(), []);
}

/// BE-07: work is merged into a commit that builds on it, or in which all its changes are the same;
/// with one more change it is not.
#[test]
fn work_counts_as_merged_only_if_every_change_is() {
    let scene = GitScene::new();
    let work = saved_after(&scene, "echo one >one.txt; rm run.sh; echo two >src/main.rs");
    let holds = || {
        let head = scene.repository().head().unwrap().unwrap();
        scene.repository().find_merge_evidence(&head, &work).unwrap()
    };
    assert_eq!(holds(), None);
    scene.user("echo one >one.txt; git add .; git commit -qm part");
    assert_eq!(holds(), None, "a part of it");
    scene.user("rm run.sh; echo two >src/main.rs; echo mine >mine; git add .; git commit -qm rest");
    assert_eq!(holds(), Some(MergeEvidence::SameContent));
    scene.user("echo three >src/main.rs; git commit -qam later");
    assert_eq!(holds(), None, "not any more");
    scene.user(&format!("git merge -q -s ours -m merged {work}"));
    assert_eq!(holds(), Some(MergeEvidence::Ancestor));
    // Our own branches are not the user's.
    let ours = RefUpdate {
        name: afresh_git::ref_names::run_branch_ref("r-1"),
        new: Some(work.clone()),
        old: afresh_git::RefExpectation::Missing,
    };
    let _ = scene.repository().update_refs(&[ours], std::time::Duration::ZERO).unwrap();
    let tips = scene.repository().user_branch_tips().unwrap();
    assert_eq!(tips.keys().collect::<Vec<_>>(), ["refs/heads/main"]);
    scene.user("git checkout -q --detach");
    assert_eq!(scene.repository().user_branch_tips().unwrap().len(), 2);
    assert!(salvage_ref("r", "x").starts_with("refs/afresh/"));
}
