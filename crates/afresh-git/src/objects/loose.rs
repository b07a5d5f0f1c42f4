//! Writes commits and trees into the user's repository without a git process for each.
//!
//! An object ends up as git itself would store it: in its own file, complete and on disk before it
//! gets its name. The caller provides the content.

use std::fs::{self, DirBuilder, File, FileTimes, OpenOptions, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::SystemTime;

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
}

impl ObjectKind {
    fn name(self) -> &'static str {
        match self {
            Self::Commit => "commit",
            Self::Tree => "tree",
        }
    }
}

impl Repository {
    /// Stores an object durably and returns its id.
    pub(crate) fn write_object(
        &self,
        kind: ObjectKind,
        content: &[u8],
    ) -> Result<ObjectId, FileError> {
        let header = header(kind, content);
        let id = hash_with_header(self.format, header.as_bytes(), content);
        let file = self.loose_file(&id.to_string());
        if is_freshened(&file) {
            return Ok(id);
        }
        let packed = compress(header.as_bytes(), content).context("write", &file)?;
        match self.store(&file, &packed) {
            // A garbage collection of the user's removes empty directories.
            Err(error) if error.source.kind() == io::ErrorKind::NotFound => {
                self.store(&file, &packed)?;
            }
            other => other?,
        }
        Ok(id)
    }

    /// The id that an object has or would have.
    pub(crate) fn hash_object(&self, kind: ObjectKind, content: &[u8]) -> ObjectId {
        hash_with_header(self.format, header(kind, content).as_bytes(), content)
    }

    /// Whether the object has its own file; if not, it may still be in a pack.
    pub(crate) fn is_loose(&self, id: &str) -> bool {
        self.loose_file(id).is_file()
    }

    fn loose_file(&self, id: &str) -> PathBuf {
        let (directory, rest) = id.split_at(2);
        self.objects().join(directory).join(rest)
    }

    fn store(&self, file: &Path, packed: &[u8]) -> Result<(), FileError> {
        let objects = self.objects();
        // The permissions of this directory show whether a group shares the repository.
        let shared = objects.metadata().context("look at", &objects)?.permissions().mode();
        let directory = file.parent().expect("an object lies in a directory");
        make_directory(directory, shared).context("make", directory)?;
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        // Git's own garbage collection removes leftovers with such a name.
        let fresh = directory.join(format!("tmp_obj_afresh-{}-{number}", std::process::id()));
        write_whole(&fresh, packed, shared)
            .and_then(|()| fs::rename(&fresh, file))
            .inspect_err(|_| drop(fs::remove_file(&fresh)))
            .context("write", file)
    }
}

fn header(kind: ObjectKind, content: &[u8]) -> String {
    format!("{} {}\0", kind.name(), content.len())
}

fn make_directory(directory: &Path, shared: u32) -> io::Result<()> {
    if directory.is_dir() {
        return Ok(());
    }
    match DirBuilder::new().mode(shared & 0o777).create(directory) {
        Ok(()) => fs::set_permissions(directory, Permissions::from_mode(shared & 0o7777)),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(error),
    }
}

fn write_whole(fresh: &Path, packed: &[u8], shared: u32) -> io::Result<()> {
    let mode = shared & 0o444;
    let mut file = OpenOptions::new().write(true).create_new(true).mode(mode).open(fresh)?;
    file.write_all(packed)?;
    file.set_permissions(Permissions::from_mode(mode))?;
    file.sync_all()
}

/// Updates the time of an existing object, so that no garbage collection removes it meanwhile.
fn is_freshened(file: &Path) -> bool {
    let now = FileTimes::new().set_modified(SystemTime::now());
    File::open(file).and_then(|found| found.set_times(now)).is_ok()
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
