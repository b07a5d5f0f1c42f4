//! `afresh run --detach`: the same command again in the background, in a session of its own.

use std::fs::{self, File, OpenOptions};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use afresh_app::context::AppContext;
use afresh_app::error::AppError;
use afresh_app::text::time;
use afresh_core::ids::RunId;
use afresh_engine::cleanup::messages_directory;
use serde_json::json;

use crate::exit::Exit;
use crate::terminal::output::Output;

/// What the process in the background is started with.
pub(crate) const IN_BACKGROUND: &str = "--in-background";
/// How long it gets to take the lock; preparing a run may probe agents. Programs that call us through a tool give up
/// after a minute.
const START_TIMEOUT: Duration = Duration::from_secs(45);
const PAUSE: Duration = Duration::from_millis(50);

/// Starts it, and waits until it drives a run or has ended.
pub(crate) fn start(context: &AppContext, output: &Output) -> Result<Exit, AppError> {
    let files = DetachedFiles::create(context)?;
    let (log, data) = files.open()?;
    // Before the process can record anything.
    let before = last_record(context);
    // In its place: what follows `--` is no option.
    let given =
        context.environment.arguments.iter().skip(1).flat_map(|given| match given.as_str() {
            "--detach" => vec!["--no-input", IN_BACKGROUND],
            "--no-input" => vec![],
            other => vec![other],
        });
    let mut child = Command::new(&context.environment.executable)
        .args(given)
        .stdin(Stdio::null())
        .stdout(data)
        .stderr(log)
        .spawn()
        .map_err(|error| {
            AppError::machine("detach", "cannot start afresh in the background")
                .cause(error.to_string())
                .hint("`afresh run --no-input` runs it in this terminal")
        })?;
    match await_driver(&mut child, before.as_ref(), context) {
        Started::Drives(run) => announce(run.as_ref(), child.id(), &files, output),
        Started::Ended(code) => return Ok(end_early(code, &files, output)),
    }
    Ok(Exit::Done)
}

/// Leaves the terminal's session, so that its end does not end the run.
pub(crate) fn leave_session() {
    // It fails for the leader of a group; then the run ends as any other does when its terminal is closed.
    let _ = nix::unistd::setsid();
}

/// What the process in the background writes to. Each start has files of its own: an earlier process may still be
/// writing to its own.
#[derive(Debug)]
struct DetachedFiles {
    /// Its messages.
    log: PathBuf,
    /// What it prints for scripts.
    data: PathBuf,
}

impl DetachedFiles {
    fn create(context: &AppContext) -> Result<Self, AppError> {
        let directory = messages_directory(&context.cache_directory()?);
        let failed = |error| AppError::cannot_write("detach", &directory, error);
        fs::create_dir_all(&directory).map_err(failed)?;
        // `afresh clean` knows the repository's own by the beginning of their names.
        let prefix = context.repository().map(|it| it.job_prefix()).unwrap_or_default();
        let name = prefix + &directory_name(&context.directory()?);
        let mut number = time::now_seconds();
        loop {
            let file = |ending: &str| directory.join(format!("{name}-{number}.{ending}"));
            let files = Self { log: file("log"), data: file("out") };
            match File::create_new(&files.log) {
                Ok(_) => return Ok(files),
                Err(error) if error.kind() == ErrorKind::AlreadyExists => number += 1,
                Err(error) => return Err(failed(error)),
            }
        }
    }

    fn open(&self) -> Result<(File, File), AppError> {
        let open = |path: &Path| {
            let file = OpenOptions::new().create(true).append(true).open(path);
            file.map_err(|error: io::Error| AppError::cannot_write("detach", path, error))
        };
        Ok((open(&self.log)?, open(&self.data)?))
    }
}

/// A name for a directory's files: its end for people, and a hash, because other directories may end so too.
fn directory_name(directory: &Path) -> String {
    let mut hasher = DefaultHasher::new();
    directory.hash(&mut hasher);
    let name = directory.to_string_lossy().replace(|c: char| !c.is_ascii_alphanumeric(), "-");
    let end = name.len().saturating_sub(100);
    format!("{}-{:016x}", name[end..].trim_matches('-'), hasher.finish())
}

