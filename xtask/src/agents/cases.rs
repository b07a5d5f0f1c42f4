//! The cases that are played with each program, and the expected results.

use std::net::{Ipv4Addr, TcpListener};
use std::time::Duration;

use afresh_model::{ModelFault, ModelScript, ModelStep};
use afresh_testkit::CommandOutput;

use super::stage::{Stage, good};

pub(super) struct Case {
    pub(super) name: &'static str,
    pub(super) play: fn(&Stage) -> Result<(), String>,
}

pub(super) const CASES: &[Case] = &[
    Case { name: "tool-fails", play: tool_fails },
    Case { name: "rate-limit", play: rate_limit },
    Case { name: "rate-limit-with-time", play: rate_limit_with_time },
    Case { name: "overloaded", play: overloaded },
    Case { name: "context-full", play: context_full },
    Case { name: "killed-and-resumed", play: killed },
    Case { name: "usage-limit", play: usage_limit },
    Case { name: "hangs", play: hangs },
    Case { name: "refused", play: refused },
    Case { name: "no-answer", play: no_answer },
    Case { name: "four-at-once", play: four_at_once },
];

/// A command fails, and the model has to fix that.
fn tool_fails(stage: &Stage) -> Result<(), String> {
    let steps = [ModelStep::shell("echo oops >&2; exit 3")].into_iter().chain(good("T001"));
    done(&stage.run(1, "", ModelScript::from_steps(steps))?)
}

/// 429 without a time: the program's own retries, then ours.
fn rate_limit(stage: &Stage) -> Result<(), String> {
    let fault = ModelFault::RateLimit { retry_after: None };
    done(&stage.run(1, "", ModelScript::from_steps(failing_first(fault, 3)))?)
}

/// 429 with a time: we wait until then.
fn rate_limit_with_time(stage: &Stage) -> Result<(), String> {
    let fault = ModelFault::RateLimit { retry_after: Some(1) };
    done(&stage.run(1, "", ModelScript::from_steps(failing_first(fault, 3)))?)
}

/// The standard model is overloaded all the time: the small one is used, and succeeds.
fn overloaded(stage: &Stage) -> Result<(), String> {
    let small = match stage.program {
        "claude" | "claude-agent-acp" => "haiku",
        "codex" | "codex-acp" => "mini",
        "gemini" | "gemini-acp" => "lite",
        _ => "small",
    };
    let [first, rest @ ..] = good("T001");
    let first = first.failing_unless(small, ModelFault::Overloaded);
    done(&stage.run(1, "", ModelScript::from_steps([first].into_iter().chain(rest)))?)?;
    let asked: Vec<String> =
        stage.server.received_requests().into_iter().map(|seen| seen.model).collect();
    let [had_small, had_other] =
        [true, false].map(|is_small| asked.iter().any(|name| name.contains(small) == is_small));
    if had_small && had_other { Ok(()) } else { Err(format!("models asked for: {asked:?}")) }
}

/// The conversation does not fit: the attempt ends, whatever the program would do about it, and reports why.
fn context_full(stage: &Stage) -> Result<(), String> {
    let steps = failing_first(ModelFault::TooLong, u32::MAX);
    // Over the protocol, one program reports nothing, and ends without any work.
    let words: &[&str] = match stage.program {
        "opencode-acp" => &["no longer fits", "nothing changed"],
        _ => &["no longer fits"],
    };
    failed(stage, &stage.run(1, "attempts = 1", ModelScript::from_steps(steps))?, words)
}

/// The program is killed from outside while it works: the conversation continues in another process, with the same
/// files.
fn killed(stage: &Stage) -> Result<(), String> {
    let mark = stage.mark("killed");
    let kill = format!("[ -e '{mark}' ] || {{ : > '{mark}'; kill -9 $PPID; sleep 60; }}");
    let [write, report, last] = good("T001");
    // Twice: one program adds its own turn to a conversation that was interrupted.
    let steps = [write, ModelStep::shell(&kill), report.clone(), report, last];
    done(&stage.run(1, "", ModelScript::from_steps(steps))?)?;
    resumes(stage)
}

