//! `afresh doctor`: one line per check, each OK or with a hint; nothing waits, nothing changes.

use std::fs;

use crate::support::repo;
use crate::support::terminal::Terminal;
use afresh_testkit::TestRepo;
use afresh_testkit::repo::write_script;
use serde_json::Value;

/// The lines of a name, as `state text → hint`.
fn lines(document: &Value, name: &str) -> Vec<String> {
    let all = document["lines"].as_array().expect("lines");
    all.iter()
        .filter(|line| line["name"] == name)
        .map(|line| {
            let word = |key: &str| line[key].as_str().unwrap_or_default().to_owned();
            format!("{} {} → {}", word("state"), word("text"), word("cure"))
        })
        .collect()
}

#[track_caller]
fn expect(document: &Value, name: &str, parts: &[&str]) {
    let found = lines(document, name);
    let fits = |line: &String| parts.iter().all(|part| line.contains(part));
    assert!(found.iter().any(fits), "{name}: {found:?}");
}

fn doctor(repo: &TestRepo, code: i32) -> Value {
    repo.afresh(&["doctor", "--json"]).expect(code).json()
}

#[test]
fn where_everything_is_there_nothing_fails_and_nothing_changes() {
    let repo = repo();
    repo.config("[checks]\nalways = [\"test -s README.md && grep -q hello README.md\"]\n[workspace]\nsetup = [\"true\"]");
    let before = repo.untouched();
    let report = doctor(&repo, 0);
    assert_eq!(report["ok"], true);
    expect(&report, "git", &["ok git 2."]);
    expect(&report, "repository", &["ok", "on main at"]);
    expect(&report, "identity", &["ok Test <test@example.org>"]);
    expect(&report, "journal", &["ok none yet"]);
    expect(&report, "state", &["ok", ".afresh/state", "free"]);
    expect(&report, "driver", &["ok no run is active"]);
    expect(&report, "disk use", &["ok workspaces use"]);
    expect(&report, "agent mine", &["ok", "/sh starts"]);
    expect(&report, "checks", &["ok grep found"]);
    repo.untouched().expect_same_as(&before);
    assert!(!repo.state().exists(), "it made a state directory");
    repo.expect_no_survivors();
    // Every line that is not OK has a hint.
    for line in report["lines"].as_array().expect("lines") {
        assert!(line["state"] == "ok" || line["cure"].is_string(), "{line}");
    }
}

/// B37, F21: everything that would stop a run is reported, each with a hint; exit 1.
#[test]
fn what_is_missing_is_reported_with_a_hint() {
    let repo = repo();
    let old = repo.path().join("old");
    fs::create_dir(&old).expect("a new directory");
    repo.write(
        ".afresh/config.toml",
        "[run]\nagent = \"gone\"\n[agents.here]\nkind = \"command\"\ncommand = [\"no-such-program\"]\n\
         [agents.plain]\nkind = \"command\"\ncommand = [\"./README.md\"]\n\
         [checks]\nalways = [\"no-such-checker --all\"]\n[sandbox]\nlevel = \"off\"\n",
    );
    let report = doctor(&repo, 1);
    assert_eq!(report["ok"], false);
    expect(&report, "agent", &["fail", "\"gone\"", "add [agents.gone]"]);
    expect(&report, "agent here", &["fail no-such-program is not on the PATH", "[agents.here]"]);
    expect(&report, "agent plain", &["fail ./README.md is not executable"]);
    expect(&report, "checks", &["warn not on the PATH: no-such-checker", "install"]);
    expect(&report, "configuration", &["warn", "only the user can"]);
    // A broken configuration, with its place.
    repo.write(".afresh/config.toml", "[run]\nparalel = 3\n");
    let report = doctor(&repo, 1);
    expect(&report, "configuration", &["fail .afresh/config.toml:2:1: unknown key", "parallel"]);
    // No git at all.
    let mut command = repo.command(&["doctor"]);
    command.env("PATH", &old);
    let ran = afresh_testkit::repo::finish(command).expect(1);
    assert!(ran.stdout.contains("fail  git"), "{}", ran.stdout);
    assert!(ran.stdout.contains("→ install git"), "{}", ran.stdout);
}

#[test]
fn repositories_that_cannot_be_used_are_reported() {
    let none = TestRepo::without_git(env!("CARGO_BIN_EXE_afresh"));
    expect(&doctor(&none, 1), "repository", &["fail", "is not inside one", "git init"]);
    none.git(&["init", "-q"]);
    expect(&doctor(&none, 1), "repository", &["fail", "no commit yet", "--init-git"]);
    let repo = repo();
    fs::write(repo.path().join("home/.gitconfig"), "").expect("written");
    expect(&doctor(&repo, 0), "identity", &["warn", "user.email"]);
    repo.git(&["checkout", "-q", "-b", "afresh/x-1"]);
    expect(&doctor(&repo, 0), "branch", &["warn afresh/x-1 is checked out"]);
}

