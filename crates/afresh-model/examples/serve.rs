//! Serves one small script until it is killed, and prints the requests it receives: for trying a
//! program by hand. With an argument, the second step fails like that: `cut`, `not-found`, `loop`.

use std::io::Write;
use std::time::Duration;

use afresh_model::{ModelFault, ModelScript, ModelServer, ModelStep};

fn main() -> std::io::Result<()> {
    let server = ModelServer::start()?;
    let answer = "Done.\nOUTPUT_JSON_START\n{\"status\": \"COMPLETED\"}\nOUTPUT_JSON_END";
    let report = ModelStep::tool("report_result", serde_json::json!({"status": "COMPLETED"}));
    let mut steps = vec![ModelStep::write("hello.txt", "hello\n"), report, ModelStep::text(answer)];
    match std::env::args().nth(1).as_deref() {
        Some("cut") => steps[1] = steps[1].clone().failing(ModelFault::Cut, u32::MAX),
        Some("not-found") => steps[0] = steps[0].clone().failing(ModelFault::NotFound, u32::MAX),
        Some("loop") => steps = vec![ModelStep::shell("echo again"); 1_000],
        _ => {}
    }
    let mut out = std::io::stdout().lock();
    writeln!(out, "{}", server.add("hello", ModelScript::from_steps(steps)))?;
    let mut told = 0;
    loop {
        std::thread::sleep(Duration::from_millis(200));
        for seen in server.received_requests().iter().skip(told) {
            writeln!(out, "{seen:?}")?;
            told += 1;
        }
    }
}
