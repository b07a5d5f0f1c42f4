//! How much input is read.
//!
//! The limits are above what people or agents write in a plan, and low enough that no input makes a
//! reader slow or needs more than 256 MiB: a short line can become a task of a kilobyte, which is held
//! several times on its way to a plan. Input beyond a limit is an error that names the limit; nothing
//! is dropped silently.

use afresh_core::plan::MAX_TASKS;

use crate::findings::Finding;

/// The largest file of text (Markdown, YAML and others), in bytes.
pub const MAX_TEXT_BYTES: usize = 2 * 1024 * 1024;

/// The largest file of data (JSON, TOML), in bytes.
pub const MAX_DATA_BYTES: usize = 8 * 1024 * 1024;

/// The most bytes that are read for one plan, all files together.
pub const MAX_ALL_BYTES: usize = 16 * 1024 * 1024;

/// The most values in one file of data.
pub const MAX_VALUES: usize = 250_000;

/// The largest block of `key: value` lines in front of a document, in bytes.
pub const MAX_FRONTMATTER_BYTES: usize = 128 * 1024;

/// The most bytes of instructions for all workers together, where each gets a copy of shared text.
pub const MAX_INSTRUCTION_BYTES: usize = 16 * 1024 * 1024;

/// The most checks, files or other items in one list of a task.
pub const MAX_LISTED: usize = 2_000;

const SPLIT: &str = "split it into several plans, or name a single one";

/// The size limit for a file, by its extension, in bytes.
pub fn max_bytes(path: &str) -> usize {
    let ending = path.rsplit('.').next().unwrap_or_default().to_ascii_lowercase();
    match ending.as_str() {
        "json" | "jsonl" | "toml" => MAX_DATA_BYTES,
        _ => MAX_TEXT_BYTES,
    }
}

/// The finding for a file above its limit.
pub fn too_large(path: &str) -> Finding {
    let limit = max_bytes(path);
    over_limit(path, format!("the file is larger than the limit of {limit} bytes"))
}

/// The finding for too many tasks.
pub fn too_many_tasks(path: &str, count: usize) -> Option<Finding> {
    let message = format!("the plan has more than {MAX_TASKS} tasks, which is the limit");
    (count > MAX_TASKS).then(|| over_limit(path, message))
}

/// A finding about something above a limit.
pub fn over_limit(path: &str, message: impl Into<String>) -> Finding {
    Finding::for_file(path, "too-large", message).with_hint(SPLIT)
}
