//! R15: more connections than allowed. In a separate process, whose threads are counted.
#![cfg(target_os = "linux")]

use std::fs;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::thread;
use std::time::Duration;

use afresh_proxy::{
    ConnectionLimit, HostAllowlist, ListenerRoute, Proxy, ProxyListener, UpstreamProxy,
};
use nix::sys::resource::{Resource, getrlimit, setrlimit};

fn threads_of_connections() -> usize {
    let tasks = fs::read_dir("/proc/self/task").expect("threads").flatten();
    let names = tasks.filter_map(|task| fs::read_to_string(task.path().join("comm")).ok());
    names.filter(|name| name.trim() == "connection").count()
}

/// One proxy among many.
fn proxy(hosts: &HostAllowlist, limit: &ConnectionLimit) -> (Proxy, SocketAddr) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let at = listener.local_addr().expect("an address");
    let listener = ProxyListener { listener, way: ListenerRoute::Proxy };
    let find = move |_: &_| Ok(vec![listener]);
    (Proxy::start(hosts.clone(), UpstreamProxy::default(), limit, find).expect("a door"), at)
}

/// Sends a request, and reads the first line of the response.
fn ask(at: SocketAddr, target: &str) -> (TcpStream, String) {
    let mut stream = TcpStream::connect(at).expect("let in");
    stream.set_read_timeout(Some(Duration::from_secs(120))).expect("set");
    write!(stream, "CONNECT {target} HTTP/1.1\r\n\r\n").expect("sent");
    let mut first = [0; 12];
    stream.read_exact(&mut first).expect("an answer");
    (stream, String::from_utf8_lossy(&first).into_owned())
}

/// R15: a flood of silent connections uses a limited number of threads; connections behind it are
/// served when there is a permit again. Workers that use all permits leave some to every other
/// worker.
#[test]
fn a_flood_of_connections_is_limited() {
    a_flood_is_bounded();
    every_client_has_connections();
}

fn a_flood_is_bounded() {
    let (proxy, at) = proxy(&HostAllowlist::default(), &ConnectionLimit::default());
    // One after the other, as many as a process can have; the system queues more.
    let mut silent: Vec<TcpStream> = Vec::new();
    for _ in 0..10_000 {
        match TcpStream::connect_timeout(&at, Duration::from_millis(200)) {
            Ok(stream) => silent.push(stream),
            Err(_) => break,
        }
        if silent.len() > 170 {
            silent.clear();
        }
    }
    for _ in 0..100 {
        thread::sleep(Duration::from_millis(5));
        let threads = threads_of_connections();
        assert!(threads <= 48, "{threads} threads");
    }
    silent.clear();
    assert_eq!(ask(at, "a.test:443").1, "HTTP/1.1 403");
    drop(proxy);
}

fn every_client_has_connections() {
    let (_, most) = getrlimit(Resource::RLIMIT_NOFILE).expect("a limit");
    setrlimit(Resource::RLIMIT_NOFILE, most.min(4096), most).expect("raised");
    let server = TcpListener::bind("127.0.0.1:0").expect("a port");
    let target = server.local_addr().expect("an address").to_string();
    thread::spawn(move || server.incoming().collect::<Vec<_>>());
    let hosts: HostAllowlist = [target.parse().expect("a host")].into_iter().collect();
    let limit = ConnectionLimit::default();
    let greedy: Vec<(Proxy, SocketAddr)> = (0..6).map(|_| proxy(&hosts, &limit)).collect();
    // 256 of the 288 that they could have: the total limit is reached.
    let tunnels: Vec<(TcpStream, String)> =
        (0..256).map(|at| ask(greedy[at % 6].1, &target)).collect();
    assert!(tunnels.iter().all(|(_, first)| first == "HTTP/1.1 200"));
    let (_late, at) = proxy(&hosts, &limit);
    let own: Vec<(TcpStream, String)> = (0..4).map(|_| ask(at, &target)).collect();
    assert!(own.iter().all(|(_, first)| first == "HTTP/1.1 200"));
}
