//! Writes commits, trees and notes into the staging directory without a git process for each.
//!
//! An object ends up as git itself would store it: in its own file, complete before it gets its
//! name. The caller provides the content, and publishes the commit.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use flate2::Compression;
use flate2::write::ZlibEncoder;
use sha1::Digest;

use crate::git::error::{FileContext, FileError};
use crate::git::repository::{ObjectFormat, Repository};
use crate::objects::id::ObjectId;

/// Distinguishes the temporary files of one process.
static NUMBER: AtomicU64 = AtomicU64::new(0);

/// The type of an object.
#[derive(Debug, Clone, Copy)]
pub(crate) enum ObjectKind {
    Commit,
    Tree,
    Blob,
}

impl ObjectKind {
    fn name(self) -> &'static str {
        match self {
            Self::Commit => "commit",
            Self::Tree => "tree",
            Self::Blob => "blob",
        }
    }
}

impl Repository {
    /// Stages an object and returns its id.
    pub(crate) fn write_object(
        &self,
        kind: ObjectKind,
        content: &[u8],
    ) -> Result<ObjectId, FileError> {
        let header = header(kind, content);
        let id = hash_with_header(self.format, header.as_bytes(), content);
        let file = self.staged_file(&id.to_string());
        if !file.is_file() {
            self.ensure_staging()?;
            let packed = compress(header.as_bytes(), content).context("write", &file)?;
            store(&file, &packed)?;
        }
        Ok(id)
    }

    /// The id that an object has or would have.
    pub(crate) fn hash_object(&self, kind: ObjectKind, content: &[u8]) -> ObjectId {
        hash_with_header(self.format, header(kind, content).as_bytes(), content)
    }
}

fn store(file: &Path, packed: &[u8]) -> Result<(), FileError> {
    let directory = file.parent().expect("an object lies in a directory");
    fs::create_dir_all(directory).context("make", directory)?;
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let fresh = directory.join(format!("tmp_obj_afresh-{}-{number}", std::process::id()));
    write_whole(&fresh, packed)
        .and_then(|()| fs::rename(&fresh, file))
        .inspect_err(|_| drop(fs::remove_file(&fresh)))
        .context("write", file)
}

fn header(kind: ObjectKind, content: &[u8]) -> String {
    format!("{} {}\0", kind.name(), content.len())
}

fn write_whole(fresh: &Path, packed: &[u8]) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).create_new(true).open(fresh)?;
    file.write_all(packed)
}

fn compress(header: &[u8], content: &[u8]) -> io::Result<Vec<u8>> {
    let mut packed = ZlibEncoder::new(Vec::new(), Compression::fast());
    packed.write_all(header)?;
    packed.write_all(content)?;
    packed.finish()
}

fn hash_with_header(format: ObjectFormat, header: &[u8], content: &[u8]) -> ObjectId {
    ObjectId::new(&digest(format, &[header, content]))
}

/// The digest of these parts together, by the repository's hash function.
pub(crate) fn digest(format: ObjectFormat, parts: &[&[u8]]) -> Vec<u8> {
    fn hash<D: Digest>(parts: &[&[u8]]) -> Vec<u8> {
        parts.iter().fold(D::new(), Digest::chain_update).finalize().to_vec()
    }
    match format {
        ObjectFormat::Sha1 => hash::<sha1::Sha1>(parts),
        ObjectFormat::Sha256 => hash::<sha2::Sha256>(parts),
    }
}
