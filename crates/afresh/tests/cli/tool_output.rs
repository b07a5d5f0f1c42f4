//! Output for shells, pagers and debugging: `config list`, `completions`, `man`.

use std::path::Path;
use std::process::Command;

use crate::support::repo;
use afresh_testkit::TestRepo;
use afresh_testkit::repo::finish;
use serde_json::Value;

fn value<'v>(list: &'v Value, key: &str) -> &'v Value {
    let entries = list.as_array().expect("a list");
    entries.iter().find(|entry| entry["key"] == key).unwrap_or_else(|| panic!("no {key} in {list}"))
}

/// Every setting names its origin: a file with its line, a variable, an option or the default.
#[test]
fn every_value_says_where_it_comes_from() {
    let repo = repo();
    repo.write(
        ".afresh/config.toml",
        "# mine\n[run]\nagent = \"mine\"\nparallel = 7\nattempt_timeout = \"90s\"\n\n[agents.mine]\nkind = \"command\"\n\
         command = [\"sh\", \"-c\", \"x\"]\nmodels = { small = \"s\" }\n",
    );
    let mut command = repo.command(&["config", "list", "--json"]);
    command.env("AFRESH_STATE", repo.path().join("elsewhere"));
    let list = finish(command).expect(0).json();
    let parallel = value(&list, "run.parallel");
    assert_eq!(parallel["value"], 7);
    assert_eq!(
        parallel["origin"],
        serde_json::json!({"kind": "file", "file": ".afresh/config.toml", "line": 4})
    );
    assert_eq!(value(&list, "run.attempt_timeout")["value"], "90s");
    assert_eq!(value(&list, "run.schedule")["origin"]["kind"], "built-in");
    assert_eq!(value(&list, "agents.mine.command")["origin"]["line"], 9);
    assert_eq!(value(&list, "agents.mine.prompt")["origin"]["kind"], "built-in");
    assert_eq!(value(&list, "agents.mine.models.small")["origin"]["line"], 10);
    assert_eq!(value(&list, "state")["origin"]["name"], "AFRESH_STATE");
    assert_eq!(value(&list, "cache")["origin"]["name"], "AFRESH_CACHE");
    let text = repo.afresh(&["config", "list", "--origin", "--color", "never"]).expect(0).stdout;
    let line = |start: &str| text.lines().find(|line| line.starts_with(start)).unwrap_or_default();
    assert_eq!(
        line("run.parallel"),
        "run.parallel = 7                                 # .afresh/config.toml:4"
    );
    assert!(line("run.attempts ").ends_with("# built-in"), "{text}");
    assert!(line("color").ends_with("# flag --color"), "{text}");
    let plain = repo.afresh(&["config", "list"]).expect(0).stdout;
    assert!(plain.contains("run.parallel = 7\n") && !plain.contains("built-in"), "{plain}");
}

/// Without a file, and with one that cannot be used.
#[test]
fn a_configuration_that_cannot_be_used_is_shown_with_its_place() {
    let repo = repo();
    repo.write("other.toml", "[checks]\ntimeout = 5\n");
    let ran = repo.afresh(&["config", "list", "--config", "other.toml"]).expect(2);
    insta::assert_snapshot!(ran.stderr);
    std::fs::remove_dir_all(repo.root().join(".afresh")).expect("removed");
    let list = repo.afresh(&["config", "list", "--json"]).expect(0).json();
    assert_eq!(value(&list, "file")["value"], Value::Null);
}

