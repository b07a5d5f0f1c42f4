//! Serves one small script until it is killed, and says what it is asked: to try a program by hand.

use std::io::Write;
use std::time::Duration;

use afresh_model::{Script, Server, Step};

fn main() -> std::io::Result<()> {
    let server = Server::start()?;
    let answer = "Done.\nOUTPUT_JSON_START\n{\"status\": \"COMPLETED\"}\nOUTPUT_JSON_END";
    let steps = [
        Step::write("hello.txt", "hello\n"),
        Step::tool("report_result", serde_json::json!({"status": "COMPLETED"})),
        Step::say(answer),
    ];
    let mut out = std::io::stdout().lock();
    writeln!(out, "{}", server.add("hello", Script::of(steps)))?;
    let mut told = 0;
    loop {
        std::thread::sleep(Duration::from_millis(200));
        for seen in server.seen().iter().skip(told) {
            writeln!(out, "{seen:?}")?;
            told += 1;
        }
    }
}
