//! Reading files up to a size.

use std::io::{self, Read};
use std::path::Path;

/// All of a regular file, if it is not too long.
pub fn read_bounded(path: &Path, most_bytes: usize) -> io::Result<Vec<u8>> {
    // A device or a pipe never ends.
    if !std::fs::metadata(path)?.is_file() {
        return Err(io::Error::other("not a regular file"));
    }
    let mut bytes = Vec::new();
    std::fs::File::open(path)?.take(most_bytes as u64 + 1).read_to_end(&mut bytes)?;
    if bytes.len() > most_bytes {
        return Err(io::Error::other(format!("it has more than {most_bytes} bytes")));
    }
    Ok(bytes)
}
