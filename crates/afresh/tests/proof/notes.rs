//! The notes that a run writes, whatever else happens to them.

use std::process::Command;

use serde_json::Value;

use super::{BRANCH, finished, note_of, prepared, problems, put_note};
use crate::support::git::{in_front_of_path, put_git};

/// TR-06: each merge has a note for exactly its commit and tree, and it appears with the merge.
#[test]
fn every_merge_has_its_receipt_as_a_note() {
    let repo = prepared(2);
    repo.git(&["notes", "add", "-m", "mine", "HEAD"]);
    let own = repo.git(&["rev-parse", "refs/notes/commits"]);
    let before = repo.untouched();
    repo.run(&[]).expect(0);
    repo.untouched().expect_same_as(&before);
    assert_eq!(repo.git(&["rev-parse", "refs/notes/commits"]), own);
    for commit in [BRANCH.to_owned(), format!("{BRANCH}^")] {
        let note: Value = serde_json::from_str(&note_of(&repo, &commit)).expect("one document");
        let id = |what: &str| repo.git(&["rev-parse", &format!("{commit}{what}")]);
        assert_eq!(note["subject"][0]["digest"]["gitCommit"], id("").as_str());
        assert_eq!(note["subject"][1]["digest"]["gitTree"], id("^{tree}").as_str());
        assert_eq!(note["predicate"]["onto"], id("^").as_str());
        assert_eq!(note["predicate"]["base"], repo.git(&["rev-parse", "main"]).as_str());
        let time = repo.git(&[
            "log",
            "-1",
            "--format=%cd",
            "--date=format-local:%Y-%m-%dT%H:%M:%SZ",
            &commit,
        ]);
        assert_eq!(note["predicate"]["made_at"], time.as_str());
        let check = note["predicate"]["checks"][0]["command"].as_str().expect("a command");
        assert!(check.starts_with("test -s T00"), "{note}");
    }
    assert_eq!(problems(&repo, &[]), ["-", "-"]);
    assert_eq!(repo.git(&["fsck", "--strict", "--no-dangling"]), "");
}

/// TR-06: other notes stay, and a change of the notes between reading and writing them is not overwritten.
#[test]
fn notes_that_change_during_a_run_are_extended() {
    let repo = prepared(2);
    repo.git(&["notes", "--ref=afresh", "add", "-m", "before", "HEAD"]);
    let count = repo.path().join("changes");
    // Each of the first transactions finds that another program was faster. What it could not write is not counted.
    let script = format!(
        "case \" $* \" in *' update-ref '*) ;; *) exec \"$git\" \"$@\";; esac\n\
         n=$(cat '{0}' 2>/dev/null || echo 0)\n\
         if [ $n -lt 30 ] && \"$git\" -c user.name=N -c user.email=n@x \\\n\
         notes --ref=afresh append -m \"line $n\" main </dev/null; then echo $((n + 1)) > '{0}'; fi",
        count.display()
    );
    let mut command = repo.command(&["run", "p.plan.toml"]);
    command.env("PATH", in_front_of_path(&put_git(&repo, &script)));
    afresh_testkit::repo::finish(command).expect(0);
    let changes: usize =
        std::fs::read_to_string(&count).expect("counted").trim().parse().expect("a number");
    assert!(changes > 4, "only {changes} changes");
    let note = note_of(&repo, "main");
    assert!(note.starts_with("before\n"), "{note}");
    for n in 0..changes {
        assert!(note.lines().any(|line| line == format!("line {n}")), "{n} is lost: {note}");
    }
    let missing = problems(&repo, &[]).iter().filter(|problem| *problem == "missing-note").count();
    let report = repo.afresh(&["report", "--json"]).expect(0).json();
    // A program that changes the notes without a break keeps a note out, and that is reported.
    assert_eq!(report["note_problems"].as_array().map_or(0, Vec::len), missing, "{report}");
    assert!(missing < 2, "the second merge has its note");
}

/// TR-06: where no note can be written, the merge lands all the same; logs, report and `verify-run` name it.
#[test]
fn a_merge_lands_without_its_note_and_says_so() {
    let not_notes = "git update-ref refs/notes/afresh $(git hash-object -w README.md)";
    let in_the_way = "git update-ref refs/notes/afresh/mine HEAD";
    let cases = [("there is no such commit", not_notes), ("refs/notes/afresh/mine", in_the_way)];
    for (why, break_notes) in cases {
        let repo = prepared(1);
        let broken = Command::new("sh").args(["-c", break_notes]).current_dir(repo.root()).status();
        assert!(broken.is_ok_and(|status| status.success()));
        let before = repo.git(&["for-each-ref", "refs/notes"]);
        let ran = repo.run(&[]).expect(0);
        assert!(ran.stderr.contains("note T001.1 merged, but its receipt"), "{}", ran.stderr);
        assert!(ran.stderr.contains(why), "{}", ran.stderr);
        assert_eq!(repo.landed(), ["T001"]);
        assert_eq!(repo.git(&["for-each-ref", "refs/notes"]), before);
        let unreadable = repo.afresh(&["verify-run"]);
        assert!(matches!(unreadable.code, Some(1 | 2)), "{unreadable:?}");
        let log = repo.afresh(&["logs"]).expect(0).stdout;
        assert!(log.contains("[WARN] [T001.1] receipt-note: "), "{log}");
        let report = repo.afresh(&["report"]).expect(0).stdout;
        assert!(report.contains("## Receipts in the git notes\n\n- `T001.1`: "), "{report}");
        for line in before.lines() {
            let name = line.split('\t').nth(1).expect("a name");
            repo.git(&["update-ref", "-d", name]);
        }
        assert_eq!(problems(&repo, &[]), ["missing-note"]);
    }
}

