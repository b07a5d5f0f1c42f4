//! R6, F15: nothing outlives a program, whichever process dies and however badly it behaves.
//!
//! The daemons of a worker are double-forked, each in its own session, with an empty environment
//! and ignoring SIGTERM. Besides: `bare` keeps the pipes and the directory, `stopped` has stopped
//! itself, `elsewhere` left the directory, `quiet` closed the pipes, `gone` did both.
#![allow(clippy::unwrap_used, reason = "parts of tests")]

use std::fs;
use std::path::Path;
use std::process::{Child, Command};
use std::time::{Duration, Instant};

use crate::common::{
    HELPER, PATIENCE, ProcessScene, is_alive, kill_9, wait_until, with_every_containment,
};
use afresh_process::{Containment, ProcessEnd, StopSignal, sweep_leftovers};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

const ALL: &str = "bare,stopped,elsewhere,quiet,gone";
const DAEMONS: u32 = 5;

/// R6.
#[test]
fn nothing_outlives_a_program_that_ends() {
    with_every_containment(|story| {
        let report = story.run(&story.worker(ALL, "end"));
        assert_eq!(report.ended, Ok(ProcessEnd::Exited(0)), "{}", story.text("stderr"));
        assert_eq!((report.left_behind, report.unkillable), (DAEMONS, 0));
        story.assert_nothing_is_left();
    });
}

/// B23.
#[test]
fn a_program_that_never_exits_is_killed_at_its_timeout_with_its_tree() {
    with_every_containment(|story| {
        let mut job = story.worker(ALL, "stay");
        job.limits.wall = Some(Duration::from_millis(1500));
        assert_eq!(story.run(&job).ended, Ok(ProcessEnd::TimedOut));
        story.assert_nothing_is_left();
    });
}

#[test]
fn a_silent_program_is_killed_with_its_tree() {
    with_every_containment(|story| {
        let mut job = story.worker(ALL, "stay");
        job.limits.silence = Some(Duration::from_millis(1500));
        assert_eq!(story.run(&job).ended, Ok(ProcessEnd::WentSilent));
        story.assert_nothing_is_left();
    });
}

/// F15, R7: within the grace period and five seconds.
#[test]
fn a_program_that_ignores_signals_is_killed_after_its_grace() {
    with_every_containment(|story| {
        let mut running = story.start(&story.worker(ALL, "stay"));
        story.await_up();
        let asked_at = Instant::now();
        let stopper = running.stopper();
        std::thread::spawn(move || stopper.stop(Duration::from_millis(300)));
        assert_eq!(running.wait().ended, Ok(ProcessEnd::Stopped));
        let took = asked_at.elapsed();
        assert!(took >= Duration::from_millis(300), "it had its grace: {took:?}");
        assert!(took <= Duration::from_millis(5300), "{took:?}");
        story.assert_nothing_is_left();
    });
}

#[test]
fn a_program_may_clean_up_within_its_grace() {
    with_every_containment(|story| {
        let up = story.path("up.main");
        let script = "trap 'echo bye; exit 0' TERM; : > UP; while :; do sleep 0.01; done";
        let mut running = story.start(&story.shell(&script.replace("UP", up.to_str().unwrap())));
        story.await_up();
        running.stopper().stop(PATIENCE);
        assert_eq!(running.wait().ended, Ok(ProcessEnd::Stopped));
        assert_eq!(story.text("stdout"), "bye\n");
        story.assert_nothing_is_left();
    });
}

#[test]
fn a_suspended_program_is_continued_to_handle_the_stop_signal() {
    with_every_containment(|story| {
        let up = story.path("up.main");
        let script = "trap 'echo bye; exit 0' TERM; : > UP; kill -STOP $$; sleep 1000";
        let mut running = story.start(&story.shell(&script.replace("UP", up.to_str().unwrap())));
        story.await_up();
        running.stopper().stop(PATIENCE);
        assert_eq!(running.wait().ended, Ok(ProcessEnd::Stopped));
        assert_eq!(story.text("stdout"), "bye\n");
        story.assert_nothing_is_left();
    });
}

#[test]
fn kill_does_not_wait_for_a_grace() {
    with_every_containment(|story| {
        let mut running = story.start(&story.worker(ALL, "stay"));
        story.await_up();
        let stopper = running.stopper();
        stopper.stop(PATIENCE * 10);
        stopper.kill();
        assert_eq!(running.wait().ended, Ok(ProcessEnd::Stopped));
        stopper.kill();
        assert_eq!(running.wait().ended, Ok(ProcessEnd::Stopped), "later calls change nothing");
        story.assert_nothing_is_left();
    });
}

/// R14: a program that goes on to spend after it was asked has no grace.
#[test]
fn a_program_that_is_not_asked_has_no_grace() {
    with_every_containment(|story| {
        let mut job = story.worker(ALL, "stay");
        job.limits.stop_signal = StopSignal::Kill;
        let mut running = story.start(&job);
        story.await_up();
        running.stopper().stop(PATIENCE * 10);
        assert_eq!(running.wait().ended, Ok(ProcessEnd::Stopped));
        story.assert_nothing_is_left();
    });
}

