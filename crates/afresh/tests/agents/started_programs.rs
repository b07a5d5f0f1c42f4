//! Programs that are found through links, wrappers and interpreters, started in every sandbox (B22, B37).

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

use afresh_testkit::TestRepo;
use afresh_testkit::repo::{finish, write_script};

use crate::support::repo;
use crate::support::sandbox_levels::{levels_with_bubblewrap, path_with_bubblewrap};

/// The work of a task.
const WORK: &str = "echo \"by $AFRESH_TASK\" > \"$AFRESH_TASK.txt\"\n";

fn command(repo: &TestRepo, level: &str, args: &[&str]) -> Command {
    let mut command = repo.command(args);
    let home = repo.path().join("home");
    let path = format!("{}:{}", home.join(".local/bin").display(), path_with_bubblewrap());
    command.env("PATH", path).env("AFRESH_SANDBOX", level);
    command
}

/// One repository whose agent is this command line.
fn repo_with(agent: &str) -> TestRepo {
    let repo = repo();
    repo.plan_of(1);
    repo.write(
        ".afresh/config.toml",
        &format!("[run]\nagent = \"it\"\n[agents.it]\nkind = \"command\"\ncommand = {agent}\n"),
    );
    repo.commit("a plan");
    repo
}

/// The task lands in every sandbox, and `doctor` says that the program starts there.
#[track_caller]
fn starts_everywhere(repo: &TestRepo) {
    for level in levels_with_bubblewrap() {
        let ran = finish(command(repo, level, &["run", "p.plan.toml", "--new", "--no-input"]));
        assert_eq!(ran.code, Some(0), "{level}: {}\n{}", ran.stdout, ran.stderr);
        let doctor = finish(command(repo, level, &["doctor"]));
        assert!(!doctor.stdout.contains("does not start"), "{level}: {}", doctor.stdout);
    }
}

fn below_home(repo: &TestRepo, path: &str) -> std::path::PathBuf {
    repo.path().join("home").join(path)
}

fn script(at: &Path, text: &str) {
    fs::create_dir_all(at.parent().expect("a parent")).expect("directories");
    write_script(at, text);
}

fn link(target: &Path, at: &Path) {
    fs::create_dir_all(at.parent().expect("a parent")).expect("directories");
    symlink(target, at).expect("a link");
}

/// B22: as pipx and uv install: a link to a script whose interpreter is a link in the same environment.
#[test]
fn a_program_in_an_environment_of_its_own_starts_in_every_sandbox() {
    let repo = repo_with("[\"tool\"]");
    let venv = below_home(&repo, ".local/share/apps/venvs/tool");
    link(Path::new("/bin/sh"), &below_home(&repo, ".interpreters/3.12/bin/interpreter"));
    link(&below_home(&repo, ".interpreters/3.12"), &below_home(&repo, ".interpreters/current"));
    link(&below_home(&repo, ".interpreters/current/bin/interpreter"), &venv.join("bin/python"));
    script(&venv.join("bin/tool"), &format!("#!{}/bin/python\n{WORK}", venv.display()));
    link(&venv.join("bin/tool"), &below_home(&repo, ".local/bin/tool"));
    starts_everywhere(&repo);
}

/// B22: a link to a directory on the way, as `agents install` and version managers make it.
#[test]
fn a_program_behind_a_linked_directory_starts_in_every_sandbox() {
    let repo = repo();
    let at = below_home(&repo, "tools/agent-2.1");
    script(&at.join("lib/node_modules/pkg/cli"), &format!("#!/bin/sh\n{WORK}"));
    link(Path::new("../lib/node_modules/pkg/cli"), &at.join("bin/agent"));
    link(Path::new("agent-2.1"), &below_home(&repo, "tools/agent"));
    let program = below_home(&repo, "tools/agent/bin/agent");
    repo.plan_of(1);
    let table = format!("[agents.it]\nkind = \"command\"\ncommand = [{program:?}]\n");
    repo.write(".afresh/config.toml", &format!("[run]\nagent = \"it\"\n{table}"));
    repo.commit("a plan");
    starts_everywhere(&repo);
}

