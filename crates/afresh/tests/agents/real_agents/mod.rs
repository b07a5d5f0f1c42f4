//! The real programs, whole tasks, against a model server that follows a script: no key, no network.
//!
//! `AFRESH_TEST_AGENTS` names a directory with `node_modules/.bin`; `.ci/run` makes one. Without it, or if a program
//! is missing, a test reports that it did nothing. `cargo xtask agents` plays the long list of possible failures.
//!
//! | module | what it holds |
//! | --- | --- |
//! | `tasks` | whole tasks and the demo, done by the real programs |
//! | `planning` | a specification, planned in stages |
//! | `interruptions` | real programs that are killed or halted inside a tool |
//! | `reports` | real programs that forget to report their result |
//! | `reviews` | reviews that real programs report with our tool |
//! | `sessions` | people's sessions that drive a run through `afresh mcp` |
//! | `requests` | every request of opencode is counted, over every protocol |
//! | `limits` | budgets, endless loops and a context that fills up |
//! | `environment` | its model behind proxies, its PATH, its variables, the rules of the project |

mod environment;
mod interruptions;
mod limits;
mod planning;
mod reports;
mod requests;
mod reviews;
mod sessions;
mod tasks;

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support::proxy::OfficeProxy;
use crate::support::{Driver, Gate};
use afresh_model::client::binary_name;
use afresh_model::{ModelClient, ModelScript, ModelServer, ModelStep};
use afresh_testkit::TestRepo;
use afresh_testkit::repo::finish;
use serde_json::json;

/// A repository whose only agent is a real program that uses our server.
struct AgentScene {
    repo: TestRepo,
    server: ModelServer,
    client: ModelClient,
    programs: PathBuf,
}

impl AgentScene {
    /// None, and a line with the reason, if the program is missing.
    fn with_program(program: &str) -> Option<Self> {
        let Some(directory) = std::env::var_os("AFRESH_TEST_AGENTS") else {
            return skipped(program, "AFRESH_TEST_AGENTS names no directory");
        };
        let programs = PathBuf::from(directory).join("node_modules/.bin");
        if !programs.join(binary_name(program)).exists() {
            return skipped(program, &format!("it is not in {}", programs.display()));
        }
        let server = ModelServer::start().expect("a server");
        let url = server.url("work");
        Some(Self::with_model_url(program, &url, server, programs))
    }

    /// The same with another address for its model.
    fn with_model_url(program: &str, url: &str, server: ModelServer, programs: PathBuf) -> Self {
        let client = ModelClient::new(program, url).expect("a known program");
        let repo = repo_for(program, &client, &scene_root());
        Self { repo, server, client, programs }
    }

    /// The tokens of its run so far; none before the run exists.
    fn counted_tokens(&self) -> u64 {
        let status = self.repo.afresh(&["status", "--json"]);
        serde_json::from_str(&status.stdout).map_or(0, |status| tokens(&status))
    }

    /// Its model is a host on the network, behind an office's proxy: only our proxy leads there.
    fn behind_proxies(self, program: &str) -> (Self, OfficeProxy) {
        let url = self.server.url("work");
        let (address, path) = url
            .strip_prefix("http://")
            .and_then(|rest| rest.split_once('/'))
            .expect("an address of a server");
        let proxy = OfficeProxy::to(address.parse().expect("an address"));
        let url = format!("http://model.test/{path}");
        (Self::with_model_url(program, &url, self.server, self.programs), proxy)
    }

    /// The model waits at the gate inside a tool of the program, writes the file, and reports through our tool server
    /// alone: nothing in its text could be taken for an answer.
    fn script_gated_work(&self, gate: &Gate, up: &Gate) {
        let wait = format!("{}; {}", up.opened_by_worker(), gate.wait());
        let steps = [
            ModelStep::shell(&wait),
            ModelStep::write("T001.txt", "by T001\n"),
            ModelStep::tool("report_result", json!({"status": "COMPLETED"})),
            ModelStep::text("That is all."),
        ];
        self.server.add("work", ModelScript::from_steps(steps));
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = self.repo.command(args);
        command.env("PATH", crate::support::git::in_front_of_path(&self.programs));
        command.envs(self.client.variables.iter().map(|(name, value)| (name, value)));
        command
    }

    fn start(&self) -> Driver {
        Driver::start_command(&self.repo, self.command(&["run", "p.plan.toml", "--no-input"]))
    }

    /// As users run it: with the strongest available sandbox. The gates of a test are open in it.
    fn sandboxed_command(&self, args: &[&str]) -> Command {
        let mut command = self.command(args);
        let gates = self.repo.path().join("gates");
        fs::create_dir_all(&gates).expect("a directory");
        command
            .env("AFRESH_SANDBOX", std::env::var("AFRESH_TEST_SANDBOX").unwrap_or("auto".into()))
            .env("AFRESH_SANDBOX_WRITE", gates);
        // Arguments give it the address of its model; they are the project's, and a project opens nothing.
        if self.client.config_table().contains("base_url") {
            let url = self.server.url("work");
            let host = url.split('/').nth(2).expect("an address has a host");
            command.env("AFRESH_SANDBOX_HOSTS", format!("{host},model.test"));
        }
        command
    }

    fn run(&self) -> afresh_testkit::CommandOutput {
        finish(self.command(&["run", "p.plan.toml", "--no-input"]))
    }
}

/// A repository below `directory` with a plan, and with this program as its agent.
fn repo_for(program: &str, client: &ModelClient, directory: &Path) -> TestRepo {
    let repo = TestRepo::below(directory, env!("CARGO_BIN_EXE_afresh"));
    repo.write(
        ".afresh/config.toml",
        &format!(
            "[run]\nagent = \"{program}\"\nattempts = 1\nhalt_grace = \"1s\"\n{}",
            client.config_table()
        ),
    );
    repo.plan_of(1);
    repo.commit("a plan");
    repo
}

/// Bypasses the test harness, which captures the output of a test that passes.
fn skipped(program: &str, why: &str) -> Option<AgentScene> {
    let _ = writeln!(std::io::stderr(), "SKIPPED: nothing was tried with {program}: {why}");
    None
}

/// Not below a world-writable directory: one program refuses settings there.
fn scene_root() -> PathBuf {
    let home = std::env::var_os("HOME").map_or_else(std::env::temp_dir, PathBuf::from);
    let directory = home.join(".cache/afresh-tests");
    fs::create_dir_all(&directory).expect("a directory");
    directory
}

/// All tokens of a run.
fn tokens(status: &serde_json::Value) -> u64 {
    let of = |field: &str| status["usage"][field].as_u64().unwrap_or_default();
    of("input") + of("output") + of("cache_read") + of("cache_write")
}