/// A limit with an end time comes after work was done: no worker starts before then, and the conversation continues
/// afterwards.
fn usage_limit(stage: &Stage) -> Result<(), String> {
    let fault = ModelFault::UsageLimit { seconds: 2 };
    // Once more than the program retries by itself.
    let times = match stage.program {
        "claude" | "claude-agent-acp" | "gemini" => 3,
        "codex" | "codex-acp" => 1,
        _ => 7,
    };
    let [write, report, last] = good("T001");
    let steps = [write, report.clone().failing(fault, times), report, last];
    done(&stage.run(1, "", ModelScript::from_steps(steps))?)?;
    let log = stage.repo.afresh(&["logs"]).stdout;
    // Codex reports the time without a time zone: then we retry after pauses. An adapter that speaks for another
    // program may leave the time out.
    let names_a_time = matches!(stage.program, "claude" | "gemini" | "opencode");
    if names_a_time && !log.contains("agent-parked") {
        return Err(format!("nobody waits: {log}"));
    }
    resumes(stage)
}

/// The second attempt continued the conversation of the first, if the program supports that.
fn resumes(stage: &Stage) -> Result<(), String> {
    let task = stage.repo.status()["tasks"][0].clone();
    let resumed = task["attempts"] == 2 && task["workers"][1]["resumes"] == 1;
    // Two of these adapters speak for the killed program, and report an error; one forgets its session.
    let may_start_over = matches!(stage.program, "claude-agent-acp" | "codex-acp" | "gemini-acp");
    if resumed || may_start_over { Ok(()) } else { Err(format!("not resumed: {task}")) }
}

/// The model does not answer: the silence is noticed, and the program is stopped.
fn hangs(stage: &Stage) -> Result<(), String> {
    let steps = failing_first(ModelFault::Hang(Duration::from_secs(300)), u32::MAX);
    let settings = "attempts = 1\nsilence_timeout = \"25s\"\ntimeout_action = \"skip\"";
    failed(
        stage,
        &stage.run(1, settings, ModelScript::from_steps(steps))?,
        &["silen", "output", "time"],
    )
}

/// No server listens: this is reported as a network error, and no program waits forever.
fn refused(stage: &Stage) -> Result<(), String> {
    let port = {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).map_err(|e| e.to_string())?;
        listener.local_addr().map_err(|e| e.to_string())?.port()
    };
    let url = format!("http://127.0.0.1:{port}/s/work");
    failed(stage, &stage.run_at(&url, 1, "attempts = 1")?, &["could not be reached"])
}

/// It exits normally and prints nothing that could be an answer: its changes and the checks decide.
fn no_answer(stage: &Stage) -> Result<(), String> {
    let [write, ..] = good("T001");
    let script = ModelScript::from_steps([write, ModelStep::text("I think that I am done.")]);
    done(&stage.run(1, "attempts = 1", script)?)
}

/// Four processes of one program, one home directory.
fn four_at_once(stage: &Stage) -> Result<(), String> {
    let tasks = ["T001", "T002", "T003", "T004"];
    let script =
        tasks.iter().fold(ModelScript::default(), |script, task| script.when(task, good(task)));
    done(&stage.run(4, "parallel = 4", script)?)
}

/// A good conversation whose first step fails this many times.
fn failing_first(fault: ModelFault, times: u32) -> impl Iterator<Item = ModelStep> {
    let [first, rest @ ..] = good("T001");
    [first.failing(fault, times)].into_iter().chain(rest)
}

fn done(ran: &CommandOutput) -> Result<(), String> {
    if ran.code == Some(0) { Ok(()) } else { Err(format!("exit {:?}: {}", ran.code, ran.stderr)) }
}

/// The task is given up, for a reason that contains one of these words.
fn failed(stage: &Stage, ran: &CommandOutput, words: &[&str]) -> Result<(), String> {
    if ran.code != Some(1) {
        return Err(format!("exit {:?}: {}", ran.code, ran.stderr));
    }
    let status = stage.repo.status();
    let why = status["tasks"][0]["error"].as_str().unwrap_or_default().to_owned();
    let holds = words.iter().any(|word| why.contains(word));
    if holds { Ok(()) } else { Err(format!("the reason is {why:?}: {}", ran.stderr)) }
}
