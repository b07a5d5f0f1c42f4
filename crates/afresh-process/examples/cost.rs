//! Measures what one job costs: runs `/bin/true` many times on each containment level and prints
//! the mean.
//!
//! `cargo run --release -p afresh-process --example cost`

use std::io::Write;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use afresh_process::{
    Containment, HIDDEN_COMMAND, JobLimits, JobSpec, ProcessEnd, RunningJob, StopSignal,
    TreeLimits, supervise_main,
};
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeValLike;

const JOBS: u32 = 200;

fn main() -> ExitCode {
    if std::env::args().nth(1).as_deref() == Some(HIDDEN_COMMAND) {
        return supervise_main();
    }
    match measure() {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}

fn measure() -> Result<(), Box<dyn std::error::Error>> {
    let place = std::env::temp_dir().join(format!("afresh-cost-{}", std::process::id()));
    std::fs::create_dir_all(&place)?;
    let exe = std::env::current_exe()?;
    for containment in [Containment::Group, Containment::Cgroup, Containment::Namespace] {
        let job = JobSpec {
            name: "cost".into(),
            argv: vec!["/bin/true".into()],
            wrapper: vec![],
            cwd: place.clone(),
            env: Vec::new(),
            stdin: None,
            stdout: place.join("stdout"),
            stderr: place.join("stderr"),
            secrets: vec![],
            limits: JobLimits {
                wall: Some(Duration::from_secs(60)),
                silence: None,
                output_bytes: 1 << 20,
                grace: Duration::from_secs(1),
                stop_signal: StopSignal::Terminate,
            },
            tree_limits: TreeLimits {
                memory: Some(8 << 30),
                processes: Some(4096),
                ..TreeLimits::default()
            },
            containment,
            registry: place.join("registry"),
        };
        let (began, used) = (Instant::now(), cpu_us()?);
        let mut ended = Ok(ProcessEnd::Exited(0));
        for _ in 0..JOBS {
            ended = RunningJob::start(&exe, &job)?.wait().ended;
        }
        let wall = began.elapsed().as_micros() / u128::from(JOBS);
        let cpu = (cpu_us()? - used) / i64::from(JOBS);
        writeln!(std::io::stdout(), "{containment:?}: {wall} µs wall, {cpu} µs CPU; {ended:?}")?;
    }
    std::fs::remove_dir_all(place)?;
    Ok(())
}

/// CPU time of this process and of all children that it waited for.
fn cpu_us() -> nix::Result<i64> {
    let mut sum = 0;
    for who in [UsageWho::RUSAGE_SELF, UsageWho::RUSAGE_CHILDREN] {
        let usage = getrusage(who)?;
        sum += usage.user_time().num_microseconds() + usage.system_time().num_microseconds();
    }
    Ok(sum)
}
