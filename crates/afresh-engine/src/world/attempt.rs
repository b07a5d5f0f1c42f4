//! One attempt: a clean workspace, a bundle, a fresh process, and what it said at the end.

use std::collections::BTreeSet;
use std::fs;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use afresh_agents::agent::{NewFile, Prompt, Session};
use afresh_agents::{Briefing, Bundle, Order, ProgramEnd, size};
use afresh_core::ids::{AttemptId, Slot};
use afresh_core::input::AttemptEnd;
use afresh_core::interruption::Resumption;
use afresh_core::outcome::{Ending, Outcome, SpawnFailure};
use afresh_core::plan::Tier;
use afresh_core::step::Ground;
use afresh_core::usage::Usage;
use afresh_core::{Input, Run};
use afresh_formats::result::{self, Asked};
use afresh_git::{Place, Target, salvage_ref};
use afresh_process::{Ended, Job, Limits, Report, Running, StopBy, masked};

use crate::bundling::tree::Workspace;
use crate::bundling::{self, Made, Missing, made};
use crate::layout::text;
use crate::worker_files::open_plain;
use crate::world::Shared;
use crate::world::follow::Follower;
use crate::world::resuming::Resuming;
use crate::world::rooms::{Inside, Temp};
use crate::world::setup::SetUp;
use crate::world::stoppers::Handle;
use crate::{clock, unique};

/// How much of the end of a worker's output is searched for its answer.
const ANSWER_BYTES: u64 = 1024 * 1024;

/// What the core asks for.
pub(crate) struct Ordered {
    pub(crate) attempt: AttemptId,
    pub(crate) slot: Slot,
    pub(crate) ground: Ground,
    pub(crate) tier: Tier,
    pub(crate) resumes: Option<Resumption>,
}

/// What one attempt needs to know; taken from the run before the thread starts.
pub(crate) struct AttemptJob {
    attempt: AttemptId,
    slot: Slot,
    ground: Ground,
    /// The conversation that it goes on with.
    resuming: Option<Resuming>,
    bundle: Bundle,
    /// Files that tasks took away.
    gone: BTreeSet<String>,
    agent: Option<String>,
    tier: Tier,
    grace: std::time::Duration,
    /// How full its context may become, in per cent.
    fullest: u8,
}

/// Why nobody was started.
enum NotStarted {
    Failed(SpawnFailure),
    /// The conversation that it was to go on with, or its work, cannot be had.
    NotResumed(String),
}

impl From<SpawnFailure> for NotStarted {
    fn from(failure: SpawnFailure) -> Self {
        Self::Failed(failure)
    }
}

/// The files of one attempt.
struct Files {
    directory: PathBuf,
    prompt: PathBuf,
    bundle: PathBuf,
    result: PathBuf,
    /// What it may write of these.
    worker: PathBuf,
    /// Its temporary files, while it runs.
    temp: Option<Temp>,
    stdout: PathBuf,
    stderr: PathBuf,
}

impl Files {
    fn of(directory: PathBuf) -> Self {
        Self {
            prompt: directory.join(made::PROMPT),
            bundle: directory.join(made::BUNDLE),
            result: directory.join("worker/result"),
            worker: directory.join("worker"),
            temp: None,
            stdout: directory.join("stdout.log"),
            stderr: directory.join("stderr.log"),
            directory,
        }
    }

    /// A secret that the worker wrote down does not stay there (B36).
    fn rewrite_result(&self, text: &str) {
        // What cannot be written anew must not stay either.
        let _ = fs::remove_file(&self.result);
        let new = fs::OpenOptions::new().write(true).create_new(true).open(&self.result);
        let _ = new.and_then(|mut file| file.write_all(text.as_bytes()));
    }
}

impl AttemptJob {
    pub(crate) fn new(run: &Run, ordered: Ordered, briefing: &Briefing) -> Self {
        let Ordered { attempt, slot, ground, tier, resumes } = ordered;
        let at = run.plan().position(&attempt.task).expect("effects name tasks of this plan");
        let (task, settings) = (run.plan().task(at), run.settings());
        let bundle = bundling::bundle(run, at, &attempt, &ground, briefing);
        let (gone, fullest) = (bundling::gone(run, at), settings.context.hard);
        let (agent, grace) = (task.agent.clone(), settings.halt_grace);
        let resuming = resumes.map(|resumption| Resuming::new(run, at, resumption));
        Self { attempt, slot, ground, resuming, bundle, gone, agent, tier, grace, fullest }
    }

