//! A repository whose only agent is a real program that uses our model server.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use afresh_model::client::binary_name;
use afresh_model::{ModelClient, ModelScript, ModelServer, ModelStep};
use afresh_testkit::{CommandOutput, TestRepo};
use serde_json::json;

/// Longer than any case should take.
const PATIENCE: Duration = Duration::from_secs(600);

pub(super) struct Stage {
    pub(super) repo: TestRepo,
    pub(super) server: ModelServer,
    pub(super) program: &'static str,
    bin: PathBuf,
}

impl Stage {
    pub(super) fn new(program: &'static str, bin: &Path, exe: &Path) -> Result<Self, String> {
        if !bin.join(binary_name(program)).exists() {
            return Err(format!("{} is not in {}", program, bin.display()));
        }
        // One program refuses settings below a directory that all users may write to.
        let home = std::env::var_os("HOME").ok_or("there is no HOME")?;
        let place = PathBuf::from(home).join(".cache/afresh-tests");
        fs::create_dir_all(&place).map_err(|error| error.to_string())?;
        let repo = TestRepo::below(&place, &exe.to_string_lossy());
        let server = ModelServer::start().map_err(|error| error.to_string())?;
        Ok(Self { repo, server, program, bin: bin.to_owned() })
    }

    /// Runs a plan with this many tasks from a script, with more lines under `[run]`.
    pub(super) fn run(
        &self,
        tasks: usize,
        settings: &str,
        script: ModelScript,
    ) -> Result<CommandOutput, String> {
        let url = self.server.add("work", script);
        self.run_at(&url, tasks, settings)
    }

    /// The same with another address than that of our server.
    pub(super) fn run_at(
        &self,
        url: &str,
        tasks: usize,
        more: &str,
    ) -> Result<CommandOutput, String> {
        let client = ModelClient::new(self.program, url).ok_or("a program that we do not know")?;
        let run = format!("[run]\nagent = \"{}\"\nbackoff = [\"10ms\"]\n{more}\n", self.program);
        self.repo.write(".afresh/config.toml", &format!("{run}{}", client.config_table()));
        self.repo.plan_of(tasks);
        self.repo.commit("a plan");
        let arguments = ["run", "p.plan.toml", "--no-input", "--on-failure", "skip"];
        let mut command = self.repo.command(&arguments);
        let path = std::env::var("PATH").unwrap_or_default();
        command.env("PATH", format!("{}:{path}", self.bin.display()));
        command.envs(client.variables.iter().map(|(name, value)| (name, value)));
        self.end(command)
    }

    fn end(&self, mut command: Command) -> Result<CommandOutput, String> {
        let (stdout, stderr) = (self.repo.path().join("stdout"), self.repo.path().join("stderr"));
        let create = |path: &Path| File::create(path).map_err(|error| error.to_string());
        command.stdin(Stdio::null()).stdout(create(&stdout)?).stderr(create(&stderr)?);
        let mut child = command.spawn().map_err(|error| error.to_string())?;
        let until = Instant::now() + PATIENCE;
        let text =
            |path: &Path| String::from_utf8_lossy(&fs::read(path).unwrap_or_default()).into_owned();
        loop {
            let ended = child.try_wait().map_err(|error| error.to_string())?;
            if let Some(status) = ended {
                let (stdout, stderr) = (text(&stdout), text(&stderr));
                return Ok(CommandOutput { code: status.code(), stdout, stderr });
            }
            if Instant::now() > until {
                // All processes below it end with it.
                let _ = child.kill();
                let _ = child.wait();
                return Err(format!("it does not end: {}", text(&stderr)));
            }
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// A path outside of the workspaces, for marker files that the model's commands leave.
    pub(super) fn mark(&self, name: &str) -> String {
        self.repo.path().join(name).display().to_string()
    }
}

/// The rest of a good conversation: the file, our report, a final message.
pub(super) fn good(task: &str) -> [ModelStep; 3] {
    [
        ModelStep::write(&format!("{task}.txt"), "done\n"),
        ModelStep::tool("report_result", json!({"status": "COMPLETED"})),
        ModelStep::text("That is all."),
    ]
}
