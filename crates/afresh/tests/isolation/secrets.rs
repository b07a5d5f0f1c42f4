//! A key that workers are given is in nothing that we keep or show, however it gets there.
//!
//! What a worker writes into its files, and with them into git, is in `leaks` and `scanning`.

use std::fs;
use std::process::Command;

use afresh_testkit::file_tree::{contents_below, files_below};
use afresh_testkit::repo::finish;
use afresh_testkit::{CommandOutput, TestRepo};

const KEY: &str = "hunter22-\"quoted\"-hunter22";
const CALL: &str =
    r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"NAME","arguments":ARGS}}"#;

/// A repository whose agent and checks are given the key.
fn leaking(worker: &str) -> TestRepo {
    let repo = TestRepo::new(env!("CARGO_BIN_EXE_afresh"));
    repo.agent(worker);
    let agent = repo.path().join("agent.sh").display().to_string();
    repo.write(
        ".afresh/config.toml",
        &format!(
            "[run]\nagent = \"mine\"\nbackoff = [\"10ms\"]\n[checks]\nenv = [\"MY_KEY\"]\n\
             [agents.mine]\nkind = \"command\"\ncommand = [\"sh\", {agent:?}]\nenv = [\"MY_KEY\"]\n"
        ),
    );
    repo
}

fn with_key(repo: &TestRepo, args: &[&str]) -> CommandOutput {
    let mut command: Command = repo.command(args);
    command.env("MY_KEY", KEY);
    finish(command)
}

/// Searches for the key, plain and JSON-escaped, in every byte of the state directory.
#[track_caller]
fn expect_no_key(repo: &TestRepo) {
    for (file, bytes) in contents_below(&repo.state()) {
        expect_without_key(&file.display().to_string(), &String::from_utf8_lossy(&bytes));
    }
}

#[track_caller]
fn expect_without_key(what: &str, text: &str) {
    let quoted = serde_json::Value::from(KEY).to_string();
    for key in [KEY, quoted.trim_matches('"')] {
        assert!(!text.contains(key), "{what} holds the key:\n{text}");
    }
}

fn call(tool: &str, arguments: &str) -> String {
    CALL.replace("NAME", tool).replace("ARGS", arguments)
}

