//! Processes that a run left behind (R6).
//!
//! A process belongs to a test if its directory, its command line or its environment names the
//! test's temporary directory; the test itself does not count.

use std::fs;
use std::path::Path;

/// Command lines of processes that still belong to `directory`.
pub fn survivors(directory: &Path) -> Vec<String> {
    let needle = directory.to_string_lossy().into_owned();
    let own = std::process::id();
    let mut found = Vec::new();
    for entry in fs::read_dir("/proc").into_iter().flatten().flatten() {
        let Some(pid) = entry.file_name().to_str().and_then(|name| name.parse::<u32>().ok()) else {
            continue;
        };
        let process = entry.path();
        let text = |name: &str| {
            String::from_utf8_lossy(&fs::read(process.join(name)).unwrap_or_default())
                .replace('\0', " ")
        };
        let directory = fs::read_link(process.join("cwd"))
            .map(|path| path.to_string_lossy().into_owned())
            .unwrap_or_default();
        let dead = text("stat")
            .rsplit(')')
            .next()
            .is_some_and(|rest| rest.trim_start().starts_with(['Z', 'X']));
        let ours =
            [directory, text("cmdline"), text("environ")].iter().any(|text| text.contains(&needle));
        if pid != own && ours && !dead {
            found.push(format!("{pid}: {}", text("cmdline")));
        }
    }
    found
}
