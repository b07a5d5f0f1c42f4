//! EX-04: the worker's own commits mark the steps.

use afresh_core::ids::CommitId;
use afresh_git::{HarvestLimits, HarvestRequest, Repository, WorkspaceHarvest, WorkspacePool};

use crate::scene::{GitScene, WORK};

/// The subjects of our commits above the base, oldest first, with the files each one changes.
fn story(scene: &GitScene, harvest: &WorkspaceHarvest) -> Vec<(String, Vec<String>)> {
    let mut parent = scene.base.clone();
    let mut subjects = Vec::new();
    for step in &harvest.steps {
        let log = scene.user(&format!("git log -1 --format='%s|%P' {step}"));
        let (subject, parents) = log.trim().split_once('|').unwrap();
        assert_eq!(parents, parent.as_str(), "one line of commits from the base");
        let names = scene.repository().diff_names(&parent, step).unwrap();
        subjects.push((subject.to_owned(), names));
        parent = step.clone();
    }
    subjects
}

fn step(subject: &str, files: &[&str]) -> (String, Vec<String>) {
    (subject.to_owned(), files.iter().map(|file| (*file).to_owned()).collect())
}

fn single(scene: &GitScene, harvest: &WorkspaceHarvest, why: &str) {
    assert_eq!(harvest.steps.len(), 1, "{:?}", story(scene, harvest));
    let noted = harvest.notes.iter().any(|note| note.contains(why));
    assert!(noted, "{why:?} in {:?}", harvest.notes);
}

/// EX-04.
#[test]
fn each_commit_of_the_worker_becomes_a_commit_of_ours() {
    let scene = GitScene::new();
    scene.prepare();
    scene.work(
        "echo two >>a.txt; git commit -qam 'add two'; \
         mkdir lib; echo l >lib/l; git add lib; git commit -qm 'start the \x1b[31mlibrary'; \
         echo three >>a.txt; rm src/main.rs; git commit -qam 'and three'",
    );
    let harvest = scene.harvest();
    assert_eq!(
        story(&scene, &harvest),
        [
            step("feat(T1): add two", &["a.txt"]),
            step("feat(T1): start the [31mlibrary", &["lib/l"]),
            step("feat(T1): and three", &["a.txt", "src/main.rs"]),
        ]
    );
    // An intermediate version of a file was copied from the worker's objects.
    assert_eq!(scene.show(&harvest.steps[0], "a.txt").as_deref(), Some("one\ntwo\n"));
    assert_eq!(
        scene.repository().commit_tree(harvest.steps.last().unwrap()).unwrap(),
        harvest.tree
    );
    assert_eq!(scene.salvaged(), harvest.commit);
    assert_eq!(harvest.notes, Vec::<String>::new());
    scene.prepare();
    scene.user("git fsck --strict --no-dangling");
}

/// EX-04.
#[test]
fn uncommitted_work_becomes_the_last_commit() {
    let scene = GitScene::new();
    scene.prepare();
    scene.work("git checkout -q -b mine; echo two >>a.txt; git commit -qam two; git pack-refs --all; git gc -q; echo x >x");
    let harvest = scene.harvest();
    assert_eq!(
        story(&scene, &harvest),
        [step("feat(T1): two", &["a.txt"]), step("feat(T1): all of it", &["x"])]
    );
}

/// EX-04: a path that is not in the final change is in no step, and an empty step is dropped.
#[test]
fn changes_that_were_undone_appear_in_no_step() {
    let scene = GitScene::new();
    scene.prepare();
    scene.work(
        "echo secret >secret; git add secret; git commit -qm oops; \
         git rm -q secret; git commit -qm 'take it back'; git commit -q --allow-empty -m nothing; \
         echo two >>a.txt; echo tmp >tmp; git add -A; git commit -qm two; rm tmp",
    );
    let blob = scene.work("git rev-parse HEAD~3:secret");
    let harvest = scene.harvest();
    assert_eq!(story(&scene, &harvest), [step("feat(T1): two", &["a.txt"])]);
    let (found, _) = crate::scene::try_shell(
        &scene.root,
        &scene.home(),
        &format!("git cat-file -e {}", blob.trim()),
    );
    assert!(!found, "an object that no step needs was brought over");
}

