//! kill -9 of the driver, at any time and together with other processes: `afresh run` finishes the run, every task is
//! on the branch once, and the user's checkout is unchanged.

use std::time::Duration;

use crate::support::processes::{Watch, supervisors_below};
use crate::support::{Driver, Gate, WORKER, expect_landed_once, repo, salvaged};
use afresh_testkit::TestRepo;
use afresh_testkit::simulation::SeededRandom;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

const TASKS: usize = 20;

/// Which processes are killed.
#[derive(Debug, Clone, Copy)]
enum KillTarget {
    Driver,
    Group,
    DriverAndSupervisors,
}

/// Kills at random times, repeatedly, until there were enough kills.
#[derive(Debug, Clone, Copy)]
struct KillSeries {
    seed: u64,
    kills: u32,
    containment: &'static str,
    worker: &'static str,
    victims: KillTarget,
}

/// A worker that leaves daemons: double-forked, in their own session, without environment, ignoring SIGTERM. Their
/// command line names the test's directory, so that the test finds them.
const LEAVES_DAEMONS: &str = "marker=$(dirname \"$0\")/daemon\n\
     loop='trap \"\" TERM HUP INT; while :; do sleep 0.2; done'\n\
     (setsid env -i PATH=\"$PATH\" sh -c \"$loop\" \"$marker\" >/dev/null 2>&1 &)\n\
     (sh -c \"$loop\" \"$marker\" &)\n\
     sleep 0.1; echo \"by $AFRESH_TASK\" > $AFRESH_TASK.txt";

impl KillSeries {
    fn run_until_enough(self) {
        let mut random = SeededRandom::new(self.seed);
        let mut kills = 0;
        // A run that completes before there were enough kills is followed by another.
        while kills < self.kills {
            kills += self.run_once(&mut random, self.kills - kills);
        }
    }

    /// One run from its start to its end, killed at most this many times; returns how often it was killed.
    fn run_once(self, random: &mut SeededRandom, at_most: u32) -> u32 {
        let repo = repo();
        repo.agent(self.worker);
        repo.plan_of(TASKS);
        repo.write("untracked.txt", "mine\n");
        repo.write("README.md", "changed, not committed\n");
        let before = repo.untouched();
        let watch = Watch::start(&repo);
        let mut kills = 0;
        let mut acknowledged = Vec::new();
        while kills < at_most {
            let mut driver = self.start(&repo);
            std::thread::sleep(Duration::from_millis(50 + random.below(850)));
            if let Some(status) = driver.has_ended() {
                assert!(status.success(), "{self:?}: {}", driver.stderr());
                break;
            }
            acknowledged.extend(merged_in(&driver.stderr()));
            self.kill_targets(driver, random);
            kills += 1;
            expect_done(&repo, &acknowledged);
        }
        let last = self.start(&repo).end().expect(0);
        acknowledged.extend(merged_in(&last.stderr));
        watch.expect_none_doubled();
        repo.untouched().expect_same_as(&before);
        expect_landed_once(&repo, TASKS);
        repo.expect_no_survivors();
        // R1, R3: a task that was reported as merged was merged then, and was never merged again.
        let count = acknowledged.len();
        assert!(count > 0, "{self:?}: nothing was reported as merged");
        acknowledged.sort();
        acknowledged.dedup();
        assert_eq!(acknowledged.len(), count, "{self:?}: merged twice: {acknowledged:?}");
        kills
    }

    fn start(self, repo: &TestRepo) -> Driver {
        let mut command = repo.command(&["run", "p.plan.toml", "--parallel", "4"]);
        command.env("AFRESH_CONTAINMENT", self.containment);
        Driver::start_command(repo, command)
    }

    fn kill_targets(self, driver: Driver, random: &mut SeededRandom) {
        match self.victims {
            KillTarget::Driver => driver.kill_9(),
            KillTarget::Group => {
                driver.signal_group(Signal::SIGKILL);
                driver.kill_9();
            }
            KillTarget::DriverAndSupervisors => {
                let supervisors = supervisors_below(driver.pid());
                let first = random.chance(500);
                let end_supervisors = || {
                    for pid in &supervisors {
                        // It may just have ended by itself.
                        let _ = kill(Pid::from_raw(*pid), Signal::SIGKILL);
                    }
                };
                if first {
                    end_supervisors();
                    driver.kill_9();
                } else {
                    driver.signal(Signal::SIGKILL);
                    end_supervisors();
                    driver.kill_9();
                }
            }
        }
    }
}

/// R1: a task that was reported as merged is merged for the next command, with no driver in between.
#[track_caller]
fn expect_done(repo: &TestRepo, acknowledged: &[String]) {
    if !acknowledged.is_empty() {
        let status = repo.status();
        for task in status["tasks"].as_array().expect("tasks") {
            let is_acknowledged = acknowledged.iter().any(|id| task["id"] == id.as_str());
            assert!(!is_acknowledged || task["state"] == "done", "R1: forgotten: {task}");
        }
    }
}

/// The tasks that the driver reported as merged.
fn merged_in(output: &str) -> Vec<String> {
    output
        .lines()
        .filter_map(|line| line.split_once(" merged T").map(|(_, rest)| format!("T{}", &rest[..3])))
        .collect()
}

