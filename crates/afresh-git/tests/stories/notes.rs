//! Notes: what git writes, we read and change, and the other way round.

use std::fmt::Write as _;
use std::time::Instant;

use afresh_core::ids::CommitId;
use afresh_git::ref_names::RECEIPT_NOTES;
use afresh_git::{
    DEFAULT_LOCK_TIMEOUT, NewNote, NoteContent, NotesReader, RefExpectation, RefOutcome, RefUpdate,
    WrittenNote,
};

use crate::scene::GitScene;

const MAX_BYTES: usize = 10_000;

impl GitScene {
    /// Adds a line to the note of a commit, and moves the ref.
    fn add_note(&self, about: &CommitId, line: &str) -> WrittenNote {
        let repository = self.repository();
        let tip = repository.peek_ref(RECEIPT_NOTES).unwrap();
        assert_eq!(tip, repository.read_ref(RECEIPT_NOTES).unwrap());
        let written = self.write(tip.as_ref(), about, line);
        if let WrittenNote::Changed(commit) = &written {
            let old = tip.map_or(RefExpectation::Missing, RefExpectation::Is);
            let name = RECEIPT_NOTES.to_owned();
            let update = RefUpdate { name, new: Some(commit.clone()), old };
            let moved = repository.update_refs(&[update], DEFAULT_LOCK_TIMEOUT).unwrap();
            assert_eq!(moved, RefOutcome::Done);
        }
        written
    }

    fn write(&self, tip: Option<&CommitId>, about: &CommitId, line: &str) -> WrittenNote {
        let new = NewNote {
            tip,
            about,
            max_bytes: MAX_BYTES,
            message: "Notes added by 'afresh run'\n",
            signature: &self.signature,
        };
        let change = |old: Option<&[u8]>| {
            let old = String::from_utf8_lossy(old.unwrap_or_default()).into_owned();
            let has_it = old.lines().any(|it| it == line);
            (!has_it).then(|| format!("{old}{line}\n").into_bytes())
        };
        self.repository().write_note(&new, change).unwrap()
    }

    fn read_note(&self, about: &CommitId) -> NoteContent {
        let tip = self.repository().read_ref(RECEIPT_NOTES).unwrap().unwrap();
        NotesReader::open(self.repository(), &tip).unwrap().read(about, MAX_BYTES).unwrap()
    }

    fn git_note(&self, about: &CommitId) -> String {
        self.user(&format!("git notes --ref=afresh show {about}"))
    }

    /// This many commits with a note each, made by git, which splits the ids as it likes.
    fn fill_with_notes(&self, count: usize) -> Vec<CommitId> {
        let who = "committer A <a@b> 1700000000 +0000\n";
        let mut script = String::new();
        for n in 1..=count {
            let _ = write!(script, "commit refs/heads/many\nmark :{n}\n{who}data 0\n");
        }
        let _ = write!(script, "commit refs/notes/afresh\n{who}data 0\n");
        for n in 1..=count {
            let _ = write!(script, "N inline :{n}\ndata 2\na\n");
        }
        let file = self.dir.path().join("notes.import");
        std::fs::write(&file, script).unwrap();
        self.user(&format!("git fast-import --quiet <{}", file.display()));
        let list = self.user("git rev-list many");
        list.lines().map(|id| id.parse().unwrap()).collect()
    }

    fn next_commit(&self) -> CommitId {
        self.user("git commit -q --allow-empty -m next; git rev-parse HEAD").trim().parse().unwrap()
    }
}

/// How deep each note is: 0 for whole ids in the root.
fn depths(scene: &GitScene) -> Vec<usize> {
    let paths = scene.user("git ls-tree -r --name-only refs/notes/afresh");
    paths.lines().map(|path| path.matches('/').count()).collect()
}

/// TR-06: a note that we write is a note for git; the user's own notes stay as they are.
#[test]
fn git_reads_what_we_write() {
    for format in ["sha1", "sha256"] {
        let scene = GitScene::with_format("echo x >a", format);
        scene.user("git notes add -m mine HEAD");
        let before = scene.user("git rev-parse refs/notes/commits");
        assert!(matches!(scene.add_note(&scene.base, "one"), WrittenNote::Changed(_)));
        let second = scene.next_commit();
        scene.add_note(&second, "two");
        scene.add_note(&second, "three");
        assert_eq!(scene.add_note(&second, "two"), WrittenNote::Unchanged);
        assert_eq!(scene.git_note(&scene.base), "one\n");
        assert_eq!(scene.git_note(&second), "two\nthree\n");
        assert_eq!(scene.read_note(&second), NoteContent::Text(b"two\nthree\n".to_vec()));
        assert_eq!(scene.user("git notes --ref=afresh list | wc -l").trim(), "2");
        assert_eq!(scene.user("git rev-parse refs/notes/commits"), before);
        assert_eq!(scene.user("git fsck --strict --no-dangling 2>&1"), "");
    }
}

