//! kill -9 of the driver at chosen points: around every call of git, around the move of the branch, and at the writes
//! of the journal. Whatever the point, the next `afresh run` ends the same way.

use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use crate::support::git::{in_front_of_path, put_git};
use crate::support::strace::{strace_works, tampered};
use crate::support::sweep::stride;
use crate::support::{Driver, WORKER, expect_landed_once, repo};
use afresh_testkit::TestRepo;

const TASKS: usize = 2;

/// When git's caller dies.
#[derive(Debug, Clone, Copy)]
enum When {
    /// Before git does anything; git continues alone.
    Before,
    /// The same, and git does its work only when the next driver is already running.
    Long,
    /// When git has done its work and nothing has recorded it.
    After,
    /// Together with git, which has taken its locks.
    Locked,
}

/// A `git` that kills its caller, at the `call`-th call with a verb that matches `verb`.
fn deadly_git(repo: &TestRepo, verb: &str, call: u32, when: When) -> PathBuf {
    let calls = repo.path().join("calls");
    fs::create_dir_all(&calls).expect("a new directory");
    let fate = match when {
        When::Before => "kill -9 $PPID",
        When::Long => "kill -9 $PPID; sleep 0.7",
        When::After => "\"$git\" \"$@\"; code=$?; kill -9 $PPID; exit $code",
        When::Locked => KILL_WITH_LOCKS,
    };
    let script = format!(
        "case \" $* \" in *\"{verb}\"*) ;; *) exec \"$git\" \"$@\";; esac\n\
         n=1; while ! mkdir '{}'/$n 2>/dev/null; do n=$((n + 1)); done\n\
         if [ $n -eq {call} ]; then {fate}; fi",
        calls.display(),
    );
    put_git(repo, &script)
}

/// Lets git prepare its transaction, then kills it and its caller.
const KILL_WITH_LOCKS: &str = r#"here=$(mktemp -d); mkfifo "$here/pipe"
"$git" "$@" <"$here/pipe" >"$here/out" & locked=$!
exec 3>"$here/pipe"; printf 'start\0' >&3; cat >&3; printf 'prepare\0' >&3
until grep -q 'prepare: ok' "$here/out"; do sleep 0.02; done
kill -9 $locked $PPID; rm -r "$here""#;

fn run(repo: &TestRepo) -> Command {
    repo.command(&["run", "p.plan.toml"])
}

fn repo_with_tasks() -> TestRepo {
    let repo = repo();
    repo.agent(WORKER.strip_prefix("sleep 0.1; ").expect("it begins with a pause"));
    repo.plan_of(TASKS);
    repo
}

/// What became of a run whose n-th call of git is deadly.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fate {
    /// The driver was killed.
    Killed,
    /// The call was made by another program, such as git itself; that one was killed.
    Spared,
    /// There were not that many calls.
    NotReached,
}

/// Runs once with the git that kills, then with the real one; returns whether the first was killed.
fn is_killed(verb: &str, call: u32, when: When) -> bool {
    fate(verb, call, when) == Fate::Killed
}

fn fate(verb: &str, call: u32, when: When) -> Fate {
    fate_as(verb, call, when, Duration::ZERO, |command| command)
}

fn fate_as(
    verb: &str,
    call: u32,
    when: When,
    pause: Duration,
    as_it: impl Fn(Command) -> Command,
) -> Fate {
    let repo = repo_with_tasks();
    let before = repo.untouched();
    let mut command = run(&repo);
    command.env("PATH", in_front_of_path(&deadly_git(&repo, verb, call, when)));
    let command = as_it(command);
    let first = Driver::start_command(&repo, command).end();
    let killed = first.code.is_none();
    assert!(killed || first.code == Some(0), "{verb:?} {call} {when:?}: {first:?}");
    let is_reached = repo.path().join(format!("calls/{call}")).exists();
    // Within one second, a merge that is built again is the same commit, and hides a mistake.
    std::thread::sleep(pause);
    let second = repo.run(&[]);
    assert_eq!(second.code, Some(0), "{verb:?} {call} {when:?}: {second:?}");
    repo.expect_no_survivors();
    repo.untouched().expect_same_as(&before);
    expect_landed_once(&repo, TASKS);
    match (killed, is_reached) {
        (true, _) => Fate::Killed,
        (false, true) => Fate::Spared,
        (false, false) => Fate::NotReached,
    }
}

