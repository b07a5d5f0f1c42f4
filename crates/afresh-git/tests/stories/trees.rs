//! Trees that we build, compare and merge ourselves are identical to git's.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use afresh_core::ids::CommitId;
use afresh_git::{
    EntryMode, GitEnv, GitProgram, MergeOutcome, MergeRequest, PrepareTarget, Repository,
    TreeSelection, WorkspacePool,
};

use crate::scene::{GitScene, SEE_STAGED, WORK, variables, write_script};

/// Names that sort differently as files and as directories.
const NAMES: [&str; 7] = ["a", "a.b", "a-b", "a0", "b", "c", "ü x"];

/// A deterministic random number generator.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % sides as u64).unwrap()
    }

    fn path(&mut self) -> String {
        let depth = 1 + self.roll(3);
        let parts: Vec<&str> = (0..depth).map(|_| NAMES[self.roll(NAMES.len())]).collect();
        parts.join("/")
    }
}

fn remove(path: &Path) {
    if path.symlink_metadata().is_ok_and(|found| found.is_dir()) {
        fs::remove_dir_all(path).unwrap();
    } else {
        let _ = fs::remove_file(path);
    }
}

/// Adds, changes, removes and turns a few files into something else.
fn edit(tree: &Path, dice: &mut Dice, count: usize, may_remove: bool) {
    for _ in 0..count {
        let path = tree.join(dice.path());
        let what = dice.roll(if may_remove { 8 } else { 6 });
        if what >= 6 {
            remove(&path);
            continue;
        }
        for parent in path.ancestors().skip(1).take_while(|parent| *parent != tree) {
            if !parent.is_dir() && parent.symlink_metadata().is_ok() {
                fs::remove_file(parent).unwrap();
            }
        }
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        remove(&path);
        if what == 0 {
            symlink(format!("nowhere {}", dice.roll(9)), &path).unwrap();
            continue;
        }
        let lines: Vec<String> = (0..3).map(|_| dice.roll(3).to_string()).collect();
        fs::write(&path, lines.join("\n")).unwrap();
        let mode = if what == 1 { 0o755 } else { 0o644 };
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
    }
}

/// A commit of the user's on top of `base`, with random edits.
fn commit(
    scene: &GitScene,
    base: &CommitId,
    dice: &mut Dice,
    count: usize,
    removes: bool,
) -> CommitId {
    scene.user(&format!("git checkout -q -f --detach {base}; git clean -fdqx"));
    edit(&scene.root, dice, count, removes);
    let made = scene.user("git add -A; git commit -q --allow-empty -m x; git rev-parse HEAD");
    made.trim().parse().unwrap()
}

/// The tree of a harvest and its list of changes, against git's own.
#[test]
fn a_harvested_tree_and_its_changes_are_what_git_says() {
    for format in ["sha1", "sha256"] {
        let scene = GitScene::with_format("echo one >a.txt", format);
        let mut dice = Dice(0x9e37_79b9_7f4a_7c15);
        let mut base = scene.base.clone();
        for round in 0..20 {
            base = commit(&scene, &base, &mut dice, 6, true);
            scene.pool.prepare(WORK, PrepareTarget::Commit(&base), &[]).unwrap();
            edit(&scene.tree(), &mut dice, round % 7, true);
            let request = afresh_git::HarvestRequest {
                base: &base,
                prepared: &base,
                onto: &base,
                ..scene.request(&[])
            };
            let harvest = scene.pool.harvest(WORK, &request).unwrap();
            let expected = scene.work("git add -A; git write-tree");
            assert_eq!(harvest.tree.as_str(), expected.trim(), "round {round}");
            let script = "git -c core.quotePath=false diff-tree -r --no-renames --raw --no-abbrev";
            let raw = scene.user(&format!("{script} {base} {}", harvest.tree));
            let expected: Vec<(String, String, String)> = raw
                .lines()
                .map(|line| {
                    let (header, path) = line.split_once('\t').unwrap();
                    let modes: Vec<&str> = header[1..].split(' ').collect();
                    (path.trim_matches('"').to_owned(), modes[0].to_owned(), modes[1].to_owned())
                })
                .collect();
            let changed = harvest.changes.iter().map(|change| {
                (change.path.clone(), octal(change.old_mode), octal(change.new_mode))
            });
            assert_eq!(changed.collect::<Vec<_>>(), expected, "round {round}");
            scene.user("git fsck --strict --no-dangling");
        }
    }
}

fn octal(mode: EntryMode) -> String {
    let text = match mode {
        EntryMode::Absent => "000000",
        EntryMode::File => "100644",
        EntryMode::Executable => "100755",
        EntryMode::Symlink => "120000",
        EntryMode::Gitlink => "160000",
        EntryMode::Tree | EntryMode::Other(_) => "odd",
    };
    text.to_owned()
}

