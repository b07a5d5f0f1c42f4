//! Installing agent programs into the cache, with npm.
//!
//! An installation is built in a temporary directory and moved into place at once: an interrupted one is
//! never used, and the next one removes it.

use afresh_agents::adapters::versions::PinnedProgram;
use afresh_core::time::render_span;
use afresh_process::ProcessEnd;
use std::fs::{self, File};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::{inspect, installed};
use crate::agents::probe::{ProbeCommand, ProbeRunner};
use crate::agents::which;
use crate::context::environment::Environment;
use crate::error::AppError;
use crate::notice::Notice;
use crate::text::count;

/// A program and a version to install.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InstallRequest {
    pub pin: &'static PinnedProgram,
    /// Usually the version that afresh is tested with.
    pub version: String,
}

/// An installed program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InstalledProgram {
    pub path: PathBuf,
    /// Whether it was installed just now.
    pub is_new: bool,
}

/// The largest program has half a gigabyte.
const LIMIT: Duration = Duration::from_secs(30 * 60);
const OUTPUT_BYTES: u64 = 4 * 1024 * 1024;
/// How often progress is reported.
const TELL_EVERY: Duration = Duration::from_secs(3);
/// The prefix of unfinished installations.
const ASIDE: &str = "new-";

/// Where progress goes while an installation takes its time.
pub type NotifyProgress<'a> = &'a dyn Fn(Notice);

/// Installs one program, unless it is installed already.
pub fn install(
    wanted: &InstallRequest,
    environment: &Environment,
    notify: NotifyProgress<'_>,
) -> Result<InstalledProgram, AppError> {
    let place = installed::directory(environment).ok_or_else(|| {
        AppError::usage("cache", "there is no cache directory to install into")
            .hint("set HOME, or AFRESH_CACHE to a directory of your choice")
    })?;
    let InstallRequest { pin, version } = wanted;
    let target = place.join(format!("{}-{version}", pin.program));
    let cannot = |error: std::io::Error| cannot_write(&place, &error);
    fs::create_dir_all(&place).map_err(cannot)?;
    let _lock = lock(&place, notify).map_err(cannot)?;
    clear_away(&place);
    let is_new = !target.is_dir();
    if is_new {
        make(wanted, &place, &target, environment, notify)?;
    }
    point(&place, pin.program, &target).map_err(cannot)?;
    let path = installed::bin(&place.join(pin.program), pin.program);
    Ok(InstalledProgram { path, is_new })
}

/// One installation at a time; a second one waits.
fn lock(place: &Path, notify: NotifyProgress<'_>) -> std::io::Result<File> {
    let file = File::create(place.join("lock"))?;
    if file.try_lock().is_err() {
        notify(Notice::new("waiting for another `afresh agents install` to finish"));
        file.lock()?;
    }
    Ok(file)
}

/// Removes interrupted installations; the lock is held.
fn clear_away(place: &Path) {
    let entries = fs::read_dir(place).into_iter().flatten().flatten();
    for entry in entries.filter(|entry| entry.file_name().to_string_lossy().starts_with(ASIDE)) {
        // A leftover that cannot be removed is never used.
        let _ = fs::remove_dir_all(entry.path());
    }
}

/// Installs into a temporary directory, checks that the program starts, and moves it into place.
fn make(
    wanted: &InstallRequest,
    place: &Path,
    target: &Path,
    environment: &Environment,
    notify: NotifyProgress<'_>,
) -> Result<(), AppError> {
    let aside = tempfile::Builder::new()
        .prefix(ASIDE)
        .tempdir_in(place)
        .map_err(|error| cannot_write(place, &error))?;
    let trial = ProbeRunner::new(environment).map_err(failed)?;
    npm(wanted, aside.path(), &trial, environment, notify)?;
    let program = installed::bin(aside.path(), wanted.pin.program);
    starts(wanted, &program.to_string_lossy(), &trial, environment)?;
    // The name appears only when everything is complete.
    let made = aside.keep();
    fs::rename(&made, target).map_err(|error| {
        let _ = fs::remove_dir_all(&made);
        cannot_write(place, &error)
    })
}

/// Checks that the program exists, and that `--version` works where it has one.
fn starts(
    wanted: &InstallRequest,
    program: &str,
    trial: &ProbeRunner,
    environment: &Environment,
) -> Result<(), AppError> {
    let unusable = |why: &str| {
        failed(format!("npm installed {}, but its program {why}", package(wanted)))
            .hint("check that `node --version` is recent enough, or try another `--version`")
    };
    which::find(program, &environment.search_path()).map_err(unusable)?;
    if !inspect::is_known(wanted.pin) {
        return Ok(());
    }
    let argv = [program.to_owned(), "--version".to_owned()];
    let tried = trial.run(&argv, &[], inspect::KNOWN_LIMIT).map_err(failed)?;
    match tried.report.ended {
        Ok(ProcessEnd::Exited(0)) => Ok(()),
        _ => Err(unusable("does not start").cause(tried.said)),
    }
}