/// B22: a wrapper by hand, whose target is elsewhere.
#[test]
fn a_wrapper_starts_its_target_in_every_sandbox() {
    let repo = repo_with("[\"env\", \"COLOR=never\", \"wrapped\"]");
    script(&below_home(&repo, "own tools/real/agent"), "#!/bin/sh\nexit 9\n");
    script(&below_home(&repo, "own-tools/real/agent"), &format!("#!/bin/sh\n{WORK}"));
    script(
        &below_home(&repo, ".local/bin/wrapped"),
        "#!/bin/sh\n# starts it\nexec \"$HOME/own-tools/real/agent\" \"$@\"\n",
    );
    starts_everywhere(&repo);
}

/// B22: the script that an interpreter is given.
#[test]
fn a_script_of_the_home_directory_starts_in_every_sandbox() {
    let repo = repo();
    let program = below_home(&repo, "agents/mine/agent.sh");
    script(&program, WORK);
    repo.plan_of(1);
    let table = format!("[agents.it]\nkind = \"command\"\ncommand = [\"sh\", {program:?}]\n");
    repo.write(".afresh/config.toml", &format!("[run]\nagent = \"it\"\n{table}"));
    repo.commit("a plan");
    starts_everywhere(&repo);
}

/// L4, AG-06: a program that cannot start inside its sandbox is no failure of a model, and is tried once; `doctor`
/// reports it.
#[test]
fn a_program_that_cannot_start_in_its_sandbox_is_tried_once() {
    for level in levels_with_bubblewrap().into_iter().filter(|level| *level != "off") {
        let repo = repo_with("[\"hidden-tool\"]");
        // Its interpreter is in a directory of keys, which no sandbox opens.
        let target = below_home(&repo, "tools/x");
        fs::create_dir_all(below_home(&repo, ".ssh")).expect("a directory");
        fs::copy("/bin/sh", below_home(&repo, ".ssh/sh")).expect("a copy");
        script(&target, &format!("#!{}\n{WORK}", below_home(&repo, ".ssh/sh").display()));
        link(&target, &below_home(&repo, ".local/bin/hidden-tool"));
        let ran = finish(command(&repo, level, &["run", "p.plan.toml", "--no-input"])).expect(4);
        let task = repo.status()["tasks"][0].clone();
        let error = task["error"].as_str().unwrap_or_default();
        assert!(error.starts_with("failed:start: "), "{level}: {task} {}", ran.stderr);
        assert!(error.contains("does not start in the sandbox"), "{task}");
        let question = repo.status()["questions"][0]["text"].to_string();
        assert!(question.contains("afresh doctor"), "{question}");
        assert_eq!(task["attempts"], 1, "{task}");
        let doctor = finish(command(&repo, level, &["doctor"]));
        let line = doctor.stdout.lines().find(|line| line.contains("does not start"));
        assert!(line.is_some(), "{level}: {}", doctor.stdout);
    }
}

/// B22: what package managers download goes to caches of the job's own; the user's are read, and stay as they are.
#[test]
fn packages_are_downloaded_into_caches_of_the_jobs_own() {
    let download = "mkdir -p \"$npm_config_cache/_cacache\" && echo x > \"$npm_config_cache/_cacache/new\"\n\
                    cat \"$CARGO_HOME/registry/cache/x/a.crate\"\n\
                    echo x > \"$CARGO_HOME/registry/cache/x/b.crate\"\n";
    let repo = repo_with("[\"tool\"]");
    script(&below_home(&repo, ".local/bin/download"), &format!("#!/bin/sh\nset -e\n{download}"));
    let work = format!("#!/bin/sh\nset -e\n{download}{WORK}");
    script(&below_home(&repo, ".local/bin/tool"), &work);
    for kept in [".npm/_cacache/kept", ".cargo/registry/cache/x/a.crate"] {
        let kept = below_home(&repo, kept);
        fs::create_dir_all(kept.parent().expect("a parent")).expect("directories");
        fs::write(kept, "kept").expect("written");
    }
    let config = fs::read_to_string(repo.root().join(".afresh/config.toml")).expect("a file");
    let set_up = format!("{config}[workspace]\nsetup = [\"download\"]\n");
    repo.write(".afresh/config.toml", &set_up);
    repo.commit("a set-up command");
    for level in levels_with_bubblewrap().into_iter().filter(|level| *level != "off") {
        let ran = finish(command(&repo, level, &["run", "p.plan.toml", "--new", "--no-input"]));
        assert_eq!(ran.code, Some(0), "{level}: {}\n{}", ran.stdout, ran.stderr);
        for new in [".npm/_cacache/new", ".cargo/registry/cache/x/b.crate"] {
            assert!(!below_home(&repo, new).exists(), "{level}: {new}");
        }
    }
}
