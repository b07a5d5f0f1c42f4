//! Network access of workers: their allowlist only, and denials are reported. R5, B22.
//!
//! Every level that this machine supports is tested.
#![cfg(target_os = "linux")]

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::Command;
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

use crate::support::sandbox_levels::levels;
use afresh_testkit::{CommandOutput, TestRepo};

/// A server on this machine: records its requests, and answers every one with "hello".
fn server() -> (u16, Receiver<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("an address").port();
    let (heard, hears) = channel();
    thread::spawn(move || {
        for stream in listener.incoming() {
            let _ = stream.map(|stream| heard.send(greet(stream)));
        }
    });
    (port, hears)
}

fn greet(mut stream: TcpStream) -> String {
    let mut request = vec![0; 4096];
    stream.set_read_timeout(Some(Duration::from_secs(20))).expect("set");
    let read = stream.read(&mut request).unwrap_or_default();
    let _ =
        stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhello");
    String::from_utf8_lossy(&request[..read]).into_owned()
}

fn repo(script: &str) -> TestRepo {
    let repo = TestRepo::new(env!("CARGO_BIN_EXE_afresh"));
    repo.config("");
    repo.plan_of(1);
    repo.agent(&format!("cat > /dev/null\n{script}\necho done >> T001.txt"));
    repo
}

fn command(repo: &TestRepo, level: &str, hosts: &str, more: &[&str]) -> Command {
    let mut command = repo.command(&["run", "p.plan.toml"]);
    command.args(more).env("AFRESH_SANDBOX", level).env("AFRESH_SANDBOX_HOSTS", hosts);
    command.env("AFRESH_SANDBOX_READ", repo.path().join("agent.sh"));
    command
}

fn run(repo: &TestRepo, level: &str, hosts: &str, more: &[&str]) -> CommandOutput {
    afresh_testkit::repo::finish(command(repo, level, hosts, more))
}

/// Sends requests like programs that follow the variables.
const ASK: &str = "import sys, urllib.request as r\n\
                   print(r.urlopen(sys.argv[1], timeout=20).read().decode())";

fn asks(url: &str) -> String {
    format!("python3 -c '{ASK}' '{url}' >> T001.txt || echo refused >> T001.txt")
}

fn written(repo: &TestRepo) -> String {
    repo.on_branch("T001.txt").unwrap_or_default()
}

/// R5: a worker reaches a service of this machine that is on its allowlist, and no other: not another port, not a host
/// by name, not the address where clouds keep credentials. Each denial names its target.
#[test]
fn a_worker_reaches_its_allowlist_and_no_other_host() {
    let (port, heard) = server();
    let (other, unheard) = server();
    for level in levels() {
        let script = [
            asks(&format!("http://127.0.0.1:{port}/")),
            asks(&format!("http://127.0.0.1:{other}/")),
            asks("http://evil.test/secret"),
            asks("https://evil.test/secret"),
            asks("http://169.254.169.254/latest/meta-data"),
        ];
        let repo = repo(&script.join("\n"));
        let ran = run(&repo, level, &format!("127.0.0.1:{port}"), &[]).expect(0);
        let output = written(&repo);
        assert!(output.starts_with("hello\n"), "{level}: {output}\n{}", ran.stderr);
        assert_eq!(output.matches("refused").count(), 4, "{level}: {output}");
        assert!(heard.try_recv().is_ok(), "{level}");
        assert!(unheard.try_recv().is_err(), "{level}");
        let report = repo.afresh(&["report"]).expect(0).stdout;
        for expected in ["evil.test:80", "evil.test:443", "254.169.254:80"] {
            assert!(
                report.contains(&format!("{expected} is not on the list")),
                "{level}: {report}"
            );
        }
        assert!(report.contains("agent network: allowlist (1 host)"), "{level}: {report}");
        repo.expect_no_survivors();
    }
}

/// R5: nothing bypasses the proxy: neither a name lookup over UDP nor a direct connection.
#[test]
fn there_is_no_way_past_the_proxy() {
    for level in levels() {
        let past = "import socket as s\n\
            def tried(what):\n  try: what(); print(\"LEFT\")\n  except OSError: print(\"refused\")\n\
            tried(lambda: s.socket(s.AF_INET, s.SOCK_DGRAM).sendto(b\"x\", (\"192.0.2.1\", 53)))\n\
            tried(lambda: s.create_connection((\"192.0.2.1\", 443), 5))\n\
            tried(lambda: s.socket(s.AF_INET, s.SOCK_RAW, 1))\n\
            tried(lambda: s.getaddrinfo(\"example.com\", 443))";
        let repo = repo(&format!("python3 -c '{past}' >> T001.txt"));
        run(&repo, level, "model.test", &[]).expect(0);
        assert_eq!(written(&repo), "refused\nrefused\nrefused\nrefused\ndone\n", "{level}");
        let report = repo.afresh(&["report"]).expect(0).stdout;
        if level == "bubblewrap" {
            assert!(report.contains("calls past the proxy"), "{report}");
        }
    }
}

