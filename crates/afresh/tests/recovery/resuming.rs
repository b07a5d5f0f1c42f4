//! An interrupted attempt continues: the same directory, files and conversation (AG-08). The program is a small one
//! that prints what Claude Code prints and keeps a diary.

use std::fs;

use crate::support::git::lose_object;
use crate::support::{Driver, Gate, repo};
use afresh_testkit::TestRepo;
use afresh_testkit::repo::finish;
use nix::sys::signal::Signal;

/// Reads its arguments, reports its identity, and records in the diary how it was started, where, and with what
/// prompt.
const STARTS: &str = r#"how=new
while [ $# -gt 0 ]; do
  case "$1" in --session-id) id=$2;; --resume) id=$2; how=resumed;; esac
  shift
done
echo "$how $id $(pwd)" >> "$DIARY"
cat > "$DIARY.prompt.$AFRESH_ATTEMPT"
echo "{\"type\":\"system\",\"subtype\":\"init\",\"session_id\":\"$id\",\"model\":\"claude-sonnet-4-5\"}"
"#;

/// The first half: a part is committed, a part is not.
const HALF: &str = "echo one > T001.txt; git add -A; git commit -qm part; echo two >> T001.txt\n";

/// The second half, on top of exactly that.
const REST: &str = r#"[ "$(cat T001.txt)" = "one
two" ] || exit 9
[ "$(git status --porcelain)" = "?? T001.txt" ] || exit 8
echo three >> T001.txt
afresh report-result --status completed > /dev/null
echo '{"type":"result","subtype":"success","is_error":false,"result":"Done."}'
"#;

/// What a fresh worker does.
const ALL: &str = r#"printf 'all\n' > T001.txt
afresh report-result --status completed > /dev/null
echo '{"type":"result","subtype":"success","is_error":false,"result":"Done."}'
"#;

struct ResumeScene {
    repo: TestRepo,
    up: Gate,
}

impl ResumeScene {
    /// The program does `first` when it is fresh, and `then` when it continues; once the conversation was lost, a fresh
    /// one does all of it.
    fn new(first: &str, then: &str) -> Self {
        let repo = repo();
        repo.plan(
            "[[task]]\nid = \"T001\"\ntitle = \"work\"\nfiles = [\"T001.txt\"]\nchecks = [\"test -s T001.txt\"]\n",
        );
        let up = Gate::new(&repo, "up");
        let diary = repo.path().join("diary");
        let program = repo.path().join("claude.sh");
        let script = format!(
            "DIARY='{}'\nopen_gate() {{ {}; }}\n{STARTS}\
             if [ $how = resumed ]; then\n{then}\nelif {}; then\n{ALL}\nelse\n{HALF}{first}\nfi\n",
            diary.display(),
            up.opened_by_worker(),
            up.is_open_in_script(),
        );
        fs::write(&program, script).expect("written");
        let agent = |name: &str| {
            format!(
                "[agents.{name}]\nkind = \"claude\"\ncommand = [\"sh\", \"{}\"]\n",
                program.display()
            )
        };
        let run =
            "[run]\nagent = \"talks\"\nhalt_grace = \"1s\"\nbackoff = [\"10ms\"]\nattempts = 2\n";
        repo.write(".afresh/config.toml", &format!("{run}{}{}", agent("talks"), agent("other")));
        repo.commit("an agent");
        Self { repo, up }
    }

    /// It works until it is killed.
    fn waiting(then: &str) -> Self {
        Self::new("open_gate; while :; do sleep 0.05; done", then)
    }

    fn start(&self) -> Driver {
        let driver = Driver::run(&self.repo, &["--no-input"]);
        self.repo.wait_until("half of it is done", || self.up.is_open());
        // Its session must be known, or no worker could continue it.
        let session = || self.repo.status()["tasks"][0]["workers"][0]["session"].clone();
        self.repo.wait_until("its conversation is known", || session().is_string());
        driver
    }

    /// It works until two halts end it.
    fn halted_twice(&self) {
        let mut driver = self.start();
        driver.signal(Signal::SIGINT);
        driver.await_stderr("halt");
        driver.signal(Signal::SIGINT);
        driver.end().expect(3);
    }

    /// How it was started each time: `new ID DIRECTORY`.
    fn starts(&self) -> Vec<String> {
        let text = fs::read_to_string(self.repo.path().join("diary")).expect("a diary");
        text.lines().map(str::to_owned).collect()
    }

    fn prompt(&self, attempt: u32) -> String {
        let file = self.repo.path().join(format!("diary.prompt.{attempt}"));
        fs::read_to_string(file).expect("a prompt")
    }

    /// One conversation, in one directory, and the result of both halves.
    #[track_caller]
    fn expect_resumed(&self) {
        let diary = self.starts();
        assert_eq!(diary.len(), 2, "{diary:?}");
        assert_eq!(diary[0].replacen("new", "resumed", 1), diary[1]);
        assert_eq!(self.repo.on_branch("T001.txt"), Some("one\ntwo\nthree\n".to_owned()));
        let prompt = self.prompt(2);
        assert!(prompt.starts_with("You were interrupted. Continue with task T001"), "{prompt}");
        let task = self.repo.status()["tasks"][0].clone();
        assert_eq!(
            (&task["attempts"], &task["workers"][1]["resumes"]),
            (&2.into(), &1.into()),
            "{task}"
        );
        let printed = self.repo.afresh(&["status"]).expect(0).stdout;
        assert!(printed.contains("resumed from attempt 1"), "{printed}");
        let report = self.repo.afresh(&["report"]).expect(0).stdout;
        assert!(report.contains("(resumed from attempt 1)"), "{report}");
        self.repo.expect_no_survivors();
    }

