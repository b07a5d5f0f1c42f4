//! Who gets in (B39): token, Host, Origin, paths, bodies, connections.

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt as _;

use afresh_testkit::TestRepo;
use serde_json::json;

use crate::server::PageServer;
use crate::support::repo;

/// A repository with one run that is done.
fn scene() -> (TestRepo, PageServer, String) {
    let repo = repo();
    repo.plan_of(1);
    repo.agent("echo x > $AFRESH_TASK.txt");
    repo.run(&[]).expect(0);
    let run = repo.status()["run"].as_str().expect("a run").to_owned();
    let server = PageServer::start(&repo);
    (repo, server, run)
}

/// Every path and method of the document, with this run in it.
fn operations(server: &PageServer, run: &str) -> Vec<(String, String)> {
    let document = server.get("/api/openapi.json").expect(200).json();
    let paths = document["paths"].as_object().expect("paths").clone();
    let filled = |path: &str| {
        let named = path.replace("{run}", run).replace("{task}", "T001");
        let named = named.replace("{attempt}", "T001.1").replace("{file}", "prompt");
        named.replace("{picture}", "graph.svg").replace("{seq}", "5")
    };
    paths
        .iter()
        .flat_map(|(path, entry)| {
            let methods = entry.as_object().expect("methods").keys();
            methods.map(|method| (method.to_uppercase(), filled(path))).collect::<Vec<_>>()
        })
        .collect()
}

/// B39: without the right token nothing of a run is answered, on no route, wherever else the token is put.
#[test]
fn nothing_is_answered_without_the_token() {
    let (_repo, server, run) = scene();
    let operations = operations(&server, &run);
    assert!(operations.len() >= 20, "{operations:?}");
    let wrong = format!("Authorization: Bearer {}", "0".repeat(32));
    let basic = format!("Authorization: Basic {}", server.token);
    let cookie = format!("Cookie: token={}", server.token);
    for (method, path) in &operations {
        for headers in [vec![], vec![wrong.as_str()], vec![basic.as_str()], vec![cookie.as_str()]] {
            let refused = server.request(method, path, &headers, "").expect(401);
            assert!(
                !refused.body.contains(&server.token) && refused.body.contains("help"),
                "{refused:?}"
            );
        }
        let query = format!("{path}?token={}", server.token);
        server.request(method, &query, &[], "").expect(401);
    }
    server.request("GET", "/api/anything", &[], "").expect(401);
    let page = server.request("GET", "/", &[], "").expect(200);
    assert!(page.body.contains("<title>afresh</title>") && !page.body.contains(&run));
}

/// B39: with the token every route of the document answers; none is only described.
#[test]
fn every_route_of_the_document_is_served() {
    let (_repo, server, run) = scene();
    for (method, path) in operations(&server, &run) {
        if method == "GET" && !path.ends_with("/updates") {
            let answer = server.get(&path);
            assert!(answer.status == 200 || path.ends_with("/prompt"), "{path}: {answer:?}");
        } else if method == "POST" {
            let answer = server.post(&path, &json!({"unknown": 1}));
            let expected = if path.ends_with("/clear-halt") { [200, 409] } else { [422, 400] };
            assert!(expected.contains(&answer.status), "{path}: {answer:?}");
        }
    }
}

/// B39: a name that another page controls and that points to this machine is not served (DNS rebinding).
#[test]
fn another_host_is_refused() {
    let (_repo, server, _run) = scene();
    let (authorization, port) = (server.authorization(), server.port());
    for host in [
        format!("evil.example:{port}"),
        "127.0.0.1".to_owned(),
        format!("127.0.0.1.evil.example:{port}"),
        String::new(),
    ] {
        for path in ["/", "/api/runs"] {
            let request = format!(
                "GET {path} HTTP/1.1\r\nHost: {host}\r\n{authorization}\r\nConnection: close\r\n\r\n"
            );
            server.send(&request).expect(403);
        }
    }
    server.send(&format!("GET / HTTP/1.0\r\n{authorization}\r\n\r\n")).expect(403);
    let localhost = format!(
        "GET /api/runs HTTP/1.1\r\nHost: localhost:{port}\r\n{authorization}\r\nConnection: close\r\n\r\n"
    );
    server.send(&localhost).expect(200);
}

