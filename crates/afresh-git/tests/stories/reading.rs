//! Reading commits.

use afresh_core::harvest::ChangeKind;
use afresh_core::ids::CommitId;
use afresh_git::{BulkLimits, DiffFormat, EntryMode, NewCommit};

use crate::scene::{GitScene, owned};

#[test]
fn files_of_a_commit_are_listed_and_read_without_a_checkout() {
    let scene = GitScene::new();
    let repository = scene.repository();
    let files = repository.list_files(&scene.base).unwrap();
    let listed: Vec<_> = files.iter().map(|f| (f.path.as_str(), f.mode)).collect();
    assert_eq!(
        listed,
        [
            (".gitignore", EntryMode::File),
            ("a.txt", EntryMode::File),
            ("link", EntryMode::Symlink),
            ("run.sh", EntryMode::Executable),
            ("src/main.rs", EntryMode::File),
        ]
    );
    assert_eq!(scene.show(&scene.base, "a.txt").as_deref(), Some("one\n"));
    assert_eq!(scene.show(&scene.base, "link").as_deref(), Some("a.txt"));
    for missing in ["b.txt", "src", "../a.txt", "./a.txt", "/a.txt", "link/x", ""] {
        assert_eq!(scene.show(&scene.base, missing), None, "{missing}");
    }
}

/// B03: a symlink on the way to a listed path is visible before anything runs.
#[test]
fn a_symlink_on_the_way_to_a_path_is_visible_in_the_commit() {
    let scene = GitScene::with("ln -s /etc out; mkdir -p d/e; echo x >d/e/f");
    let paths = owned(&["out/passwd", "d/e/f", "d/new"]);
    let modes = scene.repository().entry_modes(&scene.base, &paths).unwrap();
    assert_eq!(modes["out"], EntryMode::Symlink);
    assert_eq!(
        (modes["d"], modes["d/e"], modes["d/e/f"]),
        (EntryMode::Tree, EntryMode::Tree, EntryMode::File)
    );
    assert!(!modes.contains_key("d/new") && !modes.contains_key("out/passwd"));
}

/// EX-07: files, directories, links and strange names are found in a tree; what leads out of it is no question.
#[test]
fn missing_paths_of_a_tree_are_named() {
    let scene = GitScene::with(
        "mkdir -p d/e; echo x >d/e/f; ln -s nowhere link; echo x >'a b*\u{e4}.txt'; : >empty",
    );
    let repository = scene.repository();
    let tree = repository.commit_tree(&scene.base).unwrap();
    let asked = owned(&[
        "d/e/f",
        "d/new",
        "d/e",
        "link",
        "link/x",
        "a b*\u{e4}.txt",
        "a b*",
        "empty",
        "../x",
        "/x",
    ]);
    let missing = repository.missing_paths(&tree, &asked).unwrap();
    assert_eq!(missing, ["d/new", "link/x", "a b*"]);
    assert!(repository.missing_paths(&tree, &[]).unwrap().is_empty());
}

/// EX-07: the commits that a task builds on are all in its base, or the newest that is not is named.
#[test]
fn commits_outside_of_a_base_are_named() {
    let scene = GitScene::new();
    let repository = scene.repository();
    scene.user("git checkout -q -b side; echo s >s.txt; git add -A; git commit -qm side");
    let side = repository.head().unwrap().unwrap();
    scene.user("git checkout -q main; echo two >>a.txt; git commit -qam two");
    let two = repository.head().unwrap().unwrap();
    let outside = |base: &CommitId, commits: &[&CommitId]| {
        let commits: Vec<CommitId> = commits.iter().map(|commit| (*commit).clone()).collect();
        repository.commit_outside(base, &commits).unwrap()
    };
    assert_eq!(outside(&two, &[&scene.base, &two]), None);
    assert_eq!(outside(&two, &[&scene.base, &side]), Some(side.clone()));
    assert_eq!(outside(&scene.base, &[&two]), Some(two.clone()));
    assert_eq!(outside(&two, &[]), None);
    let gone = CommitId::new("1".repeat(40)).unwrap();
    assert!(repository.commit_outside(&two, &[gone]).is_err());
}

