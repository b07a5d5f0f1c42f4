//! Containment, limits, sandbox and network of this machine, tested with a real process.

use afresh_process::{ContainmentLevel, EnforcedLimits};
use afresh_sandbox::{DetectedSandbox, SandboxLevel};

use crate::agents::probe::{self, ProbeRunner};
use crate::config::policy::limits;
use crate::config::policy::network;
use crate::config::policy::sandbox;
use crate::context::environment::Environment;
use crate::setup::doctor::{DoctorLine, LineSink};

pub(super) fn check_machine(
    environment: &Environment,
    trial: Result<&ProbeRunner, &String>,
    lines: &mut LineSink<'_>,
) {
    limits::delegate_controllers();
    let tried = trial
        .map_err(Clone::clone)
        .and_then(|trial| trial.run(&["true".to_owned()], &[], probe::LIMIT));
    let line = match tried {
        Err(why) => DoctorLine::fail("processes", why, "make /tmp, or TMPDIR, writable"),
        Ok(tried) => {
            lines.push(limits(&tried.report.enforced_limits));
            let why = tried.report.unavailable.join("; ");
            match (&tried.report.ended, tried.report.containment) {
                (Err(failure), _) => DoctorLine::fail(
                    "processes",
                    failure.message.clone(),
                    "unset AFRESH_CONTAINMENT to use the best that this machine offers",
                ),
                (_, ContainmentLevel::Cgroup) => {
                    DoctorLine::ok("processes", "child processes are contained by a cgroup")
                }
                (_, ContainmentLevel::Namespace) => {
                    DoctorLine::ok("processes", "child processes are contained by a PID namespace")
                }
                (_, ContainmentLevel::Group | ContainmentLevel::None) => DoctorLine::warn(
                    "processes",
                    format!("child processes are only found by session and parent ({why})"),
                    "allow unprivileged user namespaces, or run afresh in its own cgroup",
                ),
            }
        }
    };
    lines.push(line);
    let found = sandbox::detect(environment.sandbox().unwrap_or("auto"), environment);
    lines.push(sandbox(&found));
    lines.push(match network::outlook(&found.level, environment) {
        Ok(words) => DoctorLine::ok("network", format!("agents: {words}")),
        Err(failure) => DoctorLine::failed("network", &failure),
    });
}

/// What enforces the limits of a worker.
fn limits(kept: &EnforcedLimits) -> DoctorLine {
    let found = format!("memory and process limits: enforced by {}", kept.describe());
    if kept.memory.is_kernel() && kept.processes.is_kernel() {
        return DoctorLine::ok("limits", found);
    }
    DoctorLine::warn(
        "limits",
        format!("{found}; a fast process tree can exceed them for a moment"),
        "run it in its own cgroup: `systemd-run --user --scope -p Delegate=yes afresh …`",
    )
}

/// Which sandbox is available.
fn sandbox(found: &DetectedSandbox) -> DoctorLine {
    let why = found.unavailable.join("; ");
    match &found.level {
        SandboxLevel::Bubblewrap { .. } => DoctorLine::ok("sandbox", found.level.describe()),
        SandboxLevel::Landlock { .. } => DoctorLine::warn(
            "sandbox",
            format!(
                "{}; other processes are visible, and /tmp is shared ({why})",
                found.level.describe()
            ),
            "install bubblewrap, and allow unprivileged user namespaces",
        ),
        SandboxLevel::Off => DoctorLine::warn(
            "sandbox",
            format!("none: workers and checks run with all your permissions ({why})"),
            "install bubblewrap, or run afresh in a container",
        ),
    }
}
