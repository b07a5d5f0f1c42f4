//! R6, F15: nothing of a program outlives it, whoever dies and however badly it behaves.
//!
//! The daemons of a worker are double-forked, each in its own session, with an empty environment
//! and deaf to SIGTERM. Besides: `bare` keeps the pipes and the directory, `stopped` has stopped
//! itself, `elsewhere` left the directory, `quiet` closed the pipes, `gone` did both.
#![cfg(target_os = "linux")]

mod common;

use std::fs;
use std::process::Command;
use std::time::{Duration, Instant};

use afresh_process::{Containment, Ended, sweep};
use common::{PATIENCE, Story, is_alive, kill_9, on_every_rung, wait_until};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

const ALL: &str = "bare,stopped,elsewhere,quiet,gone";
const DAEMONS: u32 = 5;

#[test]
fn r6_nothing_outlives_a_program_that_ends() {
    on_every_rung(|story| {
        let report = story.run(&story.worker(ALL, "end"));
        assert_eq!(report.ended, Ended::Exited(0), "{}", story.text("stderr"));
        assert_eq!((report.left_behind, report.unkillable), (DAEMONS, 0));
        story.assert_nothing_is_left();
    });
}

#[test]
fn b23_a_program_that_never_ends_is_ended_at_its_limit_with_its_tree() {
    on_every_rung(|story| {
        let mut job = story.worker(ALL, "stay");
        job.limits.wall = Some(Duration::from_millis(1500));
        assert_eq!(story.run(&job).ended, Ended::TimedOut);
        story.assert_nothing_is_left();
    });
}

#[test]
fn a_program_that_falls_silent_is_ended_with_its_tree() {
    on_every_rung(|story| {
        let mut job = story.worker(ALL, "stay");
        job.limits.silence = Some(Duration::from_millis(1500));
        assert_eq!(story.run(&job).ended, Ended::Silent);
        story.assert_nothing_is_left();
    });
}

/// F15, R7: within the grace and five seconds.
#[test]
fn f15_a_deaf_program_is_ended_after_its_grace() {
    on_every_rung(|story| {
        let mut running = story.start(&story.worker(ALL, "stay"));
        story.await_up();
        let asked = Instant::now();
        let stopper = running.stopper();
        std::thread::spawn(move || stopper.stop(Duration::from_millis(300)));
        assert_eq!(running.wait().ended, Ended::Stopped);
        let took = asked.elapsed();
        assert!(took >= Duration::from_millis(300), "it had its grace: {took:?}");
        assert!(took <= Duration::from_millis(5300), "{took:?}");
        story.assert_nothing_is_left();
    });
}

#[test]
fn a_polite_program_may_tidy_up_within_its_grace() {
    on_every_rung(|story| {
        let up = story.path("up.main");
        let script = "trap 'echo bye; exit 0' TERM; : > UP; while :; do sleep 0.01; done";
        let mut running = story.start(&story.shell(&script.replace("UP", up.to_str().unwrap())));
        story.await_up();
        running.stopper().stop(PATIENCE);
        assert_eq!(running.wait().ended, Ended::Stopped);
        assert_eq!(story.text("stdout"), "bye\n");
        story.assert_nothing_is_left();
    });
}

#[test]
fn a_stopped_program_is_woken_to_hear_that_it_shall_end() {
    on_every_rung(|story| {
        let up = story.path("up.main");
        let script = "trap 'echo bye; exit 0' TERM; : > UP; kill -STOP $$; sleep 1000";
        let mut running = story.start(&story.shell(&script.replace("UP", up.to_str().unwrap())));
        story.await_up();
        running.stopper().stop(Duration::from_secs(5));
        assert_eq!(running.wait().ended, Ended::Stopped);
        story.assert_nothing_is_left();
    });
}

#[test]
fn kill_does_not_wait_for_a_grace() {
    on_every_rung(|story| {
        let mut running = story.start(&story.worker(ALL, "stay"));
        story.await_up();
        let stopper = running.stopper();
        stopper.stop(PATIENCE * 10);
        stopper.kill();
        assert_eq!(running.wait().ended, Ended::Stopped);
        stopper.kill();
        assert_eq!(running.wait().ended, Ended::Stopped, "later calls change nothing");
        story.assert_nothing_is_left();
    });
}

#[test]
fn r6_a_forgotten_job_ends_when_it_is_dropped() {
    on_every_rung(|story| {
        let running = story.start(&story.worker(ALL, "stay"));
        story.await_up();
        drop(running);
        story.assert_nothing_is_left();
    });
}

#[test]
fn r6_nothing_outlives_a_driver_that_is_killed() {
    on_every_rung(|story| {
        let mut driver = story.drive(&story.worker(ALL, "stay"), "keep");
        story.await_up();
        let supervisor = story.supervisor();
        driver.kill().unwrap();
        driver.wait().unwrap();
        wait_until("the supervisor has ended its tree", || !is_alive(supervisor));
        story.assert_nothing_is_left();
    });
}

#[test]
fn r6_nothing_outlives_a_supervisor_that_is_killed() {
    for orphans in ["adopt", "keep"] {
        on_every_rung(|story| {
            let mut driver = story.drive(&story.worker(&evaders(story, orphans), "stay"), orphans);
            story.await_up();
            kill_9(story.supervisor());
            assert_eq!(story.driven_report().ended, Ended::SupervisorLost);
            driver.wait().unwrap();
            story.assert_nothing_is_left();
        });
    }
}

