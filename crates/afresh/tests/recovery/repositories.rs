//! Repositories that are unusual: partial, sparse and shallow clones, refs in the way, names that are not UTF-8.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::process::Command;
use std::time::{Duration, Instant};

use afresh_testkit::TestRepo;
use afresh_testkit::repo::finish;

use crate::support::{WORKER, expect_landed_once, repo, run_section};

fn prepared() -> TestRepo {
    let repo = repo();
    repo.agent(WORKER);
    repo.plan_of(1);
    repo
}

/// A branch or ref that is named like a directory of ours is reported by `run` and `doctor`, before anything starts.
#[test]
fn a_ref_in_the_way_is_refused_at_the_start() {
    for name in ["refs/heads/afresh", "refs/afresh", "refs/afresh/runs", "refs/afresh/salvage"] {
        let repo = prepared();
        repo.git(&["update-ref", name, "HEAD"]);
        let refused = repo.run(&[]).expect(2);
        assert!(refused.stderr.contains("is in the way"), "{}", refused.stderr);
        assert!(!repo.state().join("journal.sqlite").exists(), "nothing was started");
        let doctor = repo.afresh(&["doctor"]);
        assert!(doctor.stdout.contains("is in the way"), "{}", doctor.stdout);
        repo.git(&["update-ref", "-d", name]);
        repo.run(&[]).expect(0);
        expect_landed_once(&repo, 1);
    }
}

/// A repository at a path that is not UTF-8, and one whose objects cannot be written, are refused at the start.
#[test]
fn repositories_that_cannot_hold_a_run_are_refused_at_the_start() {
    let repo = prepared();
    let odd = repo.path().join(OsStr::from_bytes(b"r\xe9po"));
    fs::rename(repo.root(), &odd).expect("renamed");
    let mut command = repo.command(&["run", "p.plan.toml"]);
    command.current_dir(&odd);
    let ran = finish(command);
    assert_eq!(ran.code, Some(2), "{ran:?}");
    assert!(ran.stderr.contains("is not UTF-8"), "{ran:?}");
}

/// What lies where a file or directory of ours belongs is reported with its path, and stays.
#[test]
fn other_things_in_the_place_of_our_files_are_reported_and_stay() {
    for (path, is_directory) in [
        (".afresh/state", false),
        (".afresh/state/journal.sqlite", true),
        (".afresh/state/journal.head", true),
        (".git/afresh.lock", true),
        (".git/objects/afresh", false),
        (".git/objects/afresh/state", true),
    ] {
        let repo = prepared();
        let file = repo.root().join(path);
        fs::create_dir_all(file.parent().expect("a directory")).expect("made");
        if is_directory {
            fs::create_dir(&file).expect("made");
        } else {
            fs::write(&file, "mine").expect("written");
        }
        let refused = repo.run(&[]).expect(74);
        assert!(refused.stderr.contains(path), "{path}: {}", refused.stderr);
        assert!(refused.stderr.contains("hint:"), "{path}: {}", refused.stderr);
        assert_eq!(file.is_dir(), is_directory);
    }
}

/// A run gets a name whose branch git can create, and that no tag makes ambiguous.
#[test]
fn a_run_avoids_names_that_refs_of_the_user_take() {
    let repo = prepared();
    repo.run(&[]).expect(0);
    let first = repo.status()["run"].as_str().expect("a run").to_owned();
    let stem = first.trim_end_matches('1').to_owned();
    repo.git(&["branch", &format!("afresh/{stem}2/below")]);
    repo.git(&["tag", &format!("afresh/{stem}3")]);
    repo.run(&["--new"]).expect(0);
    assert_eq!(repo.status()["run"].as_str(), Some(format!("{stem}4").as_str()));
}

/// EX-03: the configuration of HEAD is not replaced by the defaults because a sparse checkout leaves it out.
#[test]
fn a_sparse_checkout_without_the_configuration_is_refused() {
    let repo = prepared();
    repo.git(&["sparse-checkout", "set", "--no-cone", "/*", "!/.afresh/"]);
    assert!(!repo.root().join(".afresh/config.toml").exists());
    let refused = repo.run(&[]).expect(2);
    assert!(refused.stderr.contains("is in HEAD, but not in this checkout"), "{refused:?}");
    assert!(refused.stderr.contains("git sparse-checkout add .afresh"), "{refused:?}");
    let doctor = repo.afresh(&["doctor"]);
    assert!(doctor.stdout.contains("not in this checkout"), "{}", doctor.stdout);
    repo.git(&["sparse-checkout", "disable"]);
    repo.run(&[]).expect(0);
    // Deleted by hand, it is only said.
    fs::remove_file(repo.root().join(".afresh/config.toml")).expect("removed");
    fs::remove_file(repo.root().join(".git/info/sparse-checkout")).expect("removed");
    let agent = repo.afresh(&["run", "p.plan.toml", "--new", "--agent", "no-such", "--no-input"]);
    assert!(agent.stderr.contains("not in this checkout; using the defaults"), "{agent:?}");
}

