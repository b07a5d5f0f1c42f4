//! R5, R15: a proxy with real connections on both sides.

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use afresh_proxy::{
    ConnectionLimit, DeniedHost, HostAllowlist, ListenerRoute, Proxy, ProxyListener, UpstreamProxy,
};

/// A server that handles one connection.
fn server<T: Send + 'static>(
    with: impl FnOnce(TcpStream) -> T + Send + 'static,
) -> (u16, JoinHandle<T>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("an address").port();
    let serve = move || {
        let (stream, _) = listener.accept().expect("somebody");
        // A missing response is a failure, not a wait.
        stream.set_read_timeout(Some(Duration::from_secs(60))).expect("set");
        with(stream)
    };
    (port, thread::spawn(serve))
}

struct Scene {
    proxy: Proxy,
    at: SocketAddr,
}

impl Scene {
    fn with(list: &str, upstream: UpstreamProxy) -> Self {
        let hosts: HostAllowlist = list.split(' ').filter_map(|host| host.parse().ok()).collect();
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let at = listener.local_addr().expect("an address");
        let listener = ProxyListener { listener, way: ListenerRoute::Proxy };
        let proxy =
            Proxy::start(hosts, upstream, &ConnectionLimit::default(), move |_| Ok(vec![listener]));
        Self { proxy: proxy.expect("a door"), at }
    }

    fn with_allowlist(list: &str) -> Self {
        Self::with(list, UpstreamProxy::default())
    }

    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.at).expect("a door");
        stream.set_read_timeout(Some(Duration::from_secs(60))).expect("set");
        stream
    }

    /// Sends a text and reads the whole response.
    fn ask(&self, text: &str) -> String {
        let mut stream = self.connect();
        stream.write_all(text.as_bytes()).expect("sent");
        rest(&mut stream)
    }

    fn tunnel(&self, to: &str) -> TcpStream {
        let mut stream = self.connect();
        write!(stream, "CONNECT {to} HTTP/1.1\r\n\r\n").expect("sent");
        assert!(head(&mut stream).starts_with("HTTP/1.1 200 "), "{to}");
        stream
    }

    fn refused(&self) -> Vec<(String, u64)> {
        self.proxy
            .denied_hosts()
            .into_iter()
            .map(|DeniedHost { host, times }| (host, times))
            .collect()
    }
}

fn rest(stream: &mut TcpStream) -> String {
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).expect("an answer");
    String::from_utf8_lossy(&answer).into_owned()
}

/// Up to the empty line.
fn head(stream: &mut TcpStream) -> String {
    let mut text = Vec::new();
    let mut one = [0];
    while !text.ends_with(b"\r\n\r\n") && stream.read(&mut one).expect("a byte") > 0 {
        text.push(one[0]);
    }
    String::from_utf8_lossy(&text).into_owned()
}

/// R5: an allowed host is reached by a tunnel; another is denied with a hint, and counted.
#[test]
fn a_host_outside_the_allowlist_is_denied_and_counted() {
    let (port, served) = server(|mut stream| {
        stream.write_all(b"hello").expect("sent");
    });
    let scene = Scene::with_allowlist(&format!("127.0.0.1:{port}"));
    let mut stream = scene.tunnel(&format!("127.0.0.1:{port}"));
    assert_eq!(rest(&mut stream), "hello");
    served.join().expect("served");
    for _ in 0..3 {
        let answer = scene.ask("CONNECT evil.test:443 HTTP/1.1\r\n\r\n");
        assert!(answer.starts_with("HTTP/1.1 403 "), "{answer}");
        assert!(answer.contains("AFRESH_SANDBOX_HOSTS=evil.test:443"), "{answer}");
    }
    let answer = scene.ask("GET http://169.254.169.254/latest/meta-data HTTP/1.1\r\n\r\n");
    assert!(answer.starts_with("HTTP/1.1 403 "), "{answer}");
    let expected = [("evil.test:443".to_owned(), 3), ("169.254.169.254:80".to_owned(), 1)];
    assert_eq!(scene.refused(), expected);
}

/// R5: an allowed name that leads to this machine is denied; `127.1` is a name here, and an address
/// to a resolver.
#[test]
fn an_allowed_name_does_not_lead_to_this_machine() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("an address").port();
    let scene = Scene::with_allowlist(&format!("127.1:{port}"));
    let answer = scene.ask(&format!("CONNECT 127.1:{port} HTTP/1.1\r\n\r\n"));
    assert!(answer.starts_with("HTTP/1.1 502 "), "{answer}");
    assert_eq!(scene.refused(), [(format!("127.1:{port}"), 1)]);
    listener.set_nonblocking(true).expect("set");
    assert!(listener.accept().is_err(), "somebody came");
}

