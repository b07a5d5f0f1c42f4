//! What workers and checks are given: environment, PATH, standard streams, prompt.

use std::fs;

use crate::support::{repo, run_section};
use afresh_testkit::TestRepo;
use afresh_testkit::repo::finish;

/// One task, whose worker and check write down their environment.
fn noted() -> TestRepo {
    let repo = repo();
    let directory = repo.path().display().to_string();
    repo.agent(&format!(
        "env > '{directory}/worker.env'; command -v afresh > '{directory}/which'; pwd > '{directory}/pwd'\n\
         cat > '{directory}/stdin'; echo \"by T001\" > T001.txt"
    ));
    let check =
        format!("env > '{directory}/check.env'; cat > '{directory}/check.stdin'; test -s T001.txt");
    repo.plan(&format!(
        "[[task]]\nid = \"T001\"\ntitle = \"note\"\nfiles = [\"T001.txt\"]\nchecks = [{check:?}]\n"
    ));
    repo
}

fn note(repo: &TestRepo, name: &str) -> String {
    fs::read_to_string(repo.path().join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn variable(environment: &str, name: &str) -> Option<String> {
    environment
        .lines()
        .find_map(|line| Some(line.strip_prefix(name)?.strip_prefix('=')?.to_owned()))
}

/// AG-01: an allowlist, never the whole environment; variables named in the configuration are added.
#[test]
fn a_secret_reaches_neither_worker_nor_check() {
    let repo = noted();
    repo.config("[checks]\nenv = [\"FOR_CHECKS\"]\n");
    let config = fs::read_to_string(repo.root().join(".afresh/config.toml")).expect("text");
    repo.write(".afresh/config.toml", &format!("{config}env = [\"FOR_WORKERS\"]\n"));
    let mut command = repo.command(&["run", "p.plan.toml"]);
    for name in ["MY_SECRET", "FOR_WORKERS", "FOR_CHECKS", "LD_LIBRARY_PATH", "AFRESH_ODD"] {
        command.env(name, "hunter2");
    }
    finish(command).expect(0);
    let (worker, check) = (note(&repo, "worker.env"), note(&repo, "check.env"));
    assert_eq!(variable(&worker, "FOR_WORKERS").as_deref(), Some("hunter2"), "{worker}");
    assert_eq!(variable(&check, "FOR_CHECKS").as_deref(), Some("hunter2"), "{check}");
    assert_eq!(worker.matches("hunter2").count(), 1, "{worker}");
    assert_eq!(check.matches("hunter2").count(), 1, "{check}");
}

/// AG-01: the variables that scripts may rely on, and the program itself on the PATH.
#[test]
fn a_worker_finds_its_task_its_files_and_afresh() {
    let repo = noted();
    repo.run(&[]).expect(0);
    let worker = note(&repo, "worker.env");
    let get = |name: &str| variable(&worker, name).unwrap_or_else(|| panic!("{name} in {worker}"));
    assert_eq!(get("AFRESH_RUN"), repo.status()["run"].as_str().expect("a run"));
    assert_eq!(get("AFRESH_TASK"), "T001");
    assert_eq!(get("AFRESH_ATTEMPT"), "1");
    assert_eq!(get("AFRESH_STEP"), "1");
    let bundle = fs::read_to_string(get("AFRESH_BUNDLE")).expect("a bundle");
    let bundle: serde_json::Value = serde_json::from_str(&bundle).expect("JSON");
    assert_eq!(bundle["task"]["id"], "T001", "{bundle}");
    assert_eq!(fs::read_to_string(get("AFRESH_PROMPT")).expect("text"), repo.prompt("T001", 1));
    assert!(get("AFRESH_RESULT").starts_with(&*repo.state().to_string_lossy()));
    // It works in its own clone, outside of the repository.
    let directory = note(&repo, "pwd");
    assert!(directory.starts_with(&*repo.cache().to_string_lossy()), "{directory}");
    let found = fs::canonicalize(note(&repo, "which").trim()).expect("afresh on the PATH");
    assert_eq!(found, fs::canonicalize(env!("CARGO_BIN_EXE_afresh")).expect("the program"));
    // Standard input is the prompt for the worker, and empty for the check.
    assert_eq!(note(&repo, "stdin"), repo.prompt("T001", 1));
    assert_eq!(note(&repo, "check.stdin"), "");
}

/// AG-01: `prompt = "file"` and `prompt = "arg"`: the last argument; standard input is empty then.
#[test]
fn a_prompt_comes_as_a_file_or_as_an_argument() {
    for by in ["file", "arg"] {
        let repo = repo();
        let directory = repo.path().display().to_string();
        repo.config(&run_section(""));
        let config = fs::read_to_string(repo.root().join(".afresh/config.toml")).expect("text");
        repo.write(".afresh/config.toml", &format!("{config}prompt = \"{by}\"\n"));
        repo.plan_of(1);
        repo.agent(&format!(
            "printf '%s' \"$1\" > '{directory}/argument'; cat > '{directory}/stdin'; echo x > T001.txt"
        ));
        repo.run(&[]).expect(0);
        let argument = note(&repo, "argument");
        let prompt =
            if by == "file" { fs::read_to_string(&argument).expect("a path") } else { argument };
        assert_eq!(prompt, repo.prompt("T001", 1), "{by}");
        assert!(prompt.contains("T001.txt"), "{prompt}");
        assert_eq!(note(&repo, "stdin"), "", "{by}");
    }
}