/// B36, LO-02: log, issue, finished step, question and result, by command, by tool and by file; output of worker and
/// checks; the plan's own text; a person's answer.
#[test]
fn a_key_leaks_by_no_channel() {
    let step = r#"{"step":2,"deviations":[{"path":"two.txt","reason":"step $K"}]}"#;
    let tools = [
        call("log", r#"{"message":"tool log $K"}"#),
        call("issue", r#"{"text":"tool issue $K"}"#),
        call("step_done", step),
    ];
    let tools = tools.map(|line| format!("echo \"{}\"", line.replace('"', "\\\""))).join("\n");
    let repo = leaking(&format!(
        r#"K=$(printf %s "$MY_KEY" | sed 's/"/\\"/g')
echo "out $MY_KEY"; echo "err $MY_KEY" >&2
afresh log INFO word "log $MY_KEY" 2>/dev/null
afresh issue "issue $MY_KEY" 2>/dev/null
if [ "$AFRESH_ATTEMPT" = 1 ]; then
  echo "{{\"status\":\"NEEDS_DECISION\",\"decision_needed\":\"is $K right?\",\"options\":[{{\"key\":\"a\",\"description\":\"$K\"}}],\"context\":\"$K\"}}" > "$AFRESH_RESULT"
  exit
fi
# By hand, past everything of ours that could mask it.
mail="$(dirname "$AFRESH_RESULT")/mail"
echo "{{\"kind\":\"log\",\"level\":\"INFO\",\"event\":\"word\",\"message\":\"by hand $K\"}}" > "$mail/.new"
mv "$mail/.new" "$mail/0.json"
echo one > one.txt
afresh step done 1 >/dev/null 2>&1
echo two > two.txt
({tools}) | afresh mcp --attempt > /dev/null
afresh report-result --status completed --notes "notes $MY_KEY" > /dev/null
"#
    ));
    // As in a plan that was written in a hurry.
    repo.plan(&format!(
        "[[task]]\nid = \"T001\"\ntitle = 'with {KEY}'\ndo = 'use {KEY} for it'\n\
         steps = [{{ name = 'one {KEY}', files = [\"one.txt\"], checks = [\"true\"] }}, {{ name = \"two\", files = [\"two.txt\"] }}]\n\
         checks = ['echo \"check $MY_KEY\"']\n"
    ));
    repo.write("README.md", &format!("# Project\n\nNeeds {KEY} to run.\n"));
    let waiting = with_key(&repo, &["run", "p.plan.toml", "--no-input", "--json"]).expect(4);
    expect_no_key(&repo);
    let output = with_key(&repo, &["questions"]).expect(0).stdout;
    assert!(output.contains("is [masked] right?"), "{output}");
    with_key(&repo, &["decide", "Q1", &format!("say: take {KEY}")]).expect(0);
    expect_no_key(&repo);
    let ran = with_key(&repo, &["run", "--no-input", "--json"]).expect(0);
    expect_no_key(&repo);
    let report = with_key(&repo, &["report", "--json"]).expect(0).stdout;
    let log = with_key(&repo, &["logs"]).expect(0).stdout;
    let git = repo.git(&["log", "--all", "--format=%B"]);
    for (what, text) in [
        ("the first run", &waiting.stdout),
        ("the second run", &ran.stdout),
        ("what people see of it", &ran.stderr),
        ("the report", &report),
        ("the log", &log),
        ("a commit message", &git),
    ] {
        expect_without_key(what, text);
    }
    // Each text was recorded, and is redacted.
    for expected in [
        "log [masked]",
        "issue [masked]",
        "tool log [masked]",
        "tool issue [masked]",
        "by hand [masked]",
    ] {
        assert!(log.contains(expected), "{expected} is not in:\n{log}");
    }
    assert!(report.contains("step [masked]"), "{report}");
    assert_eq!(repo.status()["tasks"][0]["notes"], "notes [masked]");
    let prompt = repo.prompt("T001", 2);
    assert!(prompt.contains("Needs [masked] to run."), "{prompt}");
    assert!(prompt.contains("use [masked] for it") && prompt.contains("take [masked]"), "{prompt}");
}

/// B36: a command cannot be redacted in the journal and still be carried out: the plan is refused, without the key in
/// the message.
#[test]
fn a_key_in_a_check_is_refused_before_the_run() {
    let repo = leaking("true");
    repo.plan(&format!(
        "[[task]]\nid = \"T001\"\ntitle = \"t\"\nfiles = [\"a\"]\nchecks = ['echo {KEY}']\n"
    ));
    let refused = with_key(&repo, &["run", "p.plan.toml", "--no-input", "--json"]).expect(2);
    assert_eq!(refused.json()["error"]["kind"], "secret");
    assert!(!refused.stdout.contains("hunter22") && !refused.stderr.contains("hunter22"));
    assert!(!repo.state().join("journal.sqlite").exists());
}

/// B36: a file whose name is the key is not accepted, and its name is nowhere.
#[test]
fn a_key_in_a_path_is_not_accepted() {
    let repo = leaking("echo x > a.txt; : > \"$MY_KEY\"");
    repo.plan("[[task]]\nid = \"T001\"\ntitle = \"t\"\nfiles = [\"*\"]\nchecks = [\"true\"]\n");
    with_key(&repo, &["run", "p.plan.toml", "--no-input", "--on-failure", "skip"]).expect(1);
    let status = repo.status().to_string();
    assert!(status.contains("a path in it holds a secret"), "{status}");
    expect_no_key(&repo);
}

/// B36: workers, checks and set-up commands see the allowed variables, and nothing else of our environment.
#[test]
fn workers_and_checks_do_not_see_the_whole_environment() {
    let repo =
        leaking("cat > /dev/null; env > seen.txt; cat setup.txt >> seen.txt; echo x > T001.txt");
    let config = repo.root().join(".afresh/config.toml");
    let text = fs::read_to_string(&config).expect("written");
    let setup =
        "[workspace]\nsetup = [\"env > setup.txt\"]\nkeep = [\"setup.txt\", \"seen.txt\"]\n";
    fs::write(&config, format!("{text}{setup}")).expect("written");
    repo.write(".gitignore", "setup.txt\nseen.txt\n");
    repo.commit("ignored");
    repo.plan(
        "[[task]]\nid = \"T001\"\ntitle = \"t\"\nfiles = [\"T001.txt\"]\n\
         checks = [\"env > T001.txt; ! env | grep OF-NOBODY-ELSE\"]\n",
    );
    let mut command = repo.command(&["run", "p.plan.toml"]);
    command.env("MY_KEY", "a-value-for-workers").env("NOT_ALLOWED", "OF-NOBODY-ELSE");
    finish(command).expect(0);
    let kept = files_below(&repo.cache()).into_iter().filter(|file| file.ends_with("seen.txt"));
    let recorded: String = kept.map(|file| fs::read_to_string(file).expect("text")).collect();
    assert!(recorded.contains("MY_KEY=") && recorded.contains("AFRESH_TASK=T001"), "{recorded}");
    assert!(!recorded.contains("OF-NOBODY-ELSE"), "{recorded}");
}