/// A plain request arrives as the host expects it, with its body, and the response comes back.
#[test]
fn a_plain_request_and_its_body_arrive() {
    let (port, served) = server(|mut stream| {
        let request = head(&mut stream);
        let mut body = [0; 4];
        stream.read_exact(&mut body).expect("a body");
        stream.write_all(b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nfine").expect("sent");
        (request, body)
    });
    let scene = Scene::with_allowlist(&format!("127.0.0.1:{port}"));
    let answer = scene.ask(&format!(
        "POST http://127.0.0.1:{port}/v1?a=b HTTP/1.1\r\nHost: evil.test\r\nContent-Length: 4\r\n\r\nbody"
    ));
    assert!(answer.ends_with("fine"), "{answer}");
    let (request, body) = served.join().expect("served");
    assert!(request.starts_with("POST /v1?a=b HTTP/1.1\r\n"), "{request}");
    assert!(request.contains(&format!("Host: 127.0.0.1:{port}\r\n")) && !request.contains("evil"));
    assert_eq!(&body, b"body");
}

/// A side that has finished still receives; large amounts in both directions at once arrive
/// completely.
#[test]
fn a_tunnel_carries_data_both_ways_and_half_closes() {
    const BYTES: usize = 8 << 20;
    let pattern = |from: u8| (from..251).chain(0..from).cycle().take(BYTES);
    let (port, served) = server(move |mut stream| {
        let mut writer = stream.try_clone().expect("a handle");
        let writing = thread::spawn(move || {
            writer.write_all(&pattern(7).collect::<Vec<u8>>()).expect("sent");
        });
        let mut heard = Vec::new();
        stream.read_to_end(&mut heard).expect("all of it");
        writing.join().expect("written");
        // The other side has finished, and still receives this.
        stream.write_all(b"last words").expect("sent");
        heard.into_iter().eq(pattern(1))
    });
    let scene = Scene::with_allowlist(&format!("127.0.0.1:{port}"));
    let mut stream = scene.tunnel(&format!("127.0.0.1:{port}"));
    let mut reader = stream.try_clone().expect("a handle");
    let reading = thread::spawn(move || {
        let mut heard = Vec::new();
        reader.read_to_end(&mut heard).expect("all of it");
        heard
    });
    stream.write_all(&pattern(1).collect::<Vec<u8>>()).expect("sent");
    stream.shutdown(Shutdown::Write).expect("shut down");
    assert!(served.join().expect("served"), "what arrived is something else");
    let heard = reading.join().expect("read");
    assert_eq!(&heard[BYTES..], b"last words");
    assert!(heard[..BYTES].iter().copied().eq(pattern(7)));
}

/// R15: if one side does not read, the proxy does not read for it: the bytes in transit are
/// limited.
#[test]
fn a_slow_reader_slows_down_the_writer() {
    let (port, served) = server(|mut stream| {
        stream.set_write_timeout(Some(Duration::from_secs(1))).expect("set");
        let part = vec![0; 64 * 1024];
        // 256 MiB would be sent at once if they were read.
        (0..4096).find(|_| stream.write_all(&part).is_err()).is_some()
    });
    let scene = Scene::with_allowlist(&format!("127.0.0.1:{port}"));
    let _silent = scene.tunnel(&format!("127.0.0.1:{port}"));
    assert!(served.join().expect("served"), "all of it was taken");
}

/// The user's own proxy is used, with the user's credentials, and what it sends after its response
/// is not lost.
#[test]
fn the_users_own_proxy_is_used() {
    let (port, request) = server(|mut stream| {
        let request = head(&mut stream);
        stream.write_all(b"HTTP/1.1 200 OK\r\n\r\nearly").expect("sent");
        request
    });
    let url = format!("http://me:secret@127.0.0.1:{port}");
    let variables = BTreeMap::from([("HTTPS_PROXY".to_owned(), url)]);
    let upstream = UpstreamProxy::from_variables(&variables).expect("a proxy");
    let scene = Scene::with("model.test", upstream);
    assert_eq!(rest(&mut scene.tunnel("model.test:443")), "early");
    let request = request.join().expect("asked");
    assert!(request.starts_with("CONNECT model.test:443 HTTP/1.1\r\n"), "{request}");
    assert!(request.contains("Proxy-Authorization: Basic bWU6c2VjcmV0\r\n"), "{request}");
    let answer = scene.ask("CONNECT other.test:443 HTTP/1.1\r\n\r\n");
    assert!(answer.starts_with("HTTP/1.1 403 "), "{answer}");
}

/// R15: invalid requests are rejected with a response, and the proxy keeps running.
#[test]
fn hostile_requests_are_rejected() {
    let scene = Scene::with_allowlist("model.test");
    let long = "x".repeat(40_000);
    for hostile in [
        format!("GET http://model.test/ HTTP/1.1\r\nX: {long}"),
        long.clone(),
        format!("CONNECT {}.test:443 HTTP/1.1\r\n\r\n", "a".repeat(300)),
        "CONNECT model.test\r\n:443 HTTP/1.1\r\n\r\n".to_owned(),
        "\0\0\0\r\n\r\n".to_owned(),
        "\x16\x03\x01\r\n\r\n".to_owned(),
    ] {
        let answer = scene.ask(&hostile);
        assert!(answer.starts_with("HTTP/1.1 400 "), "{hostile:.60?}: {answer}");
    }
    assert_eq!(scene.refused(), [("an invalid request".to_owned(), 6)]);
}

/// R6: dropping a proxy ends its connections, and no new ones are accepted.
#[test]
fn dropping_a_proxy_ends_its_connections() {
    let (port, served) = server(|mut stream| rest(&mut stream));
    let scene = Scene::with_allowlist(&format!("127.0.0.1:{port}"));
    let mut stream = scene.tunnel(&format!("127.0.0.1:{port}"));
    let at = scene.at;
    drop(scene);
    assert_eq!(served.join().expect("served"), "");
    assert_eq!(rest(&mut stream), "");
    let is_gone = (0..2000).any(|_| {
        thread::sleep(Duration::from_millis(5));
        TcpStream::connect(at).is_err()
    });
    assert!(is_gone, "somebody still listens");
}
