//! Several runs of one repository, what a run keeps, and the notices before one starts.

use crate::support::terminal::Terminal;
use crate::support::{Driver, Gate, repo, salvaged};
use afresh_testkit::TestRepo;
use serde_json::Value;

/// A first run that failed, followed by a new one of the same plan that succeeded.
fn superseded() -> TestRepo {
    let repo = repo();
    repo.plan_of(1);
    repo.agent("exit 1");
    repo.run(&["--no-input"]).expect(4);
    repo.agent("echo x > $AFRESH_TASK.txt");
    repo.run(&["--new"]).expect(0);
    repo
}

fn listed(repo: &TestRepo) -> Value {
    repo.afresh(&["runs", "--json"]).expect(0).json()
}

/// HU-08: every run is listed, the newest first.
#[test]
fn runs_are_listed_with_their_state_plan_and_branch() {
    let repo = repo();
    assert_eq!(listed(&repo), serde_json::json!([]));
    let repo = superseded();
    let runs = listed(&repo);
    let field = |at: usize, name: &str| runs[at][name].as_str().unwrap_or_default().to_owned();
    assert_eq!((field(0, "run"), field(0, "state")), ("test-2".into(), "done".into()));
    assert_eq!((field(1, "run"), field(1, "state")), ("test-1".into(), "waiting".into()));
    assert_eq!(field(1, "branch"), "afresh/test-1");
    assert!(field(0, "plan").ends_with("p.plan.toml"), "{runs}");
    assert!(field(0, "started_at").ends_with('Z') && runs[0]["cost_usd"].is_null(), "{runs}");
    let text = repo.afresh(&["runs"]).expect(0);
    assert!(text.stdout.contains("test-1  waiting"), "{text:?}");
    assert!(text.stderr.contains("afresh resume test-1"), "{text:?}");
}

/// HU-08: `runs --all` lists the runs of every repository of the user, from anywhere; a repository that is gone is said
/// once and forgotten, one that cannot be read is said and kept.
#[test]
fn the_runs_of_all_repositories_are_listed() {
    let (one, two, three) = (superseded(), repo(), repo());
    let cache = tempfile::tempdir().expect("a directory");
    let anywhere = tempfile::tempdir().expect("a directory");
    let shared = |repo: &TestRepo, args: &[&str]| {
        let mut command = repo.command(args);
        command.env("AFRESH_CACHE", cache.path()).stdin(std::process::Stdio::null());
        afresh_testkit::repo::finish(command)
    };
    shared(&one, &["run", "p.plan.toml"]).expect(0);
    for repo in [&two, &three] {
        repo.plan_of(1);
        repo.agent("echo x > $AFRESH_TASK.txt");
        shared(repo, &["run", "p.plan.toml"]).expect(0);
    }
    let from_anywhere = ["-C", anywhere.path().to_str().expect("UTF-8"), "runs", "--all"];
    let all = shared(&one, &[&from_anywhere[..], &["--json"]].concat()).expect(0).json();
    let directories: Vec<&str> =
        all.as_array().expect("a list").iter().filter_map(|it| it["repository"].as_str()).collect();
    let of = |repo: &TestRepo| {
        let directory = repo.root().canonicalize().expect("there");
        directories.iter().filter(|it| **it == directory.to_string_lossy()).count()
    };
    assert_eq!((of(&one), of(&two), of(&three), directories.len()), (2, 1, 1, 4), "{all}");
    let gone = two.root().display().to_string();
    drop(two);
    std::fs::write(three.state().join("journal.sqlite"), "garbage").expect("written");
    let text = shared(&one, &from_anywhere).expect(0);
    assert!(text.stdout.contains("test-2") && text.stdout.contains(" · p.plan.toml\n"), "{text:?}");
    assert!(text.stderr.contains(&format!("{gone} has no runs any more")), "{text:?}");
    assert!(text.stderr.contains("cannot be read"), "{text:?}");
    let again = shared(&one, &from_anywhere).expect(0);
    assert!(!again.stderr.contains("any more"), "{again:?}");
    assert!(again.stderr.contains("cannot be read"), "{again:?}");
}