/// A bash that has loaded the script, asked for completions of these words.
fn bash_completes(repo: &TestRepo, words: &[&str]) -> Vec<String> {
    let program = Path::new(env!("CARGO_BIN_EXE_afresh")).parent().expect("a directory");
    let path = format!("{}:{}", program.display(), std::env::var("PATH").expect("a PATH"));
    let (last, index) = (words.last().copied().unwrap_or_default(), words.len() - 1);
    let quoted: Vec<String> = words.iter().map(|word| format!("'{word}'")).collect();
    let script = format!(
        "source <(afresh completions bash); COMP_WORDS=({}); COMP_CWORD={index}; COMP_TYPE=9; \
         _clap_complete_afresh afresh '{last}' '{}'; printf '%s\\n' \"${{COMPREPLY[@]}}\"",
        quoted.join(" "),
        words[index.saturating_sub(1)],
    );
    let mut command = Command::new("bash");
    command.args(["--norc", "-c", &script]).current_dir(repo.root());
    let like = repo.command(&[]);
    for (name, set) in like.get_envs() {
        match set {
            Some(set) => command.env(name, set),
            None => command.env_remove(name),
        };
    }
    command.env("PATH", path);
    let ran = finish(command).expect(0);
    assert_eq!(ran.stderr, "", "completion must not disturb the line");
    ran.stdout.lines().map(|line| line.trim().to_owned()).filter(|line| !line.is_empty()).collect()
}

/// Commands, options, and the ids of tasks, runs and questions are completed.
#[test]
fn a_shell_completes_commands_and_ids() {
    if Command::new("bash").arg("-c").arg("true").status().is_err() {
        return;
    }
    let repo = repo();
    let ids = bash_completes(&repo, &["afresh", "logs", ""]);
    assert!(ids.iter().all(|word| word.starts_with('-')), "no run, no ids: {ids:?}");
    repo.plan_of(2);
    repo.agent("[ $AFRESH_TASK = T001 ] && echo x > T001.txt");
    repo.run(&[]).expect(4);
    assert_eq!(bash_completes(&repo, &["afresh", "comp"]), ["completions"]);
    assert_eq!(bash_completes(&repo, &["afresh", "task", "retry", "T00"]), ["T001", "T002"]);
    assert_eq!(bash_completes(&repo, &["afresh", "logs", "T002"]), ["T002"]);
    assert_eq!(bash_completes(&repo, &["afresh", "report", "te"]), ["test-1"]);
    assert_eq!(bash_completes(&repo, &["afresh", "status", "--run", "t"]), ["test-1"]);
    assert_eq!(bash_completes(&repo, &["afresh", "decide", "Q"]), ["Q1"]);
    assert_eq!(bash_completes(&repo, &["afresh", "land", "--pat"]), ["--patch"]);
    for shell in ["zsh", "fish", "elvish", "powershell"] {
        assert!(
            repo.afresh(&["completions", shell]).expect(0).stdout.contains("AFRESH_COMPLETE"),
            "{shell}"
        );
    }
    repo.afresh(&["completions", "tcsh"]).expect(2);
}

/// Outside of a repository, completion prints nothing and does not fail.
#[test]
fn a_shell_outside_a_repository_is_left_in_peace() {
    let none = TestRepo::without_git(env!("CARGO_BIN_EXE_afresh"));
    let words = bash_completes(&none, &["afresh", "logs", ""]);
    assert!(words.iter().all(|word| word.starts_with('-')), "{words:?}");
}

#[test]
fn the_manual_has_a_page_per_command() {
    let repo = repo();
    let page = repo.afresh(&["man"]).expect(0).stdout;
    assert!(page.contains(".TH afresh 1") && page.contains("afresh\\-run(1)"), "{page}");
    let page = repo.afresh(&["man", "land"]).expect(0).stdout;
    assert!(page.contains(".TH afresh-land 1") && page.contains("\\-\\-patch"), "{page}");
    let ran = repo.afresh(&["man", "lnad"]).expect(2);
    assert!(ran.stderr.contains("did you mean \"land\""), "{}", ran.stderr);
    repo.afresh(&["man", "--dir", "pages"]).expect(0);
    let help = repo.afresh(&["--help"]).expect(0).stdout;
    let commands = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    let heads =
        commands.take_while(|line| !line.is_empty()).filter(|line| !line.starts_with("   "));
    for line in heads {
        let name = line.split_whitespace().next().expect("a name");
        assert!(repo.root().join(format!("pages/afresh-{name}.1")).is_file(), "{name}");
    }
    assert!(!repo.root().join("pages/afresh-agent.1").exists(), "hidden commands have no page");
}
