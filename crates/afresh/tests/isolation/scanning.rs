//! `afresh scan`: finds secrets on demand (B36).

use std::fs;

use afresh_testkit::{CommandOutput, TestRepo};

const VALUE: &str = "correct-horse-battery-staple";
const TOKEN: &str = "ghp_0123456789abcdefghijklmnopqrstuvwxyzAB"; // afresh:allow-secret

fn repo() -> TestRepo {
    TestRepo::new(env!("CARGO_BIN_EXE_afresh"))
}

fn scan(repo: &TestRepo, more: &[&str]) -> CommandOutput {
    let mut command = repo.command(&["scan"]);
    command.args(more).env("MY_TOKEN", VALUE).env("SSH_AUTH_SOCK", "/tmp/some/where");
    afresh_testkit::repo::finish(command)
}

/// Whatever is printed, it contains no secret.
fn expect_silent(ran: &CommandOutput) {
    let all = format!("{}{}", ran.stdout, ran.stderr);
    assert!(!all.contains(VALUE) && !all.contains("ghp_01"), "{all}");
}

/// B36: in files that are tracked or new, by line and column; ignored files, links and marked
/// examples are not reported.
#[test]
fn secrets_in_the_checkout_are_found_and_not_printed() {
    let repo = repo();
    repo.write("fine.txt", "nothing\n");
    repo.commit("fine");
    scan(&repo, &[]).expect(0);
    repo.write("tracked.txt", &format!("one\n key = {TOKEN}\n"));
    repo.commit("a key");
    repo.write("new.bin", &format!("\0\n{VALUE}\n"));
    repo.write("example.txt", &format!("{TOKEN} # afresh:allow-secret\n"));
    repo.write(".gitignore", "ignored.txt\n");
    repo.write("ignored.txt", &format!("{TOKEN}\n"));
    std::os::unix::fs::symlink("tracked.txt", repo.root().join("link")).expect("a symlink");
    let before = repo.untouched();
    let ran = scan(&repo, &[]).expect(1);
    repo.untouched().expect_same_as(&before);
    expect_silent(&ran);
    let lines: Vec<&str> = ran.stdout.lines().collect();
    let expected = ["new.bin:2:1: the value of MY_TOKEN", "tracked.txt:2:8: GitHub token"];
    assert_eq!(lines, expected, "{}", ran.stderr);
    let ran = scan(&repo, &["--json", "fine.txt", "tracked.txt"]).expect(1);
    expect_silent(&ran);
    let report: serde_json::Value = serde_json::from_str(&ran.stdout).expect("JSON");
    assert_eq!(report["looked_at"], 2);
    assert_eq!(report["findings"][0]["source"], "file");
    scan(&repo, &["fine.txt"]).expect(0);
    assert!(scan(&repo, &["gone.txt"]).expect(2).stderr.contains("gone.txt"));
}

/// B36: in what a run added to its branch, and in work that was rejected for a secret and kept.
#[test]
fn secrets_in_kept_work_are_found() {
    let repo = repo();
    repo.config("attempts = 1\n");
    repo.plan_of(1);
    repo.agent(&format!("cat > /dev/null; printf 'x\\n{TOKEN}\\n' > T001.txt"));
    repo.run(&["--on-failure", "skip"]).expect(1);
    let ran = scan(&repo, &["--json"]).expect(1);
    expect_silent(&ran);
    let report: serde_json::Value = serde_json::from_str(&ran.stdout).expect("JSON");
    let found = &report["findings"][0];
    assert_eq!((&found["source"], &found["line"]), (&"salvage".into(), &2.into()), "{report}");
    let location = found["place"].as_str().unwrap_or_default();
    assert!(location.starts_with("refs/afresh/") && location.ends_with(":T001.txt"), "{location}");
}

/// B36: in the files of afresh. A run redacts everything that it stores there, so another program must have written
/// it.
#[test]
fn secrets_in_what_afresh_keeps_are_found() {
    let repo = repo();
    repo.config("");
    repo.plan_of(1);
    repo.agent("cat > /dev/null; echo $MY_TOKEN; echo x > T001.txt");
    let mut command = repo.command(&["run", "p.plan.toml"]);
    command.env("MY_TOKEN", VALUE);
    afresh_testkit::repo::finish(command).expect(0);
    scan(&repo, &[]).expect(0);
    fs::write(repo.state().join("notes.txt"), format!("a\nb {VALUE}\n")).expect("written");
    let ran = scan(&repo, &[]).expect(1);
    assert!(ran.stdout.contains("notes.txt:2:3: the value of MY_TOKEN"), "{}", ran.stdout);
}

/// B35, B36: file names can be hostile too.
#[test]
fn names_of_files_do_not_draw_on_the_terminal() {
    let repo = repo();
    repo.write("a\x1b[2J\nb.txt", &format!("{TOKEN}\n"));
    let ran = scan(&repo, &[]).expect(1);
    assert!(!ran.stdout.contains('\x1b') && ran.stdout.lines().count() == 1, "{:?}", ran.stdout);
}
