//! Signatures of ssh-keygen and gpg, made with real keys.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use afresh_testkit::TestRepo;
use afresh_testkit::repo::write_script;

use super::{BRANCH, note_of, prepared, problems, put_note, verify};

/// Whether a program can be started; says so loudly if not.
fn has_program(name: &str) -> bool {
    let found = Command::new(name).arg("--version").stdin(Stdio::null()).output().is_ok();
    if !found {
        #[expect(clippy::print_stderr, reason = "a skipped test must be seen")]
        {
            eprintln!("SKIPPED: {name} is missing");
        }
    }
    found
}

/// Makes a key of ssh, and configures git to sign with it.
fn configure_ssh_key(repo: &TestRepo, name: &str, passphrase: &str) -> PathBuf {
    let key = repo.path().join(name);
    let mut make = Command::new("ssh-keygen");
    make.args(["-q", "-t", "ed25519", "-C", "me", "-N", passphrase, "-f"]).arg(&key);
    assert!(make.status().expect("ssh-keygen").success());
    let public = key.with_extension("pub");
    repo.git(&["config", "gpg.format", "ssh"]);
    repo.git(&["config", "user.signingkey", public.to_str().expect("a path")]);
    public
}

fn allow(repo: &TestRepo, who: &str, public: &PathBuf) {
    let key = fs::read_to_string(public).expect("a key");
    let list = repo.path().join("allowed");
    fs::write(&list, format!("{who} namespaces=\"git\" {key}")).expect("written");
    repo.git(&["config", "gpg.ssh.allowedSignersFile", list.to_str().expect("a path")]);
}

/// TR-06: receipts are signed with the key that git is configured for; who trusts it can require that, and a forged
/// one is found.
#[test]
fn receipts_are_signed_with_the_key_of_git() {
    if !has_program("ssh-keygen") {
        return;
    }
    let repo = prepared(2);
    let public = configure_ssh_key(&repo, "key", "");
    let before = repo.untouched();
    let ran = repo.run(&[]).expect(0);
    assert!(!ran.stderr.contains("not signed"), "{}", ran.stderr);
    repo.untouched().expect_same_as(&before);
    let state = |more: &[&str]| verify(&repo, more)["commits"][1]["signature"]["state"].clone();
    assert_eq!(state(&[]), "unknown-key");
    assert_eq!(problems(&repo, &["--require-signed"]), ["untrusted-key", "untrusted-key"]);
    allow(&repo, "me@example.org", &public);
    let json = verify(&repo, &["--require-signed"]);
    let last = &json["commits"][1];
    assert_eq!((&json["ok"], &last["signed"]), (&true.into(), &true.into()));
    assert_eq!(last["signature"]["signer"], "me@example.org");
    // Altered, signed by another key, or not at all.
    let note = note_of(&repo, BRANCH);
    let envelope: serde_json::Value = serde_json::from_str(&note).expect("an envelope");
    let other = note_of(&repo, &format!("{BRANCH}^"));
    let other: serde_json::Value = serde_json::from_str(&other).expect("an envelope");
    let mut forged = envelope.clone();
    forged["signatures"] = other["signatures"].clone();
    put_note(&repo, BRANCH, &forged.to_string());
    assert_eq!(problems(&repo, &[]), ["-", "bad-signature"]);
    put_note(&repo, BRANCH, &other.to_string());
    assert_eq!(problems(&repo, &[]), ["-", "moved-note"]);
    let payload = afresh_proof_payload(&envelope);
    put_note(&repo, BRANCH, &payload);
    assert_eq!(problems(&repo, &[]), ["-", "-"]);
    assert_eq!(problems(&repo, &["--require-signed"]), ["-", "unsigned"]);
    let stranger = configure_ssh_key(&repo, "stranger", "");
    allow(&repo, "me@example.org", &stranger);
    put_note(&repo, BRANCH, &note);
    assert_eq!(problems(&repo, &["--require-signed"]), ["untrusted-key", "untrusted-key"]);
}

/// The statement inside an envelope.
fn afresh_proof_payload(envelope: &serde_json::Value) -> String {
    let payload = envelope["payload"].as_str().expect("a payload");
    let mut decode = Command::new("base64");
    decode.arg("-d").stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = decode.spawn().expect("base64");
    std::io::Write::write_all(&mut child.stdin.take().expect("piped"), payload.as_bytes())
        .expect("written");
    String::from_utf8(child.wait_with_output().expect("base64").stdout).expect("text")
}

/// TR-06: a note with many signatures costs a bounded number of programs.
#[test]
fn only_so_many_signatures_of_a_note_are_verified() {
    if !has_program("ssh-keygen") {
        return;
    }
    let repo = prepared(1);
    configure_ssh_key(&repo, "key", "");
    repo.run(&[]).expect(0);
    let line = note_of(&repo, BRANCH);
    put_note(&repo, BRANCH, &format!("{line}\n").repeat(90));
    let (script, calls) = (repo.path().join("count"), repo.path().join("verify-calls"));
    write_script(&script, &format!("#!/bin/sh\necho x >> '{}'\nexit 1\n", calls.display()));
    repo.git(&["config", "gpg.ssh.program", script.to_str().expect("a path")]);
    verify(&repo, &[]);
    assert_eq!(fs::read_to_string(calls).expect("called").lines().count(), 16);
    assert_eq!(problems(&repo, &["--require-signed"]), ["untrusted-key"]);
}

