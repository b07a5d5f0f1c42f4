//! Checks whether SQLite's write-ahead log holds anything.
//!
//! SQLite ignores a log without frames or with a torn header. But a connection that may not change
//! the log's index does not notice that and tries for ten seconds, so we check first. The frames
//! are left to SQLite. The header's layout is part of SQLite's documented file format.

use std::fs::File;
use std::io::Read;
use std::path::Path;

const HEADER: usize = 32;
/// The last bit is the byte order of checksums.
const MAGIC: u32 = 0x377f_0682;

/// Whether there is a log with a complete header and something after it.
pub(crate) fn has_frames(path: &Path) -> bool {
    // Unlike the database, the log may be opened and closed beside SQLite: no lock is kept on it.
    let mut bytes = Vec::with_capacity(HEADER + 1);
    let read =
        File::open(path).and_then(|file| file.take(HEADER as u64 + 1).read_to_end(&mut bytes));
    read.is_ok_and(|size| size > HEADER) && is_whole(&bytes[..HEADER])
}

fn is_whole(header: &[u8]) -> bool {
    let words = |order: fn([u8; 4]) -> u32| {
        header.chunks_exact(4).filter_map(move |word| Some(order(word.try_into().ok()?)))
    };
    let stated: Vec<u32> = words(u32::from_be_bytes).collect();
    let order = match stated[0] ^ MAGIC {
        0 => u32::from_le_bytes,
        1 => u32::from_be_bytes,
        _ => return false,
    };
    let summed: Vec<u32> = words(order).take(6).collect();
    let sum = summed.chunks_exact(2).fold((0_u32, 0_u32), |(first, second), pair| {
        let first = first.wrapping_add(pair[0]).wrapping_add(second);
        (first, second.wrapping_add(pair[1]).wrapping_add(first))
    });
    sum == (stated[6], stated[7])
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn only_a_whole_header_with_frames_counts_as_a_log() {
        let dir = tempfile::tempdir().unwrap();
        let database = rusqlite::Connection::open(dir.path().join("db")).unwrap();
        database.pragma_update(None, "journal_mode", "WAL").unwrap();
        database.execute_batch("CREATE TABLE t(x)").unwrap();
        let log = fs::read(dir.path().join("db-wal")).unwrap();
        let path = dir.path().join("copy");
        let holds = |bytes: &[u8]| {
            fs::write(&path, bytes).unwrap();
            has_frames(&path)
        };
        assert!(holds(&log) && holds(&log[..33]));
        assert!(!holds(&log[..32]) && !holds(&log[..31]) && !holds(b""));
        assert!(!has_frames(&dir.path().join("none")));
        for bit in 0..HEADER * 8 {
            let mut flipped = log.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            assert!(!holds(&flipped), "bit {bit}");
        }
    }
}