/// R6.
#[test]
fn a_job_is_killed_when_its_handle_is_dropped() {
    with_every_containment(|story| {
        let running = story.start(&story.worker(ALL, "stay"));
        story.await_up();
        drop(running);
        story.assert_nothing_is_left();
    });
}

/// R6.
#[test]
fn nothing_outlives_a_driver_that_is_killed() {
    with_every_containment(|story| {
        let mut driver = story.drive(&story.worker(ALL, "stay"), "keep");
        story.await_up();
        let supervisor = story.supervisor();
        driver.kill().unwrap();
        driver.wait().unwrap();
        wait_until("the supervisor has ended its tree", || !is_alive(supervisor));
        story.assert_nothing_is_left();
    });
}

/// R6.
#[test]
fn nothing_outlives_a_supervisor_that_is_killed() {
    for orphans in ["adopt", "keep"] {
        with_every_containment(|story| {
            let mut driver = story.drive(&story.worker(ALL, "stay"), orphans);
            story.await_up();
            if orphans == "keep" {
                await_member_log(story);
            }
            kill_9(story.supervisor());
            assert_eq!(story.driven_report().ended, Ok(ProcessEnd::SupervisorLost));
            driver.wait().unwrap();
            story.assert_nothing_is_left();
        });
    }
}

/// R6.
#[test]
fn nothing_outlives_driver_and_supervisor_after_a_sweep() {
    with_every_containment(|story| {
        let driver = story.drive(&story.worker(ALL, "stay"), "keep");
        story.await_up();
        await_member_log(story);
        kill_both_and_sweep(story, driver);
    });
}

/// R6.
#[test]
fn young_daemons_are_found_by_their_pipes_or_their_directory() {
    with_every_containment(|story| {
        let kinds = ALL.replace(",gone", "");
        let driver = story.drive(&story.worker(&kinds, "stay"), "keep");
        story.await_up();
        kill_both_and_sweep(story, driver);
    });
}

fn kill_both_and_sweep(story: &ProcessScene, mut driver: Child) {
    let supervisor = story.supervisor();
    // The driver is stopped first, so that it cannot clean up.
    kill(Pid::from_raw(driver.id().cast_signed()), Signal::SIGSTOP).unwrap();
    kill_9(supervisor);
    driver.kill().unwrap();
    driver.wait().unwrap();
    let report = sweep_leftovers(&story.registry(), &story.name());
    assert_eq!((report.found, &report.stubborn[..]), (1, &[][..]));
    wait_until("the kernel has ended the namespace", || story.alive().is_empty());
    story.assert_nothing_is_left();
    assert_eq!(
        sweep_leftovers(&story.registry(), "").found,
        0,
        "R12: a second sweep finds nothing"
    );
}

/// R6.
#[test]
fn a_sweep_ends_a_supervisor_that_hangs() {
    with_every_containment(|story| {
        let mut driver = story.drive(&story.worker(ALL, "stay"), "keep");
        story.await_up();
        let supervisor = story.supervisor();
        // A stopped driver still holds the pipe, so the supervisor sees no reason to end.
        kill(Pid::from_raw(driver.id().cast_signed()), Signal::SIGSTOP).unwrap();
        let report = sweep_leftovers(&story.registry(), "");
        assert!(report.killed > DAEMONS, "{report:?}");
        assert!(!is_alive(supervisor));
        story.assert_nothing_is_left();
        driver.kill().unwrap();
        driver.wait().unwrap();
    });
}

/// R7: a program may stop its own supervisor.
#[test]
fn a_suspended_supervisor_cannot_prolong_a_halt() {
    with_every_containment(|story| {
        let mut running = story.start(&story.worker(ALL, "stay"));
        story.await_up();
        let supervisor = Pid::from_raw(story.supervisor());
        kill(supervisor, Signal::SIGSTOP).unwrap();
        running.stopper().kill();
        // Again and again, against the driver's attempts to continue it.
        let stopping = std::thread::spawn(move || {
            while kill(supervisor, Signal::SIGSTOP).is_ok() {
                std::thread::sleep(Duration::from_micros(50));
            }
        });
        let report = running.wait();
        assert!(
            matches!(report.ended, Ok(ProcessEnd::Stopped | ProcessEnd::SupervisorLost)),
            "{report:?}"
        );
        stopping.join().unwrap();
        story.assert_nothing_is_left();
    });
}

/// F16: each process lives only long enough to start the next one, so no list of them is ever
/// current.
#[test]
fn a_tree_that_forks_faster_than_we_poll_is_killed() {
    with_every_containment(|story| {
        let mut job = story.shell("trap '' TERM; hop() { hop & }; hop; hop; hop; sleep 1000");
        job.limits.wall = Some(Duration::from_millis(500));
        job.limits.grace = Duration::ZERO;
        let report = story.run(&job);
        assert_eq!((report.ended, report.unkillable), (Ok(ProcessEnd::TimedOut), 0));
        assert_eq!(shells_of(story), 0);
        story.assert_nothing_is_left();
    });
}

