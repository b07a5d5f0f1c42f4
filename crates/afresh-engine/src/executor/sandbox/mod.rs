//! The sandboxes of workers, checks and set-up commands: what each may access (R5, B22).
//!
//! A job may write to its own workspace and temporary files; the rest of the machine is read-only. Hidden are the
//! home directory (except for tools and the agent program's own files), the user's checkout, afresh's own state, and
//! the workspaces of other attempts.

pub(crate) mod denials;
pub(crate) mod environment;
pub(crate) mod fake_home;
pub(crate) mod git_sandbox;
pub(crate) mod home_tools;
pub(crate) mod network;
pub(crate) mod package_caches;
pub(crate) mod probe;
pub(crate) mod shim;

use std::fs;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use afresh_agents::Agent;
use afresh_core::denial::Denial;
use afresh_git::remove_tree;
use afresh_process::{DiskLimit, JobSpec};
use afresh_sandbox::{SandboxLevel, SandboxNetwork, SandboxSpec, WrappedCommand};

use crate::executor::ExecutorContext;
use crate::executor::sandbox::home_tools::ToolSearch;
use crate::executor::sandbox::network::NetworkAccess;
use crate::executor::sandbox::package_caches::PackageCaches;
use crate::layout::text;

/// What runs inside.
pub(crate) enum SandboxSubject<'a> {
    /// `files` holds what it is given, `own` what it may write.
    Worker {
        agent: &'a Agent,
        files: &'a Path,
        own: &'a Path,
    },
    Check,
    /// Set-up commands download dependencies, so they have network access.
    SetUp,
}

/// The resources of a job's sandbox, for as long as the job runs.
#[derive(Debug)]
pub(crate) struct SandboxGuard {
    _temp: TempDir,
    outlet: NetworkAccess,
}

impl SandboxGuard {
    /// Denials measured so far.
    pub(crate) fn refusals(&self) -> Vec<Denial> {
        self.outlet.refusals()
    }
}

/// Temporary files of a job, removed with it.
#[derive(Debug)]
pub(crate) struct TempDir(PathBuf);

impl TempDir {
    pub(crate) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for TempDir {
    fn drop(&mut self) {
        // If this fails, they are removed before the next job of this name.
        let _ = remove_tree(&self.0);
    }
}

impl ExecutorContext {
    /// The same job inside its sandbox. The guard must be kept as long as the job runs.
    pub(crate) fn enclosed(
        &self,
        mut job: JobSpec,
        who: &SandboxSubject<'_>,
    ) -> Result<(JobSpec, Option<SandboxGuard>), String> {
        let level = &self.config.sandbox.level;
        self.give_quota(&mut job, who);
        if level.is_off() {
            return Ok((job, None));
        }
        let temp = self.new_temp(&job.name)?;
        job.tree_limits.disk.iter_mut().for_each(|disk| disk.places.push(temp.0.clone()));
        let outlet = self.outlet(who, &self.layout.handoff_socket(&job.name))?;
        let room = self.sandbox_spec(&job, who, &temp.0, &outlet);
        let mut enclosed = room.wrap_command(level, &self.config.exe, &job.cwd);
        give_home(level, &room, &mut enclosed)
            .map_err(|error| format!("cannot make a home in {}: {error}", temp.0.display()))?;
        let caches = package_caches(&job, &room, &enclosed)
            .map_err(|error| format!("cannot make caches in {}: {error}", temp.0.display()))?;
        job.wrapper = enclosed.wrapper;
        enclosed.env.extend(caches);
        for (name, value) in enclosed.env {
            job.env.retain(|(known, _)| *known != name);
            job.env.push((name, value));
        }
        Ok((job, Some(SandboxGuard { _temp: temp, outlet })))
    }

    /// Sets the disk quota on the directories that only this job writes to.
    fn give_quota(&self, job: &mut JobSpec, who: &SandboxSubject<'_>) {
        let mut places = vec![job.cwd.clone()];
        if let SandboxSubject::Worker { own, .. } = who {
            places.push((*own).to_owned());
        }
        job.tree_limits.disk = Some(DiskLimit { places, quota: self.config.quota });
    }

    pub(crate) fn new_temp(&self, job: &str) -> Result<TempDir, String> {
        let temp = TempDir(self.layout.temp(job));
        // The next job must not find files that an earlier one left.
        remove_tree(&temp.0).map_err(|error| error.to_string())?;
        fs::create_dir_all(&temp.0)
            .map_err(|error| format!("cannot make {}: {error}", temp.0.display()))?;
        Ok(temp)
    }

    /// Private paths: the user's repository, and afresh's own files.
    pub(crate) fn hidden(&self) -> Vec<PathBuf> {
        let repository = self.pool.repository();
        let mut hidden = vec![
            self.layout.state.clone(),
            self.layout.cache.clone(),
            repository.common_dir().to_owned(),
        ];
        hidden.extend(repository.root().map(Path::to_owned));
        hidden.extend(self.config.sandbox.hidden.iter().cloned());
        // If everything is in one directory, it cannot be hidden.
        hidden.retain(|path| path.parent().is_some());
        hidden
    }

