//! F16, BE-07: limits of a whole process tree, enforced by the kernel where possible and by polling
//! elsewhere.
#![allow(clippy::unwrap_used, clippy::print_stderr, reason = "parts of tests")]

use crate::common::{ProcessScene, kill_9, wait_until, with_every_containment};
use afresh_process::{
    DiskLimit, JobReport, JobSpec, LimitEnforcer, LimitExceeded, LimitMethod, LimitedResource,
    ProcessEnd, detect_enforcers, sweep_leftovers,
};

const MEBIBYTE: u64 = 1 << 20;

/// With every containment and both methods.
fn with_every_method(story: impl Fn(&ProcessScene, LimitMethod)) {
    for keeping in [LimitMethod::Best, LimitMethod::Polling] {
        with_every_containment(|on_rung| story(on_rung, keeping));
    }
}

fn bounded(
    mut job: JobSpec,
    keeping: LimitMethod,
    memory: Option<u64>,
    processes: Option<u64>,
) -> JobSpec {
    job.tree_limits.memory = memory;
    job.tree_limits.processes = processes;
    job.tree_limits.method = keeping;
    job
}

fn assert_over(report: &JobReport, of: LimitedResource, limit: u64, keeping: LimitMethod) {
    let excess = LimitExceeded { of, limit };
    assert_eq!(report.ended, Ok(ProcessEnd::OverLimit(excess)), "{report:?}");
    assert_eq!(
        report.enforced_limits.exceeded.first().map(|(first, _)| *first),
        Some(excess),
        "{report:?}"
    );
    let keeper = if of == LimitedResource::Memory {
        report.enforced_limits.memory
    } else {
        report.enforced_limits.processes
    };
    if keeping == LimitMethod::Polling {
        assert_eq!(keeper, LimitEnforcer::Polled);
    }
    assert_eq!(report.unkillable, 0);
}

/// F16, BE-07: a fork bomb is limited by the kernel and killed, and nothing of it is left.
#[test]
fn a_fork_bomb_is_limited_and_killed() {
    for bomb in [
        &["bash", "-c", ":(){ :|:& };:; sleep 600"][..],
        &["python3", "-c", "import os\nwhile True:\n    try: os.fork()\n    except OSError: pass"],
    ] {
        with_every_containment(|story| {
            // Machines without a suitable cgroup are spared the worst.
            let harmless = bounded(story.job(&["true"]), LimitMethod::Best, None, Some(300));
            if story.run(&harmless).enforced_limits.processes == LimitEnforcer::Polled {
                eprintln!("SKIPPED on {:?}: no cgroup for processes", story.containment);
                return;
            }
            let job = bounded(story.job(bomb), LimitMethod::Best, None, Some(300));
            assert_over(&story.run(&job), LimitedResource::Processes, 300, LimitMethod::Best);
            story.assert_nothing_is_left();
        });
    }
}

/// F16, BE-07: a tree that has become too large is killed, also if its limits are only polled.
#[test]
fn a_tree_that_exceeds_its_memory_limit_is_killed() {
    let many = "import os, time\n\
                while True:\n    \
                    if os.fork() == 0:\n        \
                        os.setsid(); time.sleep(600)\n    \
                    time.sleep(0.002)";
    with_every_method(|story, keeping| {
        let job = bounded(story.job(&["python3", "-c", many]), keeping, None, Some(100));
        assert_over(&story.run(&job), LimitedResource::Processes, 100, keeping);
        story.assert_nothing_is_left();
    });
}

/// F16, BE-07: many processes that each use little use much together.
#[test]
fn memory_is_measured_for_the_whole_tree() {
    let hungry = "import os, time\n\
                  for _ in range(8):\n    \
                      if os.fork() == 0: break\n\
                  data = bytearray(os.urandom(1 << 20) * 40)\n\
                  time.sleep(600)";
    with_every_method(|story, keeping| {
        let job = story.job(&["python3", "-c", hungry]);
        let limit = 128 * MEBIBYTE;
        let report = story.run(&bounded(job, keeping, Some(limit), None));
        assert_over(&report, LimitedResource::Memory, limit, keeping);
        story.assert_nothing_is_left();
    });
}

/// F16: between two polls the kernel enforces a ceiling, for users other than root.
#[test]
fn a_polled_tree_has_a_ceiling() {
    with_every_containment(|story| {
        let job = story.job(&["bash", "-c", "ulimit -u"]);
        story.run(&bounded(job, LimitMethod::Polling, None, Some(300)));
        assert_eq!(story.text("stdout"), "1200\n");
    });
}

