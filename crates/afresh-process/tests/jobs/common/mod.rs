//! The setting of one test: a directory, a registry, and a list of processes that are still alive.
#![allow(
    dead_code,
    clippy::unwrap_used,
    clippy::print_stderr,
    clippy::unused_self,
    reason = "parts of tests"
)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::thread::sleep;
use std::time::{Duration, Instant};

use afresh_process::{
    Containment, JobLimits, JobReport, JobSpec, ProcessEnd, RunningJob, SpawnError, SpawnErrorKind,
    StopSignal, TreeLimits, sweep_leftovers,
};
use serde_json::Value;
use tempfile::TempDir;

pub(crate) const HELPER: &str = env!("CARGO_BIN_EXE_afresh-process-helper");
/// Generous: nothing here depends on speed.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

pub(crate) struct ProcessScene {
    directory: TempDir,
    pub(crate) containment: Containment,
}

/// Runs the test once with every containment that this machine offers.
pub(crate) fn with_every_containment(story: impl Fn(&ProcessScene)) {
    for containment in available_containments() {
        eprintln!("on the rung {containment:?}");
        story(&ProcessScene::on(*containment));
    }
}

fn available_containments() -> &'static [Containment] {
    static RUNGS: OnceLock<Vec<Containment>> = OnceLock::new();
    RUNGS.get_or_init(|| {
        let all = [Containment::Cgroup, Containment::Namespace, Containment::Group];
        let rungs: Vec<_> = all.into_iter().filter(|rung| exists(*rung)).collect();
        assert!(rungs.contains(&Containment::Group), "the last rung exists everywhere");
        rungs
    })
}

fn exists(containment: Containment) -> bool {
    let story = ProcessScene::on(containment);
    match story.run(&story.job(&["true"])).ended {
        Ok(ProcessEnd::Exited(0)) => true,
        Err(SpawnError { kind: SpawnErrorKind::NoContainment, message }) => {
            eprintln!("skipping {containment:?}: {message}");
            false
        }
        other => panic!("{containment:?} neither works nor says that it does not: {other:?}"),
    }
}

impl Drop for ProcessScene {
    fn drop(&mut self) {
        // A supervisor that was killed leaves its empty cgroup to the next sweep.
        sweep_leftovers(&self.path("no-registry"), &self.name());
    }
}

impl ProcessScene {
    pub(crate) fn on(containment: Containment) -> Self {
        let directory = tempfile::tempdir().unwrap();
        fs::create_dir(directory.path().join("work")).unwrap();
        Self { directory, containment }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.directory.path().canonicalize().unwrap().join(name)
    }

    pub(crate) fn registry(&self) -> PathBuf {
        self.path("registry")
    }

    /// Unique to this test, so that no other test uses a cgroup of this name.
    pub(crate) fn name(&self) -> String {
        let directory = self.directory.path().file_name().unwrap().to_str().unwrap();
        format!("slot-{}", directory.trim_start_matches('.'))
    }

    pub(crate) fn entry(&self) -> PathBuf {
        self.registry().join(format!("{}.json", self.name()))
    }

    pub(crate) fn job(&self, argv: &[&str]) -> JobSpec {
        JobSpec {
            name: self.name(),
            argv: argv.iter().map(ToString::to_string).collect(),
            wrapper: vec![],
            cwd: self.path("work"),
            env: vec![("PATH".into(), "/usr/local/bin:/usr/bin:/bin".into())],
            stdin: None,
            stdout: self.path("stdout"),
            stderr: self.path("stderr"),
            secrets: vec![],
            limits: JobLimits {
                wall: None,
                silence: None,
                output_bytes: 8 * 1024 * 1024,
                grace: Duration::from_millis(100),
                stop_signal: StopSignal::Terminate,
            },
            tree_limits: TreeLimits::default(),
            containment: self.containment,
            registry: self.registry(),
        }
    }

    pub(crate) fn shell(&self, script: &str) -> JobSpec {
        self.job(&["sh", "-c", script])
    }

    /// A program with a daemon of each kind, which then exits or stays.
    pub(crate) fn worker(&self, kinds: &str, then: &str) -> JobSpec {
        let directory = self.path("");
        self.job(&[HELPER, "worker", directory.to_str().unwrap(), kinds, then])
    }

    pub(crate) fn start(&self, job: &JobSpec) -> RunningJob {
        RunningJob::start(Path::new(HELPER), job).unwrap()
    }

