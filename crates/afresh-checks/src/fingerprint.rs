//! Whether two failures are the same: a hash of the command and its normalised output (TR-09).
//!
//! What differs from run to run although the cause is the same is left out: numbers, addresses, times, temporary
//! directories, colours, and the order of lines.

use afresh_core::printable::without_colors;

/// How many of the last lines count; more would make long logs differ by chance.
const MAX_LINES: usize = 200;

/// Equal for two failures of the same kind.
pub fn fingerprint(command: &str, output: &str) -> String {
    let plain = without_colors(output);
    let lines: Vec<&str> = plain.lines().filter(|line| !line.trim().is_empty()).collect();
    let last = &lines[lines.len().saturating_sub(MAX_LINES)..];
    let mut normal: Vec<String> = last.iter().map(|line| normalise(line)).collect();
    normal.sort_unstable();
    normal.dedup();
    let mut hash = blake3::Hasher::new();
    hash.update(command.as_bytes());
    for line in normal {
        hash.update(b"\n");
        hash.update(line.as_bytes());
    }
    hash.finalize().to_hex().as_str()[..32].to_owned()
}

/// A line without what differs from run to run.
fn normalise(line: &str) -> String {
    line.split_whitespace().map(normalise_word).collect::<Vec<_>>().join(" ")
}

fn normalise_word(word: &str) -> String {
    let is_hex = |text: &str| text.len() >= 7 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    let bare = word.trim_matches(|c: char| !c.is_ascii_alphanumeric());
    if is_hex(bare) && bare.bytes().any(|byte| byte.is_ascii_digit()) {
        return "#".to_owned();
    }
    // Of a path, only the name is the same in every workspace.
    let word = if word.starts_with('/') || word.contains("/tmp") {
        word.rsplit('/').next().unwrap_or(word)
    } else {
        word
    };
    let mut normal = String::with_capacity(word.len());
    let mut in_number = false;
    for c in word.chars() {
        if c.is_ascii_digit() {
            if !in_number {
                normal.push('#');
            }
            in_number = true;
        } else {
            normal.push(c);
            in_number = false;
        }
    }
    normal
}