/// Replaces the link to the version in use, atomically.
fn point(place: &Path, program: &str, target: &Path) -> std::io::Result<()> {
    let name = target.file_name().unwrap_or_default();
    let link = place.join(program);
    if fs::read_link(&link).is_ok_and(|now| now == Path::new(name)) {
        return Ok(());
    }
    let aside = place.join(format!("{ASIDE}link"));
    let _ = fs::remove_file(&aside);
    symlink(name, &aside)?;
    fs::rename(&aside, &link)
}

fn npm(
    wanted: &InstallRequest,
    prefix: &Path,
    trial: &ProbeRunner,
    environment: &Environment,
    notify: NotifyProgress<'_>,
) -> Result<(), AppError> {
    let npm = which::find("npm", &environment.search_path()).map_err(|why| {
        AppError::usage("npm", format!("npm {why}")).hint(
            "install Node.js, which includes npm (with your package manager, or from https://nodejs.org), or \
             install the program in another way and put it on the PATH",
        )
    })?;
    let text = |path: &Path| path.to_string_lossy().into_owned();
    let mut argv = vec![text(&npm), "install".to_owned(), "--prefix".to_owned(), text(prefix)];
    let quiet = ["--location=project", "--no-audit", "--no-fund", "--no-progress"];
    // One line per package shows progress; an unreachable registry fails soon.
    let progress = ["--loglevel=http", "--fetch-retries=2"];
    let waits = ["--fetch-retry-mintimeout=1000", "--fetch-retry-maxtimeout=5000"];
    argv.extend(quiet.iter().chain(&progress).chain(&waits).map(|word| (*word).to_owned()));
    argv.push(package(wanted));
    notify(Notice::new(format!("installing {} …", package(wanted))));
    let env = environment.all().into_iter().collect();
    let errand = ProbeCommand {
        argv: &argv,
        cwd: prefix,
        wrapper: Vec::new(),
        env,
        limit: LIMIT,
        output_bytes: OUTPUT_BYTES,
    };
    let mut progress = Instant::now();
    let tell = |log: &Path| {
        if progress.elapsed() >= TELL_EVERY {
            progress = Instant::now();
            let log = fs::read_to_string(log).unwrap_or_default();
            let done = log.lines().filter(|line| line.contains("http fetch GET 200")).count();
            notify(Notice::new(format!("  {} so far", count(done, "download"))));
        }
    };
    let (report, log) = trial.errand(&errand, tell).map_err(failed)?;
    match report.ended {
        Ok(ProcessEnd::Exited(0)) => Ok(()),
        Ok(ProcessEnd::TimedOut) => {
            let limit = render_span(LIMIT);
            let message = format!("npm did not install {} within {limit}", package(wanted));
            Err(failed(message).hint(NETWORK))
        }
        _ => Err(refused(wanted, &log)),
    }
}

fn package(wanted: &InstallRequest) -> String {
    format!("{}@{}", wanted.pin.package, wanted.version)
}

const NETWORK: &str = "check the connection, `npm config get registry` and HTTPS_PROXY, then try again; nothing was \
     installed";

/// Why npm failed, by its error codes.
fn refused(wanted: &InstallRequest, log: &str) -> AppError {
    let errors = log.lines().filter_map(|line| {
        let line = line.trim();
        line.strip_prefix("npm error ").or_else(|| line.strip_prefix("npm ERR! "))
    });
    let errors: Vec<&str> = errors.map(str::trim).filter(|line| !line.is_empty()).collect();
    let code = errors.iter().find_map(|line| line.strip_prefix("code ")).unwrap_or_default();
    let said = errors.iter().find(|line| !line.starts_with("code ")).copied();
    let last = || log.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or_default();
    let failure = failed(format!("npm could not install {}", package(wanted)))
        .cause(format!("{code} {}", said.unwrap_or_else(last)).trim().to_owned());
    failure.hint(match code {
        "ENOTFOUND" | "EAI_AGAIN" | "ECONNREFUSED" | "ECONNRESET" | "ETIMEDOUT" | "ENETUNREACH" => {
            NETWORK
        }
        "E404" | "ETARGET" => "there is no such version; omit `--version` for the tested one",
        "ENOSPC" => "the disk is full; set AFRESH_CACHE to a directory on another disk",
        _ => "run it by hand to see more: npm install --prefix DIR PACKAGE",
    })
}

fn failed(message: impl Into<String>) -> AppError {
    AppError::incomplete("install", message)
}

fn cannot_write(place: &Path, error: &std::io::Error) -> AppError {
    AppError::machine("install", format!("cannot install into {}", place.display()))
        .cause(error.to_string())
        .hint("set AFRESH_CACHE to a writable directory")
}
