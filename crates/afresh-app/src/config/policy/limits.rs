//! Limits on memory and processes of one worker or check, with everything it starts.
//!
//! They apply with and without a sandbox. A project can only lower them.

use afresh_core::process::size;
use afresh_process::{CONTROLLERS, TreeLimits, detect_enforcers, own_memory_limit};

/// What a project's configuration asks for.
#[derive(Debug, Clone, Copy, Default)]
pub struct LimitRequest {
    pub memory: Option<u64>,
    pub processes: Option<u64>,
}

/// Processes and threads of one worker or check. The largest builds and browsers have a few hundred.
const PROCESSES: u64 = 4096;

pub fn bounds(request: LimitRequest) -> TreeLimits {
    TreeLimits {
        memory: smaller(request.memory, memory()),
        processes: smaller(request.processes, Some(PROCESSES)),
        ..TreeLimits::default()
    }
}

/// Delegates cgroup controllers, so that the kernel enforces the limits where it can. Must happen before
/// anything is started.
pub fn delegate_controllers() {
    afresh_process::delegate_controllers(&CONTROLLERS);
}

/// The limits, and what enforces them.
pub fn describe(bounds: &TreeLimits) -> String {
    let memory = bounds.memory.map(|bytes| format!("{} of memory", size(bytes)));
    let processes = bounds.processes.map(|number| format!("{number} processes"));
    let parts: Vec<String> = memory.into_iter().chain(processes).collect();
    format!(
        "{} for each worker or check ({})",
        parts.join(", "),
        detect_enforcers(bounds).describe()
    )
}

/// The requested limit, where it is smaller than the built-in one.
pub fn smaller(request: Option<u64>, built_in: Option<u64>) -> Option<u64> {
    match (request, built_in) {
        (Some(request), Some(built_in)) => Some(request.min(built_in)),
        (request, built_in) => request.or(built_in),
    }
}

/// Three quarters of the available memory: the machine's, or that of our own limit.
pub fn memory() -> Option<u64> {
    let all = smaller(own_memory_limit(), of_machine())?;
    // In whole mebibytes, for messages.
    Some(((all / 4 * 3) >> 20) << 20)
}

fn of_machine() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let total = text.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    let kilobytes: u64 = total.trim().trim_end_matches("kB").trim().parse().ok()?;
    Some(kilobytes.saturating_mul(1024))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// BE-07: a project's limits can only be smaller.
    #[test]
    fn limits_of_a_project_only_tighten() {
        let request = LimitRequest { memory: Some(u64::MAX), processes: Some(10) };
        let found = bounds(request);
        assert_eq!(found.processes, Some(10));
        assert_eq!(found.memory, memory());
        let large = LimitRequest { processes: Some(u64::MAX), ..LimitRequest::default() };
        assert_eq!(bounds(large).processes, Some(PROCESSES));
    }
}