/// HU-08: a run that another one has replaced can be ended, and is then cleaned; the other run stays as it is.
#[test]
fn a_superseded_run_can_be_ended_and_cleaned() {
    let repo = superseded();
    let cleaned = repo.afresh(&["clean"]).expect(0);
    assert!(cleaned.stdout.contains("`afresh abort test-1` ends it"), "{cleaned:?}");
    let still = repo.afresh(&["clean", "--discard", "test-1"]).expect(2);
    assert!(still.stderr.contains("`afresh abort test-1`"), "{still:?}");
    repo.afresh(&["abort", "test-1"]).expect(0);
    let runs = listed(&repo);
    assert_eq!((&runs[1]["ended"], &runs[0]["state"]), (&true.into(), &"done".into()), "{runs}");
    repo.afresh(&["clean", "--discard", "test-1"]).expect(0);
    assert!(repo.git(&["branch", "--list", "afresh/test-1"]).is_empty());
    assert!(
        repo.on_branch("T001.txt").is_some() || repo.git(&["branch"]).contains("afresh/test-2")
    );
    let again = repo.afresh(&["abort", "test-1"]).expect(0);
    assert!(again.stderr.contains("is over already"), "{again:?}");
    let unknown = repo.afresh(&["abort", "test-7"]).expect(2);
    assert!(unknown.stderr.contains("there is no run \"test-7\""), "{unknown:?}");
}

/// HU-08: an ended run is over for good, and to end an older one does not make it the last one.
#[test]
fn nothing_continues_a_run_that_was_ended() {
    let repo = superseded();
    repo.afresh(&["abort", "test-1", "--reason", "a better plan"]).expect(0);
    assert_eq!(repo.status()["run"], "test-2");
    let refused = repo.afresh(&["resume", "test-1"]).expect(2);
    assert!(refused.stderr.contains("run test-1 is over: ended by"), "{refused:?}");
    assert!(refused.stderr.contains("a better plan"), "{refused:?}");
    let status = repo.afresh(&["status", "--run", "test-1"]).expect(0);
    assert!(status.stdout.contains("a better plan"), "{status:?}");
}

/// HU-08: neither does a halt hide that a run was ended, nor does `run` take it up again.
#[test]
fn a_halted_run_that_was_ended_is_not_taken_up() {
    let repo = repo();
    repo.plan_of(1);
    repo.agent("exit 1");
    repo.run(&["--no-input"]).expect(4);
    repo.afresh(&["halt"]).expect(0);
    repo.afresh(&["abort"]).expect(0);
    assert_eq!(repo.status()["state"], "failed");
    let refused = repo.run(&[]).expect(2);
    assert!(refused.stderr.contains("`afresh run --new`"), "{refused:?}");
    repo.agent("echo x > T001.txt");
    repo.run(&["--new"]).expect(0);
}

/// HU-08: a named run continues, although a newer one exists.
#[test]
fn an_older_run_can_be_resumed_by_its_name() {
    let repo = superseded();
    repo.afresh(&["decide", "Q1", "retry"]).expect(1);
    repo.afresh(&["resume", "test-1", "--on-failure", "retry"]).expect(0);
    assert_eq!(listed(&repo)[1]["state"], "done");
}

/// HU-08, R16: an interrupted run is ended only after the work of its attempts is saved.
#[test]
fn ending_an_interrupted_run_saves_its_work() {
    let repo = repo();
    repo.plan_of(1);
    let (written, go) = (Gate::new(&repo, "written"), Gate::new(&repo, "go"));
    repo.agent(&format!("echo half > T001.txt\n{}\n{}", written.opened_by_worker(), go.wait()));
    let driver = Driver::run(&repo, &[]);
    repo.wait_until("the worker has written", || written.is_open());
    driver.kill_9();
    go.open();
    repo.afresh(&["abort"]).expect(0);
    let saved = salvaged(&repo);
    assert_eq!(repo.git(&["show", &format!("{}:T001.txt", saved[0])]), "half");
    assert_eq!(listed(&repo)[0]["ended"], true);
    repo.expect_no_survivors();
}

