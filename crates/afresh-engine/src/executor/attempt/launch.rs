//! The command line, environment, limits and sandbox of a worker or a reviewer.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use afresh_agents::agent::{LaunchFile, PromptFile, SessionRef};
use afresh_agents::{Agent, Bundle, LaunchRequest};
use afresh_core::ids::WorkspaceSlot;
use afresh_core::outcome::SpawnFailure;
use afresh_core::plan::ModelTier;
use afresh_process::{JobLimits, JobSpec};

use super::files::AttemptFiles;
use super::starting::failure;
use crate::executor::ExecutorContext;
use crate::executor::sandbox::SandboxSubject;
use crate::layout::text;

/// Who is started where.
pub(crate) struct WorkerLaunch<'a> {
    pub(crate) agent: &'a Agent,
    pub(crate) tier: ModelTier,
    pub(crate) session: SessionRef<'a>,
    pub(crate) slot: WorkspaceSlot,
    pub(crate) cwd: PathBuf,
    /// Variables that describe the attempt to the program and its tools.
    pub(crate) own: Vec<(&'static str, String)>,
    pub(crate) grace: Duration,
}

impl ExecutorContext {
    /// The agent of this name; none: the default one.
    pub(crate) fn find_agent(&self, name: Option<&str>) -> Result<&Agent, SpawnFailure> {
        let workers = &self.config.workers;
        workers.agent_for(name).ok_or_else(|| {
            let name = name.unwrap_or(&workers.default_agent);
            failure(
                &format!("there is no agent {name:?}"),
                Some("add [agents.NAME] to .afresh/config.toml"),
            )
        })
    }

    /// The job of a program whose prompt is written.
    pub(crate) fn worker_job(
        &self,
        launch: &WorkerLaunch<'_>,
        files: &mut AttemptFiles,
    ) -> Result<JobSpec, SpawnFailure> {
        let (rules, agent) = (&self.config, launch.agent);
        let rendered = fs::read_to_string(&files.prompt).unwrap_or_default();
        let variables = self.environment(&agent.variables(), &launch.own);
        let trusted = trusted_directory(&files.directory, agent, &variables);
        let order = LaunchRequest {
            prompt: PromptFile { text: &rendered, file: &files.prompt },
            us: &rules.exe,
            tier: launch.tier,
            session: launch.session,
            directory: &files.directory,
            trusted_directory: &trusted,
            variables: &variables,
            is_root: nix::unistd::geteuid().is_root(),
        };
        let command = agent.launch(&order).map_err(|error| failure(&error.to_string(), None))?;
        for LaunchFile { path, text } in &command.files {
            fs::write(path, text).map_err(|error| {
                failure(&format!("cannot write {}: {error}", path.display()), None)
            })?;
        }
        let mut env = variables;
        env.extend(command.env);
        let job = JobSpec {
            name: format!("{}work-{}", self.job_prefix, launch.slot),
            argv: command.argv,
            wrapper: vec![],
            cwd: launch.cwd.clone(),
            env: env.into_iter().collect(),
            stdin: command.stdin,
            stdout: files.stdout.clone(),
            stderr: files.stderr.clone(),
            secrets: rules.workers.secrets(),
            limits: JobLimits {
                wall: rules.attempt_timeout,
                silence: rules.silence_timeout,
                output_bytes: rules.output_bytes,
                grace: launch.grace,
                stop_signal: agent.stop_signal(),
            },
            tree_limits: rules.bounds.clone(),
            containment: rules.containment,
            registry: self.layout.processes(),
        };
        let inside = SandboxSubject::Worker { agent, files: &files.directory, own: &files.worker };
        let (job, room) = self.enclosed(job, &inside).map_err(|why| failure(&why, None))?;
        files.room = room;
        Ok(job)
    }
}

/// Variables that describe the attempt to the program and its tools.
pub(crate) fn attempt_variables(
    bundle: &Bundle,
    files: &AttemptFiles,
) -> Vec<(&'static str, String)> {
    vec![
        ("AFRESH_RUN", bundle.run.to_string()),
        ("AFRESH_TASK", bundle.attempt.task.to_string()),
        ("AFRESH_ATTEMPT", bundle.attempt.number.to_string()),
        ("AFRESH_BUNDLE", text(&files.bundle)),
        ("AFRESH_PROMPT", text(&files.prompt)),
        ("AFRESH_RESULT", text(&files.result)),
        ("AFRESH_STEP", bundle.first_step.to_string()),
    ]
}

/// The attempt's directory, or one of the agent's own if all users may write to a directory above it.
fn trusted_directory(
    directory: &Path,
    agent: &Agent,
    variables: &BTreeMap<String, String>,
) -> PathBuf {
    if !is_open_to_all(directory) {
        return directory.to_owned();
    }
    let variable = |name: &str| variables.get(name).cloned();
    let home = variable("HOME").map(PathBuf::from);
    let own = agent.home_directories(home.as_deref(), &variable).into_iter().next();
    let own = own.filter(|own| !is_open_to_all(own) && fs::create_dir_all(own).is_ok());
    own.unwrap_or_else(|| directory.to_owned())
}

fn is_open_to_all(directory: &Path) -> bool {
    directory
        .ancestors()
        .any(|above| fs::metadata(above).is_ok_and(|found| found.permissions().mode() & 0o002 != 0))
}
