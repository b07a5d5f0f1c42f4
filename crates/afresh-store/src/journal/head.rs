//! The last acknowledged record, kept outside the database.
//!
//! The chain proves that the existing records are intact; only the head proves that none is missing
//! at the end. It is a file of two slots that are written in turn: whatever happens to one while it
//! is written, the other still holds the previous head. The journal decides when to move it.

use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Read};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use crate::atomic_file;
use crate::fault::IoFault;
use crate::journal::chain::ChainPoint;
use crate::journal::error::JournalError;

const MAGIC: &[u8; 8] = b"afrhead1";
/// One block of any common device each, so that a failing write cannot damage both slots.
const SLOT: usize = 4096;
const FILE: usize = 2 * SLOT;
/// Magic, sequence number, hash, checksum.
const USED: usize = 8 + 8 + 32 + 32;

/// The content of a head file: one or two acknowledged points.
#[derive(Debug, Clone, Copy)]
pub(crate) struct JournalHead {
    slots: [Option<ChainPoint>; 2],
}

impl JournalHead {
    /// Reads the head file, if there is one.
    pub(crate) fn load(path: &Path) -> Result<Option<Self>, JournalError> {
        let damaged = |what| JournalError::HeadDamaged { path: path.to_path_buf(), what };
        let mut bytes = Vec::with_capacity(FILE + 1);
        let read =
            File::open(path).and_then(|file| file.take(FILE as u64 + 1).read_to_end(&mut bytes));
        match read {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(IoFault::new("read", path, error).into()),
            // It has its full size from the start, so no crash of ours leaves another size.
            Ok(size) if size != FILE => return Err(damaged("it has the wrong size")),
            Ok(_) => {}
        }
        let head = Self { slots: [parse(&bytes[..SLOT]), parse(&bytes[SLOT..])] };
        if head.points().next().is_none() {
            return Err(damaged("both of its slots are damaged"));
        }
        Ok(Some(head))
    }

    /// Every acknowledged point that the file still holds.
    pub(crate) fn points(&self) -> impl Iterator<Item = ChainPoint> {
        self.slots.into_iter().flatten()
    }

    pub(crate) fn newest(&self) -> ChainPoint {
        self.points().max_by_key(|point| point.seq).unwrap_or(ChainPoint::START)
    }

    /// The slot to write next: never the one that holds the newest point.
    fn older_slot(&self) -> usize {
        match self.slots {
            [Some(first), Some(second)] => usize::from(first.seq > second.seq),
            [Some(_), None] => 1,
            [None, _] => 0,
        }
    }
}

/// The head file of the one writer.
#[derive(Debug)]
pub(crate) struct HeadFile {
    file: File,
    path: PathBuf,
    head: JournalHead,
}

impl HeadFile {
    /// Opens the head file for moving, or makes one that acknowledges nothing.
    pub(crate) fn open(path: &Path) -> Result<Self, JournalError> {
        let head = if let Some(head) = JournalHead::load(path)? {
            head
        } else {
            let mut bytes = vec![0; FILE];
            bytes[..USED].copy_from_slice(&render(ChainPoint::START));
            atomic_file::write_atomically(path, &bytes)?;
            JournalHead { slots: [Some(ChainPoint::START), None] }
        };
        let file =
            OpenOptions::new().write(true).open(path).map_err(IoFault::during("open", path))?;
        Ok(Self { file, path: path.to_path_buf(), head })
    }

    /// Moves the head to `point`; it is on disk when this returns.
    pub(crate) fn acknowledge(&mut self, point: ChainPoint) -> Result<(), IoFault> {
        let slot = self.head.older_slot();
        self.file
            .write_all_at(&render(point), (slot * SLOT) as u64)
            .and_then(|()| self.file.sync_data())
            .map_err(IoFault::during("write", &self.path))?;
        self.head.slots[slot] = Some(point);
        Ok(())
    }

    pub(crate) fn newest(&self) -> ChainPoint {
        self.head.newest()
    }

    /// Makes every later write fail the way a full disk does.
    #[cfg(all(test, target_os = "linux"))]
    pub(crate) fn fill_the_disk(&mut self) {
        self.file = OpenOptions::new().write(true).open("/dev/full").expect("Linux has it");
    }
}

fn render(point: ChainPoint) -> [u8; USED] {
    let mut bytes = [0; USED];
    bytes[..8].copy_from_slice(MAGIC);
    bytes[8..16].copy_from_slice(&point.seq.to_le_bytes());
    bytes[16..48].copy_from_slice(&point.hash);
    let checksum = blake3::hash(&bytes[..48]);
    bytes[48..].copy_from_slice(checksum.as_bytes());
    bytes
}

/// The point in a slot, unless it was never written or not written completely.
fn parse(slot: &[u8]) -> Option<ChainPoint> {
    let seq = u64::from_le_bytes(slot[8..16].try_into().ok()?);
    let hash = slot[16..48].try_into().ok()?;
    let point = ChainPoint { seq, hash };
    (slot[..USED] == render(point)).then_some(point)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn point(seq: u64) -> ChainPoint {
        ChainPoint { seq, hash: [u8::try_from(seq).unwrap(); 32] }
    }

    /// R10.
    #[test]
    fn the_newest_of_many_heads_is_read_back() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("journal.head");
        let mut file = HeadFile::open(&path).unwrap();
        for seq in 1..=5 {
            file.acknowledge(point(seq)).unwrap();
            assert_eq!(JournalHead::load(&path).unwrap().unwrap().newest(), point(seq));
        }
        drop(file);
        HeadFile::open(&path).unwrap().acknowledge(point(6)).unwrap();
        let known: Vec<_> = JournalHead::load(&path).unwrap().unwrap().points().collect();
        assert!(known.contains(&point(5)) && known.contains(&point(6)), "{known:?}");
    }

    /// F04: a power cut while a slot is written may leave anything in that slot.
    #[test]
    fn a_torn_slot_leaves_the_head_before_it() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("journal.head");
        let mut file = HeadFile::open(&path).unwrap();
        file.acknowledge(point(1)).unwrap();
        let before = fs::read(&path).unwrap();
        file.acknowledge(point(2)).unwrap();
        let after = fs::read(&path).unwrap();
        // The rest of a slot is always empty.
        for cut in (0..=USED).chain(SLOT..=SLOT + USED) {
            let mut torn = after[..cut].to_vec();
            torn.extend_from_slice(&before[cut..]);
            fs::write(&path, &torn).unwrap();
            let newest = JournalHead::load(&path).unwrap().unwrap().newest();
            assert!(newest == point(1) || newest == point(2), "cut at {cut}: {newest:?}");
        }
    }

    /// F07.
    #[test]
    fn a_head_of_the_wrong_size_is_rejected() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("journal.head");
        HeadFile::open(&path).unwrap().acknowledge(point(1)).unwrap();
        let whole = fs::read(&path).unwrap();
        for size in (0..FILE).step_by(61).chain([FILE - 1]) {
            fs::write(&path, &whole[..size]).unwrap();
            assert!(
                matches!(JournalHead::load(&path), Err(JournalError::HeadDamaged { .. })),
                "{size}"
            );
        }
        fs::write(&path, [whole, vec![0]].concat()).unwrap();
        assert!(matches!(JournalHead::load(&path), Err(JournalError::HeadDamaged { .. })));
    }
}
