//! The user's hooks: commands before and after steps of a run, as the user and in the user's repository (BE-11).
//!
//! Each has the event as JSON on its standard input, a time limit, and its own process tree. The commands come from the
//! user's configuration alone; no worker can change what runs here.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use afresh_core::Run;
use afresh_core::hook::{HookFailure, HookPoint};
use afresh_core::ids::AttemptId;
use afresh_core::printable;
use afresh_core::question::Question;
use afresh_process::{JobLimits, JobSpec, ProcessEnd, RunningJob, StopSignal};
use afresh_secrets::{redact, redact_value};
use serde::Serialize;
use serde_json::Value;

use super::ExecutorContext;
use super::cancel::CancelHandle;

const OUTPUT_BYTES: u64 = 64 * 1024;
/// How much of its output an error repeats.
const MAX_PRINTED_CHARS: usize = 600;
/// The time that a hook gets to end by itself when it is stopped.
const GRACE: Duration = Duration::from_secs(1);

/// Distinguishes the jobs of one process.
static NUMBER: AtomicU64 = AtomicU64::new(0);

/// What a hook is given as JSON. Fields that do not apply are left out.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct HookEvent {
    pub(crate) hook: HookPoint,
    run: String,
    branch: String,
    plan: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    task: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    attempt: Option<u32>,
    /// What is only known at this point: the commit of a merge, results of checks, a question.
    #[serde(flatten)]
    details: BTreeMap<&'static str, Value>,
    #[serde(skip)]
    about: Option<AttemptId>,
}

impl HookEvent {
    pub(crate) fn new(run: &Run, hook: HookPoint, about: Option<&AttemptId>) -> Self {
        let task = about.and_then(|attempt| run.plan().index_of(&attempt.task));
        Self {
            hook,
            run: run.id().to_string(),
            branch: run.branch().to_owned(),
            plan: run.plan().name.clone(),
            task: about.map(|attempt| attempt.task.to_string()),
            title: task.map(|at| run.plan().task(at).title.clone()),
            attempt: about.map(|attempt| attempt.number),
            details: BTreeMap::new(),
            about: about.cloned(),
        }
    }

    /// The event of a hook before an action, unless a person has said that it does not run for this task.
    pub(crate) fn before(run: &Run, hook: HookPoint, attempt: &AttemptId) -> Option<Self> {
        run.runs_hook(hook, &attempt.task).then(|| Self::new(run, hook, Some(attempt)))
    }

    pub(crate) fn question(run: &Run, question: &Question) -> Self {
        let mut event = Self::new(run, HookPoint::OnQuestion, None);
        let options: Vec<&str> = question.options.iter().map(|it| it.key.as_str()).collect();
        event.task = Some(question.task.to_string());
        event
            .with("question", question.id.to_string().into())
            .with("kind", question.topic.kind().into())
            .with("text", question.text.clone().into())
            .with("answers", options.into())
    }

    #[must_use]
    pub(crate) fn with(mut self, name: &'static str, value: Value) -> Self {
        self.details.insert(name, value);
        self
    }
}

/// Running hooks that a halt may have to end.
#[derive(Debug, Default)]
pub(crate) struct HookHandles(Mutex<HookGate>);

#[derive(Debug, Default)]
struct HookGate {
    running: Vec<CancelHandle>,
    /// An immediate halt has to be over soon, so nothing starts (R7).
    is_closed: bool,
}

impl HookHandles {
    /// Whether hooks may start from now on.
    pub(crate) fn set_closed(&self, is_closed: bool) {
        self.lock().is_closed = is_closed;
    }

    pub(crate) fn stop_all(&self, grace: Duration) {
        for handle in &self.lock().running {
            handle.stop(grace);
        }
    }

    fn register(&self) -> CancelHandle {
        let handle = CancelHandle::default();
        let mut gate = self.lock();
        if gate.is_closed {
            handle.stop(Duration::ZERO);
        }
        gate.running.push(handle.clone());
        handle
    }

