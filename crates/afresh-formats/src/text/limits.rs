//! How much of what others wrote is read.
//!
//! More than people or agents put into a plan, and so little that no text makes a reader slow, or
//! larger than 256 MiB: a short line may become a task of a kilobyte, and that is kept several times
//! on its way to a plan. What is beyond a limit is an error that names it, never left out silently.

use afresh_core::plan::MAX_TASKS;

use crate::findings::Finding;

/// The largest Markdown, YAML or other text for people, in bytes.
pub const MAX_TEXT_BYTES: usize = 2 * 1024 * 1024;

/// The largest file of data (JSON, TOML), in bytes.
pub const MAX_DATA_BYTES: usize = 8 * 1024 * 1024;

/// How much is read for one plan, in bytes, all files together.
pub const MAX_ALL_BYTES: usize = 16 * 1024 * 1024;

/// The most values in one file of data.
pub const MAX_VALUES: usize = 250_000;

/// The largest block of `key: value` lines in front of a document, in bytes.
pub const MAX_FRONTMATTER_BYTES: usize = 128 * 1024;

/// How much all workers together may be told, in bytes, where each is told what all share.
pub const MAX_TOLD_BYTES: usize = 16 * 1024 * 1024;

/// The most checks, files or other lines that one part of one task may list.
pub const MAX_LISTED: usize = 2_000;

const SPLIT: &str = "split it into several plans, or name the one that is meant";

/// The largest file with this name, in bytes.
pub fn max_bytes(path: &str) -> usize {
    let ending = path.rsplit('.').next().unwrap_or_default().to_ascii_lowercase();
    match ending.as_str() {
        "json" | "jsonl" | "toml" => MAX_DATA_BYTES,
        _ => MAX_TEXT_BYTES,
    }
}

/// A file that is larger than its limit.
pub fn too_large(path: &str) -> Finding {
    let limit = max_bytes(path);
    beyond(path, format!("the file has more than {limit} bytes, and no more are read"))
}

/// More tasks than a plan may hold.
pub fn too_many_tasks(path: &str, count: usize) -> Option<Finding> {
    let message = format!("there are more than {MAX_TASKS} tasks, and no more are read");
    (count > MAX_TASKS).then(|| beyond(path, message))
}

/// Something of a file, or of the plan, is beyond a limit.
pub fn beyond(path: &str, message: impl Into<String>) -> Finding {
    Finding::of_file(path, "too-large", message).with_hint(SPLIT)
}