    /// A new conversation, whose prompt names the interrupted work.
    #[track_caller]
    fn expect_fresh(&self, attempt: u32) {
        let last = self.starts().last().cloned().unwrap_or_default();
        assert!(last.starts_with("new "), "{last}");
        assert_eq!(self.repo.on_branch("T001.txt"), Some("all\n".to_owned()));
        let prompt = self.prompt(attempt);
        let salvage = self.repo.git(&[
            "for-each-ref",
            "--format=%(objectname)",
            "refs/afresh/salvage/*/T001.1",
        ]);
        assert!(prompt.contains("was cut off") && prompt.contains("- A T001.txt"), "{prompt}");
        assert!(
            !salvage.is_empty() && prompt.contains(&format!("git show {salvage}")),
            "{salvage}: {prompt}"
        );
        self.repo.expect_no_survivors();
    }
}

/// AG-08, ST-02.
#[test]
fn after_kill_9_of_afresh_the_conversation_continues() {
    let stage = ResumeScene::waiting(REST);
    stage.start().kill_9();
    stage.repo.run(&[]).expect(0);
    stage.expect_resumed();
}

/// AG-08, ST-04.
#[test]
fn after_a_halt_the_conversation_continues() {
    let stage = ResumeScene::waiting(REST);
    stage.halted_twice();
    stage.repo.afresh(&["resume"]).expect(0);
    stage.expect_resumed();
}

/// AG-08: the run itself continues with a program that was killed.
#[test]
fn a_killed_program_continues_its_conversation() {
    let stage = ResumeScene::new("kill -9 $$", REST);
    stage.repo.run(&[]).expect(0);
    stage.expect_resumed();
}

/// AG-08, BE-04: work that was done before a usage limit is not done again after it.
#[test]
fn after_a_usage_limit_the_conversation_continues() {
    let limited = r#"echo "{\"type\":\"rate_limit_event\",\"rate_limit_info\":{\"status\":\"rejected\",\"resetsAt\":$(($(date +%s) + 2))}}"
echo '{"type":"result","subtype":"success","is_error":true,"api_error_status":429,"result":"slow down"}'
exit 1"#;
    let stage = ResumeScene::new(limited, REST);
    stage.repo.run(&[]).expect(0);
    stage.expect_resumed();
    let counted = stage.repo.afresh(&["report", "--json"]).expect(0).json();
    assert_eq!(counted["tasks"][0]["attempts"][0]["counted"], false);
}

/// AG-08: a program that no longer knows the conversation costs no attempt, and a fresh one is given what is left.
#[test]
fn a_conversation_that_is_gone_is_followed_by_a_fresh_one() {
    let lost_session = r#"echo '{"type":"result","subtype":"error_during_execution","is_error":true,"errors":["No conversation found"]}'
exit 1"#;
    let stage = ResumeScene::waiting(lost_session);
    stage.start().kill_9();
    let ran = stage.repo.run(&[]).expect(0);
    assert!(
        ran.stderr.contains("could not continue the conversation: No conversation found"),
        "{}",
        ran.stderr
    );
    assert_eq!(stage.starts().len(), 3);
    stage.expect_fresh(3);
    let report = stage.repo.afresh(&["report", "--json"]).expect(0).json();
    assert_eq!(report["tasks"][0]["attempts"][1]["counted"], false);
}

/// AG-08: another agent does not know the conversation, and is not asked to continue it.
#[test]
fn another_agent_starts_fresh() {
    let stage = ResumeScene::waiting(REST);
    stage.start().kill_9();
    let ran = finish(stage.repo.command(&["run", "p.plan.toml", "--no-input", "--agent", "other"]));
    let ran = ran.expect(0);
    assert!(ran.stderr.contains("the agent is other now"), "{}", ran.stderr);
    assert_eq!(stage.starts().len(), 2);
    stage.expect_fresh(3);
}

/// AG-08: work that cannot be restored exactly is left to a fresh worker: here the tree is gone.
#[test]
fn work_that_is_gone_is_followed_by_a_fresh_worker() {
    let stage = ResumeScene::waiting(REST);
    stage.halted_twice();
    let tree =
        stage.repo.git(&["for-each-ref", "--format=%(tree)", "refs/afresh/salvage/*/T001.1"]);
    let objects = stage.repo.root().join(".git/objects");
    lose_object(&stage.repo, &tree);
    fs::remove_dir_all(objects.join("afresh")).expect("removed");
    fs::remove_dir_all(stage.repo.cache()).expect("removed");
    let ran = stage.repo.afresh(&["resume"]).expect(0);
    assert!(ran.stderr.contains("whose objects another program has removed"), "{}", ran.stderr);
    assert!(ran.stderr.contains("could not continue"), "{}", ran.stderr);
    let last = stage.starts().last().cloned().unwrap_or_default();
    assert!(last.starts_with("new "), "{last}");
}