    fn forget(&self, handle: &CancelHandle) {
        self.lock().running.retain(|other| !other.is_same(handle));
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HookGate> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// How the hooks of one point came out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum HookResult {
    Passed,
    Failed(HookFailure),
    /// A halt ended them.
    Stopped,
}

/// Runs the hooks of a point, one after the other; the first that fails ends it.
pub(crate) fn run_hooks(
    shared: &ExecutorContext,
    event: &HookEvent,
    handle: &CancelHandle,
) -> HookResult {
    let hooks = &shared.config.hooks;
    let Some(commands) = hooks.commands.get(&event.hook).filter(|all| !all.is_empty()) else {
        return HookResult::Passed;
    };
    let mut result = HookResult::Passed;
    for command in commands {
        if handle.is_asked() {
            return HookResult::Stopped;
        }
        let ran = run_command(shared, event, command, handle);
        if handle.is_asked() {
            result = HookResult::Stopped;
        } else if let Err(why) = ran {
            let secrets = shared.config.workers.secrets();
            result = HookResult::Failed(HookFailure {
                point: event.hook,
                attempt: event.about.clone(),
                command: redact(&printable::line(command), &secrets),
                why: redact(&why, &secrets),
            });
        }
        if result != HookResult::Passed {
            break;
        }
    }
    result
}

/// The same for hooks that belong to no attempt; a halt that ends checks ends them too.
pub(crate) fn run_stoppable_hooks(shared: &ExecutorContext, event: &HookEvent) -> HookResult {
    let handle = shared.hooks.register();
    let result = run_hooks(shared, event, &handle);
    shared.hooks.forget(&handle);
    result
}

/// The failure of a hook that comes after an action. One that a halt ended is none.
pub(crate) fn failure_after(shared: &ExecutorContext, event: &HookEvent) -> Option<HookFailure> {
    match run_stoppable_hooks(shared, event) {
        HookResult::Failed(failure) => Some(failure),
        HookResult::Passed | HookResult::Stopped => None,
    }
}

fn run_command(
    shared: &ExecutorContext,
    event: &HookEvent,
    command: &str,
    handle: &CancelHandle,
) -> Result<(), String> {
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let repository = shared.pool.repository();
    let directory = shared.layout.state.join("hooks");
    fs::create_dir_all(&directory).map_err(|error| format!("it was not started: {error}"))?;
    let file = |kind: &str| directory.join(format!("{}-{number}.{kind}", std::process::id()));
    let (input, output) = (file("json"), file("log"));
    let secrets = shared.config.workers.secrets();
    let value = serde_json::to_value(event).unwrap_or_default();
    let text = format!("{}\n", redact_value(value, &secrets));
    fs::write(&input, text).map_err(|error| format!("it was not started: {error}"))?;
    let job = JobSpec {
        name: format!("{}hook-{}-{number}", shared.job_prefix, std::process::id()),
        argv: ["/bin/sh", "-c", command].map(str::to_owned).to_vec(),
        wrapper: vec![],
        cwd: repository.root().unwrap_or(repository.common_dir()).to_owned(),
        env: shared.config.workers.environment.clone().into_iter().collect(),
        stdin: Some(input.clone()),
        stdout: output.clone(),
        stderr: output.clone(),
        secrets,
        limits: JobLimits {
            wall: Some(shared.config.hooks.limit),
            silence: None,
            output_bytes: OUTPUT_BYTES,
            grace: GRACE,
            stop_signal: StopSignal::Terminate,
        },
        tree_limits: shared.config.bounds.clone(),
        containment: shared.config.containment,
        registry: shared.layout.processes(),
    };
    let ended = RunningJob::start(&shared.config.exe, &job)
        .map_err(|error| format!("it was not started: {error}"))
        .map(|mut running| {
            handle.attach(running.stopper());
            running.wait().ended
        });
    let printed = last_words(&output);
    let _ = (fs::remove_file(&input), fs::remove_file(&output));
    match ended? {
        Ok(ProcessEnd::Exited(0)) => Ok(()),
        Ok(ProcessEnd::TimedOut) => {
            Err(format!("it did not end within {} s{printed}", shared.config.hooks.limit.as_secs()))
        }
        Ok(other) => Err(format!("{}{printed}", other.describe())),
        Err(error) => Err(error.message),
    }
}

/// The end of what a hook printed, in one line.
fn last_words(output: &Path) -> String {
    let text = String::from_utf8_lossy(&fs::read(output).unwrap_or_default()).into_owned();
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    if lines.is_empty() {
        return String::new();
    }
    let last = printable::line(&lines[lines.len().saturating_sub(5)..].join("; "));
    let count = last.chars().count();
    let end: String = last.chars().skip(count.saturating_sub(MAX_PRINTED_CHARS)).collect();
    format!(": {end}")
}