    pub(crate) fn attempt(&self) -> &AttemptId {
        &self.attempt
    }

    pub(crate) fn carry_out(&self, shared: &Shared, handle: &Handle, mail: &dyn Fn(Input)) {
        let answer = match self.start(shared, handle) {
            Ok(None) => {
                let (ending, outcome) = (Ending::Stopped, Outcome::Silent);
                self.ended(AttemptEnd::new(ending, outcome, Usage::default(), 0))
            }
            Ok(Some((mut running, files))) => {
                handle.attach(running.stopper());
                if running.has_started() {
                    mail(Input::Spawned(self.attempt.clone()));
                }
                let mut follower = self.follower(shared, &files);
                let report = running.wait_watching(|| {
                    let Some(follower) = &mut follower else { return };
                    follower.look().into_iter().for_each(mail);
                    if follower.hopeless().is_some() {
                        handle.stop(self.grace);
                    }
                });
                follower.as_mut().map(Follower::finish).into_iter().flatten().for_each(mail);
                self.conclude(shared, &report, &files, follower.as_ref())
            }
            Err(NotStarted::Failed(failure)) => Input::SpawnFailed(self.attempt.clone(), failure),
            Err(NotStarted::NotResumed(why)) => Input::CannotResume(self.attempt.clone(), why),
        };
        shared.stoppers.forget(&self.attempt);
        mail(answer);
    }

    /// None if the attempt was stopped before anything of it ran.
    fn start(
        &self,
        shared: &Shared,
        handle: &Handle,
    ) -> Result<Option<(Running, Files)>, NotStarted> {
        let place = Place::Work(self.slot);
        shared
            .pool
            .prepare(place, Target::Commit(&self.ground.prepared), &shared.rules.keep)
            .map_err(|error| failure(&describe(&error), None))?;
        self.put_back(shared, place)?;
        let kept = salvage_ref(shared.run.as_str(), &self.attempt.to_string());
        shared.pool.claim(place, &kept).map_err(|error| failure(&describe(&error), None))?;
        if handle.is_asked() {
            return Ok(None);
        }
        let ready = shared
            .set_up(place, handle)
            .map_err(|why| failure(&why, Some("see [workspace] setup in the configuration")))?;
        if ready == SetUp::Stopped {
            return Ok(None);
        }
        let made = self.make(shared, &shared.pool.tree(place))?;
        let mut files = Files::of(shared.layout.attempt(&self.bundle.run, &self.attempt));
        made.save(&files.directory)
            .and_then(|()| fs::create_dir_all(&files.worker))
            .map_err(|error| failure(&format!("cannot write the bundle: {error}"), None))?;
        if handle.is_asked() {
            return Ok(None);
        }
        let listed: Vec<String> = self.bundle.task.patterns().map(ToString::to_string).collect();
        shared
            .pool
            .entrust(place, &kept, &listed)
            .map_err(|error| failure(&describe(&error), None))?;
        let job = self.job(shared, &mut files, shared.pool.tree(place))?;
        let running = Running::start(&shared.rules.exe, &job)
            .map_err(|error| failure(&error.to_string(), None))?;
        Ok(Some((running, files)))
    }

    /// Before the slot is claimed: what is lost here is still where it was kept.
    fn put_back(&self, shared: &Shared, place: Place) -> Result<(), NotStarted> {
        let Some(resuming) = &self.resuming else { return Ok(()) };
        let agent = shared.rules.agent_for(self.agent.as_deref());
        if let Some(why) = agent.and_then(|agent| resuming.refusal(agent)) {
            return Err(NotStarted::NotResumed(why));
        }
        resuming.put_back(shared, place).map_err(NotStarted::NotResumed)
    }