/// B39: requests of other pages are refused even with the token, and no answer lets a browser hand them out.
#[test]
fn requests_of_other_pages_are_refused() {
    let (repo, server, run) = scene();
    let authorization = server.authorization();
    let tell = format!("/api/runs/{run}/tell");
    let body = json!({"task": "T001", "text": "by another page"}).to_string();
    let json_type = "Content-Type: application/json";
    for foreign in [
        "Origin: http://evil.example",
        "Origin: null",
        "Origin: https://127.0.0.1",
        "Sec-Fetch-Site: cross-site",
        "Sec-Fetch-Site: same-site",
    ] {
        server.request("POST", &tell, &[&authorization, json_type, foreign], &body).expect(403);
        let read = server.request("GET", "/api/runs", &[&authorization, foreign], "").expect(403);
        assert!(!read.head.contains("access-control-allow"), "{read:?}");
    }
    let preflight = ["Origin: http://evil.example", "Access-Control-Request-Method: POST"];
    let refused = server.request("OPTIONS", &tell, &preflight, "").expect(403);
    assert!(!refused.head.contains("access-control-allow"), "{refused:?}");
    // A form of another page cannot send JSON.
    for form in ["Content-Type: text/plain", "Content-Type: application/x-www-form-urlencoded"] {
        server.request("POST", &tell, &[&authorization, form], &body).expect(415);
    }
    assert!(repo.status()["tasks"][0]["comments"].is_null(), "nothing was kept");
    // A link or an image can only read.
    for action in ["answer", "tell", "retry", "skip", "halt", "clear-halt"] {
        let path = format!("/api/runs/{run}/{action}");
        server.request("GET", &path, &[&authorization], "").expect(405);
    }
    assert!(repo.status()["halt"].is_null(), "nothing was halted");
    let own = format!("Origin: http://{}", server.address);
    server.request("POST", &tell, &[&authorization, json_type, &own], &body).expect(200);
}

/// B39: every answer, also a refusal, says what a browser may do with it.
#[test]
fn every_answer_has_the_policy() {
    let (_repo, server, run) = scene();
    let dashboard = format!("/api/runs/{run}");
    for path in ["/", "/app.js", "/nothing", "/api/runs", "/api/nothing", &dashboard] {
        for answer in [server.get(path), server.request("GET", path, &[], "")] {
            for header in [
                "content-security-policy: default-src 'none'; script-src 'self'; style-src 'self';",
                "form-action 'none'; frame-ancestors 'none'",
                "x-content-type-options: nosniff",
                "x-frame-options: deny",
                "referrer-policy: no-referrer",
                "cache-control: no-store",
            ] {
                assert!(answer.head.contains(header), "{path}: {header}: {answer:?}");
            }
            assert!(!answer.head.contains("unsafe-inline"), "{answer:?}");
        }
    }
}

