//! `afresh land --pr`, with a bare repository as the remote and stand-ins for `gh` and `glab` (BE-09, EX-10).

use std::fs;
use std::path::PathBuf;

use afresh_testkit::repo::{finish, write_script};
use afresh_testkit::{CommandOutput, TestRepo};

use crate::support::git::in_front_of_path;
use crate::support::repo;

/// Records what it is called with; `logged-out`, `broken` and `open` are files that change what it does.
const STAND_IN: &str = r#"#!/bin/sh
d=$(dirname "$0"); name=$(basename "$0")
{ printf '%s' "$name"; for a in "$@"; do printf ' [%s]' "$a"; done; echo; } >> "$d/calls"
case "$1 $2" in
"auth status") [ ! -e "$d/logged-out" ] || { echo "You are not logged into any hosts" >&2; exit 1; } ;;
"pr list") if [ -e "$d/open" ]; then echo '[{"number":7,"url":"https://forge.example/7"}]'; else echo '[]'; fi ;;
"mr list") if [ -e "$d/open" ]; then echo '[{"iid":7,"web_url":"https://forge.example/7"}]'; else echo '[]'; fi ;;
"pr create" | "mr create") [ ! -e "$d/broken" ] || { echo "API rate limit" >&2; exit 1; }
  : > "$d/open"; [ "$name" = glab ] || cat > "$d/body"; echo "https://forge.example/7" ;;
"pr edit") cat > "$d/body" ;;
esac
"#;

/// A finished run of two tasks, a remote `origin` that has `main`, and the stand-ins.
struct HandoverScene {
    repo: TestRepo,
    remote: &'static str,
}

impl HandoverScene {
    fn new(remote: &'static str) -> Self {
        let repo = repo();
        repo.plan_of(2);
        repo.commit("a plan");
        repo.agent("echo x > $AFRESH_TASK.txt");
        repo.git(&["init", "-q", "--bare", "-b", "main", remote]);
        repo.git(&["remote", "add", "origin", remote]);
        repo.git(&["push", "-q", "origin", "main"]);
        repo.run(&[]).expect(0);
        let scene = Self { repo, remote };
        fs::create_dir(scene.file("")).expect("a new directory");
        for program in ["gh", "glab"] {
            write_script(&scene.file(program), STAND_IN);
        }
        scene
    }

    fn file(&self, name: &str) -> PathBuf {
        self.repo.path().join("forge").join(name)
    }

    fn land(&self, args: &[&str]) -> CommandOutput {
        let args: Vec<&str> = ["land", "--pr"].iter().chain(args).copied().collect();
        let mut command = self.repo.command(&args);
        command.env("PATH", in_front_of_path(&self.file("")));
        command.env("FORGE_TOKEN", "hunter22hunter22");
        finish(command)
    }

    /// What the stand-ins were asked, except for whether they are logged in.
    fn calls(&self) -> Vec<String> {
        let calls = fs::read_to_string(self.file("calls")).unwrap_or_default();
        let asked = calls.lines().filter(|line| !line.contains("[auth]"));
        asked.map(str::to_owned).collect()
    }

    fn body(&self) -> String {
        fs::read_to_string(self.file("body")).expect("a body")
    }

    /// The refs of the remote with their commits.
    fn remote_refs(&self) -> String {
        self.repo.git(&["ls-remote", self.remote])
    }

    fn remote_commit(&self, name: &str) -> Option<String> {
        let refs = self.remote_refs();
        let mut lines = refs.lines().filter_map(|line| line.split_once('\t'));
        lines.find(|(_, other)| *other == name).map(|(commit, _)| commit.to_owned())
    }

    fn tip(&self) -> String {
        self.repo.git(&["rev-parse", "afresh/test-1"])
    }
}