/// F03, R1, R2, R3, R5, R6, R12, ST-02.
#[test]
fn twenty_kills_of_a_twenty_task_run_lose_and_double_nothing() {
    let (containment, worker) = ("auto", WORKER);
    KillSeries { seed: 1, kills: 20, containment, worker, victims: KillTarget::Driver }
        .run_until_enough();
}

/// F03, R6: the same if only sessions and process groups contain the workers.
#[test]
fn twenty_kills_on_the_last_rung_lose_and_double_nothing() {
    let (containment, worker) = ("group", WORKER);
    KillSeries { seed: 2, kills: 20, containment, worker, victims: KillTarget::Driver }
        .run_until_enough();
}

/// F03, R6, F15.
#[test]
fn kills_while_workers_leave_daemons_leave_nothing_behind() {
    let (kills, worker) = (6, LEAVES_DAEMONS);
    KillSeries { seed: 3, kills, containment: "auto", worker, victims: KillTarget::Driver }
        .run_until_enough();
}

/// F03, R6, F15.
#[test]
fn kills_while_workers_leave_daemons_on_the_last_rung_leave_nothing_behind() {
    let (kills, worker) = (6, LEAVES_DAEMONS);
    KillSeries { seed: 4, kills, containment: "group", worker, victims: KillTarget::Driver }
        .run_until_enough();
}

/// F03, R6: as a terminal does when it is closed by force.
#[test]
fn kills_of_the_whole_process_group_lose_and_double_nothing() {
    let (kills, worker) = (6, WORKER);
    KillSeries { seed: 5, kills, containment: "auto", worker, victims: KillTarget::Group }
        .run_until_enough();
}

/// F03, R6: only the next driver can clean up.
#[test]
fn kills_of_the_driver_and_its_supervisors_leave_nothing_behind() {
    for (seed, containment) in [(6, "auto"), (7, "group")] {
        let (kills, worker, victims) = (5, LEAVES_DAEMONS, KillTarget::DriverAndSupervisors);
        KillSeries { seed, kills, containment, worker, victims }.run_until_enough();
    }
}

/// R16, ST-02: the work of a killed attempt is kept, and attempts lost to a kill do not count.
#[test]
fn the_work_of_a_killed_attempt_is_kept() {
    let repo = repo();
    repo.plan_of(1);
    let (written, go) = (Gate::new(&repo, "written"), Gate::new(&repo, "go"));
    repo.agent(&format!(
        "echo \"half of $AFRESH_ATTEMPT\" > T001.txt\n{}\n{}\necho \"by T001\" > T001.txt",
        written.opened_by_worker(),
        go.wait()
    ));
    let driver = Driver::run(&repo, &[]);
    repo.wait_until("the worker has written", || written.is_open());
    driver.kill_9();
    // A worker that was left alone must not finish before it is ended.
    repo.expect_no_survivors();
    go.open();
    repo.run(&[]).expect(0);
    expect_landed_once(&repo, 1);
    let salvage = salvaged(&repo);
    assert_eq!(salvage.len(), 1, "{salvage:?}");
    assert!(salvage[0].ends_with("/T001.1"), "{salvage:?}");
    assert_eq!(repo.git(&["show", &format!("{}:T001.txt", salvage[0])]), "half of 1");
    repo.expect_no_survivors();
}

/// R6: with driver and supervisors dead, the next holder of the lock ends what they left, also if it starts nothing
/// itself.
#[test]
fn the_next_command_ends_what_a_dead_driver_left() {
    for containment in ["auto", "group"] {
        let repo = repo();
        repo.plan_of(1);
        let up = Gate::new(&repo, "up");
        repo.agent(&format!("{LEAVES_DAEMONS}\n{}\nsleep 600", up.opened_by_worker()));
        let mut command = repo.command(&["run", "p.plan.toml"]);
        command.env("AFRESH_CONTAINMENT", containment);
        let driver = Driver::start_command(&repo, command);
        repo.wait_until("the worker is up", || up.is_open());
        let supervisors = supervisors_below(driver.pid());
        driver.signal(Signal::SIGKILL);
        for pid in supervisors {
            let _ = kill(Pid::from_raw(pid), Signal::SIGKILL);
        }
        driver.kill_9();
        repo.afresh(&["halt", "enough"]).expect(0);
        repo.expect_no_survivors();
    }
}

/// R2: a driver that sleeps while its workers end finds their results, and starts no others.
#[test]
fn a_driver_that_is_stopped_and_continued_doubles_nothing() {
    let repo = repo();
    repo.plan_of(6);
    repo.agent(WORKER);
    let mut driver = Driver::run(&repo, &["--parallel", "3"]);
    for pause_ms in [300, 1500, 50] {
        driver.await_stderr(" start ");
        driver.signal(Signal::SIGSTOP);
        std::thread::sleep(Duration::from_millis(pause_ms));
        driver.signal(Signal::SIGCONT);
        std::thread::sleep(Duration::from_millis(150));
    }
    driver.end().expect(0);
    expect_landed_once(&repo, 6);
    let status = repo.status();
    let attempts: Vec<u64> = status["tasks"]
        .as_array()
        .expect("tasks")
        .iter()
        .map(|task| task["attempts"].as_u64().expect("a number"))
        .collect();
    assert_eq!(attempts, [1; 6], "{status}");
    repo.expect_no_survivors();
}
