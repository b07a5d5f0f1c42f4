//! Links that lead out of the repository, wherever they are (B03): in a repository that contains a plan, made by a
//! worker, or created while afresh itself works.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use crate::support::fixture::{holding, with_files};
use crate::support::git::{in_front_of_path, put_git};
use crate::support::repo;
use crate::support::sandbox_levels::levels;
use afresh_testkit::TestRepo;
use serde_json::Value;

/// A directory outside of the repository, with something private in it.
fn outside(repo: &TestRepo) -> PathBuf {
    let outside = repo.path().join("outside");
    fs::create_dir(&outside).expect("a directory");
    fs::write(outside.join("secret.md"), "SECRET-TEXT\n").expect("written");
    outside
}

fn names(directory: &Path) -> Vec<String> {
    let entries = fs::read_dir(directory).expect("a directory").flatten();
    let mut names: Vec<String> =
        entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

/// The first file that the plan in the repository names; some formats name none.
fn first_file(repo: &TestRepo, plan: &str) -> Option<String> {
    let output = repo.afresh(&["show", plan, "--json"]).expect(0).json();
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let of_task = |task: Value| {
        let mut files = list(&task["files"]);
        files.extend(list(&task["steps"]).iter().flat_map(|step| list(&step["files"])));
        files
    };
    let files = list(&output["tasks"]).into_iter().flat_map(of_task);
    let path = |file: Value| file["path"].as_str().or(file.as_str()).map(str::to_owned);
    let paths = files.filter_map(path);
    let mut plain =
        paths.filter(|path| !path.contains(['*', '?', '{', '[']) && !path.ends_with('/'));
    plain.next()
}

/// One plan of every format.
fn plans() -> Vec<(&'static str, TestRepo)> {
    let fixtures = [
        ("specflow", "specflow"),
        ("agent-os", "agent-os"),
        ("spec-kit", "spec-kit"),
        ("gsd2", "gsd2"),
        ("task-master", "task-master"),
        ("beads", "beads"),
        ("gsd", "gsd/greeting"),
        ("ultraplan", "ultraplan/greeting"),
        ("long-run", "long-run/greeting"),
    ];
    let mut plans: Vec<(&str, TestRepo)> =
        fixtures.map(|(format, fixture)| (format, holding(fixture, ""))).into();
    let task = r#"{"id": "T001", "name": "make it", "phase": 1, "behaviors": ["B1"],
        "files": [{"path": "src/a.txt", "action": "create"}], "dependencies": {"tasks": []},
        "acceptance_criteria": [{"criterion": "the file is there", "verification": "test -s src/a.txt"}]}"#;
    plans.push(("tasker", with_files(&[(".tasker/tasks/T001.json".into(), task.into())], "")));
    let toml = "version = 1\nname = \"x\"\n[[task]]\nid = \"T001\"\ntitle = \"x\"\nfiles = [\"src/a.txt\"]\nchecks = [\"true\"]\n";
    plans.push(("native", with_files(&[("p.plan.toml".into(), toml.into())], "")));
    plans
}

/// B03: in plans of every format, a path behind a link of the repository, or one that is a link out of it, is refused
/// before anything runs, and the target of the link is untouched.
#[test]
fn a_path_that_a_link_takes_out_is_refused_in_plans_of_every_format() {
    let mut nameless = Vec::new();
    for (format, repo) in plans() {
        let plan = if format == "native" { "p.plan.toml" } else { "." };
        let output = repo.afresh(&["show", plan, "--json"]).expect(0).json();
        assert_eq!(output["format"], format);
        let outside = outside(&repo);
        let Some(file) = first_file(&repo, plan) else {
            nameless.push(format);
            a_worker_s_link_is_rejected(&repo, plan, &outside);
            continue;
        };
        // The file itself, then its directory.
        let mut links = vec![(file.clone(), outside.join("secret.md"))];
        links.extend(file.split_once('/').map(|(top, _)| (top.to_owned(), outside.clone())));
        for (link, target) in links {
            let path = repo.root().join(&link);
            fs::create_dir_all(path.parent().expect("a parent")).expect("directories");
            let _ = fs::remove_file(&path);
            let _ = fs::remove_dir_all(&path);
            symlink(&target, &path).expect("a link");
            repo.commit("a link that leads out");
            let before = repo.untouched();
            let ran = repo.afresh(&["run", plan, "--on-decision", "first"]);
            assert_eq!(ran.code, Some(2), "{format} {link}: {ran:?}");
            assert!(ran.stderr.contains("symbolic link"), "{format} {link}: {}", ran.stderr);
            assert!(ran.stderr.contains(&link), "{format} {link}: {}", ran.stderr);
            repo.untouched().expect_same_as(&before);
            assert_eq!(names(&outside), ["secret.md"], "{format} {link}");
            let text = fs::read_to_string(outside.join("secret.md")).expect("still there");
            assert_eq!(text, "SECRET-TEXT\n", "{format} {link}");
        }
    }
    assert_eq!(nameless, ["agent-os", "task-master", "beads"]);
}

