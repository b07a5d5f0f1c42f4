//! What probes have shown, kept between runs: by tree, command, set-up, environment and sandbox.
//!
//! Only what says something lasting is kept; no merge ever lands on it, and no failure is excused by it.

use std::fs;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use afresh_checks::TestReport;
use afresh_core::check::CheckResult;
use afresh_core::ids::TreeId;
use afresh_store::write_atomically;
use serde::{Deserialize, Serialize};

use super::command::EndedCheck;
use crate::executor::ExecutorContext;
use crate::worker_files::open_plain;

/// How much of the beginning and of the end of an output is kept.
const PART_BYTES: usize = 16 * 1024;
/// No entry is larger.
const MAX_ENTRY_BYTES: u64 = 4 * 1024 * 1024;
/// Older entries are removed.
const KEEP: Duration = Duration::from_secs(30 * 24 * 3600);
/// Old entries are looked for once in so many new ones.
const PRUNE_EVERY: u8 = 64;

/// How a command ended, with all that classifying it needs.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct RememberedProbe {
    pub(super) result: CheckResult,
    /// The beginning and the end.
    pub(super) output: String,
    pub(super) reports: Vec<TestReport>,
    pub(super) syntax_error: Option<String>,
}

impl RememberedProbe {
    pub(super) fn new(ended: EndedCheck, syntax_error: Option<String>) -> Self {
        let EndedCheck { result, output, reports } = ended;
        Self { result, output: both_ends(output), reports, syntax_error }
    }
}

/// The probes of one tree.
#[derive(Debug)]
pub(super) struct ProbeCache {
    /// None: nothing is kept.
    directory: Option<PathBuf>,
    /// Everything but the command.
    prefix: blake3::Hasher,
}

impl ProbeCache {
    pub(super) fn new(shared: &ExecutorContext, tree: &TreeId) -> Self {
        let config = &shared.config;
        let mut prefix = blake3::Hasher::new();
        let mut add = |part: &str| {
            prefix.update(&(part.len() as u64).to_le_bytes());
            prefix.update(part.as_bytes());
        };
        add(env!("CARGO_PKG_VERSION"));
        // A check may look at the history too, and at nothing else of the repository.
        add(&shared.pool.repository().common_dir().to_string_lossy());
        add(tree.as_str());
        add(&format!("{:?}", config.setup));
        let environment = config.workers.variables(&config.workers.check_env);
        add(&format!("{environment:?}"));
        let sandbox = &config.sandbox;
        add(&format!("{:?} {}", sandbox.level, sandbox.check_network));
        add(&format!("{:?} {:?}", sandbox.readable, sandbox.writable));
        Self { directory: config.probe_cache.clone(), prefix }
    }

    pub(super) fn find(&self, command: &str) -> Option<RememberedProbe> {
        let path = self.path(command)?;
        let file = open_plain(&path).ok()?;
        if file.metadata().ok()?.len() > MAX_ENTRY_BYTES {
            return None;
        }
        serde_json::from_reader(std::io::BufReader::new(file)).ok()
    }

    /// A cache that cannot be written is no reason to fail.
    pub(super) fn note(&self, command: &str, probe: &RememberedProbe) {
        let Some(path) = self.path(command) else { return };
        let Some(directory) = path.parent() else { return };
        let Ok(json) = serde_json::to_vec(probe) else { return };
        if json.len() as u64 > MAX_ENTRY_BYTES {
            return;
        }
        if fs::create_dir_all(directory).is_ok() {
            let _ = write_atomically(&path, &json);
            if self.key(command).as_bytes()[0].is_multiple_of(PRUNE_EVERY) {
                prune(directory);
            }
        }
    }

    fn path(&self, command: &str) -> Option<PathBuf> {
        let name = self.key(command).to_hex();
        self.directory.as_ref().map(|directory| directory.join(format!("{name}.json")))
    }

    fn key(&self, command: &str) -> blake3::Hash {
        let mut hash = self.prefix.clone();
        hash.update(command.as_bytes());
        hash.finalize()
    }
}

fn prune(directory: &std::path::Path) {
    let Ok(entries) = fs::read_dir(directory) else { return };
    let oldest = SystemTime::now().checked_sub(KEEP);
    for entry in entries.flatten() {
        let made = entry.metadata().and_then(|found| found.modified()).ok();
        if made.is_some() && made < oldest {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// The beginning and the end of a long output, each cut at a line.
fn both_ends(output: String) -> String {
    if output.len() <= 2 * PART_BYTES {
        return output;
    }
    let boundary = |mut at: usize| {
        while !output.is_char_boundary(at) {
            at -= 1;
        }
        at
    };
    let head = output[..boundary(PART_BYTES)].rsplit_once('\n');
    let tail = output[boundary(output.len() - PART_BYTES)..].split_once('\n');
    format!(
        "{}\n{}",
        head.map(|(head, _)| head).unwrap_or_default(),
        tail.map(|(_, tail)| tail).unwrap_or_default()
    )
}
