//! A small client of the Model Context Protocol: it sends what a test wants and keeps what comes back.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use afresh_testkit::TestRepo;
use serde_json::{Value, json};

/// Longer than any answer takes; a hang is a failure.
const PATIENCE: Duration = Duration::from_secs(180);

/// A session with `afresh mcp`.
#[derive(Debug)]
pub(crate) struct McpClient {
    server: Child,
    input: Option<ChildStdin>,
    answers: Receiver<Value>,
    /// Answers to other requests than the one that was waited for.
    kept: BTreeMap<u64, Value>,
    requests: u64,
    pub(crate) welcome: Value,
}

impl McpClient {
    /// A server in the test's repository, after the handshake.
    pub(crate) fn start(repo: &TestRepo) -> Self {
        Self::start_command(repo.command(&["mcp"]), "2025-11-25")
    }

    pub(crate) fn start_command(mut command: Command, version: &str) -> Self {
        // An attempt of afresh may run this test.
        command.env_remove("AFRESH_ATTEMPT").env_remove("AFRESH_RESULT");
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::inherit());
        let mut server = command.spawn().expect("the program starts");
        let lines = BufReader::new(server.stdout.take().expect("a pipe")).lines();
        let (sender, answers) = channel();
        thread::spawn(move || {
            for line in lines.map_while(Result::ok) {
                let message = serde_json::from_str(&line).expect("every line is a message");
                if sender.send(message).is_err() {
                    return;
                }
            }
        });
        let input = server.stdin.take();
        let (kept, requests, welcome) = (BTreeMap::new(), 0, Value::Null);
        let mut client = Self { server, input, answers, kept, requests, welcome };
        let hello = json!({
            "protocolVersion": version, "capabilities": {},
            "clientInfo": {"name": "test", "version": "1"},
        });
        client.welcome = client.request("initialize", &hello)["result"].clone();
        client.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        client
    }

    pub(crate) fn send(&mut self, message: &Value) {
        self.send_line(&message.to_string());
    }

    pub(crate) fn send_line(&mut self, line: &str) {
        let input = self.input.as_mut().expect("it is open");
        writeln!(input, "{line}").and_then(|()| input.flush()).expect("the server reads");
    }

    /// Sends a request; its answer is awaited later.
    pub(crate) fn ask(&mut self, method: &str, params: &Value) -> u64 {
        self.requests += 1;
        let id = self.requests;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        id
    }

    pub(crate) fn ask_tool(&mut self, name: &str, arguments: &Value) -> u64 {
        self.ask("tools/call", &json!({"name": name, "arguments": arguments}))
    }

    #[track_caller]
    pub(crate) fn await_answer(&mut self, id: u64) -> Value {
        let until = Instant::now() + PATIENCE;
        loop {
            if let Some(answer) = self.kept.remove(&id) {
                return answer;
            }
            let left = until.saturating_duration_since(Instant::now());
            let answer = self.answers.recv_timeout(left).expect("an answer in time");
            self.kept.insert(answer["id"].as_u64().unwrap_or_default(), answer);
        }
    }

    #[track_caller]
    pub(crate) fn request(&mut self, method: &str, params: &Value) -> Value {
        let id = self.ask(method, params);
        self.await_answer(id)
    }

    /// The result of a tool, whether it is an error or not.
    #[track_caller]
    pub(crate) fn call(&mut self, name: &str, arguments: &Value) -> Value {
        let id = self.ask_tool(name, arguments);
        let answer = self.await_answer(id);
        assert!(answer["result"].is_object(), "{name}: {answer}");
        answer["result"].clone()
    }

    /// The structured content of a call that succeeds.
    #[track_caller]
    pub(crate) fn document(&mut self, name: &str, arguments: &Value) -> Value {
        let result = self.call(name, arguments);
        assert_eq!(result["isError"], false, "{name}: {result}");
        result["structuredContent"].clone()
    }

    /// Waits until the run needs a person, has ended or stands still, however long that takes.
    #[track_caller]
    pub(crate) fn await_run(&mut self) -> Value {
        let until = Instant::now() + PATIENCE;
        loop {
            let waited = self.document("wait", &json!({"seconds": 50}));
            if waited["ended_by"] != "time-over" {
                return waited;
            }
            assert!(Instant::now() < until, "{waited}");
        }
    }

    /// The text of a call that succeeds.
    #[track_caller]
    pub(crate) fn text(&mut self, name: &str, arguments: &Value) -> String {
        let result = self.call(name, arguments);
        assert_eq!(result["isError"], false, "{name}: {result}");
        text_of(&result)
    }

    /// The text of a call that fails.
    #[track_caller]
    pub(crate) fn refusal(&mut self, name: &str, arguments: &Value) -> String {
        let result = self.call(name, arguments);
        assert_eq!(result["isError"], true, "{name}: {result}");
        text_of(&result)
    }

    /// Answers that nothing waited for, and those that arrive until the server has ended.
    pub(crate) fn close(mut self) -> (ExitStatus, Vec<Value>) {
        self.input = None;
        let status = self.await_end();
        let rest = self.answers.iter();
        let rest = self.kept.clone().into_values().chain(rest).collect();
        (status, rest)
    }

    fn await_end(&mut self) -> ExitStatus {
        let until = Instant::now() + PATIENCE;
        loop {
            if let Some(status) = self.server.try_wait().expect("our child") {
                return status;
            }
            assert!(Instant::now() < until, "the server outlives its client");
            thread::sleep(Duration::from_millis(10));
        }
    }
}

impl Drop for McpClient {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

pub(crate) fn text_of(result: &Value) -> String {
    result["content"][0]["text"].as_str().expect("a text").to_owned()
}