    /// Nothing is paid for a worker that would start with a full context (PR-06): the next try would
    /// come to the same.
    fn make(&self, shared: &Shared, tree: &Path) -> Result<Made, SpawnFailure> {
        let bundle = bundling::finished(&self.bundle, &self.ground, &self.gone, &Workspace(tree))
            .map_err(|missing| failure(&missing.to_string(), Some(Missing::ADVICE)))?;
        let made = Made::of(bundle, &shared.rules, self.tier)
            .map_err(|error| failure(&error.to_string(), None))?;
        size::fits(made.fill, self.fullest).map_err(|error| SpawnFailure {
            lasting: true,
            ..failure(&error.to_string(), Some(size::ADVICE))
        })?;
        Ok(made)
    }

    fn job(&self, shared: &Shared, files: &mut Files, cwd: PathBuf) -> Result<Job, SpawnFailure> {
        let rules = &shared.rules;
        let name = self.agent.as_deref().unwrap_or(&rules.agent);
        let agent = rules.agent_for(self.agent.as_deref()).ok_or_else(|| {
            failure(
                &format!("there is no agent {name:?}"),
                Some("add [agents.NAME] to .afresh/config.toml"),
            )
        })?;
        let rendered = fs::read_to_string(&files.prompt).unwrap_or_default();
        let own = self.own_variables(files);
        let variables = shared.environment(&agent.variables(), &own);
        let new = unique::uuid();
        let session = match &self.resuming {
            Some(resuming) => Session::Resumed(resuming.session()),
            None => Session::New(&new),
        };
        let order = Order {
            prompt: Prompt { text: &rendered, file: &files.prompt },
            us: &rules.exe,
            tier: self.tier,
            session,
            directory: &files.directory,
            variables: &variables,
            is_root: nix::unistd::geteuid().is_root(),
        };
        let launch = agent.launch(&order).map_err(|error| failure(&error.to_string(), None))?;
        for NewFile { path, text } in &launch.files {
            fs::write(path, text).map_err(|error| {
                failure(&format!("cannot write {}: {error}", path.display()), None)
            })?;
        }
        let mut env = variables;
        env.extend(launch.env);
        let job = Job {
            name: format!("{}work-{}", shared.job_prefix, self.slot),
            argv: launch.argv,
            through: vec![],
            cwd,
            env: env.into_iter().collect(),
            stdin: launch.stdin,
            stdout: files.stdout.clone(),
            stderr: files.stderr.clone(),
            secrets: rules.secrets(),
            limits: Limits {
                wall: rules.attempt_timeout,
                silence: rules.silence_timeout,
                output_bytes: rules.output_bytes,
                grace: self.grace,
                stop_by: match agent.stop_by() {
                    afresh_agents::StopBy::Interrupt => StopBy::Interrupt,
                    afresh_agents::StopBy::Terminate => StopBy::Terminate,
                },
            },
            containment: rules.containment,
            registry: shared.layout.processes(),
        };
        let inside = Inside::Worker { agent, files: &files.directory, own: &files.worker };
        let (job, temp) = shared.enclosed(job, &inside).map_err(|why| failure(&why, None))?;
        files.temp = temp;
        Ok(job)
    }

