//! Real programs in real sandboxes. Levels that this machine does not offer are reported and
//! skipped.
#![cfg(target_os = "linux")]

mod scene;

use std::fs;
use std::net::TcpListener;
use std::path::Path;
use std::process::{Command, Stdio};

use afresh_sandbox::{ProcessRlimits, SandboxLevel, SandboxNetwork, SandboxSpec};
use scene::{SandboxScene, levels};

impl SandboxScene {
    #[track_caller]
    fn succeeds(&self, level: &SandboxLevel, script: &str) {
        let output = self.sh(&self.spec(), level, script);
        assert!(output.status.success(), "{level:?}: {script}: {output:?}");
    }

    #[track_caller]
    fn fails(&self, level: &SandboxLevel, script: &str) {
        let output = self.sh(&self.spec(), level, script);
        assert!(!output.status.success(), "{level:?}: {script}: {output:?}");
    }
}

/// R5: a program writes only to its own directories.
#[test]
fn a_program_writes_only_to_its_own_directories() {
    for level in levels() {
        let scene = SandboxScene::new();
        scene.succeeds(&level, "echo x > file && mkdir -p a/b && mv file a/b/ && cat a/b/file");
        scene.succeeds(&level, "echo x > \"$TMPDIR/t\" && cat \"$TMPDIR/t\"");
        let other = scene.path("other/file");
        let other = other.display();
        scene.fails(&level, &format!("echo x > {other}"));
        scene.fails(&level, &format!("rm {other}"));
        scene.fails(&level, &format!("mv {other} ."));
        scene.fails(&level, &format!("ln -s {other} link && echo x > link"));
        scene.succeeds(&level, &format!("test \"$(cat {other})\" = theirs"));
        assert_eq!(fs::read_to_string(scene.path("other/file")).expect("there"), "theirs");
    }
}

/// R5: temporary files are private: a program neither sees those of others nor leaves any.
#[test]
fn temporary_files_are_private() {
    for level in levels() {
        let scene = SandboxScene::new();
        let others = tempfile::Builder::new().prefix("of-others-").tempdir_in("/tmp");
        let others = others.expect("a directory");
        let file = others.path().join("file");
        fs::write(&file, "theirs").expect("written");
        let file = file.display();
        scene.fails(&level, &format!("echo x > {file}"));
        if matches!(level, SandboxLevel::Bubblewrap { .. }) {
            scene.fails(&level, &format!("cat {file}"));
            scene.succeeds(&level, "echo x > /tmp/mine && cat /tmp/mine");
            assert!(scene.path("temp/mine").exists(), "it is in the room's own directory");
        }
    }
}

/// B22: hidden paths cannot be read, and readable ones inside of them can.
#[test]
fn hidden_paths_are_not_visible() {
    for level in levels() {
        let scene = SandboxScene::new();
        let home = scene.path("home");
        let home = home.display();
        scene.fails(&level, &format!("cat {home}/.ssh/id"));
        scene.fails(&level, &format!("ls {home}/.ssh"));
        scene.succeeds(&level, &format!("test \"$(cat {home}/.tool/settings)\" = mine"));
        scene.fails(&level, &format!("echo x > {home}/.tool/settings"));
        scene.fails(&level, &format!("echo x > {home}/new"));
        let _ = scene.sh(&scene.spec(), &level, &format!("rm -rf {home}"));
        assert!(scene.path("home/.ssh/id").exists(), "{level:?}");
    }
}

/// B22: no connections without network; with it, the same connection works.
#[test]
fn a_sandbox_without_network_reaches_no_host() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("an address").port();
    let script =
        format!("python3 -c 'import socket; socket.create_connection((\"127.0.0.1\", {port}), 5)'");
    let datagram = format!(
        "python3 -c 'import socket; s=socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.connect((\"127.0.0.1\", {port})); s.send(b\"x\")'"
    );
    if Command::new("python3").arg("--version").output().is_err() {
        eprintln!("SKIPPED: there is no python3");
        return;
    }
    for level in levels() {
        let scene = SandboxScene::new();
        scene.fails(&level, &script);
        if matches!(level, SandboxLevel::Landlock { .. }) {
            scene.fails(&level, &datagram);
        }
        let open = SandboxSpec { network: SandboxNetwork::On, ..scene.spec() };
        let output = scene.sh(&open, &level, &script);
        assert!(output.status.success(), "{level:?}: {output:?}");
    }
}

/// R6: no process outside can be signalled.
#[test]
fn other_processes_are_out_of_reach() {
    for level in levels() {
        let scene = SandboxScene::new();
        let mut other = Command::new("sleep").arg("600").spawn().expect("it starts");
        scene.fails(&level, &format!("kill -9 {}", other.id()));
        let alive = other.try_wait().expect("a child").is_none();
        other.kill().expect("ended");
        other.wait().expect("waited for");
        assert!(alive, "{level:?}");
    }
}

