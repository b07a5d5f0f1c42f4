//! Landing: the work comes to the user's branch, and no uncommitted change of the user's is
//! touched.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use afresh_core::ids::CommitId;
use afresh_git::{
    GitEnv, GitProgram, LandError, LandRequest, LandShape, LandingMode, LandingPlan, PatchHeader,
    Repository,
};

use crate::scene::{GitScene, shell, snapshot, variables};

/// A repository and the tip of a run that started from its only commit.
struct LandingStory {
    scene: GitScene,
    tip: CommitId,
}

impl LandingStory {
    /// `work` is a script: what the run did.
    fn new(work: &str) -> Self {
        Self::with_scene(GitScene::new(), work)
    }

    fn with_scene(scene: GitScene, work: &str) -> Self {
        scene.user(&format!(
            "git switch -qc afresh/run-1; {work}; git add -A; git commit -qm work; git switch -q main"
        ));
        let tip = scene.user("git rev-parse afresh/run-1").trim().parse().unwrap();
        Self { scene, tip }
    }

    fn plan(&self) -> Result<LandingPlan, LandError> {
        self.plan_in(&self.scene.root)
    }

    /// As if afresh was called in this directory.
    fn plan_in(&self, directory: &Path) -> Result<LandingPlan, LandError> {
        self.repository(directory).plan_landing(&LandRequest {
            directory,
            tip: &self.tip,
            shape: LandShape::Commits,
        })
    }

    fn repository(&self, directory: &Path) -> Repository {
        let program = GitProgram::find(GitEnv::from_vars(variables(&self.scene.home()))).unwrap();
        Repository::discover(&program, directory).unwrap()
    }

    fn land(&self) -> CommitId {
        self.land_in(&self.scene.root)
    }

    fn land_in(&self, directory: &Path) -> CommitId {
        let landing = self.plan_in(directory).unwrap();
        assert_eq!(landing.obstacles, [], "nothing is in the way");
        let repository = self.repository(directory);
        repository.land(&landing, "Merge it\n\nwords\n", &self.scene.signature).unwrap()
    }

    fn user(&self, script: &str) -> String {
        self.scene.user(script)
    }

    fn status(&self) -> String {
        self.user("git status --porcelain --ignored")
    }

    /// Everything below the root but objects and git's caches.
    fn everything(&self) -> BTreeMap<String, String> {
        let mut all = snapshot(&self.scene.root);
        all.retain(|path, _| !path.starts_with(".git/objects"));
        all
    }

    /// Landing is refused because of these paths, and changes nothing.
    #[track_caller]
    fn refused_for(&self, paths: &[&str]) {
        let before = self.everything();
        let landing = self.plan().unwrap();
        let found: Vec<&str> = landing.obstacles.iter().map(|o| o.path.as_str()).collect();
        assert_eq!(found, paths, "{:?}", landing.obstacles);
        assert_eq!(self.everything(), before);
        // Git itself would refuse too, before it changes anything.
        let landed = self.scene.repository().land(&landing, "Merge it", &self.scene.signature);
        assert!(landed.is_err(), "git lets it through");
        assert_eq!(self.user("git rev-parse HEAD").trim(), landing.from.as_str());
        let after = self.everything();
        let own = |path: &&String| !path.starts_with(".git/index") && *path != ".git/ORIG_HEAD";
        let differ: Vec<&String> = after
            .keys()
            .chain(before.keys())
            .filter(own)
            .filter(|p| after.get(*p) != before.get(*p))
            .collect();
        assert_eq!(differ, Vec::<&String>::new());
    }
}

const WORK: &str = "echo two >>a.txt; mkdir -p new; echo n >new/n.txt; git rm -q src/main.rs; \
                    ln -sf run.sh link; echo y >yes.log; git add -f yes.log";

/// EX-10: if the user's branch has not moved, it moves to exactly the commit that was checked.
#[test]
fn a_branch_that_has_not_moved_is_fast_forwarded() {
    let story = LandingStory::new(WORK);
    let to = story.land();
    assert_eq!(to, story.tip);
    assert_eq!(story.user("git rev-parse main").trim(), story.tip.as_str());
    assert_eq!(story.status(), "");
    assert_eq!(
        story.user("cat a.txt new/n.txt; readlink link; ls src 2>&1 || true").lines().count(),
        5
    );
    assert_eq!(story.plan().unwrap().way, LandingMode::Already);
    assert_eq!(story.land(), to, "once more is no harm");
    assert!(story.user("git reflog -1").contains("afresh land"));
}