/// If a plan names no files, a link that leads out is rejected at the harvest.
#[track_caller]
fn a_worker_s_link_is_rejected(repo: &TestRepo, plan: &str, outside: &Path) {
    let link = format!("rm -rf made; ln -s '{}' made", outside.display());
    let script = format!("version = 1\n[[task]]\nid = \"*\"\ndo = [ {{ run = {link:?} }} ]\n");
    fs::write(repo.path().join("script.toml"), script).expect("written");
    let ran = repo.afresh(&["run", plan, "--on-failure", "skip", "--on-decision", "first"]);
    assert!(matches!(ran.code, Some(1 | 4)), "{plan}: {ran:?}");
    let why = "made is a symbolic link that leaves the repository";
    assert!(ran.stderr.contains(why), "{plan}: {}", ran.stderr);
    assert_eq!(names(outside), ["secret.md"], "{plan}");
    assert_eq!(repo.on_branch("made"), None);
}

/// B03: links that a worker makes inside of paths, in cycles, to `.git`, to other links: none lands, and we neither
/// read nor write nor remove their targets.
#[test]
fn links_that_a_worker_makes_lead_us_nowhere() {
    for make in [
        "mkdir -p d/e && ln -s \"$OUT\" d/e/f",
        "ln -s \"$OUT/secret.md\" d",
        "ln -s d d",
        "ln -s e d && ln -s d e",
        "ln -s .git d",
        "ln -s .git/config d",
        "ln -s ../../../../../../etc/passwd d",
        "mkdir d && ln -s ../../outside d/x",
        "ln -s \"$(printf 'a\\nb')\" d && ln -s / e",
        "rm -rf .git && ln -s \"$OUT\" .git && echo x >a.txt && ln -s / d",
    ] {
        let repo = repo();
        let outside = outside(&repo);
        repo.plan("[[task]]\nid = \"T\"\ntitle = \"x\"\nfiles = [\"a.txt\", \"d\", \"e\"]\nchecks = [\"true\"]\n");
        repo.config(&crate::support::run_section("attempts = 1"));
        repo.commit("a plan");
        repo.agent(&format!("OUT={outside:?}; {make}"));
        let before = repo.untouched();
        let ran = repo.run(&["--on-failure", "skip"]);
        assert!(matches!(ran.code, Some(0 | 1)), "{make}: {ran:?}");
        // Another attempt in the same workspace, and the cleanup.
        repo.agent("echo fine >a.txt");
        repo.afresh(&["task", "retry", "T"]);
        repo.run(&[]);
        repo.afresh(&["clean"]).expect(0);
        repo.untouched().expect_same_as(&before);
        assert_eq!(names(&outside), ["secret.md"], "{make}");
        let text = fs::read_to_string(outside.join("secret.md")).expect("still there");
        assert_eq!(text, "SECRET-TEXT\n", "{make}");
        let branch = repo.status()["branch"].as_str().expect("a branch").to_owned();
        let tree = repo.git(&["ls-tree", "-r", &branch]);
        for line in tree.lines().filter(|line| line.starts_with("120000")) {
            let id = line.split_whitespace().nth(2).expect("an id");
            let target = repo.git(&["cat-file", "blob", id]);
            assert!(!target.starts_with('/') && !target.contains(".."), "{make}: {line}");
            assert!(!target.starts_with(".git"), "{make}: {line}");
        }
        assert!(!repo.git(&["log", "--all", "-p"]).contains("SECRET-TEXT"), "{make}");
    }
}