/// F16: a program that uses too much memory or writes too large a file is stopped, and no other.
#[test]
fn rlimits_are_enforced() {
    for level in levels() {
        let scene = SandboxScene::new();
        let limits = ProcessRlimits { memory: Some(64 << 20), file: Some(1 << 20) };
        let spec = SandboxSpec { limits, ..scene.spec() };
        let large = scene.sh(&spec, &level, "head -c 3000000 /dev/zero > large");
        assert!(!large.status.success(), "{level:?}: {large:?}");
        assert!(fs::metadata(scene.path("work/large")).expect("there").len() <= 1 << 20);
        let greedy = "python3 -c 'x = bytearray(300 << 20); print(len(x))'";
        let output = scene.sh(&spec, &level, greedy);
        assert!(!output.status.success(), "{level:?}: {output:?}");
        let roomy = SandboxSpec { limits: ProcessRlimits::default(), ..scene.spec() };
        assert!(scene.sh(&roomy, &level, greedy).status.success(), "{level:?}");
    }
}

/// AG-09: a stop signal to the process group reaches the program, which exits in its own way.
#[test]
fn the_stop_signal_reaches_the_sandboxed_program() {
    use std::io::{BufRead, BufReader};
    use std::os::unix::process::CommandExt;
    for level in levels() {
        let scene = SandboxScene::new();
        let script = "trap 'echo asked; exit 7' TERM; echo ready; while :; do sleep 0.05; done";
        let mut command = scene.command(&scene.spec(), &level, script);
        let mut blocked = nix::sys::signal::SigSet::empty();
        blocked.add(nix::sys::signal::Signal::SIGTERM);
        blocked.thread_block().expect("blocked");
        let mut child = command.stdout(Stdio::piped()).process_group(0).spawn().expect("it starts");
        let mut lines = BufReader::new(child.stdout.take().expect("a pipe")).lines();
        assert_eq!(lines.next().expect("a line").expect("text"), "ready", "{level:?}");
        let group = nix::unistd::Pid::from_raw(child.id().cast_signed());
        nix::sys::signal::killpg(group, nix::sys::signal::Signal::SIGTERM).expect("sent");
        assert_eq!(lines.next().expect("a line").expect("text"), "asked", "{level:?}");
        assert_eq!(child.wait().expect("it ends").code(), Some(7), "{level:?}");
    }
}

/// The program's own exit code and output pass through.
#[test]
fn output_and_exit_code_pass_through_the_sandbox() {
    for level in levels() {
        let scene = SandboxScene::new();
        let output = scene.sh(&scene.spec(), &level, "echo out; echo err >&2; exit 3");
        assert_eq!(output.status.code(), Some(3), "{level:?}");
        assert_eq!(
            (output.stdout.as_slice(), output.stderr.as_slice()),
            (&b"out\n"[..], &b"err\n"[..])
        );
    }
}

fn call(socket: &Path) -> String {
    let script = "import socket; socket.socket(socket.AF_UNIX).connect";
    format!("python3 -c '{script}(\"{}\")'", socket.display())
}

/// B29: sockets of container engines, terminal multiplexers and desktop buses are out of reach
/// wherever they are, while programs can still talk to their children.
#[test]
fn service_sockets_are_out_of_reach() {
    for level in levels() {
        let scene = SandboxScene::new();
        // Where services have theirs, if we may create one there.
        let service = format!("/run/afresh-test-{}", std::process::id());
        if let Ok(_listener) = std::os::unix::net::UnixListener::bind(&service) {
            let text = scene.sh(&scene.spec(), &level, &call(Path::new(&service)));
            fs::remove_file(&service).expect("removed");
            assert!(!text.status.success(), "{level:?}: {text:?}");
        }
        let door = scene.path("other/door");
        let _listener = std::os::unix::net::UnixListener::bind(&door).expect("a socket");
        let call = call(&door);
        let pair =
            "python3 -c 'import socket; a, b = socket.socketpair(); a.send(b\"x\"); b.recv(1)'";
        scene.succeeds(&level, pair);
        if matches!(level, SandboxLevel::Bubblewrap { .. }) {
            scene.succeeds(&level, "test -z \"$(find /run -type s 2>/dev/null)\"");
        } else {
            scene.fails(&level, &call);
            let open = SandboxSpec { sockets: true, ..scene.spec() };
            let output = scene.sh(&open, &level, &call);
            assert!(output.status.success(), "{level:?}: {output:?}");
        }
    }
}
