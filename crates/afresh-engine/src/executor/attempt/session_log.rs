//! Follows the program's own record of a conversation: its usage is in there after every request.

use std::collections::BTreeMap;
use std::fs;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use afresh_agents::stream::lines::LineBuffer;
use afresh_agents::stream::session_log::{SessionFile, SessionLog};
use afresh_agents::stream::usage::{micros, tokens};
use afresh_agents::{Agent, AgentEvent, StreamReader};
use afresh_core::usage::Usage;
use rusqlite::{Connection, OpenFlags};

use crate::worker_files::open_plain;

/// How often a file that does not exist yet is searched for, and a database is read.
const SEARCH_EVERY: Duration = Duration::from_millis(300);
/// How many entries of directories a search examines.
const MAX_ENTRIES: usize = 20_000;
const PIECE_BYTES: usize = 64 * 1024;

/// Finds the program's own record of a conversation, which has an id only after its first output.
pub(crate) struct SessionLogSource {
    pub(crate) agent: Agent,
    /// The environment of the worker.
    pub(crate) environment: BTreeMap<String, String>,
}

impl SessionLogSource {
    pub(super) fn of_session(&self, session: &str) -> Option<SessionLog> {
        let variable = |name: &str| self.environment.get(name).cloned();
        let home = variable("HOME").map(PathBuf::from);
        self.agent.session_log(session, home.as_deref(), &variable)
    }
}

pub(super) struct SessionLogFollower {
    session: String,
    log: SessionLog,
    open: Option<OpenLog>,
    searched_at: Option<Instant>,
}

struct OpenLog {
    path: PathBuf,
    read: u64,
    lines: LineBuffer,
    reader: Box<dyn StreamReader>,
}

/// Whether a short interval between two searches applies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LogPatience {
    Usual,
    /// The program has ended, so this is the last time.
    Last,
}

impl SessionLogFollower {
    pub(super) fn new(session: &str, log: SessionLog) -> Self {
        Self { session: session.to_owned(), log, open: None, searched_at: None }
    }

    /// Whether its file was found.
    pub(super) fn is_open(&self) -> bool {
        self.open.is_some()
    }

    /// What is new: totals of the whole conversation.
    pub(super) fn read(&mut self, patience: LogPatience) -> Vec<AgentEvent> {
        match &self.log {
            SessionLog::Lines(file) => {
                if self.open.is_none() && is_due(&mut self.searched_at, patience) {
                    self.open = find(&file.directory, file.depth, file).map(|path| OpenLog {
                        path,
                        read: 0,
                        lines: LineBuffer::default(),
                        reader: file.format.reader(),
                    });
                }
                // If it cannot be read now, the next time may succeed.
                self.open.as_mut().and_then(|open| open.read_on().ok()).unwrap_or_default()
            }
            SessionLog::Row { database, query } => {
                if !is_due(&mut self.searched_at, patience) {
                    return Vec::new();
                }
                let used = read_row(database, query, &self.session);
                used.map(AgentEvent::Used).into_iter().collect()
            }
        }
    }
}

fn is_due(at: &mut Option<Instant>, patience: LogPatience) -> bool {
    if patience == LogPatience::Usual && at.is_some_and(|at| at.elapsed() < SEARCH_EVERY) {
        return false;
    }
    *at = Some(Instant::now());
    true
}

impl OpenLog {
    fn read_on(&mut self) -> std::io::Result<Vec<AgentEvent>> {
        let mut file = open_plain(&self.path)?;
        file.seek(SeekFrom::Start(self.read))?;
        let mut piece = vec![0; PIECE_BYTES];
        let mut events = Vec::new();
        loop {
            let count = file.read(&mut piece)?;
            if count == 0 {
                return Ok(events);
            }
            self.read += count as u64;
            for line in self.lines.push(&piece[..count]) {
                events.extend(self.reader.read_line(String::from_utf8_lossy(&line).trim()));
            }
        }
    }
}