/// EX-03: a partial clone that lacks files of its commit is refused with the command that fetches them; once they are
/// there, it works, also without its remote. So do shallow clones.
#[test]
fn partial_clones_are_refused_until_their_files_are_there() {
    let origin = prepared();
    origin.write("src/lib.txt", "one\n");
    origin.write("other/file.txt", "two\n");
    origin.commit("files");
    origin.git(&["config", "uploadpack.allowFilter", "true"]);
    origin.git(&["config", "uploadpack.allowAnySHA1InWant", "true"]);
    let url = format!("file://{}", origin.root().display());
    let clone = |options: &[&str]| {
        let repo = prepared();
        fs::remove_dir_all(repo.root().join(".git")).expect("removed");
        let aside = repo.path().join("clone");
        let mut git = Command::new("git");
        git.arg("clone").arg("-q").args(options).arg(&url).arg(&aside);
        assert!(git.status().expect("git").success());
        fs::rename(aside.join(".git"), repo.root().join(".git")).expect("moved");
        repo.git(&["config", "user.name", "U"]);
        repo.git(&["config", "user.email", "u@example.com"]);
        repo
    };
    let repo = clone(&["--filter=blob:none", "--sparse"]);
    let started = Instant::now();
    let refused = repo.run(&[]).expect(2);
    assert!(refused.stderr.contains("partial clone"), "{}", refused.stderr);
    assert!(refused.stderr.contains("git sparse-checkout disable"), "{}", refused.stderr);
    assert!(started.elapsed() < Duration::from_secs(5));
    let doctor = repo.afresh(&["doctor"]);
    assert!(doctor.stdout.contains("partial clone"), "{}", doctor.stdout);
    repo.git(&["sparse-checkout", "disable"]);
    repo.git(&["reset", "-q", "--hard"]);
    repo.plan_of(1);
    repo.git(&["remote", "set-url", "origin", "/nowhere"]);
    repo.run(&[]).expect(0);
    expect_landed_once(&repo, 1);
    for options in [&["--depth=1"][..], &["--filter=blob:none"], &["--filter=tree:0"]] {
        let repo = clone(options);
        repo.git(&["reset", "-q", "--hard"]);
        repo.plan_of(1);
        repo.git(&["remote", "set-url", "origin", "/nowhere"]);
        repo.run(&[]).expect(0);
        expect_landed_once(&repo, 1);
        repo.run(&[]).expect(0);
    }
}

/// A tracked file whose name is not UTF-8 stays byte for byte as it is; a task may change it through a glob, and it is
/// shown with an escape. A name of this kind that a worker makes is rejected, with the same escape.
#[test]
fn names_that_are_not_utf_8_are_kept_and_shown_with_an_escape() {
    let repo = repo();
    let name = OsStr::from_bytes(b"caf\xe9.txt");
    fs::write(repo.root().join(name), "before\n").expect("written");
    repo.config(&run_section("attempts = 1"));
    repo.commit("a name");
    repo.plan(
        "[[task]]\nid = \"T001\"\ntitle = \"one\"\nfiles = [\"caf*.txt\"]\n\
         do = \"x\"\nchecks = [\"true\"]\n[[task]]\nid = \"T002\"\ntitle = \"two\"\nneeds = [\"T001\"]\n\
         files = [\"new*\"]\ndo = \"x\"\nchecks = [\"true\"]\n",
    );
    repo.agent(
        "if [ $AFRESH_TASK = T001 ]; then for f in caf*; do echo after > \"$f\"; done; else echo x > \"$(printf 'new\\351')\"; fi",
    );
    let ran = repo.run(&["--on-failure", "skip"]).expect(1);
    assert!(ran.stderr.contains("new\\xe9"), "{}", ran.stderr);
    let branch = repo.status()["branch"].as_str().expect("a branch").to_owned();
    let mut show = Command::new("git");
    show.args(["ls-tree", "-rz", "--name-only", &branch]).current_dir(repo.root());
    let listed = show.output().expect("git").stdout;
    assert!(listed.split(|byte| *byte == 0).any(|path| path == b"caf\xe9.txt"));
    let report = repo.afresh(&["report", "--json"]).expect(0).stdout;
    assert!(report.contains("caf\\\\xe9.txt"), "{report}");
    for command in [&["lint"][..], &["show"], &["land", "--partial"]] {
        assert!(repo.afresh(command).code.is_some_and(|code| code < 2), "{command:?}");
    }
    assert_eq!(fs::read_to_string(repo.root().join(name)).expect("the file"), "after\n");
}