/// HU-08: to end an interrupted run that a newer one has replaced does not make it the last one, and prints one
/// document for scripts.
#[test]
fn ending_an_older_interrupted_run_leaves_the_last_one_as_it_is() {
    let repo = repo();
    repo.plan_of(1);
    let (written, go) = (Gate::new(&repo, "written"), Gate::new(&repo, "go"));
    repo.agent(&format!("echo half > T001.txt\n{}\n{}", written.opened_by_worker(), go.wait()));
    let driver = Driver::run(&repo, &[]);
    repo.wait_until("the worker has written", || written.is_open());
    driver.kill_9();
    go.open();
    repo.agent("echo whole > T001.txt");
    repo.run(&["--new"]).expect(0);
    let ended = repo.afresh(&["abort", "test-1", "--json"]).expect(0);
    assert_eq!(ended.json(), serde_json::json!({"run": "test-1", "ok": true}));
    assert_eq!(salvaged(&repo).len(), 1);
    assert_eq!(repo.status()["run"], "test-2");
    let runs = listed(&repo);
    assert_eq!((&runs[0]["last"], &runs[1]["last"]), (&true.into(), &false.into()), "{runs}");
    assert_eq!(repo.afresh(&["report", "--json"]).expect(0).json()["run"], "test-2");
    let again = repo.afresh(&["run"]).expect(0);
    assert!(again.stderr.contains("run test-2 is done already"), "{again:?}");
    assert_eq!(repo.afresh(&["land", "--json"]).expect(0).json()["run"], "test-2");
}

/// HU-08: a run of one task (`--task`) has tasks left: it is neither interrupted nor over, and `clean` keeps it.
#[test]
fn a_run_of_one_task_is_neither_interrupted_nor_over() {
    let repo = repo();
    repo.plan_of(2);
    repo.agent("echo x > $AFRESH_TASK.txt");
    repo.run(&["--task", "T001"]).expect(0);
    let status = repo.afresh(&["status"]).expect(0);
    assert!(status.stdout.contains("run test-1 has tasks left"), "{status:?}");
    let runs = listed(&repo);
    assert_eq!(
        (&runs[0]["interrupted"], &runs[0]["ended"]),
        (&false.into(), &false.into()),
        "{runs}"
    );
    let text = repo.afresh(&["runs"]).expect(0);
    assert!(text.stdout.contains("test-1  unfinished"), "{text:?}");
    let doctor = repo.afresh(&["doctor"]);
    assert!(!doctor.stdout.contains("interrupted"), "{doctor:?}");
    let report = repo.afresh(&["report"]).expect(0);
    assert!(report.stdout.contains("afresh land --partial"), "{report:?}");
    repo.afresh(&["land", "--partial"]).expect(0);
    let cleaned = repo.afresh(&["clean"]).expect(0);
    assert!(cleaned.stdout.contains("kept run test-1: it is not finished"), "{cleaned:?}");
    let ended = repo.afresh(&["abort"]).expect(0);
    assert!(ended.stderr.contains("run test-1 is ended"), "{ended:?}");
    let status = repo.afresh(&["status"]).expect(0);
    assert!(status.stdout.contains("run test-1 was ended"), "{status:?}");
}

/// HU-08: a run that is being driven in another terminal ends there.
#[test]
fn a_driven_run_is_ended_where_it_is_driven() {
    let repo = repo();
    repo.plan_of(1);
    let (up, go) = (Gate::new(&repo, "up"), Gate::new(&repo, "go"));
    repo.agent(&format!("{}\n{}", up.opened_by_worker(), go.wait()));
    let driver = Driver::run(&repo, &[]);
    repo.wait_until("the worker is up", || up.is_open());
    repo.afresh(&["abort", "--reason", "wrong plan"]).expect(0);
    let ended = driver.end().expect(1);
    assert!(ended.stderr.contains("wrong plan"), "{ended:?}");
    assert!(listed(&repo)[0]["aborted"].as_str().is_some_and(|why| why.contains("wrong plan")));
}

