//! Tampers with system calls: kills at them, makes them fail or slow, or fakes their results.

use std::path::Path;
use std::process::{Command, Stdio};

/// The same command, with tampered system calls in its threads, but not in its children.
pub(crate) fn tampered(plain: &Command, calls: &str, what: &str) -> Command {
    let mut command = Command::new("strace");
    command.args(["-f", "-b", "execve", "-qq", "-o", "/dev/null", "-e"]);
    command.arg(format!("trace={calls}")).arg("-e").arg(format!("inject={calls}:{what}"));
    command.arg(plain.get_program()).args(plain.get_args());
    for (name, value) in plain.get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    command.current_dir(plain.get_current_dir().expect("a directory")).stdin(Stdio::null());
    command
}

/// It may be missing, too old, or not allowed to trace.
pub(crate) fn strace_works() -> bool {
    let probe = Command::new("strace")
        .args(["-f", "-b", "execve", "-qq", "-o", "/dev/null", "-e", "trace=fsync", "true"])
        .current_dir(Path::new("/"))
        .stdin(Stdio::null())
        .output();
    probe.is_ok_and(|output| output.status.success())
}