/// B03: what prompts contain comes from the repository, not from where its links lead.
#[test]
fn a_project_file_that_is_a_link_out_is_in_no_prompt() {
    for file in ["README.md", "PROJECT.md", ".afresh/patterns.md"] {
        let repo = repo();
        let secret = outside(&repo).join("secret.md");
        repo.agent("echo x > $AFRESH_TASK.txt");
        repo.plan_of(1);
        let _ = fs::remove_file(repo.root().join(file));
        symlink(&secret, repo.root().join(file)).expect("a link");
        repo.commit("a link");
        repo.run(&[]).expect(0);
        assert!(!repo.prompt("T001", 1).contains("SECRET-TEXT"), "{file}");
    }
    let repo = repo();
    let secret = outside(&repo).join("secret.md");
    repo.plan_of(1);
    fs::create_dir_all(repo.root().join(".afresh/templates")).expect("a directory");
    symlink(&secret, repo.root().join(".afresh/templates/worker.md")).expect("a link");
    let ran = repo.run(&[]).expect(2);
    assert!(ran.stderr.contains("outside the project"), "{}", ran.stderr);
    assert!(!ran.stderr.contains("SECRET-TEXT"), "{}", ran.stderr);
}

/// B03, B13, R15: links to endless files, where afresh itself reads: it neither waits nor fills the memory.
#[test]
fn links_to_endless_files_are_not_read() {
    let repo = repo();
    repo.config("[workspace]\nsetup = [\"true\"]\nkeep = [\"kept/\"]\n");
    repo.agent("echo x > $AFRESH_TASK.txt");
    repo.plan_of(1);
    for file in ["package.json", "Cargo.toml", "PROJECT.md", ".afresh/patterns.md"] {
        symlink("/dev/zero", repo.root().join(file)).expect("a link");
    }
    repo.commit("links to what never ends");
    repo.run(&[]).expect(0);
    let config = repo.root().join(".afresh/config.toml");
    fs::remove_file(&config).expect("removed");
    symlink("/dev/zero", &config).expect("a link");
    let ran = repo.run(&["--config", ".afresh/config.toml"]).expect(2);
    assert!(ran.stderr.contains("cannot read the configuration"), "{}", ran.stderr);
}

/// B03, R5: a running worker can replace a directory with a link while our git reads its files. So that git sees no
/// more than the worker. The git of this test follows such a link on purpose.
#[test]
fn git_in_a_running_workspace_sees_no_more_than_the_worker() {
    for level in levels() {
        let repo = repo();
        let secret = repo.path().join("home/.ssh/id_rsa");
        fs::create_dir_all(secret.parent().expect("a parent")).expect("a directory");
        fs::write(&secret, "SECRET-TEXT\n").expect("written");
        repo.config(&crate::support::run_section("scope = \"open\""));
        repo.plan(
            "[[task]]\nid = \"T\"\ntitle = \"x\"\nfiles = [\"a.txt\"]\nchecks = [\"true\"]\n\
             steps = [{ name = \"one\", files = [\"a.txt\"], do = \"x\" }, { name = \"two\", files = [\"a.txt\"], do = \"x\" }]\n",
        );
        repo.agent(
            "cat >/dev/null; echo one >a.txt; afresh step done 1 || exit 9\n\
             rm -f led.txt leak.txt; echo two >>a.txt; afresh step done 2 || exit 9; rm -f led.txt leak.txt",
        );
        let led = format!(
            "case \"$GIT_INDEX_FILE\" in *snapshot.index) : >\"$GIT_WORK_TREE/led.txt\"\n\
             cat '{}' >\"$GIT_WORK_TREE/leak.txt\" 2>/dev/null;; esac",
            secret.display()
        );
        let mut command = repo.command(&["run", "p.plan.toml"]);
        command.env("PATH", in_front_of_path(&put_git(&repo, &led)));
        command
            .env("AFRESH_SANDBOX", level)
            .env("AFRESH_SANDBOX_READ", repo.path().join("agent.sh"));
        let ran = afresh_testkit::repo::finish(command).expect(0);
        let history = repo.git(&["log", "--all", "-p", "-m"]);
        assert!(history.contains("led.txt"), "{level}: git was not led anywhere: {}", ran.stderr);
        assert!(!history.contains("SECRET-TEXT"), "{level}: git read what the worker cannot");
    }
}
