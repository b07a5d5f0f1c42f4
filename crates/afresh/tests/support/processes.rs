//! Inspects running processes: their parents, and which attempts are running.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use afresh_testkit::TestRepo;

/// All processes below `pid` that run this program: the supervisors.
pub(crate) fn supervisors_below(pid: i32) -> Vec<i32> {
    let ours = Path::new(env!("CARGO_BIN_EXE_afresh")).canonicalize().expect("the program");
    // A git process that is just being started still looks like the driver, and may hold a lock a moment later.
    let command_line = |pid: i32| fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    let drivers = command_line(pid);
    let mut found = Vec::new();
    let mut heads = vec![pid];
    while let Some(head) = heads.pop() {
        for child in children(head) {
            heads.push(child);
            let runs_ours =
                fs::read_link(format!("/proc/{child}/exe")).is_ok_and(|exe| exe == ours);
            if runs_ours && command_line(child) != drivers {
                found.push(child);
            }
        }
    }
    found
}

/// The peak memory of a running process, in KiB.
pub(crate) fn most_memory(pid: i32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|rest| rest.trim().trim_end_matches(" kB").parse().ok()).unwrap_or(0)
}

fn children(pid: i32) -> Vec<i32> {
    let threads = fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
    threads
        .filter_map(|thread| fs::read_to_string(thread.path().join("children")).ok())
        .flat_map(|list| {
            list.split_whitespace().filter_map(|pid| pid.parse().ok()).collect::<Vec<i32>>()
        })
        .collect()
}

/// Checks continuously that no task ever has two running attempts (R2).
#[derive(Debug)]
pub(crate) struct Watch {
    stop: Arc<AtomicBool>,
    thread: JoinHandle<Vec<String>>,
}

impl Watch {
    pub(crate) fn start(repo: &TestRepo) -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let script = repo.path().join("agent.sh").to_string_lossy().into_owned();
        let thread = std::thread::spawn({
            let stop = Arc::clone(&stop);
            move || {
                let mut doubled = Vec::new();
                while !stop.load(Ordering::Relaxed) {
                    doubled.extend(doubled_now(&script));
                    std::thread::sleep(Duration::from_millis(20));
                }
                doubled
            }
        });
        Self { stop, thread }
    }

    #[track_caller]
    pub(crate) fn expect_none_doubled(self) {
        self.stop.store(true, Ordering::Relaxed);
        let doubled = self.thread.join().expect("the watch ends");
        assert!(doubled.is_empty(), "R2: two attempts of one task at once: {doubled:?}");
    }
}

fn doubled_now(script: &str) -> Vec<String> {
    let mut attempts: BTreeMap<String, (String, i32)> = BTreeMap::new();
    let mut doubled = Vec::new();
    for entry in fs::read_dir("/proc").into_iter().flatten().flatten() {
        let Some(pid) = entry.file_name().to_str().and_then(|name| name.parse::<i32>().ok()) else {
            continue;
        };
        let Some((task, attempt)) = attempt_of(pid, script) else { continue };
        match attempts.get(&task) {
            Some((other, earlier)) if *other != attempt => {
                // The earlier one may have ended between our two reads.
                if is_alive(*earlier) && attempt_of(*earlier, script).is_some() && is_alive(pid) {
                    doubled.push(format!("{task}: {other} and {attempt}"));
                }
            }
            _ => drop(attempts.insert(task, (attempt, pid))),
        }
    }
    doubled
}

/// The task and attempt of a worker's shell.
fn attempt_of(pid: i32, script: &str) -> Option<(String, String)> {
    let text = |name: &str| {
        let bytes = fs::read(format!("/proc/{pid}/{name}")).unwrap_or_default();
        String::from_utf8_lossy(&bytes).into_owned()
    };
    if !text("cmdline").split('\0').any(|word| word == script) {
        return None;
    }
    let environment = text("environ");
    let variable = |name: &str| {
        environment.split('\0').find_map(|pair| pair.strip_prefix(name)).map(str::to_owned)
    };
    Some((variable("AFRESH_TASK=")?, variable("AFRESH_ATTEMPT=")?))
}

/// Neither gone nor waiting to be reaped.
pub(crate) fn is_alive(pid: i32) -> bool {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit(')').next().is_some_and(|rest| {
        let rest = rest.trim_start();
        !rest.is_empty() && !rest.starts_with(['Z', 'X'])
    })
}
