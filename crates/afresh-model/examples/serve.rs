//! Serves one small script until it is killed, and prints the requests it receives: for trying a
//! program by hand.

use std::io::Write;
use std::time::Duration;

use afresh_model::{ModelScript, ModelServer, ModelStep};

fn main() -> std::io::Result<()> {
    let server = ModelServer::start()?;
    let answer = "Done.\nOUTPUT_JSON_START\n{\"status\": \"COMPLETED\"}\nOUTPUT_JSON_END";
    let steps = [
        ModelStep::write("hello.txt", "hello\n"),
        ModelStep::tool("report_result", serde_json::json!({"status": "COMPLETED"})),
        ModelStep::text(answer),
    ];
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
