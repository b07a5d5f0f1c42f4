//! R5, B22: sandboxes whose network is some ports, or none. Real programs, every available level.
#![cfg(target_os = "linux")]

mod scene;

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream, UdpSocket};
use std::process::{Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use afresh_sandbox::{
    HandedOver, HandoffListener, ProxyPorts, SandboxLevel, SandboxNetwork, SandboxSpec,
};
use scene::{SandboxScene, levels};

/// A sandbox with a proxy, and the handoff listener if the level needs one.
struct ProxiedSandbox {
    scene: SandboxScene,
    spec: SandboxSpec,
    handoff: Option<HandoffListener>,
    /// On the machine itself, if the sandbox has no loopback of its own.
    listener: Option<TcpListener>,
    port: u16,
}

impl ProxiedSandbox {
    fn new(level: &SandboxLevel) -> Self {
        let scene = SandboxScene::new();
        let (handoff, listener) = match level {
            SandboxLevel::Bubblewrap { .. } => {
                (Some(HandoffListener::bind_at(&scene.path("door")).expect("a socket")), None)
            }
            _ => (None, Some(TcpListener::bind("127.0.0.1:0").expect("a port"))),
        };
        let address = listener.as_ref().map(|listener| listener.local_addr().expect("an address"));
        let port = address.map_or(3128, |address| address.port());
        let network = SandboxNetwork::Ports(ProxyPorts { proxy: port, local: vec![] });
        let outside_path = handoff.is_some().then(|| scene.path("door"));
        let spec = SandboxSpec { network, handoff: outside_path, ..scene.spec() };
        Self { scene, spec, handoff, listener, port }
    }

    /// Starts it, and greets the first connection.
    fn greet(&mut self, level: &SandboxLevel, script: &str) -> Output {
        let mut command = self.scene.command(&self.spec, level, script);
        let child = command.stdout(Stdio::piped()).spawn().expect("it starts");
        let listener = self.listener.take().unwrap_or_else(|| self.handed().listeners.remove(0));
        accept_first(&listener).write_all(b"hello").expect("sent");
        child.wait_with_output().expect("it ends")
    }

    fn handed(&self) -> HandedOver {
        let handoff = self.handoff.as_ref().expect("somebody waits");
        wait_for("what the room hands out", || handoff.receive().expect("a message"))
    }

    #[track_caller]
    fn fails(&self, level: &SandboxLevel, script: &str) {
        let output = self.scene.sh(&self.spec, level, script);
        assert!(!output.status.success(), "{level:?}: {script}: {output:?}");
    }
}

/// A missing result is a failure, not a wait.
fn wait_for<T>(what: &str, mut probe: impl FnMut() -> Option<T>) -> T {
    let until = Instant::now() + Duration::from_secs(120);
    loop {
        if let Some(found) = probe() {
            return found;
        }
        assert!(Instant::now() < until, "{what} did not come");
        thread::sleep(Duration::from_millis(2));
    }
}

/// The first connection.
fn accept_first(listener: &TcpListener) -> TcpStream {
    listener.set_nonblocking(true).expect("set");
    let stream = wait_for("somebody", || listener.accept().ok()).0;
    stream.set_nonblocking(false).expect("set");
    stream
}

fn python(script: &str) -> String {
    format!("python3 -c 'import socket as s\n{script}'")
}

/// R5: the proxy's port is reached, under its name in the variables, and no other port of the
/// machine is.
#[test]
fn a_sandbox_reaches_its_proxy_and_no_other_port() {
    let other = TcpListener::bind("127.0.0.1:0").expect("a port");
    let other = other.local_addr().expect("an address").port();
    for level in levels() {
        let mut sandbox = ProxiedSandbox::new(&level);
        let script = "import os; at = os.environ[\"https_proxy\"].rpartition(\":\")[2]\n\
                      print(s.create_connection((\"127.0.0.1\", int(at)), 20).recv(9))";
        let output = sandbox.greet(&level, &python(script));
        let stdout = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(stdout.contains("hello"), "{level:?}: {output:?}");
        let sandbox = ProxiedSandbox::new(&level);
        sandbox
            .fails(&level, &python(&format!("s.create_connection((\"127.0.0.1\", {other}), 5)")));
    }
}

/// R5: nothing leaves through other kinds of sockets: datagrams (DNS), raw sockets, protocols that
/// Landlock does not know, connections made by sending.
#[test]
fn other_kinds_of_sockets_do_not_leave_the_sandbox() {
    let heard = UdpSocket::bind("127.0.0.1:0").expect("a port");
    heard.set_nonblocking(true).expect("set");
    let udp = heard.local_addr().expect("an address").port();
    for level in levels() {
        let sandbox = ProxiedSandbox::new(&level);
        let port = sandbox.port;
        // Sent into nothing, in a network of its own.
        let datagram = python(&format!(
            "s.socket(s.AF_INET, s.SOCK_DGRAM).sendto(b\"x\", (\"127.0.0.1\", {udp}))"
        ));
        let _ = sandbox.scene.sh(&sandbox.spec, &level, &datagram);
        assert!(heard.recv(&mut [0]).is_err(), "{level:?}: a datagram arrived");
        for script in [
            "s.socket(s.AF_INET, s.SOCK_DGRAM).sendto(b\"x\", (\"192.0.2.1\", 53))",
            "s.socket(s.AF_INET6, s.SOCK_DGRAM).sendto(b\"x\", (\"2001:db8::1\", 53))",
            "s.socket(s.AF_INET, s.SOCK_RAW, 1)",
            "s.socket(s.AF_PACKET, s.SOCK_RAW)",
            "s.create_connection((\"192.0.2.1\", 443), 3)",
        ] {
            sandbox.fails(&level, &python(script));
        }
        if matches!(level, SandboxLevel::Landlock { .. }) {
            sandbox.fails(&level, &datagram);
            sandbox.fails(&level, &python("s.socket(s.AF_INET, s.SOCK_STREAM, 262)"));
            sandbox.fails(&level, &python("s.socket(s.AF_NETLINK, s.SOCK_RAW, 0)"));
            let fast = format!("s.socket().sendto(b\"x\", 0x20000000, (\"127.0.0.1\", {port}))");
            sandbox.fails(&level, &python(&fast));
        }
    }
}

/// A program reaches its own services if the level gives it its own loopback.
#[test]
fn programs_in_one_sandbox_reach_each_other() {
    for level in
        levels().into_iter().filter(|level| matches!(level, SandboxLevel::Bubblewrap { .. }))
    {
        let sandbox = ProxiedSandbox::new(&level);
        let script =
            "l = s.create_server((\"127.0.0.1\", 0)); s.create_connection(l.getsockname())";
        let output = sandbox.scene.sh(&sandbox.spec, &level, &python(script));
        assert!(output.status.success(), "{output:?}");
    }
}

/// B22: attempts to use a missing network are counted and known afterwards, even if only a name was
/// resolved; programs that do not try are not counted.
#[test]
fn connection_attempts_are_counted() {
    for level in
        levels().into_iter().filter(|level| matches!(level, SandboxLevel::Bubblewrap { .. }))
    {
        let scene = SandboxScene::new();
        let path = scene.path("door");
        let count = |script: &str| {
            let handoff = HandoffListener::bind_at(&path).expect("a socket");
            let spec = SandboxSpec { handoff: Some(path.clone()), ..scene.spec() };
            let output = scene.sh(&spec, &level, script);
            assert!(output.status.success(), "{output:?}");
            // The sandbox has exited by now.
            handoff.receive().expect("a message").expect("one").counters.count()
        };
        let quiet = "l = s.create_server((\"127.0.0.1\", 0)); s.create_connection(l.getsockname())";
        assert_eq!(count(&python(quiet)), 0);
        let calls = "for at in [(\"192.0.2.1\", 80), (\"2001:db8::1\", 80)]:\n  \
                     try: s.create_connection(at, 2)\n  except OSError: pass";
        assert_eq!(count(&python(calls)), 2);
        let asks = "s.socket(s.AF_INET, s.SOCK_DGRAM).sendto(b\"x\", (\"127.0.0.53\", 53))";
        assert_eq!(count(&python(asks)), 1);
    }
}

/// The path of the listener may be long, although socket names are short.
#[test]
fn a_long_path_does_not_prevent_the_handoff() {
    let scene = SandboxScene::new();
    let deep = scene.path(&"a-directory-with-a-long-name/".repeat(6));
    std::fs::create_dir_all(&deep).expect("directories");
    let path = deep.join("door");
    for level in
        levels().into_iter().filter(|level| matches!(level, SandboxLevel::Bubblewrap { .. }))
    {
        let handoff = HandoffListener::bind_at(&path).expect("a socket");
        let spec = SandboxSpec { handoff: Some(path.clone()), ..scene.spec() };
        assert!(scene.sh(&spec, &level, "exit 0").status.success());
        assert!(handoff.receive().expect("a message").is_some());
        drop(handoff);
        assert!(!path.exists());
    }
}

/// A connection inside of the sandbox arrives at the listener outside.
#[test]
fn a_handed_over_listener_serves_outside() {
    for level in
        levels().into_iter().filter(|level| matches!(level, SandboxLevel::Bubblewrap { .. }))
    {
        let sandbox = ProxiedSandbox::new(&level);
        let say = format!(
            "s.create_connection((\"127.0.0.1\", {})).sendall(b\"from inside\")",
            sandbox.port
        );
        let mut child =
            sandbox.scene.command(&sandbox.spec, &level, &python(&say)).spawn().expect("it starts");
        let listener = sandbox.handed().listeners.remove(0);
        let mut heard = String::new();
        accept_first(&listener).read_to_string(&mut heard).expect("words");
        assert_eq!(heard, "from inside");
        assert!(child.wait().expect("it ends").success());
    }
}
