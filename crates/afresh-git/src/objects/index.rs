//! Reads which paths one of our own index files holds.
//!
//! This saves a git process per question. Callers must be correct even if the answer is wrong: git
//! checks every tree.

use std::path::Path;

use crate::git::repository::ObjectFormat;
use crate::objects::diff::change::EntryMode;
use crate::objects::id::ObjectId;
use crate::objects::loose::digest;

const HEADER_BYTES: usize = 12;
/// Times, device, inode, mode, owner, group and size.
const STAT_BYTES: usize = 40;
const MODE_AT: usize = 24;

/// One file that an index holds.
#[derive(Debug)]
pub(crate) struct IndexEntry {
    pub(crate) path: Vec<u8>,
    pub(crate) mode: EntryMode,
    pub(crate) id: ObjectId,
}

/// The files of an index, in git's order.
#[derive(Debug, Default)]
pub(crate) struct IndexFile {
    entries: Vec<IndexEntry>,
    /// Whether all entries are ordinary files, and nothing else is in the index.
    is_plain: bool,
}

impl IndexFile {
    /// `None` if the file is missing, damaged, or in a format that we never write.
    pub(crate) fn load(path: &Path, format: ObjectFormat) -> Option<Self> {
        Self::parse(&std::fs::read(path).ok()?, format)
    }

    /// The same, if the checksum is right and all entries are ordinary ones.
    pub(crate) fn load_whole(path: &Path, format: ObjectFormat) -> Option<Self> {
        let bytes = std::fs::read(path).ok()?;
        let (content, sum) = bytes.split_at_checked(bytes.len().checked_sub(format.id_bytes())?)?;
        let is_whole = digest(format, &[content]) == sum;
        Self::parse(&bytes, format).filter(|index| is_whole && index.is_plain)
    }

    pub(crate) fn entries(&self) -> &[IndexEntry] {
        &self.entries
    }

    /// Reads an index; `None` as for [`Self::load`].
    pub(crate) fn parse(bytes: &[u8], format: ObjectFormat) -> Option<Self> {
        let version = number(bytes, 4)?;
        if !bytes.starts_with(b"DIRC") || !matches!(version, 2 | 3) {
            return None;
        }
        let count = number(bytes, 8)? as usize;
        let mut entries = Vec::with_capacity(count.min(1 << 20));
        let mut at = HEADER_BYTES;
        let mut is_plain = true;
        for _ in 0..count {
            let mode = EntryMode::from_bits(number(bytes, at + MODE_AT)?);
            let flags_at = at + STAT_BYTES + format.id_bytes();
            let id = ObjectId::new(bytes.get(at + STAT_BYTES..flags_at)?);
            let flags = bytes.get(flags_at..flags_at + 2)?;
            // A conflict stage, or more flags: not an ordinary file.
            is_plain &= flags[0] & 0x70 == 0
                && matches!(
                    mode,
                    EntryMode::File
                        | EntryMode::Executable
                        | EntryMode::Symlink
                        | EntryMode::Gitlink
                );
            // Bit 14: two more bytes of flags.
            let name_at = flags_at + if flags[0] & 0x40 == 0 { 2 } else { 4 };
            let length = bytes.get(name_at..)?.iter().position(|byte| *byte == 0)?;
            let path = bytes[name_at..name_at + length].to_owned();
            entries.push(IndexEntry { path, mode, id });
            // Entries are padded with one to eight NULs to a multiple of eight bytes.
            at += (name_at - at + length + 8) & !7;
        }
        is_plain &= extensions_are_known(bytes.get(at..)?, format);
        Some(Self { entries, is_plain })
    }

    pub(crate) fn get(&self, path: &[u8]) -> Option<EntryMode> {
        let at = self.entries.binary_search_by(|entry| entry.path.as_slice().cmp(path)).ok()?;
        Some(self.entries[at].mode)
    }

    /// Whether the index holds anything below the directory `path`.
    pub(crate) fn has_below(&self, path: &[u8]) -> bool {
        let below = [path, b"/"].concat();
        let at = self.entries.partition_point(|entry| entry.path < below);
        self.entries.get(at).is_some_and(|entry| entry.path.starts_with(&below))
    }
}

/// Extensions with an upper-case name may be ignored; others change what the entries mean.
fn extensions_are_known(mut rest: &[u8], format: ObjectFormat) -> bool {
    while rest.len() > format.id_bytes() {
        let Some(size) = number(rest, 4).filter(|_| rest[0].is_ascii_uppercase()) else {
            return false;
        };
        let Some(next) = rest.get(8 + size as usize..) else { return false };
        rest = next;
    }
    rest.len() == format.id_bytes()
}

fn number(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_be_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One file for each name, with zeros for all fields that are not read.
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
        let index = IndexFile::parse(&index_of(&["a", "d-x", "d/e/f", "da"]), ObjectFormat::Sha1);
        let index = index.unwrap();
        assert_eq!(index.get(b"d/e/f"), Some(EntryMode::File));
        assert_eq!(index.get(b"d"), None);
        assert!(index.has_below(b"d") && index.has_below(b"d/e"));
        assert!(!index.has_below(b"a") && !index.has_below(b"d/e/f"));
    }

    #[test]
    fn a_damaged_index_is_not_read() {
        let whole = index_of(&["a", "b"]);
        for end in 0..whole.len() - 7 {
            assert!(IndexFile::parse(&whole[..end], ObjectFormat::Sha1).is_none(), "{end} bytes");
        }
        assert!(IndexFile::parse(b"DIRC\0\0\0\x04\0\0\0\0", ObjectFormat::Sha1).is_none());
    }
}
