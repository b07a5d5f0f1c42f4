//! Tests of another author: in the workspace before the worker starts, and in the harvest as they were written.

use afresh_core::harvest::ChangeKind;
use afresh_core::plan::AcceptanceFile;
use afresh_git::{AcceptanceError, HarvestRequest};

use crate::scene::{GitScene, WORK};

fn file(path: &str, text: &str) -> AcceptanceFile {
    AcceptanceFile { path: path.to_owned(), text: Some(text.to_owned()) }
}

/// PL-17: whatever a worker does to an acceptance file, it lands as it was written, and a note says so.
#[test]
fn an_acceptance_file_lands_as_it_was_written() {
    for (script, notes) in [
        ("echo done >new.txt", 0),
        ("echo true >tests/acceptance/a.sh", 1),
        ("rm -r tests", 1),
        ("rm tests/acceptance/a.sh; ln -s /etc/passwd tests/acceptance/a.sh", 1),
        ("rm -r tests/acceptance; echo x >tests/acceptance", 1),
        ("chmod +x tests/acceptance/a.sh", 1),
        ("echo tests >.gitignore", 0),
    ] {
        let scene = GitScene::new();
        scene.prepare();
        let files = [file("tests/acceptance/a.sh", "exit 1\n")];
        scene.pool.write_acceptance_files(WORK, &files).expect("written");
        assert_eq!(scene.work("cat tests/acceptance/a.sh"), "exit 1\n");
        scene.work(script);
        let listed = ["tests/acceptance/a.sh".to_owned()];
        let request = HarvestRequest { acceptance: &files, ..scene.request(&listed) };
        let harvest = scene.pool.harvest(WORK, &request).expect(script);
        let commit = harvest.commit.clone().expect("changes");
        let landed = scene.show(&commit, "tests/acceptance/a.sh");
        assert_eq!(landed.as_deref(), Some("exit 1\n"), "{script}");
        let change = harvest.changes.iter().find(|it| it.path == "tests/acceptance/a.sh");
        assert_eq!(change.map(|it| it.kind), Some(ChangeKind::Created), "{script}");
        assert_eq!(harvest.notes.len(), notes, "{script}: {:?}", harvest.notes);
    }
}

/// B03, PL-17: nothing is written through a link of the repository, and nothing outside of it.
#[test]
fn an_acceptance_file_is_not_written_through_links() {
    let scene =
        GitScene::with("mkdir ../outside; ln -s ../outside tests; git add -A; git commit -qm link");
    scene.prepare();
    for path in
        ["tests/acceptance.sh", "../acceptance.sh", "/tmp/acceptance.sh", ".git/hooks/acceptance"]
    {
        let refused = scene.pool.write_acceptance_files(WORK, &[file(path, "x")]);
        assert!(matches!(refused, Err(AcceptanceError::Unsafe { .. })), "{path}");
    }
}