/// Arguments that are not UTF-8 are names like any other.
#[test]
fn arguments_that_are_not_utf_8_are_accepted_or_refused_by_name() {
    let repo = prepared();
    let name = OsStr::from_bytes(b"caf\xe9");
    for before in [&["-C"][..], &["run"], &["lint"], &["show"], &["--config"], &[]] {
        let mut command = repo.command(before);
        command.arg(name);
        let ran = finish(command);
        assert_eq!(ran.code, Some(2), "{before:?}: {ran:?}");
        assert!(!ran.stderr.contains("bug"), "{before:?}: {ran:?}");
    }
}

/// Variables that are not UTF-8: a directory of the PATH is left out, and a state or cache directory is refused at the
/// start, by name.
#[test]
fn variables_that_are_not_utf_8_are_left_out_or_refused_by_name() {
    for (variable, expected) in [("AFRESH_STATE", 2), ("AFRESH_CACHE", 2), ("PATH", 0)] {
        let repo = prepared();
        let mut command = repo.command(&["run", "p.plan.toml"]);
        let mut value = std::env::var_os("PATH").filter(|_| variable == "PATH").unwrap_or_default();
        value.push(if value.is_empty() { "" } else { ":" });
        value.push(repo.path().join(OsStr::from_bytes(b"d\xe9r")));
        command.env(variable, value);
        let ran = finish(command).expect(expected);
        let is_named = ran.stderr.contains("is not UTF-8") && ran.stderr.contains(variable);
        assert_eq!(is_named, expected == 2, "{}", ran.stderr);
    }
}

/// B19: a named Markdown file that is not UTF-8 is refused for that, not as one that contains no plan.
#[test]
fn a_named_checklist_that_is_not_utf_8_is_refused_for_that() {
    let repo = prepared();
    let text = "# Tasks\n- [ ] T001 do it caf\u{e9}\n";
    let wide: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let latin: Vec<u8> = text.chars().map(|c| u8::try_from(u32::from(c)).expect("latin")).collect();
    for (bytes, expected) in [(wide, "UTF-16, not UTF-8"), (latin, "is not valid UTF-8")] {
        fs::write(repo.root().join("TODO.md"), bytes).expect("written");
        for command in ["lint", "show", "run"] {
            let refused = repo.afresh(&[command, "TODO.md"]);
            let output = format!("{}{}", refused.stdout, refused.stderr);
            assert!(output.contains(expected), "{command}: {output}");
            assert_ne!(refused.code, Some(0));
        }
    }
}

/// B28: a run that is configured to refuse changes does so, also if the change is to that setting; a person accepts it once.
#[test]
fn an_unattended_run_refuses_a_changed_plan() {
    let repo = repo();
    repo.agent("false");
    repo.config(&run_section("attempts = 1\non_change = \"refuse\""));
    repo.plan_of(2);
    repo.commit("config");
    repo.run(&["--on-failure", "skip"]).expect(1);
    repo.run(&["--on-failure", "skip"]).expect(1);
    let plan = repo.root().join("p.plan.toml");
    let text = fs::read_to_string(&plan).expect("a plan");
    fs::write(&plan, format!("{text}\n# changed\n")).expect("written");
    repo.config(&run_section("attempts = 1"));
    let refused = repo.run(&["--on-failure", "retry"]).expect(2);
    assert!(refused.stderr.contains("p.plan.toml"), "{}", refused.stderr);
    assert!(refused.stderr.contains("--on-change read"), "{}", refused.stderr);
    repo.agent(WORKER);
    repo.run(&["--resume", "failed", "--on-change", "read"]).expect(0);
    expect_landed_once(&repo, 2);
}
