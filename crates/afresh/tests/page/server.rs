//! A running `afresh serve`, and requests to it.

use std::fmt::Write as _;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, Stdio};
use std::time::Duration;

use afresh_testkit::TestRepo;

/// Longer than any answer takes; a hang is a failure.
const PATIENCE: Duration = Duration::from_secs(120);

/// The running server; killed with the test.
#[derive(Debug)]
pub(crate) struct PageServer {
    child: Child,
    /// What to open in a browser.
    pub(crate) url: String,
    pub(crate) address: String,
    pub(crate) token: String,
}

impl PageServer {
    pub(crate) fn start(repo: &TestRepo) -> Self {
        Self::start_with(repo, &["--port", "0"])
    }

    pub(crate) fn start_with(repo: &TestRepo, args: &[&str]) -> Self {
        let args: Vec<&str> = ["serve"].iter().chain(args).copied().collect();
        let mut command = repo.command(&args);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().expect("the server starts");
        let mut url = String::new();
        let stdout = child.stdout.take().expect("a pipe");
        BufReader::new(stdout).read_line(&mut url).expect("a line");
        let url = url.trim().to_owned();
        let parts = url.strip_prefix("http://").and_then(|it| it.split_once("/#token="));
        let Some((address, token)) = parts else { panic!("no address: {url:?}") };
        let (address, token) = (address.to_owned(), token.to_owned());
        Self { child, url, address, token }
    }

    pub(crate) fn port(&self) -> String {
        self.address.rsplit(':').next().expect("a port").to_owned()
    }

    pub(crate) fn kill_9(mut self) {
        self.child.kill().expect("it was running");
        self.child.wait().expect("our child");
    }

    /// A request as it is asked for, without anything added.
    pub(crate) fn send(&self, request: &str) -> HttpAnswer {
        let mut stream = TcpStream::connect(&self.address).expect("it listens");
        stream.set_read_timeout(Some(PATIENCE)).expect("set");
        // The server may refuse a body before all of it is sent.
        let _ = stream.write_all(request.as_bytes());
        let mut bytes = Vec::new();
        // A refused body resets the connection behind the answer.
        let _ = stream.read_to_end(&mut bytes);
        HttpAnswer::parse(&String::from_utf8_lossy(&bytes))
    }

    /// A request with the right Host, these headers, and nothing else.
    pub(crate) fn request(
        &self,
        method: &str,
        path: &str,
        headers: &[&str],
        body: &str,
    ) -> HttpAnswer {
        let mut head =
            format!("{method} {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n", self.address);
        for header in headers {
            head.push_str(header);
            head.push_str("\r\n");
        }
        if !body.is_empty() {
            let _ = write!(head, "Content-Length: {}\r\n", body.len());
        }
        self.send(&format!("{head}\r\n{body}"))
    }

    pub(crate) fn authorization(&self) -> String {
        format!("Authorization: Bearer {}", self.token)
    }

    /// With the token.
    pub(crate) fn get(&self, path: &str) -> HttpAnswer {
        self.request("GET", path, &[&self.authorization()], "")
    }

    /// With the token.
    pub(crate) fn post(&self, path: &str, body: &serde_json::Value) -> HttpAnswer {
        let headers = [self.authorization(), "Content-Type: application/json".to_owned()];
        self.request("POST", path, &headers.each_ref().map(String::as_str), &body.to_string())
    }
}

impl Drop for PageServer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[derive(Debug)]
pub(crate) struct HttpAnswer {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: String,
}

impl HttpAnswer {
    fn parse(text: &str) -> Self {
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or((text, ""));
        let status = head.split(' ').nth(1).and_then(|it| it.parse().ok());
        let status = status.unwrap_or_else(|| panic!("no answer: {text:?}"));
        Self { status, head: head.to_ascii_lowercase(), body: body.to_owned() }
    }

    #[track_caller]
    pub(crate) fn expect(self, status: u16) -> Self {
        assert_eq!(self.status, status, "{self:?}");
        self
    }

    #[track_caller]
    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.body).unwrap_or_else(|_| panic!("no JSON: {self:?}"))
    }
}