/// F16: a program within its limits notices nothing, and the report names what enforced them.
#[test]
fn ordinary_work_is_not_affected_by_limits() {
    with_every_method(|story, keeping| {
        let job =
            story.shell("for i in 1 2 3 4 5; do sleep 0.1 & done; wait; sleep 0.4; echo done");
        let job = bounded(job, keeping, Some(512 * MEBIBYTE), Some(200));
        let report = story.run(&job);
        assert_eq!(
            (&report.ended, story.text("stdout").as_str()),
            (&Ok(ProcessEnd::Exited(0)), "done\n")
        );
        assert!(
            report.enforced_limits.memory != LimitEnforcer::Unlimited
                && report.enforced_limits.processes != LimitEnforcer::Unlimited
        );
        assert_eq!(report.enforced_limits.exceeded, []);
        if keeping == LimitMethod::Best && report.enforced_limits.memory != LimitEnforcer::CgroupV2
        {
            let enforcers = detect_enforcers(&job.tree_limits);
            assert_eq!(
                (enforcers.memory, enforcers.processes),
                (report.enforced_limits.memory, report.enforced_limits.processes)
            );
        }
        story.assert_nothing_is_left();
    });
}

/// A program that could not start a process, coped with it and exited with 0 has succeeded.
#[test]
fn an_exceeded_limit_that_a_program_survived_is_reported() {
    let tries = "import os, time\n\
                 try:\n    \
                     for _ in range(60):\n        \
                         if os.fork() == 0: time.sleep(600)\n\
                 except OSError: pass\n\
                 os._exit(0)";
    with_every_containment(|story| {
        let job = story.job(&["python3", "-c", tries]);
        let report = story.run(&bounded(job, LimitMethod::Best, None, Some(30)));
        if report.enforced_limits.processes == LimitEnforcer::Polled {
            return;
        }
        // The supervisor may have polled in between: then it was killed for it.
        assert!(
            matches!(report.ended, Ok(ProcessEnd::Exited(0) | ProcessEnd::OverLimit(_))),
            "{:?}",
            report.ended
        );
        assert_eq!(report.enforced_limits.exceeded.len(), 1, "{report:?}");
        story.assert_nothing_is_left();
    });
}

/// R6, F16: the cgroups of a job whose driver and supervisor were killed are found and removed,
/// with all their processes.
#[test]
fn limits_of_a_killed_supervisor_are_swept() {
    with_every_containment(|story| {
        let job = story.worker("bare,gone", "stay");
        let job = bounded(job, LimitMethod::Best, Some(512 * MEBIBYTE), Some(200));
        let mut driver = story.drive(&job, "leave");
        story.await_up();
        let supervisor = story.supervisor();
        driver.kill().unwrap();
        kill_9(supervisor);
        driver.wait().unwrap();
        wait_until("the supervisor is gone", || !crate::common::is_alive(supervisor));
        sweep_leftovers(&story.registry(), &story.name());
        story.assert_nothing_is_left();
    });
}

/// BE-07: many files count like one large one; deleted open files count as well.
#[test]
fn a_program_that_fills_its_quota_is_killed() {
    let many = "i=0; while :; do head -c 500000 /dev/zero > $((i += 1)); sleep 0.01; done";
    let nameless = "import os, time\n\
                    held = []\n\
                    while True:\n    \
                        held.append(open('x', 'wb')); os.unlink('x')\n    \
                        held[-1].write(os.urandom(500000)); held[-1].flush(); time.sleep(0.01)";
    for filler in [&["sh", "-c", many][..], &["python3", "-c", nameless]] {
        with_every_containment(|story| {
            let mut job = story.job(filler);
            let places = vec![story.path("work"), story.path("not there")];
            job.tree_limits.disk = Some(DiskLimit { places, quota: Some(20 * MEBIBYTE) });
            assert_over(&story.run(&job), LimitedResource::Disk, 20 * MEBIBYTE, LimitMethod::Best);
            story.assert_nothing_is_left();
        });
    }
}