/// EX-10: the user's other changes, staged or not, tracked or not, stay as they are.
#[test]
fn uncommitted_work_elsewhere_is_kept() {
    let story = LandingStory::new(WORK);
    story.user(
        "echo mine >>run.sh; echo staged >s.txt; git add s.txt; echo more >>s.txt; \
         echo u >untracked; echo i >i.log; mkdir -p target; echo t >target/t; touch a.txt",
    );
    let before = story.user("cat run.sh s.txt untracked i.log target/t; git show :s.txt");
    story.land();
    assert_eq!(story.user("cat run.sh s.txt untracked i.log target/t; git show :s.txt"), before);
    assert_eq!(story.status(), " M run.sh\nAM s.txt\n?? untracked\n!! i.log\n!! target/\n");
}

/// EX-10: uncommitted changes that would be overwritten are listed, and nothing is changed.
#[test]
fn uncommitted_work_in_the_way_is_named_and_kept() {
    for (mess, in_the_way) in [
        ("echo mine >>a.txt", "a.txt"),
        ("echo mine >>a.txt; git add a.txt", "a.txt"),
        ("echo mine >>a.txt; git add a.txt; printf 'one\\n' >a.txt", "a.txt"),
        ("chmod +x a.txt", "a.txt"),
        ("echo mine >>src/main.rs", "src/main.rs"),
        ("rm link; echo mine >link", "link"),
        ("mkdir new; echo mine >new/n.txt", "new/n.txt"),
        ("echo mine >new", "new/n.txt"),
        ("ln -s /tmp new", "new/n.txt"),
        ("echo mine >yes.log", "yes.log"),
        ("mkdir yes.log; echo mine >yes.log/deep", "yes.log"),
        ("git update-index --assume-unchanged a.txt; echo mine >>a.txt", "a.txt"),
    ] {
        let story = LandingStory::new(WORK);
        story.user(mess);
        eprintln!("{mess}");
        story.refused_for(&[in_the_way]);
    }
}

/// EX-10: an uncommitted deletion is work too, although git would undo it.
#[test]
fn a_deletion_in_the_way_is_named() {
    let story = LandingStory::new(WORK);
    story.user("rm a.txt");
    let obstacles = story.plan().unwrap().obstacles;
    assert_eq!(obstacles[0].why, "has uncommitted changes");
    assert_eq!((obstacles.len(), obstacles[0].path.as_str()), (1, "a.txt"));
}

/// EX-10: if both have moved, a merge commit joins them, with the user's commit as first parent.
#[test]
fn branches_that_both_moved_are_merged() {
    let story = LandingStory::new(WORK);
    story.user("echo theirs >theirs.txt; git add -A; git commit -qm theirs; echo u >untracked");
    let mine = story.user("git rev-parse HEAD");
    let to = story.land();
    let parents = story.user(&format!("git rev-parse {to}^1 {to}^2"));
    assert_eq!(parents, format!("{mine}{}\n", story.tip));
    assert_eq!(story.user("git log -1 --format=%s%n%an"), "Merge it\nAnn\n");
    assert_eq!(story.status(), "?? untracked\n");
    assert_eq!(story.user("cat theirs.txt new/n.txt"), "theirs\nn\n");
}

/// EX-10: a conflict is reported with its paths, and nothing is changed.
#[test]
fn a_conflict_changes_nothing() {
    let story = LandingStory::new(WORK);
    story.user("echo other >a.txt; git commit -qam other");
    let before = story.everything();
    let Err(LandError::Conflict { paths, .. }) = story.plan() else { panic!("no conflict") };
    assert_eq!(paths, ["a.txt"]);
    assert_eq!(story.everything(), before);
}

/// EX-10: a landing that was interrupted at any point continues from there.
#[test]
fn an_interrupted_landing_continues() {
    let done = ["new/n.txt", "a.txt", "link", "yes.log"];
    for count in 0..=done.len() {
        let story = LandingStory::new(WORK);
        // Files are written one by one; the index is written after them.
        for path in &done[..count] {
            story.user(&format!(
                "mkdir -p $(dirname {path}); git --work-tree=. cat-file blob afresh/run-1:{path} >tmp; \
                 if [ {path} = link ]; then ln -sf $(cat tmp) link; rm tmp; else mv tmp {path}; fi"
            ));
        }
        if count > 2 {
            story.user("rm src/main.rs");
        }
        assert_eq!(story.land(), story.tip, "after {count}");
        assert_eq!(story.status(), "", "after {count}");
    }
    // Files and index are written, and the branch has not moved.
    let story = LandingStory::new(WORK);
    story.user("git read-tree -m -u HEAD afresh/run-1");
    assert_eq!(story.land(), story.tip);
    assert_eq!(story.status(), "");
}