/// ST-07: options of the command line stay with the run; a change is reported with the old and the new value.
#[test]
fn a_run_keeps_its_options_and_says_every_change() {
    let repo = repo();
    repo.plan_of(1);
    let other = "[agents.other]\nkind = \"command\"\ncommand = [\"sh\", \"-c\", \"echo other > T001.txt\"]\n";
    repo.config(other);
    repo.agent("exit 1");
    let other_fails = other.replace("echo other > T001.txt", "exit 1");
    repo.config(&other_fails);
    repo.run(&["--agent", "other", "--parallel", "2", "--no-input"]).expect(4);
    repo.config(other);
    repo.afresh(&["decide", "Q1", "retry"]).expect(0);
    let resumed = repo.afresh(&["resume", "--parallel", "5"]).expect(0);
    assert_eq!(repo.on_branch("T001.txt").as_deref(), Some("other\n"), "{resumed:?}");
    assert!(resumed.stderr.contains("parallel: 5 (was: 2)"), "{resumed:?}");
    assert!(!resumed.stderr.contains("agent: "), "{resumed:?}");
    let log = repo.afresh(&["logs"]).expect(0);
    assert!(log.stdout.contains("agent: other, "), "{log:?}");
}

/// What is not committed is not part of a run, and is named before it starts.
#[test]
fn uncommitted_files_are_named_before_a_run() {
    let repo = repo();
    repo.plan_of(1);
    repo.agent("echo x > $AFRESH_TASK.txt");
    repo.write("README.md", "changed\n");
    repo.write("new/one.txt", "x\n");
    repo.write(".gitignore", "ignored\n");
    repo.write("ignored", "x\n");
    let run = repo.run(&[]).expect(0);
    let wanted =
        "3 files are not committed, and so not part of this run: README.md, .gitignore, new/";
    assert!(run.stderr.contains(wanted), "{run:?}");
    let again = repo.run(&[]).expect(0);
    assert!(
        !again.stderr.contains("not committed"),
        "it is reported only when a run starts: {again:?}"
    );
}

/// An agent of the repository that is not committed would fail at every task; it is refused at once.
#[test]
fn an_agent_that_is_not_committed_is_named() {
    let repo = repo();
    repo.plan_of(2);
    repo.write("bin/agent.sh", "#!/bin/sh\necho x > $AFRESH_TASK.txt\n");
    repo.write(
        ".afresh/config.toml",
        "[run]\nagent = \"own\"\n[sandbox]\nlevel = \"off\"\n[agents.own]\nkind = \"command\"\ncommand = [\"bin/agent.sh\"]\n",
    );
    let refused = repo.run(&[]).expect(2);
    assert!(refused.stderr.contains("\"bin/agent.sh\", which is not in commit"), "{refused:?}");
    assert!(refused.stderr.contains("commit it"), "{refused:?}");
    assert_eq!(listed(&repo), serde_json::json!([]), "no run was started");
}

/// A run continues with the agent of its own commits: one that was corrected since is named, before it fails again.
#[test]
fn an_agent_that_was_corrected_since_is_named() {
    let repo = repo();
    repo.plan_of(1);
    let agent = |work: &str| repo.write("bin/agent.sh", &format!("#!/bin/sh\n{work}\n"));
    agent("exit 3");
    let config = "[run]\nagent = \"own\"\nattempts = 1\n[sandbox]\nlevel = \"off\"\n";
    let own = "[agents.own]\nkind = \"command\"\ncommand = [\"sh\", \"bin/agent.sh\"]\n";
    repo.write(".afresh/config.toml", &format!("{config}{own}"));
    repo.commit("an agent");
    let note = "get bin/agent.sh as it is in commit";
    assert!(!repo.run(&["--no-input"]).expect(4).stderr.contains(note));
    assert!(!repo.run(&["--no-input"]).expect(4).stderr.contains(note), "it is the same");
    agent("echo x > $AFRESH_TASK.txt");
    assert!(repo.run(&["--no-input"]).expect(4).stderr.contains(note), "not committed yet");
    repo.commit("corrected");
    let ran = repo.run(&["--no-input"]).expect(4).stderr;
    assert!(ran.contains(note) && ran.contains("`afresh run --new`"), "{ran}");
    assert!(!repo.run(&["--new"]).expect(0).stderr.contains(note));
    agent("true");
    assert!(!repo.run(&[]).expect(0).stderr.contains(note), "a run that is done needs none");
}

