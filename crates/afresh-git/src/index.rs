//! Which paths one of our own index files holds.
//!
//! Reading it here saves a git process per question. Whoever acts on the answer must come out
//! right even if it were wrong: git itself has the last word on every tree.

use std::path::Path;

use crate::change::Mode;
use crate::repository::ObjectFormat;

const HEADER_BYTES: usize = 12;
/// Times, device, inode, mode, owner, group and size.
const STAT_BYTES: usize = 40;
const MODE_AT: usize = 24;

/// The paths of an index, in git's order.
#[derive(Debug, Default)]
pub(crate) struct Index {
    entries: Vec<(Vec<u8>, Mode)>,
}

impl Index {
    /// `None` if the file is missing, damaged, or of a kind that we never write.
    pub(crate) fn load(path: &Path, format: ObjectFormat) -> Option<Self> {
        Self::parse(&std::fs::read(path).ok()?, format)
    }

    fn parse(bytes: &[u8], format: ObjectFormat) -> Option<Self> {
        let version = number(bytes, 4)?;
        if !bytes.starts_with(b"DIRC") || !matches!(version, 2 | 3) {
            return None;
        }
        let count = number(bytes, 8)? as usize;
        let mut entries = Vec::with_capacity(count.min(1 << 20));
        let mut at = HEADER_BYTES;
        for _ in 0..count {
            let mode = Mode::from_bits(number(bytes, at + MODE_AT)?);
            let flags_at = at + STAT_BYTES + format.id_bytes();
            let flags = bytes.get(flags_at..flags_at + 2)?;
            // Bit 14: two more bytes of flags.
            let name_at = flags_at + if flags[0] & 0x40 == 0 { 2 } else { 4 };
            let length = bytes.get(name_at..)?.iter().position(|byte| *byte == 0)?;
            entries.push((bytes[name_at..name_at + length].to_owned(), mode));
            // Entries are padded with one to eight NULs to a multiple of eight bytes.
            at += (name_at - at + length + 8) & !7;
        }
        Some(Self { entries })
    }

    pub(crate) fn get(&self, path: &[u8]) -> Option<Mode> {
        let at = self.entries.binary_search_by(|(name, _)| name.as_slice().cmp(path)).ok()?;
        Some(self.entries[at].1)
    }

    /// Whether something below the directory `path` is held.
    pub(crate) fn has_below(&self, path: &[u8]) -> bool {
        let below = [path, b"/"].concat();
        let at = self.entries.partition_point(|(name, _)| name.as_slice() < below.as_slice());
        self.entries.get(at).is_some_and(|(name, _)| name.starts_with(&below))
    }
}

fn number(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_be_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One file of each name, with zeros for everything that is not looked at.
    fn index_of(names: &[&str]) -> Vec<u8> {
        let mut bytes = b"DIRC\0\0\0\x02".to_vec();
        bytes.extend(u32::try_from(names.len()).unwrap().to_be_bytes());
        for name in names {
            let mut entry = vec![0; STAT_BYTES + 20 + 2];
            entry[MODE_AT..MODE_AT + 4].copy_from_slice(&0o100_644_u32.to_be_bytes());
            entry.extend(name.as_bytes());
            entry.resize((entry.len() + 8) & !7, 0);
            bytes.extend(entry);
        }
        bytes
    }

    #[test]
    fn files_and_the_directories_above_them_are_found() {
        let index = Index::parse(&index_of(&["a", "d-x", "d/e/f", "da"]), ObjectFormat::Sha1);
        let index = index.unwrap();
        assert_eq!(index.get(b"d/e/f"), Some(Mode::File));
        assert_eq!(index.get(b"d"), None);
        assert!(index.has_below(b"d") && index.has_below(b"d/e"));
        assert!(!index.has_below(b"a") && !index.has_below(b"d/e/f"));
    }

    #[test]
    fn a_damaged_index_is_no_index() {
        let whole = index_of(&["a", "b"]);
        for end in 0..whole.len() - 7 {
            assert!(Index::parse(&whole[..end], ObjectFormat::Sha1).is_none(), "{end} bytes");
        }
        assert!(Index::parse(b"DIRC\0\0\0\x04\0\0\0\0", ObjectFormat::Sha1).is_none());
    }
}
