//! The real programs, whole tasks, against a model server that follows a script: no key, no network.
//!
//! `AFRESH_TEST_AGENTS` names a directory with `node_modules/.bin`; `.ci/run` makes one. Without it, or if a program
//! is missing, a test reports that it did nothing. `cargo xtask agents` plays the long list of possible failures.

use std::fs;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::Command;
use std::thread;

use crate::support::proxy::OfficeProxy;
use crate::support::sandbox_levels::{levels_with_bubblewrap, path_with_bubblewrap};
use crate::support::{Driver, Gate};
use afresh_model::client::{PROGRAMS, binary_name};
use afresh_model::{ModelClient, ModelScript, ModelServer, ModelStep, TokenCounts};
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
    fn of(program: &str) -> Option<Self> {
        let Some(directory) = std::env::var_os("AFRESH_TEST_AGENTS") else {
            return skipped(program, "AFRESH_TEST_AGENTS names no directory");
        };
        let programs = PathBuf::from(directory).join("node_modules/.bin");
        if !programs.join(binary_name(program)).exists() {
            return skipped(program, &format!("it is not in {}", programs.display()));
        }
        let server = ModelServer::start().expect("a server");
        let url = server.url("work");
        Some(Self::asking(program, &url, server, programs))
    }

    /// The same with another address for its model.
    fn asking(program: &str, url: &str, server: ModelServer, programs: PathBuf) -> Self {
        let client = ModelClient::new(program, url).expect("a known program");
        let repo = TestRepo::below(&place(), env!("CARGO_BIN_EXE_afresh"));
        repo.write(
            ".afresh/config.toml",
            &format!(
                "[run]\nagent = \"{program}\"\nattempts = 1\nhalt_grace = \"1s\"\n{}",
                client.config_table()
            ),
        );
        repo.plan_of(1);
        repo.commit("a plan");
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
        (Self::asking(program, &url, self.server, self.programs), proxy)
    }

    /// The model waits at the gate inside a tool of the program, writes the file, and reports through our tool server
    /// alone: nothing in its text could be taken for an answer.
    fn plays(&self, gate: &Gate, up: &Gate) {
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
    fn in_a_sandbox(&self, args: &[&str]) -> Command {
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

/// Bypasses the test harness, which captures the output of a test that passes.
fn skipped(program: &str, why: &str) -> Option<AgentScene> {
    let _ = writeln!(std::io::stderr(), "SKIPPED: nothing was tried with {program}: {why}");
    None
}

/// Not below a world-writable directory: one program refuses settings there.
fn place() -> PathBuf {
    let home = std::env::var_os("HOME").map_or_else(std::env::temp_dir, PathBuf::from);
    let directory = home.join(".cache/afresh-tests");
    fs::create_dir_all(&directory).expect("a directory");
    directory
}

/// C1, R5: a whole task in every sandbox, with a program of `afresh agents install`: the tool of the program, our
/// report, the check, the merge, the usage.
fn does_a_task_and_reports(program: &str) {
    for level in levels_with_bubblewrap() {
        let Some(stage) = AgentScene::of(program) else { return };
        does_a_task_at(level, &stage);
    }
}

fn does_a_task_at(level: &str, stage: &AgentScene) {
    let steps = [
        ModelStep::shell("echo seen > seen.txt && rm seen.txt"),
        ModelStep::write("T001.txt", "by T001\n"),
        ModelStep::tool("report_result", json!({"status": "COMPLETED"})),
        ModelStep::text("That is all."),
    ];
    stage.server.add("work", ModelScript::from_steps(steps));
    let before = stage.repo.untouched();
    let modules = stage.programs.parent().and_then(|it| it.parent()).expect("an installation");
    stage.repo.install_agents(modules, PROGRAMS);
    let mut command = stage.in_a_sandbox(&["run", "p.plan.toml", "--no-input"]);
    command.env("PATH", path_with_bubblewrap()).env("AFRESH_SANDBOX", level);
    finish(command).expect(0);
    stage.repo.untouched().expect_same_as(&before);
    crate::support::expect_landed_once(&stage.repo, 1);
    stage.repo.expect_no_survivors();
    let status = stage.repo.status();
    assert_eq!(tokens(&status), stage.server.sent_tokens(), "{level}: {status}");
    let requests = stage.server.received_requests();
    let offered = |name: &str| name.ends_with("report_result") || name == "tool_search";
    assert!(
        requests.iter().any(|request| request.tools.iter().any(|name| offered(name))),
        "{requests:?}"
    );
}

/// All tokens of a run.
fn tokens(status: &serde_json::Value) -> u64 {
    let of = |field: &str| status["usage"][field].as_u64().unwrap_or_default();
    of("input") + of("output") + of("cache_read") + of("cache_write")
}

/// R14: a budget stops it after at most one request too many, because its own record is followed while it works. The
/// model answers only when everything so far was counted: how fast the machine is does not matter.
fn is_stopped_by_a_budget(program: &str) {
    let Some(stage) = AgentScene::of(program) else { return };
    let step = |number| ModelStep::shell(&format!("echo {number}"));
    stage.server.add("work", ModelScript::from_steps((0..40).map(step)));
    stage.server.hold_beyond(0);
    let (budget, largest) = (5_000, 1_350);
    let limit = budget.to_string();
    let run = ["run", "p.plan.toml", "--no-input", "--json", "--budget-tokens", &limit];
    let command = stage.command(&run);
    let ran = thread::scope(|scope| {
        let run = scope.spawn(|| finish(command));
        while !run.is_finished() {
            stage.server.hold_beyond(stage.counted_tokens());
        }
        run.join().expect("it ended")
    });
    let (ran, sent) = (ran.expect(6), stage.server.sent_tokens());
    assert!(sent <= budget + largest, "{sent} of {budget}\n{}", ran.stdout);
    let counted = tokens(&stage.repo.status());
    assert!(counted >= budget && counted <= sent, "{counted} of {sent}");
}

/// R5: the model is reached through our proxy, and through the user's own behind it; any other host is refused.
fn asks_its_model_through_proxies(program: &str) {
    let Some(stage) = AgentScene::of(program) else { return };
    let (stage, proxy) = stage.behind_proxies(program);
    let steps = [
        ModelStep::shell(
            "python3 -c 'import urllib.request as r; r.urlopen(\"http://evil.test\")' || true",
        ),
        ModelStep::write("T001.txt", "by T001\n"),
        ModelStep::tool("report_result", json!({"status": "COMPLETED"})),
        ModelStep::text("That is all."),
    ];
    stage.server.add("work", ModelScript::from_steps(steps));
    let office = format!("http://127.0.0.1:{}", proxy.port);
    let mut command = stage.in_a_sandbox(&["run", "p.plan.toml", "--no-input"]);
    command.env("HTTPS_PROXY", &office).env("HTTP_PROXY", &office);
    finish(command).expect(0);
    crate::support::expect_landed_once(&stage.repo, 1);
    let requests = proxy.requests();
    assert!(requests.iter().any(|line| line.contains("model.test")), "{requests:?}");
    assert!(!requests.iter().any(|line| line.contains("evil.test")), "{requests:?}");
    let report = stage.repo.afresh(&["report"]).expect(0).stdout;
    assert!(report.contains("evil.test:80 is not on the list"), "{report}");
    // The program itself connects only to its model.
    assert_eq!(report.matches("is not on the list").count(), 1, "{report}");
}

/// kill -9 of the driver while the program is inside a tool; the next run ends what is left, and completes.
fn is_killed(program: &str) -> Option<AgentScene> {
    let stage = AgentScene::of(program)?;
    let (gate, up) = (Gate::new(&stage.repo, "gates/gate"), Gate::new(&stage.repo, "gates/up"));
    let report = || ModelStep::tool("report_result", json!({"status": "COMPLETED"}));
    let wait = format!("{}; {}", up.opened_by_worker(), gate.wait());
    let first = [ModelStep::write("T001.txt", "by T001\n"), ModelStep::shell(&wait)];
    // Twice: one program adds its own turn to a conversation that was interrupted.
    let rest = [report(), report(), ModelStep::text("That is all.")];
    stage.server.add("work", ModelScript::from_steps(first.into_iter().chain(rest)));
    let run = ["run", "p.plan.toml", "--no-input"];
    fs::create_dir_all(stage.repo.path().join("gates")).expect("a directory");
    // What an agent of the protocol stores, and where, is unknown.
    let in_a_sandbox = !program.ends_with("-acp");
    if in_a_sandbox {
        // If a program was never started before, a sandbox has no directory for its files.
        for known in
            [".claude", ".codex", ".gemini", ".local/share/opencode", ".local/state/opencode"]
        {
            fs::create_dir_all(stage.repo.path().join("home").join(known)).expect("a directory");
        }
    }
    let command = || if in_a_sandbox { stage.in_a_sandbox(&run) } else { stage.command(&run) };
    let driver = Driver::start_command(&stage.repo, command());
    stage.repo.wait_until("the program is inside its tool", || up.is_open());
    stage.repo.wait_until("its conversation is recorded", || {
        stage.repo.status()["tasks"][0]["workers"][0]["session"].is_string()
    });
    driver.kill_9();
    stage.repo.expect_no_survivors();
    gate.open();
    finish(command()).expect(0);
    crate::support::expect_landed_once(&stage.repo, 1);
    stage.repo.expect_no_survivors();
    Some(stage)
}

/// The next worker continues the conversation and the files of the first.
fn is_killed_and_continues(program: &str) {
    let Some(stage) = is_killed(program) else { return };
    let worker = stage.repo.status()["tasks"][0]["workers"][1].clone();
    assert_eq!(worker["resumes"], 1, "{worker}");
    let requests = stage.server.received_requests();
    let begun =
        requests.iter().filter(|request| request.turns == 0 && !request.tools.is_empty()).count();
    assert_eq!(begun, 1, "one conversation: {requests:?}");
    // One program records a request only when its tools have ended.
    let (counted, sent) = (tokens(&stage.repo.status()), stage.server.sent_tokens());
    let unrecorded = if program.starts_with("opencode") { 1_250 } else { 0 };
    assert!(counted <= sent && counted + unrecorded >= sent, "{counted} of {sent}");
}

/// The second halt ends it, and everything that its tools started in their own sessions.
fn is_halted_and_leaves_nothing(program: &str) {
    let Some(stage) = AgentScene::of(program) else { return };
    let (gate, up) = (Gate::new(&stage.repo, "gate"), Gate::new(&stage.repo, "up"));
    stage.plays(&gate, &up);
    let driver = stage.start();
    stage.repo.wait_until("the program is inside its tool", || up.is_open());
    finish(stage.command(&["halt", "enough"])).expect(0);
    finish(stage.command(&["halt", "now"])).expect(0);
    driver.end().expect(3);
    stage.repo.expect_no_survivors();
    assert_eq!(stage.repo.status()["state"], "halted");
}

/// The demo, without a key; the user's home directory is unchanged.
fn plays_the_demo(program: &str) {
    let Some(stage) = AgentScene::of(program) else { return };
    let home = || -> Vec<_> {
        let entries = fs::read_dir(stage.repo.path().join("home")).expect("a home");
        entries.flatten().map(|entry| entry.file_name()).collect()
    };
    let before = home();
    let mut command = stage.repo.command(&["demo", "--agent", program, "--json", "--no-input"]);
    command.env("PATH", crate::support::git::in_front_of_path(&stage.programs));
    command.env("AFRESH_SANDBOX", "auto");
    let ran = finish(command).expect(0);
    assert_eq!(ran.json()["counts"]["done"], 9, "{}", ran.stdout);
    assert_eq!(home(), before);
    let scratch = fs::read_dir(stage.repo.cache().join("demo")).expect("a place for demos");
    assert_eq!(scratch.count(), 0, "nothing is left of it");
    stage.repo.expect_no_survivors();
}

/// AG-01, AG-02.
#[test]
fn claude_plays_the_demo() {
    plays_the_demo("claude");
}

/// AG-01, AG-02.
#[test]
fn codex_plays_the_demo() {
    plays_the_demo("codex");
}

/// AG-01, RE-01: a whole task, reported through our tool server.
#[test]
fn claude_does_a_task_and_reports() {
    does_a_task_and_reports("claude");
}

/// AG-01, RE-01.
#[test]
fn codex_does_a_task_and_reports() {
    does_a_task_and_reports("codex");
}

/// AG-01, RE-01.
#[test]
fn gemini_does_a_task_and_reports() {
    does_a_task_and_reports("gemini");
}

/// AG-01, RE-01.
#[test]
fn opencode_does_a_task_and_reports() {
    does_a_task_and_reports("opencode");
}

/// AG-08, ST-02, R6.
#[test]
fn claude_is_killed_and_continues() {
    is_killed_and_continues("claude");
}

/// AG-08, ST-02, R6.
#[test]
fn codex_is_killed_and_continues() {
    is_killed_and_continues("codex");
}

/// AG-08, ST-02, R6.
#[test]
fn gemini_is_killed_and_continues() {
    is_killed_and_continues("gemini");
}

/// AG-08, ST-02, R6.
#[test]
fn opencode_is_killed_and_continues() {
    is_killed_and_continues("opencode");
}

/// ST-04, R6.
#[test]
fn claude_is_halted_and_leaves_nothing() {
    is_halted_and_leaves_nothing("claude");
}

/// ST-04, R6.
#[test]
fn codex_is_halted_and_leaves_nothing() {
    is_halted_and_leaves_nothing("codex");
}

/// ST-04, R6.
#[test]
fn gemini_is_halted_and_leaves_nothing() {
    is_halted_and_leaves_nothing("gemini");
}

/// ST-04, R6.
#[test]
fn opencode_is_halted_and_leaves_nothing() {
    is_halted_and_leaves_nothing("opencode");
}

/// AG-01, RE-01: over the Agent Client Protocol.
#[test]
fn gemini_over_acp_does_a_task_and_reports() {
    does_a_task_and_reports("gemini-acp");
}

/// AG-01, RE-01.
#[test]
fn opencode_over_acp_does_a_task_and_reports() {
    does_a_task_and_reports("opencode-acp");
}

/// ST-02, R6: whether it still knows its session depends on the moment of the kill; the task is done
/// either way.
#[test]
fn gemini_over_acp_is_killed_and_done_again() {
    is_killed("gemini-acp");
}

/// ST-04, R6.
#[test]
fn gemini_over_acp_is_halted_and_leaves_nothing() {
    is_halted_and_leaves_nothing("gemini-acp");
}

/// RE-01: a worker that ends without a report is sent back, and reports.
#[test]
fn claude_is_sent_back_to_report() {
    let Some(stage) = AgentScene::of("claude") else { return };
    let steps = [
        ModelStep::write("T001.txt", "by T001\n"),
        ModelStep::text("I think that I am done."),
        ModelStep::tool("report_result", json!({"status": "COMPLETED"})),
        ModelStep::text("That is all."),
    ];
    stage.server.add("work", ModelScript::from_steps(steps));
    stage.run().expect(0);
    crate::support::expect_landed_once(&stage.repo, 1);
    let is_reminded =
        stage.server.received_requests().into_iter().any(|request| {
            request.turns == 2 && request.body.holds("You have not reported a result.")
        });
    assert!(is_reminded, "{:?}", stage.server.received_requests());
}

/// RE-01: twice; a worker that still does not report may stop, and its changes and the checks decide.
#[test]
fn claude_is_sent_back_twice_at_most() {
    let Some(stage) = AgentScene::of("claude") else { return };
    let says = (0..9).map(|_| ModelStep::text("I think that I am done."));
    let steps = [ModelStep::write("T001.txt", "by T001\n")].into_iter().chain(says);
    stage.server.add("work", ModelScript::from_steps(steps));
    stage.run().expect(0);
    let request_count = stage
        .server
        .received_requests()
        .into_iter()
        .filter(|request| !request.tools.is_empty())
        .count();
    assert_eq!(request_count, 4, "one with a tool, and three that say they are done");
    let noted = stage.repo.afresh(&["report"]).expect(0).stdout;
    assert!(noted.contains("did not report a result"), "{noted}");
}

/// M1, RE-01: a program that cannot be sent back and forgets its report is judged by its tree.
#[test]
fn codex_forgets_its_report_and_its_work_lands() {
    let Some(stage) = AgentScene::of("codex") else { return };
    let steps = [ModelStep::write("T001.txt", "by T001\n"), ModelStep::text("I am done.")];
    stage.server.add("work", ModelScript::from_steps(steps));
    stage.run().expect(0);
    crate::support::expect_landed_once(&stage.repo, 1);
}

/// H1: commands of the model see the worker's PATH, with `afresh` on it, and the user's own tools.
#[test]
fn commands_of_codex_keep_the_path() {
    let Some(stage) = AgentScene::of("codex") else { return };
    let steps = [
        ModelStep::shell("printf '%s\n' \"$PATH\" > path.txt; afresh log INFO seen it"),
        ModelStep::shell("mv path.txt T001.txt"),
        ModelStep::tool("report_result", json!({"status": "COMPLETED"})),
        ModelStep::text("That is all."),
    ];
    stage.server.add("work", ModelScript::from_steps(steps));
    stage.run().expect(0);
    let branch = stage.repo.status()["branch"].as_str().expect("a branch").to_owned();
    let path = stage.repo.git(&["show", &format!("{branch}:T001.txt")]);
    assert!(path.contains("cache/bin"), "{path}");
    assert!(stage.repo.afresh(&["logs"]).stdout.contains("seen"), "its line is in the log");
}

/// M2: the same call again and again is ended.
#[test]
fn a_loop_of_claude_is_ended() {
    let Some(stage) = AgentScene::of("claude") else { return };
    let again = |_| ModelStep::shell("echo again");
    stage.server.add("work", ModelScript::from_steps((0..500).map(again)));
    stage.run().expect(4);
    let error = stage.repo.status()["tasks"][0]["error"].to_string();
    assert!(error.contains("repeated itself") && error.contains("echo again"), "{error}");
    assert!(stage.server.received_requests().len() < 60, "it was ended early");
}

/// R14.
#[test]
fn claude_is_stopped_by_a_budget() {
    is_stopped_by_a_budget("claude");
}

/// R14, H2.
#[test]
fn codex_is_stopped_by_a_budget() {
    is_stopped_by_a_budget("codex");
}

/// R14, H2.
#[test]
fn gemini_is_stopped_by_a_budget() {
    is_stopped_by_a_budget("gemini");
}

/// R14, H2.
#[test]
fn opencode_is_stopped_by_a_budget() {
    is_stopped_by_a_budget("opencode");
}

/// H4, PR-02: the rules of the project reach the model of every program once; the prompt names only tools that
/// exist.
fn is_given_the_rules_of_the_project(program: &str) {
    let Some(stage) = AgentScene::of(program) else { return };
    stage.repo.write("CLAUDE.md", "Always say CANARY-IN-RULES.\n");
    stage.repo.write("AGENTS.md", "Always say CANARY-IN-RULES.\n");
    stage.repo.commit("rules");
    stage.server.add("work", ModelScript::from_steps([ModelStep::text("no")]));
    finish(stage.command(&["run", "p.plan.toml", "--no-input"]));
    let requests = stage.server.received_requests();
    let first = requests.iter().find(|request| !request.tools.is_empty()).expect("a request");
    assert_eq!(first.body.count("CANARY-IN-RULES"), 1, "{program}");
    for expected in
        ["You are one worker with one task", "`report_result`", "Run the checks yourself"]
    {
        assert!(first.body.holds(expected), "{program}: {expected}");
    }
    assert_eq!(first.body.holds("tool_search`"), program == "codex", "{program}");
    assert!(!first.body.holds("OUTPUT_JSON_START"), "{program}");
}

/// H4, PR-02.
#[test]
fn every_program_is_given_the_rules_of_the_project() {
    for program in PROGRAMS {
        is_given_the_rules_of_the_project(program);
    }
}

/// AG-07: at the soft limit the model itself gets the notice, after its next use of a tool.
#[test]
fn claude_tells_its_model_that_its_context_fills_up() {
    let Some(stage) = AgentScene::of("claude") else { return };
    // A model whose window does not depend on the program's version.
    let config = stage.repo.root().join(".afresh/config.toml");
    let text = fs::read_to_string(config).expect("a configuration");
    stage.repo.write(".afresh/config.toml", &format!("{text}models = \"claude-sonnet-4-5\"\n"));
    let much = TokenCounts { input: 110_000, ..TokenCounts::default() };
    // Created for the notice; the notice itself may have been taken by then.
    let noticed = "while [ ! -e \"${AFRESH_RESULT%/*}/answers\" ]; do sleep 0.05; done";
    let steps = [
        ModelStep::write("T001.txt", "by T001\n"),
        ModelStep::shell(noticed),
        ModelStep::tool("report_result", json!({"status": "COMPLETED"})),
        ModelStep::text("That is all."),
    ];
    stage.server.add("work", ModelScript::from_steps(steps.map(|step| step.using(much))));
    stage.run().expect(0);
    assert_eq!(stage.repo.status()["tasks"][0]["workers"][0]["warned"], true);
    let is_warned =
        |request: &afresh_model::ReceivedRequest| request.body.holds("% of your context is full");
    let requests = stage.server.received_requests();
    let first = requests.iter().find(|request| is_warned(request)).map(|seen| seen.turns);
    assert!(matches!(first, Some(1 | 2)), "{first:?} of {requests:?}");
}

/// B36, AG-01: the model's own commands see only the allowed variables of our environment.
#[test]
fn commands_of_claude_see_no_variable_that_is_not_allowed() {
    let Some(stage) = AgentScene::of("claude") else { return };
    let noted = stage.repo.path().join("seen.env");
    let steps = [
        ModelStep::shell(&format!("env > '{}'", noted.display())),
        ModelStep::write("T001.txt", "by T001\n"),
        ModelStep::tool("report_result", json!({"status": "COMPLETED"})),
        ModelStep::text("That is all."),
    ];
    stage.server.add("work", ModelScript::from_steps(steps));
    let mut command = stage.command(&["run", "p.plan.toml", "--no-input"]);
    command.env("SOME_TOKEN", "hunter22-hunter22");
    finish(command).expect(0);
    let recorded = fs::read_to_string(noted).expect("what it saw");
    assert!(recorded.contains("AFRESH_TASK=T001") && !recorded.contains("hunter22"), "{recorded}");
}

/// AG-08, ST-02: over the protocol too, it continues its session.
#[test]
fn opencode_over_acp_is_killed_and_continues() {
    is_killed_and_continues("opencode-acp");
}

/// R5.
#[test]
fn claude_asks_its_model_through_proxies() {
    asks_its_model_through_proxies("claude");
}

/// R5.
#[test]
fn codex_asks_its_model_through_proxies() {
    asks_its_model_through_proxies("codex");
}

/// R5.
#[test]
fn gemini_asks_its_model_through_proxies() {
    asks_its_model_through_proxies("gemini");
}

/// R5.
#[test]
fn opencode_asks_its_model_through_proxies() {
    asks_its_model_through_proxies("opencode");
}
