//! How processes are held on this machine, seen by holding one.

use afresh_process::{Ended, Rung};

use crate::doctor::Line;
use crate::trial::{self, Trial};

pub(super) fn look(trial: Result<&Trial, &String>, lines: &mut Vec<Line>) {
    let tried = trial
        .map_err(Clone::clone)
        .and_then(|trial| trial.run(&["true".to_owned()], &[], trial::LIMIT));
    let line = match tried {
        Err(why) => Line::fail("processes", why, "see that /tmp, or TMPDIR, can be written"),
        Ok(tried) => {
            let why = tried.report.passed_over.join("; ");
            match (&tried.report.ended, tried.report.rung) {
                (Ended::SpawnFailed(failure), _) => Line::fail(
                    "processes",
                    failure.message.clone(),
                    "unset AFRESH_CONTAINMENT to take what this machine offers",
                ),
                (_, Rung::Cgroup) => Line::ok("processes", "held by a cgroup: nothing gets away"),
                (_, Rung::Namespace) => {
                    Line::ok("processes", "held by a PID namespace: nothing gets away")
                }
                (_, Rung::Group | Rung::None) => Line::warn(
                    "processes",
                    format!("held by session and parentage only ({why})"),
                    "allow unprivileged user namespaces, or run afresh in a session with its own cgroup",
                ),
            }
        }
    };
    lines.push(line);
}