    /// What a worker and its tools find out about themselves.
    fn own_variables(&self, files: &Files) -> [(&'static str, String); 7] {
        [
            ("AFRESH_RUN", self.bundle.run.to_string()),
            ("AFRESH_TASK", self.attempt.task.to_string()),
            ("AFRESH_ATTEMPT", self.attempt.number.to_string()),
            ("AFRESH_BUNDLE", text(&files.bundle)),
            ("AFRESH_PROMPT", text(&files.prompt)),
            ("AFRESH_RESULT", text(&files.result)),
            ("AFRESH_STEP", self.bundle.first_step.to_string()),
        ]
    }

    /// What reads the agent's reports, where it makes any.
    fn follower(&self, shared: &Shared, files: &Files) -> Option<Follower> {
        let agent = shared.rules.agent_for(self.agent.as_deref())?;
        let (model, prices) = (agent.model(self.tier), Arc::clone(&shared.rules.prices));
        let before = self.resuming.as_ref().map(|resuming| resuming.counted_before(agent));
        Follower::new(agent, model, prices, self.attempt.clone(), files.stdout.clone())
            .map(|follower| follower.going_on(before.unwrap_or_default()))
    }

    fn conclude(
        &self,
        shared: &Shared,
        report: &Report,
        files: &Files,
        follower: Option<&Follower>,
    ) -> Input {
        let ending = match &report.ended {
            Ended::SpawnFailed(failed) => {
                let hint = "check the agent's `command` in .afresh/config.toml";
                return Input::SpawnFailed(
                    self.attempt.clone(),
                    failure(&failed.message, Some(hint)),
                );
            }
            Ended::Exited(code) => Ending::Exited(*code),
            Ended::Signaled(signal) => Ending::Signaled(*signal),
            Ended::TimedOut => Ending::TimedOut,
            Ended::Silent => Ending::WentSilent,
            Ended::Stopped => Ending::Stopped,
            Ended::SupervisorLost => Ending::SupervisorLost,
        };
        let used = follower.map(Follower::used).unwrap_or_default();
        let outcome = self.answer(shared, files, follower);
        let mut end = AttemptEnd::new(ending, outcome, used, report.wall_ms);
        if let Some(follower) = follower {
            end.models = follower.models();
            end.error = match ending {
                // Whoever was stopped may complain about that.
                Ending::Stopped => follower.hopeless().cloned(),
                _ => follower.error(&program_end(ending, &end_of(&files.stderr))),
            };
        }
        self.ended(end)
    }

    /// A worker's answer: its result file if it wrote one, else its final text; the end of what it
    /// printed, where its output is its answer.
    fn answer(&self, shared: &Shared, files: &Files, follower: Option<&Follower>) -> Outcome {
        let prompt = fs::read_to_string(&files.prompt).unwrap_or_default();
        let task = &self.bundle.task;
        let steps = task.steps.iter().map(|step| step.name.as_str());
        let asked = Asked {
            task: task.id.as_str(),
            names: std::iter::once(task.title.as_str()).chain(steps).collect(),
            prompt: &prompt,
        };
        let printed = || end_of(&files.stdout);
        // What it printed was masked on its way to disk; this file is its own.
        let raw = end_of(&files.result);
        let written = masked(&raw, &shared.rules.secrets());
        if written != raw {
            files.rewrite_result(&written);
        }
        if !written.trim().is_empty() {
            let text = follower.map_or_else(printed, |follower| follower.final_text().to_owned());
            return result::read_file(&written, &text, &asked);
        }
        match follower {
            Some(follower) => follower.outcome(&asked),
            None => result::read(&printed(), &asked),
        }
    }

    fn ended(&self, end: AttemptEnd) -> Input {
        Input::AttemptEnded(self.attempt.clone(), Box::new(end))
    }
}

fn program_end(ending: Ending, stderr: &str) -> ProgramEnd<'_> {
    let exit = match ending {
        Ending::Exited(code) => Some(code),
        _ => None,
    };
    ProgramEnd { exit, at_s: clock::wall_seconds(), stderr }
}

/// The last part of a file, as text; nothing if it is not a plain file.
fn end_of(path: &Path) -> String {
    let read = || -> std::io::Result<Vec<u8>> {
        let mut file = open_plain(path)?;
        let length = file.metadata()?.len();
        file.seek(SeekFrom::Start(length.saturating_sub(ANSWER_BYTES)))?;
        let mut bytes = Vec::new();
        file.take(ANSWER_BYTES).read_to_end(&mut bytes)?;
        Ok(bytes)
    };
    String::from_utf8_lossy(&read().unwrap_or_default()).into_owned()
}

fn failure(message: &str, hint: Option<&str>) -> SpawnFailure {
    SpawnFailure { message: message.to_owned(), hint: hint.map(str::to_owned), lasting: false }
}

/// An error with everything that caused it, in one line.
pub(crate) fn describe(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(inner) = cause {
        let inner_text = inner.to_string();
        if !text.contains(&inner_text) {
            text = format!("{text}: {inner_text}");
        }
        cause = inner.source();
    }
    text
}
