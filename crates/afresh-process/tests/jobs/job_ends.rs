//! How a program starts and ends: exit status, failures to start, and what it inherits.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use crate::common::{HELPER, ProcessScene, with_every_containment};
use afresh_process::{
    Containment, ContainmentLevel, ProcessEnd, RunningJob, SpawnErrorKind, StartError,
};

/// B38.
#[test]
fn exit_codes_and_signals_are_distinguished() {
    with_every_containment(|story| {
        let end = |script: &str| story.run(&story.shell(script)).ended;
        assert_eq!(end("exit 0"), Ok(ProcessEnd::Exited(0)));
        assert_eq!(end("exit 7"), Ok(ProcessEnd::Exited(7)));
        assert_eq!(end("exit 255"), Ok(ProcessEnd::Exited(255)));
        assert_eq!(end("kill -TERM $$"), Ok(ProcessEnd::Signaled(15)));
        assert_eq!(end("kill -KILL $$"), Ok(ProcessEnd::Signaled(9)));
        assert_eq!(end("kill -34 $$"), Ok(ProcessEnd::Signaled(34)), "a real-time signal");
        story.assert_nothing_is_left();
    });
}

#[test]
fn the_requested_containment_is_reported() {
    with_every_containment(|story| {
        let report = story.run(&story.job(&["true"]));
        let expected = match story.containment {
            Containment::Cgroup => ContainmentLevel::Cgroup,
            Containment::Namespace => ContainmentLevel::Namespace,
            _ => ContainmentLevel::Group,
        };
        assert_eq!(report.containment, expected);
        assert_eq!(report.unavailable, Vec::<String>::new());
    });
}

#[test]
fn auto_finds_a_containment_and_explains_unavailable_ones() {
    let story = ProcessScene::on(Containment::Auto);
    let report = story.run(&story.job(&["true"]));
    assert_eq!(report.ended, Ok(ProcessEnd::Exited(0)));
    let above = match report.containment {
        ContainmentLevel::Cgroup => 0,
        ContainmentLevel::Namespace => 1,
        ContainmentLevel::Group => 2,
        ContainmentLevel::None => panic!("nothing was started"),
    };
    assert_eq!(report.unavailable.len(), above, "{:?}", report.unavailable);
}

/// B37.
#[test]
fn a_failed_start_is_explained_and_starts_nothing() {
    with_every_containment(|story| {
        let make = |name: &str, content: &[u8], mode: u32| {
            let path = story.path(name);
            fs::write(&path, content).unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
            path.to_str().unwrap().to_owned()
        };
        let mut foreign = fs::read(HELPER).unwrap();
        foreign[18..20].copy_from_slice(&[0x08, 0x00]);
        let cases = [
            ("no-such-agent".to_owned(), SpawnErrorKind::NotFound),
            ("./missing".to_owned(), SpawnErrorKind::NotFound),
            (make("plain", b"#!/bin/sh\n", 0o644), SpawnErrorKind::NotExecutable),
            (make("no-line", b"echo hello\n", 0o755), SpawnErrorKind::NotExecutable),
            (make("foreign", &foreign, 0o755), SpawnErrorKind::WrongArchitecture),
            (make("no-interpreter", b"#!/no/such/sh\n", 0o755), SpawnErrorKind::NotFound),
            ("/".to_owned(), SpawnErrorKind::NotExecutable),
        ];
        for (program, kind) in cases {
            let report = story.run(&story.job(&[&program]));
            let Err(failure) = report.ended else {
                panic!("{program} started on {:?}: {:?}", story.containment, report.ended)
            };
            assert_eq!(failure.kind, kind, "{program}: {}", failure.message);
            assert_eq!(report.containment, ContainmentLevel::None);
        }
        let mut nowhere = story.job(&["true"]);
        nowhere.cwd = story.path("nowhere");
        let Err(failure) = story.run(&nowhere).ended else { panic!("it started") };
        assert_eq!(failure.kind, SpawnErrorKind::BadDirectory);
        story.assert_nothing_is_left();
    });
}

#[test]
fn an_invalid_job_is_rejected_before_anything_starts() {
    let story = ProcessScene::on(Containment::Auto);
    let mut job = story.job(&["true"]);
    job.name = "../escape".into();
    let refused = RunningJob::start(Path::new(HELPER), &job);
    assert!(matches!(refused, Err(StartError::Job { .. })));
    let missing = RunningJob::start(Path::new("/no/such/afresh"), &story.job(&["true"]));
    assert!(matches!(missing, Err(StartError::Spawn { .. })));
    let deaf = RunningJob::start(Path::new("/bin/false"), &story.job(&["true"]));
    // Either the pipe broke already, or the waiting driver notices.
    if let Ok(mut running) = deaf {
        assert_eq!(running.wait().ended, Ok(ProcessEnd::SupervisorLost));
    }
}