/// TR-06: whatever splitting another program left, its notes are read, and ours are added.
#[test]
fn notes_of_any_splitting_are_read_and_extended() {
    for (count, depth) in [(3, 0), (400, 1)] {
        let scene = GitScene::new();
        let ids = scene.fill_with_notes(count);
        assert!(depths(&scene).iter().all(|it| *it == depth), "{:?}", depths(&scene));
        for id in &ids {
            assert_eq!(scene.read_note(id), NoteContent::Text(b"a\n".to_vec()));
        }
        scene.add_note(&ids[1], "b");
        scene.add_note(&scene.base, "new");
        assert_eq!(scene.git_note(&ids[0]), "a\n");
        assert_eq!(scene.git_note(&ids[1]), "a\nb\n");
        assert_eq!(scene.git_note(&scene.base), "new\n");
        // Git writes all of them again in its own way, and we read on.
        scene.user("git notes --ref=afresh append -m more HEAD");
        let expected = NoteContent::Text(b"new\n\nmore\n".to_vec());
        assert_eq!(scene.read_note(&scene.base), expected);
        let listed = scene.user("git notes --ref=afresh list | wc -l");
        assert_eq!(listed.trim(), (count + 1).to_string());
        assert_eq!(scene.user("git fsck --strict --no-dangling 2>&1"), "");
    }
}

/// TR-06: two programs that split differently may leave two notes of one commit; afterwards there is one.
#[test]
fn two_notes_of_one_commit_become_one() {
    let scene = GitScene::new();
    let (directory, rest) = scene.base.as_str().split_at(2);
    scene.user(&format!(
        "a=$(echo flat | git hash-object -w --stdin); b=$(echo deep | git hash-object -w --stdin)
         t=$(printf '100644 blob %s\\t{rest}\\n' $b | git mktree)
         root=$(printf '100644 blob %s\\t{directory}{rest}\\n040000 tree %s\\t{directory}\\n' $a $t | git mktree)
         git update-ref refs/notes/afresh $(git commit-tree -m notes $root)"
    ));
    assert_eq!(scene.read_note(&scene.base), NoteContent::Text(b"flat\ndeep\n".to_vec()));
    scene.add_note(&scene.base, "new");
    assert_eq!(scene.git_note(&scene.base), "flat\ndeep\nnew\n");
    assert_eq!(depths(&scene), [1]);
}

/// TR-06: what is no note stays; where it has the name of a directory of ours, the note goes beside it.
#[test]
fn other_files_among_the_notes_stay() {
    let scene = GitScene::new();
    let digits = &scene.base.as_str()[..2];
    scene.user(&format!(
        "b=$(echo mine | git hash-object -w --stdin); t=$(printf '100644 blob %s\\tx\\n' $b | git mktree)
         root=$(printf '100644 blob %s\\t{digits}\\n040000 tree %s\\tsub\\n' $b $t | git mktree)
         git update-ref refs/notes/afresh $(git commit-tree -m notes $root)"
    ));
    scene.add_note(&scene.base, "new");
    assert_eq!(scene.git_note(&scene.base), "new\n");
    assert_eq!(scene.user(&format!("git show refs/notes/afresh:{digits}")), "mine\n");
    assert_eq!(scene.user("git show refs/notes/afresh:sub/x"), "mine\n");
}

/// TR-06: what is no tree of notes is an error, and a note that is too large is not read.
#[test]
fn damaged_and_huge_notes_are_refused() {
    let scene = GitScene::new();
    scene.user("head -c 20000 /dev/zero | tr '\\0' x | git notes --ref=afresh add -F - HEAD");
    assert_eq!(scene.read_note(&scene.base), NoteContent::TooLarge);
    assert_eq!(scene.add_note(&scene.base, "new"), WrittenNote::TooLarge);
    let blob = scene.user("echo x | git hash-object -w --stdin");
    let blob: CommitId = blob.trim().parse().unwrap();
    assert!(NotesReader::open(scene.repository(), &blob).is_err());
    scene.user(
        "git notes --ref=other add -m x HEAD; t=$(git rev-parse refs/notes/other^{tree}); \
                rm -f .git/objects/$(echo $t | cut -c1-2)/$(echo $t | cut -c3-)",
    );
    let tip: CommitId = scene.user("git rev-parse refs/notes/other").trim().parse().unwrap();
    let mut reader = NotesReader::open(scene.repository(), &tip).unwrap();
    assert!(reader.read(&scene.base, MAX_BYTES).is_err());
}

/// TR-06: the same note on the same notes is the same commit, so that it can be written again after a crash.
#[test]
fn the_same_note_gives_the_same_commit() {
    let scene = GitScene::new();
    let first = scene.write(None, &scene.base, "one");
    assert_eq!(scene.write(None, &scene.base, "one"), first);
    assert!(matches!(first, WrittenNote::Changed(_)));
}