/// EX-04.
#[test]
fn a_file_that_became_a_directory_and_back_keeps_its_steps() {
    let scene = GitScene::new();
    scene.prepare();
    scene.work(
        "rm a.txt; mkdir a.txt; echo x >a.txt/x; git add -A; git commit -qm turn; \
         rm -rf a.txt; echo back >a.txt; git add -A; git commit -qm back; \
         rm a.txt; mkdir a.txt; echo x2 >a.txt/x; git add -A; git commit -qm again",
    );
    let harvest = scene.harvest();
    assert_eq!(
        story(&scene, &harvest),
        [
            step("feat(T1): turn", &["a.txt", "a.txt/x"]),
            step("feat(T1): back", &["a.txt", "a.txt/x"]),
            step("feat(T1): again", &["a.txt", "a.txt/x"]),
        ]
    );
}

/// EX-04.
#[test]
fn a_merge_of_the_workers_counts_as_one_step() {
    let scene = GitScene::new();
    scene.prepare();
    scene.work(
        "git checkout -q -b side; echo s >s; git add s; git commit -qm side; \
         git checkout -q --detach HEAD~; echo two >>a.txt; git commit -qam two; \
         git merge -q --no-ff -m merged side",
    );
    let harvest = scene.harvest();
    assert_eq!(
        story(&scene, &harvest),
        [step("feat(T1): two", &["a.txt"]), step("feat(T1): merged", &["s"])]
    );
}

/// B30: a rewritten history is harvested as one change against the base.
#[test]
fn an_amended_base_is_one_change_against_the_base() {
    let scene = GitScene::new();
    for script in [
        "echo two >>a.txt; git commit -qa --amend -m rewritten",
        "git checkout -q --orphan new; echo two >>a.txt; git add -A; git commit -qm new",
        "echo two >>a.txt; git commit -qam x; for i in $(seq 51); do git commit -q --allow-empty -m $i; done",
    ] {
        scene.prepare();
        scene.work(script);
        let harvest = scene.harvest();
        single(&scene, &harvest, "do not build on the base");
        assert_eq!(
            scene.repository().diff_names(&scene.base, &harvest.commit.clone().unwrap()).unwrap(),
            ["a.txt"]
        );
    }
    assert_eq!(scene.user("git rev-parse main").trim(), scene.base.as_str());
    scene.user("git fsck --strict --no-dangling");
}

/// B29: what a worker does to refs, its own or ours, changes none of the user's.
#[test]
fn refs_of_the_user_are_unchanged_whatever_the_worker_does_to_its_own() {
    let scene = GitScene::new();
    scene.user("git branch feature; git tag v1");
    let before = (scene.user("git for-each-ref"), scene.user_files());
    scene.prepare();
    scene.work(
        "echo two >>a.txt; git commit -qam two; git branch -f main HEAD; git branch -D main; \
         git update-ref refs/afresh/salvage/run/T1.1 HEAD; git update-ref -d refs/heads/feature; \
         git tag -f v1 HEAD; git push -q origin HEAD:main 2>/dev/null || true; git checkout -q -B main",
    );
    let harvest = scene.harvest();
    assert_eq!(harvest.steps.len(), 1);
    let ours = scene.user("git for-each-ref refs/afresh");
    let after = scene.user("git for-each-ref").replace(&ours, "");
    assert_eq!((after, scene.user_files()), before);
    assert!(ours.contains(harvest.commit.unwrap().as_str()));
}