#[test]
fn the_environment_is_exactly_the_one_of_the_job() {
    with_every_containment(|story| {
        let mut job = story.job(&["env"]);
        job.env.push(("ANSWER".into(), "forty two".into()));
        assert_eq!(story.run(&job).ended, Ok(ProcessEnd::Exited(0)));
        assert_eq!(story.text("stdout"), "ANSWER=forty two\nPATH=/usr/local/bin:/usr/bin:/bin\n");
    });
}

#[test]
fn standard_input_is_the_file_or_nothing() {
    with_every_containment(|story| {
        fs::write(story.path("prompt"), "do it\n").unwrap();
        let mut job = story.shell("cat; echo more >&0");
        job.stdin = Some(story.path("prompt"));
        story.run(&job);
        assert_eq!(story.text("stdout"), "do it\n");
        assert_eq!(story.text("prompt"), "do it\n", "it is open for reading only");
        assert_eq!(story.run(&story.job(&["cat"])).ended, Ok(ProcessEnd::Exited(0)));
        assert_eq!(story.text("stdout"), "");
    });
}

/// R8: a lock that leaks into a worker outlives its driver.
#[test]
fn no_descriptor_of_the_driver_reaches_the_program_or_its_supervisor() {
    with_every_containment(|story| {
        let to = story.path("descriptors");
        let mut job = story.shell(&format!(
            "{HELPER} descriptors {}; : > {}; while [ ! -e {} ]; do sleep 0.01; done",
            to.display(),
            story.path("up.main").display(),
            story.path("go").display()
        ));
        job.limits.wall = Some(crate::common::PATIENCE);
        fs::write(story.path("job.json"), serde_json::to_vec(&job).unwrap()).unwrap();
        // The shell leaves descriptor 9 open for its child, as a careless parent does.
        let script = format!(
            "exec 9>{lock}; exec {HELPER} drive {job} {report} keep",
            lock = story.path("lock").display(),
            job = story.path("job.json").display(),
            report = story.path("report.json").display()
        );
        let mut driver = Command::new("sh").arg("-c").arg(script).spawn().unwrap();
        story.await_up();
        let held = fs::read_dir(format!("/proc/{}/fd", story.supervisor())).unwrap().flatten();
        let held: Vec<_> = held.filter_map(|it| fs::read_link(it.path()).ok()).collect();
        assert!(!held.contains(&story.path("lock")), "{held:?}");
        fs::write(story.path("go"), "").unwrap();
        assert_eq!(story.driven_report().ended, Ok(ProcessEnd::Exited(0)));
        driver.wait().unwrap();
        let inherited = story.text("descriptors");
        assert_eq!(inherited.lines().count(), 3, "{inherited}");
    });
}

#[test]
fn the_program_starts_with_clean_signals_and_without_a_terminal() {
    with_every_containment(|story| {
        // Not through a shell, which would reset these itself.
        let job = story.job(&["cat", "/proc/self/status", "/proc/self/stat"]);
        assert_eq!(story.run(&job).ended, Ok(ProcessEnd::Exited(0)));
        let text = story.text("stdout");
        let mask = |name: &str| {
            let line = text.lines().find(|line| line.starts_with(name)).unwrap();
            u64::from_str_radix(line.split_whitespace().nth(1).unwrap(), 16).unwrap()
        };
        assert_eq!(mask("SigBlk"), 0);
        assert_eq!(mask("SigIgn") & (1 << 12), 0, "SIGPIPE ends a program that writes to nobody");
        let stat = text.lines().last().unwrap();
        let terminal = stat.rsplit(") ").next().unwrap().split(' ').nth(4).unwrap();
        assert_eq!(terminal, "0");
    });
}

#[test]
fn cpu_time_is_measured() {
    with_every_containment(|story| {
        let job = story.shell("i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done");
        let report = story.run(&job);
        assert!(report.cpu_ms.is_some_and(|cpu| cpu >= 20), "{report:?}");
        assert!(report.max_rss_kb.is_some_and(|size| size > 100), "{report:?}");
        assert!(report.wall_ms >= 10, "{report:?}");
    });
}

#[test]
fn a_job_name_in_use_is_rejected() {
    let story = ProcessScene::on(Containment::Group);
    let mut first = story.start(&story.worker("", "stay"));
    story.await_up();
    let Err(failure) = story.run(&story.job(&["true"])).ended else { panic!("it was given twice") };
    assert!(failure.message.contains("still runs"), "{}", failure.message);
    first.stopper().stop(Duration::ZERO);
    assert_eq!(first.wait().ended, Ok(ProcessEnd::Stopped));
    assert_eq!(story.run(&story.job(&["true"])).ended, Ok(ProcessEnd::Exited(0)));
    story.assert_nothing_is_left();
}