/// The usual variables name the proxy, and the user's own proxy is behind it.
#[test]
fn the_users_own_proxy_is_behind_ours() {
    let (port, heard) = server();
    for level in levels() {
        let repo = repo(&format!(
            "env | grep -i proxy | sort | sed s/:[0-9]*$/:N/ >> T001.txt\n{}",
            asks("http://model.test/v1")
        ));
        let mut command = command(&repo, level, "model.test", &[]);
        command.env("HTTP_PROXY", format!("http://me:pw@127.0.0.1:{port}"));
        afresh_testkit::repo::finish(command).expect(0);
        let output = written(&repo);
        for name in
            ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"]
        {
            assert!(output.contains(&format!("{name}=http://127.0.0.1:N\n")), "{level}: {output}");
        }
        assert!(output.contains("NO_PROXY=localhost,127.0.0.1,:"), "{level}: {output}");
        assert!(output.contains("hello") && !output.contains("pw@"), "{level}: {output}");
        let request = heard.recv().expect("it was asked");
        assert!(request.starts_with("GET http://model.test:80/v1 HTTP/1.1\r\n"), "{request}");
        assert!(request.contains("Proxy-Authorization: Basic bWU6cHc=\r\n"), "{request}");
    }
}

/// R5: a known agent has an allowlist by default: its hosts, the base URL of the user's environment, and the
/// registries of the repository's build tools. A host that the project's own configuration names is reported, and stays
/// blocked.
#[test]
fn a_known_agent_has_a_list_by_itself() {
    let (port, heard) = server();
    let (other, unheard) = server();
    for level in levels() {
        let repo = repo(&format!(
            "{}\n{}",
            asks(&format!("http://127.0.0.1:{port}/")),
            asks(&format!("http://127.0.0.1:{other}/"))
        ));
        let agent = repo.path().join("agent.sh");
        repo.write(
            ".afresh/config.toml",
            &format!(
                "[run]\nagent = \"codex\"\nattempts = 1\n[agents.codex]\nkind = \"codex\"\n\
                 command = [\"/bin/sh\", {:?}]\nargs = [\"-c\", 'openai_base_url=\"http://127.0.0.1:{other}/v1\"']\n",
                agent.display().to_string()
            ),
        );
        repo.write("Cargo.toml", "[package]\n");
        repo.commit("a project");
        let mut command = command(&repo, level, "", &["--no-input"]);
        command.env("OPENAI_BASE_URL", format!("http://127.0.0.1:{port}/v1"));
        let ran = afresh_testkit::repo::finish(command);
        assert!(ran.stderr.contains("which a project cannot allow"), "{level}: {}", ran.stderr);
        assert!(heard.try_recv().is_ok(), "{level}: {}", ran.stderr);
        assert!(unheard.try_recv().is_err(), "{level}");
        let sandbox = repo.status()["sandbox"].as_str().unwrap_or_default().to_owned();
        // Three of its own, one of the environment, three of crates.io.
        assert!(sandbox.ends_with("agent network: allowlist (7 hosts)"), "{level}: {sandbox}");
    }
}

/// B22: an agent that is an arbitrary program has full network access by default; a project can restrict that, and
/// cannot open anything.
#[test]
fn a_project_can_only_close_the_network_of_agents() {
    let (port, heard) = server();
    for level in levels() {
        let repo = repo(&asks(&format!("http://127.0.0.1:{port}/")));
        run(&repo, level, "", &[]).expect(0);
        assert!(written(&repo).starts_with("hello"), "{level}");
        heard.recv().expect("it was asked");
        for closed in ["listed", "off"] {
            repo.config(&format!("[sandbox]\nagent_network = \"{closed}\"\n"));
            run(&repo, level, "", &["--new", "--agent-network", "open"]).expect(0);
            assert!(written(&repo).contains("refused"), "{level}, {closed}: {}", written(&repo));
            assert!(heard.try_recv().is_err(), "{level}, {closed}");
        }
        repo.config("[sandbox]\nagent_network = \"open\"\n");
        let ran = run(&repo, level, "model.test", &["--new"]).expect(0);
        assert!(
            ran.stderr.contains("a project cannot give agents the whole network"),
            "{}",
            ran.stderr
        );
        assert!(written(&repo).contains("refused"), "{level}: {}", written(&repo));
        assert!(heard.try_recv().is_err(), "{level}");
    }
}