/// The newest file of this name: directories are named by dates or by projects.
fn find(directory: &Path, depth: usize, wanted: &SessionFile) -> Option<PathBuf> {
    let mut left = MAX_ENTRIES;
    search(directory, depth, wanted, &mut left)
}

fn search(
    directory: &Path,
    depth: usize,
    wanted: &SessionFile,
    left: &mut usize,
) -> Option<PathBuf> {
    let entries = fs::read_dir(directory).ok()?.flatten().take(*left);
    let mut names: Vec<_> = entries.map(|entry| entry.file_name()).collect();
    *left = left.saturating_sub(names.len());
    names.sort();
    names.iter().rev().find_map(|name| {
        let path = directory.join(name);
        if depth > 0 {
            return if path.is_dir() { search(&path, depth - 1, wanted, left) } else { None };
        }
        name.to_string_lossy().ends_with(&wanted.name_end).then_some(path)
    })
}

/// Read-only: the program writes it at the same time.
fn read_row(database: &Path, query: &str, session: &str) -> Option<Usage> {
    if !database.symlink_metadata().ok()?.is_file() {
        return None;
    }
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let opened = Connection::open_with_flags(database, flags).ok()?;
    opened.busy_timeout(Duration::from_millis(50)).ok()?;
    let row: [f64; 5] = opened
        .query_row(query, [session], |row| {
            Ok([row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?])
        })
        .ok()?;
    let [input, output, cache_read, cache_write, cost] = row;
    Some(Usage {
        input: tokens(input)?,
        output: tokens(output)?,
        cache_read: tokens(cache_read)?,
        cache_write: tokens(cache_write)?,
        cost_micros: micros(cost).filter(|cost| *cost > 0),
    })
}

#[cfg(test)]
mod tests {
    use afresh_agents::stream::session_log::SessionFormat;

    use super::*;

    fn totals(events: Vec<AgentEvent>) -> Vec<u64> {
        let total = |event| match event {
            AgentEvent::Used(used) => Some(used.tokens()),
            _ => None,
        };
        events.into_iter().filter_map(total).collect()
    }

    /// R14: a file that appears later is found, and read as it grows.
    #[test]
    fn a_growing_record_is_followed() {
        let directory = tempfile::tempdir().expect("a directory");
        let wanted = SessionFile {
            directory: directory.path().to_owned(),
            depth: 2,
            name_end: "-abcdefgh.jsonl".to_owned(),
            format: SessionFormat::Gemini,
        };
        let mut follower = SessionLogFollower::new("abcdefgh-1", SessionLog::Lines(wanted));
        assert_eq!(follower.read(LogPatience::Last), []);
        let chats = directory.path().join("project/chats");
        fs::create_dir_all(&chats).expect("directories");
        let line =
            |id: &str| format!("{{\"id\":\"{id}\",\"tokens\":{{\"input\":10,\"output\":1}}}}\n");
        let file = chats.join("session-2026-abcdefgh.jsonl");
        fs::write(&file, line("a")).expect("written");
        assert_eq!(totals(follower.read(LogPatience::Last)), [11]);
        fs::write(&file, line("a") + &line("b")).expect("written");
        assert_eq!(totals(follower.read(LogPatience::Usual)), [22]);
    }

    /// R14: sums of a database.
    #[test]
    fn a_row_of_a_database_is_read() {
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join("x.db");
        let database = Connection::open(&path).expect("a database");
        database.execute_batch("CREATE TABLE s (id TEXT, a, b, c, d, e); INSERT INTO s VALUES ('x', 1, 2, 3, 4, 0.5)").expect("made");
        let used =
            read_row(&path, "SELECT a, b, c, d, e FROM s WHERE id = ?1", "x").expect("a row");
        assert_eq!((used.tokens(), used.cost_micros), (10, Some(500_000)));
        assert_eq!(read_row(&path, "SELECT a, b, c, d, e FROM s WHERE id = ?1", "y"), None);
        assert_eq!(read_row(&directory.path().join("none.db"), "SELECT 1", "x"), None);
    }
}