/// F15.
#[test]
fn a_suspended_supervisor_is_continued() {
    with_every_containment(|story| {
        let mut running = story.start(&story.worker(ALL, "stay"));
        story.await_up();
        kill(Pid::from_raw(story.supervisor()), Signal::SIGSTOP).unwrap();
        running.stopper().stop(Duration::ZERO);
        assert_eq!(running.wait().ended, Ok(ProcessEnd::Stopped), "and not lost");
        story.assert_nothing_is_left();
    });
}

/// AG-09, F15: a stop signal during the set-up of a sandbox is delivered when the program runs, not
/// lost.
#[test]
fn a_stop_signal_during_startup_is_not_lost() {
    with_every_containment(|story| {
        let mut job = story.shell("while :; do sleep 0.01; done");
        job.wrapper = vec![HELPER.into(), "slow-room".into()];
        let mut running = story.start(&job);
        assert!(running.has_started());
        running.stopper().stop(2 * PATIENCE);
        let report = running.wait();
        assert_eq!(report.ended, Ok(ProcessEnd::Stopped));
        assert!(Duration::from_millis(report.wall_ms) < PATIENCE, "it was not asked");
        story.assert_nothing_is_left();
    });
}

/// F16: a fork bomb is killed.
#[test]
fn a_fork_bomb_is_killed() {
    with_every_containment(|story| {
        // Wide rather than exponential, for the sake of other users of this machine.
        let script = "trap '' TERM; burst() { for i in 1 2 3 4 5 6 7 8; do sleep 1000 & done; }; \
                      for i in 1 2 3 4 5 6; do (while burst; do sleep 0.05; done) & done; wait";
        let mut job = story.shell(script);
        job.limits.wall = Some(Duration::from_millis(500));
        job.limits.grace = Duration::ZERO;
        let report = story.run(&job);
        assert_eq!((report.ended, report.unkillable), (Ok(ProcessEnd::TimedOut), 0));
        assert!(report.left_behind > 20, "{}", report.left_behind);
        assert_eq!(shells_of(story), 0);
        story.assert_nothing_is_left();
    });
}

/// Processes that work in the test's directory.
fn shells_of(story: &ProcessScene) -> usize {
    let work = story.path("work");
    let processes = fs::read_dir("/proc").unwrap().flatten();
    processes.filter(|it| fs::read_link(it.path().join("cwd")).is_ok_and(|cwd| cwd == work)).count()
}

/// A pid alone proves nothing: it may have been reused.
#[test]
fn a_sweep_leaves_unrelated_processes_alone() {
    let story = ProcessScene::on(Containment::Group);
    let mut stranger =
        Command::new("sleep").arg("1000").current_dir(story.path("work")).spawn().unwrap();
    // An entry of a supervisor that is long dead, whose pids belong to another process now.
    let mut running = story.start(&story.worker("", "stay"));
    story.await_up();
    let path = story.entry();
    let mut entry: serde_json::Value = first_line(&path);
    running.stopper().kill();
    running.wait();
    for part in ["supervisor", "program"] {
        entry[part]["pid"] = stranger.id().into();
        let start = entry[part]["start"].as_u64().unwrap() - 100;
        entry[part]["start"] = start.into();
    }
    fs::write(&path, serde_json::to_vec(&entry).unwrap()).unwrap();
    let report = sweep_leftovers(&story.registry(), "");
    assert_eq!((report.found, report.killed), (1, 0));
    assert!(is_alive(stranger.id().cast_signed()));
    // After another boot, even a matching pid is another process.
    entry["place"]["boot"] = "another".into();
    fs::write(&path, serde_json::to_vec(&entry).unwrap()).unwrap();
    fs::write(story.registry().join(format!("{}-2.json", story.name())), "{").unwrap();
    let report = sweep_leftovers(&story.registry(), &story.name());
    assert_eq!((report.found, report.foreign, report.unreadable.len()), (2, 1, 1));
    assert!(is_alive(stranger.id().cast_signed()));
    assert_eq!(story.registered(), 0);
    stranger.kill().unwrap();
    stranger.wait().unwrap();
}

/// An entry of the registry; what follows its first line is left over from an older one.
fn first_line(path: &Path) -> serde_json::Value {
    let text = fs::read_to_string(path).unwrap();
    serde_json::from_str(text.lines().next().unwrap()).unwrap()
}

/// With containment by process group, a daemon that left its session, its directory and its pipes
/// is found only through the member log.
fn await_member_log(story: &ProcessScene) {
    let written = || {
        let entry: serde_json::Value = first_line(&story.entry());
        entry["tree"].as_array().unwrap().len() > DAEMONS as usize
    };
    if story.containment == Containment::Group {
        wait_until("the tree is written down", written);
    }
}
