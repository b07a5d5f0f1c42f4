//! A directory with a sandbox spec, for every test that starts a program inside.
#![expect(clippy::print_stderr, reason = "a test that was passed over says so")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use afresh_sandbox::{ProcessRlimits, SandboxLevel, SandboxNetwork, SandboxSpec, detect_sandbox};
use tempfile::TempDir;

const HELPER: &str = env!("CARGO_BIN_EXE_afresh-sandbox-helper");

/// A directory with a sandbox spec.
pub(crate) struct SandboxScene {
    directory: TempDir,
}

impl SandboxScene {
    pub(crate) fn new() -> Self {
        let directory =
            tempfile::Builder::new().prefix("rooms-").tempdir_in(env!("CARGO_TARGET_TMPDIR"));
        let scene = Self { directory: directory.expect("a directory") };
        for directory in ["work", "temp", "home/.ssh", "home/.tool", "other"] {
            fs::create_dir_all(scene.path(directory)).expect("directories");
        }
        fs::write(scene.path("home/.ssh/id"), "SECRET").expect("written");
        fs::write(scene.path("home/.tool/settings"), "mine").expect("written");
        fs::write(scene.path("other/file"), "theirs").expect("written");
        scene
    }

    pub(crate) fn path(&self, path: &str) -> PathBuf {
        self.directory.path().canonicalize().expect("a path").join(path)
    }

    pub(crate) fn spec(&self) -> SandboxSpec {
        SandboxSpec {
            writable: vec![self.path("work")],
            hidden: vec![self.path("home")],
            private: vec![],
            // The scene may be below /tmp, which is private.
            readable: vec![self.path("home/.tool"), self.path("other")],
            temp: self.path("temp"),
            network: SandboxNetwork::Off,
            handoff: None,
            sockets: false,
            limits: ProcessRlimits::default(),
        }
    }

    pub(crate) fn command(
        &self,
        spec: &SandboxSpec,
        level: &SandboxLevel,
        script: &str,
    ) -> Command {
        let wrapped = spec.wrap_command(level, Path::new(HELPER), &self.path("work"));
        let mut command = Command::new(&wrapped.wrapper[0]);
        command.args(&wrapped.wrapper[1..]).args(["/bin/sh", "-c", script]);
        command.envs(wrapped.env).stdin(Stdio::null());
        command.current_dir(self.path("work"));
        command
    }

    pub(crate) fn sh(&self, spec: &SandboxSpec, level: &SandboxLevel, script: &str) -> Output {
        self.command(spec, level, script).output().expect("it starts")
    }
}

/// Every available level; the others are reported.
pub(crate) fn levels() -> Vec<SandboxLevel> {
    let path = std::env::var("PATH").unwrap_or_default();
    let strongest = detect_sandbox(&path);
    let weaker = detect_sandbox("");
    for why in strongest.unavailable.iter().chain(&weaker.unavailable) {
        eprintln!("passed over: {why}");
    }
    let mut levels = vec![strongest.level, weaker.level];
    levels.dedup();
    levels.retain(|level| !level.is_off());
    if levels.is_empty() {
        eprintln!("SKIPPED: this machine offers no sandbox");
    }
    levels
}