#[test]
fn ancestors_trees_and_missing_commits_are_distinguished() {
    let scene = GitScene::new();
    let repository = scene.repository();
    scene.user("echo two >>a.txt; git commit -qam two");
    let two = repository.head().unwrap().unwrap();
    assert!(repository.is_ancestor(&scene.base, &two).unwrap());
    assert!(!repository.is_ancestor(&two, &scene.base).unwrap());
    assert!(repository.exists(&two).unwrap());
    assert!(!repository.exists(&CommitId::new("1".repeat(40)).unwrap()).unwrap());
    let tree = repository.commit_tree(&two).unwrap();
    assert!(!repository.exists(&CommitId::new(tree.as_str()).unwrap()).unwrap(), "a tree is none");
    assert_eq!(repository.diff_names(&scene.base, &two).unwrap(), ["a.txt"]);
    assert_eq!(repository.diff(&scene.base, &two).unwrap()[0].kind, ChangeKind::Modified);
}

#[test]
fn first_parents_are_read_with_their_trailers() {
    let scene = GitScene::new();
    let repository = scene.repository();
    let tree = repository.commit_tree(&scene.base).unwrap();
    let side = repository
        .commit(&NewCommit {
            tree: &tree,
            parents: std::slice::from_ref(&scene.base),
            message: "side\n\nAfresh-Task: WRONG",
            signature: &scene.signature,
        })
        .unwrap();
    let merge = NewCommit {
        tree: &tree,
        parents: &[scene.base.clone(), side],
        message: "merge T1\n\nWords.\n\nAfresh-Run: r\nAfresh-Task: T1\n",
        signature: &scene.signature,
    };
    let top = repository.commit(&merge).unwrap();
    assert_eq!(repository.commit(&merge).unwrap(), top, "the same inputs give the same commit");
    repository.publish(&top).unwrap();
    let line = repository.first_parents(&top, Some(&scene.base)).unwrap();
    assert_eq!(line.len(), 1);
    assert_eq!((&line[0].commit, &line[0].tree), (&top, &tree));
    assert_eq!(line[0].parents.len(), 2);
    assert_eq!(line[0].trailers, "Afresh-Run: r\nAfresh-Task: T1");
    let whole = repository.first_parents(&top, None).unwrap();
    assert_eq!((whole.len(), whole[1].trailers.as_str()), (2, ""));
}

/// TR-08: many blobs at once; what is missing, no blob, or beyond a limit is left out.
#[test]
fn many_blobs_are_read_within_limits() {
    let scene =
        GitScene::with("printf abc > a; printf 0123456789 > b; printf 'x\\n\\ny' > c; : > d");
    let repository = scene.repository();
    let files = repository.list_files(&scene.base).unwrap();
    let ids: Vec<&str> = files.iter().map(|file| file.id.as_str()).collect();
    let missing = "1".repeat(40);
    let asked = [&ids[..], &[missing.as_str(), scene.base.as_str()]].concat();
    let read = |blob_bytes, total_bytes| {
        let limits = BulkLimits { blob_bytes, total_bytes };
        let found = repository.read_blobs(&asked, limits).unwrap();
        ids.iter()
            .map(|id| found.get(*id).map(|text| String::from_utf8_lossy(text).into_owned()))
            .collect::<Vec<_>>()
    };
    let texts = |texts: [Option<&str>; 4]| texts.map(|text| text.map(str::to_owned)).to_vec();
    assert_eq!(read(100, 100), texts([Some("abc"), Some("0123456789"), Some("x\n\ny"), Some("")]));
    assert_eq!(read(5, 100), texts([Some("abc"), None, Some("x\n\ny"), Some("")]));
    assert_eq!(read(100, 5), texts([Some("abc"), None, None, Some("")]));
    assert!(
        repository
            .read_blobs(&[], BulkLimits { blob_bytes: 1, total_bytes: 1 })
            .unwrap()
            .is_empty()
    );
}

