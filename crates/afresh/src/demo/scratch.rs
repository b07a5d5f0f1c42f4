//! The scratch repository of the demo, removed at the end.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::SystemTime;

use afresh_app::context::scratch::{self, SCRATCH_PREFIX};
use afresh_app::error::AppError;

const FILES: &[(&str, &str)] = &[
    ("README.md", include_str!("project/README.md")),
    ("todo.sh", include_str!("project/todo.sh")),
    ("todo.md", include_str!("project/todo.md")),
    ("tests/setup.sh", include_str!("project/tests/setup.sh")),
    ("tests/first.sh", include_str!("project/tests/first.sh")),
    ("tests/store.sh", include_str!("project/tests/store.sh")),
    ("tests/words.sh", include_str!("project/tests/words.sh")),
    ("tests/add.sh", include_str!("project/tests/add.sh")),
    ("tests/list.sh", include_str!("project/tests/list.sh")),
    ("tests/empty.sh", include_str!("project/tests/empty.sh")),
    ("tests/done.sh", include_str!("project/tests/done.sh")),
    ("tests/drop.sh", include_str!("project/tests/drop.sh")),
    ("tests/count.sh", include_str!("project/tests/count.sh")),
    ("tests/usage.sh", include_str!("project/tests/usage.sh")),
];

/// A directory with the repository and all files of afresh for it.
#[derive(Debug)]
pub(crate) struct ScratchRepo {
    directory: PathBuf,
    keep: bool,
}

impl ScratchRepo {
    /// Creates a new directory.
    pub(crate) fn new(under: &Path, keep: bool) -> Result<Self, AppError> {
        scratch::remove_outdated(under, SystemTime::now());
        let mut last = None;
        for number in 0..100_u32 {
            let directory = under.join(format!("{SCRATCH_PREFIX}{}-{number}", std::process::id()));
            match fs::create_dir(&directory) {
                Ok(()) => {
                    if !keep {
                        // Without the marker, a leftover stays.
                        let _ = scratch::mark(&directory);
                    }
                    let directory = directory.canonicalize().unwrap_or(directory);
                    return Ok(Self { directory, keep });
                }
                Err(error) => last = Some(error),
            }
        }
        let why = last.map(|error| error.to_string()).unwrap_or_default();
        Err(AppError::machine(
            "scratch",
            format!("cannot create a directory in {}", under.display()),
        )
        .cause(why)
        .hint("set TMPDIR, or AFRESH_CACHE with `--agent`, to a writable directory"))
    }

    pub(crate) fn repository(&self) -> PathBuf {
        self.directory.join("todo")
    }

    /// Workspaces go here, not into the user's cache.
    pub(crate) fn cache(&self) -> PathBuf {
        self.directory.join("cache")
    }

    /// Creates the home directory of an agent program, which could not do that inside its sandbox.
    pub(crate) fn home(&self) -> Result<PathBuf, AppError> {
        let home = self.directory.join("home");
        fs::create_dir_all(&home)
            .map_err(|error| AppError::cannot_write("scratch", &home, error))?;
        Ok(home)
    }

    pub(crate) fn is_kept(&self) -> bool {
        self.keep
    }

    /// Keeps it for inspection.
    pub(crate) fn keep_directory(&mut self) {
        self.keep = true;
    }

    /// Writes the project with the files of this demo, and creates its first commit.
    pub(crate) fn fill(&self, more: &[(&str, &str)]) -> Result<(), AppError> {
        let repository = self.repository();
        for (path, text) in FILES.iter().chain(more) {
            write_file(&repository.join(path), text)?;
        }
        self.git(&["init", "--quiet", "--template=", "--initial-branch=main"])?;
        self.git(&["add", "--all"])?;
        self.git(&["commit", "--quiet", "--message", "A to-do list that does nothing yet"])
    }

    /// Git without the user's configuration: no hooks, no signatures, no templates.
    fn git(&self, args: &[&str]) -> Result<(), AppError> {
        let mut git = Command::new("git");
        for (name, _) in std::env::vars_os() {
            if name.to_string_lossy().starts_with("GIT_") {
                git.env_remove(name);
            }
        }
        git.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_SYSTEM", "/dev/null");
        git.args(["-c", "user.name=afresh demo", "-c", "user.email=demo@localhost"]);
        git.args(args).current_dir(self.repository()).stdin(Stdio::null());
        let failed = |why: String| {
            AppError::machine("scratch", format!("git {} failed", args.join(" ")))
                .cause(why)
                .hint("`afresh doctor` checks git")
        };
        let output = git.output().map_err(|error| failed(error.to_string()))?;
        if output.status.success() {
            return Ok(());
        }
        Err(failed(String::from_utf8_lossy(&output.stderr).trim().to_owned()))
    }
}

impl Drop for ScratchRepo {
    fn drop(&mut self) {
        if !self.keep {
            // A leftover is in the directory for temporary files anyway.
            let _ = fs::remove_dir_all(&self.directory);
        }
    }
}

fn write_file(path: &Path, text: &str) -> Result<(), AppError> {
    let parent = path.parent().unwrap_or(path);
    fs::create_dir_all(parent)
        .and_then(|()| fs::write(path, text))
        .map_err(|error| AppError::cannot_write("scratch", path, error))
}