/// EX-14: a set-up that fails is one question with the end of its output, not one per task.
#[test]
fn a_set_up_that_fails_is_one_question() {
    let repo = repo();
    repo.plan_of(4);
    repo.config("[workspace]\nsetup = [\"echo first; echo the real reason; exit 3\"]\n");
    repo.run(&["--no-input"]).expect(4);
    let questions = repo.afresh(&["questions", "--json"]).expect(0).json();
    assert_eq!(questions.as_array().map(Vec::len), Some(1), "{questions}");
    let text = questions[0]["text"].as_str().unwrap_or_default();
    assert!(text.starts_with("no worker can start: the set-up command"), "{text}");
    assert!(text.contains("exit code 3\nfirst\nthe real reason"), "{text}");
    assert_eq!(questions[0]["kind"], "obstacle");
}

/// HU-07: a question that a changed plan has made obsolete is not asked again.
#[test]
fn an_outdated_question_is_nowhere_asked_again() {
    let repo = repo();
    repo.plan_of(1);
    repo.agent("exit 1");
    repo.run(&["--no-input"]).expect(4);
    let plan = std::fs::read_to_string(repo.root().join("p.plan.toml")).expect("a plan");
    repo.write("p.plan.toml", &plan.replace("T001", "T009"));
    let mut terminal = Terminal::start(repo.command(&["run", "p.plan.toml"]));
    terminal.await_text("Waiting for your answer to Q2");
    terminal.keys("skip\n");
    let (code, screen) = terminal.end();
    assert_eq!(code, Some(1), "{screen}");
    assert!(!screen.contains("Q1"), "{screen}");
}

/// ST-07: a plan that is edited while it is driven is noticed.
#[test]
fn a_plan_that_is_edited_during_its_run_is_noticed() {
    let repo = repo();
    repo.plan_of(1);
    let (up, go) = (Gate::new(&repo, "up"), Gate::new(&repo, "go"));
    repo.agent(&format!("{}\n{}\necho x > T001.txt", up.opened_by_worker(), go.wait()));
    let mut driver = Driver::run(&repo, &[]);
    repo.wait_until("the worker is up", || up.is_open());
    let plan = std::fs::read_to_string(repo.root().join("p.plan.toml")).expect("a plan");
    repo.write("p.plan.toml", &format!("{plan}\n# a remark\n"));
    driver.await_stderr("p.plan.toml has changed");
    go.open();
    driver.end().expect(0);
}

/// HU-08, R8: after kill -9, no command calls the run or its tasks running; the next start of another plan names it, and
/// the run that was driven last is marked.
#[test]
fn an_interrupted_run_is_called_so_everywhere() {
    let repo = repo();
    let gate = Gate::new(&repo, "go");
    repo.plan_of(1);
    repo.agent(&format!("{}; echo x > $AFRESH_TASK.txt", gate.wait()));
    let mut driver = Driver::run(&repo, &[]);
    driver.await_stderr("start T001.1");
    let running = repo.afresh(&["status"]).expect(0);
    assert!(running.stdout.contains("1 running"), "{running:?}");
    driver.kill_9();
    let runs = repo.afresh(&["runs"]).expect(0);
    assert!(runs.stdout.contains("test-1  interrupted"), "{runs:?}");
    let status = repo.afresh(&["status"]).expect(0);
    assert!(status.stdout.contains("was interrupted; `afresh resume test-1`"), "{status:?}");
    assert!(status.stdout.contains("interrupted  T001"), "{status:?}");
    assert!(!status.stdout.contains("running"), "{status:?}");
    assert_eq!(repo.status()["interrupted"], true);
    assert_eq!(listed(&repo)[0]["interrupted"], true);

    gate.open();
    let other = std::fs::read_to_string(repo.root().join("p.plan.toml")).expect("a plan");
    repo.write("q.plan.toml", &other.replace("\"test\"", "\"other\""));
    let started = repo.afresh(&["run", "q.plan.toml"]).expect(0);
    let note = "test-1 is unfinished; `afresh resume test-1` continues it later";
    assert!(started.stderr.contains(note), "{started:?}");
    repo.afresh(&["resume", "test-1"]).expect(0);
    let runs = repo.afresh(&["runs"]).expect(0);
    assert!(runs.stdout.contains("* test-1 "), "{runs:?}");
    assert!(runs.stderr.contains("* the run that was driven last"), "{runs:?}");
}

