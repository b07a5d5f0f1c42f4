//! A user's repository, a pool beside it, and a worker that runs plain shell commands.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::io::Write;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use afresh_core::commit::CommitLabel;
use afresh_core::ids::{CommitId, WorkspaceSlot};
use afresh_git::ref_names::{salvage_ref, step_ref};
use afresh_git::{
    CommitIdentity, CommitSignature, GitEnv, GitProgram, HarvestError, HarvestLimits,
    HarvestRequest, PrepareTarget, Repository, SnapshotRequest, WorkspaceHarvest, WorkspaceId,
    WorkspacePool,
};
use tempfile::TempDir;

pub(crate) const WORK: WorkspaceId = WorkspaceId::Work(WorkspaceSlot(1));
pub(crate) const CHECK: WorkspaceId = WorkspaceId::Check(WorkspaceSlot(1));

/// Our environment with an empty home: the developer's own git configuration is not used.
pub(crate) fn variables(home: &Path) -> Vec<(OsString, OsString)> {
    vec![
        ("PATH".into(), std::env::var_os("PATH").unwrap()),
        ("HOME".into(), home.into()),
        ("GIT_CONFIG_NOSYSTEM".into(), "1".into()),
    ]
}

pub(crate) struct GitScene {
    pub(crate) dir: TempDir,
    pub(crate) root: PathBuf,
    pub(crate) pool: WorkspacePool,
    pub(crate) base: CommitId,
    pub(crate) signature: CommitSignature,
    pub(crate) label: CommitLabel,
}

impl GitScene {
    /// A repository with a few files on `main` and one commit.
    pub(crate) fn new() -> Self {
        Self::with(
            "printf 'one\\n' >a.txt; mkdir -p src; printf 'fn main() {}\\n' >src/main.rs; \
                    printf 'target/\\n*.log\\n' >.gitignore; ln -s a.txt link; \
                    printf '#!/bin/sh\\n' >run.sh; chmod +x run.sh",
        )
    }

    /// A repository whose first commit holds what `script` makes.
    pub(crate) fn with(script: &str) -> Self {
        Self::with_format(script, "sha1")
    }

    pub(crate) fn with_format(script: &str, format: &str) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap().join("user repo");
        let home = dir.path().join("home");
        fs::create_dir_all(&home).unwrap();
        fs::create_dir(&root).unwrap();
        fs::write(
            home.join(".gitconfig"),
            "[user]\n\tname = U \"Q\" Ser\n\temail = u@ser.example\n",
        )
        .unwrap();
        let init = format!("git init -q -b main --object-format={format} . && {{ {script}; }}");
        shell(&root, &home, &init);
        shell(&root, &home, "git add -A && git commit -q --allow-empty -m base");
        let program = GitProgram::find(GitEnv::from_vars(variables(&home))).unwrap();
        let repository = Repository::discover(&program, &root).unwrap();
        let base = repository.head().unwrap().unwrap();
        let pool = WorkspacePool::open(repository, &dir.path().join("cache")).unwrap();
        let signature = CommitSignature {
            identity: CommitIdentity::new("Ann", "ann@example"),
            at_seconds: 1_700_000_000,
        };
        let label = CommitLabel::parse("feat(T1)").unwrap();
        Self { dir, root, pool, base, signature, label }
    }

    pub(crate) fn home(&self) -> PathBuf {
        self.dir.path().join("home")
    }

    pub(crate) fn repository(&self) -> &Repository {
        self.pool.repository()
    }

    pub(crate) fn tree(&self) -> PathBuf {
        self.pool.tree(WORK)
    }

    pub(crate) fn prepare(&self) {
        self.prepare_keeping(&[]);
    }

    pub(crate) fn prepare_keeping(&self, keep: &[&str]) {
        self.pool.prepare(WORK, PrepareTarget::Commit(&self.base), &owned(keep)).unwrap();
    }

    /// Runs a script as the worker would, in its checkout.
    pub(crate) fn work(&self, script: &str) -> String {
        shell(&self.tree(), &self.home(), script)
    }

    /// Runs a script as the user would, in the user's checkout.
    pub(crate) fn user(&self, script: &str) -> String {
        shell(&self.root, &self.home(), script)
    }

    pub(crate) fn request<'a>(&'a self, files: &'a [String]) -> HarvestRequest<'a> {
        HarvestRequest {
            base: &self.base,
            prepared: &self.base,
            onto: &self.base,
            files,
            acceptance: &[],
            keep: &[],
            message: "feat(T1): all of it\n",
            label: Some(&self.label),
            step_body: "",
            step_names: &[],
            signature: &self.signature,
            salvage: "refs/afresh/salvage/run/T1.1",
            limits: HarvestLimits::default(),
        }
    }

    pub(crate) fn try_harvest(&self) -> Result<WorkspaceHarvest, HarvestError> {
        self.pool.harvest(WORK, &self.request(&[]))
    }

    pub(crate) fn harvest(&self) -> WorkspaceHarvest {
        self.try_harvest().unwrap()
    }

    /// Leases the workspace to the attempt that `request` names.
    pub(crate) fn lease(&self) {
        self.pool
            .acquire_lease(WORK, &salvage_ref("run", "T1.1"))
            .unwrap()
            .mark_unsaved(&[])
            .unwrap();
    }

    pub(crate) fn snapshot_request<'a>(
        &'a self,
        onto: &'a CommitId,
        keep_as: &'a str,
    ) -> SnapshotRequest<'a> {
        SnapshotRequest {
            base: &self.base,
            prepared: &self.base,
            onto,
            files: &[],
            acceptance: &[],
            keep: &[],
            message: "feat(T1): a step\n",
            signature: &self.signature,
            owner: "refs/afresh/salvage/run/T1.1",
            keep_as,
            limits: HarvestLimits::default(),
            through: &[],
        }
    }

    /// A snapshot of the running attempt, as a step of that number.
    pub(crate) fn snapshot(&self, onto: &CommitId, number: usize) -> WorkspaceHarvest {
        let name = step_ref("run", "T1.1", number);
        self.pool.snapshot(WORK, &self.snapshot_request(onto, &name)).unwrap()
    }

    /// The commit that is saved for a step.
    pub(crate) fn step(&self, number: usize) -> Option<CommitId> {
        self.repository().read_ref(&step_ref("run", "T1.1", number)).unwrap()
    }

    /// The salvage ref that `request` names.
    pub(crate) fn salvaged(&self) -> Option<CommitId> {
        self.repository().read_ref(&salvage_ref("run", "T1.1")).unwrap()
    }

    /// The files of a commit with their content, as the user's git sees them.
    pub(crate) fn show(&self, commit: &CommitId, path: &str) -> Option<String> {
        let bytes = self.repository().show_file(commit, path).unwrap()?;
        Some(String::from_utf8(bytes).unwrap())
    }

    /// Everything of the user's that must not change (R5).
    pub(crate) fn user_files(&self) -> BTreeMap<String, String> {
        let mut things = snapshot(&self.root);
        // Objects and our own refs are added beside the user's; the rest of `.git` is the user's.
        things.retain(|path, _| {
            !path.starts_with(".git/objects/")
                && !path.starts_with(".git/refs/afresh")
                && !path.starts_with(".git/refs/heads/afresh")
                && !path.starts_with(".git/logs/refs/heads/afresh")
        });
        things
    }
}