/// EX-10: git itself is killed while it writes files; after its lock is removed, landing continues.
#[test]
fn a_landing_recovers_from_a_killed_git() {
    let story = LandingStory::with_scene(
        GitScene::with(
            "echo '*.up filter=boom' >.gitattributes; echo a >a; echo z >z; echo g >gone",
        ),
        "echo 2 >a; mkdir b; echo b >b/b; echo m >m.up; echo 2 >z; git rm -q gone; echo y >y",
    );
    // The filter of a file in the middle kills the git that runs it.
    story.user("git config filter.boom.smudge 'kill -9 $PPID; cat'; echo mine >mine");
    let landing = story.plan().unwrap();
    let killed = story.scene.repository().land(&landing, "Merge it", &story.scene.signature);
    assert!(matches!(killed, Err(LandError::Git(_))), "{killed:?}");
    let lock = story.scene.root.join(".git/index.lock");
    assert!(lock.exists(), "git was killed before it began");
    assert_eq!(story.user("git rev-parse HEAD").trim(), story.scene.base.as_str());
    assert!(!story.user("git status --porcelain").is_empty(), "nothing was written yet");
    fs::remove_file(lock).unwrap();
    story.user("git config --unset filter.boom.smudge");
    assert_eq!(story.land(), story.tip);
    assert_eq!(story.status(), "?? mine\n");
}

#[test]
fn a_detached_head_moves_alone() {
    let story = LandingStory::new(WORK);
    story.user("git checkout -q --detach");
    assert_eq!(story.plan().unwrap().branch, None);
    story.land();
    assert_eq!(story.user("git rev-parse HEAD").trim(), story.tip.as_str());
    assert_eq!(story.user("git rev-parse main").trim(), story.scene.base.as_str());
}

#[test]
fn only_the_linked_worktree_changes() {
    let story = LandingStory::new(WORK);
    story.user("git worktree add -q -b other ../other");
    let other = story.scene.root.parent().unwrap().join("other");
    let main = story.user("cat a.txt; git status --porcelain");
    story.land_in(&other);
    let home = story.scene.home();
    assert_eq!(
        shell(&other, &home, "git status --porcelain; git rev-parse other"),
        format!("{}\n", story.tip)
    );
    assert_eq!(story.user("cat a.txt; git status --porcelain"), main);
    assert_eq!(story.user("git rev-parse main").trim(), story.scene.base.as_str());
}

#[test]
fn a_branch_that_is_checked_out_twice_is_not_moved() {
    let story = LandingStory::new(WORK);
    story.user("git worktree add -q -f ../other main");
    assert!(matches!(story.plan(), Err(LandError::CheckedOut { .. })));
}

#[test]
fn only_the_branch_moves_in_a_bare_repository() {
    let story = LandingStory::new(WORK);
    let bare = story.scene.root.parent().unwrap().join("bare.git");
    story.user("git clone -q --bare . ../bare.git");
    assert_eq!(story.land_in(&bare), story.tip);
    let home = story.scene.home();
    assert_eq!(shell(&bare, &home, "git rev-parse main").trim(), story.tip.as_str());
    // Unless it is checked out elsewhere.
    shell(
        &bare,
        &home,
        "git update-ref refs/heads/main main~; git worktree add -q -f ../tree main",
    );
    assert!(matches!(story.plan_in(&bare), Err(LandError::CheckedOut { .. })));
}

#[test]
fn a_merge_or_rebase_of_the_users_is_not_disturbed() {
    let story = LandingStory::new(WORK);
    story.user(
        "git switch -qc side; echo s >s; git add s; git commit -qm s; git switch -q main; \
                git merge -q --no-commit --no-ff side",
    );
    assert!(matches!(story.plan(), Err(LandError::InProgress("merge"))));
}

#[test]
fn landing_on_a_branch_without_commits_fails() {
    let story = LandingStory::new(WORK);
    story.user("git checkout -q --orphan empty");
    assert!(matches!(story.plan(), Err(LandError::Unborn)));
}

#[test]
fn a_file_may_become_a_directory_and_back() {
    let story = LandingStory::with_scene(
        GitScene::with("echo f >f; mkdir d; echo x >d/x; echo y >d/y"),
        "git rm -qr f d; mkdir f; echo in >f/in; echo d >d",
    );
    story.land();
    assert_eq!(story.status(), "");
    assert_eq!(story.user("cat f/in d"), "in\nd\n");
    let story = LandingStory::with_scene(
        GitScene::with("echo f >f; mkdir d; echo x >d/x; echo y >d/y"),
        "git rm -qr f d; mkdir f; echo in >f/in; echo d >d",
    );
    story.user("echo mine >d/mine");
    story.refused_for(&["d"]);
}