/// Whatever both sides did, the merge equals git's merge; if no file changed on both sides, without
/// git.
#[test]
fn a_merge_is_what_git_merges() {
    let scene = GitScene::with("echo one >a.txt");
    let (pool, calls) = counting_pool(&scene, "merge-tree");
    let mut dice = Dice(0x2545_f491_4f6c_dd1d);
    let mut start = scene.base.clone();
    let (mut clean, mut rounds) = (0, 0);
    for round in 0..60 {
        let removes = round % 3 == 0;
        start = commit(&scene, &start, &mut dice, 4, true);
        let onto = commit(&scene, &start, &mut dice, 1 + round % 3, removes);
        let theirs = commit(&scene, &start, &mut dice, 1 + round % 2, removes);
        if onto == start {
            continue;
        }
        rounds += 1;
        let theirs_tree = scene.repository().commit_tree(&theirs).unwrap();
        let merge =
            MergeRequest { base: &start, onto: &onto, theirs: &theirs, theirs_tree: &theirs_tree };
        let ours = pool.merge(&merge).unwrap();
        let script = format!("git merge-tree --write-tree --merge-base={start} {onto} {theirs}");
        let (is_clean, text) = crate::scene::try_shell(&scene.root, &scene.home(), &script);
        match ours {
            MergeOutcome::Clean { tree } => {
                assert!(is_clean, "round {round}: git sees a conflict\n{text}");
                assert_eq!(tree.as_str(), text.lines().next().unwrap(), "round {round}");
                clean += 1;
            }
            MergeOutcome::Conflict { .. } => assert!(!is_clean, "round {round}: {text}"),
        }
    }
    let call_count = fs::read_to_string(&calls).unwrap_or_default().lines().count();
    assert!(
        clean > 10 && call_count > 5 && call_count < rounds - 10,
        "{call_count} {clean} of {rounds}"
    );
    scene.user("git fsck --strict --no-dangling");
}

/// If one side renamed a directory, files that the other side added to it move along.
#[test]
fn new_files_move_with_a_renamed_directory() {
    let files =
        "mkdir -p d/e; for i in 1 2 3; do seq $i 20 >d/e/$i; seq $i 9 >r$i; done; echo k >k";
    for (rename, add, expected) in [
        ("git mv d n", "echo new >d/e/new", "n/e/new"),
        ("git mv d/e d/n", "echo new >d/e/new", "d/n/new"),
        ("mkdir s; git mv r1 r2 r3 s", "seq 1 8 >r1", "s/r1"),
    ] {
        let scene = GitScene::with(files);
        let made = |script: &str| -> CommitId {
            let base = &scene.base;
            let output = scene.user(&format!(
                "git checkout -q -f --detach {base}; {script}; git add -A; git commit -qm x; \
                 git rev-parse HEAD"
            ));
            output.trim().parse().unwrap()
        };
        let (renamed, added) = (made(rename), made(add));
        for (onto, theirs) in [(&renamed, &added), (&added, &renamed)] {
            let theirs_tree = scene.repository().commit_tree(theirs).unwrap();
            let merge = MergeRequest { base: &scene.base, onto, theirs, theirs_tree: &theirs_tree };
            // Git reports where a new file of a renamed directory belongs, or moves it.
            if let MergeOutcome::Clean { tree } = scene.pool.merge(&merge).unwrap() {
                let listed =
                    scene.user(&format!("{SEE_STAGED}; git ls-tree -r --name-only {tree}"));
                assert!(listed.lines().any(|path| path == expected), "{rename}: {listed}");
            }
        }
    }
}

/// The same pool with a git that records each call of a verb.
fn counting_pool(scene: &GitScene, verb: &str) -> (WorkspacePool, std::path::PathBuf) {
    let (bin, calls) = (scene.dir.path().join("bin"), scene.dir.path().join("calls"));
    fs::create_dir(&bin).unwrap();
    let git = scene.repository().program().path().display().to_string();
    let script = format!(
        "#!/bin/sh\ncase \" $* \" in *' {verb} '*) echo x >>'{}';; esac\nexec {git} \"$@\"\n",
        calls.display()
    );
    write_script(&bin.join("git"), &script);
    let mut vars = variables(&scene.home());
    vars[0].1 = bin.into();
    let program = GitProgram::find(GitEnv::from_vars(vars)).unwrap();
    let repository = Repository::discover(&program, &scene.root).unwrap();
    (WorkspacePool::open(repository, &scene.dir.path().join("cache")).unwrap(), calls)
}

/// FO-07: a tree with some files replaced and added is the one that git would write; modes and all else stay, and
/// what is no regular file is not replaced.
#[test]
fn an_overlaid_tree_is_what_git_writes() {
    for format in ["sha1", "sha256"] {
        let script = "mkdir -p a/b 'a b'; echo 1 >a/b/run.sh; chmod +x a/b/run.sh; echo 2 >a/x.md; echo 3 >'a b'/y; ln -s a link; echo 4 >a.md";
        let scene = GitScene::with_format(script, format);
        let repository = scene.repository();
        let tree = repository.commit_tree(&scene.base).unwrap();
        let files = |entries: &[(&str, &str)]| -> BTreeMap<String, Vec<u8>> {
            let bytes = |text: &str| text.as_bytes().to_vec();
            entries.iter().map(|(path, text)| ((*path).to_owned(), bytes(text))).collect()
        };
        let new = files(&[("a/b/run.sh", "new\n"), ("a.md", "new\n"), ("a/new/deep/z.md", "z\n")]);
        let overlaid = repository.overlay_tree(&tree, &new).unwrap().unwrap();
        let expected = scene.user(
            "echo new >a/b/run.sh; echo new >a.md; mkdir -p a/new/deep; echo z >a/new/deep/z.md; git add -A; git write-tree",
        );
        assert_eq!(overlaid.as_str(), expected.trim());
        for path in ["link", "link/x.md", "a", "a.md/below"] {
            let in_the_way = files(&[(path, "x\n")]);
            assert_eq!(repository.overlay_tree(&tree, &in_the_way).unwrap(), None, "{path}");
        }
        let selection = TreeSelection {
            directory: "a",
            searches: |name| name != "new",
            lists: |name| name.strip_suffix(".md").is_some(),
            max_depth: 5,
            max_files: 100,
        };
        let listed = repository.list_tree_files(&overlaid, &selection).unwrap();
        assert_eq!(listed.keys().collect::<Vec<_>>(), ["x.md"]);
        let content = repository.blob(&listed["x.md"], 100).unwrap();
        assert_eq!(content.as_deref(), Some(&b"2\n"[..]));
    }
}
