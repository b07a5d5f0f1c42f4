//! `cargo xtask agents matrix [PROGRAM…]`: each program as `afresh agents install` puts it, in each sandbox: five tasks, a kill
//! and a resume, a budget. The numbers that afresh recorded are compared with what the server sent.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use afresh_model::client::PROGRAMS;
use afresh_model::{ModelClient, ModelScript, ModelServer, ModelStep};
use afresh_testkit::repo::finish;
use afresh_testkit::{CommandOutput, TestRepo};
use anyhow::{Context, Result, ensure};

use super::stage::good;
use crate::bench;

const LEVELS: [&str; 3] = ["bubblewrap", "landlock", "off"];
const TASKS: usize = 5;
const BUDGET: u64 = 6_000;
/// The most tokens of one request of the script.
const REQUEST: u64 = 1_350;

/// Whether a cell of the table is as it must be, and what it says.
struct Cell {
    is_right: bool,
    text: String,
}

#[expect(clippy::print_stdout, reason = "a chore talks to the person who runs it")]
pub(super) fn run(named: &[String]) -> Result<()> {
    let directory = std::env::var_os("AFRESH_TEST_AGENTS")
        .context("AFRESH_TEST_AGENTS names no directory; `.ci/agents` makes one and prints it")?;
    let directory = PathBuf::from(directory);
    let exe = bench::build("dev")?;
    println!(
        "| program | sandbox | merged | tokens sent / recorded | killed and resumed: sent / recorded | budget {BUDGET}: sent / recorded | seconds |"
    );
    println!("| --- | --- | --- | --- | --- | --- | --- |");
    let mut wrong = 0;
    let is_named = |program: &&&str| named.is_empty() || named.iter().any(|name| name == **program);
    for program in PROGRAMS.iter().filter(is_named) {
        for level in LEVELS {
            let started = Instant::now();
            let cells = [five_tasks, killed, budget].map(|play| {
                let played = std::panic::catch_unwind(|| {
                    play(&MatrixStage::new(program, level, &directory, &exe))
                });
                played.unwrap_or_else(|_| Cell { is_right: false, text: "failed".to_owned() })
            });
            wrong += cells.iter().filter(|cell| !cell.is_right).count();
            let texts = cells
                .map(|cell| if cell.is_right { cell.text } else { format!("**{}**", cell.text) });
            let took = started.elapsed().as_secs();
            println!("| {program} | {level} | {} | {took} |", texts.join(" | "));
        }
    }
    ensure!(wrong == 0, "{wrong} cells are not as they must be");
    Ok(())
}

/// A repository whose agent is an installed program, in one sandbox.
struct MatrixStage {
    repo: TestRepo,
    server: ModelServer,
    client: ModelClient,
    program: &'static str,
    level: &'static str,
    path: String,
}

impl MatrixStage {
    fn new(program: &'static str, level: &'static str, from: &Path, exe: &Path) -> Self {
        let home = std::env::var_os("HOME").expect("a HOME");
        let place = PathBuf::from(home).join(".cache/afresh-tests");
        std::fs::create_dir_all(&place).expect("a directory");
        let repo = TestRepo::below(&place, &exe.to_string_lossy());
        repo.install_agents(from, PROGRAMS);
        let server = ModelServer::start().expect("a server");
        let client = ModelClient::new(program, &server.url("work")).expect("a known program");
        // One of the programs brings bubblewrap along.
        let vendor = from.join("node_modules/@openai/codex-linux-x64/vendor");
        let targets = vendor.read_dir().into_iter().flatten().flatten();
        let own: Vec<String> = targets
            .map(|target| target.path().join("codex-resources").display().to_string())
            .collect();
        let path = format!("{}:{}", std::env::var("PATH").unwrap_or_default(), own.join(":"));
        Self { repo, server, client, program, level, path }
    }

    fn plan(&self, tasks: usize, script: ModelScript) {
        self.server.add("work", script);
        let run = format!("[run]\nagent = \"{}\"\nparallel = 1\n", self.program);
        self.repo.write(".afresh/config.toml", &format!("{run}{}", self.client.config_table()));
        self.repo.plan_of(tasks);
        self.repo.commit("a plan");
    }

    fn command(&self, more: &[&str]) -> Command {
        let arguments = [&["run", "p.plan.toml", "--no-input"], more].concat();
        let mut command = self.repo.command(&arguments);
        let url = self.server.url("work");
        let host = url.split('/').nth(2).unwrap_or_default();
        command
            .env("PATH", &self.path)
            .env("AFRESH_SANDBOX", self.level)
            .env("AFRESH_SANDBOX_HOSTS", host)
            .env("AFRESH_SANDBOX_WRITE", self.repo.path())
            .envs(self.client.variables.iter().map(|(name, value)| (name, value)));
        command
    }

    fn run(&self, more: &[&str]) -> CommandOutput {
        finish(self.command(more))
    }

    /// All tokens that afresh recorded.
    fn recorded(&self) -> u64 {
        let status = self.repo.status();
        let of = |field: &str| status["usage"][field].as_u64().unwrap_or_default();
        of("input") + of("output") + of("cache_read") + of("cache_write")
    }
}

fn five_tasks(stage: &MatrixStage) -> Cell {
    // One program puts the names of all files before its prompt, so the name of a task alone is not enough.
    let names: Vec<String> = (1..=TASKS).map(|number| format!("T{number:03}")).collect();
    let script = names.iter().fold(ModelScript::default(), |script, task| {
        script.when(&format!("# Task {task}"), good(task))
    });
    stage.plan(TASKS, script);
    let ran = stage.run(&[]);
    let done = stage.repo.status()["counts"]["done"].as_u64().unwrap_or_default();
    let (sent, recorded) = (stage.server.sent_tokens(), stage.recorded());
    Cell {
        is_right: ran.code == Some(0) && done == TASKS as u64 && sent == recorded,
        text: format!("{done}/{TASKS} | {sent} / {recorded}"),
    }
}

/// kill -9 of afresh while the program is inside a tool.
fn killed(stage: &MatrixStage) -> Cell {
    let mark = stage.repo.path().join("inside").display().to_string();
    let wait = format!("[ -e '{mark}' ] || {{ : > '{mark}'; sleep 60; }}");
    let [write, report, last] = good("T001");
    // Twice: one program adds its own turn to a conversation that was interrupted.
    let steps = [write, ModelStep::shell(&wait), report.clone(), report, last];
    stage.plan(1, ModelScript::from_steps(steps));
    let mut command = stage.command(&[]);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn().expect("started");
    let until = Instant::now() + Duration::from_secs(60);
    while !Path::new(&mark).exists() && Instant::now() < until {
        std::thread::sleep(Duration::from_millis(50));
    }
    std::thread::sleep(Duration::from_millis(500));
    let _ = child.kill();
    let _ = child.wait();
    let ran = stage.run(&[]);
    let (sent, recorded) = (stage.server.sent_tokens(), stage.recorded());
    let is_right = ran.code == Some(0) && recorded == sent;
    Cell { is_right, text: format!("{sent} / {recorded}") }
}

fn budget(stage: &MatrixStage) -> Cell {
    let step = |number| ModelStep::shell(&format!("sleep 0.6; echo {number}"));
    stage.plan(1, ModelScript::from_steps((0..40).map(step)));
    let ran = stage.run(&["--budget-tokens", &BUDGET.to_string()]);
    let (sent, recorded) = (stage.server.sent_tokens(), stage.recorded());
    let is_held = sent <= BUDGET + REQUEST && recorded == sent;
    Cell { is_right: ran.code == Some(6) && is_held, text: format!("{sent} / {recorded}") }
}