    pub(crate) fn run(&self, job: &JobSpec) -> JobReport {
        self.start(job).wait()
    }

    /// A driver in a separate process, to be killed.
    pub(crate) fn drive(&self, job: &JobSpec, orphans: &str) -> Child {
        fs::write(self.path("job.json"), serde_json::to_vec(job).unwrap()).unwrap();
        let mut driver = Command::new(HELPER);
        driver.arg("drive").arg(self.path("job.json")).arg(self.path("report.json")).arg(orphans);
        driver.stdin(Stdio::null()).spawn().unwrap()
    }

    pub(crate) fn driven_report(&self) -> JobReport {
        wait_until("the driver has a report", || self.path("report.json").exists());
        serde_json::from_slice(&fs::read(self.path("report.json")).unwrap()).unwrap()
    }

    pub(crate) fn await_up(&self) {
        wait_until("the program is up", || self.path("up.main").exists());
    }

    pub(crate) fn text(&self, name: &str) -> String {
        String::from_utf8_lossy(&fs::read(self.path(name)).unwrap()).into_owned()
    }

    pub(crate) fn supervisor(&self) -> i32 {
        let entry = fs::read(self.entry()).unwrap();
        let entry: Value = serde_json::from_slice(&entry).unwrap();
        entry["supervisor"]["pid"].as_i64().unwrap().try_into().unwrap()
    }

    pub(crate) fn registered(&self) -> usize {
        let entries = fs::read_dir(self.registry()).into_iter().flatten().flatten();
        entries.filter(|entry| entry.metadata().is_ok_and(|found| found.len() > 0)).count()
    }

    /// Processes with this test's directory in their command line: a program can clear its
    /// environment and leave its session, but none here changes its arguments.
    pub(crate) fn alive(&self) -> Vec<String> {
        let marker = self.path("").display().to_string();
        processes().into_iter().filter(|it| it.contains(&marker) && !it.contains("drive")).collect()
    }

    pub(crate) fn assert_nothing_is_left(&self) {
        assert_eq!(self.alive(), Vec::<String>::new(), "survivors on {:?}", self.containment);
        assert_eq!(self.registered(), 0, "the registry is empty after {:?}", self.containment);
        assert_eq!(self.cgroups(), Vec::<PathBuf>::new());
    }

    pub(crate) fn cgroups(&self) -> Vec<PathBuf> {
        let mounts = fs::read_to_string("/proc/self/mountinfo").unwrap();
        let mounted = mounts.lines().filter(|line| line.contains(" - cgroup"));
        let mut found: Vec<PathBuf> =
            mounted.filter_map(|line| line.split(' ').nth(4)).map(PathBuf::from).collect();
        let mut next = 0;
        while let Some(directory) = found.get(next) {
            let below = fs::read_dir(directory).into_iter().flatten().flatten();
            let below: Vec<_> = below.map(|it| it.path()).filter(|it| it.is_dir()).collect();
            found.extend(below);
            next += 1;
        }
        let ours = format!("afresh-{}.", self.name());
        found.retain(|it| it.file_name().unwrap().to_string_lossy().starts_with(&ours));
        found
    }
}

/// The living processes, as `pid arguments`.
fn processes() -> Vec<String> {
    let entries = fs::read_dir("/proc").unwrap().flatten();
    let pids = entries.filter_map(|it| it.file_name().to_str()?.parse::<i32>().ok());
    pids.filter(|pid| is_alive(*pid))
        .filter_map(|pid| {
            let line = fs::read(format!("/proc/{pid}/cmdline")).ok()?;
            Some(format!("{pid} {}", String::from_utf8_lossy(&line).replace('\0', " ")))
        })
        .collect()
}

pub(crate) fn is_alive(pid: i32) -> bool {
    let Ok(stat) = fs::read_to_string(format!("/proc/{pid}/stat")) else { return false };
    let state = stat.rsplit(") ").next().unwrap().chars().next();
    !matches!(state, Some('Z' | 'X'))
}

pub(crate) fn wait_until(what: &str, holds: impl Fn() -> bool) {
    let until = Instant::now() + PATIENCE;
    while !holds() {
        assert!(Instant::now() < until, "waited in vain: {what}");
        sleep(Duration::from_millis(3));
    }
}

pub(crate) fn kill_9(pid: i32) {
    nix::sys::signal::kill(nix::unistd::Pid::from_raw(pid), nix::sys::signal::Signal::SIGKILL)
        .unwrap();
}
