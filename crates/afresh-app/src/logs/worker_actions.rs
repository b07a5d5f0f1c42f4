//! What running workers did last, read from the end of what their programs print.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

use afresh_agents::{AgentEvent, StreamReader};
use afresh_core::Run;
use afresh_core::ids::AttemptId;
use afresh_core::printable;
use afresh_core::run::TaskStage;
use afresh_dashboard::data::workers::WorkerAction;
use afresh_engine::StateLayout;

use super::readers::AgentReaders;

/// More than this at once is skipped: only the last action is shown.
const MAX_PIECE_BYTES: u64 = 256 * 1024;
/// The longest line that is understood.
const MAX_LINE_BYTES: usize = 128 * 1024;
const MAX_OBJECT_CHARS: usize = 200;

/// The last action of every worker that is at work.
#[derive(Debug, Default)]
pub struct WorkerActions {
    readers: AgentReaders,
    tails: BTreeMap<AttemptId, OutputTail>,
    actions: BTreeMap<AttemptId, WorkerAction>,
}

impl WorkerActions {
    pub fn new(readers: AgentReaders) -> Self {
        Self { readers, ..Self::default() }
    }

    /// Reads what was printed since the last call.
    pub fn poll(&mut self, layout: &StateLayout, run: &Run) -> &BTreeMap<AttemptId, WorkerAction> {
        let running: BTreeMap<AttemptId, Option<&str>> = run
            .active_tasks()
            .filter_map(|(at, state)| match &state.stage {
                TaskStage::Running(work) => Some((work.attempt.clone(), run.agent_of(at))),
                _ => None,
            })
            .collect();
        self.tails.retain(|attempt, _| running.contains_key(attempt));
        self.actions.retain(|attempt, _| running.contains_key(attempt));
        for (attempt, agent) in running {
            let tail = self
                .tails
                .entry(attempt.clone())
                .or_insert_with(|| OutputTail::new(self.readers.reader(agent)));
            let file = layout.attempt(run.id(), &attempt).join("stdout.log");
            if let Some(action) = tail.read_on(&file) {
                self.actions.insert(attempt, action);
            }
        }
        &self.actions
    }
}

/// The output of one worker, as far as it was read.
struct OutputTail {
    reader: Option<Box<dyn StreamReader>>,
    offset: u64,
    /// The start of a line whose end has not been printed.
    open_line: Vec<u8>,
    /// The rest of a line whose start was skipped means nothing.
    is_cut: bool,
}

impl std::fmt::Debug for OutputTail {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("OutputTail").field("offset", &self.offset).finish_non_exhaustive()
    }
}

impl OutputTail {
    fn new(reader: Option<Box<dyn StreamReader>>) -> Self {
        Self { reader, offset: 0, open_line: Vec::new(), is_cut: false }
    }

    /// The last action in what is new; none if there is none.
    fn read_on(&mut self, path: &Path) -> Option<WorkerAction> {
        let found = std::fs::symlink_metadata(path).ok().filter(std::fs::Metadata::is_file)?;
        if found.len() <= self.offset {
            return None;
        }
        let mut file = File::open(path).ok()?;
        let start = self.offset.max(found.len().saturating_sub(MAX_PIECE_BYTES));
        if start > self.offset {
            self.open_line.clear();
            self.is_cut = true;
        }
        file.seek(SeekFrom::Start(start)).ok()?;
        let mut piece = Vec::new();
        file.take(MAX_PIECE_BYTES).read_to_end(&mut piece).ok()?;
        self.offset = start + u64::try_from(piece.len()).unwrap_or(0);
        self.take_lines(&piece)
    }

    fn take_lines(&mut self, piece: &[u8]) -> Option<WorkerAction> {
        let mut last = None;
        let mut lines = piece.split(|byte| *byte == b'\n').peekable();
        while let Some(part) = lines.next() {
            self.open_line.extend_from_slice(part);
            if self.open_line.len() > MAX_LINE_BYTES {
                self.open_line.clear();
                self.is_cut = true;
            }
            if lines.peek().is_none() {
                break;
            }
            let line = std::mem::take(&mut self.open_line);
            if !std::mem::take(&mut self.is_cut) {
                last = self.understand(&String::from_utf8_lossy(&line)).or(last);
            }
        }
        last
    }

    fn understand(&mut self, line: &str) -> Option<WorkerAction> {
        let Some(reader) = &mut self.reader else {
            let text = line.trim();
            return (!text.is_empty()).then(|| action("prints", text));
        };
        let mut events = reader.read_line(line).into_iter().rev();
        events.find_map(|event| match event {
            AgentEvent::ToolStarted(call) => Some(action(verb_of(&call.tool), &call.about)),
            AgentEvent::Retrying(notice) => Some(action("waits for its model:", &notice.message)),
            AgentEvent::Text(text) => {
                let first = text.lines().find(|line| !line.trim().is_empty())?;
                Some(action("says", first))
            }
            _ => None,
        })
    }
}

fn action(verb: &str, object: &str) -> WorkerAction {
    let object = printable::line(object).chars().take(MAX_OBJECT_CHARS).collect();
    WorkerAction { verb: printable::line(verb).chars().take(40).collect(), object }
}

/// What tools of the known programs do, in one word.
fn verb_of(tool: &str) -> &str {
    match tool.to_ascii_lowercase().as_str() {
        "bash" | "shell" | "run_shell_command" | "exec" | "exec_command" | "local_shell" => "run",
        "edit" | "multiedit" | "str_replace" | "apply_patch" | "replace" | "patch" => "edit",
        "write" | "write_file" | "create" => "write",
        "read" | "read_file" | "view" | "cat" => "read",
        "grep" | "glob" | "search" | "search_file_content" | "list" | "ls" => "search",
        "webfetch" | "web_fetch" | "fetch" => "fetch",
        "todowrite" | "todo" | "update_plan" => "plan",
        _ => tool,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(path: &Path, text: &str) {
        use std::io::Write;
        let mut file =
            std::fs::OpenOptions::new().create(true).append(true).open(path).expect("a file");
        file.write_all(text.as_bytes()).expect("written");
    }

    #[test]
    fn the_last_complete_line_is_the_last_action() {
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join("stdout.log");
        let mut tail = OutputTail::new(None);
        assert_eq!(tail.read_on(&path), None);
        write(&path, "one\ntwo\nthr");
        assert_eq!(tail.read_on(&path), Some(action("prints", "two")));
        assert_eq!(tail.read_on(&path), None);
        write(&path, "ee\n\n");
        assert_eq!(tail.read_on(&path), Some(action("prints", "three")));
    }

    /// R15, B35: endless output costs a bounded read, and nothing in it moves a cursor.
    #[test]
    fn endless_output_is_skipped_up_to_its_end() {
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join("stdout.log");
        let mut tail = OutputTail::new(None);
        write(&path, &"x".repeat(1024 * 1024));
        assert_eq!(tail.read_on(&path), None);
        write(&path, "\nlast\x1b[2J\n");
        assert_eq!(tail.read_on(&path), Some(action("prints", "last\\u{1b}[2J")));
        assert!(tail.open_line.len() <= MAX_LINE_BYTES);
    }
}
