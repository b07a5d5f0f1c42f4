//! Leases: one attempt's work is never taken for another's, and saved work is never overwritten.

use std::fs;

use afresh_git::ref_names::salvage_ref;
use afresh_git::{HarvestError, HarvestRequest};

use crate::scene::{GitScene, WORK};

fn owner_note(scene: &GitScene) -> std::path::PathBuf {
    scene.pool.directory().join("owners/work-1")
}

/// R3, R16: two runs use one workspace from the same commit, and each gets only its own work.
#[test]
fn a_workspace_is_harvested_only_for_the_holder_of_its_lease() {
    let scene = GitScene::new();
    let (first, second) = (salvage_ref("a-1", "A.1"), salvage_ref("b-1", "B.1"));
    let for_first = HarvestRequest { salvage: &first, ..scene.request(&[]) };
    let for_second = HarvestRequest { salvage: &second, ..scene.request(&[]) };
    scene.prepare();
    scene.pool.acquire_lease(WORK, &first).unwrap().mark_unsaved(&[]).unwrap();
    scene.work("echo a >a-was-here");
    scene.prepare();
    // Between two leases, the workspace is free.
    let error = scene.pool.harvest(WORK, &for_first).unwrap_err();
    assert!(matches!(error, HarvestError::Foreign { .. }), "{error}");
    scene.pool.acquire_lease(WORK, &second).unwrap().mark_unsaved(&[]).unwrap();
    scene.work("echo b >b-was-here");
    let harvest = scene.pool.harvest(WORK, &for_second).unwrap();
    assert_eq!(scene.repository().read_ref(&second).unwrap(), harvest.commit);
    // The first run asks for its work later: it is saved, but no longer in this workspace.
    let error = scene.pool.harvest(WORK, &for_first).unwrap_err();
    let HarvestError::Foreign { owner, .. } = &error else { panic!("{error}") };
    assert_eq!(owner, &second);
    let salvage = scene.repository().read_ref(&first).unwrap().unwrap();
    assert_eq!(scene.show(&salvage, "a-was-here").as_deref(), Some("a\n"));
    assert_eq!(scene.show(&salvage, "b-was-here"), None);
    // The holder may harvest again.
    assert_eq!(scene.pool.harvest(WORK, &for_second).unwrap().tree, harvest.tree);
}

/// R16: a ref that holds other work is left alone; the later work gets another name.
#[test]
fn saved_work_is_never_overwritten_by_other_work() {
    let scene = GitScene::new();
    scene.prepare();
    scene.work("echo one >one");
    let first = scene.harvest();
    scene.work("echo two >two");
    let second = scene.harvest();
    scene.work("echo three >three");
    let third = scene.harvest();
    assert_eq!(scene.salvaged(), first.commit);
    for (number, harvest) in [(2, &second), (3, &third)] {
        let name = salvage_ref("run", &format!("T1.1-{number}"));
        assert_eq!(scene.repository().read_ref(&name).unwrap(), harvest.commit);
        assert!(harvest.notes.iter().any(|note| note.contains(&name)), "{:?}", harvest.notes);
    }
    assert_eq!(first.notes, Vec::<String>::new());
}

/// R12, R16: the same work, harvested again later, moves its own ref.
#[test]
fn the_same_work_harvested_later_keeps_its_name() {
    let mut scene = GitScene::new();
    scene.prepare();
    scene.work("echo one >one");
    let first = scene.harvest();
    scene.signature.at_seconds += 60;
    let second = scene.harvest();
    assert_ne!(first.commit, second.commit);
    assert_eq!(scene.salvaged(), second.commit);
    assert_eq!(scene.repository().list_refs("refs/afresh/").unwrap().len(), 1);
}

/// B29, R5: whatever a worker writes into the lease records, no ref of the user's moves, and the
/// work is saved.
#[test]
fn a_forged_lease_does_not_move_the_users_branch() {
    for note in [
        "refs/heads/main\n",
        "this slot belongs to refs/heads/main\n",
        "this slot belongs to refs/afresh/salvage/../../heads/main\n",
        "",
    ] {
        let scene = GitScene::new();
        scene.prepare();
        scene
            .pool
            .acquire_lease(WORK, &salvage_ref("run-1", "T.1"))
            .unwrap()
            .mark_unsaved(&[])
            .unwrap();
        scene.work("echo evil >evil");
        let before = scene.user_files();
        fs::write(owner_note(&scene), note).unwrap();
        // Where an earlier version stored its record.
        fs::write(scene.tree().join("../unsaved"), "refs/heads/main\n").unwrap();
        scene.prepare();
        assert_eq!(scene.user_files(), before, "R5: {note:?}");
        assert_eq!(scene.repository().head().unwrap(), Some(scene.base.clone()));
        let salvage = salvage_ref("unknown", "work-1-1");
        let salvage = scene.repository().read_ref(&salvage).unwrap().unwrap();
        assert_eq!(scene.show(&salvage, "evil").as_deref(), Some("evil\n"));
    }
}

/// R16: the work of two tampered workspaces is saved under separate refs.
#[test]
fn work_of_unknown_holders_is_saved_under_separate_refs() {
    let scene = GitScene::new();
    for text in ["one", "two"] {
        scene.prepare();
        scene
            .pool
            .acquire_lease(WORK, &salvage_ref("run-1", "T.1"))
            .unwrap()
            .mark_unsaved(&[])
            .unwrap();
        scene.work(&format!("echo {text} >text"));
        fs::write(owner_note(&scene), "odd").unwrap();
    }
    scene.prepare();
    let saved = scene.repository().list_refs("refs/afresh/salvage/unknown/").unwrap();
    let texts: Vec<_> = saved.values().map(|commit| scene.show(commit, "text").unwrap()).collect();
    assert_eq!(texts, ["one\n", "two\n"]);
}