/// TR-06: two people's notes merge, with the commands that the documentation names.
#[test]
fn two_peoples_notes_merge_as_a_union() {
    for strategy in ["union", "cat_sort_uniq"] {
        let scene = GitScene::new();
        scene.add_note(&scene.base, "common");
        scene.user("git update-ref refs/notes/afresh-theirs refs/notes/afresh");
        let second = scene.next_commit();
        scene.add_note(&scene.base, "mine");
        scene.user("git notes --ref=afresh-theirs append --no-separator -m theirs HEAD^");
        scene.user("git notes --ref=afresh-theirs add -m second HEAD");
        scene.user(&format!("git notes --ref=afresh merge -q -s {strategy} afresh-theirs"));
        let NoteContent::Text(text) = scene.read_note(&scene.base) else { panic!() };
        let text = String::from_utf8(text).unwrap();
        for line in ["common", "mine", "theirs"] {
            assert!(text.lines().any(|it| it == line), "{strategy}: {text}");
        }
        assert_eq!(scene.read_note(&second), NoteContent::Text(b"second\n".to_vec()));
        // Ours can still be added.
        scene.add_note(&second, "mine too");
        assert_eq!(scene.git_note(&second), "second\nmine too\n");
    }
}

/// TR-06, R16: a note that no ref has yet survives `git gc --prune=now`.
#[test]
fn a_written_note_survives_a_garbage_collection() {
    let scene = GitScene::new();
    let WrittenNote::Changed(commit) = scene.write(None, &scene.base, "one") else { panic!() };
    scene.user("git gc -q --prune=now");
    scene.user(&format!("git update-ref refs/notes/afresh {commit}"));
    scene.repository().abandon(&commit);
    scene.user("git gc -q --prune=now; rm -rf .git/objects/afresh");
    assert_eq!(scene.git_note(&scene.base), "one\n");
    assert_eq!(
        scene
            .user(
                "git fsck --strict --no-dangling 2>&1; ls .git/objects/pack | grep -c keep || true"
            )
            .trim(),
        "0"
    );
}

/// TR-06: one more note among 2,000 writes two trees, not one with 2,000 entries.
#[test]
fn one_more_note_changes_only_its_own_path() {
    let scene = GitScene::new();
    scene.fill_with_notes(2_000);
    let before = scene.user("git rev-parse refs/notes/afresh");
    scene.add_note(&scene.base, "new");
    let made = scene.user(&format!(
        "git rev-list --objects --no-object-names {}..refs/notes/afresh | git cat-file --batch-check='%(objecttype) %(objectsize)'",
        before.trim()
    ));
    let total: usize =
        made.lines().filter_map(|line| line.rsplit(' ').next()?.parse::<usize>().ok()).sum();
    assert_eq!(made.lines().count(), 4, "{made}");
    assert!(total < 12_000, "{made}");
}

/// `cargo test --release -p afresh-git -- --ignored --nocapture cost_of_notes` prints the times of this machine.
#[test]
#[ignore = "a measurement, not a fact"]
fn cost_of_notes() {
    let scene = GitScene::new();
    let branch = afresh_git::ref_names::run_branch_ref("r1");
    let ids = scene.fill_with_notes(2_000);
    let plain = |to: &CommitId| RefUpdate {
        name: branch.clone(),
        new: Some(to.clone()),
        old: RefExpectation::Any,
    };
    let rounds: u32 = 100;
    let started = Instant::now();
    for id in &ids[..100] {
        let moved = scene.repository().update_refs(&[plain(id)], DEFAULT_LOCK_TIMEOUT);
        assert_eq!(moved.unwrap(), RefOutcome::Done);
    }
    let without = started.elapsed() / rounds;
    let started = Instant::now();
    let (mut reading, mut writing) = (std::time::Duration::ZERO, std::time::Duration::ZERO);
    for id in &ids[..100] {
        let at = Instant::now();
        let tip = scene.repository().peek_ref(RECEIPT_NOTES).unwrap();
        reading += at.elapsed();
        let at = Instant::now();
        let WrittenNote::Changed(note) = scene.write(tip.as_ref(), id, &"x".repeat(2_000)) else {
            panic!()
        };
        writing += at.elapsed();
        let notes = RefUpdate {
            name: RECEIPT_NOTES.to_owned(),
            new: Some(note),
            old: RefExpectation::Is(tip.unwrap()),
        };
        let moved = scene.repository().update_refs(&[plain(id), notes], DEFAULT_LOCK_TIMEOUT);
        assert_eq!(moved.unwrap(), RefOutcome::Done);
    }
    let with = started.elapsed() / rounds;
    let (reading, writing) = (reading / rounds, writing / rounds);
    println!(
        "a move: {without:?}; with a note: {with:?} (of it reading the ref {reading:?}, writing {writing:?})"
    );
}
