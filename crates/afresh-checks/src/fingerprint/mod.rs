//! Whether two failures are the same: a hash of the command and its normalised output (TR-09).
//!
//! What differs from run to run although the cause is the same is left out: times, addresses, process ids, ports,
//! directories, lines of code, colours, the order of lines, and what is said about tests that pass. Other numbers
//! stay: `1 != 2` is another failure than `1 != 3`.
//!
//! | module | what it holds |
//! | --- | --- |
//! | `noise` | lines that say nothing about a failure |
//! | `normal` | a line without what differs from run to run |

mod noise;
mod normal;

use std::collections::BTreeSet;

use crate::runners::text_of_events;
use crate::text::plain_text;
use noise::is_noise;
use normal::normalise;

/// How many of the last lines count.
const MAX_LINES: usize = 20_000;

/// How much of a line counts.
const MAX_LINE: usize = 2_000;

/// Equal for two failures of the same kind.
pub fn fingerprint(command: &str, output: &str) -> String {
    let mut plain = plain_text(output);
    if plain.contains("\"Action\":\"") {
        plain = text_of_events(&plain);
    }
    let telling =
        plain.lines().rev().map(str::trim).filter(|line| !line.is_empty() && !is_noise(line));
    let normal: BTreeSet<String> =
        telling.take(MAX_LINES).map(|line| normalise(cut(line))).collect();
    let mut hash = blake3::Hasher::new();
    hash.update(command.as_bytes());
    for line in normal {
        hash.update(b"\n");
        hash.update(line.as_bytes());
    }
    hash.finalize().to_hex().as_str()[..32].to_owned()
}

fn cut(line: &str) -> &str {
    let end = line.char_indices().nth(MAX_LINE).map_or(line.len(), |(at, _)| at);
    &line[..end]
}

#[cfg(test)]
mod tests;
