//! What a worker or a check was denied, collected from all sources.

pub(crate) mod from_output;

use afresh_core::denial::{Denial, DeniedAction};
use afresh_core::process::{LimitExceeded, LimitedResource};
use afresh_git::WorkspaceId;
use afresh_process::EnforcedLimits;

use crate::executor::ExecutorContext;
use crate::executor::sandbox::SandboxGuard;

/// Denials of a worker that has ended, before its workspace is reset. `output` is the end of what it printed.
pub(crate) fn of_worker(
    shared: &ExecutorContext,
    place: WorkspaceId,
    kept: &EnforcedLimits,
    room: Option<&SandboxGuard>,
    output: &[&str],
) -> Vec<Denial> {
    let git = shared.pool.find_tampering(place);
    let mut refusals: Vec<Denial> =
        git.iter().map(|finding| Denial::new(DeniedAction::Git, finding, 1)).collect();
    refusals.extend(of_program(shared, kept, room, output));
    refusals
}

/// Denials of any program: limits that it reached, and what its output mentions.
pub(crate) fn of_program(
    shared: &ExecutorContext,
    kept: &EnforcedLimits,
    room: Option<&SandboxGuard>,
    output: &[&str],
) -> Vec<Denial> {
    let mut refusals: Vec<Denial> =
        kept.exceeded.iter().map(|(excess, times)| of_excess(*excess, *times)).collect();
    refusals.extend(room.map(SandboxGuard::refusals).unwrap_or_default());
    refusals.extend(of_output(shared, output));
    refusals
}

/// A daemon that a worker or a check leaves is ended with it; otherwise nobody would learn why it is gone.
pub(crate) fn of_left_behind(left_behind: u32) -> Option<Denial> {
    let detail = match left_behind {
        0 => return None,
        1 => "a process that it left running was ended".to_owned(),
        count => format!("{count} processes that it left running were ended"),
    };
    Some(Denial::new(DeniedAction::Processes, &detail, 1))
}

fn of_excess(excess: LimitExceeded, times: u64) -> Denial {
    let what = match excess.of {
        LimitedResource::Memory => DeniedAction::Memory,
        LimitedResource::Processes => DeniedAction::Processes,
        LimitedResource::Disk | LimitedResource::FreeDisk => DeniedAction::Disk,
    };
    Denial::new(what, &format!("it {}", excess.describe()), times)
}

/// Without a sandbox, the output says nothing about denials.
fn of_output(shared: &ExecutorContext, output: &[&str]) -> Vec<Denial> {
    if shared.config.sandbox.level.is_off() {
        return Vec::new();
    }
    from_output::refusals(output)
}
