//! Runs the command of a case in a directory of its own.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use afresh_checks::report_files;

use crate::case::{CorpusCase, CorpusRecording};

/// Where a recording says that the project was.
const RECORDED_ROOT: &str = "/workspace";

const MAVEN_REPOSITORY: &str = "/usr/share/maven-repo";

/// The programs on this machine.
#[derive(Debug)]
pub(crate) struct Toolset {
    /// `AFRESH_TEST_RUNNERS`: a directory with `bin` and `node_modules`, and one for each other version of a program.
    directory: Option<PathBuf>,
    path: Vec<PathBuf>,
    /// Whether recordings are to say what they were made with.
    finds_versions: bool,
}

impl Toolset {
    pub(crate) fn find(finds_versions: bool) -> Self {
        let directory = std::env::var_os("AFRESH_TEST_RUNNERS").map(PathBuf::from);
        let mut path: Vec<PathBuf> = Vec::new();
        if let Some(directory) = &directory {
            path.extend([directory.join("bin"), directory.join("node_modules/.bin")]);
        }
        let inherited = std::env::var_os("PATH").unwrap_or_default();
        path.extend(std::env::split_paths(&inherited));
        Self { directory, path, finds_versions }
    }

    pub(crate) fn has_all(&self, case: &CorpusCase) -> bool {
        let path = self.path_of(case);
        let is_found = |program: &String| match program.as_str() {
            // Tests of a project import these.
            "node_modules" => self.directory.is_some(),
            // Without a network, only a distribution's own repository has the plugins.
            "mvn" => {
                Path::new(MAVEN_REPOSITORY).is_dir() && path.iter().any(|d| d.join("mvn").is_file())
            }
            program => path.iter().any(|directory| directory.join(program).is_file()),
        };
        let has_version = match (&case.with, &self.directory) {
            (Some(with), Some(directory)) => directory.join(with).is_dir(),
            (with, _) => with.is_none(),
        };
        has_version && case.programs.iter().all(is_found)
    }

    fn path_of(&self, case: &CorpusCase) -> Vec<PathBuf> {
        let other = case.with.as_ref().zip(self.directory.as_ref());
        let other = other.map(|(with, directory)| directory.join(with).join("bin"));
        other.into_iter().chain(self.path.iter().cloned()).collect()
    }
}

/// Runs the command of a case once.
pub(crate) fn run_case(case: &CorpusCase, toolset: &Toolset) -> CorpusRecording {
    let scratch = tempfile::tempdir().unwrap();
    let root = scratch.path().join("project");
    let home = scratch.path().join("home");
    fs::create_dir_all(&root).unwrap();
    fs::create_dir_all(&home).unwrap();
    for (path, text) in &case.files {
        let path = root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        let is_executable = case.executables.iter().any(|other| root.join(other) == path);
        let mode = if is_executable { 0o755 } else { 0o644 };
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
    }
    if let Some(directory) = &toolset.directory
        && case.programs.iter().any(|program| program == "node_modules")
    {
        symlink(directory.join("node_modules"), root.join("node_modules")).unwrap();
    }
    let sandbox = Workplace { root: &root, home: &home, path: toolset.path_of(case) };
    // Each one is another process.
    let programs = case.programs.iter().filter(|_| toolset.finds_versions);
    let versions = programs.filter_map(|program| sandbox.find_version(program)).collect();
    let ended = sandbox.run(&["-c", &case.command]);
    let exit_code = ended.status.code().unwrap_or(-1);
    CorpusRecording {
        versions,
        exit_code,
        output: sandbox.read_output(&ended),
        report_files: sandbox.read_reports(&case.command),
        syntax_error: (exit_code == 2).then(|| sandbox.find_syntax_error(&case.command)).flatten(),
    }
}

struct Workplace<'a> {
    root: &'a Path,
    home: &'a Path,
    path: Vec<PathBuf>,
}

