//! Other machines than this one: an ordinary user, a container without user namespaces, a kernel without Landlock. F16,
//! F22, R5, R6, BE-07.
//!
//! Each is simulated with the means of this one; if that is not possible, the test says so and is skipped.
#![cfg(target_os = "linux")]
#![expect(clippy::print_stderr, reason = "a test that was passed over says so")]

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use afresh_testkit::{CommandOutput, TestRepo};

use crate::support::sandbox_levels::levels;

/// The uid of an unprivileged user.
const NOBODY: &str = "65534";

/// User namespaces cannot be created, and there are no capabilities: as in many containers.
const CLOSED: &str = "unshare -U -r sh -c 'echo 0 > /proc/sys/user/max_user_namespaces && \
                      exec setpriv --bounding-set=-all --inh-caps=-all --no-new-privs \"$@\"' closed";

/// The kernel does not know Landlock.
const WITHOUT_LANDLOCK: &str = "python3 -c 'import ctypes, os, struct, sys\n\
    code = [(0x20, 0, 0, 0), (0x15, 0, 1, 444), (0x06, 0, 0, 0x50026), (0x06, 0, 0, 0x7fff0000)]\n\
    code = b\"\".join(struct.pack(\"HBBI\", *one) for one in code)\n\
    held = ctypes.create_string_buffer(code)\n\
    filter = struct.pack(\"HxxxxxxP\", 4, ctypes.addressof(held))\n\
    prctl = ctypes.CDLL(None).prctl\n\
    prctl.argtypes = [ctypes.c_int, ctypes.c_ulong, ctypes.c_void_p, ctypes.c_ulong, ctypes.c_ulong]\n\
    assert prctl(38, 1, None, 0, 0) == 0 and prctl(22, 2, filter, 0, 0) == 0\n\
    os.execvp(sys.argv[1], sys.argv[1:])'";

/// Another machine: what the program is started through.
struct Machine {
    through: String,
    is_nobody: bool,
}

impl Machine {
    /// None, and a message, if it cannot be simulated here.
    fn of(through: &[&str], is_nobody: bool) -> Option<Self> {
        let machine = Self { through: through.join(" "), is_nobody };
        let exe = env!("CARGO_BIN_EXE_afresh");
        let tried = machine.shell(&format!("{exe} --version")).output().expect("a shell");
        if !tried.status.success() {
            eprintln!("SKIPPED: {through:?}: {}", String::from_utf8_lossy(&tried.stderr));
            return None;
        }
        Some(machine)
    }

    fn nobody() -> Option<Self> {
        if !nix::unistd::geteuid().is_root() {
            return Self::of(&[], false);
        }
        let through = format!("setpriv --reuid {NOBODY} --regid {NOBODY} --clear-groups");
        Self::of(&[&through], true)
    }

    fn shell(&self, command: &str) -> Command {
        let mut shell = Command::new("sh");
        shell.arg("-c").arg(format!("exec {} {command}", self.through)).stdin(Stdio::null());
        shell
    }

    /// Runs `afresh ARGS` there; afterwards the repository is ours again.
    fn afresh(&self, repo: &TestRepo, level: &str, args: &str) -> CommandOutput {
        let like = repo.command(&[]);
        let mut shell = self.shell(&format!("{} {args}", env!("CARGO_BIN_EXE_afresh")));
        shell.current_dir(repo.root());
        for (name, value) in like.get_envs() {
            match value {
                Some(value) => shell.env(name, value),
                None => shell.env_remove(name),
            };
        }
        shell.env("AFRESH_SANDBOX", level);
        shell.env("AFRESH_SANDBOX_READ", repo.path().join("agent.sh"));
        self.change_owner(repo.path(), NOBODY);
        let ran = afresh_testkit::repo::finish(shell);
        self.change_owner(repo.path(), "0");
        ran
    }

    fn change_owner(&self, directory: &Path, to: &str) {
        if self.is_nobody {
            let owner = format!("{to}:{to}");
            let status = Command::new("chown").args(["-hR", &owner]).arg(directory).status();
            assert!(status.expect("chown").success());
        }
    }
}

/// A task whose first worker forks without end, and whose second tries to leave.
fn hostile() -> TestRepo {
    let repo = TestRepo::new(env!("CARGO_BIN_EXE_afresh"));
    repo.config("[run]\nagent = \"mine\"\nbackoff = [\"0s\"]\n[sandbox]\nprocesses = 150\n");
    let home = repo.path().join("home");
    fs::create_dir_all(home.join(".ssh")).expect("a directory");
    fs::write(home.join(".ssh/id_rsa"), "PRIVATE-KEY-OF-MINE").expect("written");
    repo.plan("[[task]]\nid = \"T1\"\ntitle = \"t\"\nfiles = [\"T1.txt\", \"tried.txt\"]\nchecks = [\"test -s T1.txt\"]\n");
    let (root, home, pid) = (repo.root(), home, std::process::id());
    let (root, home) = (root.display(), home.display());
    repo.agent(&format!(
        "cat > /dev/null\n\
         try() {{ if sh -c \"$1\" > /dev/null 2>&1; then echo \"$1\" >> tried.txt; fi; }}\n\
         if [ $AFRESH_ATTEMPT = 1 ]; then i=0; while [ $i -lt 1500 ]; do sleep 600 & i=$((i + 1)); done; wait; fi\n\
         echo honest > T1.txt; : > tried.txt\n\
         try 'echo x > {root}/evil.txt'\n\
         try 'echo x > {root}/.git/refs/heads/evil'\n\
         try 'cat {home}/.ssh/id_rsa'\n\
         try 'kill -0 {pid}'\n"
    ));
    repo
}

