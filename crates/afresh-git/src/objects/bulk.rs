//! Reads much at once, up to a limit: many blobs, or the changes of many commits.
//!
//! What a repository holds may be endless; what is left out beyond a limit is simply not there.

use std::collections::BTreeMap;
use std::io::Read;

use afresh_core::ids::CommitId;

use crate::git::command::{CommandError, lines};
use crate::git::repository::Repository;

/// How much is read.
#[derive(Debug, Clone, Copy)]
pub struct BulkLimits {
    /// The largest blob, in bytes.
    pub blob_bytes: usize,
    /// All blobs together, in bytes.
    pub total_bytes: usize,
}

impl Repository {
    /// The contents of these blobs, by id. Objects that are missing, that are no blobs, or that are beyond a limit are
    /// left out.
    pub fn read_blobs(
        &self,
        ids: &[&str],
        limits: BulkLimits,
    ) -> Result<BTreeMap<String, Vec<u8>>, CommandError> {
        let wanted = self.choose_blobs(ids, limits)?;
        if wanted.is_empty() {
            return Ok(BTreeMap::new());
        }
        let call = self.git("read many files");
        let input = lines(wanted.iter().map(String::as_str));
        let answer = call.args(["cat-file", "--batch", "--buffer"]).stdin(input).run_checked()?;
        let mut found = BTreeMap::new();
        let mut rest = answer.stdout.as_slice();
        while let Some(end) = rest.iter().position(|byte| *byte == b'\n') {
            let header = String::from_utf8_lossy(&rest[..end]).into_owned();
            let [id, "blob", size] = header.split(' ').collect::<Vec<_>>()[..] else {
                return Err(answer.unexpected(header));
            };
            let size: usize = size.parse().map_err(|_| answer.unexpected(header.clone()))?;
            let content = rest.get(end + 1..end + 1 + size);
            let content = content.ok_or_else(|| answer.unexpected(header.clone()))?;
            found.insert(id.to_owned(), content.to_owned());
            rest = rest.get(end + 2 + size..).unwrap_or_default();
        }
        Ok(found)
    }

    /// Those of these blobs that are within the limits.
    fn choose_blobs(&self, ids: &[&str], limits: BulkLimits) -> Result<Vec<String>, CommandError> {
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        let call = self.git("measure many files");
        let verb = ["cat-file", "--batch-check", "--buffer"];
        let answer = call.args(verb).stdin(lines(ids.iter().copied())).run_checked()?;
        let text = String::from_utf8_lossy(&answer.stdout).into_owned();
        let mut room = limits.total_bytes;
        let mut chosen = Vec::new();
        for line in text.lines() {
            let [id, "blob", size] = line.split(' ').collect::<Vec<_>>()[..] else { continue };
            let size = size.parse().unwrap_or(usize::MAX);
            if size <= limits.blob_bytes && size <= room {
                room -= size;
                chosen.push(id.to_owned());
            }
        }
        Ok(chosen)
    }

    /// The paths that each of the last `commits` commits up to `from` changed, newest first, without merges and without
    /// the first commit of a history. Reads at most `bytes` of git's output; paths with unusual characters are left out.
    pub fn recent_changes(
        &self,
        from: &CommitId,
        commits: usize,
        bytes: u64,
    ) -> Result<Vec<Vec<String>>, CommandError> {
        let doing = format!("read the last changes before {from}");
        let options =
            ["--name-only", "--no-renames", "--no-merges", "--no-notes", "--format=%x01%P"];
        let call = self.git(doing.clone()).args(["log"]).args(options);
        let mut child =
            call.args([format!("--max-count={commits}"), from.to_string()]).args(["--"]).start()?;
        drop(child.stdin.take());
        drop(child.stderr.take());
        let mut printed = Vec::new();
        let read =
            child.stdout.take().map_or(Ok(0), |out| out.take(bytes).read_to_end(&mut printed));
        // It has ended by itself, unless it prints more than we read.
        let _ = child.kill();
        let _ = child.wait();
        read.map_err(|source| CommandError::Start { doing, source })?;
        if printed.len() as u64 >= bytes {
            // The last line may be cut.
            let end = printed.iter().rposition(|byte| *byte == b'\n').unwrap_or(0);
            printed.truncate(end);
        }
        let text = String::from_utf8_lossy(&printed).into_owned();
        let mut changes: Vec<Vec<String>> = Vec::new();
        let mut is_first = false;
        for line in text.lines() {
            match (line.strip_prefix('\u{1}'), changes.last_mut()) {
                (Some(parents), _) => {
                    is_first = parents.is_empty();
                    changes.push(Vec::new());
                }
                (None, Some(paths)) if !line.is_empty() && !line.starts_with('"') && !is_first => {
                    paths.push(line.to_owned());
                }
                _ => {}
            }
        }
        changes.retain(|paths| !paths.is_empty());
        Ok(changes)
    }
}