/// BE-09, EX-10, R5: branch and receipts are pushed, the pull request has tasks, checks, commits and how to verify
/// them, and nothing in the checkout changes.
#[test]
fn a_run_becomes_a_pull_request() {
    let scene = HandoverScene::new("../remote.git");
    let repo = &scene.repo;
    repo.write("README.md", "changed, not committed\n");
    let state = || {
        let status = repo.git(&["status", "--porcelain", "-b"]);
        (status, repo.git(&["rev-parse", "HEAD"]), fs::read(repo.root().join(".git/index")).ok())
    };
    let before = state();
    let ran = scene.land(&[]).expect(0);
    assert_eq!(state(), before);
    assert_eq!(scene.remote_commit("refs/heads/afresh/test-1"), Some(scene.tip()));
    let notes = repo.git(&["rev-parse", "refs/notes/afresh"]);
    assert_eq!(scene.remote_commit("refs/notes/afresh"), Some(notes));
    assert_eq!(
        scene.calls(),
        [
            "gh [pr] [list] [--state] [open] [--head] [afresh/test-1] [--base] [main] [--json] [number,url,isCrossRepository]",
            "gh [pr] [create] [--head] [afresh/test-1] [--base] [main] [--title] [test] [--body-file] [-]",
        ]
    );
    let body = scene.body();
    let commit = &scene.tip()[..10];
    assert!(body.contains(&format!("`{commit}` | `test -s T00")), "{body}");
    assert!(body.contains(&format!("afresh verify-run {}", scene.tip())), "{body}");
    assert!(ran.stderr.contains("pushed"), "{}", ran.stderr);
    assert!(
        ran.stderr.contains("opened a pull request into main: https://forge.example/7"),
        "{ran:?}"
    );
    // In a clone with the notes the receipts hold.
    repo.git(&["clone", "-q", scene.remote, "../clone"]);
    let clone = repo.path().join("clone");
    let clone = clone.to_str().expect("a path");
    repo.git(&["-C", clone, "fetch", "-q", "origin", "refs/notes/afresh:refs/notes/afresh"]);
    let verified = repo.afresh(&["-C", clone, "verify-run", &scene.tip(), "--json"]).expect(0);
    assert_eq!(verified.json()["ok"], true);
}

/// BE-09: a second time the open pull request gets the new text, and the branch the new commits.
#[test]
fn an_open_pull_request_is_updated() {
    let scene = HandoverScene::new("../remote.git");
    scene.land(&[]).expect(0);
    let json = scene.land(&["--json"]).expect(0).json();
    assert_eq!((&json["action"], &json["number"]), (&"update".into(), &7.into()));
    assert_eq!(json["url"], "https://forge.example/7");
    let last = scene.calls().pop().expect("a call");
    assert_eq!(last, "gh [pr] [edit] [7] [--title] [test] [--body-file] [-]");
    // A rewound run replaces its own earlier state on the remote.
    let earlier = scene.tip();
    scene.repo.afresh(&["rewind", "T001"]).expect(0);
    scene.repo.run(&[]).expect(0);
    assert_ne!(scene.tip(), earlier);
    scene.land(&[]).expect(0);
    assert_eq!(scene.remote_commit("refs/heads/afresh/test-1"), Some(scene.tip()));
}

/// BE-09: a remote whose address names GitLab is asked through `glab`; every choice is an option.
#[test]
fn a_gitlab_remote_gets_a_merge_request() {
    let scene = HandoverScene::new("../gitlab.git");
    scene.repo.git(&["push", "-q", "origin", "main:release"]);
    let ran = scene
        .land(&[
            "--remote", "origin", "--branch", "my/work", "--base", "release", "--draft", "--json",
        ])
        .expect(0);
    let json = ran.json();
    assert_eq!((&json["way"], &json["program"]), (&"pr".into(), &"glab".into()));
    assert_eq!((&json["branch"], &json["base"]), (&"my/work".into(), &"release".into()));
    assert_eq!(json["receipts_pushed"], true);
    assert_eq!(scene.remote_commit("refs/heads/my/work"), Some(scene.tip()));
    let calls = fs::read_to_string(scene.file("calls")).expect("calls");
    let create = calls.split("glab [mr] [create] ").nth(1).expect("it was created");
    assert!(
        create.starts_with(
            "[--yes] [--source-branch] [my/work] [--target-branch] [release] [--title] [test]"
        ),
        "{create}"
    );
    assert!(
        create.contains("[--description]") && create.trim_end().ends_with("[--draft]"),
        "{create}"
    );
    scene.land(&["--branch", "my/work", "--base", "release"]).expect(0);
    assert!(scene.calls().iter().any(|call| call.starts_with("glab [mr] [update] [7]")));
}

/// BE-09: without the program, or without a login, nothing is pushed, and the commands are named.
#[test]
fn without_the_program_the_commands_are_named() {
    let scene = HandoverScene::new("../remote.git");
    let before = scene.remote_refs();
    fs::write(scene.file("logged-out"), "").expect("written");
    let ran = scene.land(&[]).expect(1);
    assert!(
        ran.stderr.contains("`gh` is not logged in: You are not logged into any hosts"),
        "{ran:?}"
    );
    let by_hand =
        format!("git push origin {}:refs/heads/afresh/test-1 refs/notes/afresh", scene.tip());
    let flat = |text: &str| text.split_whitespace().collect::<Vec<&str>>().join(" ");
    assert!(flat(&ran.stderr).contains(&by_hand), "{}", ran.stderr);
    assert!(
        flat(&ran.stderr).contains("gh pr create --head afresh/test-1 --base main"),
        "{}",
        ran.stderr
    );
    fs::remove_file(scene.file("gh")).expect("removed");
    let error = scene.land(&["--json"]).expect(1).json();
    assert_eq!(error["error"]["kind"], "forge");
    assert_eq!(scene.remote_refs(), before, "nothing is half done");
}