/// TR-06, R3, R12: a power cut can leave one ref of a transaction moved and the other not. After a restart the note is
/// there, once.
#[test]
fn a_note_that_a_crash_lost_is_written_again() {
    let repo = prepared(2);
    let flag = repo.path().join("lost");
    let script = format!(
        "case \" $* \" in *' update-ref '*) ;; *) exec \"$git\" \"$@\";; esac\n\
         \"$git\" \"$@\"; code=$?\n\
         if [ ! -e '{0}' ] && \"$git\" rev-parse -q --verify refs/notes/afresh >/dev/null; then\n\
         : > '{0}'; \"$git\" update-ref -d refs/notes/afresh; kill -9 $PPID\nfi\nexit $code",
        flag.display()
    );
    let mut command = repo.command(&["run", "p.plan.toml"]);
    command.env("PATH", in_front_of_path(&put_git(&repo, &script)));
    assert_eq!(afresh_testkit::repo::finish(command).code, None, "killed");
    assert!(!repo.try_git(&["rev-parse", "-q", "--verify", "refs/notes/afresh"]).status.success());
    let ran = repo.run(&[]).expect(0);
    assert!(!ran.stderr.contains("receipt"), "{}", ran.stderr);
    assert_eq!(problems(&repo, &[]), ["-", "-"]);
    for commit in [BRANCH.to_owned(), format!("{BRANCH}^")] {
        assert_eq!(note_of(&repo, &commit).lines().count(), 1);
    }
}

/// TR-06: a rewind leaves the notes of the commits that it dropped, which harm nothing.
#[test]
fn notes_of_dropped_commits_harm_nothing() {
    let repo = prepared(2);
    repo.plan(
        "[[task]]\nid = \"A\"\ntitle = \"a\"\nfiles = [\"A.txt\"]\nchecks = [\"test -s A.txt\"]\n\
         [[task]]\nid = \"B\"\ntitle = \"b\"\nfiles = [\"B.txt\"]\nchecks = [\"test -s B.txt\"]\n",
    );
    repo.commit("another plan");
    repo.agent("[ $AFRESH_TASK = A ] && echo a > A.txt || exit 1");
    repo.run(&["--on-failure", "skip"]).expect(1);
    let dropped = repo.git(&["rev-parse", BRANCH]);
    repo.agent("echo \"by $AFRESH_TASK\" > $AFRESH_TASK.txt");
    repo.run(&["--resume", "wave"]).expect(0);
    assert_ne!(repo.git(&["rev-list", "--first-parent", BRANCH]).lines().count(), 0);
    assert!(!repo.git(&["rev-list", BRANCH]).contains(&dropped));
    assert!(note_of(&repo, &dropped).contains(&dropped));
    assert_eq!(problems(&repo, &[]), ["-", "-"]);
}

/// TR-06: two people's notes merge as a union, and both branches are covered.
#[test]
fn two_peoples_notes_are_merged() {
    let repo = finished(1);
    repo.git(&["clone", "-q", "--no-local", ".", "../theirs"]);
    let theirs = repo.path().join("theirs");
    let theirs = theirs.to_str().expect("a path");
    let there = |args: &[&str]| repo.git(&[&["-C", theirs][..], args].concat());
    // Their run, without our notes: they have a root of their own. In the same second, the same work would be the same
    // commit.
    repo.agent("echo theirs > $AFRESH_TASK.txt");
    repo.afresh(&["-C", theirs, "run", "--new", "p.plan.toml"]).expect(0);
    repo.git(&["fetch", "-q", theirs, "+refs/heads/afresh/*:refs/heads/afresh/theirs-*"]);
    repo.git(&["fetch", "-q", theirs, "refs/notes/afresh:refs/notes/afresh-theirs"]);
    let branch =
        repo.git(&["for-each-ref", "--format=%(refname:short)", "refs/heads/afresh/theirs-*"]);
    assert_eq!(problems(&repo, &[&branch]), ["missing-note"]);
    repo.git(&["notes", "--ref=afresh", "merge", "-q", "-s", "cat_sort_uniq", "afresh-theirs"]);
    assert_eq!(problems(&repo, &[&branch]), ["-"]);
    assert_eq!(problems(&repo, &[BRANCH]), ["-"]);
    assert_eq!(there(&["rev-parse", "refs/notes/afresh"]).len(), 40);
}

/// TR-06: a note that is too large to read stays as it is, and the merge lands.
#[test]
fn a_huge_or_binary_note_is_reported_and_printable() {
    let repo = finished(1);
    put_note(&repo, BRANCH, &"x".repeat(5_000_000));
    assert_eq!(problems(&repo, &[]), ["note-too-large"]);
    put_note(&repo, BRANCH, "\u{1b}[2J\u{7}{\"_type\":\"\u{202e}\u{1b}]0;x\"}\n\u{0}\u{1}binary");
    assert_eq!(problems(&repo, &[]), ["malformed-note"]);
    let table = repo.afresh(&["verify-run"]).expect(1);
    let text = format!("{}{}", table.stdout, table.stderr);
    assert!(!text.contains(['\u{1b}', '\u{7}', '\u{202e}']), "{text:?}");
}