/// B39, R5: no path leads out of the page's files or out of an attempt's directory.
#[test]
fn no_path_leads_out() {
    let (_repo, server, run) = scene();
    for path in [
        "/../../../../etc/passwd",
        "/%2e%2e/%2e%2e/etc/passwd",
        "/..%2f..%2fetc%2fpasswd",
        "//etc/passwd",
        "/pages/../../Cargo.toml",
        "/web-token",
        "/index.html/../web-token",
    ] {
        let answer = server.get(path);
        assert!([400, 404].contains(&answer.status), "{path}: {answer:?}");
        assert!(
            !answer.body.contains("root:") && !answer.body.contains(&server.token),
            "{answer:?}"
        );
    }
    for path in [
        "attempts/..%2F..%2F..%2Fweb-token/files/prompt",
        "attempts/T001.1/files/..%2F..%2F..%2Fweb-token",
        "attempts/T001.1/files/journal.db",
        "attempts/T001.1%00/files/prompt",
        "attempts/%2e%2e/transcript",
        "attempts/T001.99/diff",
        "tasks/..%2F..%2Fetc",
        "pictures/..%2Fgraph.svg",
    ] {
        let answer = server.get(&format!("/api/runs/{run}/{path}"));
        assert!([400, 404].contains(&answer.status), "{path}: {answer:?}");
        assert!(!answer.body.contains(&server.token), "{answer:?}");
    }
    for other in ["..%2F..", "nope", "%2e%2e", ""] {
        let answer = server.get(&format!("/api/runs/{other}/report"));
        assert!([400, 404].contains(&answer.status), "{other}: {answer:?}");
    }
    server.request("POST", "/", &[], "x").expect(403);
    server.request("PUT", "/app.js", &[], "x").expect(403);
    server
        .request("DELETE", &format!("/api/runs/{run}"), &[&server.authorization()], "")
        .expect(405);
}

/// B39, R10: a body or a head that is too long is refused, and the server goes on serving.
#[test]
fn what_a_request_may_hold_is_bounded() {
    let (_repo, server, run) = scene();
    let tell = format!("/api/runs/{run}/tell");
    server.post(&tell, &json!({"task": "T001", "text": "x".repeat(200_000)})).expect(413);
    let long = server.post(&tell, &json!({"task": "T001", "text": "x".repeat(5_000)})).expect(400);
    assert!(long.body.contains("at most 4000 characters"), "{long:?}");
    let chunked = format!(
        "POST {tell} HTTP/1.1\r\nHost: {}\r\n{}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\
         Connection: close\r\n\r\n40000\r\n{}\r\n0\r\n\r\n",
        server.address,
        server.authorization(),
        "x".repeat(0x40000)
    );
    server.send(&chunked).expect(413);
    let padding = format!("X-Padding: {}", "x".repeat(300_000));
    server.request("GET", "/", &[&padding], "").expect(431);
    server.post(&tell, &json!({"task": "T001", "text": "\u{1b}[2J", "more": true})).expect(422);
    server
        .request("POST", &tell, &[&server.authorization(), "Content-Type: application/json"], "{")
        .expect(400);
    server.get("/api/runs").expect(200);
}

/// B39, R10: connections that ask for nothing are bounded in number and in time, so they cannot shut people out.
#[test]
fn connections_that_ask_nothing_make_room() {
    let (_repo, server, _run) = scene();
    let idle: Vec<TcpStream> = (0..200)
        .map(|number| {
            let mut stream = TcpStream::connect(&server.address).expect("a connection");
            if number % 2 == 0 {
                stream.write_all(b"GET / HTTP/1.1\r\nHost: ").expect("sent");
            }
            stream
        })
        .collect();
    server.get("/api/runs").expect(200);
    let mut ended = &idle[0];
    let mut rest = Vec::new();
    // Ended or reset; it does not hang.
    let _ = ended.read_to_end(&mut rest);
}

/// B39: the token is only for its owner, stays the same for the next server, and `--new-token` ends the old one.
#[test]
fn the_token_is_kept_until_a_new_one_is_made() {
    let (repo, server, _run) = scene();
    let file = repo.state().join("web-token");
    let mode = fs::metadata(&file).expect("the token").permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let first = server.token.clone();
    server.kill_9();
    let same = PageServer::start(&repo);
    assert_eq!(same.token, first);
    let other = PageServer::start_with(&repo, &["--port", "0", "--new-token"]);
    assert_ne!(other.token, first);
    let old = format!("Authorization: Bearer {first}");
    other.request("GET", "/api/runs", &[&old], "").expect(401);
}
