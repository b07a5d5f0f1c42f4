//! More connections than there is room for: R15. In a process of its own, whose threads are counted.
#![cfg(target_os = "linux")]

use std::fs;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::thread;
use std::time::Duration;

use afresh_proxy::{Crowd, Door, Entrance, Hosts, Upstream, Way};

fn threads_of_connections() -> usize {
    let tasks = fs::read_dir("/proc/self/task").expect("threads").flatten();
    let names = tasks.filter_map(|task| fs::read_to_string(task.path().join("comm")).ok());
    names.filter(|name| name.trim() == "connection").count()
}

/// R15: a flood of connections that say nothing takes a bounded number of threads; whoever waits behind it
/// is served when there is room again.
#[test]
fn r15_a_flood_of_connections_is_bounded() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let at = listener.local_addr().expect("an address");
    let entrance = Entrance { listener, way: Way::Proxy };
    let crowd = Crowd::default();
    let find = move |_: &_| Ok(vec![entrance]);
    let door = Door::open(Hosts::default(), Upstream::default(), &crowd, find).expect("a door");
    // One after the other as many as a process can have; the system keeps more waiting.
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
    let mut stream = TcpStream::connect(at).expect("let in");
    stream.write_all(b"CONNECT a.test:443 HTTP/1.1\r\n\r\n").expect("sent");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("an answer");
    assert!(answer.starts_with("HTTP/1.1 403 "), "{answer}");
    drop(door);
}