/// TR-08: what the last commits changed, newest first, and no more than was asked for.
#[test]
fn recent_changes_are_read_within_limits() {
    let scene = GitScene::with("echo 1 > a; echo 1 > b");
    scene.user("echo 2 > a; echo 2 > c; git add -A; git commit -q -m x");
    scene.user("echo 2 > b; echo 2 > 'd d'; echo > \"$(printf 'new\\nline')\"; git add -A; git commit -q -m y");
    let repository = scene.repository();
    let head = repository.head().unwrap().unwrap();
    let all = repository.recent_changes(&head, 10, 10_000).unwrap();
    assert_eq!(all, [vec!["b", "d d"], vec!["a", "c"]]);
    assert_eq!(repository.recent_changes(&head, 1, 10_000).unwrap(), [vec!["b", "d d"]]);
    assert_eq!(repository.recent_changes(&head, 10, 50).unwrap(), [vec!["b", "d d"]; 1]);
    let nothing = CommitId::new("1".repeat(40)).unwrap();
    assert!(repository.recent_changes(&nothing, 10, 10_000).unwrap().is_empty());
}

/// Sizes are those of the contents, whatever the names; a submodule has none, and is left out.
#[test]
fn the_files_of_a_commit_are_measured() {
    let scene = GitScene::with("mkdir 'a dir'; printf 12345 >\"a dir/$(printf 'tab\\tx')\"");
    scene.user("git update-index --add --cacheinfo 160000,$(git rev-parse HEAD),module");
    scene.user("git commit -q -m module");
    let commit = scene.repository().head().unwrap().unwrap();
    let measured = scene.repository().measure_files(&commit).unwrap();
    let size = |path: &str| measured.iter().find(|it| it.file.path == path).map(|it| it.bytes);
    assert_eq!(size("a dir/tab\tx"), Some(5), "{measured:?}");
    assert_eq!(size("module"), None);
}

/// HU-08: a difference is shown and counted without the user's diff programs; hostile names are quoted.
#[test]
fn a_difference_is_rendered_and_counted_without_drivers() {
    let scene =
        GitScene::with("seq 40 >old.txt; echo a >gone.txt; echo '*.txt diff=evil' >.gitattributes");
    let ran = scene.dir.path().join("ran");
    let evil = format!("touch {0}; cat", ran.display());
    scene.user(&format!(
        "git config diff.evil.textconv '{evil}'; git config diff.evil.command '{evil}'; \
         git config diff.external '{evil}'; cp .gitattributes .git/info/attributes; git config diff.noprefix true"
    ));
    scene.user(
        "git mv old.txt new.txt; echo more >>new.txt; git rm -q gone.txt; printf 'x\\0y' >bin; \
         touch \"$(printf 'a\\033[31m\\nb')\"; git add -A; git commit -qm two",
    );
    let repository = scene.repository();
    let two = repository.head().unwrap().unwrap();
    let text = |format| {
        let rendered = repository.render_diff(&scene.base, &two, format).unwrap();
        String::from_utf8(rendered).unwrap()
    };
    let patch = text(DiffFormat::Patch);
    assert!(patch.contains("rename from old.txt\nrename to new.txt\n"), "{patch}");
    assert!(patch.contains("+++ b/new.txt\n") && patch.contains("\n+more\n"), "{patch}");
    let stat = text(DiffFormat::Stat { columns: 60 });
    assert!(stat.contains("old.txt => new.txt |   1 +\n"), "{stat}");
    let names = text(DiffFormat::Names);
    assert_eq!(names, "\"a\\033[31m\\nb\"\nbin\ngone.txt\nnew.txt\n");
    assert!(!ran.exists(), "a program of the user's was run");
    let counted = repository.count_diff(&scene.base, &two).unwrap();
    let of = |path: &str| counted.iter().find(|file| file.path == path).expect(path);
    assert_eq!((of("bin").kind, of("bin").lines), (ChangeKind::Created, None));
    assert_eq!(of("gone.txt").lines.unwrap().removed, 1);
    assert_eq!(of("new.txt").old_path.as_deref(), Some("old.txt"));
    assert_eq!(of("new.txt").lines.unwrap().added, 1);
    assert_eq!(of("a\u{1b}[31m\nb").kind, ChangeKind::Created);
}