/// R5, R6, F16, BE-07: an ordinary user's workers are sandboxed like root's.
#[test]
fn an_ordinary_user_has_the_same_sandboxes() {
    let Some(machine) = Machine::nobody() else { return };
    for level in levels() {
        let repo = hostile();
        let ran = machine.afresh(&repo, level, "run p.plan.toml");
        if ran.code == Some(2) && ran.stderr.contains("a sandbox is required") {
            eprintln!("SKIPPED: {level} for an ordinary user: {}", ran.stderr);
            continue;
        }
        ran.expect(0);
        repo.expect_no_survivors();
        assert_eq!(repo.on_branch("T1.txt").as_deref(), Some("honest\n"), "{level}");
        assert_eq!(repo.on_branch("tried.txt").as_deref(), Some(""), "{level}: these worked");
        let report = machine.afresh(&repo, level, "report").expect(0).stdout;
        // The kernel counts all processes of the user, other tests' too, and may refuse a fork before we count.
        let is_limited = ["it had more than 150 processes", "Cannot fork"];
        assert!(is_limited.iter().any(|words| report.contains(words)), "{level}: {report}");
        assert!(report.contains("- limits: "), "{level}: {report}");
    }
}

/// F22, R5: without user namespaces it falls back to Landlock, reports what is not available, and the sandbox holds.
#[test]
fn without_user_namespaces_it_falls_back_and_says_so() {
    let Some(machine) = Machine::of(&[CLOSED], false) else { return };
    if !levels().contains(&"landlock") || !levels().contains(&"bubblewrap") {
        return;
    }
    let repo = hostile();
    let ran = machine.afresh(&repo, "required", "run p.plan.toml").expect(0);
    assert!(ran.stderr.contains("note: using the sandbox Landlock"), "{}", ran.stderr);
    assert!(ran.stderr.contains("a stronger one is not available (bubblewrap: "), "{}", ran.stderr);
    repo.expect_no_survivors();
    assert_eq!(repo.on_branch("T1.txt").as_deref(), Some("honest\n"));
    assert_eq!(repo.on_branch("tried.txt").as_deref(), Some(""), "these worked");
    for command in ["status", "report", "doctor"] {
        let output = machine.afresh(&repo, "auto", command).stdout;
        let line = output.lines().find(|line| line.contains("Landlock")).unwrap_or_default();
        assert!(line.contains("bubblewrap: "), "{command}: {output}");
    }
    let refused = machine.afresh(&repo, "bubblewrap", "run p.plan.toml --new").expect(2);
    assert!(refused.stderr.contains("a sandbox is required"), "{}", refused.stderr);
}

/// F22, B22: with neither, nothing runs if a sandbox is required; otherwise there is a loud warning, and the work is
/// done.
#[test]
fn with_neither_it_refuses_or_says_so_loudly() {
    let Some(machine) = Machine::of(&[CLOSED, WITHOUT_LANDLOCK], false) else { return };
    let repo = hostile();
    repo.agent("cat > /dev/null; echo honest > T1.txt");
    let refused = machine.afresh(&repo, "required", "run p.plan.toml").expect(2);
    assert!(refused.stderr.contains("none is available on this machine"), "{}", refused.stderr);
    assert!(refused.stderr.contains("Landlock: "), "{}", refused.stderr);
    assert_eq!(repo.status()["run"], serde_json::Value::Null);
    let ran = machine.afresh(&repo, "auto", "run p.plan.toml").expect(0);
    assert!(ran.stderr.contains("NO SANDBOX"), "{}", ran.stderr);
    assert_eq!(repo.on_branch("T1.txt").as_deref(), Some("honest\n"));
    repo.expect_no_survivors();
}

/// D8, B22: without a sandbox, `doctor` runs the repository's checks only if it is asked to.
#[test]
fn without_a_sandbox_doctor_runs_no_checks_unless_asked() {
    let Some(machine) = Machine::of(&[CLOSED, WITHOUT_LANDLOCK], false) else { return };
    let repo = hostile();
    repo.config("[checks]\nalways = [\"touch ran.txt && test -s README.md\"]");
    let skipped = machine.afresh(&repo, "auto", "doctor").stdout;
    assert!(skipped.contains("1 check of every merge not run"), "{skipped}");
    assert!(skipped.contains("afresh doctor --run-checks"), "{skipped}");
    let ran = machine.afresh(&repo, "auto", "doctor --run-checks").stdout;
    assert!(ran.contains("test -s README.md` passes"), "{ran}");
    let off = machine.afresh(&repo, "off", "doctor").stdout;
    assert!(off.contains("test -s README.md` passes"), "{off}");
}