/// B31: forged objects of a worker are not trusted, and its work is still harvested.
#[test]
fn forged_objects_mean_a_single_commit() {
    let two = "echo two >>a.txt; git commit -qam two; echo three >>a.txt";
    let object = "f=.git/objects/$(git rev-parse HEAD:a.txt | sed 's,..,&/,'); chmod u+w $f";
    let cases = [
        (format!("{two}; {object}; echo garbage >$f"), ""),
        (format!("{two}; {object}; : >$f"), ""),
        (format!("{two}; {object}; rm $f"), "missing or too large"),
        // Another object under this name: git itself would accept it.
        (
            format!(
                "{two}; {object}; o=$(echo other | git hash-object -w --stdin); cp .git/objects/$(echo $o | sed 's,..,&/,') $f"
            ),
            "",
        ),
        (format!("{two}; {object}; rm $f; mkfifo $f"), "object directory was changed"),
        (format!("{two}; {object}; rm $f; ln -s /etc/passwd $f"), "object directory was changed"),
        (
            format!("{two}; echo /tmp >>.git/objects/info/alternates"),
            "object directory was changed",
        ),
        (
            format!("{two}; mv .git/objects o; ln -s ../o .git/objects"),
            "object directory was changed",
        ),
        (format!("{two}; rm .git/HEAD; mkfifo .git/HEAD"), "HEAD cannot be read"),
        (format!("{two}; echo 'ref: refs/../../x' >.git/HEAD"), "does not point to"),
        (format!("{two}; echo 'ref: refs/heads/none' >.git/HEAD"), "does not exist"),
        (format!("{two}; head -c 9999 /dev/zero >.git/HEAD"), "HEAD cannot be read"),
        (format!("{two}; echo 1111111111111111111111111111111111111111 >.git/HEAD"), ""),
        (format!("{two}; rm -rf .git"), "missing or not a directory"),
    ];
    let scene = GitScene::new();
    for (script, why) in cases {
        scene.prepare();
        scene.work(&script);
        let harvest = scene.harvest();
        single(&scene, &harvest, why);
        let commit: CommitId = harvest.commit.unwrap();
        assert_eq!(scene.show(&commit, "a.txt").as_deref(), Some("one\ntwo\nthree\n"), "{script}");
    }
    scene.user("git fsck --strict --no-dangling");
}

/// R15.
#[test]
fn a_huge_intermediate_version_is_not_copied() {
    let scene = GitScene::new();
    scene.prepare();
    scene.work("head -c 5000 /dev/zero >b; git add b; git commit -qm big; echo small >b; git commit -qam small");
    let limits = HarvestLimits { max_file_bytes: 2000, ..HarvestLimits::default() };
    let request = HarvestRequest { limits, ..scene.request(&[]) };
    let harvest = scene.pool.harvest(WORK, &request).unwrap();
    single(&scene, &harvest, "too large");
}

/// EX-04: unusual characters in paths, and a shallow history, change nothing.
#[test]
fn a_shallow_clone_and_a_cache_with_a_colon_work_the_same() {
    let mut scene = GitScene::new();
    scene.user(
        "echo two >>a.txt; git commit -qam two; git clone -q --depth 1 \"file://$PWD\" ../shallow",
    );
    let root = scene.root.parent().unwrap().join("shallow");
    let found = Repository::discover(scene.repository().program(), &root).unwrap();
    scene.base = found.head().unwrap().unwrap();
    scene.root = root;
    scene.pool = WorkspacePool::open(found, &scene.dir.path().join("ca:che \"q\" \\ x")).unwrap();
    scene.prepare();
    assert_eq!(scene.work("git log --format=%s").trim(), "two");
    scene.work("echo three >>a.txt; git commit -qam three; echo four >>a.txt");
    let harvest = scene.harvest();
    assert_eq!(
        story(&scene, &harvest),
        [step("feat(T1): three", &["a.txt"]), step("feat(T1): all of it", &["a.txt"])]
    );
}
