//! Output: stored, limited, and never a reason to block.

use std::fs;
use std::time::Duration;

use crate::common::{ProcessScene, wait_until, with_every_containment};
use afresh_process::{Containment, ProcessEnd};

const MEMORY_KB: u64 = 256 * 1024;

#[test]
fn stdout_and_stderr_go_to_their_files() {
    with_every_containment(|story| {
        let report = story.run(&story.shell("echo out; echo error >&2"));
        assert_eq!(
            (story.text("stdout"), story.text("stderr")),
            ("out\n".into(), "error\n".into())
        );
        assert_eq!((report.stdout_bytes, report.stderr_bytes), (4, 6));
        assert!(!report.truncated);
    });
}

#[test]
fn merged_output_keeps_its_order() {
    with_every_containment(|story| {
        let mut job = story.shell("echo 1; echo 2 >&2; echo 3; echo 4 >&2");
        job.stderr.clone_from(&job.stdout);
        story.run(&job);
        assert_eq!(story.text("stdout"), "1\n2\n3\n4\n");
    });
}

/// B34, R15: the memory of the supervisor is measured while it is still alive.
#[test]
fn a_line_of_a_gigabyte_is_capped_on_disk_and_in_memory() {
    let story = ProcessScene::on(Containment::Auto);
    let job = story.shell(&format!(
        "head -c 1000000000 /dev/zero; echo; echo LAST; : > {}; while [ ! -e {} ]; do sleep 0.01; done",
        story.path("up.main").display(),
        story.path("go").display()
    ));
    let mut running = story.start(&job);
    let activity = running.output_counter();
    let waiting = std::thread::spawn(move || running.wait());
    story.await_up();
    let status = fs::read_to_string(format!("/proc/{}/status", story.supervisor())).unwrap();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    let peak: u64 = peak.trim().trim_end_matches(" kB").parse().unwrap();
    wait_until("the driver has heard of it", || activity.bytes() > 1_000_000_000);
    fs::write(story.path("go"), "").unwrap();
    let report = waiting.join().unwrap();
    assert!(peak < MEMORY_KB, "{peak} kB");
    assert_eq!((report.ended, report.truncated), (Ok(ProcessEnd::Exited(0)), true));
    assert_eq!(report.stdout_bytes, 1_000_000_006);
    let length = fs::metadata(story.path("stdout")).unwrap().len();
    assert!(length <= job.limits.output_bytes + 100, "{length}");
    assert!(story.text("stdout").ends_with("\nLAST\n"), "what comes last is kept");
}

/// F15.
#[test]
fn a_child_that_holds_the_pipe_does_not_delay_the_end() {
    with_every_containment(|story| {
        let report = story.run(&story.shell("sleep 1000 & echo done"));
        assert_eq!(report.ended, Ok(ProcessEnd::Exited(0)));
        assert_eq!(report.left_behind, 1);
        assert_eq!(story.text("stdout"), "done\n");
    });
}

/// F15.
#[test]
fn an_unrelated_process_that_holds_the_pipe_does_not_delay_the_end() {
    let story = ProcessScene::on(Containment::Group);
    let (up, go) = (story.path("up.main"), story.path("go"));
    let script =
        "echo $$ > UP.draft; mv UP.draft UP; while [ ! -e GO ]; do sleep 0.01; done; echo done";
    let script = script.replace("UP", up.to_str().unwrap()).replace("GO", go.to_str().unwrap());
    let mut running = story.start(&story.shell(&script));
    story.await_up();
    // This very process opens the pipe, and no supervisor may kill it for that.
    let pipe = format!("/proc/{}/fd/1", story.text("up.main").trim());
    let held = fs::OpenOptions::new().write(true).open(pipe).unwrap();
    fs::write(go, "").unwrap();
    assert_eq!(running.wait().ended, Ok(ProcessEnd::Exited(0)));
    assert_eq!(story.text("stdout"), "done\n");
    drop(held);
}

#[test]
fn regular_output_prevents_the_silence_timeout() {
    with_every_containment(|story| {
        let mut job = story.shell("for i in 1 2 3 4 5 6; do echo $i; sleep 0.5; done");
        job.limits.silence = Some(Duration::from_millis(2500));
        assert_eq!(story.run(&job).ended, Ok(ProcessEnd::Exited(0)));
    });
}

#[test]
fn a_driver_that_does_not_read_does_not_delay_limits() {
    let story = ProcessScene::on(Containment::Group);
    let mut job = story.shell("while :; do echo x; done");
    job.limits.wall = Some(Duration::from_millis(600));
    let running = story.start(&job);
    wait_until("the program was ended", || {
        story.registered() == 0 && story.path("stdout").exists()
    });
    drop(running);
}

/// R9.
#[test]
fn output_that_cannot_be_stored_is_reported() {
    let story = ProcessScene::on(Containment::Group);
    let mut job = story.shell("echo lost; exit 3");
    job.stdout = "/dev/full".into();
    let report = story.run(&job);
    assert_eq!(report.ended, Ok(ProcessEnd::Exited(3)), "the program is not to blame");
    assert!(report.output_error.is_some_and(|error| error.contains("space")));
    job.stdout = story.path("no/such/directory");
    assert!(story.run(&job).ended.is_err());
}