/// R10: a damaged journal is reported, and stays as it is.
#[test]
fn a_damaged_journal_is_reported_and_left_alone() {
    let repo = repo();
    repo.agent("echo x > $AFRESH_TASK.txt");
    repo.plan_of(1);
    repo.run(&[]).expect(0);
    expect(&doctor(&repo, 0), "journal", &["ok", "records"]);
    expect(&doctor(&repo, 0), "last run", &["ok test-1 is done"]);
    let file = repo.state().join("journal.sqlite");
    let mut bytes = fs::read(&file).expect("the journal");
    let at = bytes.windows(11).rposition(|part| part == b"run-started").expect("an event");
    bytes[at] = b'R';
    fs::write(&file, &bytes).expect("written");
    let report = doctor(&repo, 1);
    expect(&report, "journal", &["fail", "nothing was changed"]);
    assert_eq!(fs::read(&file).expect("the journal"), bytes);
}

#[test]
fn what_waits_for_a_person_is_reported() {
    let repo = repo();
    repo.agent("exit 1");
    repo.plan_of(1);
    repo.run(&[]).expect(4);
    expect(&doctor(&repo, 0), "questions", &["warn 1 question of test-1 open", "afresh questions"]);
    repo.afresh(&["halt", "lunch"]).expect(0);
    expect(&doctor(&repo, 0), "last run", &["warn", "lunch", "afresh resume"]);
}

/// An agent that never ends, or waits for input, blocks nothing: not even in a terminal.
#[test]
fn an_agent_that_waits_delays_no_other() {
    let repo = repo();
    let script = repo.path().join("waits");
    write_script(&script, "#!/bin/sh\nread line </dev/tty || read line\necho never; sleep 600\n");
    repo.write(
        ".afresh/config.toml",
        &format!(
            "[run]\nagent = \"slow\"\n[agents.slow]\nkind = \"command\"\ncommand = [{script:?}]\n"
        ),
    );
    let (code, screen) = Terminal::start(repo.command(&["doctor"])).end();
    assert_eq!(code, Some(0), "{screen}");
    assert!(screen.contains("--version did not end within 10s"), "{screen}");
    repo.expect_no_survivors();
}

/// B37: a program or a script that workers would not get is no agent that works.
#[test]
fn an_agent_whose_files_workers_would_not_get_fails() {
    let repo = repo();
    write_script(&repo.root().join("my-agent"), "#!/bin/sh\nexit 0\n");
    repo.write(
        ".afresh/config.toml",
        "[run]\nagent = \"own\"\n[agents.own]\nkind = \"command\"\ncommand = [\"./my-agent\"]\n\
         [agents.script]\nkind = \"command\"\ncommand = [\"sh\", \"ag.sh\"]\n",
    );
    let report = doctor(&repo, 1);
    expect(&report, "agent own", &["fail", "\"my-agent\", which is not committed", "commit it"]);
    expect(
        &report,
        "agent script",
        &["fail", "\"ag.sh\", which does not exist", "[agents.script]"],
    );
    repo.write("ag.sh", "exit 0\n");
    repo.commit("agents");
    let report = doctor(&repo, 0);
    expect(&report, "agent own", &["ok"]);
    expect(&report, "agent script", &["ok"]);
}

/// B37: without a configuration, the default agent is checked like a configured one, and no hint names a step that is
/// done; a program that is not on the PATH is named by its path.
#[test]
fn hints_fit_what_is_there() {
    let repo = repo();
    fs::remove_dir_all(repo.root().join(".afresh")).expect("removed");
    let installed = repo.path().join("npm/node_modules/.bin");
    fs::create_dir_all(&installed).expect("a new directory");
    write_script(&installed.join("claude"), "#!/bin/sh\necho 2.1.197\n");
    repo.install_agents(&repo.path().join("npm"), &["claude"]);
    let report = doctor(&repo, 0);
    expect(&report, "agent", &["warn no agent is configured", "→ `afresh init` writes"]);
    assert!(!lines(&report, "agent")[0].contains("agents install"), "{report}");
    let cache = repo.cache().to_string_lossy().into_owned();
    expect(&report, "login claude", &["warn", &format!("start `{cache}"), "once and log in"]);
    repo.write(".afresh/config.toml", "[run]\nparallel = 2\n");
    let report = doctor(&repo, 0);
    expect(&report, "agent", &["warn no agent is configured", "set `agent` under [run]"]);
    assert!(!lines(&report, "agent")[0].contains("afresh init"), "{report}");
}

/// HU-08: each line is printed as soon as it is known.
#[test]
fn lines_do_not_wait_for_a_slow_agent() {
    let repo = repo();
    let go = repo.path().join("go");
    let bin = repo.path().join("slow-agent");
    let wait = format!("#!/bin/sh\nwhile [ ! -e '{}' ]; do sleep 0.05; done\n", go.display());
    write_script(&bin, &wait);
    repo.write(
        ".afresh/config.toml",
        &format!(
            "[run]\nagent = \"slow\"\n[agents.slow]\nkind = \"command\"\ncommand = [{bin:?}]\n"
        ),
    );
    let mut driver = crate::support::Driver::start(&repo, &["doctor"]);
    repo.wait_until("the first lines", || driver.data().contains("configuration"));
    assert!(driver.has_ended().is_none() && !driver.data().contains("agent slow"));
    fs::write(&go, "").expect("written");
    let ended = driver.end().expect(0);
    assert!(ended.stdout.contains("agent slow"), "{ended:?}");
}
