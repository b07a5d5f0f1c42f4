//! Spans of time as people write them.

use std::time::Duration;

/// Reads `30m`, `5s`, `500ms`, `2h`.
pub fn parse(text: &str) -> Option<Duration> {
    let digits = text.find(|c: char| !c.is_ascii_digit())?;
    let number: u64 = text[..digits].parse().ok()?;
    let seconds = |n: u64| Duration::from_secs(n);
    match &text[digits..] {
        "ms" => Some(Duration::from_millis(number)),
        "s" => Some(seconds(number)),
        "m" => number.checked_mul(60).map(seconds),
        "h" => number.checked_mul(3600).map(seconds),
        _ => None,
    }
}