#[test]
fn submodules_are_recorded_and_not_touched() {
    let scene = GitScene::new();
    scene.user("git init -q ../lib; cd ../lib; echo 1 >l; git add l; git commit -qm 1");
    scene.user(
        "git -c protocol.file.allow=always submodule --quiet add ../lib lib; git commit -qm sub",
    );
    let before = scene.user("git -C lib rev-parse HEAD");
    let story =
        LandingStory::with_scene(scene, "git -C lib commit -q --allow-empty -m 2; git add lib");
    // The user's own checkout of the submodule has work in it.
    story.user(&format!("git -C lib checkout -q {}; echo mine >>lib/l", before.trim()));
    story.land();
    assert_eq!(story.user("git -C lib rev-parse HEAD"), before);
    assert_eq!(story.user("cat lib/l"), "1\nmine\n");
    assert_eq!(story.user("git rev-parse HEAD").trim(), story.tip.as_str());
}

/// The user's filters wrote the files of the checkout, so they write the new ones too.
#[test]
fn the_users_filters_are_used_and_hooks_are_not() {
    let story = LandingStory::with_scene(
        GitScene::with("echo '*.up filter=up' >.gitattributes; echo abc >a.up; echo x >b.txt"),
        "echo def >n.up; git add n.up; git rm -q --cached b.txt; rm b.txt",
    );
    story.user(
        "git config filter.up.smudge 'tr a-z A-Z'; git config filter.up.clean 'tr A-Z a-z'; \
         rm a.up; git checkout -q a.up; printf '#!/bin/sh\\ntouch ../hooked\\n' >.git/hooks/post-merge; \
         cp .git/hooks/post-merge .git/hooks/post-checkout; chmod +x .git/hooks/post-*",
    );
    assert_eq!(story.user("cat a.up"), "ABC\n");
    story.user("rm -f ../hooked");
    story.land();
    assert_eq!(story.user("cat n.up; git show HEAD:n.up; git status --porcelain"), "DEF\ndef\n");
    assert!(!story.scene.root.parent().unwrap().join("hooked").exists());
}

#[test]
fn a_sparse_checkout_stays_sparse() {
    let story = LandingStory::with_scene(
        GitScene::with("mkdir in out; echo i >in/i; echo o >out/o"),
        "echo 2 >in/i; echo 2 >out/o",
    );
    story.user("git sparse-checkout set in");
    story.land();
    assert_eq!(
        story.user("cat in/i; ls -d out 2>/dev/null || echo none; git status --porcelain"),
        "2\nnone\n"
    );
}

#[test]
fn landing_works_with_sha256() {
    let scene = GitScene::with_format("echo one >a.txt; echo gone >b.txt", "sha256");
    let story = LandingStory::with_scene(scene, "echo two >a.txt; git rm -q b.txt; echo c >c.txt");
    // With an interrupted deletion, which needs the zero id.
    story.user("rm b.txt");
    story.land();
    assert_eq!(story.status(), "");
}

#[test]
fn an_index_lock_of_another_git_is_waited_for() {
    let story = LandingStory::new(WORK);
    let landing = story.plan().unwrap();
    let lock = story.scene.root.join(".git/index.lock");
    fs::write(&lock, "").unwrap();
    let landed = std::thread::scope(|scope| {
        let landed = scope
            .spawn(|| story.scene.repository().land(&landing, "Merge it", &story.scene.signature));
        std::thread::sleep(std::time::Duration::from_millis(300));
        fs::remove_file(&lock).unwrap();
        landed.join().unwrap()
    });
    assert_eq!(landed.unwrap(), story.tip);
    assert_eq!(story.status(), "");
}

/// EX-10: the patch gives exactly the same tree, with `git am` and with `git apply`.
#[test]
fn the_patch_gives_the_same_tree() {
    let story =
        LandingStory::new(&format!("{WORK}; head -c 3000 /dev/urandom >bin; chmod +x a.txt"));
    let head = PatchHeader {
        subject: "a name\nwith a break",
        body: "one\n---\ndiff --git a/x b/x\ntwo",
        date: "Sun, 15 Nov 2026 09:30:00 +0000",
        remarks: "Receipts:\n* T1.1\ndiff --git a/evil b/evil\n--- a/evil\n",
        signature: &story.scene.signature,
    };
    let patch = story.scene.repository().patch(&story.scene.base, &story.tip, &head).unwrap();
    fs::write(story.scene.root.join("../p.patch"), patch).unwrap();
    let wanted = story.user("git rev-parse afresh/run-1^{tree}");
    assert_eq!(story.user("git am -q ../p.patch; git rev-parse HEAD^{tree}"), wanted);
    assert_eq!(
        story.user("git log -1 --format='%an %s%n%b'"),
        "Ann a name with a break\none\ntwo\n\n"
    );
    assert_eq!(
        story.user("git reset -q --hard HEAD~; git apply --index ../p.patch; git write-tree"),
        wanted
    );
}