/// Lets the user's git see what is not published yet.
pub(crate) const SEE_STAGED: &str =
    "export GIT_ALTERNATE_OBJECT_DIRECTORIES=\"$PWD/.git/objects/afresh\"";

pub(crate) fn owned(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}

/// Runs a shell script with a minimal environment and expects exit code 0.
pub(crate) fn shell(dir: &Path, home: &Path, script: &str) -> String {
    let (ok, text) = try_shell(dir, home, script);
    assert!(ok, "failed in {}: {script}\n{text}", dir.display());
    text
}

pub(crate) fn try_shell(dir: &Path, home: &Path, script: &str) -> (bool, String) {
    let mut command = Command::new("/bin/sh");
    command.arg("-ec").arg(script).current_dir(dir).env_clear().envs(variables(home));
    command.env("LC_ALL", "C").stdin(Stdio::null());
    let output = command.output().unwrap();
    let text = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
    (output.status.success(), text)
}

/// Every path below `root` with its kind, permissions and content; symlinks are not followed.
pub(crate) fn snapshot(root: &Path) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    let mut open = vec![root.to_owned()];
    while let Some(dir) = open.pop() {
        for entry in fs::read_dir(&dir).unwrap() {
            let path = entry.unwrap().path();
            let name = path.strip_prefix(root).unwrap().as_os_str().as_bytes();
            let name = String::from_utf8_lossy(name).into_owned();
            let metadata = path.symlink_metadata().unwrap();
            let what = if metadata.is_dir() {
                open.push(path);
                String::from("directory")
            } else if metadata.is_symlink() {
                format!("-> {}", fs::read_link(&path).unwrap().display())
            } else if metadata.is_file() {
                format!("{:?}", fs::read(&path).unwrap().escape_ascii().to_string())
            } else {
                String::from("special")
            };
            found.insert(name, format!("{:o} {what}", metadata.permissions().mode() & 0o777));
        }
    }
    found
}

/// The checkout of a workspace without its `.git`.
pub(crate) fn checkout(tree: &Path) -> BTreeMap<String, String> {
    let mut found = snapshot(tree);
    found.retain(|path, _| path != ".git" && !path.starts_with(".git/"));
    found
}

/// Makes an executable script. Another process writes it: a descriptor of ours, open for writing,
/// would be inherited by every child that a parallel test starts, and the kernel does not run such
/// a file.
pub(crate) fn write_script(path: &Path, text: &str) {
    let mut command = Command::new("/bin/sh");
    command.args(["-c", "cat >\"$1\" && chmod 755 \"$1\"", "sh"]).arg(path);
    let mut child = command.stdin(Stdio::piped()).spawn().expect("sh runs");
    let mut input = child.stdin.take().expect("its standard input is piped");
    input.write_all(text.as_bytes()).expect("written");
    drop(input);
    assert!(child.wait().expect("sh ends").success(), "cannot write {}", path.display());
}
