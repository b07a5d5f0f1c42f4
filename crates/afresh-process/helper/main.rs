//! For the tests of this crate: the hidden command, a driver that can be killed, and programs that
//! behave as badly as a program can.

use std::error::Error;
use std::io::Write;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};
use std::thread::sleep;
use std::time::Duration;

use afresh_process::{
    HIDDEN_COMMAND, JobSpec, RunningJob, become_subreaper, delegate_controllers, supervise_main,
};
use nix::sys::signal::{SigSet, Signal, raise};
use nix::unistd::setsid;

type Outcome = Result<(), Box<dyn Error>>;

/// So that a failing test leaves nothing behind for good.
const LONGEST_LIFE: Duration = Duration::from_secs(300);

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let outcome = match arguments[1..] {
        [HIDDEN_COMMAND] => return supervise_main(),
        ["drive", job, report, orphans] => drive(job, report, orphans == "adopt"),
        ["worker", place, kinds, then] => worker(Path::new(place), kinds, then),
        ["daemon", place, kind] => daemon(place, kind),
        ["survivor", place, kind] => survivor(Path::new(place), kind),
        ["descriptors", to] => descriptors(to),
        ["hand-down", controller, job, report] => {
            delegate_controllers(&[controller]);
            drive(job, report, false)
        }
        ["inside", program, ref rest @ ..] => inside(program, rest),
        ["slow-room", program, ref rest @ ..] => slow_room(program, rest),
        _ => Err("no such part".into()),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(std::io::stderr(), "{error}");
            ExitCode::from(99)
        }
    }
}

/// Runs a job to its end and writes its report to a file.
fn drive(job: &str, report: &str, adopt_orphans: bool) -> Outcome {
    if adopt_orphans {
        become_subreaper()?;
    }
    let job: JobSpec = serde_json::from_slice(&std::fs::read(job)?)?;
    let ended = RunningJob::start(&std::env::current_exe()?, &job)?.wait();
    let draft = format!("{report}.draft");
    std::fs::write(&draft, serde_json::to_vec(&ended)?)?;
    Ok(std::fs::rename(draft, report)?)
}

/// Starts one daemon of each kind; when they run it exits, or stays and ignores signals.
fn worker(place: &Path, kinds: &str, then: &str) -> Outcome {
    SigSet::all().thread_block()?;
    for kind in kinds.split(',').filter(|kind| !kind.is_empty()) {
        let mut daemon = Command::new(std::env::current_exe()?);
        daemon.arg("daemon").arg(place).arg(kind).spawn()?.wait()?;
        while !place.join(format!("up.{kind}")).exists() {
            sleep(Duration::from_millis(2));
        }
    }
    std::fs::write(place.join("up.main"), "")?;
    if then == "stay" {
        sleep(LONGEST_LIFE);
    }
    Ok(())
}

/// The middle of a double fork.
fn daemon(place: &str, kind: &str) -> Outcome {
    setsid()?;
    let mut survivor = Command::new(std::env::current_exe()?);
    survivor.args(["survivor", place, kind]).env_clear();
    if matches!(kind, "quiet" | "gone") {
        survivor.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    }
    if matches!(kind, "elsewhere" | "gone") {
        survivor.current_dir("/");
    }
    survivor.spawn()?;
    Ok(())
}

fn survivor(place: &Path, kind: &str) -> Outcome {
    SigSet::all().thread_block()?;
    setsid()?;
    std::fs::write(place.join(format!("up.{kind}")), "")?;
    if kind == "stopped" {
        raise(Signal::SIGSTOP)?;
    }
    sleep(LONGEST_LIFE);
    Ok(())
}

/// Starts a program after a delay and forwards signals to it, as sandboxes do.
fn slow_room(program: &str, arguments: &[&str]) -> Outcome {
    sleep(Duration::from_millis(300));
    let mut inside = Command::new(std::env::current_exe()?);
    inside.arg("inside").arg(program).args(arguments);
    match inside.status()?.code() {
        Some(code) => std::process::exit(code),
        None => Err("it was ended".into()),
    }
}

fn inside(program: &str, arguments: &[&str]) -> Outcome {
    SigSet::all().thread_unblock()?;
    Err(Command::new(program).args(arguments).exec().into())
}

/// Writes a list of its inherited descriptors.
fn descriptors(to: &str) -> Outcome {
    let listed: Vec<_> =
        std::fs::read_dir("/proc/self/fd")?.flatten().map(|it| it.path()).collect();
    let open = listed.iter().filter_map(|path| Some((path, std::fs::read_link(path).ok()?)));
    let lines: Vec<String> =
        open.map(|(path, target)| format!("{} {}", path.display(), target.display())).collect();
    Ok(std::fs::write(to, lines.join("\n"))?)
}