/// BE-09: if the program fails after the push, the branch is named, and a second try completes it.
#[test]
fn a_failure_after_the_push_names_the_branch() {
    let scene = HandoverScene::new("../remote.git");
    fs::write(scene.file("broken"), "").expect("written");
    let ran = scene.land(&["--draft", "--base", "main", "--partial"]).expect(1);
    assert!(ran.stderr.contains("afresh/test-1 was pushed to origin"), "{}", ran.stderr);
    assert!(ran.stderr.contains("API rate limit"), "{}", ran.stderr);
    // With the options that were given.
    let flat = ran.stderr.split_whitespace().collect::<Vec<&str>>().join(" ");
    assert!(
        flat.contains("`afresh land test-1 --pr --base main --draft --partial` tries"),
        "{flat}"
    );
    fs::remove_file(scene.file("broken")).expect("removed");
    scene.land(&[]).expect(0);
    assert_eq!(scene.remote_commit("refs/heads/afresh/test-1"), Some(scene.tip()));
}

/// BE-09: `--dry-run` shows all of it, and changes neither the remote nor the forge.
#[test]
fn a_dry_run_shows_the_whole_pull_request() {
    let scene = HandoverScene::new("../remote.git");
    let before = (scene.remote_refs(), scene.repo.untouched());
    let ran = scene.land(&["--dry-run"]).expect(0);
    for shown in ["would push", "would open a pull request into main", "### Receipts", "T002.txt"] {
        assert!(ran.stderr.contains(shown), "{shown}: {}", ran.stderr);
    }
    let json = scene.land(&["--dry-run", "--json"]).expect(0).json();
    assert_eq!((&json["dry_run"], &json["action"]), (&true.into(), &"create".into()));
    assert!(json["body"].as_str().is_some_and(|body| body.contains("### Receipts")), "{json}");
    assert!(
        scene.calls().iter().all(|call| call.starts_with("gh [pr] [list]")),
        "{:?}",
        scene.calls()
    );
    assert_eq!(scene.remote_refs(), before.0);
    scene.repo.untouched().expect_same_as(&before.1);
}

/// BE-09, R16: commits of others on the branch are never replaced, and what cannot be a branch or a base is refused.
#[test]
fn commits_of_others_are_not_replaced() {
    let scene = HandoverScene::new("../remote.git");
    let repo = &scene.repo;
    repo.write("other.txt", "theirs\n");
    repo.commit("of somebody else");
    repo.git(&["push", "-q", "origin", "HEAD:refs/heads/afresh/test-1"]);
    let before = scene.remote_refs();
    let ran = scene.land(&[]).expect(1);
    assert!(ran.stderr.contains("afresh/test-1 on origin has other commits"), "{}", ran.stderr);
    for (args, message) in [
        (["--branch", "a..b"], "is no name of a branch"),
        (["--branch", "-x\u{1b}[2J"], "is no name of a branch"),
        (["--branch", "main"], "would be merged into itself"),
        (["--base", "gone"], "origin has no branch gone"),
        (["--remote", "nowhere"], "there is no remote \"nowhere\""),
    ] {
        let args = [args[0].to_owned() + "=" + args[1]];
        let ran = scene.land(&[&args[0]]).expect(2);
        assert!(ran.stderr.contains(message), "{args:?}: {}", ran.stderr);
        assert!(!ran.stderr.contains('\u{1b}'), "{}", ran.stderr);
    }
    assert_eq!(scene.remote_refs(), before);
    repo.git(&["remote", "remove", "origin"]);
    let ran = scene.land(&[]).expect(2);
    assert!(ran.stderr.contains("no remote to push to"), "{}", ran.stderr);
}

/// BE-09, B36: a secret of the environment is in no text that leaves the machine, and names notify nobody.
#[test]
fn the_text_holds_no_secret() {
    let scene = HandoverScene::new("../remote.git");
    let repo = &scene.repo;
    repo.plan(
        "[[task]]\nid = \"A\"\ntitle = \"use hunter22hunter22 for @everyone\"\nfiles = [\"a.txt\"]\nchecks = [\"test -s a.txt\"]\n",
    );
    repo.agent("echo x > a.txt");
    repo.run(&["--new"]).expect(0);
    let dry = scene.land(&["--dry-run", "--json"]).expect(0);
    assert!(!dry.stdout.contains("hunter22") && dry.stdout.contains("[masked]"), "{}", dry.stdout);
    let json = dry.json();
    let body = json["body"].as_str().expect("a body");
    assert!(!body.contains("@everyone") && body.contains("everyone"), "{body}");
}