/// What became of the process.
enum Started {
    /// It drives this run; without one, it still prepares.
    Drives(Option<RunId>),
    Ended(Option<i32>),
}

/// The run that was driven last, and its last record.
type LastRecord = (RunId, u64);

/// None also if the journal cannot be read: the process itself says why.
fn last_record(context: &AppContext) -> Option<LastRecord> {
    // The repository may be made by the process itself, or be the plan's target.
    let found = context.repository().ok()?.find_run(|_| true).ok()??;
    Some((found.run.id().clone(), found.records.last().map_or(0, |record| record.seq)))
}

/// The run that a process drives which holds the lock: it has recorded something. Before, it may still refuse.
fn driven_run(before: Option<&LastRecord>, now: Option<LastRecord>) -> Option<RunId> {
    now.filter(|now| before != Some(now)).map(|(run, _)| run)
}

fn await_driver(child: &mut Child, before: Option<&LastRecord>, context: &AppContext) -> Started {
    let until = Instant::now() + START_TIMEOUT;
    let holds_lock = |pid| {
        let holder = context.repository().ok().and_then(|it| it.holder().ok().flatten());
        holder.is_some_and(|holder| holder.pid == pid)
    };
    loop {
        if let Ok(Some(status)) = child.try_wait() {
            return Started::Ended(status.code());
        }
        if holds_lock(child.id())
            && let Some(run) = driven_run(before, last_record(context))
        {
            return Started::Drives(Some(run));
        }
        if Instant::now() > until {
            return Started::Drives(None);
        }
        thread::sleep(PAUSE);
    }
}

fn announce(run: Option<&RunId>, pid: u32, files: &DetachedFiles, output: &Output) {
    let DetachedFiles { log, data } = files;
    if output.json {
        output.document(&json!({"run": run, "ok": true, "pid": pid, "log": log, "output": data}));
        return;
    }
    let what = match run {
        Some(run) => format!("run {run} continues in process {pid}"),
        None => format!("process {pid} still prepares the run"),
    };
    output.note(&format!("{what}; its messages are in {}", log.display()));
    output.note("`afresh attach` follows it and answers its questions; `afresh halt` stops it");
}

/// It ended before anything was to follow: its output and messages are those of the command.
fn end_early(code: Option<i32>, files: &DetachedFiles, output: &Output) -> Exit {
    let text = |path: &Path| {
        String::from_utf8_lossy(&fs::read(path).unwrap_or_default()).trim_end().to_owned()
    };
    let (data, messages) = (text(&files.data), text(&files.log));
    if !data.is_empty() {
        output.data(&data);
    }
    if !messages.is_empty() {
        output.message(&messages);
    }
    code.and_then(Exit::from_code).unwrap_or(Exit::Bug)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(run: &str, seq: u64) -> LastRecord {
        (RunId::new(run).expect("an id"), seq)
    }

    /// HU-08: a process that holds the lock may still refuse: what was recorded before its start says nothing about it.
    #[test]
    fn a_run_is_driven_once_something_new_is_recorded() {
        let before = record("a-1", 7);
        assert_eq!(driven_run(Some(&before), Some(before.clone())), None);
        assert_eq!(driven_run(None, None), None);
        let same = driven_run(Some(&before), Some(record("a-1", 8)));
        assert_eq!(same, Some(before.0.clone()));
        let other = record("b-1", 9);
        assert_eq!(driven_run(Some(&before), Some(other.clone())), Some(other.0.clone()));
        assert_eq!(driven_run(None, Some(other.clone())), Some(other.0));
    }

    /// HU-08: directories whose names look alike have files of their own.
    #[test]
    fn files_are_those_of_one_directory() {
        assert_ne!(directory_name(Path::new("/a/b c")), directory_name(Path::new("/a/b-c")));
    }
}