/// A sample of the calls of git, from the `first` on.
#[track_caller]
fn expect_recovery_from_kills(first: u32, when: When) {
    let calls = (first..).step_by(stride(10));
    let fates: Vec<Fate> = calls
        .map(|call| fate(" ", call, when))
        .take_while(|fate| *fate != Fate::NotReached)
        .collect();
    let killed = fates.iter().filter(|fate| **fate == Fate::Killed).count();
    assert!(killed > 3, "{fates:?}");
}

/// R1, R3, R5, R12, ST-02: before a call of git.
#[test]
fn a_kill_before_a_call_of_git_is_recovered_from() {
    expect_recovery_from_kills(3, When::Before);
}

/// R1, R3, R5, R12, ST-02: during a call of git.
#[test]
fn a_kill_during_a_call_of_git_is_recovered_from() {
    expect_recovery_from_kills(1, When::Long);
}

/// R1, R3, R5, R12, ST-02: after a call of git.
#[test]
fn a_kill_after_a_call_of_git_is_recovered_from() {
    expect_recovery_from_kills(2, When::After);
}

/// Every move of a ref.
#[track_caller]
fn expect_one_merge_after_kills(when: When) {
    let killed = (1..100).take_while(|call| is_killed("update-ref", *call, when)).count();
    assert!(killed > TASKS, "only {killed} moves of refs were seen");
}

/// R3, F02: before the branch moves, which it does without the driver.
#[test]
fn a_kill_before_the_move_of_the_branch_merges_once() {
    expect_one_merge_after_kills(When::Before);
}

/// R3, F02: the branch moves while the next driver runs, without its knowledge.
#[test]
fn a_kill_during_the_move_of_the_branch_merges_once() {
    expect_one_merge_after_kills(When::Long);
}

/// R3, F02: between "the branch moved" and "recorded".
#[test]
fn a_kill_after_the_move_of_the_branch_merges_once() {
    expect_one_merge_after_kills(When::After);
}

/// R12, F12: a killed git leaves the locks of the refs that it was about to move; nobody else would remove them.
#[test]
fn locks_that_a_killed_git_left_do_not_stop_the_next_driver() {
    let killed = (1..100).take_while(|call| is_killed("update-ref", *call, When::Locked)).count();
    assert!(killed > TASKS, "only {killed} moves of refs were seen");
}

/// R1, R3, R12: at the writes of the journal and of the directories of refs.
#[test]
fn a_kill_at_a_write_of_the_journal_is_recovered_from() {
    if !strace_works() {
        return;
    }
    let mut killed = 0;
    for number in (1..300).step_by(stride(5)) {
        let repo = repo_with_tasks();
        let before = repo.untouched();
        let first = Driver::start_command(
            &repo,
            tampered(&run(&repo), WRITES, &format!("signal=KILL:when={number}")),
        )
        .end();
        let second = repo.run(&[]);
        assert_eq!(second.code, Some(0), "at call {number}: {second:?}");
        repo.expect_no_survivors();
        repo.untouched().expect_same_as(&before);
        expect_landed_once(&repo, TASKS);
        if first.code == Some(0) {
            break;
        }
        assert_eq!(first.code, None, "at call {number}: {first:?}");
        killed += 1;
    }
    assert!(killed > 3, "only {killed} places were seen");
}

/// ST-01, R3: on a slow disk, any action before its record happens far too early. What was written survives a kill
/// even if it was not synced, so the writes are made slow.
#[test]
fn nothing_takes_effect_before_it_is_recorded() {
    if !strace_works() {
        return;
    }
    let slow = |command: Command| tampered(&command, "write,pwrite64", "delay_enter=40ms");
    let killed = (1..100)
        .step_by(stride(2))
        .take_while(|call| {
            let pause = Duration::from_millis(1100);
            fate_as("update-ref", *call, When::After, pause, slow) == Fate::Killed
        })
        .count();
    assert!(killed >= TASKS, "only {killed} moves of refs were seen");
}

const WRITES: &str = "fsync,fdatasync,rename,renameat,renameat2";