/// B22: a check that needs the network gets a hint in its failure.
#[test]
fn a_check_that_needs_the_network_is_reported_with_the_flag() {
    if !levels().contains(&"bubblewrap") {
        return;
    }
    let repo = repo("true");
    repo.plan(
        "[[task]]\nid = \"T001\"\ntitle = \"t\"\nfiles = [\"T001.txt\"]\n\
         checks = ['''! python3 -c \"import socket; socket.create_connection((\\\"192.0.2.1\\\", 80), 5)\"''']\n",
    );
    let ran = run(&repo, "bubblewrap", "", &[]).expect(0);
    assert!(ran.stderr.contains("`--check-network` gives checks one"), "{}", ran.stderr);
    let report = repo.afresh(&["report"]).expect(0).stdout;
    assert!(report.contains("a check has none"), "{report}");
}

/// A setting that cannot be read, or cannot be enforced, is reported before anything runs.
#[test]
fn what_cannot_be_a_list_is_refused_before_anything_runs() {
    let repo = repo("true");
    for (level, hosts, more, expected) in [
        ("auto", "a b*c", &[][..], "AFRESH_SANDBOX_HOSTS cannot be read"),
        ("off", "", &["--agent-network", "listed"][..], "without a sandbox"),
    ] {
        let ran = run(&repo, level, hosts, more).expect(2);
        assert!(ran.stderr.contains(expected), "{}", ran.stderr);
    }
    assert_eq!(repo.status()["run"], serde_json::Value::Null);
    let Some(level) = levels().first().copied() else { return };
    let mut command = command(&repo, level, "model.test", &[]);
    command.env("HTTPS_PROXY", "socks5://127.0.0.1:1");
    let ran = afresh_testkit::repo::finish(command).expect(2);
    assert!(
        ran.stderr.contains("HTTPS_PROXY") && ran.stderr.contains("is not an http:// URL"),
        "{}",
        ran.stderr
    );
    assert_eq!(repo.status()["run"], serde_json::Value::Null);
}

/// A worker with many connections at once, whose model streams a long answer in small pieces on each.
const MANY: &str = r#"
import os, socket, sys
at = int(os.environ["HTTPS_PROXY"].rpartition(":")[2])
def tunnel():
    s = socket.create_connection(("127.0.0.1", at), 60)
    s.sendall(("CONNECT 127.0.0.1:%s HTTP/1.1\r\n\r\n" % sys.argv[1]).encode())
    head = b""
    while b"\r\n\r\n" not in head: head += s.recv(1)
    assert head.startswith(b"HTTP/1.1 200"), head
    return s
all = [tunnel() for _ in range(20)]
for s in all: s.sendall(b"go")
def rest(s):
    text = b""
    while part := s.recv(4096): text += part
    return text
assert all and [rest(s).count(b"data") for s in all] == [200] * 20
print("streamed")
"#;

/// R5: eight workers with twenty connections each, all at once, and every piece of every answer arrives.
#[test]
fn many_workers_stream_over_many_connections() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("an address").port();
    thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            thread::spawn(move || {
                let _ = stream.read(&mut [0; 2]);
                for piece in 0..200 {
                    let _ = stream.write_all(format!("data: {piece}\n\n").as_bytes());
                    thread::sleep(Duration::from_millis(1));
                }
            });
        }
    });
    for level in levels() {
        let repo = TestRepo::new(env!("CARGO_BIN_EXE_afresh"));
        repo.config("");
        repo.plan_of(8);
        repo.agent(&format!(
            "cat > /dev/null\npython3 - {port} > $AFRESH_TASK.txt <<'EOF'{MANY}EOF\n"
        ));
        let list = format!("127.0.0.1:{port}");
        run(&repo, level, &list, &["--parallel", "8"]).expect(0);
        for task in 1..=8 {
            let output = repo.on_branch(&format!("T{task:03}.txt"));
            assert_eq!(output.as_deref(), Some("streamed\n"), "{level}: task {task}");
        }
        repo.expect_no_survivors();
    }
}