#[test]
fn r6_nothing_outlives_driver_and_supervisor_after_a_sweep() {
    on_every_rung(|story| {
        let mut driver = story.drive(&story.worker(&evaders(story, "keep"), "stay"), "keep");
        story.await_up();
        let supervisor = story.supervisor();
        // Stopped first, so that it cannot notice the death of its driver.
        kill(Pid::from_raw(supervisor), Signal::SIGSTOP).unwrap();
        driver.kill().unwrap();
        driver.wait().unwrap();
        kill_9(supervisor);
        let report = sweep(&story.registry(), "slot-");
        assert_eq!((report.found, &report.stubborn[..]), (1, &[][..]));
        wait_until("the kernel has ended the namespace", || story.alive().is_empty());
        story.assert_nothing_is_left();
        assert_eq!(sweep(&story.registry(), "").found, 0, "R12: a second sweep finds nothing");
    });
}

#[test]
fn r6_a_sweep_ends_a_supervisor_that_hangs() {
    on_every_rung(|story| {
        let mut driver = story.drive(&story.worker(ALL, "stay"), "keep");
        story.await_up();
        let supervisor = story.supervisor();
        kill(Pid::from_raw(supervisor), Signal::SIGSTOP).unwrap();
        driver.kill().unwrap();
        driver.wait().unwrap();
        let report = sweep(&story.registry(), "");
        assert!(report.killed > DAEMONS, "{report:?}");
        assert!(!is_alive(supervisor));
        story.assert_nothing_is_left();
    });
}

/// R7: a program may stop the supervisor that watches it.
#[test]
fn r7_a_supervisor_that_was_stopped_cannot_prolong_a_halt() {
    on_every_rung(|story| {
        let mut running = story.start(&story.worker(ALL, "stay"));
        story.await_up();
        let supervisor = Pid::from_raw(story.supervisor());
        kill(supervisor, Signal::SIGSTOP).unwrap();
        running.stopper().kill();
        // Again and again, against the driver's attempt to wake it.
        let stopping = std::thread::spawn(move || {
            while kill(supervisor, Signal::SIGSTOP).is_ok() {
                std::thread::sleep(Duration::from_micros(50));
            }
        });
        let report = running.wait();
        assert!(matches!(report.ended, Ended::Stopped | Ended::SupervisorLost), "{report:?}");
        stopping.join().unwrap();
        story.assert_nothing_is_left();
    });
}

#[test]
fn f16_a_fork_bomb_is_ended() {
    on_every_rung(|story| {
        // Slow enough for a small machine, quick enough to race against whoever ends it.
        let script = "bomb() { sleep 0.02; bomb & bomb & sleep 0.1; }; : > UP; n=0; \
                      while [ $n -lt 4 ]; do n=$((n+1)); (bomb) & done; wait";
        let up = story.path("up.main");
        let mut job = story.shell(&script.replace("UP", up.to_str().unwrap()));
        job.limits.wall = Some(Duration::from_millis(300));
        job.limits.grace = Duration::ZERO;
        let report = story.run(&job);
        assert_eq!((report.ended, report.unkillable), (Ended::TimedOut, 0));
        story.assert_nothing_is_left();
    });
}

/// A pid alone proves nothing: it may belong to anybody by now.
#[test]
fn a_sweep_leaves_strangers_alone() {
    let story = Story::on(Containment::Group);
    let mut stranger =
        Command::new("sleep").arg("1000").current_dir(story.path("work")).spawn().unwrap();
    // An entry of a supervisor that is long dead, whose pids are the stranger's now.
    let mut running = story.start(&story.worker("", "stay"));
    story.await_up();
    let path = story.registry().join("slot-1.json");
    let mut entry: serde_json::Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    running.stopper().kill();
    running.wait();
    for part in ["supervisor", "program"] {
        entry[part]["pid"] = stranger.id().into();
    }
    fs::write(&path, serde_json::to_vec(&entry).unwrap()).unwrap();
    let report = sweep(&story.registry(), "");
    assert_eq!((report.found, report.killed), (1, 0));
    assert!(is_alive(stranger.id().cast_signed()));
    // From another boot even a matching pid is another process.
    entry["place"]["boot"] = "another".into();
    fs::write(&path, serde_json::to_vec(&entry).unwrap()).unwrap();
    fs::write(story.registry().join("slot-2.json"), "").unwrap();
    let report = sweep(&story.registry(), "slot-");
    assert_eq!((report.found, report.foreign, report.unreadable.len()), (2, 1, 1));
    assert!(is_alive(stranger.id().cast_signed()));
    assert_eq!(story.registered(), 0);
    stranger.kill().unwrap();
    stranger.wait().unwrap();
}

/// Without a subreaper above, a daemon that left its session, its directory and its pipes can only
/// be found again where a cgroup or a namespace holds it.
fn evaders(story: &Story, orphans: &str) -> String {
    match (story.containment, orphans) {
        (Containment::Group, "keep") => ALL.replace(",gone", ""),
        _ => ALL.into(),
    }
}