    fn sandbox_spec(
        &self,
        job: &JobSpec,
        who: &SandboxSubject<'_>,
        temp: &Path,
        outlet: &NetworkAccess,
    ) -> SandboxSpec {
        let (rules, sandbox) = (&self.config, &self.config.sandbox);
        let variable = |name: &str| job.env.iter().find(|(known, _)| known == name);
        let home = variable("HOME").map(|(_, path)| PathBuf::from(path));
        let repository = self.pool.repository();
        let mut hidden = self.hidden();
        let private = home.iter().filter(|path| path.parent().is_some()).cloned().collect();
        let mut readable = vec![rules.exe.clone(), self.layout.tools()];
        readable.extend(objects(&repository.common_dir().join("objects")));
        readable.extend(sandbox.readable.iter().cloned());
        let mut writable = vec![job.cwd.clone()];
        writable.extend(sandbox.writable.iter().cloned());
        // The user's PATH, without our own tools directory, which is beside the workspaces.
        let path = rules.workers.environment.get("PATH").map_or("", String::as_str);
        let search = ToolSearch { home: home.as_deref(), path };
        let known = self.home_tools.get_or_init(|| search.on_path());
        readable.extend(known.readable.iter().cloned());
        hidden.extend(known.hidden.iter().cloned());
        let paths = match who {
            SandboxSubject::Worker { agent, files, own } => {
                readable.push((*files).to_owned());
                writable.push((*own).to_owned());
                let of = |name: &str| variable(name).map(|(_, value)| value.clone());
                make_directories(&agent.home_directories(home.as_deref(), &of));
                WorkerPaths::of_agent(agent, &search, &of)
            }
            SandboxSubject::Check | SandboxSubject::SetUp => {
                WorkerPaths::of_command(&job.argv[..job.argv.len().min(1)], &search)
            }
        };
        readable.extend(paths.readable);
        writable.extend(paths.writable);
        SandboxSpec {
            writable,
            hidden,
            private,
            readable,
            temp: temp.to_owned(),
            network: outlet.network(),
            handoff: outlet.outside(),
            sockets: sandbox.sockets,
            limits: sandbox.limits,
        }
    }
}

/// Paths that an agent's program needs to start, and its own files.
#[derive(Debug, Default)]
pub(crate) struct WorkerPaths {
    pub(crate) readable: Vec<PathBuf>,
    pub(crate) writable: Vec<PathBuf>,
}

impl WorkerPaths {
    pub(crate) fn of_agent(
        agent: &Agent,
        search: &ToolSearch<'_>,
        variable: &dyn Fn(&str) -> Option<String>,
    ) -> Self {
        // Some agents are started by a program of ours, so their own command line counts.
        let paths = Self::of_command(agent.command().unwrap_or_default(), search);
        Self { writable: agent.home_paths(search.home, variable), ..paths }
    }

    fn of_command(command: &[String], search: &ToolSearch<'_>) -> Self {
        Self { readable: search.for_command(command), writable: Vec::new() }
    }
}

/// For the user alone, as the programs make them. If that fails, the program reports what it misses.
fn make_directories(directories: &[PathBuf]) {
    for directory in directories.iter().filter(|it| !it.exists()) {
        let _ = fs::DirBuilder::new().recursive(true).mode(0o700).create(directory);
    }
}

/// A level that cannot mount an empty home directory gets a separate one.
fn give_home(
    level: &SandboxLevel,
    spec: &SandboxSpec,
    wrapped: &mut WrappedCommand,
) -> std::io::Result<()> {
    if let (SandboxLevel::Landlock { .. }, Some(home)) = (level, spec.private.first()) {
        let stand_in = spec.temp.join("home");
        let open: Vec<PathBuf> = spec.readable.iter().chain(&spec.writable).cloned().collect();
        fake_home::make(&stand_in, home, &open)?;
        wrapped.env.push(("HOME".to_owned(), text(&stand_in)));
    }
    Ok(())
}

/// The variables of the job's own package caches. Without a network, only the user's could be of use.
fn package_caches(
    job: &JobSpec,
    spec: &SandboxSpec,
    wrapped: &WrappedCommand,
) -> std::io::Result<Vec<(String, String)>> {
    let Some(home) = spec.private.first().filter(|_| spec.network != SandboxNetwork::Off) else {
        return Ok(Vec::new());
    };
    let environment = job.env.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    // Some levels show the temporary files at another path.
    let temp = wrapped.env.iter().find(|(name, _)| name == "TMPDIR");
    let seen_as = temp.map_or_else(|| spec.temp.clone(), |(_, path)| PathBuf::from(path));
    let caches = PackageCaches {
        home,
        directory: spec.temp.join("packages"),
        seen_as: seen_as.join("packages"),
        environment: &environment,
        writable: &spec.writable,
    };
    caches.create()
}

/// A workspace borrows the objects of the repository, of the repositories that this one borrows from, and so on.
pub(crate) fn objects(directory: &Path) -> Vec<PathBuf> {
    let mut known = vec![directory.to_owned()];
    let mut at = 0;
    while let Some(directory) = known.get(at).filter(|_| at < MAX_BORROWED).cloned() {
        let text = fs::read_to_string(directory.join("info/alternates")).unwrap_or_default();
        let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
        let borrowed = lines.map(|line| directory.join(unquoted(line)));
        known.extend(borrowed);
        at += 1;
    }
    known
}

/// How many object directories are followed; git stops after a few as well.
const MAX_BORROWED: usize = 20;

/// A path that may be quoted as git does it.
fn unquoted(line: &str) -> String {
    let inner = line.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    inner.map_or_else(|| line.to_owned(), |inner| inner.replace("\\\"", "\"").replace("\\\\", "\\"))
}
