//! A pack of a few new objects, written without a git process.
//!
//! Objects that are made right before a ref moves go into a pinned pack at once. Starting git for that would take
//! longer than everything else.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use afresh_core::ids::CommitId;
use flate2::write::ZlibEncoder;
use flate2::{Compression, Crc};

use crate::git::error::{FileContext, FileError};
use crate::git::repository::{ObjectFormat, Repository};
use crate::objects::id::ObjectId;
use crate::objects::loose::{ObjectKind, digest};

/// Distinguishes the temporary files of one process.
static NUMBER: AtomicU64 = AtomicU64::new(0);

/// Objects that are in no repository yet.
#[derive(Debug)]
pub(crate) struct NewObjects<'a> {
    repository: &'a Repository,
    objects: Vec<(ObjectId, ObjectKind, Vec<u8>)>,
}

/// One object inside a pack.
struct PackEntry {
    id: ObjectId,
    crc: u32,
    offset: u32,
}

impl<'a> NewObjects<'a> {
    pub(crate) fn new(repository: &'a Repository) -> Self {
        Self { repository, objects: Vec::new() }
    }

    pub(crate) fn add(&mut self, kind: ObjectKind, content: Vec<u8>) -> ObjectId {
        let id = self.repository.hash_object(kind, &content);
        // The index of a pack names each object once.
        if self.objects.iter().all(|(other, ..)| *other != id) {
            self.objects.push((id, kind, content));
        }
        id
    }

    /// Puts them into the user's repository, durably, and safe from garbage collections until a ref reaches `tip`.
    pub(crate) fn publish(self, tip: &CommitId) -> Result<(), FileError> {
        // If another program removes the pack, it is made again from these.
        for (_, kind, content) in &self.objects {
            self.repository.write_object(*kind, content)?;
        }
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let name = format!("pack/afresh-{}-{number}", std::process::id());
        let base = self.repository.ensure_staging()?.join(name);
        let format = self.repository.format;
        let (pack, entries) = self.render_pack(format).context("write", &base)?;
        let index = render_index(format, &pack, entries);
        let written =
            [("pack", &pack), ("idx", &index)].into_iter().try_for_each(|(kind, bytes)| {
                let file = base.with_extension(kind);
                write_durably(&file, bytes).context("write", &file)
            });
        let keep = written.and_then(|()| self.repository.install_pack(&base, tip));
        let keep = keep.inspect_err(|_| {
            for kind in ["pack", "idx"] {
                let _ = fs::remove_file(base.with_extension(kind));
            }
        })?;
        self.repository.pin(tip, [tip.clone()], keep);
        Ok(())
    }

    fn render_pack(&self, format: ObjectFormat) -> io::Result<(Vec<u8>, Vec<PackEntry>)> {
        let mut pack = b"PACK\0\0\0\x02".to_vec();
        pack.extend(to_u32(self.objects.len())?.to_be_bytes());
        let mut entries = Vec::new();
        for (id, kind, content) in &self.objects {
            let offset = to_u32(pack.len())?;
            pack.extend(entry_header(*kind, content.len()));
            let mut packed = ZlibEncoder::new(pack, Compression::fast());
            packed.write_all(content)?;
            pack = packed.finish()?;
            let mut crc = Crc::new();
            crc.update(&pack[offset as usize..]);
            entries.push(PackEntry { id: *id, crc: crc.sum(), offset });
        }
        let checksum = digest(format, &[&pack]);
        pack.extend(checksum);
        Ok((pack, entries))
    }
}

/// Kind and size of an object: four bits of the size, then seven in each further byte.
fn entry_header(kind: ObjectKind, size: usize) -> Vec<u8> {
    let number = match kind {
        ObjectKind::Commit => 1,
        ObjectKind::Tree => 2,
        ObjectKind::Blob => 3,
    };
    let low = |size: usize, bits: usize| u8::try_from(size & bits).expect("it is masked");
    let mut header = vec![number << 4 | low(size, 0xf)];
    let mut rest = size >> 4;
    while rest > 0 {
        *header.last_mut().expect("it has a byte") |= 0x80;
        header.push(low(rest, 0x7f));
        rest >>= 7;
    }
    header
}

/// The second version of git's pack index.
fn render_index(format: ObjectFormat, pack: &[u8], mut entries: Vec<PackEntry>) -> Vec<u8> {
    entries.sort_by_key(|entry| entry.id);
    let mut index = b"\xfftOc\0\0\0\x02".to_vec();
    for first in 0..=u8::MAX {
        let count = entries.iter().filter(|entry| entry.id.as_bytes()[0] <= first).count();
        index.extend(u32::try_from(count).expect("a few objects").to_be_bytes());
    }
    index.extend(entries.iter().flat_map(|entry| entry.id.as_bytes()));
    index.extend(entries.iter().flat_map(|entry| entry.crc.to_be_bytes()));
    index.extend(entries.iter().flat_map(|entry| entry.offset.to_be_bytes()));
    index.extend(&pack[pack.len() - format.id_bytes()..]);
    let checksum = digest(format, &[&index]);
    index.extend(checksum);
    index
}

fn to_u32(number: usize) -> io::Result<u32> {
    u32::try_from(number).map_err(|_| io::Error::other("the objects are too large for one pack"))
}

fn write_durably(file: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).create_new(true).open(file)?;
    file.write_all(bytes)?;
    file.sync_all()
}
