//! What a program uses: time, CPU time and memory, of itself and of the processes that it starts.
//!
//! The kernel reports the peak memory of the largest child only, over all children so far. So a separate small process
//! starts each program: xtask itself under another name.

use std::ffi::OsStr;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeValLike;

/// The name of the xtask command that starts one program.
pub(crate) const CHORE: &str = "measure";

#[derive(Debug, Clone, Copy)]
pub(crate) struct Measured {
    pub(crate) wall: Duration,
    /// User and system time.
    pub(crate) cpu: Duration,
    pub(crate) peak_kib: u64,
}

impl Measured {
    /// The minimum of each: what other programs took from the machine meanwhile does not count.
    fn least(self, other: Self) -> Self {
        Self {
            wall: self.wall.min(other.wall),
            cpu: self.cpu.min(other.cpu),
            peak_kib: self.peak_kib.min(other.peak_kib),
        }
    }
}

/// Runs a program several times, and returns the minimum. Its output is dropped, and its exit code may be any of
/// these.
pub(crate) fn best_of(times: usize, program: &[&OsStr], codes: &[i32]) -> Result<Measured> {
    let mut best = once(program, codes)?;
    for _ in 1..times {
        best = best.least(once(program, codes)?);
    }
    Ok(best)
}

fn once(program: &[&OsStr], codes: &[i32]) -> Result<Measured> {
    let output = Command::new(std::env::current_exe()?).arg(CHORE).args(program).output()?;
    let text = String::from_utf8_lossy(&output.stdout);
    let numbers: Vec<u64> = text.split_whitespace().map(str::parse).collect::<Result<_, _>>()?;
    let [code, wall, cpu, peak_kib] = numbers[..] else {
        anyhow::bail!("{program:?} was not measured: {}", String::from_utf8_lossy(&output.stderr));
    };
    ensure!(
        codes.iter().any(|known| u64::try_from(*known) == Ok(code)),
        "{program:?}: exit {code}"
    );
    Ok(Measured { wall: Duration::from_micros(wall), cpu: Duration::from_micros(cpu), peak_kib })
}

/// The command itself: runs the program, and prints exit code, microseconds, microseconds of CPU and KiB.
#[expect(clippy::print_stdout, reason = "that is how it answers")]
pub(crate) fn measure(program: &[String]) -> Result<()> {
    let (name, arguments) = program.split_first().context("measure what?")?;
    let started = Instant::now();
    let status =
        Command::new(name).args(arguments).stdout(Stdio::null()).stderr(Stdio::null()).status()?;
    let wall = started.elapsed().as_micros();
    let used = getrusage(UsageWho::RUSAGE_CHILDREN)?;
    let cpu = used.user_time().num_microseconds() + used.system_time().num_microseconds();
    let code = status.code().context("it was ended by a signal")?;
    println!("{code} {wall} {cpu} {}", used.max_rss());
    Ok(())
}
