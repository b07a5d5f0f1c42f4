//! How processes are held on this machine, seen by holding one.

use afresh_process::{ContainmentLevel, EnforcedLimits};
use afresh_sandbox::{DetectedSandbox, SandboxLevel};

use crate::agents::probe::{self, Trial};
use crate::doctor::Line;
use crate::environment::Environment;
use crate::policy::limits;
use crate::policy::network;
use crate::policy::sandbox;

pub(super) fn look(
    environment: &Environment,
    trial: Result<&Trial, &String>,
    lines: &mut Vec<Line>,
) {
    limits::delegate_controllers();
    let tried = trial
        .map_err(Clone::clone)
        .and_then(|trial| trial.run(&["true".to_owned()], &[], probe::LIMIT));
    let line = match tried {
        Err(why) => Line::fail("processes", why, "see that /tmp, or TMPDIR, can be written"),
        Ok(tried) => {
            lines.push(limits(&tried.report.enforced_limits));
            let why = tried.report.unavailable.join("; ");
            match (&tried.report.ended, tried.report.containment) {
                (Err(failure), _) => Line::fail(
                    "processes",
                    failure.message.clone(),
                    "unset AFRESH_CONTAINMENT to take what this machine offers",
                ),
                (_, ContainmentLevel::Cgroup) => {
                    Line::ok("processes", "held by a cgroup: nothing gets away")
                }
                (_, ContainmentLevel::Namespace) => {
                    Line::ok("processes", "held by a PID namespace: nothing gets away")
                }
                (_, ContainmentLevel::Group | ContainmentLevel::None) => Line::warn(
                    "processes",
                    format!("held by session and parentage only ({why})"),
                    "allow unprivileged user namespaces, or run afresh in a session with its own cgroup",
                ),
            }
        }
    };
    lines.push(line);
    let found = sandbox::detect(environment.sandbox().unwrap_or("auto"), environment);
    lines.push(sandbox(&found));
    lines.push(match network::outlook(&found.level, environment) {
        Ok(words) => Line::ok("network", format!("of agents: {words}")),
        Err(failure) => Line::failed("network", &failure),
    });
}

/// What would keep a worker within its limits, seen by keeping something.
fn limits(kept: &EnforcedLimits) -> Line {
    let found = format!("memory and processes of a whole tree: {}", kept.describe());
    if kept.memory.is_kernel() && kept.processes.is_kernel() {
        return Line::ok("limits", found);
    }
    Line::warn(
        "limits",
        format!("{found}; a quick tree is over its limit for a moment"),
        "give it a cgroup of its own: `systemd-run --user --scope -p Delegate=yes afresh …`",
    )
}

/// What would hold workers and checks to their places, seen by making a room.
fn sandbox(found: &DetectedSandbox) -> Line {
    let why = found.unavailable.join("; ");
    match &found.level {
        SandboxLevel::Bubblewrap { .. } => Line::ok("sandbox", found.level.describe()),
        SandboxLevel::Landlock { .. } => Line::warn(
            "sandbox",
            format!(
                "{}; processes of others are seen, and /tmp is shared ({why})",
                found.level.describe()
            ),
            "install bubblewrap, and allow unprivileged user namespaces",
        ),
        SandboxLevel::Off => Line::warn(
            "sandbox",
            format!("none: workers and checks run as you, with your rights ({why})"),
            "install bubblewrap, or run afresh in a container",
        ),
    }
}
