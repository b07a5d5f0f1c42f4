//! Finds the executable of a command line, or the reason why it cannot be run (B37).
//!
//! Files are checked before exec: the C library would pass a file of another architecture to the
//! shell, which then reports nonsense instead of the cause.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use nix::unistd::{AccessFlags, access};

use crate::driver::report::{SpawnError, SpawnErrorKind};
use crate::supervisor::protocol::ProgramSpec;

/// What execvp(3) searches if the environment has no PATH.
const DEFAULT_PATH: &str = "/bin:/usr/bin";

/// The command, ready for exec or spawn, with nothing inherited but stdout and stderr.
pub(crate) fn build_command(spec: &ProgramSpec) -> Result<Command, SpawnError> {
    check_directory(&spec.cwd)?;
    let name = spec.argv.first().map_or("", String::as_str);
    let program = find_program(name, spec)?;
    check_format(&program)?;
    let mut command;
    if let Some((first, rest)) = spec.through.split_first() {
        // The program was checked outside of the wrapper, so that errors name the program.
        command = Command::new(first);
        command.args(rest).arg(&program);
    } else {
        command = Command::new(&program);
        command.arg0(name);
    }
    command.args(&spec.argv[1..]);
    command.current_dir(&spec.cwd).stdin(open_stdin(spec.stdin.as_deref())?);
    command.env_clear().envs(spec.env.iter().map(|(name, value)| (name, value)));
    Ok(command)
}

/// Explains an error of exec itself.
pub(crate) fn explain_exec_error(command: &Command, error: &io::Error) -> SpawnError {
    let program = Path::new(command.get_program()).display();
    let (kind, hint) = match error.kind() {
        io::ErrorKind::NotFound => {
            (SpawnErrorKind::NotFound, " (its loader or interpreter is missing)")
        }
        io::ErrorKind::PermissionDenied => (SpawnErrorKind::NotExecutable, ""),
        _ if error.raw_os_error() == Some(nix::libc::ENOEXEC) => {
            (SpawnErrorKind::WrongArchitecture, "")
        }
        _ => (SpawnErrorKind::Other, ""),
    };
    SpawnError::new(kind, format!("cannot execute {program}: {error}{hint}"))
}

fn check_directory(cwd: &Path) -> Result<(), SpawnError> {
    let fail = |why: &dyn std::fmt::Display| {
        let message = format!("cannot start in {}: {why}", cwd.display());
        Err(SpawnError::new(SpawnErrorKind::BadDirectory, message))
    };
    match std::fs::metadata(cwd) {
        Err(error) => return fail(&error),
        Ok(metadata) if !metadata.is_dir() => return fail(&"not a directory"),
        Ok(_) => {}
    }
    match access(cwd, AccessFlags::X_OK) {
        Ok(()) => Ok(()),
        Err(error) => fail(&error.desc()),
    }
}

fn open_stdin(path: Option<&Path>) -> Result<Stdio, SpawnError> {
    let Some(path) = path else { return Ok(Stdio::null()) };
    File::open(path).map(Stdio::from).map_err(|error| {
        let message = format!("cannot read standard input from {}: {error}", path.display());
        SpawnError::new(SpawnErrorKind::Other, message)
    })
}

/// Follows execvp(3) in the job's directory and environment, not in ours.
fn find_program(name: &str, spec: &ProgramSpec) -> Result<PathBuf, SpawnError> {
    if name.contains('/') {
        let path = spec.cwd.join(name);
        return check_executable(&path).map(|()| path);
    }
    let search = spec.env.iter().rev().find(|(variable, _)| variable == "PATH");
    let search = search.map_or(DEFAULT_PATH, |(_, value)| value.as_str());
    let mut refused = None;
    for directory in search.split(':') {
        let path = spec.cwd.join(directory).join(name);
        match check_executable(&path) {
            Ok(()) => return Ok(path),
            Err(failure) if failure.kind == SpawnErrorKind::NotExecutable => {
                refused.get_or_insert(failure);
            }
            Err(_) => {}
        }
    }
    Err(refused.unwrap_or_else(|| {
        let message = format!("{name:?} was not found in PATH={search}");
        SpawnError::new(SpawnErrorKind::NotFound, message)
    }))
}

fn check_executable(path: &Path) -> Result<(), SpawnError> {
    let fail = |kind, why: &dyn std::fmt::Display| {
        Err(SpawnError::new(kind, format!("cannot execute {}: {why}", path.display())))
    };
    match std::fs::metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            fail(SpawnErrorKind::NotExecutable, &error)
        }
        Err(error) => fail(SpawnErrorKind::NotFound, &error),
        Ok(metadata) if !metadata.is_file() => {
            fail(SpawnErrorKind::NotExecutable, &"not a regular file")
        }
        Ok(_) if access(path, AccessFlags::X_OK).is_err() => {
            fail(SpawnErrorKind::NotExecutable, &"it has no execute permission (chmod +x)")
        }
        Ok(_) => Ok(()),
    }
}