/// TR-06: a key that needs a passphrase never blocks a run; there is one warning, and receipts are unsigned.
#[test]
fn a_key_with_a_passphrase_never_blocks_a_run() {
    if !has_program("ssh-keygen") {
        return;
    }
    let repo = prepared(3);
    configure_ssh_key(&repo, "key", "a secret");
    let ran = repo.run(&[]).expect(0);
    assert_eq!(ran.stderr.matches("receipts are not signed from here on").count(), 1, "{ran:?}");
    assert!(ran.stderr.contains("must be unlocked in its agent"), "{}", ran.stderr);
    assert_eq!(problems(&repo, &[]), ["-", "-", "-"]);
    assert_eq!(problems(&repo, &["--require-signed"]), ["unsigned"; 3]);
    let report = repo.afresh(&["report", "--json"]).expect(0).json();
    assert_eq!(report["note_problems"].as_array().map(Vec::len), Some(1), "{report}");
    repo.expect_no_survivors();
}

/// TR-06, R6: a program that never answers is ended after its time limit, once in a run, with everything it started.
#[test]
fn a_signing_program_that_hangs_is_ended_once() {
    let repo = prepared(3);
    let script = repo.path().join("hang");
    let calls = repo.path().join("sign-calls");
    write_script(
        &script,
        &format!(
            "#!/bin/sh\nread x </dev/tty 2>/dev/null\nenv > '{0}.env'\necho x >> '{0}'\nsleep 600 & sleep 600\n",
            calls.display()
        ),
    );
    repo.git(&["config", "gpg.program", script.to_str().expect("a path")]);
    repo.git(&["config", "user.signingkey", "me"]);
    let started = Instant::now();
    let mut command = repo.command(&["run", "p.plan.toml"]);
    command.env("DISPLAY", ":9").env("SSH_ASKPASS", "/bin/true").env("MY_TOKEN", "hidden");
    command.env("SSH_AUTH_SOCK", "/an/agent").env("GNUPGHOME", "/a/keyring");
    let seen = repo.path().join("worker.env");
    repo.agent(&format!("env > '{}'; echo x > $AFRESH_TASK.txt", seen.display()));
    let ran = afresh_testkit::repo::finish(command).expect(0);
    assert!(ran.stderr.contains("did not end within 5 s"), "{}", ran.stderr);
    assert_eq!(fs::read_to_string(&calls).expect("called"), "x\n", "called once");
    assert!(started.elapsed() < Duration::from_secs(60));
    let env = fs::read_to_string(repo.path().join("sign-calls.env")).expect("seen");
    assert!(!env.contains("DISPLAY") && !env.contains("hidden"), "{env}");
    assert!(env.contains("SSH_ASKPASS_REQUIRE=never"), "{env}");
    // Only the signing program reaches the agents with the keys.
    assert!(env.contains("/an/agent") && env.contains("/a/keyring"), "{env}");
    let worker = fs::read_to_string(seen).expect("seen");
    assert!(!worker.contains("/an/agent") && !worker.contains("/a/keyring"), "{worker}");
    repo.expect_no_survivors();
    assert_eq!(problems(&repo, &[]), ["-", "-", "-"]);
}

/// TR-06: keys of gpg, as trusted as gpg says; a protected one never opens a dialog.
#[test]
fn receipts_are_signed_with_a_key_of_gpg() {
    if !has_program("gpg") {
        return;
    }
    let repo = prepared(2);
    // A short path: the agent's socket is in it.
    let home = tempfile::Builder::new().prefix("gpg").tempdir_in("/tmp").expect("a directory");
    let gpg = |args: &[&str]| {
        let mut command = Command::new("gpg");
        command.args(["--batch", "--quiet", "--pinentry-mode", "loopback"]).args(args);
        command.env("GNUPGHOME", home.path()).stdin(Stdio::null());
        let output = command.output().expect("gpg");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    };
    gpg(&[
        "--passphrase",
        "",
        "--quick-gen-key",
        "Me <me@example.org>",
        "ed25519",
        "sign",
        "never",
    ]);
    gpg(&[
        "--passphrase",
        "abc",
        "--quick-gen-key",
        "Safe <safe@example.org>",
        "ed25519",
        "sign",
        "never",
    ]);
    let stop = || {
        let mut command = Command::new("gpgconf");
        command.args(["--kill", "all"]).env("GNUPGHOME", home.path());
        let _ = command.status();
    };
    // What it remembers of the passphrase must be gone.
    stop();
    let with_home = |args: &[&str]| {
        let mut command = repo.command(args);
        command.env("GNUPGHOME", home.path());
        afresh_testkit::repo::finish(command)
    };
    repo.git(&["config", "user.signingkey", "me@example.org"]);
    with_home(&["run", "p.plan.toml"]).expect(0);
    let json = with_home(&["verify-run", "--require-signed", "--json"]).expect(0).json();
    assert_eq!(json["commits"][0]["signature"]["signer"], "Me <me@example.org>");
    // Without the keyring, the key is unknown.
    assert_eq!(problems(&repo, &["--require-signed"]), ["untrusted-key", "untrusted-key"]);
    repo.git(&["config", "user.signingkey", "safe@example.org"]);
    let ran = with_home(&["run", "--new", "p.plan.toml"]).expect(0);
    assert_eq!(ran.stderr.matches("receipts are not signed").count(), 1, "{}", ran.stderr);
    with_home(&["verify-run", "afresh/test-2", "--require-signed"]).expect(1);
    stop();
}