/// BE-07: no program fills a disk completely, even if its quota would allow it; and one that writes
/// little is left alone on a full disk.
#[test]
fn a_disk_is_not_filled_completely() {
    let story = ProcessScene::on(afresh_process::Containment::Auto);
    let disk = story.path("disk");
    std::fs::create_dir(&disk).unwrap();
    let mounted = std::process::Command::new("mount")
        .args(["-t", "tmpfs", "-o", "size=400m", "small"])
        .arg(&disk)
        .output()
        .unwrap();
    if !mounted.status.success() {
        eprintln!("SKIPPED: no file system can be mounted here");
        return;
    }
    let _mounted = Mounted(disk.clone());
    let own = disk.join("own");
    let prepare = |command: &str| {
        let _ = std::fs::remove_dir_all(&own);
        std::fs::create_dir(&own).unwrap();
        let mut shell = std::process::Command::new("sh");
        shell.args(["-c", command]).current_dir(&disk);
        assert!(shell.status().unwrap().success());
    };
    let run = |command: &str| {
        let mut job = story.job(&["sh", "-c", command]);
        job.cwd = own.clone();
        job.tree_limits.disk = Some(DiskLimit { places: vec![own.clone()], quota: None });
        story.run(&job)
    };
    let endless = "while :; do head -c 1000000 /dev/zero > $((i += 1)); sleep 0.01; done";
    prepare("true");
    assert_over(&run(endless), LimitedResource::Disk, 200 * MEBIBYTE, LimitMethod::Best);
    prepare("head -c 380M /dev/zero > others");
    assert_over(&run(endless), LimitedResource::FreeDisk, 8 * MEBIBYTE, LimitMethod::Best);
    prepare("head -c 9M /dev/zero > more");
    let little = "head -c 5000000 /dev/zero > 1; sleep 1.5";
    assert_eq!(run(little).ended, Ok(ProcessEnd::Exited(0)), "it wrote little");
}

struct Mounted(std::path::PathBuf);

impl Drop for Mounted {
    fn drop(&mut self) {
        std::process::Command::new("umount").arg("-l").arg(&self.0).status().unwrap();
    }
}

/// A process that is alone in its cgroup can delegate controllers, and stays contained. (Tested
/// with a controller of version 2 that most machines have.)
#[test]
fn a_process_alone_in_its_cgroup_delegates_controllers() {
    let mounts = std::fs::read_to_string("/proc/self/mountinfo").unwrap();
    let mount = mounts.lines().find(|line| line.contains(" - cgroup2 "));
    let Some(mount) = mount.and_then(|line| line.split(' ').nth(4)) else { return };
    let offered =
        std::fs::read_to_string(format!("{mount}/cgroup.controllers")).unwrap_or_default();
    let Some(controller) = offered.split_ascii_whitespace().next() else {
        eprintln!("SKIPPED: no controllers in version 2");
        return;
    };
    let story = ProcessScene::on(afresh_process::Containment::Cgroup);
    let own = std::path::PathBuf::from(mount).join(format!("test-{}", story.name()));
    let top = std::path::PathBuf::from(mount).join("cgroup.subtree_control");
    let before = std::fs::read_to_string(&top).unwrap_or_default();
    let is_handed = before.split_ascii_whitespace().any(|word| word == controller);
    let handed = std::fs::write(&top, format!("+{controller}"));
    if handed.is_err() || std::fs::create_dir(&own).is_err() {
        eprintln!("SKIPPED: cgroups cannot be made here");
        return;
    }
    let undo = (!is_handed).then(|| (top, format!("-{controller}")));
    let _own = Removed { cgroup: own.clone(), undo };
    let job = story.shell("grep ^0:: /proc/self/cgroup");
    std::fs::write(story.path("job.json"), serde_json::to_vec(&job).unwrap()).unwrap();
    let enter = format!("echo $$ > {}/cgroup.procs; exec \"$@\"", own.display());
    let mut driver = std::process::Command::new("sh");
    driver.args(["-c", &enter, "sh", crate::common::HELPER, "hand-down", controller]);
    driver.arg(story.path("job.json")).arg(story.path("report.json"));
    assert!(driver.status().unwrap().success());
    assert_eq!(
        story.driven_report().ended,
        Ok(ProcessEnd::Exited(0)),
        "{:?}",
        story.driven_report()
    );
    let handed = std::fs::read_to_string(own.join("cgroup.subtree_control")).unwrap();
    assert_eq!(handed.trim(), controller);
    let name = own.file_name().unwrap().to_str().unwrap();
    let held = story.text("stdout");
    assert!(held.contains(&format!("/{name}/afresh-{}", story.name())), "{held}");
    story.assert_nothing_is_left();
}

/// A cgroup and its children; and the controllers that were enabled above it.
struct Removed {
    cgroup: std::path::PathBuf,
    undo: Option<(std::path::PathBuf, String)>,
}

impl Drop for Removed {
    fn drop(&mut self) {
        for path in [self.cgroup.join("afresh-aside"), self.cgroup.clone()] {
            let _ = std::fs::remove_dir(path);
        }
        if let Some((file, text)) = &self.undo {
            let _ = std::fs::write(file, text);
        }
    }
}