fn check_format(program: &Path) -> Result<(), SpawnError> {
    let mut start = Vec::new();
    let read = File::open(program).and_then(|file| file.take(256).read_to_end(&mut start));
    if read.is_err() {
        // A program may be executable without being readable.
        return Ok(());
    }
    let fail = |kind, why: String| {
        Err(SpawnError::new(kind, format!("cannot execute {}: {why}", program.display())))
    };
    match ExecutableFormat::detect(&start) {
        ExecutableFormat::Script(interpreter)
            if interpreter.is_absolute() && !interpreter.exists() =>
        {
            let why = format!("its interpreter {} is missing", interpreter.display());
            fail(SpawnErrorKind::NotFound, why)
        }
        ExecutableFormat::Native | ExecutableFormat::Script(_) => Ok(()),
        _ if has_foreign_formats() => Ok(()),
        ExecutableFormat::Foreign(what) => fail(
            SpawnErrorKind::WrongArchitecture,
            format!("it is {what}, which this machine cannot run"),
        ),
        ExecutableFormat::Text => {
            fail(SpawnErrorKind::NotExecutable, "it is text without a #! line".into())
        }
    }
}

/// What can run a file, by its first bytes.
#[derive(Debug, PartialEq, Eq)]
enum ExecutableFormat {
    Native,
    Script(PathBuf),
    Foreign(String),
    Text,
}

impl ExecutableFormat {
    fn detect(start: &[u8]) -> Self {
        if let Some(line) = start.strip_prefix(b"#!") {
            return Self::Script(interpreter(line));
        }
        if cfg!(not(target_os = "linux")) {
            return Self::Native;
        }
        if start.starts_with(b"\x7fELF") {
            return elf(start);
        }
        if start.iter().all(|&byte| byte >= b' ' || byte.is_ascii_whitespace()) {
            return Self::Text;
        }
        Self::Foreign("of an unknown format".into())
    }
}

fn interpreter(line: &[u8]) -> PathBuf {
    let line = line.split(|&byte| byte == b'\n').next().unwrap_or_default().trim_ascii();
    let path = line.split(u8::is_ascii_whitespace).next().unwrap_or_default();
    PathBuf::from(OsStr::from_bytes(path))
}

fn elf(start: &[u8]) -> ExecutableFormat {
    let (Some(&byte_order), Some(&[a, b])) =
        (start.get(5), start.get(18..20).and_then(<[u8]>::first_chunk))
    else {
        return ExecutableFormat::Foreign("a truncated ELF file".into());
    };
    let machine =
        if byte_order == 2 { u16::from_be_bytes([a, b]) } else { u16::from_le_bytes([a, b]) };
    let native: &[u16] = match std::env::consts::ARCH {
        "x86_64" => &[62, 3],
        "x86" => &[3],
        "aarch64" => &[183, 40],
        "arm" => &[40],
        "riscv64" => &[243],
        "powerpc64" => &[21],
        "s390x" => &[22],
        // The number of other machines is not known here; the kernel decides.
        _ => return ExecutableFormat::Native,
    };
    let little = cfg!(target_endian = "little");
    if native.contains(&machine) && (byte_order == 1) == little {
        ExecutableFormat::Native
    } else {
        ExecutableFormat::Foreign(format!("an ELF file for machine type {machine}"))
    }
}

/// Emulators may be registered with the kernel; then only the kernel knows what it can run.
fn has_foreign_formats() -> bool {
    std::fs::read_dir("/proc/sys/fs/binfmt_misc").is_ok_and(|entries| {
        entries
            .flatten()
            .any(|entry| entry.file_name() != "register" && entry.file_name() != "status")
    })
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    /// B37.
    #[test]
    fn the_first_bytes_tell_what_can_run_a_file() {
        assert_eq!(
            ExecutableFormat::detect(b"#! /bin/sh -e\nls"),
            ExecutableFormat::Script("/bin/sh".into())
        );
        assert_eq!(ExecutableFormat::detect(b"ls\n"), ExecutableFormat::Text);
        assert_eq!(ExecutableFormat::detect(b""), ExecutableFormat::Text);
        assert!(matches!(ExecutableFormat::detect(b"\x7fELF"), ExecutableFormat::Foreign(_)));
        assert!(matches!(
            ExecutableFormat::detect(b"\xfe\xed\xfa\xcf\x07\0\0\x01"),
            ExecutableFormat::Foreign(_)
        ));
        let own = std::fs::read("/proc/self/exe").unwrap();
        assert_eq!(ExecutableFormat::detect(&own[..256]), ExecutableFormat::Native);
    }
}