impl Workplace<'_> {
    /// Runs a shell; both streams end in the same pipe, as those of a check do.
    fn run(&self, arguments: &[&str]) -> Output {
        let mut command = Command::new("sh");
        let line = ["-c", "exec 2>&1; exec sh \"$@\"", "sh"];
        command.args(line).args(arguments).current_dir(self.root).env_clear().stdin(Stdio::null());
        for name in ["CARGO_HOME", "RUSTUP_HOME", "RUSTUP_TOOLCHAIN", "LD_LIBRARY_PATH"] {
            if let Some(value) = std::env::var_os(name) {
                command.env(name, value);
            }
        }
        // What these keep in the user's home is of no use here, except for rustup's default.
        for (name, below) in [("CARGO_HOME", ".cargo"), ("RUSTUP_HOME", ".rustup")] {
            if let (None, Some(home)) = (std::env::var_os(name), std::env::var_os("HOME")) {
                command.env(name, Path::new(&home).join(below));
            }
        }
        let cache = Path::new(env!("CARGO_TARGET_TMPDIR")).join("corpus-go");
        command
            .env("PATH", std::env::join_paths(&self.path).unwrap())
            .env("HOME", self.home)
            .env("LC_ALL", "C.UTF-8")
            .env("CARGO_NET_OFFLINE", "true")
            .env("GOPROXY", "off")
            .env("GOFLAGS", "-mod=mod")
            .env("GOTOOLCHAIN", "local")
            .env("MAVEN_OPTS", format!("-Dmaven.repo.local={MAVEN_REPOSITORY}"))
            .env("GOCACHE", cache)
            .env("npm_config_offline", "true")
            .env("npm_config_update_notifier", "false")
            .env("PYTHONDONTWRITEBYTECODE", "1");
        command.output().unwrap()
    }

    fn read_output(&self, ended: &Output) -> String {
        let output = String::from_utf8_lossy(&ended.stdout).into_owned();
        let home = self.home.to_string_lossy();
        let mut output = output.replace(&*self.root.to_string_lossy(), RECORDED_ROOT);
        output = output.replace(&*home, "/home/user");
        for (name, recorded) in [("AFRESH_TEST_RUNNERS", "/runners"), ("HOME", "/home/user")] {
            if let Some(value) = std::env::var(name).ok().filter(|value| value.len() > 1) {
                output = output.replace(&value, recorded);
            }
        }
        output.lines().map(without_host).collect::<Vec<_>>().join("\n")
            + if output.ends_with('\n') { "\n" } else { "" }
    }

    fn find_syntax_error(&self, command: &str) -> Option<String> {
        let ended = self.run(&["-n", "-c", command]);
        let output = String::from_utf8_lossy(&ended.stdout).into_owned();
        let first = output.lines().next().unwrap_or_default().to_owned();
        (!ended.status.success()).then_some(first)
    }

    fn read_reports(&self, command: &str) -> Vec<String> {
        let files = report_files(command).into_iter().flat_map(|path| self.find_files(&path));
        let texts = files.filter_map(|path| fs::read_to_string(path).ok());
        texts
            .map(|text| text.replace(&*self.root.to_string_lossy(), RECORDED_ROOT))
            .map(|text| without_properties(&text))
            .collect()
    }

    /// The file of a path, or those of the directory before a star.
    fn find_files(&self, path: &str) -> Vec<PathBuf> {
        let Some((directory, _)) = path.split_once("/*") else { return vec![self.root.join(path)] };
        let entries = fs::read_dir(self.root.join(directory)).into_iter().flatten();
        let mut files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
        files.retain(|path| path.extension().is_some_and(|extension| extension == "xml"));
        files.sort();
        files
    }

    /// The first line of `program --version`, where it has one.
    fn find_version(&self, program: &str) -> Option<String> {
        let line = match program {
            "sh" | "test" | "node_modules" => return None,
            "go" => "go version".to_owned(),
            "cargo-nextest" => "cargo nextest --version".to_owned(),
            program => format!("{program} --version"),
        };
        let ended = self.run(&["-c", &line]);
        let output = String::from_utf8_lossy(&ended.stdout).into_owned();
        let version =
            output.lines().find(|line| line.contains(|c: char| c.is_ascii_digit()))?.trim();
        let is_named =
            version.to_lowercase().contains(program.trim_end_matches(|c: char| !c.is_alphabetic()));
        Some(if is_named { version.to_owned() } else { format!("{program} {version}") })
    }
}

/// npm names the host that it could not reach.
fn without_host(line: &str) -> String {
    match line.strip_prefix("npm ").and_then(|_| line.split_once("https://")) {
        Some((before, after)) => {
            let path = after.find('/').map_or("", |at| &after[at..]);
            format!("{before}https://registry.example{path}")
        }
        None => line.to_owned(),
    }
}

/// Surefire writes everything that it knows about the machine into its reports.
fn without_properties(text: &str) -> String {
    match (text.find("<properties>"), text.find("</properties>")) {
        (Some(start), Some(end)) if start < end => {
            format!("{}{}", &text[..start], &text[end + "</properties>".len()..])
        }
        _ => text.to_owned(),
    }
}