/// ST-07: `run` on a finished run says so instead of summarizing work that nobody did.
#[test]
fn a_run_that_is_done_already_is_not_summarized_again() {
    let repo = repo();
    repo.plan_of(2);
    repo.agent("echo x > $AFRESH_TASK.txt");
    repo.run(&[]).expect(0);
    let again = repo.run(&[]).expect(0);
    assert!(again.stderr.contains("run test-1 is done already; `afresh run --new`"), "{again:?}");
    assert!(!again.stderr.contains("Summary"), "{again:?}");
    assert!(again.stderr.contains("git log --first-parent afresh/test-1"), "{again:?}");
    // A branch that is gone is not shown.
    repo.afresh(&["land"]).expect(0);
    repo.git(&["branch", "-D", "afresh/test-1"]);
    let again = repo.run(&[]).expect(0);
    assert!(!again.stderr.contains("git log"), "{again:?}");
    assert!(again.stderr.contains("already in main"), "{again:?}");
}

/// HU-08: what a message suggests about an older run names that run, and works when it is copied.
#[test]
fn every_hint_about_another_run_works_when_copied() {
    let repo = repo();
    repo.plan_of(2);
    repo.agent("[ $AFRESH_TASK = T001 ] && echo x > T001.txt");
    repo.run(&["--no-input"]).expect(4);
    repo.agent("echo y > $AFRESH_TASK.txt");
    repo.run(&["--new"]).expect(0);
    let copied = |text: &str, command: &str| {
        assert!(text.contains(command), "{command}: {text}");
        let words: Vec<String> = command.split(' ').skip(1).map(str::to_owned).collect();
        repo.afresh(&words.iter().map(String::as_str).collect::<Vec<_>>())
    };
    let refused = repo.afresh(&["land", "test-1"]).expect(1);
    assert!(refused.stderr.contains("`afresh land test-1 --partial`"), "{refused:?}");
    let report = copied(&refused.stderr, "afresh report test-1").expect(0).stdout;
    assert!(report.contains("`test-1`") && report.contains("--run test-1"), "{report}");
    let questions = repo.afresh(&["questions"]).expect(0);
    let other = copied(&questions.stderr, "afresh questions --run test-1").expect(0);
    assert!(other.stdout.contains("afresh decide Q1 ANSWER --run test-1"), "{other:?}");
    let unknown = repo.afresh(&["decide", "Q1", "skip"]).expect(1);
    let shown = copied(&unknown.stderr, "afresh decide Q1 --run test-1").expect(0);
    assert!(shown.stdout.contains("skip:"), "{shown:?}");
    let answered = repo.afresh(&["decide", "Q1", "skip", "--run", "test-1"]).expect(0);
    copied(&answered.stderr, "afresh resume test-1").expect(1);
    let cleaned = repo.afresh(&["clean", "--dry-run"]).expect(0);
    copied(&cleaned.stdout, "afresh land test-1 --partial").expect(0);
    let retried = repo.afresh(&["task", "retry", "T002", "--run", "test-1"]).expect(0);
    assert!(retried.stderr.contains("`afresh resume test-1`"), "{retried:?}");
}

/// EX-10: a run that has landed is shown as such, and nothing suggests to land it again.
#[test]
fn a_landed_run_is_shown_as_landed() {
    let repo = repo();
    repo.plan_of(1);
    repo.agent("echo x > $AFRESH_TASK.txt");
    repo.run(&[]).expect(0);
    let shown = |args: &[&str]| repo.afresh(args).expect(0).stdout;
    assert!(shown(&["report"]).contains("`afresh land`"));
    assert!(shown(&["status"]).contains("run test-1 is done\n"));
    repo.afresh(&["land"]).expect(0);
    let report = shown(&["report"]);
    assert!(!report.contains("afresh land") && report.contains("landed on `main`"), "{report}");
    assert!(shown(&["status"]).contains("run test-1 is done, and has landed on main"));
    assert!(shown(&["runs"]).contains("test-1  landed"), "{}", shown(&["runs"]));
    assert_eq!(listed(&repo)[0]["landed_on"], "main");
    assert_eq!(
        (&repo.status()["landed_on"], &repo.status()["state"]),
        (&"main".into(), &"done".into())
    );
}
